/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 NEGOTIATE. Source: MS-CIFS 2.2.4.52, MS-SMB 2.2.4.5.
 */
#include "dissectors/smb1_negotiate.h"

#include "dissectors/smb1_member.h"

#define BUFFER_FORMAT_DIALECT 0x02

/* MS-CIFS 2.2.4.52.2 SecurityMode and Capabilities */
#define SECURITY_SIGNING_ENABLED 0x04U
#define SECURITY_SIGNING_REQUIRED 0x08U
#define CAP_RAW_MODE 0x00000001U
#define CAP_DFS 0x00001000U
#define CAP_LARGE_READX 0x00004000U
#define CAP_LARGE_WRITEX 0x00008000U
#define CAP_EXTENDED_SECURITY 0x80000000U

/* Answers differ by WordCount: core, LAN Manager, NT LM 0.12. */
#define WORDS_CORE 1
#define WORDS_LANMAN 13
#define WORDS_NT_LM 17

#define DIALECT_NONE 0xFFFF

static const char *const dialect_names[SMB1_DIALECT_COUNT] = {
	[SMB1_DIALECT_UNKNOWN] = "unknown",
	[SMB1_DIALECT_CORE] = "PC NETWORK PROGRAM 1.0",
	[SMB1_DIALECT_XENIX_CORE] = "XENIX CORE",
	[SMB1_DIALECT_CORE_PLUS] = "MICROSOFT NETWORKS 1.03",
	[SMB1_DIALECT_LANMAN1_MS] = "MICROSOFT NETWORKS 3.0",
	[SMB1_DIALECT_LANMAN1] = "LANMAN1.0",
	[SMB1_DIALECT_WORKGROUPS] = "Windows for Workgroups 3.1a",
	[SMB1_DIALECT_LANMAN2_DOS] = "DOS LM1.2X002",
	[SMB1_DIALECT_LANMAN2] = "LM1.2X002",
	[SMB1_DIALECT_LANMAN21_DOS] = "DOS LANMAN2.1",
	[SMB1_DIALECT_LANMAN21] = "LANMAN2.1",
	[SMB1_DIALECT_SAMBA] = "Samba",
	[SMB1_DIALECT_NT_LANMAN] = "NT LANMAN 1.0",
	[SMB1_DIALECT_NT_LM] = "NT LM 0.12",
	[SMB1_DIALECT_SMB_2_002] = "SMB 2.002",
	[SMB1_DIALECT_SMB_2_ANY] = "SMB 2.???",
};

const char *smb1_dialect_name(uint8_t dialect)
{
	return dialect_names[dialect < SMB1_DIALECT_COUNT ? dialect : SMB1_DIALECT_UNKNOWN];
}

Smb1Dialect smb1_dialect_find(const uint8_t *data, size_t len)
{
	for (unsigned i = SMB1_DIALECT_CORE; i < SMB1_DIALECT_COUNT; i++)
		if (strlen(dialect_names[i]) == len && memcmp(dialect_names[i], data, len) == 0)
			return (Smb1Dialect)i;
	return SMB1_DIALECT_UNKNOWN;
}

static void add_dialect(MessageNegotiation *n, Smb1Dialect dialect)
{
	uint16_t smb2 = dialect == SMB1_DIALECT_SMB_2_002   ? 0x0202
			: dialect == SMB1_DIALECT_SMB_2_ANY ? 0x02FF
							    : 0;

	if (n->smb1_offered_count < sizeof n->smb1_offered)
		n->smb1_offered[n->smb1_offered_count++] = (uint8_t)dialect;
	if (!smb2)
		n->offered_smb1 = true;
	else if (n->offered_count < sizeof n->offered / sizeof n->offered[0])
		n->offered[n->offered_count++] = smb2;
}

void smb1_negotiate_request(Smb1Member *in, Message *m)
{
	MessageNegotiation *n = in->negotiation;
	Cursor c = smb1_member_slice(in, in->bytes_at, in->bytes_len, m);

	memset(n, 0, sizeof *n);
	m->negotiation = n;
	while (cursor_left(&c) > 0) {
		const uint8_t *text, *end;
		if (cursor_u8(&c) != BUFFER_FORMAT_DIALECT) {
			in->anomaly = "smb1-bad-dialects";
			return;
		}
		text = c.start + c.pos;
		end = memchr(text, 0, cursor_left(&c));
		if (!end) {
			if (!(m->flags & MESSAGE_TRUNCATED))
				in->anomaly = "smb1-bad-dialects";
			return;
		}
		add_dialect(n, smb1_dialect_find(text, (size_t)(end - text)));
		cursor_skip(&c, (size_t)(end - text) + 1);
	}
}

static void parse_nt_lm(Cursor *c, MessageNegotiation *n)
{
	uint8_t security_mode = cursor_u8(c);
	uint32_t capabilities;

	n->chose_nt_lm = true;
	n->signing_enabled = security_mode & SECURITY_SIGNING_ENABLED;
	n->signing_required = security_mode & SECURITY_SIGNING_REQUIRED;
	n->max_mpx = cursor_le16(c);
	cursor_skip(c, 2); /* MaxNumberVcs */
	n->max_buffer = cursor_le32(c);
	cursor_skip(c, 4 + 4); /* MaxRawSize, SessionKey */
	capabilities = cursor_le32(c);
	n->raw_mode = capabilities & CAP_RAW_MODE;
	n->dfs = capabilities & CAP_DFS;
	n->large_read = capabilities & CAP_LARGE_READX;
	n->large_write = capabilities & CAP_LARGE_WRITEX;
	n->large_mtu = n->large_read || n->large_write;
	n->extended_security = capabilities & CAP_EXTENDED_SECURITY;
}

void smb1_negotiate_reply(Smb1Member *in, Message *m)
{
	MessageNegotiation *n = in->negotiation;
	Cursor *c = &in->words;

	memset(n, 0, sizeof *n);
	m->negotiation = n;
	n->dialect = cursor_le16(c);
	if (n->dialect == DIALECT_NONE || in->word_count == WORDS_CORE)
		return;
	if (in->word_count == WORDS_NT_LM) {
		parse_nt_lm(c, n);
	} else if (in->word_count == WORDS_LANMAN) {
		cursor_skip(c, 2); /* SecurityMode: no signing yet */
		n->max_buffer = cursor_le16(c);
		n->max_mpx = cursor_le16(c);
		cursor_skip(c, 2);
		n->raw_mode = cursor_le16(c) != 0;
	} else {
		in->anomaly = "smb1-word-count";
	}
}
