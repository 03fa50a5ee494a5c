/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FTP control sessions: transfers, announcements of data connections, what is never kept.
 */
#include "analyzer/session/session.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/session_stats.h"
#include "dissectors/ftp_line.h"
#include "tests/tools/session_log.h"

typedef struct Bench {
	SessionLog log;
	Session *session;
	int64_t offset[2];
	int64_t now;
} Bench;

static Bench *bench_new(uint16_t port)
{
	Bench *b = calloc(1, sizeof *b);
	b->session = session_new(&session_log_ops, &b->log, NULL, port, 50000);
	return b;
}

static void bench_free(Bench *b)
{
	session_end(b->session, b->now);
	session_free(b->session);
	cr_assert_null(b->log.error, "%s", b->log.error);
	cr_assert_eq(b->log.open_count, 0);
	cr_assert_eq(b->log.requests, b->log.replies);
	session_log_clear(&b->log);
	free(b);
}

static void say_bytes(Bench *b, Side side, const char *text, size_t len)
{
	char *copy = malloc(len);
	memcpy(copy, text, len);
	b->now++;
	SessionChunk chunk = {.offset = b->offset[side],
		.len = (uint32_t)len,
		.caplen = (uint32_t)len,
		.data = (const uint8_t *)copy,
		.ts_ns = b->now,
		.frame = (uint64_t)b->now,
		.psh = true};
	session_push(b->session, side, &chunk);
	b->offset[side] += (int64_t)len;
	free(copy);
}

static void client(Bench *b, const char *text)
{
	say_bytes(b, SIDE_CLIENT, text, strlen(text));
}

static void server(Bench *b, const char *text)
{
	say_bytes(b, SIDE_SERVER, text, strlen(text));
}

static void log_in(Bench *b)
{
	server(b, "220 FTP server\r\n");
	client(b, "USER bob\r\n");
	server(b, "331 password\r\n");
	client(b, "PASS secret\r\n");
	server(b, "230 welcome\r\n");
}

Test(ftp_session, passive_download)
{
	Bench *b = bench_new(21);
	const Turn *turn = session_turn(b->session);
	log_in(b);
	cr_assert_str_eq(session_protocol_name(b->session), "ftp");
	cr_assert(turn->is_setup);
	client(b, "TYPE I\r\n");
	cr_assert_not(turn->is_setup);
	cr_assert_eq(turn->oldest_class, OP_META);
	server(b, "200 ok\r\n");
	client(b, "SIZE big.bin\r\n");
	server(b, "213 1000\r\n");
	client(b, "REST 200\r\n");
	server(b, "350 ok\r\n");
	int64_t prepared = b->now + 1;
	client(b, "PASV\r\n");
	session_log_take(&b->log);
	server(b, "227 Entering Passive Mode (10,0,0,1,19,137).\r\n");
	/* the peer's own address and the one given */
	cr_assert_str_eq(session_log_take(&b->log),
		"opened '' ''\ndata 0.0.0.0:5001 passive\n"
		"data 10.0.0.1:5001 passive\nreply 21 moved 0 -\n");
	SessionLog data_log = {0};
	Session *data =
		session_new_ftp_data(&session_log_ops, &data_log, b->session, b->log.data_file);
	const Turn *data_turn = session_turn(data);
	cr_assert_str_eq(session_protocol_name(data), "ftp-data");
	cr_assert(session_is_settled(data));
	cr_assert(data_turn->is_framed);
	cr_assert_eq(data_turn->message_left[0] + data_turn->message_left[1], 0);
	client(b, "RETR big.bin\r\n");
	cr_assert_str_eq(
		session_log_take(&b->log), "renamed 'big.bin'\nrequest 8 class 10 big.bin\n");
	cr_assert_eq(data_turn->message_left[SIDE_SERVER], 1);
	cr_assert_eq(data_turn->message_left[SIDE_CLIENT], 0);
	cr_assert_eq(b->log.last_request.offset, 200);
	const FileRef *file = b->log.last_opened;
	cr_assert_eq(file->opened_ns, prepared);
	cr_assert_eq(file->size, 1000, "from SIZE");
	cr_assert_not(file->is_ascii);
	server(b, "150 Opening BINARY mode data connection for big.bin (1200 bytes).\r\n");
	cr_assert_eq(file->size, 1200);
	cr_assert_eq(file->announced, 0, "behind a REST the server sends less");
	cr_assert(turn->interim);
	SessionChunk chunk = {.len = 100, .caplen = 0, .data = (const uint8_t *)""};
	session_push(data, SIDE_SERVER, &chunk);
	server(b, "226 done\r\n");
	cr_assert_str_eq(session_log_take(&b->log),
		"interim 8\nreply 8 moved 0 big.bin\nclosed 'big.bin'\n");
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(turn->last_class, OP_FTP);
	session_end(data, b->now);
	session_free(data);
	cr_assert_eq(data_log.requests, 0);
	/* the offset was for that transfer only */
	client(b, "RETR other\r\n");
	cr_assert_eq(b->log.last_request.offset, 0);
	server(b, "550 no such file\r\n");
	cr_assert_eq(b->log.last_reply.status_class, STATUS_CLASS_NOT_FOUND);
	bench_free(b);
}

Test(ftp_session, active_upload_outlives_its_control_connection)
{
	Bench *b = bench_new(21);
	log_in(b);
	client(b, "PORT 10,0,0,2,4,1\r\n");
	cr_assert_eq(b->log.data_port, 1025);
	cr_assert_not(b->log.data_client_connects);
	server(b, "200 ok\r\n");
	SessionLog data_log = {0};
	Session *data =
		session_new_ftp_data(&session_log_ops, &data_log, b->session, b->log.data_file);
	client(b, "STOR up.txt\r\n");
	/* the server opened the data connection, so the sending client is its acceptor */
	cr_assert_eq(session_turn(data)->message_left[SIDE_SERVER], 1);
	cr_assert_eq(session_turn(data)->message_left[SIDE_CLIENT], 0);
	cr_assert(b->log.last_opened->is_ascii, "no TYPE was sent");
	SessionStats stats;
	cr_assert(session_stats(b->session, &stats));
	cr_assert(stats.ftp_ascii);
	bench_free(b);
	session_end(data, 100);
	session_free(data);
}

Test(ftp_session, listing_is_no_file)
{
	Bench *b = bench_new(21);
	log_in(b);
	client(b, "EPSV\r\n");
	server(b, "229 Extended (|||6446|)\r\n");
	cr_assert_eq(b->log.data_calls, 1);
	client(b, "MLSD\r\n");
	cr_assert_eq(b->log.last_request.op_class, OP_DIR);
	cr_assert(b->log.last_opened->is_directory);
	server(b, "150 here\r\n226 done\r\n");
	cr_assert_eq(b->log.open_count, 0);
	/* refused, then tried another way: one file */
	client(b, "EPSV\r\n");
	server(b, "500 no\r\n");
	client(b, "PASV\r\n");
	server(b, "227 (10,0,0,1,1,1)\r\n");
	client(b, "RETR a\r\n");
	server(b, "425 cannot open\r\n");
	cr_assert_eq(b->log.opened, 2);
	cr_assert_eq(b->log.closed, 2);
	bench_free(b);
}

Test(ftp_session, replies_of_many_lines_and_pipelined_commands)
{
	Bench *b = bench_new(21);
	const Turn *turn = session_turn(b->session);
	log_in(b);
	client(b, "FEAT\r\n");
	int64_t first = b->now + 1;
	server(b, "211-Features:\r\n MDTM\r\n");
	cr_assert_eq(turn->outstanding, 1);
	cr_assert_gt(turn->message_left[SIDE_SERVER], 0, "more lines will come");
	server(b, " SIZE\r\n");
	server(b, "211 End\r\n");
	cr_assert_eq(turn->message_left[SIDE_SERVER], 0);
	cr_assert_eq(b->log.last_reply.reply_first_ns, first);
	cr_assert_eq(b->log.last_reply.reply_last_ns, b->now);
	client(b, "CWD a\r\nTYPE I\r\nRETR x\r\nABOR\r\n");
	cr_assert_eq(turn->outstanding, 4);
	server(b, "250 ok\r\n200 ok\r\n426 aborted\r\n");
	cr_assert_eq(b->log.last_reply.command, FTP_RETR);
	cr_assert_eq(turn->outstanding, 1);
	server(b, "226 abort done\r\n");
	cr_assert_eq(b->log.last_reply.command, FTP_ABOR);
	cr_assert_eq(turn->outstanding, 0);
	/* nobody asked */
	server(b, "421 timeout\r\n");
	cr_assert_eq(b->log.requests, b->log.replies);
	bench_free(b);
}

static bool holds(const void *data, size_t len, const char *word)
{
	return memmem(data, len, word, strlen(word)) != NULL;
}

Test(ftp_session, nothing_secret_is_kept)
{
	Bench *b = bench_new(21);
	server(b, "220 x\r\n");
	client(b, "USER alice\r\nPASS hunter2\r\nACCT deep\r\nSITE PSWD old new\r\n");
	const char *text = session_log_take(&b->log);
	static const char *const words[] = {"alice", "hunter2", "deep", "old"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_assert_not(holds(text, strlen(text), words[i]), "%s", words[i]);
	cr_assert_null(b->log.last_request.file);
	bench_free(b);
}

Test(ftp_session, encrypted_control)
{
	Bench *b = bench_new(21);
	const Turn *turn = session_turn(b->session);
	server(b, "220 x\r\n");
	client(b, "AUTH TLS\r\n");
	server(b, "234 go\r\n");
	say_bytes(b, SIDE_CLIENT, "\x16\x03\x01\x00\x02hi", 7);
	cr_assert_eq(turn->outstanding, 1);
	say_bytes(b, SIDE_SERVER, "\x16\x03\x03\x00\x02hi", 7);
	cr_assert_eq(turn->outstanding, 0);
	say_bytes(b, SIDE_CLIENT, "\x17\x03\x03\x00\x20half", 9);
	cr_assert_eq(turn->message_left[SIDE_CLIENT], 28);
	SessionStats stats;
	cr_assert(session_stats(b->session, &stats));
	cr_assert(stats.ftp_tls);
	for (size_t i = 0; i < stats.command_count; i++)
		cr_assert_neq(stats.commands[i].command, FTP_UNKNOWN);
	bench_free(b);
}

Test(ftp_session, found_on_another_port)
{
	Bench *b = bench_new(2121);
	server(b, "220 hello\r\n");
	cr_assert_not(session_is_settled(b->session));
	client(b, "USER bob\r\n");
	cr_assert_str_eq(session_protocol_name(b->session), "ftp");
	cr_assert_eq(b->log.requests, 1);
	server(b, "331 x\r\n");
	cr_assert_eq(b->log.replies, 1);
	bench_free(b);

	/* mail greets alike */
	b = bench_new(25);
	server(b, "220 hello\r\n");
	client(b, "EHLO me\r\n");
	server(b, "250 hi\r\n");
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	bench_free(b);

	/* a file that begins like a command, on a data connection nobody announced */
	b = bench_new(40000);
	client(b, "STOR this is text\r\nRETR it\r\n");
	client(b, "RETR it\r\n");
	client(b, "RETR it\r\n");
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	bench_free(b);
}

/* the capture kept 20 bytes of each segment: commands are still counted, names are cut */
Test(ftp_session, snap_length)
{
	Bench *b = bench_new(21);
	log_in(b);
	const char *text = "RETR a-very-long-name-of-a-file.bin\r\n";
	b->now++;
	SessionChunk chunk = {.offset = b->offset[SIDE_CLIENT],
		.len = (uint32_t)strlen(text),
		.caplen = 12,
		.data = (const uint8_t *)text,
		.ts_ns = b->now};
	session_push(b->session, SIDE_CLIENT, &chunk);
	b->offset[SIDE_CLIENT] += (int64_t)strlen(text);
	cr_assert_eq(b->log.last_request.verb, VERB_READ);
	cr_assert_str_eq(b->log.last_opened->name, "a-very-");
	client(b, "QUIT\r\n");
	cr_assert_eq(b->log.last_request.command, FTP_QUIT);
	bench_free(b);
}

/* what an encrypted control connection moves is known by time: a file without a name begins with
 * the data, and ends with the data connection */
Test(ftp_session, encrypted_data)
{
	for (int small = 0; small < 2; small++) {
		Bench *b = bench_new(21);
		uint8_t block[1460] = {0x17, 3, 3};
		server(b, "220 x\r\n");
		client(b, "AUTH TLS\r\n");
		server(b, "234 go\r\n");
		cr_assert_eq(b->log.data_calls, 0);
		say_bytes(b, SIDE_CLIENT, "\x17\x03\x03\x00\x02hi", 7);
		cr_assert_eq(b->log.data_calls, 2, "either side may connect");
		cr_assert_eq(b->log.data_port, 0);
		cr_assert_eq(b->log.opened, 0);
		Session *data = session_new_ftp_data(
			&session_log_ops, &b->log, b->session, b->log.data_file);
		cr_assert_eq(b->log.opened, 1);
		const Turn *turn = session_turn(data);
		SessionChunk chunk = {
			.len = 300, .caplen = 5, .data = block, .ts_ns = 100, .psh = true};
		session_push(data, SIDE_CLIENT, &chunk);
		cr_expect(turn->is_setup);
		cr_expect_eq(turn->outstanding, 1, "the server owes its hello");
		chunk = (SessionChunk){.len = 1460, .caplen = 5, .data = block, .ts_ns = 200};
		for (int i = 0; i < (small ? 2 : 20); i++) {
			chunk.offset = i * 1460;
			session_push(data, SIDE_SERVER, &chunk);
		}
		cr_expect_eq(turn->is_setup, small == 1);
		cr_expect_eq(turn->outstanding, 0);
		cr_expect_eq(turn->message_left[SIDE_SERVER], 1);
		const FileRef *file = b->log.last_opened;
		cr_assert_not_null(file);
		cr_expect_eq(b->log.closed, 0);
		session_ftp_data_done(data, 300);
		cr_expect_eq(b->log.closed, 1);
		session_end(data, 400);
		session_free(data);
		/* the next one has a file of its own */
		say_bytes(b, SIDE_SERVER, "\x17\x03\x03\x00\x02hi", 7);
		say_bytes(b, SIDE_CLIENT, "\x17\x03\x03\x00\x02hi", 7);
		cr_expect_eq(b->log.data_calls, 4);
		bench_free(b);
	}
}
