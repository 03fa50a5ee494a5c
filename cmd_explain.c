/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy explain`: what a cause is, from the same descriptor that the analysis uses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "cmd.h"
#include "reports/guide.h"

static void print_list(void)
{
	for (const Cause *const *c = cause_table; *c; c++)
		printf("%-30s %s\n", (*c)->id, (*c)->title);
}

static int unknown_cause(const char *name)
{
	const Cause *nearest = guide_nearest(name);
	if (nearest)
		return cmd_fail(EXIT_USAGE,
			"unknown cause '%s'; did you mean '%s'? slowcopy explain lists all", name,
			nearest->id);
	return cmd_fail(EXIT_USAGE, "unknown cause '%s'; slowcopy explain lists them", name);
}

int cmd_explain(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	if (argc > 2)
		return cmd_fail(EXIT_USAGE, "explain takes one cause; see slowcopy explain --help");
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		puts("Usage: slowcopy explain [CAUSE]\n\nExplains a cause: how it is recognised, "
		     "what "
		     "looks like it, what may help,\nand the test that settles it. Without one, "
		     "lists "
		     "all.\n\n  --markdown     all causes as one page of Markdown");
	} else if (argc == 1) {
		print_list();
	} else if (strcmp(word, "--markdown") == 0) {
		guide_print_pages(stdout);
	} else {
		const Cause *cause = cause_find(word);
		if (!cause)
			return unknown_cause(word);
		guide_print(stdout, cause);
	}
	return fflush(stdout) == 0 || errno == EPIPE ? EXIT_DONE : EXIT_REPORT;
}
