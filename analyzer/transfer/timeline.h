/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timeline of a connection (or of an FTP control connection and its data connections): gapless
 * spans of time, each in one bucket. Spans wait in a log before they are committed, so that the
 * bottleneck's speed is known when their link share is taken out, and so that a later packet can
 * still change a label.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_TIMELINE_H
#define SLOWCOPY_ANALYZER_TRANSFER_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/transfer/account.h"
#include "analyzer/transfer/path.h"

/* A silence that people notice. */
#define TIMELINE_STALL_NS INT64_C(1000000000)
/* Bursts are joined up to this length, so that pictures and evidence stay fine enough. */
#define TIMELINE_FLOW_SPAN_NS INT64_C(5000000)
/* Spans that wait; older ones are committed when more come. */
#define TIMELINE_LOG_MAX 512
#define TIMELINE_LOG_START 16
/* While the path's speed is not certain they wait longer, 40 bytes each, as far as there is room
 * for all timelines together. */
#define TIMELINE_LOG_UNSURE_MAX 16384
#define TIMELINE_LONG_LOGS_ROOM 65536

/** Span: one interval, beginning where the one before ended. */
typedef struct Span {
	int64_t ns;
	int64_t travel_ns; /* of its start, after the link's share, this much was a round trip under
			      way */
	uint64_t frame;    /* the packet that ended it */
	uint32_t wire_bytes;  /* sent by `side` at its end, framing included */
	uint32_t other_bytes; /* that other connections of the path sent the same way meanwhile */
	uint32_t stream;
	uint8_t bucket, op_class, side;
	bool is_queued : 1; /* a queue stood on the path: waiting there is the link's */
	bool is_after_loss : 1;
	bool is_flow : 1; /* shorter than the noise floor; joined with its neighbours */
} Span;

typedef struct Timeline {
	/* what every packet needs fits in a cache line */
	int64_t accounted_ns; /* end of the log: everything before it has a label */
	Span *log;
	uint32_t count, room;
	Path *path;
	uint64_t own_bytes[2]; /* by Side: sent by this timeline... */
	bool client_is_low;    /* path->dir[0] is what the client sends */
	uint16_t input;
	int64_t committed_ns;   /* start of the log */
	uint32_t *long_logs;    /* room beyond TIMELINE_LOG_MAX that all timelines have taken; NULL:
				   this one takes none */
	uint64_t other_seen[2]; /* ...and by others when last looked */
	int64_t busy_until_ns[2];  /* by Side that sends: when the bottleneck has passed on what was
				      sent */
	int64_t others_left_ns[2]; /* by Side: what others sent and had no room yet */
	int64_t stall_ns;          /* shortest pause that `stalled` is told of */
	double capacity_hint;      /* bytes per second given by the user, 0 none */
	Account *accounts;         /* open, or waiting for their last spans */
	void (*account_done)(
		void *user, Account *account); /* covered up to its end; off the list already */
	/** a pause of stall_ns or more, its link share taken out */
	void (*stalled)(void *user, const struct Timeline *timeline, const Span *span,
		int64_t start_ns, int64_t ns);
	void *user;
	int64_t backward_ns; /* times that stepped back were clamped, in all */
} Timeline;

/** timeline_init: begins at @start_ns. @path may be NULL. Its log is to be cleared before that. */
void timeline_init(Timeline *timeline, int64_t start_ns, Path *path, bool client_is_low);

/** timeline_path_bytes: @wire_bytes of this timeline were sent by @side; counted for the path too.
 */
void timeline_path_bytes(Timeline *timeline, Side side, uint32_t wire_bytes);

/** timeline_add: everything from the last span's end to @to_ns gets the label of @span (its ns is
 * set here). */
void timeline_add(Timeline *timeline, int64_t to_ns, const Span *span);

/**
 * timeline_lengthen: when the last span is a burst of @side on @stream that ended at most @most_ns
 * before @to_ns, joins the time to it and returns true; else nothing.
 */
__attribute__((always_inline)) static inline bool timeline_lengthen(Timeline *timeline,
	int64_t to_ns, int64_t most_ns, Side side, uint32_t stream, uint64_t frame,
	uint32_t wire_bytes)
{
	int64_t ns = to_ns - timeline->accounted_ns;
	if (timeline->count == 0 || ns < 0 || ns > most_ns)
		return false;
	Span *last = &timeline->log[timeline->count - 1];
	if (!last->is_flow || last->side != side || last->stream != stream ||
		last->ns + ns > TIMELINE_FLOW_SPAN_NS)
		return false;
	last->ns += ns;
	last->frame = frame;
	last->wire_bytes += wire_bytes;
	timeline->accounted_ns = to_ns;
	return true;
}

/** timeline_relabel: spans of @side that end after @since_ns and are in @from become @to. */
void timeline_relabel(Timeline *timeline, int64_t since_ns, Side side, Bucket from, Bucket to);

/** timeline_unseen: the span that holds the moment @at_ns, or ends there, was not captured. */
void timeline_unseen(Timeline *timeline, int64_t at_ns);

/** timeline_open: starts counting @account from @account->start_ns, clamped to what is not yet
 * committed. */
void timeline_open(Timeline *timeline, Account *account);

/** timeline_close: @account ends at @end_ns; account_done is called once its spans are committed.
 */
void timeline_close(Timeline *timeline, Account *account, int64_t end_ns);

/** timeline_peek: adds to @ret_ns, by bucket, what of the time from @from_ns on waits in the log;
 * its labels may still change. */
void timeline_peek(const Timeline *timeline, int64_t from_ns, int64_t ret_ns[BUCKET_COUNT]);

/** timeline_drop: forgets @account without a call. */
void timeline_drop(Timeline *timeline, Account *account);

/** timeline_release: commits everything and lets @account go, still open, covered up to the end of
 * the log. */
void timeline_release(Timeline *timeline, Account *account);

/** timeline_adopt: goes on counting @account, which is covered up to the start of the log. */
void timeline_adopt(Timeline *timeline, Account *account);

/** timeline_settle: nothing moves any more: commits everything when an account that has ended waits
 * for its last spans. */
void timeline_settle(Timeline *timeline);

/** timeline_finish: commits everything; accounts still open are closed at the end of the timeline.
 */
void timeline_finish(Timeline *timeline);

/** timeline_clear: frees the log. timeline_finish comes first. */
void timeline_clear(Timeline *timeline);

#endif
