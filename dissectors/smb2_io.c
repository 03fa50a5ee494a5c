/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 READ and WRITE. Source: MS-SMB2 2.2.19-2.2.22. This is the hot path: a copy is made of
 * these.
 */
#include "dissectors/smb2_member.h"

#define READ_UNBUFFERED 0x01U
#define WRITE_THROUGH 0x00000001U
#define WRITE_UNBUFFERED 0x00000002U

void smb2_read_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;

	if (!smb2_member_begin(in, 49))
		return;
	cursor_skip(c, 1);
	if (cursor_u8(c) & READ_UNBUFFERED)
		m->flags |= MESSAGE_UNBUFFERED;
	m->length = cursor_le32(c);
	m->offset = cursor_le64(c);
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID | MESSAGE_HAS_OFFSET;
}

void smb2_read_reply(Smb2Member *in, Message *m)
{
	Cursor c = {.start = in->all.start, .len = SMB2_HEADER_LEN + 8};
	uint8_t data_offset;
	uint16_t size;

	if (in->all.len < c.len) {
		in->body.bad = true;
		return;
	}
	cursor_skip(&c, SMB2_HEADER_LEN);
	size = cursor_le16(&c);
	data_offset = cursor_u8(&c);
	cursor_skip(&c, 1);
	if (size != 17)
		in->anomaly = "smb2-structure-size";
	else
		smb2_member_data(in, data_offset, cursor_le32(&c), m);
}

void smb2_write_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t data_offset;
	uint32_t len, flags;

	if (!smb2_member_begin(in, 49))
		return;
	data_offset = cursor_le16(c);
	len = cursor_le32(c);
	m->offset = cursor_le64(c);
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad) {
		m->flags |= MESSAGE_HAS_FILE_ID | MESSAGE_HAS_OFFSET;
		smb2_member_data(in, data_offset, len, m);
	}
	cursor_skip(c, 4 + 4 + 2 + 2); /* channel, remaining, channel information */
	flags = cursor_le32(c);
	m->flags |= (flags & WRITE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U) |
		    (flags & WRITE_UNBUFFERED ? MESSAGE_UNBUFFERED : 0U);
}

void smb2_write_reply(Smb2Member *in, Message *m)
{
	if (!smb2_member_begin(in, 17))
		return;
	cursor_skip(&in->body, 2);
	m->length = cursor_le32(&in->body);
}
