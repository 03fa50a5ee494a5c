/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log-linear histogram. An octave has 64 buckets, so a bucket is at most 1/64 of its values wide
 * and its middle is within 0.8 % of them. Buckets come in pieces of 16, kept sorted by id.
 */
#include "analyzer/base/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OCTAVE_BITS 6 /* 64 buckets per octave */
#define PIECE_BITS 4  /* 16 buckets per piece */
#define PIECE_BUCKETS (1 << PIECE_BITS)

typedef struct HistogramPiece {
	uint64_t id; /* bucket number >> PIECE_BITS */
	uint64_t weight[PIECE_BUCKETS];
} HistogramPiece;

/* Bucket numbers: 0…63 are the values themselves; then 64 per octave from 64 on. */
static unsigned bucket_of(int64_t value)
{
	if (value < 1 << OCTAVE_BITS)
		return (unsigned)value;
	unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)value);
	unsigned shift = octave - OCTAVE_BITS;
	return (shift << OCTAVE_BITS) + (unsigned)(value >> shift);
}

static int64_t bucket_middle(unsigned bucket)
{
	if (bucket < 2 << OCTAVE_BITS)
		return bucket;
	unsigned shift = (bucket >> OCTAVE_BITS) - 1;
	int64_t low = (int64_t)((bucket & ((1 << OCTAVE_BITS) - 1)) | 1 << OCTAVE_BITS) << shift;
	return low + (((int64_t)1 << shift) - 1) / 2;
}

/* Index of the first piece whose id is not below @id. */
static unsigned piece_lower_bound(const Histogram *h, uint64_t id)
{
	unsigned low = 0, high = h->piece_count;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (h->pieces[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static HistogramPiece *piece_get(Histogram *h, uint64_t id)
{
	if (h->last < h->piece_count && h->pieces[h->last].id == id)
		return &h->pieces[h->last];
	unsigned at = piece_lower_bound(h, id);
	h->last = (uint16_t)at;
	if (at < h->piece_count && h->pieces[at].id == id)
		return &h->pieces[at];
	if (h->piece_count == h->piece_room) {
		unsigned room = h->piece_room ? h->piece_room * 2u : 2;
		HistogramPiece *pieces = realloc(h->pieces, room * sizeof *pieces);
		if (!pieces)
			return NULL;
		h->pieces = pieces;
		h->piece_room = (uint16_t)room;
	}
	memmove(&h->pieces[at + 1], &h->pieces[at], (h->piece_count - at) * sizeof *h->pieces);
	memset(&h->pieces[at], 0, sizeof h->pieces[at]);
	h->pieces[at].id = id;
	h->piece_count++;
	return &h->pieces[at];
}

static bool bucket_add(Histogram *h, unsigned bucket, uint64_t weight)
{
	HistogramPiece *piece = piece_get(h, bucket >> PIECE_BITS);
	if (!piece) {
		h->refused += weight;
		return false;
	}
	piece->weight[bucket & (PIECE_BUCKETS - 1)] += weight;
	return true;
}

void histogram_add(Histogram *histogram, int64_t value, uint64_t weight)
{
	if (value < 0)
		value = 0;
	if (weight == 0 || !bucket_add(histogram, bucket_of(value), weight))
		return;
	if (histogram->count == 0 || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count += weight;
	histogram->sum += (double)value * (double)weight;
}

uint64_t histogram_count(const Histogram *histogram)
{
	return histogram->count;
}

int64_t histogram_quantile(const Histogram *histogram, double q)
{
	if (histogram->count == 0)
		return 0;
	if (!(q > 0))
		return histogram->min;
	if (q >= 1)
		return histogram->max;
	/* the rank wanted, from 1; a double has fewer bits than a count, hence the clamp */
	double exact = ceil(q * (double)histogram->count);
	uint64_t rank = exact >= (double)histogram->count ? histogram->count : (uint64_t)exact;
	if (rank < 1)
		rank = 1;
	uint64_t below = 0;
	for (unsigned p = 0; p < histogram->piece_count; p++) {
		const HistogramPiece *piece = &histogram->pieces[p];
		for (unsigned b = 0; b < PIECE_BUCKETS; b++) {
			below += piece->weight[b];
			if (below < rank)
				continue;
			int64_t value = bucket_middle((unsigned)(piece->id << PIECE_BITS) + b);
			if (value < histogram->min)
				return histogram->min;
			return value > histogram->max ? histogram->max : value;
		}
	}
	return histogram->max;
}

int64_t histogram_min(const Histogram *histogram)
{
	return histogram->min;
}

int64_t histogram_max(const Histogram *histogram)
{
	return histogram->max;
}

double histogram_mean(const Histogram *histogram)
{
	return histogram->count ? histogram->sum / (double)histogram->count : 0;
}

void histogram_merge(Histogram *into, const Histogram *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	for (unsigned p = 0; p < from->piece_count; p++) {
		for (unsigned b = 0; b < PIECE_BUCKETS; b++) {
			uint64_t weight = from->pieces[p].weight[b];
			unsigned bucket = (unsigned)(from->pieces[p].id << PIECE_BITS) + b;
			if (weight > 0 && bucket_add(into, bucket, weight))
				into->count += weight;
		}
	}
	into->sum += from->sum;
	into->refused += from->refused;
}

size_t histogram_bytes(const Histogram *histogram)
{
	return histogram->piece_room * sizeof *histogram->pieces;
}

void histogram_clear(Histogram *histogram)
{
	free(histogram->pieces);
	*histogram = (Histogram){0};
}
