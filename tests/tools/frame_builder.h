/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds frames for tests and fuzz seeds, from the inside out: every call puts a header before
 * what is there. Independent of the dissectors.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_FRAME_BUILDER_H
#define SLOWCOPY_TESTS_TOOLS_FRAME_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_ROOM (256 * 1024)

/** FrameBuilder: zeroed at start; the frame is the last len bytes of room. */
typedef struct FrameBuilder {
	size_t len;
	uint8_t room[FRAME_ROOM];
} FrameBuilder;

/** FrameTcp: fields of a TCP header; what is not given is 0. */
typedef struct FrameTcp {
	uint16_t src_port, dst_port, window;
	uint32_t seq, ack;
	uint8_t flags;
	const uint8_t *options; /* padded with zeros to four bytes */
	size_t options_len;
} FrameTcp;

/** frame_start: where the frame begins. */
uint8_t *frame_start(FrameBuilder *f);

/** put_before: puts @len bytes at @data before the frame. */
void put_before(FrameBuilder *f, const void *data, size_t len);

/** put_behind: adds @len zeros, such as Ethernet padding. */
void put_behind(FrameBuilder *f, size_t len);

/** put_payload: @len counted bytes as the innermost content; the builder must be empty. */
void put_payload(FrameBuilder *f, size_t len);

void put_be16(FrameBuilder *f, uint16_t value);
void put_be32(FrameBuilder *f, uint32_t value);

void put_tcp(FrameBuilder *f, const FrameTcp *tcp);
void put_udp(FrameBuilder *f, uint16_t src_port, uint16_t dst_port);

/** put_ipv4: from 10.0.0.1 to 10.0.0.2 with a correct length and checksum. */
void put_ipv4(FrameBuilder *f, uint8_t protocol);

/** put_ipv4_raw: the same with fragment bits and a total length of one's choice. */
void put_ipv4_raw(FrameBuilder *f, uint8_t protocol, uint16_t fragment, uint16_t total_len);

/** put_ipv6: from 2001:db8::1 to 2001:db8::2; @payload_len is written as it is. */
void put_ipv6(FrameBuilder *f, uint8_t next, uint16_t payload_len);

/** put_ethernet: addresses 02:00:00:00:00:02 and :01, and a type or length. */
void put_ethernet(FrameBuilder *f, uint16_t type);

#endif
