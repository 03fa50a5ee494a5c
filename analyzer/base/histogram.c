/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log-linear histogram. An octave has 64 buckets, so a bucket is at most 1/64 of its values wide
 * and its middle is within 0.8 % of them. Buckets come in pieces of 16, kept sorted by id. Most
 * histograms are many and small, so weights begin with two bytes.
 */
#include "analyzer/base/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OCTAVE_BITS 6 /* 64 buckets per octave */
#define PIECE_BITS 4  /* 16 buckets per piece */
#define PIECE_BUCKETS (1 << PIECE_BITS)

#define FIRST_WIDTH 2
#define FIRST_ROOM 2

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
static unsigned piece_lower_bound(const Histogram *h, unsigned id)
{
	unsigned low = 0, high = h->piece_count;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (h->ids[mid] < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t weight_get(const Histogram *h, size_t at)
{
	switch (h->width) {
	case 2:
		return ((const uint16_t *)h->weights)[at];
	case 4:
		return ((const uint32_t *)h->weights)[at];
	default:
		return ((const uint64_t *)h->weights)[at];
	}
}

static void weight_set(Histogram *h, size_t at, uint64_t weight)
{
	switch (h->width) {
	case 2:
		((uint16_t *)h->weights)[at] = (uint16_t)weight;
		break;
	case 4:
		((uint32_t *)h->weights)[at] = (uint32_t)weight;
		break;
	default:
		((uint64_t *)h->weights)[at] = weight;
		break;
	}
}

/* One block holds the weights and, behind them, the ids. Gives it @room pieces of weights of
 * @width bytes; what there is keeps its width. */
static bool resize(Histogram *h, size_t room, size_t width)
{
	size_t weights_bytes = room * PIECE_BUCKETS * width;
	char *block = realloc(h->weights, weights_bytes + room * sizeof *h->ids);
	if (!block)
		return false;
	uint16_t *ids = (uint16_t *)(void *)(block + weights_bytes);
	if (h->piece_count > 0)
		memmove(ids, block + (size_t)h->piece_room * PIECE_BUCKETS * h->width,
			h->piece_count * sizeof *ids);
	h->weights = block;
	h->ids = ids;
	h->piece_room = (uint8_t)room;
	return true;
}

/* Makes weights wide enough for @weight. */
static bool widen(Histogram *h, uint64_t weight)
{
	while (h->width < 8 && weight >> (8 * h->width)) {
		size_t count = (size_t)h->piece_count * PIECE_BUCKETS;
		if (!resize(h, h->piece_room, h->width * 2u))
			return false;
		/* from the end, so that what is wide does not cover what is still narrow */
		for (size_t i = count; i > 0; i--) {
			uint64_t value = weight_get(h, i - 1);
			h->width *= 2;
			weight_set(h, i - 1, value);
			h->width /= 2;
		}
		h->width *= 2;
	}
	return true;
}

static bool make_room(Histogram *h)
{
	if (h->piece_count < h->piece_room)
		return true;
	if (h->width == 0)
		h->width = FIRST_WIDTH;
	/* pieces of all values: 4 + 57 octaves of 4, so a byte counts them */
	size_t room = h->piece_room ? h->piece_room * 2u : FIRST_ROOM;
	return resize(h, room < UINT8_MAX ? room : UINT8_MAX, h->width);
}

/* Index of the piece with @id, made if need be; -1 when the system has no memory. */
static int piece_get(Histogram *h, unsigned id)
{
	if (h->last < h->piece_count && h->ids[h->last] == id)
		return h->last;
	unsigned at = piece_lower_bound(h, id);
	if (at == h->piece_count || h->ids[at] != id) {
		if (!make_room(h))
			return -1;
		size_t size = (size_t)PIECE_BUCKETS * h->width, behind = h->piece_count - at;
		char *piece = (char *)h->weights + at * size;
		memmove(&h->ids[at + 1], &h->ids[at], behind * sizeof *h->ids);
		memmove(piece + size, piece, behind * size);
		memset(piece, 0, size);
		h->ids[at] = (uint16_t)id;
		h->piece_count++;
	}
	h->last = (uint8_t)at;
	return (int)at;
}

static bool bucket_add(Histogram *h, unsigned bucket, uint64_t weight)
{
	int piece = piece_get(h, bucket >> PIECE_BITS);
	if (piece >= 0) {
		size_t at = (size_t)piece * PIECE_BUCKETS + (bucket & (PIECE_BUCKETS - 1));
		uint64_t sum = weight_get(h, at) + weight;
		if (widen(h, sum)) {
			weight_set(h, at, sum);
			return true;
		}
	}
	h->refused += weight;
	return false;
}

/* Most values fall into the piece of the one before. */
static inline bool bucket_count(Histogram *h, unsigned bucket, uint64_t weight)
{
	if (h->width != FIRST_WIDTH || weight != 1 || h->last >= h->piece_count ||
		h->ids[h->last] != bucket >> PIECE_BITS)
		return false;
	uint16_t *cell = &((uint16_t *)h->weights)[(size_t)h->last * PIECE_BUCKETS +
						   (bucket & (PIECE_BUCKETS - 1))];
	if (*cell == UINT16_MAX)
		return false;
	++*cell;
	return true;
}

static inline void take(Histogram *h, int64_t value, uint64_t weight)
{
	if (h->count == 0 || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count += weight;
	h->sum += (double)value * (double)weight;
}

/* The usual value needs no room for what this does. */
__attribute__((noinline)) static void add_elsewhere(
	Histogram *h, unsigned bucket, int64_t value, uint64_t weight)
{
	if (weight > 0 && bucket_add(h, bucket, weight))
		take(h, value, weight);
}

void histogram_add(Histogram *histogram, int64_t value, uint64_t weight)
{
	if (value < 0)
		value = 0;
	unsigned bucket = bucket_of(value);
	if (bucket_count(histogram, bucket, weight))
		take(histogram, value, weight);
	else
		add_elsewhere(histogram, bucket, value, weight);
}

uint64_t histogram_count(const Histogram *histogram)
{
	return histogram->count;
}

static uint64_t piece_weight(const Histogram *h, unsigned piece)
{
	uint64_t sum = 0;
	if (h->width == FIRST_WIDTH) {
		const uint16_t *weights =
			(const uint16_t *)h->weights + (size_t)piece * PIECE_BUCKETS;
		uint32_t narrow = 0;
		for (unsigned b = 0; b < PIECE_BUCKETS; b++)
			narrow += weights[b];
		return narrow;
	}
	for (unsigned b = 0; b < PIECE_BUCKETS; b++)
		sum += weight_get(h, (size_t)piece * PIECE_BUCKETS + b);
	return sum;
}

int64_t histogram_quantile(const Histogram *histogram, double q)
{
	if (histogram->count == 0)
		return 0;
	/* of one value, as many are, there is no other answer */
	if (!(q > 0) || histogram->min == histogram->max)
		return histogram->min;
	if (q >= 1)
		return histogram->max;
	/* the rank wanted, from 1; a double has fewer bits than a count, hence the clamp */
	double exact = ceil(q * (double)histogram->count);
	uint64_t rank = exact >= (double)histogram->count ? histogram->count : (uint64_t)exact;
	if (rank < 1)
		rank = 1;
	uint64_t below = 0, weight;
	unsigned p = 0, b = 0;
	while (p < histogram->piece_count && below + (weight = piece_weight(histogram, p)) < rank) {
		below += weight;
		p++;
	}
	if (p == histogram->piece_count)
		return histogram->max;
	while ((below += weight_get(histogram, p * PIECE_BUCKETS + b)) < rank)
		b++;
	int64_t value = bucket_middle(((unsigned)histogram->ids[p] << PIECE_BITS) + b);
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
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
			uint64_t weight = weight_get(from, p * PIECE_BUCKETS + b);
			unsigned bucket = ((unsigned)from->ids[p] << PIECE_BITS) + b;
			if (weight > 0 && bucket_add(into, bucket, weight))
				into->count += weight;
		}
	}
	into->sum += from->sum;
	into->refused += from->refused;
}

size_t histogram_bytes(const Histogram *histogram)
{
	return histogram->piece_room *
	       (sizeof *histogram->ids + (size_t)PIECE_BUCKETS * histogram->width);
}

void histogram_clear(Histogram *histogram)
{
	free(histogram->weights);
	*histogram = (Histogram){0};
}
