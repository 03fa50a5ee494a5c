/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds SMB and NetBIOS messages for tests.
 */
#include "tests/tools/smb_builder.h"

#include <string.h>

void build_bytes(SmbBuilder *b, const void *data, size_t len)
{
	if (len > SMB_BUILDER_ROOM - b->len)
		len = SMB_BUILDER_ROOM - b->len;
	if (len > 0)
		memcpy(b->bytes + b->len, data, len);
	b->len += len;
}

static void build_le(SmbBuilder *b, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	build_bytes(b, bytes, size);
}

void build_u8(SmbBuilder *b, uint8_t value)
{
	build_le(b, value, 1);
}

void build_le16(SmbBuilder *b, uint16_t value)
{
	build_le(b, value, 2);
}

void build_le32(SmbBuilder *b, uint32_t value)
{
	build_le(b, value, 4);
}

void build_le64(SmbBuilder *b, uint64_t value)
{
	build_le(b, value, 8);
}

void build_zeros(SmbBuilder *b, size_t count)
{
	while (count-- > 0)
		build_u8(b, 0);
}

void build_text(SmbBuilder *b, const char *text)
{
	build_bytes(b, text, strlen(text));
}

void build_utf16(SmbBuilder *b, const char *text)
{
	for (; *text; text++)
		build_le16(b, (uint8_t)*text);
}

size_t build_offset(const SmbBuilder *b)
{
	return b->len - b->message;
}

void build_align(SmbBuilder *b, size_t multiple)
{
	while (build_offset(b) % multiple != 0)
		build_u8(b, 0);
}

void build_at(SmbBuilder *b, size_t at, size_t size, uint32_t value)
{
	for (size_t i = 0; i < size && at + i < SMB_BUILDER_ROOM; i++)
		b->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

void build_pdu(SmbBuilder *b)
{
	b->pdu = b->len;
	b->previous = SIZE_MAX;
	build_zeros(b, 4);
}

void build_end(SmbBuilder *b)
{
	size_t len = b->len - b->pdu - 4;

	b->bytes[b->pdu + 1] = (uint8_t)(len >> 16);
	b->bytes[b->pdu + 2] = (uint8_t)(len >> 8);
	b->bytes[b->pdu + 3] = (uint8_t)len;
}

void build_smb2(SmbBuilder *b, const Smb2Fields *f)
{
	if (b->previous != SIZE_MAX) {
		build_align(b, 8);
		build_at(b, b->previous + 20, 4, (uint32_t)(b->len - b->previous));
	}
	b->previous = b->message = b->len;
	build_bytes(b, "\xFESMB", 4);
	build_le16(b, 64);
	build_le16(b, f->credit_charge);
	build_le32(b, f->status);
	build_le16(b, f->command);
	build_le16(b, f->credits);
	build_le32(b, f->flags);
	build_le32(b, 0);
	build_le64(b, f->message_id);
	if (f->flags & 2) {
		build_le64(b, f->async_id);
	} else {
		build_le32(b, 0xFEFF);
		build_le32(b, f->tree_id);
	}
	build_le64(b, f->session_id);
	build_zeros(b, 16);
}

void build_smb1(SmbBuilder *b, const Smb1Fields *f)
{
	b->message = b->len;
	build_bytes(b, "\xFFSMB", 4);
	build_u8(b, f->command);
	build_le32(b, f->status);
	build_u8(b, f->flags);
	build_le16(b, f->flags2);
	build_le16(b, 0);
	build_le64(b, f->signature);
	build_le16(b, 0);
	build_le16(b, f->tid);
	build_le16(b, f->pid);
	build_le16(b, f->uid);
	build_le16(b, f->mid);
}

void build_words(SmbBuilder *b)
{
	b->words = b->len;
	build_u8(b, 0);
}

void build_byte_count(SmbBuilder *b)
{
	b->bytes[b->words] = (uint8_t)((b->len - b->words - 1) / 2);
	build_le16(b, 0);
}

void build_bytes_end(SmbBuilder *b)
{
	size_t at = b->words + 1 + 2 * (size_t)b->bytes[b->words];

	build_at(b, at, 2, (uint32_t)(b->len - at - 2));
}

void build_andx(SmbBuilder *b, uint8_t command)
{
	build_u8(b, command);
	build_u8(b, 0);
	build_le16(b, 0);
}

void build_andx_target(SmbBuilder *b, size_t from)
{
	build_at(b, from + 3, 2, (uint32_t)build_offset(b));
}

void build_netbios(SmbBuilder *b, uint8_t type, const void *data, size_t len)
{
	b->pdu = b->len;
	build_u8(b, type);
	build_u8(b, (uint8_t)(len >> 16));
	build_u8(b, (uint8_t)(len >> 8));
	build_u8(b, (uint8_t)len);
	build_bytes(b, data, len);
}
