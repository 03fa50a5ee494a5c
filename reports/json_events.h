/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of `monitor`: one JSON object a line (NDJSON), each with event, schema, ts, sensor, run
 * and seq. What tables want as columns stands at the top. A transfer, finding, stall or limit
 * carries the object of the report under its own name.
 */
#ifndef SLOWCOPY_REPORTS_JSON_EVENTS_H
#define SLOWCOPY_REPORTS_JSON_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/analysis.h"
#include "reports/report.h"

#define EVENT_SCHEMA "slowcopy.event/1"

typedef struct EventWriter EventWriter;

/** EventSummary: of one interval. */
typedef struct EventSummary {
	int64_t interval_ns;
	uint64_t packets, bytes, connections; /* connections: at its end */
	uint64_t transfers, jobs, findings, file_bytes;
	int64_t transfer_ns;
	GHashTable *lost_ns; /* cause id (static) to int64_t *, may be NULL */
} EventSummary;

/**
 * event_writer_new: @path NULL is standard output; else a file lines are added to. NULL and @error
 * when it cannot be opened. @sensor names the machine; @run tells two runs apart, so that the ids
 * of transfers are unique together with it.
 */
EventWriter *event_writer_new(
	const char *path, const char *sensor, const ReportOptions *options, GError **error);

/** event_writer_run: sets the name of the run, its beginning in ns since the epoch. */
void event_writer_run(EventWriter *writer, int64_t start_ns);

/** EventFinding: @finding was told of; @line is its text. */
typedef void (*EventFinding)(
	void *user, const Result *result, const ResultFinding *finding, const char *line);

/** event_writer_on_finding: from now on @on_finding is called after each finding's line. */
void event_writer_on_finding(EventWriter *writer, EventFinding on_finding, void *user);

/** event_writer_reopen: the file was moved away: begins a new one of the same name. Standard output
 * stays. */
bool event_writer_reopen(EventWriter *writer, GError **error);

/** event_start: @source: the interface or files. event_stop: @reason. */
void event_start(EventWriter *writer, int64_t now_ns, const char *source);
void event_stop(EventWriter *writer, int64_t now_ns, const char *reason, uint64_t packets);

/** event_result: transfers, jobs, findings and stalls of an instalment; times are told absolute.
 * Limits are told when they grew. */
void event_result(EventWriter *writer, int64_t now_ns, const Result *result);

/** event_started: a transfer has begun; what its first packets tell. */
void event_started(EventWriter *writer, const OpenTransfer *transfer);

void event_summary(EventWriter *writer, int64_t now_ns, const EventSummary *summary);

/** EventDrops: packets that were not seen, since the last time. */
typedef struct EventDrops {
	const char *source; /* interface */
	int64_t interval_ns;
	uint64_t received, kernel,
		interface; /* dropped by the kernel for want of room, by the card */
} EventDrops;

void event_drops(EventWriter *writer, int64_t now_ns, const EventDrops *drops);

/** event_interface: @source went away, for @why, or came back (@why NULL). event_clock: the
 * machine's clock was set forward by @step_ns, back when negative. */
void event_interface(
	EventWriter *writer, int64_t now_ns, const char *source, bool is_up, const char *why);
void event_clock(EventWriter *writer, int64_t now_ns, int64_t step_ns);

/** EventSaved: packets around a finding that are kept. */
typedef struct EventSaved {
	const char *finding; /* its id */
	const char *const *files;
	size_t file_count;
	bool is_whole;   /* else packets are missing */
	const char *why; /* something could not be saved; NULL */
} EventSaved;

void event_saved(EventWriter *writer, int64_t now_ns, const EventSaved *saved);

/** event_loss: a limit line of the command's own: @count more of @limit, with that @effect. */
void event_loss(
	EventWriter *writer, int64_t now_ns, const char *limit, uint64_t count, const char *effect);

/** event_writer_lost: lines that could not be written; @ret_errno: why the last one could not. */
uint64_t event_writer_lost(const EventWriter *writer, int *ret_errno);

/** event_writer_free: NULL is allowed. */
void event_writer_free(EventWriter *writer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventWriter, event_writer_free)

#endif
