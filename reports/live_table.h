/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `monitor` on a terminal: a table of transfers that can be sorted, filtered, paused and opened.
 * What other parts of the program say on standard error is shown in a line of its own and repeated
 * when the terminal is given back, which happens however the program ends.
 */
#ifndef SLOWCOPY_REPORTS_LIVE_TABLE_H
#define SLOWCOPY_REPORTS_LIVE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/analysis.h"
#include "reports/report.h"

/* Transfers under way that are asked for. */
#define LIVE_TABLE_OPEN 400

typedef struct LiveTable LiveTable;

/** LiveTableState: what the screen shows beside rows. */
typedef struct LiveTableState {
	int64_t now_ns; /* since the epoch */
	AnalysisCounts counts;
	uint64_t dropped; /* packets that were not seen */
	bool is_over;     /* a replay is at its end */
} LiveTableState;

/** live_table_new: takes the terminal of standard output. @source: interfaces or files. NULL and
 * @error when it cannot be used. The caller frees with live_table_free(). */
LiveTable *live_table_new(const ReportOptions *options, const char *source, GError **error);

/** live_table_result: an instalment was told. */
void live_table_result(LiveTable *table, const Result *result);

/** live_table_is_due: whether live_table_draw is to be called: not more often than a person can
 * follow. live_table_wants_rows: and whether it will look at @open then. */
bool live_table_is_due(const LiveTable *table);
bool live_table_wants_rows(const LiveTable *table);

/** live_table_draw: takes keys and draws what changed. @open: of analysis_open_transfers. */
void live_table_draw(
	LiveTable *table, const LiveTableState *state, const OpenTransfer *open, size_t count);

/** live_table_wants_end: the user asked to leave. */
bool live_table_wants_end(const LiveTable *table);

/** live_table_free: gives the terminal back; NULL is allowed. */
void live_table_free(LiveTable *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(LiveTable, live_table_free)

#endif
