/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which connection a packet belongs to: open addressing, power of two, seeded hash kept in the
 * slot, backward-shift deletion, and an LRU list. Sized once from a budget. GHashTable cannot
 * prefetch its slots; that is worth 1.5 to 1.9 times here (docs/architecture.md).
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_FLOW_TABLE_H
#define SLOWCOPY_ANALYZER_FLOW_FLOW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/flow/flow_key.h"

/** Flow: one entry; its user area follows, aligned to 64 bytes. Lives until evicted or removed. */
typedef struct Flow {
	FlowKey key;
	uint64_t hash;
	int64_t last_ns;    /* latest time of its packets */
	int64_t touched_ns; /* when it last moved to the young end */
	struct Flow *lru_prev, *lru_next;
	void *user; /* the user area, user_size bytes, zeroed when the flow is made */
} Flow;

#define FLOW_CACHE_LINE 64
/* A flow moves to the young end at most this often: touching its neighbours costs more than the
 * order is worth. */
#define FLOW_TOUCH_NS (INT64_C(100) * 1000 * 1000)
/* The user area begins on a line of its own. */
#define FLOW_HEAD_BYTES ((sizeof(Flow) + FLOW_CACHE_LINE - 1) / FLOW_CACHE_LINE * FLOW_CACHE_LINE)

/** flow_table_user: address of the user area, without reading the flow. */
static inline void *flow_table_user(Flow *flow)
{
	return (char *)flow + FLOW_HEAD_BYTES;
}

typedef struct FlowTable FlowTable;

/** FlowEvict: told before a flow goes away for lack of room; must not touch the table. */
typedef void (*FlowEvict)(void *context, Flow *flow);

/**
 * flow_table_new: a table for at most @max_flows (>= 16) flows with @user_size bytes each. The slot
 * array and the slab grow in steps up to that, never beyond. NULL when memory is refused.
 */
FlowTable *flow_table_new(size_t max_flows, size_t user_size, FlowEvict evict, void *context);

/** FlowWanted: whether @flow should outlive others that were used later. */
typedef bool (*FlowWanted)(void *context, const Flow *flow);

/** flow_table_protect: from now on wanted flows are evicted only when several in a row are. */
void flow_table_protect(FlowTable *table, FlowWanted wanted);

/** flow_table_prefetch_slot: first of two prefetch passes over a batch. */
void flow_table_prefetch_slot(const FlowTable *table, uint64_t hash);

/**
 * flow_table_prefetch_flow: second pass: the head of the flow, if its slot is there. Returns the
 * flow, whose user area the caller may prefetch but must not read yet, or NULL.
 */
Flow *flow_table_prefetch_flow(const FlowTable *table, uint64_t hash);

/** flow_table_find: the flow of @key, or NULL. Does not touch the LRU. */
Flow *flow_table_find(const FlowTable *table, const FlowKey *key, uint64_t hash);

/**
 * flow_table_get: finds or makes the flow and moves it to the young end of the LRU (at most once in
 * FLOW_TOUCH_NS).
 * @ret_is_new: whether it was made. Evicts the oldest when full. Never NULL.
 */
Flow *flow_table_get(
	FlowTable *table, const FlowKey *key, uint64_t hash, int64_t now_ns, bool *ret_is_new);

/**
 * flow_table_get_near: the same. @near: what flow_table_prefetch_flow() said, valid as long as no
 * flow was evicted or removed since (flow_table_evictions()); or NULL.
 */
Flow *flow_table_get_near(FlowTable *table, Flow *near, const FlowKey *key, uint64_t hash,
	int64_t now_ns, bool *ret_is_new);

/**
 * flow_table_hit: whether flow_table_get_near() for @near (may be NULL) and @key would return @near
 * and leave the LRU as it is; then its time is brought up to @now_ns.
 */
static inline bool flow_table_hit(Flow *near, const FlowKey *key, int64_t now_ns)
{
	if (!near || !flow_key_equal(&near->key, key) || now_ns - near->touched_ns >= FLOW_TOUCH_NS)
		return false;
	if (now_ns > near->last_ns)
		near->last_ns = now_ns;
	return true;
}

/** flow_table_remove: takes @flow out without calling evict; its memory is reused. */
void flow_table_remove(FlowTable *table, Flow *flow);

/** flow_table_evict: evicts the least recently used flow, if there is one, as for lack of room. */
void flow_table_evict(FlowTable *table);

/** flow_table_oldest: the least recently used flow, or NULL; walk on with lru_next towards the
 * young end. flow_table_newest: the other end; walk on with lru_prev. */
Flow *flow_table_oldest(const FlowTable *table);
Flow *flow_table_newest(const FlowTable *table);

/** flow_table_count: flows in the table. flow_table_evictions: how many were evicted for lack of
 * room. */
size_t flow_table_count(const FlowTable *table);
uint64_t flow_table_evictions(const FlowTable *table);

/** flow_table_free: frees all without calling evict; NULL is allowed. */
void flow_table_free(FlowTable *table);

#endif
