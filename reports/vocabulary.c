/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of vocabulary.h.
 */
#include "reports/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

/* No word of ours is longer; what is cannot be one. */
#define WORD_MAX 40

static int compare(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static bool has_exactly(const char *word)
{
	return bsearch(word, vocabulary_words, vocabulary_count, sizeof *vocabulary_words,
		       compare) != NULL;
}

bool vocabulary_has(const char *word, size_t len)
{
	char lower[WORD_MAX + 1];

	if (len == 0 || len > WORD_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		lower[i] = g_ascii_tolower(word[i]);
	lower[len] = '\0';
	if (has_exactly(lower))
		return true;
	/* "%s packet%s" makes a word that no source has in one piece */
	if (len > 3 && lower[len - 1] == 's') {
		lower[len - 1] = '\0';
		return has_exactly(lower);
	}
	return false;
}
