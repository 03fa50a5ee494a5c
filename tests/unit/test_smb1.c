/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1: what the dissector says of one sample of every kind, at full length and cut.
 */
#include "dissectors/smb1_header.h"

#include <string.h>

#include <criterion/criterion.h>

#include "dissectors/smb1_negotiate.h"
#include "tests/tools/smb_recorder.h"
#include "tests/tools/smb_samples.h"

#define ID 0x12344321U
#define FID_LOW 0x07
#define FID_HIGH 0x40

static SmbBuilder builder;
static SmbRecorder recorder;

static const SmbSample *build(const char *name)
{
	const SmbSample *sample = smb_sample_find(smb1_samples, name);

	cr_assert_not_null(sample, "%s", name);
	memset(&builder, 0, sizeof builder);
	sample->build(&builder);
	return sample;
}

/* runs a sample on the connection so far and gives its last message */
static const Message *next(const char *name)
{
	const SmbSample *sample = build(name);
	size_t before = recorder.count;

	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, sample->from_client);
	cr_assert_gt(recorder.count, before, "%s", name);
	cr_assert_eq(recorder.anomaly_count, 0, "%s: %s", name, recorder.anomalies[0]);
	return &recorder.records[recorder.count - 1].message;
}

static const Message *one(const char *name)
{
	memset(&recorder, 0, sizeof recorder);
	return next(name);
}

static const char *last_name(void)
{
	return recorder.records[recorder.count - 1].name;
}

static void expect_fid(const Message *m)
{
	cr_expect(m->flags & MESSAGE_HAS_FILE_ID);
	cr_expect_eq(m->file_id[0], FID_LOW);
	cr_expect_eq(m->file_id[1], FID_HIGH);
	cr_expect_eq(m->file_id[2], 0);
}

Test(smb1, every_kind_has_its_verb_and_header)
{
	static const struct {
		const char *name;
		MessageKind kind;
		MessageVerb verb;
		uint16_t command;
	} rows[] = {
		{"negotiate-request", MESSAGE_REQUEST, VERB_NEGOTIATE, 0x72},
		{"negotiate-reply", MESSAGE_REPLY, VERB_NEGOTIATE, 0x72},
		{"setup-extended-request", MESSAGE_REQUEST, VERB_LOGIN, 0x73},
		{"tree-connect-request", MESSAGE_REQUEST, VERB_CONNECT, 0x70},
		{"nt-create-request", MESSAGE_REQUEST, VERB_OPEN, 0xA2},
		{"nt-create-reply", MESSAGE_REPLY, VERB_OPEN, 0xA2},
		{"open-request", MESSAGE_REQUEST, VERB_OPEN, 0x02},
		{"create-reply", MESSAGE_REPLY, VERB_OPEN, 0x03},
		{"close-request", MESSAGE_REQUEST, VERB_CLOSE, 0x04},
		{"close-reply", MESSAGE_REPLY, VERB_CLOSE, 0x04},
		{"delete-request", MESSAGE_REQUEST, VERB_SET, 0x06},
		{"query-information-reply", MESSAGE_REPLY, VERB_QUERY, 0x08},
		{"lock-request", MESSAGE_REQUEST, VERB_LOCK, 0x24},
		{"oplock-break", MESSAGE_NOTICE, VERB_BREAK, 0x24},
		{"echo-request", MESSAGE_REQUEST, VERB_ECHO, 0x2B},
		{"echo-second-reply", MESSAGE_NOTICE, VERB_ECHO, 0x2B},
		{"search-request", MESSAGE_REQUEST, VERB_LIST, 0x81},
		{"read-andx-request", MESSAGE_REQUEST, VERB_READ, 0x2E},
		{"write-andx-reply", MESSAGE_REPLY, VERB_WRITE, 0x2F},
		{"transaction-request", MESSAGE_REQUEST, VERB_IOCTL, 0x25},
		{"find-first-request", MESSAGE_REQUEST, VERB_LIST, 0x32},
		{"find-next-request", MESSAGE_REQUEST, VERB_LIST, 0x32},
		{"query-path-request", MESSAGE_REQUEST, VERB_QUERY, 0x32},
		{"set-file-request", MESSAGE_REQUEST, VERB_SET, 0x32},
		{"open2-request", MESSAGE_REQUEST, VERB_OPEN, 0x32},
		{"dfs-request", MESSAGE_REQUEST, VERB_IOCTL, 0x32},
		{"secondary-request", MESSAGE_NOTICE, VERB_OTHER, 0x33},
		{"interim-reply", MESSAGE_INTERIM, VERB_OTHER, 0x32},
		{"notify-request", MESSAGE_REQUEST, VERB_NOTIFY, 0xA0},
		{"nt-ioctl-request", MESSAGE_REQUEST, VERB_IOCTL, 0xA0},
		{"security-request", MESSAGE_REQUEST, VERB_QUERY, 0xA0},
		{"nt-transact-create-request", MESSAGE_REQUEST, VERB_OPEN, 0xA0},
		{"nt-transact-create-reply", MESSAGE_REPLY, VERB_OPEN, 0xA0},
		{"cancel-request", MESSAGE_REQUEST, VERB_CANCEL, 0xA4},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const Message *m = one(rows[i].name);
		cr_expect_eq(m->kind, rows[i].kind, "%s is %d", rows[i].name, m->kind);
		cr_expect_eq(m->verb, rows[i].verb, "%s is %d", rows[i].name, m->verb);
		cr_expect_eq(m->command, rows[i].command, "%s", rows[i].name);
		cr_expect_eq(m->protocol, MESSAGE_SMB1, "%s", rows[i].name);
		cr_expect_eq(m->request_id, ID, "%s", rows[i].name);
		cr_expect_eq(m->session_id, 100, "%s", rows[i].name);
		cr_expect_eq(m->count, 1, "%s", rows[i].name);
		cr_expect(m->flags & MESSAGE_LAST, "%s", rows[i].name);
	}
}

Test(smb1, negotiate_says_what_was_offered_and_chosen)
{
	const MessageNegotiation *n = one("negotiate-request")->negotiation;

	cr_assert_not_null(n);
	cr_expect_eq(n->smb1_offered_count, 9);
	cr_expect_eq(n->smb1_offered[0], SMB1_DIALECT_CORE);
	cr_expect_eq(n->smb1_offered[5], SMB1_DIALECT_NT_LM);
	cr_expect_eq(n->smb1_offered[8], SMB1_DIALECT_UNKNOWN);
	cr_expect_str_eq(smb1_dialect_name(n->smb1_offered[5]), "NT LM 0.12");
	cr_expect_str_eq(smb1_dialect_name(200), "unknown");
	cr_expect(n->offered_smb1);
	cr_expect_eq(n->offered_count, 2);
	cr_expect_eq(n->offered[0], 0x0202);
	cr_expect_eq(n->offered[1], 0x02FF);

	n = one("negotiate-reply")->negotiation;
	cr_expect_eq(n->dialect, 5);
	cr_expect(n->chose_nt_lm);
	cr_expect(n->signing_enabled && n->signing_required);
	cr_expect_eq(n->max_mpx, 50);
	cr_expect_eq(n->max_buffer, 16644);
	cr_expect(n->raw_mode && n->large_read && n->large_write && n->extended_security && n->dfs);

	n = one("negotiate-lanman-reply")->negotiation;
	cr_expect_eq(n->dialect, 4);
	cr_expect(!n->chose_nt_lm);
	cr_expect(!n->signing_enabled);
	cr_expect_eq(n->max_buffer, 4356);
	cr_expect_eq(n->max_mpx, 10);
	cr_expect(n->raw_mode);
	cr_expect_eq(one("negotiate-core-reply")->negotiation->dialect, 0xFFFF);

	n = one("setup-extended-request")->negotiation;
	cr_expect_eq(n->max_buffer, 16644);
	cr_expect_eq(n->max_mpx, 50);
	cr_expect(n->large_read && !n->large_write && n->extended_security);
}

Test(smb1, andx_chains)
{
	const Message *m = one("setup-chain-request");

	cr_assert_eq(recorder.count, 2);
	cr_expect_eq(recorder.records[0].message.command, 0x73);
	cr_expect_eq(recorder.records[0].message.request_id, ID);
	cr_expect(!(recorder.records[0].message.flags & MESSAGE_LAST));
	cr_expect(recorder.records[0].negotiation.large_write);
	cr_expect_eq(m->command, 0x75);
	cr_expect_eq(m->request_id, ID | 1ULL << 32);
	cr_expect_eq(m->index, 1);
	cr_expect_eq(m->count, 2);
	cr_expect(m->flags & MESSAGE_PIPE);
	cr_expect_str_eq(last_name(), "\\\\srv\\IPC$");

	m = one("setup-chain-reply");
	cr_assert_eq(recorder.count, 2);
	cr_expect(recorder.records[0].message.flags & MESSAGE_GUEST);
	cr_expect(m->flags & MESSAGE_PIPE);
	cr_expect(m->flags & MESSAGE_DFS);
	cr_expect_eq(m->access, 0x1F01FF);
	cr_expect_eq(m->request_id, ID | 1ULL << 32);

	m = one("open-andx-request");
	cr_assert_eq(recorder.count, 2);
	cr_expect_str_eq(recorder.records[0].name, "\\o.txt");
	cr_expect_eq(recorder.records[0].message.oplock, 9);
	cr_expect(recorder.records[0].message.flags & MESSAGE_WRITE_THROUGH);
	cr_expect_eq(m->command, 0x2E);
	cr_expect_eq(m->length, 512);
	cr_expect(m->flags & MESSAGE_RELATED);
	cr_expect_eq(m->file_id[0], 0xFF);
	cr_expect_eq(m->file_id[15], 0xFF);
}

/* the status of a chain is that of the last command that ran */
Test(smb1, status_of_a_chain_is_the_last_members)
{
	build("setup-chain-reply");
	build_at(&builder, 4 + 5, 4, 0xC00000CC);
	memset(&recorder, 0, sizeof recorder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, false);
	cr_assert_eq(recorder.count, 2);
	cr_expect_eq(recorder.records[0].message.status, 0);
	cr_expect_eq(recorder.records[1].message.status, 0xC00000CC);
	cr_expect_eq(recorder.records[1].message.status_class, STATUS_CLASS_NOT_FOUND);
}

Test(smb1, opens_and_closes)
{
	const Message *m = one("nt-create-request");

	cr_expect_str_eq(last_name(), "\\dir\\a.bin");
	cr_expect_eq(m->oplock, 9);
	cr_expect_eq(m->access, 0x20089);
	cr_expect_eq(m->disposition, 1);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	cr_expect(m->flags & MESSAGE_UNBUFFERED);
	one("nt-create-oem-request");
	cr_expect_str_eq(last_name(), "\\a\u00e4.b");
	m = one("nt-create-reply");
	expect_fid(m);
	cr_expect_eq(m->file_size, 0x1000000005);
	cr_expect_eq(m->oplock, 9);
	m = one("open-andx-reply");
	expect_fid(m);
	cr_expect_eq(m->file_size, 7777);
	cr_expect_eq(m->oplock, 8);
	cr_expect(m->flags & MESSAGE_DIRECTORY);
	m = one("open-request");
	cr_expect_str_eq(last_name(), "\\OLD.TXT");
	cr_expect_eq(m->oplock, 8);
	m = one("open-reply");
	expect_fid(m);
	cr_expect_eq(m->file_size, 4321);
	cr_expect_eq(m->oplock, 9);
	expect_fid(one("create-reply"));
	expect_fid(one("close-request"));
	m = one("close-dos-error");
	cr_expect_eq(m->status, 0xC0000008);
	cr_expect_eq(m->status_class, STATUS_CLASS_ERROR);
	one("delete-request");
	cr_expect_str_eq(last_name(), "\\gone");
	m = one("query-information-reply");
	cr_expect_eq(m->file_size, 888);
	cr_expect(m->flags & MESSAGE_DIRECTORY);
	cr_expect_eq(one("query-information2-reply")->file_size, 999);
	m = one("nt-transact-create-request");
	cr_expect_str_eq(last_name(), "\\nt");
	cr_expect(m->flags & MESSAGE_DIRECTORY);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	m = one("nt-transact-create-reply");
	expect_fid(m);
	cr_expect_eq(m->file_size, 99);
	cr_expect(m->flags & MESSAGE_DIRECTORY);
	one("tree-connect-request");
	cr_expect_str_eq(last_name(), "\\\\SRV\\DATA");
	cr_expect_eq(one("tree-connect-reply")->tree_id, 9);
}

Test(smb1, reads_and_writes)
{
	const Message *m = one("read-andx-request");

	expect_fid(m);
	cr_expect_eq(m->offset, 0x1155667788);
	cr_expect_eq(m->length, 0x1F000);
	m = one("read-andx-reply");
	cr_expect_eq(m->length, 0x11000);
	cr_expect_eq(m->data_offset, 64);
	m = one("write-andx-request");
	expect_fid(m);
	cr_expect_eq(m->offset, 0x200002000);
	cr_expect_eq(m->length, 0x10008);
	cr_expect_eq(m->data_offset, 68);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	cr_expect_eq(one("write-andx-reply")->length, 0x10008);
	m = one("read-request");
	expect_fid(m);
	cr_expect_eq(m->length, 4000);
	cr_expect_eq(m->offset, 12);
	m = one("read-reply");
	cr_expect_eq(m->length, 6);
	cr_expect_eq(memcmp(builder.bytes + m->data_offset, "abcdef", 6), 0);
	m = one("write-request");
	cr_expect_eq(m->offset, 13);
	cr_expect_eq(memcmp(builder.bytes + m->data_offset, "abcdef", 6), 0);
	m = one("write-close-request");
	cr_expect_eq(m->offset, 14);
	cr_expect_eq(memcmp(builder.bytes + m->data_offset, "abcdef", 6), 0);
	m = one("read-mpx-reply");
	cr_expect_eq(m->offset, 512);
	cr_expect_eq(memcmp(builder.bytes + m->data_offset, "abcd", 4), 0);
	m = one("write-mpx-request");
	cr_expect_eq(m->offset, 512);
	cr_expect_eq(memcmp(builder.bytes + m->data_offset, "abcd", 4), 0);
}

Test(smb1, raw_reads_have_no_header)
{
	static const uint8_t data[] = {0, 0, 0, 6, 'h', 'e', 'l', 'l', 'o', '!'};
	static const uint8_t none[] = {0, 0, 0, 0};
	const Message *m = one("read-raw-request");

	cr_expect_eq(m->length, 0xFFFF);
	cr_expect_eq(m->offset, 0x300000100);
	cr_expect(recorder.state.raw_read_pending);
	/* the server breaks an oplock first */
	next("oplock-break");
	cr_expect(recorder.state.raw_read_pending);
	smb_recorder_run(&recorder, data, sizeof data, SIZE_MAX, false);
	cr_assert_eq(recorder.count, 3);
	m = &recorder.records[2].message;
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->verb, VERB_READ);
	cr_expect_eq(m->request_id, ID);
	cr_expect_eq(m->length, 6);
	cr_expect_eq(m->data_offset, 4);
	cr_expect(!recorder.state.raw_read_pending);

	one("read-raw-request");
	smb_recorder_run(&recorder, none, sizeof none, SIZE_MAX, false);
	cr_assert_eq(recorder.count, 2);
	cr_expect_eq(recorder.records[1].message.length, 0);

	/* the data was not captured: the next answer has a header and is taken as such */
	one("read-raw-request");
	cr_expect_eq(next("close-reply")->command, 0x04);
	cr_expect(!recorder.state.raw_read_pending);
	smb_recorder_run(&recorder, data, sizeof data, SIZE_MAX, false);
	cr_expect_eq(recorder.status, PARSE_BAD);
}

Test(smb1, raw_writes_continue_without_a_header)
{
	static const uint8_t data[] = {0, 0, 0, 6, 'h', 'e', 'l', 'l', 'o', '!'};
	const Message *m = one("write-raw-request");

	expect_fid(m);
	cr_expect_eq(m->length, 40000);
	cr_expect_eq(m->offset, 0x300);
	cr_expect(m->flags & MESSAGE_WRITE_THROUGH);
	cr_expect_eq(next("write-raw-reply")->kind, MESSAGE_INTERIM);
	smb_recorder_run(&recorder, data, sizeof data, SIZE_MAX, true);
	cr_assert_eq(recorder.count, 3);
	m = &recorder.records[2].message;
	cr_expect_eq(m->kind, MESSAGE_NOTICE);
	cr_expect(m->flags & MESSAGE_MULTIPART);
	cr_expect_eq(m->length, 6);
	m = next("write-complete-reply");
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->length, 40000);

	one("write-raw-behind-request");
	cr_expect_eq(next("write-raw-reply")->kind, MESSAGE_REPLY, "nothing follows the data");
}

Test(smb1, locks_and_breaks)
{
	const Message *m = one("lock-request");

	expect_fid(m);
	cr_expect_eq(m->offset, 0x100000002);
	cr_expect_eq(m->length, 3);
	cr_expect(message_is_owed(m));
	m = one("lock-waiting-request");
	cr_expect_eq(m->offset, 10);
	cr_expect_eq(m->length, 20);
	cr_expect(!message_is_owed(m));
	m = one("oplock-break");
	expect_fid(m);
	cr_expect_eq(m->oplock_break, 1);
}

Test(smb1, transactions)
{
	const Message *m = one("transaction-request");

	expect_fid(m);
	cr_expect_eq(m->info_class, 0x26);
	cr_expect(m->flags & MESSAGE_PIPE);
	cr_expect_str_eq(last_name(), "\\PIPE\\");
	m = one("find-first-request");
	cr_expect_eq(m->info_class, 1);
	cr_expect_eq(m->info_level, 0x104);
	cr_expect_str_eq(last_name(), "\\*");
	m = next("find-first-reply");
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->entries, 3);
	cr_expect_eq(m->length, 64);
	one("find-next-request");
	cr_expect_str_eq(last_name(), "ab");
	m = one("query-path-request");
	cr_expect_eq(m->info_level, 0x3EC);
	cr_expect_str_eq(last_name(), "\\q");
	m = one("query-file-request");
	expect_fid(m);
	cr_expect_eq(m->info_level, 0x3ED);
	m = one("set-file-request");
	expect_fid(m);
	cr_expect_eq(m->file_size, 0x200000009);
	one("open2-request");
	cr_expect_str_eq(last_name(), "z");
	one("dfs-request");
	cr_expect_str_eq(last_name(), "\\d");
	expect_fid(one("notify-request"));
	m = one("nt-ioctl-request");
	expect_fid(m);
	cr_expect_eq(m->info_class, 0x90064);
	expect_fid(one("security-request"));
}

Test(smb1, transactions_in_parts)
{
	cr_expect(one("multipart-request")->flags & MESSAGE_MULTIPART);
	cr_expect_eq(next("interim-reply")->kind, MESSAGE_INTERIM);
	cr_expect(next("secondary-request")->flags & MESSAGE_MULTIPART);
	cr_expect_eq(next("find-first-part-reply")->kind, MESSAGE_INTERIM);
	cr_expect_eq(next("find-last-part-reply")->kind, MESSAGE_REPLY);
	cr_expect(recorder.records[recorder.count - 1].message.flags & MESSAGE_MULTIPART);
}

Test(smb1, others)
{
	cr_expect(one("signed-echo")->flags & MESSAGE_SIGNED);
	cr_expect_eq(one("search-reply")->entries, 2);
	one("search-request");
	cr_expect_str_eq(last_name(), "\\*.*");
}

Test(smb1, every_sample_at_every_length)
{
	for (const SmbSample *s = smb1_samples; s->name; s++) {
		build(s->name);
		for (size_t kept = 0; kept <= builder.len && kept <= 2100; kept++) {
			memset(&recorder, 0, sizeof recorder);
			smb_recorder_run(
				&recorder, builder.bytes, builder.len, kept, s->from_client);
			if (kept < 8) {
				cr_assert_eq(recorder.count, 0, "%s %zu", s->name, kept);
				continue;
			}
			for (size_t i = 0; i < recorder.anomaly_count; i++)
				cr_assert(strstr(recorder.anomalies[i], "-cut"),
					"%s cut at %zu: %s", s->name, kept, recorder.anomalies[i]);
			if (kept < 4 + 32)
				continue;
			cr_assert_geq(recorder.count, 1, "%s %zu", s->name, kept);
			cr_assert_neq(
				recorder.records[0].message.request_id, 0, "%s %zu", s->name, kept);
		}
	}
}

Test(smb1, contradictions_are_counted_and_survived)
{
	static const struct {
		const char *sample;
		size_t at, size;
		uint32_t value;
		const char *anomaly;
	} rows[] = {
		{"setup-chain-request", 4 + 35, 2, 32, "andx-loop"},
		{"setup-chain-request", 4 + 35, 2, 0, "andx-loop"},
		{"setup-chain-request", 4 + 35, 2, 60, "andx-loop"},
		{"setup-chain-request", 4 + 35, 2, 0xFFFF, "andx-loop"},
		{"read-andx-reply", 4 + 45, 2, 3, "smb1-bad-offset"},
		{"read-andx-reply", 4 + 47, 2, 0xFFFF, "smb1-bad-offset"},
		{"read-andx-request", 4 + 32, 1, 4, "smb1-short-words"},
		{"negotiate-request", 4 + 35, 1, 3, "smb1-bad-dialects"},
		{"negotiate-reply", 4 + 32, 1, 16, "smb1-word-count"},
		{"read-request", 4 + 4, 1, 0xEE, "smb1-unknown-command"},
		{"read-request", 4 + 9, 1, 0x80, "smb1-direction"},
		{"query-path-request", 4 + 33 + 20, 2, 0xFFF0, "smb1-bad-offset"},
		{"query-path-request", 4 + 33 + 20, 2, 1, "smb1-bad-offset"},
		{"query-path-request", 4 + 33 + 26, 1, 0, "smb1-no-subcommand"},
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
		cr_expect_leq(recorder.count, 3);
	}
}

/* fewer words than the command has: no field is invented from what follows */
Test(smb1, any_word_count_is_survived)
{
	for (const SmbSample *s = smb1_samples; s->name; s++) {
		uint8_t words;
		build(s->name);
		words = builder.bytes[4 + 32];
		for (unsigned count = 0; count < 256; count++) {
			build_at(&builder, 4 + 32, 1, count);
			memset(&recorder, 0, sizeof recorder);
			smb_recorder_run(
				&recorder, builder.bytes, builder.len, SIZE_MAX, s->from_client);
			cr_assert_geq(recorder.count, 1, "%s %u", s->name, count);
			for (size_t i = 0; i < recorder.count; i++)
				cr_assert_leq(recorder.records[i].message.name_len, builder.len);
			if (count == words)
				cr_assert_eq(recorder.anomaly_count, 0, "%s", s->name);
		}
	}
}
