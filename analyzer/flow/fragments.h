/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts IP fragments together, so that a fragmented datagram counts as one TCP or UDP packet at the
 * time of its last fragment. Memory is bounded: datagrams, their fragments, bytes and age.
 * RFC 791 3.2, RFC 8200 4.5; overlapping fragments discard the datagram as RFC 5722 demands.
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_FRAGMENTS_H
#define SLOWCOPY_ANALYZER_FLOW_FRAGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/packet.h"

#define FRAGMENTS_MAX_DATAGRAMS 512
#define FRAGMENTS_MAX_BYTES (1024 * 1024)
/* As long as hosts wait: RFC 1122 3.3.2 says 60 to 120 s, Linux waits 30. */
#define FRAGMENTS_MAX_AGE_NS (INT64_C(30) * 1000000000)
/* Fragments of one datagram: 64 KiB in the smallest useful pieces of 256 bytes. */
#define FRAGMENTS_MAX_PIECES 256
/* Datagrams whose payload stays readable: as many as a batch of packets may complete. */
#define FRAGMENTS_KEPT 16

typedef struct Fragments Fragments;

typedef struct FragmentsStats {
	uint64_t fragments;   /* pushed */
	uint64_t whole;       /* datagrams put together */
	uint64_t expired;     /* datagrams that did not become whole within FRAGMENTS_MAX_AGE_NS */
	uint64_t evicted;     /* datagrams given up for lack of room */
	uint64_t overlapping; /* datagrams discarded because fragments overlap or contradict */
} FragmentsStats;

/** fragments_new: empty; NULL when memory is refused. */
Fragments *fragments_new(void);

/**
 * fragments_push: takes a packet of kind PACKET_FRAGMENT; its bytes are copied.
 * @ret_whole: when its datagram is whole, the datagram as one packet: times, frame number and link
 * layer are those of this last fragment, payload and ports those of the datagram. Its kind may
 * still be another than TCP or UDP. Its pointers live until FRAGMENTS_KEPT more datagrams became
 * whole.
 * Returns whether @ret_whole was set.
 */
bool fragments_push(Fragments *fragments, const Packet *packet, Packet *ret_whole);

/** fragments_stats: counters so far. */
FragmentsStats fragments_stats(const Fragments *fragments);

/** fragments_bytes: memory held for datagrams that are not whole; at most FRAGMENTS_MAX_BYTES. */
size_t fragments_bytes(const Fragments *fragments);

/** fragments_free: NULL is allowed. */
void fragments_free(Fragments *fragments);

#endif
