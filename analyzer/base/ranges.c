/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ordered set of intervals in a sorted array: sets are small (tens), so moving its tail is cheaper
 * than a tree's nodes.
 */
#include "analyzer/base/ranges.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4

void ranges_init(Ranges *ranges, uint32_t cap, RangesRule rule)
{
	*ranges = (Ranges){.cap = cap > 0 ? cap : 1, .rule = rule};
}

/* Index of the first interval that ends at or behind @at, so that may touch it. */
static uint32_t first_ending_at(const Ranges *r, int64_t at)
{
	/* most additions are at the high end */
	if (r->count == 0 || r->items[r->count - 1].to < at)
		return r->count;
	uint32_t low = 0, high = r->count - 1;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (r->items[mid].to < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void erase(Ranges *r, uint32_t at, uint32_t n)
{
	memmove(&r->items[at], &r->items[at + n], (r->count - at - n) * sizeof *r->items);
	r->count -= n;
}

/* One more cell than the cap is kept, so that the rule sees the new interval too. */
static bool make_room(Ranges *r)
{
	if (r->count < r->room)
		return true;
	uint32_t room = r->room ? r->room * 2 : FIRST_ROOM;
	if (room > r->cap + 1)
		room = r->cap + 1;
	Range *items = realloc(r->items, room * sizeof *items);
	if (!items)
		return false;
	r->items = items;
	r->room = room;
	return true;
}

static void apply_rule(Ranges *r)
{
	if (r->count <= r->cap)
		return;
	r->forced++;
	if (r->rule == RANGES_DROP_LOWEST || r->count < 2) {
		erase(r, 0, 1);
		return;
	}
	uint32_t best = 0;
	for (uint32_t i = 1; i + 1 < r->count; i++) {
		/* unsigned: a gap may be wider than an int64_t can say */
		uint64_t gap = (uint64_t)r->items[i + 1].from - (uint64_t)r->items[i].to;
		if (gap < (uint64_t)r->items[best + 1].from - (uint64_t)r->items[best].to)
			best = i;
	}
	r->items[best].to = r->items[best + 1].to;
	erase(r, best + 1, 1);
}

static bool insert(Ranges *r, uint32_t at, int64_t from, int64_t to)
{
	if (!make_room(r)) {
		r->forced++;
		return false;
	}
	memmove(&r->items[at + 1], &r->items[at], (r->count - at) * sizeof *r->items);
	r->items[at] = (Range){from, to};
	r->count++;
	apply_rule(r);
	return true;
}

int64_t ranges_add(Ranges *ranges, int64_t from, int64_t to)
{
	if (from >= to)
		return 0;
	uint32_t at = first_ending_at(ranges, from), end = at;
	int64_t known = 0, low = from, high = to;
	for (; end < ranges->count && ranges->items[end].from <= to; end++) {
		const Range *item = &ranges->items[end];
		int64_t shared_from = item->from > from ? item->from : from;
		int64_t shared_to = item->to < to ? item->to : to;
		known += shared_to - shared_from;
		low = item->from < low ? item->from : low;
		high = item->to > high ? item->to : high;
	}
	if (end == at) {
		insert(ranges, at, from, to);
	} else {
		ranges->items[at] = (Range){low, high};
		erase(ranges, at + 1, end - at - 1);
	}
	return to - from - known;
}

int64_t ranges_remove(Ranges *ranges, int64_t from, int64_t to)
{
	if (from >= to)
		return 0;
	int64_t removed = 0;
	uint32_t i = first_ending_at(ranges, from);
	while (i < ranges->count && ranges->items[i].from < to) {
		Range *item = &ranges->items[i];
		if (item->to <= from) {
			i++;
			continue;
		}
		Range old = *item;
		removed += (old.to < to ? old.to : to) - (old.from > from ? old.from : from);
		if (old.from < from && old.to > to) {
			item->to = from;
			insert(ranges, i + 1, to, old.to);
			break;
		}
		if (old.from < from) {
			item->to = from;
			i++;
		} else if (old.to > to) {
			item->from = to;
			break;
		} else {
			erase(ranges, i, 1);
		}
	}
	return removed;
}

int64_t ranges_covered(const Ranges *ranges, int64_t from, int64_t to)
{
	int64_t covered = 0;
	for (uint32_t i = first_ending_at(ranges, from);
		i < ranges->count && ranges->items[i].from < to; i++) {
		const Range *item = &ranges->items[i];
		int64_t shared_from = item->from > from ? item->from : from;
		int64_t shared_to = item->to < to ? item->to : to;
		if (shared_from < shared_to)
			covered += shared_to - shared_from;
	}
	return covered;
}

bool ranges_intersects(const Ranges *ranges, int64_t from, int64_t to)
{
	if (from >= to)
		return false;
	const Range *item = ranges_find(ranges, from);
	return item && item->from < to;
}

bool ranges_contains(const Ranges *ranges, int64_t from, int64_t to)
{
	if (from >= to)
		return true;
	const Range *item = ranges_find(ranges, from);
	return item && item->from <= from && to <= item->to;
}

const Range *ranges_find(const Ranges *ranges, int64_t at)
{
	uint32_t i = first_ending_at(ranges, at);
	if (i < ranges->count && ranges->items[i].to == at)
		i++; /* ends just before @at */
	return i < ranges->count ? &ranges->items[i] : NULL;
}

const Range *ranges_first(const Ranges *ranges)
{
	return ranges->count ? &ranges->items[0] : NULL;
}

const Range *ranges_last(const Ranges *ranges)
{
	return ranges->count ? &ranges->items[ranges->count - 1] : NULL;
}

size_t ranges_count(const Ranges *ranges)
{
	return ranges->count;
}

int64_t ranges_total(const Ranges *ranges)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < ranges->count; i++)
		total += ranges->items[i].to - ranges->items[i].from;
	return total;
}

void ranges_clear(Ranges *ranges)
{
	free(ranges->items);
	ranges->items = NULL;
	ranges->count = ranges->room = 0;
}
