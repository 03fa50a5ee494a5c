/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a live capture did not see everything: intervals in which the kernel dropped packets before
 * they could be read. Bounded: the oldest intervals grow together.
 */
#ifndef SLOWCOPY_ANALYZER_BLINDNESS_H
#define SLOWCOPY_ANALYZER_BLINDNESS_H

#include <stdbool.h>
#include <stdint.h>

/* At one interval a second: the last four minutes one by one. */
#define BLINDNESS_SPANS 256

typedef struct BlindSpan {
	int64_t from_ns, to_ns;
	uint64_t dropped, received;
} BlindSpan;

/** Blindness: zeroed at the start. */
typedef struct Blindness {
	BlindSpan spans[BLINDNESS_SPANS]; /* by time of noting */
	uint32_t count;
} Blindness;

/** BlindnessShare: of the intervals that touch a stretch of time. */
typedef struct BlindnessShare {
	uint64_t dropped, received;
} BlindnessShare;

/** blindness_note: from @from_ns to @to_ns @dropped packets were lost, @received were not. */
void blindness_note(
	Blindness *blindness, int64_t from_ns, int64_t to_ns, uint64_t dropped, uint64_t received);

/** blindness_during: NULL is allowed: nothing was missed. */
BlindnessShare blindness_during(const Blindness *blindness, int64_t from_ns, int64_t to_ns);

/** blindness_is_heavy: so much is missing that little can be said. */
bool blindness_is_heavy(const BlindnessShare *share);

#endif
