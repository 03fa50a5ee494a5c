/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans wait until the speed of the path is certain, and no longer than there is room.
 */
#include "analyzer/transfer/timeline.h"

#include <criterion/criterion.h>

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
