/*
 * slowdisk: a disk that is slow, for a server that does not know. To be preloaded (LD_PRELOAD).
 * SLOWDISK_READ_US, SLOWDISK_WRITE_US, SLOWDISK_SYNC_US, SLOWDISK_OPEN_US, SLOWDISK_STAT_US: delay
 * of each call. SLOWDISK_PATH: only files whose path holds this text. SLOWDISK_SERIAL=1: one call
 * at a time, like one spindle. SLOWDISK_EVERY=N: only every N-th call of its kind, as read-ahead
 * misses come. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Preloaded before anything else: no state but what these hold. */
static pthread_mutex_t spindle = PTHREAD_MUTEX_INITIALIZER;
static unsigned calls;

static long setting(const char *name)
{
	const char *text = getenv(name);
	return text ? strtol(text, NULL, 10) : 0;
}

static int is_ours(const char *path)
{
	const char *part = getenv("SLOWDISK_PATH");
	return !part || (path && strstr(path, part));
}

static int fd_is_ours(int fd)
{
	char link[64], path[4096];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0) { /* a server in its own root has no /proc: any regular file is taken */
		struct stat info;
		return !fstat(fd, &info) && S_ISREG(info.st_mode);
	}
	path[len] = 0;
	return path[0] == '/' && strncmp(path, "/dev/", 5) && is_ours(path);
}

static void wait_for(const char *name)
{
	long us = setting(name), every = setting("SLOWDISK_EVERY");
	if (us <= 0)
		return;
	if (every > 1 && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % (unsigned)every)
		return;
	struct timespec delay = {us / 1000000, us % 1000000 * 1000};
	int is_serial = setting("SLOWDISK_SERIAL") != 0;
	if (is_serial)
		pthread_mutex_lock(&spindle);
	nanosleep(&delay, NULL);
	if (is_serial)
		pthread_mutex_unlock(&spindle);
}

/* The function this one stands in front of. */
#define REAL(type, name, ...)                                                                      \
	static type (*real)(__VA_ARGS__);                                                          \
	if (!real)                                                                                 \
	real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t pread(int fd, void *data, size_t len, off_t at)
{
	REAL(ssize_t, "pread", int, void *, size_t, off_t);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_READ_US");
	return real(fd, data, len, at);
}

ssize_t pread64(int fd, void *data, size_t len, off64_t at)
{
	REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_READ_US");
	return real(fd, data, len, at);
}

ssize_t read(int fd, void *data, size_t len)
{
	REAL(ssize_t, "read", int, void *, size_t);
	if (setting("SLOWDISK_READ_US") && fd_is_ours(fd))
		wait_for("SLOWDISK_READ_US");
	return real(fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_WRITE_US");
	return real(fd, data, len, at);
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t at)
{
	REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_WRITE_US");
	return real(fd, data, len, at);
}

ssize_t write(int fd, const void *data, size_t len)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	if (setting("SLOWDISK_WRITE_US") && fd_is_ours(fd))
		wait_for("SLOWDISK_WRITE_US");
	return real(fd, data, len);
}

int fsync(int fd)
{
	REAL(int, "fsync", int);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_SYNC_US");
	return real(fd);
}

int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	if (fd_is_ours(fd))
		wait_for("SLOWDISK_SYNC_US");
	return real(fd);
}

int openat(int dir, const char *path, int flags, ...)
{
	REAL(int, "openat", int, const char *, int, ...);
	mode_t mode = 0;
	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list list;
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	int fd = real(dir, path, flags, mode);
	if (fd >= 0 && setting("SLOWDISK_OPEN_US") && fd_is_ours(fd))
		wait_for("SLOWDISK_OPEN_US");
	return fd;
}

int openat64(int dir, const char *path, int flags, ...)
{
	REAL(int, "openat64", int, const char *, int, ...);
	mode_t mode = 0;
	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list list;
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	int fd = real(dir, path, flags, mode);
	if (fd >= 0 && setting("SLOWDISK_OPEN_US") && fd_is_ours(fd))
		wait_for("SLOWDISK_OPEN_US");
	return fd;
}
