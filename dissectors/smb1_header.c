/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 header, AndX chain, bare data of raw reads and writes.
 */
#include "dissectors/smb1_header.h"

#include "dissectors/smb1_member.h"
#include "dissectors/smb_status.h"

/* MS-CIFS 2.2.3.1 Flags2 */
#define FLAGS2_SIGNED 0x0004U
#define FLAGS2_DFS 0x1000U
#define FLAGS2_NT_STATUS 0x4000U
#define FLAGS2_UNICODE 0x8000U

typedef struct Smb1Header {
	uint8_t command, flags;
	uint16_t flags2, tid, uid;
	uint32_t status;
	uint64_t request_id;
	bool is_signed;
} Smb1Header;

Cursor smb1_member_slice(Smb1Member *in, size_t offset, size_t len, Message *m)
{
	if (len == 0)
		return cursor_over(NULL, 0);
	if (offset < SMB1_HEADER_LEN || offset > in->wire_len || len > in->wire_len - offset) {
		in->anomaly = "smb1-bad-offset";
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

void smb1_member_data(Smb1Member *in, size_t offset, uint64_t len, Message *m)
{
	if (len == 0)
		return;
	if (offset < SMB1_HEADER_LEN || offset > in->wire_len) {
		in->anomaly = "smb1-bad-offset";
		return;
	}
	if (len > in->wire_len - offset) {
		in->anomaly = "smb1-bad-offset";
		len = in->wire_len - offset;
	}
	m->length = len;
	if (len > 0)
		m->data_offset = (uint32_t)(in->at + offset);
}

size_t smb1_member_string(Smb1Member *in, size_t offset, size_t len, Message *m)
{
	size_t unit = in->unicode ? 2 : 1, n = 0;
	Cursor c;

	if (in->unicode && (offset & 1)) {
		offset++;
		len = len > 0 ? len - 1 : 0;
	}
	c = smb1_member_slice(in, offset, len, m);
	while (n + unit <= c.len && (c.start[n] != 0 || (in->unicode && c.start[n + 1] != 0)))
		n += unit;
	m->name = c.start;
	m->name_len = (uint32_t)n;
	if (in->unicode)
		m->flags |= MESSAGE_NAME_UTF16;
	return offset + n + unit;
}

void smb1_member_fid(Smb1Member *in, Message *m)
{
	const uint8_t *fid = cursor_take(&in->words, 2);

	if (fid) {
		m->file_id[0] = fid[0];
		m->file_id[1] = fid[1];
		m->flags |= MESSAGE_HAS_FILE_ID;
	}
}

/* MS-CIFS 2.2.3.1 */
static bool parse_header(Cursor *c, Smb1Header *ret)
{
	uint16_t pid, mid;
	uint64_t signature;

	cursor_skip(c, 4);
	ret->command = cursor_u8(c);
	ret->status = cursor_le32(c);
	ret->flags = cursor_u8(c);
	ret->flags2 = cursor_le16(c);
	cursor_skip(c, 2); /* high half of the process id: not every server echoes it */
	signature = cursor_le64(c);
	cursor_skip(c, 2);
	ret->tid = cursor_le16(c);
	pid = cursor_le16(c);
	ret->uid = cursor_le16(c);
	mid = cursor_le16(c);
	ret->request_id = (uint64_t)pid << 16 | mid;
	/* clients set the flag before there is a key; the signature is then zero */
	ret->is_signed = (ret->flags2 & FLAGS2_SIGNED) && signature != 0 &&
			 ret->command != SMB1_NEGOTIATE && ret->command != SMB1_SESSION_SETUP_ANDX;
	return !c->bad;
}

/* Reads word count, words and byte count of the member at @at. */
static void open_member(Smb1Member *in, size_t at, bool is_chained)
{
	Cursor c = cursor_at(&in->all, at, in->all.len - at);
	size_t words_len, kept;

	in->word_count = cursor_u8(&c);
	words_len = (size_t)in->word_count * 2;
	kept = cursor_left(&c);
	in->words = cursor_sub(&c, words_len < kept ? words_len : kept);
	if (is_chained && in->word_count >= 2)
		cursor_skip(&in->words, 4);
	in->bytes_at = at + 1 + words_len + 2;
	in->bytes_len = words_len < kept ? cursor_le16(&c) : 0;
	if (in->bytes_at > in->wire_len)
		in->bytes_len = 0;
	else if (in->bytes_len > in->wire_len - in->bytes_at)
		in->bytes_len = in->wire_len - in->bytes_at;
}

/*
 * Where the member after the one at @at begins; 0 when it is the last, with the reason in
 * @ret_anomaly when that is not as it should be. MS-CIFS 2.2.3.4.
 */
static size_t next_member(const Smb1Member *in, uint8_t command, size_t at, uint8_t *ret_command,
	const char **ret_anomaly)
{
	Cursor c = cursor_at(&in->all, at, in->all.len - at);
	uint8_t word_count = cursor_u8(&c), next;
	size_t offset;

	if (!smb1_command_find(command)->is_chained || word_count < 2)
		return 0;
	next = cursor_u8(&c);
	cursor_skip(&c, 1);
	offset = cursor_le16(&c);
	if (c.bad || next == SMB1_NO_ANDX)
		return 0;
	if (offset < at + 1 + (size_t)word_count * 2 + 2 || offset >= in->wire_len) {
		*ret_anomaly = "andx-loop";
		return 0;
	}
	if (offset >= in->all.len) {
		*ret_anomaly = "andx-cut";
		return 0;
	}
	*ret_command = next;
	return offset;
}

static uint16_t count_members(const Smb1Member *in, uint8_t command)
{
	const char *ignored = NULL;
	size_t at = SMB1_HEADER_LEN;
	uint16_t count = 1;

	while (count < PARSE_MAX_ANDX &&
		(at = next_member(in, command, at, &command, &ignored)) != 0)
		count++;
	return count;
}

/* Kind of a message and, for answers, its status. @is_last: the header's status belongs to it. */
static void set_kind(const Smb1Header *header, bool is_last, uint8_t word_count, Message *m)
{
	bool is_transaction = m->command == SMB1_TRANSACTION || m->command == SMB1_TRANSACTION2 ||
			      m->command == SMB1_NT_TRANSACT;

	if (!(header->flags & SMB1_FLAG_REPLY)) {
		m->kind = MESSAGE_REQUEST;
		/* the one thing a server sends unasked: it breaks an oplock */
		if (m->command == SMB1_LOCKING_ANDX && !(m->flags & MESSAGE_FROM_CLIENT)) {
			m->kind = MESSAGE_NOTICE;
			m->verb = VERB_BREAK;
		}
		return;
	}
	m->kind = MESSAGE_REPLY;
	if (is_last) {
		m->status = header->flags2 & FLAGS2_NT_STATUS
				    ? header->status
				    : smb_status_from_dos((uint8_t)header->status,
					      (uint16_t)(header->status >> 16));
		m->status_class = smb_status_class(m->status);
	}
	/* an empty answer to the first part of a transaction asks for the rest: MS-CIFS 3.2.4.1.5
	 */
	if (m->status_class == STATUS_CLASS_PENDING ||
		(is_transaction && word_count == 0 && m->status == 0 &&
			!(m->flags & MESSAGE_TRUNCATED)))
		m->kind = MESSAGE_INTERIM;
}

static void report(const MessageSink *sink, const char *anomaly)
{
	if (anomaly && sink->anomaly)
		sink->anomaly(sink->user, anomaly);
}

static void parse_member(Smb1Member *in, Message *m)
{
	const Smb1CommandEntry *entry = smb1_command_find((uint8_t)m->command);
	bool is_reply = in->header_flags & SMB1_FLAG_REPLY;
	Smb1Parser parser = is_reply ? entry->reply : entry->request;

	/* failures and interim answers have no words; neither have successes without content */
	if (!parser || (is_reply && in->word_count == 0))
		return;
	parser(in, m);
	if (in->words.bad) {
		if (in->bytes_at > in->all.len)
			m->flags |= MESSAGE_TRUNCATED;
		else
			in->anomaly = "smb1-short-words";
	}
}

/* A file id after an open in the same chain is the one that open is going to return. */
static void mark_related(const Message *previous, Message *m)
{
	if (previous->verb != VERB_OPEN || m->kind != MESSAGE_REQUEST ||
		!(m->flags & MESSAGE_HAS_FILE_ID))
		return;
	memset(m->file_id, 0xFF, sizeof m->file_id);
	m->flags |= MESSAGE_RELATED;
}

static void forget_raw(DissectorState *state, const Smb1Header *header, bool from_client)
{
	/* a server may break an oplock before it sends raw data: MS-CIFS 2.2.4.22 */
	if (header->command == SMB1_LOCKING_ANDX && !(header->flags & SMB1_FLAG_REPLY))
		return;
	if (from_client)
		state->raw_write_pending = false;
	else
		state->raw_read_pending = false;
}

void smb1_decode(DissectorState *state, const Smb1Input *input, const MessageSink *sink)
{
	Smb1Member in = {.all = cursor_over(input->data, input->len),
		.wire_len = input->wire_len,
		.at = input->at,
		.state = state};
	MessageNegotiation negotiation;
	Smb1Header header;
	Cursor c = in.all;
	size_t at = SMB1_HEADER_LEN;
	Message previous = {.verb = VERB_OTHER};
	uint16_t count;

	if (!parse_header(&c, &header)) {
		report(sink, "header-cut");
		return;
	}
	forget_raw(state, &header, input->from_client);
	in.negotiation = &negotiation;
	in.header_flags = header.flags;
	in.unicode = state->unicode = header.flags2 & FLAGS2_UNICODE;
	count = count_members(&in, header.command);
	for (uint16_t i = 0; i < count; i++) {
		const Smb1CommandEntry *entry = smb1_command_find(header.command);
		bool is_last = i + 1 == count;
		Message m = {.protocol = MESSAGE_SMB1,
			.verb = entry->verb,
			.command = header.command,
			.request_id = (uint64_t)i << 32 | header.request_id,
			.session_id = header.uid,
			.tree_id = header.tid,
			.index = i,
			.count = count};

		in.anomaly = entry->name ? NULL : "smb1-unknown-command";
		m.flags = (input->from_client ? MESSAGE_FROM_CLIENT : 0U) |
			  (header.is_signed ? MESSAGE_SIGNED : 0U) |
			  (header.flags2 & FLAGS2_DFS ? MESSAGE_DFS : 0U) |
			  (is_last ? MESSAGE_LAST : 0U);
		if (at >= in.all.len)
			m.flags |= MESSAGE_TRUNCATED;
		open_member(&in, at < in.all.len ? at : in.all.len, entry->is_chained);
		set_kind(&header, is_last, in.word_count, &m);
		parse_member(&in, &m);
		mark_related(&previous, &m);
		if ((m.kind == MESSAGE_REQUEST) != input->from_client && m.kind != MESSAGE_NOTICE)
			in.anomaly = "smb1-direction";
		at = next_member(&in, header.command, at < in.all.len ? at : in.all.len,
			&header.command, &in.anomaly);
		report(sink, in.anomaly);
		sink->message(sink->user, &m);
		if (at == 0)
			break;
		previous = m;
	}
}

bool smb1_raw_expected(const DissectorState *state, const uint8_t *data, size_t len,
	size_t wire_len, bool from_client)
{
	if (!(from_client ? state->raw_write_pending : state->raw_read_pending))
		return false;
	/* a header after all: the bare data was lost, or a break came first */
	return !(wire_len > SMB1_HEADER_LEN && len >= 4 && memcmp(data, "\xFFSMB", 4) == 0);
}

void smb1_raw_decode(DissectorState *state, size_t wire_len, size_t at, bool from_client,
	const MessageSink *sink)
{
	Message m = {.protocol = MESSAGE_SMB1,
		.request_id = state->raw_request_id,
		.length = wire_len,
		.data_offset = wire_len ? (uint32_t)at : 0,
		.flags = MESSAGE_LAST,
		.count = 1};

	if (from_client) {
		state->raw_write_pending = false;
		m.kind = MESSAGE_NOTICE; /* the rest of a request that was announced */
		m.verb = VERB_WRITE;
		m.command = SMB1_WRITE_RAW;
		m.flags |= MESSAGE_FROM_CLIENT | MESSAGE_MULTIPART;
	} else {
		state->raw_read_pending = false;
		m.kind = MESSAGE_REPLY;
		m.verb = VERB_READ;
		m.command = SMB1_READ_RAW;
	}
	sink->message(sink->user, &m);
}

size_t smb1_staging(const uint8_t *data, size_t len, size_t wire_len)
{
	size_t want = PROTOCOL_MAX_STAGED;
	bool is_io = len > 4 && (data[4] == SMB1_READ_ANDX || data[4] == SMB1_WRITE_ANDX);

	/* header, at most 14 words, ByteCount, padding, and room for a member chained behind an
	 * empty answer */
	if (is_io)
		want = SMB1_HEADER_LEN + 96;
	return want < wire_len ? want : wire_len;
}
