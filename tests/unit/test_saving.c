/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure a predicted saving is: saving.c.
 */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/causes/saving.h"
#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* 4 MiB over 100 Mbit/s, and 174 stops at the end of a window. What a cause would conclude of it
 * is in the draft, and what nobody claimed is left. */
static CauseCase *windowed(void)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 4, 0);
	for (int i = 0; i < 174; i++)
		cause_case_add(c, BUCKET_RECEIVE_WINDOW, 10 * CASE_MS);
	return c;
}

static Saving settle(CauseCase *c)
{
	FindingDraft *d = &c->draft;
	cause_case_rules_out(c, "receive-window-small"); /* completes the context */
	c->context.left_ns[BUCKET_RECEIVE_WINDOW] = 0;
	d->claim_ns[BUCKET_RECEIVE_WINDOW] = d->lost_ns = d->saved_high_ns = 1740 * CASE_MS;
	d->saved_low_ns = 1700 * CASE_MS;
	return saving_make(&c->context, d);
}

static bool is_about(double value, double wanted)
{
	return fabs(value - wanted) <= 0.02 * fabs(wanted) + 1e6;
}

Test(saving, a_proven_path_bounds_it)
{
	CauseCase *c = windowed();
	Saving s = settle(c);
	int64_t wall = c->context.wall_ns, link = c->context.link_ns;
	NsRange r = saving_range(&s, wall);
	cr_assert_eq(s.low_ns, 1700 * CASE_MS);
	cr_assert_eq(s.high_ns, 1740 * CASE_MS);
	/* the bytes have to pass */
	cr_assert_leq(r.high, wall - link + 10 * CASE_MS);
	cr_assert_lt(r.low, s.low_ns);
	cr_assert(is_about((double)s.low_ns - (double)r.low,
		saving_run_spread_ns((double)wall - 1720.0 * CASE_MS)));
	cause_case_free(c);
}

Test(saving, pauses_between_joined_frames_may_be_a_limit)
{
	for (int i = 0; i < 4; i++) {
		bool is_joined = i & 1, is_proven = i & 2;
		CauseCase *c = windowed();
		settle(c);
		c->facts.tcp.dir[SIDE_SERVER].segments_over_mss = is_joined ? 100 : 0;
		c->context.capacity.is_proven = is_proven;
		c->draft.claim_ns[BUCKET_RECEIVE_WINDOW] = 0;
		c->draft.claim_ns[BUCKET_SENDER_STALLED] = c->draft.lost_ns;
		Saving s = saving_make(&c->context, &c->draft);
		cr_assert_eq(s.low_ns, is_joined && !is_proven ? 0 : 1700 * CASE_MS, "%d", i);
		cause_case_free(c);
	}
}

Test(saving, a_note_promises_nothing)
{
	CauseCase *c = windowed();
	settle(c);
	c->draft.is_note = true;
	Saving s = saving_make(&c->context, &c->draft);
	NsRange r = saving_range(&s, c->context.wall_ns);
	cr_assert_eq(r.low, 0);
	cr_assert_eq(r.high, 0);
	cause_case_free(c);
}

Test(saving, a_path_may_be_faster_than_what_was_seen)
{
	CauseCase *c = windowed();
	cr_assert_leq(settle(c).open_ns, CASE_MS);
	c->context.capacity.is_proven = false;
	c->context.capacity.fastest = 2 * c->context.capacity.bytes_per_s;
	Saving s = settle(c);
	cr_assert(is_about((double)s.open_ns, (double)c->context.link_ns / 2));
	NsRange r = saving_range(&s, c->context.wall_ns);
	cr_assert_gt(r.high, c->draft.lost_ns);
	/* nothing was seen of it: half is sure */
	c->context.capacity = (Capacity){0};
	c->context.goodput_limit = 0;
	cr_assert_eq(settle(c).low_ns, 850 * CASE_MS);
	cause_case_free(c);
}

/* The same time in one pause says less of the next copy than in forty. */
Test(saving, few_pauses_are_less_sure_than_many)
{
	double width[2];
	for (int i = 0; i < 2; i++) {
		CauseCase *c = windowed();
		int pauses = i == 0 ? 1 : 40;
		for (int k = 0; k < pauses; k++)
			cause_case_add(c, BUCKET_CLIENT_THINK, 400 * CASE_MS / pauses);
		Saving s = settle(c);
		NsRange r = saving_range(&s, c->context.wall_ns);
		width[i] = (double)(s.low_ns - r.low);
		cause_case_free(c);
	}
	cr_assert(is_about(width[0], 800e6), "%g", width[0]);
	cr_assert_lt(width[1], width[0] / 5);
}

Test(saving, unexplained_time_goes_with_it_once)
{
	CauseCase *c = windowed();
	for (int i = 0; i < 60; i++)
		cause_case_add(c, BUCKET_SENDER_STALLED, CASE_MS);
	Saving a = settle(c);
	cr_assert(is_about((double)a.open_ns, 60e6));
	Saving both = saving_with(a, a, c->context.wall_ns);
	cr_assert_eq(both.open_ns, a.open_ns);
	cr_assert_eq(both.high_ns, 2 * a.high_ns);
	NsRange r = saving_range(&both, c->context.wall_ns);
	cr_assert_leq(r.high, c->context.wall_ns);
	cr_assert_leq(r.low, r.high);
	Saving beside = saving_beside(a, a);
	cr_assert_eq(beside.open_ns, 2 * a.open_ns);
	cause_case_free(c);
}

Test(saving, windows_that_grow_after_pauses_need_not)
{
	CauseCase *c = windowed();
	cause_case_add(c, BUCKET_SLOW_START, 300 * CASE_MS);
	cr_assert_leq(settle(c).open_ns, CASE_MS); /* a window is no pause */
	c->draft.claim_ns[BUCKET_SERVER_PROCESSING] = c->draft.claim_ns[BUCKET_RECEIVE_WINDOW];
	c->draft.claim_ns[BUCKET_RECEIVE_WINDOW] = 0;
	Saving s = saving_make(&c->context, &c->draft);
	int64_t one = cause_slow_start_ns(&c->context);
	cr_assert_gt(one, 0);
	/* one growth stays; in its rounds the path is not always empty */
	cr_assert_geq(s.open_ns, 300 * CASE_MS - one);
	cr_assert_leq(s.open_ns, 300 * CASE_MS - one / 2);
	cause_case_free(c);
}

/* Fixing one lets the server's time pass beside other work; another fix claims just that. */
Test(saving, what_one_fix_hides_and_another_claims_goes_once)
{
	CauseCase *c = windowed();
	cause_case_server(c, OP_READ, 800 * CASE_MS);
	cause_hides(&c->draft, BUCKET_SERVER_PROCESSING, 700.0 * CASE_MS);
	Saving serial = settle(c);
	serial.variance = 0;
	int64_t wall = c->context.wall_ns;
	NsRange alone = saving_range(&serial, wall);
	cr_assert_geq(alone.high, 2440 * CASE_MS);
	Saving server = {
		.low_ns = 790 * CASE_MS, .high_ns = 800 * CASE_MS, .most_ns = serial.most_ns};
	server.claim_ns[BUCKET_SERVER_PROCESSING] = 800 * CASE_MS;
	memcpy(server.all_ns, serial.all_ns, sizeof(server.all_ns));
	Saving both = saving_with(server, serial, wall);
	NsRange together = saving_range(&both, wall);
	cr_assert_leq(together.high, serial.most_ns);
	cr_assert_leq(together.high, 2540 * CASE_MS + (int64_t)saving_run_spread_ns(400e6));
	cr_assert_gt(together.low, alone.low + 700 * CASE_MS);
	/* of two units each hides its own */
	Saving beside = saving_beside(serial, serial);
	cr_assert_eq(beside.open_ns, 2 * (serial.open_ns + 700 * CASE_MS));
	cause_case_free(c);
}

/* Where windows stay, each pause that goes may cost a round trip of them; when they go too, not. */
Test(saving, pauses_gone_are_caught_by_windows_that_stay)
{
	CauseCase *c = windowed();
	for (int i = 0; i < 20; i++)
		cause_case_add(c, BUCKET_CLIENT_THINK, 30 * CASE_MS);
	Saving window = settle(c), think = window;
	think.low_ns = 590 * CASE_MS;
	think.high_ns = 600 * CASE_MS;
	think.variance = 0;
	memset(think.claim_ns, 0, sizeof(think.claim_ns));
	think.claim_ns[BUCKET_CLIENT_THINK] = 600 * CASE_MS;
	NsRange sure = saving_range(&think, c->context.wall_ns);
	think.pauses = 20;
	NsRange caught = saving_range(&think, c->context.wall_ns);
	cr_assert_leq(caught.low, sure.low - 190 * CASE_MS);
	cr_assert_geq(caught.low, sure.low - 220 * CASE_MS);
	Saving both = saving_with(window, think, c->context.wall_ns);
	cr_assert_gt(saving_range(&both, c->context.wall_ns).low, 2100 * CASE_MS);
	cause_case_free(c);
}

/* The speed became known late: the bytes' time stands in the waits, and is needed all the same. */
Test(saving, windows_gone_leave_what_the_path_needs)
{
	CauseCase *c = windowed();
	Saving s = settle(c);
	int64_t wall = c->context.wall_ns, low = saving_range(&s, wall).low;
	cr_assert_leq(s.needed_ns, c->context.link_ns + CASE_MS);
	s.all_ns[BUCKET_LINK] -= 300 * CASE_MS;
	int64_t less = low - saving_range(&s, wall).low;
	/* and a little, since a longer copy differs more from run to run */
	cr_assert_geq(less, 300 * CASE_MS);
	cr_assert_leq(less, 320 * CASE_MS);
	cause_case_free(c);
}

Test(saving, set_up_that_is_no_part_of_it_stays)
{
	CauseCase *c = windowed();
	int64_t most = settle(c).most_ns, wall = c->context.wall_ns;
	cause_case_add(c, BUCKET_SESSION_SETUP, 90 * CASE_MS);
	Saving s = settle(c);
	cr_assert_eq(c->context.wall_ns, wall + 90 * CASE_MS);
	cr_assert_eq(s.most_ns, most);
	cause_case_free(c);
}

/* A sender free of its window meets what the losses allow, unless they go as well. */
Test(saving, windows_gone_are_caught_by_losses_that_stay)
{
	CauseCase *c = windowed();
	cause_case_add(c, BUCKET_CONGESTION_WINDOW, 200 * CASE_MS);
	Saving without = settle(c);
	TcpDirection *d = (TcpDirection *)(uintptr_t)c->context.sender;
	cr_assert_eq(without.lossy_ns, 0);
	d->mss = 1460;
	d->payload_packets = 2900;
	d->retransmitted_packets = 58;
	Saving window = settle(c);
	cr_assert_gt(window.lossy_ns, 1000 * CASE_MS);
	int64_t wall = c->context.wall_ns;
	window.variance = without.variance;
	cr_assert_lt(
		saving_range(&window, wall).low, saving_range(&without, wall).low - 500 * CASE_MS);
	Saving loss = {
		.low_ns = 190 * CASE_MS, .high_ns = 200 * CASE_MS, .most_ns = window.most_ns};
	loss.claim_ns[BUCKET_CONGESTION_WINDOW] = 200 * CASE_MS;
	memcpy(loss.all_ns, window.all_ns, sizeof(loss.all_ns));
	Saving both = saving_with(window, loss, wall);
	cr_assert_gt(saving_range(&both, wall).low, saving_range(&without, wall).low);
	cause_case_free(c);
}

Test(saving, runs_differ_by_share_and_by_scheduling)
{
	cr_assert(is_about(saving_run_spread_ns(0), 14.1e6));
	cr_assert_lt(saving_run_spread_ns(10e9), 0.1 * 10e9);
	cr_assert_gt(saving_run_spread_ns(10e9), 0.05 * 10e9);
}
