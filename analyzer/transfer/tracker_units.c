/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfers and jobs from what sessions tell: see tracker.h. A unit that moved nothing is
 * forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/gap.h"
#include "analyzer/transfer/tracker_channel.h"
#include "analyzer/transfer/tracker_internal.h"

/* Conversations of unknown protocols below this are chatter, not transfers. */
#define UNKNOWN_MIN_BYTES (64 * 1024)
/* Hosts that get no answer try again after a second at the earliest (RFC 6298 2.1): who prepares
 * another data connection sooner has not tried for long. */
#define CONNECT_WAIT_MIN_NS SECOND_NS

static void facts_join(Conversation *conv, Unit *unit)
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

static Unit *unit_open(Conversation *conv, bool is_job, int64_t start_ns)
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
	facts_join(conv, unit);
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

static void unit_close(Conversation *conv, Unit *unit, int64_t end_ns)
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

static Conversation *root_of(Conversation *conv)
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
	unit_close(conv, job, end_ns);
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
	conv->job = unit_open(conv, true, start);
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

static void on_request(void *user, const Operation *op)
{
	Conversation *conv = user, *root = tracker_channel_root(conv);
	if (!belongs_to_job(op))
		return;
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
	unit_close(conv, unit, now_ns);
}

static void on_file_opened(void *user, FileRef *file)
{
	Conversation *conv = user;
	if (file->is_directory || file->is_pipe || file->user)
		return;
	unknown_part_done(conv, file->opened_ns);
	Unit *unit = unit_open(conv, false, file->opened_ns);
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

/* What the server says that it has sent counts; returns what of it the capture lacks. */
static uint64_t ftp_unseen(Unit *unit)
{
	uint64_t seen = unit->payload[SIDE_SERVER];
	/* in text line ends count differently */
	if (!unit->is_confirmed || unit->is_ascii || unit->announced <= seen)
		return 0;
	unit->payload[SIDE_SERVER] = unit->announced;
	return unit->announced - seen;
}

/* The reply says that data were moved, but no connection was seen that carried them. */
static void ftp_without_data(Conversation *conv, Unit *unit, int64_t now_ns)
{
	if (!unit->is_confirmed || unit->payload[0] + unit->payload[1] > 0)
		return;
	conv->data_unseen_ns = now_ns;
	unit->unseen_bytes = ftp_unseen(unit);
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
	unit_close(conv, unit, end);
}

static bool count_if_failed(Unit *job, Conversation *data)
{
	if (data->is_failed || data->tcp.established_ns != 0 || data->tcp.syn_ns == 0 ||
		data->tcp.dir[0].payload_packets + data->tcp.dir[1].payload_packets > 0)
		return false;
	data->is_failed = true;
	if (job)
		job->data_failed++;
	if (data->ftp_file && data->ftp_file->user)
		((Unit *)data->ftp_file->user)->data_failed++;
	return true;
}

/* Who prepares another data connection was waiting for the one before, up to then. */
static void waited_to_connect(Conversation *control, int64_t since_ns)
{
	timeline_relabel(control->timeline, since_ns, SIDE_CLIENT, BUCKET_CLIENT_THINK,
		BUCKET_CONNECTION_SETUP);
}

/*
 * At the server's end: a port was announced, nobody came, no file was asked for, and now another
 * way is prepared. The client's tries were lost on their way here.
 */
static void count_unanswered(Conversation *control)
{
	GQueue *expected = control->tracker->expected;
	for (GList *l = expected->head; l;) {
		GList *next = l->next;
		Expected *e = l->data;
		if (e->control == control && e->client_connects && e->port != 0 && e->file &&
			e->file->asked_ns == 0 &&
			control->tcp.last_ns - e->announced_ns >= CONNECT_WAIT_MIN_NS) {
			if (control->job)
				control->job->data_failed++;
			if (e->file->user)
				((Unit *)e->file->user)->data_failed++;
			waited_to_connect(control, e->announced_ns);
			g_free(e);
			g_queue_delete_link(expected, l);
		}
		l = next;
	}
}

/* An encrypted control connection announces with everything it says: time goes on. */
static bool is_expected_already(Conversation *conv, bool client_connects, const FileRef *file)
{
	for (const Conversation *d = conv->data_list; d; d = d->data_next) {
		if (d->ftp_file == file)
			return true;
	}
	for (GList *l = conv->tracker->expected->head; l; l = l->next) {
		Expected *e = l->data;
		if (e->control == conv && e->file == file && e->port == 0 &&
			e->client_connects == client_connects) {
			e->announced_ns = conv->tcp.last_ns;
			return true;
		}
	}
	return false;
}

static void on_ftp_data(
	void *user, const uint8_t addr[16], uint16_t port, bool client_connects, FileRef *file)
{
	Conversation *conv = user;
	Tracker *tracker = conv->tracker;
	static const uint8_t zero[16];
	/* who prepares another one has given up those that were not answered */
	for (Conversation *d = conv->data_list; d; d = d->data_next) {
		if (count_if_failed(conv->job, d))
			waited_to_connect(conv, d->tcp.syn_ns);
	}
	count_unanswered(conv);
	if (port == 0 && is_expected_already(conv, client_connects, file))
		return;
	if (g_queue_get_length(tracker->expected) >= TRACKER_MAX_EXPECTED)
		g_free(g_queue_pop_head(tracker->expected));
	Expected *e = g_new0(Expected, 1);
	e->control = conv;
	e->file = file;
	memcpy(e->addr,
		memcmp(addr, zero, 16) == 0
			? conv->addr[client_connects ? SIDE_SERVER : SIDE_CLIENT]
			: addr,
		16);
	e->port = port;
	e->client_connects = client_connects;
	e->announced_ns = conv->tcp.last_ns;
	g_queue_push_tail(tracker->expected, e);
}

const SessionOps tracker_session_ops = {
	.request = on_request,
	.reply = on_reply,
	.file_opened = on_file_opened,
	.file_renamed = on_file_renamed,
	.file_closed = on_file_closed,
	.ftp_data = on_ftp_data,
};

/* ---- FTP data connections */

/* The port was cut off: the next connection between the two hosts that goes to no service. */
static bool fits_any(const Expected *e, const Conversation *conv, const Packet *packet)
{
	const uint8_t *from = e->control->addr[e->client_connects ? SIDE_CLIENT : SIDE_SERVER];
	return e->port == 0 && packet->ts_ns - e->announced_ns <= EXPECTED_ANY_AGE_NS &&
	       packet->tcp_flags & TCP_SYN && conv->port[SIDE_SERVER] >= 1024 &&
	       memcmp(from, conv->addr[SIDE_CLIENT], 16) == 0;
}

void tracker_expected_match(Tracker *tracker, Conversation *conv, const Packet *packet)
{
	/* newest first: a port announced again belongs to the newer transfer */
	for (GList *l = tracker->expected->tail; l; l = l->prev) {
		Expected *e = l->data;
		bool to_server =
			(e->port == conv->port[SIDE_SERVER] || fits_any(e, conv, packet)) &&
			memcmp(e->addr, conv->addr[SIDE_SERVER], 16) == 0;
		bool to_client = !(packet->tcp_flags & TCP_SYN) &&
				 e->port == conv->port[SIDE_CLIENT] &&
				 memcmp(e->addr, conv->addr[SIDE_CLIENT], 16) == 0;
		if (!to_server && !to_client)
			continue;
		if (packet->ts_ns - e->announced_ns > EXPECTED_MAX_AGE_NS)
			return;
		conv->control = e->control;
		conv->ftp_file = e->file;
		/* sides are counted as on the control connection: the FTP client is the client */
		conv->is_flipped = to_server != e->client_connects;
		conv->data_next = e->control->data_list;
		e->control->data_list = conv;
		if (conv->control->job)
			conv->control->job->data_connections++;
		g_free(e);
		g_queue_delete_link(tracker->expected, l);
		return;
	}
}

void tracker_expected_forget(Tracker *tracker, const Conversation *control)
{
	for (GList *l = tracker->expected->head; l;) {
		GList *next = l->next;
		if (((Expected *)l->data)->control == control) {
			g_free(l->data);
			g_queue_delete_link(tracker->expected, l);
		}
		l = next;
	}
}

/* ---- payload */

static bool is_unknown(const Conversation *conv)
{
	return conv->session && !conv->control && session_is_unknown(conv->session);
}

void tracker_before_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	(void)tracker;
	if (conv->first_payload_ns == 0)
		conv->first_payload_ns = packet->ts_ns;
	/* a new question after a long silence of an unknown protocol begins another bulk period;
	 * time in which the answer was still being repeated or acknowledged is no silence */
	const TcpDirection *answer = &conv->tcp.dir[SIDE_SERVER];
	int64_t end =
		MAX(conv->last_payload_ns, MAX(answer->last_progress_ns, answer->last_data_ns));
	bool is_new_period = conv->unit && conv->unit->is_unframed && step->side == SIDE_CLIENT &&
			     conv->has_last_side && conv->last_side == SIDE_SERVER &&
			     packet->ts_ns - end > JOB_GAP_NS;
	if (is_new_period) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		conv->first_payload_ns = packet->ts_ns;
		conv->period_base[0] = conv->tcp.dir[0].unique_bytes;
		conv->period_base[1] = conv->tcp.dir[1].unique_bytes;
		unit_close(conv, unit, end);
	}
	conv->last_payload_ns = packet->ts_ns;
}

/* A connection that opened only after several tries is part of what was waited for. */
static int64_t unknown_start_ns(const Conversation *conv)
{
	const TcpConnection *tcp = &conv->tcp;
	bool is_first = conv->period_base[0] + conv->period_base[1] == 0;
	bool was_retried = tcp->syn_tries > 1 || tcp->syn_ack_tries > 1;
	bool is_at_once = tcp->established_ns > 0 &&
			  conv->first_payload_ns - tcp->established_ns < JOB_GAP_NS;
	was_retried |= conv->begin_ns < tcp->first_ns;
	return is_first && was_retried && is_at_once ? conv->begin_ns : conv->first_payload_ns;
}

static Unit *payload_unit(Conversation *conv)
{
	if (conv->control) {
		if (!conv->unit && conv->ftp_file)
			conv->unit = conv->ftp_file->user;
		if (conv->unit)
			unit_add_stream(conv->unit, conv->stream);
		return conv->unit;
	}
	if (is_unknown(conv)) {
		if (!conv->unit) {
			conv->unit = unit_open(conv, false, unknown_start_ns(conv));
			if (conv->unit) {
				conv->unit->is_unframed = true;
				conv->unit->protocol = "other";
				for (int i = 0; i < 2; i++)
					conv->unit->payload[i] = conv->tcp.dir[i].unique_bytes -
								 conv->period_base[i];
				return NULL; /* this packet is counted already */
			}
		}
		return conv->unit;
	}
	/* the protocol is known now, the file that was under way when the capture began is not */
	if (!conv->current && conv->unit && conv->unit->is_unframed)
		return conv->unit;
	/* what an FTP control connection carries is no file data */
	return conv->current && !conv->current->is_ftp ? conv->current : NULL;
}

/* Whose pictures a packet is in beside those of its file: between files, and before a request is
 * whole, only the job is known. */
static Unit *pictured_job(const Conversation *conv, const Unit *unit)
{
	if (unit)
		return unit->job;
	Unit *job = conv->job;
	return job && job->series && !job->is_ftp ? job : NULL;
}

void tracker_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	(void)tracker;
	Unit *unit = payload_unit(conv);
	Unit *job = pictured_job(conv, unit);
	if (!unit && !job)
		return;
	const TcpDirection *d = &conv->tcp.dir[step->side];
	int64_t from = step->from > step->next_before ? step->from : step->next_before;
	int64_t bytes = step->segment == SEGMENT_NEW ? step->end - from : step->end - step->from;
	if (step->segment == SEGMENT_RETRANSMISSION)
		bytes = step->end - step->next_before;
	if (bytes <= 0)
		return;
	int64_t flight = d->next - d->sender_una;
	Side side = conversation_side(conv, step->side);
	if (flight < 0)
		flight = 0;
	PayloadSample sample = {packet->ts_ns, (uint64_t)bytes, (uint64_t)flight, d->peer_window,
		d->last_rtt_ns > 0 ? tcp_rtt_now_ns(&conv->tcp, step->side) : SERIES_NONE};
	if (job)
		unit_job_payload(job, side, &sample);
	if (!unit)
		return;
	unit_payload(unit, side, &sample);
	if (unit->job) /* requests may be few, or cut off by a short snap length */
		unit->job->last_activity_ns = packet->ts_ns;
	if (conv->control) {
		facts_join(conv, unit);
		if (unit->ftp.first_byte_ns == 0) {
			unit->ftp.syn_ns = conv->tcp.syn_ns;
			unit->ftp.established_ns = conv->tcp.established_ns;
			unit->ftp.first_byte_ns = packet->ts_ns;
		}
		unit->ftp.last_byte_ns = packet->ts_ns;
		if (unit->job) {
			unit->job->payload[side] += (uint64_t)bytes;
			unit_add_stream(unit->job, conv->stream);
			if (unit->job->facts_payload < d->unique_bytes) {
				unit->job->facts_payload = d->unique_bytes;
				facts_join(conv, unit->job);
			}
		}
	}
	if (step->segment == SEGMENT_RETRANSMISSION ||
		step->segment == SEGMENT_RETRANSMISSION_UPSTREAM)
		tracker_repair(conv, packet);
}

void tracker_uncaptured(Conversation *conv)
{
	Unit *unit = payload_unit(conv);
	/* of SMB the messages tell how much was moved */
	if (!unit || !(unit->is_ftp || unit->is_unframed))
		return;
	for (int i = 0; i < 2; i++) {
		uint64_t all = tcp_uncaptured_bytes(&conv->tcp.dir[i]);
		if (all <= conv->uncaptured[i])
			continue;
		unit->payload[conversation_side(conv, (Side)i)] += all - conv->uncaptured[i];
		conv->uncaptured[i] = all;
	}
}

void tracker_repair(Conversation *conv, const Packet *packet)
{
	Unit *unit = conv->unit ? conv->unit : conv->current;
	if (unit && unit->series)
		series_add(unit->series, UNIT_SERIES_RETRANSMISSIONS, packet->ts_ns, 1);
	if (unit && unit->job && unit->job->series)
		series_add(unit->job->series, UNIT_SERIES_RETRANSMISSIONS, packet->ts_ns, 1);
}

void tracker_given_up(Conversation *conv, const Packet *packet, const TcpStep *step)
{
	if (step->closes && conv->closed_ns == 0) {
		conv->closed_ns = packet->ts_ns;
		conv->closed_side = (uint8_t)step->side;
	}
	if (conv->closed_ns == 0 || conv->has_given_up)
		return;
	Side sender = conv->closed_side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	const TcpDirection *d = &conv->tcp.dir[sender];
	int64_t unseen = d->bare_next > d->next ? d->bare_next - d->next : 0;
	int64_t waiting = d->next + unseen - d->una;
	/* more than the receiver ever allowed is no number of this connection */
	if ((d->backoff == 0 && unseen == 0) || waiting <= 0 ||
		waiting > (int64_t)d->max_peer_window)
		return;
	conv->has_given_up = true;
	Unit *unit = payload_unit(conv);
	if (!unit)
		return;
	facts_join(conv, unit);
	if (unseen > 0) {
		Side side = conversation_side(conv, sender);
		unit->payload[side] += (uint64_t)unseen;
		if (unit->job)
			unit->job->payload[side] += (uint64_t)unseen;
	}
	gap_given_up(conv, sender, conv->closed_ns, packet);
}

void tracker_data_closed(Conversation *conv, int64_t now_ns)
{
	Unit *unit = conv->unit;
	if (!unit || !unit->is_closing)
		return;
	conv->unit = NULL;
	unit_close(root_of(conv), unit,
		now_ns > unit->end_activity_ns ? now_ns : unit->end_activity_ns);
}

/* The server has sent all of the file, but neither its end was captured nor that of its connection.
 */
static void ftp_cut_off(
	Conversation *root, const Conversation *conv, Unit *unit, ConnectionFacts *facts)
{
	if (conv->tcp.state >= TCP_STATE_CLOSING)
		return;
	uint64_t unseen = ftp_unseen(unit);
	if (unseen == 0)
		return;
	facts->tcp.dir[conversation_side(conv, SIDE_SERVER)].uncaptured_bytes += unseen;
	if (unit->job)
		unit->job->payload[SIDE_SERVER] += unseen;
	/* nothing has labelled the time since the last data that were seen */
	Span span = {.bucket = BUCKET_CAPTURE_GAP, .side = SIDE_SERVER, .stream = conv->stream};
	if (unit->end_activity_ns > root->timeline->accounted_ns)
		timeline_add(root->timeline, unit->end_activity_ns, &span);
}

void tracker_units_end(Tracker *tracker, Conversation *conv, ConnectionFacts *facts)
{
	(void)tracker;
	Conversation *root = root_of(conv);
	if (conv->control) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		count_if_failed(root->job, conv);
		if (unit && unit->is_closing) {
			int64_t end = conv->tcp.last_ns;
			ftp_cut_off(root, conv, unit, facts);
			unit_close(root, unit,
				end > unit->end_activity_ns ? end : unit->end_activity_ns);
		}
		return;
	}
	if (conv->unit) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		unit_close(conv, unit, conv->timeline->accounted_ns);
	}
	for (Conversation *d = conv->data_list; d; d = d->data_next) {
		d->unit = NULL;
		d->ftp_file = NULL;
	}
	while (conv->units) {
		Unit *unit = conv->units;
		unit_cut(unit);
		/* of FTP the data go on without a word on the control connection */
		unit_close(conv, unit, MAX(unit->last_activity_ns, unit->ftp.last_byte_ns));
	}
	if (conv->job)
		job_close(conv, conv->job->last_activity_ns);
	if (conv->path && conv->path->job_conv == conv)
		conv->path->job_conv = NULL;
}
