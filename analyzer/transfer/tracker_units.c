/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfers and jobs from what sessions tell: see tracker.h. A unit that moved nothing is
 * forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/tracker_channel.h"
#include "analyzer/transfer/tracker_internal.h"

/* Conversations of unknown protocols below this are chatter, not transfers. */
#define UNKNOWN_MIN_BYTES (64 * 1024)

void tracker_facts_join(Conversation *conv, Unit *unit)
{
	if (!conv->facts)
		conv->facts = g_new0(ConnectionFacts, 1);
	if (unit->facts == conv->facts)
		return;
	/* a unit of FTP keeps those of its control connection too: its session is there */
	if (unit->facts && conv->control && !unit->control)
		unit->control = unit->facts;
	else if (unit->facts)
		((ConnectionFacts *)unit->facts)->units--;
	unit->facts = conv->facts;
	conv->facts->units++;
}

static void facts_leave(Unit *unit)
{
	if (unit->facts)
		((ConnectionFacts *)unit->facts)->units--;
	if (unit->control)
		((ConnectionFacts *)unit->control)->units--;
}

Unit *tracker_unit_open(Conversation *conv, bool is_job, int64_t start_ns)
{
	Tracker *tracker = conv->tracker;
	if (tracker->open_units >= tracker->limits.max_units) {
		tracker->counts.units_refused++;
		return NULL;
	}
	Unit *unit = unit_new(conv, is_job, start_ns);
	if (!unit)
		return NULL;
	tracker->open_units++;
	unit->serial = ++tracker->serial;
	if (is_job)
		g_hash_table_insert(tracker->open_jobs, &unit->serial, unit);
	timeline_open(conv->timeline, &unit->account);
	tracker_facts_join(conv, unit);
	return unit;
}

static void unlink_unit(Conversation *conv, Unit *unit)
{
	for (Unit **link = &conv->units; *link; link = &(*link)->next) {
		if (*link == unit) {
			*link = unit->next;
			unit->next = NULL;
			return;
		}
	}
}

void tracker_unit_close(Conversation *conv, Unit *unit, int64_t end_ns)
{
	if (unit->is_closed)
		return;
	unit->is_closed = true;
	unit->end_activity_ns = end_ns;
	if (!unit->is_job && unit->job && unit->is_listing && unit_bytes(unit) > 0)
		unit->job->listings++;
	if (!unit->is_job && unit->job && !unit->is_listing && unit_bytes(unit) > 0) {
		unit->job->files++;
		histogram_add(&unit->job->file_size, (int64_t)unit_bytes(unit), 1);
	}
	if (!unit->is_job && unit->job) {
		unit->job->read.repeated_bytes += unit->read.repeated_bytes;
		unit->job->write.repeated_bytes += unit->write.repeated_bytes;
	}
	if (unit->job)
		unit->job_serial = unit->job->serial;
	unit->job = NULL;
	unlink_unit(conv, unit);
	if (conv->current == unit)
		conv->current = NULL;
	tracker_channel_unit_gone(conv, unit);
	timeline_close(conv->timeline, &unit->account, end_ns);
}

static void unit_drop(Conversation *conv, Unit *unit)
{
	unlink_unit(conv, unit);
	if (conv->current == unit)
		conv->current = NULL;
	tracker_channel_unit_gone(conv, unit);
	timeline_drop(conv->timeline, &unit->account);
	if (unit->is_job)
		g_hash_table_remove(conv->tracker->open_jobs, &unit->serial);
	conv->tracker->open_units--;
	facts_leave(unit);
	unit_free(unit);
}

/* Small conversations of unknown protocols are told of when TCP itself kept them waiting. */
static bool has_tcp_trouble(const Unit *unit)
{
	int64_t sum = 0;
	for (int b = BUCKET_ZERO_WINDOW; b <= BUCKET_DELAYED_ACK_STALL; b++)
		sum += unit->account.bucket_ns[b];
	return sum >= MIN_LOST_NS && (double)sum >= MAJOR_SHARE * (double)unit_duration_ns(unit);
}

static bool is_worth_telling(const Unit *unit)
{
	uint64_t bytes = unit->read.bytes + unit->write.bytes + unit->payload[0] + unit->payload[1];
	if (unit->is_unframed)
		return bytes >= UNKNOWN_MIN_BYTES || has_tcp_trouble(unit);
	return bytes > 0 || unit->is_job;
}

void tracker_account_done(void *user, Account *account)
{
	Tracker *tracker = user;
	Unit *unit = account->user;
	tracker->open_units--;
	unit->is_done = true;
	if (unit->is_job)
		g_hash_table_remove(tracker->open_jobs, &unit->serial);
	if (account_sum_ns(account) != account->end_ns - account->start_ns)
		tracker->counts.sums_wrong++;
	if (!is_worth_telling(unit) || !tracker->ops.unit_done) {
		tracker->counts.small_units_dropped++;
		facts_leave(unit);
		unit_free(unit);
		return;
	}
	tracker->ops.unit_done(tracker->ops.user, unit);
}

/* ---- jobs */

Conversation *tracker_root(Conversation *conv)
{
	return conv->control ? conv->control : conv;
}

/* MS-SMB2 2.2.31: control codes that name no file belong to the set-up. */
static bool is_setup_control(uint32_t code)
{
	return code == 0x00060194 || code == 0x000601B0 || /* DFS referrals */
	       code == 0x001401FC ||                       /* list of interfaces */
	       code == 0x00140204;                         /* validation of the negotiation */
}

static bool belongs_to_job(const Operation *op)
{
	if (op->is_event || (op->verb == VERB_IOCTL && is_setup_control(op->info_class)))
		return false;
	return op->op_class != OP_AUTH && op->verb != VERB_ECHO && op->verb != VERB_NOTIFY &&
	       op->verb != VERB_BREAK && op->verb != VERB_LOGOFF && op->verb != VERB_DISCONNECT &&
	       op->verb != VERB_CANCEL;
}

static void job_close(Conversation *conv, int64_t end_ns)
{
	Unit *job = conv->job;
	conv->job = NULL;
	for (Unit *u = conv->units; u; u = u->next) {
		u->job_serial = job->serial;
		u->job = NULL;
	}
	tracker_unit_close(conv, job, end_ns);
}

static void job_remember(Conversation *conv)
{
	if (conv->path)
		conv->path->job_conv = conv;
}

/* A client that opens a connection of its own for each file goes on with the job of the one before,
 * when that has ended. */
static bool job_adopt(Conversation *conv, const Operation *op)
{
	Conversation *old = conv->path ? conv->path->job_conv : NULL;
	Unit *job = old && old != conv ? old->job : NULL;
	Timeline *timeline = conv->timeline;
	if (!job || old->tcp.state < TCP_STATE_CLOSING || old->units || job->outstanding > 0 ||
		job->is_ftp != (op->protocol == MESSAGE_FTP) || old->input != conv->input ||
		memcmp(old->addr, conv->addr, sizeof(old->addr)) != 0 ||
		conv->begin_ns - job->last_activity_ns > JOB_GAP_NS)
		return false;
	/* they overlap, or the new one's first moments are counted already */
	if (old->timeline->accounted_ns > conv->begin_ns ||
		timeline->committed_ns != conv->begin_ns)
		return false;
	old->job = NULL;
	timeline_release(old->timeline, &job->account);
	account_add(&job->account, job->account.covered_ns, conv->begin_ns, BUCKET_CLIENT_THINK,
		OP_OTHER, SIDE_CLIENT, op->request_frame, conv->stream, false);
	job->account.covered_ns = conv->begin_ns;
	timeline_adopt(timeline, &job->account);
	conv->job = job;
	job->connections++;
	job->sessions++;
	unit_add_stream(job, conv->stream);
	for (Unit *u = conv->units; u; u = u->next) {
		u->job = job;
		u->job_serial = job->serial;
	}
	job_remember(conv);
	return true;
}

static bool has_open_data(const Conversation *conv)
{
	for (const Conversation *d = conv->data_list; d; d = d->data_next) {
		if (d->tcp.state < TCP_STATE_CLOSING)
			return true;
	}
	return false;
}

static void job_touch(Conversation *conv, const Operation *op)
{
	Unit *job = conv->job;
	/* connecting another share is no idleness */
	int64_t last = job && conv->last_auth_ns > job->last_activity_ns ? conv->last_auth_ns
		       : job                                             ? job->last_activity_ns
									 : 0;
	bool is_idle = job && op->request_first_ns - last > JOB_GAP_NS && job->outstanding == 0 &&
		       !has_open_data(conv);
	if (is_idle)
		job_close(conv, job->last_activity_ns);
	if (conv->job)
		return;
	/* connecting and logging in are part of what the user waited for when the first file
	 * follows at once */
	int64_t start = op->request_first_ns;
	bool is_first = !conv->had_job;
	if (is_first && (conv->last_auth_ns == 0 || start - conv->last_auth_ns < JOB_GAP_NS))
		start = conv->begin_ns;
	bool was_first = is_first && start == conv->begin_ns;
	conv->had_job = true;
	if (was_first && job_adopt(conv, op))
		return;
	conv->job = tracker_unit_open(conv, true, start);
	if (conv->job) {
		job_remember(conv);
		conv->job->connections = conv->job->sessions = 1;
		conv->job->is_ftp = op->protocol == MESSAGE_FTP;
		conv->job->protocol = session_protocol_name(conv->session);
		for (Unit *u = conv->units; u; u = u->next)
			u->job = conv->job;
	}
}

void tracker_rest(Conversation *conv, int64_t now_ns)
{
	const Unit *job = conv->job;
	int64_t silent_ns = now_ns - conv->tcp.last_ns;
	if (conv->control || conv->primary)
		return;
	if (job && job->outstanding == 0 && !has_open_data(conv)) {
		int64_t last = job->last_activity_ns > conv->last_auth_ns ? job->last_activity_ns
									  : conv->last_auth_ns;
		if (now_ns - last > TRACKER_REST_NS)
			job_close(conv, job->last_activity_ns);
	}
	if (silent_ns > TRACKER_REST_NS)
		timeline_settle(conv->timeline);
}

bool tracker_job_is_open(const Tracker *tracker, uint64_t serial)
{
	return serial != 0 && g_hash_table_contains(tracker->open_jobs, &serial);
}

/* ---- session events */

/* What the client that sent @op knew: an answer that has passed here and that it does not
 * acknowledge beside @op had not come to it. */
static Operation as_client_knows(const Conversation *conv, const Operation *op)
{
	Operation known = *op;
	int64_t has = conv->tcp.dir[SIDE_SERVER].una;
	if (!conv->session || conv->stream >= STREAM_NOT_TCP || has <= 0 ||
		(op->verb != VERB_READ && op->verb != VERB_WRITE))
		return known;
	SessionAhead ahead = session_ahead(conv->session, has);
	known.in_flight += ahead.answers;
	known.in_flight_bytes += ahead.bytes;
	if (op->credits_available != INT32_MIN && ahead.credits <= INT16_MAX)
		known.credits_available -= (int32_t)ahead.credits;
	return known;
}

static void on_request(void *user, const Operation *seen)
{
	Conversation *conv = user, *root = tracker_channel_root(conv);
	if (!belongs_to_job(seen))
		return;
	const Operation known = as_client_knows(conv, seen), *op = &known;
	job_touch(root, op);
	if (root->job) {
		root->job->outstanding++;
		unit_request(root->job, op);
		unit_add_stream(root->job, conv->stream);
	}
	Unit *unit = op->file ? op->file->user : NULL;
	if (!unit)
		return;
	unit_request(unit, op);
	unit_add_stream(unit, conv->stream);
	if (op->verb == VERB_READ || op->verb == VERB_WRITE)
		conv->current = unit;
}

static void on_reply(void *user, const Operation *op)
{
	Conversation *conv = user, *root = tracker_channel_root(conv);
	if (!belongs_to_job(op)) {
		if (op->op_class == OP_AUTH && op->answered)
			conv->last_auth_ns = op->reply_last_ns;
		if (op->verb == VERB_LOGIN)
			tracker_channel_login(conv->tracker->sessions, conv, op);
		return;
	}
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, SIDE_SERVER);
	Unit *unit = op->file ? op->file->user : NULL;
	if (root->job) {
		if (root->job->outstanding > 0)
			root->job->outstanding--;
		unit_reply(root->job, op, conv->stream, loop);
		if (unit && op->op_class == OP_CLOSE)
			unit_close_reply(root->job, op, unit->write.bytes, loop);
	}
	if (!unit)
		return;
	unit_reply(unit, op, conv->stream, loop);
	bool is_transfer = op->verb == VERB_READ || op->verb == VERB_WRITE || op->verb == VERB_LIST;
	if (unit->is_ftp && is_transfer) {
		unit->is_confirmed = op->answered && op->status_class == STATUS_CLASS_OK;
		unit->is_unanswered = !op->answered;
	}
}

static void name_take(char **to, const char *from)
{
	free(*to);
	*to = from && from[0] ? strndup(from, UNIT_NAME_BYTES - 1) : NULL;
	/* a cut in the middle of a character would not be UTF-8 any more */
	const char *end;
	if (*to && !g_utf8_validate(*to, -1, &end))
		(*to)[end - *to] = '\0';
}

static void names_take(Unit *unit, const FileRef *file)
{
	name_take(&unit->file, file->name);
	name_take(&unit->share, file->share);
	unit->is_ascii = file->is_ascii;
	unit->announced = file->announced;
	if (!unit->is_ftp)
		return;
	unit->is_listing = file->is_directory;
	unit->ftp.prepared_ns = file->opened_ns;
	unit->ftp.asked_ns = file->asked_ns;
	unit->ftp.began_ns = file->began_ns;
}

/* What began in the middle of a file whose requests were not captured, until the first whose are.
 */
static void unknown_part_done(Conversation *conv, int64_t now_ns)
{
	Unit *unit = conv->unit;
	if (!unit || !unit->is_unframed)
		return;
	conv->unit = NULL;
	tracker_unit_close(conv, unit, now_ns);
}

static void on_file_opened(void *user, FileRef *file)
{
	Conversation *conv = user;
	if (file->is_directory || file->is_pipe || file->user)
		return;
	unknown_part_done(conv, file->opened_ns);
	Unit *unit = tracker_unit_open(conv, false, file->opened_ns);
	if (!unit)
		return;
	unit->protocol = session_protocol_name(conv->session);
	unit->is_ftp = strcmp(unit->protocol, "ftp") == 0;
	unit->first_frame = file->opened_frame;
	unit->cut = !file->open_seen;
	unit->job = conv->job;
	unit->next = conv->units;
	conv->units = unit;
	names_take(unit, file);
	file->user = unit;
}

static void on_file_renamed(void *user, FileRef *file)
{
	(void)user;
	if (file->user)
		names_take(file->user, file);
}

static void unit_cut(Unit *unit)
{
	unit->cut = true;
	unit->is_unfinished = unit->is_ftp && unit->announced > unit->payload[SIDE_SERVER];
	if (!unit->job)
		return;
	unit->job->cut = true;
	unit->job->is_unfinished |= unit->is_unfinished;
}

/* The reply says that data were moved, but no connection was seen that carried them. */
static void ftp_without_data(Conversation *conv, Unit *unit, int64_t now_ns)
{
	if (!unit->is_confirmed || unit->payload[0] + unit->payload[1] > 0)
		return;
	conv->data_unseen_ns = now_ns;
	unit->unseen_bytes = tracker_data_unseen(unit);
	if (!unit->job)
		return;
	unit->job->files_unseen += unit->unseen_bytes == 0;
	unit->job->unseen_bytes += unit->unseen_bytes;
	unit->job->payload[SIDE_SERVER] += unit->unseen_bytes;
}

/* Without a reply a copy lasts as long as its data, when the reply could not be seen or the client
 * has gone on. */
static int64_t ftp_end_ns(const Conversation *conv, const Unit *unit, int64_t now_ns)
{
	bool is_waiting = conv->is_ending && conv->tcp.dir[SIDE_SERVER].packets > 0;
	if (!unit->is_unanswered || is_waiting || unit->ftp.last_byte_ns == 0)
		return now_ns;
	int64_t end = MAX(unit->ftp.last_byte_ns, conv->data_done_ns);
	return MIN(end, now_ns);
}

static void on_file_closed(void *user, FileRef *file, int64_t now_ns)
{
	Conversation *conv = user;
	Unit *unit = file->user;
	for (GList *l = conv->tracker->expected->head; l; l = l->next) {
		Expected *e = l->data;
		if (e->file == file)
			e->file = NULL;
	}
	Conversation *running = NULL;
	bool has_data = false;
	for (Conversation *d = conv->data_list; d; d = d->data_next) {
		if (d->ftp_file != file)
			continue;
		has_data = true;
		d->ftp_file = NULL;
		d->unit = NULL;
		if (d->tcp.state >= TCP_STATE_CLOSING)
			continue;
		d->unit = unit;
		running = d;
	}
	if (!unit)
		return;
	names_take(unit, file);
	if (conv->is_ending)
		unit_cut(unit);
	unit->ftp.done_ns = now_ns;
	file->user = NULL;
	if (unit->is_ftp && running) { /* the answer overtook the last data */
		unit->is_closing = true;
		unit->end_activity_ns = now_ns;
		return;
	}
	if (unit->is_ftp && !has_data)
		ftp_without_data(conv, unit, now_ns);
	if (file->is_dialogue ||
		unit->read.bytes + unit->write.bytes + unit->payload[0] + unit->payload[1] == 0) {
		unit_drop(conv, unit);
		return;
	}
	/* a handle kept open after the last use is not part of the copy */
	bool is_kept_open = !unit->is_ftp && now_ns - unit->last_activity_ns > JOB_GAP_NS;
	int64_t end = is_kept_open   ? unit->last_activity_ns
		      : unit->is_ftp ? ftp_end_ns(conv, unit, now_ns)
				     : now_ns;
	tracker_unit_close(conv, unit, end);
}

const SessionOps tracker_session_ops = {
	.request = on_request,
	.reply = on_reply,
	.file_opened = on_file_opened,
	.file_renamed = on_file_renamed,
	.file_closed = on_file_closed,
	.ftp_data = tracker_data_announced,
};

void tracker_units_end(Tracker *tracker, Conversation *conv, ConnectionFacts *facts)
{
	(void)tracker;
	Conversation *root = tracker_root(conv);
	if (conv->control) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		tracker_data_failed(root->job, conv);
		if (unit && unit->is_closing) {
			int64_t end = conv->tcp.last_ns;
			tracker_data_cut_off(root, conv, unit, facts);
			tracker_unit_close(root, unit,
				end > unit->end_activity_ns ? end : unit->end_activity_ns);
		}
		return;
	}
	if (conv->unit) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		tracker_unit_close(conv, unit, conv->timeline->accounted_ns);
	}
	for (Conversation *d = conv->data_list; d; d = d->data_next) {
		d->unit = NULL;
		d->ftp_file = NULL;
	}
	while (conv->units) {
		Unit *unit = conv->units;
		unit_cut(unit);
		/* of FTP the data go on without a word on the control connection */
		tracker_unit_close(conv, unit, MAX(unit->last_activity_ns, unit->ftp.last_byte_ns));
	}
	if (conv->job)
		job_close(conv, conv->job->last_activity_ns);
	if (conv->path && conv->path->job_conv == conv)
		conv->path->job_conv = NULL;
}
