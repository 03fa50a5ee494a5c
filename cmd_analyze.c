/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy analyze`: opens the inputs, feeds them to an Analysis, writes reports.
 */
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <glib.h>

#include "analyzer/analysis.h"
#include "analyzer/assumption.h"
#include "analyzer/capture/reader.h"
#include "analyzer/session/smb_decrypt.h"
#include "cmd.h"
#include "reports/report.h"

/* The bar appears when reading takes longer than this, and moves this often. */
#define PROGRESS_AFTER_US 1000000
#define PROGRESS_EVERY_US 200000
/* Options that the JSON report names. */
#define OPTIONS_TOLD 5
/* Batches between looks at the clock. */
#define PROGRESS_BATCHES 4096

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbKeyring, smb_keyring_free)

typedef struct AnalyzeOptions {
	gboolean json, json_lines, markdown, html, csv, quiet, verbose, redact, no_redact, grade;
	char *format, *output, *color, *filter, *fail_on, *memory, *link_speed, *assume,
		*redact_map;
	char **files, **smb_keys;
} AnalyzeOptions;

volatile sig_atomic_t cmd_interrupted;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	cmd_interrupted = 1;
}

void cmd_catch_interrupts(void)
{
	struct sigaction action = {.sa_handler = on_interrupt};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool cmd_parse_severity(const char *text, int *ret)
{
	static const char *const names[] = {"info", "minor", "major", "critical"};
	for (int i = 0; i < 4; i++) {
		if (strcmp(text, names[i]) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool cmd_wants_color(const char *when)
{
	if (when && strcmp(when, "always") == 0)
		return true;
	if (when && strcmp(when, "never") == 0)
		return false;
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

int cmd_terminal_columns(void)
{
	struct winsize size;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
		size.ws_col > 0)
		return size.ws_col;
	return 80;
}

static void progress_draw(const Reader *reader, gint64 since_us)
{
	uint64_t done, total;
	reader_progress(reader, &done, &total);
	double seconds = (double)(g_get_monotonic_time() - since_us) / 1e6;
	if (total == 0) {
		fprintf(stderr, "\r%.0f MB read, %.0f MB/s ", (double)done / 1e6,
			(double)done / 1e6 / seconds);
		return;
	}
	double share = (double)done / (double)total;
	int filled = (int)(share * 30);
	fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %.0f MB/s  %.0f s left ", filled,
		"##############################", 30 - filled, "", share * 100,
		(double)done / 1e6 / seconds, share > 0.001 ? seconds / share - seconds : 0);
}

bool cmd_read_all(Reader *reader, Analysis *analysis)
{
	static Packet batch[READER_BATCH];
	gint64 start = g_get_monotonic_time(), last = 0;
	bool shows = isatty(STDERR_FILENO), drawn = false;
	size_t count;
	unsigned turns = 0;
	while (!cmd_interrupted && (count = reader_next_batch(reader, batch)) > 0) {
		analysis_feed(analysis, batch, count);
		if (!shows || ++turns % PROGRESS_BATCHES != 0)
			continue;
		gint64 now = g_get_monotonic_time();
		if (now - start < PROGRESS_AFTER_US || now - last < PROGRESS_EVERY_US)
			continue;
		last = now;
		drawn = true;
		progress_draw(reader, start);
	}
	if (drawn)
		fputs("\r\033[K", stderr);
	return !cmd_interrupted;
}

static bool parse_arguments(int *argc, char ***argv, AnalyzeOptions *o, GError **error)
{
	const GOptionEntry entries[] = {{"json", 'j', 0, G_OPTION_ARG_NONE, &o->json,
						"print the whole report as JSON", NULL},
		{"json-lines", 0, 0, G_OPTION_ARG_NONE, &o->json_lines,
			"one line of JSON for each FILE, which is a capture of its own", NULL},
		{"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown,
			"print the report for an issue tracker (redacted)", NULL},
		{"html", 0, 0, G_OPTION_ARG_NONE, &o->html,
			"print the report with graphs for a browser (redacted)", NULL},
		{"csv", 0, 0, G_OPTION_ARG_NONE, &o->csv,
			"print the time series of every copy for a spreadsheet", NULL},
		{"format", 0, 0, G_OPTION_ARG_STRING, &o->format,
			"text, json, markdown, html, csv or pcapng (default text)", "NAME"},
		{"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
			"write BASE.md, BASE.html, BASE.json and BASE.evidence.pcapng", "BASE"},
		{"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "the verdict line alone", NULL},
		{"verbose", 'v', 0, G_OPTION_ARG_NONE, &o->verbose,
			"tables of connections, commands, files and stalls", NULL},
		{"grade", 0, 0, G_OPTION_ARG_NONE, &o->grade,
			"only say how far the capture can be trusted", NULL},
		{"filter", 'f', 0, G_OPTION_ARG_STRING, &o->filter,
			"only packets that match a capture filter (pcap-filter(7))", "EXPR"},
		{"link-speed", 0, 0, G_OPTION_ARG_STRING, &o->link_speed,
			"speed of the slowest link, such as 100M or 1G bit/s (default: measured)",
			"BIT/S"},
		{"assume", 0, 0, G_OPTION_ARG_STRING, &o->assume,
			"what if: rtt=50ms,rate=1G,window=1M,request=1M,depth=8, any of them",
			"KEY=VALUE,..."},
		{"memory", 0, 0, G_OPTION_ARG_STRING, &o->memory,
			"memory for connections (default 1G)", "SIZE"},
		{"smb-key", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->smb_keys,
			"decrypt the SMB3 session with this id; may be given several times",
			"SESSIONID:KEY"},
		{"fail-on", 0, 0, G_OPTION_ARG_STRING, &o->fail_on,
			"exit 1 on a finding of this severity: info, minor, major, critical",
			"SEVERITY"},
		{"color", 0, 0, G_OPTION_ARG_STRING, &o->color,
			"auto, always or never (default auto)", "WHEN"},
		{"redact", 0, 0, G_OPTION_ARG_NONE, &o->redact,
			"pseudonyms instead of names and addresses here too", NULL},
		{"no-redact", 0, 0, G_OPTION_ARG_NONE, &o->no_redact,
			"real names and addresses in files that are made to be attached", NULL},
		{"redact-map", 0, 0, G_OPTION_ARG_FILENAME, &o->redact_map,
			"write the map from pseudonym to original to FILE", "FILE"},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files, NULL, "FILE..."},
		G_OPTION_ENTRY_NULL};
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_option_context_set_summary(context, "Says why the file transfers in a packet capture "
					      "were slow. FILE may be - for standard input,\n"
					      "a directory, or the parts of a ring buffer.");
	g_option_context_add_main_entries(context, entries, NULL);
	return g_option_context_parse(context, argc, argv, error);
}

/* The report quotes the command line, and reports are passed on: no keys in it. */
static bool is_secret(const char *word, const char *before)
{
	return strncmp(word, "--smb-key=", 10) == 0 || strcmp(before, "--smb-key") == 0;
}

char *cmd_line(int argc, char **argv)
{
	g_autoptr(GString) text = g_string_new("slowcopy");
	bool has_command =
		argc > 0 && (strcmp(argv[0], "analyze") == 0 || strcmp(argv[0], "compare") == 0);
	for (int i = has_command ? 0 : 1; i < argc; i++) {
		if (is_secret(argv[i], i > 0 ? argv[i - 1] : "")) {
			g_string_append(text, argv[i][0] == '-' ? " --smb-key=HIDDEN" : " HIDDEN");
			continue;
		}
		bool is_plain = argv[i][0] &&
				strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
						"YZ0123456789-_./=:,+@%") == strlen(argv[i]);
		g_autofree char *word = is_plain ? g_strdup(argv[i]) : g_shell_quote(argv[i]);
		g_string_append_printf(text, " %s", word);
	}
	return g_strdup(text->str);
}

static bool has_severity(const Result *result, Severity least)
{
	for (size_t i = 0; i < result->finding_count; i++) {
		if (result->findings[i].severity >= least)
			return true;
	}
	return false;
}

static int print_grade(const Result *result)
{
	const ResultCapture *c = &result->capture;
	printf("capture grade %c", c->grade);
	for (size_t i = 0; i < c->caveat_count; i++)
		printf("%s %s", i ? ";" : ":", c->caveats[i].text);
	putchar('\n');
	return fflush(stdout) == 0 || errno == EPIPE ? EXIT_DONE : EXIT_REPORT;
}

static const char *format_name(const AnalyzeOptions *o)
{
	return o->json         ? "json"
	       : o->json_lines ? "json-lines"
	       : o->markdown   ? "markdown"
	       : o->html       ? "html"
	       : o->csv        ? "csv"
	       : o->format     ? o->format
			       : "text";
}

/* What is made to be passed on is redacted unless told not to; the rest when asked. */
static bool is_redacted(const AnalyzeOptions *o)
{
	const ReportFormat *format = report_format_find(format_name(o));
	return o->redact ||
	       (!o->no_redact && (o->output || (format && (format->needs & REPORT_IS_SHARED))));
}

/* What differs from the default and changes the result, as the JSON tells. */
static size_t list_options(
	const AnalyzeOptions *o, const char *names[OPTIONS_TOLD], const char *values[OPTIONS_TOLD])
{
	const char *const all[][2] = {{"filter", o->filter}, {"link-speed", o->link_speed},
		{"assume", o->assume}, {"memory", o->memory},
		{"smb-key", o->smb_keys ? "hidden" : NULL}};
	size_t count = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		if (!all[i][1])
			continue;
		names[count] = all[i][0];
		values[count++] = all[i][1];
	}
	return count;
}

static int write_reports(
	const AnalyzeOptions *o, const Result *result, Reader *reader, const char *line)
{
	g_autoptr(GError) error = NULL;
	const char *charset = nl_langinfo(CODESET);
	ReportOptions options = {.verbosity = o->quiet     ? -1
					      : o->verbose ? 1
							   : 0,
		.columns = cmd_terminal_columns(),
		.color = cmd_wants_color(o->color),
		.unicode = strcmp(charset, "UTF-8") == 0,
		.redact = is_redacted(o),
		.redact_map_path = o->redact_map,
		.command_line = line,
		.version = SLOWCOPY_VERSION,
		.reader = reader};
	const char *names[OPTIONS_TOLD], *values[OPTIONS_TOLD];
	options.option_count = list_options(o, names, values);
	options.option_names = names;
	options.option_values = values;
	if (o->output) {
		if (!report_can_read_again(&options))
			fprintf(stderr, "slowcopy: standard input cannot be read twice, so there "
					"is no evidence file\n");
		return report_write_all(result, &options, o->output, &error)
			       ? EXIT_DONE
			       : cmd_fail(EXIT_REPORT, "%s", error->message);
	}
	if (o->grade)
		return print_grade(result);
	const ReportFormat *format = report_format_find(format_name(o));
	return report_write_stdout(format, result, &options, &error)
		       ? EXIT_DONE
		       : cmd_fail(EXIT_REPORT, "%s", error->message);
}

static int check_options(AnalyzeOptions *o, AnalysisOptions *analysis, int *fail_on)
{
	g_autoptr(GError) error = NULL;
	double memory = 0;
	if (!o->files)
		return cmd_fail(
			EXIT_USAGE, "no capture file given; try: slowcopy analyze capture.pcap");
	if (o->format && !report_format_find(o->format))
		return cmd_fail(EXIT_USAGE,
			"unknown format '%s'; slowcopy analyze --help lists them", o->format);
	if (o->memory && !cmd_parse_size(o->memory, 1024, &memory))
		return cmd_fail(
			EXIT_USAGE, "--memory takes a size such as 256M, not '%s'", o->memory);
	if (o->link_speed && !cmd_parse_size(o->link_speed, 1000, &analysis->link_bps))
		return cmd_fail(EXIT_USAGE,
			"--link-speed takes a speed such as 100M or 1G, not '%s'", o->link_speed);
	if (o->assume && !assumption_parse(o->assume, &analysis->assumption, &error))
		return cmd_fail(EXIT_USAGE, "--assume: %s", error->message);
	if (o->fail_on && !cmd_parse_severity(o->fail_on, fail_on))
		return cmd_fail(EXIT_USAGE,
			"--fail-on takes info, minor, major or critical, not '%s'", o->fail_on);
	if (o->color && strcmp(o->color, "auto") != 0 && strcmp(o->color, "always") != 0 &&
		strcmp(o->color, "never") != 0)
		return cmd_fail(
			EXIT_USAGE, "--color takes auto, always or never, not '%s'", o->color);
	if (o->json + o->json_lines + o->markdown + o->html + o->csv + (o->format != NULL) +
			(o->output != NULL) >
		1)
		return cmd_fail(EXIT_USAGE, "choose one of --json, --markdown, --html, --csv, "
					    "--format and -o");
	if (o->redact && o->no_redact)
		return cmd_fail(EXIT_USAGE, "--redact and --no-redact contradict each other");
	if (o->redact_map && !is_redacted(o))
		return cmd_fail(EXIT_USAGE,
			"--redact-map needs a redacted report: add --redact, or "
			"write one with -o, --markdown or --html");
	analysis->memory_bytes = (uint64_t)memory;
	return EXIT_DONE;
}

/* Keys as the user gave them. *@ret is NULL when there are none. */
static int take_keys(AnalyzeOptions *o, SmbKeyring **ret)
{
	size_t count = o->smb_keys ? g_strv_length(o->smb_keys) : 0;
	g_autofree SmbKey *keys = g_new0(SmbKey, count + 1);
	*ret = NULL;
	if (count == 0)
		return EXIT_DONE;
	if (!smb_decrypt_is_built())
		return cmd_fail(EXIT_USAGE, "--smb-key: this slowcopy was built without OpenSSL");
	for (size_t i = 0; i < count; i++) {
		bool is_key = smb_key_parse(o->smb_keys[i], &keys[i]);
		/* nobody needs them any more, and they are not to be printed */
		explicit_bzero(o->smb_keys[i], strlen(o->smb_keys[i]));
		if (!is_key)
			return cmd_fail(EXIT_USAGE,
				"--smb-key takes SESSIONID:KEY, both hexadecimal, the key 32 or 64 "
				"digits long; number %zu is not like that",
				i + 1);
	}
	*ret = smb_keyring_new(keys, count);
	explicit_bzero(keys, count * sizeof *keys);
	return EXIT_DONE;
}

void cmd_warn_of_damage(const Result *result)
{
	for (size_t i = 0; i < result->input_count; i++) {
		if (result->inputs[i].damage)
			fprintf(stderr, "slowcopy: %s: %s\n", result->inputs[i].path,
				result->inputs[i].damage);
	}
}

/* One report of @count inputs. */
static int analyze_inputs(const AnalyzeOptions *o, const AnalysisOptions *analysis_options,
	const char *const *paths, size_t count, int fail_on, const char *line)
{
	g_autoptr(GError) error = NULL;
	ReaderOptions reader_options = {.filter = o->filter, .stop = &cmd_interrupted};
	g_autoptr(Reader) reader = reader_open(paths, count, &reader_options, &error);
	if (!reader)
		return cmd_fail(EXIT_INPUT, "%s", error->message);
	g_autoptr(Analysis) analysis = analysis_new(analysis_options);
	bool is_whole = cmd_read_all(reader, analysis);
	g_autoptr(Result) result = analysis_finish(analysis, reader);
	if (!is_whole) {
		result->is_partial = true;
		fprintf(stderr, "slowcopy: interrupted; this is the report of what was read\n");
	}
	if (result->internal_errors > 0)
		fprintf(stderr,
			"slowcopy: internal error: %" G_GUINT64_FORMAT
			" time budgets do not add up; please report this\n",
			result->internal_errors);
	cmd_warn_of_damage(result);
	int status = write_reports(o, result, reader, line);
	if (status != EXIT_DONE)
		return status;
	if (result->is_partial)
		return EXIT_INPUT;
	return o->fail_on && has_severity(result, (Severity)fail_on) ? EXIT_FOUND : EXIT_DONE;
}

static int run(AnalyzeOptions *o, const char *line)
{
	AnalysisOptions options = {0};
	int fail_on = SEVERITY_INFO;
	int status = check_options(o, &options, &fail_on);
	g_autoptr(SmbKeyring) keys = NULL;
	if (status == EXIT_DONE)
		status = take_keys(o, &keys);
	if (status != EXIT_DONE)
		return status;
	options.smb_keys = keys;
	cmd_catch_interrupts();
	const char *const *paths = (const char *const *)o->files;
	size_t count = g_strv_length(o->files);
	if (!o->json_lines)
		return analyze_inputs(o, &options, paths, count, fail_on, line);
	/* one that cannot be read does not keep the others from being told of */
	for (size_t i = 0; i < count && !cmd_interrupted && status != EXIT_REPORT; i++) {
		int one = analyze_inputs(o, &options, &paths[i], 1, fail_on, line);
		status = MAX(status, one);
	}
	return status;
}

int cmd_analyze(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	AnalyzeOptions o = {0};
	g_autofree char *line = cmd_line(argc, argv);
	int status;
	if (!parse_arguments(&argc, &argv, &o, &error))
		status = cmd_fail(EXIT_USAGE, "%s; slowcopy analyze --help lists the options",
			error->message);
	else
		status = run(&o, line);
	g_free(o.format);
	g_free(o.output);
	g_free(o.color);
	g_free(o.filter);
	g_free(o.fail_on);
	g_free(o.memory);
	g_free(o.link_speed);
	g_free(o.assume);
	g_free(o.redact_map);
	g_strfreev(o.files);
	g_strfreev(o.smb_keys);
	return status;
}
