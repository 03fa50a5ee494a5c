/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What IP carries, transport or another packet in a tunnel; and the tunnels below IP: MPLS, PPPoE.
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

/** tunnel_transport: the protocol layer->type of an IP packet. */
LayerNext tunnel_transport(Layer *layer);

/** tunnel_mpls: a label stack, and IP or an Ethernet pseudowire below it. */
LayerNext tunnel_mpls(Layer *layer);

/** tunnel_pppoe: a PPPoE session header. */
LayerNext tunnel_pppoe(Layer *layer);

#endif
