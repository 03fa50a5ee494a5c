/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks through a directory for captures.
 */
#include "analyzer/capture/paths.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/capture/pcap_file.h"
#include "analyzer/capture/reader.h"
#include "analyzer/capture/source.h"
#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

/* Packet.input has 16 bits */
#define PATHS_MAX 65535

/* formats that editcap converts, by their first bytes; from the descriptions of the formats */
static const struct {
	const char *magic;
	size_t len;
} paths_foreign[] = {
	{"snoop\0\0\0", 8},                  /* RFC 1761 */
	{"RTSS", 4},                         /* Network Monitor 1 */
	{"GMBU", 4},                         /* Network Monitor 2 */
	{"TRSNIFF data    \x1a", 17},        /* Network General Sniffer */
	{"XCP\0", 4},                        /* NetXRay, Sniffer Pro */
	{"btsnoop\0", 8},                    /* Bluetooth */
	{"iptrace 1.0", 11},                 /* AIX */
	{"iptrace 2.0", 11}, {"\x05VNF", 4}, /* Visual Networks */
	{"\x7fver", 4},                      /* Peek tagged */
};

/* names of captures whose format begins with no mark of its own */
static const char *const paths_suffixes[] = {
	".erf", ".erf.gz", ".pkt", ".pkt.gz", ".enc", ".wpz", ".apc", ".tpc"};

static bool paths_is_capture(const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(paths_suffixes); i++) {
		if (g_str_has_suffix(path, paths_suffixes[i]))
			return true;
	}
	g_autoptr(Source) source = source_open(path, NULL, NULL);
	if (!source)
		return false;
	size_t have;
	PcapLayout layout;
	const uint8_t *head = source_fill(source, PCAP_HEADER_LEN, &have);
	if (have >= 4 && cursor_load_be32(head) == PCAPNG_SECTION)
		return true;
	if (have >= PCAP_HEADER_LEN && pcap_layout_parse(head, &layout))
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(paths_foreign); i++) {
		if (have >= paths_foreign[i].len &&
			memcmp(head, paths_foreign[i].magic, paths_foreign[i].len) == 0)
			return true;
	}
	return false;
}

static gint paths_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **paths_of_directory(const char *directory, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autoptr(GDir) dir = g_dir_open(directory, 0, &failure);
	if (!dir) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO, "%s", failure->message);
		return NULL;
	}
	GPtrArray *found = g_ptr_array_new();
	for (const char *name; (name = g_dir_read_name(dir)) && found->len < PATHS_MAX;) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		struct stat st;
		/* a pipe would block */
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && paths_is_capture(path))
			g_ptr_array_add(found, g_steal_pointer(&path));
	}
	g_ptr_array_sort(found, paths_compare);
	bool is_empty = found->len == 0;
	g_ptr_array_add(found, NULL);
	char **paths = (char **)g_ptr_array_free(found, FALSE);
	if (!is_empty)
		return paths;
	g_strfreev(paths);
	g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
		"there is no capture file in the directory %s", directory);
	return NULL;
}
