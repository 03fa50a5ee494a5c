/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of the machine's clock, and packets around them.
 */
#include <criterion/criterion.h>

#include "analyzer/capture/live_clock.h"

#define S INT64_C(1000000000)

Test(live_clock, steps_are_seen_and_packets_moved)
{
	static const struct {
		int64_t step_ns;
	} cases[] = {{3600 * S}, {-3600 * S}, {S / 5}, {-S / 5}, {INT64_C(1) << 60}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		LiveClock clock = {0};
		int64_t real = 1700000000 * S, count = 5 * S, step = cases[i].step_ns;
		cr_assert_eq(live_clock_check(&clock, real, count), 0);
		/* steered a little, or not looked at for long: no step */
		cr_assert_eq(live_clock_check(&clock, real + 100 * S + S / 20, count + 100 * S), 0);
		real += 100 * S + S / 20;
		count += 100 * S;
		cr_assert_eq(live_clock_fix(&clock, real - S, real), real - S);
		cr_assert_eq(live_clock_check(&clock, real + step, count), step);
		real += step;
		/* stamped just before the step, just after it */
		cr_assert_eq(live_clock_fix(&clock, real - step - 1000, real), real - 1000);
		cr_assert_eq(live_clock_fix(&clock, real - 1000, real), real - 1000);
		cr_assert_eq(live_clock_check(&clock, real + S, count + S), 0);
	}
}
