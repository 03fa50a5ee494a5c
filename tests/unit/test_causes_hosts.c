/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes in the hosts: a slow server, a client that thinks.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

Test(causes_hosts, a_disk_that_takes_20_ms)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS;
	cause_case_requests(c, false, 64, 64 * KIB, 1, 20 * CASE_MS);
	cause_case_round_trip(c, OP_READ, 64 * CASE_MS);
	cause_case_server(c, OP_READ, 64 * 20 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(d->blame, "SERVER");
	cr_assert_eq(d->lost_ns, 1280 * CASE_MS);
	cr_assert_eq(d->saved_high_ns, 1280 * CASE_MS);
	/* a healthy server would need a millisecond each */
	cr_assert_geq(d->saved_low_ns, 1200 * CASE_MS);
	cr_assert(strstr(d->sentence, "64 reads"), "%s", d->sentence);
	cr_assert(strstr(d->sentence, "20 ms each") || strstr(d->sentence, "20.1 ms each") ||
			  strstr(d->sentence, "19.9 ms each"),
		"%s", d->sentence);
	cr_assert_not(cause_case_conclude(c, "server-slow-write"));
	cause_case_free(c);
}

Test(causes_hosts, reads_of_8_MiB_from_memory_are_not_slow)
{
	/* N12: 1.7 ms to the first byte of 8 MiB; the rest is the path's */
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 128, 8 * MIB, 2, 1700000);
	cause_case_server(c, OP_READ, 128 * 1700000);
	cr_assert_not(cause_case_conclude(c, "server-slow-read"));
	cr_assert(strstr(cause_case_rules_out(c, "server-slow-read"),
			  "95 % of answers begin within 1.7 ms"),
		"%s", cause_case_rules_out(c, "server-slow-read"));
	cause_case_free(c);
}

Test(causes_hosts, a_few_long_reads_among_quick_ones)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 200, 64 * KIB, 1, CASE_MS / 5);
	cause_case_requests(c, false, 4, 64 * KIB, 1, 900 * CASE_MS);
	cause_case_server(c, OP_READ, 3640 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert(strstr(c->draft.sentence, "the longest 900 ms"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_hosts, a_server_that_stops_in_mid_answer)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 20, MIB, 4, CASE_MS / 5);
	cause_case_add(c, BUCKET_SENDER_STALLED, 800 * CASE_MS); /* bulk side: the server */
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.claim_ns[BUCKET_SENDER_STALLED], 800 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "stops in the middle"), "%s", c->draft.sentence);
	/* seen from the client nothing is certain */
	c->context.vantage = VANTAGE_UNKNOWN;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_leq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert_not_null(c->draft.next_test);
	cause_case_free(c);
}

Test(causes_hosts, slow_writes_and_a_cache_that_drains_at_the_end)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, true, 64, 64 * KIB, 1, 20 * CASE_MS);
	cause_case_server(c, OP_WRITE, 1280 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-write"));
	cr_assert(strstr(c->draft.sentence, "confirm 64 writes"), "%s", c->draft.sentence);
	cr_assert_not(cause_case_conclude(c, "server-slow-read"));
	cause_case_free(c);

	c = cause_case_new();
	cause_case_requests(c, true, 64, 64 * KIB, 8, CASE_MS / 5);
	cause_case_operations(c, OP_CLOSE, 1, 4000 * CASE_MS);
	cause_case_server(c, OP_CLOSE, 4000 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-write"));
	cr_assert(strstr(c->draft.sentence, "4 s to close 1 file"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.lost_ns, 4000 * CASE_MS);
	cause_case_free(c);

	c = cause_case_new();
	cause_case_requests(c, true, 64, 64 * KIB, 8, CASE_MS / 5);
	cause_case_server(c, OP_WRITE, 13 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "server-slow-write"));
	cause_case_free(c);
}

Test(causes_hosts, a_server_that_hands_on_what_it_is_asked)
{
	static ConnectionFacts behind;
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS;
	cause_case_requests(c, false, 64, 64 * KIB, 1, 20 * CASE_MS);
	cause_case_round_trip(c, OP_READ, 64 * CASE_MS);
	cause_case_server(c, OP_READ, 64 * 20 * CASE_MS);
	c->facts.tcp.first_ns = behind.tcp.first_ns = CASE_MS;
	c->facts.tcp.last_ns = behind.tcp.last_ns = 9000 * CASE_MS;
	c->facts.addr[SIDE_CLIENT][15] = 2, c->facts.addr[SIDE_SERVER][15] = 9;
	behind.addr[SIDE_CLIENT][15] = 9, behind.addr[SIDE_SERVER][15] = 7;
	behind.port[SIDE_SERVER] = 445;
	static const uint64_t bytes[] = {20000, 4000000};
	for (int i = 0; i < 2; i++)
		c->facts.tcp.dir[i].unique_bytes = behind.tcp.dir[i].unique_bytes = bytes[i];
	c->connections[1] = &behind;
	c->context.connection_count = 2;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert(strstr(c->draft.doubt, "relay"), "%s", c->draft.doubt);
	/* other bytes, or of another host */
	behind.tcp.dir[SIDE_SERVER].unique_bytes = 3800000;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	behind.tcp.dir[SIDE_SERVER].unique_bytes = 4000000;
	behind.addr[SIDE_CLIENT][15] = 2;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cause_case_free(c);
}

Test(causes_hosts, a_server_that_has_nothing_to_answer)
{
	CauseCase *c = cause_case_new();
	c->context.vantage = VANTAGE_SERVER;
	c->unit.is_unframed = true;
	c->context.bulk = SIDE_CLIENT;
	c->context.sender = &c->facts.tcp.dir[SIDE_CLIENT];
	c->context.receiver = &c->facts.tcp.dir[SIDE_SERVER];
	for (int i = 0; i < 8; i++)
		cause_case_server(c, OP_OTHER, 500 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-write"));
	cr_assert_gt(c->draft.confidence, CONFIDENCE_LOW);
	/* what the client sent was lost on the way */
	c->facts.tcp.dir[SIDE_CLIENT].retransmitted_packets = 14;
	cr_assert(cause_case_conclude(c, "server-slow-write"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cr_assert(strstr(c->draft.doubt, "nothing to answer"), "%s", c->draft.doubt);
	cause_case_free(c);
}

Test(causes_hosts, a_client_that_thinks_20_ms_per_block)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS;
	cause_case_requests(c, false, 64, 64 * KIB, 1, CASE_MS / 5);
	for (int i = 0; i < 63; i++) {
		cause_case_add(c, BUCKET_CLIENT_THINK, 20 * CASE_MS);
		cause_case_round_trip(c, OP_READ, CASE_MS);
	}
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_eq(c->draft.lost_ns, 1260 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "63 times, about 20 ms each time"), "%s",
		c->draft.sentence);
	cr_assert_geq(c->draft.saved_low_ns, 1200 * CASE_MS);
	/* one long pause makes the mean of the others no regular one */
	cause_case_add(c, BUCKET_CLIENT_THINK, 4000 * CASE_MS);
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert(strstr(c->draft.sentence, "on average, 4 s at the longest"), "%s",
		c->draft.sentence);
	cause_case_free(c);
}

Test(causes_hosts, a_silence_that_the_sender_is_known_to_have_kept)
{
	CauseCase *c = cause_case_new();
	c->context.vantage = VANTAGE_CLIENT;
	cause_case_requests(c, false, 8, MIB, 4, CASE_MS / 5);
	cause_case_add(c, BUCKET_SENDER_STALLED, 3000 * CASE_MS);
	c->unit.account.stalled_ns[SIDE_SERVER] = 3000 * CASE_MS;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	c->facts.tcp.dir[SIDE_SERVER].silent_ns = 3000 * CASE_MS;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_geq(c->draft.confidence, CONFIDENCE_MEDIUM);
	/* a shorter one proves nothing of this one */
	c->facts.tcp.dir[SIDE_SERVER].silent_ns = 200 * CASE_MS;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cause_case_free(c);
}

Test(causes_hosts, one_short_pause_among_tiny_ones_is_no_habit)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS / 5;
	cause_case_requests(c, false, 64, 4 * KIB, 1, 0);
	for (int i = 0; i < 63; i++)
		cause_case_add(c, BUCKET_CLIENT_THINK, CASE_MS);
	cause_case_add(c, BUCKET_CLIENT_THINK, 270 * CASE_MS);
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert(strstr(c->draft.sentence, "on average, 270 ms at the longest"), "%s",
		c->draft.sentence);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert(strstr(c->draft.doubt, "One pause"), "%s", c->draft.doubt);
	cause_case_free(c);
}

Test(causes_hosts, the_tick_of_a_windows_timer_is_recognised)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 4 * KIB, 1, 0);
	for (int i = 0; i < 63; i++)
		cause_case_add(c, BUCKET_CLIENT_THINK, 15600000);
	cr_assert(cause_case_conclude(c, "client-think"));
	bool told = false;
	for (int i = 0; i < CAUSE_MAX_ADVICE && c->draft.advice[i]; i++)
		told |= strstr(c->draft.advice[i], "15.6 ms") != NULL;
	cr_assert(told);
	cause_case_free(c);
}

Test(causes_hosts, a_client_whose_disk_does_not_deliver)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, true, 20, MIB, 4, CASE_MS / 5);
	for (int i = 0; i < 20; i++) {
		cause_case_add(c, BUCKET_SENDER_STALLED, 45 * CASE_MS);
		cause_case_add(c, BUCKET_LINK, CASE_MS);
	}
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert(strstr(c->draft.sentence, "in the middle of its data"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.claim_ns[BUCKET_SENDER_STALLED], 900 * CASE_MS);
	cause_case_free(c);
}

Test(causes_hosts, a_program_that_holds_a_file_open_is_not_slow)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	cause_case_operations(c, OP_OPEN, 1, 0);
	cause_case_add(c, BUCKET_CLIENT_THINK, 1500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "client-think"));
	cause_case_free(c);
	/* eleven short pauses around a small copy are how a program starts */
	c = cause_case_new();
	cause_case_requests(c, false, 1, 64 * KIB, 1, 0);
	for (int i = 0; i < 11; i++)
		cause_case_add(c, BUCKET_CLIENT_THINK, 10 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "client-think"));
	cause_case_free(c);
}

/* Fewer than twenty make a statement when together they are long, but not a sure one. */
Test(causes_hosts, few_pauses_that_are_long_together)
{
	static const struct {
		int pauses, each_ms;
		bool is_told;
	} rows[] = {{16, 80, true}, {8, 130, true}, {7, 150, false}, {16, 50, false}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CauseCase *c = cause_case_new();
		cause_case_requests(c, true, 17, 256 * KIB, 1, 0);
		for (int k = 0; k < rows[i].pauses; k++)
			cause_case_add(c, BUCKET_CLIENT_THINK, rows[i].each_ms * CASE_MS);
		c->unit.account.think_ns[OP_WRITE] = c->unit.account.bucket_ns[BUCKET_CLIENT_THINK];
		cr_assert_eq(cause_case_conclude(c, "client-think"), rows[i].is_told, "%zu", i);
		if (rows[i].is_told) {
			cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
			cr_assert(strstr(c->draft.doubt, "few"), "%s", c->draft.doubt);
		}
		cause_case_free(c);
	}
}

Test(causes_hosts, pauses_between_files_may_be_a_persons)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 30, 64 * KIB, 1, 0);
	for (int i = 0; i < 30; i++)
		cause_case_add(c, BUCKET_CLIENT_THINK, (i % 5 ? 100 : 1500) * CASE_MS);
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cr_assert(strstr(c->draft.doubt, "a person"), "%s", c->draft.doubt);
	/* before reads of the same file nobody clicks */
	c->unit.account.think_ns[OP_READ] = c->unit.account.bucket_ns[BUCKET_CLIENT_THINK];
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cause_case_free(c);
}

Test(causes_hosts, short_stops_of_an_unknown_protocol_are_pacing_or_small_windows)
{
	CauseCase *c = cause_case_new();
	c->unit.is_unframed = true;
	c->unit.payload[SIDE_CLIENT] = 4 * MIB;
	c->context.bulk = SIDE_CLIENT;
	c->context.rtt_ns = CASE_MS / 10;
	for (int i = 0; i < 600; i++) {
		cause_case_add(c, BUCKET_SENDER_STALLED, 2 * CASE_MS);
		cause_case_add(c, BUCKET_LINK, CASE_MS / 2);
	}
	cr_assert(cause_case_conclude(c, "client-think"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cause_case_free(c);
}

Test(causes_hosts, stalls_of_a_round_trip_are_not_the_disk)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 20, MIB, 4, 0);
	for (int i = 0; i < 40; i++)
		cause_case_add(c, BUCKET_SENDER_STALLED, 13 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "server-slow-read"));
	cause_case_free(c);
}

Test(causes_hosts, a_protocol_that_is_not_understood_blames_with_care)
{
	CauseCase *c = cause_case_new();
	c->unit.is_unframed = true;
	c->unit.payload[SIDE_SERVER] = 4 * MIB;
	for (int i = 0; i < 10; i++)
		cause_case_server(c, OP_OTHER, 300 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	c->context.vantage = VANTAGE_SERVER;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_leq(c->draft.confidence, CONFIDENCE_MEDIUM);
	/* bursts that nobody asked for, seconds apart */
	cause_case_server(c, OP_OTHER, 2500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "server-slow-read"));
	cause_case_free(c);
}

Test(causes_hosts, single_long_answers_where_answers_were_lost)
{
	CauseCase *c = cause_case_new();
	c->context.vantage = VANTAGE_CLIENT;
	cause_case_requests(c, false, 40, 64 * KIB, 1, CASE_MS / 5);
	cause_case_requests(c, false, 2, 64 * KIB, 1, 600 * CASE_MS);
	cause_case_server(c, OP_READ, 1208 * CASE_MS);
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cr_assert_geq(c->draft.confidence, CONFIDENCE_MEDIUM);
	/* only the slow ones are a fault */
	cr_assert_leq(c->draft.lost_ns, 1208 * CASE_MS);
	cr_assert_geq(c->draft.saved_low_ns, 1100 * CASE_MS);
	/* as many timers expired for lost answers: they may be the same */
	c->facts.tcp.dir[SIDE_SERVER].timeouts = 4;
	cr_assert_not(cause_case_conclude(c, "server-slow-read"));
	c->context.vantage = VANTAGE_SERVER;
	cr_assert(cause_case_conclude(c, "server-slow-read"));
	cause_case_free(c);
}

Test(causes_hosts, little_thinking_is_ordinary_work)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 1, CASE_MS / 5);
	cause_case_add(c, BUCKET_CLIENT_THINK, 60 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "client-think"));
	cr_assert(
		strstr(cause_case_rules_out(c, "client-think"), "client (waits 14 % of the time)"),
		"%s", cause_case_rules_out(c, "client-think"));
	/* what had most of the time is not ruled out, whatever kept its cause from being named */
	cause_case_add(c, BUCKET_CLIENT_THINK, 2000 * CASE_MS);
	cr_assert_null(cause_case_rules_out(c, "client-think"));
	cause_case_free(c);
}

Test(causes_hosts, a_server_that_stalls_while_the_client_sends_is_not_the_client)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 20, MIB, 4, 0);
	cause_case_add(c, BUCKET_SENDER_STALLED, 1900 * CASE_MS); /* the server's */
	cr_assert_not(cause_case_conclude(c, "client-think"));
	cause_case_free(c);
}
