/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writing listener.
 */
#include "tests/tools/session_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void line(SessionLog *log, const char *format, ...)
{
	if (log->quiet)
		return;
	if (log->room - log->len < 512) {
		log->room = log->room ? log->room * 2 : 4096;
		log->text = realloc(log->text, log->room);
	}
	va_list list;
	va_start(list, format);
	int n = vsnprintf(log->text + log->len, 512, format, list);
	va_end(list);
	log->len += n < 511 ? (size_t)n : 511;
}

static bool is_open(const SessionLog *log, const FileRef *file)
{
	for (size_t i = 0; i < log->open_count; i++) {
		if (log->open[i] == file)
			return true;
	}
	return false;
}

static void broken(SessionLog *log, const char *error)
{
	if (!log->error)
		log->error = error;
}

static void check(SessionLog *log, const Operation *op)
{
	if (op->file && !is_open(log, op->file) && op->verb != VERB_OPEN &&
		!(op->flags & MESSAGE_RELATED) && op->protocol != MESSAGE_SMB1)
		broken(log, "an operation on a file that is not open");
	if (op->request_first_ns > op->request_last_ns)
		broken(log, "a request that ends before it begins");
	if (op->answered && op->reply_first_ns > op->reply_last_ns)
		broken(log, "an answer that ends before it begins");
	if (op->file && (!op->file->name || !op->file->share))
		broken(log, "a name that is NULL");
}

static const char *name_of(const Operation *op)
{
	return op->file ? op->file->name : "-";
}

static void on_request(void *user, const Operation *op)
{
	SessionLog *log = user;
	check(log, op);
	log->requests++;
	log->last_request = *op;
	line(log, "request %d class %d %s\n", op->verb, op->op_class, name_of(op));
}

static void on_interim(void *user, const Operation *op)
{
	SessionLog *log = user;
	check(log, op);
	log->interims++;
	line(log, "interim %d\n", op->verb);
}

static void on_reply(void *user, const Operation *op)
{
	SessionLog *log = user;
	check(log, op);
	log->replies++;
	log->unanswered += !op->answered;
	log->last_reply = *op;
	if (op->verb == VERB_READ)
		log->read_bytes += op->moved_bytes;
	if (op->verb == VERB_WRITE)
		log->written_bytes += op->moved_bytes;
	if (log->replies > log->requests)
		broken(log, "more answers than requests");
	if (op->answered)
		line(log, "reply %d moved %" PRIu64 " %s\n", op->verb, op->moved_bytes,
			name_of(op));
	else
		line(log, "unanswered %d\n", op->verb);
}

static void on_opened(void *user, FileRef *file)
{
	SessionLog *log = user;
	if (is_open(log, file))
		broken(log, "a file opened twice");
	if (log->open_count == SESSION_LOG_FILES)
		broken(log, "too many files open");
	else
		log->open[log->open_count++] = file;
	log->opened++;
	log->last_opened = file;
	file->user = log;
	line(log, "opened '%s' '%s'\n", file->share, file->name);
}

static void on_renamed(void *user, FileRef *file)
{
	SessionLog *log = user;
	if (!is_open(log, file))
		broken(log, "a file renamed that is not open");
	log->renamed++;
	line(log, "renamed '%s'\n", file->name);
}

static void on_closed(void *user, FileRef *file, int64_t now_ns)
{
	SessionLog *log = user;
	(void)now_ns;
	log->closed++;
	for (size_t i = 0; i < log->open_count; i++) {
		if (log->open[i] != file)
			continue;
		log->open[i] = log->open[--log->open_count];
		if (log->last_opened == file)
			log->last_opened = NULL;
		if (log->data_file == file)
			log->data_file = NULL;
		line(log, "closed '%s'\n", file->name);
		return;
	}
	broken(log, "a file closed that is not open");
}

static void on_data(
	void *user, const uint8_t addr[16], uint16_t port, bool client_connects, FileRef *file)
{
	SessionLog *log = user;
	/* of an encrypted control connection it opens with the first data */
	if (port != 0 && !is_open(log, file))
		broken(log, "a data connection of a file that is not open");
	log->data_file = file;
	log->data_port = port;
	log->data_client_connects = client_connects;
	log->data_calls++;
	line(log, "data %u.%u.%u.%u:%u %s\n", addr[12], addr[13], addr[14], addr[15], port,
		client_connects ? "passive" : "active");
}

const SessionOps session_log_ops = {
	.request = on_request,
	.interim = on_interim,
	.reply = on_reply,
	.file_opened = on_opened,
	.file_renamed = on_renamed,
	.file_closed = on_closed,
	.ftp_data = on_data,
};

const char *session_log_take(SessionLog *log)
{
	if (!log->text)
		return "";
	log->text[log->len] = '\0';
	log->len = 0;
	return log->text;
}

void session_log_clear(SessionLog *log)
{
	free(log->text);
	*log = (SessionLog){0};
}
