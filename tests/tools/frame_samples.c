/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frames that other samples are built around, and the list of all.
 */
#include "tests/tools/frame_samples.h"

#include "dissectors/frame.h"
#include "dissectors/packet.h"
#include "dissectors/tunnel.h"

/* NOP NOP timestamps 3, 4 */
static const uint8_t timestamps[] = {1, 1, 8, 10, 0, 0, 0, 3, 0, 0, 0, 4};

/* 100 bytes of data in a segment with timestamps */
void sample_tcp(FrameBuilder *f)
{
	put_payload(f, 100);
	put_tcp(f, &(FrameTcp){.src_port = 40000,
			   .dst_port = 445,
			   .seq = 1000,
			   .ack = 2000,
			   .flags = TCP_ACK | TCP_PSH,
			   .window = 500,
			   .options = timestamps,
			   .options_len = sizeof(timestamps)});
}

void sample_tcp4(FrameBuilder *f)
{
	sample_tcp(f);
	put_ipv4(f, 6);
}

void sample_tcp6(FrameBuilder *f)
{
	sample_tcp(f);
	put_ipv6(f, 6, (uint16_t)f->len);
}

void sample_ethernet4(FrameBuilder *f)
{
	sample_tcp4(f);
	put_ethernet(f, 0x0800);
}

void sample_ethernet6(FrameBuilder *f)
{
	sample_tcp6(f);
	put_ethernet(f, 0x86dd);
}

void sample_ppp_hdlc(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xff, 3, 0, 0x21);
}

void sample_ppp_short(FrameBuilder *f)
{
	sample_tcp6(f);
	PUT_BYTES(f, 0x57);
}

/* an 802.11 QoS data frame from a station, as 802.2 */
void sample_wlan(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	PUT_BYTES(f, 0, 0); /* QoS control */
	PUT_BYTES(
		f, 0x88, 0x01, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x10, 0);
}

const FrameSample *frame_sample_at(size_t index)
{
	const FrameSample *const tables[] = {link_samples, tunnel_samples};
	for (size_t t = 0; t < 2; t++) {
		for (const FrameSample *sample = tables[t]; sample->name; sample++) {
			if (index-- == 0)
				return sample;
		}
	}
	return NULL;
}
