/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of events: see json_events.h. A line is written whole or, as far as the file can be cut
 * again, not at all, and is out of the program at once: a kill loses nothing that was told.
 */
#include "reports/json_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/json_parts.h"
#include "reports/wording.h"

struct EventWriter {
	int fd;
	char *path, *sensor, *run;
	const ReportOptions *options;
	GHashTable *limits; /* name (static) to uint64_t *: told so far */
	uint64_t lines;     /* of this run, with those lost */
	uint64_t lost;
	int lost_errno;
	EventFinding on_finding;
	void *on_finding_user;
};

static int open_output(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
}

static EventWriter *open_failed(const char *path, GError **error)
{
	g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "%s: %s", path, g_strerror(errno));
	return NULL;
}

EventWriter *event_writer_new(
	const char *path, const char *sensor, const ReportOptions *options, GError **error)
{
	int fd = path ? open_output(path) : STDOUT_FILENO;
	if (fd < 0)
		return open_failed(path, error);
	EventWriter *writer = g_new0(EventWriter, 1);
	writer->fd = fd;
	writer->path = g_strdup(path);
	writer->sensor = g_utf8_make_valid(sensor, -1);
	writer->run = g_strdup("0");
	writer->options = options;
	writer->limits = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	return writer;
}

void event_writer_run(EventWriter *writer, int64_t start_ns)
{
	g_free(writer->run);
	writer->run = g_strdup_printf("%" G_GINT64_FORMAT, start_ns);
	writer->lines = 0;
	g_hash_table_remove_all(writer->limits);
}

void event_writer_on_finding(EventWriter *writer, EventFinding on_finding, void *user)
{
	writer->on_finding = on_finding;
	writer->on_finding_user = user;
}

bool event_writer_reopen(EventWriter *writer, GError **error)
{
	if (!writer->path)
		return true;
	int fd = open_output(writer->path);
	if (fd < 0) {
		open_failed(writer->path, error);
		return false;
	}
	close(writer->fd);
	writer->fd = fd;
	return true;
}

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

static json_t *count_json(uint64_t count)
{
	return json_integer(count > INT64_MAX ? INT64_MAX : (json_int_t)count);
}

static json_t *event_begin(EventWriter *writer, const char *event, int64_t ns)
{
	json_t *line = json_object();
	put(line, "event", json_string(event));
	put(line, "schema", json_string(EVENT_SCHEMA));
	put(line, "ts", json_part_time(ns));
	put(line, "sensor", json_string(writer->sensor));
	put(line, "run", json_string(writer->run));
	put(line, "seq", count_json(++writer->lines));
	return line;
}

/* What a line is of, the same whenever the same packets are analysed: sensor, run and number. */
static void put_id(const EventWriter *writer, json_t *line, const char *id)
{
	g_autofree char *text = g_strdup_printf("%s:%s:%s", writer->sensor, writer->run, id);
	put(line, "id", json_string(text));
}

/* Whether all of it was written; errno tells why not. */
static bool write_whole(int fd, const char *text, size_t len)
{
	struct stat about;
	bool is_file = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
	size_t done = 0;
	while (done < len) {
		ssize_t n = write(fd, text + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int why = n < 0 ? errno : ENOSPC;
			/* half a line would spoil the next one */
			if (is_file && done > 0 && ftruncate(fd, about.st_size) != 0)
				why = errno;
			errno = why;
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

/* Writes @line. Returns its text, newline and all; the caller frees it. */
static char *event_end(EventWriter *writer, json_t *line)
{
	char *text = json_dumps(line, JSON_PARTS_DUMP);
	json_decref(line);
	size_t len = text ? strlen(text) : 0;
	char *whole = text ? realloc(text, len + 2) : NULL;
	if (whole) {
		memcpy(whole + len, "\n", 2);
		text = whole;
	}
	if (!whole || !write_whole(writer->fd, whole, len + 1)) {
		writer->lost_errno = whole ? errno : ENOMEM;
		writer->lost++;
	}
	return text;
}

void event_start(EventWriter *writer, int64_t now_ns, const char *source)
{
	json_t *line = event_begin(writer, "start", now_ns);
	put(line, "version", json_part_text(writer->options->version));
	put(line, "source", json_part_text(source));
	free(event_end(writer, line));
}

void event_stop(EventWriter *writer, int64_t now_ns, const char *reason, uint64_t packets)
{
	json_t *line = event_begin(writer, "stop", now_ns);
	put(line, "reason", json_part_text(reason));
	put(line, "packets", count_json(packets));
	put(line, "lines_lost", count_json(writer->lost));
	free(event_end(writer, line));
}

static void put_ends(const EventWriter *writer, json_t *line, const ResultEndpoint *client,
	const ResultEndpoint *server)
{
	UnitText room;
	put(line, "client", json_part_text(wording_endpoint(writer->options, client).text));
	put(line, "server", json_part_text(wording_endpoint(writer->options, server).text));
	put(line, "client_host",
		json_part_text(wording_host(writer->options, client->addr, &room)));
	put(line, "server_host",
		json_part_text(wording_host(writer->options, server->addr, &room)));
}

void event_started(EventWriter *writer, const OpenTransfer *t)
{
	json_t *line = event_begin(writer, "started", t->start_ns);
	put_ends(writer, line, &t->client, &t->server);
	put(line, "protocol", json_part_text(t->protocol));
	put(line, "direction", json_string(t->is_write ? "write" : "read"));
	put(line, "share", json_part_text(t->share));
	put(line, "file", json_part_text(t->file));
	free(event_end(writer, line));
}

/* Members that tables have as columns, beside the object of the report. */
static void put_transfer_columns(const EventWriter *writer, json_t *line, const ResultTransfer *t)
{
	put(line, "transfer_id", json_part_text(t->id));
	put_ends(writer, line, &t->client, &t->server);
	put(line, "protocol", json_part_text(t->protocol));
	put(line, "direction", json_string(t->is_write ? "write" : "read"));
	put(line, "share", json_part_text(t->share));
	put(line, "file", json_part_text(t->file));
	put(line, "is_job", json_boolean(t->is_job));
	put(line, "bytes", count_json(t->bytes));
	put(line, "duration_ns", json_integer(t->duration_ns));
}

static void write_transfer(EventWriter *writer, const Result *result, const ResultTransfer *t)
{
	int64_t end = result->capture.first_packet_ns + t->start_ns + t->duration_ns;
	json_t *line = event_begin(writer, "transfer", end), *causes = json_array();
	size_t order[BUCKET_COUNT];
	put_id(writer, line, t->id);
	put(line, "start", json_part_time(result->capture.first_packet_ns + t->start_ns));
	put_transfer_columns(writer, line, t);
	put(line, "most_time",
		wording_budget_order(t, order) > 0 ? json_string(bucket_id((Bucket)order[0]))
						   : json_null());
	for (size_t i = 0; i < t->finding_count; i++)
		json_array_append_new(
			causes, json_part_text(result->findings[t->findings[i]].cause));
	put(line, "causes", causes);
	put(line, "transfer", json_part_transfer(result, writer->options, t));
	free(event_end(writer, line));
}

static void write_finding(EventWriter *writer, const Result *result, const ResultFinding *f)
{
	const ResultTransfer *t = result_transfer(result, f->transfer);
	int64_t end = result->capture.first_packet_ns;
	if (t)
		end += t->start_ns + t->duration_ns;
	json_t *line = event_begin(writer, "finding", end);
	put_id(writer, line, f->id);
	if (t)
		put_transfer_columns(writer, line, t);
	else
		put(line, "transfer_id", json_null());
	put(line, "cause", json_part_text(f->cause));
	put(line, "severity", json_string(wording_severity(f->severity)));
	put(line, "confidence", json_string(wording_confidence(f->confidence)));
	put(line, "lost_ns", json_integer(f->lost_ns));
	put(line, "finding", json_part_finding(f));
	char *text = event_end(writer, line);
	if (text && writer->on_finding)
		writer->on_finding(writer->on_finding_user, result, f, text);
	free(text);
}

static void write_limits(EventWriter *writer, int64_t now_ns, const Result *result)
{
	for (size_t i = 0; i < result->limit_count; i++) {
		ResultLimit limit = result->limits[i];
		uint64_t *told = g_hash_table_lookup(writer->limits, limit.limit);
		if (!told) {
			told = g_new0(uint64_t, 1);
			g_hash_table_insert(writer->limits, (gpointer)(uintptr_t)limit.limit, told);
		}
		if (limit.count <= *told)
			continue;
		limit.count -= *told;
		*told += limit.count;
		json_t *line = event_begin(writer, "limit", now_ns);
		put(line, "limit", json_part_limit(&limit));
		free(event_end(writer, line));
	}
}

void event_result(EventWriter *writer, int64_t now_ns, const Result *result)
{
	for (size_t i = 0; i < result->transfer_count; i++)
		write_transfer(writer, result, &result->transfers[i]);
	for (size_t i = 0; i < result->job_count; i++)
		write_transfer(writer, result, &result->jobs[i]);
	for (size_t i = 0; i < result->finding_count; i++)
		write_finding(writer, result, &result->findings[i]);
	for (size_t i = 0; i < result->stall_count; i++) {
		const ResultStall *s = &result->stalls[i];
		json_t *line = event_begin(writer, "stall",
			result->capture.first_packet_ns + s->start_ns + s->duration_ns);
		put(line, "stall", json_part_stall(s));
		free(event_end(writer, line));
	}
	write_limits(writer, now_ns, result);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

void event_summary(EventWriter *writer, int64_t now_ns, const EventSummary *s)
{
	json_t *line = event_begin(writer, "summary", now_ns), *causes = json_object();
	put(line, "interval_ns", json_integer(s->interval_ns));
	put(line, "packets", count_json(s->packets));
	put(line, "bytes", count_json(s->bytes));
	put(line, "connections", count_json(s->connections));
	put(line, "transfers", count_json(s->transfers));
	put(line, "jobs", count_json(s->jobs));
	put(line, "findings", count_json(s->findings));
	put(line, "file_bytes", count_json(s->file_bytes));
	put(line, "transfer_ns", json_integer(s->transfer_ns));
	g_autoptr(GList) names = s->lost_ns ? g_hash_table_get_keys(s->lost_ns) : NULL;
	names = g_list_sort(names, by_name);
	for (const GList *l = names; l; l = l->next)
		put(causes, l->data,
			json_integer(*(const int64_t *)g_hash_table_lookup(s->lost_ns, l->data)));
	put(line, "lost_ns_by_cause", causes);
	free(event_end(writer, line));
}

void event_drops(EventWriter *writer, int64_t now_ns, const EventDrops *drops)
{
	json_t *line = event_begin(writer, "drops", now_ns);
	put(line, "source", json_part_text(drops->source));
	put(line, "interval_ns", json_integer(drops->interval_ns));
	put(line, "received", count_json(drops->received));
	put(line, "kernel", count_json(drops->kernel));
	put(line, "interface", count_json(drops->interface));
	free(event_end(writer, line));
}

void event_interface(
	EventWriter *writer, int64_t now_ns, const char *source, bool is_up, const char *why)
{
	json_t *line = event_begin(writer, "interface", now_ns);
	put(line, "source", json_part_text(source));
	put(line, "state", json_string(is_up ? "back" : "gone"));
	put(line, "why", json_part_text(why));
	free(event_end(writer, line));
}

void event_clock(EventWriter *writer, int64_t now_ns, int64_t step_ns)
{
	json_t *line = event_begin(writer, "clock", now_ns);
	put(line, "step_ns", json_integer(step_ns));
	free(event_end(writer, line));
}

void event_saved(EventWriter *writer, int64_t now_ns, const EventSaved *saved)
{
	json_t *line = event_begin(writer, "saved", now_ns), *files = json_array();
	put(line, "finding_id", json_part_text(saved->finding));
	for (size_t i = 0; i < saved->file_count; i++)
		json_array_append_new(files, json_part_text(saved->files[i]));
	put(line, "files", files);
	put(line, "is_whole", json_boolean(saved->is_whole));
	put(line, "why", json_part_text(saved->why));
	free(event_end(writer, line));
}

void event_loss(
	EventWriter *writer, int64_t now_ns, const char *limit, uint64_t count, const char *effect)
{
	const ResultLimit part = {limit, count, effect};
	json_t *line = event_begin(writer, "limit", now_ns);
	put(line, "limit", json_part_limit(&part));
	free(event_end(writer, line));
}

uint64_t event_writer_lost(const EventWriter *writer, int *ret_errno)
{
	*ret_errno = writer->lost_errno;
	return writer->lost;
}

void event_writer_free(EventWriter *writer)
{
	if (!writer)
		return;
	if (writer->path)
		close(writer->fd);
	g_free(writer->path);
	g_free(writer->sensor);
	g_free(writer->run);
	g_hash_table_unref(writer->limits);
	g_free(writer);
}
