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
/* The two low bytes of the MessageId: no session has so many requests outstanding that they would
 * be ambiguous, and both sides are cut at the same place. 96 bytes of a frame hold no more. */
#define HEADER_TO_SHORT_ID 26

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

/* MS-SMB2 2.2.1: fills @m from the 64 bytes at @header; false when they are no header. The length
 * of the window is a constant here, so that the checks of the cursor cost nothing. */
static bool decode_header(const uint8_t *header, uint32_t extra_flags, bool from_client, Message *m)
{
	Cursor c = {.start = header, .len = SMB2_HEADER_LEN};
	uint16_t structure_size;
	uint32_t flags, status;

	cursor_skip(&c, 4);
	structure_size = cursor_le16(&c);
	m->credit_charge = cursor_le16(&c);
	status = cursor_le32(&c);
	m->command = cursor_le16(&c);
	m->credits = cursor_le16(&c);
	flags = cursor_le32(&c);
	cursor_skip(&c, 4);
	m->request_id = cursor_le64(&c);
	if (structure_size != SMB2_HEADER_LEN)
		return false;
	if (flags & FLAG_ASYNC) {
		m->async_id = cursor_le64(&c);
		m->flags |= MESSAGE_ASYNC;
	} else {
		cursor_skip(&c, 4);
		m->tree_id = cursor_le32(&c);
	}
	m->session_id = cursor_le64(&c);
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
		m->status_class = status ? smb_status_class(status) : STATUS_CLASS_OK;
	}
	return true;
}

static void report(const MessageSink *sink, const char *anomaly)
{
	if (anomaly && sink->anomaly)
		sink->anomaly(sink->user, anomaly);
}

static void decode_body(DissectorState *state, Smb2Member *in, Message *m, MessageNegotiation *n)
{
	in->body = in->all;
	cursor_skip(&in->body, SMB2_HEADER_LEN);
	if (m->kind == MESSAGE_REQUEST)
		decode_request(in, m, n);
	else if (m->kind == MESSAGE_REPLY)
		decode_reply(in, m, n);
	else if (m->kind == MESSAGE_NOTICE)
		smb2_break_notice(in, m);
	if (in->body.bad) {
		if (in->all.len < in->wire_len)
			m->flags |= MESSAGE_TRUNCATED;
		else
			in->anomaly = "smb2-short-body";
	}
	if (m->negotiation && m->kind == MESSAGE_REPLY)
		state->dialect = m->negotiation->dialect;
}

static void decode_member(DissectorState *state, const Smb2Input *input, Smb2Member *in, Message *m,
	const MessageSink *sink)
{
	const uint8_t *header = in->all.start;
	uint8_t padded[SMB2_HEADER_LEN];
	MessageNegotiation n;

	if (in->all.len < HEADER_TO_SHORT_ID) {
		report(sink, "header-cut"); /* without a MessageId it would pair with a stranger */
		return;
	}
	if (in->all.len < SMB2_HEADER_LEN) { /* what is missing reads as zero */
		memset(padded, 0, sizeof padded);
		memcpy(padded, in->all.start, in->all.len);
		header = padded;
		m->flags |= MESSAGE_TRUNCATED;
	}
	if (!decode_header(header, input->extra_flags, input->from_client, m)) {
		report(sink, "smb2-bad-header");
		return;
	}
	decode_body(state, in, m, &n);
	if (m->command >= SMB2_COMMAND_COUNT)
		in->anomaly = "smb2-unknown-command";
	if ((m->kind == MESSAGE_REQUEST) != input->from_client)
		in->anomaly = "smb2-direction";
	m->opaque_length = input->opaque_length;
	if (input->opaque_length > 0)
		m->data_offset = 0; /* it has no place in the bytes on the wire */
	report(sink, in->anomaly);
	sink->message(sink->user, m);
}

/* NextCommand of the header at @data; 0 when the capture cut it off. */
static uint32_t raw_next_command(const uint8_t *data, size_t len)
{
	Cursor c = {.start = data, .len = AT_NEXT_COMMAND + 4};

	if (len < c.len)
		return 0;
	cursor_skip(&c, AT_NEXT_COMMAND);
	return cursor_le32(&c);
}

size_t smb2_next_command(const uint8_t *data, size_t len, size_t wire_len)
{
	uint32_t next = raw_next_command(data, len);

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

/* The first member of a compound too large to be staged, or one in its middle: it is alone in its
 * extent, and where it ends was settled when it was framed. */
static void decode_part(DissectorState *state, const Smb2Input *in, const MessageSink *sink)
{
	uint16_t *index = &state->compound_index[in->from_client ? 0 : 1];
	Message m = {.index = *index, .count = (uint16_t)(*index + 2)};
	Smb2Member member = {.wire_len = in->wire_len, .at = in->at};

	member.all = cursor_over(in->data, in->len);
	if (*index < PARSE_MAX_COMPOUND)
		++*index;
	decode_member(state, in, &member, &m, sink);
}

/* A message that is no compound, or its last member in an extent of its own: nearly all are. */
static void decode_last(
	DissectorState *state, const Smb2Input *in, uint16_t before, const MessageSink *sink)
{
	Message m = {.index = before, .count = (uint16_t)(before + 1), .flags = MESSAGE_LAST};
	Smb2Member member = {
		.all = cursor_over(in->data, in->len), .wire_len = in->wire_len, .at = in->at};

	decode_member(state, in, &member, &m, sink);
}

void smb2_decode(DissectorState *state, const Smb2Input *in, const MessageSink *sink)
{
	unsigned direction = in->from_client ? 0 : 1;
	uint16_t before = state->compound_index[direction];
	uint16_t count;

	if (in->left_after > 0) {
		decode_part(state, in, sink);
		return;
	}
	state->compound_index[direction] = 0;
	if (raw_next_command(in->data, in->len) == 0) {
		decode_last(state, in, before, sink);
		return;
	}
	count = count_members(in);
	for (size_t i = 0, at = 0; i < count; i++) {
		size_t kept = in->len - at, wire = in->wire_len - at;
		uint32_t next = raw_next_command(in->data + at, kept);
		Message m = {.index = (uint16_t)(before + i), .count = (uint16_t)(before + count)};
		Smb2Member member = {.at = in->at + at};

		if (next != 0 && (next < SMB2_HEADER_LEN || next >= wire)) {
			member.anomaly = "compound-bad-offset";
			next = 0;
		}
		if (next == 0)
			m.flags = MESSAGE_LAST;
		else if (next >= kept)
			report(sink, "compound-cut");
		member.wire_len = next ? next : wire;
		member.all =
			cursor_over(in->data + at, kept < member.wire_len ? kept : member.wire_len);
		decode_member(state, in, &member, &m, sink);
		at += next;
	}
}

size_t smb2_staging(const uint8_t *data, size_t len, size_t wire_len)
{
	Cursor c = {.start = data, .len = AT_NEXT_COMMAND + 4};
	size_t want = PROTOCOL_MAX_STAGED;
	uint16_t command;
	uint32_t next;

	if (len >= c.len) {
		cursor_skip(&c, 12);
		command = cursor_le16(&c);
		cursor_skip(&c, 6);
		next = cursor_le32(&c);
		/* fixed parts of READ and WRITE, either way, are 48 bytes at most: MS-SMB2
		 * 2.2.19-2.2.22 */
		if (next == 0 && (command == SMB2_READ || command == SMB2_WRITE))
			want = SMB2_HEADER_LEN + 48;
	}
	return want < wire_len ? want : wire_len;
}
