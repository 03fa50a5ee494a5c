/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instalments of a result: see rolling.h.
 */
#include "analyzer/rolling.h"

#include <string.h>

#include "analyzer/constants.h"

void rolling_init(Rolling *rolling, uint32_t max_told)
{
	*rolling = (Rolling){
		.told = g_ptr_array_new_with_free_func(collection_unit_free), .max_told = max_told};
}

static bool is_settled(const Unit *unit, int64_t now_ns, int64_t settle_ns)
{
	/* a clock that stepped back must not hold anything for long */
	return now_ns - unit->account.end_ns >= settle_ns || now_ns < unit->account.start_ns;
}

/* Jobs that wait, so that their files wait with them. */
static GHashTable *jobs_waiting(const GPtrArray *units, int64_t now_ns, int64_t settle_ns)
{
	GHashTable *waiting = g_hash_table_new(g_int64_hash, g_int64_equal);
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		if (u->is_job && !is_settled(u, now_ns, settle_ns))
			g_hash_table_add(waiting, &u->serial);
	}
	return waiting;
}

bool rolling_is_full(const Collection *collection)
{
	return collection->units->len >= collection->max_units / 2;
}

GPtrArray *rolling_select(Rolling *rolling, Collection *collection, const Tracker *tracker,
	int64_t now_ns, int64_t settle_ns, bool takes_all)
{
	GPtrArray *ripe = g_ptr_array_new_with_free_func(collection_unit_free);
	GPtrArray *units = collection->units;
	bool is_full = rolling_is_full(collection);
	g_autoptr(GHashTable) waiting = jobs_waiting(units, now_ns, settle_ns);
	guint kept = 0;
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		bool has_job = !u->is_job && u->job_serial != 0;
		bool is_held = has_job && (tracker_job_is_open(tracker, u->job_serial) ||
						  g_hash_table_contains(waiting, &u->job_serial));
		bool is_ripe = !is_held && is_settled(u, now_ns, settle_ns);
		if (!takes_all && !is_full && !is_ripe) {
			units->pdata[kept++] = u;
			continue;
		}
		rolling->told_early += !takes_all && is_held;
		g_ptr_array_add(ripe, u);
	}
	g_ptr_array_set_free_func(units, NULL);
	g_ptr_array_set_size(units, (gint)kept);
	g_ptr_array_set_free_func(units, collection_unit_free);
	return ripe;
}

static void facts_add(Rolling *rolling, GPtrArray *list, ConnectionFacts *facts)
{
	if (!facts || facts->mark == rolling->mark)
		return;
	facts->mark = rolling->mark;
	g_ptr_array_add(list, facts);
}

/* Each connection once, those of new units first. Returns how many these are. */
static guint facts_list(Rolling *rolling, const GPtrArray *units, GPtrArray *list)
{
	rolling->mark++;
	for (guint i = 0; i < units->len; i++) {
		const Unit *u = units->pdata[i];
		facts_add(rolling, list, u->facts);
		facts_add(rolling, list, u->control);
	}
	guint fresh = list->len;
	for (guint i = 0; i < rolling->told->len; i++) {
		const Unit *u = rolling->told->pdata[i];
		facts_add(rolling, list, u->facts);
		facts_add(rolling, list, u->control);
	}
	return fresh;
}

/* Connections that have ended and nobody refers to. */
static void drop_facts(Collection *collection)
{
	GPtrArray *facts = collection->facts;
	for (guint i = facts->len; i > 0; i--) {
		if (((ConnectionFacts *)facts->pdata[i - 1])->units == 0)
			g_ptr_array_remove_index_fast(facts, i - 1);
	}
}

bool rolling_forget(Rolling *rolling, Collection *collection)
{
	if (rolling->told->len == 0)
		return false;
	g_ptr_array_remove_range(rolling->told, 0, rolling->told->len / 4 + 1);
	drop_facts(collection);
	return true;
}

/* Forgets what is too old to be compared with. */
static void prune(Rolling *rolling, Collection *collection, int64_t now_ns)
{
	GPtrArray *told = rolling->told;
	guint old = told->len > rolling->max_told ? told->len - rolling->max_told : 0;
	while (old < told->len &&
		now_ns - ((Unit *)told->pdata[old])->account.end_ns > ROLLING_HISTORY_NS)
		old++;
	if (old > 0)
		g_ptr_array_remove_range(told, 0, old);
	drop_facts(collection);
}

static void keep_told(Rolling *rolling, GPtrArray *units)
{
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		unit_drop_series(u);
		g_ptr_array_add(rolling->told, u);
	}
	g_ptr_array_set_free_func(units, NULL);
	g_ptr_array_set_size(units, 0);
	g_ptr_array_set_free_func(units, collection_unit_free);
}

Result *rolling_build(Rolling *rolling, Collection *collection, GPtrArray *units,
	const CaptureTotals *totals, const Reader *reader)
{
	Collection part;
	collection_init(&part);
	g_ptr_array_unref(part.units);
	part.units = units;
	g_ptr_array_set_free_func(part.facts, NULL);
	guint fresh = facts_list(rolling, units, part.facts);
	for (guint i = 0; i < fresh; i++)
		collection_keep(&part, part.facts->pdata[i]);
	part.stalls = collection->stalls;
	memcpy(part.stall_items, collection->stall_items, sizeof(part.stall_items));
	part.stalls.items = part.stall_items;
	topk_init(&collection->stalls, collection->stall_items, COLLECTION_STALLS);
	part.units_dropped = collection->units_dropped;
	part.history = (Unit *const *)rolling->told->pdata;
	part.history_count = rolling->told->len;
	part.first_transfer = rolling->transfers;
	part.first_job = rolling->jobs;
	part.first_finding = rolling->findings;
	Result *result = result_build(&part, totals, reader);
	rolling->transfers += (uint32_t)result->transfer_count;
	rolling->jobs += (uint32_t)result->job_count;
	rolling->findings += (uint32_t)result->finding_count;
	keep_told(rolling, part.units);
	collection_clear(&part);
	prune(rolling, collection, totals->last_ns);
	return result;
}

void rolling_clear(Rolling *rolling)
{
	g_ptr_array_unref(rolling->told);
}
