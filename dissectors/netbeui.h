/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS frames (NBF, "NetBEUI") inside 802.2 LLC: their header, and the LLC control bytes that a
 * session depends on.
 * Source: IBM LAN Technical Reference SC30-3383 chapter 5, ISO 8802-2 5.4.
 */
#ifndef SLOWCOPY_DISSECTORS_NETBEUI_H
#define SLOWCOPY_DISSECTORS_NETBEUI_H

#include <stdint.h>

#include "dissectors/cursor.h"
#include "dissectors/parse.h"

/** NbfCommand: the frames that matter to a session. */
enum NbfCommand {
	NBF_DATAGRAM = 0x08,
	NBF_DATAGRAM_BROADCAST = 0x09,
	NBF_DATA_ACK = 0x14,
	NBF_DATA_FIRST_MIDDLE = 0x15, /* the message goes on in another frame */
	NBF_DATA_ONLY_LAST = 0x16,
	NBF_SESSION_CONFIRM = 0x17,
	NBF_SESSION_END = 0x18,
	NBF_SESSION_INITIALIZE = 0x19,
	NBF_SESSION_ALIVE = 0x1f,
};

/** NbfControl: LLC control bytes without the poll or final bit (ISO 8802-2 5.4). */
enum NbfControl {
	LLC_UI = 0x03,
	LLC_RR = 0x01,
	LLC_RNR = 0x05,
	LLC_REJ = 0x09,
	LLC_SABME = 0x6f,
	LLC_DISC = 0x43,
	LLC_UNNUMBERED_MASK = 0xef, /* takes the poll or final bit away */
	LLC_SEQUENCE_COUNT = 128,   /* sequence numbers are 7 bits */
};

typedef struct NbfHeader {
	uint16_t header_len; /* data begins there */
	uint8_t command;     /* enum NbfCommand, or another */
	uint8_t data1;
	uint16_t data2;      /* initialize and confirm: largest data field its sender receives */
	uint8_t destination; /* session numbers; only in frames of a session */
	uint8_t source;
} NbfHeader;

/**
 * nbf_header_parse: @c moves to the data behind the header on PARSE_OK. PARSE_SHORT when the kept
 * bytes do not hold the header, PARSE_BAD when it is none.
 */
ParseStatus nbf_header_parse(Cursor *c, NbfHeader *ret);

#endif
