/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words slowcopy itself says: every word of every string in its sources, gathered by the
 * Makefile. What a redacted report says beyond them came from a capture.
 */
#ifndef SLOWCOPY_REPORTS_VOCABULARY_H
#define SLOWCOPY_REPORTS_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/** vocabulary_words: lower case ASCII letters and digits, at least one letter each, sorted by
 * strcmp; generated. */
extern const char *const vocabulary_words[];
extern const size_t vocabulary_count;

/** vocabulary_has: whether the program says the @len bytes at @word, in any case of letters, or its
 * singular. */
bool vocabulary_has(const char *word, size_t len);

#endif
