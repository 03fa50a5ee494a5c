/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 reads and writes: AndX, core, raw and multiplexed. Source: MS-CIFS 2.2.4.11-2.2.4.26,
 * 2.2.4.40-2.2.4.43; MS-SMB 2.2.4.2, 2.2.4.3.
 */
#include "dissectors/smb1_member.h"

#define WRITE_MODE_THROUGH 0x0001U
/* WordCount of the variants with a 64-bit offset. */
#define WORDS_READ_ANDX_LARGE 12
#define WORDS_WRITE_ANDX_LARGE 14
#define WORDS_READ_RAW_LARGE 10
#define WORDS_WRITE_RAW_LARGE 14
/* MaxCountHigh shares its field with the timeout of a pipe read: more than this is a timeout, since
 * no message is longer than 24 bits tell. */
#define MAX_COUNT_HIGH 0xFF

void smb1_read_andx_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint32_t count, high;

	smb1_member_fid(in, m);
	m->offset = cursor_le32(c);
	count = cursor_le16(c);
	cursor_skip(c, 2);
	high = cursor_le32(c);
	cursor_skip(c, 2);
	if (high <= MAX_COUNT_HIGH)
		count |= high << 16;
	m->length = count;
	if (in->word_count >= WORDS_READ_ANDX_LARGE)
		m->offset |= (uint64_t)cursor_le32(c) << 32;
	m->flags |= MESSAGE_HAS_OFFSET;
}

void smb1_read_andx_reply(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint32_t len;
	uint16_t data_offset;

	cursor_skip(c, 2 + 2 + 2);
	len = cursor_le16(c);
	data_offset = cursor_le16(c);
	len |= (uint32_t)cursor_le16(c) << 16;
	if (!c->bad)
		smb1_member_data(in, data_offset, len, m);
}

void smb1_write_andx_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t mode, high, low, data_offset;

	smb1_member_fid(in, m);
	m->offset = cursor_le32(c);
	cursor_skip(c, 4);
	mode = cursor_le16(c);
	cursor_skip(c, 2);
	high = cursor_le16(c);
	low = cursor_le16(c);
	data_offset = cursor_le16(c);
	if (!c->bad)
		smb1_member_data(in, data_offset, (uint32_t)high << 16 | low, m);
	if (in->word_count >= WORDS_WRITE_ANDX_LARGE)
		m->offset |= (uint64_t)cursor_le32(c) << 32;
	m->flags |= MESSAGE_HAS_OFFSET | (mode & WRITE_MODE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U);
}

void smb1_write_andx_reply(Smb1Member *in, Message *m)
{
	uint32_t count = cursor_le16(&in->words);

	cursor_skip(&in->words, 2);
	m->length = count | (uint32_t)cursor_le16(&in->words) << 16;
}

void smb1_read_request(Smb1Member *in, Message *m)
{
	smb1_member_fid(in, m);
	m->length = cursor_le16(&in->words);
	m->offset = cursor_le32(&in->words);
	m->flags |= MESSAGE_HAS_OFFSET;
}

/* Data bytes: BufferFormat, length, data. */
void smb1_read_reply(Smb1Member *in, Message *m)
{
	smb1_member_data(in, in->bytes_at + 3, cursor_le16(&in->words), m);
}

void smb1_write_request(Smb1Member *in, Message *m)
{
	uint16_t len;

	smb1_member_fid(in, m);
	len = cursor_le16(&in->words);
	m->offset = cursor_le32(&in->words);
	m->flags |= MESSAGE_HAS_OFFSET;
	smb1_member_data(in, in->bytes_at + 3, len, m);
}

void smb1_write_reply(Smb1Member *in, Message *m)
{
	m->length = cursor_le16(&in->words);
}

/* WRITE_AND_CLOSE has one byte of padding instead of the format. */
void smb1_write_close_request(Smb1Member *in, Message *m)
{
	uint16_t len;

	smb1_member_fid(in, m);
	len = cursor_le16(&in->words);
	m->offset = cursor_le32(&in->words);
	m->flags |= MESSAGE_HAS_OFFSET;
	smb1_member_data(in, in->bytes_at + 1, len, m);
}

/* READ_RAW, whose answer has no header, and READ_MPX. */
void smb1_read_raw_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;

	smb1_member_fid(in, m);
	m->offset = cursor_le32(c);
	m->length = cursor_le16(c);
	if (m->command == SMB1_READ_RAW) {
		if (in->word_count >= WORDS_READ_RAW_LARGE) {
			cursor_skip(c, 2 + 4 + 2);
			m->offset |= (uint64_t)cursor_le32(c) << 32;
		}
		in->state->raw_read_pending = true;
		in->state->raw_request_id = m->request_id;
	}
	m->flags |= MESSAGE_HAS_OFFSET;
}

void smb1_read_mpx_reply(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t len, data_offset;

	m->offset = cursor_le32(c);
	cursor_skip(c, 2 + 2 + 2 + 2);
	len = cursor_le16(c);
	data_offset = cursor_le16(c);
	if (c->bad)
		return;
	m->flags |= MESSAGE_HAS_OFFSET;
	smb1_member_data(in, data_offset, len, m);
}

/* MS-CIFS 2.2.4.25: some data may come with the request, the rest follows without a header. */
void smb1_write_raw_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t total, mode, len, data_offset;

	smb1_member_fid(in, m);
	total = cursor_le16(c);
	cursor_skip(c, 2);
	m->offset = cursor_le32(c);
	cursor_skip(c, 4);
	mode = cursor_le16(c);
	cursor_skip(c, 4);
	len = cursor_le16(c);
	data_offset = cursor_le16(c);
	if (in->word_count >= WORDS_WRITE_RAW_LARGE)
		m->offset |= (uint64_t)cursor_le32(c) << 32;
	if (!c->bad)
		smb1_member_data(in, data_offset, len, m);
	m->length = total;
	m->flags |= MESSAGE_HAS_OFFSET | (mode & WRITE_MODE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U);
	in->state->raw_write_answered = mode & WRITE_MODE_THROUGH;
	in->state->raw_request_id = m->request_id;
}

/* "Send the rest": in write-through mode WRITE_COMPLETE follows, otherwise nothing does. */
void smb1_write_raw_reply(Smb1Member *in, Message *m)
{
	cursor_skip(&in->words, 2);
	if (m->status != 0)
		return;
	in->state->raw_write_pending = true;
	if (in->state->raw_write_answered)
		m->kind = MESSAGE_INTERIM;
}

void smb1_write_mpx_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t mode, len, data_offset;

	smb1_member_fid(in, m);
	cursor_skip(c, 2 + 2);
	m->offset = cursor_le32(c);
	cursor_skip(c, 4);
	mode = cursor_le16(c);
	cursor_skip(c, 4);
	len = cursor_le16(c);
	data_offset = cursor_le16(c);
	if (!c->bad)
		smb1_member_data(in, data_offset, len, m);
	m->flags |= MESSAGE_HAS_OFFSET | (mode & WRITE_MODE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U);
}
