/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fixes of one unit, one after the other: fixes.c.
 */
#include <criterion/criterion.h>

#include "analyzer/finding.h"
#include "analyzer/fixes.h"

#define MS INT64_C(1000000)
#define WALL (10000 * MS)

static void add(
	GArray *list, uint32_t unit, const char *id, int64_t saved_ms, Confidence confidence)
{
	FindingCandidate c = {.cause = cause_find(id),
		.unit = unit,
		.wall_ns = WALL,
		.bytes = 100000000,
		.finding = (int32_t)list->len,
		.saving = {.low_ns = saved_ms * 9 / 10 * MS,
			.high_ns = saved_ms * MS,
			.open_ns = 100 * MS,
			.most_ns = 9500 * MS}};
	cr_assert(c.cause);
	c.draft.fix = "do it";
	c.draft.confidence = confidence;
	g_array_append_val(list, c);
}

Test(fixes, the_surest_and_largest_first_and_each_saves_once)
{
	Arena *arena = arena_new();
	GArray *list = g_array_new(FALSE, TRUE, sizeof(FindingCandidate));
	size_t count;
	add(list, 0, "loss-random", 2000, CONFIDENCE_HIGH);
	add(list, 0, "client-think", 3000, CONFIDENCE_LOW);
	add(list, 0, "receive-window-small", 4000, CONFIDENCE_MEDIUM);
	add(list, 0, "link-limited", 0, CONFIDENCE_HIGH); /* saves nothing */
	const ResultFix *f =
		fixes_list(arena, (const FindingCandidate *)(void *)list->data, list->len, &count);
	cr_assert_eq(count, 3);
	cr_assert_eq(f[0].finding, 2);
	cr_assert_eq(f[1].finding, 0);
	cr_assert_eq(f[2].finding, 1);
	/* alone: the model's bounds, nobody's time, and what chance adds */
	cr_assert_lt(f[0].saved_ns.low, 3600 * MS);
	cr_assert_gt(f[0].saved_ns.low, 3000 * MS);
	cr_assert_gt(f[0].saved_ns.high, 4100 * MS);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(f[i].duration_ns.low, WALL - f[i].saved_ns.high);
		cr_assert_eq(f[i].duration_ns.high, WALL - f[i].saved_ns.low);
		cr_assert_leq(f[i].bytes_per_s.low, f[i].bytes_per_s.high);
		if (i > 0)
			cr_assert_lt(f[i].duration_ns.high, f[i - 1].duration_ns.high);
	}
	/* all of it: nobody's time went once, and the path has the last word */
	cr_assert_gt(f[2].saved_ns.high, 9100 * MS);
	cr_assert_leq(f[2].saved_ns.high, 9500 * MS);
	cr_assert_lt(f[2].saved_ns.low, 8100 * MS);
	g_array_unref(list);
	arena_free(arena);
}

Test(fixes, more_than_are_made_are_not_listed)
{
	Arena *arena = arena_new();
	GArray *list = g_array_new(FALSE, TRUE, sizeof(FindingCandidate));
	size_t count;
	for (int i = 0; i < FIXES_MAX + 4; i++)
		add(list, 0, "loss-random", 100, CONFIDENCE_HIGH);
	cr_assert(
		fixes_list(arena, (const FindingCandidate *)(void *)list->data, list->len, &count));
	cr_assert_eq(count, FIXES_MAX);
	fixes_list(arena, NULL, 0, &count);
	cr_assert_eq(count, 0);
	g_array_unref(list);
	arena_free(arena);
}
