/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables that `-v` adds below the first screen.
 */
#ifndef SLOWCOPY_REPORTS_TEXT_TABLES_H
#define SLOWCOPY_REPORTS_TEXT_TABLES_H

#include "reports/report.h"

/** text_tables: appends copies, findings, connections, commands and stalls of @result to @out, each
 * table cut to the terminal's width and to 200 rows. */
void text_tables(const Result *result, const ReportOptions *options, GString *out);

#endif
