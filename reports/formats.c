/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of formats: a new format is one file and one line here.
 */
#include <string.h>

#include "reports/report.h"

extern const ReportFormat format_csv, format_html, format_json, format_json_lines, format_markdown,
	format_pcapng, format_text;

const ReportFormat *const report_formats[] = {
	&format_text,
	&format_json,
	&format_json_lines,
	&format_markdown,
	&format_html,
	&format_csv,
	&format_pcapng,
	NULL,
};

const ReportFormat *report_format_find(const char *name)
{
	for (size_t i = 0; report_formats[i]; i++) {
		if (strcmp(report_formats[i]->name, name) == 0)
			return report_formats[i];
	}
	return NULL;
}
