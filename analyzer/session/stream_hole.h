/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stream misses: holes in bodies, the messages that wait for them, and segments held behind
 * a hole in a header. The inside of stream.c.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_STREAM_HOLE_H
#define SLOWCOPY_ANALYZER_SESSION_STREAM_HOLE_H

#include "analyzer/session/stream.h"

typedef struct StreamHole {
	int64_t from, to;
} StreamHole;

typedef struct StreamHeld {
	int64_t offset;
	uint32_t len, caplen;
	int64_t ts_ns;
	uint64_t frame;
	uint8_t *data;
	bool psh;
} StreamHeld;

/** StreamTrouble: only streams with missing bytes have one. */
typedef struct StreamTrouble {
	uint32_t hole_count, waiting_count, held_count, held_bytes;
	StreamHole holes[STREAM_MAX_HOLES];        /* by offset, in bodies only */
	StreamMessage waiting[STREAM_MAX_WAITING]; /* passed, not complete; by offset */
	StreamHeld held[STREAM_MAX_HELD_CHUNKS];   /* behind a hole in a header; no order */
} StreamTrouble;

/** StreamPush: one call of the public functions. */
typedef struct StreamPush {
	Stream *stream;
	const StreamContext *context;
	Side side;
	int64_t now_ns; /* 0: no bytes came, messages keep the time of their last byte */
	uint64_t now_frame;
} StreamPush;

/** stream_touch: bytes came for @message now, or for one before it: only then has the receiver all
 * of it. */
void stream_touch(const StreamPush *p, StreamMessage *message);

/** stream_lose: @bytes of @message will never be seen. */
void stream_lose(StreamPush *p, StreamMessage *message, uint64_t bytes);

/** stream_hole_add: `next` passes [@from, @to) inside the current body. */
void stream_hole_add(StreamPush *p, int64_t from, int64_t to);

/** stream_hole_fill: what lies in holes of [@from, @to) was seen, or will never be. Completes the
 * messages that waited for it. */
void stream_hole_fill(StreamPush *p, int64_t from, int64_t to, bool was_seen);

/** stream_wait: the current message was passed and waits for its holes, or for those of one before
 * it. */
void stream_wait(StreamPush *p);

/** stream_hold: keeps a segment behind a hole in a header; false: no room or no memory. */
bool stream_hold(Stream *stream, const SessionChunk *chunk);

/** stream_held_lowest: index of the held segment with the lowest offset; there is at least one. */
uint32_t stream_held_lowest(const StreamTrouble *trouble);

/** stream_held_take: takes the held segment @index out; stream_held_free() frees its bytes. */
StreamHeld stream_held_take(StreamTrouble *trouble, uint32_t index);
void stream_held_free(const StreamPush *p, StreamHeld *held);

/** stream_trouble_end: frees what is not needed any more. */
void stream_trouble_end(Stream *stream);

#endif
