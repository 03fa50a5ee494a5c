/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One direction of a connection as a row of messages: finds where each begins and ends, stages no
 * more than the first bytes of one, skips bodies by subtraction, and knows for every message when
 * its first and its last missing byte passed the capture point. What a message says is the
 * protocol's business, what it means the session's.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_STREAM_H
#define SLOWCOPY_ANALYZER_SESSION_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/session.h"
#include "dissectors/protocol.h"

/* Message length believed: 16 MiB of framing and 128 KiB of headers, contexts and padding; the
 * NetBIOS length field ends there. */
#define STREAM_MAX_MESSAGE ((uint64_t)(16 * 1024 + 128) * 1024)
/* Bytes and segments kept behind a hole in a header until the missing segment comes: as much as a
 * receiver with a default window would keep. */
#define STREAM_MAX_HELD_BYTES (64 * 1024)
#define STREAM_MAX_HELD_CHUNKS 32
/* Holes remembered inside bodies; as many as the TCP floor keeps. */
#define STREAM_MAX_HOLES 32
/* Messages waiting for such a hole. */
#define STREAM_MAX_WAITING 32

/** StreamMessage: a message whose extent is known. */
typedef struct StreamMessage {
	int64_t start, end; /* stream offsets, end one past the last byte */
	uint64_t missing;   /* bytes of it not seen yet */
	int64_t first_ns;   /* first byte seen */
	int64_t last_ns; /* last byte seen, or in completion: when it was there for the receiver */
	uint64_t first_frame; /* frame of the first byte */
	uint64_t last_frame;  /* frame that brought last_ns */
	uint64_t tag;         /* the handler's; 0 at start */
	bool continues;       /* the handler's: the next message belongs to the same frame */
	bool is_expected;     /* its header was cut: length and meaning are the handler's guess */
	bool has_lost_bytes;  /* some bytes were never seen and never will be */
} StreamMessage;

/** StreamHandler: whom a stream tells. Both calls come in stream order, once per message. */
typedef struct StreamHandler {
	/** header: as many bytes as the protocol wants are there, or as many as the capture kept.
	 */
	void (*header)(void *user, Side side, const uint8_t *data, size_t len, const Extent *extent,
		StreamMessage *message);
	/** complete: all bytes of @message and of those before it were seen or given up. */
	void (*complete)(void *user, Side side, StreamMessage *message);
	/** lost: bytes are missing and the place of the next message is unknown, or @found again.
	 */
	void (*lost)(void *user, Side side, bool found);
	/**
	 * expect: the snap length cut the framing of the message that begins now; @is_elsewhere: no
	 * message begins here after all, so that a guess before it missed by some bytes. Returns
	 * how many bytes long it must be and header() is called without bytes, or 0 when that is
	 * not to be told. May be NULL.
	 */
	uint64_t (*expect)(void *user, Side side, bool is_elsewhere);
	/** shortened: such a message ends before the guess said: another begins there. */
	void (*shortened)(void *user, const StreamMessage *message);
} StreamHandler;

/** StreamContext: what both directions of a connection share. */
typedef struct StreamContext {
	const Protocol *protocol;
	DissectorState *state;
	const StreamHandler *handler;
	void *user;
} StreamContext;

typedef enum StreamState {
	STREAM_AT_HEAD, /* between messages, or fewer bytes than the framing needs */
	STREAM_HEADER,  /* extent known, header incomplete */
	STREAM_BODY,    /* header handed out: bytes are counted only */
	STREAM_LOST,    /* no idea where a message begins */
} StreamState;

/** Stream: zeroed at start; stream_clear() at the end. Fields are read only outside stream.c. */
typedef struct Stream {
	/* what the usual segment needs */
	int64_t next;  /* everything below was seen, is in a hole, or was given up */
	int64_t end;   /* of the current message; STREAM_HEADER and STREAM_BODY */
	uint64_t left; /* bytes of begun messages not seen yet */
	struct StreamTrouble *trouble; /* holes and held segments; NULL when there are none */
	uint32_t max_segment;          /* largest segment on the wire, bytes */
	uint8_t state;                 /* StreamState */
	bool run_is_open; /* the last segment was full or had no PSH: more will follow */
	bool is_cut;      /* the capture did not keep bytes behind the staged ones */
	StreamMessage current;
	Extent extent;   /* of the current message */
	uint8_t *staged; /* NULL when none */
	uint32_t staged_len, staged_room;
	int64_t staged_ns;
	uint64_t staged_frame;
} Stream;

/** stream_is_inside: whether @len bytes at @offset come next and end before the body they lie in.
 */
static inline bool stream_is_inside(const Stream *stream, int64_t offset, uint32_t len)
{
	return stream->state == STREAM_BODY && offset == stream->next &&
	       offset + len < stream->end && !stream->current.is_expected;
}

/** stream_advance: counts such bytes, which ended at @ts_ns. */
static inline void stream_advance(Stream *stream, uint32_t len, int64_t ts_ns, uint64_t frame)
{
	stream->next += len;
	stream->current.missing -= len;
	stream->left -= len;
	if (ts_ns >= stream->current.last_ns) {
		stream->current.last_ns = ts_ns;
		stream->current.last_frame = frame;
	}
}

/**
 * stream_skip: stream_push() for the usual segment, which lies inside a body and is next; false,
 * with nothing done, for any other.
 */
static inline bool stream_skip(
	Stream *stream, int64_t offset, uint32_t len, int64_t ts_ns, uint64_t frame)
{
	if (stream->trouble || !stream_is_inside(stream, offset, len))
		return false;
	if (len > stream->max_segment)
		stream->max_segment = len;
	stream_advance(stream, len, ts_ns, frame);
	return true;
}

/**
 * stream_push: payload of @side. Late bytes fill holes, bytes seen before change nothing, bytes
 * beyond a hole are counted (in a body) or kept (in a header).
 * In a body the cost is one subtraction. Allocates only while a header is incomplete or bytes are
 * missing; without memory the bytes count as lost.
 */
void stream_push(
	Stream *stream, const StreamContext *context, Side side, const SessionChunk *chunk);

/** stream_gap: bytes [@from, @to) will never be seen. */
void stream_gap(Stream *stream, const StreamContext *context, Side side, int64_t from, int64_t to);

/** stream_finish: no more bytes will come: messages that wait for a hole are completed, one that is
 * not all there is not. */
void stream_finish(Stream *stream, const StreamContext *context, Side side);

/** stream_clear: frees what the stream holds and zeroes it. */
void stream_clear(Stream *stream);

/** stream_left: bytes of begun messages not seen yet; 1 when their number is unknown. */
uint64_t stream_left(const Stream *stream);

/** stream_bytes: heap memory held. */
size_t stream_bytes(const Stream *stream);

#endif
