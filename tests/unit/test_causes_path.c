/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of path, link and frame size, comparisons and notes.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define MIB (UINT64_C(1024) * 1024)

/* A full gigabit link in one network; both hosts announce 8960 bytes. */
static CauseCase *gigabit(void)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS / 2;
	c->context.capacity = (Capacity){125e6, 124e6, 125e6, true, false};
	c->context.goodput_limit = 117e6;
	cause_case_requests(c, false, 1000, MIB, 8, 0);
	c->unit.account.bucket_ns[BUCKET_LINK] = 8960 * CASE_MS; /* at 117 MB/s */
	c->unit.account.end_ns = c->unit.account.start_ns + 8960 * CASE_MS;
	for (int i = 0; i < 2; i++) {
		TcpDirection *d = &c->facts.tcp.dir[i];
		d->syn_mss = 8960;
		d->max_segment = 1448;
		d->has_timestamps = true;
		d->ttl_min = d->ttl_max = 64;
		d->packets = 700000;
	}
	return c;
}

Test(causes_path, jumbo_frames_are_set_up_but_do_not_pass)
{
	CauseCase *c = gigabit();
	cr_assert(cause_case_conclude(c, "jumbo-frames-missing"));
	/* 94.1 % against 99.0 %: 4.9 % of the link time, possible, not proven */
	double share = (double)c->draft.lost_ns / (double)c->context.link_ns;
	cr_assert_geq(share, 0.048);
	cr_assert_leq(share, 0.0495);
	cr_assert_eq(c->draft.confidence, CONFIDENCE_LOW);
	cause_case_free(c);
}

Test(causes_path, jumbo_frames_are_never_asked_for_lightly)
{
	for (int i = 0; i < 7; i++) {
		CauseCase *c = gigabit();
		TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
		switch (i) {
		case 0:
			d->syn_mss = 1460; /* this host is not set up for it */
			break;
		case 1:
			c->context.rtt_ns = 6 * CASE_MS; /* not one network */
			break;
		case 2:
			d->ttl_max = d->ttl_min = 63; /* a router between */
			break;
		case 3:
			d->segments_over_mss = 5; /* N5: frames joined by the card */
			break;
		case 4:
			c->context.capacity.is_proven = false;
			break;
		case 5:
			c->context.capacity.bytes_per_s = 12.5e6; /* 100 Mbit/s */
			break;
		default:
			cause_case_add(c, BUCKET_SERVER_PROCESSING, 3000 * CASE_MS);
		}
		cr_assert_not(cause_case_conclude(c, "jumbo-frames-missing"), "case %d", i);
		cause_case_free(c);
	}
}

Test(causes_path, a_full_link_is_healthy)
{
	CauseCase *c = gigabit();
	cr_assert(cause_case_conclude(c, "link-limited"));
	cr_assert(c->draft.is_note);
	cr_assert(strstr(c->draft.sentence, "117 MB/s is what a full 1 Gbit/s link carries"), "%s",
		c->draft.sentence);
	cr_assert_eq(c->draft.lost_ns, 0);
	/* what a queue shared with others gave is not called the link's speed */
	c->context.capacity.is_share = true;
	cr_assert(cause_case_conclude(c, "link-limited"));
	cr_assert_null(strstr(c->draft.sentence, "Gbit/s"), "%s", c->draft.sentence);
	cause_case_add(c, BUCKET_ROUND_TRIP, 3000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "link-limited"));
	cr_assert(strstr(cause_case_rules_out(c, "link-limited"), "only 75 %"), "%s",
		cause_case_rules_out(c, "link-limited"));
	cause_case_free(c);
}

/* The client's upload is slow, its download of the same size fast. */
static void both_ways(CauseCase *c, Unit *fast)
{
	memset(fast, 0, sizeof(*fast));
	fast->read.bytes = 8 * MIB;
	fast->account.start_ns = 1;
	fast->account.end_ns = 800 * CASE_MS;
	fast->account.bucket_ns[BUCKET_LINK] = fast->account.end_ns - 1;
	cause_case_requests(c, true, 8, MIB, 4, 0);
	cause_case_add(c, BUCKET_RECEIVE_WINDOW, 3000 * CASE_MS);
	for (int i = 0; i < 2; i++)
		fast->addr[i][15] = c->unit.addr[i][15] = (uint8_t)(i + 1);
	c->units[1] = fast;
	c->context.unit_count = 2;
}

Test(causes_path, fast_one_way_slow_the_other)
{
	static Unit fast;
	CauseCase *c = cause_case_new();
	both_ways(c, &fast);
	cr_assert(cause_case_conclude(c, "direction-asymmetry"));
	cr_assert(c->draft.is_note); /* the cause of the slow direction claims the time */
	cr_assert(strstr(c->draft.sentence, "receive window"), "%s", c->draft.sentence);
	/* less than twice */
	fast.account.end_ns = 2000 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "direction-asymmetry"));
	fast.account.end_ns = 800 * CASE_MS;
	/* other hosts */
	fast.addr[1][15] = 9;
	cr_assert_not(cause_case_conclude(c, "direction-asymmetry"));
	/* too small to compare */
	fast.addr[1][15] = 2;
	fast.read.bytes = MIB;
	cr_assert_not(cause_case_conclude(c, "direction-asymmetry"));
	/* both the same way */
	fast.read.bytes = 0;
	fast.write.bytes = 8 * MIB;
	cr_assert_not(cause_case_conclude(c, "direction-asymmetry"));
	cause_case_free(c);
}

Test(causes_path, a_line_with_two_speeds_is_no_fault)
{
	static Unit fast;
	CauseCase *c = cause_case_new();
	both_ways(c, &fast);
	c->unit.account.bucket_ns[BUCKET_LINK] += c->unit.account.bucket_ns[BUCKET_RECEIVE_WINDOW];
	c->unit.account.bucket_ns[BUCKET_RECEIVE_WINDOW] = 0;
	cr_assert(cause_case_conclude(c, "direction-asymmetry"));
	cr_assert(strstr(c->draft.sentence, "the line has two speeds"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_path, small_segments)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER], *r = &c->facts.tcp.dir[SIDE_CLIENT];
	cause_case_requests(c, false, 40, MIB, 4, 0);
	d->has_mac = true;
	d->max_segment = 536;
	d->unique_bytes = 40 * MIB;
	r->syn_mss = 536;
	cr_assert(cause_case_conclude(c, "mss-clamped"));
	cr_assert_not(c->draft.is_note);
	/* 536 + 78 bytes of headers instead of 1460 + 78 */
	cr_assert_geq(c->draft.lost_ns, (int64_t)(0.075 * (double)c->context.link_ns));
	cr_assert_leq(c->draft.lost_ns, (int64_t)(0.085 * (double)c->context.link_ns));
	/* a tunnel is normal */
	d->max_segment = r->syn_mss = 1360;
	cr_assert(cause_case_conclude(c, "mss-clamped"));
	cr_assert(c->draft.is_note);
	d->max_segment = 1448;
	cr_assert_not(cause_case_conclude(c, "mss-clamped"));
	cause_case_free(c);
}

Test(causes_path, gaps_in_the_capture)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 40, MIB, 4, 0);
	cause_case_add(c, BUCKET_CAPTURE_GAP, 900 * CASE_MS);
	d->unique_bytes = 39 * MIB;
	d->uncaptured_bytes = MIB;
	cr_assert(cause_case_conclude(c, "capture-drops"));
	cr_assert_str_eq(c->draft.blame, "CAPTURE");
	cr_assert_eq(c->draft.saved_high_ns, 0);
	d->uncaptured_bytes = 100;
	cr_assert_not(cause_case_conclude(c, "capture-drops"));
	cause_case_free(c);
}

Test(causes_path, far_apart_is_a_note)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = 50 * CASE_MS;
	cause_case_requests(c, false, 4, MIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 800 * CASE_MS);
	cr_assert(cause_case_conclude(c, "rtt-high"));
	cr_assert(c->draft.is_note);
	c->context.rtt_ns = 15 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "rtt-high"));
	cause_case_free(c);
}

static Series *pictures(CauseCase *c)
{
	static const SeriesRule rules[UNIT_SERIES_COLUMNS] = {
		[UNIT_SERIES_FLIGHT] = SERIES_MAX,
		[UNIT_SERIES_WINDOW] = SERIES_MAX,
		[UNIT_SERIES_RTT] = SERIES_MAX,
		[UNIT_SERIES_DEPTH] = SERIES_MAX,
	};
	c->unit.series =
		series_new(c->unit.account.start_ns, UNIT_BINS, UNIT_SERIES_COLUMNS, rules);
	return c->unit.series;
}

Test(causes_path, a_burst_and_then_an_even_rate)
{
	CauseCase *c = cause_case_new();
	Series *s = pictures(c);
	int64_t start = c->unit.account.start_ns;
	c->context.capacity = (Capacity){6.5e6, 6.4e6, 6.5e6, true, true};
	cause_case_requests(c, false, 10, MIB, 4, 0);
	for (int i = 0; i < 160; i++) {
		int64_t t = start + i * 10 * CASE_MS;
		series_add_span(s, UNIT_SERIES_BYTES, t, t + 10 * CASE_MS, i < 5 ? 250000 : 62500);
		series_add(s, UNIT_SERIES_RTT, t, 100 * CASE_MS);
	}
	cr_assert(cause_case_conclude(c, "shaping"));
	cr_assert(c->draft.is_note);
	cr_assert(cause_case_conclude(c, "bufferbloat"));
	cr_assert(strstr(c->draft.sentence, "from 10 ms to 100 ms"), "%s", c->draft.sentence);
	/* the speed of an Ethernet link is no shaper's */
	c->context.capacity.bytes_per_s = 12.5e6;
	cr_assert_not(cause_case_conclude(c, "shaping"));
	cause_case_free(c);
}

Test(causes_path, an_even_rate_from_the_start_is_no_shaper)
{
	CauseCase *c = cause_case_new();
	Series *s = pictures(c);
	int64_t start = c->unit.account.start_ns;
	c->context.capacity = (Capacity){6.5e6, 6.4e6, 6.5e6, true, true};
	cause_case_requests(c, false, 10, MIB, 4, 0);
	for (int i = 0; i < 160; i++) {
		series_add_span(s, UNIT_SERIES_BYTES, start + i * 10 * CASE_MS,
			start + (i + 1) * 10 * CASE_MS, 62500);
		series_add(s, UNIT_SERIES_RTT, start + i * 10 * CASE_MS, 30 * CASE_MS);
	}
	cr_assert_not(cause_case_conclude(c, "shaping"));
	cr_assert_not(cause_case_conclude(c, "bufferbloat"));
	cause_case_free(c);
}

Test(causes_path, timestamps_off_is_seldom_worth_a_word)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 10, MIB, 4, 0);
	d->syn_seen = c->facts.tcp.dir[SIDE_CLIENT].syn_seen = true;
	d->payload_packets = 7000;
	cr_assert_not(cause_case_conclude(c, "timestamps-disabled"));
	d->timeouts = d->retransmitted_packets = 3;
	d->spurious = 3;
	cr_assert(cause_case_conclude(c, "timestamps-disabled"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
}
