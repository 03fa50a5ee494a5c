/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ordered set of half-open intervals [from, to) of 64-bit offsets (below 2^62 either way):
 * out-of-order data, holes, SACK blocks. Adjacent and overlapping intervals join. At most `cap`
 * intervals are kept; what happens beyond is a rule chosen at the start, and it is counted.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_RANGES_H
#define SLOWCOPY_ANALYZER_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Range {
	int64_t from, to; /* from < to */
} Range;

/** RangesRule: what to do with one interval too many. */
typedef enum RangesRule {
	RANGES_DROP_LOWEST,  /* forget the lowest interval */
	RANGES_JOIN_NEAREST, /* fill the smallest gap between two neighbours (the lowest of equals)
			      */
} RangesRule;

/** Ranges: heap memory is taken with the first interval and grows up to cap * 16 bytes. */
typedef struct Ranges {
	Range *items; /* ascending; neither touch nor overlap */
	uint32_t count, room, cap;
	RangesRule rule;
	uint64_t forced; /* times the rule was applied, or the system had no memory */
} Ranges;

/** ranges_init: an empty set of at most @cap (>= 1) intervals; allocates nothing. */
void ranges_init(Ranges *ranges, uint32_t cap, RangesRule rule);

/**
 * ranges_add: adds [@from, @to); nothing when it is empty or reversed.
 * Returns how many offsets of it were not in the set before.
 */
int64_t ranges_add(Ranges *ranges, int64_t from, int64_t to);

/** ranges_remove: takes [@from, @to) out. Returns how many offsets were taken out. */
int64_t ranges_remove(Ranges *ranges, int64_t from, int64_t to);

/** ranges_covered: how many offsets of [@from, @to) are in the set. */
int64_t ranges_covered(const Ranges *ranges, int64_t from, int64_t to);

/** ranges_intersects: whether any offset of [@from, @to) is in the set. */
bool ranges_intersects(const Ranges *ranges, int64_t from, int64_t to);

/** ranges_contains: whether all offsets of [@from, @to) are in the set; true when it is empty. */
bool ranges_contains(const Ranges *ranges, int64_t from, int64_t to);

/** ranges_find: the interval with offset @at or the first one behind it, NULL when none. Valid
 * until the set changes. */
const Range *ranges_find(const Ranges *ranges, int64_t at);

/** ranges_first: the lowest interval, NULL when empty. Valid until the set changes. */
const Range *ranges_first(const Ranges *ranges);

/** ranges_last: the highest interval, NULL when empty. Valid until the set changes. */
const Range *ranges_last(const Ranges *ranges);

/** ranges_count: number of intervals. */
size_t ranges_count(const Ranges *ranges);

/** ranges_total: number of offsets in the set. */
int64_t ranges_total(const Ranges *ranges);

/** ranges_clear: empties the set and frees its memory; cap and rule stay. */
void ranges_clear(Ranges *ranges);

#endif
