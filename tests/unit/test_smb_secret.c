/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session whose messages are encrypted, with and without the key.
 */
#include "analyzer/session/smb_secret.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/smb_decrypt.h"
#include "tests/tools/smb_samples.h"

#define SESSION 0x5555000011112222U
/* longer than what is staged, so that the end of a message, which nobody looks at, may be missing
 * from what this test can encrypt */
#define SEALED_LEN 6000

static SmbBuilder plain, sealed;
static SmbKey key = {.session_id = SESSION, .key_len = 16, .is_cipher_key = true};

/* the sample as its side would send it encrypted: counter mode works both ways */
static void seal(const SmbSample *sample)
{
	uint8_t zeros[4 + 52 + 2000] = {0}, stream[sizeof zeros];
	const uint8_t *cipher_key = sample->from_client ? key.key : key.server_key;

	memset(&plain, 0, sizeof plain);
	sample->build(&plain);
	plain.bytes[4 + 20] = 0;
	memset(&sealed, 0, sizeof sealed);
	build_pdu(&sealed);
	build_text(&sealed, "\xFDSMB");
	build_zeros(&sealed, 16);
	build_text(&sealed, "abcdefghijklmnop");
	build_le32(&sealed, SEALED_LEN);
	build_le32(&sealed, 0x10000);
	build_le64(&sealed, SESSION);
	memcpy(zeros, sealed.bytes, sealed.len);
	cr_assert_eq(
		smb_decrypt(cipher_key, 16, SMB_AES_128_GCM, zeros + 4, sizeof zeros - 4, stream),
		SMB_DECRYPT_UNVERIFIED);
	for (size_t i = 0; i < sizeof zeros - 4 - 52; i++)
		build_u8(&sealed, stream[i] ^ plain.bytes[4 + i]);
	build_zeros(&sealed, SEALED_LEN - (sizeof zeros - 4 - 52));
	build_end(&sealed);
}

typedef struct Seen {
	uint32_t replies, opens, closes, reads;
	uint64_t moved;
	char name[64];
} Seen;

static void on_reply(void *user, const Operation *op)
{
	Seen *seen = user;

	seen->replies += op->answered;
	seen->opens += op->verb == VERB_OPEN;
	seen->closes += op->verb == VERB_CLOSE;
	seen->reads += op->verb == VERB_READ;
	seen->moved += op->verb == VERB_READ ? op->moved_bytes : 0;
	if (op->file && op->file->name[0])
		strncpy(seen->name, op->file->name, sizeof seen->name - 1);
}

static const SessionOps ops = {.reply = on_reply};

static void converse(SmbKeyring *ring, Seen *ret)
{
	static const char *const names[] = {"create-request", "create-reply", "read-request",
		"read-reply", "close-request", "close-reply"};
	SessionLimits limits = {.keys = ring};
	Session *session = session_new(&ops, ret, &limits, 445, 50000);
	int64_t at[2] = {0, 0};

	for (int i = 0; i < 6; i++) {
		const SmbSample *sample = smb_sample_find(smb2_samples, names[i]);
		Side side = sample->from_client ? SIDE_CLIENT : SIDE_SERVER;
		seal(sample);
		for (size_t from = 0; from < sealed.len; from += 1448) {
			size_t n = sealed.len - from < 1448 ? sealed.len - from : 1448;
			SessionChunk chunk = {.offset = at[side],
				.len = (uint32_t)n,
				.caplen = (uint32_t)n,
				.data = sealed.bytes + from,
				.ts_ns = 1000 + i,
				.frame = (uint64_t)i + 1,
				.psh = true};
			session_push(session, side, &chunk);
			at[side] += (int64_t)n;
		}
	}
	{
		SessionStats stats;
		cr_expect(session_stats(session, &stats));
		cr_expect(stats.is_encrypted);
		cr_expect_eq(stats.session_id, SESSION);
	}
	session_end(session, 2000);
	session_free(session);
}

Test(smb_secret, the_key_shows_what_is_inside)
{
	SmbKeyring *ring;
	Seen with = {0}, without = {0};

	if (!smb_decrypt_is_built())
		cr_skip("built without OpenSSL");
	memcpy(key.key, "client key 16 by", 16);
	memcpy(key.server_key, "server key 16 by", 16);
	ring = smb_keyring_new(&key, 1);
	converse(ring, &with);
	cr_expect_eq(with.opens, 1);
	cr_expect_eq(with.closes, 1);
	cr_expect_eq(with.reads, 1);
	cr_expect_eq(with.moved, 5000);
	cr_expect_eq(with.replies, 3);
	cr_expect_str_eq(with.name, "dir\\file.txt");

	converse(NULL, &without);
	cr_expect_eq(without.opens, 0);
	cr_expect_str_eq(without.name, "");
	smb_keyring_free(ring);

	/* the key of another session does not fit, and changes nothing */
	key.session_id++;
	ring = smb_keyring_new(&key, 1);
	memset(&with, 0, sizeof with);
	converse(ring, &with);
	cr_expect_eq(memcmp(&with, &without, sizeof with), 0);
	smb_keyring_free(ring);
	/* nor does a wrong one */
	key.session_id--;
	key.server_key[0] ^= 1;
	key.key[0] ^= 1;
	ring = smb_keyring_new(&key, 1);
	key.server_key[0] ^= 1;
	key.key[0] ^= 1;
	memset(&with, 0, sizeof with);
	converse(ring, &with);
	cr_expect_eq(memcmp(&with, &without, sizeof with), 0);
	smb_keyring_free(ring);
}
