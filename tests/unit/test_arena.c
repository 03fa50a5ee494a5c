/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arena: alignment, zeroing, big allocations beside small ones, formatting.
 */
#include "analyzer/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static bool is_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

Test(arena, sizes_are_aligned_zeroed_and_apart)
{
	static const size_t sizes[] = {
		0, 1, 15, 16, 17, 4095, 16383, 16384, 16385, 65535, 65536, 65537, 1 << 20};
	Arena *arena = arena_new();
	uint8_t *all[8 * sizeof sizes / sizeof *sizes];
	size_t lens[8 * sizeof sizes / sizeof *sizes], n = 0;
	for (unsigned round = 0; round < 8; round++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			uint8_t *p = arena_alloc(arena, sizes[i]);
			cr_assert_not_null(p);
			cr_assert_eq((uintptr_t)p % 16, 0, "size %zu", sizes[i]);
			cr_assert(is_zero(p, sizes[i]), "size %zu", sizes[i]);
			memset(p, (int)(n + 1), sizes[i]);
			all[n] = p;
			lens[n++] = sizes[i];
		}
	}
	/* nobody wrote into somebody else's memory */
	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < lens[i]; b++)
			cr_assert_eq(all[i][b], (uint8_t)(i + 1), "allocation %zu byte %zu", i, b);
	arena_free(arena);
}

Test(arena, bytes_grow_by_blocks)
{
	Arena *arena = arena_new();
	size_t empty = arena_bytes(arena);
	cr_assert_lt(empty, 256);
	arena_alloc(arena, 1);
	size_t one = arena_bytes(arena);
	cr_assert_geq(one, 4 * 1024);
	for (int i = 0; i < 200; i++)
		arena_alloc(arena, 16);
	cr_assert_eq(arena_bytes(arena), one, "a block holds 200 small cells");
	arena_alloc(arena, 1 << 20);
	cr_assert_geq(arena_bytes(arena), one + (1 << 20));
	void *adopted = malloc(100);
	cr_assert_eq(arena_adopt(arena, adopted), adopted);
	cr_assert_null(arena_adopt(arena, NULL));
	arena_alloc(arena, 16);
	cr_assert_lt(arena_bytes(arena), one + (1 << 20) + 1024,
		"a big allocation leaves the current block in use");
	arena_free(arena);
	arena_free(NULL);
}

Test(arena, text)
{
	Arena *arena = arena_new();
	char text[] = "share";
	char *copy = arena_strdup(arena, text);
	cr_assert_neq(copy, text);
	cr_assert_str_eq(copy, "share");
	cr_assert_null(arena_strdup(arena, NULL));
	cr_assert_str_eq(arena_strndup(arena, "abcdef", 3), "abc");
	cr_assert_str_eq(arena_strndup(arena, "ab", 3), "ab");
	cr_assert_str_eq(arena_strndup(arena, NULL, 0), "");
	cr_assert_str_eq(arena_printf(arena, "%d of %s", 7, "nine"), "7 of nine");
	cr_assert_str_eq(arena_printf(arena, "%s", ""), "");
	cr_assert_eq(strlen(arena_printf(arena, "%*d", 100000, 1)), 100000);
	int numbers[3] = {1, 2, 3};
	int *dup = arena_memdup(arena, numbers, sizeof numbers);
	cr_assert_arr_eq(dup, numbers, sizeof numbers);
	cr_assert_not_null(arena_memdup(arena, NULL, 0));
	uint64_t *array = arena_alloc_array(arena, 10, sizeof *array);
	cr_assert(is_zero((uint8_t *)array, 10 * sizeof *array));
	arena_free(arena);
}
