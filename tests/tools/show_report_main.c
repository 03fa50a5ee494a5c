/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a report of a sample Result: `show_report SAMPLE FORMAT [redact] [-q|-v] [COLUMNS]` on
 * standard output. For looking at formats, and for the checks of validators that are programs.
 */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report.h"
#include "tests/tools/sample_result.h"

int main(int argc, char **argv)
{
	ReportOptions options = {.version = "0.1.0", .unicode = true, .command_line = "slowcopy"};
	const Result *result = argc > 2 ? sample_result(argv[1]) : NULL;
	const ReportFormat *format = argc > 2 ? report_format_find(argv[2]) : NULL;
	g_autoptr(GError) error = NULL;

	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	if (!result || !format) {
		fprintf(stderr, "usage: show_report SAMPLE FORMAT [WORD...]\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "redact") == 0)
			options.redact = true;
		else if (strcmp(argv[i], "color") == 0)
			options.color = true;
		else if (strcmp(argv[i], "ascii") == 0)
			options.unicode = false;
		else if (strcmp(argv[i], "-v") == 0)
			options.verbosity = 1;
		else if (strcmp(argv[i], "-q") == 0)
			options.verbosity = -1;
		else
			options.columns = atoi(argv[i]);
	}
	if (!report_write_stdout(format, result, &options, &error)) {
		fprintf(stderr, "%s\n", error->message);
		return 4;
	}
	return 0;
}
