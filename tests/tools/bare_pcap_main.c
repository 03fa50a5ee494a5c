/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What reading a capture costs at the least: libpcap's own loop, its own buffer, nothing done with
 * a packet. The measure that `make bench` compares with.
 */
#include <stdio.h>

#include <pcap/pcap.h>

int main(int argc, char **argv)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = argc == 2 ? pcap_open_offline(argv[1], error) : NULL;
	if (!pcap) {
		fprintf(stderr, "usage: bare_pcap FILE\n");
		return 1;
	}
	struct pcap_pkthdr *header;
	const u_char *data;
	unsigned long long packets = 0, bytes = 0;
	while (pcap_next_ex(pcap, &header, &data) == 1) {
		packets++;
		bytes += header->len + data[0];
	}
	pcap_close(pcap);
	printf("%llu packets, %llu bytes\n", packets, bytes);
	return 0;
}
