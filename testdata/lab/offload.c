/*
 * Segmentation and checksum offload. See offload.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "offload.h"

#include "frame.h"

#include <string.h>

enum {
	TCP_FLAG_FIN = 1,
	TCP_FLAG_PSH = 8,
	TCP_FLAG_CWR = 128,
};

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* RFC 1071; @sum is what was added up before. */
static uint32_t sum_add(uint32_t sum, const uint8_t *data, size_t len)
{
	for (; len > 1; data += 2, len -= 2)
		sum += (uint32_t)data[0] << 8 | data[1];
	return len ? sum + ((uint32_t)data[0] << 8) : sum;
}

static unsigned sum_finish(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* RFC 9293 3.1: TCP's checksum with its pseudo header, and IPv4's own. */
static void checksums_fill(uint8_t *data, const FrameView *view, size_t len)
{
	uint8_t *ip = data + view->ip_offset, *tcp = data + view->tcp_offset;
	size_t tcp_len = len - view->tcp_offset;
	int is_ipv4 = ip[0] >> 4 == 4;
	if (is_ipv4) {
		put16(ip + 10, 0);
		put16(ip + 10, sum_finish(sum_add(0, ip, view->tcp_offset - view->ip_offset)));
	}
	uint32_t sum = is_ipv4 ? sum_add(0, ip + 12, 8) : sum_add(0, ip + 8, 32);
	put16(tcp + 16, 0);
	put16(tcp + 16, sum_finish(sum_add(sum + 6 + (uint32_t)tcp_len, tcp, tcp_len)));
}

void offload_split(const struct virtio_net_hdr *header, uint8_t *data, size_t len,
	OffloadFrame frame, void *user)
{
	FrameView view;
	frame_parse(data, len, &view);
	if (!view.is_tcp || (!(header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) && !header->gso_size)) {
		if (view.is_udp &&
			header->flags &
				VIRTIO_NET_HDR_F_NEEDS_CSUM) /* 0: the sender made none (RFC 768) */
			put16(data + header->csum_start + header->csum_offset, 0);
		frame(user, data, len);
		return;
	}

	static uint8_t part[FRAME_MAX];
	size_t headers = view.tcp_offset + (data[view.tcp_offset + 12] >> 4) * 4u;
	size_t size = header->gso_size ? header->gso_size : len;
	unsigned id = (unsigned)data[view.ip_offset + 4] << 8 | data[view.ip_offset + 5];
	size_t at = headers;
	do {
		size_t payload = len - at < size ? len - at : size;
		int is_first = at == headers, is_last = at + payload >= len,
		    is_ipv4 = data[view.ip_offset] >> 4 == 4;
		uint8_t *tcp = part + view.tcp_offset, *ip = part + view.ip_offset;
		memcpy(part, data, headers);
		memcpy(part + headers, data + at, payload);
		uint32_t seq = view.seq + (uint32_t)(at - headers);
		put16(tcp + 4, seq >> 16);
		put16(tcp + 6, seq & 0xffff);
		if (!is_last)
			tcp[13] &= (uint8_t) ~(TCP_FLAG_FIN | TCP_FLAG_PSH);
		if (!is_first)
			tcp[13] &= (uint8_t)~TCP_FLAG_CWR;
		unsigned ip_len = (unsigned)(headers + payload - view.ip_offset);
		put16(ip + (is_ipv4 ? 2 : 4), is_ipv4 ? ip_len : ip_len - 40);
		if (is_ipv4)
			put16(ip + 4, (id++) & 0xffff);
		checksums_fill(part, &view, headers + payload);
		frame(user, part, headers + payload);
		at += payload;
	} while (at < len);
}
