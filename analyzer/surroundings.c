/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units by host pair and by job, connections by host: see surroundings.h.
 */
#include "analyzer/surroundings.h"

#include <string.h>

#include <glib.h>

#include "analyzer/base/hash.h"

typedef struct HostPair {
	uint8_t low[16], high[16];
} HostPair;

/** Between: what passed between two hosts. */
typedef struct Between {
	HostPair key;
	GPtrArray *units;       /* Unit */
	GArray *facts;          /* uint32_t: places in the list of all */
	GPtrArray *connections; /* of either host; NULL until asked for */
} Between;

/** Host: the connections of one. */
typedef struct Host {
	uint8_t addr[16];
	GArray *facts; /* uint32_t, ascending */
	bool is_cut;   /* to the largest, once it is asked for */
} Host;

struct Surroundings {
	const ConnectionFacts *const *facts;
	GHashTable *pairs; /* Between by HostPair */
	GHashTable *hosts; /* Host by address */
	GHashTable *jobs;  /* GPtrArray of Unit by serial */
};

static guint pair_hash(gconstpointer key)
{
	return (guint)hash_bytes(key, sizeof(HostPair));
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(HostPair)) == 0;
}

static guint host_hash(gconstpointer key)
{
	return (guint)hash_bytes(key, 16);
}

static gboolean host_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 16) == 0;
}

static void between_free(gpointer data)
{
	Between *between = data;
	g_ptr_array_unref(between->units);
	g_array_unref(between->facts);
	if (between->connections)
		g_ptr_array_unref(between->connections);
	g_free(between);
}

static void host_free(gpointer data)
{
	Host *host = data;
	g_array_unref(host->facts);
	g_free(host);
}

static void array_free(gpointer data)
{
	g_ptr_array_unref(data);
}

static Between *between_of(Surroundings *surroundings, const uint8_t a[16], const uint8_t b[16])
{
	HostPair key;
	bool is_ordered = memcmp(a, b, 16) <= 0;
	memcpy(key.low, is_ordered ? a : b, 16);
	memcpy(key.high, is_ordered ? b : a, 16);
	Between *between = g_hash_table_lookup(surroundings->pairs, &key);
	if (between)
		return between;
	between = g_new0(Between, 1);
	between->key = key;
	between->units = g_ptr_array_new();
	between->facts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_hash_table_insert(surroundings->pairs, &between->key, between);
	return between;
}

static Host *host_of(Surroundings *surroundings, const uint8_t addr[16])
{
	Host *host = g_hash_table_lookup(surroundings->hosts, addr);
	if (host)
		return host;
	host = g_new0(Host, 1);
	memcpy(host->addr, addr, 16);
	host->facts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_hash_table_insert(surroundings->hosts, host->addr, host);
	return host;
}

static void take_unit(Surroundings *surroundings, Unit *unit)
{
	g_ptr_array_add(between_of(surroundings, unit->addr[0], unit->addr[1])->units, unit);
	if (unit->is_job || unit->job_serial == 0)
		return;
	GPtrArray *files = g_hash_table_lookup(surroundings->jobs, &unit->job_serial);
	if (!files) {
		files = g_ptr_array_new();
		g_hash_table_insert(surroundings->jobs, &unit->job_serial, files);
	}
	g_ptr_array_add(files, unit);
}

static void take_connection(Surroundings *surroundings, uint32_t at)
{
	const ConnectionFacts *c = surroundings->facts[at];
	g_array_append_val(between_of(surroundings, c->addr[0], c->addr[1])->facts, at);
	g_array_append_val(host_of(surroundings, c->addr[0])->facts, at);
	if (memcmp(c->addr[0], c->addr[1], 16) != 0)
		g_array_append_val(host_of(surroundings, c->addr[1])->facts, at);
}

Surroundings *surroundings_new(Unit *const *units, uint32_t unit_count,
	const ConnectionFacts *const *facts, uint32_t fact_count)
{
	Surroundings *surroundings = g_new0(Surroundings, 1);
	surroundings->facts = facts;
	surroundings->pairs = g_hash_table_new_full(pair_hash, pair_equal, NULL, between_free);
	surroundings->hosts = g_hash_table_new_full(host_hash, host_equal, NULL, host_free);
	surroundings->jobs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, array_free);
	for (uint32_t i = 0; i < unit_count; i++)
		take_unit(surroundings, units[i]);
	for (uint32_t i = 0; i < fact_count; i++)
		take_connection(surroundings, i);
	return surroundings;
}

const Unit *const *surroundings_units(
	Surroundings *surroundings, const Unit *unit, uint32_t *ret_count)
{
	const Between *between = between_of(surroundings, unit->addr[0], unit->addr[1]);
	*ret_count = between->units->len;
	return (const Unit *const *)(void *)between->units->pdata;
}

static uint64_t wire_bytes(const ConnectionFacts *c)
{
	return c->tcp.dir[0].wire_bytes + c->tcp.dir[1].wire_bytes;
}

static gint by_size(gconstpointer a, gconstpointer b, gpointer data)
{
	const Surroundings *surroundings = data;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = wire_bytes(surroundings->facts[i]), y = wire_bytes(surroundings->facts[k]);
	if (x != y)
		return x > y ? -1 : 1;
	return i < k ? -1 : i > k;
}

static gint by_place(gconstpointer a, gconstpointer b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	return i < k ? -1 : i > k;
}

static const GArray *largest_of(Surroundings *surroundings, const uint8_t addr[16])
{
	Host *host = host_of(surroundings, addr);
	if (!host->is_cut && host->facts->len > SURROUNDINGS_MAX_CONNECTIONS) {
		g_array_sort_with_data(host->facts, by_size, surroundings);
		g_array_set_size(host->facts, SURROUNDINGS_MAX_CONNECTIONS);
		g_array_sort(host->facts, by_place);
	}
	host->is_cut = true;
	return host->facts;
}

/* The lists are in order of place; what stands in more than one of them is taken once. */
static void connections_join(Surroundings *surroundings, Between *between)
{
	const GArray *parts[] = {between->facts, largest_of(surroundings, between->key.low),
		largest_of(surroundings, between->key.high)};
	guint at[G_N_ELEMENTS(parts)] = {0}, room = 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
		room += parts[i]->len;
	between->connections = g_ptr_array_sized_new(room);
	for (;;) {
		uint32_t next = UINT32_MAX;
		for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
			if (at[i] < parts[i]->len)
				next = MIN(next, g_array_index(parts[i], uint32_t, at[i]));
		}
		if (next == UINT32_MAX)
			return;
		for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
			at[i] += at[i] < parts[i]->len &&
				 g_array_index(parts[i], uint32_t, at[i]) == next;
		g_ptr_array_add(
			between->connections, (gpointer)(uintptr_t)surroundings->facts[next]);
	}
}

const ConnectionFacts *const *surroundings_connections(
	Surroundings *surroundings, const Unit *unit, uint32_t *ret_count)
{
	Between *between = between_of(surroundings, unit->addr[0], unit->addr[1]);
	if (!between->connections)
		connections_join(surroundings, between);
	*ret_count = between->connections->len;
	return (const ConnectionFacts *const *)(void *)between->connections->pdata;
}

const Unit *const *surroundings_files(
	Surroundings *surroundings, uint64_t serial, uint32_t *ret_count)
{
	const GPtrArray *files = g_hash_table_lookup(surroundings->jobs, &serial);
	*ret_count = files ? files->len : 0;
	return files ? (const Unit *const *)(void *)files->pdata : NULL;
}

void surroundings_free(Surroundings *surroundings)
{
	if (!surroundings)
		return;
	g_hash_table_unref(surroundings->pairs);
	g_hash_table_unref(surroundings->hosts);
	g_hash_table_unref(surroundings->jobs);
	g_free(surroundings);
}
