/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What IP carries: transport, or another packet in a tunnel.
 */
#ifndef SLOWCOPY_DISSECTORS_TUNNEL_H
#define SLOWCOPY_DISSECTORS_TUNNEL_H

#include "dissectors/layer.h"

/** TunnelKind: high byte of Packet.tunnel_id. */
typedef enum TunnelKind {
	TUNNEL_NONE,
	TUNNEL_IP_IN_IP,
	TUNNEL_GRE,
	TUNNEL_ERSPAN,
	TUNNEL_VXLAN,
	TUNNEL_GENEVE,
	TUNNEL_GTP,
	TUNNEL_TZSP,
	TUNNEL_MPLS,
	TUNNEL_PPPOE,
} TunnelKind;

/** tunnel_enter: remembers the outermost tunnel in packet->tunnel_id, and counts the layer.
 * @key: network id, label or session of the tunnel, up to 56 bits. */
void tunnel_enter(Layer *layer, TunnelKind kind, uint64_t key);

/** tunnel_transport: the protocol layer->type of an IP packet. */
LayerNext tunnel_transport(Layer *layer);

#endif
