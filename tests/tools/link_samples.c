/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of link layers, IP and transport.
 */
#include "tests/tools/frame_samples.h"

#include "dissectors/frame.h"
#include "dissectors/packet.h"
#include "dissectors/tunnel.h"

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
	PUT_BYTES(f, 6, 0, 0xc2, 4);
	put_ipv6(f, 0, 0);
	put_ethernet(f, 0x86dd);
}

/* hop-by-hop, destination options, routing, an atomic fragment header, authentication */
static void sample_extensions(FrameBuilder *f)
{
	sample_tcp(f);
	PUT_BYTES(f, 6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	PUT_BYTES(f, 51, 0, 0, 0, 0, 0, 0, 9);
	PUT_BYTES(f, 44, 0, 0, 0, 0, 0, 0, 0);
	PUT_BYTES(f, 43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	PUT_BYTES(f, 60, 0, 1, 4, 0, 0, 0, 0);
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
	PUT_BYTES(f, 0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0);
}

static void sample_sll2(FrameBuilder *f)
{
	sample_tcp6(f);
	PUT_BYTES(f, 0x86, 0xdd, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0);
}

static void sample_sll_vlan(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 12 << 16 | 0x0800);
	PUT_BYTES(f, 0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0x81, 0);
}

static void sample_null_le(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 2, 0, 0, 0);
}

static void sample_null_be(FrameBuilder *f)
{
	sample_tcp6(f);
	PUT_BYTES(f, 0, 0, 0, 30);
}

static void sample_llc_snap(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 4);
}

static void sample_llc_ip(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 6, 6, 3);
	put_ethernet(f, (uint16_t)f->len);
}

static void sample_nbf(FrameBuilder *f)
{
	/* session initialize, in an information frame with N(S) 5 and N(R) 6 */
	PUT_BYTES(f, 0x0e, 0, 0xff, 0xef, 0x19, 0x8f, 0xca, 5, 0, 0, 0, 0, 1, 2);
	PUT_BYTES(f, 0xf0, 0xf0, 5 << 1, 6 << 1);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 28);
}

static void sample_nbf_ready(FrameBuilder *f)
{
	/* receiver ready with N(R) 7, a response */
	PUT_BYTES(f, 0xf0, 0xf1, 1, 7 << 1);
	put_ethernet(f, (uint16_t)f->len);
	put_behind(f, 42);
}

static void sample_ipx(FrameBuilder *f)
{
	PUT_BYTES(f, 0xff, 0xff, 0, 30, 0, 0);
	put_ethernet(f, (uint16_t)f->len);
}

static void sample_arp(FrameBuilder *f)
{
	PUT_BYTES(f, 0, 1, 8, 0, 6, 4, 0, 1);
	put_ethernet(f, 0x0806);
}

static void sample_pause(FrameBuilder *f)
{
	PUT_BYTES(f, 0, 1, 0xff, 0xff);
	put_ethernet(f, 0x8808);
}

static void sample_icmp(FrameBuilder *f)
{
	PUT_BYTES(f, 3, 4, 0, 0, 0, 0, 5, 0xdc);
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
	PUT_BYTES(f, 6, 0, 0x05, 0xc9, 0, 0, 0, 9);
	put_ipv6(f, 44, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_ppp_direction(FrameBuilder *f)
{
	sample_ppp_hdlc(f);
	PUT_BYTES(f, 1);
}

static void sample_chdlc(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0x0f, 0, 8, 0);
}

static void sample_frame_relay(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0x18, 0x41, 3, 0xcc);
}

static void sample_frame_relay_snap(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0);
}

static void sample_frame_relay_cisco(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0x18, 0x41, 8, 0);
}

static void sample_token_ring(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	PUT_BYTES(f, 6, 0x30, 0, 1, 0, 2); /* routing information */
	PUT_BYTES(f, 0x10, 0x40, 2, 0, 0, 0, 0, 2, 0x82, 0, 0, 0, 0, 1);
}

static void sample_fddi(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	PUT_BYTES(f, 0x50, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
}

/* the same with a clock, flags that announce padding and a frame check sequence */
static void sample_radiotap(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	PUT_BYTES(f, 0, 0, 0, 0); /* QoS control, padding to four bytes */
	PUT_BYTES(
		f, 0x88, 0x02, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x10, 0);
	PUT_BYTES(f, 0, 0, 17, 0, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x30);
	put_behind(f, 4);
}

static void sample_wlan_encrypted(FrameBuilder *f)
{
	put_payload(f, 60);
	PUT_BYTES(
		f, 0x08, 0x41, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x10, 0);
}

static void sample_wlan_beacon(FrameBuilder *f)
{
	put_payload(f, 60);
	PUT_BYTES(f, 0x80, 0, 0, 0);
}

static void sample_avs(FrameBuilder *f)
{
	sample_wlan(f);
	put_before(f, (const uint8_t[56]){0}, 56);
	PUT_BYTES(f, 0x80, 0x21, 0x10, 1, 0, 0, 0, 64);
}

static void sample_prism(FrameBuilder *f)
{
	sample_wlan(f);
	put_before(f, (const uint8_t[140]){0}, 140);
	PUT_BYTES(f, 0x44, 0, 0, 0);
}

static void sample_ppi(FrameBuilder *f)
{
	sample_wlan(f);
	PUT_BYTES(f, 0, 0, 12, 0, 105, 0, 0, 0, 0, 0, 0, 0);
}

static void sample_pktap(FrameBuilder *f)
{
	sample_ethernet4(f);
	put_before(f, (const uint8_t[108 - 40]){0}, 108 - 40);
	PUT_BYTES(f, 2, 0, 0, 0); /* outgoing */
	put_before(f, (const uint8_t[24]){'e', 'n', '0'}, 24);
	PUT_BYTES(f, 108, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
}

static void sample_erf(FrameBuilder *f)
{
	sample_ethernet4(f);
	uint16_t wirelen = (uint16_t)f->len;
	PUT_BYTES(f, 0, 0, 0x03, 0, 0, 0, 0, 0, 0, 1); /* one extension header, padding */
	put_be16(f, wirelen);
	PUT_BYTES(f, 0, 0, 0, 0, 0, 0, 0, 0, 0x82, 4, 0, 0, 0, 0);
	put_behind(f, 4);
}

static void sample_nflog(FrameBuilder *f)
{
	sample_tcp4(f);
	uint16_t len = (uint16_t)(f->len + 4);
	PUT_BYTES(f, (uint8_t)len, (uint8_t)(len >> 8), 9, 0);
	PUT_BYTES(f, 2, 0, 0, 1, 7, 0, 10, 0, 'a', 'b', 0, 0);
	f->len -= 4;
	PUT_BYTES(f, 2, 0, 0, 1); /* family, version, resource */
}

static void sample_slip(FrameBuilder *f)
{
	sample_tcp4(f);
	put_before(f, (const uint8_t[16]){0}, 16);
}

static void sample_enc(FrameBuilder *f)
{
	sample_tcp4(f);
	put_before(f, (const uint8_t[12]){0}, 12);
}

static void sample_ipnet(FrameBuilder *f)
{
	sample_tcp6(f);
	put_before(f, (const uint8_t[24]){1, 26}, 24);
}

static void sample_pflog(FrameBuilder *f)
{
	sample_tcp4(f);
	put_before(f, (const uint8_t[64]){61, 2}, 64);
}

static void sample_preamble(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5);
}

static void sample_netanalyzer(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0, 4, 0, 0);
	put_behind(f, 4);
}

static void sample_rfc1483(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xfe, 0xfe, 3, 0xcc);
}

static void sample_frame_relay_ppp(FrameBuilder *f)
{
	sample_ppp_short(f);
	PUT_BYTES(f, 0x18, 0x40, 0x41, 3, 0xcf);
}

static void sample_frame_relay_other(FrameBuilder *f)
{
	PUT_BYTES(f, 0x18, 0x41, 3, 0x81, 0, 0);
}

static void sample_frame_relay_direction(FrameBuilder *f)
{
	sample_frame_relay(f);
	PUT_BYTES(f, 0);
}

static void sample_ppp_lcp(FrameBuilder *f)
{
	PUT_BYTES(f, 0xff, 3, 0xc0, 0x21, 1, 1, 0, 4);
}

static void sample_pppoe_discovery(FrameBuilder *f)
{
	PUT_BYTES(f, 0x11, 9, 0, 0, 0, 0);
}

static void sample_fddi_token(FrameBuilder *f)
{
	PUT_BYTES(f, 0x80, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
}

static void sample_token_ring_mac(FrameBuilder *f)
{
	PUT_BYTES(f, 0x10, 0, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
}

static void sample_erf_pos(FrameBuilder *f)
{
	sample_chdlc(f);
	uint16_t wirelen = (uint16_t)f->len;
	put_be16(f, wirelen);
	PUT_BYTES(f, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0);
}

static void sample_erf_ip(FrameBuilder *f)
{
	sample_tcp6(f);
	uint16_t wirelen = (uint16_t)f->len;
	put_be16(f, wirelen);
	PUT_BYTES(f, 0, 0, 0, 0, 0, 0, 0, 0, 23, 4, 0, 0, 0, 0);
}

static void sample_erf_other(FrameBuilder *f)
{
	PUT_BYTES(f, 0, 0, 0, 0, 0, 0, 0, 0, 21, 4, 0, 0, 0, 0, 0, 0);
}

static void sample_null_ethertype(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0, 8, 0, 0);
}

static void sample_netlink(FrameBuilder *f)
{
	PUT_BYTES(f, 0, 4, 3, 56, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0);
}

static void sample_sll_ipx(FrameBuilder *f)
{
	PUT_BYTES(f, 0xff, 0xff, 0, 30, 0, 0);
	PUT_BYTES(f, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0, 1);
}

static void sample_cdp(FrameBuilder *f)
{
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0, 2);
	put_ethernet(f, (uint16_t)f->len);
}

static void sample_vlan_llc(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0xf8, 8, 0);
	uint16_t len = (uint16_t)f->len;
	put_be16(f, len);
	put_be16(f, 9);
	put_ethernet(f, 0x9100);
}

static void sample_metadata(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 1, 1, 0, 1, 0, 5, 8, 0);
	put_ethernet(f, 0x8909);
}

static void sample_vn_tag(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0, 1, 0, 2, 8, 0);
	put_ethernet(f, 0x8926);
}

static void sample_pbb(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0, 0, 0, 9);
	put_ethernet(f, 0x88e7);
}

static void sample_ah4(FrameBuilder *f)
{
	sample_tcp(f);
	PUT_BYTES(f, 6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	put_ipv4(f, 51);
	put_ethernet(f, 0x0800);
}

static void sample_extensions_endless(FrameBuilder *f)
{
	sample_tcp(f);
	for (int i = 0; i < 30; i++)
		PUT_BYTES(f, 60, 0, 1, 4, 0, 0, 0, 0);
	put_ipv6(f, 60, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_not_an_ip_version(FrameBuilder *f)
{
	put_payload(f, 60);
	put_ethernet(f, 0x0800);
}

static void sample_radiotap_version(FrameBuilder *f)
{
	put_payload(f, 60);
	PUT_BYTES(f, 1, 0, 8, 0, 0, 0, 0, 0);
}

static void sample_wlan_order(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	PUT_BYTES(f, 0, 0, 0, 0, 0, 0); /* QoS control, HT control */
	PUT_BYTES(
		f, 0x88, 0x81, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x10, 0);
}

static void sample_stp(FrameBuilder *f)
{
	PUT_BYTES(f, 0x42, 0x42, 3, 0, 0, 0, 0);
	put_ethernet(f, (uint16_t)f->len);
}

#define LEN SAMPLE_PAYLOAD_LEN

const FrameSample link_samples[] = {
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
	{"ipx", sample_ipx, LINKTYPE_ETHERNET, PACKET_IPX, 0, 0, 0, 6},
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
	{"frame-relay", sample_frame_relay, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-snap", sample_frame_relay_snap, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-cisco", sample_frame_relay_cisco, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"token-ring", sample_token_ring, LINKTYPE_TOKEN_RING, PACKET_TCP, 0, 0, 0, LEN},
	{"fddi", sample_fddi, LINKTYPE_FDDI, PACKET_TCP, 0, 0, 0, LEN},
	{"wlan", sample_wlan, LINKTYPE_IEEE802_11, PACKET_TCP, 0, 0, 0, LEN},
	{"radiotap", sample_radiotap, LINKTYPE_IEEE802_11_RADIOTAP, PACKET_TCP, 0, 0, 0, LEN},
	{"wlan-encrypted", sample_wlan_encrypted, LINKTYPE_IEEE802_11, PACKET_NOT_IP, 0, 0, 0, 0},
	{"wlan-beacon", sample_wlan_beacon, LINKTYPE_IEEE802_11, PACKET_NOT_IP, 0, 0, 0, 0},
	{"avs", sample_avs, LINKTYPE_IEEE802_11_AVS, PACKET_TCP, 0, 0, 0, LEN},
	{"prism-avs", sample_avs, LINKTYPE_IEEE802_11_PRISM, PACKET_TCP, 0, 0, 0, LEN},
	{"prism", sample_prism, LINKTYPE_IEEE802_11_PRISM, PACKET_TCP, 0, 0, 0, LEN},
	{"ppi", sample_ppi, LINKTYPE_PPI, PACKET_TCP, 0, 1, 0, LEN},
	{"pktap", sample_pktap, LINKTYPE_PKTAP, PACKET_TCP, 0, 1, 0, LEN},
	{"erf", sample_erf, LINKTYPE_ERF, PACKET_TCP, 0, 0, 0, LEN},
	{"nflog", sample_nflog, LINKTYPE_NFLOG, PACKET_TCP, 0, 0, 0, LEN},
	{"slip", sample_slip, LINKTYPE_SLIP, PACKET_TCP, 0, 0, 0, LEN},
	{"enc", sample_enc, LINKTYPE_ENC, PACKET_TCP, 0, 0, 0, LEN},
	{"ipnet", sample_ipnet, LINKTYPE_IPNET, PACKET_TCP, 0, 0, 0, LEN},
	{"pflog", sample_pflog, LINKTYPE_PFLOG, PACKET_TCP, 0, 0, 0, LEN},
	{"preamble", sample_preamble, LINKTYPE_ETHERNET_MPACKET, PACKET_TCP, 0, 0, 0, LEN},
	{"netanalyzer", sample_netanalyzer, LINKTYPE_NETANALYZER, PACKET_TCP, 0, 0, 0, LEN},
	{"rfc1483", sample_rfc1483, LINKTYPE_ATM_RFC1483, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-ppp", sample_frame_relay_ppp, LINKTYPE_FRELAY, PACKET_TCP, 0, 0, 0, LEN},
	{"frame-relay-other", sample_frame_relay_other, LINKTYPE_FRELAY, PACKET_NOT_IP, 0, 0, 0, 0},
	{"frame-relay-direction", sample_frame_relay_direction, LINKTYPE_FRELAY_WITH_DIR,
		PACKET_TCP, 0, 0, 0, LEN},
	{"ppp-lcp", sample_ppp_lcp, LINKTYPE_PPP, PACKET_NOT_IP, 0, 0, 0, 0},
	{"pppoe-discovery", sample_pppoe_discovery, LINKTYPE_PPP_ETHER, PACKET_NOT_IP, 0, 0, 0, 0},
	{"fddi-token", sample_fddi_token, LINKTYPE_FDDI, PACKET_NOT_IP, 0, 0, 0, 0},
	{"token-ring-mac", sample_token_ring_mac, LINKTYPE_TOKEN_RING, PACKET_NOT_IP, 0, 0, 0, 0},
	{"erf-pos", sample_erf_pos, LINKTYPE_ERF, PACKET_TCP, 0, 0, 0, LEN},
	{"erf-ip", sample_erf_ip, LINKTYPE_ERF, PACKET_TCP, 0, 0, 0, LEN},
	{"erf-other", sample_erf_other, LINKTYPE_ERF, PACKET_UNKNOWN_LINK, 0, 0, 0, 0},
	{"null-ethertype", sample_null_ethertype, LINKTYPE_NULL, PACKET_TCP, 0, 0, 0, LEN},
	{"netlink", sample_netlink, LINKTYPE_LINUX_SLL, PACKET_NOT_IP, 0, 0, 0, 0},
	{"sll-ipx", sample_sll_ipx, LINKTYPE_LINUX_SLL, PACKET_IPX, 0, 0, 0, 6},
	{"cdp", sample_cdp, LINKTYPE_ETHERNET, PACKET_NOT_IP, 0, 0, 0, 0},
	{"vlan-llc", sample_vlan_llc, LINKTYPE_ETHERNET, PACKET_TCP, 0, 1, 9, LEN},
	{"metadata", sample_metadata, LINKTYPE_ETHERNET, PACKET_TCP, 0, 1, 0, LEN},
	{"vn-tag", sample_vn_tag, LINKTYPE_ETHERNET, PACKET_TCP, 0, 1, 0, LEN},
	{"pbb", sample_pbb, LINKTYPE_ETHERNET, PACKET_TCP, 0, 1, 0, LEN},
	{"ah", sample_ah4, LINKTYPE_ETHERNET, PACKET_TCP, 0, 0, 0, LEN},
	{"extensions-endless", sample_extensions_endless, LINKTYPE_ETHERNET, PACKET_MALFORMED, 0, 0,
		0, 0},
	{"not-an-ip-version", sample_not_an_ip_version, LINKTYPE_ETHERNET, PACKET_MALFORMED, 0, 0,
		0, 0},
	{"radiotap-version", sample_radiotap_version, LINKTYPE_IEEE802_11_RADIOTAP,
		PACKET_MALFORMED, 0, 0, 0, 0},
	{"wlan-order", sample_wlan_order, LINKTYPE_IEEE802_11, PACKET_TCP, 0, 0, 0, LEN},
	{"unknown-link", sample_udp, 147, PACKET_UNKNOWN_LINK, 0, 0, 0, 0},
	{0},
};
