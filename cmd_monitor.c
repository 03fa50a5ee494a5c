/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy monitor`: packets of an interface (or of files, by the same path) into a live Analysis;
 * what it concludes comes out as lines of JSON while it goes on.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "analyzer/analysis.h"
#include "analyzer/capture/live.h"
#include "analyzer/capture/reader.h"
#include "cmd.h"
#include "monitor_system.h"
#include "reports/json_events.h"
#include "reports/metrics.h"

#define NS_PER_S INT64_C(1000000000)
#define DEFAULT_MEMORY (256.0 * 1024 * 1024)
/* Below this the tables hold too little to say anything. */
#define LEAST_MEMORY (8.0 * 1024 * 1024)
#define DEFAULT_INTERVAL_S 60
#define DEFAULT_USER "nobody"
/* How often what has finished is asked for, in capture time. */
#define TAKE_EVERY_NS NS_PER_S
/* Trying again to open an interface that went away: from one second doubling up to this. */
#define LONGEST_RETRY_S 30

typedef struct MonitorOptions {
	char *interface, *filter, *sensor, *output, *metrics_path, *memory, *user;
	int interval_s, snaplen;
	gboolean no_seccomp;
	char **files;
} MonitorOptions;

/** Monitor: the running command. */
typedef struct Monitor {
	const MonitorOptions *options;
	ReportOptions report;
	Analysis *analysis;
	Reader *reader; /* of files, else NULL */
	EventWriter *events;
	Metrics *metrics;
	EventSummary summary; /* since summary_ns */
	AnalysisCounts at_summary;
	int64_t summary_ns, take_ns;
	LiveDrops drops, closed_drops; /* told so far; of interfaces closed since */
	uint64_t lost_told;
} Monitor;

static volatile sig_atomic_t wants_stop, wants_reopen, wants_summary;

static void on_signal(int number)
{
	if (number == SIGHUP)
		wants_reopen = 1;
	else if (number == SIGUSR1)
		wants_summary = 1;
	else
		wants_stop = 1;
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
	metrics_add(m->metrics, &m->report, result);
	result_free(result);
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
	MetricsTotals totals = {.packets = c.packets,
		.bytes = c.bytes,
		.connections = c.connections,
		.dropped_kernel = m->drops.kernel,
		.dropped_interface = m->drops.interface,
		.lines_lost = event_writer_lost(m->events, &why),
		.now_ns = now_ns(m)};
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

static void tell_drops(Monitor *m, Live *live)
{
	LiveDrops now;
	if (!live || !live_drops(live, &now))
		return;
	now.received += m->closed_drops.received;
	now.kernel += m->closed_drops.kernel;
	now.interface += m->closed_drops.interface;
	if (now.kernel > m->drops.kernel || now.interface > m->drops.interface)
		event_drops(m->events, now_ns(m), now.received - m->drops.received,
			now.kernel - m->drops.kernel, now.interface - m->drops.interface);
	m->drops = now;
}

static void tell_lost_lines(Monitor *m)
{
	int why;
	uint64_t lost = event_writer_lost(m->events, &why);
	if (lost > m->lost_told)
		cmd_fail(EXIT_REPORT, "%" G_GUINT64_FORMAT " lines could not be written: %s",
			lost - m->lost_told, g_strerror(why));
	m->lost_told = lost;
}

static void reopen(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	if (!event_writer_reopen(m->events, &error))
		cmd_fail(EXIT_REPORT, "%s; going on with the old file", error->message);
}

/* What is due by time or signal. */
static void turn(Monitor *m, Live *live)
{
	int64_t now = now_ns(m);
	if (wants_reopen) {
		wants_reopen = 0;
		reopen(m);
	}
	/* also after a clock that stepped back */
	if (now - m->take_ns >= TAKE_EVERY_NS || now < m->take_ns) {
		m->take_ns = now;
		tell(m, analysis_take(m->analysis, m->reader, false));
		tell_drops(m, live);
	}
	int64_t interval = m->options->interval_s * NS_PER_S;
	if (wants_summary || now - m->summary_ns >= interval || now < m->summary_ns) {
		wants_summary = 0;
		tell_summary(m);
		write_metrics(m);
		tell_lost_lines(m);
	}
}

static void begin(Monitor *m, int64_t start_ns, const char *source)
{
	event_writer_run(m->events, start_ns);
	event_start(m->events, start_ns, source);
	m->summary_ns = m->take_ns = start_ns;
}

/* The reader of standard output has gone: nobody listens any more. */
static bool is_unheard(const Monitor *m)
{
	int why;
	return event_writer_lost(m->events, &why) > 0 && why == EPIPE;
}

static int replay(Monitor *m)
{
	static Packet batch[READER_BATCH];
	g_autofree char *source = g_strjoinv(" ", m->options->files);
	bool has_begun = false;
	size_t count;
	while (!wants_stop && !is_unheard(m) && (count = reader_next_batch(m->reader, batch)) > 0) {
		analysis_feed(m->analysis, batch, count);
		if (!has_begun)
			begin(m, batch[0].ts_ns, source);
		has_begun = true;
		turn(m, NULL);
	}
	if (!has_begun)
		begin(m, 0, source);
	int status = EXIT_DONE;
	for (size_t i = 0; i < reader_input_count(m->reader); i++) {
		const InputInfo *info = reader_input(m->reader, i);
		if (info->damage)
			status = cmd_fail(EXIT_INPUT, "%s: %s", info->path, info->damage);
	}
	return status;
}

static void on_batch(void *user, Packet *batch, size_t count)
{
	analysis_feed(((Monitor *)user)->analysis, batch, count);
}

/* Waits @seconds, while time passes for the analysis. False when asked to stop. */
static bool wait_seconds(Monitor *m, int seconds)
{
	for (int i = 0; i < seconds * 10 && !wants_stop; i++) {
		g_usleep(100000);
		system_alive();
		analysis_tick(m->analysis, clock_ns());
		turn(m, NULL);
	}
	return !wants_stop;
}

/* Opens the interface again, until it works or the user has had enough. */
static Live *open_again(Monitor *m, const LiveOptions *options)
{
	int wait_s = 1;
	while (wait_seconds(m, wait_s)) {
		g_autoptr(GError) error = NULL;
		Live *live = live_open(m->options->interface, options, &error);
		if (live) {
			fprintf(stderr, "slowcopy: %s is back\n", m->options->interface);
			return live;
		}
		wait_s = MIN(wait_s * 2, LONGEST_RETRY_S);
	}
	return NULL;
}

static void listen_live(Monitor *m, Live *live, const LiveOptions *options)
{
	while (live && !wants_stop && !is_unheard(m)) {
		g_autoptr(GError) error = NULL;
		long taken = live_read(live, on_batch, m, &error);
		if (taken < 0) {
			cmd_fail(EXIT_INPUT, "%s: %s; trying to open it again",
				m->options->interface, error->message);
			tell_drops(m, live);
			m->closed_drops = m->drops;
			live_free(live);
			live = open_again(m, options);
			continue;
		}
		if (taken == 0)
			analysis_tick(m->analysis, clock_ns());
		system_alive();
		turn(m, live);
	}
	tell_drops(m, live);
	live_free(live);
}

static int run_live(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	const MonitorOptions *o = m->options;
	LiveOptions options = {.filter = o->filter, .snaplen = o->snaplen};
	Live *live = live_open(o->interface, &options, &error);
	if (!live)
		return cmd_fail(EXIT_INPUT, "%s", error->message);
	bool is_safe =
		(!system_can_drop() || system_drop(o->user ? o->user : DEFAULT_USER, &error)) &&
		(o->no_seccomp || system_confine(&error));
	if (!is_safe) {
		live_free(live);
		return cmd_fail(EXIT_INPUT, "%s", error->message);
	}
	begin(m, clock_ns(), o->interface);
	system_ready();
	listen_live(m, live, &options);
	system_stopping();
	return EXIT_DONE;
}

static int finish(Monitor *m, int status)
{
	int why;
	tell(m, analysis_finish(m->analysis, m->reader));
	tell_summary(m);
	event_stop(m->events, now_ns(m),
		wants_stop  ? "signal"
		: m->reader ? "end of input"
			    : "output closed",
		analysis_counts(m->analysis).packets);
	write_metrics(m);
	tell_lost_lines(m);
	if (status == EXIT_DONE && event_writer_lost(m->events, &why) > 0)
		return EXIT_REPORT;
	return status;
}

static int run_opened(Monitor *m)
{
	m->summary.lost_ns = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	m->metrics = metrics_new();
	int status = m->reader ? replay(m) : run_live(m);
	bool has_begun = m->reader || status == EXIT_DONE;
	if (has_begun)
		status = finish(m, status);
	metrics_free(m->metrics);
	g_hash_table_unref(m->summary.lost_ns);
	return status;
}

static void handle_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaction(signals[i], &action, NULL);
}

static int run(const MonitorOptions *o, double memory)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *sensor = g_strdup(o->sensor ? o->sensor : g_get_host_name());
	Monitor m = {.options = o, .report = {.version = SLOWCOPY_VERSION}};
	handle_signals();
	g_autoptr(Reader) reader = NULL;
	if (o->files) {
		ReaderOptions reader_options = {.filter = o->filter, .stop = &wants_stop};
		reader = reader_open((const char *const *)o->files, g_strv_length(o->files),
			&reader_options, &error);
		if (!reader)
			return cmd_fail(EXIT_INPUT, "%s", error->message);
	}
	g_autoptr(EventWriter) events = event_writer_new(o->output, sensor, &m.report, &error);
	if (!events)
		return cmd_fail(EXIT_REPORT, "%s", error->message);
	AnalysisOptions analysis_options = {.memory_bytes = (uint64_t)memory, .is_live = true};
	g_autoptr(Analysis) analysis = analysis_new(&analysis_options);
	m.reader = reader;
	m.events = events;
	m.analysis = analysis;
	return run_opened(&m);
}

static bool parse_arguments(int *argc, char ***argv, MonitorOptions *o, GError **error)
{
	const GOptionEntry entries[] = {{"interface", 'i', 0, G_OPTION_ARG_STRING, &o->interface,
						"listen on this interface", "IFACE"},
		{"read", 'r', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files,
			"replay a capture by the same path", "FILE"},
		{"filter", 'f', 0, G_OPTION_ARG_STRING, &o->filter,
			"only packets that match a capture filter (pcap-filter(7))", "EXPR"},
		{"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
			"add lines to FILE (default standard output); SIGHUP opens it anew",
			"FILE"},
		{"sensor", 0, 0, G_OPTION_ARG_STRING, &o->sensor,
			"name in every line (default the host's)", "NAME"},
		{"interval", 0, 0, G_OPTION_ARG_INT, &o->interval_s,
			"seconds between summaries (default 60); SIGUSR1 makes one now", "SECONDS"},
		{"metrics-file", 0, 0, G_OPTION_ARG_FILENAME, &o->metrics_path,
			"keep counters there as Prometheus text", "PATH"},
		{"memory", 0, 0, G_OPTION_ARG_STRING, &o->memory,
			"memory for connections and transfers (default 256M)", "SIZE"},
		{"snaplen", 0, 0, G_OPTION_ARG_INT, &o->snaplen,
			"bytes taken of each packet (default 256)", "BYTES"},
		{"user", 0, 0, G_OPTION_ARG_STRING, &o->user,
			"when started as root, become NAME (default nobody)", "NAME"},
		{"no-seccomp", 0, 0, G_OPTION_ARG_NONE, &o->no_seccomp,
			"do not restrict system calls", NULL},
		G_OPTION_ENTRY_NULL};
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_option_context_set_summary(context,
		"Watches the file transfers that pass an interface and says why they were slow, as "
		"lines\nof JSON: start, transfer, finding, stall, summary, drops, limit, stop. "
		"SIGTERM and Ctrl-C\ntell of what is under way and end it.");
	g_option_context_add_main_entries(context, entries, NULL);
	return g_option_context_parse(context, argc, argv, error);
}

static int check_options(const MonitorOptions *o, int argc, double *ret_memory)
{
	*ret_memory = DEFAULT_MEMORY;
	if (argc > 1)
		return cmd_fail(EXIT_USAGE, "give a file with -r and an interface with -i");
	if (!o->interface == !o->files)
		return cmd_fail(EXIT_USAGE, "give an interface with -i or a file with -r; try: "
					    "slowcopy monitor -i eth0");
	if (o->memory && !cmd_parse_size(o->memory, 1024, ret_memory))
		return cmd_fail(
			EXIT_USAGE, "--memory takes a size such as 256M, not '%s'", o->memory);
	if (*ret_memory < LEAST_MEMORY)
		return cmd_fail(EXIT_USAGE, "--memory must be 8M or more");
	if (o->interval_s < 1)
		return cmd_fail(EXIT_USAGE, "--interval takes seconds, one or more");
	if (o->snaplen < 0)
		return cmd_fail(EXIT_USAGE, "--snaplen takes bytes");
	return EXIT_DONE;
}

int cmd_monitor(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	MonitorOptions o = {.interval_s = DEFAULT_INTERVAL_S};
	double memory;
	int status;
	if (!parse_arguments(&argc, &argv, &o, &error))
		status = cmd_fail(EXIT_USAGE, "%s; slowcopy monitor --help lists the options",
			error->message);
	else
		status = check_options(&o, argc, &memory);
	if (status == EXIT_DONE)
		status = run(&o, memory);
	g_free(o.interface);
	g_free(o.filter);
	g_free(o.sensor);
	g_free(o.output);
	g_free(o.metrics_path);
	g_free(o.memory);
	g_free(o.user);
	g_strfreev(o.files);
	return status;
}
