/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of transfers and jobs: see unit.h.
 */
#include "analyzer/transfer/unit.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/param.h>

#include "analyzer/constants.h"

/* Pictures are kept of units that moved this much: smaller ones have no time to show anything. */
#define SERIES_MIN_BYTES (UINT64_C(1) << 18)
/* Operations there is room for at first. */
#define OPERATIONS_START 5

Unit *unit_new(const Conversation *conv, bool is_job, int64_t start_ns)
{
	Unit *unit = calloc(1, sizeof(Unit));
	if (!unit)
		return NULL;
	unit->is_job = is_job;
	unit->account.start_ns = start_ns;
	unit->account.user = unit;
	unit->input = conv->input;
	memcpy(unit->addr, conv->addr, sizeof(unit->addr));
	unit->port[0] = conv->port[0];
	unit->port[1] = conv->port[1];
	unit->first_request_ns = start_ns;
	unit->last_activity_ns = start_ns;
	unit_add_stream(unit, conv->stream);
	return unit;
}

void unit_add_stream(Unit *unit, uint32_t stream)
{
	for (uint32_t i = 0; i < unit->stream_count; i++) {
		if (unit->streams[i] == stream)
			return;
	}
	if (unit->stream_count < UNIT_STREAMS)
		unit->streams[unit->stream_count++] = stream;
}

static DataFacts *data_of(Unit *unit, const Operation *op)
{
	/* calls of a remote procedure are no file data */
	if (op->file && op->file->is_pipe)
		return NULL;
	if (op->verb == VERB_READ)
		return &unit->read;
	return op->verb == VERB_WRITE ? &unit->write : NULL;
}

/* A copy that goes through the client: the piece just read from one file is written to another. */
static void count_copied_back(Unit *unit, const Operation *op)
{
	if (op->is_encrypted || op->asked_bytes == 0)
		return;
	if (op->verb == VERB_READ && !unit->recent_reads)
		unit->recent_reads = calloc(1, sizeof(UnitReads));
	UnitReads *recent = unit->recent_reads;
	if (!recent)
		return;
	if (op->verb == VERB_READ) {
		uint32_t at = recent->count++ % UNIT_READS;
		recent->reads[at].offset = op->offset;
		recent->reads[at].bytes = op->asked_bytes;
		return;
	}
	if (op->verb != VERB_WRITE)
		return;
	for (uint32_t i = 0; i < UNIT_READS; i++) {
		if (recent->reads[i].offset != op->offset ||
			recent->reads[i].bytes < op->asked_bytes)
			continue;
		unit->copied_back += op->asked_bytes;
		recent->reads[i].bytes = 0;
		return;
	}
}

/* Offsets of encrypted requests are not known, those of a job belong to several files. Answers come
 * in any order, so requests are compared, as far as the file reaches. */
static void count_repeated(const Unit *unit, DataFacts *d, const Operation *op)
{
	if (unit->is_job || op->is_encrypted)
		return;
	uint64_t end = op->offset + op->asked_bytes;
	if (op->verb == VERB_READ && op->file && op->file->size > 0 && end > op->file->size)
		end = op->file->size;
	if (op->offset < d->highest && end > op->offset) {
		uint64_t again = d->highest - op->offset;
		d->repeated_bytes += again < end - op->offset ? again : end - op->offset;
	}
	if (end > d->highest)
		d->highest = end;
}

void unit_request(Unit *unit, const Operation *op)
{
	unit->last_activity_ns = op->request_last_ns;
	if (unit->first_frame == 0)
		unit->first_frame = op->request_frame;
	DataFacts *d = data_of(unit, op);
	if (d && op->protocol == MESSAGE_FTP)
		unit->start_offset = op->offset;
	if (!d || op->protocol == MESSAGE_FTP)
		return;
	/* the bytes of a first WRITE passed before it was known whose they are */
	if (op->verb == VERB_WRITE && unit->write.requests == 0 && unit->payload[SIDE_CLIENT] == 0)
		unit->early_bytes = op->asked_bytes;
	if (unit->is_job)
		count_copied_back(unit, op);
	d->requests++;
	d->asked += op->asked_bytes;
	histogram_add(&d->size, (int64_t)op->asked_bytes, 1);
	/* the next file of a job begins at its start */
	d->sequential += op->offset == d->next_offset || op->offset == 0;
	d->next_offset = op->offset + op->asked_bytes;
	count_repeated(unit, d, op);
	d->depth_sum += op->in_flight;
	d->depth_count[op->in_flight < UNIT_DEPTHS ? op->in_flight : UNIT_DEPTHS]++;
	if (op->in_flight > d->depth_max)
		d->depth_max = op->in_flight;
	if (op->in_flight_bytes > d->depth_bytes_max)
		d->depth_bytes_max = op->in_flight_bytes;
	d->write_through += (op->flags & (MESSAGE_WRITE_THROUGH | MESSAGE_UNBUFFERED)) != 0 ||
			    (op->file && op->file->write_through);
	if (op->credits_available != INT32_MIN) {
		uint16_t charge = op->credit_charge ? op->credit_charge : 1;
		d->credit_known++;
		d->credit_starved += op->credits_available < charge;
	}
	if (unit->series)
		series_add(unit->series, UNIT_SERIES_DEPTH, op->request_last_ns, op->in_flight);
}

int64_t operation_service_ns(const Operation *op, int64_t server_loop_ns)
{
	if (op->reply_first_ns == 0 || op->request_last_ns == 0)
		return -1;
	int64_t begin = op->request_last_ns + server_loop_ns;
	/* while the answer before was passing, nothing more could come */
	if (op->previous_reply_last_ns > begin)
		begin = op->previous_reply_last_ns;
	int64_t ns = op->reply_first_ns - begin;
	return ns > 0 ? ns : 0;
}

/* Room for one more; most units have few operations. */
static bool operations_grow(Unit *unit)
{
	uint32_t count = unit->operation_count + unit->longest_count;
	if (count < unit->operation_room)
		return true;
	uint32_t room = unit->operation_room ? unit->operation_room * 2 : OPERATIONS_START;
	if (room > UNIT_OPERATIONS)
		room = UNIT_OPERATIONS;
	OperationSample *bigger = realloc(unit->operations, room * sizeof(*bigger));
	if (!bigger)
		return false;
	unit->operations = bigger;
	unit->operation_room = room;
	return true;
}

static void keep_operation(Unit *unit, const Operation *op, uint32_t stream)
{
	OperationSample sample = {.stream = stream,
		.protocol = op->protocol,
		.op_class = (uint8_t)op->op_class,
		.command = op->command,
		.request_ns = op->request_first_ns,
		.reply_first_ns = op->reply_first_ns,
		.reply_ns = op->reply_last_ns,
		.offset = op->offset,
		.bytes = op->moved_bytes ? op->moved_bytes : op->asked_bytes,
		.request_frame = op->request_frame,
		.reply_frame = op->reply_frame,
		.status = op->status};
	if (unit->longest_count < UNIT_OPERATIONS_LONGEST && !operations_grow(unit))
		return;
	if (unit->operation_count < UNIT_OPERATIONS_FIRST) {
		unit->operations[unit->operation_count++] = sample;
		return;
	}
	OperationSample *longest = unit->operations + UNIT_OPERATIONS_FIRST;
	if (unit->longest_count < UNIT_OPERATIONS_LONGEST) {
		longest[unit->longest_count++] = sample;
		return;
	}
	uint32_t least = 0;
	for (uint32_t i = 1; i < UNIT_OPERATIONS_LONGEST; i++) {
		if (longest[i].reply_ns - longest[i].request_ns <
			longest[least].reply_ns - longest[least].request_ns)
			least = i;
	}
	if (sample.reply_ns - sample.request_ns >
		longest[least].reply_ns - longest[least].request_ns)
		longest[least] = sample;
}

static void count_service(Unit *unit, const Operation *op, int64_t service_ns)
{
	OpClass c = op->op_class;
	unit->class_service_ns[c] += service_ns;
	if (service_ns > unit->class_longest_ns[c])
		unit->class_longest_ns[c] = service_ns;
	int64_t moved = op->asked_bytes < INT32_MAX ? (int64_t)op->asked_bytes : INT32_MAX;
	if (service_ns < SLOW_SERVICE_NS + moved * SLOW_SERVICE_NS_PER_BYTE)
		return;
	unit->class_slow[c]++;
	unit->class_slow_ns[c] += service_ns;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);
	return len >= n && strcasecmp(name + len - n, end) == 0;
}

static MissingKind missing_kind(const char *path)
{
	const char *name = path;
	for (const char *p = path; *p; p++) {
		if (*p == '\\' || *p == '/')
			name = p + 1;
	}
	size_t len = strlen(name);
	if (strcasecmp(name, "desktop.ini") == 0)
		return MISSING_DESKTOP_INI;
	if (strcasecmp(name, "Thumbs.db") == 0)
		return MISSING_THUMBS;
	if (strcmp(name, ".DS_Store") == 0)
		return MISSING_DS_STORE;
	if (strncmp(name, "._", 2) == 0)
		return MISSING_APPLE_DOUBLE;
	if (strcasecmp(name, "autorun.inf") == 0)
		return MISSING_AUTORUN;
	if (ends_with(name, len, ".dll") || ends_with(name, len, ".so"))
		return MISSING_LIBRARY;
	return MISSING_OTHER;
}

static void count_ftp(Unit *unit, const Operation *op, bool is_error)
{
	unit->prepare_refused += op->verb == VERB_PREPARE && is_error;
	unit->data_refused += op->reply_code == 425;
	unit->data_aborted += op->reply_code == 426;
}

static void count_open(Unit *unit, const Operation *op)
{
	const FileRef *file = op->file;
	if (op->verb != VERB_OPEN || !file || file->is_directory || file->is_pipe ||
		op->status_class != STATUS_CLASS_OK)
		return;
	unit->opens++;
	unit->opens_uncached += file->oplock_granted == 0;
	unit->opens_refused += file->oplock_granted == 0 && file->oplock_asked != 0;
}

static void fit_add(DataFit *fit, double x, double y)
{
	fit->n++;
	fit->x += x;
	fit->y += y;
	fit->xx += x * x;
	fit->xy += x * y;
	fit->yy += y * y;
}

void unit_reply(Unit *unit, const Operation *op, uint32_t stream, int64_t server_loop_ns)
{
	if (!op->answered)
		return;
	unit->last_activity_ns = op->reply_last_ns;
	unit->last_frame = op->reply_frame;
	unit->class_count[op->op_class]++;
	bool is_error = op->status_class == STATUS_CLASS_ERROR ||
			op->status_class == STATUS_CLASS_DENIED ||
			op->status_class == STATUS_CLASS_NOT_FOUND ||
			op->status_class == STATUS_CLASS_LOCKED;
	unit->class_errors[op->op_class] += is_error;
	if (op->status_class == STATUS_CLASS_NOT_FOUND) {
		unit->not_found++;
		unit->missing[missing_kind(op->file ? op->file->name : "")]++;
	}
	if (op->protocol == MESSAGE_FTP)
		count_ftp(unit, op, is_error);
	int64_t service = operation_service_ns(op, server_loop_ns);
	if (service >= 0)
		count_service(unit, op, service);
	if (op->interim_ns != 0) {
		unit->class_interim[op->op_class]++;
		unit->class_interim_ns[op->op_class] += op->reply_last_ns - op->interim_ns;
	}
	count_open(unit, op);
	unit->queries += op->verb == VERB_QUERY;
	if (op->op_class == OP_DIR) {
		unit->lists++;
		unit->list_entries += op->entries;
		unit->list_asked += op->asked_bytes;
	}
	keep_operation(unit, op, stream);
	DataFacts *d = data_of(unit, op);
	if (!d || op->protocol == MESSAGE_FTP)
		return;
	d->answered++;
	d->bytes += op->moved_bytes;
	d->interim += op->interim_ns != 0;
	d->credits_asked_more += op->credits_asked > op->credits_granted;
	if (service >= 0) {
		histogram_add(&d->service_ns, service, 1);
		fit_add(&d->fit, (double)op->moved_bytes, (double)service);
	}
	if (!unit->series && d->bytes >= SERIES_MIN_BYTES)
		account_keep_series(&unit->account);
}

void unit_close_reply(Unit *unit, const Operation *op, uint64_t written, int64_t server_loop_ns)
{
	int64_t service = operation_service_ns(op, server_loop_ns);
	if (service >= 0)
		fit_add(&unit->close_fit, (double)written, (double)service);
}

__attribute__((noinline)) static void series_make(Unit *unit, int64_t now_ns, uint64_t before_bytes)
{
	static const SeriesRule rules[UNIT_SERIES_COLUMNS] = {
		SERIES_SUM, SERIES_MAX, SERIES_MAX, SERIES_MAX, SERIES_MAX, SERIES_SUM};
	unit->series = series_new(unit->account.start_ns, UNIT_BINS, UNIT_SERIES_COLUMNS, rules);
	account_keep_series(&unit->account);
	unit->series_from_ns = now_ns;
	unit->series_before_bytes = before_bytes;
}

static void bin_write(Unit *unit)
{
	PayloadBin *bin = &unit->bin;
	_Static_assert(UNIT_SERIES_FLIGHT == UNIT_SERIES_BYTES + 1 &&
			       UNIT_SERIES_WINDOW == UNIT_SERIES_BYTES + 2 &&
			       UNIT_SERIES_RTT == UNIT_SERIES_BYTES + 3,
		"columns in a row");
	const int64_t values[] = {bin->bytes, bin->in_flight, bin->window, bin->rtt_ns};
	if (bin->until_ns > bin->from_ns)
		series_add_row(unit->series, bin->from_ns, UNIT_SERIES_BYTES, 4, values);
	bin->until_ns = bin->from_ns;
}

static void bin_begin(Unit *unit, int64_t now_ns)
{
	unit->bin = (PayloadBin){
		.in_flight = SERIES_NONE, .window = SERIES_NONE, .rtt_ns = SERIES_NONE};
	series_bin_span(unit->series, now_ns, &unit->bin.from_ns, &unit->bin.until_ns);
}

/* The next bin; apart from series_payload(), which needs no room for it. */
__attribute__((noinline)) static void bin_turn(Unit *unit, int64_t now_ns)
{
	bin_write(unit);
	bin_begin(unit, now_ns);
}

__attribute__((always_inline)) static inline void series_payload(
	Unit *unit, Side side, const PayloadSample *sample)
{
	PayloadBin *bin = &unit->bin;
	bool is_bulk = side == unit_bulk_side(unit);
	if (!is_bulk && sample->rtt_ns == SERIES_NONE)
		return;
	if (sample->now_ns < bin->from_ns || sample->now_ns >= bin->until_ns)
		bin_turn(unit, sample->now_ns);
	if (is_bulk) {
		bin->bytes += (int64_t)sample->bytes;
		bin->in_flight = MAX(bin->in_flight, (int64_t)sample->in_flight);
		bin->window = MAX(bin->window, (int64_t)sample->window);
	}
	bin->rtt_ns = MAX(bin->rtt_ns, sample->rtt_ns);
}

void unit_payload(Unit *unit, Side side, const PayloadSample *sample)
{
	unit->payload[side] += sample->bytes;
	unit->wire_packets++;
	if (!unit->series && unit->payload[side] >= SERIES_MIN_BYTES)
		series_make(unit, sample->now_ns,
			unit->early_bytes + unit->payload[unit_bulk_side(unit)] -
				(side == unit_bulk_side(unit) ? sample->bytes : 0));
	if (unit->series)
		series_payload(unit, side, sample);
}

void unit_job_payload(Unit *job, Side side, const PayloadSample *sample)
{
	if (!job->series && job->files > 0)
		series_make(job, sample->now_ns, unit_bytes(job));
	if (job->series)
		series_payload(job, side, sample);
}

bool unit_is_write(const Unit *unit)
{
	if (unit->read.bytes + unit->write.bytes > 0)
		return unit->write.bytes > unit->read.bytes;
	return unit->payload[SIDE_CLIENT] > unit->payload[SIDE_SERVER];
}

Side unit_bulk_side(const Unit *unit)
{
	return unit_is_write(unit) ? SIDE_CLIENT : SIDE_SERVER;
}

uint64_t unit_bytes(const Unit *unit)
{
	if (unit->is_ftp || unit->is_unframed)
		return unit->payload[unit_bulk_side(unit)];
	return unit_is_write(unit) ? unit->write.bytes : unit->read.bytes;
}

int64_t unit_duration_ns(const Unit *unit)
{
	return unit->account.end_ns - unit->account.start_ns;
}

const DataFacts *unit_main(const Unit *unit)
{
	return unit_is_write(unit) ? &unit->write : &unit->read;
}

void unit_drop_series(Unit *unit)
{
	account_drop_series(&unit->account);
	series_free(unit->series);
	unit->series = NULL;
}

void unit_seal(Unit *unit)
{
	bin_write(unit);
	series_seal(unit->series);
	series_seal(unit->account.buckets);
	uint32_t count = unit->operation_count + unit->longest_count;
	if (count > 0 && count < unit->operation_room) {
		OperationSample *operations =
			realloc(unit->operations, count * sizeof(*operations));
		if (operations) {
			unit->operations = operations;
			unit->operation_room = count;
		}
	}
}

void unit_free(Unit *unit)
{
	if (!unit)
		return;
	account_clear(&unit->account);
	histogram_clear(&unit->read.size);
	histogram_clear(&unit->read.service_ns);
	histogram_clear(&unit->write.size);
	histogram_clear(&unit->write.service_ns);
	histogram_clear(&unit->file_size);
	series_free(unit->series);
	free(unit->operations);
	free(unit->file);
	free(unit->share);
	free(unit->recent_reads);
	free(unit);
}
