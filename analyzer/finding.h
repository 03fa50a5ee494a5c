/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From what causes concluded about units to ranked findings: severity, joining of the same cause
 * between the same hosts, predictions, filters.
 */
#ifndef SLOWCOPY_ANALYZER_FINDING_H
#define SLOWCOPY_ANALYZER_FINDING_H

#include <glib.h>

#include "analyzer/causes/saving.h"
#include "analyzer/diagnosis.h"

/** FindingCandidate: one cause about one unit. */
typedef struct FindingCandidate {
	const Cause *cause;
	uint32_t unit;
	int64_t wall_ns;
	uint64_t bytes;
	FindingDraft draft;
	Saving saving;
	int32_t finding; /* index it became part of, set by finding_rank */
} FindingCandidate;

/** finding_rank: joins and orders @candidates (FindingCandidate); the array lives in the input's
 * arena. */
ResultFinding *finding_rank(const DiagnosisInput *input, GArray *candidates, size_t *ret_count);

/** finding_blame: whom the cause blames in @finding's main unit; static or NULL. */
const char *finding_blame(const GArray *candidates, const ResultFinding *finding);

#endif
