/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds messages in one direction of a connection. `next` moves over every byte exactly once: bytes
 * that were not there when it passed are a hole and are subtracted from their message when they
 * come late.
 */
#include "analyzer/session/stream.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/session/stream_hole.h"

static bool from_client(const StreamPush *p)
{
	return p->side == SIDE_CLIENT;
}

/* ---- staging */

static void stage_drop(StreamPush *p)
{
	Stream *s = p->stream;
	if (!s->staged)
		return;
	/* lines may hold passwords */
	if (p->context->protocol->is_text)
		explicit_bzero(s->staged, s->staged_len);
	free(s->staged);
	s->staged = NULL;
	s->staged_len = s->staged_room = 0;
}

/* keeps @len more bytes; without memory the header counts as cut there */
static void stage_add(Stream *s, const uint8_t *data, uint32_t len)
{
	if (s->is_cut || len == 0)
		return;
	if (len > PROTOCOL_MAX_STAGED - s->staged_len)
		len = PROTOCOL_MAX_STAGED - s->staged_len;
	if (s->staged_len + len > s->staged_room) {
		/* a header that does not end in its segment mostly ends in the next: one step */
		uint32_t room = s->staged_len + len < 256 ? 256 : PROTOCOL_MAX_STAGED;
		uint8_t *bigger = realloc(s->staged, room);
		if (!bigger) {
			s->is_cut = true;
			return;
		}
		s->staged = bigger;
		s->staged_room = room;
	}
	memcpy(s->staged + s->staged_len, data, len);
	s->staged_len += len;
}

/* ---- messages */

static void complete(StreamPush *p, StreamMessage *message)
{
	p->context->handler->complete(p->context->user, p->side, message);
}

/* `next` has reached the end of the current message */
static void message_finish(StreamPush *p)
{
	Stream *s = p->stream;
	StreamTrouble *t = s->trouble;
	s->state = STREAM_AT_HEAD;
	s->is_cut = false;
	if (s->current.missing == 0 && !s->current.has_lost_bytes)
		stream_touch(p, &s->current);
	if (s->current.missing == 0 && (!t || t->waiting_count == 0)) {
		complete(p, &s->current);
		return;
	}
	stream_wait(p);
}

/* ---- framing */

static void lose(StreamPush *p)
{
	Stream *s = p->stream;
	stage_drop(p);
	s->is_cut = false;
	if (s->state == STREAM_LOST)
		return;
	s->state = STREAM_LOST;
	p->context->handler->lost(p->context->user, p->side, false);
}

static void take_wire(StreamPush *p, const SessionChunk *c, int64_t to)
{
	Stream *s = p->stream;
	uint64_t n = (uint64_t)(to - s->next);
	s->next = to;
	s->current.missing -= n;
	s->left -= n;
	/* a held segment may be older than the one that filled the hole before it */
	if (c->ts_ns >= s->current.last_ns) {
		s->current.last_ns = c->ts_ns;
		s->current.last_frame = c->frame;
	}
}

static void header_out(StreamPush *p, const uint8_t *data, size_t len)
{
	Stream *s = p->stream;
	s->state = STREAM_BODY;
	if (len > s->extent.want)
		len = s->extent.want;
	p->context->handler->header(p->context->user, p->side, data, len, &s->extent, &s->current);
	stage_drop(p);
}

/* a message begins at @start; @data holds its first @len bytes, `next` lies behind what is staged
 */
static void message_begin(StreamPush *p, const SessionChunk *c, int64_t start, const Extent *extent,
	const uint8_t *data, size_t len)
{
	Stream *s = p->stream;
	bool is_staged = s->staged_len > 0;
	s->extent = *extent;
	if (s->extent.want > PROTOCOL_MAX_STAGED)
		s->extent.want = PROTOCOL_MAX_STAGED;
	if (s->extent.want > s->extent.total)
		s->extent.want = (uint32_t)s->extent.total;
	s->current = (StreamMessage){.start = start,
		.end = start + (int64_t)extent->total,
		.missing = extent->total,
		.first_ns = is_staged ? s->staged_ns : c->ts_ns,
		.first_frame = is_staged ? s->staged_frame : c->frame};
	s->current.last_ns = s->current.first_ns;
	s->current.last_frame = s->current.first_frame;
	s->current.is_expected = extent->want == 0;
	s->end = s->current.end;
	s->left += extent->total;
	if (len > extent->total)
		len = (size_t)extent->total;
	s->next = start;
	if (len > 0)
		take_wire(p, c, start + (int64_t)len);
	if (len >= s->extent.want) {
		header_out(p, data, len);
	} else {
		if (!is_staged)
			stage_add(s, data, (uint32_t)len);
		s->state = STREAM_HEADER;
	}
	if (s->state == STREAM_BODY && s->next == s->end)
		message_finish(p);
}

/* a message whose header is not at hand, if its length can be told */
static bool expected_begin(StreamPush *p, const SessionChunk *c, int64_t start, const uint8_t *data,
	size_t len, bool is_elsewhere)
{
	const StreamHandler *handler = p->context->handler;
	Extent expected = {.is_message = true};
	if (handler->expect)
		expected.total = handler->expect(p->context->user, p->side, is_elsewhere);
	if (expected.total <= len || expected.total > STREAM_MAX_MESSAGE)
		return false;
	message_begin(p, c, start, &expected, data, len);
	return true;
}

/* the capture kept too little of the segment to tell where its message ends */
static void framing_cut(StreamPush *p, const SessionChunk *c, const uint8_t *data, size_t len)
{
	Stream *s = p->stream;
	int64_t end = c->offset + c->len;
	int64_t start = s->next - (s->staged_len > 0 ? (int64_t)len : 0);
	if (!p->context->protocol->is_text) {
		if (expected_begin(p, c, start, data, len, false))
			return;
		lose(p);
		s->next = end;
		return;
	}
	if (len == 0) {
		s->next = end;
		return;
	}
	Extent extent = {
		.total = (uint64_t)(end - start), .want = (uint32_t)len, .is_message = true};
	if (len > PROTOCOL_MAX_STAGED)
		extent.want = PROTOCOL_MAX_STAGED;
	message_begin(p, c, start, &extent, data, len);
}

static void feed_head(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	size_t at = (size_t)(s->next - c->offset);
	size_t wire = c->len - at, len = at < c->caplen ? c->caplen - at : 0;
	const uint8_t *data = c->data + (len > 0 ? at : 0);
	int64_t start = s->next, first_new = s->next;
	bool is_cut = len < wire;
	if (s->staged_len > 0) {
		start = s->next - s->staged_len;
		uint32_t before = s->staged_len;
		stage_add(s, data, len > PROTOCOL_MAX_STAGED ? PROTOCOL_MAX_STAGED : (uint32_t)len);
		s->next += s->staged_len - before;
		data = s->staged;
		len = s->staged_len;
	}
	Extent extent = {0};
	ParseStatus status = len == 0 ? PARSE_SHORT
				      : p->context->protocol->frame(p->context->state, data, len,
						from_client(p), &extent);
	if (status == PARSE_OK &&
		(extent.total == 0 || extent.total > STREAM_MAX_MESSAGE ||
			(first_new > start && start + (int64_t)extent.total <= first_new)))
		status = PARSE_BAD;
	if (status == PARSE_SHORT && !is_cut && len >= PROTOCOL_MAX_STAGED)
		status = PARSE_BAD;
	if (status == PARSE_OK) {
		message_begin(p, c, start, &extent, data, len);
	} else if (status == PARSE_SHORT && is_cut) {
		framing_cut(p, c, data, len);
	} else if (status == PARSE_SHORT) {
		if (s->staged_len == 0) {
			s->staged_ns = c->ts_ns;
			s->staged_frame = c->frame;
			stage_add(s, data, (uint32_t)len);
			s->next += (int64_t)len;
		}
		if (s->is_cut)
			lose(p);
	} else if (!s->current.is_expected || !expected_begin(p, c, start, data, len, true)) {
		lose(p);
		s->next = first_new > start ? first_new : first_new + 1;
	}
}

static void feed_header(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	size_t at = (size_t)(s->next - c->offset);
	size_t known = at < c->caplen ? c->caplen - at : 0;
	int64_t end = c->offset + c->len, header_end = s->current.start + s->extent.want;
	int64_t to = end < header_end ? end : header_end;
	size_t want = (size_t)(to - s->next);
	if (known > 0)
		stage_add(s, c->data + at, (uint32_t)(known < want ? known : want));
	if (known < want)
		s->is_cut = true;
	take_wire(p, c, to);
	if (s->next < header_end)
		return;
	header_out(p, s->staged, s->staged_len);
	if (s->next == s->end)
		message_finish(p);
}

static void feed_lost(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	size_t at = (size_t)(s->next - c->offset);
	long found = -1;
	if (at < c->caplen) {
		/* behind AUTH TLS there is nothing to look for */
		bool is_anywhere = p->context->protocol->is_text && p->context->state->opaque;
		found = is_anywhere ? 0
				    : p->context->protocol->resync(
					      c->data + at, c->caplen - at, from_client(p));
	}
	if (found < 0 || (size_t)found >= c->caplen - at) {
		s->next = c->offset + c->len;
		return;
	}
	s->next += found;
	s->state = STREAM_AT_HEAD;
	p->context->handler->lost(p->context->user, p->side, true);
}

/* A message whose length was a guess ends where the next one is seen to begin. */
static void end_expected(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	size_t at = (size_t)(s->next - c->offset);
	if (s->state != STREAM_BODY || !s->current.is_expected || at >= c->caplen)
		return;
	long found = p->context->protocol->resync(c->data + at, c->caplen - at, from_client(p));
	if (found < 0 || s->next + found >= s->end)
		return;
	uint64_t beyond = (uint64_t)(s->end - s->next - found);
	s->current.end = s->end = s->next + found;
	s->current.missing -= beyond;
	s->left -= beyond;
	p->context->handler->shortened(p->context->user, &s->current);
	if (s->next == s->end)
		message_finish(p);
}

/* all bytes of @c from `next` on; `next` lies in it */
static void feed(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	int64_t end = c->offset + c->len;
	end_expected(p, c);
	while (s->next < end) {
		switch ((StreamState)s->state) {
		case STREAM_BODY:
			take_wire(p, c, end < s->end ? end : s->end);
			if (s->next == s->end)
				message_finish(p);
			break;
		case STREAM_AT_HEAD:
			feed_head(p, c);
			break;
		case STREAM_HEADER:
			feed_header(p, c);
			break;
		case STREAM_LOST:
			feed_lost(p, c);
			break;
		}
	}
}

/* ---- missing bytes */

/* puts @c where it belongs; false when it would have to be held and cannot be */
static bool place(StreamPush *p, const SessionChunk *c)
{
	Stream *s = p->stream;
	int64_t end = c->offset + c->len;
	if (c->offset < s->next)
		stream_hole_fill(p, c->offset, end < s->next ? end : s->next, true);
	if (end <= s->next)
		return true;
	if (c->offset > s->next && s->state == STREAM_BODY) {
		int64_t to = c->offset < s->end ? c->offset : s->end;
		stream_hole_add(p, s->next, to);
		s->next = to;
		if (s->next == s->end)
			message_finish(p);
	}
	if (s->state == STREAM_LOST && c->offset > s->next)
		s->next = c->offset;
	if (c->offset > s->next)
		return stream_hold(s, c);
	feed(p, c);
	return true;
}

/* held segments that `next` has reached or that need not wait any more */
static void drain(StreamPush *p)
{
	Stream *s = p->stream;
	while (s->trouble && s->trouble->held_count > 0) {
		StreamTrouble *t = s->trouble;
		uint32_t lowest = stream_held_lowest(t);
		bool must_wait = s->state == STREAM_AT_HEAD || s->state == STREAM_HEADER;
		if (t->held[lowest].offset > s->next && must_wait)
			return;
		StreamHeld held = stream_held_take(t, lowest);
		SessionChunk chunk = {.offset = held.offset,
			.len = held.len,
			.caplen = held.caplen,
			.data = held.data,
			.ts_ns = held.ts_ns,
			.frame = held.frame,
			.psh = held.psh};
		/* room was made above, so that only memory can fail: then its bytes are lost */
		if (!place(p, &chunk) && s->next < chunk.offset) {
			lose(p);
			s->next = chunk.offset;
			feed(p, &chunk);
		}
		stream_held_free(p, &held);
	}
}

/* bytes from `next` up to @to will never be seen */
static void pass_gap(StreamPush *p, int64_t to)
{
	Stream *s = p->stream;
	if (s->state == STREAM_HEADER)
		header_out(p, s->staged, s->staged_len);
	if (s->state == STREAM_BODY) {
		int64_t body = to < s->end ? to : s->end;
		stream_lose(p, &s->current, (uint64_t)(body - s->next));
		s->next = body;
		if (s->next == s->end)
			message_finish(p);
	}
	if (s->next < to) {
		lose(p);
		s->next = to;
	}
}

void stream_push(Stream *stream, const StreamContext *context, Side side, const SessionChunk *chunk)
{
	if (stream_skip(stream, chunk->offset, chunk->len, chunk->ts_ns, chunk->frame))
		return;
	if (chunk->len > stream->max_segment)
		stream->max_segment = chunk->len;
	if (stream_is_inside(stream, chunk->offset, chunk->len))
		stream_advance(stream, chunk->len, chunk->ts_ns, chunk->frame);
	if (chunk->len == 0)
		return;
	stream->run_is_open = !chunk->psh || chunk->len == stream->max_segment;
	StreamPush p = {stream, context, side, chunk->ts_ns, chunk->frame};
	while (!place(&p, chunk)) {
		/* the header may still come late: with its length told it need not be waited for */
		if (stream->state == STREAM_AT_HEAD && stream->staged_len == 0 &&
			expected_begin(&p, chunk, stream->next, chunk->data, 0, false)) {
			drain(&p);
			continue;
		}
		StreamTrouble *t = stream->trouble;
		int64_t to = chunk->offset;
		if (t && t->held_count > 0 && t->held[stream_held_lowest(t)].offset < to)
			to = t->held[stream_held_lowest(t)].offset;
		pass_gap(&p, to);
		drain(&p);
	}
	drain(&p);
	stream_trouble_end(stream);
}

void stream_gap(Stream *stream, const StreamContext *context, Side side, int64_t from, int64_t to)
{
	StreamPush p = {stream, context, side, 0, 0};
	if (from < stream->next)
		stream_hole_fill(&p, from, to < stream->next ? to : stream->next, false);
	if (to > stream->next) {
		/* whatever lies between is held, or would have come before the gap was declared */
		pass_gap(&p, to);
		drain(&p);
	}
	stream_trouble_end(stream);
}

void stream_finish(Stream *stream, const StreamContext *context, Side side)
{
	StreamPush p = {stream, context, side, 0, 0};
	while (stream->trouble && stream->trouble->held_count > 0) {
		pass_gap(&p, stream->trouble->held[stream_held_lowest(stream->trouble)].offset);
		drain(&p);
	}
	if (stream->trouble)
		stream_hole_fill(&p, INT64_MIN, INT64_MAX, false);
	stream_trouble_end(stream);
}

void stream_clear(Stream *stream)
{
	if (stream->staged)
		explicit_bzero(stream->staged, stream->staged_len);
	free(stream->staged);
	StreamTrouble *t = stream->trouble;
	for (uint32_t i = 0; t && i < t->held_count; i++) {
		explicit_bzero(t->held[i].data, t->held[i].caplen);
		free(t->held[i].data);
	}
	free(t);
	*stream = (Stream){0};
}

uint64_t stream_left(const Stream *stream)
{
	if (stream->left > 0)
		return stream->left;
	if (stream->state == STREAM_LOST)
		return stream->run_is_open;
	return stream->staged_len > 0;
}

size_t stream_bytes(const Stream *stream)
{
	return stream->staged_room +
	       (stream->trouble ? sizeof *stream->trouble + stream->trouble->held_bytes : 0);
}
