/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units as the report shows them: see result_transfer.h.
 */
#include "analyzer/result_transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analyzer/constants.h"

/* A slice ends where the rate is more than twice or less than half of what it was, or another
 * bucket dominates, over at least so many bins of the 32 to 64 a transfer has: a twentieth of its
 * time. */
#define SLICE_RATE_FACTOR 2.0
#define SLICE_MIN_BINS 3

static void budget_build(const Unit *unit, ResultTransfer *t)
{
	for (int b = 0; b < BUCKET_COUNT; b++) {
		t->budget[b].bucket = b;
		t->budget[b].ns = unit->account.bucket_ns[b];
	}
	memcpy(t->round_trip_ns, unit->account.round_trip_ns, sizeof(unit->account.round_trip_ns));
	memcpy(t->server_ns, unit->account.server_ns, sizeof(unit->account.server_ns));
}

/** Shares: the picture of an account's buckets as sums from its start, so that what a stretch of
 * bins had of each is one subtraction. */
typedef struct Shares {
	const Account *account;
	int64_t start_ns;
	unsigned shift; /* a bin is 2^shift ns wide */
	size_t bins, count;
	uint8_t bucket[BUCKET_COUNT]; /* those that have time, ascending */
	/* [n]: of the first n bins, by place in `bucket` */
	int64_t before[ACCOUNT_BINS + 1][BUCKET_COUNT];
} Shares;

static void shares_read(const Account *a, Shares *ret)
{
	const Series *s = a->buckets;
	ret->account = a;
	ret->start_ns = series_start_ns(s);
	ret->shift = (unsigned)__builtin_ctzll((unsigned long long)series_bin_ns(s));
	ret->bins = MIN(series_count(s), ACCOUNT_BINS);
	ret->count = series_columns(s, ret->bucket);
	for (size_t k = 0; k < ret->count; k++) {
		int64_t ns[ACCOUNT_BINS];
		uint64_t sum = 0; /* wraps instead of being undefined, as the series does */
		series_column(s, ret->bucket[k], ret->bins, ns);
		ret->before[0][k] = 0;
		for (size_t i = 0; i < ret->bins; i++)
			ret->before[i + 1][k] = (int64_t)(sum += (uint64_t)ns[i]);
	}
}

/* What the bins from @first up to @end had most of; BUCKET_COUNT when nothing is known of them. */
static Bucket dominant_of(const Shares *s, size_t first, size_t end)
{
	int64_t best = 0;
	Bucket bucket = BUCKET_COUNT;
	if (first >= end)
		return bucket;
	for (size_t k = 0; k < s->count; k++) {
		int64_t ns = (int64_t)((uint64_t)s->before[end][k] - (uint64_t)s->before[first][k]);
		if (ns > best) {
			best = ns;
			bucket = (Bucket)s->bucket[k];
		}
	}
	return bucket;
}

/* Bucket at a time: the pictures of one unit have bins of different width. */
static Bucket dominant_at(const Shares *s, int64_t t_ns)
{
	size_t bin = t_ns > s->start_ns ? (size_t)(t_ns - s->start_ns) >> s->shift : 0;
	return bin < s->bins ? dominant_of(s, bin, bin + 1) : BUCKET_COUNT;
}

/* Of the time before the account kept its pictures only sums are known: what held most of it. */
static Bucket dominant_before(const Shares *s)
{
	int64_t before[BUCKET_COUNT], best = 0;
	Bucket bucket = BUCKET_COUNT;
	memcpy(before, s->account->bucket_ns, sizeof(before));
	for (size_t k = 0; k < s->count; k++)
		before[s->bucket[k]] -= s->before[s->bins][k];
	for (int b = 0; b < BUCKET_COUNT; b++) {
		if (before[b] > best) {
			best = before[b];
			bucket = (Bucket)b;
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
	uint64_t each = before / count, rest = before % count;
	for (size_t i = 0; i < count; i++)
		bytes[i] += each + (i < rest);
}

static uint64_t *column(Arena *arena, const Series *s, size_t col, size_t bins)
{
	int64_t read[UNIT_BINS];
	uint64_t *values = arena_alloc_array(arena, bins + 1, sizeof(uint64_t));
	series_column(s, col, bins, read);
	for (size_t i = 0; i < bins; i++) {
		int64_t v = read[i];
		values[i] = v >= 0 ? (uint64_t)v : v == SERIES_NONE ? RESULT_UNKNOWN_COUNT : 0;
	}
	return values;
}

static int64_t *rtt_column(Arena *arena, const Series *s, size_t bins)
{
	int64_t *values = arena_alloc_array(arena, bins + 1, sizeof(int64_t));
	series_column(s, UNIT_SERIES_RTT, bins, values);
	for (size_t i = 0; i < bins; i++)
		values[i] = values[i] > 0 ? values[i] : RESULT_UNKNOWN_NS;
	return values;
}

static uint32_t *count_column(Arena *arena, const Series *s, size_t col, size_t bins)
{
	int64_t read[UNIT_BINS];
	uint32_t *values = arena_alloc_array(arena, bins + 1, sizeof(uint32_t));
	series_column(s, col, bins, read);
	for (size_t i = 0; i < bins; i++)
		values[i] = read[i] > 0 ? (uint32_t)read[i] : 0;
	return values;
}

static uint8_t *dominant_column(Arena *arena, const Series *s, const Shares *shares, size_t bins)
{
	uint8_t *values = arena_alloc_array(arena, bins + 1, sizeof(uint8_t));
	Bucket before = dominant_before(shares), last = before;
	for (size_t i = 0; i < bins; i++) {
		Bucket most =
			dominant_at(shares, series_start_ns(s) + (int64_t)i * series_bin_ns(s));
		if (most == BUCKET_COUNT)
			most = before != BUCKET_COUNT ? before : last;
		values[i] = (uint8_t)(most == BUCKET_COUNT ? BUCKET_LINK : most);
		last = (Bucket)values[i];
	}
	return values;
}

static void series_build(
	Arena *arena, const Unit *unit, const Shares *shares, int64_t first_ns, ResultTransfer *t)
{
	const Series *s = unit->series;
	size_t bins = MIN(series_count(s), UNIT_BINS);
	/* a job's connection may go on when the job is over */
	int64_t width = series_bin_ns(s), lasted = unit->account.end_ns - series_start_ns(s);
	if (lasted >= 0 && (int64_t)bins > (lasted + width - 1) / width)
		bins = (size_t)((lasted + width - 1) / width);
	if (bins == 0)
		return;
	ResultSeries *out = &t->series;
	out->start_ns = series_start_ns(s) - first_ns;
	out->bin_ns = series_bin_ns(s);
	out->bin_count = bins;
	uint64_t *bytes = column(arena, s, UNIT_SERIES_BYTES, bins);
	spread_before(unit, bins, bytes);
	out->bytes = bytes;
	out->in_flight = column(arena, s, UNIT_SERIES_FLIGHT, bins);
	out->window = column(arena, s, UNIT_SERIES_WINDOW, bins);
	out->rtt_ns = rtt_column(arena, s, bins);
	out->requests_in_flight = count_column(arena, s, UNIT_SERIES_DEPTH, bins);
	out->retransmissions = count_column(arena, s, UNIT_SERIES_RETRANSMISSIONS, bins);
	out->dominant = dominant_column(arena, s, shares, bins);
}

static double slice_rate(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes * 1e9 / (double)ns : 0;
}

/** Run: neighbouring bins while they are put together to slices. */
typedef struct Run {
	size_t first, end; /* bins */
	int64_t start_ns, end_ns;
	uint64_t start_bytes, bytes;
	double rate; /* of all of it */
	Bucket dominant;
} Run;

static bool is_alike(const Run *a, const Run *b)
{
	return a->dominant == b->dominant && a->rate <= SLICE_RATE_FACTOR * b->rate &&
	       b->rate <= SLICE_RATE_FACTOR * a->rate;
}

/* Bins of @s whose middle lies before @t_ns, since the start of the picture. */
static size_t middles_before(const Shares *s, int64_t t_ns)
{
	int64_t half = (INT64_C(1) << s->shift) / 2;
	if (t_ns <= half)
		return 0;
	size_t bins = (size_t)((t_ns - half - 1) >> s->shift) + 1;
	return bins < s->bins ? bins : s->bins;
}

/* Which bucket dominates the bins of @r together. */
static Bucket run_dominant(const Shares *s, const Run *r, int64_t first_ns)
{
	size_t first = middles_before(s, r->start_ns + first_ns - s->start_ns);
	size_t end = middles_before(s, r->end_ns + first_ns - s->start_ns);
	Bucket bucket = dominant_of(s, first, end);
	return bucket == BUCKET_COUNT ? r->dominant : bucket;
}

static void run_join(Run *into, const Run *next, const Shares *s, int64_t first_ns)
{
	into->end = next->end;
	into->end_ns = next->end_ns;
	into->bytes += next->bytes;
	into->rate = slice_rate(into->bytes, into->end_ns - into->start_ns);
	into->dominant = run_dominant(s, into, first_ns);
}

/* Joins neighbours that are alike; the bins at first, later what short runs were added to. */
static size_t runs_join_alike(Run *runs, size_t count, const Shares *s, int64_t first_ns)
{
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		if (n > 0 && is_alike(&runs[n - 1], &runs[i]))
			run_join(&runs[n - 1], &runs[i], s, first_ns);
		else
			runs[n++] = runs[i];
	}
	return n;
}

/* Adds runs of few bins to the neighbour whose rate is nearer: requests come in bursts, and a bin
 * that holds one more of them is no change. */
static size_t runs_join_short(Run *runs, size_t count, const Shares *s, int64_t first_ns)
{
	for (size_t i = 0; i < count && count > 1;) {
		if (runs[i].end - runs[i].first >= SLICE_MIN_BINS) {
			i++;
			continue;
		}
		bool is_left =
			i > 0 && (i + 1 == count || fabs(runs[i - 1].rate - runs[i].rate) <=
							    fabs(runs[i + 1].rate - runs[i].rate));
		size_t at = is_left ? i - 1 : i;
		run_join(&runs[at], &runs[at + 1], s, first_ns);
		memmove(&runs[at + 1], &runs[at + 2], (count - at - 2) * sizeof(*runs));
		count--;
		i = at;
	}
	return count;
}

/* Change points: where the rate or the dominant bucket becomes another, for more than a moment. */
static void slices_build(Arena *arena, const Shares *shares, int64_t first_ns, ResultTransfer *t)
{
	const ResultSeries *s = &t->series;
	int64_t end = t->start_ns + t->duration_ns;
	if (s->bin_count < 2)
		return;
	Run runs[UNIT_BINS + 1];
	size_t count = 0;
	uint64_t total = 0;
	for (size_t i = 0; i < s->bin_count && count < UNIT_BINS; i++) {
		int64_t from = s->start_ns + (int64_t)i * s->bin_ns;
		int64_t to = from + s->bin_ns < end ? from + s->bin_ns : end;
		if (to <= from)
			break;
		runs[count++] = (Run){i, i + 1, from, to, total, s->bytes[i],
			slice_rate(s->bytes[i], to - from), s->dominant[i]};
		total += s->bytes[i];
	}
	count = runs_join_alike(runs, count, shares, first_ns);
	count = runs_join_short(runs, count, shares, first_ns);
	count = runs_join_alike(runs, count, shares, first_ns);
	ResultSlice *list = arena_alloc_array(arena, count + 1, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = (ResultSlice){runs[i].start_ns, runs[i].end_ns - runs[i].start_ns,
			runs[i].start_bytes, runs[i].rate, runs[i].dominant};
	t->slices = list;
	t->slice_count = count;
}

static void pictures_build(Arena *arena, const Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	Shares shares;
	if (!unit->series || !unit->account.buckets)
		return;
	shares_read(&unit->account, &shares);
	series_build(arena, unit, &shares, first_ns, t);
	slices_build(arena, &shares, first_ns, t);
}

static int by_request(const void *a, const void *b)
{
	const OperationSample *x = a, *y = b;
	if (x->request_ns != y->request_ns)
		return x->request_ns < y->request_ns ? -1 : 1;
	return (x->request_frame > y->request_frame) - (x->request_frame < y->request_frame);
}

/* The result takes the unit's list: a copy beside it would double what the longest report needs. */
static void operations_take(Arena *arena, Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	OperationSample *list = arena_adopt(arena, unit->operations);
	uint32_t count = unit->operation_count + unit->longest_count;
	unit->operations = NULL;
	unit->operation_room = unit->operation_count = unit->longest_count = 0;
	bool is_sorted = true; /* most are: they came in this order */
	for (uint32_t i = 0; i < count; i++) {
		list[i].request_ns -= first_ns;
		list[i].reply_first_ns -= first_ns;
		list[i].reply_ns -= first_ns;
		is_sorted = is_sorted && (i == 0 || by_request(&list[i - 1], &list[i]) <= 0);
	}
	if (!is_sorted)
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
	Capacity c = path_capacity(facts->path,
		path_way(facts->client_is_low, client_sends ? SIDE_CLIENT : SIDE_SERVER));
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

/* "T12" */
static const char *id_text(Arena *arena, char kind, uint32_t number)
{
	char text[12], *at = text + sizeof(text);
	*--at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	*--at = kind;
	return arena_strdup(arena, at);
}

static void transfer_build(Arena *arena, Unit *unit, int64_t first_ns, ResultTransfer *t)
{
	const DataFacts *main = unit_main(unit);
	t->id = id_text(arena, unit->is_job ? 'J' : 'T', unit->number);
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
	t->file = unit->file ? arena_strdup(arena, unit->file) : NULL;
	t->share = unit->share ? arena_strdup(arena, unit->share) : NULL;
	t->files = unit->is_job ? unit->files : 1;
	t->files_unseen = unit->files_unseen;
	t->is_listing = unit->is_listing;
	t->listings = unit->listings;
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
	pictures_build(arena, unit, first_ns, t);
	operations_take(arena, unit, first_ns, t);
}

void result_transfers_build(const DiagnosisInput *input, const Diagnosis *diagnosis, Result *ret)
{
	ResultTransfer *list =
		arena_alloc_array(input->arena, input->unit_count + 1u, sizeof(*list));
	for (uint32_t i = 0; i < input->unit_count; i++) {
		transfer_build(input->arena, input->units[i], input->first_packet_ns, &list[i]);
		list[i].findings = diagnosis->unit_findings[i];
		list[i].finding_count = diagnosis->unit_finding_count[i];
		list[i].fixes = diagnosis->unit_fixes[i];
		list[i].fix_count = diagnosis->unit_fix_count[i];
		list[i].outlook = diagnosis->unit_outlooks[i];
		/* its pictures are in the result now: both at once would double the peak */
		unit_drop_series(input->units[i]);
	}
	ret->transfers = list;
	ret->transfer_count = input->transfer_count;
	ret->jobs = list + input->transfer_count;
	ret->job_count = input->unit_count - input->transfer_count;
}
