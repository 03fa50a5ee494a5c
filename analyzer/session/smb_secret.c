/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens encrypted messages for the session.
 */
#include "analyzer/session/smb_secret.h"

#include "analyzer/session/smb_decrypt.h"
#include "dissectors/netbios.h"
#include "dissectors/proto_smb.h"

static bool is_sealed(const Message *message)
{
	/* what was compressed inside and could not be read comes here a second time */
	return message->kind == MESSAGE_OPAQUE && message->flags & MESSAGE_ENCRYPTED &&
	       !(message->flags & MESSAGE_COMPRESSED);
}

bool smb_secret_open(Session *session, Side side, const Message *message)
{
	SessionFramed *framed = session->framed;
	SmbDecryptor *decryptor = framed->smb.decryptor;
	uint8_t plain[PROTOCOL_MAX_STAGED];
	SmbPlain inside = {.data = plain,
		.original_len = message->opaque_length,
		.from_client = side == SIDE_CLIENT};

	if (!decryptor || framed->staged_len <= NETBIOS_HEADER_LEN)
		return false;
	const uint8_t *bytes = framed->staged + NETBIOS_HEADER_LEN;
	size_t len = framed->staged_len - NETBIOS_HEADER_LEN;
	inside.wire_len = framed->extent->total - NETBIOS_HEADER_LEN;
	if (!is_sealed(message)) {
		smb_decryptor_handshake(decryptor, message, bytes, len, len == inside.wire_len);
		return false;
	}
	if (len > sizeof plain)
		return false;
	SmbDecryptResult result =
		smb_decryptor_open(decryptor, inside.from_client, bytes, len, plain, &inside.len);
	if (result != SMB_DECRYPT_VERIFIED && result != SMB_DECRYPT_UNVERIFIED)
		return false;
	return smb_plain_decode(&framed->state, &inside, &framed->sink);
}
