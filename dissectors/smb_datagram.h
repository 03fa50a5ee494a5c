/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 messages that travel without a connection: mailslots (browser announcements, log-on
 * requests) in NetBIOS datagrams on UDP, in NetBIOS frames and on IPX, and SMB hosted on IPX
 * directly.
 * Source: RFC 1002 4.4, IBM SC30-3383 chapter 5, MS-BRWS 2.1, MS-CIFS 2.1.2.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB_DATAGRAM_H
#define SLOWCOPY_DISSECTORS_SMB_DATAGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "dissectors/packet.h"
#include "dissectors/smb1_header.h"

#define SMB_DATAGRAM_PORT 138 /* RFC 1002 4.4 */

/** SmbDatagramKind: what carried the message. */
typedef enum SmbDatagramKind {
	SMB_DATAGRAM_UDP, /* NetBIOS datagram service, UDP 138 */
	SMB_DATAGRAM_NBF, /* NetBIOS frames that are not numbered */
	SMB_DATAGRAM_IPX, /* any of the IPX sockets */
	SMB_DATAGRAM_KIND_COUNT
} SmbDatagramKind;

/** smb_datagram_may_be: whether it is worth a closer look. */
static inline bool smb_datagram_may_be(const Packet *packet)
{
	if (packet->kind == PACKET_UDP)
		return packet->dst_port == SMB_DATAGRAM_PORT ||
		       packet->src_port == SMB_DATAGRAM_PORT;
	return packet->kind == PACKET_NBF || packet->kind == PACKET_IPX;
}

/**
 * smb_datagram_find: whether @packet (UDP, NBF or IPX) carries an SMB1 message outside of any
 * connection, header and all. Then @ret_kind and @ret are set; the message is borrowed from the
 * packet.
 */
bool smb_datagram_find(const Packet *packet, SmbDatagramKind *ret_kind, Smb1Input *ret);

#endif
