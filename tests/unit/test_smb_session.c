/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB sessions with real messages: names, shares, compounds, credits, AndX chains, negotiation,
 * encrypted sizes.
 */
#include "analyzer/session/session.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/session_stats.h"
#include "tests/tools/session_log.h"
#include "tests/tools/smb_builder.h"

#define REPLY 1u
#define ASYNC 2u
#define RELATED 4u
#define PENDING 0x00000103u
#define NOT_FOUND 0xC0000034u

typedef struct Bench {
	SessionLog log;
	Session *session;
	int64_t offset[2];
	int64_t now;
	SmbBuilder b;
	uint64_t message_id;
	uint32_t tree_id;
} Bench;

static Bench *bench_new(uint16_t port)
{
	Bench *bench = calloc(1, sizeof *bench);
	bench->session = session_new(&session_log_ops, &bench->log, NULL, port, 50000);
	bench->tree_id = 9;
	return bench;
}

static void bench_free(Bench *bench)
{
	session_end(bench->session, bench->now);
	session_free(bench->session);
	cr_assert_null(bench->log.error, "%s", bench->log.error);
	cr_assert_eq(bench->log.open_count, 0);
	cr_assert_eq(bench->log.requests, bench->log.replies);
	session_log_clear(&bench->log);
	free(bench);
}

/* what was built goes out as one segment */
static void send(Bench *bench, Side side)
{
	uint8_t *copy = malloc(bench->b.len);
	memcpy(copy, bench->b.bytes, bench->b.len);
	bench->now++;
	SessionChunk chunk = {.offset = bench->offset[side],
		.len = (uint32_t)bench->b.len,
		.caplen = (uint32_t)bench->b.len,
		.data = copy,
		.ts_ns = bench->now,
		.frame = (uint64_t)bench->now,
		.psh = true};
	session_push(bench->session, side, &chunk);
	bench->offset[side] += (int64_t)bench->b.len;
	free(copy);
	memset(&bench->b, 0, sizeof bench->b);
}

static void header(Bench *bench, uint16_t command, uint32_t flags, uint32_t status, uint64_t id)
{
	Smb2Fields fields = {.command = command,
		.credit_charge = 1,
		.credits = 1,
		.status = status,
		.flags = flags,
		.message_id = id,
		.async_id = id,
		.session_id = 7,
		.tree_id = bench->tree_id};
	build_smb2(&bench->b, &fields);
}

static void file_id(SmbBuilder *b, uint64_t id)
{
	build_le64(b, id);
	build_le64(b, id);
}

static void tree_connect_request(Bench *bench, const char *path)
{
	SmbBuilder *b = &bench->b;
	build_le16(b, 9);
	build_le16(b, 0);
	build_le16(b, 72);
	build_le16(b, (uint16_t)(strlen(path) * 2));
	build_utf16(b, path);
}

static void tree_connect_reply(SmbBuilder *b)
{
	build_le16(b, 16);
	build_u8(b, 1);
	build_u8(b, 0);
	build_zeros(b, 8);
	build_le32(b, 0x1f01ff);
}

static void create_request(SmbBuilder *b, const char *name)
{
	build_le16(b, 57);
	build_u8(b, 0);
	build_u8(b, 9);
	build_le32(b, 2);
	build_zeros(b, 16);
	build_le32(b, 0x120089);
	build_le32(b, 0);
	build_le32(b, 7);
	build_le32(b, 1);
	build_le32(b, 0x40);
	build_le16(b, (uint16_t)(build_offset(b) + 12));
	build_le16(b, (uint16_t)(strlen(name) * 2));
	build_le32(b, 0);
	build_le32(b, 0);
	build_utf16(b, name);
	build_u8(b, 0);
}

static void create_reply(SmbBuilder *b, uint64_t id, uint64_t size)
{
	build_le16(b, 89);
	build_u8(b, 9);
	build_u8(b, 0);
	build_le32(b, 1);
	build_zeros(b, 32);
	build_le64(b, size);
	build_le64(b, size);
	build_le32(b, 0x20);
	build_le32(b, 0);
	file_id(b, id);
	build_zeros(b, 8);
}

static void close_request(SmbBuilder *b, uint64_t id)
{
	build_le16(b, 24);
	build_le16(b, 0);
	build_le32(b, 0);
	file_id(b, id);
}

static void close_reply(SmbBuilder *b)
{
	build_le16(b, 60);
	build_zeros(b, 58);
}

static void read_request(SmbBuilder *b, uint64_t id, uint64_t offset, uint32_t len)
{
	build_le16(b, 49);
	build_u8(b, 0x50);
	build_u8(b, 0);
	build_le32(b, len);
	build_le64(b, offset);
	file_id(b, id);
	build_zeros(b, 17);
}

static void read_reply(SmbBuilder *b, uint32_t len)
{
	build_le16(b, 17);
	build_u8(b, 0x50);
	build_u8(b, 0);
	build_le32(b, len);
	build_le32(b, 0);
	build_le32(b, 0);
	build_zeros(b, len);
}

static void write_request(SmbBuilder *b, uint64_t id, uint64_t offset, uint32_t len)
{
	build_le16(b, 49);
	build_le16(b, 0x70);
	build_le32(b, len);
	build_le64(b, offset);
	file_id(b, id);
	build_zeros(b, 16);
	build_zeros(b, len);
}

static void error_reply(SmbBuilder *b)
{
	build_le16(b, 9);
	build_zeros(b, 7);
}

/* one request and its answer, each a message of its own */
static void connect(Bench *bench, const char *path, uint32_t tree_id)
{
	uint64_t id = bench->message_id++;
	bench->tree_id = 0;
	build_pdu(&bench->b);
	header(bench, 3, 0, 0, id);
	tree_connect_request(bench, path);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	bench->tree_id = tree_id;
	build_pdu(&bench->b);
	header(bench, 3, REPLY, 0, id);
	tree_connect_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

static void open_file(Bench *bench, const char *name, uint64_t id, uint32_t status)
{
	uint64_t message = bench->message_id++;
	build_pdu(&bench->b);
	header(bench, 5, 0, 0, message);
	create_request(&bench->b, name);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	build_pdu(&bench->b);
	header(bench, 5, REPLY, status, message);
	if (status == 0)
		create_reply(&bench->b, id, 4096);
	else
		error_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

static void ask_read(Bench *bench, uint64_t message, uint64_t id, uint64_t offset, uint32_t len)
{
	build_pdu(&bench->b);
	header(bench, 8, 0, 0, message);
	read_request(&bench->b, id, offset, len);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
}

static void answer_read(Bench *bench, uint64_t message, uint32_t len)
{
	build_pdu(&bench->b);
	header(bench, 8, REPLY, 0, message);
	read_reply(&bench->b, len);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

static void pending(Bench *bench, uint16_t command, uint64_t message)
{
	build_pdu(&bench->b);
	header(bench, command, REPLY | ASYNC, PENDING, message);
	error_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

Test(smb_session, names_of_shares_and_files)
{
	Bench *bench = bench_new(445);
	const Turn *turn = session_turn(bench->session);
	connect(bench, "\\\\srv\\data", 9);
	cr_assert_str_eq(session_protocol_name(bench->session), "smb2");
	cr_assert(turn->is_setup);
	session_log_take(&bench->log);
	open_file(bench, "dir\\a.bin", 0x1111, 0);
	cr_assert_not(turn->is_setup);
	cr_assert_str_eq(session_log_take(&bench->log),
		"request 6 class 1 dir\\a.bin\nopened '\\\\srv\\data' 'dir\\a.bin'\n"
		"reply 6 moved 0 dir\\a.bin\n");
	const FileRef *file = bench->log.last_opened;
	cr_assert_eq(file->size, 4096);
	cr_assert_eq(file->oplock_asked, 9);
	cr_assert_eq(file->oplock_granted, 9);
	cr_assert(file->open_seen);
	ask_read(bench, 50, 0x1111, 65536, 1000);
	cr_assert_eq(bench->log.last_request.offset, 65536);
	cr_assert_eq(bench->log.last_request.asked_bytes, 1000);
	cr_assert_eq(bench->log.last_request.file, file);
	pending(bench, 8, 50);
	cr_assert(turn->interim);
	cr_assert_eq(turn->outstanding, 1);
	answer_read(bench, 50, 900);
	cr_assert_eq(bench->log.last_reply.moved_bytes, 900);
	cr_assert_eq(turn->outstanding, 0);
	/* a name that is not there is told with the answer, and is no open file */
	session_log_take(&bench->log);
	open_file(bench, "desktop.ini", 0, NOT_FOUND);
	cr_assert_str_eq(session_log_take(&bench->log),
		"request 6 class 1 desktop.ini\nreply 6 moved 0 desktop.ini\n");
	cr_assert_eq(bench->log.last_reply.status_class, STATUS_CLASS_NOT_FOUND);
	/* the tree goes, its files go */
	build_pdu(&bench->b);
	header(bench, 4, 0, 0, 60);
	build_le32(&bench->b, 4);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	build_pdu(&bench->b);
	header(bench, 4, REPLY, 0, 60);
	build_le32(&bench->b, 4);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
	cr_assert_eq(bench->log.open_count, 0);
	bench_free(bench);
}

static void transceive_request(SmbBuilder *b, uint64_t id)
{
	build_le16(b, 57);
	build_le16(b, 0);
	build_le32(b, 0x0011C017); /* FSCTL_PIPE_TRANSCEIVE */
	file_id(b, id);
	build_zeros(b, 32);
}

/* A call goes into a pipe and its answer comes out of it; a READ that no call went before waits for
 * something to happen. */
Test(smb_session, pipes_are_no_files)
{
	Bench *bench = bench_new(445);
	const Turn *turn = session_turn(bench->session);
	connect(bench, "\\\\srv\\IPC$", 9);
	open_file(bench, "svcctl", 0x1111, 0);
	cr_assert(bench->log.last_opened->is_pipe);
	ask_read(bench, 50, 0x1111, 0, 4096);
	cr_assert(bench->log.last_request.is_event);
	cr_assert_eq(bench->log.last_request.op_class, OP_OTHER);
	cr_assert_eq(turn->outstanding, 0, "nobody owes what may never happen");
	answer_read(bench, 50, 20);
	cr_assert(bench->log.last_reply.is_event);
	/* a call in two halves, its answer in two pieces */
	build_pdu(&bench->b);
	header(bench, 9, 0, 0, 51);
	write_request(&bench->b, 0x1111, 0, 72);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	cr_assert_eq(bench->log.last_request.op_class, OP_OTHER);
	cr_assert_eq(turn->outstanding, 1);
	ask_read(bench, 52, 0x1111, 0, 1024);
	cr_assert_not(bench->log.last_request.is_event);
	cr_assert_eq(turn->outstanding, 2);
	build_pdu(&bench->b);
	header(bench, 8, REPLY, 0x80000005, 52); /* STATUS_BUFFER_OVERFLOW */
	read_reply(&bench->b, 1024);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
	ask_read(bench, 53, 0x1111, 0, 1024);
	cr_assert_not(bench->log.last_request.is_event);
	answer_read(bench, 53, 10);
	ask_read(bench, 54, 0x1111, 0, 1024);
	cr_assert(bench->log.last_request.is_event);
	SessionStats stats;
	cr_assert(session_stats(bench->session, &stats));
	cr_assert_eq(stats.read_size.count, 0, "no file was read");
	cr_assert_eq(stats.write_size.count, 0);
	bench_free(bench);
	/* opened before the capture began: the call tells what it is */
	bench = bench_new(445);
	build_pdu(&bench->b);
	header(bench, 11, 0, 0, 1);
	transceive_request(&bench->b, 0x2222);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	cr_assert(bench->log.last_request.file && bench->log.last_request.file->is_pipe);
	cr_assert_eq(bench->log.last_request.op_class, OP_OTHER);
	cr_assert_eq(session_turn(bench->session)->outstanding, 1);
	bench_free(bench);
}

/* create, read and close in one message: three operations on one file */
Test(smb_session, compound)
{
	Bench *bench = bench_new(445);
	connect(bench, "\\\\srv\\data", 9);
	session_log_take(&bench->log);
	build_pdu(&bench->b);
	header(bench, 5, 0, 0, 10);
	create_request(&bench->b, "x");
	header(bench, 8, RELATED, 0, 11);
	read_request(&bench->b, UINT64_MAX, 0, 100);
	header(bench, 6, RELATED, 0, 12);
	close_request(&bench->b, UINT64_MAX);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	cr_assert_eq(session_turn(bench->session)->outstanding, 3);
	cr_assert_str_eq(session_log_take(&bench->log),
		"request 6 class 1 x\nrequest 8 class 2 x\nrequest 7 class 8 x\n");
	build_pdu(&bench->b);
	header(bench, 5, REPLY, 0, 10);
	create_reply(&bench->b, 0x77, 100);
	header(bench, 8, REPLY | RELATED, 0, 11);
	read_reply(&bench->b, 100);
	header(bench, 6, REPLY | RELATED, 0, 12);
	close_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
	cr_assert_str_eq(session_log_take(&bench->log),
		"opened '\\\\srv\\data' 'x'\nreply 6 moved 0 x\nreply 8 moved 100 x\n"
		"reply 7 moved 0 x\nclosed 'x'\n");
	cr_assert_eq(session_turn(bench->session)->outstanding, 0);
	/* the create fails and takes the others with it */
	build_pdu(&bench->b);
	header(bench, 5, 0, 0, 20);
	create_request(&bench->b, "y");
	header(bench, 8, RELATED, 0, 21);
	read_request(&bench->b, UINT64_MAX, 0, 100);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	build_pdu(&bench->b);
	header(bench, 5, REPLY, NOT_FOUND, 20);
	error_reply(&bench->b);
	header(bench, 8, REPLY | RELATED, NOT_FOUND, 21);
	error_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
	cr_assert_eq(bench->log.opened, 1);
	cr_assert_eq(bench->log.open_count, 0);
	bench_free(bench);
}

/* a member larger than what is staged: the compound is one message all the same */
Test(smb_session, large_compound_is_one_message)
{
	Bench *bench = bench_new(445);
	build_pdu(&bench->b);
	header(bench, 5, 0, 0, 10);
	create_request(&bench->b, "x");
	header(bench, 9, RELATED, 0, 11);
	write_request(&bench->b, UINT64_MAX, 0, 100000);
	header(bench, 6, RELATED, 0, 12);
	close_request(&bench->b, UINT64_MAX);
	build_end(&bench->b);
	size_t total = bench->b.len;
	SmbBuilder *whole = malloc(sizeof *whole);
	*whole = bench->b;
	for (size_t at = 0; at < total; at += 1460) {
		bench->b = *whole;
		bench->b.len = total - at < 1460 ? total - at : 1460;
		memmove(bench->b.bytes, bench->b.bytes + at, bench->b.len);
		cr_assert_eq(bench->log.requests, 0);
		send(bench, SIDE_CLIENT);
	}
	free(whole);
	cr_assert_eq(bench->log.requests, 3);
	cr_assert_eq(bench->log.last_request.request_first_ns, 1);
	cr_assert_eq(bench->log.last_request.request_last_ns, bench->now);
	cr_assert_eq(session_turn(bench->session)->outstanding, 3);
	cr_assert_eq(session_turn(bench->session)->message_left[SIDE_CLIENT], 0);
	bench_free(bench);
}

static void negotiate(Bench *bench, uint16_t credits)
{
	SmbBuilder *b = &bench->b;
	Smb2Fields fields = {.credit_charge = 0, .credits = 10};
	build_pdu(b);
	build_smb2(b, &fields);
	build_le16(b, 36);
	build_le16(b, 2);
	build_le16(b, 1);
	build_le16(b, 0);
	build_le32(b, 4);
	build_zeros(b, 16 + 8);
	build_le16(b, 0x0202);
	build_le16(b, 0x0210);
	build_end(b);
	send(bench, SIDE_CLIENT);
	fields.flags = REPLY;
	fields.credits = credits;
	build_pdu(b);
	build_smb2(b, &fields);
	build_le16(b, 65);
	build_le16(b, 3);
	build_le16(b, 0x0210);
	build_le16(b, 0);
	build_zeros(b, 16);
	build_le32(b, 4);
	build_le32(b, 1048576);
	build_le32(b, 1048576);
	build_le32(b, 1048576);
	build_zeros(b, 16);
	build_le16(b, 128);
	build_le16(b, 0);
	build_le32(b, 0);
	build_end(b);
	send(bench, SIDE_SERVER);
	bench->message_id = 1;
}

Test(smb_session, credits_and_negotiation)
{
	Bench *bench = bench_new(445);
	negotiate(bench, 5);
	/* 1, less 1 for the negotiate, and 5 granted */
	for (uint64_t i = 1; i <= 4; i++) {
		ask_read(bench, i, 1, 0, 100);
		cr_assert_eq(bench->log.last_request.credits_available, (int32_t)(5 - i));
	}
	pending(bench, 8, 1); /* grants one */
	answer_read(bench, 1, 10);
	cr_assert_eq(bench->log.last_reply.credits_granted, 2);
	ask_read(bench, 6, 1, 0, 100);
	cr_assert_eq(bench->log.last_request.credits_available, 2);
	SessionStats stats;
	cr_assert(session_stats(bench->session, &stats));
	cr_assert_eq(stats.credits_min, 1);
	cr_assert_str_eq(stats.dialect, "2.1");
	cr_assert_eq(stats.offered_count, 2);
	cr_assert_str_eq(stats.offered[0], "2.0.2");
	cr_assert(stats.multi_credit);
	cr_assert(stats.signing_required);
	cr_assert_eq(stats.max_read_bytes, 1048576);
	cr_assert(stats.negotiate_seen);
	/* bytes are missing: grants may be among them */
	session_gap(bench->session, SIDE_SERVER, bench->offset[SIDE_SERVER],
		bench->offset[SIDE_SERVER] + 100, bench->now);
	ask_read(bench, 7, 1, 0, 100);
	cr_assert_eq(bench->log.last_request.credits_available, INT32_MIN);
	bench_free(bench);
}

static void smb1_header(Bench *bench, uint8_t command, bool is_reply, uint16_t uid, uint16_t mid)
{
	Smb1Fields fields = {.command = command,
		.flags = is_reply ? 0x80 : 0,
		.flags2 = 0x4000,
		.tid = 3,
		.pid = 1,
		.uid = uid,
		.mid = mid};
	build_pdu(&bench->b);
	build_smb1(&bench->b, &fields);
}

/* log-in and tree connect in one message, by a client that has no UID yet */
Test(smb_session, andx_chain_of_smb1)
{
	Bench *bench = bench_new(445);
	SmbBuilder *b = &bench->b;
	smb1_header(bench, 0x73, false, 0, 5);
	size_t first = b->len;
	build_words(b);
	build_andx(b, 0x75);
	build_zeros(b, 22);
	build_byte_count(b);
	build_bytes_end(b);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, 0xff);
	build_le16(b, 0);
	build_le16(b, 1);
	build_byte_count(b);
	build_u8(b, 0);
	build_text(b, "\\\\SRV\\OLD");
	build_u8(b, 0);
	build_text(b, "A:");
	build_u8(b, 0);
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_CLIENT);
	cr_assert_eq(session_turn(bench->session)->outstanding, 2);
	smb1_header(bench, 0x73, true, 100, 5);
	first = b->len;
	build_words(b);
	build_andx(b, 0x75);
	build_le16(b, 0);
	build_byte_count(b);
	build_bytes_end(b);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, 0xff);
	build_le16(b, 0);
	build_byte_count(b);
	build_text(b, "A:");
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_SERVER);
	cr_assert_eq(session_turn(bench->session)->outstanding, 0);
	cr_assert_eq(bench->log.replies, 2);
	cr_assert_str_eq(session_protocol_name(bench->session), "smb1");
	/* NT create, then the share is known by its tree id */
	smb1_header(bench, 0xa2, false, 100, 6);
	build_words(b);
	build_andx(b, 0xff);
	build_u8(b, 0);
	build_le16(b, 6);
	build_zeros(b, 4 + 4 + 4 + 8 + 4 + 4 + 4 + 4 + 4 + 1);
	build_byte_count(b);
	build_text(b, "\\f.txt");
	build_u8(b, 0);
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_CLIENT);
	smb1_header(bench, 0xa2, true, 100, 6);
	build_words(b);
	build_andx(b, 0xff);
	build_u8(b, 0);
	build_le16(b, 0x4001);
	build_le32(b, 1);
	build_zeros(b, 32 + 4 + 8);
	build_le64(b, 1234);
	build_zeros(b, 2 + 2 + 1);
	build_byte_count(b);
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_SERVER);
	cr_assert_not_null(bench->log.last_opened);
	cr_assert_str_eq(bench->log.last_opened->share, "\\\\SRV\\OLD");
	cr_assert_str_eq(bench->log.last_opened->name, "\\f.txt");
	cr_assert_eq(bench->log.last_opened->size, 1234);
	bench_free(bench);
}

/* the log-in fails: the tree connect behind it did not run and is answered with it */
Test(smb_session, andx_chain_that_fails)
{
	Bench *bench = bench_new(445);
	SmbBuilder *b = &bench->b;
	smb1_header(bench, 0x73, false, 0, 5);
	size_t first = b->len;
	build_words(b);
	build_andx(b, 0x75);
	build_zeros(b, 22);
	build_byte_count(b);
	build_bytes_end(b);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, 0xff);
	build_zeros(b, 4);
	build_byte_count(b);
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_CLIENT);
	Smb1Fields fields = {.command = 0x73,
		.flags = 0x80,
		.flags2 = 0x4000,
		.tid = 3,
		.pid = 1,
		.mid = 5,
		.status = 0xC000006D};
	build_pdu(b);
	build_smb1(b, &fields);
	build_words(b);
	build_byte_count(b);
	build_bytes_end(b);
	build_end(b);
	send(bench, SIDE_SERVER);
	cr_assert_eq(session_turn(bench->session)->outstanding, 0);
	cr_assert_eq(bench->log.replies, 2);
	cr_assert_eq(bench->log.unanswered, 0);
	cr_assert_neq(bench->log.last_reply.status_class, STATUS_CLASS_OK);
	bench_free(bench);
}

/* ---- encrypted */

static void encrypted(Bench *bench, Side side, uint32_t size)
{
	SmbBuilder *b = &bench->b;
	build_pdu(b);
	build_bytes(b, "\xfdSMB", 4);
	build_zeros(b, 32);
	build_le32(b, size);
	build_le16(b, 0);
	build_le16(b, 1);
	build_le64(b, 7);
	build_zeros(b, size);
	build_end(b);
	send(bench, side);
}

Test(smb_session, encrypted_sizes)
{
	Bench *bench = bench_new(445);
	const Turn *turn = session_turn(bench->session);
	encrypted(bench, SIDE_CLIENT, 180);
	cr_assert_eq(turn->outstanding, 1);
	encrypted(bench, SIDE_SERVER, 220);
	cr_assert_eq(bench->log.opened, 0);
	/* three reads at once; the first is told to wait */
	for (int i = 0; i < 3; i++)
		encrypted(bench, SIDE_CLIENT, 113);
	cr_assert_eq(bench->log.opened, 1);
	cr_assert_eq(bench->log.last_request.verb, VERB_READ);
	cr_assert(bench->log.last_request.is_encrypted);
	cr_assert_eq(bench->log.last_request.in_flight, 3);
	encrypted(bench, SIDE_SERVER, 73);
	cr_assert_eq(turn->outstanding, 3, "pending is no answer");
	for (int i = 0; i < 3; i++)
		encrypted(bench, SIDE_SERVER, 80 + 5000);
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(bench->log.read_bytes, 15000);
	/* a write */
	encrypted(bench, SIDE_CLIENT, 112 + 60000);
	cr_assert_eq(bench->log.last_request.asked_bytes, 60000);
	encrypted(bench, SIDE_SERVER, 80);
	cr_assert_eq(bench->log.written_bytes, 60000);
	/* a read at the end of the file fails; the next request shows that it was answered */
	encrypted(bench, SIDE_CLIENT, 113);
	encrypted(bench, SIDE_SERVER, 73);
	encrypted(bench, SIDE_CLIENT, 88);
	cr_assert_eq(turn->outstanding, 1);
	encrypted(bench, SIDE_SERVER, 124);
	cr_assert_eq(turn->outstanding, 0);
	SessionStats stats;
	cr_assert(session_stats(bench->session, &stats));
	cr_assert(stats.is_encrypted);
	cr_assert_eq(stats.session_id, 7);
	bench_free(bench);
}

/* encrypted change notifications come when they like: nothing is owed for ever because of one */
Test(smb_session, encrypted_notifications_do_not_pile_up)
{
	Bench *bench = bench_new(445);
	const Turn *turn = session_turn(bench->session);
	for (int i = 0; i < 200; i++) {
		encrypted(bench, SIDE_CLIENT, 96);
		encrypted(bench, SIDE_SERVER, 73);
		encrypted(bench, SIDE_CLIENT, 105);
		encrypted(bench, SIDE_SERVER, 120);
		if (i % 3 == 0)
			encrypted(bench, SIDE_SERVER, 140);
		cr_assert_leq(turn->outstanding, 1, "%d", i);
	}
	/* one that is never answered is let go when many later ones were */
	encrypted(bench, SIDE_CLIENT, 96);
	for (int i = 0; i < 100; i++) {
		encrypted(bench, SIDE_CLIENT, 113);
		encrypted(bench, SIDE_SERVER, 5000);
	}
	cr_assert_eq(turn->outstanding, 0);
	bench_free(bench);
}

/* who kept the requests small, and what came before the first byte */
Test(smb_session, sizes_and_phases)
{
	static const struct {
		uint32_t asked;
		uint16_t credits;
		SizeLimit limit;
	} cases[] = {
		{4096, 500, SIZE_LIMIT_PROGRAM},
		{1048576, 500, SIZE_LIMIT_SERVER},
		{65536, 1, SIZE_LIMIT_CREDITS},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		Bench *bench = bench_new(445);
		negotiate(bench, cases[i].credits);
		connect(bench, "\\\\srv\\data", 9);
		open_file(bench, "a", 1, 0);
		for (uint64_t id = 0; id < 20; id++) {
			ask_read(bench, 100 + id, 1, 0, cases[i].asked);
			answer_read(bench, 100 + id, 10);
		}
		SessionStats stats;
		cr_assert(session_stats(bench->session, &stats));
		cr_assert_eq(stats.read_size.limit, cases[i].limit, "case %zu: %s", i,
			session_size_limit_id(stats.read_size.limit));
		cr_assert_eq(stats.read_size.count, 20);
		cr_assert_eq(stats.read_size.max, cases[i].asked);
		cr_assert_eq(stats.read_size.bins[__builtin_ctz(cases[i].asked)], 20);
		cr_assert_eq(stats.write_size.count, 0);
		cr_assert_eq(stats.phases[PHASE_NEGOTIATE].exchanges, 1);
		cr_assert_eq(stats.phases[PHASE_NEGOTIATE].start_ns, 1);
		cr_assert_eq(stats.phases[PHASE_NEGOTIATE].end_ns, 2);
		cr_assert_eq(stats.phases[PHASE_CONNECT].exchanges, 1);
		cr_assert_eq(stats.phases[PHASE_OPEN].busy_ns, 1);
		cr_assert_eq(stats.first_data_ns, 7);
		cr_assert_gt(session_bytes(bench->session), sizeof(void *));
		uint64_t binned = 0;
		for (size_t c = 0; c < stats.command_count; c++) {
			for (int k = 0; k < SESSION_TIME_BINS; k++)
				binned += stats.commands[c].response_bins[k];
		}
		cr_assert_eq(binned, 23);
		bench_free(bench);
	}
}

/* over the NetBIOS session service, with a request packet before */
Test(smb_session, netbios)
{
	Bench *bench = bench_new(139);
	uint8_t names[68] = {0};
	names[0] = names[34] = 0x20;
	memset(names + 1, 'C', 32);
	memset(names + 35, 'C', 32);
	build_netbios(&bench->b, 0x81, names, sizeof names);
	send(bench, SIDE_CLIENT);
	cr_assert_str_eq(session_protocol_name(bench->session), "netbios");
	cr_assert_eq(session_turn(bench->session)->oldest_class, OP_AUTH);
	build_netbios(&bench->b, 0x82, NULL, 0);
	send(bench, SIDE_SERVER);
	cr_assert_eq(session_turn(bench->session)->outstanding, 0);
	build_netbios(&bench->b, 0x85, NULL, 0);
	send(bench, SIDE_SERVER);
	negotiate(bench, 10);
	open_file(bench, "a", 1, 0);
	ask_read(bench, 100, 1, 0, 65536);
	answer_read(bench, 100, 100);
	SessionStats stats;
	cr_assert(session_stats(bench->session, &stats));
	cr_assert(stats.over_netbios);
	cr_assert_eq(stats.phases[PHASE_NETBIOS].exchanges, 1);
	bench_free(bench);
}

/* ---- headers that the snap length cut */

enum { STREAM_ROOM = 4 << 20 };

typedef struct Bytes {
	uint8_t *data;
	size_t len;
} Bytes;

static void bytes_take(Bytes *bytes, Bench *bench)
{
	cr_assert_leq(bytes->len + bench->b.len, STREAM_ROOM);
	memcpy(bytes->data + bytes->len, bench->b.bytes, bench->b.len);
	bytes->len += bench->b.len;
	memset(&bench->b, 0, sizeof bench->b);
}

static void send_segments(
	Bench *bench, Side side, const Bytes *bytes, uint32_t snap, size_t late_segment);

/* @bytes in segments of 1460 of which @snap are kept */
static void send_cut(Bench *bench, Side side, const Bytes *bytes, uint32_t snap)
{
	send_segments(bench, side, bytes, snap, SIZE_MAX);
}

/* one segment comes after all others, as when it was lost and sent again */
static void send_segments(
	Bench *bench, Side side, const Bytes *bytes, uint32_t snap, size_t late_segment)
{
	int64_t start = bench->offset[side];
	size_t count = (bytes->len + 1459) / 1460;
	for (size_t i = 0; i < count + (late_segment < count); i++) {
		if (i == late_segment)
			continue;
		size_t at = (i < count ? i : late_segment) * 1460;
		uint32_t len = bytes->len - at < 1460 ? (uint32_t)(bytes->len - at) : 1460;
		uint32_t kept = len < snap ? len : snap;
		uint8_t *copy = malloc(kept);
		memcpy(copy, bytes->data + at, kept);
		bench->now++;
		SessionChunk chunk = {.offset = start + (int64_t)at,
			.len = len,
			.caplen = kept,
			.data = copy,
			.ts_ns = bench->now,
			.frame = (uint64_t)bench->now,
			.fills_hole = i == count};
		session_push(bench->session, side, &chunk);
		free(copy);
	}
	bench->offset[side] += (int64_t)bytes->len;
}

static void put_read(Bench *bench, Bytes *bytes, uint64_t id, uint64_t offset, uint32_t len)
{
	build_pdu(&bench->b);
	header(bench, 8, 0, 0, id);
	read_request(&bench->b, 0x11, offset, len);
	build_end(&bench->b);
	bytes_take(bytes, bench);
}

static void put_read_answer(Bench *bench, Bytes *bytes, uint64_t id, uint32_t len)
{
	build_pdu(&bench->b);
	header(bench, 8, REPLY, 0, id);
	read_reply(&bench->b, len);
	build_end(&bench->b);
	bytes_take(bytes, bench);
}

static void put_pending(Bench *bench, Bytes *bytes, uint64_t id)
{
	build_pdu(&bench->b);
	header(bench, 8, REPLY | ASYNC, PENDING, id);
	error_reply(&bench->b);
	build_end(&bench->b);
	bytes_take(bytes, bench);
}

static void put_close(Bench *bench, Bytes *bytes, uint64_t id, bool is_reply)
{
	build_pdu(&bench->b);
	header(bench, 6, is_reply ? REPLY : 0, 0, id);
	if (is_reply)
		close_reply(&bench->b);
	else
		close_request(&bench->b, 0x11);
	build_end(&bench->b);
	bytes_take(bytes, bench);
}

/* many reads in a few segments, answers that begin anywhere: every byte is accounted for */
Test(smb_session, row_of_reads_cut_by_the_snap_length)
{
	static const uint32_t snaps[] = {128, 190, 300, 1460};
	Bytes bytes = {malloc(STREAM_ROOM), 0};
	for (size_t i = 0; i < sizeof snaps / sizeof *snaps; i++) {
		/* with some answered "pending" first, unseen; with a segment that comes late */
		for (int variant = 0; variant < 4; variant++) {
			bool pendings = variant & 1, is_late = variant & 2;
			Bench *bench = bench_new(445);
			const Turn *turn = session_turn(bench->session);
			open_file(bench, "big", 0x11, 0);
			bytes.len = 0;
			for (uint64_t id = 0; id < 50; id++)
				put_read(bench, &bytes, 100 + id, id * 65536, 65536);
			send_cut(bench, SIDE_CLIENT, &bytes, snaps[i]);
			cr_assert_eq(bench->log.requests, 51, "snap %u: %d", snaps[i],
				(int)bench->log.requests);
			cr_assert_eq(turn->outstanding, 50);
			cr_assert_eq(bench->log.last_request.offset, 49 * 65536);
			bytes.len = 0;
			for (uint64_t id = 0; id < 49; id++) {
				put_read_answer(bench, &bytes, 100 + id, 65536);
				for (uint64_t k = 0; pendings && id == 9 && k < 30; k++)
					put_pending(bench, &bytes, 111 + k);
			}
			/* the file ends */
			put_read_answer(bench, &bytes, 149, 1000);
			send_segments(bench, SIDE_SERVER, &bytes, snaps[i],
				is_late ? 9 * 65620 / 1460 + 20 : SIZE_MAX);
			bytes.len = 0;
			put_close(bench, &bytes, 150, false);
			send_cut(bench, SIDE_CLIENT, &bytes, 1460);
			bytes.len = 0;
			put_close(bench, &bytes, 150, true);
			send_cut(bench, SIDE_SERVER, &bytes, 1460);
			cr_assert_eq(turn->outstanding, 0, "snap %u", snaps[i]);
			cr_assert_eq(turn->message_left[SIDE_SERVER], 0);
			uint64_t whole = 49 * 65536 + 1000, most = 48 * 65536;
			cr_assert(bench->log.read_bytes >= most && bench->log.read_bytes <= whole,
				"snap %u: %d", snaps[i], (int)bench->log.read_bytes);
			if (snaps[i] == 1460)
				cr_assert_eq(bench->log.read_bytes, whole);
			cr_assert_eq(bench->log.requests, bench->log.replies);
			SessionStats stats;
			session_stats(bench->session, &stats);
			cr_assert_eq(stats.inferred > 0, snaps[i] < 1460);
			bench_free(bench);
		}
	}
	free(bytes.data);
}

static void put_write(Bench *bench, Bytes *bytes, uint64_t id, uint64_t offset, uint32_t len)
{
	build_pdu(&bench->b);
	header(bench, 9, 0, 0, id);
	write_request(&bench->b, 0x11, offset, len);
	build_end(&bench->b);
	bytes_take(bytes, bench);
}

/* writes back to back; the last one is short, and the close comes behind it */
Test(smb_session, row_of_writes_cut_by_the_snap_length)
{
	Bytes bytes = {malloc(STREAM_ROOM), 0};
	Bench *bench = bench_new(445);
	const Turn *turn = session_turn(bench->session);
	open_file(bench, "big", 0x11, 0);
	for (uint64_t id = 0; id < 30; id++)
		put_write(bench, &bytes, 100 + id, id * 65536, id < 29 ? 65536 : 5000);
	send_cut(bench, SIDE_CLIENT, &bytes, 190);
	for (uint64_t id = 0; id < 30; id++) {
		build_pdu(&bench->b);
		header(bench, 9, REPLY, 0, 100 + id);
		build_le16(&bench->b, 17);
		build_le16(&bench->b, 0);
		build_le32(&bench->b, id < 29 ? 65536 : 5000);
		build_zeros(&bench->b, 8);
		build_end(&bench->b);
		send(bench, SIDE_SERVER);
	}
	bytes.len = 0;
	put_close(bench, &bytes, 130, false);
	send_cut(bench, SIDE_CLIENT, &bytes, 190);
	bytes.len = 0;
	put_close(bench, &bytes, 130, true);
	send_cut(bench, SIDE_SERVER, &bytes, 190);
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(turn->message_left[SIDE_CLIENT], 0);
	cr_assert_eq(bench->log.written_bytes, 29 * 65536 + 5000);
	cr_assert_eq(bench->log.requests, bench->log.replies);
	bench_free(bench);
	free(bytes.data);
}

/* two reads and something else in one segment: the row that was guessed is taken back */
Test(smb_session, a_row_that_was_none)
{
	Bytes bytes = {malloc(STREAM_ROOM), 0};
	Bench *bench = bench_new(445);
	open_file(bench, "big", 0x11, 0);
	put_read(bench, &bytes, 100, 0, 65536);
	put_read(bench, &bytes, 101, 65536, 65536);
	for (uint64_t id = 0; id < 5; id++)
		put_close(bench, &bytes, 102 + id, false);
	send_cut(bench, SIDE_CLIENT, &bytes, 190);
	bytes.len = 0;
	put_close(bench, &bytes, 107, false);
	send_cut(bench, SIDE_CLIENT, &bytes, 190);
	/* the open, two reads, the close that was seen; nothing of the guess is owed for ever */
	bytes.len = 0;
	put_read_answer(bench, &bytes, 100, 65536);
	put_read_answer(bench, &bytes, 101, 65536);
	put_close(bench, &bytes, 107, true);
	send_cut(bench, SIDE_SERVER, &bytes, 1460);
	cr_assert_eq(session_turn(bench->session)->outstanding, 0);
	cr_assert_eq(bench->log.read_bytes, 2 * 65536);
	bench_free(bench);
	free(bytes.data);
}

/* ---- work by path */

static void open_sized(Bench *bench, const char *name, uint64_t id, uint64_t size)
{
	uint64_t message = bench->message_id++;
	build_pdu(&bench->b);
	header(bench, 5, 0, 0, message);
	create_request(&bench->b, name);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	build_pdu(&bench->b);
	header(bench, 5, REPLY, 0, message);
	create_reply(&bench->b, id, size);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

static void close_file(Bench *bench, uint64_t id)
{
	uint64_t message = bench->message_id++;
	build_pdu(&bench->b);
	header(bench, 6, 0, 0, message);
	close_request(&bench->b, id);
	build_end(&bench->b);
	send(bench, SIDE_CLIENT);
	build_pdu(&bench->b);
	header(bench, 6, REPLY, 0, message);
	close_reply(&bench->b);
	build_end(&bench->b);
	send(bench, SIDE_SERVER);
}

static void read_file(Bench *bench, uint64_t id, uint64_t offset, uint32_t len)
{
	uint64_t message = bench->message_id++;
	ask_read(bench, message, id, offset, len);
	answer_read(bench, message, len);
}

static const FileActivity *path_of(const SessionStats *stats, const char *name)
{
	for (size_t i = 0; i < stats->file_count; i++)
		if (strcmp(stats->files[i].name, name) == 0)
			return &stats->files[i];
	return NULL;
}

Test(smb_session, work_by_path)
{
	Bench *bench = bench_new(445);
	SessionStats stats;
	connect(bench, "\\\\srv\\data", 9);
	open_sized(bench, "big", 1, 200000);
	read_file(bench, 1, 0, 60000);
	read_file(bench, 1, 60000, 60000);
	close_file(bench, 1);
	/* again from the middle on: half of it was read before */
	open_sized(bench, "big", 2, 200000);
	read_file(bench, 2, 90000, 60000);
	close_file(bench, 2);
	/* opened with a cache's promise, and nearly nothing asked for; a small one says nothing */
	open_sized(bench, "cached", 3, 200000);
	read_file(bench, 3, 0, 1000);
	close_file(bench, 3);
	open_sized(bench, "small", 4, 1000);
	close_file(bench, 4);
	for (int i = 0; i < 3; i++)
		open_file(bench, "missing", 0, NOT_FOUND);
	cr_assert(session_stats(bench->session, &stats));
	const FileActivity *big = path_of(&stats, "big"), *cached = path_of(&stats, "cached"),
			   *missing = path_of(&stats, "missing"), *small = path_of(&stats, "small");
	cr_assert(big && cached && missing && small);
	cr_expect_str_eq(big->share, "\\\\srv\\data");
	cr_expect_eq(big->opens, 2);
	cr_expect_eq(big->asked_again, 1);
	cr_expect_eq(big->reads, 3);
	cr_expect_eq(big->read_bytes, 180000);
	cr_expect_eq(big->reread_bytes, 30000);
	cr_expect_eq(big->hardly_read, 0);
	cr_expect_eq(big->operations, 7);
	cr_expect_eq(big->size, 200000);
	/* a nanosecond from each request to its answer */
	cr_expect_eq(big->busy_ns, 7);
	cr_expect_eq(big->metadata_ns, 4);
	cr_expect_eq(cached->hardly_read, 1);
	cr_expect_eq(small->hardly_read, 0);
	cr_expect_eq(missing->not_found, 3);
	cr_expect_eq(missing->errors, 3);
	cr_expect_eq(missing->opens, 0);
	cr_expect_eq(missing->asked_again, 2);
	cr_expect_eq(stats.counts.opens, 4);
	cr_expect_eq(stats.counts.not_found, 3);
	cr_expect_str_eq(stats.files[0].name, "big", "the one most waited for comes first");
	bench_free(bench);
}

/* more paths than are kept: those waited for longest stay, the others are counted */
Test(smb_session, paths_are_bounded)
{
	Bench *bench = bench_new(445);
	SessionStats stats;
	char name[32];
	connect(bench, "\\\\srv\\data", 9);
	open_sized(bench, "first", 1, 200000);
	for (uint64_t i = 0; i < 20; i++)
		read_file(bench, 1, i * 1000, 1000);
	close_file(bench, 1);
	for (uint64_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "f%u", (unsigned)i);
		open_sized(bench, name, 2, 1000);
		close_file(bench, 2);
	}
	cr_assert(session_stats(bench->session, &stats));
	cr_expect_eq(stats.file_count, SESSION_FILES);
	cr_expect_eq(stats.files_forgotten, 1001 - SESSION_FILES);
	cr_expect_not_null(path_of(&stats, "first"));
	cr_expect_not_null(path_of(&stats, "f999"));
	cr_expect_eq(stats.counts.opens, 1001);
	bench_free(bench);
}

Test(smb_session, requests_in_flight_over_time)
{
	Bench *bench = bench_new(445);
	SessionStats stats;
	connect(bench, "\\\\srv\\data", 9);
	open_sized(bench, "big", 1, 200000);
	cr_assert(session_stats(bench->session, &stats));
	cr_expect_eq(stats.bin_count, 0, "nothing before the first read");
	for (uint64_t i = 0; i < 5; i++)
		ask_read(bench, 100 + i, 1, i * 1000, 1000);
	for (uint64_t i = 0; i < 5; i++)
		answer_read(bench, 100 + i, 1000);
	cr_assert(session_stats(bench->session, &stats));
	cr_assert_eq(stats.bin_count, 1);
	cr_expect_eq(stats.bins[0].in_flight, 5);
	cr_expect_eq(stats.bins[0].credits_low, INT32_MIN, "no negotiation, no balance");
	bench_free(bench);
}

/* Requests whose headers the snap length cut at any place belong to the file of the row they are
 * in. */
Test(smb_session, cut_requests_stay_with_their_file)
{
	for (uint32_t kept = 33; kept < 4 + 64 + 49; kept++) {
		Bench *bench = bench_new(445);
		connect(bench, "\\\\srv\\data", 9);
		open_sized(bench, "big", 1, 200000);
		ask_read(bench, 100, 1, 0, 1000);
		ask_read(bench, 101, 1, 1000, 1000);
		build_pdu(&bench->b);
		header(bench, 8, 0, 0, 102);
		read_request(&bench->b, 1, 2000, 1000);
		build_end(&bench->b);
		SessionChunk chunk = {.offset = bench->offset[SIDE_CLIENT],
			.len = (uint32_t)bench->b.len,
			.caplen = kept,
			.data = bench->b.bytes,
			.ts_ns = ++bench->now,
			.frame = 50};
		session_push(bench->session, SIDE_CLIENT, &chunk);
		bench->offset[SIDE_CLIENT] += (int64_t)bench->b.len;
		memset(&bench->b, 0, sizeof bench->b);
		cr_expect_eq(bench->log.opened, 1, "%u bytes kept", kept);
		cr_expect_eq(bench->log.requests, 5, "%u bytes kept", kept);
		cr_expect_eq(bench->log.last_request.file, bench->log.last_opened, "%u bytes kept",
			kept);
		cr_expect_eq(bench->log.last_request.offset, 2000, "%u bytes kept", kept);
		bench_free(bench);
	}
}

/* ---- directory entries behind what is kept of a message's head */

#define ENTRIES 300
#define ENTRY_BYTES 104

static void list_request(SmbBuilder *b, uint64_t id)
{
	build_le16(b, 33);
	build_u8(b, 37);
	build_u8(b, 0);
	build_le32(b, 0);
	file_id(b, id);
	build_le16(b, 96);
	build_le16(b, 2);
	build_le32(b, 65536);
	build_utf16(b, "*");
}

static void list_reply(SmbBuilder *b)
{
	build_le16(b, 9);
	build_le16(b, 72);
	build_le32(b, ENTRIES * ENTRY_BYTES);
	for (int i = 0; i < ENTRIES; i++) {
		build_le32(b, i + 1 < ENTRIES ? ENTRY_BYTES : 0);
		build_zeros(b, ENTRY_BYTES - 4);
	}
}

static void send_pieces(Bench *bench, size_t piece, size_t kept)
{
	size_t total = bench->b.len;
	SmbBuilder *whole = malloc(sizeof *whole);
	*whole = bench->b;
	bench->now++;
	for (size_t at = 0; at < total; at += piece) {
		size_t len = total - at < piece ? total - at : piece;
		SessionChunk chunk = {.offset = bench->offset[SIDE_SERVER],
			.len = (uint32_t)len,
			.caplen = (uint32_t)(len < kept ? len : kept),
			.data = whole->bytes + at,
			.ts_ns = bench->now,
			.frame = 9};
		session_push(bench->session, SIDE_SERVER, &chunk);
		bench->offset[SIDE_SERVER] += (int64_t)len;
	}
	memset(&bench->b, 0, sizeof bench->b);
	free(whole);
}

Test(smb_session, directory_entries_are_counted_to_the_end)
{
	static const size_t pieces[] = {1, 3, 7, 100, 104, 1460, 2047, 2048, 2049, 65536};
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		for (int cut = 0; cut < 2; cut++) {
			Bench *bench = bench_new(445);
			connect(bench, "\\\\srv\\data", 9);
			open_sized(bench, "many", 1, 0);
			build_pdu(&bench->b);
			header(bench, 14, 0, 0, 100);
			list_request(&bench->b, 1);
			build_end(&bench->b);
			send(bench, SIDE_CLIENT);
			build_pdu(&bench->b);
			header(bench, 14, REPLY, 0, 100);
			list_reply(&bench->b);
			build_end(&bench->b);
			send_pieces(bench, pieces[i], cut ? 1000 : SIZE_MAX);
			cr_assert_eq(bench->log.last_reply.command, 14, "%zu", pieces[i]);
			if (cut && pieces[i] > 1000)
				cr_expect_lt(
					bench->log.last_reply.entries, ENTRIES, "%zu", pieces[i]);
			else
				cr_expect_eq(bench->log.last_reply.entries, ENTRIES, "%zu: %u",
					pieces[i], bench->log.last_reply.entries);
			bench_free(bench);
		}
	}
}
