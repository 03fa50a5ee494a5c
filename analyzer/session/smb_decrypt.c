/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AES and hashes for SMB3 messages. Which key belongs to whom is in smb_keyring.c.
 */
#include "analyzer/session/smb_decrypt.h"

#include <string.h>

#include "dissectors/smb3_transform.h"

/* MS-SMB2 2.2.41: bytes of the nonce that count */
#define CCM_NONCE_LEN 11
#define GCM_NONCE_LEN 12

static size_t key_len_of(SmbCipher cipher)
{
	switch (cipher) {
	case SMB_AES_128_CCM:
	case SMB_AES_128_GCM:
		return 16;
	case SMB_AES_256_CCM:
	case SMB_AES_256_GCM:
		return 32;
	case SMB_CIPHER_UNKNOWN:
		break;
	}
	return 0;
}

#ifdef HAVE_CRYPTO

#include <openssl/evp.h>
#include <openssl/hmac.h>

bool smb_decrypt_is_built(void)
{
	return true;
}

static bool is_ccm(SmbCipher cipher)
{
	return cipher == SMB_AES_128_CCM || cipher == SMB_AES_256_CCM;
}

/*
 * Both modes encrypt with AES in counter mode, so that the beginning can be had alone. The block
 * that goes with the first bytes: SP 800-38C A.3 (flags, nonce, counter 1), SP 800-38D 7.1 (nonce,
 * counter 2).
 */
static bool decrypt_head(const uint8_t *key, SmbCipher cipher, const Smb3Transform *t,
	const uint8_t *data, size_t len, uint8_t *out)
{
	uint8_t block[16] = {0};
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int done = 0;
	bool is_good;

	if (is_ccm(cipher)) {
		block[0] = 15 - CCM_NONCE_LEN - 1;
		memcpy(block + 1, t->nonce, CCM_NONCE_LEN);
		block[15] = 1;
	} else {
		memcpy(block, t->nonce, GCM_NONCE_LEN);
		block[15] = 2;
	}
	is_good = context &&
		  EVP_DecryptInit_ex(context,
			  key_len_of(cipher) == 16 ? EVP_aes_128_ctr() : EVP_aes_256_ctr(), NULL,
			  key, block) == 1 &&
		  EVP_DecryptUpdate(context, out, &done, data, (int)len) == 1 &&
		  (size_t)done == len;
	EVP_CIPHER_CTX_free(context);
	return is_good;
}

static const EVP_CIPHER *aead(SmbCipher cipher)
{
	switch (cipher) {
	case SMB_AES_128_CCM:
		return EVP_aes_128_ccm();
	case SMB_AES_128_GCM:
		return EVP_aes_128_gcm();
	case SMB_AES_256_CCM:
		return EVP_aes_256_ccm();
	case SMB_AES_256_GCM:
		return EVP_aes_256_gcm();
	case SMB_CIPHER_UNKNOWN:
		break;
	}
	return NULL;
}

/* The whole message; the tag is checked. CCM wants to know the length before the rest. */
static bool decrypt_whole(const uint8_t *key, SmbCipher cipher, const Smb3Transform *t,
	const uint8_t *header, const uint8_t *data, size_t len, uint8_t *out)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	bool ccm = is_ccm(cipher), is_good;
	uint8_t tag[SMB3_TRANSFORM_TAG_LEN];
	int done = 0;

	memcpy(tag, t->tag, sizeof tag);
	is_good = c && EVP_DecryptInit_ex(c, aead(cipher), NULL, NULL, NULL) == 1 &&
		  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN,
			  ccm ? CCM_NONCE_LEN : GCM_NONCE_LEN, NULL) == 1 &&
		  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1 &&
		  EVP_DecryptInit_ex(c, NULL, NULL, key, t->nonce) == 1;
	if (is_good && ccm)
		is_good = EVP_DecryptUpdate(c, NULL, &done, NULL, (int)len) == 1;
	is_good = is_good &&
		  EVP_DecryptUpdate(c, NULL, &done, header + SMB3_TRANSFORM_AAD_AT,
			  SMB3_TRANSFORM_AAD_LEN) == 1 &&
		  EVP_DecryptUpdate(c, out, &done, data, (int)len) == 1;
	/* CCM has checked the tag by now, GCM does at the end */
	if (is_good && !ccm)
		is_good = EVP_DecryptFinal_ex(c, out + done, &done) == 1;
	EVP_CIPHER_CTX_free(c);
	return is_good;
}

/* SP 800-108 5.1 in counter mode with HMAC-SHA256; one round gives 256 bits. Labels and contexts
 * count with their closing NUL. */
static bool derive(const uint8_t *secret, size_t secret_len, const char *label,
	const uint8_t *context, size_t context_len, size_t len, uint8_t *ret)
{
	uint8_t input[4 + 32 + 1 + SMB_PREAUTH_LEN + 4] = {0, 0, 0, 1};
	uint8_t output[32];
	size_t n = 4, label_len = strlen(label) + 1;
	unsigned output_len = sizeof output;

	memcpy(input + n, label, label_len);
	n += label_len + 1;
	memcpy(input + n, context, context_len);
	n += context_len;
	input[n + 2] = (uint8_t)(len * 8 >> 8);
	input[n + 3] = (uint8_t)(len * 8);
	n += 4;
	if (!HMAC(EVP_sha256(), secret, (int)secret_len, input, n, output, &output_len))
		return false;
	memcpy(ret, output, len);
	return true;
}

bool smb_derive_keys(const uint8_t *session_key, size_t key_len, uint16_t dialect, SmbCipher cipher,
	const uint8_t preauth[SMB_PREAUTH_LEN], SmbCipherKeys *ret)
{
	static const uint8_t in[] = "ServerIn ", out[] = "ServerOut";
	SmbCipherKeys keys = {.len = (uint8_t)key_len_of(cipher)};
	/* 3.1.4.2: AES-256 derives from the full session key, the others from its first 16 bytes */
	size_t secret_len = keys.len == 16 && key_len > 16 ? 16 : key_len;
	bool is_good = false;

	if (keys.len == 0 || key_len < 16 || key_len > SMB_KEY_MAX)
		return false;
	if (dialect == 0x0311 && preauth)
		is_good = derive(session_key, secret_len, "SMBC2SCipherKey", preauth,
				  SMB_PREAUTH_LEN, keys.len, keys.client) &&
			  derive(session_key, secret_len, "SMBS2CCipherKey", preauth,
				  SMB_PREAUTH_LEN, keys.len, keys.server);
	else if (dialect == 0x0300 || dialect == 0x0302)
		is_good = derive(session_key, secret_len, "SMB2AESCCM", in, sizeof in, keys.len,
				  keys.client) &&
			  derive(session_key, secret_len, "SMB2AESCCM", out, sizeof out, keys.len,
				  keys.server);
	if (is_good)
		*ret = keys;
	return is_good;
}

void smb_preauth_add(uint8_t hash[SMB_PREAUTH_LEN], const uint8_t *message, size_t len)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned n = SMB_PREAUTH_LEN;

	if (!context || EVP_DigestInit_ex(context, EVP_sha512(), NULL) != 1 ||
		EVP_DigestUpdate(context, hash, SMB_PREAUTH_LEN) != 1 ||
		EVP_DigestUpdate(context, message, len) != 1 ||
		EVP_DigestFinal_ex(context, hash, &n) != 1)
		memset(hash, 0, SMB_PREAUTH_LEN); /* without memory: the keys will not fit */
	EVP_MD_CTX_free(context);
}

#else

bool smb_decrypt_is_built(void)
{
	return false;
}

static bool decrypt_head(const uint8_t *key, SmbCipher cipher, const Smb3Transform *t,
	const uint8_t *data, size_t len, uint8_t *out)
{
	(void)key, (void)cipher, (void)t, (void)data, (void)len, (void)out;
	return false;
}

static bool decrypt_whole(const uint8_t *key, SmbCipher cipher, const Smb3Transform *t,
	const uint8_t *header, const uint8_t *data, size_t len, uint8_t *out)
{
	(void)key, (void)cipher, (void)t, (void)header, (void)data, (void)len, (void)out;
	return false;
}

bool smb_derive_keys(const uint8_t *session_key, size_t key_len, uint16_t dialect, SmbCipher cipher,
	const uint8_t preauth[SMB_PREAUTH_LEN], SmbCipherKeys *ret)
{
	(void)session_key, (void)key_len, (void)dialect, (void)cipher, (void)preauth, (void)ret;
	return false;
}

void smb_preauth_add(uint8_t hash[SMB_PREAUTH_LEN], const uint8_t *message, size_t len)
{
	(void)hash, (void)message, (void)len;
}

#endif

SmbDecryptResult smb_decrypt(const uint8_t *key, size_t key_len, SmbCipher cipher,
	const uint8_t *pdu, size_t len, uint8_t *out)
{
	Cursor c = cursor_over(pdu, len);
	Smb3Transform t;
	size_t kept;

	if (!smb_decrypt_is_built() || key_len_of(cipher) == 0 || key_len_of(cipher) != key_len)
		return SMB_DECRYPT_IMPOSSIBLE;
	if (smb3_transform_parse(&c, &t) != PARSE_OK)
		return SMB_DECRYPT_FAILED;
	kept = cursor_left(&c);
	if (kept > INT32_MAX)
		return SMB_DECRYPT_FAILED;
	if (kept < t.original_size)
		return decrypt_head(key, cipher, &t, pdu + c.pos, kept, out)
			       ? SMB_DECRYPT_UNVERIFIED
			       : SMB_DECRYPT_FAILED;
	return decrypt_whole(key, cipher, &t, pdu, pdu + c.pos, t.original_size, out)
		       ? SMB_DECRYPT_VERIFIED
		       : SMB_DECRYPT_FAILED;
}
