/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See result_hosts.h.
 */
#include "analyzer/result_hosts.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "analyzer/base/address.h"
#include "analyzer/constants.h"

/* The ways differ when one is twice as fast, both with enough bytes to be compared (as
 * direction-asymmetry). */
#define ASYMMETRY_MIN 2.0
#define ASYMMETRY_MIN_BYTES (1000 * 1000)
/* A connection that carried as much in so short a time shows what the path can do: ten times what
 * slow start of an ordinary path needs. */
#define REFERENCE_MIN_BYTES (1000 * 1000)

/** Pair: a host pair while it is added up. */
typedef struct Pair {
	ResultHostPair sum;
	GPtrArray *protocols;
	uint64_t largest[2]; /* bytes of the transfers that ways tell of, [0] a to b */
} Pair;

static double rate_of(const ResultTransfer *t)
{
	return t->duration_ns > 0 ? (double)t->bytes * 1e9 / (double)t->duration_ns : 0;
}

static Bucket dominant_of(const ResultTransfer *t, double *ret_share)
{
	size_t best = 0;
	for (size_t b = 1; b < BUCKET_COUNT; b++) {
		if (t->budget[b].ns > t->budget[best].ns)
			best = b;
	}
	*ret_share = t->duration_ns > 0 ? (double)t->budget[best].ns / (double)t->duration_ns : 0;
	return t->budget[best].bucket;
}

/* Of whom file data comes: of the client when it writes. */
static const uint8_t *sender_of(const ResultTransfer *t)
{
	return t->is_write ? t->client.addr : t->server.addr;
}

static const uint8_t *receiver_of(const ResultTransfer *t)
{
	return t->is_write ? t->server.addr : t->client.addr;
}

static void way_add(Pair *p, bool a_sends, const ResultTransfer *t, int32_t index)
{
	ResultHostWay *way = a_sends ? &p->sum.a_to_b : &p->sum.b_to_a;
	uint64_t *largest = &p->largest[a_sends ? 0 : 1];
	double rate = rate_of(t);
	way->bytes += t->bytes;
	way->bytes_per_s = MAX(way->bytes_per_s, rate);
	way->transfers++;
	if (t->is_write) {
		way->written_bytes += t->bytes;
		way->written_bytes_per_s = MAX(way->written_bytes_per_s, rate);
	} else {
		way->read_bytes += t->bytes;
		way->read_bytes_per_s = MAX(way->read_bytes_per_s, rate);
	}
	if (t->capacity_proven)
		way->capacity_bytes_per_s = MAX(way->capacity_bytes_per_s, t->capacity_bytes_per_s);
	if (way->slowest < 0 || t->bytes > *largest) {
		*largest = t->bytes;
		way->slowest = index;
		way->dominant = dominant_of(t, &way->dominant_share);
	}
}

static void pair_add_findings(Pair *p, const ResultTransfer *t, const Result *r)
{
	for (size_t i = 0; i < t->finding_count; i++) {
		int32_t f = (int32_t)t->findings[i];
		bool is_worse =
			p->sum.worst_finding < 0 ||
			r->findings[f].severity > r->findings[p->sum.worst_finding].severity;
		if (is_worse)
			p->sum.worst_finding = f;
	}
}

static void pair_add(Pair *p, const ResultTransfer *t, const Result *r)
{
	bool is_known = false;
	for (guint i = 0; i < p->protocols->len; i++)
		is_known |= strcmp(p->protocols->pdata[i], t->protocol) == 0;
	if (!is_known)
		g_ptr_array_add(p->protocols, (gpointer)(uintptr_t)t->protocol);
	pair_add_findings(p, t, r);
}

/* Beside a copy of files: a test program has nothing to be compared with but itself. */
static bool has_files(const Pair *p)
{
	for (guint i = 0; i < p->protocols->len; i++) {
		if (strcmp(p->protocols->pdata[i], "other") != 0)
			return true;
	}
	return false;
}

/* Of a job the files are counted. A test beside files is a reference, not one of them. */
static void pair_add_way(Pair *p, const ResultTransfer *t, int32_t index)
{
	if (t->is_job || t->bytes == 0 || (has_files(p) && strcmp(t->protocol, "other") == 0))
		return;
	way_add(p, memcmp(sender_of(t), p->sum.a, 16) == 0, t, index);
}

static gint by_bytes(gconstpointer a, gconstpointer b)
{
	const Pair *x = a, *y = b;
	uint64_t m = x->sum.a_to_b.bytes + x->sum.b_to_a.bytes,
		 n = y->sum.a_to_b.bytes + y->sum.b_to_a.bytes;
	if (m != n)
		return m > n ? -1 : 1;
	int c = memcmp(x->sum.a, y->sum.a, 16);
	return c ? c : memcmp(x->sum.b, y->sum.b, 16);
}

/* What a connection that is no transfer of files moved: a test program, another application. */
static void reference_take(ResultHostWay *way, double bytes_per_s, const char *name)
{
	if (bytes_per_s <= way->reference_bytes_per_s)
		return;
	way->reference_bytes_per_s = bytes_per_s;
	way->reference = name;
}

static void references_of_pair(const DiagnosisInput *input, const Result *r, Pair *p)
{
	for (size_t i = 0; i < r->connection_count; i++) {
		const ResultConnection *c = &r->connections[i];
		bool client_is_a = memcmp(c->client.addr, p->sum.a, 16) == 0;
		const uint8_t *other = client_is_a ? c->server.addr : c->client.addr;
		if (memcmp(client_is_a ? c->client.addr : c->server.addr, p->sum.a, 16) != 0 ||
			memcmp(other, p->sum.b, 16) != 0 || strcmp(c->protocol, "other") != 0 ||
			c->duration_ns <= 0)
			continue;
		const char *name = udp_test_program(c->server.port);
		if (!name)
			name = c->application
				       ? c->application
				       : arena_printf(input->arena, "TCP port %u", c->server.port);
		for (int side = 0; side < 2; side++) {
			const ResultDirection *d = &c->direction[side];
			if (d->unique_bytes < REFERENCE_MIN_BYTES)
				continue;
			bool a_sends = (side == SIDE_CLIENT) == client_is_a;
			reference_take(a_sends ? &p->sum.a_to_b : &p->sum.b_to_a,
				(double)d->unique_bytes * 1e9 / (double)c->duration_ns, name);
		}
	}
	for (size_t i = 0; i < r->udp_flow_count; i++) {
		const ResultUdpFlow *u = &r->udp_flows[i];
		bool a_sends = memcmp(u->from.addr, p->sum.a, 16) == 0 &&
			       memcmp(u->to.addr, p->sum.b, 16) == 0;
		bool b_sends = memcmp(u->from.addr, p->sum.b, 16) == 0 &&
			       memcmp(u->to.addr, p->sum.a, 16) == 0;
		if (u->bytes >= REFERENCE_MIN_BYTES && u->program && (a_sends || b_sends))
			reference_take(a_sends ? &p->sum.a_to_b : &p->sum.b_to_a, u->bytes_per_s,
				arena_printf(input->arena, "%s over UDP", u->program));
	}
}

/* Per byte moved, the bucket that grew most from @fast to @slow. */
static Bucket grown_most(const ResultTransfer *slow, const ResultTransfer *fast)
{
	Bucket best = BUCKET_LINK;
	double most = 0;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		double grown = (double)slow->budget[b].ns / (double)slow->bytes -
			       (double)fast->budget[b].ns / (double)fast->bytes;
		if (grown > most) {
			most = grown;
			best = slow->budget[b].bucket;
		}
	}
	return best;
}

static void asymmetry_tell(const DiagnosisInput *input, const Result *r, ResultHostPair *pair)
{
	const ResultHostWay *ways[2] = {&pair->a_to_b, &pair->b_to_a};
	if (ways[0]->bytes < ASYMMETRY_MIN_BYTES || ways[1]->bytes < ASYMMETRY_MIN_BYTES)
		return;
	const ResultTransfer *t[2] = {
		result_transfer(r, ways[0]->slowest), result_transfer(r, ways[1]->slowest)};
	double rate[2] = {rate_of(t[0]), rate_of(t[1])};
	int slow = rate[0] <= rate[1] ? 0 : 1;
	if (rate[slow] <= 0)
		return;
	pair->asymmetry = rate[1 - slow] / rate[slow];
	if (pair->asymmetry < ASYMMETRY_MIN)
		return;
	pair->asymmetry_bucket = grown_most(t[slow], t[1 - slow]);
	pair->asymmetry_text = arena_printf(input->arena,
		"%.1f times as fast the other way; what costs this way more is: %s",
		pair->asymmetry, bucket_title(pair->asymmetry_bucket));
}

static Pair *pair_get(GArray *pairs, GHashTable *index, const ResultTransfer *t)
{
	uint8_t key[32];
	bool client_first = memcmp(t->client.addr, t->server.addr, 16) <= 0;
	memcpy(key, client_first ? t->client.addr : t->server.addr, 16);
	memcpy(key + 16, client_first ? t->server.addr : t->client.addr, 16);
	g_autoptr(GBytes) bytes = g_bytes_new(key, sizeof(key));
	gpointer at = g_hash_table_lookup(index, bytes);
	if (!at) {
		Pair new = {.protocols = g_ptr_array_new()};
		memcpy(new.sum.a, key, 16);
		memcpy(new.sum.b, key + 16, 16);
		new.sum.worst_finding = new.sum.a_to_b.slowest = new.sum.b_to_a.slowest = -1;
		g_array_append_val(pairs, new);
		at = GUINT_TO_POINTER(pairs->len);
		g_hash_table_insert(index, g_bytes_ref(bytes), at);
	}
	return &g_array_index(pairs, Pair, GPOINTER_TO_UINT(at) - 1);
}

/* Pairs whose other connections are looked at: each costs a walk over all of them. */
#define REFERENCE_PAIRS 64

void result_host_pairs_build(const DiagnosisInput *input, Result *ret)
{
	g_autoptr(GArray) pairs = g_array_new(FALSE, TRUE, sizeof(Pair));
	g_autoptr(GHashTable) index = g_hash_table_new_full(
		g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
	for (uint32_t i = 0; i < input->unit_count; i++) {
		const ResultTransfer *t = &ret->transfers[i];
		pair_add(pair_get(pairs, index, t), t, ret);
	}
	for (uint32_t i = 0; i < input->unit_count; i++)
		pair_add_way(
			pair_get(pairs, index, &ret->transfers[i]), &ret->transfers[i], (int32_t)i);
	g_array_sort(pairs, by_bytes);
	ResultHostPair *list = arena_alloc_array(input->arena, pairs->len + 1u, sizeof(*list));
	for (guint i = 0; i < pairs->len; i++) {
		Pair *p = &g_array_index(pairs, Pair, i);
		if (i < REFERENCE_PAIRS && has_files(p))
			references_of_pair(input, ret, p);
		asymmetry_tell(input, ret, &p->sum);
		p->sum.protocol_count = p->protocols->len;
		p->sum.protocols = arena_memdup(
			input->arena, p->protocols->pdata, p->protocols->len * sizeof(char *));
		g_ptr_array_unref(p->protocols);
		list[i] = p->sum;
	}
	ret->host_pairs = list;
	ret->host_pair_count = pairs->len;
}

/* ---- transfers at the same time */

/* Told at most, and transfers of one: more are noise to a reader. */
#define MAX_SHARINGS 32
#define MAX_SHARES 16
/* Shorter overlaps are one file ending while the next begins. */
#define MIN_OVERLAP_NS (100 * MILLISECOND_NS)
/* Less than half of an even share, while the network held it back for half of its time. */
#define STARVED_SHARE 0.5
#define STARVED_NETWORK_SHARE 0.5

static int64_t end_of(const ResultTransfer *t)
{
	return t->start_ns + t->duration_ns;
}

/* Bytes of @t within [@from, @to), from its picture where it has one. */
static double bytes_within(const ResultTransfer *t, int64_t from, int64_t to)
{
	const ResultSeries *s = &t->series;
	double sum = 0, all = 0;
	for (size_t i = 0; s->bytes && i < s->bin_count; i++) {
		int64_t a = s->start_ns + (int64_t)i * s->bin_ns, b = a + s->bin_ns;
		int64_t begin = MAX(a, from), end = MIN(b, to);
		all += (double)s->bytes[i];
		if (end > begin)
			sum += (double)s->bytes[i] * (double)(end - begin) / (double)s->bin_ns;
	}
	if (all > 0)
		return sum * (double)t->bytes / all;
	int64_t begin = MAX(t->start_ns, from), end = MIN(end_of(t), to);
	return end > begin ? (double)t->bytes * (double)(end - begin) / (double)t->duration_ns : 0;
}

/** Cluster: transfers whose times form one stretch. */
typedef struct Cluster {
	const ResultTransfer *t[MAX_SHARES];
	int32_t index[MAX_SHARES];
	size_t count;
	int64_t until_ns;
} Cluster;

/* Time within [@from, @to) is counted for those that ran then; at least two must have. */
static void count_stretch(const Cluster *c, int64_t from, int64_t to, double bytes[MAX_SHARES],
	double ns[MAX_SHARES], double even[MAX_SHARES], int64_t *shared_ns)
{
	size_t active[MAX_SHARES], n = 0;
	double all = 0;
	for (size_t i = 0; i < c->count; i++) {
		if (c->t[i]->start_ns < to && end_of(c->t[i]) > from)
			active[n++] = i;
	}
	if (n < 2)
		return;
	*shared_ns += to - from;
	for (size_t k = 0; k < n; k++) {
		double moved = bytes_within(c->t[active[k]], from, to);
		bytes[active[k]] += moved;
		ns[active[k]] += (double)(to - from);
		all += moved;
	}
	for (size_t k = 0; k < n; k++)
		even[active[k]] += all / (double)n;
}

static bool is_held_by_network(const ResultTransfer *t)
{
	static const Bucket buckets[] = {BUCKET_CONGESTION_WINDOW, BUCKET_LOSS_RECOVERY,
		BUCKET_RTO_STALL, BUCKET_TAIL_LOSS, BUCKET_LINK, BUCKET_OTHER_TRAFFIC};
	int64_t ns = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(buckets); i++)
		ns += t->budget[buckets[i]].ns;
	return (double)ns >= STARVED_NETWORK_SHARE * (double)t->duration_ns;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void sharing_tell(
	Arena *arena, const Cluster *c, const uint8_t host[16], bool host_sends, GArray *sharings)
{
	double bytes[MAX_SHARES] = {0}, ns[MAX_SHARES] = {0}, even[MAX_SHARES] = {0}, all = 0;
	int64_t edges[2 * MAX_SHARES], shared_ns = 0;
	for (size_t i = 0; i < c->count; i++) {
		edges[2 * i] = c->t[i]->start_ns;
		edges[2 * i + 1] = end_of(c->t[i]);
	}
	qsort(edges, 2 * c->count, sizeof(*edges), by_time);
	for (size_t i = 0; i + 1 < 2 * c->count; i++)
		count_stretch(c, edges[i], edges[i + 1], bytes, ns, even, &shared_ns);
	if (shared_ns < MIN_OVERLAP_NS || sharings->len == MAX_SHARINGS)
		return;
	ResultShare *shares = arena_alloc_array(arena, c->count, sizeof(*shares));
	for (size_t i = 0; i < c->count; i++)
		all += bytes[i];
	for (size_t i = 0; i < c->count; i++)
		shares[i] = (ResultShare){.transfer = c->index[i],
			.bytes_per_s = ns[i] > 0 ? bytes[i] * 1e9 / ns[i] : 0,
			.share = all > 0 ? bytes[i] / all : 0,
			.is_starved = ns[i] >= (double)MIN_OVERLAP_NS &&
				      bytes[i] < STARVED_SHARE * even[i] &&
				      is_held_by_network(c->t[i])};
	ResultSharing s = {.host_sends = host_sends,
		.start_ns = c->t[0]->start_ns,
		.duration_ns = shared_ns,
		.bytes_per_s = all * 1e9 / (double)shared_ns,
		.shares = shares,
		.share_count = c->count};
	memcpy(s.host, host, 16);
	g_array_append_val(sharings, s);
}

/** Placed: a transfer at the host that sends or receives it. */
typedef struct Placed {
	const uint8_t *host;
	const ResultTransfer *t;
	int32_t index;
} Placed;

static int by_host_and_start(const void *a, const void *b)
{
	const Placed *x = a, *y = b;
	int c = memcmp(x->host, y->host, 16);
	if (c != 0)
		return c;
	if (x->t->start_ns != y->t->start_ns)
		return x->t->start_ns < y->t->start_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Transfers of one pair share both hosts: they are told of once, where they are received. */
static bool is_one_pair(const Cluster *c)
{
	for (size_t i = 1; i < c->count; i++) {
		if (memcmp(sender_of(c->t[0]), sender_of(c->t[i]), 16) != 0 ||
			memcmp(receiver_of(c->t[0]), receiver_of(c->t[i]), 16) != 0)
			return false;
	}
	return true;
}

static void cluster_end(
	Arena *arena, Cluster *c, const uint8_t *host, bool host_sends, GArray *sharings)
{
	if (c->count >= 2 && !(host_sends && is_one_pair(c)))
		sharing_tell(arena, c, host, host_sends, sharings);
	c->count = 0;
}

static void sharings_at(
	const DiagnosisInput *input, const Result *r, bool host_sends, GArray *sharings)
{
	g_autofree Placed *placed = g_new(Placed, r->transfer_count + 1);
	size_t count = 0;
	Cluster c = {.count = 0};
	for (size_t i = 0; i < r->transfer_count; i++) {
		const ResultTransfer *t = &r->transfers[i];
		if (t->bytes > 0 && t->duration_ns >= MIN_OVERLAP_NS)
			placed[count++] =
				(Placed){host_sends ? sender_of(t) : receiver_of(t), t, (int32_t)i};
	}
	qsort(placed, count, sizeof(*placed), by_host_and_start);
	for (size_t i = 0; i < count; i++) {
		const Placed *p = &placed[i];
		bool goes_on = c.count > 0 && memcmp(placed[i - 1].host, p->host, 16) == 0 &&
			       p->t->start_ns < c.until_ns - MIN_OVERLAP_NS;
		if (!goes_on && i > 0)
			cluster_end(input->arena, &c, placed[i - 1].host, host_sends, sharings);
		if (c.count == 0)
			c.until_ns = INT64_MIN;
		c.until_ns = MAX(c.until_ns, end_of(p->t));
		if (c.count < MAX_SHARES) {
			c.t[c.count] = p->t;
			c.index[c.count++] = p->index;
		}
	}
	if (count > 0)
		cluster_end(input->arena, &c, placed[count - 1].host, host_sends, sharings);
}

static gint sharing_by_start(gconstpointer a, gconstpointer b)
{
	const ResultSharing *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	int c = memcmp(x->host, y->host, 16);
	return c != 0 ? c : (int)x->host_sends - (int)y->host_sends;
}

void result_sharings_build(const DiagnosisInput *input, Result *ret)
{
	g_autoptr(GArray) sharings = g_array_new(FALSE, TRUE, sizeof(ResultSharing));
	sharings_at(input, ret, false, sharings);
	sharings_at(input, ret, true, sharings);
	g_array_sort(sharings, sharing_by_start);
	ret->sharings =
		arena_memdup(input->arena, sharings->data, sharings->len * sizeof(ResultSharing));
	ret->sharing_count = sharings->len;
}

/* ---- UDP */

/* Listed at most, and what makes a flow worth a line. */
#define MAX_UDP_FLOWS 64
#define MIN_UDP_BYTES (64 * 1024)

static const char *numbered_by(UdpNumbering numbering)
{
	switch (numbering) {
	case UDP_NUMBERING_FIRST_WORD:
	case UDP_NUMBERING_THIRD_WORD:
		return "own numbers";
	case UDP_NUMBERING_IP_ID:
		return "IP identification";
	case UDP_NUMBERING_NONE:
		break;
	}
	return NULL;
}

static ResultUdpFlow udp_flow_of(const UdpFlow *f, int64_t first_ns)
{
	ResultUdpFlow u = {.input = f->input,
		.from.port = f->src_port,
		.to.port = f->dst_port,
		.program = udp_flow_program(f),
		.datagrams = f->datagrams,
		.bytes = f->bytes,
		.start_ns = f->first_ns - first_ns,
		.duration_ns = f->last_ns - f->first_ns,
		.bytes_per_s = udp_flow_rate(f),
		.numbered_by = numbered_by(udp_flow_numbering(f)),
		.first_frame = f->first_frame};
	memcpy(u.from.addr, f->src, 16);
	memcpy(u.to.addr, f->dst, 16);
	if (!udp_flow_lost(f, &u.lost, &u.late))
		u.lost = u.late = RESULT_UNKNOWN_COUNT;
	return u;
}

static gint udp_by_bytes(gconstpointer a, gconstpointer b)
{
	const ResultUdpFlow *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	return (x->first_frame > y->first_frame) - (x->first_frame < y->first_frame);
}

void result_udp_flows_build(Arena *arena, const UdpFlows *flows, int64_t first_ns, Result *ret)
{
	g_autoptr(GArray) list = g_array_new(FALSE, TRUE, sizeof(ResultUdpFlow));
	for (size_t i = 0; i < udp_flows_count(flows); i++) {
		const UdpFlow *f = udp_flows_at(flows, i);
		if (f->bytes < MIN_UDP_BYTES)
			continue;
		ResultUdpFlow u = udp_flow_of(f, first_ns);
		g_array_append_val(list, u);
	}
	g_array_sort(list, udp_by_bytes);
	ret->udp_flow_count = MIN(list->len, MAX_UDP_FLOWS);
	ret->udp_flows =
		arena_memdup(arena, list->data, ret->udp_flow_count * sizeof(ResultUdpFlow));
}
