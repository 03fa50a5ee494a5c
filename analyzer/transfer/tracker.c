/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conversations from first to last packet: see tracker.h. Units are made in tracker_units.c.
 */
#include "analyzer/transfer/tracker.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/gap.h"
#include "analyzer/transfer/tracker_channel.h"
#include "analyzer/transfer/tracker_internal.h"

#define DEFAULT_MAX_UNITS 20000
#define DEFAULT_MAX_PATHS 20000
#define SWEEP_EVERY_NS SECOND_NS

static guint path_hash(gconstpointer key)
{
	const Path *p = key;
	guint h = 5381;
	for (unsigned i = 0; i < 16; i++)
		h = h * 33 + p->low[i] + (guint)p->high[i] * 257;
	return h;
}

static gboolean path_equal(gconstpointer a, gconstpointer b)
{
	const Path *x = a, *y = b;
	return memcmp(x->low, y->low, 16) == 0 && memcmp(x->high, y->high, 16) == 0;
}

static void path_free(gpointer data)
{
	path_clear(data);
	g_free(data);
}

Tracker *tracker_new(const TrackerOps *ops, const TrackerLimits *limits)
{
	Tracker *tracker = g_new0(Tracker, 1);
	tracker->ops = *ops;
	tracker->limits = *limits;
	if (tracker->limits.max_units == 0)
		tracker->limits.max_units = DEFAULT_MAX_UNITS;
	if (tracker->limits.max_paths == 0)
		tracker->limits.max_paths = DEFAULT_MAX_PATHS;
	tracker->paths = g_hash_table_new_full(path_hash, path_equal, NULL, path_free);
	tracker->expected = g_queue_new();
	tracker->open_jobs = g_hash_table_new(g_int64_hash, g_int64_equal);
	tracker->sessions = tracker_channel_table();
	tracker->classifier = classifier_new();
	tracker->approaches = approaches_new();
	return tracker;
}

static void on_stalled(
	void *user, const Timeline *timeline, const Span *span, int64_t start_ns, int64_t ns)
{
	Tracker *tracker = user;
	/* a pause that nobody had to end is no stall */
	bool is_idle = span->bucket == BUCKET_CLIENT_THINK && !timeline->accounts;
	if (tracker->ops.stalled && !is_idle)
		tracker->ops.stalled(tracker->ops.user, timeline->input, span, start_ns, ns);
}

static void timeline_listen(Tracker *tracker, Conversation *conv)
{
	conv->own_timeline.account_done = tracker_account_done;
	conv->own_timeline.long_logs = &tracker->long_logs;
	conv->own_timeline.stalled = on_stalled;
	conv->tcp.is_never_steady = tracker->limits.is_unpredicted;
	if (tracker->limits.stall_ns > 0)
		conv->own_timeline.stall_ns = tracker->limits.stall_ns;
	conv->own_timeline.user = tracker;
	conv->own_timeline.input = conv->input;
}

static gboolean path_is_unused(gpointer key, gpointer value, gpointer data)
{
	(void)value;
	(void)data;
	return ((const Path *)key)->users == 0;
}

/* Forgets paths that nobody uses; looking through all of them is worth it once in a while only. */
static bool paths_sweep(Tracker *tracker, int64_t now_ns)
{
	if (now_ns - tracker->swept_ns < SWEEP_EVERY_NS && now_ns >= tracker->swept_ns)
		return false;
	tracker->swept_ns = now_ns;
	return g_hash_table_foreach_remove(tracker->paths, path_is_unused, NULL) > 0;
}

static Path *path_of(Tracker *tracker, Conversation *conv)
{
	Path key = {0};
	memcpy(key.low, conv->addr[conv->client_is_low ? SIDE_CLIENT : SIDE_SERVER], 16);
	memcpy(key.high, conv->addr[conv->client_is_low ? SIDE_SERVER : SIDE_CLIENT], 16);
	Path *path = g_hash_table_lookup(tracker->paths, &key);
	if (path)
		return path;
	if (g_hash_table_size(tracker->paths) >= tracker->limits.max_paths &&
		!paths_sweep(tracker, conv->tcp.last_ns)) {
		tracker->counts.paths_refused += !conv->is_path_refused;
		conv->is_path_refused = true;
		return NULL;
	}
	path = g_new0(Path, 1);
	memcpy(path->low, key.low, 16);
	memcpy(path->high, key.high, 16);
	g_hash_table_add(tracker->paths, path);
	return path;
}

static bool is_server_port(uint16_t port)
{
	return port == 445 || port == 139 || port == 21 || port == 20 || port == 990;
}

/* Who is the client: the SYN says it; without one a well-known port does; else the first to speak.
 */
static bool sender_is_client(const Packet *packet)
{
	if (packet->tcp_flags & TCP_SYN)
		return !(packet->tcp_flags & TCP_ACK);
	if (is_server_port(packet->src_port) != is_server_port(packet->dst_port))
		return is_server_port(packet->dst_port);
	/* IANA: ports below 1024 are services, ephemeral ones are above */
	if ((packet->src_port < 1024) != (packet->dst_port < 1024))
		return packet->dst_port < 1024;
	return true;
}

static void add_before(Conversation *conv, int64_t to_ns, Bucket bucket, uint64_t frame)
{
	Span span = {.frame = frame, .stream = conv->stream, .bucket = (uint8_t)bucket};
	if (to_ns > conv->own_timeline.accounted_ns)
		timeline_add(&conv->own_timeline, to_ns, &span);
}

/* The timeline of a connection begins with what the client waited for before it. */
static void begin_timeline(Tracker *tracker, Conversation *conv, const Packet *packet)
{
	Approach a = {.begin_ns = packet->ts_ns};
	if ((packet->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN)
		approaches_begin(tracker->approaches, conv, packet, &a);
	conv->begin_ns = a.begin_ns;
	timeline_init(&conv->own_timeline, a.begin_ns, NULL, conv->client_is_low);
	if (a.begin_ns == packet->ts_ns)
		return;
	conv->approach = g_memdup2(&a, sizeof(a));
	add_before(conv, a.answer_ns, BUCKET_NAME_RESOLUTION, a.answer_frame);
	if (a.failed_tries > 0) {
		add_before(conv, a.failed_ns, BUCKET_CLIENT_THINK, a.failed_frame);
		add_before(conv, packet->ts_ns, BUCKET_CONNECTION_SETUP, packet->frame);
	} else {
		add_before(conv, packet->ts_ns, BUCKET_CLIENT_THINK, packet->frame);
	}
}

void tracker_udp(Tracker *tracker, const Packet *packet)
{
	approaches_lookup(tracker->approaches, packet);
}

void tracker_begin(
	Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low, uint32_t stream)
{
	memset(conv, 0, sizeof(*conv));
	tcp_connection_init(&conv->tcp);
	bool from_client = sender_is_client(packet);
	conv->client_is_low = from_client == from_low;
	conv->stream = stream;
	conv->input = packet->input;
	Side sender = from_client ? SIDE_CLIENT : SIDE_SERVER,
	     receiver = from_client ? SIDE_SERVER : SIDE_CLIENT;
	memcpy(conv->addr[sender], packet->src, 16);
	memcpy(conv->addr[receiver], packet->dst, 16);
	conv->port[sender] = packet->src_port;
	conv->port[receiver] = packet->dst_port;
	tracker_expected_match(tracker, conv, packet);
	conv->begin_ns = packet->ts_ns;
	if (!conv->control)
		begin_timeline(tracker, conv, packet);
	timeline_listen(tracker, conv);
	conv->timeline = conv->control ? conv->control->timeline : &conv->own_timeline;
	conv->tracker = tracker;
}

static void path_join(Tracker *tracker, Conversation *conv)
{
	conv->path = path_of(tracker, conv);
	if (conv->path)
		conv->path->users++;
	if (!conv->control) {
		conv->own_timeline.path = conv->path;
		conv->own_timeline.capacity_hint = tracker->limits.link_bytes_per_s;
	}
}

static void session_make(Conversation *conv)
{
	if (conv->control && conv->control->session)
		conv->session = session_new_ftp_data(
			&tracker_session_ops, conv, conv->control->session, conv->ftp_file);
	else
		conv->session = session_new(&tracker_session_ops, conv,
			&(SessionLimits){.keys = conv->tracker->limits.smb_keys},
			conv->port[SIDE_SERVER], conv->port[SIDE_CLIENT]);
}

static bool carries_new(const TcpStep *step)
{
	switch (step->segment) {
	case SEGMENT_NEW:
	case SEGMENT_REORDERED:
	case SEGMENT_RETRANSMISSION_UPSTREAM:
	case SEGMENT_PROBE:
		return true;
	case SEGMENT_RETRANSMISSION:
		return step->end > step->next_before;
	case SEGMENT_NONE:
	case SEGMENT_COPY:
	case SEGMENT_KEEP_ALIVE:
		break;
	}
	return false;
}

__attribute__((noinline)) void tracker_push_payload(
	Conversation *conv, const Packet *packet, const TcpStep *step)
{
	SessionChunk chunk = {.offset = step->from,
		.len = step->len,
		.caplen = packet->payload_caplen,
		.data = packet->payload,
		.ts_ns = packet->ts_ns,
		.frame = packet->frame,
		.psh = (packet->tcp_flags & TCP_PSH) != 0,
		.fills_hole = step->segment != SEGMENT_NEW};
	session_push(conv->session, step->side, &chunk);
}

__attribute__((noinline)) void tracker_name_application(
	Tracker *tracker, Conversation *conv, const Packet *packet)
{
	if (conv->is_named || !conv->session || !session_is_settled(conv->session))
		return;
	if (!session_is_unknown(conv->session)) {
		conv->is_named = true; /* ours */
		return;
	}
	if (classifier_push(tracker->classifier, &conv->classifier, packet, &conv->application))
		conv->is_named = true;
}

static const Turn *turn_of(const Conversation *conv)
{
	static const Turn none = {.is_framed = false};
	return conv->session ? session_turn(conv->session) : &none;
}

/* A control connection's own packets say nothing about time while its data connection moves the
 * file. */
static bool is_overshadowed(const Conversation *conv)
{
	for (const Conversation *d = conv->data_list; d; d = d->data_next) {
		bool is_open = d->tcp.state == TCP_STATE_OPEN;
		if (is_open && d->tcp.dir[0].payload_packets + d->tcp.dir[1].payload_packets > 0)
			return true;
	}
	return false;
}

static void label(Conversation *conv, const Packet *packet, const TcpStep *step, const Turn *before)
{
	if (conv->data_list && is_overshadowed(conv))
		return;
	const Turn *turn = before;
	if (conv->control && step->is_setup)
		turn = turn_of(conv->control);
	gap_step(conv, packet, step, turn, turn_of(conv));
}

/* Lines at the head of a direction that packets of both sides touch; those of a sender of data. */
#define PREFETCH_LINES 3
#define PREFETCH_LINES_SENDER 7
#define CACHE_LINE 64

void tracker_prefetch(const Conversation *conv)
{
	for (int line = 0; line < PREFETCH_LINES; line++) {
		__builtin_prefetch((const char *)&conv->tcp.dir[0] + line * CACHE_LINE, 1);
		__builtin_prefetch((const char *)&conv->tcp.dir[1] + line * CACHE_LINE, 1);
	}
	__builtin_prefetch(&conv->tcp.loop_ns, 1);
	__builtin_prefetch(&conv->session, 1);
	__builtin_prefetch(&conv->client_is_low, 1);
	__builtin_prefetch(&conv->own_timeline, 1);
}

void tracker_prefetch_deep(const Conversation *conv, bool from_low)
{
	Side side = from_low == conv->client_is_low ? SIDE_CLIENT : SIDE_SERVER;
	const TcpDirection *d = &conv->tcp.dir[side];
	for (int line = PREFETCH_LINES; line < PREFETCH_LINES_SENDER; line++)
		__builtin_prefetch((const char *)d + line * CACHE_LINE, 1);
	/* a prefetch of nothing does no harm */
	__builtin_prefetch(&d->sends[d->sends_head & d->sends_mask], 1);
	__builtin_prefetch(&d->recent[2 * (d->recent_head & d->recent_mask)], 1);
	if (conv->session)
		session_prefetch(conv->session, side);
	if (conv->timeline && conv->timeline->count > 0)
		__builtin_prefetch(&conv->timeline->log[conv->timeline->count - 1], 1);
	if (conv->path)
		__builtin_prefetch(&conv->path->dir[from_low ? 0 : 1], 1);
	if (conv->current) {
		__builtin_prefetch(conv->current, 1);
		__builtin_prefetch((const char *)conv->current + CACHE_LINE, 1);
		__builtin_prefetch(&conv->current->read, 0);
	}
	if (conv->job)
		__builtin_prefetch(conv->job, 1);
}

void tracker_packet(Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low)
{
	Side side = from_low == conv->client_is_low ? SIDE_CLIENT : SIDE_SERVER;
	TcpStep step;
	int64_t server_loop = conv->tcp.loop_ns[SIDE_SERVER];
	tcp_connection_step(&conv->tcp, side, packet, &step);
	conv->is_usual = false;
	if (step.segment == SEGMENT_COPY)
		return;
	if (!conv->path && packet->payload_len > 0)
		path_join(tracker, conv);
	if (conv->tcp.loop_ns[SIDE_SERVER] != server_loop && conv->session)
		session_set_server_loop(conv->session, conv->tcp.loop_ns[SIDE_SERVER]);
	if (step.gap_to > step.gap_from && conv->session)
		session_gap(
			conv->session, step.gap_side, step.gap_from, step.gap_to, packet->ts_ns);
	if (step.gap_to > step.gap_from || step.closes)
		tracker_uncaptured(conv);
	if (conv->attempt && (step.is_setup || step.closes))
		approaches_step(tracker->approaches, conv, packet);
	bool is_new = packet->payload_len > 0 && carries_new(&step);
	/* only packets with payload and those that set up a connection end a wait */
	Turn before;
	if (packet->payload_len > 0 || step.is_setup)
		before = *turn_of(conv);
	if (is_new) {
		if (!conv->session) {
			session_make(conv);
			if (conv->session && conv->tcp.loop_ns[SIDE_SERVER] != INT64_MAX)
				session_set_server_loop(
					conv->session, conv->tcp.loop_ns[SIDE_SERVER]);
			before = *turn_of(conv);
		}
		tracker_before_payload(tracker, conv, packet, &step);
		bool is_skipped = conv->session && step.segment == SEGMENT_NEW &&
				  session_skip(conv->session, side, step.from, step.len,
					  packet->ts_ns, packet->frame);
		if (conv->session && !is_skipped)
			tracker_push_payload(conv, packet, &step);
		tracker_name_application(tracker, conv, packet);
		tracker_payload(tracker, conv, packet, &step);
	} else if (step.segment == SEGMENT_RETRANSMISSION) {
		tracker_repair(conv, packet);
	}
	if (packet->payload_len > 0 || step.is_setup || step.gap_to > step.gap_from ||
		step.clock_jumped)
		label(conv, packet, &step, &before);
	if (step.clock_ran)
		gap_clock_ran(conv, step.side);
	gap_trains(conv, packet, &step);
	if (step.len > 0 && conv->path &&
		(step.was_lost || conv->path->dir[from_low ? 0 : 1].trail))
		tracker_trail(tracker, conv, packet, &step);
	if (step.closes)
		gap_closes(conv);
	if (conv->control && packet->payload_len == 0)
		tracker_given_up(conv, packet, &step);
	/* what was lost is sent again after the end: then only is all there */
	if (conv->control && packet->payload_len > 0 && conv->tcp.dir[step.side].fin_seen)
		conv->control->data_done_ns = packet->ts_ns;
	if (conv->control && step.closes) {
		/* once the client has closed, that the server does not is its own time */
		bool is_client = conversation_side(conv, step.side) == SIDE_CLIENT;
		if (is_client || !conv->tcp.dir[1 - (int)step.side].fin_seen)
			conv->control->data_done_ns = packet->ts_ns;
		if (conv->session)
			session_ftp_data_done(conv->session, packet->ts_ns);
		tracker_data_closed(conv, packet->ts_ns);
	}
	conv->is_usual =
		conv->session && conv->path && !conv->control && !conv->data_list && !conv->attempt;
}

bool tracker_is_reuse(const Conversation *conv, const Packet *packet)
{
	if ((packet->tcp_flags & (TCP_SYN | TCP_ACK)) != TCP_SYN)
		return false;
	bool is_client = packet->src_port == conv->port[SIDE_CLIENT] &&
			 memcmp(packet->src, conv->addr[SIDE_CLIENT], 16) == 0;
	const TcpDirection *d = &conv->tcp.dir[is_client ? SIDE_CLIENT : SIDE_SERVER];
	if (!d->has_seq)
		return false;
	/* the same SYN again has the sequence number before offset 0 */
	return d->next_seq - (uint32_t)d->next - 1 != packet->seq;
}

/* What is known of @conv at any time. */
static void facts_fill(const Conversation *conv, ConnectionFacts *facts)
{
	facts->stream = conv->stream;
	facts->input = conv->input;
	memcpy(facts->addr, conv->addr, sizeof(facts->addr));
	memcpy(facts->port, conv->port, sizeof(facts->port));
	facts->protocol = conv->control   ? "ftp-data"
			  : conv->session ? session_protocol_name(conv->session)
					  : "other";
	facts->application = conv->application;
	if (!facts->path && conv->path)
		conv->path->users++;
	facts->path = conv->path;
	facts->client_is_low = conv->client_is_low;
	facts->is_ftp_data = conv->control != NULL || conv->was_ftp_data;
	facts->is_syn_repeat = conv->is_syn_repeat;
	if (conv->approach)
		facts->approach = *conv->approach;
	facts->has_session = conv->session && session_stats(conv->session, &facts->session);
	facts->tcp = conv->tcp;
	for (int i = 0; i < 2; i++) {
		TcpDirection *d = &facts->tcp.dir[i];
		if (d->zero_window_since_ns != 0)
			d->zero_window_ns += conv->tcp.last_ns - d->zero_window_since_ns;
		d->uncaptured_bytes = tcp_uncaptured_bytes(d);
		d->loss_line = loss_log_line(d->loss_log, tcp_rtt_ns(&conv->tcp));
		d->acks = NULL, d->sends = NULL, d->recent = NULL, d->holes = NULL;
		d->loss_log = NULL;
	}
}

void tracker_facts_now(Conversation *conv)
{
	if (conv->facts)
		facts_fill(conv, conv->facts);
}

void connection_facts_free(ConnectionFacts *facts)
{
	if (!facts)
		return;
	if (facts->path)
		facts->path->users--;
	if (facts->owns_commands)
		g_free((gpointer)(uintptr_t)facts->session.commands);
	g_free(facts);
}

static void application_settle(Tracker *tracker, Conversation *conv)
{
	/* a protocol of ours may have been found after nDPI had begun to look */
	const char *guess =
		conv->classifier ? classifier_settle(tracker->classifier, &conv->classifier) : NULL;
	if (!conv->is_named && guess)
		conv->application = guess;
}

static void data_detach(Conversation *data)
{
	Conversation *control = data->control;
	for (Conversation **link = &control->data_list; *link; link = &(*link)->data_next) {
		if (*link == data) {
			*link = data->data_next;
			break;
		}
	}
	data->control = NULL;
	data->was_ftp_data = true;
}

/* The control connection went away first: its data connections go on on their own timelines. */
static void control_detach(Conversation *control, int64_t now_ns)
{
	while (control->data_list) {
		Conversation *data = control->data_list;
		data_detach(data);
		timeline_init(&data->own_timeline, now_ns, data->path, data->client_is_low);
		timeline_listen(data->tracker, data);
		data->timeline = &data->own_timeline;
	}
}

/* The session it had joined is over: a time of its own begins. */
static void channel_restart(Conversation *conv, int64_t now_ns)
{
	timeline_finish(&conv->own_timeline);
	timeline_clear(&conv->own_timeline);
	timeline_init(&conv->own_timeline, now_ns, conv->path, conv->client_is_low);
	timeline_listen(conv->tracker, conv);
}

void tracker_end(Tracker *tracker, Conversation *conv, int64_t now_ns, bool timed_out)
{
	ConnectionFacts *facts = conv->facts ? conv->facts : g_new0(ConnectionFacts, 1);
	int64_t end = conv->tcp.last_ns > now_ns ? conv->tcp.last_ns : now_ns;
	conv->is_ending = true;
	if (conv->session)
		session_end(conv->session, end);
	gap_end(conv);
	tracker_uncaptured(conv);
	application_settle(tracker, conv);
	facts_fill(conv, facts);
	facts->timed_out = timed_out;
	facts->has_ended = true;
	tracker_units_end(tracker, conv, facts);
	if (tracker->ops.connection_done)
		tracker->ops.connection_done(tracker->ops.user, facts);
	tracker_channel_end(tracker->sessions, conv, end, channel_restart);
	if (conv->control) {
		data_detach(conv);
	} else {
		control_detach(conv, now_ns);
		timeline_finish(&conv->own_timeline);
		timeline_clear(&conv->own_timeline);
	}
	if (conv->path)
		conv->path->users--;
	tracker_expected_forget(tracker, conv);
	approaches_end(conv);
	g_free(conv->approach);
	conv->approach = NULL;
	session_free(conv->session);
	conv->session = NULL;
	tcp_connection_clear(&conv->tcp);
}

TrackerCounts tracker_counts(const Tracker *tracker)
{
	return tracker->counts;
}

void tracker_free(Tracker *tracker)
{
	if (!tracker)
		return;
	g_hash_table_unref(tracker->paths);
	g_hash_table_unref(tracker->open_jobs);
	g_hash_table_unref(tracker->sessions);
	g_queue_free_full(tracker->expected, g_free);
	classifier_free(tracker->classifier);
	approaches_free(tracker->approaches);
	g_free(tracker);
}
