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

/** write_to: runs the format on a descriptor. Returns false with @error set, or with sink->error
 * set when writing failed. */
static bool write_to(Sink *sink, const ReportFormat *format, const Result *result,
	const ReportOptions *options, GError **error)
{
	FILE *out = fopencookie(sink, "w", (cookie_io_functions_t){.write = sink_write});
	bool ok;

	if (!out) {
		sink->error = errno;
		return false;
	}
	/* the default buffer of a cookie stream is one page */
	setvbuf(out, NULL, _IOFBF, 1 << 16);
	ok = format->write(result, options, out, error);
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
static bool write_through(const ReportFormat *format, const Result *result,
	const ReportOptions *options, const char *path, GError **error)
{
	Sink sink = {.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)};
	bool ok;

	if (sink.fd < 0)
		return fail(error, path, errno);
	ok = write_to(&sink, format, result, options, error);
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

bool report_write_file(const ReportFormat *format, const Result *result,
	const ReportOptions *options, const char *path, GError **error)
{
	g_autofree char *resolved = realpath(path, NULL);
	const char *target = resolved ? resolved : path; /* a link stays, what it names changes */
	g_autofree char *temporary = g_strconcat(target, ".XXXXXX", NULL);
	struct stat info;
	Sink sink = {0};
	bool ok;

	if (stat(target, &info) == 0 && !S_ISREG(info.st_mode))
		return S_ISDIR(info.st_mode)
			       ? fail(error, path, EISDIR)
			       : write_through(format, result, options, target, error);
	sink.fd = mkostemp(temporary, O_CLOEXEC);
	if (sink.fd < 0)
		return fail(error, path, errno);
	ok = write_to(&sink, format, result, options, error);
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

bool report_write_stdout(const ReportFormat *format, const Result *result,
	const ReportOptions *options, GError **error)
{
	Sink sink = {.fd = STDOUT_FILENO};
	bool ok;

	if (fflush(stdout) != 0)
		sink.error = errno;
	ok = !sink.error && write_to(&sink, format, result, options, error);
	/* whoever reads has seen enough */
	if (sink.error == EPIPE)
		return true;
	if (sink.error)
		return fail(error, "standard output", sink.error);
	return ok;
}
