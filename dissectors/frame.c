/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Link headers down to what carries IP. A protocol that is not IP ends the frame as
 * PACKET_NOT_IP, a link type that is not read as PACKET_UNKNOWN_LINK.
 */
#include "dissectors/frame.h"

#include "dissectors/serial.h"
#include "dissectors/tunnel.h"
#include "dissectors/wlan.h"

static LayerNext frame_to_type(Layer *layer, uint32_t type)
{
	layer->type = type;
	return LAYER_ETHERTYPE;
}

LayerNext frame_type(Layer *layer, uint16_t type)
{
	if (type > 1500)
		return frame_to_type(layer, type);
	layer_limit(layer, type);
	return LAYER_LLC;
}

LayerNext frame_ethernet(Layer *layer)
{
	Packet *packet = layer->packet;
	const uint8_t *header = layer_take(layer, 14);
	if (!header)
		return LAYER_DONE;
	memcpy(packet->dst_mac, header, 6);
	memcpy(packet->src_mac, header + 6, 6);
	packet->has_macs = true;
	return frame_type(layer, cursor_load_be16(header + 12));
}

/* a tag of @len bytes that ends in the next type */
static LayerNext frame_tag(Layer *layer, uint32_t len)
{
	const uint8_t *tag = layer_take(layer, len);
	if (!tag)
		return LAYER_DONE;
	layer->packet->layers++;
	return frame_type(layer, cursor_load_be16(tag + len - 2));
}

/* IEEE 802.1Q 9.6: priority and VLAN id, then the next type */
static LayerNext frame_vlan(Layer *layer)
{
	if (layer->packet->vlan == 0 && layer->kept >= 2)
		layer->packet->vlan = cursor_load_be16(layer->at) & 0x0fff;
	return frame_tag(layer, 4);
}

static LayerNext frame_ipx(Layer *layer)
{
	layer_payload(layer);
	return layer_end(layer, PACKET_IPX);
}

LayerNext frame_ethertype(Layer *layer)
{
	switch (layer->type) {
	case ETHERTYPE_IPV4:
	case ETHERTYPE_IPV6:
		return LAYER_IP;
	case ETHERTYPE_VLAN:
	case ETHERTYPE_QINQ:
	case ETHERTYPE_QINQ_9100:
	case ETHERTYPE_QINQ_9200:
	case ETHERTYPE_QINQ_9300:
		return frame_vlan(layer);
	case ETHERTYPE_CISCO_METADATA: /* version, length, option type, group tag, next type */
		return frame_tag(layer, 8);
	case ETHERTYPE_VN_TAG: /* virtual interfaces, next type */
		return frame_tag(layer, 6);
	case ETHERTYPE_PBB: /* flags and service id, then a whole Ethernet header */
		layer->packet->layers++;
		return layer_take(layer, 4) ? LAYER_ETHERNET : LAYER_DONE;
	case ETHERTYPE_MPLS:
	case ETHERTYPE_MPLS_MULTICAST:
		return tunnel_mpls(layer);
	case ETHERTYPE_PPPOE:
		return tunnel_pppoe(layer);
	case ETHERTYPE_ARP:
		return layer_end(layer, PACKET_ARP);
	case ETHERTYPE_MAC_CONTROL:
		return layer_end(layer, PACKET_PAUSE);
	case ETHERTYPE_IPX:
		return frame_ipx(layer);
	default:
		return layer_end(layer, PACKET_NOT_IP);
	}
}

/* RFC 1042 SNAP: organisation 0 means that an EtherType follows; 0000f8 is the bridge tunnel's
 * (IEEE 802.1H) */
static LayerNext frame_snap(Layer *layer)
{
	const uint8_t *snap = layer_take(layer, 5);
	if (!snap)
		return LAYER_DONE;
	if (snap[0] == 0 && snap[1] == 0 && (snap[2] == 0 || snap[2] == 0xf8))
		return frame_to_type(layer, cursor_load_be16(snap + 3));
	return layer_end(layer, PACKET_NOT_IP);
}

/* NetBIOS frames (IBM LAN Technical Reference, SC30-3383): information frames carry sequence
 * numbers, the unnumbered ones do not */
static LayerNext frame_nbf(Layer *layer, const uint8_t *control)
{
	Packet *packet = layer->packet;
	packet->tcp_flags = control[0];
	if ((control[0] & 3) != 3) {
		const uint8_t *second = layer_take(layer, 1);
		if (!second)
			return LAYER_DONE;
		if (!(control[0] & 1))
			packet->seq = control[0] >> 1;
		packet->ack = second[0] >> 1;
	}
	layer_payload(layer);
	return layer_end(layer, PACKET_NBF);
}

/* IEEE 802.2: a SAP pair, one control byte, or two in information and supervisory frames */
LayerNext frame_llc(Layer *layer)
{
	/* Novell's "raw 802.3": IPX, whose checksum field is all ones, right behind the length */
	if (layer->kept >= 2 && cursor_load_be16(layer->at) == 0xffff)
		return frame_ipx(layer);
	const uint8_t *llc = layer_take(layer, 3);
	if (!llc)
		return LAYER_DONE;
	bool is_unnumbered = (llc[2] & 3) == 3;
	uint8_t dst = llc[0], src = llc[1] & 0xfe; /* the low bit: command or response */
	if (dst == 0xaa && src == 0xaa && is_unnumbered)
		return frame_snap(layer);
	if (dst == 0x06 && src == 0x06 && is_unnumbered)
		return LAYER_IP;
	if (dst == 0xf0 && src == 0xf0)
		return frame_nbf(layer, llc + 2);
	if (dst == 0xe0 && src == 0xe0 && is_unnumbered)
		return frame_ipx(layer);
	if (dst == 0xfe && src == 0xfe && is_unnumbered && layer->kept > 0 && layer->at[0] == 0xcc)
		return layer_take(layer, 1) ? LAYER_IP : LAYER_DONE; /* RFC 2684 5.2, routed IP */
	return layer_end(layer, PACKET_NOT_IP);
}

/* the address family that BSD loopback captures begin with, in the byte order of the machine that
 * captured: 2 is AF_INET everywhere, AF_INET6 differs by system */
static LayerNext frame_null(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 4);
	if (!header)
		return LAYER_DONE;
	uint32_t family = cursor_load_be32(header);
	if (family > 0xffff)
		family = cursor_load_le32(header);
	switch (family) {
	case 2:
	case 10: /* Linux */
	case 23: /* Windows */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* macOS */
		return LAYER_IP;
	default:
		/* some write an EtherType instead */
		return frame_to_type(layer, family);
	}
}

static void frame_cooked_direction(Packet *packet, uint16_t packet_type)
{
	/* 0 to us, 1 broadcast, 2 multicast, 3 to somebody else, 4 from us */
	if (packet_type == 4)
		packet->direction = PACKET_DIRECTION_OUT;
	else if (packet_type <= 2)
		packet->direction = PACKET_DIRECTION_IN;
}

/* the protocol field of a cooked header: an EtherType, but for small values */
static LayerNext frame_cooked_protocol(Layer *layer, uint16_t arphrd, uint16_t protocol)
{
	/* ARPHRD_NETLINK 824: messages of the kernel */
	if (arphrd == 824)
		return layer_end(layer, PACKET_NOT_IP);
	/* 4: IEEE 802.2; 1: Novell's raw 802.3, which frame_llc recognises */
	if (protocol == 4 || protocol == 1)
		return LAYER_LLC;
	return frame_to_type(layer, protocol);
}

static LayerNext frame_sll(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 16);
	if (!header)
		return LAYER_DONE;
	frame_cooked_direction(layer->packet, cursor_load_be16(header));
	return frame_cooked_protocol(
		layer, cursor_load_be16(header + 2), cursor_load_be16(header + 14));
}

static LayerNext frame_sll2(Layer *layer)
{
	const uint8_t *header = layer_take(layer, 20);
	if (!header)
		return LAYER_DONE;
	frame_cooked_direction(layer->packet, header[10]);
	return frame_cooked_protocol(layer, cursor_load_be16(header + 8), cursor_load_be16(header));
}

/* RFC 1661 2: the protocol field has one byte when that is odd, else two; address and control
 * (RFC 1662 3.1) may stand before it */
LayerNext frame_ppp(Layer *layer)
{
	if (layer->kept >= 2 && layer->at[0] == 0xff && layer->at[1] == 0x03)
		(void)layer_take(layer, 2);
	const uint8_t *first = layer_take(layer, 1);
	if (!first)
		return LAYER_DONE;
	uint32_t protocol = first[0];
	if (!(protocol & 1)) {
		const uint8_t *second = layer_take(layer, 1);
		if (!second)
			return LAYER_DONE;
		protocol = protocol << 8 | second[0];
	}
	switch (protocol) {
	case 0x0021: /* IANA "PPP DLL Protocol Numbers": IPv4, IPv6, MPLS */
	case 0x0057:
		return LAYER_IP;
	case 0x0281:
	case 0x0283:
		return tunnel_mpls(layer);
	default:
		return layer_end(layer, PACKET_NOT_IP);
	}
}

/* a byte that says who sent the frame, before @next */
static LayerNext frame_with_direction(Layer *layer, LayerNext (*next)(Layer *))
{
	const uint8_t *direction = layer_take(layer, 1);
	if (!direction)
		return LAYER_DONE;
	layer->packet->direction = direction[0] ? PACKET_DIRECTION_OUT : PACKET_DIRECTION_IN;
	return next(layer);
}

/* per-packet information: version, flags, its own length and the link type of what follows, all
 * least significant byte first */
static LayerNext frame_ppi(Layer *layer)
{
	if (layer->kept < 8)
		return layer_end(layer, layer->wire < 8 ? PACKET_MALFORMED : PACKET_CUT);
	uint32_t len = cursor_load_le16(layer->at + 2);
	uint32_t link_type = cursor_load_le32(layer->at + 4);
	if (len < 8 || link_type == LINKTYPE_PPI)
		return layer_end(layer, PACKET_MALFORMED);
	layer->packet->layers++;
	return layer_take(layer, len) ? frame_begin(layer, link_type) : LAYER_DONE;
}

/* Apple's process information: length, kind, link type, interface name, flags */
static LayerNext frame_pktap(Layer *layer)
{
	if (layer->kept < 40)
		return layer_end(layer, layer->wire < 40 ? PACKET_MALFORMED : PACKET_CUT);
	uint32_t len = cursor_load_le32(layer->at);
	uint32_t link_type = cursor_load_le32(layer->at + 8);
	uint32_t flags = cursor_load_le32(layer->at + 36);
	if (len < 40 || link_type == LINKTYPE_PKTAP)
		return layer_end(layer, PACKET_MALFORMED);
	if (flags & 3)
		layer->packet->direction = flags & 1 ? PACKET_DIRECTION_IN : PACKET_DIRECTION_OUT;
	layer->packet->layers++;
	return layer_take(layer, len) ? frame_begin(layer, link_type) : LAYER_DONE;
}

/* Linux netfilter log: family, version, resource, then attributes in host order, padded to four
 * bytes; number 9 is the packet */
static LayerNext frame_nflog(Layer *layer)
{
	if (!layer_take(layer, 4))
		return LAYER_DONE;
	for (;;) {
		const uint8_t *attribute = layer_take(layer, 4);
		if (!attribute)
			return LAYER_DONE;
		uint32_t len = cursor_load_le16(attribute);
		if (len < 4)
			return layer_end(layer, PACKET_MALFORMED);
		if (cursor_load_le16(attribute + 2) == 9) {
			layer_limit(layer, len - 4);
			return LAYER_IP;
		}
		if (!layer_take(layer, ((len + 3) & ~3u) - 4))
			return LAYER_DONE;
	}
}

/* OpenBSD packet filter log: its own length first, without padding to four bytes */
static LayerNext frame_pflog(Layer *layer)
{
	uint32_t len = layer->kept > 0 ? (layer->at[0] + 3u) & ~3u : 1;
	return layer_take(layer, len) ? LAYER_IP : LAYER_DONE;
}

static LayerNext frame_fixed(Layer *layer, uint32_t len, LayerNext next)
{
	return layer_take(layer, len) ? next : LAYER_DONE;
}

LayerNext frame_begin(Layer *layer, uint32_t link_type)
{
	switch (link_type) {
	case LINKTYPE_ETHERNET:
		return LAYER_ETHERNET;
	case LINKTYPE_RAW:
	case LINKTYPE_RAW_BSD:
	case LINKTYPE_RAW_OPENBSD:
	case LINKTYPE_IPV4:
	case LINKTYPE_IPV6:
		return LAYER_IP;
	case LINKTYPE_NULL:
	case LINKTYPE_LOOP:
		return frame_null(layer);
	case LINKTYPE_LINUX_SLL:
		return frame_sll(layer);
	case LINKTYPE_LINUX_SLL2:
		return frame_sll2(layer);
	case LINKTYPE_IEEE802_11:
		return LAYER_WLAN;
	case LINKTYPE_IEEE802_11_RADIOTAP:
		return wlan_radiotap(layer);
	case LINKTYPE_IEEE802_11_PRISM:
		return wlan_prism(layer);
	case LINKTYPE_IEEE802_11_AVS:
		return wlan_avs(layer);
	case LINKTYPE_PPP:
	case LINKTYPE_PPP_HDLC:
		return serial_hdlc(layer);
	case LINKTYPE_PPP_PPPD:
	case LINKTYPE_PPP_WITH_DIR:
		return frame_with_direction(layer, frame_ppp);
	case LINKTYPE_PPP_ETHER:
		return tunnel_pppoe(layer);
	case LINKTYPE_C_HDLC:
		return serial_chdlc(layer);
	case LINKTYPE_C_HDLC_WITH_DIR:
		return frame_with_direction(layer, serial_chdlc);
	case LINKTYPE_FRELAY:
		return serial_frame_relay(layer);
	case LINKTYPE_FRELAY_WITH_DIR:
		return frame_with_direction(layer, serial_frame_relay);
	case LINKTYPE_TOKEN_RING:
		return serial_token_ring(layer);
	case LINKTYPE_FDDI:
		return serial_fddi(layer);
	case LINKTYPE_ATM_RFC1483:
		return LAYER_LLC;
	case LINKTYPE_ERF:
		return serial_erf(layer);
	case LINKTYPE_PPI:
		return frame_ppi(layer);
	case LINKTYPE_PKTAP:
		return frame_pktap(layer);
	case LINKTYPE_NFLOG:
		return frame_nflog(layer);
	case LINKTYPE_PFLOG:
		return frame_pflog(layer);
	case LINKTYPE_SLIP: /* direction and compressed header */
		return frame_fixed(layer, 16, LAYER_IP);
	case LINKTYPE_ENC: /* family, security parameter index, flags */
		return frame_fixed(layer, 12, LAYER_IP);
	case LINKTYPE_IPNET: /* Solaris: version, family, zones, interfaces */
		return frame_fixed(layer, 24, LAYER_IP);
	case LINKTYPE_NETANALYZER:
		return frame_fixed(layer, 4, LAYER_ETHERNET);
	case LINKTYPE_ETHERNET_MPACKET: /* preamble and start delimiter */
		return frame_fixed(layer, 8, LAYER_ETHERNET);
	default:
		return layer_end(layer, PACKET_UNKNOWN_LINK);
	}
}
