/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 messages: the 32-byte header, the AndX chain, and bare data of raw reads and writes.
 * Source: MS-CIFS 2.2.3, MS-SMB 2.2.3.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB1_HEADER_H
#define SLOWCOPY_DISSECTORS_SMB1_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "dissectors/protocol.h"

/** Smb1Input: one SMB1 message from its FF'SMB' on. */
typedef struct Smb1Input {
	const uint8_t *data;
	size_t len;      /* bytes kept; >= 4 */
	size_t wire_len; /* bytes on the wire; >= len */
	size_t at;       /* bytes of framing before @data */
	bool from_client;
} Smb1Input;

/**
 * smb1_decode: emits the command and every member chained to it, in order. A header of which less
 * than its 32 bytes was kept is anomaly "header-cut" and emits nothing.
 */
void smb1_decode(DissectorState *state, const Smb1Input *in, const MessageSink *sink);

/** smb1_raw_decode: emits @wire_len bytes without a header that answer READ_RAW or follow
 * WRITE_RAW.
 * @at: bytes of framing before them. */
void smb1_raw_decode(DissectorState *state, size_t wire_len, size_t at, bool from_client,
	const MessageSink *sink);

/** smb1_raw_expected: whether the message at @data is bare data of a raw read or write. @len bytes
 * of @wire_len are at hand. */
bool smb1_raw_expected(const DissectorState *state, const uint8_t *data, size_t len,
	size_t wire_len, bool from_client);

/** smb1_staging: bytes from FF'SMB' on that decode() needs; @len bytes are at hand, at least 4. */
size_t smb1_staging(const uint8_t *data, size_t len, size_t wire_len);

/** smb1_command_name: name as the report writes it; NULL when unknown. Static. */
const char *smb1_command_name(uint16_t command);

#endif
