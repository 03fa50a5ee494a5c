/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans wait until the speed of the path is certain, and no longer than there is room. Whose time
 * it is when several connections fill a path, and how fast a path is on which queues stand.
 */
#include "analyzer/transfer/timeline.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/transfer/gap_tcp.h"

#define WAIT_NS 1000000
#define BYTES_PER_S 12500000
#define WIRE_BYTES 1250 /* a tenth of a wait at that speed */

static void done(void *user, Account *account)
{
	*(Account **)user = account;
}

static void begin(
	Timeline *timeline, Path *path, Account *account, Account **ret_done, uint32_t *long_logs)
{
	timeline_init(timeline, 0, path, true);
	timeline->account_done = done;
	timeline->user = ret_done;
	timeline->long_logs = long_logs;
	timeline_open(timeline, account);
}

static void wait_often(Timeline *timeline, int times)
{
	for (int i = 0; i < times; i++) {
		timeline_path_bytes(timeline, SIDE_CLIENT, WIRE_BYTES);
		/* others in between, or they would be joined */
		timeline_add(timeline, timeline->accounted_ns + WAIT_NS,
			&(Span){.bucket = BUCKET_RECEIVE_WINDOW, .wire_bytes = WIRE_BYTES});
	}
}

/* Trains of 32 segments, @percent apart from one another: within 15 % they prove the speed. */
static void show_speed(Path *path, double percent)
{
	for (int level = 0; level < TRAIN_LEVELS; level++) {
		for (int i = 0; i < 100; i++)
			histogram_add(&path->dir[0].acks[level],
				(int64_t)(BYTES_PER_S * (1 + (i < 50 ? -percent : 0) / 100)), 1);
	}
}

/* The share of the link in @waits waits before the speed is seen, and @after after it. */
static double link_share(uint32_t *long_logs, double before_percent, int waits, int after)
{
	Path path = {0};
	Timeline timeline;
	Account account = {0}, *ended = NULL;
	begin(&timeline, &path, &account, &ended, long_logs);
	if (before_percent >= 0)
		show_speed(&path, before_percent);
	wait_often(&timeline, waits);
	if (before_percent < 0)
		show_speed(&path, 1);
	wait_often(&timeline, after);
	timeline_close(&timeline, &account, timeline.accounted_ns);
	timeline_finish(&timeline);
	cr_assert_eq(ended, &account);
	cr_assert_eq(account_sum_ns(&account), (int64_t)(waits + after) * WAIT_NS);
	double share = (double)account.bucket_ns[BUCKET_LINK] / (double)account_sum_ns(&account);
	timeline_clear(&timeline);
	account_clear(&account);
	path_clear(&path);
	return share;
}

Test(timeline, spans_wait_for_the_speed)
{
	uint32_t long_logs = 0;
	cr_expect_float_eq(link_share(&long_logs, 1, 3000, 0), 0.1, 0.005, "known from the start");
	cr_expect_eq(long_logs, 0);
	cr_expect_float_eq(link_share(&long_logs, -1, 3000, 10), 0.1, 0.005, "known late");
	cr_expect_eq(long_logs, 0, "what was taken is given back");
	cr_expect_lt(link_share(NULL, -1, 3000, 10), 0.02, "a timeline that takes no room");
	cr_expect_lt(link_share(&long_logs, -1, 40000, 10), 0.06, "later than spans wait");
	cr_expect_eq(long_logs, 0);
}

Test(timeline, all_together_have_a_limit)
{
	enum { TIMELINES = 12 };
	static Timeline timelines[TIMELINES];
	static Account accounts[TIMELINES], *ended;
	static Path paths[TIMELINES];
	uint32_t long_logs = 0;
	for (int i = 0; i < TIMELINES; i++) {
		begin(&timelines[i], &paths[i], &accounts[i], &ended, &long_logs);
		wait_often(&timelines[i], 20000);
		cr_assert_leq(long_logs, TIMELINE_LONG_LOGS_ROOM);
		cr_assert_leq(timelines[i].room, TIMELINE_LOG_UNSURE_MAX);
	}
	cr_expect_gt(timelines[0].room, TIMELINE_LOG_MAX);
	cr_expect_eq(timelines[TIMELINES - 1].room, TIMELINE_LOG_MAX, "nothing was left");
	/* the speed is certain now: the log becomes short again */
	show_speed(&paths[0], 1);
	uint32_t before = long_logs;
	wait_often(&timelines[0], 40000);
	cr_expect_lt(long_logs, before);
	for (int i = 0; i < TIMELINES; i++) {
		timeline_finish(&timelines[i]);
		timeline_clear(&timelines[i]);
		account_clear(&accounts[i]);
		path_clear(&paths[i]);
	}
	cr_expect_eq(long_logs, 0);
}

/* Two connections fill the path; one sends @own of every ten packets. */
static void share_path(Bucket bucket, bool is_queued, int own, int64_t ret_ns[BUCKET_COUNT])
{
	Path path = {0};
	Timeline timeline, other;
	Account account = {0}, nothing = {0}, *ended = NULL;
	begin(&timeline, &path, &account, &ended, NULL);
	begin(&other, &path, &nothing, &ended, NULL);
	show_speed(&path, 1);
	for (int i = 0; i < 1000; i++) {
		for (int k = own; k < 10; k++)
			timeline_path_bytes(&other, SIDE_CLIENT, WIRE_BYTES);
		for (int k = 0; k < own; k++)
			timeline_path_bytes(&timeline, SIDE_CLIENT, WIRE_BYTES);
		timeline_add(&timeline, timeline.accounted_ns + WAIT_NS,
			&(Span){.bucket = (uint8_t)bucket,
				.wire_bytes = (uint32_t)(own * WIRE_BYTES),
				.is_queued = is_queued});
	}
	timeline_close(&timeline, &account, timeline.accounted_ns);
	timeline_finish(&timeline);
	for (int b = 0; b < BUCKET_COUNT; b++)
		ret_ns[b] = account.bucket_ns[b];
	timeline_drop(&other, &nothing);
	timeline_clear(&timeline);
	timeline_clear(&other);
	account_clear(&account);
	path_clear(&path);
}

Test(timeline, a_full_path_is_shared)
{
	static const struct {
		const char *name;
		Bucket bucket;
		bool is_queued;
		int own;
		double link, others;
	} cases[] = {
		{"behind a queue", BUCKET_CONGESTION_WINDOW, true, 4, 0.4, 0.6},
		{"on the link", BUCKET_LINK, false, 4, 0.4, 0.6},
		{"alone behind a queue", BUCKET_CONGESTION_WINDOW, true, 10, 1, 0},
		{"at a window that is no queue's", BUCKET_RECEIVE_WINDOW, false, 4, 0.4, 0},
		{"at a window of a queue", BUCKET_RECEIVE_WINDOW, true, 4, 0.4, 0.6},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t ns[BUCKET_COUNT];
		share_path(cases[i].bucket, cases[i].is_queued, cases[i].own, ns);
		double all = 1000.0 * WAIT_NS;
		cr_expect_float_eq((double)ns[BUCKET_LINK] / all, cases[i].link, 0.02, "%s: link",
			cases[i].name);
		cr_expect_float_eq((double)ns[BUCKET_OTHER_TRAFFIC] / all, cases[i].others, 0.02,
			"%s: others", cases[i].name);
	}
}

/* What a standing queue tells of the path when @others bytes of other connections pass with every
 * 10,000 of this one, and the other side sends @against. */
static double queue_speed(uint32_t others, int64_t against)
{
	static Conversation conv;
	Path path = {0};
	Timeline timeline;
	memset(&conv, 0, sizeof(conv));
	timeline_init(&timeline, 0, &path, true);
	conv.timeline = &timeline;
	conv.path = &path;
	conv.tcp.loop_ns[0] = conv.tcp.loop_ns[1] = 5000000;
	conv.tcp.dir[SIDE_CLIENT].rtt_now.min = 40000000;
	conv.tcp.dir[SIDE_CLIENT].next = 100000;
	for (int64_t now = 1; now < INT64_C(2000000000); now += 1000000) {
		timeline_path_bytes(&timeline, SIDE_CLIENT, 10000);
		path.dir[0].wire_bytes += others;
		conv.tcp.dir[SIDE_SERVER].next += against;
		gap_tcp_queue(&conv, SIDE_CLIENT, now, 10000, 0);
	}
	double speed = path_capacity(&path, 0).bytes_per_s;
	timeline_clear(&timeline);
	path_clear(&path);
	return speed;
}

Test(timeline, a_queue_tells_what_all_get)
{
	cr_expect_float_eq(queue_speed(0, 0), 1e7, 3e5);
	cr_expect_float_eq(queue_speed(0, 5000), 1e7, 3e5, "data and answers");
	cr_expect_float_eq(queue_speed(30000, 0), 4e7, 1.2e6, "others in the same queue");
	cr_expect_float_eq(queue_speed(0, 20000), 0, 1, "the queue is the other way's");
}

/* Whether acknowledgements @ack_gap_ns apart of segments sent @send_gap_ns apart follow the sender,
 * @after_ns after it stood still for @bucket. */
static bool follows(int64_t send_gap_ns, int64_t ack_gap_ns, int64_t after_ns, Bucket bucket)
{
	static Conversation conv;
	static AckEvent acks[4];
	static SendRecord sends[4];
	Path path = {0};
	Timeline timeline;
	memset(&conv, 0, sizeof(conv));
	timeline_init(&timeline, 0, &path, true);
	conv.timeline = &timeline;
	conv.path = &path;
	conv.client_is_low = true;
	conv.tcp.loop_ns[0] = conv.tcp.loop_ns[1] = 5000000;
	conv.tcp.last_ns = 20000000;
	TcpDirection *d = &conv.tcp.dir[SIDE_CLIENT];
	for (int i = 0; i < 2; i++) {
		sends[i] = (SendRecord){1000 + i * send_gap_ns, (i + 1) * 1000, 1000, false};
		acks[i] = (AckEvent){.ts_ns = 10000000 + i * ack_gap_ns,
			.ack = (i + 1) * 1000,
			.ack_advanced = true};
	}
	d->acks = acks;
	d->sends = sends;
	d->acks_mask = d->sends_mask = 3;
	d->acks_head = d->sends_head = 2;
	Packet packet = {.ts_ns = conv.tcp.last_ns, .wirelen = 1000};
	gap_tcp_charge(&conv, SIDE_CLIENT, &packet, &(GapTcp){.bucket = bucket});
	bool is_following = conv.edge_ns[SIDE_CLIENT] != 0 &&
			    gap_tcp_follows_sender(&conv, SIDE_CLIENT, packet.ts_ns + after_ns);
	timeline_clear(&timeline);
	path_clear(&path);
	return is_following;
}

Test(timeline, acknowledgements_at_the_edge_of_a_window)
{
	cr_expect_not(follows(1000, 100000, 0, BUCKET_RECEIVE_WINDOW), "spread by the path");
	cr_expect_not(follows(49000, 100000, 0, BUCKET_RECEIVE_WINDOW), "a slow start");
	cr_expect(follows(100000, 100000, 0, BUCKET_RECEIVE_WINDOW), "as they were sent");
	cr_expect_not(follows(100000, 100000, 30000000, BUCKET_RECEIVE_WINDOW), "long ago");
	cr_expect_not(follows(100000, 100000, 0, BUCKET_SENDER_STALLED), "at no edge");
}
