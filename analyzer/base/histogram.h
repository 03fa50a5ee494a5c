/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log-linear histogram of values >= 0: every value is kept within 1 %, values below 64 exactly.
 * A zeroed struct is an empty histogram; memory is taken by pieces of a quarter octave as values
 * appear, 34 bytes each while weights are small (an octave takes 136), at most 130 each.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_HISTOGRAM_H
#define SLOWCOPY_ANALYZER_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/** Histogram: private fields; by value, zeroed when empty, must not be copied while in use. */
typedef struct Histogram {
	uint16_t *ids; /* of the pieces, ascending; behind the weights in their block */
	void *weights; /* 16 of them a piece, each of `width` bytes */
	uint8_t piece_count, piece_room;
	uint8_t width;    /* 2, 4 or 8: grows when a weight needs it */
	uint8_t last;     /* index of the piece used last */
	uint64_t count;   /* total weight */
	uint64_t refused; /* weight lost because the system had no memory */
	int64_t min, max;
	double sum;
} Histogram;

/** histogram_add: counts @value with @weight; a negative value counts as 0, a weight of 0 not at
 * all. */
void histogram_add(Histogram *histogram, int64_t value, uint64_t weight);

/** histogram_count: total weight. */
uint64_t histogram_count(const Histogram *histogram);

/**
 * histogram_quantile: the smallest value that at least @q (0 to 1) of the weight does not exceed,
 * within 1 %; never outside min and max; 0 when empty.
 */
int64_t histogram_quantile(const Histogram *histogram, double q);

/** histogram_min, histogram_max: exact; 0 when empty. */
int64_t histogram_min(const Histogram *histogram);
int64_t histogram_max(const Histogram *histogram);

/** histogram_mean: weighted mean; 0 when empty. */
double histogram_mean(const Histogram *histogram);

/** histogram_merge: adds all of @from to @into. */
void histogram_merge(Histogram *into, const Histogram *from);

/** histogram_bytes: heap memory held. */
size_t histogram_bytes(const Histogram *histogram);

/** histogram_clear: frees the memory and leaves an empty histogram. */
void histogram_clear(Histogram *histogram);

#endif
