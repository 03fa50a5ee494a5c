/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decryption of SMB3 messages whose session key the user knows: derivation of the cipher keys, and
 * AES-CCM and AES-GCM on whole messages or on their first bytes. The only file that includes
 * OpenSSL. Source: MS-SMB2 3.1.4.2, 3.1.4.3, 3.2.5.1.1, SP 800-108, SP 800-38C, SP 800-38D.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_SMB_DECRYPT_H
#define SLOWCOPY_ANALYZER_SESSION_SMB_DECRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/message.h"

#define SMB_KEY_MAX 32
#define SMB_PREAUTH_LEN 64

/** SmbCipher: numbers of MS-SMB2 2.2.3.1.2. */
typedef enum SmbCipher {
	SMB_CIPHER_UNKNOWN,
	SMB_AES_128_CCM,
	SMB_AES_128_GCM,
	SMB_AES_256_CCM,
	SMB_AES_256_GCM,
} SmbCipher;

/** SmbKey: what the user gave for one session. */
typedef struct SmbKey {
	uint64_t session_id;
	uint8_t key_len;          /* 16 or 32 */
	bool is_cipher_key;       /* @key is the client's cipher key and @server_key the server's */
	uint8_t key[SMB_KEY_MAX]; /* session key, or what the client encrypts with */
	uint8_t server_key[SMB_KEY_MAX];
} SmbKey;

typedef enum SmbDecryptResult {
	SMB_DECRYPT_VERIFIED,   /* the whole message, and its tag is right */
	SMB_DECRYPT_UNVERIFIED, /* only the beginning was there: nothing could be checked */
	SMB_DECRYPT_FAILED,     /* the tag is wrong, or it is no encrypted message */
	SMB_DECRYPT_IMPOSSIBLE, /* unknown cipher, wrong key length, or built without OpenSSL */
} SmbDecryptResult;

/** smb_decrypt_is_built: whether this program can decrypt. */
bool smb_decrypt_is_built(void);

/**
 * smb_key_parse: "SESSIONID:KEY" or "SESSIONID:CLIENTKEY:SERVERKEY", all hexadecimal; the id as
 * Wireshark shows it (0x at the front allowed), keys of 32 or 64 digits. KEY is the session key,
 * the other two are the keys that Samba logs as "ServerIn" and "ServerOut". Returns false when
 * @text is not like that.
 */
bool smb_key_parse(const char *text, SmbKey *ret);

/**
 * smb_decrypt: @len bytes of an encrypted message from FD'SMB' on into @out, of which at least
 * @len - 52 bytes must be there. With all bytes the tag is checked (nothing is to be read from @out
 * when it fails), with fewer the beginning is decrypted unchecked.
 * @key: cipher key of the side that sent the message, @key_len 16 or 32 as @cipher needs.
 */
SmbDecryptResult smb_decrypt(const uint8_t *key, size_t key_len, SmbCipher cipher,
	const uint8_t *pdu, size_t len, uint8_t *out);

/** SmbCipherKeys: what the two sides encrypt with. */
typedef struct SmbCipherKeys {
	uint8_t client[SMB_KEY_MAX], server[SMB_KEY_MAX];
	uint8_t len; /* 16 or 32 */
} SmbCipherKeys;

/**
 * smb_derive_keys: cipher keys from a session key.
 * @dialect: 0x0300, 0x0302 or 0x0311; @preauth: hash of the handshake, used by 3.1.1 only, else may
 * be NULL. Returns false for other dialects, unknown ciphers, or without OpenSSL.
 */
bool smb_derive_keys(const uint8_t *session_key, size_t key_len, uint16_t dialect, SmbCipher cipher,
	const uint8_t preauth[SMB_PREAUTH_LEN], SmbCipherKeys *ret);

/** smb_preauth_add: @hash = SHA-512(@hash, message), MS-SMB2 3.2.5.2; @hash begins as zeros. */
void smb_preauth_add(uint8_t hash[SMB_PREAUTH_LEN], const uint8_t *message, size_t len);

/** SmbKeyring: all keys the user gave, and what was derived from them. A session on several
 * connections derives its keys on the first. */
typedef struct SmbKeyring SmbKeyring;

/** smb_keyring_new: copies @keys. Ownership: smb_keyring_free(). NULL without memory. */
SmbKeyring *smb_keyring_new(const SmbKey *keys, size_t count);

/** smb_keyring_free: erases the keys; NULL is allowed. */
void smb_keyring_free(SmbKeyring *ring);

/** SmbDecryptor: one connection's handshake and cipher. */
typedef struct SmbDecryptor SmbDecryptor;

/** smb_decryptor_new: borrows @ring, which must outlive it. Ownership: smb_decryptor_free(). NULL
 * without memory. */
SmbDecryptor *smb_decryptor_new(SmbKeyring *ring);

/** smb_decryptor_free: NULL is allowed. */
void smb_decryptor_free(SmbDecryptor *d);

/**
 * smb_decryptor_handshake: a NEGOTIATE or SESSION_SETUP message in clear, either way, in order;
 * others are ignored.
 * @bytes: the SMB2 message from FE'SMB' on, without its framing; @is_whole: all of it. Without all
 * bytes of all of them the keys of a 3.1.1 session cannot be derived.
 */
void smb_decryptor_handshake(
	SmbDecryptor *d, const Message *message, const uint8_t *bytes, size_t len, bool is_whole);

/**
 * smb_decryptor_open: decrypts a message of this connection with the key of its session.
 * @pdu, @len, @out: as smb_decrypt(). @ret_len: bytes of @out that were written.
 * SMB_DECRYPT_IMPOSSIBLE when there is no key for the session (yet).
 */
SmbDecryptResult smb_decryptor_open(SmbDecryptor *d, bool from_client, const uint8_t *pdu,
	size_t len, uint8_t *out, size_t *ret_len);

#endif
