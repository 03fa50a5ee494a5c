/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2: what the dissector says of one sample of every kind, at full length and cut.
 */
#include "dissectors/smb2_header.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissectors/smb3_transform.h"
#include "tests/tools/smb_recorder.h"
#include "tests/tools/smb_samples.h"

static SmbBuilder builder;
static SmbRecorder recorder;

static const SmbSample *build(const char *name)
{
	const SmbSample *sample = smb_sample_find(smb2_samples, name);

	cr_assert_not_null(sample, "%s", name);
	memset(&builder, 0, sizeof builder);
	sample->build(&builder);
	return sample;
}

/* the only message of a sample, which must be free of anomalies */
static const Message *one(const char *name)
{
	const SmbSample *sample = build(name);

	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
	cr_assert_eq(recorder.count, 1, "%s: %zu messages", name, recorder.count);
	cr_assert_eq(recorder.anomaly_count, 0, "%s: %s", name, recorder.anomalies[0]);
	cr_assert(recorder.records[0].message.flags & MESSAGE_LAST, "%s", name);
	cr_assert_eq(!!(recorder.records[0].message.flags & MESSAGE_FROM_CLIENT),
		sample->from_client, "%s", name);
	return &recorder.records[0].message;
}

static void expect_file_id(const Message *m)
{
	cr_expect(m->flags & MESSAGE_HAS_FILE_ID);
	for (int i = 0; i < 16; i++)
		cr_expect_eq(m->file_id[i], i + 1);
}

Test(smb2, every_kind_has_its_verb_and_header)
{
	static const struct {
		const char *name;
		MessageKind kind;
		MessageVerb verb;
		uint16_t command;
	} rows[] = {
		{"negotiate-request", MESSAGE_REQUEST, VERB_NEGOTIATE, 0},
		{"negotiate-reply", MESSAGE_REPLY, VERB_NEGOTIATE, 0},
		{"session-setup-request", MESSAGE_REQUEST, VERB_LOGIN, 1},
		{"session-setup-reply", MESSAGE_REPLY, VERB_LOGIN, 1},
		{"tree-connect-request", MESSAGE_REQUEST, VERB_CONNECT, 3},
		{"tree-connect-reply", MESSAGE_REPLY, VERB_CONNECT, 3},
		{"create-request", MESSAGE_REQUEST, VERB_OPEN, 5},
		{"create-reply", MESSAGE_REPLY, VERB_OPEN, 5},
		{"close-request", MESSAGE_REQUEST, VERB_CLOSE, 6},
		{"close-reply", MESSAGE_REPLY, VERB_CLOSE, 6},
		{"flush-request", MESSAGE_REQUEST, VERB_FLUSH, 7},
		{"read-request", MESSAGE_REQUEST, VERB_READ, 8},
		{"read-reply", MESSAGE_REPLY, VERB_READ, 8},
		{"read-error", MESSAGE_REPLY, VERB_READ, 8},
		{"write-request", MESSAGE_REQUEST, VERB_WRITE, 9},
		{"write-reply", MESSAGE_REPLY, VERB_WRITE, 9},
		{"lock-request", MESSAGE_REQUEST, VERB_LOCK, 10},
		{"copy-request", MESSAGE_REQUEST, VERB_COPY, 11},
		{"copy-reply", MESSAGE_REPLY, VERB_COPY, 11},
		{"copy-refused", MESSAGE_REPLY, VERB_COPY, 11},
		{"interfaces-reply", MESSAGE_REPLY, VERB_IOCTL, 11},
		{"ioctl-error", MESSAGE_REPLY, VERB_IOCTL, 11},
		{"echo-request", MESSAGE_REQUEST, VERB_ECHO, 13},
		{"directory-request", MESSAGE_REQUEST, VERB_LIST, 14},
		{"directory-reply", MESSAGE_REPLY, VERB_LIST, 14},
		{"notify-request", MESSAGE_REQUEST, VERB_NOTIFY, 15},
		{"query-info-request", MESSAGE_REQUEST, VERB_QUERY, 16},
		{"query-info-reply", MESSAGE_REPLY, VERB_QUERY, 16},
		{"rename-request", MESSAGE_REQUEST, VERB_SET, 17},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const Message *m = one(rows[i].name);
		cr_expect_eq(m->kind, rows[i].kind, "%s", rows[i].name);
		cr_expect_eq(m->verb, rows[i].verb, "%s", rows[i].name);
		cr_expect_eq(m->command, rows[i].command, "%s", rows[i].name);
		cr_expect_eq(m->protocol, MESSAGE_SMB2, "%s", rows[i].name);
		cr_expect_eq(m->request_id, 1000U + m->command, "%s", rows[i].name);
		cr_expect_eq(m->session_id, 0x5555000011112222U, "%s", rows[i].name);
		cr_expect_eq(m->tree_id, 77, "%s", rows[i].name);
		cr_expect_eq(m->credit_charge, 2, "%s", rows[i].name);
		cr_expect_eq(m->credits, 31, "%s", rows[i].name);
		cr_expect_eq(m->index, 0, "%s", rows[i].name);
		cr_expect_eq(m->count, 1, "%s", rows[i].name);
	}
}

Test(smb2, negotiate_says_all_of_both_sides)
{
	const MessageNegotiation *n = one("negotiate-request")->negotiation;

	cr_assert_not_null(n);
	cr_expect_eq(n->offered_count, 5);
	cr_expect_eq(n->offered[0], 0x0202);
	cr_expect_eq(n->offered[4], 0x0311);
	cr_expect(n->signing_enabled && !n->signing_required);
	cr_expect(n->encryption && n->large_mtu && n->multichannel && n->leasing && n->dfs);
	cr_expect(n->preauth_integrity);
	cr_expect_eq(n->cipher, 4);
	cr_expect_eq(n->compression_count, 4);
	cr_expect_eq(n->compression[0], 1);
	cr_expect_eq(n->compression[3], 4);
	cr_expect(n->has_signing_algorithm);
	cr_expect_eq(n->signing_algorithm, 2);
	cr_expect_eq(n->netname_len, 14);

	n = one("negotiate-reply")->negotiation;
	cr_assert_not_null(n);
	cr_expect_eq(n->dialect, 0x0311);
	cr_expect_eq(recorder.state.dialect, 0x0311);
	cr_expect(n->signing_enabled && n->signing_required);
	cr_expect_eq(n->max_transact, 8388608);
	cr_expect_eq(n->max_read, 1048576);
	cr_expect_eq(n->max_write, 65536);
	cr_expect_eq(n->cipher, 2);
	cr_expect(n->has_signing_algorithm);
	cr_expect_eq(n->signing_algorithm, 2);
}

Test(smb2, contexts_belong_to_3_1_1_only)
{
	const SmbSample *sample = build("negotiate-reply");

	build_at(&builder, 4 + 64 + 4, 2, 0x0302); /* NegotiateContextOffset is reserved there */
	build_at(&builder, 4 + 64 + 60, 4, 0xFFFFFFFF);
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
	cr_assert_eq(recorder.count, 1);
	cr_expect_eq(recorder.anomaly_count, 0);
	cr_expect_eq(recorder.records[0].negotiation.cipher, 0);
	cr_expect(recorder.records[0].negotiation.encryption, "by capability");
}

Test(smb2, sessions_and_trees)
{
	cr_expect(one("session-setup-request")->flags & MESSAGE_BINDING);
	cr_expect(one("session-setup-reply")->flags & MESSAGE_GUEST);
	cr_expect(recorder.records[0].message.flags & MESSAGE_ENCRYPTION_ASKED);
	cr_expect(one("tree-connect-request")->flags & MESSAGE_PIPE);
	cr_expect_str_eq(recorder.records[0].name, "\\\\srv\\ipc$");
	cr_expect(one("tree-connect-reply")->flags & MESSAGE_PIPE);
	cr_expect(recorder.records[0].message.flags & MESSAGE_ENCRYPTION_ASKED);
	cr_expect(recorder.records[0].message.flags & MESSAGE_DFS);
	cr_expect_eq(recorder.records[0].message.access, 0x1F01FF);
}

Test(smb2, create_and_close)
{
	const Message *m = one("create-request");

	cr_expect_str_eq(recorder.records[0].name, "dir\\file.txt");
	cr_expect(m->flags & MESSAGE_SIGNED);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	cr_expect(m->flags & MESSAGE_UNBUFFERED);
	cr_expect(m->flags & MESSAGE_DELETE_ON_CLOSE);
	cr_expect(!(m->flags & MESSAGE_DIRECTORY));
	cr_expect(m->flags & MESSAGE_DURABLE);
	cr_expect(m->flags & MESSAGE_PERSISTENT);
	cr_expect_eq(m->oplock, 0xFF);
	cr_expect_eq(m->lease_state, 7);
	cr_expect_eq(m->access, 0x00120089);
	cr_expect_eq(m->disposition, 1);

	m = one("create-reply");
	expect_file_id(m);
	cr_expect_eq(m->file_size, 0x123456789A);
	cr_expect(m->flags & MESSAGE_DIRECTORY);
	cr_expect_eq(m->oplock, 0xFF);
	cr_expect_eq(m->lease_state, 7);
	cr_expect_eq(m->disposition, 1);

	expect_file_id(one("close-request"));
	cr_expect_eq(one("close-reply")->file_size, 555);
	expect_file_id(one("flush-request"));
}

Test(smb2, reads_and_writes)
{
	const Message *m = one("read-request");

	expect_file_id(m);
	cr_expect_eq(m->length, 65536);
	cr_expect_eq(m->offset, 0x1122334455);
	cr_expect(m->flags & MESSAGE_HAS_OFFSET);
	cr_expect(m->flags & MESSAGE_UNBUFFERED);

	m = one("read-reply");
	cr_expect_eq(m->length, 5000);
	cr_expect_eq(m->data_offset, 84);

	m = one("read-error");
	cr_expect_eq(m->status, 0xC0000011);
	cr_expect_eq(m->status_class, STATUS_CLASS_END);
	cr_expect_eq(m->length, 0);

	m = one("write-request");
	expect_file_id(m);
	cr_expect_eq(m->length, 3000);
	cr_expect_eq(m->offset, 0x9988776655);
	cr_expect_eq(m->data_offset, 116);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	cr_expect(m->flags & MESSAGE_UNBUFFERED);
	cr_expect_eq(one("write-reply")->length, 0x12345);

	m = one("write-pending");
	cr_expect_eq(m->kind, MESSAGE_INTERIM);
	cr_expect_eq(m->status_class, STATUS_CLASS_PENDING);
	cr_expect(m->flags & MESSAGE_ASYNC);
	cr_expect_eq(m->async_id, 0xABCDEF);
	cr_expect_eq(m->tree_id, 0);
	cr_expect_eq(m->request_id, 1009);
}

Test(smb2, locks_breaks_and_cancel)
{
	const Message *m = one("lock-request");

	cr_expect_eq(m->offset, 100);
	cr_expect_eq(m->length, 50);
	cr_expect(m->flags & MESSAGE_BLOCKING);
	cr_expect(!message_is_owed(m));

	m = one("oplock-break");
	cr_expect_eq(m->kind, MESSAGE_NOTICE);
	cr_expect_eq(m->oplock_break, 1);
	expect_file_id(m);
	m = one("lease-break");
	cr_expect_eq(m->kind, MESSAGE_NOTICE);
	cr_expect_eq(m->lease_state, 7);
	cr_expect_eq(m->oplock_break, 3);
	m = one("break-answer");
	cr_expect_eq(m->kind, MESSAGE_REQUEST);
	cr_expect_eq(m->oplock_break, 3);
	cr_expect_eq(m->request_id, 99);

	m = one("cancel-request");
	cr_expect_eq(m->verb, VERB_CANCEL);
	cr_expect_eq(m->async_id, 0xABCDEF);
	cr_expect(!message_is_owed(m));
	cr_expect(!message_is_owed(one("notify-request")));
	cr_expect(!message_is_owed(one("pipe-wait-request")));
	cr_expect(message_is_owed(one("echo-request")));
}

Test(smb2, queries_and_ioctls)
{
	const Message *m = one("directory-request");

	cr_expect_eq(m->info_class, 37);
	cr_expect_eq(m->buffer_length, 65536);
	cr_expect_str_eq(recorder.records[0].name, "*.txt");
	m = one("directory-reply");
	cr_expect_eq(m->entries, 3);
	cr_expect_eq(m->length, 336);
	m = one("query-info-request");
	cr_expect_eq(m->info_type, 1);
	cr_expect_eq(m->info_class, 18);
	cr_expect_eq(m->buffer_length, 8192);
	m = one("rename-request");
	cr_expect_eq(m->info_class, 10);
	cr_expect_str_eq(recorder.records[0].name, "new.txt");
	cr_expect_eq(one("end-of-file-request")->file_size, 0x100000001);
	m = one("copy-request");
	cr_expect_eq(m->info_class, 0x001440F2);
	cr_expect_eq(m->entries, 2);
	cr_expect_eq(m->length, 0x1000 + 0x2000);
	cr_expect_eq(m->offset, 0x200);
	m = one("copy-reply");
	cr_expect_eq(m->entries, 2);
	cr_expect_eq(m->length, 48 * 256);
	m = one("copy-refused");
	cr_expect_eq(m->length, 0);
	m = one("interfaces-reply");
	cr_expect_eq(m->entries, 2);
	cr_expect(m->flags & MESSAGE_RSS);
	cr_expect(m->flags & MESSAGE_RDMA);
	one("referral-request");
	cr_expect_str_eq(recorder.records[0].name, "\\dfs");
	cr_expect_eq(one("referral-reply")->entries, 3);
}

Test(smb2, compounds)
{
	const SmbSample *sample = build("compound-request");
	static const uint16_t commands[] = {5, 16, 6};

	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
	cr_assert_eq(recorder.count, 3);
	cr_expect_eq(recorder.anomaly_count, 0);
	for (uint16_t i = 0; i < 3; i++) {
		const Message *m = &recorder.records[i].message;
		cr_expect_eq(m->command, commands[i]);
		cr_expect_eq(m->index, i);
		cr_expect_eq(m->count, 3);
		cr_expect_eq(!!(m->flags & MESSAGE_LAST), i == 2);
		cr_expect_eq(!!(m->flags & MESSAGE_RELATED), i > 0);
		if (i > 0)
			cr_expect_eq(m->file_id[0], 0xFF);
	}
}

Test(smb2, a_compound_too_large_to_stage_comes_member_by_member)
{
	const SmbSample *sample = build("compound-large");
	size_t len = builder.len;

	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, len, SIZE_MAX, sample->from_client);
	cr_assert_eq(recorder.count, 2);
	cr_expect_eq(recorder.anomaly_count, 0);
	cr_expect_eq(recorder.records[0].message.command, 8);
	cr_expect_eq(recorder.records[0].message.length, 5000);
	cr_expect(!(recorder.records[0].message.flags & MESSAGE_LAST));
	cr_expect_eq(recorder.records[1].message.command, 6);
	cr_expect_eq(recorder.records[1].message.index, 1);
	cr_expect(recorder.records[1].message.flags & MESSAGE_LAST);
	cr_expect_eq(recorder.state.compound_left[1], 0);
	cr_expect_eq(recorder.state.compound_index[1], 0);

	/* a hole swallowed the second member: the next message is framed as usual */
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, 4 + 64 + 17, SIZE_MAX, sample->from_client);
	cr_expect_gt(recorder.state.compound_left[1], 0);
	sample = build("echo-request");
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, false);
	cr_expect_eq(recorder.count, 2);
	cr_expect_eq(recorder.records[1].message.index, 0);
}

Test(smb2, wrapped_messages_are_opaque)
{
	const Message *m = one("encrypted");

	cr_expect_eq(m->kind, MESSAGE_OPAQUE);
	cr_expect(m->flags & MESSAGE_ENCRYPTED);
	cr_expect_eq(m->opaque_length, 104);
	cr_expect_eq(m->session_id, 0x5555000011112222U);
	m = one("compressed");
	cr_expect_eq(m->kind, MESSAGE_OPAQUE);
	cr_expect(m->flags & MESSAGE_COMPRESSED);
	cr_expect_eq(m->opaque_length, 4096);
}

/* What decode() says with fewer bytes is never wrong, only less. */
Test(smb2, every_sample_at_every_length)
{
	for (const SmbSample *s = smb2_samples; s->name; s++) {
		build(s->name);
		for (size_t kept = 0; kept <= builder.len && kept <= 2100; kept++) {
			const Message *m = &recorder.records[0].message;
			memset(&recorder, 0, sizeof recorder);
			smb_recorder_run(
				&recorder, builder.bytes, builder.len, kept, s->from_client);
			if (kept < 8) {
				cr_assert_eq(recorder.status, PARSE_SHORT, "%s %zu", s->name, kept);
				cr_assert_eq(recorder.count, 0, "%s %zu", s->name, kept);
				continue;
			}
			for (size_t i = 0; i < recorder.anomaly_count; i++)
				cr_assert(strstr(recorder.anomalies[i], "-cut"),
					"%s cut at %zu: %s", s->name, kept, recorder.anomalies[i]);
			if (kept >= 4 + 64 && m->kind != MESSAGE_OPAQUE) {
				cr_assert_geq(recorder.count, 1, "%s %zu", s->name, kept);
				cr_assert_eq(m->protocol, MESSAGE_SMB2);
				cr_assert_neq(m->request_id, 0, "%s %zu", s->name, kept);
			}
		}
	}
}

/* as many bytes as the last field needs, and not one more */
Test(smb2, fields_are_told_from_the_bytes_they_need)
{
	static const struct {
		const char *name;
		size_t kept;
		uint64_t length;
	} rows[] = {
		{"read-reply", 4 + 64 + 8, 5000},
		{"write-reply", 4 + 64 + 8, 0x12345},
		{"read-request", 4 + 64 + 8, 65536},
		{"write-request", 4 + 64 + 32, 3000},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (size_t less = 0; less < 2; less++) {
			const SmbSample *s = build(rows[i].name);
			memset(&recorder, 0, sizeof recorder);
			smb_recorder_run(&recorder, builder.bytes, builder.len, rows[i].kept - less,
				s->from_client);
			cr_assert_eq(recorder.count, 1);
			cr_expect_eq(recorder.records[0].message.length, less ? 0 : rows[i].length,
				"%s", rows[i].name);
			cr_expect_eq(!!(recorder.records[0].message.flags & MESSAGE_TRUNCATED),
				less == 1 || i == 2 || i == 3, "%s", rows[i].name);
		}
	}
}

Test(smb2, contradictions_are_counted_and_survived)
{
	static const struct {
		const char *sample;
		size_t at, size;
		uint32_t value;
		const char *anomaly;
	} rows[] = {
		{"read-reply", 4 + 64, 2, 16, "smb2-structure-size"},
		{"read-reply", 4 + 4, 2, 63, "smb2-bad-header"},
		{"read-reply", 4 + 64 + 4, 4, 0xFFFFFFFF, "smb2-bad-offset"},
		{"read-reply", 4 + 64 + 2, 1, 3, "smb2-bad-offset"},
		{"read-reply", 4 + 20, 4, 8, "compound-bad-offset"},
		{"read-reply", 4 + 20, 4, 0xFFFFFFF8, "compound-bad-offset"},
		{"read-reply", 4 + 12, 2, 19, "smb2-unknown-command"},
		{"read-reply", 4 + 16, 4, 0, "smb2-direction"},
		{"create-request", 4 + 64 + 44, 2, 0, "smb2-bad-offset"},
		{"create-request", 4 + 64 + 46, 2, 0xFFFF, "smb2-bad-offset"},
		{"create-request", 4 + 64 + 48, 4, 0xFFFFFFFF, "smb2-bad-offset"},
		{"create-request", 4 + 144, 4, 8, "smb2-context-loop"},
		{"directory-reply", 4 + 72, 4, 4, "smb2-entry-loop"},
		{"interfaces-reply", 4 + 112, 4, 8, "smb2-entry-loop"},
		{"negotiate-request", 4 + 64 + 28, 4, 3, "smb2-bad-offset"},
		{"negotiate-request", 4 + 64 + 28, 4, 0xFFFFFFF8, "smb2-bad-offset"},
		{"encrypted", 4 + 36, 4, 105, "smb3-bad-transform"},
		{"copy-refused", 4 + 64, 2, 11, "smb2-structure-size"},
		{"lease-break", 4 + 64, 2, 25, "smb2-structure-size"},
		{"break-answer", 4 + 64, 2, 25, "smb2-structure-size"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const SmbSample *sample = build(rows[i].sample);
		build_at(&builder, rows[i].at, rows[i].size, rows[i].value);
		memset(&recorder, 0, sizeof recorder);
		smb_recorder_run(
			&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
		cr_expect(smb_recorder_has(&recorder, rows[i].anomaly), "%s: wanted %s, got %s",
			rows[i].sample, rows[i].anomaly,
			recorder.anomaly_count ? recorder.anomalies[0] : "nothing");
	}
}

Test(smb2, a_read_never_moves_more_than_its_message_holds)
{
	const SmbSample *sample = build("read-reply");

	build_at(&builder, 4 + 64 + 4, 4, 0xFFFFFFFF);
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
	cr_expect_eq(recorder.records[0].message.length, 5000);
}

Test(smb2, a_chain_of_empty_members_ends)
{
	Smb2Fields f = {.command = 13};

	memset(&builder, 0, sizeof builder);
	build_pdu(&builder);
	for (int i = 0; i < 30; i++) {
		build_smb2(&builder, &f);
	}
	build_end(&builder);
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, true);
	cr_expect_eq(recorder.count, 30);

	/* 700 members: framed one by one, the index stops at the limit */
	memset(&builder, 0, sizeof builder);
	build_pdu(&builder);
	for (int i = 0; i < 700; i++)
		build_smb2(&builder, &f);
	build_end(&builder);
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, true);
	cr_expect_eq(recorder.count, SMB_RECORDER_ROOM);
	cr_expect_eq(recorder.state.compound_left[0], 0);
}

Test(smb2, transform_header)
{
	Smb3Transform t = {.original_size = 12345};
	Cursor c;

	build("encrypted");
	c = cursor_over(builder.bytes + 4, builder.len - 4);
	cr_assert_eq(smb3_transform_parse(&c, &t), PARSE_OK);
	cr_expect_eq(t.original_size, 104);
	cr_expect_eq(t.flags, 1);
	cr_expect_eq(c.pos, SMB3_TRANSFORM_LEN);
	t.original_size = 12345;
	for (size_t len = 0; len < SMB3_TRANSFORM_LEN; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		memcpy(copy, builder.bytes + 4, len);
		c = cursor_over(copy, len);
		cr_expect_eq(smb3_transform_parse(&c, &t), PARSE_SHORT, "%zu", len);
		cr_expect_eq(t.original_size, 12345, "%zu", len);
		cr_expect_eq(c.pos, 0, "%zu", len);
		free(copy);
	}
	builder.bytes[4] = 0xFE;
	c = cursor_over(builder.bytes + 4, builder.len - 4);
	cr_expect_eq(smb3_transform_parse(&c, &t), PARSE_BAD);
}

/* every body parser looks at StructureSize before it believes the rest */
Test(smb2, bodies_of_another_size_are_not_read)
{
	static const char *const free_form[] = {"read-error", "write-pending", "ioctl-error",
		"cancel-request", "echo-request", "encrypted", "compressed"};

	for (const SmbSample *s = smb2_samples; s->name; s++) {
		bool is_free = false;
		for (size_t i = 0; i < sizeof free_form / sizeof *free_form; i++)
			is_free |= strcmp(s->name, free_form[i]) == 0;
		if (is_free)
			continue;
		build(s->name);
		build_at(&builder, 4 + 64, 2, 0xFFFF);
		memset(&recorder, 0, sizeof recorder);
		smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, s->from_client);
		cr_expect(smb_recorder_has(&recorder, "smb2-structure-size"), "%s", s->name);
		cr_expect_eq(recorder.records[0].message.name_len, 0, "%s", s->name);
		cr_expect(
			!(recorder.records[0].message.flags & MESSAGE_HAS_FILE_ID), "%s", s->name);
	}
}
