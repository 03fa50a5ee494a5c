/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UDP header (RFC 768).
 */
#ifndef SLOWCOPY_DISSECTORS_UDP_H
#define SLOWCOPY_DISSECTORS_UDP_H

#include "dissectors/layer.h"

/** udp_header: ports, checksum and payload of a UDP datagram; false when there is none. The layer
 * stands at the payload then. */
static inline bool udp_header(Layer *layer)
{
	Packet *packet = layer->packet;
	const uint8_t *udp = layer_take(layer, 8);
	if (!udp)
		return false;
	uint32_t len = cursor_load_be16(udp + 4);
	if (len != 0 && len < 8) {
		packet->kind = PACKET_MALFORMED;
		return false;
	}
	packet->kind = PACKET_UDP;
	packet->src_port = cursor_load_be16(udp);
	packet->dst_port = cursor_load_be16(udp + 2);
	packet->checksum = cursor_load_be16(udp + 6);
	if (len != 0) /* RFC 2675 4: 0 in a jumbogram; segmentation offload leaves it too */
		layer_limit(layer, len - 8);
	layer_payload(layer);
	return true;
}

#endif
