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
#include "dissectors/parse.h"
#include "dissectors/tcp.h"
#include "dissectors/tunnel.h"
#include "dissectors/wlan.h"

#define ETHERNET_LEN 14
#define IPV4_LEN 20
#define IPV6_LEN 40
#define TCP_LEN 20

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

/*
 * The tail of the shortcut: a TCP header at @tcp, of a segment that is @wire bytes long of which
 * @kept (>= TCP_LEN) are there. False when it needs the general way.
 */
static inline bool packet_fast_tcp(const uint8_t *tcp, uint32_t kept, uint32_t wire, Packet *ret)
{
	uint32_t header_len = (tcp[12] >> 4) * 4u;
	if (header_len < TCP_LEN || header_len > kept)
		return false;
	ret->kind = PACKET_TCP;
	ret->ip_protocol = IP_PROTOCOL_TCP;
	ret->src_port = cursor_load_be16(tcp);
	ret->dst_port = cursor_load_be16(tcp + 2);
	ret->seq = cursor_load_be32(tcp + 4);
	ret->ack = cursor_load_be32(tcp + 8);
	ret->tcp_flags = tcp[13];
	ret->window = cursor_load_be16(tcp + 14);
	ret->checksum = cursor_load_be16(tcp + 16);
	ret->tcp_header_len = (uint8_t)header_len;
	ret->payload = tcp + header_len;
	ret->payload_len = wire - header_len;
	ret->payload_caplen = kept - header_len;
	if (header_len == TCP_LEN)
		return true;
	/* NOP NOP timestamps: the layout RFC 7323 appendix A recommends and everyone uses */
	if (header_len == TCP_LEN + 12 && cursor_load_be32(tcp + TCP_LEN) == 0x0101080a) {
		ret->has_timestamps = true;
		ret->tsval = cursor_load_be32(tcp + TCP_LEN + 4);
		ret->tsecr = cursor_load_be32(tcp + TCP_LEN + 8);
		return true;
	}
	tcp_options(cursor_over(tcp + TCP_LEN, header_len - TCP_LEN), ret);
	return true;
}

static inline void packet_fast_ethernet(const uint8_t *data, uint32_t ip_kept, Packet *ret)
{
	memcpy(ret->dst_mac, data, 6);
	memcpy(ret->src_mac, data + 6, 6);
	ret->has_macs = true;
	ret->ip = data + ETHERNET_LEN;
	ret->ip_caplen = ip_kept;
}

/* an IPv4 header without options, not a fragment, with a length that fits the frame */
static inline bool packet_fast_v4(
	const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	const uint8_t *ip = data + ETHERNET_LEN;
	uint32_t total_len = cursor_load_be16(ip + 2);
	uint16_t fragment = cursor_load_be16(ip + 6);
	if (ip[0] != 0x45 || ip[9] != IP_PROTOCOL_TCP || (fragment & 0x3fff) != 0 ||
		total_len < IPV4_LEN + TCP_LEN || total_len > wirelen - ETHERNET_LEN)
		return false;
	uint32_t kept = caplen - ETHERNET_LEN < total_len ? caplen - ETHERNET_LEN : total_len;
	packet_fast_ethernet(data, kept, ret);
	ret->ip_version = 4;
	ret->ecn = ip[1] & 3;
	ret->ip_id = cursor_load_be16(ip + 4);
	ret->fragment_id = ret->ip_id;
	ret->dont_fragment = fragment & 0x4000;
	ret->ttl = ip[8];
	ret->ip_header_len = IPV4_LEN;
	/* in one store each: it is read as a word soon after */
	const uint8_t src[8] = {0, 0, 0xff, 0xff, ip[12], ip[13], ip[14], ip[15]};
	const uint8_t dst[8] = {0, 0, 0xff, 0xff, ip[16], ip[17], ip[18], ip[19]};
	memcpy(ret->src + 8, src, sizeof(src));
	memcpy(ret->dst + 8, dst, sizeof(dst));
	return packet_fast_tcp(ip + IPV4_LEN, kept - IPV4_LEN, total_len - IPV4_LEN, ret);
}

/* an IPv6 header without extensions, with a length that fits the frame; @caplen reaches to the end
 * of the TCP header's fixed part */
static inline bool packet_fast_v6(
	const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	const uint8_t *ip = data + ETHERNET_LEN;
	uint32_t len = cursor_load_be16(ip + 4);
	if (ip[0] >> 4 != 6 || ip[6] != IP_PROTOCOL_TCP || len < TCP_LEN ||
		len > wirelen - ETHERNET_LEN - IPV6_LEN)
		return false;
	uint32_t kept = caplen - ETHERNET_LEN - IPV6_LEN;
	kept = kept < len ? kept : len;
	packet_fast_ethernet(data, kept + IPV6_LEN, ret);
	ret->ip_version = 6;
	ret->ecn = ip[1] >> 4 & 3;
	ret->ttl = ip[7];
	ret->ip_header_len = IPV6_LEN;
	memcpy(ret->src, ip + 8, 16);
	memcpy(ret->dst, ip + 24, 16);
	return packet_fast_tcp(ip + IPV6_LEN, kept, len, ret);
}

/* the shortcut; false when the frame needs the general way */
static inline bool packet_fast(const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	if (caplen < ETHERNET_LEN + IPV4_LEN + TCP_LEN)
		return false;
	uint16_t type = cursor_load_be16(data + 12);
	if (type == ETHERTYPE_IPV4)
		return packet_fast_v4(data, caplen, wirelen, ret);
	if (type == ETHERTYPE_IPV6 && caplen >= ETHERNET_LEN + IPV6_LEN + TCP_LEN)
		return packet_fast_v6(data, caplen, wirelen, ret);
	return false;
}

/* out of line, so that the shortcut needs no stack frame */
__attribute__((noinline)) static void packet_decode_layers(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	if (!data) {
		data = (const uint8_t *)"";
		caplen = 0;
	}
	layer_clear(ret, data);
	layer_decode(link_type, data, caplen, wirelen, ret);
}

void packet_decode(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	if (wirelen < caplen)
		wirelen = caplen;
	if (link_type == LINKTYPE_ETHERNET && data) {
		layer_clear(ret, data);
		if (packet_fast(data, caplen, wirelen, ret))
			return;
	}
	packet_decode_layers(link_type, data, caplen, wirelen, ret);
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
