/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a segment with payload is: new, repeated, late. docs/architecture.md, "Life of a
 * packet".
 */
#ifndef SLOWCOPY_ANALYZER_TCP_SEGMENT_H
#define SLOWCOPY_ANALYZER_TCP_SEGMENT_H

#include "analyzer/tcp/connection.h"

/** segment_classify: classifies payload [@step->from, @step->end) of @side, updates the direction,
 * fills the rest of @step. */
void segment_classify(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step);

/** segment_in_order: the same for payload that begins where the direction ends, of a connection
 * that is steady (steady.h). */
void segment_in_order(const TcpEnds *ends, const Packet *packet, TcpStep *step);

#endif
