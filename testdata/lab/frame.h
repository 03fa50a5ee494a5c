/*
 * Ethernet frames with TCP inside: what the path emulator must know of them, and the edits it
 * makes. Not a dissector: no VLAN tags, no IPv6 extension headers, no fragments; the lab's hosts
 * send none. SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SLOWCOPY_TESTDATA_LAB_FRAME_H
#define SLOWCOPY_TESTDATA_LAB_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest frame of the lab: 9000 bytes of MTU, 14 of Ethernet, rounded up; super-segments need 64
 * KiB. */
#define FRAME_MAX 66000

/* The TCP options a box on the path may take out of a SYN (RFC 9293 3.1, RFC 7323 2 and 3, RFC
 * 2018). */
enum {
	FRAME_STRIP_WINDOW_SCALE = 1,
	FRAME_STRIP_SACK = 2,
	FRAME_STRIP_TIMESTAMPS = 4,
};

/** FrameView: where the parts of one frame are. Offsets are from the first byte of the frame. */
typedef struct {
	bool is_ip;
	bool is_tcp;
	bool is_udp;
	bool is_syn;
	bool is_ack;
	unsigned ip_len; /* bytes from the IP header on, by the IP header's own count */
	unsigned ip_offset;
	unsigned tcp_offset;
	unsigned payload_len; /* TCP payload, bytes */
	uint32_t seq;
	uint16_t src_port;
	uint16_t dst_port;
} FrameView;

/**
 * frame_parse: find IP and TCP in a frame.
 * @data, @len: the frame from its Ethernet header on.
 * @ret: always set; is_ip and is_tcp say what was found.
 */
void frame_parse(const uint8_t *data, size_t len, FrameView *ret);

/**
 * frame_strip_options: replace the chosen options of a SYN by NOPs and mend the checksum.
 * @strip: sum of FRAME_STRIP_*.
 */
void frame_strip_options(uint8_t *data, const FrameView *view, unsigned strip);

/** frame_clamp_mss: lower the MSS option of a SYN to @mss if it is larger, and mend the checksum.
 */
void frame_clamp_mss(uint8_t *data, const FrameView *view, unsigned mss);

/**
 * frame_mark_ce: set Congestion Experienced (RFC 3168 5) if the sender said it understands ECN.
 * Returns whether the frame could be marked.
 */
bool frame_mark_ce(uint8_t *data, const FrameView *view);

#endif
