/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every cause owes, whoever wrote it.
 */
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/causes/cause.h"

static bool is_kebab(const char *id)
{
	for (const char *p = id; *p; p++) {
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '-')
			return false;
	}
	return *id != '\0';
}

static bool is_sentence(const char *text)
{
	size_t len = strlen(text);
	return len > 40 && text[len - 1] == '.' && isupper((unsigned char)text[0]) &&
	       !strstr(text, "  ") && !strchr(text, '\t');
}

Test(causes_table, descriptors_are_complete_and_precedences_unique)
{
	size_t count = 0;
	for (const Cause *const *a = cause_table; *a; a++, count++) {
		const Cause *c = *a;
		cr_assert(is_kebab(c->id), "%s", c->id);
		cr_assert_eq(cause_find(c->id), c);
		cr_assert(c->title && strlen(c->title) > 5 && strlen(c->title) < 80, "%s", c->id);
		cr_assert(c->explanation && is_sentence(c->explanation), "%s", c->id);
		cr_assert(c->source && *c->source, "%s", c->id);
		cr_assert(c->conclude != NULL, "%s", c->id);
		cr_assert(c->precedence >= 100 && c->precedence < 800, "%s", c->id);
		for (const Cause *const *b = a + 1; *b; b++)
			cr_assert_neq(
				c->precedence, (*b)->precedence, "%s and %s", c->id, (*b)->id);
	}
	cr_assert_gt(count, 30);
	cr_assert_null(cause_find("no-such-cause"));
}
