/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Behind the place of capture a device may take the window scale option out of the SYN-ACK: the
 * server goes on scaling its windows, the client takes the small numbers as they are. Here both
 * SYNs have the option; only what the client sends tells. docs/causes.md, window-scale-stripped.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_SCALE_LOST_H
#define SLOWCOPY_ANALYZER_TCP_SCALE_LOST_H

#include "analyzer/tcp/connection.h"

/* Segments that end at the last byte the bare field allows, with nothing else under way: four, for
 * one such length among a segment's worth of lengths is an accident, and four are one in 10^12. */
#define SCALE_LOST_FILLS_MIN 4

/** scale_lost_syn: remembers the window field of a client's SYN. */
void scale_lost_syn(TcpDirection *client, const Packet *packet);

/** scale_lost_established: @packet ends the handshake: does its window field look like that of a
 * host that does not scale? */
void scale_lost_established(TcpDirection *client, const Packet *packet);

/**
 * scale_lost_step: looks at a new segment of the client, at @now_ns, before the direction moves on.
 * When it proves that the client does not scale, windows that are known become what they are for
 * it, and
 * @step->scale_lost is set.
 */
void scale_lost_step(TcpConnection *tcp, int64_t now_ns, TcpStep *step);

#endif
