/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading the pictures: see pace.h.
 */
#include "analyzer/causes/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pace_read(const CauseContext *context, Pace *ret)
{
	const Series *s = context->unit->series;
	memset(ret, 0, sizeof(*ret));
	/* between the files of a job its pace is that of no copy */
	if (!s || series_count(s) < 2 || context->unit->is_job)
		return false;
	ret->count = series_count(s) - 1;
	if (ret->count > UNIT_BINS)
		ret->count = UNIT_BINS;
	ret->start_ns = series_start_ns(s);
	ret->slice_ns = series_bin_ns(s);
	for (size_t i = 0; i < ret->count; i++) {
		int64_t rtt = series_value(s, UNIT_SERIES_RTT, i);
		ret->slices[i] = (PaceSlice){
			.bytes = (double)series_value(s, UNIT_SERIES_BYTES, i),
			.repairs = (double)series_value(s, UNIT_SERIES_RETRANSMISSIONS, i),
			.rtt_ns = rtt > 0 ? rtt : 0,
		};
	}
	/* after the last byte nothing moves any more, and the slice it moved in is not full */
	size_t moved = ret->count;
	while (moved > 0 && ret->slices[moved - 1].bytes <= 0)
		moved--;
	if (moved > 0 && moved < ret->count)
		ret->count = moved - 1;
	return ret->slice_ns > 0;
}

double pace_rate(const Pace *pace, size_t from, size_t to)
{
	double bytes = 0;
	for (size_t i = from; i < to; i++)
		bytes += pace->slices[i].bytes;
	return to > from ? bytes * 1e9 / ((double)(to - from) * (double)pace->slice_ns) : 0;
}

double pace_variation(const Pace *pace, size_t from, size_t to)
{
	if (to <= from)
		return 0;
	double n = (double)(to - from), sum = 0, squares = 0;
	for (size_t i = from; i < to; i++) {
		sum += pace->slices[i].bytes;
		squares += pace->slices[i].bytes * pace->slices[i].bytes;
	}
	double mean = sum / n, variance = squares / n - mean * mean;
	return mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t pace_median_rtt_ns(const Pace *pace)
{
	int64_t values[UNIT_BINS];
	size_t n = 0;
	for (size_t i = 0; i < pace->count; i++) {
		if (pace->slices[i].rtt_ns > 0)
			values[n++] = pace->slices[i].rtt_ns;
	}
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}
