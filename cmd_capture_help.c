/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `slowcopy capture-help`: lines to copy for making a capture that can be judged.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "cmd.h"

/** Recipe: how to capture on one kind of system. */
typedef struct Recipe {
	const char *os, *title, *lines;
} Recipe;

static const Recipe recipes[] = {
	{"linux", "Linux, most NAS systems with a shell (as root)",
		"  tcpdump -i any -s 256 -B 65536 -C 100 -W 10 -w /tmp/copy.pcap host SERVER\n"
		"  Start it, begin the copy, press Ctrl-C two seconds after the copy. \"packets "
		"dropped by kernel\"\n"
		"  should be 0. Ten files of 100 MB at the most; give them all to slowcopy, or "
		"their folder.\n"},
	{"synology", "Synology (ssh, then sudo -i)",
		"  tcpdump -i any -s 256 -B 32768 -C 100 -W 10 -w /volume1/copy.pcap host "
		"CLIENT\n"},
	{"freebsd", "FreeBSD, TrueNAS CORE (as root)",
		"  tcpdump -i INTERFACE -s 256 -B 4096 -C 100 -W 10 -w /tmp/copy.pcap host "
		"SERVER\n"},
	{"macos", "macOS", "  sudo tcpdump -i en0 -s 256 -B 65536 -w ~/copy.pcap host SERVER\n"},
	{"windows", "Windows (as administrator)",
		"  pktmon filter add -i SERVER\n"
		"  pktmon start --capture --pkt-size 256 --file-name copy.etl\n"
		"  ...copy...\n"
		"  pktmon stop\n"
		"  pktmon etl2pcap copy.etl\n"
		"  or, with Wireshark installed:\n"
		"  dumpcap -i INTERFACE -s 256 -B 64 -b filesize:100000 -b files:10 -f \"host "
		"SERVER\" -w copy.pcapng\n"},
};

static void print_all(const char *os)
{
	puts("Start before the copy, so that the handshake is in it, and capture both directions. "
	     "256 bytes a\n"
	     "packet are enough and keep file contents out. Filter by host, not by port: FTP "
	     "chooses its data\n"
	     "ports anew for each file. Best is a place where the trouble shows: the client, then "
	     "the server.\n");
	for (size_t i = 0; i < G_N_ELEMENTS(recipes); i++) {
		if (!os || strcmp(os, recipes[i].os) == 0)
			printf("%s (--os %s)\n%s\n", recipes[i].title, recipes[i].os,
				recipes[i].lines);
	}
	puts("A gigabit copy makes about 25 MB of such a file a second, ten seconds of it are "
	     "plenty.");
}

int cmd_capture_help(int argc, char **argv)
{
	const char *os = NULL;
	if (argc == 2 && g_str_has_prefix(argv[1], "--os="))
		os = argv[1] + strlen("--os=");
	else if (argc == 3 && strcmp(argv[1], "--os") == 0)
		os = argv[2];
	else if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		puts("Usage: slowcopy capture-help [--os linux|synology|freebsd|macos|windows]");
		return EXIT_DONE;
	} else if (argc != 1)
		return cmd_fail(EXIT_USAGE, "capture-help takes --os and nothing else");
	bool is_known = !os;
	for (size_t i = 0; i < G_N_ELEMENTS(recipes); i++)
		is_known |= os && strcmp(os, recipes[i].os) == 0;
	if (!is_known)
		return cmd_fail(EXIT_USAGE,
			"unknown system '%s'; slowcopy capture-help --help lists them", os);
	print_all(os);
	return fflush(stdout) == 0 || errno == EPIPE ? EXIT_DONE : EXIT_REPORT;
}
