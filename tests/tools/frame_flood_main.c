/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the frames of a capture to an interface at a steady rate, filled up with zeros to their
 * length on the wire, over and over; each time round the 10.x clients of the capture get another
 * second byte, so that connections are new. For measuring at which rate a listener drops packets.
 *
 * Usage: frame_flood INTERFACE CAPTURE PACKETS_PER_SECOND SECONDS [ROUND]
 *
 * ROUND: what is added to that byte at first, for a second sender.
 *
 * CAPTURE: classic pcap of this machine's byte order, Ethernet, IPv4. Prints what was sent.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#define FILE_HEADER 24
#define RECORD_HEADER 16
#define FRAME_MAX 1514
/* Frames of one system call. */
#define BATCH 64
#define NS_PER_S UINT64_C(1000000000)
#define IP_SRC 26
#define IP_DST 30

static uint8_t frames[BATCH][FRAME_MAX];
static struct iovec pieces[BATCH];
static struct mmsghdr messages[BATCH];

typedef struct Source {
	uint8_t *data;
	size_t len, at;
	uint8_t round;
} Source;

static uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static int fail(const char *what)
{
	fprintf(stderr, "frame_flood: %s: %s\n", what, strerror(errno));
	return 1;
}

static int open_interface(const char *name)
{
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1;
	struct sockaddr_ll to = {.sll_family = AF_PACKET,
		.sll_protocol = 0,
		.sll_ifindex = (int)if_nametoindex(name)};
	if (fd < 0 || to.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		return -1;
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on));
	return fd;
}

static int read_capture(const char *path, Source *s)
{
	FILE *in = fopen(path, "rb");
	if (!in || fseek(in, 0, SEEK_END) != 0)
		return 0;
	s->len = (size_t)ftell(in);
	rewind(in);
	s->data = malloc(s->len);
	s->at = FILE_HEADER;
	int is_read = s->data && fread(s->data, 1, s->len, in) == s->len;
	fclose(in);
	return is_read && s->len > FILE_HEADER + RECORD_HEADER;
}

static void next_frame(Source *s, size_t i)
{
	uint32_t kept, wire;
	memcpy(&kept, s->data + s->at + 8, 4);
	memcpy(&wire, s->data + s->at + 12, 4);
	const uint8_t *from = s->data + s->at + RECORD_HEADER;
	kept = kept < FRAME_MAX ? kept : FRAME_MAX;
	memcpy(frames[i], from, kept);
	/* what was behind the last frame there is as good as zeros */
	pieces[i].iov_len = wire < FRAME_MAX ? wire : FRAME_MAX;
	for (int at = IP_SRC; at <= IP_DST; at += IP_DST - IP_SRC) {
		if (frames[i][at] == 10)
			frames[i][at + 1] = (uint8_t)(frames[i][at + 1] + s->round);
	}
	s->at += RECORD_HEADER + kept;
	if (s->at + RECORD_HEADER > s->len) {
		s->at = FILE_HEADER;
		s->round++;
	}
}

int main(int argc, char **argv)
{
	Source source = {0};
	int fd = argc == 5 || argc == 6 ? open_interface(argv[1]) : -1;
	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: frame_flood INTERFACE CAPTURE PACKETS_PER_SECOND SECONDS "
				"[ROUND]\n");
		return 2;
	}
	source.round = (uint8_t)(argc == 6 ? atoi(argv[5]) : 0);
	if (fd < 0)
		return fail(argv[1]);
	if (!read_capture(argv[2], &source))
		return fail(argv[2]);
	for (size_t i = 0; i < BATCH; i++) {
		pieces[i].iov_base = frames[i];
		messages[i].msg_hdr.msg_iov = &pieces[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	double rate = strtod(argv[3], NULL);
	uint64_t begin = now_ns(), end = begin + (uint64_t)(strtod(argv[4], NULL) * 1e9), sent = 0,
		 refused = 0;
	while (now_ns() < end) {
		for (size_t i = 0; i < BATCH; i++)
			next_frame(&source, i);
		/* ahead of time: wait */
		while ((double)sent / rate * 1e9 > (double)(now_ns() - begin))
			;
		int n = sendmmsg(fd, messages, BATCH, 0);
		sent += n > 0 ? (uint64_t)n : 0;
		refused += n < BATCH;
	}
	double seconds = (double)(now_ns() - begin) / 1e9;
	printf("%ju packets in %.2f s, %.0f a second, %ju calls cut short\n", (uintmax_t)sent,
		seconds, (double)sent / seconds, (uintmax_t)refused);
	close(fd);
	return 0;
}
