/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets that were predicted (analyzer/tcp/steady.h) go a short way. Whoever makes all packets of
 * the stored captures go the long one must get the same report.
 */
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "analyzer/analysis.h"
#include "analyzer/capture/reader.h"
#include "reports/report.h"

#define FOLDER "testdata"
/* Parts, that they run side by side. */
#define PARTS 4

/* Captures below @folder, sorted: every part takes its own. */
static void find_captures(const char *folder, GPtrArray *ret)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);
		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			find_captures(path, ret);
		if (g_str_has_suffix(name, ".pcap.gz") || g_str_has_suffix(name, ".pcapng.gz"))
			g_ptr_array_add(ret, path);
		else
			g_free(path);
	}
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *json_of(const char *path, bool is_unpredicted)
{
	static Packet batch[READER_BATCH];
	AnalysisOptions options = {.is_unpredicted = is_unpredicted};
	ReaderOptions reader_options = {0};
	ReportOptions report = {.version = "test"};
	g_autoptr(GError) error = NULL;
	g_autoptr(Reader) reader = reader_open(&path, 1, &reader_options, &error);
	cr_assert_not_null(reader, "%s", path);
	g_autoptr(Analysis) analysis = analysis_new(&options);
	size_t count;
	while ((count = reader_next_batch(reader, batch)) > 0)
		analysis_feed(analysis, batch, count);
	g_autoptr(Result) result = analysis_finish(analysis, reader);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	cr_assert_not_null(out);
	cr_assert(report_format_find("json")->write(result, &report, out, &error), "%s", path);
	fclose(out);
	return text;
}

static void compare_part(unsigned part)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	find_captures(FOLDER, paths);
	g_ptr_array_sort(paths, by_name);
	cr_assert_geq(paths->len, 100, "the stored captures are below " FOLDER);
	for (unsigned i = part; i < paths->len; i += PARTS) {
		const char *path = g_ptr_array_index(paths, i);
		g_autofree char *predicted = json_of(path, false);
		g_autofree char *all = json_of(path, true);
		cr_assert(strcmp(predicted, all) == 0, "%s: the short way differs", path);
	}
}

Test(predicted, first_part_goes_both_ways)
{
	compare_part(0);
}

Test(predicted, second_part_goes_both_ways)
{
	compare_part(1);
}

Test(predicted, third_part_goes_both_ways)
{
	compare_part(2);
}

Test(predicted, fourth_part_goes_both_ways)
{
	compare_part(3);
}
