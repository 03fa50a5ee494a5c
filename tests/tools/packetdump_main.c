/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints what the reader makes of captures, a line per packet with tab-separated fields, for
 * compare_packets.py and for looking. -q reads only (for measuring), -f FILTER keeps what matches.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "analyzer/capture/reader.h"

static void dump_address(char *text, size_t len, const Packet *packet, const uint8_t *addr)
{
	text[0] = 0;
	if (packet->ip_version == 4)
		(void)inet_ntop(AF_INET, addr + 12, text, (socklen_t)len);
	else if (packet->ip_version == 6)
		(void)inet_ntop(AF_INET6, addr, text, (socklen_t)len);
}

static void dump_packet(const Packet *p)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];
	dump_address(src, sizeof(src), p, p->src);
	dump_address(dst, sizeof(dst), p, p->dst);
	printf("%" PRIu64 "\t%" PRId64 "\t%s\t%s\t%s\t%u\t%u\t%" PRIu32 "\t%" PRIu32
	       "\t0x%02x\t%" PRIu32 "\t%" PRIu32 "\t%u\t%u\t%u\t%" PRIu32 "\t%" PRIu32 "\t%u\t%u\n",
		p->frame, p->ts_ns, packet_kind_name(p->kind), src, dst, p->src_port, p->dst_port,
		p->seq, p->ack, p->tcp_flags, p->payload_len, p->payload_caplen, p->window, p->mss,
		p->has_window_scale ? p->window_scale : 0, p->tsval, p->tsecr, p->sack_count,
		p->vlan);
}

static void dump_inputs(const Reader *reader)
{
	for (size_t i = 0; i < reader_input_count(reader); i++) {
		const InputInfo *info = reader_input(reader, i);
		fprintf(stderr,
			"%s\t%s\t%s\tpackets=%" PRIu64 "\tbytes=%" PRIu64 "\tdropped=%" PRId64
			"\tsnaplen=%" PRIu32 "\tinterfaces=%zu\tresynchronised=%" PRIu64
			"\tdamaged_at=%" PRId64 "\t%s\n",
			info->path, info->format ? info->format : "-", info->compression,
			info->packets, info->bytes, info->dropped_packets, info->snaplen,
			info->interface_count, info->resynchronised, info->damaged_at,
			info->damage ? info->damage : "");
	}
}

int main(int argc, char **argv)
{
	bool quiet = false;
	ReaderOptions options = {0};
	int at = 1;
	for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
		if (strcmp(argv[at], "-q") == 0)
			quiet = true;
		else if (strcmp(argv[at], "-f") == 0 && at + 1 < argc)
			options.filter = argv[++at];
		else if (strcmp(argv[at], "--") == 0) {
			at++;
			break;
		}
	}
	g_autoptr(GError) error = NULL;
	g_autoptr(Reader) reader = reader_open(
		(const char *const *)(void *)(argv + at), (size_t)(argc - at), &options, &error);
	if (!reader) {
		fprintf(stderr, "%s\n", error->message);
		return 3;
	}
	Packet batch[READER_BATCH];
	for (size_t n; (n = reader_next_batch(reader, batch)) > 0;) {
		for (size_t i = 0; !quiet && i < n; i++)
			dump_packet(&batch[i]);
	}
	dump_inputs(reader);
	return 0;
}
