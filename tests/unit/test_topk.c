/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Top-k: against sorting everything.
 */
#include "analyzer/base/topk.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

typedef struct Offered {
	int64_t weight;
	uint64_t order;
} Offered;

static int by_falling_weight(const void *a, const void *b)
{
	const Offered *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->order > y->order ? 1 : -1;
}

Test(topk, keeps_what_sorting_keeps)
{
	Random random = random_start();
	for (unsigned round = 0; round < 300; round++) {
		TopKItem items[64];
		Offered offered[500];
		uint32_t k = (uint32_t)random_below(&random, 65);
		size_t n = random_below(&random, 500);
		int64_t spread = random_between(&random, 1, 1000);
		TopK topk;
		topk_init(&topk, items, k);
		for (size_t i = 0; i < n; i++) {
			offered[i] = (Offered){random_between(&random, -spread, spread), i};
			bool would = topk_would_keep(&topk, offered[i].weight);
			cr_assert_eq(
				topk_add(&topk, offered[i].weight, &offered[i], sizeof offered[i]),
				would);
		}
		qsort(offered, n, sizeof *offered, by_falling_weight);
		topk_sort(&topk);
		cr_assert_eq(topk.count, n < k ? n : k);
		cr_assert_eq(topk.seen, n);
		for (uint32_t i = 0; i < topk.count; i++) {
			cr_assert_eq(items[i].weight, offered[i].weight, "round %u", round);
			cr_assert_eq(items[i].order, offered[i].order, "round %u", round);
			cr_assert_arr_eq(items[i].payload, &offered[i], sizeof offered[i]);
		}
	}
}

Test(topk, payload_sizes)
{
	TopKItem items[1];
	TopK topk;
	uint8_t big[100];
	memset(big, 7, sizeof big);
	topk_init(&topk, items, 1);
	cr_assert(topk_add(&topk, 1, big, sizeof big));
	cr_assert_eq(items[0].payload[TOPK_PAYLOAD_BYTES - 1], 7);
	cr_assert(topk_add(&topk, 2, NULL, 0));
	cr_assert_eq(items[0].payload[0], 0, "the rest of a payload is zeroed");
	cr_assert_not(topk_add(&topk, 2, big, 1), "of equals the earlier one stays");
}
