/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holes of a direction: bytes that were passed over here, until they come, or until the receiver is
 * known to have them.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_HOLE_H
#define SLOWCOPY_ANALYZER_TCP_HOLE_H

#include "analyzer/tcp/connection.h"

/** hole_find: the first hole that [@from, @to) touches; false when there is none. */
bool hole_find(const TcpDirection *d, int64_t from, int64_t to, uint32_t *ret_index);

/** hole_push: a copy of @hole; of TCP_MAX_HOLES the oldest goes and counts as uncaptured. */
void hole_push(TcpDirection *d, const Hole *hole);

/** holes_fill: takes [@from, @to) out of the holes; returns how many bytes of it were in one. */
int64_t holes_fill(TcpDirection *d, int64_t from, int64_t to);

/** hole_open: bytes [@from, @to) were acknowledged before they passed here. */
void hole_open(TcpDirection *d, int64_t from, int64_t to, int64_t now_ns);

/** holes_acknowledged: the receiver has everything below @ack, so holes there are the capture's. */
void holes_acknowledged(TcpDirection *d, int64_t ack, int64_t now_ns);

/**
 * holes_expire: reports one hole of @side that the receiver has filled and that stayed empty here,
 * through @step->gap_*; it is forgotten and counted as uncaptured.
 */
void holes_expire(TcpConnection *tcp, Side side, int64_t now_ns, TcpStep *step);

#endif
