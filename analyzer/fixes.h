/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the fixes of one unit would do together, one after the other: each finding claimed time of
 * its own, so their savings add up, and the path bounds them all.
 */
#ifndef SLOWCOPY_ANALYZER_FIXES_H
#define SLOWCOPY_ANALYZER_FIXES_H

#include <glib.h>

#include "analyzer/base/arena.h"
#include "analyzer/finding.h"
#include "analyzer/result.h"

/* Steps of one unit: who has made so many looks again. */
#define FIXES_MAX 8

/** fixes_list: the fixes among @candidates, which are of one unit and ranked (their findings are
 * set), the surest and largest first; in @arena. */
const ResultFix *fixes_list(Arena *arena, const FindingCandidate *candidates,
	size_t candidate_count, size_t *ret_count);

#endif
