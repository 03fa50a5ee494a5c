/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 SESSION_SETUP_ANDX and tree connects. Source: MS-CIFS 2.2.4.53, 2.2.4.50, 2.2.4.55; MS-SMB
 * 2.2.4.6. Who logs in is not read.
 */
#include "dissectors/smb1_member.h"

#define WORDS_EXTENDED_SECURITY 12
#define WORDS_NT_LM 13
#define CAP_LARGE_READX 0x00004000U
#define CAP_LARGE_WRITEX 0x00008000U
#define CAP_EXTENDED_SECURITY 0x80000000U
#define ACTION_GUEST 0x0001U
#define SHARE_IS_IN_DFS 0x0002U
#define BUFFER_FORMAT_ASCII 0x04

/* The client's own limits stand here: half of what decides whether large reads are used. */
void smb1_session_setup_request(Smb1Member *in, Message *m)
{
	MessageNegotiation *n = in->negotiation;
	Cursor *c = &in->words;
	uint32_t capabilities;

	memset(n, 0, sizeof *n);
	m->negotiation = n;
	n->max_buffer = cursor_le16(c);
	n->max_mpx = cursor_le16(c);
	if (in->word_count != WORDS_EXTENDED_SECURITY && in->word_count != WORDS_NT_LM)
		return;
	cursor_skip(c, 2 + 4); /* VcNumber, SessionKey */
	cursor_skip(c, in->word_count == WORDS_NT_LM ? 2 + 2 : 2);
	cursor_skip(c, 4);
	capabilities = cursor_le32(c);
	n->large_read = capabilities & CAP_LARGE_READX;
	n->large_write = capabilities & CAP_LARGE_WRITEX;
	n->extended_security = capabilities & CAP_EXTENDED_SECURITY;
}

void smb1_session_setup_reply(Smb1Member *in, Message *m)
{
	if (cursor_le16(&in->words) & ACTION_GUEST)
		m->flags |= MESSAGE_GUEST;
}

/* Service of a tree connect: an OEM string whatever the encoding of the message. */
static bool is_pipe_service(const Cursor *service)
{
	return service->len >= 3 && memcmp(service->start, "IPC", 3) == 0;
}

void smb1_tree_connect_andx_request(Smb1Member *in, Message *m)
{
	uint16_t password_len;
	size_t end = in->bytes_at + in->bytes_len, at;
	Cursor service;

	cursor_skip(&in->words, 2);
	password_len = cursor_le16(&in->words);
	if (in->words.bad || password_len > in->bytes_len)
		return;
	at = in->bytes_at + password_len;
	at = smb1_member_string(in, at, end - at, m);
	if (at < end) {
		service = smb1_member_slice(in, at, end - at, m);
		if (is_pipe_service(&service))
			m->flags |= MESSAGE_PIPE;
	}
}

void smb1_tree_connect_andx_reply(Smb1Member *in, Message *m)
{
	Cursor service = smb1_member_slice(in, in->bytes_at, in->bytes_len, m);

	if (in->word_count >= 3 && (cursor_le16(&in->words) & SHARE_IS_IN_DFS))
		m->flags |= MESSAGE_DFS;
	if (in->word_count >= 7)
		m->access = cursor_le32(&in->words);
	if (is_pipe_service(&service))
		m->flags |= MESSAGE_PIPE;
}

/* Path, password, service, each an ASCII string behind a format byte. */
void smb1_tree_connect_request(Smb1Member *in, Message *m)
{
	Cursor c = smb1_member_slice(in, in->bytes_at, in->bytes_len, m);
	Cursor service = cursor_over(NULL, 0);

	for (int i = 0; i < 3 && cursor_u8(&c) == BUFFER_FORMAT_ASCII && !c.bad; i++) {
		const uint8_t *text = c.start + c.pos;
		const uint8_t *end = memchr(text, 0, cursor_left(&c));
		size_t len = end ? (size_t)(end - text) : cursor_left(&c);
		if (i == 0) {
			m->name = text;
			m->name_len = (uint32_t)len;
		} else if (i == 2) {
			service = cursor_over(text, len);
		}
		cursor_skip(&c, end ? len + 1 : len);
	}
	if (is_pipe_service(&service))
		m->flags |= MESSAGE_PIPE;
}

void smb1_tree_connect_reply(Smb1Member *in, Message *m)
{
	cursor_skip(&in->words, 2); /* MaxBufferSize */
	m->tree_id = cursor_le16(&in->words);
}
