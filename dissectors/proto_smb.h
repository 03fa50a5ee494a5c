/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS session service, SMB1, SMB2 and SMB3 as one Protocol.
 */
#ifndef SLOWCOPY_DISSECTORS_PROTO_SMB_H
#define SLOWCOPY_DISSECTORS_PROTO_SMB_H

#include "dissectors/protocol.h"

/** protocol_smb: recognised by the magic behind the NetBIOS framing or by a session request. */
extern const Protocol protocol_smb;

/** SmbPlain: an SMB2 message that came out of an encrypted one. */
typedef struct SmbPlain {
	const uint8_t *data; /* from its magic on; FE'SMB' or FC'SMB' */
	size_t len;          /* bytes at hand: all or the beginning */
	size_t original_len; /* bytes of the whole message, >= @len */
	uint64_t wire_len;   /* bytes of the encrypted message */
	bool from_client;
} SmbPlain;

/**
 * smb_plain_decode: emits the messages of @plain with MESSAGE_ENCRYPTED set.
 * Returns false, and emits nothing, when it does not begin with a magic: the key was wrong.
 */
bool smb_plain_decode(DissectorState *state, const SmbPlain *plain, const MessageSink *sink);

#endif
