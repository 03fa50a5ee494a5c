/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serial lines and rings: Cisco HDLC, frame relay, Token Ring, FDDI; and Endace's ERF records,
 * which carry them or Ethernet.
 */
#ifndef SLOWCOPY_DISSECTORS_SERIAL_H
#define SLOWCOPY_DISSECTORS_SERIAL_H

#include "dissectors/layer.h"

/** serial_chdlc: Cisco HDLC, from the address byte on. */
LayerNext serial_chdlc(Layer *layer);

/** serial_hdlc: Cisco HDLC or PPP in HDLC-like framing, told apart by the address. */
LayerNext serial_hdlc(Layer *layer);

/** serial_frame_relay: Q.922 address and what RFC 2427 or Cisco put behind it. */
LayerNext serial_frame_relay(Layer *layer);

/** serial_token_ring: IEEE 802.5 with source routing. */
LayerNext serial_token_ring(Layer *layer);

/** serial_fddi: ANSI X3.139. */
LayerNext serial_fddi(Layer *layer);

/** serial_erf: an Endace record header and extension headers. */
LayerNext serial_erf(Layer *layer);

#endif
