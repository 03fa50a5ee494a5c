/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a capture can be trusted: caveats, a grade A to D, and the confidence it allows. Causes
 * 3G.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_GRADE_H
#define SLOWCOPY_ANALYZER_CAPTURE_GRADE_H

#include "analyzer/base/arena.h"
#include "analyzer/result.h"
#include "analyzer/result_build.h"

/** capture_grade: fills grade and caveats of @result->capture from its connections; returns the
 * highest confidence allowed. */
Confidence capture_grade(Arena *arena, Result *result, const CaptureTotals *totals);

/** capture_link_name: name of a LINKTYPE_ value, "EN10MB"; "LINKTYPE_n" when unknown. */
const char *capture_link_name(Arena *arena, uint32_t link_type);

#endif
