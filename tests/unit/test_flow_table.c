/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flow table: against GHashTable and a list in order of use, with real and with colliding hashes;
 * and a million flows.
 */
#include "analyzer/flow/flow_table.h"

#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "tests/tools/random.h"

#define USER_BYTES 100

/* The model: keys in order of use, oldest first; a flow's number stands in its user area. */
typedef struct Model {
	GHashTable *numbers; /* FlowKey -> number */
	GQueue *order;       /* FlowKey, oldest first */
	uint64_t evictions;
	FlowKey evicted;
	uint64_t next_number;
} Model;

static guint key_hash(gconstpointer key)
{
	return (guint)flow_key_hash(key);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(FlowKey)) == 0;
}

static void model_forget(Model *m, const FlowKey *key)
{
	GList *link = m->order->head;
	while (link && !key_equal(link->data, key))
		link = link->next;
	cr_assert_not_null(link);
	g_queue_delete_link(m->order, link);
	g_hash_table_remove(m->numbers, key);
}

static void on_evict(void *context, Flow *flow)
{
	Model *m = context;
	m->evictions++;
	m->evicted = flow->key;
	cr_assert_eq(
		*(uint64_t *)flow->user, *(uint64_t *)g_hash_table_lookup(m->numbers, &flow->key));
	cr_assert(key_equal(m->order->head->data, &flow->key), "the oldest goes");
	model_forget(m, &flow->key);
}

static FlowKey random_key(Random *random, uint64_t different)
{
	FlowKey key = {.protocol = 6};
	uint64_t n = random_below(random, different);
	memcpy(key.low_addr, &n, sizeof n);
	return key;
}

/* Bits of the hash used: 64 as in life, few to force long runs around the end of the slot array. */
static uint64_t hash_of(const FlowKey *key, unsigned bits)
{
	uint64_t hash = flow_key_hash(key);
	return bits == 64 ? hash : (hash & ((UINT64_C(1) << bits) - 1)) - 2;
}

static void check_order(const FlowTable *table, const Model *m)
{
	const GList *link = m->order->head;
	for (Flow *flow = flow_table_oldest(table); flow; flow = flow->lru_next) {
		cr_assert_not_null(link);
		cr_assert(key_equal(link->data, &flow->key));
		link = link->next;
	}
	cr_assert_null(link);
}

static void step_get(FlowTable *table, Model *m, const FlowKey *key, uint64_t hash, int64_t now)
{
	uint64_t *known = g_hash_table_lookup(m->numbers, key);
	bool is_new;
	flow_table_prefetch_slot(table, hash);
	flow_table_prefetch_flow(table, hash);
	Flow *flow = flow_table_get(table, key, hash, now, &is_new);
	cr_assert_not_null(flow);
	cr_assert_eq(is_new, known == NULL);
	cr_assert(key_equal(&flow->key, key));
	cr_assert_eq(flow->last_ns, now);
	cr_assert_eq((uintptr_t)flow->user % 64, 0);
	FlowKey *copy = g_memdup2(key, sizeof *key);
	if (known) {
		cr_assert_eq(*(uint64_t *)flow->user, *known);
		uint64_t number = *known;
		model_forget(m, key);
		g_hash_table_insert(m->numbers, copy, g_memdup2(&number, sizeof number));
	} else {
		for (size_t i = 0; i < USER_BYTES; i++)
			cr_assert_eq(((uint8_t *)flow->user)[i], 0, "user area is zeroed");
		memset(flow->user, 0xee, USER_BYTES);
		uint64_t number = m->next_number++;
		*(uint64_t *)flow->user = number;
		g_hash_table_insert(m->numbers, copy, g_memdup2(&number, sizeof number));
	}
	g_queue_push_tail(m->order, copy);
}

static void run_random(Random *random, size_t max_flows, uint64_t different, unsigned hash_bits)
{
	Model m = {.numbers = g_hash_table_new_full(key_hash, key_equal, g_free, g_free),
		.order = g_queue_new()};
	FlowTable *table = flow_table_new(max_flows, USER_BYTES, on_evict, &m);
	for (int64_t now = 0; now < 6000; now++) {
		FlowKey key = random_key(random, different);
		uint64_t hash = hash_of(&key, hash_bits);
		Flow *found = flow_table_find(table, &key, hash);
		cr_assert_eq(found != NULL, g_hash_table_contains(m.numbers, &key));
		if (random_below(random, 100) < 88) {
			step_get(table, &m, &key, hash, now * FLOW_TOUCH_NS);
		} else if (found) {
			model_forget(&m, &key);
			flow_table_remove(table, found);
			cr_assert_null(flow_table_find(table, &key, hash));
		}
		cr_assert_eq(flow_table_count(table), g_hash_table_size(m.numbers));
		cr_assert_leq(flow_table_count(table), max_flows);
		if (now % 50 == 0)
			check_order(table, &m);
	}
	check_order(table, &m);
	cr_assert_eq(flow_table_evictions(table), m.evictions);
	if (different > max_flows)
		cr_assert_gt(m.evictions, 0);
	flow_table_free(table);
	g_hash_table_destroy(m.numbers);
	g_queue_free(m.order);
}

Test(flow_table, random_operations_match_ghashtable)
{
	Random random = random_start();
	run_random(&random, 16, 40, 64);
	run_random(&random, 16, 40, 2);
	run_random(&random, 250, 300, 4);
	run_random(&random, 1000, 700, 64);
	run_random(&random, 1000, 2000, 64);
}

Test(flow_table, a_million_flows)
{
	enum { FLOWS = 1000000 };
	FlowTable *table = flow_table_new(FLOWS, 64, NULL, NULL);
	bool is_new;
	for (uint64_t round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < FLOWS; i++) {
			FlowKey key = {.protocol = 6};
			memcpy(key.high_addr, &i, sizeof i);
			Flow *flow = flow_table_get(table, &key, flow_key_hash(&key),
				(int64_t)i * FLOW_TOUCH_NS, &is_new);
			cr_assert_eq(is_new, round == 0);
			if (is_new)
				*(uint64_t *)flow->user = i;
			else
				cr_assert_eq(*(uint64_t *)flow->user, i);
		}
	}
	cr_assert_eq(flow_table_count(table), FLOWS);
	cr_assert_eq(flow_table_evictions(table), 0);
	/* half a million more push out the older half */
	for (uint64_t i = FLOWS; i < FLOWS * 3 / 2; i++) {
		FlowKey key = {.protocol = 6};
		memcpy(key.high_addr, &i, sizeof i);
		flow_table_get(
			table, &key, flow_key_hash(&key), (int64_t)i * FLOW_TOUCH_NS, &is_new);
		cr_assert(is_new);
	}
	cr_assert_eq(flow_table_count(table), FLOWS);
	cr_assert_eq(flow_table_evictions(table), FLOWS / 2);
	cr_assert_eq(*(uint64_t *)flow_table_oldest(table)->user, FLOWS / 2);
	while (flow_table_oldest(table))
		flow_table_remove(table, flow_table_oldest(table));
	cr_assert_eq(flow_table_count(table), 0);
	flow_table_free(table);
	flow_table_free(NULL);
}

static bool is_even(void *context, const Flow *flow)
{
	(void)context;
	return *(const uint64_t *)flow->user % 2 == 0;
}

static void count_odd(void *context, Flow *flow)
{
	*(uint64_t *)context += *(const uint64_t *)flow->user % 2;
}

Test(flow_table, wanted_flows_outlive_others)
{
	uint64_t odd = 0, number = 0;
	FlowTable *table = flow_table_new(64, USER_BYTES, count_odd, &odd);
	flow_table_protect(table, is_even);
	/* eight wanted ones come first, and then a flood */
	for (; number < 10000; number++) {
		FlowKey key = {.protocol = 6};
		bool is_new;
		memcpy(key.low_addr, &number, sizeof number);
		Flow *flow =
			flow_table_get(table, &key, flow_key_hash(&key), (int64_t)number, &is_new);
		*(uint64_t *)flow->user = number < 8 ? 2 * number : 2 * number + 1;
	}
	for (uint64_t n = 0; n < 8; n++) {
		FlowKey key = {.protocol = 6};
		memcpy(key.low_addr, &n, sizeof n);
		cr_expect_not_null(flow_table_find(table, &key, flow_key_hash(&key)));
	}
	cr_assert_eq(odd, flow_table_evictions(table), "only others went");
	/* where all are wanted, room is made nevertheless */
	for (; number < 12000; number++) {
		FlowKey key = {.protocol = 6};
		bool is_new;
		memcpy(key.low_addr, &number, sizeof number);
		Flow *flow =
			flow_table_get(table, &key, flow_key_hash(&key), (int64_t)number, &is_new);
		cr_assert(is_new);
		*(uint64_t *)flow->user = 0;
	}
	cr_assert_leq(flow_table_count(table), 64);
	flow_table_free(table);
}
