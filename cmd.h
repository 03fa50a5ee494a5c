/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command of slowcopy. To add one: write cmd_<name>.c, declare it here, add a line to the table
 * in slowcopy.c.
 */
#ifndef SLOWCOPY_CMD_H
#define SLOWCOPY_CMD_H

#include <signal.h>
#include <stdbool.h>

#include "analyzer/analysis.h"
#include "analyzer/capture/reader.h"
#include "analyzer/result.h"

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
int cmd_compare(int argc, char **argv);

/** cmd_parse_size: "256M", "1G", "65536" with @kilo 1024: bytes; "100M" with 1000: a speed. False
 * when it is no number above 0. */
bool cmd_parse_size(const char *text, double kilo, double *ret);

/** cmd_parse_severity: "info" to "critical" as a Severity. */
bool cmd_parse_severity(const char *text, int *ret);

/** cmd_wants_color: @when is "always", "never", or NULL and anything else for what the terminal and
 * the environment say. */
bool cmd_wants_color(const char *when);

/** cmd_terminal_columns: width of the terminal on standard output, 80 when it is none. */
int cmd_terminal_columns(void);

/** cmd_line: the command as the user typed it, keys left out. The caller frees it. */
char *cmd_line(int argc, char **argv);

/** cmd_catch_interrupts: from now on Ctrl-C and SIGTERM set cmd_interrupted. */
void cmd_catch_interrupts(void);
extern volatile sig_atomic_t cmd_interrupted;

/** cmd_read_all: reads until the end or an interrupt, with a bar on a terminal. Returns whether it
 * came to the end. */
bool cmd_read_all(Reader *reader, Analysis *analysis);

/** cmd_warn_of_damage: a line on standard error for each input that was read only in part. */
void cmd_warn_of_damage(const Result *result);

/** cmd_fail: one line on standard error, "slowcopy: …"; returns @status. */
int cmd_fail(ExitStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
