/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 and SMB3 messages, from the tables of MS-SMB2 2.2.
 */
#include "tests/tools/smb_samples.h"

#include <stdint.h>
#include <string.h>

#define REPLY 1U
#define SESSION 0x5555000011112222U

static const uint8_t file_id[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void begin(SmbBuilder *b, uint16_t command, uint32_t flags, uint32_t status)
{
	Smb2Fields f = {.command = command,
		.credit_charge = 2,
		.credits = 31,
		.status = status,
		.flags = flags,
		.tree_id = 77,
		.message_id = 1000 + command,
		.async_id = 0xABCDEF,
		.session_id = SESSION};

	build_pdu(b);
	build_smb2(b, &f);
}

static void context(SmbBuilder *b, uint16_t type, const uint16_t *units, uint16_t count)
{
	build_align(b, 8);
	build_le16(b, type);
	build_le16(b, (uint16_t)(count * 2));
	build_le32(b, 0);
	for (uint16_t i = 0; i < count; i++)
		build_le16(b, units[i]);
}

static void contexts(SmbBuilder *b, bool is_reply)
{
	static const uint16_t preauth[] = {1, 4, 1, 0x1111, 0x2222};
	static const uint16_t ciphers[] = {4, 4, 3, 2, 1}, cipher[] = {1, 2};
	static const uint16_t compression[] = {4, 0, 1, 0, 1, 2, 3, 4};
	static const uint16_t signing[] = {3, 2, 1, 0}, signed_by[] = {1, 2};

	context(b, 1, preauth, 5);
	context(b, 2, is_reply ? cipher : ciphers, is_reply ? 2 : 5);
	context(b, 3, compression, 8);
	if (!is_reply) {
		build_align(b, 8);
		build_le16(b, 5);
		build_le16(b, 14);
		build_le32(b, 0);
		build_utf16(b, "fs.test");
	}
	context(b, 8, is_reply ? signed_by : signing, is_reply ? 2 : 4);
}

static void negotiate_request(SmbBuilder *b)
{
	static const uint16_t dialects[] = {0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
	size_t body;

	begin(b, 0, 0, 0);
	body = b->len;
	build_le16(b, 36);
	build_le16(b, 5);
	build_le16(b, 1);
	build_le16(b, 0);
	build_le32(b, 0x7F);
	build_bytes(b, file_id, 16);
	build_le32(b, 0);
	build_le16(b, 5);
	build_le16(b, 0);
	for (int i = 0; i < 5; i++)
		build_le16(b, dialects[i]);
	build_align(b, 8);
	build_at(b, body + 28, 4, (uint32_t)build_offset(b));
	contexts(b, false);
	build_end(b);
}

static void negotiate_reply(SmbBuilder *b)
{
	size_t body;

	begin(b, 0, REPLY, 0);
	body = b->len;
	build_le16(b, 65);
	build_le16(b, 3);
	build_le16(b, 0x0311);
	build_le16(b, 4);
	build_bytes(b, file_id, 16);
	build_le32(b, 0x4F);
	build_le32(b, 8388608);
	build_le32(b, 1048576);
	build_le32(b, 65536);
	build_zeros(b, 16);
	build_le16(b, 128);
	build_le16(b, 10);
	build_le32(b, 0);
	build_text(b, "GSSBLOB123");
	build_align(b, 8);
	build_at(b, body + 60, 4, (uint32_t)build_offset(b));
	contexts(b, true);
	build_end(b);
}

static void session_setup_request(SmbBuilder *b)
{
	begin(b, 1, 0, 0);
	build_le16(b, 25);
	build_u8(b, 1); /* binding */
	build_u8(b, 1);
	build_le32(b, 1);
	build_le32(b, 0);
	build_le16(b, 88);
	build_le16(b, 4);
	build_le64(b, 0);
	build_text(b, "NTLM");
	build_end(b);
}

static void session_setup_reply(SmbBuilder *b)
{
	begin(b, 1, REPLY, 0);
	build_le16(b, 9);
	build_le16(b, 1 | 4);
	build_le16(b, 72);
	build_le16(b, 4);
	build_text(b, "NTLM");
	build_end(b);
}

static void tree_connect_request(SmbBuilder *b)
{
	begin(b, 3, 0, 0);
	build_le16(b, 9);
	build_le16(b, 0);
	build_le16(b, 72);
	build_le16(b, 20);
	build_utf16(b, "\\\\srv\\ipc$");
	build_end(b);
}

static void tree_connect_reply(SmbBuilder *b)
{
	begin(b, 3, REPLY, 0);
	build_le16(b, 16);
	build_u8(b, 2);
	build_u8(b, 0);
	build_le32(b, 0x8000 | 1);
	build_le32(b, 0);
	build_le32(b, 0x1F01FF);
	build_end(b);
}

/* name, data of a create context; Next is patched by the caller */
static size_t create_context(SmbBuilder *b, const char *name, const void *data, uint32_t len)
{
	size_t at;

	build_align(b, 8);
	at = b->len;
	build_le32(b, 0);
	build_le16(b, 16);
	build_le16(b, 4);
	build_le16(b, 0);
	build_le16(b, 24);
	build_le32(b, len);
	build_text(b, name);
	build_le32(b, 0);
	build_bytes(b, data, len);
	return at;
}

static void create_contexts(SmbBuilder *b, size_t offset_at)
{
	static const uint8_t lease[32] = {[16] = 7};
	static const uint8_t durable[32] = {[4] = 2};
	size_t first, second, third;

	build_align(b, 8);
	build_at(b, offset_at, 4, (uint32_t)build_offset(b));
	first = create_context(b, "MxAc", NULL, 0);
	second = create_context(b, "RqLs", lease, sizeof lease);
	build_at(b, first, 4, (uint32_t)(second - first));
	third = create_context(b, "DH2Q", durable, sizeof durable);
	build_at(b, second, 4, (uint32_t)(third - second));
	build_at(b, offset_at + 4, 4, (uint32_t)(b->len - first));
}

static void create_request(SmbBuilder *b)
{
	size_t body;

	begin(b, 5, 8, 0); /* signed */
	body = b->len;
	build_le16(b, 57);
	build_u8(b, 0);
	build_u8(b, 0xFF);
	build_le32(b, 2);
	build_zeros(b, 16);
	build_le32(b, 0x00120089);
	build_le32(b, 0x80);
	build_le32(b, 7);
	build_le32(b, 1);
	build_le32(b, 0x2 | 0x8 | 0x40 | 0x1000);
	build_le16(b, 120);
	build_le16(b, 24);
	build_zeros(b, 8);
	build_utf16(b, "dir\\file.txt");
	create_contexts(b, body + 48);
	build_end(b);
}

static void create_reply(SmbBuilder *b)
{
	size_t body;

	begin(b, 5, REPLY, 0);
	body = b->len;
	build_le16(b, 89);
	build_u8(b, 0xFF);
	build_u8(b, 0);
	build_le32(b, 1);
	build_zeros(b, 32);
	build_le64(b, 4096);
	build_le64(b, 0x123456789A);
	build_le32(b, 0x10);
	build_le32(b, 0);
	build_bytes(b, file_id, 16);
	build_zeros(b, 8);
	create_contexts(b, body + 80);
	build_end(b);
}

static void close_request(SmbBuilder *b)
{
	begin(b, 6, 0, 0);
	build_le16(b, 24);
	build_le16(b, 1);
	build_le32(b, 0);
	build_bytes(b, file_id, 16);
	build_end(b);
}

static void close_reply(SmbBuilder *b)
{
	begin(b, 6, REPLY, 0);
	build_le16(b, 60);
	build_le16(b, 1);
	build_zeros(b, 4 + 32 + 8);
	build_le64(b, 555);
	build_le32(b, 0x20);
	build_end(b);
}

static void flush_request(SmbBuilder *b)
{
	begin(b, 7, 0, 0);
	build_le16(b, 24);
	build_zeros(b, 6);
	build_bytes(b, file_id, 16);
	build_end(b);
}

static void read_request(SmbBuilder *b)
{
	begin(b, 8, 0, 0);
	build_le16(b, 49);
	build_u8(b, 0x50);
	build_u8(b, 1);
	build_le32(b, 65536);
	build_le64(b, 0x1122334455);
	build_bytes(b, file_id, 16);
	build_zeros(b, 4 + 4 + 4 + 2 + 2 + 1);
	build_end(b);
}

static void read_reply(SmbBuilder *b)
{
	begin(b, 8, REPLY, 0);
	build_le16(b, 17);
	build_u8(b, 80);
	build_u8(b, 0);
	build_le32(b, 5000);
	build_le32(b, 0);
	build_le32(b, 0);
	build_zeros(b, 5000);
	build_end(b);
}

static void write_request(SmbBuilder *b)
{
	begin(b, 9, 0, 0);
	build_le16(b, 49);
	build_le16(b, 112);
	build_le32(b, 3000);
	build_le64(b, 0x9988776655);
	build_bytes(b, file_id, 16);
	build_zeros(b, 4 + 4 + 2 + 2);
	build_le32(b, 3);
	build_zeros(b, 3000);
	build_end(b);
}

static void write_reply(SmbBuilder *b)
{
	begin(b, 9, REPLY, 0);
	build_le16(b, 17);
	build_le16(b, 0);
	build_le32(b, 0x12345);
	build_zeros(b, 8);
	build_end(b);
}

static void write_pending(SmbBuilder *b)
{
	begin(b, 9, REPLY | 2, 0x103);
	build_le16(b, 9);
	build_zeros(b, 7);
	build_end(b);
}

static void read_error(SmbBuilder *b)
{
	begin(b, 8, REPLY, 0xC0000011);
	build_le16(b, 9);
	build_zeros(b, 7);
	build_end(b);
}

static void lock_request(SmbBuilder *b)
{
	begin(b, 10, 0, 0);
	build_le16(b, 48);
	build_le16(b, 1);
	build_le32(b, 0);
	build_bytes(b, file_id, 16);
	build_le64(b, 100);
	build_le64(b, 50);
	build_le32(b, 2);
	build_le32(b, 0);
	build_end(b);
}

static void ioctl_request(SmbBuilder *b, uint32_t code, const void *input, uint32_t len)
{
	begin(b, 11, 0, 0);
	build_le16(b, 57);
	build_le16(b, 0);
	build_le32(b, code);
	build_bytes(b, file_id, 16);
	build_le32(b, 120);
	build_le32(b, len);
	build_le32(b, 0);
	build_le32(b, 0);
	build_le32(b, 0);
	build_le32(b, 65536);
	build_le32(b, 1);
	build_le32(b, 0);
	build_bytes(b, input, len);
	build_end(b);
}

static void ioctl_reply(
	SmbBuilder *b, uint32_t status, uint32_t code, const void *output, uint32_t len)
{
	begin(b, 11, REPLY, status);
	build_le16(b, 49);
	build_le16(b, 0);
	build_le32(b, code);
	build_bytes(b, file_id, 16);
	build_le32(b, 112);
	build_le32(b, 0);
	build_le32(b, 112);
	build_le32(b, len);
	build_zeros(b, 8);
	build_bytes(b, output, len);
	build_end(b);
}

static void copy_request(SmbBuilder *b)
{
	static const uint8_t input[80] = {
		[24] = 2, [33] = 1, [41] = 2, [49] = 16, [65] = 4, [73] = 32};

	ioctl_request(b, 0x001440F2, input, sizeof input);
}

static void copy_reply(SmbBuilder *b)
{
	static const uint8_t output[12] = {[0] = 2, [9] = 48};

	ioctl_reply(b, 0, 0x001440F2, output, sizeof output);
}

static void copy_refused(SmbBuilder *b)
{
	static const uint8_t output[12] = {[0] = 16, [6] = 16, [11] = 1};

	ioctl_reply(b, 0xC000000D, 0x001440F2, output, sizeof output);
}

static void interfaces_reply(SmbBuilder *b)
{
	static uint8_t output[3 * 152];

	memset(output, 0, sizeof output);
	output[0] = output[152] = 152;
	output[4] = output[152 + 4] = 1;
	output[8] = output[152 + 8] = 1;
	output[304 + 4] = 2;
	output[304 + 8] = 2;
	ioctl_reply(b, 0, 0x001401FC, output, sizeof output);
}

static void referral_request(SmbBuilder *b)
{
	static const uint8_t input[] = {4, 0, '\\', 0, 'd', 0, 'f', 0, 's', 0, 0, 0};

	ioctl_request(b, 0x00060194, input, sizeof input);
}

static void referral_reply(SmbBuilder *b)
{
	static const uint8_t output[] = {8, 0, 3, 0, 0, 0, 0, 0};

	ioctl_reply(b, 0, 0x00060194, output, sizeof output);
}

static void pipe_wait_request(SmbBuilder *b)
{
	ioctl_request(b, 0x00110018, file_id, 14);
}

static void ioctl_error(SmbBuilder *b)
{
	begin(b, 11, REPLY, 0xC00000BB);
	build_le16(b, 9);
	build_zeros(b, 7);
	build_end(b);
}

static void cancel_request(SmbBuilder *b)
{
	begin(b, 12, 2, 0);
	build_le16(b, 4);
	build_le16(b, 0);
	build_end(b);
}

static void echo_request(SmbBuilder *b)
{
	begin(b, 13, 0, 0);
	build_le16(b, 4);
	build_le16(b, 0);
	build_end(b);
}

static void directory_request(SmbBuilder *b)
{
	begin(b, 14, 0, 0);
	build_le16(b, 33);
	build_u8(b, 37);
	build_u8(b, 0);
	build_le32(b, 0);
	build_bytes(b, file_id, 16);
	build_le16(b, 96);
	build_le16(b, 10);
	build_le32(b, 65536);
	build_utf16(b, "*.txt");
	build_end(b);
}

static void directory_reply(SmbBuilder *b)
{
	begin(b, 14, REPLY, 0);
	build_le16(b, 9);
	build_le16(b, 72);
	build_le32(b, 3 * 112);
	for (int i = 0; i < 3; i++) {
		build_le32(b, i < 2 ? 112 : 0);
		build_zeros(b, 108);
	}
	build_end(b);
}

static void notify_request(SmbBuilder *b)
{
	begin(b, 15, 0, 0);
	build_le16(b, 32);
	build_le16(b, 1);
	build_le32(b, 4096);
	build_bytes(b, file_id, 16);
	build_le32(b, 0x17);
	build_le32(b, 0);
	build_end(b);
}

static void query_info_request(SmbBuilder *b)
{
	begin(b, 16, 0, 0);
	build_le16(b, 41);
	build_u8(b, 1);
	build_u8(b, 18);
	build_le32(b, 8192);
	build_zeros(b, 16);
	build_bytes(b, file_id, 16);
	build_end(b);
}

static void query_info_reply(SmbBuilder *b)
{
	begin(b, 16, REPLY, 0);
	build_le16(b, 9);
	build_le16(b, 72);
	build_le32(b, 24);
	build_zeros(b, 24);
	build_end(b);
}

static void set_info(SmbBuilder *b, uint8_t class, uint32_t len)
{
	begin(b, 17, 0, 0);
	build_le16(b, 33);
	build_u8(b, 1);
	build_u8(b, class);
	build_le32(b, len);
	build_le16(b, 96);
	build_le16(b, 0xEEEE);
	build_le32(b, 0xEEEEEEEE);
	build_bytes(b, file_id, 16);
}

static void rename_request(SmbBuilder *b)
{
	set_info(b, 10, 20 + 14);
	build_zeros(b, 16);
	build_le32(b, 14);
	build_utf16(b, "new.txt");
	build_end(b);
}

static void end_of_file_request(SmbBuilder *b)
{
	set_info(b, 20, 8);
	build_le64(b, 0x100000001);
	build_end(b);
}

static void break_frame(SmbBuilder *b, uint64_t message_id, uint32_t flags)
{
	Smb2Fields f = {.command = 18, .message_id = message_id, .flags = flags};

	build_pdu(b);
	build_smb2(b, &f);
}

static void oplock_break(SmbBuilder *b)
{
	break_frame(b, UINT64_MAX, REPLY);
	build_le16(b, 24);
	build_u8(b, 1);
	build_zeros(b, 5);
	build_bytes(b, file_id, 16);
	build_end(b);
}

static void lease_break(SmbBuilder *b)
{
	break_frame(b, UINT64_MAX, REPLY);
	build_le16(b, 44);
	build_le16(b, 1);
	build_le32(b, 1);
	build_bytes(b, file_id, 16);
	build_le32(b, 7);
	build_le32(b, 3);
	build_zeros(b, 12);
	build_end(b);
}

static void break_answer(SmbBuilder *b)
{
	break_frame(b, 99, 0);
	build_le16(b, 36);
	build_le16(b, 0);
	build_le32(b, 0);
	build_bytes(b, file_id, 16);
	build_le32(b, 3);
	build_le64(b, 0);
	build_end(b);
}

/* CREATE, QUERY_INFO and CLOSE, related */
static void compound_request(SmbBuilder *b)
{
	static const uint8_t ones[16] = {[0 ... 15] = 0xFF};
	Smb2Fields query = {.command = 16, .flags = 4, .message_id = 2, .session_id = SESSION};
	Smb2Fields close = {.command = 6, .flags = 4, .message_id = 3, .session_id = SESSION};

	create_request(b);
	build_smb2(b, &query);
	build_le16(b, 41);
	build_u8(b, 1);
	build_u8(b, 18);
	build_le32(b, 8192);
	build_zeros(b, 16);
	build_bytes(b, ones, 16);
	build_smb2(b, &close);
	build_le16(b, 24);
	build_zeros(b, 6);
	build_bytes(b, ones, 16);
	build_end(b);
}

/* READ of 5000 bytes, then CLOSE: larger than what is staged */
static void compound_large(SmbBuilder *b)
{
	Smb2Fields close = {
		.command = 6, .flags = REPLY | 4, .message_id = 2001, .session_id = SESSION};

	read_reply(b);
	build_smb2(b, &close);
	build_le16(b, 60);
	build_zeros(b, 58);
	build_end(b);
}

static void encrypted(SmbBuilder *b)
{
	build_pdu(b);
	build_bytes(b, "\xFDSMB", 4);
	build_zeros(b, 32);
	build_le32(b, 104);
	build_le16(b, 0);
	build_le16(b, 1);
	build_le64(b, SESSION);
	build_zeros(b, 104);
	build_end(b);
}

static void compressed(SmbBuilder *b)
{
	build_pdu(b);
	build_bytes(b, "\xFCSMB", 4);
	build_le32(b, 4096);
	build_le16(b, 2);
	build_le16(b, 0);
	build_le32(b, 0);
	build_zeros(b, 300);
	build_end(b);
}

const SmbSample smb2_samples[] = {
	{"negotiate-request", true, negotiate_request},
	{"negotiate-reply", false, negotiate_reply},
	{"session-setup-request", true, session_setup_request},
	{"session-setup-reply", false, session_setup_reply},
	{"tree-connect-request", true, tree_connect_request},
	{"tree-connect-reply", false, tree_connect_reply},
	{"create-request", true, create_request},
	{"create-reply", false, create_reply},
	{"close-request", true, close_request},
	{"close-reply", false, close_reply},
	{"flush-request", true, flush_request},
	{"read-request", true, read_request},
	{"read-reply", false, read_reply},
	{"read-error", false, read_error},
	{"write-request", true, write_request},
	{"write-reply", false, write_reply},
	{"write-pending", false, write_pending},
	{"lock-request", true, lock_request},
	{"copy-request", true, copy_request},
	{"copy-reply", false, copy_reply},
	{"copy-refused", false, copy_refused},
	{"interfaces-reply", false, interfaces_reply},
	{"referral-request", true, referral_request},
	{"referral-reply", false, referral_reply},
	{"pipe-wait-request", true, pipe_wait_request},
	{"ioctl-error", false, ioctl_error},
	{"cancel-request", true, cancel_request},
	{"echo-request", true, echo_request},
	{"directory-request", true, directory_request},
	{"directory-reply", false, directory_reply},
	{"notify-request", true, notify_request},
	{"query-info-request", true, query_info_request},
	{"query-info-reply", false, query_info_reply},
	{"rename-request", true, rename_request},
	{"end-of-file-request", true, end_of_file_request},
	{"oplock-break", false, oplock_break},
	{"lease-break", false, lease_break},
	{"break-answer", true, break_answer},
	{"compound-request", true, compound_request},
	{"compound-large", false, compound_large},
	{"encrypted", true, encrypted},
	{"compressed", false, compressed},
	{NULL, false, NULL},
};

const SmbSample *smb_sample_find(const SmbSample *samples, const char *name)
{
	for (; samples->name; samples++)
		if (strcmp(samples->name, name) == 0)
			return samples;
	return NULL;
}
