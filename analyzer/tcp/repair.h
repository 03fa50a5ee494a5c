/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repairs: segments that bring bytes again, or for the first time after a loss: what made the
 * sender send them, and what the loss was.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_REPAIR_H
#define SLOWCOPY_ANALYZER_TCP_REPAIR_H

#include "analyzer/tcp/connection.h"

/** repair_take: the segment of @step repairs; classifies it and counts the loss. */
void repair_take(
	TcpConnection *tcp, TcpDirection *d, Side side, const Packet *packet, TcpStep *step);

/** repair_log: when the bytes of @step that were lost had been sent, for the line of losses. */
void repair_log(TcpDirection *d, TcpStep *step);

#endif
