/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Budget: never beyond a limit, and every byte comes back.
 */
#include "analyzer/base/budget.h"

#include <criterion/criterion.h>

#include "tests/tools/random.h"

Test(budget, random_takes_and_gives)
{
	Random random = random_start();
	Budget budget;
	budget_init(&budget, 10000);
	uint64_t limits[3] = {6000, 6000, UINT64_MAX}, used[3] = {0}, peak = 0, refused = 0;
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(budget_add_user(&budget, "user", limits[i]), i);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned u = (unsigned)random_below(&random, 3);
		uint64_t bytes = random_below(&random, 3000);
		uint64_t sum = used[0] + used[1] + used[2];
		if (random_below(&random, 2)) {
			bool fits = used[u] + bytes <= limits[u] && sum + bytes <= 10000;
			cr_assert_eq(budget_take(&budget, u, bytes), fits);
			used[u] += fits ? bytes : 0;
			refused += !fits;
			peak = used[0] + used[1] + used[2] > peak ? used[0] + used[1] + used[2]
								  : peak;
		} else {
			bytes = bytes < used[u] ? bytes : used[u];
			budget_give(&budget, u, bytes);
			used[u] -= bytes;
		}
		cr_assert_eq(budget.used_bytes, used[0] + used[1] + used[2]);
	}
	cr_assert_eq(budget.peak_bytes, peak);
	cr_assert_eq(budget.users[0].refused + budget.users[1].refused + budget.users[2].refused,
		refused);
	cr_assert_gt(refused, 0);
}

Test(budget, edges)
{
	Budget budget;
	budget_init(&budget, UINT64_MAX);
	cr_assert_eq(budget_share(&budget, 1, 5), UINT64_MAX / 5);
	cr_assert_eq(budget_share(&budget, 5, 5), UINT64_MAX);
	size_t user = budget_add_user(&budget, "all", UINT64_MAX);
	cr_assert(budget_take(&budget, user, UINT64_MAX));
	cr_assert_not(budget_take(&budget, user, 1));
	budget_give(&budget, user, UINT64_MAX);
	cr_assert_eq(budget.used_bytes, 0);
	budget_refuse(&budget, user, 41);
	cr_assert_eq(budget.users[user].refused, 42);
	for (int i = 0; i < 100; i++)
		user = budget_add_user(&budget, "more", 1);
	cr_assert_eq(user, BUDGET_MAX_USERS - 1);
}
