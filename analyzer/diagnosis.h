/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the causes about each unit, ranks what they say, and gives the verdict.
 */
#ifndef SLOWCOPY_ANALYZER_DIAGNOSIS_H
#define SLOWCOPY_ANALYZER_DIAGNOSIS_H

#include "analyzer/blindness.h"
#include "analyzer/collection.h"
#include "analyzer/result.h"
#include "analyzer/result_build.h"

/** DiagnosisInput: sealed parts of the result that conclusions rest on. */
typedef struct DiagnosisInput {
	Arena *arena;
	Unit *const *units; /* transfers first, then jobs, in the order of the result's */
	uint32_t unit_count, transfer_count;
	const ConnectionFacts *const *facts;
	uint32_t fact_count;
	const ResultCapture *capture;
	const ResultUdpFlow *udp_flows;
	size_t udp_flow_count;
	PauseFrames pauses;
	int64_t first_packet_ns;
	Confidence confidence_cap; /* of the capture as a whole */
	Unit *const *history;      /* told of before; only compared with */
	uint32_t history_count;
	uint32_t first_finding; /* findings numbered before */
	bool is_damaged;   /* an input: copies that it does not hold to their end may lack bytes */
	bool out_of_order; /* in the file: Wireshark may number streams otherwise */
	const ResultAssumption *assumption; /* NULL none */
	const Blindness *blindness;         /* NULL none */
} DiagnosisInput;

/** Diagnosis: what was concluded, in the arena. */
typedef struct Diagnosis {
	ResultFinding *findings; /* by rank */
	size_t finding_count;
	uint32_t **unit_findings; /* by unit: indices of findings */
	size_t *unit_finding_count;
	const ResultFix **unit_fixes; /* by unit */
	size_t *unit_fix_count;
	const ResultOutlook **unit_outlooks; /* by unit, each may be NULL */
	ResultVerdict verdict;
} Diagnosis;

/** diagnosis_run: concludes. Allocates from @input->arena only. */
Diagnosis diagnosis_run(const DiagnosisInput *input);

#endif
