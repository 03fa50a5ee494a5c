/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results in instalments, for an analysis that never ends: what has finished since the last time is
 * diagnosed, told of once, kept a while so that later transfers can be compared with it, and
 * forgotten.
 */
#ifndef SLOWCOPY_ANALYZER_ROLLING_H
#define SLOWCOPY_ANALYZER_ROLLING_H

#include <glib.h>

#include "analyzer/collection.h"
#include "analyzer/result_build.h"

/* Transfers are compared with those of the last ten minutes: who copies a file back and forth, or
 * again, does so at once. */
#define ROLLING_HISTORY_NS (600 * INT64_C(1000000000))

typedef struct Rolling {
	GPtrArray *told; /* Unit, owned, in order of telling */
	uint32_t max_told;
	uint32_t transfers, jobs, findings; /* numbered so far */
	uint64_t told_early; /* files told of before their job was over: no room to wait */
	uint64_t mark;
} Rolling;

/** rolling_init: @max_told: units kept for comparison. */
void rolling_init(Rolling *rolling, uint32_t max_told);

/** rolling_is_full: @collection is filled by half: nothing may wait any more. */
bool rolling_is_full(const Collection *collection);

/**
 * rolling_select: takes the units of @collection that are ripe at @now_ns: their job is over and
 * @settle_ns have passed; all of them when @takes_all or when rolling_is_full.
 * Ownership: an array that owns its units; empty when there are none.
 */
GPtrArray *rolling_select(Rolling *rolling, Collection *collection, const Tracker *tracker,
	int64_t now_ns, int64_t settle_ns, bool takes_all);

/**
 * rolling_build: the Result of @units (of rolling_select; taken over). Facts of connections that go
 * on must be fresh (tracker_facts_now). The caller frees with result_free().
 */
Result *rolling_build(Rolling *rolling, Collection *collection, GPtrArray *units,
	const CaptureTotals *totals, const Reader *reader);

/** rolling_forget: gives the memory of a quarter of the units told of back, the oldest. False when
 * there are none. */
bool rolling_forget(Rolling *rolling, Collection *collection);

/** rolling_clear: before collection_clear. */
void rolling_clear(Rolling *rolling);

#endif
