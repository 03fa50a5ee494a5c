/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units as the report shows them: see result_transfer.h.
 */
#include "analyzer/result_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"

/* A slice ends where the rate over a bin leaves this band around the slice's mean, or another
 * bucket dominates. */
#define SLICE_RATE_FACTOR 2.0
/* Slices of one transfer that are told: more than these are noise to a reader. */
#define MAX_SLICES 24
#define BUCKETS_PER_SERIES 10

static void budget_build(const Unit *unit, ResultTransfer *t)
{
	for (int b = 0; b < BUCKET_COUNT; b++) {
		t->budget[b].bucket = b;
		t->budget[b].ns = unit->account.bucket_ns[b];
	}
	memcpy(t->budget[BUCKET_ROUND_TRIP].by_class, unit->account.round_trip_ns,
		sizeof(unit->account.round_trip_ns));
	memcpy(t->budget[BUCKET_SERVER_PROCESSING].by_class, unit->account.server_ns,
		sizeof(unit->account.server_ns));
}

/* BUCKET_COUNT when nothing is known of that time. */
static Bucket dominant_bucket(const Account *a, size_t bin)
{
	int64_t best = 0;
	Bucket bucket = BUCKET_COUNT;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		const Series *s = b < BUCKETS_PER_SERIES ? a->buckets_a : a->buckets_b;
		int64_t ns = bin < series_count(s)
				     ? series_value(s, (size_t)b % BUCKETS_PER_SERIES, bin)
				     : 0;
		if (ns > best) {
			best = ns;
			bucket = b;
		}
	}
	return bucket;
}

/* Bucket at a time: the pictures of one unit have bins of different width. */
static Bucket dominant_at(const Account *a, int64_t t_ns)
{
	int64_t bin_ns = series_bin_ns(a->buckets_a);
	int64_t bin = (t_ns - series_start_ns(a->buckets_a)) / bin_ns;
	return dominant_bucket(a, bin < 0 ? 0 : (size_t)bin);
}

/* Of the time before the account kept its pictures only sums are known: what held most of it. */
static Bucket dominant_before(const Account *a)
{
	int64_t best = 0;
	Bucket bucket = BUCKET_COUNT;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		const Series *s = b < BUCKETS_PER_SERIES ? a->buckets_a : a->buckets_b;
		int64_t ns = a->bucket_ns[b];
		for (size_t i = 0; i < series_count(s); i++)
			ns -= series_value(s, (size_t)b % BUCKETS_PER_SERIES, i);
		if (ns > best) {
			best = ns;
			bucket = b;
		}
	}
	return bucket;
}

/* What was moved before a unit got its pictures is spread evenly over that time: the sum stays what
 * was moved. */
static void spread_before(const Unit *unit, size_t bins, uint64_t *bytes)
{
	const Series *s = unit->series;
	uint64_t before = unit->series_before_bytes;
	int64_t span = (unit->series_from_ns - series_start_ns(s)) / series_bin_ns(s);
	size_t count = span < 1 ? 1 : (size_t)span;
	if (count > bins)
		count = bins;
	for (size_t i = 0; i < count; i++)
		bytes[i] += before / count + (i < before % count);
}

static uint64_t *column(Arena *arena, const Series *s, size_t col, size_t bins)
{
	uint64_t *values = arena_alloc_array(arena, bins + 1, sizeof(uint64_t));
	for (size_t i = 0; i < bins; i++) {
		int64_t v = series_value(s, col, i);
		values[i] = v >= 0 ? (uint64_t)v : v == SERIES_NONE ? RESULT_UNKNOWN_COUNT : 0;
	}
	return values;
}

static void series_build(Arena *arena, const Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	const Series *s = unit->series;
	if (!s || !unit->account.buckets_a)
		return;
	size_t bins = series_count(s);
	ResultSeries *out = &t->series;
	out->start_ns = series_start_ns(s) - first_ns;
	out->bin_ns = series_bin_ns(s);
	out->bin_count = bins;
	uint64_t *bytes = column(arena, s, UNIT_SERIES_BYTES, bins);
	spread_before(unit, bins, bytes);
	out->bytes = bytes;
	Bucket before = dominant_before(&unit->account);
	out->in_flight = column(arena, s, UNIT_SERIES_FLIGHT, bins);
	out->window = column(arena, s, UNIT_SERIES_WINDOW, bins);
	int64_t *rtt = arena_alloc_array(arena, bins + 1, sizeof(int64_t));
	uint32_t *depth = arena_alloc_array(arena, bins + 1, sizeof(uint32_t));
	uint32_t *repeats = arena_alloc_array(arena, bins + 1, sizeof(uint32_t));
	uint8_t *dominant = arena_alloc_array(arena, bins + 1, sizeof(uint8_t));
	for (size_t i = 0; i < bins; i++) {
		int64_t v = series_value(s, UNIT_SERIES_RTT, i),
			n = series_value(s, UNIT_SERIES_DEPTH, i);
		rtt[i] = v > 0 ? v : RESULT_UNKNOWN_NS;
		depth[i] = n > 0 ? (uint32_t)n : 0;
		repeats[i] = (uint32_t)series_value(s, UNIT_SERIES_RETRANSMISSIONS, i);
		int64_t at = series_start_ns(s) + (int64_t)i * series_bin_ns(s);
		Bucket most = dominant_at(&unit->account, at);
		if (most == BUCKET_COUNT)
			most = before != BUCKET_COUNT || i == 0 ? before : dominant[i - 1];
		dominant[i] = (uint8_t)(most == BUCKET_COUNT ? BUCKET_LINK : most);
	}
	out->rtt_ns = rtt;
	out->requests_in_flight = depth;
	out->retransmissions = repeats;
	out->dominant = dominant;
}

/* Change points: neighbouring bins join while rate and dominant bucket stay what they were. */
static void slices_build(Arena *arena, ResultTransfer *t)
{
	const ResultSeries *s = &t->series;
	if (s->bin_count < 2)
		return;
	ResultSlice *list = arena_alloc_array(arena, MAX_SLICES, sizeof(*list));
	uint64_t total = 0, in_slice = 0;
	int64_t end = t->start_ns + t->duration_ns;
	for (size_t i = 0; i < s->bin_count; i++) {
		int64_t from = s->start_ns + (int64_t)i * s->bin_ns,
			to = from + s->bin_ns < end ? from + s->bin_ns : end;
		if (to <= from)
			break;
		ResultSlice *last = t->slice_count > 0 ? &list[t->slice_count - 1] : NULL;
		double rate = (double)s->bytes[i] * 1e9 / (double)(to - from);
		bool is_change =
			last && (last->dominant != s->dominant[i] ||
					(rate > SLICE_RATE_FACTOR * last->bytes_per_s ||
						rate * SLICE_RATE_FACTOR < last->bytes_per_s));
		if (!last || (is_change && t->slice_count < MAX_SLICES)) {
			list[t->slice_count++] =
				(ResultSlice){from, to - from, total, rate, s->dominant[i]};
			in_slice = s->bytes[i];
		} else {
			in_slice += s->bytes[i];
			last->duration_ns = to - last->start_ns;
			last->bytes_per_s = (double)in_slice * 1e9 / (double)last->duration_ns;
		}
		total += s->bytes[i];
	}
	t->slices = list;
}

static int by_request(const void *a, const void *b)
{
	const ResultOperation *x = a, *y = b;
	if (x->request_ns != y->request_ns)
		return x->request_ns < y->request_ns ? -1 : 1;
	return (x->request_frame > y->request_frame) - (x->request_frame < y->request_frame);
}

static void operations_build(Arena *arena, const Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	uint32_t count = unit->operation_count + unit->longest_count;
	ResultOperation *list = arena_alloc_array(arena, count + 1u, sizeof(*list));
	for (uint32_t i = 0; i < count; i++) {
		const OperationSample *o = i < unit->operation_count
						   ? &unit->operations[i]
						   : &unit->operations[UNIT_OPERATIONS_FIRST + i -
								       unit->operation_count];
		list[i] = (ResultOperation){o->stream, o->protocol, o->command,
			o->request_ns - first_ns, o->reply_first_ns - first_ns,
			o->reply_ns - first_ns, o->offset, o->bytes, o->request_frame,
			o->reply_frame, o->status};
	}
	qsort(list, count, sizeof(*list), by_request);
	t->operations = list;
	t->operation_count = count;
}

static void path_build(const Unit *unit, ResultTransfer *t)
{
	const ConnectionFacts *facts = unit->facts;
	if (!facts)
		return;
	t->rtt_ns = tcp_rtt_ns(&facts->tcp) > 0 ? tcp_rtt_ns(&facts->tcp) : RESULT_UNKNOWN_NS;
	if (!facts->path)
		return;
	bool is_turned = facts->is_ftp_data &&
			 memcmp(facts->addr[SIDE_CLIENT], unit->addr[SIDE_CLIENT], 16) != 0;
	bool client_sends = (unit_bulk_side(unit) == SIDE_CLIENT) != is_turned;
	Capacity c = path_capacity(facts->path, client_sends == facts->client_is_low ? 0 : 1);
	t->capacity_bytes_per_s = c.bytes_per_s;
	t->capacity_proven = c.is_proven;
}

static int64_t span_ns(int64_t from_ns, int64_t to_ns)
{
	return from_ns > 0 && to_ns > 0 ? to_ns - from_ns : RESULT_UNKNOWN_NS;
}

static void ftp_build(const Unit *unit, ResultTransfer *t)
{
	const FtpTimes *f = &unit->ftp;
	t->is_ftp_file = unit->is_ftp && !unit->is_job;
	t->ftp = (ResultFtpTimes){.prepare_to_connect_ns = span_ns(f->prepared_ns, f->syn_ns),
		.connect_ns = span_ns(f->syn_ns, f->established_ns),
		.command_to_reply_ns = span_ns(f->asked_ns, f->began_ns),
		.reply_to_first_byte_ns = span_ns(f->began_ns, f->first_byte_ns),
		.last_byte_to_done_ns = span_ns(f->last_byte_ns, f->done_ns)};
}

static void transfer_build(Arena *arena, const Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	const DataFacts *main = unit_main(unit);
	t->id = arena_printf(arena, "%c%u", unit->is_job ? 'J' : 'T', unit->number);
	t->is_job = unit->is_job;
	t->streams = arena_memdup(arena, unit->streams, unit->stream_count * sizeof(uint32_t));
	t->stream_count = unit->stream_count;
	t->input = unit->input;
	memcpy(t->client.addr, unit->addr[SIDE_CLIENT], 16);
	memcpy(t->server.addr, unit->addr[SIDE_SERVER], 16);
	t->client.port = unit->port[SIDE_CLIENT];
	t->server.port = unit->port[SIDE_SERVER];
	t->protocol = unit->protocol;
	t->is_write = unit_is_write(unit);
	t->file = unit->file[0] ? arena_strdup(arena, unit->file) : NULL;
	t->share = unit->share[0] ? arena_strdup(arena, unit->share) : NULL;
	t->files = unit->is_job ? unit->files : 1;
	t->bytes = unit_bytes(unit);
	t->start_ns = unit->account.start_ns - first_ns;
	t->duration_ns = unit_duration_ns(unit);
	t->requests = main->requests;
	t->request_bytes_median = (uint64_t)histogram_quantile(&main->size, 0.5);
	t->request_bytes_max = (uint64_t)histogram_max(&main->size);
	t->requests_in_flight_mean =
		main->requests ? (double)main->depth_sum / (double)main->requests : 0;
	t->requests_in_flight_max = main->depth_max;
	t->rtt_ns = RESULT_UNKNOWN_NS;
	path_build(unit, t);
	ftp_build(unit, t);
	budget_build(unit, t);
	series_build(arena, unit, first_ns, t);
	slices_build(arena, t);
	operations_build(arena, unit, first_ns, t);
}

void result_transfers_build(const DiagnosisInput *input, const Diagnosis *diagnosis, Result *ret)
{
	ResultTransfer *list =
		arena_alloc_array(input->arena, input->unit_count + 1u, sizeof(*list));
	for (uint32_t i = 0; i < input->unit_count; i++) {
		transfer_build(input->arena, input->units[i], input->first_packet_ns, &list[i]);
		list[i].findings = diagnosis->unit_findings[i];
		list[i].finding_count = diagnosis->unit_finding_count[i];
		/* its pictures are in the result now: both at once would double the peak */
		unit_drop_series(input->units[i]);
	}
	ret->transfers = list;
	ret->transfer_count = input->transfer_count;
	ret->jobs = list + input->transfer_count;
	ret->job_count = input->unit_count - input->transfer_count;
}
