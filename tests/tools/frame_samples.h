/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One frame of every link layer and tunnel, and what is true of it.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_FRAME_SAMPLES_H
#define SLOWCOPY_TESTS_TOOLS_FRAME_SAMPLES_H

#include "tests/tools/frame_builder.h"

/* of the segment that most samples carry */
#define SAMPLE_PAYLOAD_LEN 100

/* puts the listed bytes before the frame */
#define PUT_BYTES(f, ...)                                                                          \
	put_before(f, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/** FrameSample: one frame of a kind, and what is true of it. */
typedef struct FrameSample {
	const char *name;
	void (*build)(FrameBuilder *f);
	uint32_t link_type;
	uint8_t kind;   /* PacketKind */
	uint8_t tunnel; /* TunnelKind of the outermost tunnel */
	uint8_t layers;
	uint16_t vlan;
	uint32_t payload_len; /* of the transport, where the kind has any */
} FrameSample;

/** link_samples, tunnel_samples: ended by a nameless one. TCP samples go from port 40000 to 445
 * with sequence number 1000 and acknowledgement 2000. */
extern const FrameSample link_samples[];
extern const FrameSample tunnel_samples[];

/** frame_sample_at: the samples of both tables by number, NULL behind the last. */
const FrameSample *frame_sample_at(size_t index);

/* frames that others are built around */
void sample_tcp(FrameBuilder *f);
void sample_tcp4(FrameBuilder *f);
void sample_tcp6(FrameBuilder *f);
void sample_ethernet4(FrameBuilder *f);
void sample_ethernet6(FrameBuilder *f);
void sample_ppp_hdlc(FrameBuilder *f);
void sample_ppp_short(FrameBuilder *f);
void sample_wlan(FrameBuilder *f);

#endif
