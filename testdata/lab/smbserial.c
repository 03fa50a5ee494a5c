/*
 * smbserial: an SMB client that does one thing after the other, over libsmbclient.
 * usage: smbserial SERVER read|write|readback|probe|list|churn FILE [NAME=VALUE]...
 * read, write: the FILE of share "data" in blocks; readback writes and then reads; probe stats
 * FILE0, FILE1, ... (they need not exist); list reads folder FILE and asks for the attributes of
 * each entry; churn reads FILE0... each in a session of its own, with keep=1 all in one. bytes,
 * block, think_us (after each block), count (probe, churn), port, config=FILE, user=NAME%PASSWORD,
 * result=FILE (JSON)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libsmbclient.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t bytes = 4 << 20, block = 65536, think_us, count = 1, port, keep;
static const char *config_file, *result_file;
static char user[64] = "guest", password[64] = "";

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void think(void)
{
	if (think_us > 0) {
		struct timespec wait = {think_us / 1000000, think_us % 1000000 * 1000};
		nanosleep(&wait, NULL);
	}
}

static void authenticate(const char *server, const char *share, char *workgroup, int workgroup_len,
	char *user_to, int user_len, char *password_to, int password_len)
{
	(void)server;
	(void)share;
	snprintf(workgroup, (size_t)workgroup_len, "LAB");
	snprintf(user_to, (size_t)user_len, "%s", user);
	snprintf(password_to, (size_t)password_len, "%s", password);
}

static SMBCCTX *context_new(void)
{
	SMBCCTX *context = smbc_new_context();
	if (!context)
		die("smbc_new_context");
	if (config_file && smbc_setConfiguration(context, config_file))
		die(config_file);
	smbc_setFunctionAuthData(context, authenticate);
	smbc_setOptionUseKerberos(context, 0);
	if (port)
		smbc_setPort(context, (uint16_t)port);
	if (!smbc_init_context(context))
		die("smbc_init_context");
	smbc_set_context(context);
	return context;
}

/* Both directions of a plain copy; returns the bytes moved. */
static int64_t copy(const char *url, bool is_write)
{
	int64_t moved = 0;
	char *data = malloc((size_t)block);
	int fd = smbc_open(url, is_write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY, 0644);
	if (fd < 0 || !data)
		die(url);
	memset(data, 'x', (size_t)block);
	for (;;) {
		size_t want = (size_t)(is_write && bytes - moved < block ? bytes - moved : block);
		ssize_t now = is_write ? smbc_write(fd, data, want) : smbc_read(fd, data, want);
		if (now < 0)
			die(is_write ? "smbc_write" : "smbc_read");
		if (!now)
			break;
		moved += now;
		if (moved >= bytes)
			break;
		think();
	}
	smbc_close(fd);
	free(data);
	return moved;
}

static void probe(const char *url)
{
	for (int64_t i = 0; i < count; i++) {
		char name[600];
		struct stat info;
		snprintf(name, sizeof(name), "%s%" PRId64, url, i);
		if (smbc_stat(name, &info) && errno != ENOENT)
			die(name);
		think();
	}
}

static void list(const char *url)
{
	int dir = smbc_opendir(url);
	if (dir < 0)
		die(url);
	char *names = NULL;
	size_t names_len = 0;
	FILE *all = open_memstream(&names, &names_len);
	for (struct smbc_dirent *entry; (entry = smbc_readdir(dir));)
		if (entry->name[0] != '.')
			fprintf(all, "%s/%s\n", url, entry->name);
	fclose(all);
	smbc_closedir(dir);
	for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
		struct stat info;
		if (smbc_stat(name, &info))
			die(name);
	}
	free(names);
}

static int64_t churn(const char *url)
{
	int64_t moved = 0;
	SMBCCTX *context = NULL;
	for (int64_t i = 0; i < count; i++) {
		char name[600];
		context = context ? context : context_new();
		snprintf(name, sizeof(name), "%s%" PRId64, url, i);
		moved += copy(name, false);
		if (!keep || i + 1 == count) {
			smbc_free_context(context, 1);
			context = NULL;
		}
	}
	return moved;
}

static void result_write(double wall, int64_t moved)
{
	FILE *out = result_file ? fopen(result_file, "w") : NULL;
	if (!out)
		return;
	fprintf(out, "{\"wall_s\": %.6f, \"bytes\": %" PRId64 "}\n", wall, moved);
	fclose(out);
}

static void option_set(const char *name, const char *value)
{
	static const struct {
		const char *name;
		int64_t *value;
	} numbers[] = {{"bytes", &bytes}, {"block", &block}, {"think_us", &think_us},
		{"count", &count}, {"port", &port}, {"keep", &keep}};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!strcmp(name, numbers[i].name)) {
			*numbers[i].value = strtoll(value, NULL, 10);
			return;
		}
	}
	if (!strcmp(name, "config"))
		config_file = value;
	else if (!strcmp(name, "result"))
		result_file = value;
	else if (!strcmp(name, "user"))
		sscanf(value, "%63[^%]%%%63s", user, password);
	else
		exit(2);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: smbserial SERVER read|write|readback|probe|list|churn FILE "
				"[NAME=VALUE]...\n");
		return 2;
	}
	for (int i = 4; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value)
			return 2;
		*value++ = 0;
		option_set(argv[i], value);
	}
	char url[512];
	const char *what = argv[2];
	int64_t moved = 0;
	snprintf(url, sizeof(url), "smb://%s/data/%s", argv[1], argv[3]);

	double start = seconds();
	if (!strcmp(what, "churn")) {
		moved = churn(url);
		result_write(seconds() - start, moved);
		return 0;
	}

	struct stat info;
	char share[512];
	SMBCCTX *context = context_new();
	snprintf(share, sizeof(share), "smb://%s/data/", argv[1]);
	if (smbc_stat(share, &info)) /* the session exists before the clock starts */
		die(share);
	start = seconds();
	if (!strcmp(what, "probe"))
		probe(url);
	else if (!strcmp(what, "list"))
		list(url);
	else
		moved = copy(url, strcmp(what, "read"));
	if (!strcmp(what, "readback"))
		moved += copy(url, false);
	result_write(seconds() - start, moved);
	smbc_free_context(context, 1);
	return 0;
}
