/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a segment with payload is: new, repeated, late, a copy. docs/architecture.md, "Life of a
 * packet".
 */
#ifndef SLOWCOPY_ANALYZER_TCP_SEGMENT_H
#define SLOWCOPY_ANALYZER_TCP_SEGMENT_H

#include "analyzer/tcp/connection.h"

/** segment_remember: @packet brings something new; copies of it may come. */
void segment_remember(TcpDirection *d, const Packet *packet);

/**
 * segment_is_copy: whether @packet is a copy of one recorded a moment ago (span port, second
 * interface, router hop). Remembers the packet. Only asked for packets that bring nothing new.
 */
bool segment_is_copy(
	TcpConnection *tcp, TcpDirection *d, const Packet *packet, bool brings_something_new);

/** segment_classify: classifies payload [@step->from, @step->end) of @side, updates the direction,
 * fills the rest of @step. */
void segment_classify(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step);

/** segment_in_order: the same for payload that begins where the direction ends, of a connection
 * that is steady (steady.h). */
void segment_in_order(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step);

/** segment_hole_open: bytes [@from, @to) were acknowledged before they passed here. */
void segment_hole_open(TcpDirection *d, int64_t from, int64_t to, int64_t now_ns);

/** segment_holes_acknowledged: the receiver has everything below @ack, so holes there are the
 * capture's. */
void segment_holes_acknowledged(TcpDirection *d, int64_t ack, int64_t now_ns);

/**
 * segment_holes_expire: reports one hole of @side that the receiver has filled and that stayed
 * empty here, through
 * @step->gap_*; it is forgotten and counted as uncaptured.
 */
void segment_holes_expire(TcpConnection *tcp, Side side, int64_t now_ns, TcpStep *step);

#endif
