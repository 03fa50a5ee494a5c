/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IPv4 and IPv6 headers. Lengths come from the IP header, so that Ethernet padding is not payload;
 * a length of 0 (segmentation offload, jumbograms) means the frame's.
 */
#include "dissectors/ip.h"

#include "dissectors/parse.h"

/* RFC 6275, 4302, 7401, 5533: extension headers beyond these are not seen; more than this many in
 * one packet is an attack */
#define IP_MAX_EXTENSIONS 16

static void ip_map_v4(uint8_t out[16], const uint8_t *v4)
{
	/* RFC 4291 2.5.5.2 IPv4-mapped address */
	memset(out, 0, 10);
	out[10] = out[11] = 0xff;
	memcpy(out + 12, v4, 4);
}

/* an inner header begins: what an outer one said no longer describes the packet */
static void ip_begin(Layer *layer, uint8_t version)
{
	Packet *packet = layer->packet;
	packet->ip = layer->at;
	packet->ip_caplen = layer->kept;
	packet->ip_version = version;
	packet->ip_id = 0;
	packet->dont_fragment = packet->more_fragments = false;
	packet->fragment_id = packet->fragment_offset = 0;
	packet->src_port = packet->dst_port = 0;
	packet->checksum = 0;
}

static void ip_set_kept(Layer *layer)
{
	layer->packet->ip_caplen = (uint32_t)(layer->at - layer->packet->ip) + layer->kept;
}

static bool ip_checksum_holds(const uint8_t *header, uint32_t len)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i + 1 < len; i += 2)
		sum += cursor_load_be16(header + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff || cursor_load_be16(header + 10) == 0;
}

/*
 * The IP header claims @claimed bytes from here on. More than the frame had is a contradiction: a
 * tool cut the packet and forgot its wire length, and the header is right when @is_trusted. But an
 * outer header that ends the packet earlier is right about what arrived.
 */
static void ip_apply_length(Layer *layer, uint32_t claimed, bool is_trusted)
{
	if (claimed > layer->wire && is_trusted && !layer->is_limited)
		layer->wire = claimed;
	else
		layer_limit(layer, claimed);
}

static LayerNext ip_v4(Layer *layer)
{
	Packet *packet = layer->packet;
	ip_begin(layer, 4);
	const uint8_t *ip = layer_take(layer, 20);
	if (!ip)
		return LAYER_DONE;
	uint32_t header_len = (ip[0] & 0x0fu) * 4;
	uint32_t total_len = cursor_load_be16(ip + 2);
	if (header_len < 20 || (total_len != 0 && total_len < header_len))
		return layer_end(layer, PACKET_MALFORMED);
	uint16_t fragment = cursor_load_be16(ip + 6);
	packet->ecn = ip[1] & 3;
	packet->ip_id = cursor_load_be16(ip + 4);
	packet->dont_fragment = fragment & 0x4000;
	packet->more_fragments = fragment & 0x2000;
	packet->fragment_offset = (uint32_t)(fragment & 0x1fff) * 8;
	packet->fragment_id = packet->ip_id;
	packet->ttl = ip[8];
	packet->ip_protocol = ip[9];
	packet->ip_header_len = (uint16_t)header_len;
	ip_map_v4(packet->src, ip + 12);
	ip_map_v4(packet->dst, ip + 16);
	if (!layer_take(layer, header_len - 20))
		return LAYER_DONE;
	if (total_len != 0)
		ip_apply_length(layer, total_len - header_len, ip_checksum_holds(ip, header_len));
	ip_set_kept(layer);
	layer->type = packet->ip_protocol;
	if (packet->more_fragments || packet->fragment_offset != 0) {
		layer_payload(layer);
		return layer_end(layer, PACKET_FRAGMENT);
	}
	return LAYER_TRANSPORT;
}

/* RFC 2675: the jumbo payload option of a hop-by-hop header; 0 when it has none */
static uint32_t ip_jumbo_length(Cursor options)
{
	while (cursor_left(&options) > 0) {
		uint8_t kind = cursor_u8(&options);
		if (kind == 0) /* Pad1 has no length byte */
			continue;
		uint8_t len = cursor_u8(&options);
		if (kind == 0xc2 && len == 4)
			return cursor_be32(&options);
		cursor_skip(&options, len);
	}
	return 0;
}

static LayerNext ip_v6(Layer *layer)
{
	Packet *packet = layer->packet;
	ip_begin(layer, 6);
	const uint8_t *ip = layer_take(layer, 40);
	if (!ip)
		return LAYER_DONE;
	uint32_t payload_len = cursor_load_be16(ip + 4);
	packet->ecn = ip[1] >> 4 & 3;
	packet->ttl = ip[7];
	packet->ip_header_len = 40;
	memcpy(packet->src, ip + 8, 16);
	memcpy(packet->dst, ip + 24, 16);
	layer->type = packet->ip_protocol = ip[6];
	if (payload_len == 0 && layer->type == IP_PROTOCOL_HOP_BY_HOP && layer->kept >= 8) {
		uint32_t options_len = (layer->at[1] + 1u) * 8 - 2;
		if (options_len > layer->kept - 2)
			options_len = layer->kept - 2;
		payload_len = ip_jumbo_length(cursor_over(layer->at + 2, options_len));
	}
	if (payload_len != 0)
		ip_apply_length(layer, payload_len, true);
	ip_set_kept(layer);
	return ip_extensions(layer);
}

static LayerNext ip_fragment_header(Layer *layer)
{
	/* RFC 8200 4.5 */
	Packet *packet = layer->packet;
	const uint8_t *header = layer_take(layer, 8);
	if (!header)
		return LAYER_DONE;
	uint16_t bits = cursor_load_be16(header + 2);
	packet->fragment_offset = bits & 0xfff8;
	packet->more_fragments = bits & 1;
	packet->fragment_id = cursor_load_be32(header + 4);
	packet->ip_header_len = (uint16_t)(packet->ip_header_len + 8);
	layer->type = packet->ip_protocol = header[0];
	if (packet->more_fragments || packet->fragment_offset != 0) {
		layer_payload(layer);
		return layer_end(layer, PACKET_FRAGMENT);
	}
	return LAYER_TRANSPORT; /* RFC 6946: an atomic fragment is a whole packet */
}

LayerNext ip_extensions(Layer *layer)
{
	Packet *packet = layer->packet;
	for (int i = 0; i < IP_MAX_EXTENSIONS; i++) {
		uint32_t len;
		switch (layer->type) {
		case IP_PROTOCOL_HOP_BY_HOP:
		case IP_PROTOCOL_ROUTING:
		case IP_PROTOCOL_OPTIONS:
		case IP_PROTOCOL_MOBILITY:
		case IP_PROTOCOL_HIP:
		case IP_PROTOCOL_SHIM6:
			/* RFC 6564: in units of 8 bytes, not counting the first */
			len = layer->kept >= 2 ? (layer->at[1] + 1u) * 8 : 8;
			break;
		case IP_PROTOCOL_AH:
			/* RFC 4302 2.2: in units of 4 bytes, less 2 */
			len = layer->kept >= 2 ? (layer->at[1] + 2u) * 4 : 8;
			break;
		case IP_PROTOCOL_FRAGMENT: {
			LayerNext next = ip_fragment_header(layer);
			if (next == LAYER_DONE)
				return next;
			continue;
		}
		default:
			return LAYER_TRANSPORT;
		}
		const uint8_t *header = layer_take(layer, len);
		if (!header)
			return LAYER_DONE;
		packet->ip_header_len = (uint16_t)(packet->ip_header_len + len);
		layer->type = packet->ip_protocol = header[0];
	}
	return layer_end(layer, PACKET_MALFORMED);
}

LayerNext ip_layer(Layer *layer)
{
	if (layer->kept == 0)
		return layer_end(layer, layer->wire == 0 ? PACKET_MALFORMED : PACKET_CUT);
	switch (layer->at[0] >> 4) {
	case 4:
		return ip_v4(layer);
	case 6:
		return ip_v6(layer);
	default:
		return layer_end(layer, PACKET_MALFORMED);
	}
}
