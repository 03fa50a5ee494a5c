/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The canonical 5-tuple of a packet: the lower end point first, so that both directions have one
 * key.
 */
#ifndef SLOWCOPY_ANALYZER_FLOW_FLOW_KEY_H
#define SLOWCOPY_ANALYZER_FLOW_FLOW_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "dissectors/packet.h"

/** FlowKey: compared as bytes; every byte is set. Addresses are IPv6 or IPv4 as ::ffff:a.b.c.d. */
typedef struct FlowKey {
	uint8_t low_addr[16], high_addr[16];
	uint16_t low_port, high_port; /* host order */
	uint32_t protocol;            /* 6 TCP, 17 UDP */
} FlowKey;

/** flow_key_of: key of a TCP or UDP @packet. Returns true when the packet goes from low to high. */
bool flow_key_of(const Packet *packet, FlowKey *ret);

/** flow_key_of_endpoints: key of a connection between @a and @b, for flows that are announced
 * before they are seen. */
void flow_key_of_endpoints(const uint8_t a[16], uint16_t a_port, const uint8_t b[16],
	uint16_t b_port, uint32_t protocol, FlowKey *ret);

/** flow_key_equal: whether two keys name one flow. */
static inline bool flow_key_equal(const FlowKey *a, const FlowKey *b)
{
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
	_Static_assert(sizeof *a == 40, "five words, compared without a branch");
	uint64_t addresses = (hash_word(x) ^ hash_word(y)) | (hash_word(x + 8) ^ hash_word(y + 8)) |
			     (hash_word(x + 16) ^ hash_word(y + 16)) |
			     (hash_word(x + 24) ^ hash_word(y + 24));
	return (addresses | (hash_word(x + 32) ^ hash_word(y + 32))) == 0;
}

/** flow_hash_seed: draws the process's hash seed from the kernel, so that nobody on a span port
 * chooses collisions. Once, before the first flow_key_hash(); further calls do nothing. */
void flow_hash_seed(void);

/** flow_key_hash: seeded 64-bit hash. No output of the program may depend on it. */
uint64_t flow_key_hash(const FlowKey *key);

#endif
