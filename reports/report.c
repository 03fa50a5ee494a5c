/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of report.h: where bytes go. A file appears whole or not at all; every write error
 * is found and told with its reason.
 */
#include "reports/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/redact.h"

G_DEFINE_QUARK(slowcopy - report - error, report_error)

/** Sink: a file descriptor behind a FILE, which remembers the first error. stdio alone loses its
 * reason. */
typedef struct Sink {
	int fd;
	int error; /* errno of the first failed write, 0 none */
} Sink;

static ssize_t sink_write(void *cookie, const char *data, size_t len)
{
	Sink *sink = cookie;
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(sink->fd, data + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (!sink->error)
				sink->error = errno;
			return 0;
		}
		done += (size_t)n;
	}
	return (ssize_t)len;
}

/** Job: one report to write. */
typedef struct Job {
	const ReportFormat *format;
	const Result *result;         /* the redacted copy when there is a redaction */
	const ReportOptions *options; /* likewise */
	const Redaction *redaction;   /* NULL: with all names */
} Job;

/** write_checked: makes the report in memory, searches it for originals and only then lets it out.
 */
static bool write_checked(const Job *job, FILE *out, GError **error)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	bool ok;

	if (!memory) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "cannot make the report: %s",
			g_strerror(errno));
		return false;
	}
	ok = job->format->write(job->result, job->options, memory, error);
	if (fclose(memory) != 0 && ok) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "cannot make the report: %s",
			g_strerror(errno));
		ok = false;
	}
	ok = ok && redaction_check(job->redaction, text, len, error);
	if (ok)
		fwrite(text, 1, len, out);
	free(text);
	return ok;
}

/** write_to: writes the report to a descriptor. Returns false with @error set, or with sink->error
 * set when writing failed. */
static bool write_to(Sink *sink, const Job *job, GError **error)
{
	FILE *out = fopencookie(sink, "w", (cookie_io_functions_t){.write = sink_write});
	bool ok;

	if (!out) {
		sink->error = errno;
		return false;
	}
	/* the default buffer of a cookie stream is one page */
	setvbuf(out, NULL, _IOFBF, 1 << 16);
	/* a binary format searches its own parts, which are no text */
	if (job->redaction && !(job->format->needs & REPORT_IS_BINARY))
		ok = write_checked(job, out, error);
	else
		ok = job->format->write(job->result, job->options, out, error);
	if (fclose(out) != 0 && !sink->error)
		sink->error = errno;
	if (sink->error) {
		g_clear_error(error);
		return false;
	}
	return ok;
}

static bool fail(GError **error, const char *path, int code)
{
	g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "cannot write %s: %s", path,
		g_strerror(code));
	return false;
}

/** write_through: into something that is not a regular file (a device, a pipe): no rename can make
 * that atomic. */
static bool write_through(const Job *job, const char *path, GError **error)
{
	Sink sink = {.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)};
	bool ok;

	if (sink.fd < 0)
		return fail(error, path, errno);
	ok = write_to(&sink, job, error);
	if (close(sink.fd) != 0 && !sink.error)
		sink.error = errno;
	if (sink.error) {
		g_clear_error(error);
		return fail(error, path, sink.error);
	}
	return ok;
}

/** sync_folder: makes the rename itself durable; best effort, since some file systems refuse. */
static void sync_folder(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!fsync(fd);
	close(fd);
}

/** finish_file: gives the written temporary file its mode and its name. Returns errno or 0. */
static int finish_file(int fd, const char *temporary, const char *path)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask) != 0)
		return errno;
	/* EINVAL: a file system that has nothing to sync */
	if (fsync(fd) != 0 && errno != EINVAL)
		return errno;
	return rename(temporary, path) == 0 ? 0 : errno;
}

/** write_file: atomically, unless @path is no regular file. */
static bool write_file(const Job *job, const char *path, GError **error)
{
	g_autofree char *resolved = realpath(path, NULL);
	const char *target = resolved ? resolved : path; /* a link stays, what it names changes */
	g_autofree char *temporary = g_strconcat(target, ".XXXXXX", NULL);
	struct stat info;
	Sink sink = {0};
	bool ok;

	if (stat(target, &info) == 0 && !S_ISREG(info.st_mode))
		return S_ISDIR(info.st_mode) ? fail(error, path, EISDIR)
					     : write_through(job, target, error);
	sink.fd = mkostemp(temporary, O_CLOEXEC);
	if (sink.fd < 0)
		return fail(error, path, errno);
	ok = write_to(&sink, job, error);
	if (ok)
		sink.error = finish_file(sink.fd, temporary, target);
	if (close(sink.fd) != 0 && !sink.error)
		sink.error = errno;
	if (!ok || sink.error) {
		unlink(temporary);
		return sink.error ? fail(error, path, sink.error) : false;
	}
	sync_folder(target);
	return true;
}

/** job_of: the job of writing @format; makes the redacted copy when asked. */
static Job job_of(const ReportFormat *format, const Result *result, const ReportOptions *options,
	Redaction **ret_redaction)
{
	*ret_redaction = options->redact ? redaction_new(result, options) : NULL;
	if (!*ret_redaction)
		return (Job){format, result, options, NULL};
	return (Job){format, redaction_result(*ret_redaction), redaction_options(*ret_redaction),
		*ret_redaction};
}

/** write_map: the map of pseudonyms, when one was asked for and there are any. */
static bool write_map(const Job *job, GError **error)
{
	if (!job->redaction || !job->options->redact_map_path)
		return true;
	return redaction_write_map(job->redaction, job->options->redact_map_path, error);
}

bool report_write_file(const ReportFormat *format, const Result *result,
	const ReportOptions *options, const char *path, GError **error)
{
	g_autoptr(Redaction) redaction = NULL;
	Job job = job_of(format, result, options, &redaction);

	return write_file(&job, path, error) && write_map(&job, error);
}

bool report_can_read_again(const ReportOptions *options)
{
	if (!options->reader)
		return false;
	for (size_t i = 0; i < reader_input_count(options->reader); i++) {
		if (strcmp(reader_input(options->reader, i)->path, "-") == 0)
			return false;
	}
	return true;
}

bool report_write_all(
	const Result *result, const ReportOptions *options, const char *base, GError **error)
{
	static const char *const names[] = {"markdown", "html", "json", "pcapng"};
	g_autoptr(Redaction) redaction = NULL;
	Job job = job_of(NULL, result, options, &redaction);
	GError *first = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GError) here = NULL;
		g_autofree char *path = NULL;

		job.format = report_format_find(names[i]);
		if ((job.format->needs & REPORT_NEEDS_INPUT_AGAIN) &&
			!report_can_read_again(options))
			continue;
		path = g_strconcat(base, job.format->suffix, NULL);
		if (!write_file(&job, path, &here) && !first)
			first = g_steal_pointer(&here);
	}
	if (!first)
		write_map(&job, &first);
	if (!first)
		return true;
	g_propagate_error(error, first);
	return false;
}

bool report_write_stdout(const ReportFormat *format, const Result *result,
	const ReportOptions *options, GError **error)
{
	g_autoptr(Redaction) redaction = NULL;
	Job job = job_of(format, result, options, &redaction);
	Sink sink = {.fd = STDOUT_FILENO};
	bool ok;

	if (fflush(stdout) != 0)
		sink.error = errno;
	ok = !sink.error && write_to(&sink, &job, error);
	/* whoever reads has seen enough */
	if (sink.error == EPIPE)
		return true;
	if (sink.error)
		return fail(error, "standard output", sink.error);
	return ok && write_map(&job, error);
}

bool report_print(const char *text, size_t len, GError **error)
{
	Sink sink = {.fd = STDOUT_FILENO};

	if (fflush(stdout) != 0)
		sink.error = errno;
	if (!sink.error)
		sink_write(&sink, text, len);
	return sink.error == 0 || sink.error == EPIPE ? true
						      : fail(error, "standard output", sink.error);
}
