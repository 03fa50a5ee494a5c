/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of tunnels.
 */
#include "tests/tools/frame_samples.h"

#include "dissectors/frame.h"
#include "dissectors/packet.h"
#include "dissectors/tunnel.h"

static void sample_pppoe(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be16(f, 0x0021);
	put_be16(f, (uint16_t)f->len);
	PUT_BYTES(f, 0x11, 0, 0, 5);
	put_ethernet(f, 0x8864);
}

static void sample_wlan_aggregate(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0);
	uint16_t len = (uint16_t)f->len;
	put_be16(f, len);
	PUT_BYTES(f, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1);
	PUT_BYTES(f, 0x80, 0);
	PUT_BYTES(f, 0x88, 0x03, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 2, 0x10,
		0, 2, 0, 0, 0, 0, 1);
	put_behind(f, 40);
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
	PUT_BYTES(f, 0, 0, 0, 1); /* control word */
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	put_ethernet(f, 0x8847);
}

static void sample_gre(FrameBuilder *f)
{
	sample_tcp4(f);
	/* checksum, key and sequence number */
	PUT_BYTES(f, 0xb0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_bridge(FrameBuilder *f)
{
	sample_ethernet6(f);
	PUT_BYTES(f, 0, 0, 0x65, 0x58);
	put_ipv6(f, 47, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_pptp(FrameBuilder *f)
{
	sample_ppp_hdlc(f);
	uint16_t len = (uint16_t)f->len;
	PUT_BYTES(f, 0, 0, 0, 1, 0, 0, 0, 2);
	put_be16(f, 9);
	put_be16(f, len);
	PUT_BYTES(f, 0x30, 0x81, 0x88, 0x0b);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan1(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0, 0, 0x88, 0xbe);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan2(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0x10, 5, 0x18, 3, 0, 0, 0, 1);
	PUT_BYTES(f, 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan3(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0x10, 0, 0, 0, 0, 0, 0, 0); /* platform specific subheader */
	PUT_BYTES(f, 0x20, 5, 0x18, 3, 0, 0, 0, 1, 0, 0, 0, 1);
	PUT_BYTES(f, 0x10, 0, 0x22, 0xeb, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_vxlan(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 8, 0, 0, 0, 0, 0, 42, 0);
	put_udp(f, 50000, 4789);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_vxlan_gpe(FrameBuilder *f)
{
	sample_tcp6(f);
	PUT_BYTES(f, 12, 0, 0, 2, 0, 0, 42, 0);
	put_udp(f, 50000, 4790);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_geneve(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 2, 0, 0x65, 0x58, 0, 0, 42, 0, 0, 1, 2, 1, 0, 0, 0, 0);
	put_udp(f, 50000, 6081);
	put_ipv6(f, 17, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_gtp(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 1, 0, 9, 0); /* extension header, the last */
	PUT_BYTES(f, 0, 0, 0, 0x85);
	uint16_t len = (uint16_t)f->len;
	put_be32(f, 77);
	put_be16(f, len);
	PUT_BYTES(f, 0x34, 255);
	put_udp(f, 2152, 2152);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_tzsp(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 1, 0, 0, 1, 0, 10, 1, 0xb0, 1);
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
	PUT_BYTES(f, 0x10, 5, 0x18, 3, 0, 0, 0, 1);
	PUT_BYTES(f, 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1);
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

static void sample_ppp_mpls(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	PUT_BYTES(f, 0xff, 3, 2, 0x81);
}

static void sample_wccp(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0, 0, 0x88, 0x3e, 0, 0, 0, 0);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_mpls(FrameBuilder *f)
{
	sample_tcp6(f);
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	PUT_BYTES(f, 0, 0, 0x88, 0x47);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_ppp(FrameBuilder *f)
{
	sample_ppp_short(f);
	PUT_BYTES(f, 0, 0, 0x88, 0x0b);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_routing(FrameBuilder *f)
{
	PUT_BYTES(f, 0x40, 0, 8, 0, 0, 0, 0, 0);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_gre_keepalive(FrameBuilder *f)
{
	PUT_BYTES(f, 0, 0, 0, 0);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_pptp_ack(FrameBuilder *f)
{
	PUT_BYTES(f, 0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 9, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_erspan3_ip(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0x20, 5, 0x18, 3, 0, 0, 0, 1, 0, 0, 2 << 2, 0);
	PUT_BYTES(f, 0x10, 0, 0x88, 0xbe, 0, 0, 0, 1);
	put_ipv4(f, 47);
	put_ethernet(f, 0x0800);
}

static void sample_vxlan_gpe_ethernet(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 12, 0, 0, 3, 0, 0, 42, 0);
	put_udp(f, 50000, 4790);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_geneve_ip(FrameBuilder *f)
{
	sample_tcp4(f);
	PUT_BYTES(f, 0, 0, 8, 0, 0, 0, 42, 0);
	put_udp(f, 50000, 6081);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_tzsp_wlan(FrameBuilder *f)
{
	sample_wlan(f);
	PUT_BYTES(f, 1, 0, 0, 18, 1);
	put_udp(f, 50000, 37008);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_tzsp_other(FrameBuilder *f)
{
	put_payload(f, 10);
	PUT_BYTES(f, 1, 0, 0, 19, 1);
	put_udp(f, 50000, 37008);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

/* what the tunnel claims to carry is not there */
static void sample_vxlan_nonsense(FrameBuilder *f)
{
	put_payload(f, 20);
	put_ethernet(f, 0x0800);
	PUT_BYTES(f, 8, 0, 0, 0, 0, 0, 42, 0);
	put_udp(f, 50000, 8472);
	put_ipv4(f, 17);
	put_ethernet(f, 0x0800);
}

static void sample_ip_mpls(FrameBuilder *f)
{
	sample_tcp4(f);
	put_be32(f, 17 << 12 | 1 << 8 | 64);
	put_ipv4(f, 137);
	put_ethernet(f, 0x0800);
}

static void sample_ip_ethernet(FrameBuilder *f)
{
	sample_ethernet4(f);
	put_ipv6(f, 143, (uint16_t)f->len);
	put_ethernet(f, 0x86dd);
}

static void sample_etherip(FrameBuilder *f)
{
	sample_ethernet4(f);
	PUT_BYTES(f, 0x30, 0);
	put_ipv4(f, 97);
	put_ethernet(f, 0x0800);
}

/* labels without an end */
static void sample_mpls_endless(FrameBuilder *f)
{
	for (uint32_t i = 0; i < 20; i++)
		put_be32(f, i << 12);
	put_ethernet(f, 0x8847);
}

#define LEN SAMPLE_PAYLOAD_LEN

const FrameSample tunnel_samples[] = {
	{"pppoe", sample_pppoe, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_PPPOE, 1, 0, LEN},
	{"wlan-aggregate", sample_wlan_aggregate, LINKTYPE_IEEE802_11, PACKET_TCP, 0, 0, 0, LEN},
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
	{"ppp-mpls", sample_ppp_mpls, LINKTYPE_PPP, PACKET_TCP, TUNNEL_MPLS, 1, 0, LEN},
	{"wccp", sample_wccp, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 1, 0, LEN},
	{"gre-mpls", sample_gre_mpls, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 2, 0, LEN},
	{"gre-ppp", sample_gre_ppp, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GRE, 1, 0, LEN},
	{"gre-routing", sample_gre_routing, LINKTYPE_ETHERNET, PACKET_OTHER_TRANSPORT, 0, 0, 0, 4},
	{"gre-keepalive", sample_gre_keepalive, LINKTYPE_ETHERNET, PACKET_OTHER_TRANSPORT, 0, 0, 0,
		0},
	{"pptp-ack", sample_pptp_ack, LINKTYPE_ETHERNET, PACKET_OTHER_TRANSPORT, 0, 0, 0, 0},
	{"erspan-3-ip", sample_erspan3_ip, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_ERSPAN, 1, 0, LEN},
	{"vxlan-gpe-ethernet", sample_vxlan_gpe_ethernet, LINKTYPE_ETHERNET, PACKET_TCP,
		TUNNEL_VXLAN, 1, 0, LEN},
	{"geneve-ip", sample_geneve_ip, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_GENEVE, 1, 0, LEN},
	{"tzsp-wlan", sample_tzsp_wlan, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_TZSP, 1, 0, LEN},
	{"tzsp-other", sample_tzsp_other, LINKTYPE_ETHERNET, PACKET_UDP, 0, 0, 0, 15},
	{"vxlan-nonsense", sample_vxlan_nonsense, LINKTYPE_ETHERNET, PACKET_UDP, 0, 0, 0, 42},
	{"ip-mpls", sample_ip_mpls, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_MPLS, 1, 0, LEN},
	{"ip-ethernet", sample_ip_ethernet, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_IP_IN_IP, 1, 0,
		LEN},
	{"etherip", sample_etherip, LINKTYPE_ETHERNET, PACKET_TCP, TUNNEL_IP_IN_IP, 1, 0, LEN},
	{"mpls-endless", sample_mpls_endless, LINKTYPE_ETHERNET, PACKET_MALFORMED, TUNNEL_MPLS, 1,
		0, 0},
	{0},
};
