/*
 * nsrun: start a program inside one of the lab's hosts.
 * usage: nsrun NETNS_FILE HOSTNAME ETC_FOLDER PROGRAM [ARGUMENT...]
 * HOSTNAME "-": joins the network namespace and does nothing else (ETC_FOLDER is not read).
 * Joins the network namespace, makes a host name and a mount namespace of its own, and puts the
 * files of ETC_FOLDER over those of /etc, so that neither the real host's name nor its resolver
 * gets into a capture. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(126);
}

static void etc_overlay(const char *folder)
{
	DIR *dir = opendir(folder);
	if (!dir)
		die(folder);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char from[4096], to[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(from, sizeof(from), "%s/%s", folder, entry->d_name);
		snprintf(to, sizeof(to), "/etc/%s", entry->d_name);
		if (mount(from, to, NULL, MS_BIND, NULL))
			die(to);
	}
	closedir(dir);
}

/*
 * From here on mounts are ours alone. In a chroot "/" is no mount point and cannot be made private,
 * so it is mounted on itself first; "/.." is the way on to what lies on top of the root.
 */
static void mounts_make_private(void)
{
	if (!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	if (mount("/", "/", NULL, MS_BIND | MS_REC, NULL) || chdir("/..") || chroot(".") ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		die("private mounts");
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr,
			"usage: nsrun NETNS_FILE HOSTNAME ETC_FOLDER PROGRAM [ARGUMENT...]\n");
		return 126;
	}
	int netns = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (netns < 0 || setns(netns, CLONE_NEWNET))
		die(argv[1]);
	if (!strcmp(argv[2], "-")) {
		execvp(argv[4], argv + 4);
		die(argv[4]);
	}
	if (unshare(CLONE_NEWUTS | CLONE_NEWNS))
		die("unshare");
	if (sethostname(argv[2], strlen(argv[2])))
		die("sethostname");
	mounts_make_private();
	etc_overlay(argv[3]);
	execvp(argv[4], argv + 4);
	die(argv[4]);
}
