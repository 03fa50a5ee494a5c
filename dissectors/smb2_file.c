/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 CREATE with its contexts, CLOSE, FLUSH, LOCK and the breaks of oplocks and leases. Source:
 * MS-SMB2 2.2.13-2.2.18, 2.2.23-2.2.26.
 */
#include "dissectors/smb2_member.h"

/* MS-SMB2 2.2.13 CreateOptions */
#define OPTION_DIRECTORY 0x00000001U
#define OPTION_WRITE_THROUGH 0x00000002U
#define OPTION_UNBUFFERED 0x00000008U
#define OPTION_DELETE_ON_CLOSE 0x00001000U

#define ATTRIBUTE_DIRECTORY 0x00000010U /* MS-FSCC 2.6 */
#define CLOSE_POSTQUERY_ATTRIBUTES 0x0001U
#define DURABLE_PERSISTENT 0x00000002U /* MS-SMB2 2.2.13.2.11 */

/* MS-SMB2 2.2.26.1 lock flags */
#define LOCK_UNLOCK 0x00000004U
#define LOCK_FAIL_IMMEDIATELY 0x00000010U

/* Known contexts are about a dozen; each takes at least 16 bytes of what was staged. */
#define MAX_CONTEXTS 64
/* A lock request is believed this many ranges; 24 bytes each, real clients send one. */
#define MAX_LOCKS 64

static void take_file_id(Cursor *c, Message *m)
{
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID;
}

/* What a context says, by its four-letter name: MS-SMB2 2.2.13.2, 2.2.14.2. */
static void parse_context(uint32_t name, Cursor data, Message *m)
{
	switch (name) {
	case 0x44486E51: /* DHnQ: durable handle */
		m->flags |= MESSAGE_DURABLE;
		break;
	case 0x44486E43: /* DHnC: durable handle, reconnect */
	case 0x44483243: /* DH2C: the same, version 2 */
		m->flags |= MESSAGE_DURABLE;
		break;
	case 0x44483251: /* DH2Q: durable handle version 2: Timeout, Flags */
		m->flags |= MESSAGE_DURABLE;
		cursor_skip(&data, 4);
		if (cursor_le32(&data) & DURABLE_PERSISTENT)
			m->flags |= MESSAGE_PERSISTENT;
		break;
	case 0x52714C73: /* RqLs: lease: LeaseKey, LeaseState */
		cursor_skip(&data, 16);
		m->lease_state = (uint8_t)(cursor_le32(&data) & 7);
		break;
	default:
		break;
	}
}

/* MS-SMB2 2.2.13.2: a chain by Next, which must lead forward. */
static void parse_contexts(Smb2Member *in, uint32_t offset, uint32_t len, Message *m)
{
	Cursor area = smb2_member_slice(in, offset, len, m);
	size_t at = 0;

	for (int i = 0; i < MAX_CONTEXTS && at < area.len; i++) {
		Cursor head = cursor_at(&area, at, 16);
		uint32_t next = cursor_le32(&head);
		uint16_t name_offset = cursor_le16(&head);
		uint16_t name_len = cursor_le16(&head);
		uint16_t data_offset;
		uint32_t data_len;
		Cursor name, data;

		cursor_skip(&head, 2);
		data_offset = cursor_le16(&head);
		data_len = cursor_le32(&head);
		if (head.bad)
			return;
		name = cursor_at(&area, at + name_offset, 4);
		data = cursor_over(NULL, 0);
		if (data_offset < area.len - at) {
			size_t room = area.len - at - data_offset;
			data = cursor_at(
				&area, at + data_offset, data_len < room ? data_len : room);
		}
		if (name_len == 4 && !name.bad)
			parse_context(cursor_be32(&name), data, m);
		if (next == 0)
			return;
		if (next < 16) {
			in->anomaly = "smb2-context-loop";
			return;
		}
		at += next;
	}
}

void smb2_create_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t name_offset, name_len;
	uint32_t contexts_offset, contexts_len;
	Cursor name;

	if (!smb2_member_begin(in, 57))
		return;
	cursor_skip(c, 1);
	m->oplock = cursor_u8(c);
	cursor_skip(c, 4 + 8 + 8);
	m->access = cursor_le32(c);
	cursor_skip(c, 4 + 4);
	m->disposition = cursor_le32(c);
	m->options = cursor_le32(c);
	name_offset = cursor_le16(c);
	name_len = cursor_le16(c);
	contexts_offset = cursor_le32(c);
	contexts_len = cursor_le32(c);
	m->flags |= (m->options & OPTION_DIRECTORY ? MESSAGE_DIRECTORY : 0U) |
		    (m->options & OPTION_WRITE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U) |
		    (m->options & OPTION_UNBUFFERED ? MESSAGE_UNBUFFERED : 0U) |
		    (m->options & OPTION_DELETE_ON_CLOSE ? MESSAGE_DELETE_ON_CLOSE : 0U) |
		    MESSAGE_NAME_UTF16;
	name = smb2_member_slice(in, name_offset, name_len, m);
	m->name = name.start;
	m->name_len = (uint32_t)name.len;
	if (contexts_len > 0)
		parse_contexts(in, contexts_offset, contexts_len, m);
}

void smb2_create_reply(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint32_t attributes, contexts_offset, contexts_len;

	if (!smb2_member_begin(in, 89))
		return;
	m->oplock = cursor_u8(c);
	cursor_skip(c, 1);
	m->disposition = cursor_le32(c);
	cursor_skip(c, 4 * 8 + 8); /* times, allocation size */
	m->file_size = cursor_le64(c);
	attributes = cursor_le32(c);
	cursor_skip(c, 4);
	take_file_id(c, m);
	contexts_offset = cursor_le32(c);
	contexts_len = cursor_le32(c);
	if (attributes & ATTRIBUTE_DIRECTORY)
		m->flags |= MESSAGE_DIRECTORY;
	if (contexts_len > 0)
		parse_contexts(in, contexts_offset, contexts_len, m);
}

void smb2_close_request(Smb2Member *in, Message *m)
{
	if (!smb2_member_begin(in, 24))
		return;
	cursor_skip(&in->body, 2 + 4);
	take_file_id(&in->body, m);
}

void smb2_close_reply(Smb2Member *in, Message *m)
{
	uint16_t flags;

	if (!smb2_member_begin(in, 60))
		return;
	flags = cursor_le16(&in->body);
	cursor_skip(&in->body, 4 + 4 * 8 + 8);
	if (flags & CLOSE_POSTQUERY_ATTRIBUTES)
		m->file_size = cursor_le64(&in->body);
}

void smb2_flush_request(Smb2Member *in, Message *m)
{
	if (!smb2_member_begin(in, 24))
		return;
	cursor_skip(&in->body, 2 + 4);
	take_file_id(&in->body, m);
}

void smb2_lock_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t count;
	bool waits = false;

	if (!smb2_member_begin(in, 48))
		return;
	count = cursor_le16(c);
	cursor_skip(c, 4);
	take_file_id(c, m);
	m->entries = count;
	for (uint16_t i = 0; i < count && i < MAX_LOCKS && !c->bad; i++) {
		uint64_t offset = cursor_le64(c), len = cursor_le64(c);
		uint32_t flags = cursor_le32(c);
		cursor_skip(c, 4);
		if (c->bad)
			break;
		if (i == 0) {
			m->offset = offset;
			m->length = len;
			m->flags |= MESSAGE_HAS_OFFSET;
		}
		waits |= !(flags & (LOCK_UNLOCK | LOCK_FAIL_IMMEDIATELY));
	}
	if (waits)
		m->flags |= MESSAGE_BLOCKING;
}

/* MS-SMB2 2.2.23: 24 bytes for an oplock, 44 for a lease. */
void smb2_break_notice(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t size = cursor_le16(c);

	if (size == 44) {
		cursor_skip(c, 2 + 4 + 16);
		m->lease_state = (uint8_t)(cursor_le32(c) & 7);
		m->oplock_break = (uint8_t)(cursor_le32(c) & 7);
		m->oplock = 0xFF;
	} else if (size == 24) {
		m->oplock_break = m->oplock = cursor_u8(c);
		cursor_skip(c, 1 + 4);
		take_file_id(c, m);
	} else if (!c->bad) {
		in->anomaly = "smb2-structure-size";
	}
}

/* MS-SMB2 2.2.24: 24 bytes for an oplock, 36 for a lease. */
void smb2_break_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t size = cursor_le16(c);

	if (size == 36) {
		cursor_skip(c, 2 + 4 + 16);
		m->oplock_break = (uint8_t)(cursor_le32(c) & 7);
		m->oplock = 0xFF;
	} else if (size == 24) {
		m->oplock_break = m->oplock = cursor_u8(c);
		cursor_skip(c, 1 + 4);
		take_file_id(c, m);
	} else if (!c->bad) {
		in->anomaly = "smb2-structure-size";
	}
}
