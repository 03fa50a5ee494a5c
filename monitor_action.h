/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `--on-finding exec:CMD`: a process of its own, begun before the monitor gives up its rights, runs
 * the command; the monitor itself never can. The command has no privileges, gets the finding's line
 * on standard input, and what slowcopy itself named in its environment: nothing of a capture is
 * ever part of a command line.
 */
#ifndef SLOWCOPY_MONITOR_ACTION_H
#define SLOWCOPY_MONITOR_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/* A command may take this long, then it is killed; the next one waits for it. */
#define ACTION_SECONDS 60

typedef struct Action Action;

/** action_start: @command is cut into words as a shell would (no shell runs it); it runs as @user
 * when this program is root. NULL and @error when it is no command. The caller frees with
 * action_free(). */
Action *action_start(const char *command, const char *user, GError **error);

/** action_run: runs it once. @environment: NAME=VALUE, NULL-terminated; @input: for its standard
 * input. Never waits: false when too many are waiting already or @input is too long, which is
 * counted. */
bool action_run(Action *action, const char *const *environment, const char *input);

/** action_missed: how often action_run was false. */
uint64_t action_missed(const Action *action);

/** action_free: what was asked for is still run, by the process that is left alone. NULL is
 * allowed.
 */
void action_free(Action *action);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Action, action_free)

#endif
