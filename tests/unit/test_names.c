/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names: one copy each, against GHashTable; caps; cutting long ones between characters.
 */
#include "analyzer/base/names.h"

#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "tests/tools/random.h"

Test(names, one_pointer_per_text)
{
	Random random = random_start();
	Names *names = names_new(100000, 1 << 20);
	g_autoptr(GHashTable) model = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (unsigned step = 0; step < 20000; step++) {
		char text[32];
		int len = g_snprintf(text, sizeof text, "dir\\%llu.txt",
			(unsigned long long)random_below(&random, 3000));
		const char *name = names_add(names, text, (size_t)len);
		cr_assert_str_eq(name, text);
		const char *known = g_hash_table_lookup(model, text);
		if (known)
			cr_assert_eq(name, known);
		else
			g_hash_table_insert(model, g_strdup(text), (char *)(uintptr_t)name);
	}
	cr_assert_eq(names_count(names), g_hash_table_size(model));
	cr_assert_eq(names_refused(names), 0);
	names_free(names);
	names_free(NULL);
}

Test(names, caps)
{
	Names *names = names_new(2, 1000);
	const char *a = names_add(names, "aaa", 1);
	cr_assert_str_eq(a, "a", "the length counts, not a NUL");
	cr_assert_str_eq(names_add(names, "b", 1), "b");
	cr_assert_null(names_add(names, "c", 1));
	cr_assert_eq(names_refused(names), 1);
	cr_assert_eq(names_add(names, "a", 1), a, "a known name is found when full");
	cr_assert_str_eq(names_add(names, "", 0), "");
	names_free(names);
	names = names_new(1000, 10);
	cr_assert_not_null(names_add(names, "12345", 5));
	cr_assert_null(names_add(names, "abcdef", 6), "11 bytes with the NULs");
	cr_assert_not_null(names_add(names, "abc", 3));
	cr_assert_null(names_add(names, "x", 1));
	names_free(names);
}

Test(names, long_ones_are_cut_between_characters)
{
	Names *names = names_new(1000, 1 << 20);
	for (size_t lead = 0; lead < 5; lead++) {
		/* three-byte characters behind 0…4 single bytes */
		g_autoptr(GString) text = g_string_new(NULL);
		for (size_t i = 0; i < lead; i++)
			g_string_append_c(text, 'x');
		while (text->len <= NAMES_MAX_LENGTH)
			g_string_append(text, "\xe2\x82\xac");
		const char *name = names_add(names, text->str, text->len);
		cr_assert_leq(strlen(name), NAMES_MAX_LENGTH);
		cr_assert_gt(strlen(name), NAMES_MAX_LENGTH - 4);
		cr_assert(g_str_has_suffix(name, NAMES_CUT_MARK));
		cr_assert(g_utf8_validate(name, -1, NULL), "lead %zu", lead);
		cr_assert_eq(names_add(names, text->str, text->len), name);
	}
	cr_assert_eq(names_shortened(names), 5);
	names_free(names);
}
