/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Privileges, system calls, systemd: see monitor_system.h. Each library is optional.
 */
#include "monitor_system.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_CAP_NG
#include <cap-ng.h>
#endif
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif
#ifdef HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#endif

bool system_can_drop(void)
{
#ifdef HAVE_CAP_NG
	return true;
#else
	return false;
#endif
}

static bool failed(GError **error, const char *what, int why)
{
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_PERM, "%s: %s", what, g_strerror(why));
	return false;
}

bool system_drop(const char *user, GError **error)
{
	if (geteuid() != 0)
		return true;
	errno = 0;
	const struct passwd *entry = getpwnam(user);
	if (!entry)
		return failed(error, user, errno ? errno : ENOENT);
#ifdef HAVE_CAP_NG
	capng_clear(CAPNG_SELECT_BOTH);
	capng_update(CAPNG_ADD, (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED), CAP_NET_RAW);
	if (capng_change_id((int)entry->pw_uid, (int)entry->pw_gid,
		    (capng_flags_t)(CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING)) != 0)
		return failed(error, "dropping privileges", errno ? errno : EPERM);
	return true;
#else
	return failed(error, "dropping privileges", ENOSYS);
#endif
}

bool system_make_folder(const char *path, const char *user, GError **error)
{
	if (mkdir(path, 0750) != 0)
		return errno == EEXIST || failed(error, path, errno);
	const struct passwd *entry = geteuid() == 0 ? getpwnam(user) : NULL;
	if (entry && lchown(path, entry->pw_uid, entry->pw_gid) != 0)
		return failed(error, path, errno);
	return true;
}

bool system_confine(GError **error)
{
#ifdef HAVE_SECCOMP
	/* the rings of packets and their reopening, output, signals, clocks, memory; no execve,
	 * ptrace or fork */
	static const int calls[] = {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev),
		SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(poll), SCMP_SYS(ppoll),
		SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
		SCMP_SYS(socket), SCMP_SYS(bind), SCMP_SYS(connect), SCMP_SYS(getsockopt),
		SCMP_SYS(setsockopt), SCMP_SYS(getsockname), SCMP_SYS(ioctl), SCMP_SYS(fcntl),
		SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(stat), SCMP_SYS(fstat),
		SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(lseek),
		SCMP_SYS(ftruncate), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
		SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
		SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(getdents64),
		SCMP_SYS(linkat), SCMP_SYS(mkdirat), SCMP_SYS(mmap), SCMP_SYS(munmap),
		SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(brk),
		SCMP_SYS(futex), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction),
		SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
		SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
		SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getrandom), SCMP_SYS(getpid),
		SCMP_SYS(gettid), SCMP_SYS(tgkill), SCMP_SYS(getuid), SCMP_SYS(geteuid),
		SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(uname), SCMP_SYS(sysinfo),
		SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(eventfd2),
		SCMP_SYS(exit), SCMP_SYS(exit_group)};
	tzset(); /* reads a file that cannot be looked for later */
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return failed(error, "seccomp", ENOMEM);
	int status = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(calls) && status == 0; i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return status == 0 || failed(error, "seccomp", -status);
#else
	(void)error;
	return true;
#endif
}

void system_ready(void)
{
#ifdef HAVE_SYSTEMD
	sd_notify(0, "READY=1");
#endif
}

void system_alive(void)
{
#ifdef HAVE_SYSTEMD
	static gint64 last_us;
	uint64_t every_us = 0;
	gint64 now_us = g_get_monotonic_time();
	/* twice as often as it must be */
	if (sd_watchdog_enabled(0, &every_us) > 0 && now_us - last_us >= (gint64)(every_us / 2)) {
		last_us = now_us;
		sd_notify(0, "WATCHDOG=1");
	}
#endif
}

void system_stopping(void)
{
#ifdef HAVE_SYSTEMD
	sd_notify(0, "STOPPING=1");
#endif
}
