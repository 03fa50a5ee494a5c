/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signatures of packets: see copy.h.
 */
#include "analyzer/tcp/copy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/seq.h"
#include "analyzer/constants.h"

static uint64_t signature_of(const Packet *packet)
{
	/* everything a second transmission would change: RFC 7323 timestamps, IP identification,
	 * acknowledgement */
	_Static_assert(offsetof(Packet, seq) == offsetof(Packet, ack) + 4 &&
			       offsetof(Packet, tsval) == offsetof(Packet, tsecr) + 4,
		"two of a pair in a word");
	uint64_t a, b;
	memcpy(&a, &packet->ack, sizeof(a));
	memcpy(&b, &packet->tsecr, sizeof(b));
	/* a copy taken before a card computes the checksum has none yet: a packet without data, of
	 * which a checksum tells nothing else, is the same by its identification */
	bool is_identified = packet->payload_len == 0 && packet->ip_id != 0;
	_Static_assert(offsetof(Packet, window) == offsetof(Packet, checksum) + 2, "one word");
	static const uint16_t window_alone[2] = {0, UINT16_MAX};
	uint32_t sum_and_window, mask;
	memcpy(&sum_and_window, &packet->checksum, sizeof(sum_and_window));
	memcpy(&mask, window_alone, sizeof(mask));
	uint64_t c = (uint64_t)packet->ip_id << 48 |
		     (uint64_t)(is_identified ? sum_and_window & mask : sum_and_window) << 16 |
		     (uint64_t)packet->tcp_flags << 8 | (packet->payload_len & 0xff);
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f) ^
		     c * UINT64_C(0x165667b19e3779f9);
	return h ^ h >> 29;
}

/* One small table per direction, made when the first packet comes that could be copied. */
static bool recent_make(TcpDirection *d)
{
	if (!d->recent) {
		d->recent = calloc(TCP_RECENT, 2 * sizeof(uint64_t));
		d->recent_mask = TCP_RECENT - 1;
	}
	return d->recent != NULL;
}

static uint64_t *recent_cell(const TcpDirection *d, uint32_t age)
{
	return &d->recent[2 * ((d->recent_head - age) & d->recent_mask)];
}

/* A table whose oldest packet may still be copied doubles. */
__attribute__((noinline)) static void recent_grow(TcpDirection *d, int64_t now_ns)
{
	uint32_t size = d->recent_mask + 1;
	bool is_needed = now_ns - (int64_t)recent_cell(d, size)[1] <= 2 * d->copy_lag_ns;
	if (size >= TCP_RECENT_MAX || !is_needed)
		return;
	uint64_t *bigger = calloc(size, 2 * 2 * sizeof(uint64_t));
	if (!bigger)
		return;
	for (uint32_t i = 1; i <= size; i++)
		memcpy(&bigger[2 * ((d->recent_head - i) & (2 * size - 1))], recent_cell(d, i),
			2 * sizeof(uint64_t));
	free(d->recent);
	d->recent = bigger;
	d->recent_mask = 2 * size - 1;
}

static void recent_push(TcpDirection *d, uint64_t signature, int64_t ts_ns)
{
	if (d->copy_lag_ns > 0)
		recent_grow(d, ts_ns);
	uint64_t *cell = recent_cell(d, 0);
	d->recent_head++;
	cell[0] = signature;
	cell[1] = (uint64_t)ts_ns;
}

void copy_remember(TcpDirection *d, const Packet *packet)
{
	if (recent_make(d))
		recent_push(d, signature_of(packet), packet->ts_ns);
}

/* How late a packet that looks the same may come and still be a copy. */
static int64_t copy_window_ns(const TcpConnection *tcp, const TcpDirection *d, const Packet *packet)
{
	bool has_number = packet->ip_version == 4 && packet->ip_id != 0;
	/* its sender has sent newer time stamps since, and would put them on a repetition
	 * (RFC 7323 3.2) */
	if (packet->has_timestamps && d->has_last_tsval && seq_before(packet->tsval, d->last_tsval))
		return DUPLICATE_OLD_MAX_NS;
	/* a repetition so soon would have one or the other of its own: number and time stamp */
	if (has_number && packet->has_timestamps)
		return DUPLICATE_ROUTED_MAX_NS;
	if (has_number && (packet->ttl != d->ttl_max || d->ttl_min != d->ttl_max))
		return DUPLICATE_ROUTED_MAX_NS;
	int64_t window = tcp_rtt_ns(tcp) / 2;
	/* where copies are known to come late, others do; a repetition has a time stamp of its own
	 */
	if (packet->has_timestamps && d->copy_lag_ns > window)
		return 2 * d->copy_lag_ns;
	/* a host that counts its packets gives a repetition a number of its own (RFC 6864
	 * 4.1): the same number is the same packet, however late it was recorded */
	if (window > DUPLICATE_MAX_NS || (packet->ip_id != 0 && d->ip_id_orderly > 0))
		return DUPLICATE_MAX_NS;
	return window < DUPLICATE_MIN_NS ? DUPLICATE_MIN_NS : window;
}

bool copy_is_known(
	TcpConnection *tcp, TcpDirection *d, const Packet *packet, bool brings_something_new)
{
	if (brings_something_new || !recent_make(d)) {
		copy_remember(d, packet);
		return false;
	}
	uint64_t signature = signature_of(packet);
	int64_t window = copy_window_ns(tcp, d, packet);
	for (uint32_t i = 1; i <= d->recent_mask + 1; i++) {
		const uint64_t *cell = recent_cell(d, i);
		int64_t lag = packet->ts_ns - (int64_t)cell[1];
		if (lag > window)
			break;
		if (cell[0] != signature)
			continue;
		if (packet->ttl != d->ttl_min || d->ttl_min != d->ttl_max)
			d->copies_ttl++;
		if (lag > d->copy_lag_ns)
			d->copy_lag_ns = lag;
		return true;
	}
	recent_push(d, signature, packet->ts_ns);
	return false;
}
