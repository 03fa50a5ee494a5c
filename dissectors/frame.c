/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Link headers down to what carries IP. A protocol that is not IP ends the frame as
 * PACKET_NOT_IP, a link type that is not read as PACKET_UNKNOWN_LINK.
 */
#include "dissectors/frame.h"

#include "dissectors/parse.h"

static LayerNext frame_to_type(Layer *layer, uint32_t type)
{
	layer->type = type;
	return LAYER_ETHERTYPE;
}

LayerNext frame_ethernet(Layer *layer)
{
	Packet *packet = layer->packet;
	const uint8_t *header = layer_take(layer, 14);
	if (!header)
		return LAYER_DONE;
	memcpy(packet->dst_mac, header, 6);
	memcpy(packet->src_mac, header + 6, 6);
	packet->has_macs = true;
	uint16_t type = cursor_load_be16(header + 12);
	/* IEEE 802.3 3.2.6: up to 1500 it is a length, from 1536 on a type */
	if (type <= 1500) {
		layer_limit(layer, type);
		return LAYER_LLC;
	}
	return frame_to_type(layer, type);
}

/* IEEE 802.1Q 9.6: priority and VLAN id, then the next type */
static LayerNext frame_vlan(Layer *layer)
{
	Packet *packet = layer->packet;
	const uint8_t *tag = layer_take(layer, 4);
	if (!tag)
		return LAYER_DONE;
	if (packet->vlan == 0)
		packet->vlan = cursor_load_be16(tag) & 0x0fff;
	uint16_t type = cursor_load_be16(tag + 2);
	if (type <= 1500) {
		layer_limit(layer, type);
		return LAYER_LLC;
	}
	return frame_to_type(layer, type);
}

LayerNext frame_ethertype(Layer *layer)
{
	switch (layer->type) {
	case ETHERTYPE_IPV4:
	case ETHERTYPE_IPV6:
		return LAYER_IP;
	case ETHERTYPE_VLAN:
	case ETHERTYPE_QINQ:
	case ETHERTYPE_QINQ_9100:
	case ETHERTYPE_QINQ_9200:
	case ETHERTYPE_QINQ_9300:
		return frame_vlan(layer);
	case ETHERTYPE_ARP:
		return layer_end(layer, PACKET_ARP);
	case ETHERTYPE_MAC_CONTROL:
		return layer_end(layer, PACKET_PAUSE);
	default:
		return layer_end(layer, PACKET_NOT_IP);
	}
}

/* IEEE 802.2: a SAP pair, one control byte, or two in information and supervisory frames */
LayerNext frame_llc(Layer *layer)
{
	/* Novell's "raw 802.3": IPX, whose checksum field is all ones, right behind the length */
	if (layer->kept >= 2 && cursor_load_be16(layer->at) == 0xffff)
		return layer_end(layer, PACKET_NOT_IP);
	const uint8_t *llc = layer_take(layer, 3);
	if (!llc)
		return LAYER_DONE;
	bool is_unnumbered = (llc[2] & 3) == 3;
	if (llc[0] == 0xaa && llc[1] == 0xaa && is_unnumbered) {
		const uint8_t *snap = layer_take(layer, 5);
		if (!snap)
			return LAYER_DONE;
		/* RFC 1042: organisation 0 means that an EtherType follows; 0000f8 is the bridge
		 * tunnel's (802.1H) */
		if (snap[0] == 0 && snap[1] == 0 && (snap[2] == 0 || snap[2] == 0xf8))
			return frame_to_type(layer, cursor_load_be16(snap + 3));
		return layer_end(layer, PACKET_NOT_IP);
	}
	return layer_end(layer, PACKET_NOT_IP);
}

/* the address family that BSD loopback captures begin with, in the byte order of the machine that
 * captured: 2 is AF_INET everywhere, AF_INET6 differs by system */
static LayerNext frame_null(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 4);
	if (!header)
		return LAYER_DONE;
	uint32_t family = cursor_load_be32(header);
	if (family > 0xffff)
		family = cursor_load_le32(header);
	switch (family) {
	case 2:
	case 10: /* Linux */
	case 23: /* Windows */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* macOS */
		return LAYER_IP;
	default:
		/* some write an EtherType instead */
		return frame_to_type(layer, family);
	}
}

static void frame_cooked_direction(Packet *packet, uint16_t packet_type)
{
	/* 0 to us, 1 broadcast, 2 multicast, 3 to somebody else, 4 from us */
	if (packet_type == 4)
		packet->direction = PACKET_DIRECTION_OUT;
	else if (packet_type <= 2)
		packet->direction = PACKET_DIRECTION_IN;
}

/* the protocol field of a cooked header: an EtherType, but for small values */
static LayerNext frame_cooked_protocol(Layer *layer, uint16_t arphrd, uint16_t protocol)
{
	/* ARPHRD_NETLINK 824: messages of the kernel */
	if (arphrd == 824)
		return layer_end(layer, PACKET_NOT_IP);
	/* 4: IEEE 802.2; 1: Novell's raw 802.3, which frame_llc recognises */
	if (protocol == 4 || protocol == 1)
		return LAYER_LLC;
	return frame_to_type(layer, protocol);
}

static LayerNext frame_sll(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 16);
	if (!header)
		return LAYER_DONE;
	frame_cooked_direction(layer->packet, cursor_load_be16(header));
	return frame_cooked_protocol(
		layer, cursor_load_be16(header + 2), cursor_load_be16(header + 14));
}

static LayerNext frame_sll2(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 20);
	if (!header)
		return LAYER_DONE;
	frame_cooked_direction(layer->packet, header[10]);
	return frame_cooked_protocol(layer, cursor_load_be16(header + 8), cursor_load_be16(header));
}

LayerNext frame_ppp(Layer *layer)
{
	return layer_end(layer, PACKET_NOT_IP);
}

LayerNext frame_begin(Layer *layer, uint32_t link_type)
{
	switch (link_type) {
	case LINKTYPE_ETHERNET:
		return LAYER_ETHERNET;
	case LINKTYPE_RAW:
	case LINKTYPE_RAW_BSD:
	case LINKTYPE_RAW_OPENBSD:
	case LINKTYPE_IPV4:
	case LINKTYPE_IPV6:
		return LAYER_IP;
	case LINKTYPE_NULL:
	case LINKTYPE_LOOP:
		return frame_null(layer);
	case LINKTYPE_LINUX_SLL:
		return frame_sll(layer);
	case LINKTYPE_LINUX_SLL2:
		return frame_sll2(layer);
	default:
		return layer_end(layer, PACKET_UNKNOWN_LINK);
	}
}
