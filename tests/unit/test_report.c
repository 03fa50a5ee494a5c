/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.c: a file appears whole or not at all, errors are told, a closed pipe is quiet; and the
 * documents of all samples are valid against docs/report.schema.json.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "reports/report.h"
#include "tests/tools/sample_result.h"

static char *folder;

static void begin(void)
{
	folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
}

static void end(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_remove(path);
	}
	g_rmdir(folder);
	g_free(folder);
}

TestSuite(report, .init = begin, .fini = end, .timeout = 120);

/** entries: how many files are in the folder. */
static int entries(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	int count = 0;

	while (g_dir_read_name(dir))
		count++;
	return count;
}

static bool failing_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	(void)result;
	(void)options;
	fputs("half of a report", out);
	g_set_error(error, REPORT_ERROR, REPORT_ERROR_FORMAT, "no more");
	return false;
}

static const ReportFormat failing = {.name = "failing", .suffix = ".x", .write = failing_write};

Test(report, formats)
{
	for (size_t i = 0; report_formats[i]; i++) {
		cr_assert_eq(report_format_find(report_formats[i]->name), report_formats[i]);
		cr_assert(report_formats[i]->summary && report_formats[i]->suffix);
	}
	cr_assert_null(report_format_find("nothing"));
}

Test(report, a_file_is_whole_or_not_there)
{
	g_autofree char *path = g_build_filename(folder, "report.json", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	struct stat info;

	umask(022);
	cr_assert_not(report_write_file(
		&failing, sample_result("empty"), &(ReportOptions){0}, path, &error));
	cr_assert_str_eq(error->message, "no more");
	cr_assert_eq(entries(), 0);
	cr_assert(g_file_set_contents(path, "old", -1, NULL));
	g_clear_error(&error);
	cr_assert_not(report_write_file(
		&failing, sample_result("empty"), &(ReportOptions){0}, path, &error));
	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	cr_assert_str_eq(text, "old");
	cr_assert(report_write_file(report_format_find("json"), sample_result("empty"),
		&(ReportOptions){0}, path, NULL));
	cr_assert_eq(entries(), 1);
	cr_assert_eq(stat(path, &info), 0);
	cr_assert_eq(info.st_mode & 0777, 0644);
	cr_assert(info.st_size > 100);
}

Test(report, a_link_stays_a_link)
{
	g_autofree char *path = g_build_filename(folder, "real", NULL);
	g_autofree char *link_path = g_build_filename(folder, "link", NULL);
	struct stat info;

	cr_assert(g_file_set_contents(path, "old", -1, NULL));
	cr_assert_eq(symlink("real", link_path), 0);
	cr_assert(report_write_file(report_format_find("text"), sample_result("empty"),
		&(ReportOptions){0}, link_path, NULL));
	cr_assert_eq(lstat(link_path, &info), 0);
	cr_assert(S_ISLNK(info.st_mode));
	cr_assert_eq(stat(path, &info), 0);
	cr_assert(info.st_size > 100);
}

Test(report, errors_name_the_file_and_the_reason)
{
	static const struct {
		const char *path, *reason;
	} cases[] = {
		{"/dev/full", "No space left on device"},
		{"/no/such/folder/report", "No such file or directory"},
		{"/tmp", "Is a directory"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		for (size_t k = 0; report_formats[k]; k++) {
			g_autoptr(GError) error = NULL;

			if (report_formats[k]->needs & REPORT_NEEDS_INPUT_AGAIN)
				continue;
			cr_assert_not(
				report_write_file(report_formats[k], sample_result("slow-read"),
					&(ReportOptions){0}, cases[i].path, &error));
			cr_assert(g_error_matches(error, REPORT_ERROR, REPORT_ERROR_WRITE));
			cr_assert(strstr(error->message, cases[i].path), "%s", error->message);
			cr_assert(strstr(error->message, cases[i].reason), "%s", error->message);
		}
	}
}

/** with_stdout: writes a report to standard output, which is @fd. */
static bool with_stdout(int fd, GError **error)
{
	int saved = dup(STDOUT_FILENO);
	bool ok;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ok = report_write_stdout(
		report_format_find("json"), sample_result("ftp-job"), &(ReportOptions){0}, error);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return ok;
}

Test(report, standard_output)
{
	g_autoptr(GError) error = NULL;
	int full = open("/dev/full", O_WRONLY), none = open("/dev/null", O_WRONLY), ends[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert(with_stdout(none, &error));
	cr_assert_not(with_stdout(full, &error));
	cr_assert(strstr(error->message, "standard output"), "%s", error->message);
	cr_assert(strstr(error->message, "No space left"), "%s", error->message);
	g_clear_error(&error);
	/* whoever reads goes away: no error, no word */
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_assert(with_stdout(ends[1], &error));
	cr_assert_null(error);
	close(ends[1]);
	close(full);
	close(none);
}

Test(report, all_at_once_without_an_input_to_read_again)
{
	g_autofree char *base = g_build_filename(folder, "base", NULL);
	g_autoptr(GError) error = NULL;
	ReportOptions options = {.redact = true};

	cr_assert_not(report_can_read_again(&options));
	cr_assert(report_write_all(sample_result("slow-read"), &options, base, &error), "%s",
		error ? error->message : "");
	cr_assert_eq(entries(), 3);
	cr_assert_not(report_write_all(
		sample_result("slow-read"), &options, "/no/such/folder/base", &error));
	cr_assert(strstr(error->message, "/no/such/folder/base.md"), "%s", error->message);
}

Test(report, json_is_valid_against_the_schema)
{
	g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *output = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;

	g_ptr_array_add(command, g_strdup("python3"));
	g_ptr_array_add(command, g_strdup("tests/tools/validate_json.py"));
	g_ptr_array_add(command, g_strdup("docs/report.schema.json"));
	for (size_t i = 0; sample_result_names[i]; i++) {
		for (int redact = 0; redact < 2; redact++) {
			char *path = g_strdup_printf(
				"%s/%s-%d.json", folder, sample_result_names[i], redact);

			cr_assert(report_write_file(report_format_find("json"),
					  sample_result(sample_result_names[i]),
					  &(ReportOptions){.redact = redact}, path, &error),
				"%s", error ? error->message : "");
			g_ptr_array_add(command, path);
		}
	}
	g_ptr_array_add(command, NULL);
	cr_assert(g_spawn_sync(NULL, (char **)command->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
			  &output, NULL, &status, &error),
		"%s", error ? error->message : "");
	cr_assert_eq(status, 0, "%s", output);
}

/* Result of a size no capture has: a page stays below 2 MB */
Test(report, html_stays_small)
{
	static ResultTransfer many[2000];
	static ResultConnection connections[2000];
	static ResultFinding findings[300];
	static char long_name[2000];
	const Result *sample = sample_result("slow-read");
	Result large = *sample;
	g_autofree char *path = g_build_filename(folder, "large.html", NULL);
	g_autofree char *markdown = g_build_filename(folder, "large.md", NULL);
	g_autofree char *text = NULL;
	struct stat info;
	int lines = 0;

	/* what grows most when it is escaped */
	memset(long_name, '"', sizeof long_name - 1);
	for (size_t i = 0; i < G_N_ELEMENTS(many); i++) {
		many[i] = sample->transfers[0];
		many[i].file = long_name;
		connections[i] = sample->connections[0];
		connections[i].application = long_name;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(findings); i++) {
		findings[i] = sample->findings[0];
		findings[i].sentence = findings[i].explanation = findings[i].doubt = long_name;
		findings[i].title = findings[i].filter = long_name;
	}
	large.transfers = many;
	large.transfer_count = G_N_ELEMENTS(many);
	large.connections = connections;
	large.connection_count = G_N_ELEMENTS(connections);
	large.findings = findings;
	large.finding_count = G_N_ELEMENTS(findings);
	cr_assert(report_write_file(
		report_format_find("html"), &large, &(ReportOptions){0}, path, NULL));
	cr_assert_eq(stat(path, &info), 0);
	cr_assert(info.st_size < 2000000, "%lld bytes", (long long)info.st_size);
	cr_assert(report_write_file(
		report_format_find("markdown"), &large, &(ReportOptions){0}, markdown, NULL));
	cr_assert(g_file_get_contents(markdown, &text, NULL, NULL));
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	cr_assert_lt(lines, 60, "the Markdown has %d lines", lines);
	cr_assert(info.st_size > 500000, "%lld bytes: not what it should test",
		(long long)info.st_size);
}

Test(report, html_in_a_browser)
{
	g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *output = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;

	g_ptr_array_add(command, g_strdup("python3"));
	g_ptr_array_add(command, g_strdup("tests/browser/check_html.py"));
	for (size_t i = 0; sample_result_names[i]; i++) {
		char *path = g_strdup_printf("%s/%s.html", folder, sample_result_names[i]);

		cr_assert(report_write_file(report_format_find("html"),
			sample_result(sample_result_names[i]), &(ReportOptions){0}, path, NULL));
		g_ptr_array_add(command, path);
	}
	g_ptr_array_add(command, NULL);
	cr_assert(g_spawn_sync(NULL, (char **)command->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
			  &output, NULL, &status, &error),
		"%s", error ? error->message : "");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip("no Chromium is installed");
	cr_assert_eq(status, 0, "%s", output);
}
