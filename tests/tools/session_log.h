/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A listener of sessions that writes down what it is told, one line a call, and checks what every
 * listener may rely on: files are opened before they are used and never seen again once closed,
 * every request is answered once, times do not run backwards.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_SESSION_LOG_H
#define SLOWCOPY_TESTS_TOOLS_SESSION_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/session.h"

#define SESSION_LOG_FILES 4096

typedef struct SessionLog {
	char *text; /* lines; heap */
	size_t len, room;
	bool quiet; /* count and check only */
	const FileRef *open[SESSION_LOG_FILES];
	size_t open_count;
	uint64_t requests, replies, unanswered, opened, closed, renamed, interims;
	uint64_t read_bytes, written_bytes;
	Operation last_request, last_reply;
	const FileRef *last_opened; /* until it is closed */
	FileRef *data_file;         /* of the last ftp_data, until it is closed */
	uint16_t data_port;
	bool data_client_connects;
	unsigned data_calls;
	const char *error; /* first broken promise, NULL none */
} SessionLog;

/** session_log_ops: to be given to session_new() with a zeroed SessionLog as user. */
extern const SessionOps session_log_ops;

/** session_log_take: the lines since the last call; valid until the next call on @log. */
const char *session_log_take(SessionLog *log);

/** session_log_clear: frees and zeroes. */
void session_log_clear(SessionLog *log);

#endif
