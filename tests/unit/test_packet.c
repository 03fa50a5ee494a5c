/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding of frames: one of every link layer and tunnel, whole and cut at every length; the
 * shortcut against the general way; lengths that lie; TCP options.
 */
#include "dissectors/packet.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissectors/frame.h"
#include "dissectors/layer.h"
#include "tests/tools/frame_samples.h"
#include "tests/tools/random.h"

static FrameBuilder builder;
static uint8_t *block; /* what was decoded last */

/* decodes @caplen bytes from a heap block of exactly that size, so that a sanitizer sees every byte
 * too many */
static void decode(
	uint32_t link_type, const uint8_t *data, size_t caplen, size_t wirelen, Packet *ret)
{
	free(block);
	block = malloc(caplen ? caplen : 1);
	if (caplen > 0)
		memcpy(block, data, caplen);
	memset(ret, 0x5a, sizeof(*ret));
	packet_decode(link_type, caplen ? block : NULL, (uint32_t)caplen, (uint32_t)wirelen, ret);
}

static void build(const FrameSample *sample)
{
	memset(&builder, 0, sizeof(builder));
	sample->build(&builder);
}

static void decode_sample(const char *name, Packet *ret)
{
	const FrameSample *s;
	for (size_t n = 0; (s = frame_sample_at(n)); n++) {
		if (strcmp(s->name, name) == 0) {
			build(s);
			decode(s->link_type, frame_start(&builder), builder.len, builder.len, ret);
			return;
		}
	}
	cr_assert_fail("no sample %s", name);
}

/* what holds of any decoded packet */
static void check_sane(const char *name, const Packet *p, size_t caplen)
{
	cr_assert_lt(p->kind, PACKET_KIND_COUNT, "%s", name);
	cr_assert_not_null(p->payload, "%s", name);
	cr_assert_leq(p->payload_caplen, p->payload_len, "%s", name);
	cr_assert_leq(p->payload_caplen, caplen, "%s", name);
	cr_assert_leq(p->sack_count, 4, "%s", name);
	if (p->ip) /* the decoded block ends where the frame does */
		cr_assert_leq(p->ip_caplen, (size_t)(block + caplen - p->ip), "%s", name);
	cr_assert(p->kind != PACKET_TCP || p->ip_version == 4 || p->ip_version == 6, "%s", name);
}

Test(packet, samples)
{
	const FrameSample *s;
	for (size_t n = 0; (s = frame_sample_at(n)); n++) {
		Packet p;
		build(s);
		decode(s->link_type, frame_start(&builder), builder.len, builder.len, &p);
		check_sane(s->name, &p, builder.len);
		cr_expect_eq(p.kind, s->kind, "%s: %s", s->name, packet_kind_name(p.kind));
		cr_expect_eq(p.tunnel_id >> 56, s->tunnel, "%s", s->name);
		cr_expect_eq(p.layers, s->layers, "%s: %u layers", s->name, p.layers);
		cr_expect_eq(p.vlan, s->vlan, "%s", s->name);
		cr_expect_eq(p.payload_len, s->payload_len, "%s: %u", s->name, p.payload_len);
		cr_expect_eq(p.payload_caplen, s->payload_len, "%s", s->name);
		if (p.kind == PACKET_TCP) {
			cr_expect(p.src_port == 40000 && p.dst_port == 445, "%s", s->name);
			cr_expect(p.seq == 1000 && p.ack == 2000, "%s", s->name);
		}
		if (p.kind == PACKET_TCP && s->payload_len == 100) {
			cr_expect(p.has_timestamps && p.tsval == 3 && p.tsecr == 4, "%s", s->name);
			cr_expect_eq(p.payload[0], 0x80, "%s", s->name);
		}
	}
}

Test(packet, cut_at_every_length)
{
	const FrameSample *s;
	for (size_t n = 0; (s = frame_sample_at(n)); n++) {
		Packet whole, cut;
		build(s);
		const uint8_t *data = frame_start(&builder);
		size_t len = builder.len;
		decode(s->link_type, data, len, len, &whole);
		for (size_t i = 0; i <= len; i += i < 400 || i > len - 20 ? 1 : 997) {
			/* by the snap length: never malformed, and lengths on the wire stay */
			decode(s->link_type, data, i, len, &cut);
			check_sane(s->name, &cut, i);
			if (whole.kind != PACKET_MALFORMED)
				cr_assert_neq(cut.kind, PACKET_MALFORMED, "%s at %zu", s->name, i);
			if (cut.kind == whole.kind)
				cr_assert_eq(cut.payload_len, whole.payload_len, "%s at %zu",
					s->name, i);
			/* by whoever wrote the file without saying so */
			decode(s->link_type, data, i, i, &cut);
			check_sane(s->name, &cut, i);
		}
	}
}

Test(packet, shortcut_equals_general_way)
{
	Random random = random_start();
	const FrameSample *s;
	for (size_t n = 0; (s = frame_sample_at(n)); n++) {
		if (s->link_type != LINKTYPE_ETHERNET)
			continue;
		build(s);
		uint8_t *data = frame_start(&builder);
		size_t len = builder.len < 300 ? builder.len : 300;
		for (int round = 0; round < 300; round++) {
			Packet fast, slow;
			/* what either leaves alone shows */
			memset(&fast, 0xaa, sizeof(fast));
			memset(&slow, 0xaa, sizeof(slow));
			uint8_t *byte = &data[random_below(&random, len)], was = *byte;
			if (round > 0)
				*byte = (uint8_t)random_next(&random);
			uint32_t caplen = (uint32_t)(len - random_below(&random, 2) *
								   random_below(&random, len));
			uint32_t wirelen = caplen + (uint32_t)random_below(&random, 3) * 100;
			packet_decode(s->link_type, data, caplen, wirelen, &fast);
			layer_clear(&slow, data);
			layer_decode(s->link_type, data, caplen, wirelen, &slow);
			cr_assert_eq(memcmp(&fast, &slow, sizeof(fast)), 0, "%s, round %d", s->name,
				round);
			*byte = was;
		}
	}
}

static void make_tcp(const uint8_t *options, size_t len, uint8_t flags, Packet *ret)
{
	memset(&builder, 0, sizeof(builder));
	put_tcp(&builder, &(FrameTcp){.src_port = 1,
				  .dst_port = 2,
				  .flags = flags,
				  .options = options,
				  .options_len = len});
	put_ipv4(&builder, 6);
	put_ethernet(&builder, 0x0800);
	decode(LINKTYPE_ETHERNET, frame_start(&builder), builder.len, builder.len, ret);
	cr_assert_eq(ret->kind, PACKET_TCP);
}

Test(packet, tcp_options)
{
	Packet p;
	const uint8_t syn[] = {2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7};
	make_tcp(syn, sizeof(syn), TCP_SYN, &p);
	cr_expect_eq(p.mss, 1460);
	cr_expect(p.sack_permitted && p.has_timestamps && p.has_window_scale);
	cr_expect_eq(p.window_scale, 7);
	cr_expect_eq(p.tsval, 1);
	cr_expect_eq(p.tcp_header_len, 40);

	/* what only a SYN may say is not believed later */
	make_tcp(syn, sizeof(syn), TCP_ACK, &p);
	cr_expect(p.mss == 0 && !p.sack_permitted && !p.has_window_scale && p.has_timestamps);

	const uint8_t sack[] = {1, 1, 5, 34, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0,
		0, 5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8};
	make_tcp(sack, sizeof(sack), TCP_ACK, &p);
	cr_expect_eq(p.sack_count, 4);
	cr_expect(p.sack[0].left == 1 && p.sack[3].right == 8);

	/* a length of 0 or beyond the header ends the list; what came before counts */
	const uint8_t zero[] = {8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 5, 0};
	make_tcp(zero, sizeof(zero), TCP_ACK, &p);
	cr_expect(p.has_timestamps && p.sack_count == 0);
	const uint8_t beyond[] = {8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 5, 10};
	make_tcp(beyond, sizeof(beyond), TCP_ACK, &p);
	cr_expect(p.has_timestamps && p.sack_count == 0);
	const uint8_t ended[] = {0, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 0};
	make_tcp(ended, sizeof(ended), TCP_ACK, &p);
	cr_expect_not(p.has_timestamps);
}

Test(packet, options_cut_by_the_snap_length)
{
	Packet p;
	decode_sample("ethernet-ipv4", &p);
	cr_expect_not(p.options_cut);
	decode(LINKTYPE_ETHERNET, frame_start(&builder), 14 + 20 + 20 + 5, builder.len, &p);
	cr_expect_eq(p.kind, PACKET_TCP);
	cr_expect(p.options_cut && !p.has_timestamps);
	cr_expect_eq(p.payload_len, 100);
	cr_expect_eq(p.payload_caplen, 0);
}

Test(packet, fields)
{
	Packet p;
	decode_sample("ethernet-ipv4", &p);
	cr_expect_eq(memcmp(p.src, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16), 0);
	cr_expect_eq(memcmp(p.dst, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\2", 16), 0);
	cr_expect(p.has_macs && p.src_mac[5] == 1 && p.dst_mac[5] == 2);
	cr_expect(p.ip_version == 4 && p.ttl == 64 && p.ip_id == 0x1234 && p.dont_fragment);
	cr_expect_eq(p.window, 500);
	cr_expect_eq(p.checksum, 0xabcd);
	cr_expect_eq(p.tcp_flags, TCP_ACK | TCP_PSH);
	decode_sample("extensions", &p);
	cr_expect_eq(p.ip_header_len, 40 + 8 + 16 + 8 + 8 + 24);
	cr_expect_eq(p.ip_protocol, 6);
	decode_sample("fragment-ipv4", &p);
	cr_expect(p.more_fragments && p.fragment_offset == 185 * 8 && p.fragment_id == 0x1234);
	decode_sample("fragment-ipv6", &p);
	cr_expect(p.more_fragments && p.fragment_offset == 185 * 8 && p.fragment_id == 9);
	cr_expect_eq(p.ip_protocol, 6);
	decode_sample("sll", &p);
	cr_expect_eq(p.direction, PACKET_DIRECTION_OUT);
	decode_sample("sll2", &p);
	cr_expect_eq(p.direction, PACKET_DIRECTION_IN);
	decode_sample("pktap", &p);
	cr_expect_eq(p.direction, PACKET_DIRECTION_OUT);
	decode_sample("ppp-direction", &p);
	cr_expect_eq(p.direction, PACKET_DIRECTION_OUT);
	decode_sample("nbf", &p);
	cr_expect(p.seq == 5 && p.ack == 6 && p.payload[4] == 0x19);
	decode_sample("vxlan", &p);
	cr_expect_eq(p.tunnel_id & 0xffffffff, 42);
	static const char *const wlans[] = {"wlan", "radiotap", "token-ring", "fddi"};
	for (size_t i = 0; i < 4; i++) {
		decode_sample(wlans[i], &p);
		cr_expect(p.src_mac[5] == 1 && p.dst_mac[5] == 2, "%s", wlans[i]);
	}
}

/* IP says more bytes than the frame had */
Test(packet, lying_lengths)
{
	Packet p;
	/* the capture tool cut the packet and forgot the wire length: IP is right */
	decode_sample("ethernet-ipv4", &p);
	decode(LINKTYPE_ETHERNET, frame_start(&builder), 80, 80, &p);
	cr_expect(p.kind == PACKET_TCP && p.payload_len == 100 && p.payload_caplen == 14);
	/* unless its header is damaged */
	frame_start(&builder)[14 + 2] = 0x20;
	decode(LINKTYPE_ETHERNET, frame_start(&builder), 80, 80, &p);
	cr_expect(p.kind == PACKET_TCP && p.payload_len == 14);
	/* or an outer header ends the packet earlier: padding that somebody counted */
	decode_sample("pppoe", &p);
	frame_start(&builder)[14 + 5] = 2 + 20 + 32;
	decode(LINKTYPE_ETHERNET, frame_start(&builder), builder.len, builder.len, &p);
	cr_expect(p.kind == PACKET_TCP && p.payload_len == 0);

	/* headers that reach beyond the packet */
	decode_sample("padded", &p);
	frame_start(&builder)[14 + 20 + 12] = 0xf0;
	decode(LINKTYPE_ETHERNET, frame_start(&builder), builder.len, builder.len, &p);
	cr_expect_eq(p.kind, PACKET_MALFORMED);
	decode_sample("padded", &p);
	frame_start(&builder)[14] = 0x44;
	decode(LINKTYPE_ETHERNET, frame_start(&builder), builder.len, builder.len, &p);
	cr_expect_eq(p.kind, PACKET_MALFORMED);
	/* a wire length below the kept one is not believed */
	decode_sample("ethernet-ipv4", &p);
	decode(LINKTYPE_ETHERNET, frame_start(&builder), builder.len, 0, &p);
	cr_expect(p.kind == PACKET_TCP && p.payload_caplen == 100);
}

Test(packet, kind_names_differ)
{
	for (int a = 0; a < PACKET_KIND_COUNT; a++) {
		cr_expect(strlen(packet_kind_name((PacketKind)a)) > 2);
		for (int b = 0; b < a; b++)
			cr_expect_str_neq(
				packet_kind_name((PacketKind)a), packet_kind_name((PacketKind)b));
	}
}
