/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs commands for `monitor`: see monitor_action.h. A message is the environment, each ended by a
 * zero byte, an empty one, then the input; the order of a socket of packets keeps them whole.
 */
#include "monitor_action.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pipe holds so much without anybody reading (pipe(7)), so that writing never waits. */
#define MESSAGE_MAX 65536
/* Messages waiting: together what a socket's buffer is allowed by default and a little more. */
#define SEND_BUFFER (1024 * 1024)
#define VARIABLES_MAX 32
#define POLL_US 20000

struct Action {
	int fd;
	uint64_t missed;
};

/* ---- in the process that runs commands */

static void become(const struct passwd *entry)
{
	bool is_done =
		setgroups(0, NULL) == 0 && setgid(entry->pw_gid) == 0 && setuid(entry->pw_uid) == 0;
	if (!is_done)
		_exit(1);
}

static void run_child(char **words, char **variables, int input)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE};
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		signal(signals[i], SIG_DFL);
	setpgid(0, 0);
	dup2(input, STDIN_FILENO);
	/* standard output may be where the lines go */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (char **v = variables; *v; v++)
		putenv(*v);
	execvp(words[0], words);
	fprintf(stderr, "slowcopy: %s: %s\n", words[0], g_strerror(errno));
	_exit(127);
}

static void wait_child(pid_t child)
{
	gint64 end = g_get_monotonic_time() + ACTION_SECONDS * G_USEC_PER_SEC;
	int status;
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (g_get_monotonic_time() > end) {
			kill(-child, SIGKILL);
			kill(child, SIGKILL);
			fprintf(stderr,
				"slowcopy: the command took more than %d s and was killed\n",
				ACTION_SECONDS);
			waitpid(child, &status, 0);
			return;
		}
		g_usleep(POLL_US);
	}
}

static void run_message(char **words, char *message, size_t len)
{
	char *variables[VARIABLES_MAX + 1], *at = message, *end = message + len;
	size_t count = 0;
	while (at < end && *at && count < VARIABLES_MAX) {
		variables[count++] = at;
		at += strlen(at) + 1;
	}
	variables[count] = NULL;
	at++;
	int ends[2];
	if (at > end || pipe2(ends, O_CLOEXEC) != 0)
		return;
	ssize_t written = write(ends[1], at, (size_t)(end - at));
	(void)written;
	pid_t child = fork();
	if (child == 0)
		run_child(words, variables, ends[0]);
	close(ends[0]);
	close(ends[1]);
	if (child > 0)
		wait_child(child);
}

static _Noreturn void serve(int fd, char **words, const struct passwd *entry)
{
	static char message[MESSAGE_MAX + 1];
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	/* an output that is moved away must not live on here */
	close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	/* it ends when the monitor does, not before */
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		signal(signals[i], SIG_IGN);
	if (entry)
		become(entry);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_NAME, "slowcopy-action");
	for (;;) {
		ssize_t len = recv(fd, message, MESSAGE_MAX, 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			_exit(0);
		message[len] = '\0';
		run_message(words, message, (size_t)len);
	}
}

/* ---- in the monitor */

static Action *start_failed(const char *command, int why, GError **error)
{
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why), "--on-finding exec:%s: %s",
		command, g_strerror(why));
	return NULL;
}

Action *action_start(const char *command, const char *user, GError **error)
{
	g_auto(GStrv) words = NULL;
	if (!g_shell_parse_argv(command, NULL, &words, error))
		return NULL;
	g_autofree char *found = g_find_program_in_path(words[0]);
	if (!found)
		return start_failed(command, ENOENT, error);
	const struct passwd *entry = geteuid() == 0 ? getpwnam(user) : NULL;
	if (geteuid() == 0 && !entry)
		return start_failed(command, EINVAL, error);
	int ends[2], room = SEND_BUFFER;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return start_failed(command, errno, error);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	fflush(NULL);
	pid_t process = fork();
	if (process == 0) {
		close(ends[0]);
		serve(ends[1], words, entry);
	}
	int why = errno;
	close(ends[1]);
	if (process < 0) {
		close(ends[0]);
		return start_failed(command, why, error);
	}
	Action *action = g_new0(Action, 1);
	action->fd = ends[0];
	return action;
}

bool action_run(Action *action, const char *const *environment, const char *input)
{
	g_autoptr(GString) message = g_string_new(NULL);
	for (const char *const *e = environment; *e; e++)
		g_string_append_len(message, *e, (gssize)strlen(*e) + 1);
	g_string_append_c(message, '\0');
	g_string_append(message, input);
	bool is_sent = message->len <= MESSAGE_MAX &&
		       send(action->fd, message->str, message->len, MSG_DONTWAIT | MSG_NOSIGNAL) ==
			       (ssize_t)message->len;
	action->missed += !is_sent;
	return is_sent;
}

uint64_t action_missed(const Action *action)
{
	return action->missed;
}

void action_free(Action *action)
{
	if (!action)
		return;
	close(action->fd);
	g_free(action);
}
