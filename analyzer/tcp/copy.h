/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of a packet that was recorded a moment ago: span port, second interface, router hop.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_COPY_H
#define SLOWCOPY_ANALYZER_TCP_COPY_H

#include "analyzer/tcp/connection.h"

/** copy_remember: @packet brings something new; copies of it may come. */
void copy_remember(TcpDirection *d, const Packet *packet);

/** copy_is_known: whether @packet is a copy. Remembers it when not. Only asked for packets that
 * bring nothing new; others are remembered. */
bool copy_is_known(
	TcpConnection *tcp, TcpDirection *d, const Packet *packet, bool brings_something_new);

#endif
