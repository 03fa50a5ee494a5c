/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session did beside its commands: work by path, pictures over time, features used. The
 * number of paths is bounded: when there are too many the one least waited for gives way.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/series.h"
#include "analyzer/session/session_private.h"
#include "dissectors/netbios.h"

/* MS-CIFS 2.2.4.22, 2.2.4.25: raw read and write */
#define SMB1_READ_RAW 0x1A
#define SMB1_WRITE_RAW 0x1D

/* MS-SMB2 2.2.13: oplock level that stands for a lease */
#define OPLOCK_LEASE 0xFF

/* A file smaller than a request of SMB1 is read in one go or not at all: that says nothing. */
#define HARDLY_READ_MIN_SIZE 65536
/* Of the size; programs that look into a file read a header and an index. */
#define HARDLY_READ_SHARE 10

/* A path asked for among the last so many answers is being worked on: it keeps its place. */
#define YOUNG_ANSWERS 32

/* Columns of the pictures. Series keep largest values: of the balance how far below the top. */
enum { COLUMN_DEPTH, COLUMN_CREDITS, COLUMN_COUNT };
#define CREDITS_TOP (INT64_C(1) << 32)

/* ---- features */

static void count_open_request(SessionCounts *c, const Message *message)
{
	c->leases_asked += message->oplock == OPLOCK_LEASE;
	c->oplocks_asked += message->oplock != 0 && message->oplock != OPLOCK_LEASE;
	c->durable_asked += (message->flags & (MESSAGE_DURABLE | MESSAGE_PERSISTENT)) != 0;
}

static void count_open_reply(SessionCounts *c, const Message *message)
{
	if (message->status_class == STATUS_CLASS_NOT_FOUND)
		c->not_found++;
	if (message->status_class != STATUS_CLASS_OK)
		return;
	c->opens++;
	c->leases_granted += message->oplock == OPLOCK_LEASE && message->lease_state != 0;
	c->oplocks_granted += message->oplock != 0 && message->oplock != OPLOCK_LEASE;
	c->durable_granted += (message->flags & MESSAGE_DURABLE) != 0;
	c->persistent_granted += (message->flags & MESSAGE_PERSISTENT) != 0;
}

static void count_request(SessionCounts *c, const Message *message)
{
	c->cancels += message->verb == VERB_CANCEL;
	c->break_acks += message->verb == VERB_BREAK;
	c->notifies += message->verb == VERB_NOTIFY;
	c->copies += message->verb == VERB_COPY;
	c->directory_queries += message->verb == VERB_LIST;
	c->referrals += message->verb == VERB_IOCTL && session_is_referral(message->info_class);
	if (message->verb == VERB_OPEN)
		count_open_request(c, message);
	if (message->protocol != MESSAGE_SMB1)
		return;
	c->raw_transfers += message->command == SMB1_READ_RAW || message->command == SMB1_WRITE_RAW;
	c->oem_names += message->name_len > 0 && !(message->flags & MESSAGE_NAME_UTF16);
}

static void count_reply(SessionCounts *c, const Message *message)
{
	if (message->verb == VERB_OPEN)
		count_open_reply(c, message);
	if (message->verb == VERB_COPY && message->status_class == STATUS_CLASS_OK)
		c->copied_bytes += message->length;
	if (message->verb == VERB_LIST)
		c->directory_entries += message->entries;
}

static void count_netbios(SessionCounts *c, const Message *message)
{
	c->netbios_refused += message->command == NETBIOS_NEGATIVE_RESPONSE;
	c->netbios_retargeted += message->command == NETBIOS_RETARGET_RESPONSE;
	c->netbios_keep_alives += message->command == NETBIOS_KEEP_ALIVE;
}

void activity_message(SessionFramed *framed, const Message *message)
{
	SessionCounts *c = &framed->counts;
	if (message->protocol == MESSAGE_NETBIOS) {
		count_netbios(c, message);
		return;
	}
	c->messages++;
	c->signed_messages += (message->flags & MESSAGE_SIGNED) != 0;
	c->encrypted_messages += (message->flags & MESSAGE_ENCRYPTED) != 0;
	c->compressed_messages += (message->flags & MESSAGE_COMPRESSED) != 0;
	if (message->index > 0 && message->protocol == MESSAGE_SMB2) {
		if (message->flags & MESSAGE_RELATED)
			c->related++;
		else
			c->unrelated++;
	}
	switch (message->kind) {
	case MESSAGE_REQUEST:
		count_request(c, message);
		break;
	case MESSAGE_REPLY:
		count_reply(c, message);
		break;
	case MESSAGE_INTERIM:
		if (message->flags & MESSAGE_MULTIPART) {
			c->multipart++;
			c->directory_entries += message->verb == VERB_LIST ? message->entries : 0;
		} else {
			c->async++;
		}
		break;
	case MESSAGE_NOTICE:
		c->multipart += (message->flags & MESSAGE_MULTIPART) != 0;
		c->breaks += message->verb == VERB_BREAK;
		break;
	case MESSAGE_OPAQUE:
		c->hidden += (message->flags & MESSAGE_ENCRYPTED) != 0;
		break;
	}
}

void activity_anomaly(SessionFramed *framed, const char *kind)
{
	framed->anomalies++;
	for (uint32_t i = 0; i < framed->anomaly_kind_count; i++) {
		if (strcmp(framed->anomaly_kinds[i].kind, kind) == 0) {
			framed->anomaly_kinds[i].count++;
			return;
		}
	}
	if (framed->anomaly_kind_count < SESSION_ANOMALY_KINDS)
		framed->anomaly_kinds[framed->anomaly_kind_count++] = (AnomalyCount){kind, 1};
}

/* ---- paths */

static uint64_t key_of(const FileCell *file)
{
	uint64_t key = hash_bytes(file->ref.name, strlen(file->ref.name));
	key = hash_mix(key, hash_bytes(file->ref.share, strlen(file->ref.share)));
	return key != 0 ? key : 1;
}

static bool row_is(const ActivityRow *row, const FileCell *file)
{
	const char *share = row->share ? row->share->name : "";
	return row->key == file->activity_key && strcmp(row->name, file->ref.name) == 0 &&
	       strcmp(share, file->ref.share) == 0;
}

static void row_release(ActivityRow *row)
{
	free(row->name);
	file_share_drop(row->share);
}

static ActivityRow *row_make(Activity *a)
{
	if (a->count < a->room)
		return &a->rows[a->count++];
	if (a->room < SESSION_FILES) {
		uint32_t room = a->room > 0 ? a->room * 2 : 4;
		ActivityRow *rows = realloc(a->rows, room * sizeof *rows);
		if (!rows)
			return NULL;
		a->rows = rows;
		a->room = room;
		return &a->rows[a->count++];
	}
	ActivityRow *least = NULL;
	for (uint32_t i = 0; i < a->count; i++) {
		ActivityRow *row = &a->rows[i];
		bool is_young = row->used + YOUNG_ANSWERS > a->answers;
		if (!is_young && (!least || row->sum.busy_ns < least->sum.busy_ns))
			least = row;
	}
	row_release(least);
	a->forgotten++;
	return least;
}

static ActivityRow *row_of(Activity *a, FileCell *file)
{
	if (file->ref.name[0] == '\0' || file->ref.is_pipe)
		return NULL;
	if (file->activity_key == 0)
		file->activity_key = key_of(file);
	/* the youngest are asked for most */
	for (uint32_t i = a->count; i > 0; i--) {
		if (row_is(&a->rows[i - 1], file))
			return &a->rows[i - 1];
	}
	char *name = strdup(file->ref.name);
	ActivityRow *row = name ? row_make(a) : NULL;
	if (!row) {
		free(name);
		return NULL;
	}
	*row = (ActivityRow){.key = file->activity_key, .name = name, .share = file->share};
	if (row->share)
		row->share->refs++;
	row->used = a->answers;
	return row;
}

static void row_time(ActivityRow *row, const Operation *op)
{
	int64_t from = op->request_first_ns, to = op->reply_last_ns, ns = to - op->request_last_ns;
	if (from < row->busy_until_ns)
		from = row->busy_until_ns;
	if (to > from) {
		row->sum.busy_ns += to - from;
		row->busy_until_ns = to;
	}
	if (ns > row->sum.longest_ns)
		row->sum.longest_ns = ns;
	bool is_data = op->verb == VERB_READ || op->verb == VERB_WRITE || op->verb == VERB_LIST;
	if (!is_data && ns > 0)
		row->sum.metadata_ns += ns;
}

static void row_read(ActivityRow *row, FileCell *file, const Operation *op)
{
	FileActivity *sum = &row->sum;
	uint64_t end = op->offset + op->moved_bytes;
	sum->reads++;
	sum->read_bytes += op->moved_bytes;
	file->read_bytes += op->moved_bytes;
	if (op->protocol == MESSAGE_FTP || op->is_encrypted)
		return;
	if (op->offset < row->highest && end > op->offset)
		sum->reread_bytes += (row->highest < end ? row->highest : end) - op->offset;
	if (end > row->highest)
		row->highest = end;
}

static void row_open(ActivityRow *row, FileCell *file, const Operation *op)
{
	FileActivity *sum = &row->sum;
	sum->asked_again += sum->opens + sum->not_found > 0;
	sum->opens += op->status_class == STATUS_CLASS_OK;
	sum->not_found += op->status_class == STATUS_CLASS_NOT_FOUND;
	if (file->ref.is_directory)
		sum->is_directory = true;
}

/* asked by name alone: SMB1 queries and changes paths that are not open */
static void row_ask(ActivityRow *row, const Operation *op)
{
	row->sum.asked_again += row->sum.operations > 1;
	row->sum.not_found += op->status_class == STATUS_CLASS_NOT_FOUND;
}

static void row_close(SessionFramed *framed, ActivityRow *row, const FileCell *file)
{
	const FileRef *ref = &file->ref;
	bool may_cache = file->for_reading && ref->oplock_granted != 0 && file->written_bytes == 0;
	if (may_cache && !ref->is_directory && ref->size >= HARDLY_READ_MIN_SIZE &&
		file->read_bytes < ref->size / HARDLY_READ_SHARE) {
		row->sum.hardly_read++;
		framed->counts.hardly_read++;
	}
}

static void row_count(SessionFramed *framed, ActivityRow *row, FileCell *file, const Operation *op)
{
	FileActivity *sum = &row->sum;
	bool is_transfer = op->protocol == MESSAGE_FTP && op->op_class == OP_FTP;
	sum->operations++;
	sum->errors += session_class_is_error(op->status_class);
	if (file->ref.size > 0)
		sum->size = file->ref.size;
	if (op->verb == VERB_OPEN || is_transfer)
		row_open(row, file, op);
	else if (file->is_by_name)
		row_ask(row, op);
	if (op->verb == VERB_READ) {
		row_read(row, file, op);
	} else if (op->verb == VERB_WRITE) {
		sum->writes++;
		sum->written_bytes += op->moved_bytes;
		file->written_bytes += op->moved_bytes;
	} else if (op->verb == VERB_LIST) {
		sum->lists++;
		sum->is_directory = true;
	} else if (op->verb == VERB_CLOSE) {
		row_close(framed, row, file);
	} else if (op->verb != VERB_OPEN) {
		sum->metadata++;
	}
}

void activity_answer(Session *session, const Request *request)
{
	if (!request->file || request->is_opaque || request->is_foreign)
		return;
	/* what channels do with a path counts as the session's */
	SessionFramed *home =
		request->op.protocol == MESSAGE_SMB2 ? smb_home(session) : session->framed;
	ActivityRow *row = row_of(&home->activity, request->file);
	if (!row)
		return;
	row->used = ++home->activity.answers;
	row_count(home, row, request->file, &request->op);
	row_time(row, &request->op);
}

/* ---- pictures */

void activity_request(Session *session, const Request *request)
{
	static const SeriesRule rules[COLUMN_COUNT] = {SERIES_MAX, SERIES_MAX};
	Activity *a = &session->framed->activity;
	const Operation *op = &request->op;
	if (request->is_data && op->protocol != MESSAGE_FTP && !a->series)
		a->series = series_new(op->request_last_ns, SESSION_BINS, COLUMN_COUNT, rules);
	if (!a->series)
		return;
	if (request->is_data)
		series_add(a->series, COLUMN_DEPTH, op->request_last_ns, op->in_flight);
	if (op->credits_available != INT32_MIN)
		series_add(a->series, COLUMN_CREDITS, op->request_last_ns,
			CREDITS_TOP - op->credits_available);
}

static void fill_bins(Activity *a, SessionStats *ret)
{
	free(a->bins);
	a->bins = NULL;
	size_t count = a->series ? series_count(a->series) : 0;
	if (count > 0)
		a->bins = calloc(count, sizeof *a->bins);
	if (!a->bins)
		return;
	for (size_t i = 0; i < count; i++) {
		int64_t depth = series_value(a->series, COLUMN_DEPTH, i),
			below = series_value(a->series, COLUMN_CREDITS, i);
		a->bins[i].in_flight = depth > 0 ? (uint32_t)depth : 0;
		a->bins[i].credits_low = below >= 0 ? (int32_t)(CREDITS_TOP - below) : INT32_MIN;
	}
	ret->bins = a->bins;
	ret->bin_count = count;
	ret->bins_start_ns = series_start_ns(a->series);
	ret->bin_ns = series_bin_ns(a->series);
}

static int by_time(const void *a, const void *b)
{
	const FileActivity *x = a, *y = b;
	if (x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns ? -1 : 1;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->share, y->share);
}

static void fill_files(Activity *a, SessionStats *ret)
{
	free(a->files);
	a->files = a->count > 0 ? calloc(a->count, sizeof *a->files) : NULL;
	if (!a->files)
		return;
	for (uint32_t i = 0; i < a->count; i++) {
		a->files[i] = a->rows[i].sum;
		a->files[i].name = a->rows[i].name;
		a->files[i].share = a->rows[i].share ? a->rows[i].share->name : "";
	}
	qsort(a->files, a->count, sizeof *a->files, by_time);
	ret->files = a->files;
	ret->file_count = a->count;
}

void activity_fill(SessionFramed *framed, SessionStats *ret)
{
	fill_files(&framed->activity, ret);
	fill_bins(&framed->activity, ret);
	ret->files_forgotten = framed->activity.forgotten;
	ret->counts = framed->counts;
	memcpy(ret->anomaly_kinds, framed->anomaly_kinds, sizeof ret->anomaly_kinds);
	ret->anomaly_kind_count = framed->anomaly_kind_count;
}

size_t activity_bytes(const SessionFramed *framed)
{
	const Activity *a = &framed->activity;
	size_t bytes = a->room * sizeof *a->rows;
	for (uint32_t i = 0; i < a->count; i++)
		bytes += strlen(a->rows[i].name) + 1;
	if (a->series)
		bytes += SESSION_BINS * COLUMN_COUNT * sizeof(int64_t);
	return bytes;
}

void activity_clear(SessionFramed *framed)
{
	Activity *a = &framed->activity;
	for (uint32_t i = 0; i < a->count; i++)
		row_release(&a->rows[i]);
	free(a->rows);
	free(a->files);
	free(a->bins);
	series_free(a->series);
	*a = (Activity){0};
}
