/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBEUI sessions as connections: NetBIOS frames numbered by 802.2 LLC are told as the TCP
 * segments that would carry the same, so that everything above works for them: messages, transfers,
 * the budget.
 *
 * Addresses are link-local ones made of the hardware's (RFC 4291 appendix A), ports stand for the
 * session numbers, and every message gets the four bytes of framing that it has on TCP.
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_NBF_H
#define SLOWCOPY_ANALYZER_FLOW_NBF_H

#include <stdbool.h>
#include <stdint.h>

#include "dissectors/packet.h"

/** Nbf: the links between hosts and their sessions; bounded, the least recently used link goes. */
typedef struct Nbf Nbf;

/** NbfStats: what was met. */
typedef struct NbfStats {
	uint64_t links, links_dropped;
	uint64_t sessions;
	uint64_t retransmissions; /* frames sent again */
	uint64_t ahead;           /* frames behind a lost one: the receiver drops them too */
} NbfStats;

/** nbf_new: NULL when memory is refused. Ownership: nbf_free(). */
Nbf *nbf_new(void);

/**
 * nbf_segment: what @packet, of kind PACKET_NBF, means to its session. True: @ret is a packet of
 * kind PACKET_TCP, whose payload lives until the next call. False: it belongs to no session.
 */
bool nbf_segment(Nbf *nbf, const Packet *packet, Packet *ret);

NbfStats nbf_stats(const Nbf *nbf);

/** nbf_free: NULL is allowed. */
void nbf_free(Nbf *nbf);

#endif
