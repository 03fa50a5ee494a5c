/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB as a Protocol: recognising, framing, staging, finding the next message again, names.
 */
#include "dissectors/proto_smb.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/smb_recorder.h"
#include "tests/tools/smb_samples.h"

static SmbBuilder builder;

static const SmbSample *build(const SmbSample *samples, const char *name)
{
	const SmbSample *sample = smb_sample_find(samples, name);

	cr_assert_not_null(sample, "%s", name);
	memset(&builder, 0, sizeof builder);
	sample->build(&builder);
	return sample;
}

Test(proto_smb, probe)
{
	static const struct {
		const char *bytes;
		size_t len;
		Probe client, server;
	} rows[] = {
		{"", 0, PROBE_MAYBE, PROBE_MAYBE},
		{"\0", 1, PROBE_MAYBE, PROBE_MAYBE},
		{"GET", 3, PROBE_NO, PROBE_NO},
		{"\x81\0\0\x44", 4, PROBE_YES, PROBE_NO},
		{"\x82\0\0\0", 4, PROBE_NO, PROBE_YES},
		{"\x85\0\0\0", 4, PROBE_MAYBE, PROBE_MAYBE},
		{"\0\0\0\x40\xFE", 5, PROBE_MAYBE, PROBE_MAYBE},
		{"\0\0\0\x40\xFESMB", 8, PROBE_YES, PROBE_YES},
		{"\0\0\0\x3F\xFESMB", 8, PROBE_NO, PROBE_NO},
		{"\0\0\0\x23\xFFSMB", 8, PROBE_YES, PROBE_YES},
		{"\0\0\0\x40\xFBSMB", 8, PROBE_NO, PROBE_NO},
		{"\0\0\0\x40\xFESMX", 8, PROBE_NO, PROBE_NO},
		{"\0\0\0\x34\xFDSMB", 8, PROBE_YES, PROBE_YES},
		{"\0\0\0\x10\xFCSMB", 8, PROBE_YES, PROBE_YES},
		{"\0\0\0\x0F\xFCSMB", 8, PROBE_NO, PROBE_NO},
		{"HTTP/1.1", 8, PROBE_NO, PROBE_NO},
		{"\x16\x03\x01\x02\0\x01\0\x01", 8, PROBE_NO, PROBE_NO},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const uint8_t *bytes = (const uint8_t *)rows[i].bytes;
		cr_expect_eq(
			protocol_smb.probe(bytes, rows[i].len, true), rows[i].client, "row %zu", i);
		cr_expect_eq(protocol_smb.probe(bytes, rows[i].len, false), rows[i].server,
			"row %zu", i);
	}
}

/* whatever the sample and however many bytes are at hand: the extent is the message */
Test(proto_smb, frame_tells_the_extent_from_eight_bytes)
{
	static const SmbSample *const tables[] = {smb1_samples, smb2_samples};

	for (int t = 0; t < 2; t++) {
		for (const SmbSample *s = tables[t]; s->name; s++) {
			build(tables[t], s->name);
			for (size_t len = 0; len < 200 && len <= builder.len; len++) {
				DissectorState state = {0};
				Extent extent = {0};
				uint8_t *copy = malloc(len ? len : 1);
				ParseStatus status;
				memcpy(copy, builder.bytes, len);
				status = protocol_smb.frame(
					&state, copy, len, s->from_client, &extent);
				free(copy);
				if (len < 8) {
					cr_assert_eq(status, PARSE_SHORT, "%s %zu", s->name, len);
					continue;
				}
				cr_assert_eq(status, PARSE_OK, "%s %zu", s->name, len);
				cr_assert_leq(extent.want, PROTOCOL_MAX_STAGED);
				cr_assert_leq(extent.want, extent.total);
				cr_assert_geq(extent.want, 4);
				cr_assert(extent.is_message);
				if (strcmp(s->name, "compound-large") != 0)
					cr_assert_eq(extent.total, builder.len, "%s", s->name);
			}
		}
	}
}

/* file data is not staged */
Test(proto_smb, reads_and_writes_stage_their_headers_only)
{
	static const struct {
		const SmbSample *samples;
		const char *name;
		uint32_t most;
	} rows[] = {
		{smb2_samples, "read-reply", 120},
		{smb2_samples, "write-request", 120},
		{smb1_samples, "read-andx-reply", 140},
		{smb1_samples, "write-andx-request", 140},
		{smb2_samples, "encrypted", 56},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const SmbSample *s = build(rows[i].samples, rows[i].name);
		DissectorState state = {0};
		Extent extent;
		cr_assert_eq(protocol_smb.frame(
				     &state, builder.bytes, builder.len, s->from_client, &extent),
			PARSE_OK);
		cr_expect_leq(extent.want, rows[i].most, "%s: %u", rows[i].name, extent.want);
	}
	{
		const SmbSample *s = build(smb2_samples, "encrypted");
		DissectorState state = {.stage_encrypted = true};
		Extent extent;
		cr_assert_eq(protocol_smb.frame(
				     &state, builder.bytes, builder.len, s->from_client, &extent),
			PARSE_OK);
		cr_expect_eq(extent.want, builder.len, "with keys the head is staged too");
	}
}

Test(proto_smb, netbios_packets_are_framed)
{
	static const uint8_t request[4 + 68] = {0x81, 0, 0, 68}, alive[4] = {0x85};
	DissectorState state = {0};
	Extent extent = {0};
	SmbRecorder *r = calloc(1, sizeof *r);

	cr_expect_eq(protocol_smb.frame(&state, request, 4, true, &extent), PARSE_OK);
	cr_expect_eq(extent.total, 72);
	cr_expect(!extent.is_message);
	cr_expect_eq(protocol_smb.frame(&state, alive, 4, true, &extent), PARSE_OK);
	cr_expect_eq(extent.total, 4);
	smb_recorder_run(r, request, sizeof request, SIZE_MAX, true);
	cr_expect_eq(r->count, 1);
	cr_expect(r->state.over_netbios, "a session request tells, whatever the port");
	free(r);
}

Test(proto_smb, what_is_no_message_is_bad)
{
	static const char *const rows[] = {"\0\0\0\x40\xFBSMB", "\0\0\0\x02\xFE\xFE\xFE\xFE",
		"\0\0\0\0\xFESMB", "\0\0\0\x20\xFESMB", "HTTP/1.1", "\xFESMB\x40\0\0\0"};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		DissectorState state = {0};
		Extent extent;
		cr_expect_eq(protocol_smb.frame(&state, (const uint8_t *)rows[i], 8, true, &extent),
			PARSE_BAD, "row %zu", i);
	}
	{
		/* 24 bits of length on port 139 */
		DissectorState state = {.over_netbios = true};
		Extent extent;
		cr_expect_eq(protocol_smb.frame(&state, (const uint8_t *)"\0\x02\0\0\xFESMB", 8,
				     true, &extent),
			PARSE_BAD);
	}
}

Test(proto_smb, resync_finds_the_next_message)
{
	uint8_t *bytes;
	size_t at = 1000;

	build(smb2_samples, "close-request");
	bytes = calloc(1, at + builder.len);
	memcpy(bytes + at, builder.bytes, builder.len);
	memcpy(bytes + 100, "xxSMBxx", 7);                /* no magic in front */
	memcpy(bytes + 200, "\1\0\0\x50\xFESMB", 8);      /* wrong type */
	memcpy(bytes + 300, "\0\0\0\x10\xFESMB", 8);      /* too short for its kind */
	memcpy(bytes + 400, "\0\0\0\x50\xFA\x53\x4D", 7); /* cut magic */
	memcpy(bytes, "SMBSMB", 6);
	cr_expect_eq(protocol_smb.resync(bytes, at + builder.len, true), (long)at);
	cr_expect_eq(protocol_smb.resync(bytes, at + 8, false), (long)at);
	cr_expect_eq(protocol_smb.resync(bytes, at + 7, true), -1);
	cr_expect_eq(protocol_smb.resync(bytes + at, 8, true), 0);
	free(bytes);
	for (size_t len = 0; len < 8; len++) {
		bytes = malloc(len ? len : 1);
		memcpy(bytes, "\0\0\0\x50\xFESM", len);
		cr_expect_eq(protocol_smb.resync(bytes, len, true), -1);
		free(bytes);
	}
}

Test(proto_smb, commands_have_names)
{
	static const struct {
		MessageProtocol protocol;
		uint16_t command;
		const char *name;
	} rows[] = {
		{MESSAGE_SMB2, 0, "negotiate"},
		{MESSAGE_SMB2, 8, "read"},
		{MESSAGE_SMB2, 14, "query-directory"},
		{MESSAGE_SMB2, 18, "oplock-break"},
		{MESSAGE_SMB2, 19, "unknown-13"},
		{MESSAGE_SMB2, 0x1234, "unknown"},
		{MESSAGE_SMB1, 0x2E, "read-andx"},
		{MESSAGE_SMB1, 0x32, "transaction2"},
		{MESSAGE_SMB1, 0xA2, "nt-create-andx"},
		{MESSAGE_SMB1, 0x60, "unknown-60"},
		{MESSAGE_SMB1, 0x160, "unknown"},
		{MESSAGE_NETBIOS, 0x85, "keep-alive"},
		{MESSAGE_NETBIOS, 0x42, "unknown-42"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_str_eq(
			message_command_name(rows[i].protocol, rows[i].command), rows[i].name);
	for (int protocol = 0; protocol <= MESSAGE_FTP; protocol++)
		for (uint32_t command = 0; command < 0x10000; command++)
			cr_assert_not_null(
				message_command_name((MessageProtocol)protocol, (uint16_t)command));
}

Test(proto_smb, table_lists_it)
{
	size_t count = 0;

	while (protocol_table[count])
		count++;
	cr_expect_eq(count, 2);
	cr_expect_eq(protocol_table[0], &protocol_smb);
}
