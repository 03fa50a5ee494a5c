/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main(): the table of commands, help, version.
 */
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "analyzer/capture/filter.h"
#include "analyzer/flow/classify_ndpi.h"
#include "cmd.h"

static const Command commands[] = {
	{"analyze", cmd_analyze, "say why the file transfers in a capture were slow (the default)"},
	{"compare", cmd_compare, "say what changed between two captures or saved JSON reports"},
	{"explain", cmd_explain, "explain a cause: what it is, how it is recognised, what to do"},
	{"capture-help", cmd_capture_help, "lines to copy for making a capture that can be judged"},
	{"monitor", cmd_monitor,
		"watch the transfers that pass an interface, for as long as you like"},
};

int cmd_fail(ExitStatus status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	fprintf(stderr, "slowcopy: %s\n", text);
	return status;
}

bool cmd_parse_size(const char *text, double kilo, double *ret)
{
	char *end;
	double value = g_ascii_strtod(text, &end);
	if (end == text || value <= 0)
		return false;
	const char *units = "KMGT";
	const char *unit = *end ? strchr(units, g_ascii_toupper(*end)) : NULL;
	if (unit) {
		for (const char *u = units; u <= unit; u++)
			value *= kilo;
		end++;
	}
	*ret = value;
	return *end == '\0' || strcmp(end, "bit/s") == 0 || strcmp(end, "iB") == 0 ||
	       strcmp(end, "B") == 0;
}

static void print_help(FILE *out)
{
	fputs("Usage: slowcopy [COMMAND] [OPTION...] FILE...\n\n"
	      "Says why a file transfer was slow, from a packet capture.\n\nCommands:\n",
		out);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
	fputs("\n  slowcopy COMMAND --help    options of a command\n"
	      "  slowcopy --version         version and libraries\n\n"
	      "Exit status: 0 analysed, 1 a finding at or above --fail-on, 2 usage, 3 an input "
	      "could not be\n"
	      "read or only in part, 4 the report could not be written.\n",
		out);
}

static void print_version(void)
{
	printf("slowcopy %s\n%s\nnDPI %s\n", SLOWCOPY_VERSION, filter_library(),
		classifier_version());
	printf("compression: gzip%s%s%s\n",
#ifdef HAVE_ZSTD
		" zstd",
#else
		"",
#endif
#ifdef HAVE_LZ4
		" lz4",
#else
		"",
#endif
#ifdef HAVE_LZMA
		" xz"
#else
		""
#endif
	);
	puts("Licence GPL-3.0-or-later. There is no warranty.");
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	/* a closed pipe is seen where it is written to */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return fflush(stdout) == 0 ? EXIT_DONE : EXIT_REPORT;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		print_version();
		return fflush(stdout) == 0 ? EXIT_DONE : EXIT_REPORT;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	/* `slowcopy capture.pcap` means analyze */
	return cmd_analyze(argc, argv);
}
