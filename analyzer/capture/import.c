/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs editcap and captype without a shell, within limits, and reads what they print.
 */
#include "analyzer/capture/import.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/capture/reader.h"
#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

/* the largest file taken from a pipe to be converted: a disk is not to be filled by garbage */
#define IMPORT_SPOOL_MAX ((uint64_t)4 << 30)
/* memory and processor time of a converter: far more than it needs, and an end for hostile files */
#define IMPORT_MEMORY ((rlim_t)2 << 30)
#define IMPORT_SECONDS 3600
/* what a converter may write to files, which is its complaints */
#define IMPORT_COMPLAINT_MAX 65536
/* how a child calls the stored file it got */
#define IMPORT_DESCRIPTOR "/dev/fd/3"
/* bytes of a complaint shown */
#define IMPORT_LINE_MAX 200

struct Import {
	GPid pid; /* 0 when it has ended */
	int status;
	int complaints; /* memory file that is its standard error */
	Source *source;
	char *format;
	char *complaint;
};

/* between fork and exec, so only what a signal handler may do */
static void import_limit(gpointer unused)
{
	(void)unused;
	struct rlimit memory = {IMPORT_MEMORY, IMPORT_MEMORY};
	struct rlimit seconds = {IMPORT_SECONDS, IMPORT_SECONDS};
	struct rlimit files = {IMPORT_COMPLAINT_MAX, IMPORT_COMPLAINT_MAX};
	struct rlimit core = {0, 0};
	(void)setrlimit(RLIMIT_AS, &memory);
	(void)setrlimit(RLIMIT_CPU, &seconds);
	(void)setrlimit(RLIMIT_FSIZE, &files);
	(void)setrlimit(RLIMIT_CORE, &core);
	(void)signal(SIGPIPE, SIG_DFL);
}

/* starts @argv; its output can be read from @ret_out, its errors go to @complaints. @spool (or -1)
 * is descriptor 3 of the child. */
static bool import_spawn(const char *const *argv, int spool, int complaints, GPid *ret_pid,
	int *ret_out, GError **error)
{
	static const gint target = 3;
	return g_spawn_async_with_pipes_and_fds(NULL, argv, NULL,
		G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, import_limit, NULL, -1, -1,
		complaints, &spool, &target, spool >= 0 ? 1 : 0, ret_pid, NULL, ret_out, NULL,
		error);
}

/* the first line of what was written to @fd, without control characters; NULL when there is none */
static char *import_first_line(int fd)
{
	char text[IMPORT_LINE_MAX + 1];
	ssize_t len = pread(fd, text, IMPORT_LINE_MAX, 0);
	if (len <= 0)
		return NULL;
	text[len] = 0;
	text[strcspn(text, "\r\n")] = 0;
	char *line = g_utf8_make_valid(text, -1);
	for (char *p = line; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	}
	return g_strstrip(line);
}

static void import_wait(GPid pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		continue;
	g_spawn_close_pid(pid);
}

/* captype prints "FILE: FORMAT". NULL when it is not there, "unknown" when it does not know. */
static char *import_ask_format(const char *path, int spool)
{
	const char *argv[] = {"captype", path, NULL};
	char text[4096];
	ssize_t len = 0, n;
	GPid pid;
	int out, status;
	int complaints = memfd_create("captype", MFD_CLOEXEC);
	bool is_running =
		complaints >= 0 && import_spawn(argv, spool, complaints, &pid, &out, NULL);
	if (complaints >= 0)
		(void)close(complaints);
	if (!is_running)
		return NULL;
	while ((n = read(out, text + len, sizeof(text) - 1 - (size_t)len)) > 0)
		len += n;
	text[len] = 0;
	(void)close(out);
	import_wait(pid, &status);
	const char *colon = strrchr(text, ':');
	if (!colon)
		return g_strdup("unknown");
	return g_strstrip(g_utf8_make_valid(colon + 1, (gssize)strcspn(colon + 1, "\r\n")));
}

/* stores what @source still has in a file without a name, but no more than a block of it when
 * captype does not know that. Returns -1 and sets @error when it fails. */
static int import_store(Source *source, const char *path, GError **error)
{
	FILE *file = tmpfile();
	uint8_t *block = g_malloc(SOURCE_BLOCK);
	uint64_t total = 0;
	bool ok = file != NULL, is_known = true;
	for (size_t n; ok && is_known && (n = source_read(source, block, SOURCE_BLOCK)) > 0;) {
		ok = fwrite(block, 1, n, file) == n;
		bool is_first = total < SOURCE_BLOCK && total + n >= SOURCE_BLOCK;
		total += n;
		ok = ok && total <= IMPORT_SPOOL_MAX && (!is_first || fflush(file) == 0);
		if (ok && is_first) {
			g_autofree char *format =
				import_ask_format(IMPORT_DESCRIPTOR, fileno(file));
			is_known = !format || strcmp(format, "unknown") != 0;
		}
	}
	g_free(block);
	int fd = ok && fflush(file) == 0 ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
	if (fd < 0)
		g_set_error(error, READER_ERROR, READER_ERROR_IO,
			"%s has to be stored before it can be converted, and that failed: %s", path,
			total > IMPORT_SPOOL_MAX ? "it is too large" : g_strerror(errno));
	if (file)
		(void)fclose(file);
	return fd;
}

static void import_refuse(Import *import, const char *path, GError **error)
{
	const char *said = import_complaint(import);
	if (said && g_str_has_prefix(said, "editcap: "))
		said += strlen("editcap: ");
	/* its usual words say nothing that ours do not */
	bool is_plain =
		!said || strstr(said, "isn't a capture file") || strstr(said, IMPORT_DESCRIPTOR);
	g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
		"%s is not a capture file this program knows; if another program can open it, save "
		"it there as pcapng%s%s%s",
		path, is_plain ? "" : " (editcap says: ", is_plain ? "" : said,
		is_plain ? "" : ")");
}

/* what editcap is to be called with: never an option, never standard input */
static char *import_argument(const char *path, int spool)
{
	if (spool >= 0)
		return g_strdup(IMPORT_DESCRIPTOR);
	return path[0] == '/' ? g_strdup(path) : g_strconcat("./", path, NULL);
}

/* Formats that could have another link layer in each packet: editcap writes them only when it is
 * told one for all, and Ethernet is what they are used for. */
static bool import_needs_link(const char *format)
{
	static const char *const formats[] = {"commview-ncf", "commview-ncfx", "k12text", "nettl"};
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(format, formats[i]) == 0)
			return true;
	}
	return false;
}

/* starts the converter; false when it is not there */
static bool import_run(Import *import, const char *argument, int stored, int *ret_out)
{
	const char *plain[] = {"editcap", "-F", "pcapng", argument, "-", NULL};
	const char *ethernet[] = {"editcap", "-F", "pcapng", "-T", "ether", argument, "-", NULL};
	import->complaints = memfd_create("editcap", MFD_CLOEXEC);
	import->format = import_ask_format(argument, stored);
	if (!import->format)
		import->format = g_strdup("imported");
	const char *const *argv = import_needs_link(import->format) ? ethernet : plain;
	return import->complaints >= 0 &&
	       import_spawn(argv, stored, import->complaints, &import->pid, ret_out, NULL);
}

Import *import_start(const char *path, Source *spool, const SourceOptions *options, GError **error)
{
	int stored = -1, out;
	if (spool && (stored = import_store(spool, path, error)) < 0)
		return NULL;
	char *argument = import_argument(path, stored);
	Import *import = g_new0(Import, 1);
	bool is_running = import_run(import, argument, stored, &out);
	g_free(argument);
	if (stored >= 0)
		(void)close(stored);
	size_t have = 0;
	const uint8_t *head = NULL;
	if (is_running && (import->source = source_over_fd(out, path, options, error)))
		head = source_fill(import->source, 4, &have);
	if (have >= 4 && cursor_load_be32(head) == PCAPNG_SECTION)
		return import;
	if (!is_running) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s is neither pcap nor pcapng, and converting other formats needs editcap "
			"(Debian package wireshark-common), which cannot be started here; or "
			"convert "
			"it elsewhere with editcap -F pcapng IN OUT",
			path);
	} else if (import->source) {
		(void)kill(import->pid, SIGKILL); /* or it might wait for us to read on */
		import_refuse(import, path, error);
	}
	import_free(import);
	return NULL;
}

Source *import_source(const Import *import)
{
	return import->source;
}

const char *import_format(const Import *import)
{
	return import->format;
}

const char *import_complaint(Import *import)
{
	if (import->pid) {
		import_wait(import->pid, &import->status);
		import->pid = 0;
		import->complaint = import_first_line(import->complaints);
		bool failed = !WIFEXITED(import->status) || WEXITSTATUS(import->status) != 0;
		if (!import->complaint && failed)
			import->complaint = g_strdup("editcap ended before it was done");
	}
	return import->complaint;
}

void import_free(Import *import)
{
	if (!import)
		return;
	source_free(import->source);
	if (import->pid) {
		(void)kill(import->pid, SIGKILL);
		import_wait(import->pid, &import->status);
	}
	if (import->complaints >= 0)
		(void)close(import->complaints);
	g_free(import->format);
	g_free(import->complaint);
	g_free(import);
}
