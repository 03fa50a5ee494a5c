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

/** html_side: class of a bucket's colour: "s-client". Static. */
const char *html_side(Bucket bucket);

/** html_choose_graphs: fills page->graphed. */
void html_choose_graphs(HtmlPage *page);

/** html_data: the numbers of the graphs as JSON that is safe inside a script element. */
void html_data(const HtmlPage *page);

/** html_findings, html_tables: the sections of that name. */
void html_findings(const HtmlPage *page);
void html_tables(const HtmlPage *page);

#endif
