/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One frame of every link layer and tunnel.
 */
#include "tests/tools/frame_builder.h"

#include "dissectors/frame.h"
#include "dissectors/packet.h"
#include "dissectors/tunnel.h"

/* NOP NOP timestamps 3, 4 */
static const uint8_t timestamps[] = {1, 1, 8, 10, 0, 0, 0, 3, 0, 0, 0, 4};

#define BYTES(f, ...)                                                                              \
	put_before(f, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* 100 bytes of data in a segment with timestamps */
static void sample_tcp(FrameBuilder *f)
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

static void sample_tcp4(FrameBuilder *f)
{
	sample_tcp(f);
	put_ipv4(f, 6);
}

static void sample_tcp6(FrameBuilder *f)
{
	sample_tcp(f);
	put_ipv6(f, 6, (uint16_t)f->len);
}

static void sample_ethernet4(FrameBuilder *f)
{
	sample_tcp4(f);
	put_ethernet(f, 0x0800);
}

static void sample_ethernet6(FrameBuilder *f)
{
	sample_tcp6(f);
	put_ethernet(f, 0x86dd);
}

/* a bare acknowledgement, padded to Ethernet's least length */
static void sample_padded(FrameBuilder *f)
{
	put_payload(f, 0);
	put_tcp(f, &(FrameTcp){.src_port = 40000,
			   .dst_port = 445,
			   .seq = 1000,
			   .ack = 2000,
			   .flags = TCP_ACK});
	put_ipv4(f, 6);
	put_ethernet(f, 0x0800);
	put_behind(f, 6);
}

/* segmentation offload: total length 0 */
static void sample_offload(FrameBuilder *f)
{
	put_payload(f, 70000);
	put_tcp(f, &(FrameTcp){.src_port = 40000, .dst_port = 445, .seq = 1000, .ack = 2000});
	put_ipv4_raw(f, 6, 0x4000, 0);
	put_ethernet(f, 0x0800);
}

/* RFC 2675: hop-by-hop header with a jumbo payload option */
static void sample_jumbogram(FrameBuilder *f)
{
	put_payload(f, 70000);
	put_tcp(f, &(FrameTcp){.src_port = 40000, .dst_port = 445, .seq = 1000, .ack = 2000});
	put_be32(f, (uint32_t)f->len + 8);
	BYTES(f, 6, 0, 0xc2, 4);
	put_ipv6(f, 0, 0);
	put_ethernet(f, 0x86dd);
}

/* hop-by-hop, destination options, routing, an atomic fragment header, authentication */
static void sample_extensions(FrameBuilder *f)
{
	sample_tcp(f);
	BYTES(f, 6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	BYTES(f, 51, 0, 0, 0, 0, 0, 0, 9);
	BYTES(f, 44, 0, 0, 0, 0, 0, 0, 0);
	BYTES(f, 43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	BYTES(f, 60, 0, 1, 4, 0, 0, 0, 0);
	put_ipv6(f, 0, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_vlan(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be16(f, 0x0800);
	put_be16(f, 7);
	put_ethernet(f, 0x8100);
}

static void sample_qinq(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 9 << 16 | 0x0800);
	put_be32(f, 0x2007u << 16 | 0x8100);
	put_ethernet(f, 0x88a8);
}

static void sample_sll(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0);
}

static void sample_sll2(FrameBuilder *f)
{
	sample_tcp6(f);
	BYTES(f, 0x86, 0xdd, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0);
}

static void sample_sll_vlan(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 12 << 16 | 0x0800);
	BYTES(f, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x81, 0);
}

static void sample_null_le(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 2, 0, 0, 0);
}

static void sample_null_be(FrameBuilder *f)
{
	sample_tcp6(f);
	BYTES(f, 0, 0, 0, 30);
}

static void sample_llc_snap(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 4);
}

static void sample_llc_ip(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 6, 6, 3);
	put_ethernet(f, (uint16_t)f->len);
}

static void sample_nbf(FrameBuilder *f)
{
	/* session initialize, in an information frame with N(S) 5 and N(R) 6 */
	BYTES(f, 0x0e, 0, 0xff, 0xef, 0x19, 0x8f, 0xca, 5, 0, 0, 0, 0, 1, 2);
	BYTES(f, 0xf0, 0xf0, 5 << 1, 6 << 1);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 28);
}

static void sample_nbf_ready(FrameBuilder *f)
{
	/* receiver ready with N(R) 7, a response */
	BYTES(f, 0xf0, 0xf1, 1, 7 << 1);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 42);
}

static void sample_ipx(FrameBuilder *f)
{
	BYTES(f, 0xff, 0xff, 0, 30, 0, 0);
	put_ethernet(f, (uint16_t)f->len);
}

static void sample_arp(FrameBuilder *f)
{
	BYTES(f, 0, 1, 8, 0, 6, 4, 0, 1);
	put_ethernet(f, 0x0806);
}

static void sample_pause(FrameBuilder *f)
{
	BYTES(f, 0, 1, 0xff, 0xff);
	put_ethernet(f, 0x8808);
}

static void sample_icmp(FrameBuilder *f)
{
	BYTES(f, 3, 4, 0, 0, 0, 0, 5, 0xdc);
	put_ipv4(f, 1);
	put_ethernet(f, 0x0800);
}

static void sample_ospf(FrameBuilder *f)
{
	put_payload(f, 24);
	put_ipv4(f, 89);
	put_ethernet(f, 0x0800);
}

static void sample_udp(FrameBuilder *f)
{
	put_payload(f, 30);
	put_udp(f, 40000, 53);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_fragment4(FrameBuilder *f)
{
	put_payload(f, 64);
	put_ipv4_raw(f, 6, 0x2000 | 185, 84);
	put_ethernet(f, 0x0800);
}

static void sample_fragment6(FrameBuilder *f)
{
	put_payload(f, 64);
	BYTES(f, 6, 0, 0x05, 0xc9, 0, 0, 0, 9);
	put_ipv6(f, 44, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_ppp_hdlc(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xff, 3, 0, 0x21);
}

static void sample_ppp_short(FrameBuilder *f)
{
	sample_tcp6(f);
	BYTES(f, 0x57);
}

static void sample_ppp_direction(FrameBuilder *f)
{
	sample_ppp_hdlc(f);
	BYTES(f, 1);
}

static void sample_chdlc(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0x0f, 0, 8, 0);
}

static void sample_pppoe(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be16(f, 0x0021);
	put_be16(f, (uint16_t)f->len);
	BYTES(f, 0x11, 0, 0, 5);
	put_ethernet(f, 0x8864);
}

static void sample_frame_relay(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0x18, 0x41, 3, 0xcc);
}

static void sample_frame_relay_snap(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0);
}

static void sample_frame_relay_cisco(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0x18, 0x41, 8, 0);
}

static void sample_token_ring(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	BYTES(f, 6, 0x30, 0, 1, 0, 2); /* routing information */
	BYTES(f, 0x10, 0x40, 2, 0, 0, 0, 0, 2, 0x82, 0, 0, 0, 0, 1);
}

static void sample_fddi(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	BYTES(f, 0x50, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
}

/* an 802.11 QoS data frame from a station, as 802.2 */
static void sample_wlan(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	BYTES(f, 0, 0); /* QoS control */
	BYTES(f, 0x88, 0x01, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x10, 0);
}

/* the same with a clock, flags that announce padding and a frame check sequence */
static void sample_radiotap(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	BYTES(f, 0, 0, 0, 0); /* QoS control, padding to four bytes */
	BYTES(f, 0x88, 0x02, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x10, 0);
	BYTES(f, 0, 0, 17, 0, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x30);
	put_behind(f, 4);
}

static void sample_wlan_aggregate(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	uint16_t len = (uint16_t)f->len;
	put_be16(f, len);
	BYTES(f, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
	BYTES(f, 0x80, 0);
	BYTES(f, 0x88, 0x03, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 2, 0x10, 0, 2,
		0, 0, 0, 0, 1);
	put_behind(f, 40);
}

static void sample_wlan_encrypted(FrameBuilder *f)
{
	put_payload(f, 60);
	BYTES(f, 0x08, 0x41, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x10, 0);
}

static void sample_wlan_beacon(FrameBuilder *f)
{
	put_payload(f, 60);
	BYTES(f, 0x80, 0, 0, 0);
}

static void sample_avs(FrameBuilder *f)
{
	sample_wlan(f);
	put_before(f, (const uint8_t[56]){0}, 56);
	BYTES(f, 0x80, 0x21, 0x10, 1, 0, 0, 0, 64);
}

static void sample_prism(FrameBuilder *f)
{
	sample_wlan(f);
	put_before(f, (const uint8_t[140]){0}, 140);
	BYTES(f, 0x44, 0, 0, 0);
}

static void sample_ppi(FrameBuilder *f)
{
	sample_wlan(f);
	BYTES(f, 0, 0, 12, 0, 105, 0, 0, 0, 0, 0, 0, 0);
}

static void sample_pktap(FrameBuilder *f)
{
	sample_ethernet4(f);
	put_before(f, (const uint8_t[108 - 40]){0}, 108 - 40);
	BYTES(f, 2, 0, 0, 0); /* outgoing */
	put_before(f, (const uint8_t[24]){'e', 'n', '0'}, 24);
	BYTES(f, 108, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
}

static void sample_erf(FrameBuilder *f)
{
	sample_ethernet4(f);
	uint16_t wirelen = (uint16_t)f->len;
	BYTES(f, 0, 0, 0x03, 0, 0, 0, 0, 0, 0, 1); /* one extension header, padding */
	put_be16(f, wirelen);
	BYTES(f, 0, 0, 0, 0, 0, 0, 0, 0, 0x82, 4, 0, 0, 0, 0);
	put_behind(f, 4);
}

static void sample_nflog(FrameBuilder *f)
{
	sample_tcp4(f);
	uint16_t len = (uint16_t)(f->len + 4);
	BYTES(f, (uint8_t)len, (uint8_t)(len >> 8), 9, 0);
	BYTES(f, 2, 0, 0, 1, 7, 0, 10, 0, 'a', 'b', 0, 0);
	f->len -= 4;
	BYTES(f, 2, 0, 0, 1); /* family, version, resource */
}

static void sample_ip_in_ip(FrameBuilder *f)
{
	sample_tcp4(f);
	put_ipv4(f, 4);
	put_ethernet(f, 0x0800);
}

static void sample_6in4(FrameBuilder *f)
{
	sample_tcp6(f);
	put_ipv4(f, 41);
	put_ethernet(f, 0x0800);
}

static void sample_mpls(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	put_be32(f, 16 << 12 | 64);
	put_ethernet(f, 0x8847);
}

static void sample_pseudowire(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 0, 0, 0, 1); /* control word */
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	put_ethernet(f, 0x8847);
}

static void sample_gre(FrameBuilder *f)
{
	sample_tcp4(f);
	/* checksum, key and sequence number */
	BYTES(f, 0xb0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_bridge(FrameBuilder *f)
{
	sample_ethernet6(f);
	BYTES(f, 0, 0, 0x65, 0x58);
	put_ipv6(f, 47, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_pptp(FrameBuilder *f)
{
	sample_ppp_hdlc(f);
	uint16_t len = (uint16_t)f->len;
	BYTES(f, 0, 0, 0, 1, 0, 0, 0, 2);
	put_be16(f, 9);
	put_be16(f, len);
	BYTES(f, 0x30, 0x81, 0x88, 0x0b);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan1(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 0, 0, 0x88, 0xbe);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan2(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 0x10, 5, 0x18, 3, 0, 0, 0, 1);
	BYTES(f, 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan3(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 0x10, 0, 0, 0, 0, 0, 0, 0); /* platform specific subheader */
	BYTES(f, 0x20, 5, 0x18, 3, 0, 0, 0, 1, 0, 0, 0, 1);
	BYTES(f, 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_vxlan(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 8, 0, 0, 0, 0, 0, 42, 0);
	put_udp(f, 50000, 4789);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_vxlan_gpe(FrameBuilder *f)
{
	sample_tcp6(f);
	BYTES(f, 12, 0, 0, 2, 0, 0, 42, 0);
	put_udp(f, 50000, 4790);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_geneve(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 2, 0, 0x65, 0x58, 0, 0, 42, 0, 0, 1, 2, 1, 0, 0, 0, 0);
	put_udp(f, 50000, 6081);
	put_ipv6(f, 17, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_gtp(FrameBuilder *f)
{
	sample_tcp4(f);
	BYTES(f, 1, 0, 9, 0); /* extension header, the last */
	BYTES(f, 0, 0, 0, 0x85);
	uint16_t len = (uint16_t)f->len;
	put_be32(f, 77);
	put_be16(f, len);
	BYTES(f, 0x34, 255);
	put_udp(f, 2152, 2152);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_tzsp(FrameBuilder *f)
{
	sample_ethernet4(f);
	BYTES(f, 1, 0, 0, 1, 0, 10, 1, 0xb0, 1);
	put_udp(f, 50000, 37008);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

/* to VXLAN's port, but not VXLAN */
static void sample_not_vxlan(FrameBuilder *f)
{
	put_payload(f, 30);
	put_udp(f, 50000, 4789);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

/* a mirror session of an overlay inside VLANs */
static void sample_nested(FrameBuilder *f)
{
	sample_vxlan(f);
	BYTES(f, 0x10, 5, 0x18, 3, 0, 0, 0, 1);
	BYTES(f, 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_be16(f, 0x0800);
	put_be16(f, 7);
	put_ethernet(f, 0x8100);
}

/* deeper than anything real */
static void sample_too_deep(FrameBuilder *f)
{
	sample_tcp4(f);
	for (int i = 0; i < 40; i++)
		put_ipv4(f, 4);
	put_ethernet(f, 0x0800);
}

static void sample_stp(FrameBuilder *f)
{
	BYTES(f, 0x42, 0x42, 3, 0, 0, 0, 0);
	put_ethernet(f, (uint16_t)f->len);
}

#define LEN 100 /* of the segment that most samples carry */

const FrameSample frame_samples[] = {
	{"ethernet-ipv4", sample_ethernet4, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"ethernet-ipv6", sample_ethernet6, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"padded", sample_padded, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, 0},
	{"offload", sample_offload, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, 70000},
	{"jumbogram", sample_jumbogram, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, 70000},
	{"extensions", sample_extensions, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"vlan", sample_vlan, LINKTYPE_ETHERNET, PACKET_TCP, 0, 1, 7, LEN},
	{"qinq", sample_qinq, LINKTYPE_ETHERNET, PACKET_TCP, 0, 2, 7, LEN},
	{"sll", sample_sll, LINKTYPE_LINUX_SLL, PACKET_TCP, 0, 0, 0, LEN},
	{"sll2", sample_sll2, LINKTYPE_LINUX_SLL2, PACKET_TCP, 0, 0, 0, LEN},
	{"sll-vlan", sample_sll_vlan, LINKTYPE_LINUX_SLL, PACKET_TCP, 0, 1, 12, LEN},
	{"raw-101", sample_tcp4, LINKTYPE_RAW, PACKET_TCP, 0, 0, 0, LEN},
	{"raw-12", sample_tcp6, LINKTYPE_RAW_BSD, PACKET_TCP, 0, 0, 0, LEN},
	{"raw-14", sample_tcp4, LINKTYPE_RAW_OPENBSD, PACKET_TCP, 0, 0, 0, LEN},
	{"raw-4", sample_tcp4, LINKTYPE_IPV4, PACKET_TCP, 0, 0, 0, LEN},
	{"raw-6", sample_tcp6, LINKTYPE_IPV6, PACKET_TCP, 0, 0, 0, LEN},
	{"null-le", sample_null_le, LINKTYPE_NULL, PACKET_TCP, 0, 0, 0, LEN},
	{"null-be", sample_null_be, LINKTYPE_NULL, PACKET_TCP, 0, 0, 0, LEN},
	{"loop", sample_null_be, LINKTYPE_LOOP, PACKET_TCP, 0, 0, 0, LEN},
	{"llc-snap", sample_llc_snap, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"llc-ip", sample_llc_ip, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"nbf", sample_nbf, LINKTYPE_ETHERNET, PACKET_NBF, 0, 0, 0, 14},
	{"nbf-ready", sample_nbf_ready, LINKTYPE_ETHERNET, PACKET_NBF, 0, 0, 0, 0},
	{"ipx", sample_ipx, LINKTYPE_ETHERNET, PACKET_NOT_IP, 0, 0, 0, 0},
	{"stp", sample_stp, LINKTYPE_ETHERNET, PACKET_NOT_IP, 0, 0, 0, 0},
	{"arp", sample_arp, LINKTYPE_ETHERNET, PACKET_ARP, 0, 0, 0, 0},
	{"pause", sample_pause, LINKTYPE_ETHERNET, PACKET_PAUSE, 0, 0, 0, 0},
	{"icmp", sample_icmp, LINKTYPE_ETHERNET, PACKET_ICMP, 0, 0, 0, 8},
	{"ospf", sample_ospf, LINKTYPE_ETHERNET, PACKET_OTHER_TRANSPORT, 0, 0, 0, 24},
	{"udp", sample_udp, LINKTYPE_ETHERNET, PACKET_UDP, 0, 0, 0, 30},
	{"fragment-ipv4", sample_fragment4, LINKTYPE_ETHERNET, PACKET_FRAGMENT, 0, 0, 0, 64},
	{"fragment-ipv6", sample_fragment6, LINKTYPE_ETHERNET, PACKET_FRAGMENT, 0, 0, 0, 64},
	{"ppp", sample_ppp_hdlc, LINKTYPE_PPP, PACKET_TCP, 0, 0, 0, LEN},
	{"ppp-short", sample_ppp_short, LINKTYPE_PPP, PACKET_TCP, 0, 0, 0, LEN},
	{"ppp-hdlc", sample_ppp_hdlc, LINKTYPE_PPP_HDLC, PACKET_TCP, 0, 0, 0, LEN},
	{"ppp-hdlc-cisco", sample_chdlc, LINKTYPE_PPP_HDLC, PACKET_TCP, 0, 0, 0, LEN},
	{"ppp-direction", sample_ppp_direction, LINKTYPE_PPP_WITH_DIR, PACKET_TCP, 0, 0, 0, LEN},
	{"chdlc", sample_chdlc, LINKTYPE_C_HDLC, PACKET_TCP, 0, 0, 0, LEN},
	{"pppoe", sample_pppoe, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_PPPOE, 1, 0, LEN},
	{"frame-relay", sample_frame_relay, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-snap", sample_frame_relay_snap, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-cisco", sample_frame_relay_cisco, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"token-ring", sample_token_ring, LINKTYPE_TOKEN_RING, PACKET_TCP, 0, 0, 0, LEN},
	{"fddi", sample_fddi, LINKTYPE_FDDI, PACKET_TCP, 0, 0, 0, LEN},
	{"wlan", sample_wlan, LINKTYPE_IEEE802_11, PACKET_TCP, 0, 0, 0, LEN},
	{"radiotap", sample_radiotap, LINKTYPE_IEEE802_11_RADIOTAP, PACKET_TCP, 0, 0, 0, LEN},
	{"wlan-aggregate", sample_wlan_aggregate, LINKTYPE_IEEE802_11, PACKET_TCP, 0, 0, 0, LEN},
	{"wlan-encrypted", sample_wlan_encrypted, LINKTYPE_IEEE802_11, PACKET_NOT_IP, 0, 0, 0, 0},
	{"wlan-beacon", sample_wlan_beacon, LINKTYPE_IEEE802_11, PACKET_NOT_IP, 0, 0, 0, 0},
	{"avs", sample_avs, LINKTYPE_IEEE802_11_AVS, PACKET_TCP, 0, 0, 0, LEN},
	{"prism-avs", sample_avs, LINKTYPE_IEEE802_11_PRISM, PACKET_TCP, 0, 0, 0, LEN},
	{"prism", sample_prism, LINKTYPE_IEEE802_11_PRISM, PACKET_TCP, 0, 0, 0, LEN},
	{"ppi", sample_ppi, LINKTYPE_PPI, PACKET_TCP, 0, 1, 0, LEN},
	{"pktap", sample_pktap, LINKTYPE_PKTAP, PACKET_TCP, 0, 1, 0, LEN},
	{"erf", sample_erf, LINKTYPE_ERF, PACKET_TCP, 0, 0, 0, LEN},
	{"nflog", sample_nflog, LINKTYPE_NFLOG, PACKET_TCP, 0, 0, 0, LEN},
	{"ip-in-ip", sample_ip_in_ip, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_IP_IN_IP, 1, 0, LEN},
	{"6in4", sample_6in4, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_IP_IN_IP, 1, 0, LEN},
	{"mpls", sample_mpls, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_MPLS, 1, 0, LEN},
	{"pseudowire", sample_pseudowire, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_MPLS, 1, 0, LEN},
	{"gre", sample_gre, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 1, 0, LEN},
	{"gre-bridge", sample_gre_bridge, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 1, 0, LEN},
	{"pptp", sample_pptp, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 1, 0, LEN},
	{"erspan-1", sample_erspan1, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_ERSPAN, 1, 0, LEN},
	{"erspan-2", sample_erspan2, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_ERSPAN, 1, 0, LEN},
	{"erspan-3", sample_erspan3, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_ERSPAN, 1, 0, LEN},
	{"vxlan", sample_vxlan, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_VXLAN, 1, 0, LEN},
	{"vxlan-gpe", sample_vxlan_gpe, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_VXLAN, 1, 0, LEN},
	{"geneve", sample_geneve, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GENEVE, 1, 0, LEN},
	{"gtp", sample_gtp, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GTP, 1, 0, LEN},
	{"tzsp", sample_tzsp, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_TZSP, 1, 0, LEN},
	{"not-vxlan", sample_not_vxlan, LINKTYPE_ETHERNET, PACKET_UDP, 0, 0, 0, 30},
	{"nested", sample_nested, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_ERSPAN, 3, 7, LEN},
	{"too-deep", sample_too_deep, LINKTYPE_ETHERNET, PACKET_MALFORMED, TUNNEL_IP_IN_IP, 17, 0,
		0},
	{"unknown-link", sample_udp, 147, PACKET_UNKNOWN_LINK, 0, 0, 0, 0},
	{0},
};
