/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shortcut for the usual frame: TCP over IP over Ethernet, nothing else and nothing unusual. In
 * a header, since readers of files decode millions and a call costs as much as a tenth of it. Loads
 * come before stores where that lets compilers join stores (the bytes could be the packet's).
 */
#ifndef SLOWCOPY_DISSECTORS_PACKET_FAST_H
#define SLOWCOPY_DISSECTORS_PACKET_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dissectors/cursor.h"
#include "dissectors/frame.h"
#include "dissectors/ip.h"
#include "dissectors/packet.h"
#include "dissectors/tcp.h"

#define PACKET_FAST_ETHERNET_LEN 14u
#define PACKET_FAST_IPV4_LEN 20u
#define PACKET_FAST_IPV6_LEN 40u
#define PACKET_FAST_TCP_LEN 20u

/** packet_decode_layers: packet_decode() without the shortcut. */
void packet_decode_layers(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret);

/** PacketFast: where TCP begins, the bytes kept from there on, and those of the wire. */
typedef struct PacketFast {
	const uint8_t *tcp;
	uint32_t kept, wire;
} PacketFast;

#define PACKET_FAST_INLINE __attribute__((always_inline)) static inline

/* what is alike in all packets that come this way; Packet has it together */
PACKET_FAST_INLINE void packet_fast_constants(
	uint8_t ip_version, uint16_t ip_header_len, Packet *ret)
{
	ret->kind = PACKET_TCP;
	ret->direction = PACKET_DIRECTION_UNKNOWN;
	ret->ip_version = ip_version;
	ret->ip_protocol = IP_PROTOCOL_TCP;
	ret->layers = 0;
	ret->has_macs = true;
	ret->more_fragments = false;
	ret->was_fragmented = false;
	ret->sack_permitted = false;
	ret->has_window_scale = false;
	ret->options_cut = false;
	ret->window_scale = 0;
	ret->sack_count = 0;
	ret->has_timestamps = false;
	ret->ip_header_len = ip_header_len;
	ret->mss = ret->vlan = 0;
	enum { RARE = offsetof(Packet, tunnel_id), RARE_LEN = sizeof(Packet) - RARE };
	_Static_assert(RARE_LEN == 48, "three stores");
	memset((uint8_t *)ret + RARE, 0, RARE_LEN);
}

/* the addresses of the link layer and where IP begins */
PACKET_FAST_INLINE void packet_fast_ethernet(const uint8_t *data, uint32_t ip_kept, Packet *ret)
{
	_Static_assert(offsetof(Packet, src_mac) == offsetof(Packet, dst_mac) + 6, "as in a frame");
	memcpy((uint8_t *)ret + offsetof(Packet, dst_mac), data, 12);
	ret->ip = data + PACKET_FAST_ETHERNET_LEN;
	ret->ip_caplen = ip_kept;
}

/* a TCP header, of which the first 20 bytes are there */
PACKET_FAST_INLINE bool packet_fast_tcp(const PacketFast *fast, Packet *ret)
{
	const uint8_t *tcp = fast->tcp;
	uint32_t header_len = (tcp[12] >> 4) * 4u;
	if (header_len < PACKET_FAST_TCP_LEN || header_len > fast->kept)
		return false;
	/* each of two neighbours in one load, one turn of the bytes and one store */
	uint32_t ports = cursor_load_be32(tcp), sum = cursor_load_be32(tcp + 14);
	uint64_t numbers = cursor_load_be64(tcp + 4);
	ret->dst_port = (uint16_t)ports;
	ret->src_port = (uint16_t)(ports >> 16);
	ret->checksum = (uint16_t)sum;
	ret->window = (uint16_t)(sum >> 16);
	ret->ack = (uint32_t)numbers;
	ret->seq = (uint32_t)(numbers >> 32);
	ret->tcp_flags = tcp[13];
	ret->tcp_header_len = (uint16_t)header_len;
	ret->payload = tcp + header_len;
	ret->payload_len = fast->wire - header_len;
	ret->payload_caplen = fast->kept - header_len;
	/* NOP NOP timestamps: the layout RFC 7323 appendix A recommends and everyone uses */
	if (header_len == PACKET_FAST_TCP_LEN + 12 && cursor_load_be32(tcp + 20) == 0x0101080a) {
		uint64_t times = cursor_load_be64(tcp + 24);
		ret->has_timestamps = true;
		ret->tsecr = (uint32_t)times;
		ret->tsval = (uint32_t)(times >> 32);
		return true;
	}
	ret->tsecr = ret->tsval = 0;
	if (header_len > PACKET_FAST_TCP_LEN)
		tcp_options(
			cursor_over(tcp + PACKET_FAST_TCP_LEN, header_len - PACKET_FAST_TCP_LEN),
			ret);
	return true;
}

/* as ::ffff:a.b.c.d; the second half in one store, as it is read soon after */
PACKET_FAST_INLINE void packet_fast_address_v4(const uint8_t *at, uint8_t *ret)
{
	const uint8_t low[8] = {0, 0, 0xff, 0xff, at[0], at[1], at[2], at[3]};
	memset(ret, 0, 8);
	memcpy(ret + 8, low, sizeof(low));
}

/* an IPv4 header without options, not a fragment, with a length that fits the frame */
PACKET_FAST_INLINE bool packet_fast_v4(
	const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret, PacketFast *ret_fast)
{
	const uint8_t *ip = data + PACKET_FAST_ETHERNET_LEN;
	uint32_t len_id = cursor_load_be32(ip + 2), len = len_id >> 16;
	/* fragment bits and offset, time to live, protocol */
	uint32_t middle = cursor_load_be32(ip + 6);
	if (ip[0] != 0x45 || (middle & 0x3fff00ff) != IP_PROTOCOL_TCP ||
		len < PACKET_FAST_IPV4_LEN + PACKET_FAST_TCP_LEN ||
		len > wirelen - PACKET_FAST_ETHERNET_LEN)
		return false;
	uint32_t kept = caplen - PACKET_FAST_ETHERNET_LEN;
	kept = kept < len ? kept : len;
	packet_fast_constants(4, PACKET_FAST_IPV4_LEN, ret);
	ret->ttl = (uint8_t)(middle >> 8);
	ret->dont_fragment = (middle & 0x40000000) != 0;
	ret->ip_id = (uint16_t)len_id;
	ret->fragment_id = (uint16_t)len_id;
	ret->ecn = ip[1] & 3;
	packet_fast_address_v4(ip + 12, ret->src);
	packet_fast_address_v4(ip + 16, ret->dst);
	packet_fast_ethernet(data, kept, ret);
	*ret_fast = (PacketFast){
		ip + PACKET_FAST_IPV4_LEN, kept - PACKET_FAST_IPV4_LEN, len - PACKET_FAST_IPV4_LEN};
	return true;
}

/* an IPv6 header without extensions, with a length that fits the frame; @caplen reaches to the end
 * of the TCP header's fixed part */
PACKET_FAST_INLINE bool packet_fast_v6(
	const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret, PacketFast *ret_fast)
{
	const uint8_t *ip = data + PACKET_FAST_ETHERNET_LEN;
	uint32_t len = cursor_load_be16(ip + 4);
	if (ip[0] >> 4 != 6 || ip[6] != IP_PROTOCOL_TCP || len < PACKET_FAST_TCP_LEN ||
		len > wirelen - PACKET_FAST_ETHERNET_LEN - PACKET_FAST_IPV6_LEN)
		return false;
	uint32_t kept = caplen - PACKET_FAST_ETHERNET_LEN - PACKET_FAST_IPV6_LEN;
	kept = kept < len ? kept : len;
	packet_fast_constants(6, PACKET_FAST_IPV6_LEN, ret);
	ret->ttl = ip[7];
	ret->ecn = ip[1] >> 4 & 3;
	ret->dont_fragment = false;
	ret->ip_id = 0;
	ret->fragment_id = 0;
	memcpy(ret->src, ip + 8, 16);
	memcpy(ret->dst, ip + 24, 16);
	packet_fast_ethernet(data, kept + PACKET_FAST_IPV6_LEN, ret);
	*ret_fast = (PacketFast){ip + PACKET_FAST_IPV6_LEN, kept, len};
	return true;
}

/**
 * packet_fast: decodes an Ethernet frame as packet_decode() does, or returns false when it is none
 * of the usual ones; then @ret holds nothing of use.
 */
PACKET_FAST_INLINE bool packet_fast(
	const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	PacketFast fast;
	if (wirelen < caplen ||
		caplen < PACKET_FAST_ETHERNET_LEN + PACKET_FAST_IPV4_LEN + PACKET_FAST_TCP_LEN)
		return false;
	uint16_t type = cursor_load_be16(data + 12);
	bool is_ip = false;
	if (type == ETHERTYPE_IPV4)
		is_ip = packet_fast_v4(data, caplen, wirelen, ret, &fast);
	else if (type == ETHERTYPE_IPV6 &&
		 caplen >= PACKET_FAST_ETHERNET_LEN + PACKET_FAST_IPV6_LEN + PACKET_FAST_TCP_LEN)
		is_ip = packet_fast_v6(data, caplen, wirelen, ret, &fast);
	return is_ip && packet_fast_tcp(&fast, ret);
}

/** packet_plain: @packet. Compilers join stores through a plain pointer, but not through one that
 * they fold into the counting of a loop; this hides where it came from. */
PACKET_FAST_INLINE Packet *packet_plain(Packet *packet)
{
	__asm__("" : "+r"(packet));
	return packet;
}

/** packet_decode_here: packet_decode(), for loops over many frames: the shortcut is part of the
 * caller, who gets @ret from packet_plain(). */
PACKET_FAST_INLINE void packet_decode_here(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret)
{
	bool is_usual =
		link_type == LINKTYPE_ETHERNET && data && packet_fast(data, caplen, wirelen, ret);
	if (!is_usual)
		packet_decode_layers(link_type, data, caplen, wirelen, ret);
}

#endif
