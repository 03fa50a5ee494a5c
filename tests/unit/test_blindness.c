/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals in which packets were dropped: sums over a stretch, and the bound.
 */
#include <criterion/criterion.h>

#include "analyzer/blindness.h"

Test(blindness, touches_and_sums)
{
	static Blindness b;
	blindness_note(&b, 100, 200, 0, 50);
	cr_assert_eq(b.count, 0, "nothing was dropped");
	blindness_note(&b, 100, 200, 5, 50);
	blindness_note(&b, 200, 300, 7, 10);
	static const struct {
		int64_t from, to;
		uint64_t dropped;
	} cases[] = {{0, 99, 0}, {0, 100, 5}, {150, 160, 5}, {200, 200, 12}, {0, 1000, 12},
		{250, 260, 7}, {301, 400, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(blindness_during(&b, cases[i].from, cases[i].to).dropped,
			cases[i].dropped, "case %zu", i);
	cr_assert_eq(blindness_during(NULL, 0, 1000).dropped, 0);
	BlindnessShare light = {1, 1000}, heavy = {100, 900};
	cr_assert_not(blindness_is_heavy(&light));
	cr_assert(blindness_is_heavy(&heavy));
}

Test(blindness, old_intervals_grow_together)
{
	static Blindness b;
	for (int i = 0; i < 10 * BLINDNESS_SPANS; i++) {
		blindness_note(&b, i * 100, i * 100 + 50, 1, 2);
		cr_assert_leq(b.count, BLINDNESS_SPANS);
		cr_assert_eq(blindness_during(&b, 0, INT64_MAX).dropped, (uint64_t)i + 1,
			"nothing is forgotten");
		cr_assert_eq(blindness_during(&b, i * 100, i * 100 + 50).dropped, 1,
			"the newest stand alone");
	}
}
