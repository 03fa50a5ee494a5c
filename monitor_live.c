/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop of `monitor`: see monitor_live.h.
 */
#include "monitor_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "monitor_system.h"
#include "reports/wording.h"

#define NS_PER_S INT64_C(1000000000)
/* How often what has finished is asked for, in capture time. */
#define TAKE_EVERY_NS NS_PER_S

/* Transfers under way that are looked through for new ones. */
#define STARTED_MAX 4096
/* While it waits the table goes on. */
#define LONGEST_NAP_US 50000

volatile sig_atomic_t monitor_wants_stop;
static volatile sig_atomic_t wants_reopen, wants_summary;

static void on_signal(int number)
{
	if (number == SIGHUP)
		wants_reopen = 1;
	else if (number == SIGUSR1)
		wants_summary = 1;
	else
		monitor_wants_stop = 1;
}

void monitor_handle_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaction(signals[i], &action, NULL);
}

static int64_t clock_ns(void)
{
	return g_get_real_time() * 1000;
}

/* Capture time in a replay, the clock of the packets' own machine otherwise. */
static int64_t now_ns(const Monitor *m)
{
	return m->reader ? analysis_counts(m->analysis).last_ns : clock_ns();
}

/* ---- telling */

static void count_lost(Monitor *m, const ResultFinding *f)
{
	if (f->severity == SEVERITY_INFO)
		return;
	int64_t *ns = g_hash_table_lookup(m->summary.lost_ns, f->cause);
	if (!ns) {
		ns = g_new0(int64_t, 1);
		g_hash_table_insert(m->summary.lost_ns, (gpointer)(uintptr_t)f->cause, ns);
	}
	*ns += f->lost_ns;
}

static void save_packets(
	Monitor *m, const Result *result, const ResultFinding *f, PacketRingSaved *saved)
{
	const ResultTransfer *t = result_transfer(result, f->transfer);
	int64_t to = now_ns(m), from = to - m->options->keep_ns;
	if (t) {
		from = result->capture.first_packet_ns + t->start_ns;
		to = from + t->duration_ns;
	}
	packet_ring_save(m->ring, from, to, saved);
	EventSaved event = {.finding = f->id,
		.files = (const char *const *)saved->paths->pdata,
		.file_count = saved->paths->len,
		.is_whole = saved->is_whole,
		.why = saved->why ? g_strerror(saved->why) : NULL};
	event_saved(m->events, now_ns(m), &event);
}

static char *variable(const char *name, const char *value)
{
	return g_strdup_printf("SLOWCOPY_%s=%s", name, value ? value : "");
}

static void run_command(
	Monitor *m, const ResultFinding *f, const char *line, const GPtrArray *saved)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) files = g_string_new(NULL);
	for (guint i = 0; saved && i < saved->len; i++)
		g_string_append_printf(files, "%s%s", i ? "\n" : "", (char *)saved->pdata[i]);
	/* names and texts of slowcopy's own alone: what comes from packets is in the line */
	g_ptr_array_add(all, variable("SENSOR", m->sensor));
	g_ptr_array_add(all, variable("FINDING", f->id));
	g_ptr_array_add(all, variable("CAUSE", f->cause));
	g_ptr_array_add(all, variable("SEVERITY", wording_severity(f->severity)));
	g_ptr_array_add(all, variable("CONFIDENCE", wording_confidence(f->confidence)));
	g_ptr_array_add(
		all, g_strdup_printf("SLOWCOPY_LOST_SECONDS=%.3f", (double)f->lost_ns / 1e9));
	g_ptr_array_add(all, variable("FILES", files->str));
	g_ptr_array_add(all, NULL);
	action_run(m->action, (const char *const *)all->pdata, line);
}

static void on_finding(
	void *user, const Result *result, const ResultFinding *finding, const char *line)
{
	Monitor *m = user;
	PacketRingSaved saved = {0};
	if (finding->severity == SEVERITY_INFO)
		return;
	if (m->ring && m->options->saves)
		save_packets(m, result, finding, &saved);
	if (m->action)
		run_command(m, finding, line, saved.paths);
	if (saved.paths)
		g_ptr_array_unref(saved.paths);
}

static void tell(Monitor *m, Result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->transfer_count; i++) {
		m->summary.file_bytes += result->transfers[i].bytes;
		m->summary.transfer_ns += result->transfers[i].duration_ns;
	}
	for (size_t i = 0; i < result->finding_count; i++)
		count_lost(m, &result->findings[i]);
	event_result(m->events, now_ns(m), result);
	if (m->table)
		live_table_result(m->table, result);
	metrics_add(m->metrics, &m->report, result);
	result_free(result);
}

static int by_serial(const void *a, const void *b)
{
	const OpenTransfer *x = a, *y = b;
	return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Transfers that have begun and moved something; shorter ones than a turn are told of once. */
static void tell_started(Monitor *m)
{
	static OpenTransfer open[STARTED_MAX];
	size_t count = analysis_open_transfers(m->analysis, open, STARTED_MAX);
	uint64_t last = m->started_told;
	qsort(open, count, sizeof(*open), by_serial);
	for (size_t i = 0; i < count; i++) {
		if (open[i].serial <= m->started_told)
			continue;
		event_started(m->events, &open[i]);
		last = open[i].serial;
	}
	m->started_told = last;
}

static void tell_summary(Monitor *m)
{
	AnalysisCounts c = analysis_counts(m->analysis);
	EventSummary *s = &m->summary;
	int64_t now = now_ns(m);
	s->interval_ns = now - m->summary_ns;
	s->packets = c.packets - m->at_summary.packets;
	s->bytes = c.bytes - m->at_summary.bytes;
	s->connections = c.connections;
	s->transfers = c.transfers - m->at_summary.transfers;
	s->jobs = c.jobs - m->at_summary.jobs;
	s->findings = c.findings - m->at_summary.findings;
	event_summary(m->events, now, s);
	g_hash_table_remove_all(s->lost_ns);
	s->file_bytes = 0;
	s->transfer_ns = 0;
	m->at_summary = c;
	m->summary_ns = now;
}

static void write_metrics(Monitor *m)
{
	static bool was_told;
	int why;
	AnalysisCounts c = analysis_counts(m->analysis);
	MetricsTotals totals = {.packets = m->earlier.packets + c.packets,
		.bytes = m->earlier.bytes + c.bytes,
		.connections = c.connections,
		.lines_lost = event_writer_lost(m->events, &why),
		.ring_lost = m->ring_lost_told,
		.commands_missed = m->action_missed_told,
		.now_ns = now_ns(m)};
	for (size_t i = 0; m->group && i < live_group_count(m->group); i++) {
		totals.dropped_kernel += m->drops[i].kernel;
		totals.dropped_interface += m->drops[i].interface;
	}
	g_autoptr(GError) error = NULL;
	if (!m->options->metrics_path)
		return;
	if (metrics_write(m->metrics, m->options->metrics_path, &totals, &error))
		was_told = false;
	else if (!was_told) {
		was_told = true;
		cmd_fail(EXIT_REPORT, "%s", error->message);
	}
}

/* What the kernel dropped is told of, and makes conclusions about that time less certain. */
static void tell_drops(Monitor *m)
{
	int64_t now = clock_ns();
	uint64_t dropped = 0, received = 0;
	for (size_t i = 0; m->group && i < live_group_count(m->group); i++) {
		LiveDrops *told = &m->drops[i], all;
		if (!live_group_drops(m->group, i, &all))
			continue;
		EventDrops event = {.source = live_group_name(m->group, i),
			.interval_ns = now - m->drops_ns,
			.received = all.received - told->received,
			.kernel = all.kernel - told->kernel,
			.interface = all.interface - told->interface};
		if (event.kernel > 0 || event.interface > 0)
			event_drops(m->events, now, &event);
		dropped += event.kernel + event.interface;
		received += event.received;
		*told = all;
	}
	if (dropped > 0)
		analysis_blind(m->analysis, m->drops_ns, now, dropped, received);
	m->drops_ns = now;
}

static void tell_losses(Monitor *m)
{
	int why;
	uint64_t lost = event_writer_lost(m->events, &why);
	if (lost > m->lines_lost_told)
		cmd_fail(EXIT_REPORT, "%" G_GUINT64_FORMAT " lines could not be written: %s",
			lost - m->lines_lost_told, g_strerror(why));
	m->lines_lost_told = lost;
	lost = m->ring ? packet_ring_lost(m->ring, &why) : 0;
	if (lost > m->ring_lost_told) {
		cmd_fail(EXIT_REPORT, "%s: %" G_GUINT64_FORMAT " packets could not be kept: %s",
			m->options->ring, lost - m->ring_lost_told, g_strerror(why));
		event_loss(m->events, now_ns(m), "ring-packets", lost - m->ring_lost_told,
			"packets could not be written to the ring; saved files lack them");
	}
	m->ring_lost_told = lost;
	lost = m->action ? action_missed(m->action) : 0;
	if (lost > m->action_missed_told)
		event_loss(m->events, now_ns(m), "commands", lost - m->action_missed_told,
			"findings came faster than the command of --on-finding took them");
	m->action_missed_told = lost;
}

static void reopen(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	if (!event_writer_reopen(m->events, &error))
		cmd_fail(EXIT_REPORT, "%s; going on with the old file", error->message);
}

static void summarise(Monitor *m)
{
	tell_summary(m);
	tell_losses(m);
	write_metrics(m);
}

/* The table on a terminal, and what the user does there. */
static void show(Monitor *m, bool is_over)
{
	static OpenTransfer open[LIVE_TABLE_OPEN];
	if (!m->table || !live_table_is_due(m->table))
		return;
	size_t count = live_table_wants_rows(m->table)
			       ? analysis_open_transfers(m->analysis, open, LIVE_TABLE_OPEN)
			       : 0;
	LiveTableState state = {
		.now_ns = now_ns(m), .counts = analysis_counts(m->analysis), .is_over = is_over};
	for (size_t i = 0; m->group && i < live_group_count(m->group); i++)
		state.dropped += m->drops[i].kernel + m->drops[i].interface;
	live_table_draw(m->table, &state, open, count);
	if (live_table_wants_end(m->table))
		monitor_wants_stop = 1;
}

/* What is due by time or signal. */
static void turn(Monitor *m)
{
	int64_t now = now_ns(m);
	if (wants_reopen) {
		wants_reopen = 0;
		reopen(m);
	}
	/* also after a clock that stepped back */
	if (now - m->take_ns >= TAKE_EVERY_NS || now < m->take_ns ||
		analysis_wants_take(m->analysis)) {
		m->take_ns = now;
		if (m->ring)
			packet_ring_flush(m->ring);
		if (m->group)
			tell_drops(m);
		if (m->options->started)
			tell_started(m);
		tell(m, analysis_take(m->analysis, m->reader, false));
	}
	int64_t interval = m->options->interval_s * NS_PER_S;
	if (wants_summary || now - m->summary_ns >= interval || now < m->summary_ns) {
		wants_summary = 0;
		summarise(m);
	}
	show(m, false);
}

static void begin(Monitor *m, int64_t start_ns)
{
	event_writer_on_finding(m->events, m->ring || m->action ? on_finding : NULL, m);
	event_writer_run(m->events, start_ns);
	event_start(m->events, start_ns, m->source);
	m->summary_ns = m->take_ns = m->drops_ns = start_ns;
	m->at_summary = (AnalysisCounts){0};
}

/* The reader of standard output has gone: nobody listens any more. */
static bool is_unheard(const Monitor *m)
{
	int why;
	return event_writer_lost(m->events, &why) > 0 && why == EPIPE;
}

void monitor_new_analysis(Monitor *m)
{
	AnalysisOptions options = {.memory_bytes = m->options->memory_bytes, .is_live = true};
	m->started_told = 0;
	analysis_free(m->analysis);
	m->analysis = analysis_new(&options);
}

/* Tells of what is under way; nothing can follow but a new analysis. */
static void conclude(Monitor *m)
{
	if (m->group)
		tell_drops(m);
	while (analysis_wind_down(m->analysis))
		tell(m, analysis_take(m->analysis, m->reader, true));
	tell(m, analysis_finish(m->analysis, m->reader));
	tell_summary(m);
}

static int finish(Monitor *m, int status)
{
	int why;
	conclude(m);
	tell_losses(m);
	event_stop(m->events, now_ns(m),
		monitor_wants_stop ? "signal"
		: m->reader        ? "end of input"
				   : "output closed",
		m->earlier.packets + analysis_counts(m->analysis).packets);
	write_metrics(m);
	if (status == EXIT_DONE && event_writer_lost(m->events, &why) > 0)
		return EXIT_REPORT;
	return status;
}

/* ---- replay */

/* Waits until a packet of @ts_ns would have come at the speed that is wanted. */
static void pace(Monitor *m, int64_t ts_ns)
{
	static gint64 began_us;
	static int64_t first_ns;
	if (m->options->speed <= 0)
		return;
	if (began_us == 0) {
		began_us = g_get_monotonic_time();
		first_ns = ts_ns;
	}
	gint64 due_us = began_us + (gint64)((double)(ts_ns - first_ns) / m->options->speed / 1e3);
	for (gint64 left; !monitor_wants_stop && (left = due_us - g_get_monotonic_time()) > 0;) {
		g_usleep((gulong)MIN(left, LONGEST_NAP_US));
		show(m, false);
	}
}

int monitor_replay(Monitor *m)
{
	static Packet batch[READER_BATCH];
	bool has_begun = false;
	size_t count;
	while (!monitor_wants_stop && !is_unheard(m) &&
		(count = reader_next_batch(m->reader, batch)) > 0) {
		pace(m, batch[0].ts_ns);
		analysis_feed(m->analysis, batch, count);
		if (!has_begun)
			begin(m, batch[0].ts_ns);
		has_begun = true;
		turn(m);
	}
	if (!has_begun)
		begin(m, 0);
	int status = EXIT_DONE;
	for (size_t i = 0; i < reader_input_count(m->reader); i++) {
		const InputInfo *info = reader_input(m->reader, i);
		if (info->damage)
			status = cmd_fail(EXIT_INPUT, "%s: %s", info->path, info->damage);
	}
	bool is_stopped = monitor_wants_stop;
	status = finish(m, status);
	/* on a terminal the end can be looked at */
	while (m->table && !is_stopped && !monitor_wants_stop) {
		g_usleep(LONGEST_NAP_US);
		show(m, true);
	}
	return status;
}

/* ---- listening */

/* A transfer that spans a step of the clock would be told of with hours it never took: all ends
 * here, and a new run begins. */
static void look_at_clock(Monitor *m)
{
	int64_t now = clock_ns();
	int64_t step = live_clock_check(&m->clock, now, g_get_monotonic_time() * 1000);
	if (step == 0)
		return;
	fprintf(stderr, "slowcopy: the clock was set by %.3f s; a new run begins\n",
		(double)step / 1e9);
	m->drops_ns = MIN(m->drops_ns + step, now);
	conclude(m);
	event_clock(m->events, now, step);
	AnalysisCounts c = analysis_counts(m->analysis);
	m->earlier.packets += c.packets;
	m->earlier.bytes += c.bytes;
	monitor_new_analysis(m);
	begin(m, now);
}

static void on_batch(void *user, Packet *batch, size_t count)
{
	Monitor *m = user;
	look_at_clock(m);
	if (m->clock.step_ns != 0) {
		int64_t now = clock_ns();
		for (size_t i = 0; i < count; i++)
			batch[i].ts_ns = live_clock_fix(&m->clock, batch[i].ts_ns, now);
	}
	analysis_feed(m->analysis, batch, count);
	if (analysis_wants_take(m->analysis))
		tell(m, analysis_take(m->analysis, NULL, false));
}

void monitor_raw(void *user, const Packet *packet, const uint8_t *data)
{
	const Monitor *m = user;
	if (m->ring)
		packet_ring_add(m->ring, packet, data);
}

static void on_gone(void *user, size_t index, const char *why)
{
	Monitor *m = user;
	const char *name = live_group_name(m->group, index);
	fprintf(stderr, "slowcopy: %s: %s; waiting for it\n", name, why);
	event_interface(m->events, now_ns(m), name, false, why);
}

static void on_back(void *user, size_t index)
{
	Monitor *m = user;
	const char *name = live_group_name(m->group, index);
	fprintf(stderr, "slowcopy: %s is back\n", name);
	event_interface(m->events, now_ns(m), name, true, NULL);
}

LiveGroupOps monitor_live_ops(Monitor *m)
{
	return (LiveGroupOps){.batch = on_batch, .gone = on_gone, .back = on_back, .user = m};
}

int monitor_listen(Monitor *m)
{
	begin(m, clock_ns());
	system_ready();
	while (!monitor_wants_stop && !is_unheard(m)) {
		long taken = live_group_read(m->group);
		look_at_clock(m);
		if (taken == 0)
			analysis_tick(m->analysis, clock_ns());
		system_alive();
		turn(m);
	}
	system_stopping();
	live_group_drain(m->group);
	return finish(m, EXIT_DONE);
}
