/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One captured frame, decoded down to TCP or UDP: link layer, tunnels, IP, transport. Host byte
 * order, and two lengths everywhere: what was on the wire (for accounting) and what the capture
 * kept (for parsing).
 */
#ifndef SLOWCOPY_DISSECTORS_PACKET_H
#define SLOWCOPY_DISSECTORS_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/** PacketKind: what a frame turned out to be. Every frame is exactly one of them. */
typedef enum PacketKind {
	PACKET_TCP,
	PACKET_UDP,
	PACKET_FRAGMENT, /* an IP fragment; the ip_* fields and fragment_* are set, ports are not */
	PACKET_ICMP,     /* ICMP or ICMPv6; payload begins at its type byte */
	PACKET_NBF,      /* NetBEUI frame over 802.2 LLC; payload begins at the NBF header and is
			    empty in LLC's own frames; seq and ack are N(S) and N(R), tcp_flags is
			    the first control byte */
	PACKET_IPX,      /* payload begins at the IPX header */
	PACKET_ARP,
	PACKET_PAUSE,           /* IEEE 802.3x MAC control */
	PACKET_OTHER_TRANSPORT, /* IP that carries something else */
	PACKET_NOT_IP,          /* a link-layer protocol that is not IP */
	PACKET_CUT,             /* the capture kept too little to find the transport header */
	PACKET_MALFORMED,       /* lengths or versions contradict each other */
	PACKET_UNKNOWN_LINK,    /* a link type this program does not read */
	PACKET_KIND_COUNT
} PacketKind;

/* TCP flags, RFC 9293 3.1; CWR and ECE from RFC 3168, AE from the accurate ECN draft is not kept.
 */
enum {
	TCP_FIN = 0x01,
	TCP_SYN = 0x02,
	TCP_RST = 0x04,
	TCP_PSH = 0x08,
	TCP_ACK = 0x10,
	TCP_URG = 0x20,
	TCP_ECE = 0x40,
	TCP_CWR = 0x80
};

/** PacketDirection: what the capture itself says (cooked header, pcapng flags); decides the vantage
 * point. */
typedef enum PacketDirection {
	PACKET_DIRECTION_UNKNOWN,
	PACKET_DIRECTION_IN,
	PACKET_DIRECTION_OUT
} PacketDirection;

typedef struct TcpSackBlock {
	uint32_t left, right; /* sequence numbers, right is one past the last byte */
} TcpSackBlock;

typedef struct Packet {
	/* set by the reader */
	int64_t ts_ns;        /* nanoseconds since the epoch */
	uint64_t frame;       /* position in its file, from 1, as Wireshark counts */
	uint64_t file_offset; /* of the record, in bytes of the uncompressed file */
	uint32_t wirelen;     /* frame length on the wire */
	uint16_t input;       /* which input file */
	uint16_t interface;   /* pcapng: index in InputInfo.interfaces, across sections; else 0 */
	uint32_t caplen;      /* bytes kept */
	uint32_t link_type;   /* LINKTYPE_ value */

	/* Set by packet_decode. In the order of the work of the shortcut (packet_fast.h): constants
	 * together, pairs as one word of the header holds them on a host that turns its bytes,
	 * what is rare last; no holes, so that two packets can be compared as bytes. */
	uint8_t kind;       /* PacketKind */
	uint8_t direction;  /* PacketDirection */
	uint8_t ip_version; /* 4 or 6, 0 when not IP */
	uint8_t ip_protocol;
	uint8_t layers; /* encapsulations peeled (VLAN, MPLS, tunnel…) */
	bool has_macs;
	bool more_fragments;
	bool was_fragmented; /* put together from fragments; never set by packet_decode */
	bool sack_permitted;
	bool has_window_scale;
	bool options_cut; /* the snap length cut the TCP options: what was not seen is not "absent"
			   */
	uint8_t window_scale; /* as announced, only in SYN; may exceed 14 in hostile input */
	uint8_t sack_count;   /* valid entries of sack[] */
	bool has_timestamps;
	uint16_t ip_header_len; /* innermost, with extension headers */
	uint16_t mss;           /* option of a SYN, 0 when absent */
	uint16_t vlan;          /* outermost VLAN id, 0 when untagged */
	uint8_t ttl;            /* or hop limit, of the innermost IP header */
	uint8_t ecn;            /* the two low bits of TOS or traffic class */
	bool dont_fragment;
	uint8_t tcp_flags;
	uint16_t tcp_header_len;
	uint16_t ip_id; /* IPv4 identification; 0 for IPv6 */
	uint16_t dst_port, src_port;
	uint32_t fragment_id;
	uint16_t checksum; /* TCP or UDP checksum field */
	uint16_t window;   /* raw 16-bit field */
	uint32_t ack, seq;
	uint32_t tsecr, tsval;

	const uint8_t *payload;  /* transport payload; borrowed from the frame, never NULL */
	uint32_t payload_len;    /* on the wire, without link padding */
	uint32_t payload_caplen; /* kept in the capture; at most payload_len */
	const uint8_t
		*ip; /* start of the innermost IP header, for classification; NULL when not IP */
	uint32_t ip_caplen; /* bytes kept from there */

	uint8_t dst_mac[6], src_mac[6];
	uint8_t src[16], dst[16]; /* IPv6, or IPv4 as ::ffff:a.b.c.d */
	uint64_t tunnel_id; /* identifies the outermost tunnel kind and its key, 0 when none */
	TcpSackBlock sack[4];
	uint32_t fragment_offset; /* bytes */
} Packet;

/**
 * packet_decode: decodes one frame.
 * @link_type: LINKTYPE_ value of the capture (www.tcpdump.org/linktypes.html).
 * @data: the frame's kept bytes, @caplen of them; @wirelen is its length on the wire (>= @caplen,
 * else @caplen is used).
 * @ret: every field after the reader's is set, whatever the bytes are; the reader's fields are left
 * alone. Ownership: ret->payload and ret->ip point into @data. Allocates nothing, cannot fail;
 * Thread: any.
 */
void packet_decode(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret);

/** packet_kind_name: key of `capture.ignored` for @kind, such as "not-ip". Static string. */
const char *packet_kind_name(PacketKind kind);

#endif
