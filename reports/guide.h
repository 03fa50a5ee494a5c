/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a cause, as pages: `slowcopy explain` for a terminal, docs/causes.md for readers
 * of the documentation. Both come from the descriptors of analyzer/causes, thresholds included.
 */
#ifndef SLOWCOPY_REPORTS_GUIDE_H
#define SLOWCOPY_REPORTS_GUIDE_H

#include <stdio.h>

#include "analyzer/causes/cause.h"

/** guide_expand: @text with each `{}` replaced by the next of @numbers, from *@index on; *@index
 * moves. Ownership: g_free(). */
char *guide_expand(const char *text, const GuideNumber *numbers, unsigned *index);

/** guide_print: one cause as text of 80 columns. */
void guide_print(FILE *out, const Cause *cause);

/** guide_print_pages: all causes as one page of Markdown, in the order of their groups. */
void guide_print_pages(FILE *out);

/** guide_nearest: the cause whose id is most like @name, NULL when none is. */
const Cause *guide_nearest(const char *name);

#endif
