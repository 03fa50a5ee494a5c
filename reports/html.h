/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of the HTML report share: escaped printing and tables. Only format_html.c and
 * html_*.c include it.
 */
#ifndef SLOWCOPY_REPORTS_HTML_H
#define SLOWCOPY_REPORTS_HTML_H

#include "reports/report.h"

/* Copies with graphs: the verdict's first, then those with findings, then the largest. With the
 * caps of html_json.c they stay below 0.7 MB. */
#define HTML_COPIES_WITH_GRAPHS 12

/** HtmlPage: one report being written. */
typedef struct HtmlPage {
	FILE *out;
	const Result *result;
	const ReportOptions *options;
	const ResultTransfer *graphed[HTML_COPIES_WITH_GRAPHS];
	size_t graphed_count;
} HtmlPage;

/** html_text: prints text, cut to 400 columns, escaped. NULL prints nothing. */
void html_text(const HtmlPage *page, const char *text);

/** html_prose: the same for a sentence of ours: what stands between two backticks is a command. */
void html_prose(const HtmlPage *page, const char *text);

/** html_side: class of a bucket's colour: "s-client". Static. */
const char *html_side(Bucket bucket);

/* Tones of one colour. */
#define HTML_TONES 4

/** html_tone: 0 to HTML_TONES - 1, so that buckets of one colour can be told apart. */
int html_tone(Bucket bucket);

/** html_choose_graphs: fills page->graphed. */
void html_choose_graphs(HtmlPage *page);

/** html_data: the numbers of the graphs as JSON that is safe inside a script element. */
void html_data(const HtmlPage *page);

/* Rows of a table: what a person still reads. The JSON has all. */
#define HTML_ROWS_MAX 100

/** html_text_cell, html_name_cell: a cell of words, of a file's name. html_number_cell: @text,
 * sorted as @value. */
void html_text_cell(const HtmlPage *page, const char *text);
void html_name_cell(const HtmlPage *page, const char *name);
void html_number_cell(const HtmlPage *page, const char *text, double value);

/** html_table_begin: a table with its caption; heads end with NULL, a "#" in front means numbers.
 * html_table_end: its end. */
void html_table_begin(
	const HtmlPage *page, const char *title, size_t count, ...) G_GNUC_NULL_TERMINATED;
void html_table_end(const HtmlPage *page);

/** html_sessions: html_sessions.c: tables of each session's set-up, requests and paths. */
void html_sessions(const HtmlPage *page);

/** html_findings, html_tables: the sections of that name. */
void html_findings(const HtmlPage *page);
void html_tables(const HtmlPage *page);

#endif
