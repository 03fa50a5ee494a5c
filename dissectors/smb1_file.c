/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 opens, closes, locks, searches and the commands that name a path. Source: MS-CIFS 2.2.4,
 * MS-SMB 2.2.4.9.
 */
#include "dissectors/smb1_member.h"

#define BUFFER_FORMAT_ASCII 0x04

#define ATTRIBUTE_DIRECTORY 0x10U
/* MS-CIFS 2.2.4.64.1 NT_CREATE_ANDX flags and options */
#define NT_CREATE_REQUEST_OPLOCK 0x00000002U
#define NT_CREATE_REQUEST_BATCH 0x00000004U
#define OPTION_DIRECTORY 0x00000001U
#define OPTION_WRITE_THROUGH 0x00000002U
#define OPTION_UNBUFFERED 0x00000008U
#define OPTION_DELETE_ON_CLOSE 0x00001000U
#define RESOURCE_BYTE_PIPE 1
#define RESOURCE_MESSAGE_PIPE 2
/* MS-CIFS 2.2.4.41.1 OPEN_ANDX flags, AccessMode; 2.2.4.41.2 OpenResults */
#define OPEN_REQUEST_OPLOCK 0x0002U
#define OPEN_REQUEST_BATCH 0x0004U
#define ACCESS_WRITE_THROUGH 0x4000U
#define OPEN_OPLOCK_GRANTED 0x8000U
/* MS-CIFS 2.2.4.32.1 TypeOfLock */
#define LOCK_OPLOCK_RELEASE 0x02U
#define LOCK_CANCEL 0x08U
#define LOCK_LARGE_FILES 0x10U

/* Oplock levels as SMB2 numbers them, which is what Message.oplock holds. */
#define OPLOCK_NONE 0x00
#define OPLOCK_LEVEL_II 0x01
#define OPLOCK_EXCLUSIVE 0x08
#define OPLOCK_BATCH 0x09

/* MS-CIFS 2.2.4.64.2: OplockLevel of an NT_CREATE_ANDX answer. */
static uint8_t oplock_from_level(uint8_t level)
{
	static const uint8_t levels[] = {
		OPLOCK_NONE, OPLOCK_EXCLUSIVE, OPLOCK_BATCH, OPLOCK_LEVEL_II};

	return level < sizeof levels ? levels[level] : OPLOCK_NONE;
}

void smb1_nt_create_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words, name;
	uint16_t name_len;
	uint32_t flags;
	size_t at = in->bytes_at;

	cursor_skip(c, 1);
	name_len = cursor_le16(c);
	flags = cursor_le32(c);
	cursor_skip(c, 4);
	m->access = cursor_le32(c);
	cursor_skip(c, 8 + 4 + 4); /* allocation size, attributes, share access */
	m->disposition = cursor_le32(c);
	m->options = cursor_le32(c);
	m->oplock = flags & NT_CREATE_REQUEST_BATCH    ? OPLOCK_BATCH
		    : flags & NT_CREATE_REQUEST_OPLOCK ? OPLOCK_EXCLUSIVE
						       : OPLOCK_NONE;
	m->flags |= (m->options & OPTION_DIRECTORY ? MESSAGE_DIRECTORY : 0U) |
		    (m->options & OPTION_WRITE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U) |
		    (m->options & OPTION_UNBUFFERED ? MESSAGE_UNBUFFERED : 0U) |
		    (m->options & OPTION_DELETE_ON_CLOSE ? MESSAGE_DELETE_ON_CLOSE : 0U) |
		    (in->unicode ? MESSAGE_NAME_UTF16 : 0U);
	if (in->unicode)
		at += at & 1;
	if (at > in->bytes_at + in->bytes_len)
		return;
	if (name_len > in->bytes_at + in->bytes_len - at) /* some count the padding as name */
		name_len = (uint16_t)(in->bytes_at + in->bytes_len - at);
	name = smb1_member_slice(in, at, name_len, m);
	m->name = name.start;
	m->name_len = (uint32_t)name.len;
}

void smb1_nt_create_reply(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint32_t attributes;
	uint16_t resource;

	m->oplock = oplock_from_level(cursor_u8(c));
	smb1_member_fid(in, m);
	m->disposition = cursor_le32(c);
	cursor_skip(c, 4 * 8);
	attributes = cursor_le32(c);
	cursor_skip(c, 8);
	m->file_size = cursor_le64(c);
	resource = cursor_le16(c);
	cursor_skip(c, 2);
	if (cursor_u8(c) || (attributes & ATTRIBUTE_DIRECTORY))
		m->flags |= MESSAGE_DIRECTORY;
	if (resource == RESOURCE_BYTE_PIPE || resource == RESOURCE_MESSAGE_PIPE)
		m->flags |= MESSAGE_PIPE;
}

void smb1_open_andx_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t flags = cursor_le16(c), access = cursor_le16(c);

	cursor_skip(c, 2 + 2 + 4);
	m->disposition = cursor_le16(c);
	cursor_skip(c, 4 + 4 + 4);
	m->access = access;
	m->oplock = flags & OPEN_REQUEST_BATCH    ? OPLOCK_BATCH
		    : flags & OPEN_REQUEST_OPLOCK ? OPLOCK_EXCLUSIVE
						  : OPLOCK_NONE;
	if (access & ACCESS_WRITE_THROUGH)
		m->flags |= MESSAGE_WRITE_THROUGH;
	smb1_member_string(in, in->bytes_at, in->bytes_len, m);
}

void smb1_open_andx_reply(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words;
	uint16_t attributes, resource;

	smb1_member_fid(in, m);
	attributes = cursor_le16(c);
	cursor_skip(c, 4);
	m->file_size = cursor_le32(c);
	m->access = cursor_le16(c);
	resource = cursor_le16(c);
	cursor_skip(c, 2);
	m->disposition = cursor_le16(c);
	if (m->disposition & OPEN_OPLOCK_GRANTED)
		m->oplock = OPLOCK_EXCLUSIVE; /* which of the two is what was asked for */
	if (attributes & ATTRIBUTE_DIRECTORY)
		m->flags |= MESSAGE_DIRECTORY;
	if (resource == RESOURCE_BYTE_PIPE || resource == RESOURCE_MESSAGE_PIPE)
		m->flags |= MESSAGE_PIPE;
}

void smb1_path_request(Smb1Member *in, Message *m)
{
	Cursor c = smb1_member_slice(in, in->bytes_at, in->bytes_len, m);

	if (cursor_u8(&c) == BUFFER_FORMAT_ASCII)
		smb1_member_string(in, in->bytes_at + 1, in->bytes_len - 1, m);
}

void smb1_path_attributes_request(Smb1Member *in, Message *m)
{
	cursor_skip(&in->words, 2);
	smb1_path_request(in, m);
}

static void oplock_from_header(const Smb1Member *in, Message *m)
{
	if (in->header_flags & SMB1_FLAG_OPLOCK)
		m->oplock =
			in->header_flags & SMB1_FLAG_BATCH_OPLOCK ? OPLOCK_BATCH : OPLOCK_EXCLUSIVE;
}

void smb1_open_request(Smb1Member *in, Message *m)
{
	m->access = cursor_le16(&in->words);
	if (m->access & ACCESS_WRITE_THROUGH)
		m->flags |= MESSAGE_WRITE_THROUGH;
	oplock_from_header(in, m);
	smb1_path_request(in, m);
}

void smb1_open_reply(Smb1Member *in, Message *m)
{
	uint16_t attributes;

	smb1_member_fid(in, m);
	attributes = cursor_le16(&in->words);
	cursor_skip(&in->words, 4);
	m->file_size = cursor_le32(&in->words);
	m->access = cursor_le16(&in->words);
	oplock_from_header(in, m);
	if (attributes & ATTRIBUTE_DIRECTORY)
		m->flags |= MESSAGE_DIRECTORY;
}

void smb1_create_request(Smb1Member *in, Message *m)
{
	oplock_from_header(in, m);
	smb1_path_request(in, m);
}

void smb1_create_reply(Smb1Member *in, Message *m)
{
	smb1_member_fid(in, m);
	oplock_from_header(in, m);
}

void smb1_fid_request(Smb1Member *in, Message *m)
{
	smb1_member_fid(in, m);
}

void smb1_query_information_reply(Smb1Member *in, Message *m)
{
	uint16_t attributes = cursor_le16(&in->words);

	cursor_skip(&in->words, 4);
	m->file_size = cursor_le32(&in->words);
	if (attributes & ATTRIBUTE_DIRECTORY)
		m->flags |= MESSAGE_DIRECTORY;
}

void smb1_query_information2_reply(Smb1Member *in, Message *m)
{
	cursor_skip(&in->words, 6 * 2); /* dates and times */
	m->file_size = cursor_le32(&in->words);
}

/* MS-CIFS 2.2.4.32: locks and unlocks of a client; breaking an oplock when the server sends it, its
 * acknowledgement when the client does. */
void smb1_locking_request(Smb1Member *in, Message *m)
{
	Cursor *c = &in->words, range;
	uint8_t type, level;
	uint32_t timeout;
	uint16_t unlocks, locks;

	smb1_member_fid(in, m);
	type = cursor_u8(c);
	level = cursor_u8(c);
	timeout = cursor_le32(c);
	unlocks = cursor_le16(c);
	locks = cursor_le16(c);
	if (c->bad)
		return;
	m->entries = (uint32_t)unlocks + locks;
	if (type & LOCK_OPLOCK_RELEASE) {
		m->oplock = m->oplock_break = level ? OPLOCK_LEVEL_II : OPLOCK_NONE;
		if (m->entries == 0) { /* neither direction of a bare break is answered */
			m->verb = VERB_BREAK;
			m->kind = MESSAGE_NOTICE;
			return;
		}
	}
	if (locks > 0 && timeout != 0 && !(type & LOCK_CANCEL))
		m->flags |= MESSAGE_BLOCKING;
	range = smb1_member_slice(in, in->bytes_at, in->bytes_len, m);
	if (type & LOCK_LARGE_FILES) {
		cursor_skip(&range, 2 + 2);
		m->offset = (uint64_t)cursor_le32(&range) << 32;
		m->offset |= cursor_le32(&range);
		m->length = (uint64_t)cursor_le32(&range) << 32;
		m->length |= cursor_le32(&range);
	} else {
		cursor_skip(&range, 2);
		m->offset = cursor_le32(&range);
		m->length = cursor_le32(&range);
	}
	if (!range.bad)
		m->flags |= MESSAGE_HAS_OFFSET;
}

void smb1_lock_range_request(Smb1Member *in, Message *m)
{
	smb1_member_fid(in, m);
	m->length = cursor_le32(&in->words);
	m->offset = cursor_le32(&in->words);
	if (!in->words.bad)
		m->flags |= MESSAGE_HAS_OFFSET;
}

void smb1_search_request(Smb1Member *in, Message *m)
{
	cursor_skip(&in->words, 2 + 2); /* MaxCount, SearchAttributes */
	smb1_path_request(in, m);
}

void smb1_search_reply(Smb1Member *in, Message *m)
{
	m->entries = cursor_le16(&in->words);
	m->length = in->bytes_len;
}

/* An echo of count n is answered n times, numbered from 1: only the first answers the request. */
void smb1_echo_reply(Smb1Member *in, Message *m)
{
	if (cursor_le16(&in->words) > 1)
		m->kind = MESSAGE_NOTICE;
}
