/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which protocol a connection speaks, by its first payload and by its port; and the guess at
 * messages from changes of direction where it is none of ours.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_private.h"

/* Payload segments looked at before a connection is none of ours: a greeting, its answer, and one
 * that the snap length or a one-byte segment spoilt. */
#define PROBE_SEGMENTS 3
/* Bytes kept of each: a greeting, a negotiation. */
#define PROBE_KEPT_BYTES 4096
/* Unknown protocol: a pushed segment smaller than this ends a message even when no larger one was
 * seen: the default MSS, RFC 9293 3.7.1. */
#define SMALLEST_MSS 536

typedef struct ProbeChunk {
	SessionChunk chunk;
	Side side;
	uint8_t *data;
} ProbeChunk;

typedef struct ProbeChunks {
	uint32_t count;
	ProbeChunk rows[PROBE_SEGMENTS];
} ProbeChunks;

/* ---- unknown protocols: a message is a run of payload of one side */

void probe_generic_push(Session *session, Side side, const SessionChunk *chunk)
{
	Turn *turn = &session->turn;
	int64_t end = chunk->offset + chunk->len;
	bool is_late = session->any_payload && chunk->fills_hole && end <= session->end[side];
	if (end > session->end[side])
		session->end[side] = end;
	if (!is_late || session->last_side == side) {
		if (side == SIDE_CLIENT) {
			if (turn->outstanding == 0)
				turn->outstanding = 1;
			turn->oldest_request_ns = turn->newest_request_ns = chunk->ts_ns;
		} else {
			turn->outstanding = 0;
			turn->last_reply_ns = chunk->ts_ns;
		}
	}
	if (is_late)
		return;
	uint32_t largest = session->max_segment[side];
	if (chunk->len > largest)
		session->max_segment[side] = chunk->len;
	if (largest < SMALLEST_MSS)
		largest = SMALLEST_MSS;
	turn->message_left[side] = chunk->psh && chunk->len < largest ? 0 : 1;
	if (session->last_side != side)
		turn->message_left[!side] = 0;
	session->last_side = (uint8_t)side;
	session->any_payload = true;
	turn->is_setup = false;
}

/* ---- finding the protocol */

bool probe_is_port_of(const Session *session, const Protocol *protocol)
{
	for (size_t i = 0; i < sizeof protocol->ports / sizeof *protocol->ports; i++) {
		if (protocol->ports[i] == 0)
			break;
		if (protocol->ports[i] == session->server_port)
			return true;
	}
	return false;
}

void probe_clear(Session *session)
{
	ProbeChunks *kept = session->kept;
	for (uint32_t i = 0; kept && i < kept->count; i++) {
		explicit_bzero(kept->rows[i].data, kept->rows[i].chunk.caplen);
		free(kept->rows[i].data);
	}
	free(kept);
	session->kept = NULL;
}

/* a copy of the segment, in case the protocol is found with a later one */
static void kept_add(Session *session, Side side, const SessionChunk *chunk)
{
	if (!session->kept)
		session->kept = calloc(1, sizeof *session->kept);
	if (!session->kept || session->kept->count == PROBE_SEGMENTS)
		return;
	ProbeChunk *row = &session->kept->rows[session->kept->count];
	*row = (ProbeChunk){.chunk = *chunk, .side = side};
	if (row->chunk.caplen > PROBE_KEPT_BYTES)
		row->chunk.caplen = PROBE_KEPT_BYTES;
	row->data = malloc(row->chunk.caplen + 1);
	if (!row->data)
		return;
	memcpy(row->data, chunk->data, row->chunk.caplen);
	row->chunk.data = row->data;
	session->kept->count++;
}

/* the protocol that @chunk settles, NULL while none is certain */
static const Protocol *probe_chunk(Session *session, Side side, const SessionChunk *chunk)
{
	const Protocol *hinted = NULL;
	for (unsigned i = 0; session->protocols[i] && i < 8; i++) {
		const Protocol *protocol = session->protocols[i];
		uint8_t bit = (uint8_t)(1u << i);
		switch (protocol->probe(chunk->data, chunk->caplen, side == SIDE_CLIENT)) {
		case PROBE_YES:
			return protocol;
		case PROBE_MAYBE:
			session->maybe[side] |= bit;
			if (session->excluded & bit)
				break;
			if (probe_is_port_of(session, protocol) ||
				(session->maybe[SIDE_CLIENT] & session->maybe[SIDE_SERVER] & bit))
				hinted = hinted ? hinted : protocol;
			break;
		case PROBE_NO:
			session->excluded |= bit;
			break;
		}
	}
	return hinted;
}

/* in the middle of a stream: a message that begins further on in the segment */
static const Protocol *probe_inside(Session *session, Side side, const SessionChunk *chunk)
{
	for (unsigned i = 0; session->protocols[i] && i < 8; i++) {
		const Protocol *protocol = session->protocols[i];
		if (!probe_is_port_of(session, protocol))
			continue;
		long at = protocol->resync(chunk->data, chunk->caplen, side == SIDE_CLIENT);
		if (at >= 0 && (size_t)at < chunk->caplen &&
			protocol->probe(chunk->data + at, chunk->caplen - (size_t)at,
				side == SIDE_CLIENT) == PROBE_YES)
			return protocol;
	}
	return NULL;
}

static bool is_port_of_any(const Session *session)
{
	for (unsigned i = 0; session->protocols[i] && i < 8; i++) {
		if (probe_is_port_of(session, session->protocols[i]))
			return true;
	}
	return false;
}

static void give_up_probing(Session *session)
{
	session->mode = SESSION_GENERIC;
	session->is_known = false;
	if (!is_port_of_any(session))
		session->late_probes = PROBE_LATE_MAX;
	probe_clear(session);
}

/* the protocol was none after all: none of its messages came */
void probe_undo(Session *session)
{
	session_framed_free(session);
	bool any_payload = session->any_payload;
	session->turn = (Turn){.is_setup = !any_payload};
	give_up_probing(session);
}

/* IANA: FTP over TLS from the first byte on */
#define PORT_FTPS 990
/* RFC 8446 5.1: a record of a handshake, of any version since SSL 3 */
#define TLS_HANDSHAKE 22
#define TLS_MAJOR 3

static bool is_implicit_ftps(const Session *session, Side side, const SessionChunk *chunk)
{
	return session->server_port == PORT_FTPS && side == SIDE_CLIENT && chunk->offset == 0 &&
	       chunk->caplen >= 2 && chunk->data[0] == TLS_HANDSHAKE && chunk->data[1] == TLS_MAJOR;
}

static const Protocol *text_protocol(const Session *session)
{
	for (unsigned i = 0; session->protocols[i] && i < 8; i++) {
		if (session->protocols[i]->is_text)
			return session->protocols[i];
	}
	return NULL;
}

void probe_push(Session *session, Side side, const SessionChunk *chunk)
{
	const Protocol *ftp = text_protocol(session);
	if (ftp && is_implicit_ftps(session, side, chunk) && session_framed_start(session, ftp)) {
		probe_clear(session);
		session->framed->state.opaque = true;
		session->framed->ftp.is_tls = true;
		session_framed_push(session, side, chunk);
		return;
	}
	probe_generic_push(session, side, chunk);
	session->turn.is_setup = true;
	if (chunk->caplen == 0 && session->probed + 1 < PROBE_SEGMENTS) {
		session->probed++;
		return;
	}
	const Protocol *protocol = probe_chunk(session, side, chunk), *inside = NULL;
	if (!protocol)
		protocol = inside = probe_inside(session, side, chunk);
	if (!protocol || !session_framed_start(session, protocol)) {
		if (++session->probed >= PROBE_SEGMENTS)
			give_up_probing(session);
		else
			kept_add(session, side, chunk);
		return;
	}
	session->framed->is_confirmed = inside != NULL;
	for (int i = SIDE_CLIENT; i <= SIDE_SERVER; i++)
		session->framed->streams[i].next = session->begin[i];
	ProbeChunks *kept = session->kept;
	session->kept = NULL;
	for (uint32_t i = 0; kept && i < kept->count && session->mode == SESSION_FRAMED; i++)
		session_framed_push(session, kept->rows[i].side, &kept->rows[i].chunk);
	ProbeChunks *unused = session->kept;
	session->kept = kept;
	probe_clear(session);
	session->kept = unused;
	if (session->mode == SESSION_FRAMED)
		session_framed_push(session, side, chunk);
}

void probe_late_push(Session *session, Side side, const SessionChunk *chunk)
{
	session->late_probes++;
	const Protocol *protocol = probe_inside(session, side, chunk);
	if (!protocol)
		return;
	session->late_probes = PROBE_LATE_MAX;
	if (session_framed_start(session, protocol)) {
		/* what came before was looked at and is not missing */
		session->framed->streams[SIDE_CLIENT].next = session->end[SIDE_CLIENT];
		session->framed->streams[SIDE_SERVER].next = session->end[SIDE_SERVER];
		session->framed->streams[side].next = chunk->offset;
		session->framed->is_confirmed = true;
		session_framed_push(session, side, chunk);
	}
}

void probe_gap(Session *session, Side side, int64_t from, int64_t to)
{
	if (from <= session->begin[side] && to > session->begin[side])
		session->begin[side] = to;
	if (to > session->end[side])
		session->end[side] = to;
}

size_t probe_bytes(const Session *session)
{
	const ProbeChunks *kept = session->kept;
	return kept ? sizeof *kept + kept->count * PROBE_KEPT_BYTES : 0;
}
