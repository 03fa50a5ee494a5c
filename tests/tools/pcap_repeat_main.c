/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repeats the first frames of a small capture as if many clients did the same one after the other:
 * a million half-open connections from one SYN, a million sessions from one. Each copy has another
 * client address and port, and begins a while after the one before. Written to standard output.
 *
 * Usage: pcap_repeat CAPTURE FRAMES COPIES GAP_NS
 *
 * CAPTURE: classic pcap of this machine's byte order with nanoseconds, Ethernet, IPv4, TCP, whose
 * server has the lower port.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_HEADER 24
#define RECORD_HEADER 16
#define NS_PER_S UINT64_C(1000000000)
#define FRAMES_MAX 4096
/* Offsets in an Ethernet frame with an IPv4 header without options. */
#define IP_SRC 26
#define IP_DST 30
#define PORT_SRC 34
#define PORT_DST 36

typedef struct Frame {
	uint8_t *record; /* its header and bytes */
	uint32_t len;
	uint64_t ns;
	int is_from_client;
} Frame;

static Frame frames[FRAMES_MAX];

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static unsigned get_port(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static size_t read_frames(uint8_t *data, size_t len, size_t most)
{
	size_t count = 0, at = FILE_HEADER;
	while (count < most && at + RECORD_HEADER <= len) {
		Frame *f = &frames[count++];
		f->record = data + at;
		f->len = RECORD_HEADER + get_u32(data + at + 8);
		f->ns = get_u32(data + at) * NS_PER_S + get_u32(data + at + 4);
		const uint8_t *frame = data + at + RECORD_HEADER;
		f->is_from_client = get_port(frame + PORT_SRC) > get_port(frame + PORT_DST);
		at += f->len;
		if (at > len || f->len < RECORD_HEADER + PORT_DST + 2) {
			fprintf(stderr, "pcap_repeat: a frame is cut\n");
			exit(1);
		}
	}
	return count;
}

static void write_copy(size_t count, uint64_t copy, uint64_t gap_ns)
{
	/* 10.x.y.z, and another port each time they have all been used */
	uint64_t host = copy % 0xfffffe + 1;
	unsigned port = (unsigned)(1024 + (copy / 0xfffffe + copy) % 60000);
	for (size_t i = 0; i < count; i++) {
		Frame *f = &frames[i];
		uint8_t *frame = f->record + RECORD_HEADER;
		uint8_t *addr = frame + (f->is_from_client ? IP_SRC : IP_DST),
			*at = frame + (f->is_from_client ? PORT_SRC : PORT_DST);
		uint64_t ns = f->ns + copy * gap_ns;
		uint32_t seconds = (uint32_t)(ns / NS_PER_S), rest = (uint32_t)(ns % NS_PER_S);
		memcpy(f->record, &seconds, 4);
		memcpy(f->record + 4, &rest, 4);
		addr[0] = 10;
		addr[1] = (uint8_t)(host >> 16);
		addr[2] = (uint8_t)(host >> 8);
		addr[3] = (uint8_t)host;
		at[0] = (uint8_t)(port >> 8);
		at[1] = (uint8_t)port;
		fwrite(f->record, 1, f->len, stdout);
	}
}

int main(int argc, char **argv)
{
	static uint8_t data[16 << 20];
	FILE *in = argc == 5 ? fopen(argv[1], "rb") : NULL;
	if (!in) {
		fprintf(stderr, "usage: pcap_repeat CAPTURE FRAMES COPIES GAP_NS\n");
		return 2;
	}
	size_t len = fread(data, 1, sizeof(data), in);
	fclose(in);
	size_t most = strtoul(argv[2], NULL, 10);
	size_t count = read_frames(data, len, most < FRAMES_MAX ? most : FRAMES_MAX);
	uint64_t copies = strtoull(argv[3], NULL, 10), gap_ns = strtoull(argv[4], NULL, 10);
	fwrite(data, 1, FILE_HEADER, stdout);
	for (uint64_t i = 0; i < copies && !ferror(stdout); i++)
		write_copy(count, i, gap_ns);
	return fflush(stdout) == 0 ? 0 : 1;
}
