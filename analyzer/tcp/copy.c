/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signatures of packets: see copy.h.
 */
#include "analyzer/tcp/copy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"

static uint64_t signature_of(const Packet *packet)
{
	/* everything a second transmission would change: RFC 7323 timestamps, IP identification,
	 * acknowledgement */
	_Static_assert(offsetof(Packet, ack) == offsetof(Packet, seq) + 4 &&
			       offsetof(Packet, tsecr) == offsetof(Packet, tsval) + 4,
		"two of a pair in a word");
	uint64_t a, b;
	memcpy(&a, &packet->seq, sizeof(a));
	memcpy(&b, &packet->tsval, sizeof(b));
	/* a copy taken before a card computes the checksum has none yet: a packet without data, of
	 * which a checksum tells nothing else, is the same by its identification */
	bool is_identified =
		packet->ip_version == 4 && packet->ip_id != 0 && packet->payload_len == 0;
	uint64_t sum = is_identified ? 0 : packet->checksum;
	uint64_t c = (uint64_t)packet->ip_id << 48 | sum << 32 | (uint64_t)packet->window << 16 |
		     (uint64_t)packet->tcp_flags << 8 | (packet->payload_len & 0xff);
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f) ^
		     c * UINT64_C(0x165667b19e3779f9);
	return h ^ h >> 29;
}

/* One small table per direction, made when the first packet comes that could be copied. */
static bool recent_make(TcpDirection *d)
{
	if (!d->recent)
		d->recent = calloc(TCP_RECENT, 2 * sizeof(uint64_t));
	return d->recent != NULL;
}

static void recent_push(TcpDirection *d, uint64_t signature, int64_t ts_ns)
{
	uint64_t *cell = &d->recent[2 * (d->recent_head++ % TCP_RECENT)];
	cell[0] = signature;
	cell[1] = (uint64_t)ts_ns;
}

void copy_remember(TcpDirection *d, const Packet *packet)
{
	if (recent_make(d))
		recent_push(d, signature_of(packet), packet->ts_ns);
}

bool copy_is_known(
	TcpConnection *tcp, TcpDirection *d, const Packet *packet, bool brings_something_new)
{
	if (brings_something_new || !recent_make(d)) {
		copy_remember(d, packet);
		return false;
	}
	uint64_t signature = signature_of(packet);
	int64_t window = tcp_rtt_ns(tcp) / 2;
	if (window < DUPLICATE_MIN_NS)
		window = DUPLICATE_MIN_NS;
	/* a host that counts its packets gives a repetition a number of its own (RFC 6864
	 * 4.1): the same number is the same packet, however late it was recorded */
	if (window > DUPLICATE_MAX_NS || (packet->ip_id != 0 && d->ip_id_orderly > 0))
		window = DUPLICATE_MAX_NS;
	if (packet->ip_version == 4 && packet->ip_id != 0 &&
		(packet->ttl != d->ttl_max || d->ttl_min != d->ttl_max))
		window = DUPLICATE_ROUTED_MAX_NS;
	for (uint32_t i = 1; i <= TCP_RECENT; i++) {
		const uint64_t *cell = &d->recent[2 * ((d->recent_head - i) % TCP_RECENT)];
		if (packet->ts_ns - (int64_t)cell[1] > window)
			break;
		if (cell[0] == signature) {
			if (packet->ttl != d->ttl_min || d->ttl_min != d->ttl_max)
				d->copies_ttl++;
			return true;
		}
	}
	recent_push(d, signature, packet->ts_ns);
	return false;
}
