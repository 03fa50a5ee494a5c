/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB2 NEGOTIATE both ways, with its contexts. Source: MS-SMB2 2.2.3, 2.2.4.
 */
#include "dissectors/smb2_member.h"

#define DIALECT_311 0x0311

/* MS-SMB2 2.2.3 SecurityMode and Capabilities */
#define SECURITY_SIGNING_ENABLED 0x0001U
#define SECURITY_SIGNING_REQUIRED 0x0002U
#define CAP_DFS 0x00000001U
#define CAP_LEASING 0x00000002U
#define CAP_LARGE_MTU 0x00000004U
#define CAP_MULTI_CHANNEL 0x00000008U
#define CAP_ENCRYPTION 0x00000040U

enum ContextType {
	CONTEXT_PREAUTH_INTEGRITY = 1,
	CONTEXT_ENCRYPTION = 2,
	CONTEXT_COMPRESSION = 3,
	CONTEXT_NETNAME = 5,
	CONTEXT_SIGNING = 8,
};

/* Real peers send at most seven; each takes at least 8 bytes of what was staged. */
#define MAX_CONTEXTS 64

static void set_capabilities(MessageNegotiation *n, uint16_t security_mode, uint32_t capabilities)
{
	n->signing_enabled = security_mode & SECURITY_SIGNING_ENABLED;
	n->signing_required = security_mode & SECURITY_SIGNING_REQUIRED;
	n->dfs = capabilities & CAP_DFS;
	n->leasing = capabilities & CAP_LEASING;
	n->large_mtu = capabilities & CAP_LARGE_MTU;
	n->multichannel = capabilities & CAP_MULTI_CHANNEL;
	n->encryption = capabilities & CAP_ENCRYPTION;
}

/* MS-SMB2 2.2.3.1.2: the client lists ciphers by preference, the server answers one (0: none). */
static void parse_encryption(Cursor c, MessageNegotiation *n)
{
	uint16_t count = cursor_le16(&c);
	uint16_t first = cursor_le16(&c);

	if (!c.bad && count > 0) {
		n->cipher = first;
		n->encryption = first != 0;
	}
}

/* MS-SMB2 2.2.3.1.3 */
static void parse_compression(Cursor c, MessageNegotiation *n)
{
	uint16_t count = cursor_le16(&c);

	cursor_skip(&c, 2);
	n->compression_chained = cursor_le32(&c) & 1;
	for (; count > 0 && cursor_left(&c) >= 2; count--) {
		uint16_t algorithm = cursor_le16(&c);
		if (algorithm == 0)
			continue;
		if (n->compression_count < sizeof n->compression / sizeof n->compression[0])
			n->compression[n->compression_count] = algorithm;
		n->compression_count++;
	}
}

/* MS-SMB2 2.2.3.1.7 */
static void parse_signing(Cursor c, MessageNegotiation *n)
{
	uint16_t count = cursor_le16(&c);
	uint16_t first = cursor_le16(&c);

	if (!c.bad && count > 0) {
		n->signing_algorithm = first;
		n->has_signing_algorithm = true;
	}
}

/* MS-SMB2 2.2.3.1: each context begins at a multiple of 8 from the header. */
static void parse_contexts(
	Smb2Member *in, uint32_t offset, uint16_t count, Message *m, MessageNegotiation *n)
{
	size_t at = offset;

	if (count == 0)
		return;
	if (offset < SMB2_HEADER_LEN || offset > in->wire_len || count > MAX_CONTEXTS) {
		in->anomaly = "smb2-bad-offset";
		return;
	}
	for (; count > 0; count--) {
		Cursor head = cursor_at(&in->all, at, 8);
		uint16_t type = cursor_le16(&head);
		uint16_t len = cursor_le16(&head);
		Cursor data;

		if (head.bad) {
			if (in->all.len < in->wire_len)
				m->flags |= MESSAGE_TRUNCATED;
			else
				in->anomaly = "smb2-bad-offset";
			return;
		}
		data = smb2_member_slice(in, at + 8, len, m);
		if (type == CONTEXT_PREAUTH_INTEGRITY) {
			n->preauth_integrity = true;
		} else if (type == CONTEXT_ENCRYPTION) {
			parse_encryption(data, n);
		} else if (type == CONTEXT_COMPRESSION) {
			parse_compression(data, n);
		} else if (type == CONTEXT_SIGNING) {
			parse_signing(data, n);
		} else if (type == CONTEXT_NETNAME) {
			n->netname = data.start;
			n->netname_len = (uint32_t)data.len;
		}
		at = (at + 8 + len + 7) & ~(size_t)7;
	}
}

void smb2_negotiate_request(Smb2Member *in, Message *m, MessageNegotiation *n)
{
	Cursor *c = &in->body;
	uint16_t dialect_count, security_mode, context_count;
	uint32_t capabilities, context_offset;
	bool offers_311 = false;

	memset(n, 0, sizeof *n);
	m->negotiation = n;
	if (!smb2_member_begin(in, 36))
		return;
	dialect_count = cursor_le16(c);
	security_mode = cursor_le16(c);
	cursor_skip(c, 2);
	capabilities = cursor_le32(c);
	cursor_bytes(c, n->server_guid, sizeof n->server_guid);
	context_offset = cursor_le32(c);
	context_count = cursor_le16(c);
	cursor_skip(c, 2);
	set_capabilities(n, security_mode, capabilities);
	for (uint16_t i = 0; i < dialect_count && !c->bad; i++) {
		uint16_t dialect = cursor_le16(c);
		if (c->bad)
			break;
		offers_311 |= dialect == DIALECT_311;
		if (n->offered_count < sizeof n->offered / sizeof n->offered[0])
			n->offered[n->offered_count++] = dialect;
	}
	if (offers_311 && !c->bad) /* otherwise those eight bytes are ClientStartTime */
		parse_contexts(in, context_offset, context_count, m, n);
}

void smb2_negotiate_reply(Smb2Member *in, Message *m, MessageNegotiation *n)
{
	Cursor *c = &in->body;
	uint16_t security_mode, context_count;
	uint32_t capabilities, context_offset;

	memset(n, 0, sizeof *n);
	m->negotiation = n;
	if (!smb2_member_begin(in, 65))
		return;
	security_mode = cursor_le16(c);
	n->dialect = cursor_le16(c);
	context_count = cursor_le16(c);
	cursor_bytes(c, n->server_guid, sizeof n->server_guid);
	capabilities = cursor_le32(c);
	n->max_transact = cursor_le32(c);
	n->max_read = cursor_le32(c);
	n->max_write = cursor_le32(c);
	cursor_skip(c, 8 + 8 + 2 + 2); /* times, security buffer */
	context_offset = cursor_le32(c);
	set_capabilities(n, security_mode, capabilities);
	if (n->dialect == DIALECT_311 && !c->bad)
		parse_contexts(in, context_offset, context_count, m, n);
}
