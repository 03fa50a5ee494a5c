/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What IP carries. A tunnel's inner packet replaces the outer one; tunnel_id remembers the way.
 */
#include "dissectors/tunnel.h"

#include "dissectors/frame.h"
#include "dissectors/ip.h"
#include "dissectors/tcp.h"
#include "dissectors/udp.h"

void tunnel_enter(Layer *layer, TunnelKind kind, uint64_t key)
{
	Packet *packet = layer->packet;
	if (packet->tunnel_id == 0)
		packet->tunnel_id = (uint64_t)kind << 56 | (key & 0x00ffffffffffffff);
	packet->layers++;
}

LayerNext tunnel_transport(Layer *layer)
{
	switch (layer->type) {
	case IP_PROTOCOL_TCP:
		return tcp_layer(layer);
	case IP_PROTOCOL_UDP:
		(void)udp_header(layer);
		return LAYER_DONE;
	case IP_PROTOCOL_ICMP:
	case IP_PROTOCOL_ICMPV6:
		layer_payload(layer);
		return layer_end(layer, PACKET_ICMP);
	case IP_PROTOCOL_IPV4:
	case IP_PROTOCOL_IPV6:
		tunnel_enter(layer, TUNNEL_IP_IN_IP, layer->type);
		return LAYER_IP;
	default:
		layer_payload(layer);
		return layer_end(layer, PACKET_OTHER_TRANSPORT);
	}
}
