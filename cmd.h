/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command of slowcopy. To add one: write cmd_<name>.c, declare it here, add a line to the table
 * in slowcopy.c.
 */
#ifndef SLOWCOPY_CMD_H
#define SLOWCOPY_CMD_H

#include <stdbool.h>

/** Exit status, the same for all commands. */
typedef enum ExitStatus {
	EXIT_DONE = 0,
	EXIT_FOUND = 1, /* only with --fail-on: a finding at or above it */
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,  /* an input could not be read, or only in part */
	EXIT_REPORT = 4, /* the report could not be written */
} ExitStatus;

/** Command: @argv[0] is the command's own name. */
typedef struct Command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} Command;

int cmd_analyze(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_capture_help(int argc, char **argv);
int cmd_monitor(int argc, char **argv);

/** cmd_parse_size: "256M", "1G", "65536" with @kilo 1024: bytes; "100M" with 1000: a speed. False
 * when it is no number above 0. */
bool cmd_parse_size(const char *text, double kilo, double *ret);

/** cmd_fail: one line on standard error, "slowcopy: …"; returns @status. */
int cmd_fail(ExitStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
