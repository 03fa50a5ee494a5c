/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy explain`: what a cause is, from the same descriptor that the analysis uses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "analyzer/causes/cause.h"
#include "cmd.h"

/* Lines of a terminal that is not asked for its width. */
#define WIDTH 80

static void print_wrapped(const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	size_t column = 0;
	for (char **w = words; *w; w++) {
		size_t length = strlen(*w);
		if (column > 0 && column + 1 + length > WIDTH) {
			putchar('\n');
			column = 0;
		}
		printf("%s%s", column ? " " : "", *w);
		column += length + (column ? 1 : 0);
	}
	putchar('\n');
}

static void print_cause(const Cause *cause)
{
	printf("%s: %s\n\n", cause->id, cause->title);
	print_wrapped(cause->explanation);
	printf("\nSource: %s\n", cause->source);
}

static void print_list(void)
{
	for (const Cause *const *c = cause_table; *c; c++)
		printf("%-28s %s\n", (*c)->id, (*c)->title);
}

int cmd_explain(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		puts("Usage: slowcopy explain [CAUSE]\n\nExplains a cause; without one, lists "
		     "all.");
	} else if (argc == 1) {
		print_list();
	} else {
		const Cause *cause = argc == 2 ? cause_find(argv[1]) : NULL;
		if (!cause)
			return cmd_fail(EXIT_USAGE,
				"unknown cause '%s'; slowcopy explain lists them", argv[1]);
		print_cause(cause);
	}
	return fflush(stdout) == 0 || errno == EPIPE ? EXIT_DONE : EXIT_REPORT;
}
