/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 header and compound chain. Bodies are in smb2_negotiate.c, smb2_session.c, smb2_file.c,
 * smb2_io.c, smb2_query.c and smb2_ioctl.c.
 */
#include "dissectors/smb2_header.h"

#include "dissectors/smb2_member.h"
#include "dissectors/smb_status.h"

/* MS-SMB2 2.2.1.2 Flags */
#define FLAG_RESPONSE 0x00000001U
#define FLAG_ASYNC 0x00000002U
#define FLAG_RELATED 0x00000004U
#define FLAG_SIGNED 0x00000008U
#define FLAG_DFS 0x10000000U

/* Offsets in the header */
#define AT_NEXT_COMMAND 20
#define HEADER_TO_MESSAGE_ID 32

enum Smb2Command {
	SMB2_NEGOTIATE,
	SMB2_SESSION_SETUP,
	SMB2_LOGOFF,
	SMB2_TREE_CONNECT,
	SMB2_TREE_DISCONNECT,
	SMB2_CREATE,
	SMB2_CLOSE,
	SMB2_FLUSH,
	SMB2_READ,
	SMB2_WRITE,
	SMB2_LOCK,
	SMB2_IOCTL,
	SMB2_CANCEL,
	SMB2_ECHO,
	SMB2_QUERY_DIRECTORY,
	SMB2_CHANGE_NOTIFY,
	SMB2_QUERY_INFO,
	SMB2_SET_INFO,
	SMB2_OPLOCK_BREAK,
	SMB2_COMMAND_COUNT
};

static const struct {
	const char *name;
	MessageVerb verb;
} commands[SMB2_COMMAND_COUNT] = {
	[SMB2_NEGOTIATE] = {"negotiate", VERB_NEGOTIATE},
	[SMB2_SESSION_SETUP] = {"session-setup", VERB_LOGIN},
	[SMB2_LOGOFF] = {"logoff", VERB_LOGOFF},
	[SMB2_TREE_CONNECT] = {"tree-connect", VERB_CONNECT},
	[SMB2_TREE_DISCONNECT] = {"tree-disconnect", VERB_DISCONNECT},
	[SMB2_CREATE] = {"create", VERB_OPEN},
	[SMB2_CLOSE] = {"close", VERB_CLOSE},
	[SMB2_FLUSH] = {"flush", VERB_FLUSH},
	[SMB2_READ] = {"read", VERB_READ},
	[SMB2_WRITE] = {"write", VERB_WRITE},
	[SMB2_LOCK] = {"lock", VERB_LOCK},
	[SMB2_IOCTL] = {"ioctl", VERB_IOCTL},
	[SMB2_CANCEL] = {"cancel", VERB_CANCEL},
	[SMB2_ECHO] = {"echo", VERB_ECHO},
	[SMB2_QUERY_DIRECTORY] = {"query-directory", VERB_LIST},
	[SMB2_CHANGE_NOTIFY] = {"change-notify", VERB_NOTIFY},
	[SMB2_QUERY_INFO] = {"query-info", VERB_QUERY},
	[SMB2_SET_INFO] = {"set-info", VERB_SET},
	[SMB2_OPLOCK_BREAK] = {"oplock-break", VERB_BREAK},
};

const char *smb2_command_name(uint16_t command)
{
	return command < SMB2_COMMAND_COUNT ? commands[command].name : NULL;
}

Cursor smb2_member_slice(Smb2Member *in, size_t offset, size_t len, Message *m)
{
	if (len == 0)
		return cursor_over(NULL, 0);
	if (offset < SMB2_HEADER_LEN || offset > in->wire_len || len > in->wire_len - offset) {
		in->anomaly = "smb2-bad-offset";
		return cursor_over(NULL, 0);
	}
	if (offset >= in->all.len) {
		m->flags |= MESSAGE_TRUNCATED;
		return cursor_over(NULL, 0);
	}
	if (len > in->all.len - offset) {
		m->flags |= MESSAGE_TRUNCATED;
		len = in->all.len - offset;
	}
	return cursor_at(&in->all, offset, len);
}

void smb2_member_data(Smb2Member *in, size_t offset, uint64_t len, Message *m)
{
	if (offset < SMB2_HEADER_LEN || offset > in->wire_len || len > in->wire_len - offset) {
		if (len == 0)
			return;
		in->anomaly = "smb2-bad-offset";
		if (offset < SMB2_HEADER_LEN || offset > in->wire_len)
			return;
		len = in->wire_len - offset;
	}
	m->length = len;
	if (len > 0)
		m->data_offset = (uint32_t)(in->at + offset);
}

static void decode_request(Smb2Member *in, Message *m, MessageNegotiation *n)
{
	switch (m->command) {
	case SMB2_NEGOTIATE:
		smb2_negotiate_request(in, m, n);
		break;
	case SMB2_SESSION_SETUP:
		smb2_session_setup_request(in, m);
		break;
	case SMB2_TREE_CONNECT:
		smb2_tree_connect_request(in, m);
		break;
	case SMB2_CREATE:
		smb2_create_request(in, m);
		break;
	case SMB2_CLOSE:
		smb2_close_request(in, m);
		break;
	case SMB2_FLUSH:
		smb2_flush_request(in, m);
		break;
	case SMB2_READ:
		smb2_read_request(in, m);
		break;
	case SMB2_WRITE:
		smb2_write_request(in, m);
		break;
	case SMB2_LOCK:
		smb2_lock_request(in, m);
		break;
	case SMB2_IOCTL:
		smb2_ioctl_request(in, m);
		break;
	case SMB2_QUERY_DIRECTORY:
		smb2_directory_request(in, m);
		break;
	case SMB2_CHANGE_NOTIFY:
		smb2_notify_request(in, m);
		break;
	case SMB2_QUERY_INFO:
		smb2_query_info_request(in, m);
		break;
	case SMB2_SET_INFO:
		smb2_set_info_request(in, m);
		break;
	case SMB2_OPLOCK_BREAK:
		smb2_break_request(in, m);
		break;
	default:
		break;
	}
}

/* An answer that reports failure has the 9-byte error body of MS-SMB2 2.2.2 instead of its own. */
static void decode_reply(Smb2Member *in, Message *m, MessageNegotiation *n)
{
	bool has_body = m->status_class == STATUS_CLASS_OK || m->status_class == STATUS_CLASS_MORE;

	if (m->command == SMB2_IOCTL && (has_body || m->status == SMB_STATUS_INVALID_PARAMETER)) {
		smb2_ioctl_reply(in, m); /* a refused copy chunk answers with its limits */
		return;
	}
	if (!has_body)
		return;
	switch (m->command) {
	case SMB2_NEGOTIATE:
		smb2_negotiate_reply(in, m, n);
		break;
	case SMB2_SESSION_SETUP:
		smb2_session_setup_reply(in, m);
		break;
	case SMB2_TREE_CONNECT:
		smb2_tree_connect_reply(in, m);
		break;
	case SMB2_CREATE:
		smb2_create_reply(in, m);
		break;
	case SMB2_CLOSE:
		smb2_close_reply(in, m);
		break;
	case SMB2_READ:
		smb2_read_reply(in, m);
		break;
	case SMB2_WRITE:
		smb2_write_reply(in, m);
		break;
	case SMB2_QUERY_DIRECTORY:
		smb2_directory_reply(in, m);
		break;
	case SMB2_QUERY_INFO:
		smb2_query_info_reply(in, m);
		break;
	default:
		break;
	}
}

/* MS-SMB2 2.2.1: fills @m from the header; false when it is not one. */
static bool decode_header(Cursor *c, uint32_t extra_flags, bool from_client, Message *m)
{
	uint16_t structure_size;
	uint32_t flags, status;

	cursor_skip(c, 4);
	structure_size = cursor_le16(c);
	m->credit_charge = cursor_le16(c);
	status = cursor_le32(c);
	m->command = cursor_le16(c);
	m->credits = cursor_le16(c);
	flags = cursor_le32(c);
	cursor_skip(c, 4);
	m->request_id = cursor_le64(c);
	if (c->bad || structure_size != SMB2_HEADER_LEN)
		return false;
	if (flags & FLAG_ASYNC) {
		m->async_id = cursor_le64(c);
		m->flags |= MESSAGE_ASYNC;
	} else {
		cursor_skip(c, 4);
		m->tree_id = cursor_le32(c);
	}
	m->session_id = cursor_le64(c);
	cursor_skip(c, 16);
	m->protocol = MESSAGE_SMB2;
	m->flags |= extra_flags | (flags & FLAG_SIGNED ? MESSAGE_SIGNED : 0U) |
		    (flags & FLAG_RELATED ? MESSAGE_RELATED : 0U) |
		    (flags & FLAG_DFS ? MESSAGE_DFS : 0U) |
		    (from_client ? MESSAGE_FROM_CLIENT : 0U);
	m->verb = m->command < SMB2_COMMAND_COUNT ? commands[m->command].verb : VERB_OTHER;
	if (!(flags & FLAG_RESPONSE)) {
		m->kind = MESSAGE_REQUEST; /* status holds a channel sequence, 2.2.1.1 */
	} else if (m->command == SMB2_OPLOCK_BREAK && m->request_id == UINT64_MAX) {
		m->kind = MESSAGE_NOTICE;
	} else {
		m->kind = status == SMB_STATUS_PENDING ? MESSAGE_INTERIM : MESSAGE_REPLY;
		m->status = status;
		m->status_class = smb_status_class(status);
	}
	return true;
}

static void report(const MessageSink *sink, const char *anomaly)
{
	if (anomaly && sink->anomaly)
		sink->anomaly(sink->user, anomaly);
}

static void decode_member(DissectorState *state, Smb2Member *in, uint32_t extra_flags,
	bool from_client, Message *m, const MessageSink *sink)
{
	MessageNegotiation n;

	if (in->all.len < HEADER_TO_MESSAGE_ID) {
		report(sink, "header-cut"); /* without a MessageId it would pair with a stranger */
		return;
	}
	if (!decode_header(&in->body, extra_flags, from_client, m)) {
		report(sink, "smb2-bad-header");
		return;
	}
	if (m->kind == MESSAGE_REQUEST)
		decode_request(in, m, &n);
	else if (m->kind == MESSAGE_REPLY)
		decode_reply(in, m, &n);
	else if (m->kind == MESSAGE_NOTICE)
		smb2_break_notice(in, m);
	if (in->body.bad) {
		if (in->all.len < in->wire_len)
			m->flags |= MESSAGE_TRUNCATED;
		else
			in->anomaly = "smb2-short-body";
	}
	if (m->command >= SMB2_COMMAND_COUNT)
		in->anomaly = "smb2-unknown-command";
	if ((m->kind == MESSAGE_REQUEST) != from_client)
		in->anomaly = "smb2-direction";
	if (m->negotiation && m->kind == MESSAGE_REPLY)
		state->dialect = m->negotiation->dialect;
	report(sink, in->anomaly);
	sink->message(sink->user, m);
}

size_t smb2_next_command(const uint8_t *data, size_t len, size_t wire_len)
{
	Cursor c = cursor_over(data, len);
	uint32_t next;

	cursor_skip(&c, AT_NEXT_COMMAND);
	next = cursor_le32(&c);
	return next >= SMB2_HEADER_LEN && next < wire_len ? next : 0;
}

/* Members that the header chain announces in the kept bytes, at least 1. */
static uint16_t count_members(const Smb2Input *in)
{
	uint16_t count = 1;

	for (size_t at = 0, next; count < PARSE_MAX_COMPOUND; count++, at += next) {
		next = smb2_next_command(in->data + at, in->len - at, in->wire_len - at);
		if (next == 0 || next >= in->len - at)
			break;
	}
	return count;
}

void smb2_decode(DissectorState *state, const Smb2Input *in, const MessageSink *sink)
{
	unsigned direction = in->from_client ? 0 : 1;
	uint16_t before = state->compound_index[direction];
	uint16_t count = count_members(in);
	size_t at = 0;

	for (uint16_t i = 0; i < count; i++) {
		size_t kept = in->len - at, wire = in->wire_len - at;
		size_t next = smb2_next_command(in->data + at, kept, wire);
		bool is_last = next == 0 && in->left_after == 0;
		Message m = {.index = (uint16_t)(before + i),
			.count = (uint16_t)(before + count + (in->left_after ? 1 : 0)),
			.flags = is_last ? MESSAGE_LAST : 0U};
		Smb2Member member = {.wire_len = next ? next : wire, .at = in->at + at};

		member.all =
			cursor_over(in->data + at, kept < member.wire_len ? kept : member.wire_len);
		member.body = member.all;
		if (next == 0 && kept > AT_NEXT_COMMAND + 3 && in->left_after == 0) {
			Cursor c = cursor_at(&member.all, AT_NEXT_COMMAND, 4);
			if (cursor_le32(&c) != 0)
				member.anomaly = "compound-bad-offset";
		}
		if (next >= kept && next > 0)
			report(sink, "compound-cut");
		decode_member(state, &member, in->extra_flags, in->from_client, &m, sink);
		if (next == 0)
			break;
		at += next;
	}
	state->compound_index[direction] =
		in->left_after ? (uint16_t)(before + (before < PARSE_MAX_COMPOUND ? 1 : 0)) : 0;
}

size_t smb2_staging(const uint8_t *data, size_t len, size_t wire_len)
{
	Cursor c = cursor_over(data, len);
	size_t want = PROTOCOL_MAX_STAGED;
	uint16_t command;
	uint32_t next;

	cursor_skip(&c, 12);
	command = cursor_le16(&c);
	cursor_skip(&c, 6);
	next = cursor_le32(&c);
	/* fixed parts of READ and WRITE, either way, are 48 bytes at most: MS-SMB2 2.2.19-2.2.22 */
	if (!c.bad && next == 0 && (command == SMB2_READ || command == SMB2_WRITE))
		want = SMB2_HEADER_LEN + 48;
	return want < wire_len ? want : wire_len;
}
