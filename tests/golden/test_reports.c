/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every format of reports/, byte for byte, on Results made by hand: tests/golden/reports/. What
 * SLOWCOPY_GOLDEN_UPDATE=1 writes there is to be read before it is committed.
 */
#include <locale.h>
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "reports/assets.h"
#include "reports/report.h"
#include "tests/tools/sample_result.h"

#define FOLDER "tests/golden/reports"

typedef struct GoldenCase {
	const char *sample, *format, *file; /* FOLDER/sample.file */
	ReportOptions options;
} GoldenCase;

static const char *const names[] = {"filter", "memory"};
static const char *const values[] = {"host 10.0.0.2", "256M"};

static const GoldenCase cases[] = {
	{"slow-read", "text", "txt", {.unicode = true}},
	{"slow-read", "text", "q.txt", {.unicode = true, .verbosity = -1}},
	{"slow-read", "text", "v.txt", {.unicode = true, .verbosity = 1, .columns = 100}},
	{"slow-read", "text", "color.txt", {.unicode = true, .color = true}},
	{"slow-read", "text", "ascii.txt", {.columns = 60}},
	{"slow-read", "text", "redacted.txt", {.unicode = true, .redact = true}},
	{"healthy", "text", "txt", {.unicode = true}},
	{"healthy", "text", "q.txt", {.unicode = true, .verbosity = -1}},
	{"ftp-job", "text", "txt", {.unicode = true}},
	{"empty", "text", "txt", {.unicode = true}},
	{"empty", "text", "q.txt", {.unicode = true, .verbosity = -1}},
	{"hostile", "text", "txt", {.unicode = true}},
	{"hostile", "text", "v.txt", {.unicode = true, .verbosity = 1}},
	{"hostile", "text", "ascii.v.txt", {.verbosity = 1}},
	{"slow-read", "json", "json",
		{.option_names = names, .option_values = values, .option_count = 2}},
	{"healthy", "json", "json", {0}},
	{"empty", "json", "json", {0}},
	{"hostile", "json", "json", {0}},
	{"slow-read", "markdown", "md", {.command_line = "slowcopy capture.pcap"}},
	{"slow-read", "markdown", "redacted.md",
		{.redact = true, .command_line = "slowcopy capture.pcap"}},
	{"healthy", "markdown", "md", {0}},
	{"ftp-job", "markdown", "md", {0}},
	{"empty", "markdown", "md", {0}},
	{"hostile", "markdown", "md", {0}},
	{"healthy", "csv", "csv", {0}},
	{"slow-read", "html", "html", {.command_line = "slowcopy capture.pcap"}},
	{"empty", "html", "html", {0}},
	{"hostile", "html", "html", {0}},
};

/** replace: all of @from in @text by @to. */
static char *replace(char *text, const char *from, const char *to)
{
	g_auto(GStrv) parts = NULL;

	if (!*from)
		return text;
	parts = g_strsplit(text, from, -1);
	g_free(text);
	return g_strjoinv(to, parts);
}

/** without_assets: the page with our files and the packaged ones taken out: they have tests of
 * their own, and a new package would change every page. */
static char *without_assets(char *text)
{
	static const char *const marks[] = {"[report.css]", "[report.js]", "[dygraph.css]",
		"[dygraph.js]", "[dygraph.copyright]"};
	g_autoptr(GRegex) hash = g_regex_new("sha256-[A-Za-z0-9+/=]+", 0, 0, NULL);
	char *ret;

	for (int i = 0; i < ASSET_COUNT; i++)
		text = replace(text, report_asset((ReportAsset)i), marks[i]);
	ret = g_regex_replace_literal(hash, text, -1, 0, "[hash]", 0, NULL);
	g_free(text);
	return ret;
}

/** written: the report of a case. */
static char *written(const GoldenCase *c)
{
	ReportOptions options = c->options;
	g_autofree char *folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "report", NULL);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	options.version = "0.1.0";
	cr_assert(report_write_file(report_format_find(c->format), sample_result(c->sample),
			  &options, path, &error),
		"%s %s: %s", c->sample, c->file, error ? error->message : "");
	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	remove(path);
	remove(folder);
	return strcmp(c->format, "html") == 0 ? without_assets(text) : text;
}

/** first_difference: the line on which two texts part. */
static int first_difference(const char *a, const char *b)
{
	int line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

Test(golden_reports, byte_for_byte)
{
	bool update = g_getenv("SLOWCOPY_GOLDEN_UPDATE") != NULL;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path =
			g_strdup_printf(FOLDER "/%s.%s", cases[i].sample, cases[i].file);
		g_autofree char *got = written(&cases[i]);
		g_autofree char *again = written(&cases[i]);
		g_autofree char *want = NULL;

		cr_assert_str_eq(got, again, "%s is not the same twice", path);
		if (update) {
			cr_assert(g_file_set_contents(path, got, -1, NULL), "%s", path);
			continue;
		}
		cr_assert(g_file_get_contents(path, &want, NULL, NULL),
			"%s is missing: make golden-update", path);
		cr_expect(strcmp(got, want) == 0,
			"%s differs from line %d on; make golden-update, then read the difference",
			path, first_difference(got, want));
	}
}
