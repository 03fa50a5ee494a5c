/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables that `-v` adds below the first screen.
 */
#ifndef SLOWCOPY_REPORTS_TEXT_TABLES_H
#define SLOWCOPY_REPORTS_TEXT_TABLES_H

#include "reports/report.h"
#include "reports/table.h"

/* Rows of one table: more scroll away unread; --json has all. */
#define TEXT_ROWS_MAX 200
#define TEXT_CELLS_MAX 10

/** Tables: where they go and how. */
typedef struct Tables {
	GString *out;
	const ReportOptions *options;
	int columns;
} Tables;

/** text_row: a row of @table; makes every cell safe first. Ends with (const char *)NULL. */
void text_row(Tables *t, Table *table, ...) G_GNUC_NULL_TERMINATED;

/** text_table_end: prints @table under @title, nothing when it is empty; @rows there would be. */
void text_table_end(Tables *t, const char *title, Table *table, size_t rows);

/** text_sessions: text_sessions.c: what is known of each session, its set-up, requests and paths.
 */
void text_sessions(Tables *t, const Result *result);

/** text_ftp: there too: the phases of each file over FTP. */
void text_ftp(Tables *t, const Result *result);

/** text_tables: appends findings, fixes in order, copies and what changed in them, hosts,
 * connections, commands and stalls of @result to @out, each table cut to the terminal's width and
 * to 200 rows.
 */
void text_tables(const Result *result, const ReportOptions *options, GString *out);

#endif
