/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy monitor`: packets of interfaces (or of files, by the same path) into a live Analysis;
 * what it concludes comes out as lines of JSON while it goes on. Options and their check; the loop
 * is in monitor_live.c.
 */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "cmd.h"
#include "monitor_live.h"
#include "monitor_system.h"

#define DEFAULT_MEMORY (256.0 * 1024 * 1024)
/* Below this the tables hold too little to say anything. */
#define LEAST_MEMORY (8.0 * 1024 * 1024)
#define DEFAULT_INTERVAL_S 60
#define DEFAULT_USER "nobody"
#define DEFAULT_KEEP_S 600.0
/* Ten minutes at 256 bytes of each packet and 7,000 packets a second. */
#define DEFAULT_RING_BYTES (1024.0 * 1024 * 1024)
#define LEAST_RING_BYTES (1024.0 * 1024)
/* libpcap takes an int of bytes. */
#define MOST_BUFFER_MIB 2047

static const char *user_of(const MonitorOptions *o)
{
	return o->user ? o->user : DEFAULT_USER;
}

/* After this the program is nobody and can do little. */
static bool become_harmless(Monitor *m, GError **error)
{
	const MonitorOptions *o = m->options;
	if (o->ring && !system_make_folder(o->ring, user_of(o), error))
		return false;
	if (system_can_drop() && !system_drop(user_of(o), error))
		return false;
	if (o->ring) {
		PacketRingOptions ring = {.folder = o->ring,
			.keep_ns = o->keep_ns,
			.max_bytes = o->ring_bytes,
			.interfaces = (const char *const *)o->interfaces,
			.interface_count = g_strv_length(o->interfaces)};
		m->ring = packet_ring_open(&ring, error);
		if (!m->ring)
			return false;
	}
	return o->no_seccomp || system_confine(error);
}

static int run_live(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	const MonitorOptions *o = m->options;
	LiveOptions options = {.filter = o->filter,
		.snaplen = o->snaplen,
		.buffer_bytes = o->buffer_mib * 1024 * 1024,
		.raw = o->ring ? monitor_raw : NULL,
		.raw_user = m};
	LiveGroupOps ops = monitor_live_ops(m);
	g_autoptr(LiveGroup) group = live_group_open((const char *const *)o->interfaces,
		g_strv_length(o->interfaces), &options, &ops, &error);
	if (!group)
		return cmd_fail(EXIT_INPUT, "%s", error->message);
	m->group = group;
	int status = become_harmless(m, &error) ? monitor_listen(m)
						: cmd_fail(EXIT_INPUT, "%s", error->message);
	packet_ring_free(m->ring);
	m->ring = NULL;
	return status;
}

static int run_files(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	const MonitorOptions *o = m->options;
	ReaderOptions options = {.filter = o->filter, .stop = &monitor_wants_stop};
	g_autoptr(Reader) reader = reader_open(
		(const char *const *)o->files, g_strv_length(o->files), &options, &error);
	if (!reader)
		return cmd_fail(EXIT_INPUT, "%s", error->message);
	m->reader = reader;
	return monitor_replay(m);
}

static bool wants_table(const MonitorOptions *o)
{
	const char *term = getenv("TERM");
	return !o->json && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/* Lines, and on a terminal the table. */
static int open_outputs(Monitor *m)
{
	g_autoptr(GError) error = NULL;
	const MonitorOptions *o = m->options;
	bool has_table = wants_table(o);
	const char *path = o->output || !has_table ? o->output : "/dev/null";
	m->events = event_writer_new(path, m->sensor, &m->report, &error);
	if (m->events && has_table)
		m->table = live_table_new(&m->report, m->source, &error);
	return error ? cmd_fail(EXIT_REPORT, "%s", error->message) : EXIT_DONE;
}

static int run(const MonitorOptions *o)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *sensor = g_strdup(o->sensor ? o->sensor : g_get_host_name());
	g_autofree char *source = g_strjoinv(" ", o->files ? o->files : o->interfaces);
	Monitor m = {.options = o,
		.sensor = sensor,
		.source = source,
		.report = {.version = SLOWCOPY_VERSION,
			.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0}};
	monitor_handle_signals();
	m.summary.lost_ns = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	m.metrics = metrics_new();
	monitor_new_analysis(&m);
	int status = open_outputs(&m);
	/* after the table has taken the terminal: what a command says must not be written over it
	 */
	if (status == EXIT_DONE && o->command) {
		m.action = action_start(o->command, user_of(o), &error);
		if (!m.action)
			status = cmd_fail(EXIT_USAGE, "%s", error->message);
	}
	if (status == EXIT_DONE)
		status = o->files ? run_files(&m) : run_live(&m);
	action_free(m.action);
	live_table_free(m.table);
	event_writer_free(m.events);
	analysis_free(m.analysis);
	metrics_free(m.metrics);
	g_hash_table_unref(m.summary.lost_ns);
	return status;
}

static bool parse_arguments(int *argc, char ***argv, MonitorOptions *o, GError **error)
{
	const GOptionEntry entries[] = {
		{"interface", 'i', 0, G_OPTION_ARG_STRING_ARRAY, &o->interfaces,
			"listen on this interface; may be given several "
			"times",
			"IFACE"},
		{"read", 'r', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files,
			"replay a capture by the same path", "FILE"},
		{"speed", 0, 0, G_OPTION_ARG_DOUBLE, &o->speed,
			"of a replay: 1 as it was recorded, 10 ten times as fast (default: as fast "
			"as it goes)",
			"FACTOR"},
		{"json", 'j', 0, G_OPTION_ARG_NONE, &o->json,
			"lines of JSON on a terminal, too, instead of the table", NULL},
		{"filter", 'f', 0, G_OPTION_ARG_STRING, &o->filter,
			"only packets that match a capture filter (pcap-filter(7))", "EXPR"},
		{"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
			"add lines to FILE (default standard output); SIGHUP opens it anew",
			"FILE"},
		{"sensor", 0, 0, G_OPTION_ARG_STRING, &o->sensor,
			"name in every line (default the host's)", "NAME"},
		{"interval", 0, 0, G_OPTION_ARG_INT, &o->interval_s,
			"seconds between summaries (default 60); SIGUSR1 makes one now", "SECONDS"},
		{"started", 0, 0, G_OPTION_ARG_NONE, &o->started,
			"a line for each transfer that begins, too", NULL},
		{"metrics-file", 0, 0, G_OPTION_ARG_FILENAME, &o->metrics_path,
			"keep counters there as Prometheus text", "PATH"},
		{"memory", 0, 0, G_OPTION_ARG_STRING, &o->memory,
			"memory for connections and transfers (default 256M)", "SIZE"},
		{"snaplen", 0, 0, G_OPTION_ARG_INT, &o->snaplen,
			"bytes taken of each packet (default 256)", "BYTES"},
		{"buffer", 0, 0, G_OPTION_ARG_INT, &o->buffer_mib,
			"MiB for packets that wait in the kernel, per interface (default 64)",
			"MIB"},
		{"ring", 0, 0, G_OPTION_ARG_FILENAME, &o->ring,
			"keep the last packets in rotating files in DIR", "DIR"},
		{"keep", 0, 0, G_OPTION_ARG_STRING, &o->keep,
			"how long, such as 30s, 10min, 2h (default 10min)", "TIME"},
		{"ring-size", 0, 0, G_OPTION_ARG_STRING, &o->ring_size,
			"and how much at most; as much again may be saved (default 1G)", "SIZE"},
		{"on-finding", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->on_finding,
			"save: keep the packets around it; exec:COMMAND: run this with its line on "
			"standard input; both may be given",
			"WHAT"},
		{"user", 0, 0, G_OPTION_ARG_STRING, &o->user,
			"when started as root, become NAME (default nobody)", "NAME"},
		{"no-seccomp", 0, 0, G_OPTION_ARG_NONE, &o->no_seccomp,
			"do not restrict system calls", NULL},
		G_OPTION_ENTRY_NULL};
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_option_context_set_summary(context,
		"Watches the file transfers that pass an interface and says why they were slow: on "
		"a terminal\nas a table, else as lines of JSON: start, transfer, finding, stall, "
		"summary, drops, saved,\ninterface, clock, limit, stop. SIGTERM and Ctrl-C tell of "
		"what is under way and end it.");
	g_option_context_add_main_entries(context, entries, NULL);
	return g_option_context_parse(context, argc, argv, error);
}

/* "90s", "10min", "2h", "3d"; a bare number is seconds. */
static bool parse_time(const char *text, double *ret_s)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
	char *end;
	double value = g_ascii_strtod(text, &end);
	for (size_t i = 0; end != text && i < G_N_ELEMENTS(units); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		*ret_s = value * units[i].seconds;
		return *ret_s >= 1 && *ret_s <= 366 * 86400.0;
	}
	return false;
}

static int check_ring(MonitorOptions *o)
{
	double bytes = DEFAULT_RING_BYTES, seconds = DEFAULT_KEEP_S;
	for (char **what = o->on_finding; what && *what; what++) {
		if (strcmp(*what, "save") == 0)
			o->saves = true;
		else if (g_str_has_prefix(*what, "exec:") && (*what)[5] && !o->command)
			o->command = *what + 5;
		else
			return cmd_fail(EXIT_USAGE,
				"--on-finding takes save or exec:COMMAND, each once, not '%s'",
				*what);
	}
	if (o->ring && !o->interfaces)
		return cmd_fail(EXIT_USAGE, "--ring goes with -i: a file is there already");
	if ((o->saves || o->keep || o->ring_size) && !o->ring)
		return cmd_fail(
			EXIT_USAGE, "--keep, --ring-size and --on-finding save need --ring DIR");
	if (o->keep && !parse_time(o->keep, &seconds))
		return cmd_fail(EXIT_USAGE, "--keep takes a time such as 10min, not '%s'", o->keep);
	if (o->ring_size &&
		(!cmd_parse_size(o->ring_size, 1024, &bytes) || bytes < LEAST_RING_BYTES))
		return cmd_fail(EXIT_USAGE, "--ring-size takes a size of 1M or more, not '%s'",
			o->ring_size);
	o->keep_ns = (int64_t)(seconds * 1e9);
	o->ring_bytes = (uint64_t)bytes;
	return EXIT_DONE;
}

static int check_options(MonitorOptions *o, int argc)
{
	double memory = DEFAULT_MEMORY;
	if (argc > 1)
		return cmd_fail(EXIT_USAGE, "give a file with -r and an interface with -i");
	if (!o->interfaces == !o->files)
		return cmd_fail(EXIT_USAGE, "give an interface with -i or a file with -r; try: "
					    "slowcopy monitor -i eth0");
	if (o->interfaces && g_strv_length(o->interfaces) > LIVE_GROUP_MAX)
		return cmd_fail(EXIT_USAGE, "at most %d interfaces", LIVE_GROUP_MAX);
	if (o->memory && !cmd_parse_size(o->memory, 1024, &memory))
		return cmd_fail(
			EXIT_USAGE, "--memory takes a size such as 256M, not '%s'", o->memory);
	if (memory < LEAST_MEMORY)
		return cmd_fail(EXIT_USAGE, "--memory must be 8M or more");
	o->memory_bytes = (uint64_t)memory;
	if (o->interval_s < 1)
		return cmd_fail(EXIT_USAGE, "--interval takes seconds, one or more");
	if (o->speed < 0 || (o->speed > 0 && !o->files))
		return cmd_fail(EXIT_USAGE, "--speed goes with -r and takes a number above 0");
	if (o->snaplen < 0)
		return cmd_fail(EXIT_USAGE, "--snaplen takes bytes");
	if (o->buffer_mib < 0 || o->buffer_mib > MOST_BUFFER_MIB)
		return cmd_fail(EXIT_USAGE, "--buffer takes MiB, at most %d", MOST_BUFFER_MIB);
	return check_ring(o);
}

static void options_clear(MonitorOptions *o)
{
	char *texts[] = {o->filter, o->sensor, o->output, o->metrics_path, o->memory, o->user,
		o->ring, o->keep, o->ring_size};
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
	g_strfreev(o->interfaces);
	g_strfreev(o->files);
	g_strfreev(o->on_finding);
}

int cmd_monitor(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	MonitorOptions o = {.interval_s = DEFAULT_INTERVAL_S};
	int status;
	if (!parse_arguments(&argc, &argv, &o, &error))
		status = cmd_fail(EXIT_USAGE, "%s; slowcopy monitor --help lists the options",
			error->message);
	else
		status = check_options(&o, argc);
	if (status == EXIT_DONE)
		status = run(&o);
	options_clear(&o);
	return status;
}
