/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes one frame: a shortcut for TCP over IP over Ethernet, and the general way, layer by layer,
 * for all else. Both give the same answer; tests and the fuzzer compare them.
 */
#include "dissectors/packet.h"

#include <stddef.h>

#include "dissectors/clear.h"
#include "dissectors/frame.h"
#include "dissectors/ip.h"
#include "dissectors/layer.h"
#include "dissectors/packet_fast.h"
#include "dissectors/parse.h"
#include "dissectors/tunnel.h"
#include "dissectors/wlan.h"

void layer_clear(Packet *ret, const uint8_t *data)
{
	enum { BEGIN = offsetof(Packet, kind), SIZE = sizeof(Packet) - BEGIN };
	_Static_assert(SIZE > 2 * CLEAR_PIECE && SIZE <= 3 * CLEAR_PIECE, "three pieces");
	clear_stores((uint8_t *)ret + BEGIN, SIZE);
	ret->payload = data;
}

void layer_run(Layer *layer, LayerNext next)
{
	/* every layer but the last consumes at least a byte or counts itself, and nesting is capped
	 */
	while (next != LAYER_DONE) {
		if (layer->packet->layers > PARSE_MAX_LAYERS) {
			layer->packet->kind = PACKET_MALFORMED;
			return;
		}
		switch (next) {
		case LAYER_ETHERNET:
			next = frame_ethernet(layer);
			break;
		case LAYER_ETHERTYPE:
			next = frame_ethertype(layer);
			break;
		case LAYER_LLC:
			next = frame_llc(layer);
			break;
		case LAYER_PPP:
			next = frame_ppp(layer);
			break;
		case LAYER_IP:
			next = ip_layer(layer);
			break;
		case LAYER_TRANSPORT:
			next = tunnel_transport(layer);
			break;
		case LAYER_WLAN:
			next = wlan_layer(layer);
			break;
		case LAYER_DONE:
			return;
		}
	}
}

void layer_decode(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	Layer layer = {.at = data, .kept = caplen, .wire = wirelen, .packet = ret};
	layer_run(&layer, frame_begin(&layer, link_type));
}

/* out of line: it needs a stack frame, which the shortcut does not */
__attribute__((noinline)) void packet_decode_layers(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	if (!data) {
		data = (const uint8_t *)"";
		caplen = 0;
	}
	layer_clear(ret, data);
	layer_decode(link_type, data, caplen, wirelen < caplen ? caplen : wirelen, ret);
}

void packet_decode(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	packet_decode_here(link_type, data, caplen, wirelen, ret);
}

const char *packet_kind_name(PacketKind kind)
{
	switch (kind) {
	case PACKET_TCP:
		return "tcp";
	case PACKET_UDP:
		return "udp";
	case PACKET_FRAGMENT:
		return "fragment";
	case PACKET_ICMP:
		return "icmp";
	case PACKET_NBF:
		return "nbf";
	case PACKET_IPX:
		return "ipx";
	case PACKET_ARP:
		return "arp";
	case PACKET_PAUSE:
		return "pause";
	case PACKET_OTHER_TRANSPORT:
		return "other-transport";
	case PACKET_NOT_IP:
		return "not-ip";
	case PACKET_CUT:
		return "cut";
	case PACKET_MALFORMED:
		return "malformed";
	case PACKET_UNKNOWN_LINK:
		return "unknown-link";
	case PACKET_KIND_COUNT:
		break;
	}
	return "unknown";
}
