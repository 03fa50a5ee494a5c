/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: finds the protocol, hands the bytes to it, and guesses messages from changes of
 * direction where there is none.
 */
#include "analyzer/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_private.h"
#include "analyzer/session/smb_decrypt.h"

/* Defaults of SessionLimits: docs/architecture.md, "Bounded memory". */
#define DEFAULT_MAX_REQUESTS 1024
#define DEFAULT_MAX_FILES 1024
#define DEFAULT_MAX_TREES 64

/* ---- messages of a known protocol */

static void on_message(void *user, const Message *message)
{
	Session *session = user;
	SessionFramed *framed = session->framed;
	/* even if the first bytes were none of its messages: the stream found one further on */
	framed->is_confirmed = true;
	framed->has_failed = false;
	framed->has_emitted = true;
	framed->kind->message(session, framed->message_side, framed->message, message);
}

static void on_anomaly(void *user, const char *kind)
{
	/* cut by the capture, not wrong */
	if (strcmp(kind, "header-cut") != 0)
		activity_anomaly(((Session *)user)->framed, kind);
}

/* the rest of a large compound never came: what was seen of it is all there is */
static void compound_cut(Session *session, Side side)
{
	StreamMessage *compound = &session->framed->compound[side];
	if (compound->tag == 0)
		return;
	exchange_complete(session, side, compound);
	compound->tag = 0;
}

static void on_header(void *user, Side side, const uint8_t *data, size_t len, const Extent *extent,
	StreamMessage *message)
{
	Session *session = user;
	SessionFramed *framed = session->framed;
	StreamMessage *compound = &framed->compound[side];
	/* a compound too large to be staged comes member by member and is one message all the same:
	 * the receiver has none of it before it has all */
	if (framed->state.compound_left[side] > 0 && compound->tag != 0) {
		message->tag = compound->tag;
		message->first_ns = compound->first_ns;
		message->first_frame = compound->first_frame;
	} else {
		compound_cut(session, side);
		message->tag = ++framed->last_tag;
	}
	framed->message = message;
	framed->message_side = side;
	if (message->is_expected) {
		expect_emit(session, side, message);
		framed->message = NULL;
		return;
	}
	framed->staged = data;
	framed->staged_len = len;
	framed->extent = extent;
	framed->has_emitted = false;
	framed->protocol->decode(
		&framed->state, data, len, extent, side == SIDE_CLIENT, &framed->sink);
	/* too little was kept of its header, but its length fits what must come */
	if (!framed->has_emitted && len < extent->want && expect_fits(session, side, extent->total))
		expect_emit(session, side, message);
	framed->message = NULL;
	message->continues = framed->state.compound_left[side] > 0;
	if (message->continues && compound->tag == 0)
		*compound = *message;
	if (!extent->is_message)
		framed->is_confirmed = true;
}

static void on_complete(void *user, Side side, StreamMessage *message)
{
	Session *session = user;
	StreamMessage *compound = &session->framed->compound[side];
	if (compound->tag == message->tag) {
		*compound = *message;
		if (message->continues)
			return;
		compound->tag = 0;
	}
	exchange_complete(session, side, message);
}

static void on_lost(void *user, Side side, bool found)
{
	Session *session = user;
	SessionFramed *framed = session->framed;
	if (found) {
		framed->resyncs++;
		return;
	}
	if (!framed->is_confirmed)
		framed->has_failed = true;
	if (side == SIDE_SERVER)
		framed->state.reply_code = 0;
	framed->state.overlong[side == SIDE_CLIENT] = false;
	compound_cut(session, side);
	if (framed->kind == &session_kind_smb)
		expect_retract(session, side, session->turn.newest_request_ns);
	exchange_doubt(session, side);
}

static uint64_t on_expect(void *user, Side side, bool is_elsewhere)
{
	/* answers go on although a small message came between them unseen; a row of requests that
	 * does not fit was none */
	return is_elsewhere && side == SIDE_CLIENT ? 0 : expect_total(user, side);
}

static void on_shortened(void *user, const StreamMessage *message)
{
	expect_adjust(user, message);
}

static const StreamHandler stream_handler = {
	on_header, on_complete, on_lost, on_expect, on_shortened};

bool session_framed_start(Session *session, const Protocol *protocol)
{
	SessionFramed *framed = calloc(1, sizeof *framed);
	if (!framed)
		return false;
	framed->protocol = protocol;
	framed->kind = protocol->is_text ? &session_kind_ftp : &session_kind_smb;
	framed->context = (StreamContext){protocol, &framed->state, &stream_handler, session};
	framed->sink = (MessageSink){on_message, session, on_anomaly};
	framed->requests.limit = session->limits.max_requests;
	framed->files.ops = session->ops;
	framed->files.user = session->user;
	framed->files.limit = session->limits.max_files;
	/* RFC 1001 5.3: the session service has this port and a length field of its own */
	framed->state.over_netbios = session->server_port == 139;
	if (framed->kind == &session_kind_smb) {
		framed->smb.trees.limit = session->limits.max_trees;
		framed->smb.credits_min = framed->counts.credits_max = INT32_MIN;
		if (session->limits.keys)
			framed->smb.decryptor = smb_decryptor_new(session->limits.keys);
		framed->state.stage_encrypted = framed->smb.decryptor != NULL;
	}
	session->framed = framed;
	session->mode = SESSION_FRAMED;
	session->turn = (Turn){.is_framed = true, .is_setup = true};
	return true;
}

void session_framed_free(Session *session)
{
	SessionFramed *framed = session->framed;
	if (!framed)
		return;
	stream_clear(&framed->streams[SIDE_CLIENT]);
	stream_clear(&framed->streams[SIDE_SERVER]);
	request_table_clear(&framed->requests);
	session_counters_clear(framed);
	activity_clear(framed);
	if (framed->kind == &session_kind_smb)
		smb_decryptor_free(framed->smb.decryptor);
	free(framed);
	session->framed = NULL;
}

static void framed_end(Session *session, int64_t now_ns)
{
	SessionFramed *framed = session->framed;
	stream_finish(&framed->streams[SIDE_CLIENT], &framed->context, SIDE_CLIENT);
	stream_finish(&framed->streams[SIDE_SERVER], &framed->context, SIDE_SERVER);
	compound_cut(session, SIDE_CLIENT);
	compound_cut(session, SIDE_SERVER);
	while (framed->requests.all_first)
		exchange_give_up(session, framed->requests.all_first, now_ns);
	framed->kind->end(session, now_ns);
	file_table_clear(&framed->files, now_ns);
	exchange_turn(session);
}

/* ---- public */

Session *session_new_with(const Protocol *const *protocols, const SessionOps *ops, void *user,
	const SessionLimits *limits, uint16_t server_port, uint16_t client_port)
{
	Session *session = calloc(1, sizeof *session);
	if (!session)
		return NULL;
	session->ops = ops;
	session->user = user;
	session->protocols = protocols;
	if (limits)
		session->limits = *limits;
	if (session->limits.max_requests == 0)
		session->limits.max_requests = DEFAULT_MAX_REQUESTS;
	if (session->limits.max_files == 0)
		session->limits.max_files = DEFAULT_MAX_FILES;
	if (session->limits.max_trees == 0)
		session->limits.max_trees = DEFAULT_MAX_TREES;
	session->server_port = server_port;
	session->client_port = client_port;
	session->server_loop_ns = -1;
	session->turn.is_setup = true;
	/* where FTP is to be expected the server speaks first: it owes its greeting */
	for (size_t i = 0; protocols[i]; i++) {
		if (protocols[i]->is_text && probe_is_port_of(session, protocols[i])) {
			session->turn.outstanding = 1;
			session->turn.oldest_class = session->turn.newest_class = OP_AUTH;
		}
	}
	return session;
}

Session *session_new(const SessionOps *ops, void *user, const SessionLimits *limits,
	uint16_t server_port, uint16_t client_port)
{
	return session_new_with(protocol_table, ops, user, limits, server_port, client_port);
}

void session_framed_push(Session *session, Side side, const SessionChunk *chunk)
{
	SessionFramed *framed = session->framed;
	if (framed->walk.next != 0 && side == SIDE_SERVER)
		entry_walk_push(&framed->walk, chunk);
	framed->chunk = chunk;
	stream_push(&framed->streams[side], &framed->context, side, chunk);
	framed->chunk = NULL;
	if (framed->has_failed) {
		probe_undo(session);
		return;
	}
	exchange_turn(session);
}

bool session_skip(
	Session *session, Side side, int64_t offset, uint32_t len, int64_t ts_ns, uint64_t frame)
{
	if (session->mode != SESSION_FRAMED || session->is_ended)
		return false;
	SessionFramed *framed = session->framed;
	Stream *stream = &framed->streams[side];
	if (framed->walk.next != 0 && side == SIDE_SERVER)
		return false;
	if (!stream_skip(stream, offset, len, ts_ns, frame))
		return false;
	/* inside a body only the count of what is left changes */
	session->turn.message_left[side] = stream->left;
	return true;
}

void session_push(Session *session, Side side, const SessionChunk *chunk)
{
	if (chunk->len == 0 || session->is_ended)
		return;
	switch ((SessionMode)session->mode) {
	case SESSION_FRAMED:
		session_framed_push(session, side, chunk);
		break;
	case SESSION_PROBING:
		probe_push(session, side, chunk);
		break;
	case SESSION_GENERIC:
		probe_generic_push(session, side, chunk);
		if (session->late_probes < PROBE_LATE_MAX)
			probe_late_push(session, side, chunk);
		break;
	case SESSION_FTP_DATA:
		ftp_data_push(session, side, chunk);
		break;
	}
}

void session_gap(Session *session, Side side, int64_t from, int64_t to, int64_t now_ns)
{
	(void)now_ns;
	if (from >= to || session->is_ended)
		return;
	if (session->mode == SESSION_FRAMED) {
		SessionFramed *framed = session->framed;
		exchange_doubt(session, side);
		if (framed->kind == &session_kind_smb)
			framed->smb.credits_lost = true;
		stream_gap(&framed->streams[side], &framed->context, side, from, to);
		if (framed->has_failed)
			probe_undo(session);
		else
			exchange_turn(session);
	} else {
		probe_gap(session, side, from, to);
	}
}

void session_end(Session *session, int64_t now_ns)
{
	if (session->is_ended)
		return;
	session->is_ended = true;
	probe_clear(session);
	if (session->mode == SESSION_FRAMED)
		framed_end(session, now_ns);
	if (session->data)
		ftp_data_end(session, now_ns);
	session->turn.message_left[SIDE_CLIENT] = session->turn.message_left[SIDE_SERVER] = 0;
	session->turn.outstanding = 0;
}

void session_set_server_loop(Session *session, int64_t loop_ns)
{
	if (loop_ns >= 0)
		session->server_loop_ns = loop_ns;
}

SessionAhead session_ahead(Session *session, int64_t offset)
{
	SessionAhead ahead = {0};
	if (session->mode != SESSION_FRAMED)
		return ahead;
	RequestTable *requests = &session->framed->requests;
	int64_t passed = session->framed->streams[SIDE_SERVER].next;
	const RequestAnswer *a;
	uint32_t i;
	for (i = 0; (a = request_answer(requests, i)) && a->end > offset; i++) {
		if (a->start >= offset)
			ahead.credits += a->credits;
		if (a->end <= passed) {
			ahead.answers++;
			ahead.bytes += a->asked_bytes;
		}
	}
	if (i > 0 && i == requests->answer_room)
		request_answers_grow(requests);
	return ahead;
}

void session_join(Session *channel, Session *primary)
{
	if (channel != primary && !primary->primary)
		channel->primary = primary;
}

void session_part(Session *channel)
{
	channel->primary = NULL;
}

bool session_server_guid(const Session *session, uint8_t ret[16])
{
	static const uint8_t none[16];
	const SessionFramed *framed = session->mode == SESSION_FRAMED ? session->framed : NULL;
	if (!framed || framed->kind != &session_kind_smb || !framed->smb.choice_seen)
		return false;
	memcpy(ret, framed->smb.choice.server_guid, 16);
	return memcmp(ret, none, 16) != 0;
}

const Turn *session_turn(const Session *session)
{
	return &session->turn;
}

bool session_is_unknown(Session *session)
{
	if (session->is_known || !session_is_settled(session))
		return false;
	session->is_known = session->mode != SESSION_GENERIC &&
			    strcmp(session_protocol_name(session), "other") != 0;
	return !session->is_known;
}

void session_prefetch(const Session *session, Side side)
{
	__builtin_prefetch(session, 1);
	__builtin_prefetch((const char *)session + 64, 1);
	if (session->mode == SESSION_FRAMED) {
		__builtin_prefetch(&session->framed->walk, 1);
		__builtin_prefetch(&session->framed->streams[side], 1);
	}
}

const char *session_protocol_name(const Session *session)
{
	if (session->mode == SESSION_FTP_DATA)
		return "ftp-data";
	if (session->mode != SESSION_FRAMED)
		return "other";
	const SessionFramed *framed = session->framed;
	if (framed->kind == &session_kind_ftp)
		return framed->protocol->id;
	if (framed->smb.saw_smb2)
		return "smb2";
	if (framed->smb.saw_smb1)
		return "smb1";
	/* no header of a message was seen: its ports or its framing say SMB, but not which */
	return framed->smb.saw_netbios ? "netbios" : "other";
}

bool session_is_settled(const Session *session)
{
	return session->mode != SESSION_PROBING;
}

size_t session_bytes(const Session *session)
{
	const SessionFramed *framed = session->framed;
	size_t bytes = sizeof *session + probe_bytes(session);
	if (session->data)
		bytes += sizeof *session->data;
	if (!framed)
		return bytes;
	bytes += sizeof *framed + request_table_bytes(&framed->requests) +
		 file_table_bytes(&framed->files) + session_counters_bytes(framed) +
		 activity_bytes(framed);
	for (int side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		bytes += stream_bytes(&framed->streams[side]);
	if (framed->kind == &session_kind_smb && framed->smb.trees.rows)
		bytes += framed->smb.trees.room * sizeof *framed->smb.trees.rows;
	return bytes;
}

void session_free(Session *session)
{
	static const SessionOps nobody;
	if (!session)
		return;
	/* whoever did not end the session does not want to hear of it */
	session->ops = &nobody;
	if (session->framed)
		session->framed->files.ops = &nobody;
	session_end(session, session->turn.last_reply_ns);
	probe_clear(session);
	session_framed_free(session);
	free(session->data);
	free(session);
}
