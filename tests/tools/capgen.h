/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes captures from a short description in C: end points, a TCP connection, what passes when.
 * Independent of the dissectors. The result is a classic pcap with nanoseconds.
 *
 *	Capgen *capgen = capgen_new(file, 65535);
 *	CapgenTcp tcp = capgen_tcp(capgen, "10.0.0.1", 40000, "10.0.0.2", 21);
 *	int64_t t = capgen_tcp_open(&tcp, 0, 10 * CAPGEN_MS);
 *	capgen_tcp_text(&tcp, t, CAPGEN_SERVER, "220 ready\r\n");
 *	capgen_free(capgen);
 */
#ifndef SLOWCOPY_TESTS_TOOLS_CAPGEN_H
#define SLOWCOPY_TESTS_TOOLS_CAPGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CAPGEN_US INT64_C(1000)
#define CAPGEN_MS INT64_C(1000000)
#define CAPGEN_S INT64_C(1000000000)
/* Time 0 of a description, in the capture: 2023-11-14 22:13:20 UTC. */
#define CAPGEN_EPOCH_NS (INT64_C(1700000000) * CAPGEN_S)
/* Ethernet with IPv6, VLAN tag, TCP with all its options. */
#define CAPGEN_MAX_HEADER 160

/** CapgenSide: who sends. */
typedef enum CapgenSide { CAPGEN_CLIENT, CAPGEN_SERVER } CapgenSide;

typedef struct Capgen Capgen;

/** capgen_new: a capture written to @out, frames cut to @snaplen bytes. Frames are sorted by time
 * when the capture is finished; those of one time stay in order. Borrows @out. */
Capgen *capgen_new(FILE *out, uint32_t snaplen);

/** capgen_stream: from now on frames are written at once, in the order they come: for captures that
 * do not fit in memory. Call it before the first frame. */
void capgen_stream(Capgen *capgen);

/**
 * capgen_frame: one Ethernet frame at @t_ns after CAPGEN_EPOCH_NS. Its first @len bytes are at
 * @data;
 * @wirelen is its length on the wire (>= @len); the bytes between are zeros as far as the snap
 * length keeps them.
 */
void capgen_frame(Capgen *capgen, int64_t t_ns, const void *data, uint32_t len, uint32_t wirelen);

/** capgen_count: frames so far. */
uint64_t capgen_count(const Capgen *capgen);

/** capgen_free: writes what is still kept and frees; the caller closes and checks the file. */
void capgen_free(Capgen *capgen);

/** CapgenEnd: one end of a connection. */
typedef struct CapgenEnd {
	uint8_t mac[6];
	uint8_t addr[16]; /* IPv4 in the first four bytes */
	uint16_t port;
	uint8_t ttl;
	uint16_t ip_id;
	uint32_t seq;    /* of the next byte */
	uint32_t acked;  /* acknowledgement number it sends */
	uint32_t window; /* bytes it advertises */
	uint8_t window_scale;
	uint16_t mss;
} CapgenEnd;

/** CapgenTcp: a connection; fields may be changed before and between calls. */
typedef struct CapgenTcp {
	Capgen *capgen;
	CapgenEnd end[2];    /* by CapgenSide */
	uint8_t ip_version;  /* 4 or 6 */
	uint16_t vlan;       /* 0: untagged */
	bool timestamps;     /* option, RFC 7323; the clock counts milliseconds */
	bool sack_permitted; /* announced in the SYNs */
	bool window_scaling; /* announced in the SYNs */
} CapgenTcp;

/**
 * capgen_tcp: a connection between two numeric addresses of one version, with timestamps, SACK and
 * a window scale of 7, MSS 1460 (1440), 1 MiB windows.
 */
CapgenTcp capgen_tcp(Capgen *capgen, const char *client, uint16_t client_port, const char *server,
	uint16_t server_port);

/** CapgenSegment: one TCP segment, all of it chosen by the caller. */
typedef struct CapgenSegment {
	CapgenSide side;
	uint8_t flags; /* TCP header bits; SYN adds the options of the connection */
	uint32_t seq, ack;
	const void *payload;  /* first @kept bytes of it; what follows are zeros */
	uint32_t kept, len;   /* len: payload on the wire */
	const uint32_t *sack; /* pairs of edges */
	unsigned sack_count;
} CapgenSegment;

/** capgen_tcp_segment: writes @segment as it stands; the connection's numbers do not move. */
void capgen_tcp_segment(CapgenTcp *tcp, int64_t t_ns, const CapgenSegment *segment);

/**
 * capgen_tcp_open: three-way handshake seen at the client: SYN at @t_ns, SYN ACK one @rtt_ns later,
 * ACK at once. Returns the time of the last.
 */
int64_t capgen_tcp_open(CapgenTcp *tcp, int64_t t_ns, int64_t rtt_ns);

/**
 * capgen_tcp_send: @len bytes at @data (NULL: zeros) from @side in segments of its peer's MSS,
 * @gap_ns apart, the last with PSH. Moves the sequence number, and the peer's acknowledgement
 * number, which appears with its next segment. Returns the time of the last segment.
 */
int64_t capgen_tcp_send(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, const void *data,
	uint32_t len, int64_t gap_ns);

/** capgen_tcp_text: sends @text: one line of FTP, say. */
int64_t capgen_tcp_text(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, const char *text);

/** capgen_tcp_ack: a segment without payload from @side that acknowledges all it was sent. */
void capgen_tcp_ack(CapgenTcp *tcp, int64_t t_ns, CapgenSide side);

/** capgen_tcp_close: FIN from @side, FIN ACK one @rtt_ns later, ACK. Returns the time of the last.
 */
int64_t capgen_tcp_close(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, int64_t rtt_ns);

/** capgen_tcp_mss: payload bytes that @side puts into a full segment. */
uint32_t capgen_tcp_mss(const CapgenTcp *tcp, CapgenSide side);

#endif
