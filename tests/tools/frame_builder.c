/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of frames, written from their specifications.
 */
#include "tests/tools/frame_builder.h"

#include <stdlib.h>
#include <string.h>

uint8_t *frame_start(FrameBuilder *f)
{
	return f->room + FRAME_ROOM - f->len;
}

void put_before(FrameBuilder *f, const void *data, size_t len)
{
	if (len > FRAME_ROOM - f->len)
		abort();
	f->len += len;
	if (len > 0)
		memcpy(frame_start(f), data, len);
}

void put_behind(FrameBuilder *f, size_t len)
{
	if (len > FRAME_ROOM - f->len)
		abort();
	memmove(frame_start(f) - len, frame_start(f), f->len);
	memset(f->room + FRAME_ROOM - len, 0, len);
	f->len += len;
}

void put_payload(FrameBuilder *f, size_t len)
{
	f->len = len;
	for (size_t i = 0; i < len; i++)
		frame_start(f)[i] = (uint8_t)(0x80 + i % 0x70);
}

void put_be16(FrameBuilder *f, uint16_t value)
{
	put_before(f, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

void put_be32(FrameBuilder *f, uint32_t value)
{
	put_be16(f, (uint16_t)value);
	put_be16(f, (uint16_t)(value >> 16));
}

void put_tcp(FrameBuilder *f, const FrameTcp *tcp)
{
	static const uint8_t zeros[4];
	size_t padding = (4 - tcp->options_len % 4) % 4;
	put_before(f, zeros, padding);
	put_before(f, tcp->options, tcp->options_len);
	put_be32(f, 0xabcd0000); /* checksum, urgent pointer */
	put_be16(f, tcp->window);
	uint8_t offset = (uint8_t)((20 + tcp->options_len + padding) / 4);
	put_before(f, (uint8_t[]){(uint8_t)(offset << 4), tcp->flags}, 2);
	put_be32(f, tcp->ack);
	put_be32(f, tcp->seq);
	put_be16(f, tcp->dst_port);
	put_be16(f, tcp->src_port);
}

void put_udp(FrameBuilder *f, uint16_t src_port, uint16_t dst_port)
{
	uint16_t len = (uint16_t)(f->len + 8);
	put_be16(f, 0);
	put_be16(f, len);
	put_be16(f, dst_port);
	put_be16(f, src_port);
}

void put_ipv4_raw(FrameBuilder *f, uint8_t protocol, uint16_t fragment, uint16_t total_len)
{
	uint8_t header[20] = {0x45, 0, (uint8_t)(total_len >> 8), (uint8_t)total_len, 0x12, 0x34,
		(uint8_t)(fragment >> 8), (uint8_t)fragment, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0,
		0, 2};
	uint32_t sum = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	header[10] = (uint8_t)(sum >> 8);
	header[11] = (uint8_t)sum;
	put_before(f, header, sizeof(header));
}

void put_ipv4(FrameBuilder *f, uint8_t protocol)
{
	put_ipv4_raw(f, protocol, 0x4000, (uint16_t)(f->len + 20));
}

void put_ipv6(FrameBuilder *f, uint8_t next, uint16_t payload_len)
{
	uint8_t header[40] = {0x60, 0, 0, 0, (uint8_t)(payload_len >> 8), (uint8_t)payload_len,
		next, 60, 0x20, 0x01, 0x0d, 0xb8};
	header[23] = 1;
	memcpy(header + 24, header + 8, 4);
	header[39] = 2;
	put_before(f, header, sizeof(header));
}

void put_ethernet(FrameBuilder *f, uint16_t type)
{
	put_be16(f, type);
	put_before(f, "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01", 12);
}
