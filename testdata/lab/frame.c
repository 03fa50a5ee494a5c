/*
 * Ethernet frames with TCP inside: parsing and edits for the path emulator. See frame.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame.h"

#include <string.h>

enum {
	ETHERNET_LEN = 14,
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	IPV6_HEADER_LEN = 40,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	TCP_OPTION_END = 0,
	TCP_OPTION_NOP = 1,
	TCP_OPTION_MSS = 2,
	TCP_OPTION_WINDOW_SCALE = 3,
	TCP_OPTION_SACK_PERMITTED = 4,
	TCP_OPTION_TIMESTAMPS = 8,
};

static unsigned get16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

void frame_parse(const uint8_t *data, size_t len, FrameView *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (len < ETHERNET_LEN + 20)
		return;

	const uint8_t *ip = data + ETHERNET_LEN;
	unsigned ethertype = get16(data + 12), ip_header;
	ret->ip_offset = ETHERNET_LEN;
	if (ethertype == ETHERTYPE_IPV4) {
		ip_header = (ip[0] & 15u) * 4;
		ret->ip_len = get16(ip + 2);
		ret->is_tcp = ip[9] == PROTOCOL_TCP;
		ret->is_udp = ip[9] == PROTOCOL_UDP;
	} else if (ethertype == ETHERTYPE_IPV6 && len >= ETHERNET_LEN + IPV6_HEADER_LEN) {
		ip_header = IPV6_HEADER_LEN;
		ret->ip_len = IPV6_HEADER_LEN + get16(ip + 4);
		ret->is_tcp = ip[6] == PROTOCOL_TCP;
		ret->is_udp = ip[6] == PROTOCOL_UDP;
	} else {
		return;
	}
	ret->is_ip = true;
	if (!ret->ip_len) /* segmentation offload: the header does not know its own length */
		ret->ip_len = (unsigned)len - ETHERNET_LEN;
	ret->tcp_offset = ETHERNET_LEN + ip_header;
	if (!ret->is_tcp || len < ret->tcp_offset + 20) {
		ret->is_tcp = false;
		return;
	}

	const uint8_t *tcp = data + ret->tcp_offset;
	unsigned tcp_header = (tcp[12] >> 4) * 4u;
	ret->src_port = (uint16_t)get16(tcp);
	ret->dst_port = (uint16_t)get16(tcp + 2);
	ret->seq = get32(tcp + 4);
	ret->is_syn = tcp[13] & 2;
	ret->is_ack = tcp[13] & 16;
	if (ret->ip_len > ip_header + tcp_header)
		ret->payload_len = ret->ip_len - ip_header - tcp_header;
}

/* RFC 1624: the checksum after one 16-bit word changed. */
static void checksum_update(uint8_t *checksum, unsigned before, unsigned after)
{
	uint32_t sum = (~get16(checksum) & 0xffffu) + (~before & 0xffffu) + after;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	checksum[0] = (uint8_t)(sum >> 8);
	checksum[1] = (uint8_t)sum;
}

static void tcp_set_byte(uint8_t *tcp, unsigned offset, uint8_t value)
{
	uint8_t *word = tcp + (offset & ~1u);
	unsigned before = get16(word);
	tcp[offset] = value;
	checksum_update(tcp + 16, before, get16(word));
}

static bool option_is_stripped(unsigned kind, unsigned strip)
{
	return (kind == TCP_OPTION_WINDOW_SCALE && strip & FRAME_STRIP_WINDOW_SCALE) ||
	       (kind == TCP_OPTION_SACK_PERMITTED && strip & FRAME_STRIP_SACK) ||
	       (kind == TCP_OPTION_TIMESTAMPS && strip & FRAME_STRIP_TIMESTAMPS);
}

/* Walks the options of a SYN; strips those of @strip and clamps the MSS to @mss (0 = leave it). */
static void syn_edit(uint8_t *data, const FrameView *view, unsigned strip, unsigned mss)
{
	uint8_t *tcp = data + view->tcp_offset;
	unsigned end = (tcp[12] >> 4) * 4u;
	for (unsigned at = 20; at < end && tcp[at] != TCP_OPTION_END;) {
		if (tcp[at] == TCP_OPTION_NOP) {
			at++;
			continue;
		}
		unsigned option_len = at + 1 < end ? tcp[at + 1] : 0;
		if (option_len < 2 || at + option_len > end)
			return;
		if (option_is_stripped(tcp[at], strip)) {
			for (unsigned i = 0; i < option_len; i++)
				tcp_set_byte(tcp, at + i, TCP_OPTION_NOP);
		} else if (mss && tcp[at] == TCP_OPTION_MSS && get16(tcp + at + 2) > mss) {
			tcp_set_byte(tcp, at + 2, (uint8_t)(mss >> 8));
			tcp_set_byte(tcp, at + 3, (uint8_t)mss);
		}
		at += option_len;
	}
}

void frame_strip_options(uint8_t *data, const FrameView *view, unsigned strip)
{
	if (view->is_tcp && view->is_syn && strip)
		syn_edit(data, view, strip, 0);
}

void frame_clamp_mss(uint8_t *data, const FrameView *view, unsigned mss)
{
	if (view->is_tcp && view->is_syn && mss)
		syn_edit(data, view, 0, mss);
}

bool frame_mark_ce(uint8_t *data, const FrameView *view)
{
	uint8_t *ip = data + view->ip_offset;
	if (!view->is_ip)
		return false;
	if (ip[0] >> 4 == 4) {
		if (!(ip[1] & 3))
			return false;
		unsigned before = get16(ip);
		ip[1] |= 3;
		checksum_update(ip + 10, before, get16(ip));
	} else { /* IPv6 has no header checksum; the two bits straddle bytes 1's high half */
		if (!(ip[1] & 0x30))
			return false;
		ip[1] |= 0x30;
	}
	return true;
}
