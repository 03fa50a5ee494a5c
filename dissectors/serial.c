/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serial lines, rings and ERF.
 */
#include "dissectors/serial.h"

#include "dissectors/frame.h"

/* RFC 2427 3: network layer protocol ids in frame relay */
enum { NLPID_SNAP = 0x80, NLPID_IPV6 = 0x8e, NLPID_IPV4 = 0xcc, NLPID_PPP = 0xcf };

/* address 0x0f unicast or 0x8f multicast, control 0, EtherType */
LayerNext serial_chdlc(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 4);
	return header ? frame_type(layer, cursor_load_be16(header + 2)) : LAYER_DONE;
}

LayerNext serial_hdlc(Layer *layer)
{
	bool is_cisco = layer->kept > 0 && (layer->at[0] == 0x0f || layer->at[0] == 0x8f);
	return is_cisco ? serial_chdlc(layer) : LAYER_PPP;
}

LayerNext serial_frame_relay(Layer *layer)
{
	/* Q.922 3.2: two to four bytes, the last one is odd */
	const uint8_t *address;
	int len = 0;
	do {
		address = layer_take(layer, 1);
		if (!address)
			return LAYER_DONE;
	} while (!(address[0] & 1) && ++len < 4);

	const uint8_t *control = layer_take(layer, 2);
	if (!control)
		return LAYER_DONE;
	if (control[0] != 0x03) /* Cisco's own encapsulation: an EtherType */
		return frame_type(layer, cursor_load_be16(control));
	uint8_t nlpid = control[1];
	if (nlpid == 0) { /* RFC 2427 3: one byte of padding */
		const uint8_t *padded = layer_take(layer, 1);
		if (!padded)
			return LAYER_DONE;
		nlpid = padded[0];
	}
	switch (nlpid) {
	case NLPID_IPV4:
	case NLPID_IPV6:
		return LAYER_IP;
	case NLPID_PPP:
		return LAYER_PPP;
	case NLPID_SNAP: {
		const uint8_t *snap = layer_take(layer, 5);
		if (!snap)
			return LAYER_DONE;
		if (snap[0] == 0 && snap[1] == 0 && snap[2] == 0)
			return frame_type(layer, cursor_load_be16(snap + 3));
		return layer_end(layer, PACKET_NOT_IP);
	}
	default:
		return layer_end(layer, PACKET_NOT_IP);
	}
}

static void serial_macs(Layer *layer, const uint8_t *addresses)
{
	Packet *packet = layer->packet;
	memcpy(packet->dst_mac, addresses, 6);
	memcpy(packet->src_mac, addresses + 6, 6);
	packet->has_macs = true;
}

LayerNext serial_token_ring(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 14);
	if (!header)
		return LAYER_DONE;
	serial_macs(layer, header + 2);
	if ((header[1] & 0xc0) != 0x40) /* frame control: not an LLC frame */
		return layer_end(layer, PACKET_NOT_IP);
	if (header[8] & 0x80) { /* the source address says that routing information follows */
		layer->packet->src_mac[0] &= 0x7f;
		if (layer->kept == 0)
			return layer_end(layer, PACKET_CUT);
		if (!layer_take(layer, layer->at[0] & 0x1f))
			return LAYER_DONE;
	}
	return LAYER_LLC;
}

LayerNext serial_fddi(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 13);
	if (!header)
		return LAYER_DONE;
	serial_macs(layer, header + 1);
	if ((header[0] & 0x70) != 0x50) /* frame control: not an asynchronous LLC frame */
		return layer_end(layer, PACKET_NOT_IP);
	return LAYER_LLC;
}

/* Endace "ERF types reference guide", record types */
LayerNext serial_erf(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 16);
	if (!header)
		return LAYER_DONE;
	uint8_t type = header[8];
	uint32_t wirelen = cursor_load_be16(header + 14);
	for (bool more = type & 0x80; more;) {
		const uint8_t *extension = layer_take(layer, 8);
		if (!extension)
			return LAYER_DONE;
		more = extension[0] & 0x80;
	}
	switch (type & 0x7f) {
	case 2:  /* Ethernet */
	case 11: /* with colour, with hash */
	case 16:
	case 20:
		if (!layer_take(layer, 2)) /* offset and padding */
			return LAYER_DONE;
		layer_limit(layer, wirelen);
		return LAYER_ETHERNET;
	case 1: /* HDLC over SONET, with colour */
	case 10:
	case 15:
	case 17:
		layer_limit(layer, wirelen);
		return serial_hdlc(layer);
	case 22: /* IPv4, IPv6 */
	case 23:
		layer_limit(layer, wirelen);
		return LAYER_IP;
	default:
		return layer_end(layer, PACKET_UNKNOWN_LINK);
	}
}
