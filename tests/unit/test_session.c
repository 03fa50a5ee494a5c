/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions with a protocol made for tests: who owes the next byte, pairing, files, caps, probing.
 */
#include "analyzer/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/session_private.h"
#include "analyzer/session/session_stats.h"
#include "tests/tools/fake_protocol.h"
#include "tests/tools/random.h"
#include "tests/tools/session_log.h"

typedef struct Bench {
	SessionLog log;
	Session *session;
	int64_t offset[2];
	int64_t now;
} Bench;

static Bench *bench_new(uint16_t port, const SessionLimits *limits)
{
	Bench *b = calloc(1, sizeof *b);
	b->session = session_new_with(fake_table, &session_log_ops, &b->log, limits, port, 50000);
	return b;
}

static void bench_free(Bench *b)
{
	session_free(b->session);
	cr_assert_null(b->log.error, "%s", b->log.error);
	session_log_clear(&b->log);
	free(b);
}

static void push_len(Bench *b, Side side, const void *data, uint32_t len, uint32_t caplen, bool psh)
{
	uint8_t *copy = malloc(caplen > 0 ? caplen : 1);
	memcpy(copy, data, caplen);
	b->now++;
	SessionChunk chunk = {.offset = b->offset[side],
		.len = len,
		.caplen = caplen,
		.data = copy,
		.ts_ns = b->now,
		.frame = (uint64_t)b->now,
		.psh = psh};
	session_push(b->session, side, &chunk);
	b->offset[side] += len;
	free(copy);
}

static void push(Bench *b, Side side, const void *data, size_t len)
{
	push_len(b, side, data, (uint32_t)len, (uint32_t)len, true);
}

static void say(Bench *b, Side side, MessageKind kind, MessageVerb verb, uint16_t id, size_t body,
	uint8_t file)
{
	static uint8_t bytes[70000];
	push(b, side, bytes, fake_message(bytes, kind, verb, id, body, file));
}

static void ask(Bench *b, MessageVerb verb, uint16_t id, size_t body, uint8_t file)
{
	say(b, SIDE_CLIENT, MESSAGE_REQUEST, verb, id, body, file);
}

static void answer(Bench *b, MessageVerb verb, uint16_t id, size_t body, uint8_t file)
{
	say(b, SIDE_SERVER, MESSAGE_REPLY, verb, id, body, file);
}

Test(session, size)
{
	cr_assert_leq(sizeof(Session), 400, "%zu", sizeof(Session));
}

Test(session, exchange_and_times)
{
	Bench *b = bench_new(4000, NULL);
	const Turn *turn = session_turn(b->session);
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	b->now = 99;
	ask(b, VERB_OPEN, 1, 1, 'a');
	cr_assert(session_is_settled(b->session));
	cr_assert(turn->is_framed);
	cr_assert_eq(turn->outstanding, 1);
	cr_assert_eq(turn->oldest_request_ns, 100);
	cr_assert_eq(turn->oldest_class, OP_OPEN);
	answer(b, VERB_OPEN, 1, 1, 'a');
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(turn->last_reply_ns, 101);
	cr_assert_str_eq(session_log_take(&b->log), "request 6 class 1 a\nopened '' 'a'\n"
						    "reply 6 moved 0 a\n");
	/* a read whose answer comes in two segments */
	ask(b, VERB_READ, 2, 1, 'a');
	uint8_t bytes[1100];
	size_t len = fake_message(bytes, MESSAGE_REPLY, VERB_READ, 2, 1000, 0);
	push(b, SIDE_SERVER, bytes, 300);
	cr_assert_eq(turn->message_left[SIDE_SERVER], len - 300);
	cr_assert_eq(turn->outstanding, 1, "still owed");
	push(b, SIDE_SERVER, bytes + 300, len - 300);
	cr_assert_eq(turn->message_left[SIDE_SERVER], 0);
	const Operation *op = &b->log.last_reply;
	cr_assert_eq(op->request_last_ns, 102);
	cr_assert_eq(op->reply_first_ns, 103);
	cr_assert_eq(op->reply_last_ns, 104);
	cr_assert_eq(op->reply_frame, 104);
	cr_assert_eq(op->previous_reply_ns, 101);
	cr_assert_eq(op->moved_bytes, 1000);
	cr_assert(op->answered);
	ask(b, VERB_CLOSE, 3, 1, 'a');
	session_log_take(&b->log);
	answer(b, VERB_CLOSE, 3, 0, 0);
	cr_assert_str_eq(session_log_take(&b->log), "reply 7 moved 0 a\nclosed 'a'\n");
	session_end(b->session, 1000);
	bench_free(b);
}

Test(session, depth_and_order)
{
	Bench *b = bench_new(4000, NULL);
	const Turn *turn = session_turn(b->session);
	for (uint16_t i = 0; i < 64; i++) {
		ask(b, VERB_READ, i, 10, 'f');
		cr_assert_eq(b->log.last_request.in_flight, i + 1);
		cr_assert_eq(b->log.last_request.in_flight_bytes, 10 * (i + 1));
	}
	cr_assert_eq(turn->outstanding, 64);
	cr_assert_eq(turn->oldest_request_ns, 1);
	cr_assert_eq(turn->newest_request_ns, 64);
	/* answered from the youngest to the oldest */
	for (uint16_t i = 64; i > 0; i--) {
		answer(b, VERB_READ, (uint16_t)(i - 1), 10, 0);
		cr_assert_eq(turn->outstanding, i - 1);
		cr_assert_eq(turn->oldest_request_ns, i > 1 ? 1 : 0);
	}
	cr_assert_eq(b->log.read_bytes, 640);
	ask(b, VERB_READ, 99, 7, 'f');
	cr_assert_eq(b->log.last_request.in_flight, 1);
	cr_assert_eq(b->log.last_request.in_flight_bytes, 7);
	cr_assert_eq(b->log.opened, 1, "an unknown handle is a file without a name");
	session_end(b->session, 1000);
	cr_assert_eq(b->log.closed, 1);
	bench_free(b);
}

Test(session, answers_that_the_client_does_not_have_yet)
{
	Bench *b = bench_new(4000, NULL);
	int64_t ends[4];
	for (uint16_t i = 0; i < 4; i++)
		ask(b, VERB_READ, i, 10, 'f');
	for (uint16_t i = 0; i < 3; i++) {
		answer(b, VERB_READ, i, 10, 0);
		ends[i] = b->offset[SIDE_SERVER];
	}
	/* half of the last one has passed */
	uint8_t last[64];
	size_t len = fake_message(last, MESSAGE_REPLY, VERB_READ, 3, 10, 0);
	push(b, SIDE_SERVER, last, len - 5);
	ends[3] = b->offset[SIDE_SERVER] + 5;
	for (uint32_t has = 0; has < 4; has++) {
		SessionAhead ahead = session_ahead(b->session, has ? ends[has - 1] : 0);
		cr_expect_eq(ahead.answers, 3 - has, "%u answers came, %u are ahead", has,
			ahead.answers);
		cr_expect_eq(ahead.bytes, 10 * (3 - has));
	}
	push(b, SIDE_SERVER, last + len - 5, 5);
	cr_expect_eq(session_ahead(b->session, ends[0]).answers, 3);
	cr_expect_eq(session_ahead(b->session, ends[0] + 1).answers, 3, "a part is not all");
	cr_expect_eq(session_ahead(b->session, ends[3]).answers, 0);
	/* no more than are remembered */
	for (uint16_t i = 0; i < 500; i++) {
		ask(b, VERB_READ, i, 10, 'f');
		answer(b, VERB_READ, i, 10, 0);
	}
	cr_expect_leq(session_ahead(b->session, 0).answers, 64);
	session_end(b->session, 5000);
	bench_free(b);
}

Test(session, pending_cancel_and_notify)
{
	Bench *b = bench_new(4000, NULL);
	const Turn *turn = session_turn(b->session);
	ask(b, VERB_NOTIFY, 1, 1, 'd');
	cr_assert_eq(turn->outstanding, 0, "nobody waits for a notification");
	ask(b, VERB_READ, 2, 1, 'd');
	say(b, SIDE_SERVER, MESSAGE_INTERIM, VERB_READ, 2, 0, 0);
	cr_assert_eq(turn->outstanding, 1);
	cr_assert(turn->interim);
	ask(b, VERB_CANCEL, 2, 0, 0);
	cr_assert_eq(turn->outstanding, 1);
	answer(b, VERB_READ, 2, 5, 0);
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_not(turn->interim);
	cr_assert_gt(b->log.last_reply.interim_ns, 0);
	answer(b, VERB_NOTIFY, 1, 0, 0);
	cr_assert_eq(b->log.replies, 2);
	cr_assert_eq(turn->last_class, OP_READ);
	/* an answer nobody asked for within the capture */
	answer(b, VERB_READ, 77, 5, 0);
	SessionStats stats;
	cr_assert(session_stats(b->session, &stats));
	uint64_t pending = 0, responses = 0;
	for (size_t i = 0; i < stats.command_count; i++) {
		pending += stats.commands[i].pending;
		responses += stats.commands[i].responses;
	}
	cr_assert_eq(pending, 1);
	cr_assert_eq(responses, 3);
	cr_assert_eq(b->log.replies, 2);
	bench_free(b);
}

Test(session, same_id_again)
{
	Bench *b = bench_new(4000, NULL);
	ask(b, VERB_READ, 5, 1, 'a');
	ask(b, VERB_READ, 5, 1, 'a');
	cr_assert_eq(b->log.unanswered, 1);
	cr_assert_eq(session_turn(b->session)->outstanding, 1);
	answer(b, VERB_READ, 5, 1, 0);
	answer(b, VERB_READ, 5, 1, 0);
	cr_assert_eq(b->log.replies, 2);
	session_end(b->session, 9);
	bench_free(b);
}

Test(session, caps)
{
	SessionLimits limits = {.max_requests = 8, .max_files = 4};
	Bench *b = bench_new(4000, &limits);
	for (uint16_t i = 0; i < 1000; i++) {
		ask(b, VERB_READ, i, 1, (uint8_t)i);
		cr_assert_leq(session_turn(b->session)->outstanding, 8);
		cr_assert_leq(b->log.open_count, 4);
	}
	SessionStats stats;
	session_stats(b->session, &stats);
	cr_assert_eq(stats.requests_dropped, 992);
	cr_assert_eq(stats.files_dropped, 996);
	session_end(b->session, 5000);
	cr_assert_eq(b->log.replies, 1000);
	cr_assert_eq(b->log.open_count, 0);
	bench_free(b);
}

Test(session, the_file_used_longest_ago_is_forgotten)
{
	SessionLimits limits = {.max_files = 3};
	Bench *b = bench_new(4000, &limits);
	uint16_t id = 0;
	static const char order[] = "abcabad";
	for (const char *file = order; *file; file++)
		ask(b, VERB_READ, id++, 1, (uint8_t)*file);
	cr_assert_eq(b->log.opened, 4);
	cr_assert_eq(b->log.closed, 1);
	/* 'c' went: 'a' and 'b' are still open, 'c' is opened anew */
	ask(b, VERB_READ, id++, 1, 'a');
	ask(b, VERB_READ, id++, 1, 'b');
	cr_assert_eq(b->log.opened, 4);
	ask(b, VERB_READ, id++, 1, 'c');
	cr_assert_eq(b->log.opened, 5);
	session_end(b->session, 99);
	bench_free(b);
}

Test(session, file_opened_again_under_the_same_id)
{
	Bench *b = bench_new(4000, NULL);
	ask(b, VERB_OPEN, 1, 1, 'a');
	answer(b, VERB_OPEN, 1, 1, 9);
	ask(b, VERB_OPEN, 2, 1, 'b');
	session_log_take(&b->log);
	answer(b, VERB_OPEN, 2, 1, 9);
	cr_assert_str_eq(
		session_log_take(&b->log), "closed 'a'\nopened '' 'b'\nreply 6 moved 0 b\n");
	/* closed while a read of it is under way: the read goes on without a file */
	ask(b, VERB_READ, 3, 1, 9);
	ask(b, VERB_CLOSE, 4, 1, 9);
	answer(b, VERB_CLOSE, 4, 0, 0);
	answer(b, VERB_READ, 3, 8, 0);
	cr_assert_null(b->log.last_reply.file);
	session_end(b->session, 9);
	bench_free(b);
}

Test(session, answers_lost_by_the_capture_are_not_owed_for_ever)
{
	Bench *b = bench_new(4000, NULL);
	const Turn *turn = session_turn(b->session);
	ask(b, VERB_READ, 1, 1, 'a');
	ask(b, VERB_READ, 2, 1, 'a');
	session_gap(b->session, SIDE_SERVER, 0, 5000, 50);
	b->offset[SIDE_SERVER] = 5000;
	cr_assert_eq(turn->outstanding, 2, "one of them may still be answered");
	answer(b, VERB_READ, 2, 4, 0);
	cr_assert_eq(turn->outstanding, 1);
	ask(b, VERB_READ, 3, 1, 'a');
	answer(b, VERB_READ, 3, 4, 0);
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(b->log.unanswered, 1);
	bench_free(b);
}

Test(session, an_answer_proves_its_request)
{
	/* the end of the request was not captured, its answer was */
	Bench *b = bench_new(4000, NULL);
	uint8_t bytes[2000];
	fake_message(bytes, MESSAGE_REQUEST, VERB_WRITE, 1, 1500, 'a');
	push(b, SIDE_CLIENT, bytes, 1000);
	cr_assert_eq(b->log.requests, 0);
	answer(b, VERB_WRITE, 1, 0, 0);
	cr_assert_eq(b->log.requests, 1);
	cr_assert_eq(b->log.replies, 1);
	cr_assert_eq(b->log.last_reply.request_last_ns, 1);
	cr_assert_eq(b->log.last_reply.moved_bytes, 1500);
	bench_free(b);
}

Test(session, server_time_is_neither_network_nor_queue)
{
	Bench *b = bench_new(4000, NULL);
	session_set_server_loop(b->session, 1000);
	static uint8_t bytes[70000];
	int64_t at = 0;
	/* 64 reads at once; the first answer after loop + 50, then one every 20 */
	for (uint16_t i = 0; i < 64; i++) {
		b->now = at - 1;
		ask(b, VERB_READ, i, 1, 'a');
	}
	for (uint16_t i = 0; i < 64; i++) {
		size_t len = fake_message(bytes, MESSAGE_REPLY, VERB_READ, i, 100, 0);
		b->now = at + 1050 + 20 * i - 1;
		push(b, SIDE_SERVER, bytes, len);
	}
	SessionStats stats;
	session_stats(b->session, &stats);
	cr_assert_eq(stats.command_count, 1);
	cr_assert_eq(stats.commands[0].server_time.count, 64);
	cr_assert_eq(stats.commands[0].server_time.max_ns, 50);
	cr_assert_eq(stats.commands[0].server_time.min_ns, 20);
	cr_assert_eq(stats.commands[0].response_time.max_ns, 1050 + 63 * 20);
	bench_free(b);
}

/* ---- unknown protocols */

Test(session, turns_of_an_unknown_protocol)
{
	Bench *b = bench_new(9, NULL);
	const Turn *turn = session_turn(b->session);
	static const uint8_t noise[2000] = {1};
	cr_assert(turn->is_setup);
	push(b, SIDE_CLIENT, noise, 100);
	cr_assert_eq(turn->outstanding, 1);
	cr_assert_eq(turn->message_left[SIDE_CLIENT], 0, "small and pushed");
	push_len(b, SIDE_SERVER, noise, 1460, 1460, false);
	cr_assert_eq(turn->outstanding, 0);
	cr_assert_eq(turn->message_left[SIDE_SERVER], 1);
	push_len(b, SIDE_SERVER, noise, 1460, 1460, true);
	cr_assert_eq(turn->message_left[SIDE_SERVER], 1, "a full segment ends nothing");
	push_len(b, SIDE_SERVER, noise, 800, 800, true);
	cr_assert_eq(turn->message_left[SIDE_SERVER], 0);
	cr_assert_eq(turn->last_reply_ns, 4);
	cr_assert(session_is_settled(b->session));
	cr_assert_not(turn->is_framed);
	push_len(b, SIDE_SERVER, noise, 1460, 1460, false);
	push(b, SIDE_CLIENT, noise, 10);
	cr_assert_eq(turn->message_left[SIDE_SERVER], 0, "the direction changed");
	cr_assert_eq(turn->outstanding, 1);
	cr_assert_eq(turn->oldest_request_ns, 6);
	SessionStats stats;
	cr_assert_not(session_stats(b->session, &stats));
	session_end(b->session, 7);
	cr_assert_eq(turn->outstanding, 0);
	bench_free(b);
}

/* ---- probing */

Test(session, protocol_on_another_port_and_another_protocol_on_its_port)
{
	Bench *b = bench_new(9999, NULL);
	ask(b, VERB_READ, 1, 5, 'a');
	cr_assert_str_eq(session_protocol_name(b->session), "smb2");
	cr_assert_eq(b->log.requests, 1);
	bench_free(b);

	b = bench_new(4000, NULL);
	for (int i = 0; i < 3; i++) {
		cr_assert_not(session_is_settled(b->session));
		push(b, i % 2 ? SIDE_SERVER : SIDE_CLIENT, "\x16\x03\x01 hello", 10);
	}
	cr_assert(session_is_settled(b->session));
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	bench_free(b);

	/* the first byte could be it, the second says no */
	b = bench_new(4000, NULL);
	push(b, SIDE_CLIENT, "M", 1);
	push(b, SIDE_CLIENT, "ail", 3);
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	cr_assert_eq(b->log.requests, 0);
	push(b, SIDE_SERVER, "xxx", 3);
	cr_assert_not(session_turn(b->session)->is_framed);
	bench_free(b);
}

Test(session, first_message_in_crumbs)
{
	Bench *b = bench_new(4000, NULL);
	uint8_t bytes[64];
	size_t len = fake_message(bytes, MESSAGE_REQUEST, VERB_READ, 1, 20, 'a');
	for (size_t i = 0; i < len; i++)
		push(b, SIDE_CLIENT, bytes + i, 1);
	cr_assert_eq(b->log.requests, 1);
	cr_assert_eq(b->log.last_request.request_first_ns, 1);
	cr_assert_eq(b->log.last_request.request_last_ns, (int64_t)len);
	bench_free(b);
}

Test(session, starts_in_the_middle_of_a_message)
{
	Bench *b = bench_new(4000, NULL);
	static uint8_t body[1460];
	for (int i = 0; i < 200; i++)
		push(b, SIDE_SERVER, body, sizeof body);
	cr_assert_str_eq(session_protocol_name(b->session), "other");
	ask(b, VERB_READ, 1, 1, 'a');
	cr_assert_str_eq(session_protocol_name(b->session), "smb2");
	answer(b, VERB_READ, 1, 100, 0);
	cr_assert_eq(b->log.replies, 1);
	cr_assert_eq(b->log.read_bytes, 100);
	bench_free(b);
}

/* the first segment is the rest of a message, the second holds the begin of another */
Test(session, starts_in_the_middle_and_goes_on_in_the_next_segment)
{
	Bench *b = bench_new(4000, NULL);
	uint8_t bytes[200] = {0};
	push(b, SIDE_CLIENT, bytes, 100);
	size_t len = fake_message(bytes + 30, MESSAGE_REQUEST, VERB_READ, 1, 1, 'a');
	push(b, SIDE_CLIENT, bytes, 30 + len);
	cr_assert_str_eq(session_protocol_name(b->session), "smb2");
	cr_assert_eq(b->log.requests, 1);
	bench_free(b);
}

/* the capture lacks the first bytes: what follows does not wait for them */
Test(session, gap_before_the_first_payload)
{
	Bench *b = bench_new(4000, NULL);
	session_gap(b->session, SIDE_CLIENT, 0, 500, 1);
	b->offset[SIDE_CLIENT] = 500;
	ask(b, VERB_READ, 1, 1, 'a');
	cr_assert_eq(b->log.requests, 1);
	answer(b, VERB_READ, 1, 100, 0);
	cr_assert_eq(b->log.replies, 1);
	bench_free(b);
}

Test(session, nothing_kept_by_the_capture)
{
	Bench *b = bench_new(4000, NULL);
	for (int i = 0; i < 10; i++)
		push_len(b, i % 2 ? SIDE_SERVER : SIDE_CLIENT, "", 1000, 0, true);
	cr_assert(session_is_settled(b->session));
	cr_assert_eq(session_turn(b->session)->outstanding, 0);
	bench_free(b);
}

/* any messages in any order, with holes and cuts: the promises of the listener hold */
Test(session, promises)
{
	Random random = random_start();
	for (int round = 0; round < 200; round++) {
		SessionLimits limits = {.max_requests = 1 + (uint32_t)random_below(&random, 40),
			.max_files = 1 + (uint32_t)random_below(&random, 10)};
		Bench *b = bench_new(round % 2 ? 4000 : 1, &limits);
		b->log.quiet = true;
		for (int step = 0; step < 400; step++) {
			uint8_t bytes[3000];
			Side side = (Side)random_below(&random, 2);
			MessageKind kind = random_below(&random, 6) == 0
						   ? (MessageKind)random_below(&random, 6)
					   : side == SIDE_CLIENT ? MESSAGE_REQUEST
								 : MESSAGE_REPLY;
			size_t len = fake_message(bytes, kind,
				(MessageVerb)random_below(&random, VERB_COUNT + 1),
				(uint16_t)random_below(&random, 20),
				random_below(&random, 5) ? random_below(&random, 20)
							 : random_below(&random, 2900),
				(uint8_t)random_below(&random, 12));
			switch (random_below(&random, 12)) {
			case 0:
				b->offset[side] += (int64_t)random_below(&random, 200);
				break;
			case 1:
				session_gap(b->session, side, b->offset[side] - 100,
					b->offset[side] + 50, b->now);
				break;
			case 2:
				len = random_below(&random, len) + 1;
				break;
			case 3:
				b->offset[side] -= (int64_t)random_below(&random, 50);
				break;
			}
			push_len(b, side, bytes, (uint32_t)len,
				random_below(&random, 5) ? (uint32_t)len
							 : (uint32_t)random_below(&random, len + 1),
				random_below(&random, 2));
			const Turn *turn = session_turn(b->session);
			if (turn->is_framed)
				cr_assert_leq(turn->outstanding, limits.max_requests);
			cr_assert_null(b->log.error, "%s", b->log.error);
		}
		session_end(b->session, b->now);
		cr_assert_eq(b->log.open_count, 0, "round %d", round);
		cr_assert_eq(b->log.requests, b->log.replies, "round %d", round);
		bench_free(b);
	}
}
