/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Link layers: what a capture's LINKTYPE_ value puts in front of IP. Numbers and layouts:
 * www.tcpdump.org/linktypes.html.
 */
#ifndef SLOWCOPY_DISSECTORS_FRAME_H
#define SLOWCOPY_DISSECTORS_FRAME_H

#include "dissectors/layer.h"

/* LINKTYPE_ values; the DLT_ values of a raw IP capture stand in some files too. */
enum {
	LINKTYPE_NULL = 0,
	LINKTYPE_ETHERNET = 1,
	LINKTYPE_TOKEN_RING = 6,
	LINKTYPE_SLIP = 8,
	LINKTYPE_PPP = 9,
	LINKTYPE_FDDI = 10,
	LINKTYPE_RAW_BSD = 12,
	LINKTYPE_RAW_OPENBSD = 14,
	LINKTYPE_PPP_HDLC = 50,
	LINKTYPE_PPP_ETHER = 51,
	LINKTYPE_ATM_RFC1483 = 100,
	LINKTYPE_RAW = 101,
	LINKTYPE_C_HDLC = 104,
	LINKTYPE_IEEE802_11 = 105,
	LINKTYPE_FRELAY = 107,
	LINKTYPE_LOOP = 108,
	LINKTYPE_ENC = 109,
	LINKTYPE_LINUX_SLL = 113,
	LINKTYPE_PFLOG = 117,
	LINKTYPE_IEEE802_11_PRISM = 119,
	LINKTYPE_IEEE802_11_RADIOTAP = 127,
	LINKTYPE_IEEE802_11_AVS = 163,
	LINKTYPE_PPP_PPPD = 166,
	LINKTYPE_PPI = 192,
	LINKTYPE_ERF = 197,
	LINKTYPE_PPP_WITH_DIR = 204,
	LINKTYPE_C_HDLC_WITH_DIR = 205,
	LINKTYPE_FRELAY_WITH_DIR = 206,
	LINKTYPE_IPNET = 226,
	LINKTYPE_IPV4 = 228,
	LINKTYPE_IPV6 = 229,
	LINKTYPE_NFLOG = 239,
	LINKTYPE_NETANALYZER = 240,
	LINKTYPE_PKTAP = 258,
	LINKTYPE_ETHERNET_MPACKET = 274,
	LINKTYPE_LINUX_SLL2 = 276,
};

/* IEEE "EtherType" registry, and values in use without an entry there. */
enum {
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_ARP = 0x0806,
	ETHERTYPE_ETHERNET = 0x6558, /* transparent Ethernet bridging, inside GRE and GENEVE */
	ETHERTYPE_VLAN = 0x8100,
	ETHERTYPE_IPX = 0x8137,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_MAC_CONTROL = 0x8808,
	ETHERTYPE_PPP = 0x880b,
	ETHERTYPE_MPLS = 0x8847,
	ETHERTYPE_MPLS_MULTICAST = 0x8848,
	ETHERTYPE_PPPOE_DISCOVERY = 0x8863,
	ETHERTYPE_PPPOE = 0x8864,
	ETHERTYPE_QINQ = 0x88a8,
	ETHERTYPE_CISCO_METADATA = 0x8909,
	ETHERTYPE_VN_TAG = 0x8926,
	ETHERTYPE_ERSPAN = 0x88be, /* types I and II */
	ETHERTYPE_PBB = 0x88e7,    /* IEEE 802.1ah I-TAG */
	ETHERTYPE_QINQ_9100 = 0x9100,
	ETHERTYPE_QINQ_9200 = 0x9200,
	ETHERTYPE_QINQ_9300 = 0x9300,
	ETHERTYPE_ERSPAN3 = 0x22eb,
	ETHERTYPE_WCCP = 0x883e, /* inside GRE: a redirected packet */
};

/** frame_begin: the link header of @link_type; the layer stands at the frame's first byte. */
LayerNext frame_begin(Layer *layer, uint32_t link_type);

/** frame_ethernet: IEEE 802.3 addresses, and the type or length. */
LayerNext frame_ethernet(Layer *layer);

/** frame_type: goes on by @type: up to 1500 it is the length of an 802.2 packet (IEEE 802.3 3.2.6),
 * else an EtherType. */
LayerNext frame_type(Layer *layer, uint16_t type);

/** frame_ethertype: what layer->type announces; tags and labels are peeled. */
LayerNext frame_ethertype(Layer *layer);

/** frame_llc: IEEE 802.2 with SNAP; NetBIOS frames (NBF) end here. */
LayerNext frame_llc(Layer *layer);

/** frame_ppp: RFC 1661, with or without address and control bytes. */
LayerNext frame_ppp(Layer *layer);

#endif
