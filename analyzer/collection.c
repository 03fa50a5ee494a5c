/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeping what has ended: see collection.h.
 */
#include "analyzer/collection.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"

#define SMB1_NEGOTIATE 0x72 /* MS-CIFS 2.2.4.52 */

/* docs/architecture.md, "Life of a packet": a tenth of the round trip from a host is at that host.
 */
#define VANTAGE_NEAR_SHARE 0.1
/* Below this, scheduling decides which side seems nearer. */
#define VANTAGE_MIN_RTT_NS (MILLISECOND_NS / 2)

/* Paths of a session when those of others are many already. */
#define MANY_PATHS 4

void collection_init(Collection *collection)
{
	memset(collection, 0, sizeof(*collection));
	collection->arena = arena_new();
	collection->connections = g_array_new(FALSE, TRUE, sizeof(ResultConnection));
	collection->sessions = g_array_new(FALSE, TRUE, sizeof(ResultSession));
	collection->facts = g_ptr_array_new_with_free_func((GDestroyNotify)connection_facts_free);
	collection->units = g_ptr_array_new_with_free_func(collection_unit_free);
	collection->max_units = COLLECTION_MAX_UNITS;
	topk_init(&collection->stalls, collection->stall_items, COLLECTION_STALLS);
}

static Vantage vantage_of(const TcpConnection *tcp)
{
	if (tcp->direction_hint[SIDE_CLIENT] != tcp->direction_hint[SIDE_SERVER])
		return tcp->direction_hint[SIDE_CLIENT] ? VANTAGE_CLIENT : VANTAGE_SERVER;
	int64_t rtt = tcp_rtt_ns(tcp);
	if (rtt == 0 || rtt < VANTAGE_MIN_RTT_NS)
		return VANTAGE_UNKNOWN;
	double share = (double)tcp->loop_ns[SIDE_CLIENT] / (double)rtt;
	if (share <= VANTAGE_NEAR_SHARE)
		return VANTAGE_CLIENT;
	return share >= 1 - VANTAGE_NEAR_SHARE ? VANTAGE_SERVER : VANTAGE_MIDDLE;
}

/* a clock set back between a packet and its answer leaves no round trip to tell of */
static int64_t rtt_or_unknown(int64_t ns)
{
	return ns >= 0 ? ns : RESULT_UNKNOWN_NS;
}

static ResultDirection direction_of(const TcpConnection *tcp, Side side)
{
	const TcpDirection *d = &tcp->dir[side];
	const TcpDirection *peer = &tcp->dir[1 - (int)side];
	int64_t back = tcp->loop_ns[side] == INT64_MAX ? 0 : tcp->loop_ns[side];
	bool has_rtt = d->rtt_samples > 0;
	return (ResultDirection){
		.packets = d->packets,
		.payload_packets = d->payload_packets,
		.payload_bytes = d->payload_bytes,
		.unique_bytes = d->unique_bytes,
		.retransmitted_packets = d->retransmitted_packets,
		.retransmitted_bytes = d->retransmitted_bytes,
		.timeout_retransmissions = d->timeouts,
		.fast_retransmissions = d->fast_retransmissions,
		.spurious_retransmissions = d->spurious,
		.reordered_packets = d->reordered,
		.duplicate_packets = d->copies,
		.uncaptured_bytes = d->uncaptured_bytes,
		.duplicate_acks = peer->duplicate_acks,
		.keep_alives = d->keep_alives,
		.mss_bytes = d->syn_mss,
		.window_scale = d->window_scale,
		.sack_permitted = d->sack_permitted,
		.timestamps = d->has_timestamps,
		.min_rtt_ns = has_rtt ? rtt_or_unknown(d->min_rtt_ns + back) : RESULT_UNKNOWN_NS,
		.median_rtt_ns =
			has_rtt ? rtt_or_unknown(d->smoothed_rtt_ns + back) : RESULT_UNKNOWN_NS,
		.max_rtt_ns = has_rtt ? rtt_or_unknown(d->max_rtt_ns + back) : RESULT_UNKNOWN_NS,
		.max_in_flight_bytes = d->max_in_flight,
		.max_window_bytes = peer->max_peer_window,
		.window_full_ns = d->at_edge_ns,
		.zero_windows = d->zero_windows,
		.zero_window_ns = d->zero_window_ns,
		.max_segment_bytes = d->max_segment,
	};
}

static ClosedBy closed_by(const ConnectionFacts *facts)
{
	if (facts->tcp.state == TCP_STATE_RESET)
		return CLOSED_BY_RST;
	if (facts->tcp.state >= TCP_STATE_CLOSING)
		return CLOSED_BY_FIN;
	return facts->timed_out ? CLOSED_BY_TIMEOUT : CLOSED_BY_CAPTURE_END;
}

static const char *services_name(Arena *arena, uint32_t services)
{
	char text[64] = "";
	for (int i = 0; i <= NAME_SERVICE_NBNS; i++) {
		if (services & 1u << i) {
			g_strlcat(text, text[0] ? ", " : "", sizeof(text));
			g_strlcat(text, name_service_id(i), sizeof(text));
		}
	}
	uint32_t how = services & (NAME_LOOKUP_WINS | NAME_LOOKUP_BROADCAST);
	return arena_printf(arena, "%s%s", text,
		how == NAME_LOOKUP_WINS        ? " (WINS)"
		: how == NAME_LOOKUP_BROADCAST ? " (broadcast)"
		: how != 0                     ? " (WINS and broadcast)"
					       : "");
}

static void phase_add(ResultSession *session, ResultPhase *list, ResultPhase phase)
{
	if (phase.start_ns > 0 && phase.duration_ns >= 0)
		list[session->phase_count++] = phase;
}

static const char *netbios_outcome(const SessionStats *stats)
{
	if (stats->counts.netbios_retargeted > 0)
		return "sent to another address";
	return stats->counts.netbios_refused > 0 ? "refused" : NULL;
}

static int phase_order(const void *a, const void *b)
{
	const ResultPhase *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Times are since the epoch until the result is built. */
static void phases_keep(Arena *arena, const ConnectionFacts *facts, ResultSession *session)
{
	const Approach *a = &facts->approach;
	const TcpConnection *tcp = &facts->tcp;
	ResultPhase *list = arena_alloc_array(arena, RESULT_PHASES, sizeof(*list));
	if (a->answer_ns > 0)
		phase_add(session, list,
			(ResultPhase){"name-lookup", a->first_query_ns,
				a->answer_ns - a->first_query_ns, a->answer_ns - a->first_query_ns,
				a->query_tries, services_name(arena, a->query_services)});
	if (a->failed_tries > 0)
		phase_add(session, list,
			(ResultPhase){"failed-connects", a->failed_ns, tcp->first_ns - a->failed_ns,
				tcp->first_ns - a->failed_ns, a->failed_tries,
				arena_printf(arena, "port %u %s", a->failed_port,
					a->failed_refused ? "refused" : "silent")});
	int64_t syn_ns = tcp->syn_ns, established_ns = tcp->established_ns;
	if (syn_ns > 0 && established_ns >= syn_ns)
		phase_add(session, list,
			(ResultPhase){"connect", syn_ns, established_ns - syn_ns,
				established_ns - syn_ns, 1, NULL});
	for (int i = 0; i < PHASE_COUNT; i++) {
		const SessionPhase *p = &session->stats.phases[i];
		/* a greeting begins when the connection stands */
		int64_t start = p->start_ns > 0 ? p->start_ns : established_ns;
		bool is_greeting = i == PHASE_GREETING;
		if (p->exchanges > 0 && p->end_ns >= start)
			phase_add(session, list,
				(ResultPhase){session_phase_id(i), start, p->end_ns - start,
					is_greeting ? p->end_ns - start : p->busy_ns, p->exchanges,
					i == PHASE_NETBIOS ? netbios_outcome(&session->stats)
							   : NULL});
	}
	qsort(list, session->phase_count, sizeof(*list), phase_order);
	session->phases = list;
}

static void activity_keep(Collection *collection, SessionStats *s)
{
	Arena *arena = collection->arena;
	size_t room = collection->paths < COLLECTION_MAX_PATHS ? s->file_count : MANY_PATHS;
	if (s->file_count > room) {
		s->files_forgotten += s->file_count - room;
		s->file_count = room;
	}
	collection->paths += s->file_count;
	FileActivity *files = arena_memdup(arena, s->files, s->file_count * sizeof(*s->files));
	for (size_t i = 0; i < s->file_count; i++) {
		files[i].name = arena_strdup(arena, files[i].name);
		files[i].share = arena_strdup(arena, files[i].share);
	}
	s->files = files;
	s->bins = arena_memdup(arena, s->bins, s->bin_count * sizeof(*s->bins));
}

/* Strings and arrays of @session move to the arena. */
static void session_add(Collection *collection, ResultSession *session)
{
	Arena *arena = collection->arena;
	SessionStats *s = &session->stats;
	s->dialect = arena_strdup(arena, s->dialect);
	s->protocol = arena_strdup(arena, s->protocol);
	for (size_t i = 0; i < s->offered_count; i++)
		s->offered[i] = arena_strdup(arena, s->offered[i]);
	s->commands = arena_memdup(arena, s->commands, s->command_count * sizeof(*s->commands));
	activity_keep(collection, s);
	session->first_data_ns = s->first_data_ns > 0 ? s->first_data_ns : RESULT_UNKNOWN_NS;
	session->bins_start_ns = s->bins_start_ns;
	g_array_append_val(collection->sessions, *session);
}

static bool is_tcp(const ConnectionFacts *facts)
{
	return facts->stream < STREAM_NOT_TCP;
}

static void session_keep(Collection *collection, const ConnectionFacts *facts)
{
	ResultSession session = {.input = facts->input, .stats = facts->session, .stream_count = 1};
	session.streams = arena_memdup(collection->arena, &facts->stream, sizeof(facts->stream));
	if (!is_tcp(facts))
		session.stats.transport = TRANSPORT_NBF;
	phases_keep(collection->arena, facts, &session);
	session_add(collection, &session);
}

/* The SMB1 message that asked for SMB2: listed beside the session, so that each message is counted
 * somewhere. */
static void upgrade_keep(Collection *collection, const ConnectionFacts *facts)
{
	CommandStats negotiate = {.protocol = MESSAGE_SMB1,
		.command = SMB1_NEGOTIATE,
		.requests = facts->session.upgrades};
	ResultSession session = {.input = facts->input,
		.stream_count = 1,
		.became_smb2 = true,
		.stats = {.protocol = "smb1",
			.transport = facts->session.transport,
			.credits_min = INT32_MIN,
			.counts = {.credits_left = INT32_MIN, .credits_max = INT32_MIN},
			.client_offered_smb2 = true,
			.negotiate_seen = true,
			.commands = &negotiate,
			.command_count = 1}};
	session.streams = arena_memdup(collection->arena, &facts->stream, sizeof(facts->stream));
	session_add(collection, &session);
}

void collection_datagrams(Collection *collection, uint16_t input, Datagrams *datagrams)
{
	for (int i = 0; datagrams && i < SMB_DATAGRAM_KIND_COUNT; i++) {
		ResultSession session = {.input = input};
		if (datagrams_stats(datagrams, (SmbDatagramKind)i, &session.stats))
			session_add(collection, &session);
	}
}

/* Framing alone, or headers that the snap length cut, make no session to speak of; one that was
 * refused or sent elsewhere does. */
static bool is_reported(const SessionStats *stats)
{
	bool is_framing = strcmp(stats->protocol, "netbios") == 0;
	bool was_turned_away = stats->counts.netbios_refused + stats->counts.netbios_retargeted > 0;
	return strcmp(stats->protocol, "other") != 0 && (!is_framing || was_turned_away);
}

void collection_keep(Collection *collection, ConnectionFacts *facts)
{
	const TcpConnection *tcp = &facts->tcp;
	ResultConnection c = {.stream = facts->stream,
		.input = facts->input,
		.protocol = facts->protocol,
		.application = facts->application,
		.start_ns = tcp->first_ns,
		/* the capture's clock may have been set back */
		.duration_ns = MAX(tcp->last_ns - tcp->first_ns, 0),
		.handshake_seen = tcp->handshake_seen,
		.vantage = vantage_of(tcp),
		.closed_by = closed_by(facts),
		.middlebox_terminated = tcp->middlebox};
	memcpy(c.client.addr, facts->addr[SIDE_CLIENT], 16);
	memcpy(c.server.addr, facts->addr[SIDE_SERVER], 16);
	c.client.port = facts->port[SIDE_CLIENT];
	c.server.port = facts->port[SIDE_SERVER];
	bool has_handshake = tcp->handshake_loop_ns[0] > 0 && tcp->handshake_loop_ns[1] > 0;
	c.initial_rtt_ns = has_handshake ? tcp->handshake_loop_ns[0] + tcp->handshake_loop_ns[1]
					 : RESULT_UNKNOWN_NS;
	int64_t rtt = tcp_rtt_ns(tcp);
	c.min_rtt_ns = rtt > 0 ? rtt : RESULT_UNKNOWN_NS;
	c.client_loop_ns = tcp->loop_ns[0] == INT64_MAX ? RESULT_UNKNOWN_NS : tcp->loop_ns[0];
	c.server_loop_ns = tcp->loop_ns[1] == INT64_MAX ? RESULT_UNKNOWN_NS : tcp->loop_ns[1];
	for (int i = 0; i < 2; i++) {
		c.direction[i] = direction_of(tcp, i);
		if (facts->path) {
			Capacity capacity =
				path_capacity(facts->path, path_way(facts->client_is_low, (Side)i));
			c.capacity_bytes_per_s[i] = capacity.bytes_per_s;
			c.capacity_proven[i] = capacity.is_proven;
		}
	}
	if (is_tcp(facts))
		g_array_append_val(collection->connections, c);
	facts->has_session = facts->has_session && is_reported(&facts->session);
	if (facts->has_session && facts->session.upgrades > 0)
		upgrade_keep(collection, facts);
	if (facts->has_session)
		session_keep(collection, facts);
}

/* Of an instalment they are listed when their units are told of. */
static void live_connection(Collection *collection, ConnectionFacts *facts)
{
	if (facts->units == 0) {
		connection_facts_free(facts);
		return;
	}
	SessionStats *s = &facts->session;
	if (facts->has_session) {
		s->commands = g_memdup2(s->commands, s->command_count * sizeof(*s->commands));
		facts->owns_commands = true;
		/* instalments tell of transfers, not of paths */
		s->files = NULL, s->bins = NULL;
		s->file_count = s->bin_count = 0;
	}
	g_ptr_array_add(collection->facts, facts);
}

void collection_connection(Collection *collection, ConnectionFacts *facts)
{
	const TcpConnection *tcp = &facts->tcp;
	bool is_kept = false;
	if (collection->is_live) {
		live_connection(collection, facts);
		return;
	}
	if (collection->connections->len < COLLECTION_MAX_CONNECTIONS) {
		collection_keep(collection, facts);
		is_kept = facts->has_session;
	} else {
		collection->connections_dropped++;
		if (is_tcp(facts))
			collection->packets_dropped += tcp->dir[0].packets + tcp->dir[1].packets;
	}
	if (facts->units == 0) {
		connection_facts_free(facts);
		return;
	}
	/* its strings go with the session; the copy just kept stays */
	facts->has_session = is_kept;
	if (is_kept)
		facts->session = g_array_index(
			collection->sessions, ResultSession, collection->sessions->len - 1)
					 .stats;
	g_ptr_array_add(collection->facts, facts);
}

void collection_unit_free(gpointer data)
{
	Unit *unit = data;
	ConnectionFacts *facts = unit->facts, *control = unit->control;
	if (facts)
		facts->units--;
	if (control)
		control->units--;
	unit_free(unit);
}

void collection_unit(Collection *collection, Unit *unit)
{
	if (collection->units->len >= collection->max_units) {
		collection->units_dropped++;
		collection_unit_free(unit);
		return;
	}
	unit_seal(unit);
	g_ptr_array_add(collection->units, unit);
}

void collection_stall(Collection *collection, const ResultStall *stall)
{
	_Static_assert(sizeof(ResultStall) <= TOPK_PAYLOAD_BYTES, "a stall fits a top-k cell");
	topk_add(&collection->stalls, stall->duration_ns, stall, sizeof(*stall));
}

void collection_clear(Collection *collection)
{
	g_array_unref(collection->connections);
	g_array_unref(collection->sessions);
	g_ptr_array_unref(collection->units);
	g_ptr_array_unref(collection->facts);
}
