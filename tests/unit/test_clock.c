/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clock: forward only, whatever the stamps are; distances kept behind a step.
 */
#include "analyzer/clock.h"

#include <criterion/criterion.h>

#include "tests/tools/random.h"

#define T0 (INT64_C(1700000000) * SECOND_NS)

Test(clock, forward_time_is_left_alone)
{
	Clock clock = {0};
	Random random = random_start();
	for (int64_t t = T0; t < T0 + 100 * SECOND_NS; t += random_between(&random, 0, SECOND_NS))
		cr_assert_eq(clock_take(&clock, t), t);
	cr_assert_eq(clock.steps_back, 0);
	/* before 1970 too */
	clock = (Clock){0};
	cr_assert_eq(clock_take(&clock, -5), -5);
	cr_assert_eq(clock_take(&clock, 7), 7);
}

Test(clock, small_disorder_is_flattened)
{
	Clock clock = {0};
	clock_take(&clock, T0 + MILLISECOND_NS);
	cr_assert_eq(clock_take(&clock, T0), T0 + MILLISECOND_NS);
	cr_assert_eq(clock_take(&clock, T0 + 2 * MILLISECOND_NS), T0 + 2 * MILLISECOND_NS);
	cr_assert_eq(clock.steps_back, 1);
	cr_assert_eq(clock.largest_step_back_ns, MILLISECOND_NS);
	cr_assert_eq(clock.offset_ns, 0);
}

Test(clock, a_step_back_keeps_later_distances)
{
	Clock clock = {0};
	clock_take(&clock, T0);
	cr_assert_eq(clock_take(&clock, T0 - 2 * SECOND_NS), T0);
	cr_assert_eq(clock_take(&clock, T0 - 2 * SECOND_NS + 5), T0 + 5);
	cr_assert_eq(clock_take(&clock, T0 - SECOND_NS), T0 + SECOND_NS);
	cr_assert_eq(clock.largest_step_back_ns, 2 * SECOND_NS);
	cr_assert_eq(clock_take(&clock, T0 - 10 * SECOND_NS), T0 + SECOND_NS, "a second step");
	cr_assert_eq(clock_take(&clock, T0 - 9 * SECOND_NS), T0 + 2 * SECOND_NS);
}

Test(clock, any_stamps)
{
	Random random = random_start();
	for (unsigned round = 0; round < 1000; round++) {
		Clock clock = {0};
		unsigned shift = (unsigned)random_below(&random, 64);
		int64_t first = clock_take(&clock, (int64_t)(random_next(&random) >> shift));
		int64_t last = first;
		for (unsigned i = 0; i < 200; i++) {
			int64_t t = (int64_t)(random_next(&random) >> shift);
			int64_t now = clock_take(&clock, random_below(&random, 2) ? t : -t);
			cr_assert_geq(now, last);
			cr_assert_leq(now - first, CLOCK_REACH_NS);
			last = now;
		}
		/* what anybody may do with such times */
		cr_assert(last < INT64_MAX - 3 * CLOCK_REACH_NS);
		cr_assert(first > INT64_MIN + 3 * CLOCK_REACH_NS);
	}
}
