/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Header prediction (V. Jacobson; RFC 7323 appendix A keeps the layout that makes it work): on a
 * connection where nothing is lost, late, closed or new, the next packet is nearly always either
 * the data that follow or an acknowledgement of more data. Such packets need none of the questions
 * that others do. Both ways do the same bookkeeping.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_STEADY_H
#define SLOWCOPY_ANALYZER_TCP_STEADY_H

#include "analyzer/base/seq.h"
#include "analyzer/tcp/connection.h"

/** steady_holds: whether @tcp is steady now. It stays so while only packets that steady_is_data()
 * or steady_is_ack() knows are taken. */
bool steady_holds(const TcpConnection *tcp);

/** steady_is_data: of a steady connection: @packet of the side that sends @d brings the next data
 * and says nothing else that is new. */
static inline bool steady_is_data(
	const TcpDirection *d, const TcpDirection *peer, const Packet *packet)
{
	return packet->payload_len > 1 && (packet->tcp_flags & ~TCP_PSH) == TCP_ACK &&
	       packet->seq == d->next_seq && packet->sack_count == 0 &&
	       packet->ack - peer->next_seq == (uint32_t)(peer->una - peer->next) &&
	       packet->window != 0 &&
	       (uint32_t)packet->window << d->scale_in_force == peer->peer_window &&
	       d->next + packet->payload_len <= d->edge && d->peer_window != 0 &&
	       (!packet->has_timestamps || !d->has_last_tsval ||
		       !seq_before(packet->tsval, d->last_tsval));
}

/** steady_is_ack: of a steady connection: @packet of the side that sends @d carries no data,
 * acknowledges more of the @peer's, and leaves room for a segment. */
static inline bool steady_is_ack(
	const TcpDirection *d, const TcpDirection *peer, const Packet *packet)
{
	if (packet->payload_len != 0 || packet->tcp_flags != TCP_ACK ||
		packet->seq != d->next_seq || packet->sack_count != 0 ||
		(uint32_t)packet->window << d->scale_in_force < peer->mss || packet->window == 0)
		return false;
	int64_t ack = seq_unwrap(packet->ack, peer->next_seq, peer->next);
	return ack > peer->una && ack <= peer->next;
}

#endif
