/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes of path, link and frame size, comparisons and notes.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

#define MIB (UINT64_C(1024) * 1024)

/* A full gigabit link in one network; both hosts announce 8960 bytes. */
static CauseCase *gigabit(void)
{
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = CASE_MS / 2;
	c->context.capacity = (Capacity){125e6, 124e6, 125e6, 125e6, true, false};
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
	/* the time on the wire of frames that a card has joined is not known, unless the speed is
	 */
	c->facts.tcp.dir[SIDE_SERVER].segments_over_mss = 100;
	cr_assert_not_null(cause_case_rules_out(c, "link-limited"));
	c->context.capacity.is_proven = false;
	cr_assert_null(cause_case_rules_out(c, "link-limited"));
	c->facts.tcp.dir[SIDE_SERVER].segments_over_mss = 0;
	cr_assert_not_null(cause_case_rules_out(c, "link-limited"));
	/* what others sent kept the path busy as well */
	cause_case_add(c, BUCKET_OTHER_TRAFFIC, 9000 * CASE_MS);
	cr_assert_null(cause_case_rules_out(c, "link-limited"));
	c->unit.account.bucket_ns[BUCKET_OTHER_TRAFFIC] = 0;
	/* busy for how long, of a path whose speed nobody knows? */
	c->context.capacity.bytes_per_s = 0;
	cr_assert_null(cause_case_rules_out(c, "link-limited"));
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

/* Another connection of the same client, @rate bytes per second from @from to @to. */
static void neighbour(CauseCase *c, ConnectionFacts *n, uint8_t from, uint8_t to, double rate)
{
	memset(n, 0, sizeof(*n));
	c->unit.addr[SIDE_CLIENT][15] = 2;
	c->unit.addr[SIDE_SERVER][15] = 9;
	memcpy(c->facts.addr, c->unit.addr, sizeof(n->addr));
	c->facts.port[SIDE_SERVER] = 445;
	n->addr[SIDE_CLIENT][15] = to;
	n->addr[SIDE_SERVER][15] = from;
	n->port[SIDE_SERVER] = 5201;
	n->tcp.first_ns = c->unit.account.start_ns;
	n->tcp.last_ns = c->unit.account.end_ns;
	n->tcp.dir[SIDE_SERVER].wire_bytes =
		(uint64_t)(rate * (double)(n->tcp.last_ns - n->tcp.first_ns) / 1e9);
	c->connections[1] = n;
	c->context.connection_count = 2;
}

Test(causes_path, others_take_the_path)
{
	static ConnectionFacts other;
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 8, MIB, 4, 0);
	cause_case_add(c, BUCKET_CONGESTION_WINDOW, 900 * CASE_MS);
	c->facts.tcp.dir[SIDE_SERVER].payload_packets = 6000;
	neighbour(c, &other, 9, 2, 7e6);
	cr_assert(cause_case_conclude(c, "cross-traffic"));
	cr_assert_eq(c->draft.confidence, CONFIDENCE_HIGH); /* 5 + 7 of 12.5 MB/s */
	cr_assert_gt(c->draft.lost_ns, 900 * CASE_MS);
	/* a path half empty is not full */
	neighbour(c, &other, 9, 2, 2e6);
	cr_assert_not(cause_case_conclude(c, "cross-traffic"));
	/* other hosts' traffic is not on this path, nor is what goes the other way */
	neighbour(c, &other, 7, 8, 7e6);
	cr_assert_not(cause_case_conclude(c, "cross-traffic"));
	neighbour(c, &other, 2, 9, 7e6);
	cr_assert_not(cause_case_conclude(c, "cross-traffic"));
	/* connections to the same service are the same copy */
	neighbour(c, &other, 9, 2, 7e6);
	other.port[SIDE_SERVER] = 445;
	cr_assert_not(cause_case_conclude(c, "cross-traffic"));
	cause_case_free(c);
}

Test(causes_path, a_full_path_is_healthy_whoever_fills_it)
{
	static ConnectionFacts other;
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 8, MIB, 4, 0);
	cause_case_add(c, BUCKET_LINK, 900 * CASE_MS);
	neighbour(c, &other, 9, 2, 7e6);
	cr_assert_not(cause_case_conclude(c, "cross-traffic"));
	cause_case_free(c);
}

Test(causes_path, the_way_back_is_full)
{
	static ConnectionFacts other;
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	c->context.rtt_ns = 20 * CASE_MS;
	cause_case_requests(c, false, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_CONGESTION_WINDOW, 8000 * CASE_MS);
	cause_case_add(c, BUCKET_SLOW_START, 2000 * CASE_MS);
	d->payload_packets = 2900;
	d->min_rtt_ns = 20 * CASE_MS;
	d->smoothed_rtt_ns = 500 * CASE_MS;
	neighbour(c, &other, 2, 9, 1e5);
	cr_assert(cause_case_conclude(c, "ack-path-congested"));
	cr_assert_eq(c->draft.lost_ns, 10000 * CASE_MS);
	/* nothing is sent that way */
	neighbour(c, &other, 9, 2, 1e5);
	cr_assert_not(cause_case_conclude(c, "ack-path-congested"));
	/* the round trip is what it was */
	neighbour(c, &other, 2, 9, 1e5);
	d->smoothed_rtt_ns = 30 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "ack-path-congested"));
	/* losses explain it better */
	d->smoothed_rtt_ns = 500 * CASE_MS;
	d->retransmitted_packets = 60;
	d->loss_events = 40;
	cr_assert_not(cause_case_conclude(c, "ack-path-congested"));
	cause_case_free(c);
}

static Path *path_at(double bytes_per_s)
{
	Path *path = calloc(1, sizeof(*path));
	cr_assert_not_null(path);
	for (int i = 0; i < 50; i++)
		histogram_add(&path->dir[0].data[TRAIN_LEVELS - 1], (int64_t)bytes_per_s, 1);
	return path;
}

Test(causes_path, a_host_that_is_faster_elsewhere)
{
	static ConnectionFacts other;
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 40, MIB, 4, 0);
	neighbour(c, &other, 7, 2, 1e6);
	Path *elsewhere = path_at(125e6);
	other.path = elsewhere;
	c->facts.path = path_at(12.5e6);
	cr_assert(cause_case_conclude(c, "link-speed-low"));
	cr_assert(strstr(c->draft.sentence, "100 Mbit/s"), "%s", c->draft.sentence);
	/* without a reason to expect more, 100 Mbit/s are healthy */
	path_clear(other.path);
	histogram_add(&other.path->dir[0].data[TRAIN_LEVELS - 1], 12500000, 50);
	cr_assert_not(cause_case_conclude(c, "link-speed-low"));
	/* another pair of hosts says nothing of these */
	path_clear(other.path);
	histogram_add(&other.path->dir[0].data[TRAIN_LEVELS - 1], 125000000, 50);
	neighbour(c, &other, 7, 8, 1e6);
	cr_assert_not(cause_case_conclude(c, "link-speed-low"));
	path_clear(elsewhere);
	free(elsewhere);
	path_clear(c->facts.path);
	free(c->facts.path);
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
	c->context.capacity = (Capacity){6.5e6, 6.4e6, 6.5e6, 6.5e6, true, true};
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
	/* the link's own speed, known from the burst, does not hide it */
	c->context.capacity.bytes_per_s = c->context.goodput_limit = 12.5e6;
	cr_assert(cause_case_conclude(c, "shaping"));
	/* but where the even rate is an Ethernet link's, the link is the limit */
	c->context.capacity.bytes_per_s = 12.5e6;
	c->context.goodput_limit = 6.25e6;
	cr_assert_not(cause_case_conclude(c, "shaping"));
	cause_case_free(c);
}

Test(causes_path, an_even_rate_from_the_start_is_no_shaper)
{
	CauseCase *c = cause_case_new();
	Series *s = pictures(c);
	int64_t start = c->unit.account.start_ns;
	c->context.capacity = (Capacity){6.5e6, 6.4e6, 6.5e6, 6.5e6, true, true};
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
