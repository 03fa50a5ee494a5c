/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UDP flows, one way each: how much they moved, and what was lost before the capture point. Test
 * programs number their datagrams: iperf2 begins each with an id, iperf3 with two words of time and
 * then a counter, both big endian. Others are known by the IPv4 identification, where their host
 * counts it up by one (RFC 6864 4); a datagram that lacks a fragment is missing in that count, too.
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_UDP_FLOWS_H
#define SLOWCOPY_ANALYZER_FLOW_UDP_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/packet.h"

/* Flows followed at one time; the one that was silent longest makes room. */
#define UDP_FLOWS_MAX 1024
/* Numbers that make a count of losses: fewer may fit by chance. */
#define UDP_FLOWS_MIN_NUMBERED 64

/** UdpNumbering: how the datagrams of a flow are counted. */
typedef enum UdpNumbering {
	UDP_NUMBERING_NONE,
	UDP_NUMBERING_FIRST_WORD, /* iperf2 */
	UDP_NUMBERING_THIRD_WORD, /* iperf3 */
	UDP_NUMBERING_IP_ID,
} UdpNumbering;

/** UdpCount: one way of counting, while nobody knows yet whether it is meant. */
typedef struct UdpCount {
	uint32_t first, last, highest;
	uint64_t numbered;   /* datagrams with a number */
	uint64_t steps;      /* that went on from the highest, by a little */
	uint64_t single;     /* of these, by exactly one */
	uint64_t late;       /* came after a higher one */
	uint64_t misfits;    /* made no sense as a count */
	uint64_t over_first; /* highest - first, counted without wrapping */
} UdpCount;

typedef struct UdpFlow {
	uint8_t src[16], dst[16];
	uint16_t src_port, dst_port, input;
	uint64_t datagrams, bytes; /* payload */
	int64_t first_ns, last_ns;
	uint64_t first_frame;
	UdpCount counts[UDP_NUMBERING_IP_ID]; /* [numbering - 1] */
} UdpFlow;

typedef struct UdpFlows UdpFlows;

/** udp_flows_new: empty; NULL without memory. */
UdpFlows *udp_flows_new(void);

/** udp_flows_push: takes a packet of kind PACKET_UDP. */
void udp_flows_push(UdpFlows *flows, const Packet *packet);

/** udp_flows_count, udp_flows_at: those followed now, in no order. */
size_t udp_flows_count(const UdpFlows *flows);
const UdpFlow *udp_flows_at(const UdpFlows *flows, size_t index);

/** udp_flows_evicted: flows given up for others. */
uint64_t udp_flows_evicted(const UdpFlows *flows);

/** udp_flow_numbering: the way of counting that fits the flow. */
UdpNumbering udp_flow_numbering(const UdpFlow *flow);

/** udp_flow_lost: datagrams that were sent and did not come by, of @ret_late others that came late.
 * False when nobody can tell. */
bool udp_flow_lost(const UdpFlow *flow, uint64_t *ret_lost, uint64_t *ret_late);

/** udp_flow_rate: payload bytes per second between first and last datagram, 0 unknown. */
double udp_flow_rate(const UdpFlow *flow);

/** udp_flow_program: "iperf2", "iperf3", "netio" by port and numbering, NULL unknown; static. */
const char *udp_flow_program(const UdpFlow *flow);

/** udp_test_program: the test program that listens on @port, over TCP or UDP: "iperf3", "iperf",
 * "netio"; NULL none; static. */
const char *udp_test_program(uint16_t port);

/** udp_flows_free: NULL is allowed. */
void udp_flows_free(UdpFlows *flows);

#endif
