/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of the receiver: its window, its scale, its reading.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* 4 MiB from the server through a window of 20000 bytes: a stop in each of 210 round trips. */
static CauseCase *small_window(void)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER], *r = &c->facts.tcp.dir[SIDE_CLIENT];
	cause_case_requests(c, false, 4, MIB, 4, 0);
	for (int i = 0; i < 174; i++)
		cause_case_add(c, BUCKET_RECEIVE_WINDOW, 10 * CASE_MS);
	d->edge_stops = 210;
	d->edge_window_sum = 210 * 20000;
	d->edge_window_max = d->max_peer_window = 20000;
	d->edge_plateau = 20000;
	d->edge_plateau_stops = 210;
	d->first_window = 16000;
	d->syn_seen = r->syn_seen = true;
	d->window_scale = 7;
	r->window_scale = 0;
	d->packets = r->packets = 3000;
	d->ttl_max = r->ttl_max = 64;
	return c;
}

Test(causes_windows, a_buffer_of_16_KiB)
{
	CauseCase *c = small_window();
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	const FindingDraft *d = &c->draft;
	cr_assert_eq(d->confidence, CONFIDENCE_HIGH); /* 4 MiB in 2.1 s are 20000 B / 10 ms */
	cr_assert_str_eq(d->blame, "CLIENT");
	cr_assert_eq(d->lost_ns, 1740 * CASE_MS);
	cr_assert_eq(d->saved_high_ns, 1740 * CASE_MS);
	cr_assert_geq(d->saved_low_ns, 1690 * CASE_MS);
	cr_assert_str_eq(d->ceiling_formula, "19.5 KiB / 10 ms = 2 MB/s");
	cr_assert(strstr(d->sentence, "The client 10.0.0.2 offers no more than 19.5 KiB"), "%s",
		d->sentence);
	cr_assert(strstr(d->fix, "on the client"), "%s", d->fix);
	/* nobody else claims the same time */
	cr_assert_not(cause_case_conclude(c, "window-scale-off"));
	cr_assert_not(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert_not(cause_case_conclude(c, "autotuning-restricted"));
	cause_case_free(c);
}

Test(causes_windows, near_misses_stay_silent)
{
	CauseCase *c = small_window();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	/* too few stops */
	d->edge_stops = 19;
	d->edge_window_sum = 19 * 20000;
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	/* N3, N14: a window that holds what the proven path holds (117 kB) */
	d->edge_stops = 210;
	d->edge_window_sum = 210 * 100000;
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	/* a window that lets ten times as much through as was moved: a queue made the round trips
	 * long
	 */
	d->edge_window_sum = 210 * 20000;
	c->context.rtt_ns = CASE_MS;
	c->context.capacity.is_proven = false;
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	/* half a file hidden by a short snap length, though, is no such reason */
	c->context.rtt_ns = 4 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	d->at_edge_ns = 2000 * CASE_MS;
	d->unique_bytes = 12 * MIB;
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	c->context.rtt_ns = 10 * CASE_MS;
	/* a window a slow reader has shrunk is the reader's */
	d->edge_window_sum = 210 * 20000;
	d->max_peer_window = 84000;
	cause_case_add(c, BUCKET_ZERO_WINDOW, 2000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	cause_case_free(c);
	/* under a tenth of a second */
	c = small_window();
	c->unit.account.bucket_ns[BUCKET_RECEIVE_WINDOW] = 90 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	cause_case_free(c);
}

Test(causes_windows, a_jump_of_the_clock_is_not_the_window)
{
	CauseCase *c = small_window();
	cause_case_add(c, BUCKET_RECEIVE_WINDOW, 5000 * CASE_MS);
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	cr_assert_eq(c->draft.lost_ns, 1740 * CASE_MS);
	cause_case_free(c);
}

Test(causes_windows, without_the_start_it_is_less_sure)
{
	CauseCase *c = small_window();
	c->facts.tcp.handshake_seen = false;
	c->facts.tcp.dir[SIDE_SERVER].scale_known = false;
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_MEDIUM);
	cr_assert_not_null(c->draft.doubt);
	cause_case_free(c);
}

Test(causes_windows, rules_out_with_a_number)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_RECEIVE_WINDOW, 4 * CASE_MS);
	c->facts.tcp.dir[SIDE_SERVER].has_edge = true;
	cr_assert_str_eq(cause_case_rules_out(c, "receive-window-small"),
		"receive window open 99 % of the time");
	/* with one direction alone nobody knows who waited for whom */
	static const char *const waits[] = {
		"receive-window-small", "zero-window", "send-buffer-small", "client-think"};
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		c->context.is_one_sided = false;
		cr_assert_not_null(cause_case_rules_out(c, waits[i]), "%s", waits[i]);
		c->context.is_one_sided = true;
		cr_assert_null(cause_case_rules_out(c, waits[i]), "%s", waits[i]);
	}
	c->context.is_one_sided = false;
	cause_case_add(c, BUCKET_RECEIVE_WINDOW, 400 * CASE_MS);
	cr_assert_null(cause_case_rules_out(c, "receive-window-small"));
	cause_case_free(c);
}

/* 4 MiB over 50 ms without the option in the client's SYN. */
static CauseCase *unscaled(void)
{
	CauseCase *c = small_window();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER], *r = &c->facts.tcp.dir[SIDE_CLIENT];
	c->context.rtt_ns = 50 * CASE_MS;
	d->edge_stops = 64;
	d->edge_window_sum = 64 * UINT64_C(64000);
	d->edge_window_max = d->max_peer_window = 65535;
	d->edge_plateau = 65535;
	d->edge_plateau_stops = 60;
	d->edge_plateau_since_ns = 0;
	d->edge_plateau_last_ns = 3000 * CASE_MS;
	d->first_window = 64240;
	r->window_scale = -1;
	return c;
}

Test(causes_windows, scaling_off_names_the_side)
{
	CauseCase *c = unscaled();
	cr_assert(cause_case_conclude(c, "window-scale-off"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(c->draft.blame, "CLIENT");
	cr_assert_str_eq(c->draft.ceiling_formula, "64.0 KiB / 50 ms = 1.3 MB/s");
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	/* the SYN has it, the answer has not */
	c->facts.tcp.dir[SIDE_CLIENT].window_scale = 8;
	c->facts.tcp.dir[SIDE_SERVER].window_scale = -1;
	cr_assert(cause_case_conclude(c, "window-scale-off"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cause_case_free(c);
}

Test(causes_windows, scaling_off_needs_both_SYNs_and_a_full_window)
{
	CauseCase *c = unscaled();
	c->facts.tcp.dir[SIDE_SERVER].syn_seen = false;
	cr_assert_not(cause_case_conclude(c, "window-scale-off"));
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	c->facts.tcp.dir[SIDE_SERVER].syn_seen = true;
	c->facts.tcp.dir[SIDE_CLIENT].options_cut = true; /* a short snap length hides options */
	cr_assert_not(cause_case_conclude(c, "window-scale-off"));
	c->facts.tcp.dir[SIDE_CLIENT].options_cut = false;
	/* far below 64 KiB the buffer is the better name */
	c->facts.tcp.dir[SIDE_SERVER].edge_window_sum = 64 * 16000;
	cr_assert_not(cause_case_conclude(c, "window-scale-off"));
	cr_assert(cause_case_conclude(c, "receive-window-small"));
	cause_case_free(c);
}

Test(causes_windows, stripped_when_the_server_scales_for_others)
{
	CauseCase *c = unscaled();
	ConnectionFacts other = {.port = {50000, 445}};
	c->facts.tcp.dir[SIDE_CLIENT].window_scale = 8;
	c->facts.tcp.dir[SIDE_SERVER].window_scale = -1;
	c->facts.port[SIDE_SERVER] = 445;
	other.addr[SIDE_CLIENT][15] = 77;
	other.tcp.dir[SIDE_SERVER].syn_seen = true;
	other.tcp.dir[SIDE_SERVER].window_scale = 7;
	c->connections[1] = &other;
	c->context.connection_count = 2;
	cr_assert(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert_str_eq(c->draft.blame, "NETWORK");
	cr_assert_not(cause_case_conclude(c, "window-scale-off"));
	/* the same client elsewhere proves nothing */
	memset(other.addr[SIDE_CLIENT], 0, 16);
	cr_assert_not(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert(cause_case_conclude(c, "window-scale-off"));
	cause_case_free(c);
}

Test(causes_windows, windows_that_only_one_side_scales)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_CLIENT], *r = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, true, 1, 18000, 1, 0);
	cause_case_add(c, BUCKET_ZERO_WINDOW, 9900 * CASE_MS);
	d->syn_seen = r->syn_seen = true;
	d->window_scale = 10;
	r->window_scale = -1;
	d->first_window = 65160;
	d->max_peer_window = 65160;
	d->max_window_after_syn = 78;
	r->zero_windows = 1;
	cr_assert(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert(strstr(c->draft.sentence, "from 63.6 KiB to 78 bytes"), "%s", c->draft.sentence);
	cr_assert_not(cause_case_conclude(c, "zero-window"));
	cr_assert_not(c->draft.doubt);
	/* before the device the option is there, and the client's sending proved that it is lost */
	r->window_scale = 10;
	cr_assert_not(cause_case_conclude(c, "window-scale-stripped"));
	c->facts.tcp.is_scale_lost = true;
	cr_assert(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert(c->draft.doubt && c->draft.next_test);
	/* a receiver that is full says zero, but not from the first packet on */
	d->max_window_after_syn = 60000;
	cr_assert_not(cause_case_conclude(c, "window-scale-stripped"));
	cr_assert(cause_case_conclude(c, "zero-window"));
	cause_case_free(c);
}

Test(causes_windows, grew_and_then_held)
{
	CauseCase *c = small_window();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 40 * CASE_MS;
	d->edge_window_sum = 210 * 70000;
	d->edge_window_max = d->max_peer_window = d->edge_plateau = 80000;
	d->first_window = 30000;
	d->edge_plateau_stops = 150;
	d->edge_plateau_since_ns = 0;
	d->edge_plateau_last_ns = 1500 * CASE_MS;
	cr_assert(cause_case_conclude(c, "autotuning-restricted"));
	cr_assert(strstr(c->draft.sentence, "grew from 29.3 KiB to 78.1 KiB"), "%s",
		c->draft.sentence);
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	/* still growing when the transfer ended */
	d->edge_plateau_stops = 20;
	d->edge_plateau_last_ns = 50 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "autotuning-restricted"));
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	cause_case_free(c);
}

static CauseCase *slow_reader(int64_t zero_ms, int64_t late_ms)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 2, MIB, 4, 0);
	cause_case_add(c, BUCKET_ZERO_WINDOW, zero_ms * CASE_MS);
	cause_case_add(c, BUCKET_SLOW_READER, late_ms * CASE_MS);
	d->max_peer_window = 80000;
	d->late_releases = late_ms > 0 ? 40 : 0;
	c->facts.tcp.dir[SIDE_CLIENT].zero_windows = zero_ms > 0 ? 12 : 0;
	c->facts.tcp.dir[SIDE_CLIENT].first_zero_window_frame = 44;
	return c;
}

Test(causes_windows, one_story_for_a_reader_that_stops_or_is_slow)
{
	CauseCase *c = slow_reader(2000, 300);
	cr_assert(cause_case_conclude(c, "zero-window"));
	cr_assert_eq(c->draft.lost_ns, 2300 * CASE_MS);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH);
	cr_assert_str_eq(c->draft.blame, "CLIENT");
	/* a fast reader still leaves windows of 80 kB: 2 MiB need 262 ms, 179 of them on the link
	 */
	cr_assert_lt(c->draft.saved_low_ns, 2220 * CASE_MS);
	cr_assert_gt(c->draft.saved_low_ns, 2210 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "slow-reader"));
	cause_case_free(c);

	c = slow_reader(300, 2000);
	cr_assert(cause_case_conclude(c, "slow-reader"));
	cr_assert_eq(c->draft.lost_ns, 2300 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "zero-window"));
	cause_case_free(c);

	/* docs/causes.md, slow-reader: never a zero window */
	c = slow_reader(0, 2000);
	cr_assert(cause_case_conclude(c, "slow-reader"));
	cause_case_free(c);
}

Test(causes_windows, zero_windows_that_cost_nothing_stay_silent)
{
	CauseCase *c = slow_reader(50, 0);
	cr_assert_not(cause_case_conclude(c, "zero-window"));
	cr_assert_not(cause_case_conclude(c, "slow-reader"));
	cause_case_free(c);
	/* a few late openings and no zero window: no pattern */
	c = slow_reader(0, 400);
	c->facts.tcp.dir[SIDE_SERVER].late_releases = 9;
	cr_assert_not(cause_case_conclude(c, "slow-reader"));
	cr_assert_str_eq(cause_case_rules_out(c, "zero-window"), "zero windows: none");
	cause_case_free(c);
}

Test(causes_windows, uploads_blame_the_server)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, true, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_ZERO_WINDOW, 2000 * CASE_MS);
	c->facts.tcp.dir[SIDE_SERVER].zero_windows = 20;
	cr_assert(cause_case_conclude(c, "zero-window"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert(strstr(c->draft.sentence, "The server 10.0.0.9 closed its receive window"), "%s",
		c->draft.sentence);
	cause_case_free(c);
}

Test(causes_windows, full_window_on_a_full_link_is_a_note)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 8, MIB, 4, 0);
	c->facts.tcp.dir[SIDE_SERVER].edge_stops = 481;
	cr_assert(cause_case_conclude(c, "window-full-benign"));
	cr_assert(c->draft.is_note);
	cr_assert_not(cause_case_conclude(c, "receive-window-small"));
	cause_case_add(c, BUCKET_RECEIVE_WINDOW, 500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "window-full-benign"));
	cause_case_free(c);
}
