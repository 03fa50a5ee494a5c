/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges: against a bitmap, and the two rules against a slow list.
 */
#include "analyzer/base/ranges.h"

#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

#define SPACE 400

typedef struct Model {
	bool in[SPACE];
} Model;

static size_t model_runs(const Model *m, Range *out)
{
	size_t n = 0;
	for (int64_t i = 0; i < SPACE; i++) {
		if (!m->in[i])
			continue;
		int64_t from = i;
		while (i < SPACE && m->in[i])
			i++;
		out[n++] = (Range){from, i};
	}
	return n;
}

static void model_set(Model *m, int64_t from, int64_t to, bool in)
{
	for (int64_t i = from; i < to; i++)
		m->in[i] = in;
}

/* Applies the rule the slow way until at most @cap runs are left. */
static uint64_t model_limit(Model *m, size_t cap, RangesRule rule)
{
	Range runs[SPACE];
	uint64_t forced = 0;
	for (size_t n; (n = model_runs(m, runs)) > cap; forced++) {
		if (rule == RANGES_DROP_LOWEST || n < 2) {
			model_set(m, runs[0].from, runs[0].to, false);
			continue;
		}
		size_t best = 0;
		for (size_t i = 1; i + 1 < n; i++)
			if (runs[i + 1].from - runs[i].to < runs[best + 1].from - runs[best].to)
				best = i;
		model_set(m, runs[best].to, runs[best + 1].from, true);
	}
	return forced;
}

static int64_t model_covered(const Model *m, int64_t from, int64_t to)
{
	int64_t n = 0;
	for (int64_t i = from; i < to; i++)
		n += m->in[i];
	return n;
}

static void check_same(const Ranges *r, const Model *m, unsigned step)
{
	Range runs[SPACE];
	size_t n = model_runs(m, runs);
	cr_assert_eq(ranges_count(r), n, "step %u: %zu runs, not %zu", step, ranges_count(r), n);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(r->items[i].from, runs[i].from, "step %u run %zu", step, i);
		cr_assert_eq(r->items[i].to, runs[i].to, "step %u run %zu", step, i);
	}
	cr_assert_eq(ranges_total(r), model_covered(m, 0, SPACE));
	cr_assert_eq(ranges_first(r), n ? &r->items[0] : NULL);
	cr_assert_eq(ranges_last(r), n ? &r->items[n - 1] : NULL);
}

static void check_questions(const Ranges *r, const Model *m, int64_t from, int64_t to)
{
	int64_t covered = model_covered(m, from, to);
	cr_assert_eq(ranges_covered(r, from, to), covered);
	cr_assert_eq(ranges_intersects(r, from, to), covered > 0);
	cr_assert_eq(ranges_contains(r, from, to), covered == (to > from ? to - from : 0));
	const Range *found = ranges_find(r, from);
	int64_t at = from;
	while (at < SPACE && !m->in[at])
		at++;
	if (at == SPACE) {
		cr_assert_null(found);
	} else {
		cr_assert_not_null(found);
		cr_assert(found->from <= at && at < found->to);
	}
}

static void run_random(Random *random, uint32_t cap, RangesRule rule)
{
	Ranges ranges;
	ranges_init(&ranges, cap, rule);
	Model model = {0};
	uint64_t forced = 0;
	for (unsigned step = 0; step < 4000; step++) {
		int64_t from = (int64_t)random_below(random, SPACE);
		int64_t to = from + random_between(random, -2, 12);
		to = to < 0 ? 0 : to > SPACE ? SPACE : to;
		if (random_below(random, 100) < 60) {
			int64_t fresh =
				(to > from ? to - from : 0) - model_covered(&model, from, to);
			cr_assert_eq(ranges_add(&ranges, from, to), fresh, "step %u", step);
			model_set(&model, from, to, true);
		} else {
			int64_t gone = model_covered(&model, from, to);
			cr_assert_eq(ranges_remove(&ranges, from, to), gone, "step %u", step);
			model_set(&model, from, to, false);
		}
		forced += model_limit(&model, cap, rule);
		cr_assert_eq(ranges.forced, forced, "step %u cap %u", step, cap);
		check_same(&ranges, &model, step);
		check_questions(&ranges, &model, from, to);
	}
	ranges_clear(&ranges);
	cr_assert_eq(ranges_count(&ranges), 0);
	cr_assert_eq(ranges_add(&ranges, 5, 7), 2, "usable after clear");
	ranges_clear(&ranges);
}

Test(ranges, random_operations_match_a_bitmap)
{
	static const uint32_t caps[] = {1, 2, 3, 8, 32, 1000};
	Random random = random_start();
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
		run_random(&random, caps[i], RANGES_DROP_LOWEST);
		run_random(&random, caps[i], RANGES_JOIN_NEAREST);
	}
}

Test(ranges, far_apart)
{
	Ranges ranges;
	ranges_init(&ranges, 2, RANGES_JOIN_NEAREST);
	int64_t far = INT64_C(1) << 61;
	ranges_add(&ranges, -far, -far + 1);
	ranges_add(&ranges, far, far + 1);
	ranges_add(&ranges, far + 10, far + 20);
	cr_assert_eq(ranges_count(&ranges), 2);
	cr_assert_eq(ranges_last(&ranges)->to, far + 20);
	cr_assert_eq(ranges_last(&ranges)->from, far);
	ranges_clear(&ranges);
}
