/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 and SMB3 messages: the 64-byte header and the chain of compounded members.
 * Source: MS-SMB2 2.2.1.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB2_HEADER_H
#define SLOWCOPY_DISSECTORS_SMB2_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "dissectors/protocol.h"

/** Smb2Input: plain SMB2 bytes, from the first FE'SMB' on. */
typedef struct Smb2Input {
	const uint8_t *data;
	size_t len;           /* bytes kept; >= 4 */
	size_t wire_len;      /* bytes of this extent on the wire; >= len */
	size_t left_after;    /* bytes of the PDU that come as extents of their own */
	size_t at;            /* bytes of framing before @data */
	uint32_t extra_flags; /* MESSAGE_ENCRYPTED or MESSAGE_COMPRESSED when it was inside such */
	uint64_t opaque_length; /* then: bytes of the wrapped message, else 0 */
	bool from_client;
} Smb2Input;

/**
 * smb2_decode: emits every member of a compound in order. Members that lie beyond the kept bytes
 * are counted as anomaly "compound-cut". A header of which less than 32 bytes (up to the MessageId)
 * was kept is anomaly "header-cut" and emits nothing. Also usable for decrypted messages.
 */
void smb2_decode(DissectorState *state, const Smb2Input *in, const MessageSink *sink);

/**
 * smb2_staging: bytes from FE'SMB' on that decode() needs.
 * @data: at least 4 bytes, @len of them at hand; @wire_len: the message on the wire.
 */
size_t smb2_staging(const uint8_t *data, size_t len, size_t wire_len);

/** smb2_next_command: NextCommand of the header at @data when it leads to another member inside
 * @wire_len bytes, else 0. */
size_t smb2_next_command(const uint8_t *data, size_t len, size_t wire_len);

/** smb2_command_name: name as the report writes it; NULL when unknown. Static. */
const char *smb2_command_name(uint16_t command);

#endif
