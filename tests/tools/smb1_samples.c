/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 messages, from the tables of MS-CIFS 2.2.4 and MS-SMB 2.2.4.
 */
#include "tests/tools/smb_samples.h"

#include <stdint.h>

#define REPLY 0x80
#define UNICODE_NT 0xC000U
#define FID 0x4007
#define NO_ANDX 0xFF

static void begin_status(
	SmbBuilder *b, uint8_t command, uint8_t flags, uint16_t flags2, uint32_t status)
{
	Smb1Fields f = {.command = command,
		.flags = flags,
		.flags2 = flags2,
		.tid = 5,
		.pid = 0x1234,
		.uid = 100,
		.mid = 0x4321,
		.status = status};

	build_pdu(b);
	build_smb1(b, &f);
	build_words(b);
}

static void begin(SmbBuilder *b, uint8_t command, uint8_t flags)
{
	begin_status(b, command, flags, UNICODE_NT, 0);
}

/* no bytes follow the words */
static void finish(SmbBuilder *b)
{
	build_byte_count(b);
	build_end(b);
}

static void finish_bytes(SmbBuilder *b)
{
	build_bytes_end(b);
	build_end(b);
}

/* words of commands that answer with nothing but success */
static void empty_reply(SmbBuilder *b, uint8_t command)
{
	begin(b, command, REPLY);
	finish(b);
}

static void negotiate_request(SmbBuilder *b)
{
	static const char *const dialects[] = {"PC NETWORK PROGRAM 1.0", "LANMAN1.0",
		"Windows for Workgroups 3.1a", "LM1.2X002", "LANMAN2.1", "NT LM 0.12", "SMB 2.002",
		"SMB 2.???", "something else"};

	begin(b, 0x72, 0);
	build_byte_count(b);
	for (int i = 0; i < 9; i++) {
		build_u8(b, 2);
		build_text(b, dialects[i]);
		build_u8(b, 0);
	}
	finish_bytes(b);
}

static void negotiate_reply(SmbBuilder *b)
{
	begin(b, 0x72, REPLY);
	build_le16(b, 5);
	build_u8(b, 0x0F);
	build_le16(b, 50);
	build_le16(b, 1);
	build_le32(b, 16644);
	build_le32(b, 65536);
	build_le32(b, 0);
	build_le32(b, 0x8000F3FD);
	build_le64(b, 0);
	build_le16(b, 0);
	build_u8(b, 0);
	build_byte_count(b);
	build_zeros(b, 16);
	finish_bytes(b);
}

static void negotiate_lanman_reply(SmbBuilder *b)
{
	begin_status(b, 0x72, REPLY, 0, 0);
	build_le16(b, 4);
	build_le16(b, 3);
	build_le16(b, 4356);
	build_le16(b, 10);
	build_le16(b, 1);
	build_le16(b, 3);
	build_zeros(b, 4 + 2 + 2 + 2 + 2 + 2);
	finish(b);
}

static void negotiate_core_reply(SmbBuilder *b)
{
	begin_status(b, 0x72, REPLY, 0, 0);
	build_le16(b, 0xFFFF);
	finish(b);
}

/* SESSION_SETUP_ANDX with TREE_CONNECT_ANDX chained to it */
static void setup_chain_request(SmbBuilder *b)
{
	size_t first;

	begin(b, 0x73, 0);
	first = b->words;
	build_andx(b, 0x75);
	build_le16(b, 61440);
	build_le16(b, 10);
	build_le16(b, 1);
	build_le32(b, 0);
	build_le16(b, 1);
	build_le16(b, 0);
	build_le32(b, 0);
	build_le32(b, 0x0000C054);
	build_byte_count(b);
	build_zeros(b, 2);
	build_utf16(b, "user");
	build_zeros(b, 2 + 2 + 2);
	build_bytes_end(b);
	build_align(b, 2);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, NO_ANDX);
	build_le16(b, 8);
	build_le16(b, 1);
	build_byte_count(b);
	build_u8(b, 0);
	build_align(b, 2);
	build_utf16(b, "\\\\srv\\IPC$");
	build_zeros(b, 2);
	build_text(b, "IPC");
	build_u8(b, 0);
	finish_bytes(b);
}

static void setup_chain_reply(SmbBuilder *b)
{
	size_t first;

	begin(b, 0x73, REPLY);
	first = b->words;
	build_andx(b, 0x75);
	build_le16(b, 1);
	build_byte_count(b);
	build_zeros(b, 1);
	build_bytes_end(b);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, NO_ANDX);
	build_le16(b, 2);
	build_le32(b, 0x1F01FF);
	build_le32(b, 0);
	build_byte_count(b);
	build_text(b, "IPC");
	build_u8(b, 0);
	finish_bytes(b);
}

static void setup_extended_request(SmbBuilder *b)
{
	begin(b, 0x73, 0);
	build_andx(b, NO_ANDX);
	build_le16(b, 16644);
	build_le16(b, 50);
	build_le16(b, 1);
	build_le32(b, 0);
	build_le16(b, 4);
	build_le32(b, 0);
	build_le32(b, 0x80004000);
	build_byte_count(b);
	build_text(b, "BLOB");
	finish_bytes(b);
}

static void tree_connect_request(SmbBuilder *b)
{
	begin_status(b, 0x70, 0, 0, 0);
	build_byte_count(b);
	build_text(b, "\x04\\\\SRV\\DATA");
	build_u8(b, 0);
	build_text(b, "\x04");
	build_u8(b, 0);
	build_text(b, "\x04?????");
	build_u8(b, 0);
	finish_bytes(b);
}

static void tree_connect_reply(SmbBuilder *b)
{
	begin_status(b, 0x70, REPLY, 0, 0);
	build_le16(b, 4356);
	build_le16(b, 9);
	finish(b);
}

static void nt_create_words(SmbBuilder *b, uint16_t name_len)
{
	build_u8(b, 0);
	build_le16(b, name_len);
	build_le32(b, 0x16);
	build_le32(b, 0);
	build_le32(b, 0x20089);
	build_le64(b, 0);
	build_le32(b, 0);
	build_le32(b, 7);
	build_le32(b, 1);
	build_le32(b, 0x4A);
	build_le32(b, 2);
	build_u8(b, 3);
}

static void nt_create_request(SmbBuilder *b)
{
	begin(b, 0xA2, 0);
	build_andx(b, NO_ANDX);
	nt_create_words(b, 20);
	build_byte_count(b);
	build_align(b, 2);
	build_utf16(b, "\\dir\\a.bin");
	build_zeros(b, 2);
	finish_bytes(b);
}

static void nt_create_oem_request(SmbBuilder *b)
{
	begin_status(b, 0xA2, 0, 0x4000, 0);
	build_andx(b, NO_ANDX);
	nt_create_words(b, 6);
	build_byte_count(b);
	build_text(b, "\\a\x84.b");
	build_zeros(b, 1);
	finish_bytes(b);
}

static void nt_create_reply_words(SmbBuilder *b)
{
	build_le32(b, 1);
	build_zeros(b, 32);
	build_le32(b, 0x20);
	build_le64(b, 1 << 20);
	build_le64(b, 0x1000000005);
	build_le16(b, 0);
	build_le16(b, 7);
	build_u8(b, 0);
}

static void nt_create_reply(SmbBuilder *b)
{
	begin(b, 0xA2, REPLY);
	build_andx(b, NO_ANDX);
	build_u8(b, 2);
	build_le16(b, FID);
	nt_create_reply_words(b);
	finish(b);
}

static void open_andx_request(SmbBuilder *b)
{
	size_t first;

	begin(b, 0x2D, 0);
	first = b->words;
	build_andx(b, 0x2E);
	build_le16(b, 0x6);
	build_le16(b, 0x4042);
	build_zeros(b, 2 + 2 + 4);
	build_le16(b, 0x11);
	build_zeros(b, 4 + 4 + 4);
	build_byte_count(b);
	build_align(b, 2);
	build_utf16(b, "\\o.txt");
	build_zeros(b, 2);
	build_bytes_end(b);
	build_andx_target(b, first);
	build_words(b);
	build_andx(b, NO_ANDX);
	build_le16(b, 0xFFFF);
	build_le32(b, 0);
	build_le16(b, 512);
	build_le16(b, 0);
	build_le32(b, 0xFFFFFFFF);
	build_le16(b, 0);
	finish(b);
}

static void open_andx_reply(SmbBuilder *b)
{
	begin(b, 0x2D, REPLY);
	build_andx(b, NO_ANDX);
	build_le16(b, FID);
	build_le16(b, 0x10);
	build_le32(b, 0);
	build_le32(b, 7777);
	build_le16(b, 2);
	build_le16(b, 0);
	build_le16(b, 0);
	build_le16(b, 0x8001);
	build_zeros(b, 6);
	finish(b);
}

static void open_request(SmbBuilder *b)
{
	begin_status(b, 0x02, 0x20, 0, 0);
	build_le16(b, 0x42);
	build_le16(b, 6);
	build_byte_count(b);
	build_text(b, "\x04\\OLD.TXT");
	build_u8(b, 0);
	finish_bytes(b);
}

static void open_reply(SmbBuilder *b)
{
	begin_status(b, 0x02, REPLY | 0x60, 0, 0);
	build_le16(b, FID);
	build_le16(b, 0x20);
	build_le32(b, 0);
	build_le32(b, 4321);
	build_le16(b, 2);
	finish(b);
}

static void create_reply(SmbBuilder *b)
{
	begin_status(b, 0x03, REPLY, 0, 0);
	build_le16(b, FID);
	finish(b);
}

static void close_request(SmbBuilder *b)
{
	begin(b, 0x04, 0);
	build_le16(b, FID);
	build_le32(b, 0);
	finish(b);
}

static void close_reply(SmbBuilder *b)
{
	empty_reply(b, 0x04);
}

static void close_dos_error(SmbBuilder *b)
{
	begin_status(b, 0x04, REPLY, 0, 0x00060001);
	finish(b);
}

static void delete_request(SmbBuilder *b)
{
	begin(b, 0x06, 0);
	build_le16(b, 0x16);
	build_byte_count(b);
	build_u8(b, 4);
	build_utf16(b, "\\gone");
	build_zeros(b, 2);
	finish_bytes(b);
}

static void query_information_reply(SmbBuilder *b)
{
	begin(b, 0x08, REPLY);
	build_le16(b, 0x10);
	build_le32(b, 0);
	build_le32(b, 888);
	build_zeros(b, 10);
	finish(b);
}

static void query_information2_reply(SmbBuilder *b)
{
	begin(b, 0x23, REPLY);
	build_zeros(b, 12);
	build_le32(b, 999);
	build_le32(b, 1024);
	build_le16(b, 0);
	finish(b);
}

static void locking(
	SmbBuilder *b, uint8_t flags, uint8_t type, uint8_t level, uint32_t timeout, uint16_t locks)
{
	begin(b, 0x24, flags);
	build_andx(b, NO_ANDX);
	build_le16(b, FID);
	build_u8(b, type);
	build_u8(b, level);
	build_le32(b, timeout);
	build_le16(b, 0);
	build_le16(b, locks);
	build_byte_count(b);
	if (locks > 0 && (type & 0x10)) {
		build_le32(b, 0);
		build_le32(b, 1);
		build_le32(b, 2);
		build_le32(b, 0);
		build_le32(b, 3);
	} else if (locks > 0) {
		build_le16(b, 0);
		build_le32(b, 10);
		build_le32(b, 20);
	}
	finish_bytes(b);
}

static void lock_request(SmbBuilder *b)
{
	locking(b, 0, 0x10, 0, 0, 1);
}

static void lock_waiting_request(SmbBuilder *b)
{
	locking(b, 0, 0, 0, 0xFFFFFFFF, 1);
}

static void oplock_break(SmbBuilder *b)
{
	locking(b, 0, 2, 1, 0, 0);
}

static void echo_request(SmbBuilder *b)
{
	begin(b, 0x2B, 0);
	build_le16(b, 2);
	build_byte_count(b);
	build_u8(b, 'x');
	finish_bytes(b);
}

static void echo_second_reply(SmbBuilder *b)
{
	begin(b, 0x2B, REPLY);
	build_le16(b, 2);
	build_byte_count(b);
	build_u8(b, 'x');
	finish_bytes(b);
}

static void search_request(SmbBuilder *b)
{
	begin_status(b, 0x81, 0, 0, 0);
	build_le16(b, 10);
	build_le16(b, 0x16);
	build_byte_count(b);
	build_text(b, "\x04\\*.*");
	build_u8(b, 0);
	build_u8(b, 5);
	build_le16(b, 0);
	finish_bytes(b);
}

static void search_reply(SmbBuilder *b)
{
	begin_status(b, 0x81, REPLY, 0, 0);
	build_le16(b, 2);
	build_byte_count(b);
	build_u8(b, 5);
	build_le16(b, 86);
	build_zeros(b, 86);
	finish_bytes(b);
}

static void read_andx_request(SmbBuilder *b)
{
	begin(b, 0x2E, 0);
	build_andx(b, NO_ANDX);
	build_le16(b, FID);
	build_le32(b, 0x55667788);
	build_le16(b, 0xF000);
	build_le16(b, 0);
	build_le32(b, 1);
	build_le16(b, 0);
	build_le32(b, 0x11);
	finish(b);
}

static void read_andx_reply(SmbBuilder *b)
{
	begin(b, 0x2E, REPLY);
	build_andx(b, NO_ANDX);
	build_le16(b, 0);
	build_zeros(b, 4);
	build_le16(b, 0x1000);
	build_le16(b, 60);
	build_le16(b, 1);
	build_zeros(b, 8);
	build_byte_count(b);
	build_u8(b, 0);
	build_zeros(b, 0x11000);
	build_bytes_end(b);
	build_end(b);
}

static void write_andx_words(SmbBuilder *b, uint16_t high, uint16_t low, uint16_t offset)
{
	build_le16(b, FID);
	build_le32(b, 0x2000);
	build_le32(b, 0xFFFFFFFF);
	build_le16(b, 1);
	build_le16(b, 0);
	build_le16(b, high);
	build_le16(b, low);
	build_le16(b, offset);
	build_le32(b, 2);
}

static void write_andx_request(SmbBuilder *b)
{
	begin(b, 0x2F, 0);
	build_andx(b, NO_ANDX);
	write_andx_words(b, 1, 8, 64);
	build_byte_count(b);
	build_u8(b, 0);
	build_zeros(b, 0x10008);
	build_bytes_end(b);
	build_end(b);
}

static void write_andx_reply(SmbBuilder *b)
{
	begin(b, 0x2F, REPLY);
	build_andx(b, NO_ANDX);
	build_le16(b, 8);
	build_le16(b, 0xFFFF);
	build_le16(b, 1);
	build_le16(b, 0);
	finish(b);
}

static void read_request(SmbBuilder *b)
{
	begin(b, 0x0A, 0);
	build_le16(b, FID);
	build_le16(b, 4000);
	build_le32(b, 12);
	build_le16(b, 0);
	finish(b);
}

static void read_reply(SmbBuilder *b)
{
	begin(b, 0x0A, REPLY);
	build_le16(b, 6);
	build_zeros(b, 8);
	build_byte_count(b);
	build_u8(b, 1);
	build_le16(b, 6);
	build_text(b, "abcdef");
	finish_bytes(b);
}

static void write_request(SmbBuilder *b)
{
	begin(b, 0x0B, 0);
	build_le16(b, FID);
	build_le16(b, 6);
	build_le32(b, 13);
	build_le16(b, 0);
	build_byte_count(b);
	build_u8(b, 1);
	build_le16(b, 6);
	build_text(b, "abcdef");
	finish_bytes(b);
}

static void write_close_request(SmbBuilder *b)
{
	begin(b, 0x2C, 0);
	build_le16(b, FID);
	build_le16(b, 6);
	build_le32(b, 14);
	build_le32(b, 0);
	build_byte_count(b);
	build_u8(b, 0);
	build_text(b, "abcdef");
	finish_bytes(b);
}

static void read_raw_request(SmbBuilder *b)
{
	begin(b, 0x1A, 0);
	build_le16(b, FID);
	build_le32(b, 0x100);
	build_le16(b, 0xFFFF);
	build_le16(b, 0);
	build_le32(b, 0);
	build_le16(b, 0);
	build_le32(b, 3);
	finish(b);
}

static void write_raw(SmbBuilder *b, uint16_t mode)
{
	begin(b, 0x1D, 0);
	build_le16(b, FID);
	build_le16(b, 40000);
	build_le16(b, 0);
	build_le32(b, 0x300);
	build_le32(b, 0);
	build_le16(b, mode);
	build_le32(b, 0);
	build_le16(b, 4);
	build_le16(b, 64);
	build_le32(b, 0);
	build_byte_count(b);
	build_zeros(b, 1 + 4);
	finish_bytes(b);
}

static void write_raw_request(SmbBuilder *b)
{
	write_raw(b, 1);
}

static void write_raw_behind_request(SmbBuilder *b)
{
	write_raw(b, 0);
}

static void write_raw_reply(SmbBuilder *b)
{
	begin(b, 0x1D, REPLY);
	build_le16(b, 0xFFFF);
	finish(b);
}

static void write_complete_reply(SmbBuilder *b)
{
	begin(b, 0x20, REPLY);
	build_le16(b, 40000);
	finish(b);
}

static void read_mpx_reply(SmbBuilder *b)
{
	begin(b, 0x1B, REPLY);
	build_le32(b, 512);
	build_le16(b, 4);
	build_zeros(b, 2 + 2 + 2);
	build_le16(b, 4);
	build_le16(b, 51);
	build_byte_count(b);
	build_text(b, "abcd");
	finish_bytes(b);
}

static void write_mpx_request(SmbBuilder *b)
{
	begin(b, 0x1E, 0);
	build_le16(b, FID);
	build_le16(b, 4);
	build_le16(b, 0);
	build_le32(b, 512);
	build_le32(b, 0);
	build_le16(b, 1);
	build_le32(b, 1);
	build_le16(b, 4);
	build_le16(b, 59);
	build_byte_count(b);
	build_text(b, "abcd");
	finish_bytes(b);
}

/* TRANSACTION or TRANSACTION2: words, setup, then parameters given by the caller */
static void trans_request(SmbBuilder *b, uint8_t command, const uint16_t *setup,
	uint8_t setup_count, uint16_t params, uint16_t total_data, uint16_t data)
{
	size_t words;

	begin(b, command, 0);
	words = b->words;
	build_le16(b, params);
	build_le16(b, total_data);
	build_le16(b, 10);
	build_le16(b, 16384);
	build_zeros(b, 1 + 1 + 2 + 4 + 2);
	build_le16(b, params);
	build_le16(b, 0);
	build_le16(b, data);
	build_le16(b, 0);
	build_u8(b, setup_count);
	build_u8(b, 0);
	for (uint8_t i = 0; i < setup_count; i++)
		build_le16(b, setup[i]);
	build_byte_count(b);
	if (command == 0x25) {
		build_align(b, 2);
		build_utf16(b, "\\PIPE\\");
		build_zeros(b, 2);
	}
	build_align(b, 4);
	build_at(b, words + 1 + 20, 2, (uint32_t)build_offset(b));
	build_at(b, words + 1 + 24, 2, (uint32_t)(build_offset(b) + params));
}

static void transaction_request(SmbBuilder *b)
{
	static const uint16_t setup[] = {0x26, FID};

	trans_request(b, 0x25, setup, 2, 0, 30, 30);
	build_zeros(b, 30);
	finish_bytes(b);
}

static void transaction2(SmbBuilder *b, uint16_t subcommand, const void *params, uint16_t len)
{
	trans_request(b, 0x32, &subcommand, 1, len, 8, 8);
	build_bytes(b, params, len);
	build_le64(b, 0x200000009);
	finish_bytes(b);
}

static void find_first_request(SmbBuilder *b)
{
	static const uint8_t params[] = {
		0x16, 0, 0, 1, 6, 0, 4, 1, 0, 0, 0, 0, '\\', 0, '*', 0, 0, 0};

	transaction2(b, 1, params, sizeof params);
}

static void find_next_request(SmbBuilder *b)
{
	static const uint8_t params[] = {1, 0, 0, 1, 4, 1, 0, 0, 0, 0, 8, 0, 'a', 0, 'b', 0, 0, 0};

	transaction2(b, 2, params, sizeof params);
}

static void query_path_request(SmbBuilder *b)
{
	static const uint8_t params[] = {0xEC, 3, 0, 0, 0, 0, '\\', 0, 'q', 0, 0, 0};

	transaction2(b, 5, params, sizeof params);
}

static void query_file_request(SmbBuilder *b)
{
	static const uint8_t params[] = {7, 0x40, 0xED, 3};

	transaction2(b, 7, params, sizeof params);
}

static void set_file_request(SmbBuilder *b)
{
	static const uint8_t params[] = {7, 0x40, 4, 1, 0, 0};

	transaction2(b, 8, params, sizeof params);
}

static void open2_request(SmbBuilder *b)
{
	static const uint8_t params[32] = {[2] = 2, [28] = 'z', [30] = 0};

	transaction2(b, 0, params, sizeof params);
}

static void dfs_request(SmbBuilder *b)
{
	static const uint8_t params[] = {3, 0, '\\', 0, 'd', 0, 0, 0};

	transaction2(b, 0x10, params, sizeof params);
}

static void multipart_request(SmbBuilder *b)
{
	static const uint16_t setup = 8;
	static const uint8_t params[] = {7, 0x40, 0xED, 3, 0, 0};

	trans_request(b, 0x32, &setup, 1, sizeof params, 3000, 100);
	build_bytes(b, params, sizeof params);
	build_zeros(b, 100);
	finish_bytes(b);
}

static void secondary_request(SmbBuilder *b)
{
	begin(b, 0x33, 0);
	build_zeros(b, 18);
	build_byte_count(b);
	build_zeros(b, 40);
	finish_bytes(b);
}

static void interim_reply(SmbBuilder *b)
{
	empty_reply(b, 0x32);
}

static void trans2_reply(SmbBuilder *b, uint16_t total_data, uint16_t before)
{
	begin(b, 0x32, REPLY);
	build_le16(b, 10);
	build_le16(b, total_data);
	build_le16(b, 0);
	build_le16(b, before ? 0 : 10);
	build_le16(b, 56);
	build_le16(b, before ? 10 : 0);
	build_le16(b, 64);
	build_le16(b, 68);
	build_le16(b, before);
	build_le16(b, 0);
	build_byte_count(b);
	build_u8(b, 0);
	build_le16(b, 1);
	build_le16(b, 3);
	build_zeros(b, 6 + 2 + 64);
	finish_bytes(b);
}

static void find_first_reply(SmbBuilder *b)
{
	trans2_reply(b, 64, 0);
}

static void find_first_part_reply(SmbBuilder *b)
{
	trans2_reply(b, 128, 0);
}

static void find_last_part_reply(SmbBuilder *b)
{
	trans2_reply(b, 128, 64);
}

static void nt_transact(
	SmbBuilder *b, uint16_t function, const void *setup, uint8_t setup_count, uint32_t params)
{
	size_t words;

	begin(b, 0xA0, 0);
	words = b->words;
	build_u8(b, 0);
	build_le16(b, 0);
	build_le32(b, params);
	build_le32(b, 0);
	build_le32(b, 32);
	build_le32(b, 0);
	build_le32(b, params);
	build_le32(b, 0);
	build_le32(b, 0);
	build_le32(b, 0);
	build_u8(b, setup_count);
	build_le16(b, function);
	build_bytes(b, setup, setup_count * 2U);
	build_byte_count(b);
	build_align(b, 4);
	build_at(b, words + 1 + 23, 4, (uint32_t)build_offset(b));
}

static void notify_request(SmbBuilder *b)
{
	static const uint8_t setup[8] = {0x17, 0, 0, 0, 7, 0x40, 1, 0};

	nt_transact(b, 4, setup, 4, 0);
	finish_bytes(b);
}

static void nt_ioctl_request(SmbBuilder *b)
{
	static const uint8_t setup[8] = {0x64, 0, 9, 0, 7, 0x40, 1, 0};

	nt_transact(b, 2, setup, 4, 0);
	finish_bytes(b);
}

static void security_request(SmbBuilder *b)
{
	nt_transact(b, 6, NULL, 0, 8);
	build_le16(b, FID);
	build_zeros(b, 6);
	finish_bytes(b);
}

static void nt_transact_create_request(SmbBuilder *b)
{
	nt_transact(b, 1, NULL, 0, 53 + 1 + 8);
	build_zeros(b, 8);
	build_le32(b, 0x20089);
	build_zeros(b, 16);
	build_le32(b, 1);
	build_le32(b, 3);
	build_zeros(b, 17);
	build_align(b, 2);
	build_utf16(b, "\\nt");
	build_zeros(b, 2);
	finish_bytes(b);
}

static void nt_transact_create_reply(SmbBuilder *b)
{
	begin(b, 0xA0, REPLY);
	build_zeros(b, 3);
	build_le32(b, 69);
	build_le32(b, 0);
	build_le32(b, 69);
	build_le32(b, 72);
	build_zeros(b, 4 * 4);
	build_u8(b, 0);
	build_byte_count(b);
	build_u8(b, 0);
	build_u8(b, 1);
	build_u8(b, 0);
	build_le16(b, FID);
	build_le32(b, 1);
	build_le32(b, 0);
	build_zeros(b, 32);
	build_le32(b, 0x10);
	build_le64(b, 0);
	build_le64(b, 99);
	build_zeros(b, 5);
	finish_bytes(b);
}

static void cancel_request(SmbBuilder *b)
{
	begin(b, 0xA4, 0);
	finish(b);
}

static void signed_echo(SmbBuilder *b)
{
	Smb1Fields f = {.command = 0x2B, .flags2 = 0xC004, .mid = 7, .signature = 99};

	build_pdu(b);
	build_smb1(b, &f);
	build_words(b);
	build_le16(b, 1);
	finish(b);
}

const SmbSample smb1_samples[] = {
	{"negotiate-request", true, negotiate_request},
	{"negotiate-reply", false, negotiate_reply},
	{"negotiate-lanman-reply", false, negotiate_lanman_reply},
	{"negotiate-core-reply", false, negotiate_core_reply},
	{"setup-chain-request", true, setup_chain_request},
	{"setup-chain-reply", false, setup_chain_reply},
	{"setup-extended-request", true, setup_extended_request},
	{"tree-connect-request", true, tree_connect_request},
	{"tree-connect-reply", false, tree_connect_reply},
	{"nt-create-request", true, nt_create_request},
	{"nt-create-oem-request", true, nt_create_oem_request},
	{"nt-create-reply", false, nt_create_reply},
	{"open-andx-request", true, open_andx_request},
	{"open-andx-reply", false, open_andx_reply},
	{"open-request", true, open_request},
	{"open-reply", false, open_reply},
	{"create-reply", false, create_reply},
	{"close-request", true, close_request},
	{"close-reply", false, close_reply},
	{"close-dos-error", false, close_dos_error},
	{"delete-request", true, delete_request},
	{"query-information-reply", false, query_information_reply},
	{"query-information2-reply", false, query_information2_reply},
	{"lock-request", true, lock_request},
	{"lock-waiting-request", true, lock_waiting_request},
	{"oplock-break", false, oplock_break},
	{"echo-request", true, echo_request},
	{"echo-second-reply", false, echo_second_reply},
	{"search-request", true, search_request},
	{"search-reply", false, search_reply},
	{"read-andx-request", true, read_andx_request},
	{"read-andx-reply", false, read_andx_reply},
	{"write-andx-request", true, write_andx_request},
	{"write-andx-reply", false, write_andx_reply},
	{"read-request", true, read_request},
	{"read-reply", false, read_reply},
	{"write-request", true, write_request},
	{"write-close-request", true, write_close_request},
	{"read-raw-request", true, read_raw_request},
	{"write-raw-request", true, write_raw_request},
	{"write-raw-behind-request", true, write_raw_behind_request},
	{"write-raw-reply", false, write_raw_reply},
	{"write-complete-reply", false, write_complete_reply},
	{"read-mpx-reply", false, read_mpx_reply},
	{"write-mpx-request", true, write_mpx_request},
	{"transaction-request", true, transaction_request},
	{"find-first-request", true, find_first_request},
	{"find-next-request", true, find_next_request},
	{"query-path-request", true, query_path_request},
	{"query-file-request", true, query_file_request},
	{"set-file-request", true, set_file_request},
	{"open2-request", true, open2_request},
	{"dfs-request", true, dfs_request},
	{"multipart-request", true, multipart_request},
	{"secondary-request", true, secondary_request},
	{"interim-reply", false, interim_reply},
	{"find-first-reply", false, find_first_reply},
	{"find-first-part-reply", false, find_first_part_reply},
	{"find-last-part-reply", false, find_last_part_reply},
	{"notify-request", true, notify_request},
	{"nt-ioctl-request", true, nt_ioctl_request},
	{"security-request", true, security_request},
	{"nt-transact-create-request", true, nt_transact_create_request},
	{"nt-transact-create-reply", false, nt_transact_create_reply},
	{"cancel-request", true, cancel_request},
	{"signed-echo", true, signed_echo},
	{NULL, false, NULL},
};
