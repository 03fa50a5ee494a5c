/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an acknowledgement does to the direction it acknowledges: progress, window, SACK, RTT, and
 * the delay line that tells the sender only when it can know (docs/architecture.md, "Life of a
 * packet").
 */
#ifndef SLOWCOPY_ANALYZER_TCP_ACKNOWLEDGEMENT_H
#define SLOWCOPY_ANALYZER_TCP_ACKNOWLEDGEMENT_H

#include "analyzer/tcp/connection.h"

/** acknowledgement_take: @packet, sent by the peer of @data_side, acknowledges data of @data_side.
 */
void acknowledgement_take(TcpConnection *tcp, Side data_side, const Packet *packet, TcpStep *step);

/** acknowledgement_in_order: the same for a packet that steady_is_ack() knows. */
void acknowledgement_in_order(const TcpEnds *ends, const Packet *packet, TcpStep *step);

/** acknowledgement_apply: tells the sender all that has reached it by @now_ns; @need_edge forces as
 * much as lets it send that far. */
void acknowledgement_apply(TcpDirection *d, int64_t loop_ns, int64_t now_ns, int64_t need_edge);

/** acknowledgement_timestamps: loops from TCP timestamps (RFC 7323 4.1), both ways. */
void acknowledgement_timestamps(const TcpEnds *ends, const Packet *packet, TcpStep *step);

#endif
