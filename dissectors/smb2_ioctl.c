/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 IOCTL: server-side copy, list of interfaces, DFS referrals; others by their code. Source:
 * MS-SMB2 2.2.31, 2.2.32, MS-DFSC 2.2.2, 2.2.4.
 */
#include "dissectors/smb2_member.h"

enum ControlCode {
	FSCTL_DFS_GET_REFERRALS = 0x00060194,
	FSCTL_DFS_GET_REFERRALS_EX = 0x000601B0,
	FSCTL_PIPE_WAIT = 0x00110018,
	FSCTL_PIPE_PEEK = 0x0011400C,
	FSCTL_PIPE_TRANSCEIVE = 0x0011C017,
	FSCTL_SRV_COPYCHUNK = 0x001440F2,
	FSCTL_SRV_COPYCHUNK_WRITE = 0x001480F2,
	FSCTL_QUERY_NETWORK_INTERFACE_INFO = 0x001401FC,
	FSCTL_DUPLICATE_EXTENTS = 0x00098344,
	FSCTL_OFFLOAD_READ = 0x00094264,
	FSCTL_OFFLOAD_WRITE = 0x00098268,
};

#define INTERFACE_RSS 0x00000001U
#define INTERFACE_RDMA 0x00000002U
/* One answer lists an address per entry, 152 bytes each: MS-SMB2 2.2.32.5. */
#define MIN_INTERFACE_LEN 152
/* Servers limit a copy to 256 chunks by default: MS-SMB2 3.3.3. */
#define MAX_CHUNKS 256

static bool is_copy(uint32_t code)
{
	return code == FSCTL_SRV_COPYCHUNK || code == FSCTL_SRV_COPYCHUNK_WRITE ||
	       code == FSCTL_DUPLICATE_EXTENTS || code == FSCTL_OFFLOAD_READ ||
	       code == FSCTL_OFFLOAD_WRITE;
}

/* MS-SMB2 2.2.31.1: SourceKey, ChunkCount, Reserved, then 24 bytes a chunk. */
static void parse_copy_chunks(Cursor c, Message *m)
{
	uint32_t count;

	cursor_skip(&c, 24);
	count = cursor_le32(&c);
	cursor_skip(&c, 4);
	if (c.bad)
		return;
	m->entries = count;
	for (uint32_t i = 0; i < count && i < MAX_CHUNKS; i++) {
		uint32_t len;
		cursor_skip(&c, 8);
		if (i == 0) {
			m->offset = cursor_le64(&c); /* in the target file */
			m->flags |= c.bad ? 0U : MESSAGE_HAS_OFFSET;
		} else {
			cursor_skip(&c, 8);
		}
		len = cursor_le32(&c);
		cursor_skip(&c, 4);
		m->length += len;
	}
}

/* MS-DFSC 2.2.2: MaxReferralLevel, then the path, zero-terminated. */
static void parse_referral_request(Cursor c, bool is_extended, Message *m)
{
	cursor_skip(&c, 2);
	if (is_extended) /* flags, length of the data, length of the name */
		cursor_skip(&c, 2 + 4 + 2);
	if (c.bad)
		return;
	m->name_len = (uint32_t)(cursor_left(&c) & ~(size_t)1);
	m->name = cursor_take(&c, m->name_len);
	for (uint32_t i = 0; i + 1 < m->name_len; i += 2) {
		if (m->name[i] == 0 && m->name[i + 1] == 0) {
			m->name_len = i;
			break;
		}
	}
	m->flags |= MESSAGE_NAME_UTF16;
}

void smb2_ioctl_request(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint32_t input_offset, input_len;
	Cursor input;

	if (!smb2_member_begin(in, 57))
		return;
	cursor_skip(c, 2);
	m->info_class = cursor_le32(c);
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID;
	input_offset = cursor_le32(c);
	input_len = cursor_le32(c);
	cursor_skip(c, 4 + 4 + 4);
	m->buffer_length = cursor_le32(c);
	if (c->bad)
		return;
	if (m->info_class == FSCTL_PIPE_PEEK || m->info_class == FSCTL_PIPE_TRANSCEIVE)
		m->flags |= MESSAGE_PIPE;
	if (is_copy(m->info_class))
		m->verb = VERB_COPY;
	else if (m->info_class == FSCTL_PIPE_WAIT)
		m->flags |= MESSAGE_BLOCKING;
	else
		m->length = input_len < in->wire_len ? input_len : in->wire_len;
	if (input_len == 0)
		return;
	if (m->info_class == FSCTL_SRV_COPYCHUNK || m->info_class == FSCTL_SRV_COPYCHUNK_WRITE) {
		input = smb2_member_slice(in, input_offset, input_len, m);
		parse_copy_chunks(input, m);
	} else if (m->info_class == FSCTL_DFS_GET_REFERRALS ||
		   m->info_class == FSCTL_DFS_GET_REFERRALS_EX) {
		input = smb2_member_slice(in, input_offset, input_len, m);
		parse_referral_request(input, m->info_class == FSCTL_DFS_GET_REFERRALS_EX, m);
	}
}

/* MS-SMB2 2.2.32.5: a chain by Next; an interface with two addresses has two entries. */
static void parse_interfaces(Smb2Member *in, Cursor area, Message *m)
{
	uint32_t last_index = 0;

	for (size_t at = 0; at < area.len;) {
		Cursor head = cursor_at(&area, at, 12);
		uint32_t next = cursor_le32(&head);
		uint32_t index = cursor_le32(&head);
		uint32_t capability = cursor_le32(&head);
		if (head.bad)
			return;
		if (m->entries == 0 || index != last_index)
			m->entries++;
		last_index = index;
		m->flags |= (capability & INTERFACE_RSS ? MESSAGE_RSS : 0U) |
			    (capability & INTERFACE_RDMA ? MESSAGE_RDMA : 0U);
		if (next == 0)
			return;
		if (next < MIN_INTERFACE_LEN) {
			in->anomaly = "smb2-entry-loop";
			return;
		}
		at += next;
	}
}

void smb2_ioctl_reply(Smb2Member *in, Message *m)
{
	Cursor *c = &in->body;
	uint16_t size = cursor_le16(c);
	uint32_t offset, len;
	Cursor output;

	if (!c->bad && size != 49) {
		/* a refusal without data has the error body, 2.2.2 */
		if (size != 9 || m->status_class == STATUS_CLASS_OK)
			in->anomaly = "smb2-structure-size";
		return;
	}
	cursor_skip(c, 2);
	m->info_class = cursor_le32(c);
	cursor_bytes(c, m->file_id, sizeof m->file_id);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID;
	cursor_skip(c, 4 + 4);
	offset = cursor_le32(c);
	len = cursor_le32(c);
	if (c->bad)
		return;
	if (is_copy(m->info_class))
		m->verb = VERB_COPY;
	else
		m->length = len < in->wire_len ? len : in->wire_len;
	if (len == 0)
		return;
	output = smb2_member_slice(in, offset, len, m);
	if (m->info_class == FSCTL_SRV_COPYCHUNK || m->info_class == FSCTL_SRV_COPYCHUNK_WRITE) {
		m->entries = cursor_le32(&output); /* 2.2.32.1 */
		cursor_skip(&output, 4);
		m->length = m->status_class == STATUS_CLASS_OK ? cursor_le32(&output) : 0;
	} else if (m->info_class == FSCTL_QUERY_NETWORK_INTERFACE_INFO) {
		parse_interfaces(in, output, m);
	} else if (m->info_class == FSCTL_DFS_GET_REFERRALS ||
		   m->info_class == FSCTL_DFS_GET_REFERRALS_EX) {
		cursor_skip(&output, 2);
		m->entries = cursor_le16(&output); /* MS-DFSC 2.2.4 */
	}
}
