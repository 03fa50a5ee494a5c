/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS session service: the four bytes before every SMB message on TCP, on port 139 with a
 * 17-bit length and packets of its own, on port 445 with a 24-bit length.
 * Source: RFC 1002 4.3, MS-SMB2 2.1.
 */
#ifndef SLOWCOPY_DISSECTORS_NETBIOS_H
#define SLOWCOPY_DISSECTORS_NETBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/cursor.h"
#include "dissectors/message.h"
#include "dissectors/parse.h"

#define NETBIOS_HEADER_LEN 4

/** NetbiosType: packet type of the session service, RFC 1002 4.3.1. */
enum NetbiosType {
	NETBIOS_MESSAGE = 0x00,
	NETBIOS_SESSION_REQUEST = 0x81,
	NETBIOS_POSITIVE_RESPONSE = 0x82,
	NETBIOS_NEGATIVE_RESPONSE = 0x83,
	NETBIOS_RETARGET_RESPONSE = 0x84,
	NETBIOS_KEEP_ALIVE = 0x85,
};

typedef struct NetbiosHeader {
	uint8_t type;    /* enum NetbiosType */
	uint32_t length; /* bytes after the header, at most 0xffffff */
} NetbiosHeader;

/**
 * netbios_header_parse: the four bytes of framing.
 * @c: moves past them on PARSE_OK.
 * @over_netbios: port 139: only 17 bits of length, the other flag bits are zero. On 445 all 24 bits
 * count.
 * Returns PARSE_SHORT when fewer than four bytes are left, PARSE_BAD for an unknown type or a
 * length its type cannot have.
 */
ParseStatus netbios_header_parse(Cursor *c, bool over_netbios, NetbiosHeader *ret);

/**
 * netbios_decode: emits a session service packet that is not a message.
 * @c: what is kept of it, from its first byte.
 */
void netbios_decode(Cursor c, bool from_client, const MessageSink *sink);

/** netbios_command_name: "session-request", "keep-alive"… for a NetbiosType; NULL for others.
 * Static. */
const char *netbios_command_name(uint16_t type);

#endif
