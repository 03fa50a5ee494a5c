/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What IP carries. A tunnel's inner packet replaces the outer one; tunnel_id remembers the way.
 * Tunnels over UDP are known by port and by a header that could hardly be anything else; when what
 * is inside makes no sense, the packet stays UDP.
 */
#include "dissectors/tunnel.h"

#include "dissectors/frame.h"
#include "dissectors/ip.h"
#include "dissectors/parse.h"
#include "dissectors/tcp.h"
#include "dissectors/udp.h"

/* UDP ports, IANA "Service Name and Transport Protocol Port Number Registry" */
enum {
	PORT_GTP_USER = 2152,
	PORT_VXLAN = 4789,
	PORT_VXLAN_GPE = 4790,
	PORT_GENEVE = 6081,
	PORT_VXLAN_LINUX = 8472, /* Linux's before the registration; also Cisco OTV's */
	PORT_TZSP = 37008,
};

/* remembers the outermost tunnel, and counts the layer; @key: network id, label or session */
static void tunnel_enter(Layer *layer, TunnelKind kind, uint64_t key)
{
	Packet *packet = layer->packet;
	if (packet->tunnel_id == 0)
		packet->tunnel_id = (uint64_t)kind << 56 | (key & 0x00ffffffffffffff);
	packet->layers++;
}

static LayerNext tunnel_other(Layer *layer)
{
	layer_payload(layer);
	return layer_end(layer, PACKET_OTHER_TRANSPORT);
}

/* draft-foschiano-erspan-03 4.2: type II, version 1 */
static LayerNext tunnel_erspan2(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 8);
	if (!header)
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_ERSPAN, cursor_load_be16(header + 2) & 0x03ffu);
	return LAYER_ETHERNET;
}

/* 4.3: type III, version 2; the last bit announces a platform specific subheader */
static LayerNext tunnel_erspan3(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 12);
	if (!header)
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_ERSPAN, cursor_load_be16(header + 2) & 0x03ffu);
	if ((header[11] & 1) && !layer_take(layer, 8))
		return LAYER_DONE;
	unsigned frame_type = header[10] >> 2 & 0x1fu;
	return frame_type == 2 ? LAYER_IP : LAYER_ETHERNET;
}

static LayerNext tunnel_erspan(Layer *layer, bool has_sequence)
{
	/* 4.1: type I has no header of its own, and no GRE sequence number */
	if (!has_sequence) {
		tunnel_enter(layer, TUNNEL_ERSPAN, 0);
		return LAYER_ETHERNET;
	}
	bool is_type3 = layer->kept > 0 && layer->at[0] >> 4 == 2;
	return is_type3 ? tunnel_erspan3(layer) : tunnel_erspan2(layer);
}

/* RFC 2637 4.1: enhanced GRE of PPTP; without a sequence number it carries nothing */
static LayerNext tunnel_gre1(Layer *layer, uint16_t flags)
{
	const uint8_t *key = layer_take(layer, 4);
	if (!key)
		return LAYER_DONE;
	bool has_sequence = flags & 0x1000, has_ack = flags & 0x0080;
	uint32_t payload_len = cursor_load_be16(key);
	if (!layer_take(layer, (has_sequence ? 4u : 0u) + (has_ack ? 4u : 0u)))
		return LAYER_DONE;
	if (!has_sequence || layer->type != ETHERTYPE_PPP)
		return tunnel_other(layer);
	tunnel_enter(layer, TUNNEL_GRE, cursor_load_be16(key + 2));
	layer_limit(layer, payload_len);
	return LAYER_PPP;
}

static LayerNext tunnel_gre_payload(Layer *layer, uint32_t key, bool has_sequence)
{
	switch (layer->type) {
	case ETHERTYPE_IPV4:
	case ETHERTYPE_IPV6:
		tunnel_enter(layer, TUNNEL_GRE, key);
		return LAYER_IP;
	case ETHERTYPE_ETHERNET:
		tunnel_enter(layer, TUNNEL_GRE, key);
		return LAYER_ETHERNET;
	case ETHERTYPE_PPP:
		tunnel_enter(layer, TUNNEL_GRE, key);
		return LAYER_PPP;
	case ETHERTYPE_MPLS:
	case ETHERTYPE_MPLS_MULTICAST:
		tunnel_enter(layer, TUNNEL_GRE, key);
		return tunnel_mpls(layer);
	case ETHERTYPE_ERSPAN:
		return tunnel_erspan(layer, has_sequence);
	case ETHERTYPE_ERSPAN3:
		return tunnel_erspan3(layer);
	case ETHERTYPE_WCCP:
		/* draft-wilson-wrec-wccp-v2-01 4.12: a redirect header of four bytes; WCCP v1 had
		 * none */
		tunnel_enter(layer, TUNNEL_GRE, key);
		if (layer->kept > 0 && layer->at[0] >> 4 != 4 && !layer_take(layer, 4))
			return LAYER_DONE;
		return LAYER_IP;
	default:
		return tunnel_other(layer);
	}
}

/* RFC 2784 2.1 with the key and sequence number of RFC 2890 */
static LayerNext tunnel_gre(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 4);
	if (!header)
		return LAYER_DONE;
	uint16_t flags = cursor_load_be16(header);
	layer->type = cursor_load_be16(header + 2);
	if ((flags & 7) == 1)
		return tunnel_gre1(layer, flags);
	/* other versions, and source routing (RFC 1701), are not read */
	if ((flags & 7) != 0 || (flags & 0x4000))
		return tunnel_other(layer);
	bool has_checksum = flags & 0x8000, has_key = flags & 0x2000;
	bool has_sequence = flags & 0x1000;
	if (has_checksum && !layer_take(layer, 4))
		return LAYER_DONE;
	uint32_t key = 0;
	if (has_key) {
		const uint8_t *p = layer_take(layer, 4);
		if (!p)
			return LAYER_DONE;
		key = cursor_load_be32(p);
	}
	if (has_sequence && !layer_take(layer, 4))
		return LAYER_DONE;
	return tunnel_gre_payload(layer, key, has_sequence);
}

/* RFC 7348 5; the group policy extension sets another flag bit */
static LayerNext tunnel_vxlan(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 8);
	if (!header || !(header[0] & 0x08) || (header[0] & 0x70) != 0 || header[7] != 0)
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_VXLAN, cursor_load_be32(header + 4) >> 8);
	return LAYER_ETHERNET;
}

/* draft-ietf-nvo3-vxlan-gpe 3.1: bit P announces the next protocol */
static LayerNext tunnel_vxlan_gpe(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 8);
	if (!header || !(header[0] & 0x08) || header[7] != 0)
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_VXLAN, cursor_load_be32(header + 4) >> 8);
	bool has_protocol = header[0] & 0x04;
	if (has_protocol && (header[3] == 1 || header[3] == 2))
		return LAYER_IP;
	return !has_protocol || header[3] == 3 ? LAYER_ETHERNET : LAYER_DONE;
}

/* RFC 8926 3.4: version 0, options in units of four bytes */
static LayerNext tunnel_geneve(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 8);
	if (!header || header[0] >> 6 != 0 || header[7] != 0)
		return LAYER_DONE;
	uint16_t type = cursor_load_be16(header + 2);
	if (!layer_take(layer, (header[0] & 0x3fu) * 4))
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_GENEVE, cursor_load_be32(header + 4) >> 8);
	if (type == ETHERTYPE_ETHERNET)
		return LAYER_ETHERNET;
	layer->type = type;
	return LAYER_ETHERTYPE;
}

/* 3GPP TS 29.281 5.1: version 1, GTP, message 255 is a user packet */
static LayerNext tunnel_gtp(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 8);
	if (!header || (header[0] & 0xf0) != 0x30 || header[1] != 255)
		return LAYER_DONE;
	tunnel_enter(layer, TUNNEL_GTP, cursor_load_be32(header + 4));
	if (!(header[0] & 7))
		return LAYER_IP;
	const uint8_t *optional = layer_take(layer, 4);
	if (!optional)
		return LAYER_DONE;
	/* 5.2: extension headers in units of four bytes, the last byte names the next */
	for (uint8_t next = header[0] & 4 ? optional[3] : 0; next != 0;) {
		uint32_t len = layer->kept > 0 ? layer->at[0] * 4u : 4;
		const uint8_t *extension = len > 0 ? layer_take(layer, len) : NULL;
		if (!extension)
			return LAYER_DONE;
		next = extension[len - 1];
	}
	return LAYER_IP;
}

/* TaZmen Sniffer Protocol: version 1, kind, encapsulated link, tags up to number 1 */
static LayerNext tunnel_tzsp(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 4);
	if (!header || header[0] != 1 || header[1] > 1)
		return LAYER_DONE;
	for (;;) {
		const uint8_t *tag = layer_take(layer, 1);
		if (!tag)
			return LAYER_DONE;
		if (tag[0] == 1)
			break;
		if (tag[0] == 0) /* padding */
			continue;
		const uint8_t *len = layer_take(layer, 1);
		if (!len || !layer_take(layer, len[0]))
			return LAYER_DONE;
	}
	tunnel_enter(layer, TUNNEL_TZSP, 0);
	switch (cursor_load_be16(header + 2)) {
	case 1:
		return LAYER_ETHERNET;
	case 18: /* IEEE 802.11 */
		return LAYER_WLAN;
	default:
		return LAYER_DONE;
	}
}

static LayerNext (*tunnel_of_port(uint16_t port))(Layer *)
{
	switch (port) {
	case PORT_VXLAN:
	case PORT_VXLAN_LINUX:
		return tunnel_vxlan;
	case PORT_VXLAN_GPE:
		return tunnel_vxlan_gpe;
	case PORT_GENEVE:
		return tunnel_geneve;
	case PORT_GTP_USER:
		return tunnel_gtp;
	case PORT_TZSP:
		return tunnel_tzsp;
	default:
		return NULL;
	}
}

static LayerNext tunnel_udp(Layer *layer)
{
	Packet *packet = layer->packet;
	if (!udp_header(layer))
		return LAYER_DONE;
	LayerNext (*tunnel)(Layer *) = tunnel_of_port(packet->dst_port);
	if (!tunnel)
		return LAYER_DONE;
	const Packet outer = *packet;
	LayerNext next = tunnel(layer);
	if (next == LAYER_DONE) {
		*packet = outer;
		return LAYER_DONE;
	}
	/* nesting is bounded by layers, which tunnel_enter counts */
	layer_run(layer, next);
	if (packet->kind == PACKET_MALFORMED)
		*packet = outer;
	return LAYER_DONE;
}

LayerNext tunnel_transport(Layer *layer)
{
	switch (layer->type) {
	case IP_PROTOCOL_TCP:
		return tcp_layer(layer);
	case IP_PROTOCOL_UDP:
		return tunnel_udp(layer);
	case IP_PROTOCOL_ICMP:
	case IP_PROTOCOL_ICMPV6:
		layer_payload(layer);
		return layer_end(layer, PACKET_ICMP);
	case IP_PROTOCOL_IPV4:
	case IP_PROTOCOL_IPV6:
		tunnel_enter(layer, TUNNEL_IP_IN_IP, layer->type);
		return LAYER_IP;
	case IP_PROTOCOL_GRE:
		return tunnel_gre(layer);
	case IP_PROTOCOL_AH:
		return ip_extensions(layer);
	case IP_PROTOCOL_MPLS:
		return tunnel_mpls(layer);
	case IP_PROTOCOL_ETHERNET:
		tunnel_enter(layer, TUNNEL_IP_IN_IP, layer->type);
		return LAYER_ETHERNET;
	case IP_PROTOCOL_ETHERIP: /* RFC 3378 3: version 3 and reserved bits */
		tunnel_enter(layer, TUNNEL_IP_IN_IP, layer->type);
		return layer_take(layer, 2) ? LAYER_ETHERNET : LAYER_DONE;
	default:
		return tunnel_other(layer);
	}
}

/* RFC 3032 2.1: labels up to the one with the bottom bit */
LayerNext tunnel_mpls(Layer *layer)
{
	const uint8_t *label = layer->at;
	tunnel_enter(layer, TUNNEL_MPLS, layer->kept >= 4 ? cursor_load_be32(label) >> 12 : 0);
	for (int i = 0; i < PARSE_MAX_LAYERS; i++) {
		label = layer_take(layer, 4);
		if (!label)
			return LAYER_DONE;
		if (label[2] & 1)
			break;
	}
	if (!(label[2] & 1))
		return layer_end(layer, PACKET_MALFORMED);
	if (layer->kept == 0)
		return layer_end(layer, layer->wire == 0 ? PACKET_MALFORMED : PACKET_CUT);
	/* RFC 4385 3: the first nibble is IP's version, or 0 in a pseudowire's control word;
	 * pseudowires without one begin with an address, which might look like IP but hardly like
	 * its header length */
	unsigned nibble = layer->at[0] >> 4;
	if ((nibble == 4 && (layer->at[0] & 0x0f) >= 5) || nibble == 6)
		return LAYER_IP;
	if (nibble == 0 && !layer_take(layer, 4))
		return LAYER_DONE;
	return LAYER_ETHERNET;
}

/* RFC 2516 4: version and type 1, code 0 in a session, session id, length */
LayerNext tunnel_pppoe(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 6);
	if (!header)
		return LAYER_DONE;
	if (header[0] != 0x11 || header[1] != 0)
		return layer_end(layer, PACKET_NOT_IP);
	tunnel_enter(layer, TUNNEL_PPPOE, cursor_load_be16(header + 2));
	layer_limit(layer, cursor_load_be16(header + 4));
	return LAYER_PPP;
}
