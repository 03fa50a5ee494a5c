/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stream misses: holes in bodies, the messages that wait for them, and segments held behind
 * a hole in a header.
 */
#include "analyzer/session/stream_hole.h"

#include <stdlib.h>
#include <string.h>

static StreamTrouble *trouble_get(Stream *s)
{
	if (!s->trouble)
		s->trouble = calloc(1, sizeof *s->trouble);
	return s->trouble;
}

static void complete(StreamPush *p, StreamMessage *message)
{
	p->context->handler->complete(p->context->user, p->side, message);
}

/* bytes came for @message now, or for one before it: only then has the receiver all of it */
void stream_touch(const StreamPush *p, StreamMessage *message)
{
	if (p->now_ns == 0 || p->now_ns < message->last_ns)
		return;
	message->last_ns = p->now_ns;
	message->last_frame = p->now_frame;
}

/* completes the messages in front that miss nothing any more */
static void complete_waiting(StreamPush *p)
{
	StreamTrouble *t = p->stream->trouble;
	uint32_t done = 0;
	while (done < t->waiting_count && t->waiting[done].missing == 0) {
		StreamMessage message = t->waiting[done++];
		stream_touch(p, &message);
		complete(p, &message);
	}
	t->waiting_count -= done;
	memmove(t->waiting, t->waiting + done, t->waiting_count * sizeof *t->waiting);
}

void stream_lose(StreamPush *p, StreamMessage *message, uint64_t bytes)
{
	message->missing -= bytes;
	message->has_lost_bytes = true;
	p->stream->left -= bytes;
}

/* bytes [from, to) below `next` were seen, or will never be; @from..@to lies in holes only */
static void settle(StreamPush *p, int64_t from, int64_t to, bool was_seen)
{
	Stream *s = p->stream;
	StreamTrouble *t = s->trouble;
	for (uint32_t i = 0; i <= t->waiting_count; i++) {
		bool is_current = i == t->waiting_count;
		if (is_current && s->state != STREAM_BODY)
			break;
		StreamMessage *m = is_current ? &s->current : &t->waiting[i];
		int64_t a = from > m->start ? from : m->start, b = to < m->end ? to : m->end;
		if (a >= b)
			continue;
		if (!was_seen) {
			stream_lose(p, m, (uint64_t)(b - a));
			continue;
		}
		m->missing -= (uint64_t)(b - a);
		s->left -= (uint64_t)(b - a);
		stream_touch(p, m);
	}
}

/* the part of [from, to) that lies in holes is settled and is no hole any more */
void stream_hole_fill(StreamPush *p, int64_t from, int64_t to, bool was_seen)
{
	StreamTrouble *t = p->stream->trouble;
	if (!t)
		return;
	for (uint32_t i = 0; i < t->hole_count; i++) {
		StreamHole hole = t->holes[i];
		int64_t a = from > hole.from ? from : hole.from, b = to < hole.to ? to : hole.to;
		if (a >= b)
			continue;
		settle(p, a, b, was_seen);
		bool keeps_left = a > hole.from, keeps_right = b < hole.to;
		if (keeps_left && keeps_right && t->hole_count < STREAM_MAX_HOLES) {
			memmove(t->holes + i + 1, t->holes + i,
				(t->hole_count - i) * sizeof *t->holes);
			t->hole_count++;
			t->holes[i].to = a;
			t->holes[++i].from = b;
		} else if (keeps_left) {
			/* no room to split: the right part will not be waited for */
			if (keeps_right)
				settle(p, b, hole.to, false);
			t->holes[i].to = a;
		} else if (keeps_right) {
			t->holes[i].from = b;
		} else {
			t->hole_count--;
			memmove(t->holes + i, t->holes + i + 1,
				(t->hole_count - i) * sizeof *t->holes);
			i--;
		}
	}
	complete_waiting(p);
}

/* `next` passes a hole inside the current body */
void stream_hole_add(StreamPush *p, int64_t from, int64_t to)
{
	Stream *s = p->stream;
	StreamTrouble *t = trouble_get(s);
	if (!t) {
		stream_lose(p, &s->current, (uint64_t)(to - from));
		return;
	}
	if (t->hole_count == STREAM_MAX_HOLES)
		stream_hole_fill(p, t->holes[0].from, t->holes[0].to, false);
	t->holes[t->hole_count++] = (StreamHole){from, to};
}

void stream_wait(StreamPush *p)
{
	Stream *s = p->stream;
	StreamTrouble *t = s->trouble;
	if (t->waiting_count == STREAM_MAX_WAITING) {
		/* its holes are the oldest ones */
		int64_t end = t->waiting[0].end;
		stream_hole_fill(p, t->waiting[0].start, end, false);
	}
	t->waiting[t->waiting_count++] = s->current;
	complete_waiting(p);
}

/* keeps a segment behind a hole in a header; false: no room or no memory */
bool stream_hold(Stream *s, const SessionChunk *c)
{
	StreamTrouble *t = trouble_get(s);
	if (!t || t->held_count == STREAM_MAX_HELD_CHUNKS ||
		c->caplen > STREAM_MAX_HELD_BYTES - t->held_bytes)
		return false;
	uint8_t *copy = malloc(c->caplen > 0 ? c->caplen : 1);
	if (!copy)
		return false;
	memcpy(copy, c->data, c->caplen);
	t->held[t->held_count++] =
		(StreamHeld){c->offset, c->len, c->caplen, c->ts_ns, c->frame, copy, c->psh};
	t->held_bytes += c->caplen;
	return true;
}

void stream_held_free(const StreamPush *p, StreamHeld *held)
{
	if (p->context->protocol->is_text)
		explicit_bzero(held->data, held->caplen);
	free(held->data);
}

uint32_t stream_held_lowest(const StreamTrouble *t)
{
	uint32_t lowest = 0;
	for (uint32_t i = 1; i < t->held_count; i++) {
		if (t->held[i].offset < t->held[lowest].offset)
			lowest = i;
	}
	return lowest;
}

StreamHeld stream_held_take(StreamTrouble *trouble, uint32_t index)
{
	StreamHeld held = trouble->held[index];
	trouble->held[index] = trouble->held[--trouble->held_count];
	trouble->held_bytes -= held.caplen;
	return held;
}

void stream_trouble_end(Stream *s)
{
	StreamTrouble *t = s->trouble;
	if (t && t->hole_count == 0 && t->waiting_count == 0 && t->held_count == 0) {
		free(t);
		s->trouble = NULL;
	}
}
