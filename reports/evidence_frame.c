/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of evidence_frame.h. RFC 791, RFC 8200, RFC 9293, RFC 768, RFC 792, RFC 4443;
 * MS-SMB2 2.2, MS-CIFS 2.2.3.
 */
#include "reports/evidence_frame.h"

#include <string.h>

#define ETHERNET_LEN 14
#define IPV4_LEN 20
#define IPV6_LEN 40
#define TCP_LEN 20
#define UDP_LEN 8
#define ICMP_LEN 8
#define ICMP_UNREACHABLE 3
#define ICMPV6_TOO_BIG 2
#define IP_PROTOCOL_ICMP 1
#define IP_PROTOCOL_TCP 6
#define IP_PROTOCOL_UDP 17
#define IP_PROTOCOL_ICMPV6 58
/* An IP packet ends here; offloaded ones that are longer have no valid length to write. */
#define IP_LEN_MAX 65535
/* Payload beyond a frame of the network is not kept even as zeroes: it would only fill the file. */
#define PAYLOAD_KEPT_MAX 9000
#define NETBIOS_LEN 4
#define SMB1_HEADER_LEN 32
/* WRITE_ANDX, MS-CIFS 2.2.4.43.1. */
#define SMB1_WORDS_MAX ((size_t)14)
#define SMB2_HEADER_LEN 64
#define SMB3_TRANSFORM_LEN 52

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

/** sum16: adds @len bytes to a ones' complement sum, RFC 1071. */
static uint32_t sum16(uint32_t sum, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		sum += (uint32_t)(data[i] << 8 | data[i + 1]);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	if (len % 2)
		sum += (uint32_t)data[len - 1] << 8;
	return (sum & 0xffff) + (sum >> 16);
}

static uint16_t checksum(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* ---- payload: headers stay, the rest is zero */

/**
 * smb2_kept: header and the fixed part of a body, which holds numbers only. MS-SMB2 2.2.3
 * to 2.2.40; sizes are StructureSize less the one byte that stands for the variable part. NEGOTIATE
 * keeps no body: it holds the machine's GUID.
 */
static size_t smb2_kept(const uint8_t *p, size_t len)
{
	static const uint8_t request[] = {
		0, 24, 4, 8, 4, 56, 24, 24, 48, 48, 48, 56, 4, 4, 32, 32, 40, 32, 24};
	static const uint8_t reply[] = {
		0, 8, 4, 16, 4, 88, 60, 4, 16, 16, 4, 48, 0, 4, 8, 8, 8, 2, 24};
	unsigned command;
	bool is_reply;
	size_t body;

	if (len < SMB2_HEADER_LEN)
		return len;
	command = (unsigned)(p[12] | p[13] << 8);
	is_reply = p[16] & 1;
	if (command >= sizeof request)
		return SMB2_HEADER_LEN;
	body = is_reply ? reply[command] : request[command];
	/* an error answer is 8 bytes, whatever the command: MS-SMB2 2.2.2 */
	if (is_reply && (p[11] & 0xc0) == 0xc0)
		body = 8;
	return MIN(len, SMB2_HEADER_LEN + body);
}

/** smb1_kept: the header; of commands that move data their words too, which hold numbers only. */
static size_t smb1_kept(const uint8_t *p, size_t len)
{
	/* CLOSE, READ, WRITE, ECHO, READ_ANDX, WRITE_ANDX: MS-CIFS 2.2.4 */
	static const uint8_t numbers_only[] = {0x04, 0x0a, 0x0b, 0x2b, 0x2e, 0x2f};

	if (len <= SMB1_HEADER_LEN || !memchr(numbers_only, p[4], sizeof numbers_only))
		return MIN(len, SMB1_HEADER_LEN);
	/* more words than any of them has are words of somebody's file */
	return MIN(
		len, SMB1_HEADER_LEN + 1 + 2 * MIN((size_t)p[SMB1_HEADER_LEN], SMB1_WORDS_MAX) + 2);
}

/** smb_kept: NetBIOS header and what stays behind it; 0 when it is no SMB message. */
static size_t smb_kept(const uint8_t *p, size_t len)
{
	if (len < NETBIOS_LEN + 4 || p[0] != 0)
		return 0;
	if (memcmp(p + NETBIOS_LEN, "\xfeSMB", 4) == 0)
		return NETBIOS_LEN + smb2_kept(p + NETBIOS_LEN, len - NETBIOS_LEN);
	if (memcmp(p + NETBIOS_LEN, "\xffSMB", 4) == 0)
		return NETBIOS_LEN + smb1_kept(p + NETBIOS_LEN, len - NETBIOS_LEN);
	if (memcmp(p + NETBIOS_LEN, "\xfdSMB", 4) == 0)
		return MIN(len, NETBIOS_LEN + SMB3_TRANSFORM_LEN);
	return 0;
}

/** ftp_kept: a verb or a three-digit code at the beginning of a control line. */
static size_t ftp_kept(const uint8_t *p, size_t len)
{
	static const char *const verbs[] = {"RETR", "STOR", "APPE", "STOU", "PORT", "PASV", "EPRT",
		"EPSV", "LIST", "NLST", "MLSD", "MLST", "TYPE", "SIZE", "MDTM", "REST", "QUIT",
		"USER", "PASS", "CWD", "PWD", "FEAT", "SYST", "NOOP", "ABOR", "AUTH", "PBSZ",
		"PROT", "DELE", "RNFR", "RNTO", "MKD", "RMD", "STAT", "OPTS"};
	size_t word = 0;

	while (word < len && word < 5 && g_ascii_isalnum(p[word]))
		word++;
	if (word == 3 && g_ascii_isdigit(p[0]) && g_ascii_isdigit(p[1]) && g_ascii_isdigit(p[2]))
		return word;
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (word == strlen(verbs[i]) &&
			g_ascii_strncasecmp((const char *)p, verbs[i], word) == 0)
			return word;
	}
	return 0;
}

/** clean_smb2: takes out what would lead a reader to bytes that are no longer there, and what
 * identifies. */
static void clean_smb2(uint8_t *p, size_t kept)
{
	uint8_t *header = p + NETBIOS_LEN;

	if (kept < NETBIOS_LEN + SMB2_HEADER_LEN || memcmp(header, "\xfeSMB", 4) != 0)
		return;
	memset(header + 20, 0, 4);  /* NextCommand */
	memset(header + 48, 0, 16); /* Signature, of other bytes */
}

size_t evidence_frame_kept(const Packet *packet, uint8_t *ret, size_t len)
{
	size_t have = MIN(packet->payload_caplen, len), kept = 0;
	bool control = packet->src_port == 21 || packet->dst_port == 21;

	memset(ret, 0, len);
	if (packet->kind != PACKET_TCP || have == 0)
		return 0;
	kept = control ? ftp_kept(packet->payload, have) : smb_kept(packet->payload, have);
	memcpy(ret, packet->payload, kept);
	if (!control)
		clean_smb2(ret, kept);
	/* the end of a line is its header, too */
	if (control && kept > 0 && have == len && len >= kept + 2 &&
		memcmp(packet->payload + len - 2, "\r\n", 2) == 0) {
		memset(ret + kept, ' ', len - 2 - kept > 0 ? 1 : 0);
		memcpy(ret + len - 2, "\r\n", 2);
	}
	return kept;
}

/* ---- headers */

/** tcp_options: the options that the decoder knows, in canonical order, padded to a multiple of 4.
 * Returns their length. */
static size_t tcp_options(const Packet *p, uint8_t ret[40])
{
	size_t len = 0;

	if (p->mss) {
		ret[len] = 2;
		ret[len + 1] = 4;
		put16(ret + len + 2, p->mss);
		len += 4;
	}
	if (p->has_window_scale) {
		memcpy(ret + len, (const uint8_t[]){1, 3, 3, p->window_scale}, 4);
		len += 4;
	}
	if (p->sack_permitted) {
		memcpy(ret + len, (const uint8_t[]){1, 1, 4, 2}, 4);
		len += 4;
	}
	if (p->has_timestamps) {
		memcpy(ret + len, (const uint8_t[]){1, 1, 8, 10}, 4);
		put32(ret + len + 4, p->tsval);
		put32(ret + len + 8, p->tsecr);
		len += 12;
	}
	for (size_t i = 0; i < MIN(p->sack_count, 4); i++) {
		/* with all other options, which only a SYN has, not all four blocks fit */
		if (i == 0 && len + 4 + 8 <= 40) {
			memcpy(ret + len, (const uint8_t[]){1, 1, 5, 2}, 4);
			len += 4;
		} else if (i == 0 || len + 8 > 40) {
			break;
		}
		put32(ret + len, p->sack[i].left);
		put32(ret + len + 4, p->sack[i].right);
		len += 8;
		ret[len - 8 * (i + 1) - 1] = (uint8_t)(2 + 8 * (i + 1));
	}
	return len;
}

/** transport_build: the transport header with zero checksum. Returns its length, 0 for kinds not
 * shown. */
static size_t transport_build(const Packet *p, uint8_t ret[60], uint32_t payload_len)
{
	size_t options;

	memset(ret, 0, 60);
	switch ((PacketKind)p->kind) {
	case PACKET_TCP:
		put16(ret, p->src_port);
		put16(ret + 2, p->dst_port);
		put32(ret + 4, p->seq);
		put32(ret + 8, p->ack);
		options = tcp_options(p, ret + TCP_LEN);
		ret[12] = (uint8_t)((TCP_LEN + options) / 4 << 4);
		ret[13] = p->tcp_flags;
		put16(ret + 14, p->window);
		return TCP_LEN + options;
	case PACKET_UDP:
		put16(ret, p->src_port);
		put16(ret + 2, p->dst_port);
		put16(ret + 4, MIN(UDP_LEN + payload_len, IP_LEN_MAX));
		return UDP_LEN;
	case PACKET_ICMP:
		/* type and code; the quoted packet is left out, and so are the four bytes before it
		 * but where they are an MTU: in a redirect they are an address */
		memcpy(ret, p->payload, MIN(p->payload_caplen, ICMP_LEN));
		memset(ret + 2, 0, 2);
		if (ret[0] != (p->ip_version == 6 ? ICMPV6_TOO_BIG : ICMP_UNREACHABLE))
			memset(ret + 4, 0, 4);
		return ICMP_LEN;
	case PACKET_FRAGMENT:
	case PACKET_NBF:
	case PACKET_IPX:
	case PACKET_ARP:
	case PACKET_PAUSE:
	case PACKET_OTHER_TRANSPORT:
	case PACKET_NOT_IP:
	case PACKET_CUT:
	case PACKET_MALFORMED:
	case PACKET_UNKNOWN_LINK:
	case PACKET_KIND_COUNT:
		break;
	}
	return 0;
}

static uint8_t protocol_number(const Packet *p)
{
	if (p->kind == PACKET_TCP)
		return IP_PROTOCOL_TCP;
	if (p->kind == PACKET_UDP)
		return IP_PROTOCOL_UDP;
	return p->ip_version == 6 ? IP_PROTOCOL_ICMPV6 : IP_PROTOCOL_ICMP;
}

/** ip_build: the IP header. @content: bytes behind it. Returns its length. */
static size_t ip_build(
	const Packet *p, const EvidenceAddresses *a, uint8_t ret[IPV6_LEN], size_t content)
{
	memset(ret, 0, IPV6_LEN);
	if (p->ip_version == 6) {
		ret[0] = 0x60;
		ret[1] = (uint8_t)((p->ecn & 3) << 4);
		/* 0 says "too long to say" (RFC 2675), as for offloaded packets */
		put16(ret + 4, content > IP_LEN_MAX ? 0 : (uint32_t)content);
		ret[6] = protocol_number(p);
		ret[7] = p->ttl;
		memcpy(ret + 8, a->src, 16);
		memcpy(ret + 24, a->dst, 16);
		return IPV6_LEN;
	}
	ret[0] = 0x45;
	ret[1] = p->ecn & 3;
	put16(ret + 2, content + IPV4_LEN > IP_LEN_MAX ? 0 : (uint32_t)(content + IPV4_LEN));
	put16(ret + 4, p->ip_id);
	ret[6] = p->dont_fragment ? 0x40 : 0;
	ret[8] = p->ttl;
	ret[9] = protocol_number(p);
	memcpy(ret + 12, a->src + 12, 4);
	memcpy(ret + 16, a->dst + 12, 4);
	put16(ret + 10, checksum(sum16(0, ret, IPV4_LEN)));
	return IPV4_LEN;
}

/** transport_sum: sum over the pseudo header, RFC 9293 3.1 and RFC 8200 8.1; none for ICMPv4. */
static uint32_t transport_sum(const Packet *p, const EvidenceAddresses *a, size_t content)
{
	uint8_t tail[8] = {0};
	uint32_t sum;

	if (p->kind == PACKET_ICMP && p->ip_version != 6)
		return 0;
	sum = p->ip_version == 6 ? sum16(sum16(0, a->src, 16), a->dst, 16)
				 : sum16(sum16(0, a->src + 12, 4), a->dst + 12, 4);
	put32(tail, (uint32_t)content);
	tail[7] = protocol_number(p);
	return sum16(sum, tail, sizeof tail);
}

bool evidence_frame_build(const Packet *packet, const EvidenceAddresses *addresses, GByteArray *ret,
	uint32_t *ret_wirelen)
{
	uint8_t ethernet[ETHERNET_LEN], ip[IPV6_LEN], transport[60];
	uint32_t payload_len = packet->kind == PACKET_ICMP ? 0 : packet->payload_len, sum;
	size_t transport_len = transport_build(packet, transport, payload_len);
	size_t content = transport_len + payload_len, ip_len, kept_len = payload_len;
	g_autofree uint8_t *payload = NULL;
	size_t checksum_at = packet->kind == PACKET_TCP ? 16 : packet->kind == PACKET_UDP ? 6 : 2;

	g_byte_array_set_size(ret, 0);
	if (transport_len == 0 || (packet->ip_version != 4 && packet->ip_version != 6))
		return false;
	/* zeroes add nothing to a sum: what is not kept need not be summed */
	kept_len = MIN(kept_len, PAYLOAD_KEPT_MAX);
	payload = g_malloc0(kept_len + 1);
	evidence_frame_kept(packet, payload, kept_len);
	ip_len = ip_build(packet, addresses, ip, content);
	sum = transport_sum(packet, addresses, content);
	sum = sum16(sum, transport, transport_len);
	put16(transport + checksum_at, checksum(sum16(sum, payload, kept_len)));
	/* RFC 768: a sum of zero is sent as all ones */
	if (packet->kind == PACKET_UDP && transport[6] == 0 && transport[7] == 0)
		put16(transport + 6, 0xffff);
	memcpy(ethernet, addresses->dst_mac, 6);
	memcpy(ethernet + 6, addresses->src_mac, 6);
	put16(ethernet + 12, packet->ip_version == 6 ? 0x86dd : 0x0800);
	g_byte_array_append(ret, ethernet, sizeof ethernet);
	g_byte_array_append(ret, ip, (guint)ip_len);
	g_byte_array_append(ret, transport, (guint)transport_len);
	g_byte_array_append(ret, payload, (guint)kept_len);
	*ret_wirelen = (uint32_t)(ETHERNET_LEN + ip_len + content);
	return true;
}
