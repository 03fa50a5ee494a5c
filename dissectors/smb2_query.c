/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO, SET_INFO. Source: MS-SMB2 2.2.33-2.2.40, MS-FSCC
 * 2.4.
 */
#include "dissectors/smb2_member.h"

#define INFO_TYPE_FILE 1U
/* MS-FSCC 2.4 file information classes */
#define CLASS_RENAME 10U
#define CLASS_LINK 11U
#define CLASS_END_OF_FILE 20U

static void take_file_id(Cursor *c, Message *m)
{
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID;
}

void smb2_directory_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t name_offset, name_len;
	Cursor name;

	if (!smb2_member_begin(in, 33))
		return;
	m->info_class = cursor_u8(c);
	cursor_skip(c, 1 + 4);
	take_file_id(c, m);
	name_offset = cursor_le16(c);
	name_len = cursor_le16(c);
	m->buffer_length = cursor_le32(c);
	name = smb2_member_slice(in, name_offset, name_len, m);
	m->name = name.start;
	m->name_len = (uint32_t)name.len;
	m->flags |= MESSAGE_NAME_UTF16;
}

/* Entries of every directory class begin with NextEntryOffset, 0 in the last: MS-FSCC 2.4.
 * Returns how many; @ret_next: where in @area the next one begins that was not kept, 0 none. */
static uint32_t count_entries(Smb2Member *in, Cursor area, size_t *ret_next)
{
	uint32_t count = 0;
	size_t at = 0;

	*ret_next = 0;
	while (at < area.len) {
		Cursor head = cursor_at(&area, at, 4);
		uint32_t next = cursor_le32(&head);
		if (head.bad)
			break;
		count++;
		if (next == 0)
			return count;
		if (next < DIRECTORY_ENTRY_MIN) {
			in->anomaly = "smb2-entry-loop";
			return count;
		}
		at += next;
	}
	*ret_next = at;
	return count;
}

void smb2_directory_reply(Smb2Member *in, Message *m)
{
	uint16_t offset;
	uint32_t len, flags = m->flags;
	size_t next;

	if (!smb2_member_begin(in, 9))
		return;
	offset = cursor_le16(&in->body);
	len = cursor_le32(&in->body);
	m->length = len < in->wire_len ? len : in->wire_len;
	m->entries = count_entries(in, smb2_member_slice(in, offset, len, m), &next);
	if (m->entries > 0 && next > 0 && next < m->length)
		m->entries_next = (uint32_t)(in->at + offset + next);
	m->flags = flags; /* the rest of a long list is not a field that is missing */
}

void smb2_notify_request(Smb2Member *in, Message *m)
{
	if (!smb2_member_begin(in, 32))
		return;
	cursor_skip(&in->body, 2);
	m->buffer_length = cursor_le32(&in->body);
	take_file_id(&in->body, m);
}

void smb2_query_info_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;

	if (!smb2_member_begin(in, 41))
		return;
	m->info_type = cursor_u8(c);
	m->info_class = cursor_u8(c);
	m->buffer_length = cursor_le32(c);
	cursor_skip(c, 2 + 2 + 4 + 4 + 4); /* input buffer, additional information, flags */
	take_file_id(c, m);
}

void smb2_query_info_reply(Smb2Member *in, Message *m)
{
	uint32_t len;

	if (!smb2_member_begin(in, 9))
		return;
	cursor_skip(&in->body, 2);
	len = cursor_le32(&in->body);
	m->length = len < in->wire_len ? len : in->wire_len;
}

/* MS-FSCC 2.4.37.2, 2.4.21.2: ReplaceIfExists, Reserved, RootDirectory, length, new name. */
static void parse_rename(Smb2Member *in, size_t offset, size_t len, Message *m)
{
	Cursor c = smb2_member_slice(in, offset, len, m);
	uint32_t name_len;

	cursor_skip(&c, 1 + 7 + 8);
	name_len = cursor_le32(&c);
	if (c.bad)
		return;
	if (name_len > cursor_left(&c)) {
		m->flags |= MESSAGE_TRUNCATED;
		name_len = (uint32_t)cursor_left(&c);
	}
	m->name = cursor_take(&c, name_len);
	m->name_len = name_len;
	m->flags |= MESSAGE_NAME_UTF16;
}

void smb2_set_info_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint32_t len;
	uint16_t offset;

	if (!smb2_member_begin(in, 33))
		return;
	m->info_type = cursor_u8(c);
	m->info_class = cursor_u8(c);
	len = cursor_le32(c);
	offset = cursor_le16(c);
	cursor_skip(c, 2 + 4);
	take_file_id(c, m);
	if (m->info_type != INFO_TYPE_FILE || c->bad)
		return;
	if (m->info_class == CLASS_RENAME || m->info_class == CLASS_LINK) {
		parse_rename(in, offset, len, m);
	} else if (m->info_class == CLASS_END_OF_FILE) {
		Cursor data = smb2_member_slice(in, offset, len, m);
		m->file_size = cursor_le64(&data);
	}
}
