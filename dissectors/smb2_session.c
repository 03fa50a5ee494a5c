/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 SESSION_SETUP and TREE_CONNECT. Source: MS-SMB2 2.2.5, 2.2.6, 2.2.9, 2.2.10. Who logs in is
 * not read.
 */
#include "dissectors/smb2_member.h"

#define SETUP_BINDING 0x01U
#define SESSION_GUEST_OR_NULL 0x0003U
#define SESSION_ENCRYPT 0x0004U
#define SHARE_TYPE_PIPE 0x02U
#define SHARE_DFS 0x00000003U
#define SHARE_ENCRYPT 0x00008000U

void smb2_session_setup_request(Smb2Member *in, Message *m)
{
	if (!smb2_member_begin(in, 25))
		return;
	if (cursor_u8(&in->body) & SETUP_BINDING)
		m->flags |= MESSAGE_BINDING;
}

void smb2_session_setup_reply(Smb2Member *in, Message *m)
{
	uint16_t flags;

	if (!smb2_member_begin(in, 9))
		return;
	flags = cursor_le16(&in->body);
	if (flags & SESSION_GUEST_OR_NULL)
		m->flags |= MESSAGE_GUEST;
	if (flags & SESSION_ENCRYPT)
		m->flags |= MESSAGE_ENCRYPTION_ASKED;
}

/* Whether a UTF-16LE path ends in \IPC$, the share of named pipes, in any case. */
static bool is_pipe_share(const uint8_t *path, size_t len)
{
	static const char tail[] = "\\IPC$";

	if (len < 2 * (sizeof tail - 1))
		return false;
	path += len - 2 * (sizeof tail - 1);
	for (size_t i = 0; i < sizeof tail - 1; i++) {
		uint8_t c = path[2 * i];
		if (c >= 'a' && c <= 'z')
			c = (uint8_t)(c - 'a' + 'A');
		if (c != (uint8_t)tail[i] || path[2 * i + 1] != 0)
			return false;
	}
	return true;
}

void smb2_tree_connect_request(Smb2Member *in, Message *m)
{
	uint16_t offset, len;
	Cursor path;

	if (!smb2_member_begin(in, 9))
		return;
	cursor_skip(&in->body, 2);
	offset = cursor_le16(&in->body);
	len = cursor_le16(&in->body);
	path = smb2_member_slice(in, offset, len, m);
	m->name = path.start;
	m->name_len = (uint32_t)path.len;
	m->flags |= MESSAGE_NAME_UTF16;
	if (is_pipe_share(path.start, path.len))
		m->flags |= MESSAGE_PIPE;
}

void smb2_tree_connect_reply(Smb2Member *in, Message *m)
{
	uint8_t type;
	uint32_t flags;

	if (!smb2_member_begin(in, 16))
		return;
	type = cursor_u8(&in->body);
	cursor_skip(&in->body, 1);
	flags = cursor_le32(&in->body);
	cursor_skip(&in->body, 4);
	m->access = cursor_le32(&in->body);
	if (type == SHARE_TYPE_PIPE)
		m->flags |= MESSAGE_PIPE;
	if (flags & SHARE_DFS)
		m->flags |= MESSAGE_DFS;
	if (flags & SHARE_ENCRYPT)
		m->flags |= MESSAGE_ENCRYPTION_ASKED;
}
