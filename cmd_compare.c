/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy compare A B`: analyses two captures, or reads reports saved with --json, and says what
 * changed.
 */
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "analyzer/comparison.h"
#include "cmd.h"
#include "reports/compare.h"

typedef struct CompareOptions {
	gboolean json, markdown, quiet, verbose, redact, no_redact;
	char *color, *filter, *link_speed, *fail_on;
	char **files;
} CompareOptions;

static bool parse_arguments(int *argc, char ***argv, CompareOptions *o, GError **error)
{
	const GOptionEntry entries[] = {
		{"json", 'j', 0, G_OPTION_ARG_NONE, &o->json, "print the comparison as JSON", NULL},
		{"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown,
			"print it for an issue tracker (redacted)", NULL},
		{"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "the result in one line", NULL},
		{"verbose", 'v', 0, G_OPTION_ARG_NONE, &o->verbose,
			"all kinds of time, all changes, and a table of copies", NULL},
		{"filter", 'f', 0, G_OPTION_ARG_STRING, &o->filter,
			"only packets that match a capture filter (pcap-filter(7))", "EXPR"},
		{"link-speed", 0, 0, G_OPTION_ARG_STRING, &o->link_speed,
			"speed of the slowest link, such as 100M or 1G bit/s (default: measured)",
			"BIT/S"},
		{"fail-on", 0, 0, G_OPTION_ARG_STRING, &o->fail_on,
			"exit 1 when B has a cause of this severity that A has not: info, minor, "
			"major, critical",
			"SEVERITY"},
		{"color", 0, 0, G_OPTION_ARG_STRING, &o->color,
			"auto, always or never (default auto)", "WHEN"},
		{"redact", 0, 0, G_OPTION_ARG_NONE, &o->redact,
			"pseudonyms instead of names and addresses in text and JSON, too", NULL},
		{"no-redact", 0, 0, G_OPTION_ARG_NONE, &o->no_redact,
			"real names and addresses in Markdown", NULL},
		{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files, NULL, "A B"},
		G_OPTION_ENTRY_NULL};
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_option_context_set_summary(context,
		"Says what changed from A to B: the time and its kinds, causes that came and went, "
		"and whether\nwhat was predicted came true. A and B are captures (a directory is "
		"one capture) or reports\nsaved with --json or -o.");
	g_option_context_add_main_entries(context, entries, NULL);
	return g_option_context_parse(context, argc, argv, error);
}

/* One side. *@ret_status is EXIT_INPUT also when there is a side but it was not read whole. */
static Comparand *load_side(const CompareOptions *o, const AnalysisOptions *analysis_options,
	const char *path, int *ret_status)
{
	g_autoptr(GError) error = NULL;
	ReaderOptions reader_options = {.filter = o->filter, .stop = &cmd_interrupted};
	if (strcmp(path, "-") != 0 && comparand_looks_like_json(path)) {
		Comparand *saved = comparand_from_json(path, &error);
		if (!saved)
			*ret_status = cmd_fail(EXIT_INPUT, "%s", error->message);
		return saved;
	}
	g_autoptr(Reader) reader = reader_open(&path, 1, &reader_options, &error);
	if (!reader) {
		*ret_status = cmd_fail(EXIT_INPUT, "%s", error->message);
		return NULL;
	}
	g_autoptr(Analysis) analysis = analysis_new(analysis_options);
	bool is_whole = cmd_read_all(reader, analysis);
	g_autoptr(Result) result = analysis_finish(analysis, reader);
	if (!is_whole) {
		*ret_status = cmd_fail(EXIT_INPUT, "interrupted; nothing is compared");
		return NULL;
	}
	cmd_warn_of_damage(result);
	if (result->is_partial)
		*ret_status = EXIT_INPUT;
	return comparand_from_result(result, path);
}

static bool has_new(const Comparison *comparison, int severity)
{
	for (guint i = 0; i < comparison->came->len; i++) {
		const ComparandFinding *f = comparison->came->pdata[i];
		if ((int)f->severity >= severity)
			return true;
	}
	return false;
}

static int check_options(const CompareOptions *o, AnalysisOptions *analysis, int *fail_on)
{
	size_t count = o->files ? g_strv_length(o->files) : 0;
	if (count != 2)
		return cmd_fail(EXIT_USAGE,
			"compare takes two captures or reports, not %zu; try: "
			"slowcopy compare before.pcap after.pcap",
			count);
	if (strcmp(o->files[0], "-") == 0 && strcmp(o->files[1], "-") == 0)
		return cmd_fail(EXIT_USAGE, "standard input cannot be both A and B");
	if (o->json && o->markdown)
		return cmd_fail(EXIT_USAGE, "choose one of --json and --markdown");
	if (o->redact && o->no_redact)
		return cmd_fail(EXIT_USAGE, "--redact and --no-redact contradict each other");
	if (o->link_speed && !cmd_parse_size(o->link_speed, 1000, &analysis->link_bps))
		return cmd_fail(EXIT_USAGE,
			"--link-speed takes a speed such as 100M or 1G, not '%s'", o->link_speed);
	if (o->fail_on && !cmd_parse_severity(o->fail_on, fail_on))
		return cmd_fail(EXIT_USAGE,
			"--fail-on takes info, minor, major or critical, not '%s'", o->fail_on);
	return EXIT_DONE;
}

static int write_report(const CompareOptions *o, Comparison *comparison, const char *line)
{
	g_autoptr(GError) error = NULL;
	const char *names[] = {"filter", "link-speed"}, *values[2];
	ReportOptions options = {.verbosity = o->quiet ? -1 : o->verbose,
		.columns = cmd_terminal_columns(),
		.color = cmd_wants_color(o->color),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.redact = o->redact || (o->markdown && !o->no_redact),
		.command_line = line,
		.version = SLOWCOPY_VERSION};
	const char *const given[] = {o->filter, o->link_speed};
	for (size_t i = 0; i < G_N_ELEMENTS(given); i++) {
		if (!given[i])
			continue;
		names[options.option_count] = names[i];
		values[options.option_count++] = given[i];
	}
	options.option_names = names;
	options.option_values = values;
	CompareFormat format = o->json       ? COMPARE_JSON
			       : o->markdown ? COMPARE_MARKDOWN
					     : COMPARE_TEXT;
	return compare_write(comparison, format, &options, &error)
		       ? EXIT_DONE
		       : cmd_fail(EXIT_REPORT, "%s", error->message);
}

static int run(const CompareOptions *o, const char *line)
{
	AnalysisOptions analysis = {0};
	int fail_on = SEVERITY_INFO, input = EXIT_DONE;
	int status = check_options(o, &analysis, &fail_on);
	if (status != EXIT_DONE)
		return status;
	cmd_catch_interrupts();
	g_autoptr(Comparand) a = load_side(o, &analysis, o->files[0], &input);
	g_autoptr(Comparand) b = a ? load_side(o, &analysis, o->files[1], &input) : NULL;
	if (!a || !b)
		return input;
	g_autoptr(Comparison) comparison = comparison_new(a, b);
	bool fails = o->fail_on && has_new(comparison, fail_on);
	status = write_report(o, comparison, line);
	if (status != EXIT_DONE)
		return status;
	return input != EXIT_DONE ? input : fails ? EXIT_FOUND : EXIT_DONE;
}

int cmd_compare(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	CompareOptions o = {0};
	g_autofree char *line = cmd_line(argc, argv);
	int status;
	if (!parse_arguments(&argc, &argv, &o, &error))
		status = cmd_fail(EXIT_USAGE, "%s; slowcopy compare --help lists the options",
			error->message);
	else
		status = run(&o, line);
	g_free(o.color);
	g_free(o.filter);
	g_free(o.link_speed);
	g_free(o.fail_on);
	g_strfreev(o.files);
	return status;
}
