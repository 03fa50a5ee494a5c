/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_text.c: the first screen fits, colour is only colour, and nothing reaches a terminal that
 * is not text.
 */
#include <locale.h>
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "reports/escape.h"
#include "reports/report.h"
#include "tests/tools/sample_result.h"

static char *text_of(const char *sample, ReportOptions options)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	options.version = "0.1.0";
	cr_assert(report_format_find("text")->write(sample_result(sample), &options, out, NULL));
	fclose(out);
	return text;
}

static void utf8(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
}

TestSuite(text, .init = utf8, .timeout = 30);

Test(text, first_screen_fits_24_lines_of_80_columns)
{
	for (size_t i = 0; sample_result_names[i]; i++) {
		for (int unicode = 0; unicode < 2; unicode++) {
			g_autofree char *text = text_of(
				sample_result_names[i], (ReportOptions){.unicode = unicode});
			g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

			cr_assert(g_strv_length(lines) - 1 <= 24, "%s: %u lines",
				sample_result_names[i], g_strv_length(lines) - 1);
			for (size_t k = 0; lines[k]; k++)
				cr_assert(escape_width(lines[k]) <= 80, "%s: %d columns: %s",
					sample_result_names[i], escape_width(lines[k]), lines[k]);
		}
	}
}

Test(text, narrow_terminals)
{
	for (size_t i = 0; sample_result_names[i]; i++) {
		for (int columns = 1; columns < 120; columns += 7) {
			g_autofree char *text = text_of(sample_result_names[i],
				(ReportOptions){.unicode = true, .columns = columns});
			g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

			for (size_t k = 0; lines[k]; k++)
				cr_assert(escape_width(lines[k]) <= CLAMP(columns, 40, 100),
					"%s at %d: %s", sample_result_names[i], columns, lines[k]);
		}
	}
}

/** plain: @text without colour escapes. */
static char *plain(const char *text)
{
	g_autoptr(GRegex) escapes = g_regex_new("\033\\[[0-9;]*m", 0, 0, NULL);

	return g_regex_replace_literal(escapes, text, -1, 0, "", 0, NULL);
}

Test(text, only_colour_differs_and_only_on_request)
{
	for (size_t i = 0; sample_result_names[i]; i++) {
		for (int verbosity = -1; verbosity < 2; verbosity++) {
			g_autofree char *without = text_of(sample_result_names[i],
				(ReportOptions){.unicode = true, .verbosity = verbosity});
			g_autofree char *with = text_of(sample_result_names[i],
				(ReportOptions){
					.unicode = true, .color = true, .verbosity = verbosity});
			g_autofree char *stripped = plain(with);

			cr_assert_null(strchr(without, '\033'), "%s", sample_result_names[i]);
			cr_assert(verbosity < 0 || strchr(with, '\033'), "%s",
				sample_result_names[i]);
			cr_assert_str_eq(stripped, without, "%s", sample_result_names[i]);
		}
	}
}

Test(text, ascii_where_the_locale_is_not_utf8)
{
	for (size_t i = 0; sample_result_names[i]; i++) {
		g_autofree char *text =
			text_of(sample_result_names[i], (ReportOptions){.verbosity = 1});

		for (const char *p = text; *p; p++)
			cr_assert((*p >= 0x20 && *p < 0x7f) || *p == '\n', "%s: %02x",
				sample_result_names[i], (unsigned char)*p);
	}
}

/* a wrong "unicode" must not hang the table library, whatever the locale */
Test(text, tables_in_the_c_locale)
{
	setlocale(LC_ALL, "C");
	for (size_t i = 0; sample_result_names[i]; i++) {
		g_autofree char *text = text_of(
			sample_result_names[i], (ReportOptions){.unicode = true, .verbosity = 1});

		cr_assert(strstr(text, "CONNECTIONS"), "%s", sample_result_names[i]);
	}
}

Test(text, unc_paths_stay_as_they_are)
{
	g_autofree char *text = text_of(
		"slow-read", (ReportOptions){.unicode = true, .verbosity = 1, .columns = 120});

	cr_assert(strstr(text, "images\\backup.iso"), "%s", text);
	cr_assert_null(strstr(text, "\\x"));
}

Test(text, quiet_is_one_line)
{
	for (size_t i = 0; sample_result_names[i]; i++) {
		g_autofree char *text = text_of(
			sample_result_names[i], (ReportOptions){.unicode = true, .verbosity = -1});

		cr_assert_eq(strchr(text, '\n') + 1, text + strlen(text), "%s: %s",
			sample_result_names[i], text);
	}
}

Test(text, says_what_matters)
{
	static const struct {
		const char *sample, *words;
	} cases[] = {
		{"slow-read", "limited by the CLIENT"},
		{"slow-read", "measured 8.7 MB/s = 70 Mbit/s"},
		{"slow-read", "confidence: high"},
		{"slow-read", "slowcopy explain smb-serial-requests"},
		{"slow-read", "(saves 53 s of 61 s)"},
		{"healthy", "Nothing is wrong: 112 MB/s is a full gigabit link."},
		{"ftp-job", "200 files"},
		{"ftp-job", "damaged at byte 11100000"},
		{"empty", "no file transfer"},
		{"empty", "3 TCP connections (2 TLS, 1 HTTP)"},
		{"hostile", "possibly limited by the NETWORK"},
		{"hostile", "error of its own"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = text_of(cases[i].sample, (ReportOptions){0});
		g_autoptr(GRegex) blanks = g_regex_new("\\s+", 0, 0, NULL);
		g_autofree char *line = g_regex_replace_literal(blanks, text, -1, 0, " ", 0, NULL);

		cr_assert(strstr(line, cases[i].words), "%s: no \"%s\" in\n%s", cases[i].sample,
			cases[i].words, text);
	}
	/* a healthy copy is not told what to repair */
	g_autofree char *healthy = text_of("healthy", (ReportOptions){0});
	cr_assert_null(strstr(healthy, "FIX"));
	cr_assert_null(strstr(healthy, "confidence"));
}
