/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open addressing with linear probing. A slot holds the whole hash, so that probing and growing
 * touch no flow; deletion shifts the run back instead of leaving tombstones, so that a table that
 * evicts for days stays as fast as a new one.
 */
#include "analyzer/flow/flow_table.h"

#include <stdlib.h>

#include "analyzer/base/slab.h"

#define CACHE_LINE FLOW_CACHE_LINE
#define FIRST_SLOTS 256 /* power of two; 4 KiB */

typedef struct FlowSlot {
	uint64_t hash;
	Flow *flow; /* NULL: free */
} FlowSlot;

struct FlowTable {
	FlowSlot *slots;
	size_t mask;    /* slots less one; slots are a power of two */
	size_t grow_at; /* flows at which the slot array doubles */
	size_t count, max_flows;
	Flow *oldest, *youngest;
	Slab *slab;
	size_t user_size;
	FlowEvict evict;
	FlowWanted wanted; /* NULL: none is */
	void *context;
	uint64_t evictions;
};

/* Wanted flows in a row that are passed over: where nearly all are wanted, looking for one that is
 * not would cost more than it is worth. */
#define WANTED_TRIES 8
/* A table of 1 MiB stays in a core's cache: up to there room is cheaper than to probe. */
#define ROOMY_SLOTS ((size_t)1 << 16)

/* Runs stay short up to three quarters. */
static size_t fill_limit(size_t slots)
{
	return slots <= ROOMY_SLOTS ? slots / 4 : slots / 4 * 3;
}

FlowTable *flow_table_new(size_t max_flows, size_t user_size, FlowEvict evict, void *context)
{
	FlowTable *table = calloc(1, sizeof *table);
	if (!table)
		return NULL;
	table->max_flows = max_flows < 16 ? 16 : max_flows;
	table->user_size = user_size;
	table->evict = evict;
	table->context = context;
	table->slots = calloc(FIRST_SLOTS, sizeof *table->slots);
	table->mask = FIRST_SLOTS - 1;
	table->grow_at = fill_limit(FIRST_SLOTS);
	table->slab = slab_new(FLOW_HEAD_BYTES + user_size, table->max_flows);
	/* one cell now: flow_table_get() then always has something to evict */
	void *cell = table->slab ? slab_take(table->slab) : NULL;
	if (!table->slots || !cell) {
		flow_table_free(table);
		return NULL;
	}
	slab_give(table->slab, cell);
	return table;
}

void flow_table_prefetch_slot(const FlowTable *table, uint64_t hash)
{
	__builtin_prefetch(&table->slots[hash & table->mask]);
}

Flow *flow_table_prefetch_flow(const FlowTable *table, uint64_t hash)
{
	for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
		const FlowSlot *slot = &table->slots[i];
		if (!slot->flow)
			return NULL;
		if (slot->hash != hash)
			continue;
		/* what flow_table_hit() looks at is its first line */
		__builtin_prefetch(slot->flow, 1);
		return slot->flow;
	}
}

/* Index of the slot of @key, or of the free one that ends its run. */
static size_t slot_of(const FlowTable *table, const FlowKey *key, uint64_t hash)
{
	for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
		const FlowSlot *slot = &table->slots[i];
		if (!slot->flow || (slot->hash == hash && flow_key_equal(&slot->flow->key, key)))
			return i;
	}
}

Flow *flow_table_find(const FlowTable *table, const FlowKey *key, uint64_t hash)
{
	return table->slots[slot_of(table, key, hash)].flow;
}

static void lru_unlink(FlowTable *table, Flow *flow)
{
	*(flow->lru_prev ? &flow->lru_prev->lru_next : &table->oldest) = flow->lru_next;
	*(flow->lru_next ? &flow->lru_next->lru_prev : &table->youngest) = flow->lru_prev;
}

static void lru_append(FlowTable *table, Flow *flow)
{
	flow->lru_prev = table->youngest;
	flow->lru_next = NULL;
	*(table->youngest ? &table->youngest->lru_next : &table->oldest) = flow;
	table->youngest = flow;
}

/* Doubles the slot array; when the system has no memory the table stays as it is. */
static void slots_grow(FlowTable *table)
{
	size_t old_slots = table->mask + 1, slots = old_slots * 2;
	FlowSlot *old = table->slots, *new = calloc(slots, sizeof *new);
	if (!new) {
		/* as full as probing bears; beyond that flow_table_get() evicts */
		table->grow_at = old_slots / 8 * 7;
		return;
	}
	size_t mask = slots - 1;
	for (size_t s = 0; s < old_slots; s++) {
		if (!old[s].flow)
			continue;
		size_t i = old[s].hash & mask;
		while (new[i].flow)
			i = (i + 1) & mask;
		new[i] = old[s];
	}
	free(old);
	table->slots = new;
	table->mask = mask;
	table->grow_at = fill_limit(slots);
}

/* Closes the hole at @hole: every later slot of the run that may move nearer to its home does. */
static void slot_remove(FlowTable *table, size_t hole)
{
	size_t mask = table->mask;
	for (size_t i = (hole + 1) & mask; table->slots[i].flow; i = (i + 1) & mask) {
		size_t home = table->slots[i].hash & mask;
		/* it may move unless its home lies behind the hole, counted around the end */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			table->slots[hole] = table->slots[i];
			hole = i;
		}
	}
	table->slots[hole] = (FlowSlot){0};
}

void flow_table_remove(FlowTable *table, Flow *flow)
{
	size_t i = flow->hash & table->mask;
	while (table->slots[i].flow != flow)
		i = (i + 1) & table->mask;
	slot_remove(table, i);
	lru_unlink(table, flow);
	table->count--;
	slab_give(table->slab, flow);
}

static void evict_oldest(FlowTable *table)
{
	Flow *flow = table->oldest;
	for (int i = 0; i < WANTED_TRIES && table->wanted && flow->lru_next &&
			table->wanted(table->context, flow);
		i++) {
		lru_unlink(table, flow);
		lru_append(table, flow);
		flow = table->oldest;
	}
	table->evictions++;
	if (table->evict)
		table->evict(table->context, flow);
	flow_table_remove(table, flow);
}

static Flow *flow_make(FlowTable *table, const FlowKey *key, uint64_t hash)
{
	if (table->count >= table->max_flows)
		evict_oldest(table);
	if (table->count >= table->grow_at)
		slots_grow(table);
	if (table->count >= table->grow_at)
		evict_oldest(table);
	Flow *flow = slab_take(table->slab);
	while (!flow) {
		evict_oldest(table);
		flow = slab_take(table->slab);
	}
	flow->key = *key;
	flow->hash = hash;
	flow->user = (char *)flow + FLOW_HEAD_BYTES;
	table->slots[slot_of(table, key, hash)] = (FlowSlot){.hash = hash, .flow = flow};
	table->count++;
	lru_append(table, flow);
	return flow;
}

Flow *flow_table_get(
	FlowTable *table, const FlowKey *key, uint64_t hash, int64_t now_ns, bool *ret_is_new)
{
	return flow_table_get_near(table, NULL, key, hash, now_ns, ret_is_new);
}

Flow *flow_table_get_near(FlowTable *table, Flow *near, const FlowKey *key, uint64_t hash,
	int64_t now_ns, bool *ret_is_new)
{
	/* two keys may have one hash */
	Flow *flow =
		near && flow_key_equal(&near->key, key) ? near : flow_table_find(table, key, hash);
	*ret_is_new = !flow;
	if (!flow) {
		flow = flow_make(table, key, hash);
		flow->touched_ns = now_ns;
	} else if (table->youngest != flow && now_ns - flow->touched_ns >= FLOW_TOUCH_NS) {
		flow->touched_ns = now_ns;
		lru_unlink(table, flow);
		lru_append(table, flow);
	}
	if (*ret_is_new || now_ns > flow->last_ns)
		flow->last_ns = now_ns;
	return flow;
}

Flow *flow_table_oldest(const FlowTable *table)
{
	return table->oldest;
}

void flow_table_protect(FlowTable *table, FlowWanted wanted)
{
	table->wanted = wanted;
}

void flow_table_evict(FlowTable *table)
{
	if (table->oldest)
		evict_oldest(table);
}

Flow *flow_table_newest(const FlowTable *table)
{
	return table->youngest;
}

size_t flow_table_count(const FlowTable *table)
{
	return table->count;
}

uint64_t flow_table_evictions(const FlowTable *table)
{
	return table->evictions;
}

void flow_table_free(FlowTable *table)
{
	if (!table)
		return;
	slab_free(table->slab);
	free(table->slots);
	free(table);
}
