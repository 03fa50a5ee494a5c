/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of the live table: transfers under way and those told of lately, with rate and where
 * their time goes now. Bounded; knows no terminal.
 */
#ifndef SLOWCOPY_REPORTS_LIVE_ROWS_H
#define SLOWCOPY_REPORTS_LIVE_ROWS_H

#include <glib.h>

#include "analyzer/analysis.h"
#include "reports/report.h"

/* Rows kept: more than anybody scrolls through; the oldest that have ended go first. */
#define LIVE_ROWS_MAX 1000

typedef enum LiveState {
	LIVE_GOING,
	LIVE_ENDED, /* its cause is not known yet */
	LIVE_TOLD
} LiveState;

/** LiveRow: texts are clean, and owned. */
typedef struct LiveRow {
	uint64_t number; /* in order of appearance */
	uint64_t serial; /* of the open transfer; 0 when it was never seen open */
	LiveState state;
	bool is_seen; /* in the snapshot being taken */
	ResultEndpoint client_end, server_end;
	char *client, *server, *file, *share;
	const char *protocol; /* for people; static */
	bool is_write;
	uint64_t bytes, last_bytes;
	int64_t start_ns, duration_ns; /* start: since the epoch */
	int64_t last_ns;               /* of the snapshot before */
	double rate;                   /* bytes/s: now while it goes on, else of the whole */
	int64_t bucket_ns[BUCKET_COUNT], last_bucket_ns[BUCKET_COUNT];
	int now; /* Bucket that holds most of the time since the snapshot before, -1 none */
	int64_t silent_ns; /* so long nothing came, while it goes on */
	const char *cause; /* id, static; NULL none */
	int64_t lost_ns;
	char *findings; /* paragraphs, for the page about it; NULL */
} LiveRow;

typedef struct LiveRows {
	GPtrArray *rows; /* LiveRow, owned, in order of appearance */
	uint64_t number;
	const ReportOptions *options;
} LiveRows;

void live_rows_init(LiveRows *rows, const ReportOptions *options);

/** live_rows_snapshot: it is @now_ns, and these transfers are under way. */
void live_rows_snapshot(LiveRows *rows, int64_t now_ns, const OpenTransfer *open, size_t count);

/** live_rows_result: what was concluded about some that ended. */
void live_rows_result(LiveRows *rows, const Result *result);

/** live_row_matches: @filter, lower case, is part of a host, file, share, protocol or cause. */
bool live_row_matches(const LiveRow *row, const char *filter);

/** live_row_most: the bucket with most of its time, -1 none. */
int live_row_most(const LiveRow *row);

typedef enum LiveSort {
	LIVE_BY_TIME,
	LIVE_BY_RATE,
	LIVE_BY_LOST,
	LIVE_BY_HOST,
	LIVE_SORTS
} LiveSort;

/** live_sort_name: for people; static. */
const char *live_sort_name(LiveSort sort);

/** live_rows_view: rows that match @filter (NULL or "": all), sorted; the caller frees the array,
 * not the rows. */
GPtrArray *live_rows_view(const LiveRows *rows, LiveSort sort, const char *filter);

/** live_rows_copy: @ret becomes what @rows is now; clear it when done. */
void live_rows_copy(const LiveRows *rows, LiveRows *ret);

void live_rows_clear(LiveRows *rows);

#endif
