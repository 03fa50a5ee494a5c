/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The course of a transfer in equal slices of time, as causes read it: bytes, repairs and round
 * trips from the unit's pictures.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_PACE_H
#define SLOWCOPY_ANALYZER_CAUSES_PACE_H

#include "analyzer/causes/cause.h"

typedef struct PaceSlice {
	double bytes;   /* new payload of the bulk direction */
	double repairs; /* retransmitted segments */
	int64_t rtt_ns; /* largest, 0 none */
} PaceSlice;

typedef struct Pace {
	PaceSlice slices[UNIT_BINS];
	size_t count; /* the last one may be shorter in time and is left out */
	int64_t start_ns, slice_ns;
} Pace;

/** pace_read: false when the transfer is too small to have pictures. */
bool pace_read(const CauseContext *context, Pace *ret);

/** pace_rate: bytes per second of slices [@from, @to). */
double pace_rate(const Pace *pace, size_t from, size_t to);

/** pace_variation: coefficient of variation of the rate in slices [@from, @to); 0 when empty. */
double pace_variation(const Pace *pace, size_t from, size_t to);

/** pace_median_rtt_ns: over the slices that have one; 0 none. */
int64_t pace_median_rtt_ns(const Pace *pace);

#endif
