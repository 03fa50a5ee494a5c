/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interned strings: paths, shares, hosts. One copy per different text, pointers that stay, a cap on
 * their number and bytes.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_NAMES_H
#define SLOWCOPY_ANALYZER_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Longest name kept, in bytes without the NUL; longer ones are cut and end with NAMES_CUT_MARK. A
 * Windows path without the long-path prefix has at most 260 characters. */
#define NAMES_MAX_LENGTH 1024
#define NAMES_CUT_MARK "..."

typedef struct Names Names;

/** names_new: room for @max_count different names of @max_bytes together; NULL when memory is
 * refused. */
Names *names_new(size_t max_count, size_t max_bytes);

/**
 * names_add: the one copy of @len bytes at @text (clean UTF-8 without NUL), ended by NUL.
 * A text that is too long is cut between two characters. Returns NULL when a cap is reached and the
 * text is new. The pointer lives until names_free().
 */
const char *names_add(Names *names, const char *text, size_t len);

/** names_count: different names kept. */
size_t names_count(const Names *names);

/** names_refused: names not kept because a cap was reached. names_shortened: names cut. */
uint64_t names_refused(const Names *names);
uint64_t names_shortened(const Names *names);

/** names_bytes: memory held. */
size_t names_bytes(const Names *names);

/** names_free: frees all names; NULL is allowed. */
void names_free(Names *names);

#endif
