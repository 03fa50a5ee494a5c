/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slab: against a model that remembers what each cell holds.
 */
#include "analyzer/base/slab.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

Test(slab, random_takes_and_gives)
{
	static const size_t sizes[] = {1, 8, 24, 63, 64, 65, 192, 1000, 9000, 2 << 20};
	Random random = random_start();
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		size_t cell = sizes[s], cap = cell > 100000 ? 5 : 300;
		Slab *slab = slab_new(cell, cap);
		uint8_t *held[300];
		size_t count = 0;
		uint64_t refused = 0;
		for (unsigned step = 0; step < (cell > 100000 ? 50 : 5000); step++) {
			if (random_below(&random, 100) < 55) {
				uint8_t *p = slab_take(slab);
				if (count == cap) {
					cr_assert_null(p, "size %zu: beyond the cap", cell);
					refused++;
					continue;
				}
				cr_assert_not_null(p);
				cr_assert_eq((uintptr_t)p % (cell >= 64 ? 64 : 16), 0);
				for (size_t i = 0; i < cell; i++)
					cr_assert_eq(p[i], 0, "size %zu: cell is zeroed", cell);
				memset(p, 0xa5, cell);
				for (size_t i = 0; i < count; i++)
					cr_assert_neq(held[i], p, "size %zu: given twice", cell);
				held[count++] = p;
			} else if (count > 0) {
				size_t i = random_below(&random, count);
				for (size_t b = 0; b < cell; b++)
					cr_assert_eq(held[i][b], 0xa5, "size %zu", cell);
				slab_give(slab, held[i]);
				held[i] = held[--count];
			}
			cr_assert_eq(slab_count(slab), count);
		}
		cr_assert_eq(slab_refused(slab), refused);
		cr_assert_leq(slab_bytes(slab), cap * (cell + 64) + 16 * 1024);
		slab_free(slab);
	}
	slab_free(NULL);
}

Test(slab, few_cells_take_little)
{
	Slab *slab = slab_new(256, 1000000);
	cr_assert_lt(slab_bytes(slab), 256);
	slab_give(slab, slab_take(slab));
	slab_give(slab, NULL);
	cr_assert_lt(slab_bytes(slab), 16 * 1024);
	slab_free(slab);
	slab = slab_new(8, 0);
	cr_assert_null(slab_take(slab));
	cr_assert_eq(slab_refused(slab), 1);
	slab_free(slab);
}
