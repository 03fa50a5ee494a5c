/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sealing a Result: see result_build.h. Order of everything is by input, stream and time, never by
 * hash.
 */
#include "analyzer/result_build.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/capture_grade.h"
#include "analyzer/constants.h"
#include "analyzer/diagnosis.h"
#include "analyzer/result_hosts.h"
#include "analyzer/result_transfer.h"

/* A job is shown beside its only file when this much of it is not the file's: connecting, logging
 * in, listing. */
#define JOB_OVERHEAD_SHARE 0.10

static gint by_stream(gconstpointer a, gconstpointer b)
{
	const ResultConnection *x = a, *y = b;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

static gint session_by_stream(gconstpointer a, gconstpointer b)
{
	const ResultSession *x = a, *y = b;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	/* those without a connection come last */
	uint32_t a_stream = x->stream_count ? x->streams[0] : UINT32_MAX,
		 b_stream = y->stream_count ? y->streams[0] : UINT32_MAX;
	if (a_stream != b_stream)
		return a_stream < b_stream ? -1 : 1;
	if (x->became_smb2 != y->became_smb2)
		return x->became_smb2 ? 1 : -1;
	return (x->stats.transport > y->stats.transport) -
	       (x->stats.transport < y->stats.transport);
}

static gint by_start(gconstpointer a, gconstpointer b)
{
	const Unit *x = *(const Unit *const *)a, *y = *(const Unit *const *)b;
	if (x->is_job != y->is_job)
		return x->is_job ? 1 : -1;
	if (x->account.start_ns != y->account.start_ns)
		return x->account.start_ns < y->account.start_ns ? -1 : 1;
	if (x->streams[0] != y->streams[0])
		return x->streams[0] < y->streams[0] ? -1 : 1;
	return (x->serial > y->serial) - (x->serial < y->serial);
}

/** Members: the files of one job. */
typedef struct Members {
	uint32_t count;
	int64_t ns;
} Members;

/* Jobs that say nothing their only file does not say are left out. */
static void drop_plain_jobs(Collection *collection)
{
	g_autoptr(GHashTable) members =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	GPtrArray *units = collection->units;
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		if (u->is_job || u->job_serial == 0)
			continue;
		Members *m = g_hash_table_lookup(members, &u->job_serial);
		if (!m) {
			m = g_new0(Members, 1);
			g_hash_table_insert(members, &u->job_serial, m);
		}
		m->count++;
		m->ns += unit_duration_ns(u);
	}
	g_autoptr(GPtrArray) kept = g_ptr_array_new();
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		if (!u->is_job) {
			g_ptr_array_add(kept, u);
			continue;
		}
		const Members *m = g_hash_table_lookup(members, &u->serial);
		int64_t wall = unit_duration_ns(u), rest = m ? wall - m->ns : wall;
		bool has_overhead =
			rest > MIN_LOST_NS && (double)rest > JOB_OVERHEAD_SHARE * (double)wall;
		if ((m && m->count > 1) || has_overhead)
			g_ptr_array_add(kept, u);
		else
			collection_unit_free(u);
	}
	g_ptr_array_set_free_func(units, NULL);
	g_ptr_array_set_size(units, 0);
	for (guint i = 0; i < kept->len; i++)
		g_ptr_array_add(units, kept->pdata[i]);
	g_ptr_array_set_free_func(units, collection_unit_free);
}

static uint32_t number_units(const Collection *collection)
{
	GPtrArray *units = collection->units;
	uint32_t transfers = collection->first_transfer, jobs = collection->first_job;
	g_ptr_array_sort(units, by_start);
	for (guint i = 0; i < units->len; i++) {
		Unit *u = units->pdata[i];
		u->number = u->is_job ? ++jobs : ++transfers;
	}
	return transfers - collection->first_transfer;
}

static void inputs_build(Arena *arena, const Reader *reader, Result *r)
{
	size_t count = reader ? reader_input_count(reader) : 0;
	ResultInput *inputs = arena_alloc_array(arena, count + 1, sizeof(*inputs));
	for (size_t i = 0; i < count; i++) {
		const InputInfo *info = reader_input(reader, i);
		inputs[i] = (ResultInput){arena_strdup(arena, info->path),
			arena_strdup(arena, info->format), arena_strdup(arena, info->compression),
			info->packets, info->bytes, info->damaged_at,
			arena_strdup(arena, info->damage)};
		r->is_partial |= info->damage != NULL;
	}
	r->inputs = inputs;
	r->input_count = count;
}

static void link_types_build(Arena *arena, const Reader *reader, ResultCapture *c)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	for (size_t i = 0; reader && i < reader_input_count(reader); i++) {
		const InputInfo *info = reader_input(reader, i);
		if (info->snaplen > c->snaplen)
			c->snaplen = info->snaplen;
		if (info->dropped_packets >= 0)
			c->dropped_packets = (c->dropped_packets < 0 ? 0 : c->dropped_packets) +
					     info->dropped_packets;
		for (size_t k = 0; k < info->link_type_count; k++) {
			const char *name = capture_link_name(arena, info->link_types[k]);
			bool is_known = false;
			for (guint n = 0; n < names->len; n++)
				is_known |= strcmp(names->pdata[n], name) == 0;
			if (!is_known)
				g_ptr_array_add(names, (gpointer)(uintptr_t)name);
		}
	}
	c->link_types = arena_memdup(arena, names->pdata, names->len * sizeof(char *));
	c->link_type_count = names->len;
}

static void capture_build(
	Arena *arena, const CaptureTotals *totals, const Reader *reader, Result *r)
{
	ResultCapture *c = &r->capture;
	c->first_packet_ns = totals->first_ns;
	c->duration_ns = totals->last_ns - totals->first_ns;
	c->packets = totals->packets;
	c->bytes = totals->bytes;
	c->captured_bytes = totals->captured_bytes;
	c->dropped_packets = -1;
	link_types_build(arena, reader, c);
	ResultCount *ignored = arena_alloc_array(arena, PACKET_KIND_COUNT + 1, sizeof(*ignored));
	for (int i = 0; i < PACKET_KIND_COUNT; i++) {
		if (i != PACKET_TCP && totals->ignored[i] > 0)
			ignored[c->ignored_count++] =
				(ResultCount){packet_kind_name(i), totals->ignored[i]};
	}
	c->ignored = ignored;
}

static void session_shift(ResultSession *session, int64_t first_ns)
{
	/* made for this session alone */
	ResultPhase *phases = (ResultPhase *)(uintptr_t)session->phases;
	for (size_t i = 0; i < session->phase_count; i++)
		phases[i].start_ns -= first_ns;
	if (session->first_data_ns != RESULT_UNKNOWN_NS)
		session->first_data_ns -= first_ns;
	session->bins_start_ns -= first_ns;
}

static void connections_build(Collection *collection, int64_t first_ns, Result *r)
{
	g_array_sort(collection->connections, by_stream);
	g_array_sort(collection->sessions, session_by_stream);
	ResultConnection *list = arena_memdup(collection->arena, collection->connections->data,
		collection->connections->len * sizeof(ResultConnection));
	r->connection_count = collection->connections->len;
	for (size_t i = 0; i < r->connection_count; i++)
		list[i].start_ns -= first_ns;
	r->connections = list;
	ResultSession *sessions = arena_memdup(collection->arena, collection->sessions->data,
		collection->sessions->len * sizeof(ResultSession));
	r->session_count = collection->sessions->len;
	for (size_t i = 0; i < r->session_count; i++)
		session_shift(&sessions[i], first_ns);
	r->sessions = sessions;
}

static void stalls_build(Collection *collection, int64_t first_ns, Result *r)
{
	topk_sort(&collection->stalls);
	ResultStall *list =
		arena_alloc_array(collection->arena, collection->stalls.count + 1u, sizeof(*list));
	for (uint32_t i = 0; i < collection->stalls.count; i++) {
		memcpy(&list[i], collection->stalls.items[i].payload, sizeof(*list));
		list[i].start_ns -= first_ns;
	}
	r->stalls = list;
	r->stall_count = collection->stalls.count;
}

static void limit_add(GArray *limits, const char *name, uint64_t count, const char *effect)
{
	ResultLimit limit = {name, count, effect};
	if (count > 0)
		g_array_append_val(limits, limit);
}

static void limits_build(Collection *collection, const CaptureTotals *totals, Result *r)
{
	g_autoptr(GArray) limits = g_array_new(FALSE, TRUE, sizeof(ResultLimit));
	limit_add(limits, "flows", totals->flows_evicted,
		"connections silent for longest were ended early; what they did afterwards counts "
		"as new connections");
	limit_add(limits, "connections", collection->connections_dropped,
		"connections are missing from the list; their packets are not counted there");
	limit_add(limits, "open-transfers", totals->tracker.units_refused,
		"transfers that began then have no budget");
	limit_add(limits, "transfers", collection->units_dropped,
		"transfers that ended then are missing from the list");
	limit_add(limits, "jobs", totals->told_early,
		"files were told of before their job was over, so its time may be told of twice");
	limit_add(limits, "host-pairs", totals->tracker.paths_refused,
		"no path speed is known between these hosts");
	limit_add(limits, "loss-trails", totals->tracker.trails_refused,
		"a rate limiter between these hosts is not told from other losses");
	limit_add(limits, "fragments", totals->fragments.evicted,
		"datagrams were given up; their packets are not counted");
	limit_add(limits, "udp-flows", udp_flows_evicted(totals->udp_flows),
		"UDP flows that ended long ago are missing from the list");
	uint64_t requests = 0, files = 0;
	for (size_t i = 0; i < r->session_count; i++) {
		requests += r->sessions[i].stats.requests_dropped;
		files += r->sessions[i].stats.files_dropped;
	}
	limit_add(limits, "requests", requests, "answers to these requests could not be paired");
	limit_add(limits, "files", files, "these files have no name");
	r->limits =
		arena_memdup(collection->arena, limits->data, limits->len * sizeof(ResultLimit));
	r->limit_count = limits->len;
}

Result *result_build(Collection *collection, const CaptureTotals *totals, const Reader *reader)
{
	Arena *arena = collection->arena;
	Result *r = arena_alloc(arena, sizeof(*r));
	r->arena = arena;
	inputs_build(arena, reader, r);
	capture_build(arena, totals, reader, r);
	connections_build(collection, totals->first_ns, r);
	stalls_build(collection, totals->first_ns, r);
	limits_build(collection, totals, r);
	r->assumption = collection->assumption;
	r->internal_errors = totals->tracker.sums_wrong;
	Confidence cap = capture_grade(arena, r, totals);
	drop_plain_jobs(collection);
	uint32_t transfers = number_units(collection);
	result_udp_flows_build(arena, totals->udp_flows, totals->first_ns, r);
	DiagnosisInput input = {.arena = arena,
		.units = (Unit *const *)collection->units->pdata,
		.unit_count = collection->units->len,
		.transfer_count = transfers,
		.facts = (const ConnectionFacts *const *)collection->facts->pdata,
		.fact_count = collection->facts->len,
		.capture = &r->capture,
		.udp_flows = r->udp_flows,
		.udp_flow_count = r->udp_flow_count,
		.pauses = totals->pauses,
		.first_packet_ns = totals->first_ns,
		.confidence_cap = cap,
		.history = collection->history,
		.history_count = collection->history_count,
		.first_finding = collection->first_finding,
		.is_damaged = r->is_partial,
		.out_of_order = totals->out_of_order,
		.assumption = collection->assumption.is_given ? &collection->assumption : NULL,
		.blindness = totals->blindness};
	Diagnosis diagnosis = diagnosis_run(&input);
	r->findings = diagnosis.findings;
	r->finding_count = diagnosis.finding_count;
	r->verdict = diagnosis.verdict;
	result_transfers_build(&input, &diagnosis, r);
	result_host_pairs_build(&input, r);
	result_sharings_build(&input, r);
	collection->arena = NULL;
	return r;
}
