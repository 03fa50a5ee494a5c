/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decryption against vectors made from the standards, and which key is used when.
 */
#include "analyzer/session/smb_decrypt.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/smb_crypto_vectors.h"

#define SESSION 0x0000700000000005U
#define HEADER 52

static uint8_t session_key[32];

static void make_keys(void)
{
	for (uint8_t i = 0; i < 32; i++)
		session_key[i] = (uint8_t)(0x10 + i);
}

static const struct {
	const char *name;
	SmbCipher cipher;
	size_t key_len;
	const uint8_t *pdu;
} ciphers[] = {
	{"AES-128-CCM", SMB_AES_128_CCM, 16, vector_ccm_128},
	{"AES-128-GCM", SMB_AES_128_GCM, 16, vector_gcm_128},
	{"AES-256-CCM", SMB_AES_256_CCM, 32, vector_ccm_256},
	{"AES-256-GCM", SMB_AES_256_GCM, 32, vector_gcm_256},
};

/* a message on the heap, so that reading past it is seen */
static SmbDecryptResult decrypt(size_t i, const uint8_t *pdu, size_t len, uint8_t *out)
{
	uint8_t *copy = malloc(len ? len : 1);
	SmbDecryptResult result;

	memcpy(copy, pdu, len);
	result = smb_decrypt(session_key, ciphers[i].key_len, ciphers[i].cipher, copy, len, out);
	free(copy);
	return result;
}

Test(smb_decrypt, whole_messages_are_verified)
{
	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	make_keys();
	for (size_t i = 0; i < 4; i++) {
		uint8_t out[sizeof vector_message] = {0}, wrong[sizeof vector_ccm_128];
		size_t len = sizeof wrong;
		cr_expect_eq(decrypt(i, ciphers[i].pdu, len, out), SMB_DECRYPT_VERIFIED, "%s",
			ciphers[i].name);
		cr_expect_eq(memcmp(out, vector_message, sizeof out), 0, "%s", ciphers[i].name);
		/* any bit of the message matters but for the magic and the flags of the wrapper */
		for (size_t at = 4; at < len; at += 7) {
			memcpy(wrong, ciphers[i].pdu, len);
			wrong[at] ^= 1;
			if (at >= 36 && at < 40)
				continue; /* the length itself */
			cr_expect_eq(decrypt(i, wrong, len, out), SMB_DECRYPT_FAILED, "%s at %zu",
				ciphers[i].name, at);
		}
		cr_expect_eq(smb_decrypt(session_key, 48 - ciphers[i].key_len, ciphers[i].cipher,
				     ciphers[i].pdu, len, out),
			SMB_DECRYPT_IMPOSSIBLE);
	}
}

Test(smb_decrypt, beginnings_need_no_rest)
{
	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	make_keys();
	for (size_t i = 0; i < 4; i++) {
		for (size_t len = 0; len < sizeof vector_ccm_128; len++) {
			size_t n = len < HEADER ? 0 : len - HEADER;
			uint8_t *out = malloc(n ? n : 1);
			SmbDecryptResult result = decrypt(i, ciphers[i].pdu, len, out);
			if (len < HEADER) {
				cr_expect_eq(result, SMB_DECRYPT_FAILED);
			} else {
				cr_expect_eq(result, SMB_DECRYPT_UNVERIFIED, "%s %zu",
					ciphers[i].name, len);
				cr_expect_eq(memcmp(out, vector_message, n), 0, "%s %zu",
					ciphers[i].name, len);
			}
			free(out);
		}
	}
}

Test(smb_decrypt, keys_are_derived_by_dialect)
{
	SmbCipherKeys keys;

	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	make_keys();
	for (uint16_t dialect = 0x0300; dialect <= 0x0302; dialect += 2) {
		cr_assert(smb_derive_keys(session_key, 16, dialect, SMB_AES_128_CCM, NULL, &keys));
		cr_expect_eq(keys.len, 16);
		cr_expect_eq(memcmp(keys.client, vector_client_300, 16), 0);
		cr_expect_eq(memcmp(keys.server, vector_server_300, 16), 0);
	}
	/* a full session key of 32 bytes is cut for the short ciphers */
	cr_assert(smb_derive_keys(session_key, 32, 0x0311, SMB_AES_128_GCM, vector_preauth, &keys));
	cr_expect_eq(memcmp(keys.client, vector_client_311, 16), 0);
	cr_expect_eq(memcmp(keys.server, vector_server_311, 16), 0);
	cr_assert(smb_derive_keys(session_key, 32, 0x0311, SMB_AES_256_GCM, vector_preauth, &keys));
	cr_expect_eq(keys.len, 32);
	cr_expect_eq(memcmp(keys.client, vector_client_256, 32), 0);
	cr_expect_eq(memcmp(keys.server, vector_server_256, 32), 0);

	cr_expect(!smb_derive_keys(session_key, 16, 0x0311, SMB_AES_128_GCM, NULL, &keys));
	cr_expect(
		!smb_derive_keys(session_key, 16, 0x0210, SMB_AES_128_GCM, vector_preauth, &keys));
	cr_expect(!smb_derive_keys(
		session_key, 16, 0x0311, SMB_CIPHER_UNKNOWN, vector_preauth, &keys));
	cr_expect(
		!smb_derive_keys(session_key, 15, 0x0311, SMB_AES_128_GCM, vector_preauth, &keys));
}

Test(smb_decrypt, preauth_hash_chains)
{
	uint8_t hash[SMB_PREAUTH_LEN] = {0};

	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	smb_preauth_add(hash, vector_message, sizeof vector_message);
	smb_preauth_add(hash, vector_preauth, sizeof vector_preauth);
	cr_expect_eq(memcmp(hash, vector_hash, sizeof hash), 0);
}

Test(smb_decrypt, keys_as_the_user_writes_them)
{
	static const char *const bad[] = {"", "1", "1:", ":101112131415161718191a1b1c1d1e1f",
		"1:10111213", "1:101112131415161718191a1b1c1d1e1g",
		"11112222333344445:101112131415161718191a1b1c1d1e1f",
		"0x:101112131415161718191a1b1c1d1e1f",
		"1:101112131415161718191a1b1c1d1e1f:", "1:101112131415161718191a1b1c1d1e1f:00",
		"x:101112131415161718191a1b1c1d1e1f"};
	SmbKey key = {.session_id = 42};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect(!smb_key_parse(bad[i], &key), "%s", bad[i]);
		cr_expect_eq(key.session_id, 42);
	}
	cr_assert(smb_key_parse("0x0000700000000005:101112131415161718191A1b1c1d1e1f", &key));
	cr_expect_eq(key.session_id, SESSION);
	cr_expect_eq(key.key_len, 16);
	cr_expect(!key.is_cipher_key);
	cr_expect_eq(key.key[0], 0x10);
	cr_expect_eq(key.key[15], 0x1f);
	cr_assert(
		smb_key_parse("5:00000000000000000000000000000000000000000000000000000000000000ff:"
			      "0000000000000000000000000000000000000000000000000000000000000001",
			&key));
	cr_expect_eq(key.key_len, 32);
	cr_expect(key.is_cipher_key);
	cr_expect_eq(key.key[31], 0xff);
	cr_expect_eq(key.server_key[31], 1);
}

static uint8_t out[4096];
static size_t out_len;

/* the vectors are encrypted with the bare session key */
static SmbDecryptor *direct(SmbKeyring **ret_ring, size_t key_len)
{
	SmbKey key = {.session_id = SESSION, .is_cipher_key = true, .key_len = (uint8_t)key_len};

	make_keys();
	memcpy(key.key, session_key, 32);
	memcpy(key.server_key, session_key, 32);
	*ret_ring = smb_keyring_new(&key, 1);
	return smb_decryptor_new(*ret_ring);
}

Test(smb_decrypt, given_cipher_keys_need_no_handshake)
{
	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	for (size_t i = 0; i < 4; i++) {
		SmbKeyring *ring;
		SmbDecryptor *d = direct(&ring, ciphers[i].key_len);
		for (int from_client = 0; from_client < 2; from_client++) {
			cr_expect_eq(smb_decryptor_open(d, from_client, ciphers[i].pdu,
					     sizeof vector_ccm_128, out, &out_len),
				SMB_DECRYPT_VERIFIED, "%s", ciphers[i].name);
			cr_expect_eq(out_len, sizeof vector_message);
			cr_expect_eq(memcmp(out, vector_message, out_len), 0);
		}
		/* a beginning, once the cipher is known or even before */
		cr_expect_eq(smb_decryptor_open(d, true, ciphers[i].pdu, 100, out, &out_len),
			SMB_DECRYPT_UNVERIFIED);
		cr_expect_eq(out_len, 48);
		smb_decryptor_free(d);
		smb_keyring_free(ring);
		d = direct(&ring, 48 - ciphers[i].key_len);
		cr_expect_eq(smb_decryptor_open(d, true, ciphers[i].pdu, 100, out, &out_len),
			SMB_DECRYPT_FAILED, "no cipher of that key fits");
		smb_decryptor_free(d);
		smb_keyring_free(ring);
	}
}

/* a message of the handshake as the session hands it on */
static void handshake(SmbDecryptor *d, MessageVerb verb, MessageKind kind, uint64_t session_id,
	uint64_t request_id, uint32_t status, const char *bytes, bool is_whole)
{
	static MessageNegotiation negotiation;
	Message m = {.kind = kind,
		.protocol = MESSAGE_SMB2,
		.verb = verb,
		.count = 1,
		.session_id = session_id,
		.request_id = request_id,
		.status = status,
		.status_class = status ? STATUS_CLASS_MORE : STATUS_CLASS_OK};

	negotiation = (MessageNegotiation){.dialect = 0x0311, .cipher = SMB_AES_128_GCM};
	if (verb == VERB_NEGOTIATE && kind == MESSAGE_REPLY)
		m.negotiation = &negotiation;
	smb_decryptor_handshake(d, &m, (const uint8_t *)bytes, strlen(bytes), is_whole);
}

static void log_in(SmbDecryptor *d, bool is_whole)
{
	handshake(d, VERB_NEGOTIATE, MESSAGE_REQUEST, 0, 0, 0, "first offer", true);
	handshake(d, VERB_NEGOTIATE, MESSAGE_REPLY, 0, 0, 0, "choice", true);
	handshake(d, VERB_LOGIN, MESSAGE_REQUEST, 0, 1, 0, "hello", true);
	handshake(d, VERB_LOGIN, MESSAGE_REPLY, SESSION, 1, 0xC0000016, "challenge", is_whole);
	handshake(d, VERB_LOGIN, MESSAGE_REQUEST, SESSION, 2, 0, "answer", true);
	handshake(d, VERB_LOGIN, MESSAGE_REPLY, SESSION, 2, 0, "welcome", true);
}

Test(smb_decrypt, keys_of_3_1_1_come_from_the_whole_handshake)
{
	static const char *const parts[] = {
		"first offer", "choice", "hello", "challenge", "answer"};
	uint8_t hash[SMB_PREAUTH_LEN] = {0}, pdu[HEADER + 8] = {0};
	SmbKey key = {.session_id = SESSION, .key_len = 16};
	SmbCipherKeys keys;
	SmbKeyring *ring;
	SmbDecryptor *d;

	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	make_keys();
	memcpy(key.key, session_key, 16);
	ring = smb_keyring_new(&key, 1);
	d = smb_decryptor_new(ring);
	for (int i = 0; i < 5; i++)
		smb_preauth_add(hash, (const uint8_t *)parts[i], strlen(parts[i]));
	cr_assert(smb_derive_keys(session_key, 16, 0x0311, SMB_AES_128_GCM, hash, &keys));

	/* counter mode: what turns zeros into the message turns the message into zeros */
	memcpy(pdu, "\xFDSMB", 4);
	pdu[36] = 16; /* more than there is */
	memcpy(pdu + 44, (const uint8_t[]){5, 0, 0, 0, 0, 0x70, 0, 0}, 8);
	cr_assert_eq(smb_decrypt(keys.client, 16, SMB_AES_128_GCM, pdu, sizeof pdu, out),
		SMB_DECRYPT_UNVERIFIED);
	for (int i = 0; i < 8; i++)
		pdu[HEADER + i] = out[i] ^ vector_message[i];

	cr_expect_eq(smb_decryptor_open(d, true, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_IMPOSSIBLE, "no handshake yet");
	log_in(d, true);
	cr_expect_eq(smb_decryptor_open(d, true, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_UNVERIFIED);
	cr_expect_eq(out_len, 8);
	cr_expect_eq(memcmp(out, vector_message, 8), 0);
	cr_expect_eq(smb_decryptor_open(d, false, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_FAILED, "the server has another key");
	smb_decryptor_free(d);

	/* another connection of the session knows the keys */
	d = smb_decryptor_new(ring);
	cr_expect_eq(smb_decryptor_open(d, true, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_UNVERIFIED);
	pdu[44] = 6;
	cr_expect_eq(smb_decryptor_open(d, true, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_IMPOSSIBLE, "no key of that session");
	pdu[44] = 5;
	smb_decryptor_free(d);
	smb_keyring_free(ring);

	/* a message of the handshake was cut: the keys cannot be known */
	ring = smb_keyring_new(&key, 1);
	d = smb_decryptor_new(ring);
	log_in(d, false);
	cr_expect_eq(smb_decryptor_open(d, true, pdu, sizeof pdu, out, &out_len),
		SMB_DECRYPT_IMPOSSIBLE);
	smb_decryptor_free(d);
	smb_keyring_free(ring);
}

Test(smb_decrypt, hostile_handshakes)
{
	SmbKey key = {.session_id = SESSION, .key_len = 16};
	SmbKeyring *ring = smb_keyring_new(&key, 1);
	SmbDecryptor *d = smb_decryptor_new(ring);
	uint32_t seed = 7;

	for (int i = 0; i < 2000; i++) {
		seed = seed * 1664525 + 1013904223;
		handshake(d, seed >> 30 & 1 ? VERB_LOGIN : VERB_NEGOTIATE,
			(MessageKind)(seed >> 28 & 1),
			seed >> 24 & 3 ? SESSION + (seed >> 20 & 15) : 0, seed >> 16 & 15,
			seed >> 15 & 1 ? 0xC0000016 : 0, "x", seed >> 14 & 1);
		smb_decryptor_open(d, true, vector_gcm_128, sizeof vector_gcm_128, out, &out_len);
	}
	for (size_t len = 0; len < HEADER; len++)
		cr_expect_eq(smb_decryptor_open(d, true, vector_gcm_128, len, out, &out_len),
			SMB_DECRYPT_FAILED);
	smb_decryptor_free(d);
	smb_keyring_free(ring);
}
