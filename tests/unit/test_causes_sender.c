/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of the sender and of short transfers: buffers, slow start, timers that wait for each
 * other.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* 2 MiB from the server, never more than 23168 bytes under way, 20 ms. */
static CauseCase *capped(void)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 20 * CASE_MS;
	cause_case_requests(c, false, 2, MIB, 4, 0);
	cause_case_add(c, BUCKET_SEND_BUFFER, 1500 * CASE_MS);
	cause_case_add(c, BUCKET_CONGESTION_WINDOW, 200 * CASE_MS);
	d->plateau_flight = d->max_in_flight = 23168;
	d->max_peer_window = 95232;
	d->mss = 1448;
	d->payload_packets = 1450;
	return c;
}

Test(causes_sender, a_send_buffer_of_16_KiB)
{
	CauseCase *c = capped();
	cr_assert(cause_case_conclude(c, "send-buffer-small"));
	/* what was charged to the congestion window before the plateau was known is its, too */
	cr_assert_eq(c->draft.lost_ns, 1700 * CASE_MS);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert_str_eq(c->draft.ceiling_formula, "22.6 KiB / 20 ms = 1.2 MB/s");
	/* after a loss only the plateau itself */
	c->facts.tcp.dir[SIDE_SERVER].retransmitted_packets = 1;
	c->facts.tcp.dir[SIDE_SERVER].loss_events = 1;
	cr_assert(cause_case_conclude(c, "send-buffer-small"));
	cr_assert_eq(c->draft.lost_ns, 1500 * CASE_MS);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cause_case_free(c);
}

Test(causes_sender, plateaus_that_are_no_buffer)
{
	CauseCase *c = capped();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	/* near the receive window: that is the limit (2.19) */
	d->max_peer_window = 24000;
	cr_assert_not(cause_case_conclude(c, "send-buffer-small"));
	d->max_peer_window = 900000;
	/* what the program asks for at a time: 16 KiB, one read */
	c->unit.read.depth_bytes_max = 23 * KIB;
	cr_assert_not(cause_case_conclude(c, "send-buffer-small"));
	c->unit.read.depth_bytes_max = 8 * MIB;
	/* as much as the path holds: a paced sender */
	d->plateau_flight = d->max_in_flight = 230000;
	cr_assert_not(cause_case_conclude(c, "send-buffer-small"));
	cause_case_free(c);
}

Test(causes_sender, too_short_for_full_speed)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 100 * CASE_MS;
	cause_case_requests(c, false, 1, 600000, 1, 0);
	cause_case_add(c, BUCKET_SLOW_START, 460 * CASE_MS);
	cause_case_round_trip(c, OP_READ, 100 * CASE_MS);
	d->initial_flight = 14480;
	d->mss = 1448;
	cr_assert(cause_case_conclude(c, "slow-start-short"));
	cr_assert_eq(c->draft.saved_high_ns, 360 * CASE_MS);
	cr_assert_eq(c->draft.saved_low_ns, 200 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "586 KiB take 6 rounds"), "%s", c->draft.sentence);
	/* one that moved forty times as much was not short, nor is a tenth of the time much */
	cause_case_add(c, BUCKET_LINK, 2000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "slow-start-short"));
	cause_case_free(c);
}

Test(causes_sender, begins_again_after_each_pause)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 100 * CASE_MS;
	cause_case_requests(c, false, 5, 2 * MIB, 1, 0);
	cause_case_add(c, BUCKET_SLOW_START, 2000 * CASE_MS);
	d->restarts = 4;
	d->restarts_small = 4;
	cr_assert(cause_case_conclude(c, "idle-restart"));
	/* restarts whose first round is as large as before are none */
	d->restarts_small = 0;
	cr_assert_not(cause_case_conclude(c, "idle-restart"));
	cause_case_free(c);
}

/* 60 exchanges of two small writes. */
static CauseCase *held_back(uint32_t stalls)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = 4 * CASE_MS;
	cause_case_requests(c, true, 60, 160, 1, 0);
	for (uint32_t i = 0; i < stalls; i++) {
		cause_case_add(c, BUCKET_DELAYED_ACK_STALL, 44 * CASE_MS);
		cause_case_round_trip(c, OP_WRITE, 4 * CASE_MS);
	}
	c->facts.tcp.dir[SIDE_CLIENT].payload_packets = 120;
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 60;
	return c;
}

Test(causes_sender, two_timers_wait_for_each_other)
{
	CauseCase *c = held_back(60);
	cr_assert(cause_case_conclude(c, "delayed-ack-nagle"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(c->draft.blame, "CLIENT");
	cr_assert_eq(c->draft.lost_ns, 60 * 44 * CASE_MS);
	cr_assert_eq(c->draft.saved_low_ns, 60 * 40 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "back: 60 times, 44 ms each"), "%s", c->draft.sentence);
	cause_case_free(c);
	/* four are no pattern */
	c = held_back(4);
	cr_assert_not(cause_case_conclude(c, "delayed-ack-nagle"));
	cause_case_free(c);
}
