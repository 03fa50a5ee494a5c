/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans and their commitment: see timeline.h. docs/architecture.md, "Every nanosecond once" (link
 * first) and 2.12 (relabelling).
 */
#include "analyzer/transfer/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"

/* Queues that hold more than a second are hardly seen: what others sent before that has passed. */
#define OTHERS_LEFT_MAX_NS SECOND_NS

void timeline_init(Timeline *timeline, int64_t start_ns, Path *path, bool client_is_low)
{
	memset(timeline, 0, sizeof(*timeline));
	timeline->committed_ns = timeline->accounted_ns = start_ns;
	timeline->path = path;
	timeline->stall_ns = TIMELINE_STALL_NS;
	timeline->client_is_low = client_is_low;
}

static double capacity_of(const Timeline *timeline, Side side)
{
	if (timeline->capacity_hint > 0)
		return timeline->capacity_hint;
	if (!timeline->path)
		return 0;
	return path_capacity(timeline->path, path_way(timeline->client_is_low, side)).bytes_per_s;
}

/* Whether waiting in a queue of the path could have looked like this bucket. */
static bool can_be_queueing(Bucket bucket)
{
	return bucket == BUCKET_RECEIVE_WINDOW || bucket == BUCKET_SEND_BUFFER ||
	       bucket == BUCKET_SLOW_START || bucket == BUCKET_CONGESTION_WINDOW;
}

static bool can_have_link(Bucket bucket)
{
	return bucket != BUCKET_CAPTURE_GAP && bucket != BUCKET_NAME_RESOLUTION &&
	       bucket != BUCKET_CONNECTION_SETUP;
}

/* Whether this wait may have been for the link while it carried other connections' bytes. */
static bool can_be_others(const Span *span)
{
	return span->bucket == BUCKET_SENDER_STALLED || span->bucket == BUCKET_CONGESTION_WINDOW ||
	       span->bucket == BUCKET_SLOW_START || span->bucket == BUCKET_SEND_BUFFER ||
	       (span->bucket == BUCKET_SERVER_PROCESSING && span->side == SIDE_SERVER);
}

/* Whether it is the path's time, whoever's bytes it was busy with. */
static bool is_path_time(const Span *span)
{
	return span->bucket == BUCKET_LINK || (span->is_queued && can_be_queueing(span->bucket));
}

/* How long the path was still busy with what this timeline had sent. */
static int64_t own_busy_ns(const Timeline *timeline, const Span *span)
{
	int64_t busy = timeline->busy_until_ns[0] > timeline->busy_until_ns[1]
			       ? timeline->busy_until_ns[0]
			       : timeline->busy_until_ns[1];
	int64_t ns = busy - timeline->committed_ns;
	return ns < 0 || !can_have_link(span->bucket) ? 0 : ns > span->ns ? span->ns : ns;
}

/* How long the path was busy with others' bytes in the @room_ns that this timeline's own left; what
 * does not fit is passed on later. */
static int64_t others_ns(
	Timeline *timeline, const Span *span, const double capacity[2], int64_t room_ns)
{
	int64_t *left = &timeline->others_left_ns[span->side], ns = 0;
	if (span->other_bytes > 0 && capacity[span->side] > 0) {
		double more = (double)span->other_bytes * 1e9 / capacity[span->side];
		*left = more < OTHERS_LEFT_MAX_NS - (double)*left ? *left + (int64_t)more
								  : OTHERS_LEFT_MAX_NS;
	}
	if (is_path_time(span) || can_be_others(span))
		ns = *left < room_ns ? *left : room_ns;
	for (int i = 0; i < 2; i++) {
		int64_t *waits = &timeline->others_left_ns[i];
		*waits -= *waits < room_ns ? *waits : room_ns;
	}
	return ns;
}

static void commit_span(Timeline *timeline, const Span *span, const double capacity[2])
{
	int64_t from = timeline->committed_ns, to = from + span->ns;
	int64_t own = own_busy_ns(timeline, span);
	int64_t others = others_ns(timeline, span, capacity, span->ns - own);
	int64_t link = is_path_time(span) ? span->ns - others : own;
	int64_t travel = span->travel_ns < span->ns - link - others ? span->travel_ns
								    : span->ns - link - others;
	for (Account *a = timeline->accounts; a; a = a->next) {
		a->covered_ns = to;
		/* those that wait for their last spans, or begin later */
		if (a->end_ns <= from || a->start_ns >= to)
			continue;
		if (link > 0)
			account_add(a, from, from + link, BUCKET_LINK, OP_OTHER, span->side,
				span->frame, span->stream, false);
		if (others > 0)
			account_add(a, from + link, from + link + others, BUCKET_OTHER_TRAFFIC,
				OP_OTHER, span->side, span->frame, span->stream, false);
		int64_t rest = from + link + others;
		if (travel > 0)
			account_add(a, rest, rest + travel, BUCKET_ROUND_TRIP, span->op_class,
				span->side, span->frame, span->stream, false);
		account_add(a, rest + travel, to, span->bucket, span->op_class, span->side,
			span->frame, span->stream, span->is_after_loss);
	}
	int64_t silent = span->ns - link - others - travel;
	if (timeline->stalled && silent >= timeline->stall_ns)
		timeline->stalled(timeline->user, timeline, span, to - silent, silent);
	if (capacity[span->side] > 0 && span->wire_bytes > 0) {
		int64_t *busy = &timeline->busy_until_ns[span->side];
		/* a joined burst was sent all along the span, anything else at its end */
		int64_t sent = span->is_flow ? from : to;
		int64_t begin = *busy > sent ? *busy : sent;
		*busy = begin + (int64_t)((double)span->wire_bytes * 1e9 / capacity[span->side]);
	}
	timeline->committed_ns = to;
}

static void accounts_done(Timeline *timeline)
{
	Account **link = &timeline->accounts;
	while (*link) {
		Account *a = *link;
		if (a->end_ns > timeline->committed_ns) {
			link = &a->next;
			continue;
		}
		*link = a->next;
		a->next = NULL;
		if (timeline->account_done)
			timeline->account_done(timeline->user, a);
	}
}

static void log_resize(Timeline *timeline, uint32_t room)
{
	uint32_t beyond = room > TIMELINE_LOG_MAX ? room - TIMELINE_LOG_MAX : 0;
	uint32_t before = timeline->room > TIMELINE_LOG_MAX ? timeline->room - TIMELINE_LOG_MAX : 0;
	Span *log = realloc(timeline->log, room * sizeof(Span));
	if (!log)
		return;
	if (timeline->long_logs)
		*timeline->long_logs += beyond - before;
	timeline->log = log;
	timeline->room = room;
}

static void commit(Timeline *timeline, uint32_t spans)
{
	double capacity[2] = {
		capacity_of(timeline, SIDE_CLIENT), capacity_of(timeline, SIDE_SERVER)};
	int64_t to_ns = timeline->committed_ns;
	for (uint32_t i = 0; i < spans; i++)
		to_ns += timeline->log[i].ns;
	for (Account *a = timeline->accounts; a; a = a->next)
		account_reach(a, timeline->committed_ns, to_ns);
	for (uint32_t i = 0; i < spans; i++)
		commit_span(timeline, &timeline->log[i], capacity);
	timeline->count -= spans;
	if (timeline->count > 0)
		memmove(timeline->log, timeline->log + spans, timeline->count * sizeof(Span));
	if (timeline->room > TIMELINE_LOG_MAX && timeline->count <= TIMELINE_LOG_MAX / 2)
		log_resize(timeline, TIMELINE_LOG_MAX);
	accounts_done(timeline);
}

static PathDirection *path_direction(const Timeline *timeline, Side side)
{
	return &timeline->path->dir[path_way(timeline->client_is_low, side)];
}

/* Whether what is sent most is sent at a speed that will not turn out to be another. */
static bool is_speed_certain(const Timeline *timeline)
{
	if (timeline->capacity_hint > 0 || !timeline->path)
		return true;
	Side side = timeline->own_bytes[SIDE_CLIENT] > timeline->own_bytes[SIDE_SERVER]
			    ? SIDE_CLIENT
			    : SIDE_SERVER;
	return path_capacity(timeline->path, path_way(timeline->client_is_low, side)).is_proven;
}

/* Room for twice as many spans as there is room for now; 0 when some are to be committed instead.
 */
static uint32_t more_room(const Timeline *timeline)
{
	uint32_t room = timeline->room ? timeline->room * 2 : TIMELINE_LOG_START;
	if (room <= TIMELINE_LOG_MAX)
		return room;
	if (room > TIMELINE_LOG_UNSURE_MAX || !timeline->accounts || !timeline->long_logs ||
		*timeline->long_logs + (room - timeline->room) > TIMELINE_LONG_LOGS_ROOM ||
		is_speed_certain(timeline))
		return 0;
	return room;
}

/* The older half; once the speed is certain all that a short log would not have kept. */
static uint32_t spans_to_commit(const Timeline *timeline)
{
	if (timeline->room > TIMELINE_LOG_MAX && is_speed_certain(timeline))
		return timeline->count - TIMELINE_LOG_MAX / 2;
	return timeline->count / 2;
}

static Span *log_push(Timeline *timeline)
{
	if (timeline->count == timeline->room) {
		uint32_t room = more_room(timeline);
		if (room > 0)
			log_resize(timeline, room);
		if (timeline->count == timeline->room) {
			if (timeline->room == 0)
				return NULL;
			commit(timeline, spans_to_commit(timeline));
		}
	}
	return &timeline->log[timeline->count++];
}

void timeline_path_bytes(Timeline *timeline, Side side, uint32_t wire_bytes)
{
	if (!timeline->path)
		return;
	timeline->own_bytes[side] += wire_bytes;
	path_direction(timeline, side)->wire_bytes += wire_bytes;
}

/* What other connections of the path sent since this was asked last. */
static uint32_t other_bytes(Timeline *timeline, Side side)
{
	if (!timeline->path)
		return 0;
	uint64_t others = path_direction(timeline, side)->wire_bytes - timeline->own_bytes[side];
	uint64_t since = others - timeline->other_seen[side];
	timeline->other_seen[side] = others;
	return since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
}

static void add_others(Span *span, uint32_t bytes)
{
	span->other_bytes =
		bytes < UINT32_MAX - span->other_bytes ? span->other_bytes + bytes : UINT32_MAX;
}

void timeline_add(Timeline *timeline, int64_t to_ns, const Span *span)
{
	int64_t ns = to_ns - timeline->accounted_ns;
	if (ns < 0) {
		timeline->backward_ns -= ns;
		ns = 0;
	}
	timeline->accounted_ns += ns;
	uint32_t others = other_bytes(timeline, span->side);
	if (timeline->count > 0) {
		Span *last = &timeline->log[timeline->count - 1];
		bool is_same = last->bucket == span->bucket && last->op_class == span->op_class &&
			       last->side == span->side && last->is_queued == span->is_queued &&
			       last->is_after_loss == span->is_after_loss &&
			       last->stream == span->stream && last->travel_ns == 0 &&
			       span->travel_ns == 0;
		if (is_same && (ns == 0 || (span->is_flow && last->is_flow &&
						   last->ns + ns <= TIMELINE_FLOW_SPAN_NS))) {
			last->ns += ns;
			last->frame = span->frame;
			last->wire_bytes += span->wire_bytes;
			add_others(last, others);
			return;
		}
		if (ns == 0 && last->side == span->side) { /* no time: only its bytes matter */
			last->wire_bytes += span->wire_bytes;
			add_others(last, others);
			return;
		}
	}
	Span *new = log_push(timeline);
	if (!new) { /* no memory for a log: commit at once */
		Span now = *span;
		double none[2] = {0, 0};
		now.ns = ns;
		commit_span(timeline, &now, none);
		accounts_done(timeline);
		return;
	}
	*new = *span;
	new->ns = ns;
	new->other_bytes = others;
}

void timeline_relabel(Timeline *timeline, int64_t since_ns, Side side, Bucket from, Bucket to)
{
	int64_t end = timeline->accounted_ns;
	for (uint32_t i = timeline->count; i > 0 && end > since_ns; i--) {
		Span *s = &timeline->log[i - 1];
		if (s->bucket == from && s->side == side)
			s->bucket = (uint8_t)to;
		end -= s->ns;
	}
}

void timeline_unseen(Timeline *timeline, int64_t at_ns)
{
	int64_t end = timeline->accounted_ns;
	for (uint32_t i = timeline->count; i > 0 && end >= at_ns; i--) {
		Span *s = &timeline->log[i - 1];
		end -= s->ns;
		if (end < at_ns) {
			s->bucket = BUCKET_CAPTURE_GAP;
			s->op_class = OP_OTHER;
			s->travel_ns = 0;
			s->is_queued = false;
		}
	}
}

void timeline_open(Timeline *timeline, Account *account)
{
	if (account->start_ns < timeline->committed_ns)
		account->start_ns = timeline->committed_ns;
	account->end_ns = INT64_MAX;
	account->covered_ns = account->start_ns;
	account->next = timeline->accounts;
	timeline->accounts = account;
}

void timeline_close(Timeline *timeline, Account *account, int64_t end_ns)
{
	if (end_ns < account->start_ns)
		end_ns = account->start_ns;
	/* what is committed cannot be given back */
	if (end_ns < account->covered_ns)
		end_ns = account->covered_ns;
	account->end_ns = end_ns;
	if (timeline->committed_ns >= end_ns)
		accounts_done(timeline);
}

void timeline_peek(const Timeline *timeline, int64_t from_ns, int64_t ret_ns[BUCKET_COUNT])
{
	int64_t at_ns = timeline->committed_ns;
	for (uint32_t i = 0; i < timeline->count; i++) {
		const Span *span = &timeline->log[i];
		int64_t end_ns = at_ns + span->ns;
		if (end_ns > from_ns)
			ret_ns[span->bucket] += end_ns - (at_ns > from_ns ? at_ns : from_ns);
		at_ns = end_ns;
	}
}

void timeline_drop(Timeline *timeline, Account *account)
{
	for (Account **link = &timeline->accounts; *link; link = &(*link)->next) {
		if (*link == account) {
			*link = account->next;
			account->next = NULL;
			return;
		}
	}
}

void timeline_release(Timeline *timeline, Account *account)
{
	commit(timeline, timeline->count);
	timeline_drop(timeline, account);
}

void timeline_adopt(Timeline *timeline, Account *account)
{
	account->next = timeline->accounts;
	timeline->accounts = account;
}

void timeline_settle(Timeline *timeline)
{
	bool is_waiting = false;
	for (const Account *a = timeline->accounts; a; a = a->next)
		is_waiting |= a->end_ns <= timeline->accounted_ns;
	if (is_waiting)
		commit(timeline, timeline->count);
}

void timeline_finish(Timeline *timeline)
{
	commit(timeline, timeline->count);
	for (Account *a = timeline->accounts; a; a = a->next) {
		if (a->end_ns > timeline->committed_ns)
			a->end_ns = timeline->committed_ns > a->start_ns ? timeline->committed_ns
									 : a->start_ns;
	}
	accounts_done(timeline);
}

void timeline_clear(Timeline *timeline)
{
	if (timeline->long_logs && timeline->room > TIMELINE_LOG_MAX)
		*timeline->long_logs -= timeline->room - TIMELINE_LOG_MAX;
	free(timeline->log);
	timeline->log = NULL;
	timeline->count = timeline->room = 0;
}
