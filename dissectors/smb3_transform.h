/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What wraps SMB3 messages: the transform header of encrypted ones and the header of compressed
 * ones. Parsing only; nothing here decrypts.
 * Source: MS-SMB2 2.2.41, 2.2.42.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB3_TRANSFORM_H
#define SLOWCOPY_DISSECTORS_SMB3_TRANSFORM_H

#include "dissectors/cursor.h"
#include "dissectors/parse.h"

#define SMB3_TRANSFORM_LEN 52
#define SMB3_TRANSFORM_NONCE_LEN 16
#define SMB3_TRANSFORM_TAG_LEN 16
/* What encryption authenticates besides the ciphertext: the header from the nonce on. */
#define SMB3_TRANSFORM_AAD_AT 20
#define SMB3_TRANSFORM_AAD_LEN 32

typedef struct Smb3Transform {
	uint8_t tag[SMB3_TRANSFORM_TAG_LEN];
	uint8_t nonce[SMB3_TRANSFORM_NONCE_LEN]; /* CCM uses the first 11 bytes, GCM 12 */
	uint32_t original_size;                  /* bytes of the message inside */
	uint16_t flags; /* 3.1.1: 1 encrypted; 3.0: EncryptionAlgorithm, 1 AES-128-CCM */
	uint64_t session_id;
} Smb3Transform;

/**
 * smb3_transform_parse: the 52 bytes from FD'SMB' on.
 * @c: moves past them on PARSE_OK. PARSE_SHORT when fewer are left; PARSE_BAD when it begins
 * otherwise.
 */
ParseStatus smb3_transform_parse(Cursor *c, Smb3Transform *ret);

#endif
