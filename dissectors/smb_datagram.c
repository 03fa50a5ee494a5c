/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 without a connection: see smb_datagram.h.
 */
#include "dissectors/smb_datagram.h"

#include <string.h>

#include "dissectors/cursor.h"
#include "dissectors/netbeui.h"

#define DATAGRAM_HEADER_LEN 14 /* RFC 1002 4.4.1, with length and offset */
#define NAME_LABELS 128        /* of at least two bytes each: more than the 255 of a name */
#define SMB1_HEADER_LEN 32
#define SMB1_FLAGS_AT 9
#define SMB1_FLAG_REPLY 0x80

#define IPX_HEADER_LEN 30
#define IPX_DESTINATION_SOCKET_AT 16
#define IPX_SOURCE_SOCKET_AT 28

/* IPX sockets of Novell's NetBIOS and Microsoft's NWLink */
enum {
	IPX_NETBIOS = 0x0455,
	IPX_SMB_SERVER = 0x0550,
	IPX_SMB_NAMES = 0x0551,
	IPX_SMB = 0x0552,
	IPX_MAILSLOT = 0x0553
};

/* What stands before the SMB header on the sockets that carry names first: a NetBIOS or name
 * management header with two names, behind up to eight networks of four bytes. */
#define IPX_NAMES_MAX 84

static bool is_smb1(const Cursor *c)
{
	return cursor_left(c) >= SMB1_HEADER_LEN && memcmp(c->start + c->pos, "\xffSMB", 4) == 0;
}

/* An encoded name: labels up to the empty one, or a pointer (RFC 1002 4.1). */
static void skip_name(Cursor *c)
{
	for (int i = 0; i < NAME_LABELS && !c->bad; i++) {
		uint8_t len = cursor_u8(c);
		if (len == 0)
			return;
		if (len >= 0xc0) {
			cursor_skip(c, 1);
			return;
		}
		cursor_skip(c, len);
	}
}

static bool in_udp(Cursor *c)
{
	uint8_t type = cursor_u8(c);
	if (type < 0x10 || type > 0x12) /* direct unique, direct group, broadcast */
		return false;
	cursor_skip(c, DATAGRAM_HEADER_LEN - 3);
	if (cursor_be16(c) != 0) /* a piece of a datagram, not its beginning */
		return false;
	skip_name(c);
	skip_name(c);
	return !c->bad;
}

static bool in_nbf(Cursor *c)
{
	NbfHeader header;
	return nbf_header_parse(c, &header) == PARSE_OK &&
	       (header.command == NBF_DATAGRAM || header.command == NBF_DATAGRAM_BROADCAST);
}

static bool in_ipx(Cursor *c)
{
	if (cursor_left(c) < IPX_HEADER_LEN)
		return false;
	uint16_t to = cursor_load_be16(c->start + c->pos + IPX_DESTINATION_SOCKET_AT);
	uint16_t from = cursor_load_be16(c->start + c->pos + IPX_SOURCE_SOCKET_AT);
	cursor_skip(c, IPX_HEADER_LEN);
	if (from == IPX_SMB || to == IPX_SMB || to == IPX_SMB_SERVER)
		return true;
	if (to != IPX_NETBIOS && to != IPX_MAILSLOT && to != IPX_SMB_NAMES)
		return false;
	size_t span = cursor_left(c) < IPX_NAMES_MAX ? cursor_left(c) : IPX_NAMES_MAX;
	const uint8_t *found = memmem(c->start + c->pos, span, "\xffSMB", 4);
	if (!found)
		return false;
	cursor_skip(c, (size_t)(found - (c->start + c->pos)));
	return true;
}

static bool find_smb(const Packet *packet, Cursor *c, SmbDatagramKind *ret_kind)
{
	if (packet->kind == PACKET_UDP) {
		*ret_kind = SMB_DATAGRAM_UDP;
		return smb_datagram_may_be(packet) && in_udp(c);
	}
	if (packet->kind == PACKET_NBF) {
		*ret_kind = SMB_DATAGRAM_NBF;
		return (packet->tcp_flags & LLC_UNNUMBERED_MASK) == LLC_UI && in_nbf(c);
	}
	*ret_kind = SMB_DATAGRAM_IPX;
	return packet->kind == PACKET_IPX && in_ipx(c);
}

bool smb_datagram_find(const Packet *packet, SmbDatagramKind *ret_kind, Smb1Input *ret)
{
	Cursor c = cursor_over(packet->payload, packet->payload_caplen);
	if (!find_smb(packet, &c, ret_kind) || !is_smb1(&c))
		return false;
	const uint8_t *smb = c.start + c.pos;
	*ret = (Smb1Input){.data = smb,
		.len = cursor_left(&c),
		.wire_len = packet->payload_len - c.pos,
		.from_client = !(smb[SMB1_FLAGS_AT] & SMB1_FLAG_REPLY)};
	return true;
}
