/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which key opens which message: keys as the user gave them, the hash of each handshake, the keys
 * derived from both.
 */
#include "analyzer/session/smb_decrypt.h"

#include <stdlib.h>
#include <string.h>

#include "dissectors/smb3_transform.h"
#include "dissectors/smb_status.h"

/* Log-ins under way on one connection; clients do one at a time. */
#define MAX_SETUPS 8

typedef struct RingEntry {
	SmbKey key;
	SmbCipherKeys derived;
	SmbCipher cipher; /* SMB_CIPHER_UNKNOWN until a message was opened or a handshake told */
	bool is_derived;
} RingEntry;

struct SmbKeyring {
	size_t count;
	RingEntry entries[];
};

/* A SESSION_SETUP exchange: MS-SMB2 3.2.5.3, Session.PreauthIntegrityHashValue. */
typedef struct Setup {
	bool is_used;
	bool is_whole; /* no byte of it was missing */
	uint64_t session_id;
	uint64_t request_id; /* of the last request */
	uint8_t hash[SMB_PREAUTH_LEN];
} Setup;

struct SmbDecryptor {
	SmbKeyring *ring;
	uint16_t dialect;
	SmbCipher cipher;
	bool is_whole; /* NEGOTIATE was seen both ways, all of it */
	bool request_seen;
	uint8_t hash[SMB_PREAUTH_LEN];
	unsigned next; /* which of the log-ins is replaced next */
	Setup setups[MAX_SETUPS];
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Bytes of a key in hexadecimal; its length, 0 when it is none. */
static size_t parse_key(const char *text, size_t len, uint8_t ret[SMB_KEY_MAX])
{
	if (len != 32 && len != 64)
		return 0;
	for (size_t i = 0; i < len / 2; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return 0;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return len / 2;
}

bool smb_key_parse(const char *text, SmbKey *ret)
{
	SmbKey key = {0};
	const char *end;
	size_t len, digits = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (; hex_digit(*text) >= 0; text++, digits++)
		key.session_id = key.session_id << 4 | (unsigned)hex_digit(*text);
	if (digits == 0 || digits > 16 || *text++ != ':')
		return false;
	end = strchrnul(text, ':');
	len = parse_key(text, (size_t)(end - text), key.key);
	key.key_len = (uint8_t)len;
	if (len > 0 && *end == ':') {
		key.is_cipher_key = true;
		text = end + 1;
		if (parse_key(text, strlen(text), key.server_key) != len)
			len = 0;
	}
	if (len > 0)
		*ret = key;
	explicit_bzero(&key, sizeof key);
	return len > 0;
}

SmbKeyring *smb_keyring_new(const SmbKey *keys, size_t count)
{
	SmbKeyring *ring = calloc(1, sizeof *ring + count * sizeof ring->entries[0]);

	if (!ring)
		return NULL;
	ring->count = count;
	for (size_t i = 0; i < count; i++) {
		RingEntry *entry = &ring->entries[i];
		entry->key = keys[i];
		if (!keys[i].is_cipher_key)
			continue;
		entry->is_derived = true;
		entry->derived.len = keys[i].key_len;
		memcpy(entry->derived.client, keys[i].key, SMB_KEY_MAX);
		memcpy(entry->derived.server, keys[i].server_key, SMB_KEY_MAX);
	}
	return ring;
}

void smb_keyring_free(SmbKeyring *ring)
{
	if (!ring)
		return;
	explicit_bzero(ring, sizeof *ring + ring->count * sizeof ring->entries[0]);
	free(ring);
}

SmbDecryptor *smb_decryptor_new(SmbKeyring *ring)
{
	SmbDecryptor *d = calloc(1, sizeof *d);

	if (d)
		d->ring = ring;
	return d;
}

void smb_decryptor_free(SmbDecryptor *d)
{
	free(d);
}

static RingEntry *ring_find(SmbKeyring *ring, uint64_t session_id)
{
	for (size_t i = 0; i < ring->count; i++)
		if (ring->entries[i].key.session_id == session_id)
			return &ring->entries[i];
	return NULL;
}

/* 3.0 and 3.0.2 have one cipher; in 3.1.1 a server that names none has none (MS-SMB2 3.2.5.2). */
static SmbCipher cipher_of(const SmbDecryptor *d)
{
	if (d->dialect == 0x0300 || d->dialect == 0x0302)
		return SMB_AES_128_CCM;
	return d->cipher;
}

static void ring_derive(SmbDecryptor *d, RingEntry *entry, const uint8_t *preauth)
{
	entry->cipher = cipher_of(d);
	if (!entry->key.is_cipher_key)
		entry->is_derived = smb_derive_keys(entry->key.key, entry->key.key_len, d->dialect,
			entry->cipher, preauth, &entry->derived);
}

static void handshake_negotiate(
	SmbDecryptor *d, const Message *message, const uint8_t *bytes, size_t len, bool is_whole)
{
	if (message->kind == MESSAGE_REQUEST) {
		/* 3.2.5.2: only the exchange that settles the dialect counts */
		memset(d->hash, 0, sizeof d->hash);
		d->is_whole = is_whole;
		d->request_seen = true;
	} else {
		d->is_whole &= is_whole && d->request_seen;
		if (message->negotiation) {
			d->dialect = message->negotiation->dialect;
			d->cipher = (SmbCipher)message->negotiation->cipher;
		}
		d->request_seen = false;
	}
	if (is_whole)
		smb_preauth_add(d->hash, bytes, len);
}

static Setup *setup_find(SmbDecryptor *d, uint64_t session_id, uint64_t request_id)
{
	for (unsigned i = 0; i < MAX_SETUPS; i++) {
		Setup *setup = &d->setups[i];
		if (!setup->is_used)
			continue;
		if (session_id != 0 ? setup->session_id == session_id
				    : setup->request_id == request_id)
			return setup;
	}
	return NULL;
}

static void handshake_setup_request(
	SmbDecryptor *d, const Message *message, const uint8_t *bytes, size_t len, bool is_whole)
{
	Setup *setup = message->session_id ? setup_find(d, message->session_id, message->request_id)
					   : NULL;

	if (!setup) {
		setup = &d->setups[d->next++ % MAX_SETUPS];
		*setup = (Setup){.is_used = true,
			.is_whole = d->is_whole,
			.session_id = message->session_id};
		memcpy(setup->hash, d->hash, sizeof setup->hash);
	}
	setup->request_id = message->request_id;
	setup->is_whole &= is_whole;
	if (is_whole)
		smb_preauth_add(setup->hash, bytes, len);
}

static void handshake_setup_reply(
	SmbDecryptor *d, const Message *message, const uint8_t *bytes, size_t len, bool is_whole)
{
	Setup *setup = setup_find(d, 0, message->request_id);
	Setup unseen = {.is_used = true}; /* its requests were not captured: fine before 3.1.1 */
	RingEntry *entry;

	if (!setup)
		setup = &unseen;
	setup->session_id = message->session_id;
	if (message->status == SMB_STATUS_MORE_PROCESSING_REQUIRED) {
		setup->is_whole &= is_whole;
		if (is_whole)
			smb_preauth_add(setup->hash, bytes, len);
		return;
	}
	setup->is_used = false;
	entry = ring_find(d->ring, message->session_id);
	/* another connection of a session has the keys of the first: 3.2.5.3.3 */
	if (message->status_class == STATUS_CLASS_OK && entry && !entry->is_derived)
		ring_derive(d, entry, setup->is_whole ? setup->hash : NULL);
}

void smb_decryptor_handshake(
	SmbDecryptor *d, const Message *message, const uint8_t *bytes, size_t len, bool is_whole)
{
	if (message->protocol != MESSAGE_SMB2 || message->count != 1 ||
		message->flags & (MESSAGE_ENCRYPTED | MESSAGE_COMPRESSED))
		return;
	if (message->kind != MESSAGE_REQUEST && message->kind != MESSAGE_REPLY)
		return;
	if (message->verb == VERB_NEGOTIATE)
		handshake_negotiate(d, message, bytes, len, is_whole);
	else if (message->verb == VERB_LOGIN && message->kind == MESSAGE_REQUEST)
		handshake_setup_request(d, message, bytes, len, is_whole);
	else if (message->verb == VERB_LOGIN)
		handshake_setup_reply(d, message, bytes, len, is_whole);
}

static bool is_plain(const uint8_t *data, size_t len)
{
	return len >= 4 && (data[0] == 0xFE || data[0] == 0xFC) && memcmp(data + 1, "SMB", 3) == 0;
}

/* The dialect is not known when the handshake was not captured: 3.0 needs nothing from it. */
static bool ring_guess(RingEntry *entry)
{
	entry->is_derived = smb_derive_keys(
		entry->key.key, entry->key.key_len, 0x0300, SMB_AES_128_CCM, NULL, &entry->derived);
	entry->cipher = SMB_AES_128_CCM;
	return entry->is_derived;
}

SmbDecryptResult smb_decryptor_open(SmbDecryptor *d, bool from_client, const uint8_t *pdu,
	size_t len, uint8_t *out, size_t *ret_len)
{
	Cursor c = cursor_over(pdu, len);
	Smb3Transform t;
	RingEntry *entry;
	SmbCipher first, last;
	bool is_guess = false;

	if (smb3_transform_parse(&c, &t) != PARSE_OK)
		return SMB_DECRYPT_FAILED;
	entry = ring_find(d->ring, t.session_id);
	if (entry && !entry->is_derived && d->dialect == 0)
		is_guess = ring_guess(entry);
	if (!entry || !entry->is_derived)
		return SMB_DECRYPT_IMPOSSIBLE;
	first = last = entry->cipher ? entry->cipher : cipher_of(d);
	if (first == SMB_CIPHER_UNKNOWN) { /* keys of known length: one of two */
		first = entry->derived.len == 16 ? SMB_AES_128_CCM : SMB_AES_256_CCM;
		last = first + 1;
	}
	for (SmbCipher cipher = first; cipher <= last; cipher++) {
		size_t n = cursor_left(&c) < t.original_size ? cursor_left(&c) : t.original_size;
		SmbDecryptResult result =
			smb_decrypt(from_client ? entry->derived.client : entry->derived.server,
				entry->derived.len, cipher, pdu, len, out);
		if (result == SMB_DECRYPT_IMPOSSIBLE)
			return result;
		if (result == SMB_DECRYPT_FAILED || !is_plain(out, n))
			continue;
		entry->cipher = cipher;
		*ret_len = n;
		return result;
	}
	if (!is_guess)
		return SMB_DECRYPT_FAILED;
	entry->is_derived = false;
	return SMB_DECRYPT_IMPOSSIBLE;
}
