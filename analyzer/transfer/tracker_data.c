/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FTP data connections: announced on a control connection, tried in vain, cut off, or done.
 */
#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/gap.h"
#include "analyzer/transfer/tracker_internal.h"

/* Hosts that get no answer try again after a second at the earliest (RFC 6298 2.1): who prepares
 * another data connection sooner has not tried for long. */
#define CONNECT_WAIT_MIN_NS SECOND_NS

/* What the server says that it has sent counts; returns what of it the capture lacks. */
uint64_t tracker_data_unseen(Unit *unit)
{
	uint64_t seen = unit->payload[SIDE_SERVER];
	/* in text line ends count differently */
	if (!unit->is_confirmed || unit->is_ascii || unit->announced <= seen)
		return 0;
	unit->payload[SIDE_SERVER] = unit->announced;
	return unit->announced - seen;
}

bool tracker_data_failed(Unit *job, Conversation *data)
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

void tracker_data_announced(
	void *user, const uint8_t addr[16], uint16_t port, bool client_connects, FileRef *file)
{
	Conversation *conv = user;
	Tracker *tracker = conv->tracker;
	static const uint8_t zero[16];
	/* who prepares another one has given up those that were not answered */
	for (Conversation *d = conv->data_list; d; d = d->data_next) {
		if (tracker_data_failed(conv->job, d))
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
		e->control->is_usual = false;
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
	Unit *unit = tracker_payload_unit(conv);
	if (!unit)
		return;
	tracker_facts_join(conv, unit);
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
	tracker_unit_close(tracker_root(conv), unit,
		now_ns > unit->end_activity_ns ? now_ns : unit->end_activity_ns);
}

/* The server has sent all of the file, but neither its end was captured nor that of its connection.
 */
void tracker_data_cut_off(
	Conversation *root, const Conversation *conv, Unit *unit, ConnectionFacts *facts)
{
	if (conv->tcp.state >= TCP_STATE_CLOSING)
		return;
	uint64_t unseen = tracker_data_unseen(unit);
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
