/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a capture file, pcapng or pcap, compressed or not: through the source, both readers,
 * recovery and decoding.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/capture/pcap_file.h"
#include "analyzer/capture/pcapng_file.h"
#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

/* a decompressor may turn a few bytes into very many: enough has been seen by then */
#define MAX_PACKETS 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t seen;

/* reads a packet's ends, so that a sanitizer sees where it lies */
static void touch(const Packet *packet)
{
	if (packet->payload_caplen > 0)
		seen = packet->payload[0] ^ packet->payload[packet->payload_caplen - 1];
}

static void read_source(Source *source)
{
	Facts facts;
	facts_init(&facts, "fuzz");
	FileContext context = {.source = source, .facts = &facts};
	size_t have;
	PcapLayout layout;
	const uint8_t *head = source_fill(source, PCAP_HEADER_LEN, &have);
	PcapFile *pcap = NULL;
	PcapngFile *pcapng = NULL;
	if (have >= 4 && cursor_load_be32(head) == PCAPNG_SECTION)
		pcapng = pcapng_file_new(&context, NULL);
	else if (have >= PCAP_HEADER_LEN && pcap_layout_parse(head, &layout))
		pcap = pcap_file_new(&context, NULL);

	Packet batch[READER_BATCH];
	uint64_t total = 0, last_frame = 0;
	while ((pcap || pcapng) && total < MAX_PACKETS) {
		size_t n = pcap ? pcap_file_read(pcap, batch, READER_BATCH)
				: pcapng_file_read(pcapng, batch, READER_BATCH);
		if (n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			touch(&batch[i]);
			if (batch[i].frame <= last_frame || batch[i].caplen > batch[i].wirelen)
				abort();
			last_frame = batch[i].frame;
		}
		total += n;
	}
	pcap_file_free(pcap);
	pcapng_file_free(pcapng);
	if (facts.info.damaged_at >= 0 && !facts.info.damage)
		abort();
	facts_clear(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0) {
		(void)close(fd);
		return 0;
	}
	Source *source = source_over_fd(fd, "fuzz", NULL, NULL);
	if (source)
		read_source(source);
	source_free(source);
	return 0;
}
