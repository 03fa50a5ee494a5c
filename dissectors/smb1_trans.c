/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 transactions: TRANSACTION (named pipes), TRANSACTION2 (find, query, set), NT_TRANSACT, their
 * secondary requests and answers in parts. Source:
 * MS-CIFS 2.2.4.33, 2.2.4.46, 2.2.4.62, 2.2.5-2.2.7.
 */
#include "dissectors/smb1_member.h"

/* MS-CIFS 2.2.6 subcommands of TRANSACTION2 */
enum Trans2 {
	TRANS2_OPEN2 = 0x00,
	TRANS2_FIND_FIRST2 = 0x01,
	TRANS2_FIND_NEXT2 = 0x02,
	TRANS2_QUERY_FS = 0x03,
	TRANS2_SET_FS = 0x04,
	TRANS2_QUERY_PATH = 0x05,
	TRANS2_SET_PATH = 0x06,
	TRANS2_QUERY_FILE = 0x07,
	TRANS2_SET_FILE = 0x08,
	TRANS2_FSCTL = 0x09,
	TRANS2_IOCTL2 = 0x0A,
	TRANS2_CREATE_DIRECTORY = 0x0D,
	TRANS2_GET_DFS_REFERRAL = 0x10,
};

/* MS-CIFS 2.2.7 functions of NT_TRANSACT */
enum NtTransact {
	NT_TRANSACT_CREATE = 1,
	NT_TRANSACT_IOCTL = 2,
	NT_TRANSACT_SET_SECURITY = 3,
	NT_TRANSACT_NOTIFY_CHANGE = 4,
	NT_TRANSACT_RENAME = 5,
	NT_TRANSACT_QUERY_SECURITY = 6,
	NT_TRANSACT_QUERY_QUOTA = 7,
	NT_TRANSACT_SET_QUOTA = 8,
};

/* MS-CIFS 2.2.5 subcommands of TRANSACTION whose second setup word is a file id */
#define PIPE_SET_STATE 0x0001U
#define PIPE_TRANSACT 0x0026U
#define PIPE_WRITE 0x0037U
#define PIPE_WAIT 0x0053U

/* Information levels that set the end of file: MS-CIFS 2.2.2.3.4, and MS-SMB 2.2.2.3.5 pass-through
 * of file class 20. */
#define LEVEL_END_OF_FILE 0x0104U
#define LEVEL_END_OF_FILE_PASS 0x03FCU

/* Parameter bytes in an answer, which does not name its subcommand: MS-CIFS 2.2.6.2.2, 2.2.6.3.2,
 * 2.2.7.1.2. */
#define PARAMS_FIND_FIRST2 10
#define PARAMS_FIND_NEXT2 8
#define PARAMS_NT_CREATE 69
#define ATTRIBUTE_DIRECTORY 0x10U
#define OPTION_DIRECTORY 0x00000001U
#define OPTION_WRITE_THROUGH 0x00000002U

typedef struct TransactionParts {
	uint32_t total_params, total_data;
	uint32_t params_len, params_at, params_before; /* before: displacement */
	uint32_t data_len, data_at, data_before;
} TransactionParts;

/* Whether more parts follow this one. */
static bool is_incomplete(const TransactionParts *p)
{
	return (uint64_t)p->params_before + p->params_len < p->total_params ||
	       (uint64_t)p->data_before + p->data_len < p->total_data;
}

/* TRANSACTION and TRANSACTION2 request words, MS-CIFS 2.2.4.33.1; leaves @c at the setup words. */
static uint8_t parse_request_words(Cursor *c, Message *m, TransactionParts *ret)
{
	TransactionParts p = {0};
	uint8_t setup_count;

	p.total_params = cursor_le16(c);
	p.total_data = cursor_le16(c);
	cursor_skip(c, 2);
	m->buffer_length = cursor_le16(c);
	cursor_skip(c, 1 + 1 + 2 + 4 + 2);
	p.params_len = cursor_le16(c);
	p.params_at = cursor_le16(c);
	p.data_len = cursor_le16(c);
	p.data_at = cursor_le16(c);
	setup_count = cursor_u8(c);
	cursor_skip(c, 1);
	if (is_incomplete(&p))
		m->flags |= MESSAGE_MULTIPART;
	*ret = p;
	return setup_count;
}

void smb1_transaction_request(Smb1Member *in, Message *m)
{
	TransactionParts p;
	uint8_t setup_count = parse_request_words(&in->words, m, &p);

	m->length = p.total_data;
	if (setup_count >= 2) {
		m->info_class = cursor_le16(&in->words);
		if (m->info_class >= PIPE_SET_STATE && m->info_class != PIPE_WAIT) {
			smb1_member_fid(in, m);
			m->flags |= MESSAGE_PIPE;
		} else {
			cursor_skip(&in->words, 2);
		}
	}
	if (m->info_class == PIPE_WAIT)
		m->flags |= MESSAGE_BLOCKING;
	m->verb = m->info_class == PIPE_TRANSACT || m->info_class == PIPE_WRITE ? VERB_IOCTL
										: VERB_OTHER;
	smb1_member_string(in, in->bytes_at, in->bytes_len, m);
}

/* The name in transaction parameters runs to their end. */
static void take_path(Smb1Member *in, const TransactionParts *p, uint32_t skip, Message *m)
{
	if (p->params_len > skip)
		smb1_member_string(in, (size_t)p->params_at + skip, p->params_len - skip, m);
}

static void set_trans2_verb(Message *m)
{
	switch (m->info_class) {
	case TRANS2_OPEN2:
		m->verb = VERB_OPEN;
		break;
	case TRANS2_FIND_FIRST2:
	case TRANS2_FIND_NEXT2:
		m->verb = VERB_LIST;
		break;
	case TRANS2_QUERY_FS:
	case TRANS2_QUERY_PATH:
	case TRANS2_QUERY_FILE:
		m->verb = VERB_QUERY;
		break;
	case TRANS2_SET_FS:
	case TRANS2_SET_PATH:
	case TRANS2_SET_FILE:
	case TRANS2_CREATE_DIRECTORY:
		m->verb = VERB_SET;
		break;
	case TRANS2_FSCTL:
	case TRANS2_IOCTL2:
	case TRANS2_GET_DFS_REFERRAL:
		m->verb = VERB_IOCTL;
		break;
	default:
		break;
	}
}

static void take_fid(Cursor *c, Message *m)
{
	cursor_bytes(c, m->file_id, 2);
	if (!c->bad)
		m->flags |= MESSAGE_HAS_FILE_ID;
}

/* MS-CIFS 2.2.6.1-2.2.6.16: parameters of each subcommand. */
static void parse_trans2(Smb1Member *in, const TransactionParts *p, Message *m)
{
	Cursor c = smb1_member_slice(in, p->params_at, p->params_len, m);

	switch (m->info_class) {
	case TRANS2_OPEN2:
		cursor_skip(&c, 2);
		m->access = cursor_le16(&c);
		take_path(in, p, 28, m);
		break;
	case TRANS2_FIND_FIRST2:
		cursor_skip(&c, 2 + 2 + 2);
		m->info_level = cursor_le16(&c);
		take_path(in, p, 12, m);
		break;
	case TRANS2_FIND_NEXT2:
		take_fid(&c, m); /* the search handle; it is no file */
		m->flags &= ~(uint32_t)MESSAGE_HAS_FILE_ID;
		cursor_skip(&c, 2);
		m->info_level = cursor_le16(&c);
		take_path(in, p, 12, m);
		break;
	case TRANS2_QUERY_FS:
		m->info_level = cursor_le16(&c);
		break;
	case TRANS2_QUERY_PATH:
	case TRANS2_SET_PATH:
		m->info_level = cursor_le16(&c);
		take_path(in, p, 6, m);
		break;
	case TRANS2_QUERY_FILE:
	case TRANS2_SET_FILE:
		take_fid(&c, m);
		m->info_level = cursor_le16(&c);
		break;
	case TRANS2_CREATE_DIRECTORY:
		take_path(in, p, 4, m);
		break;
	case TRANS2_GET_DFS_REFERRAL:
		take_path(in, p, 2, m);
		break;
	default:
		break;
	}
	if ((m->info_class == TRANS2_SET_FILE || m->info_class == TRANS2_SET_PATH) &&
		(m->info_level == LEVEL_END_OF_FILE || m->info_level == LEVEL_END_OF_FILE_PASS)) {
		Cursor data = smb1_member_slice(in, p->data_at, p->data_len, m);
		m->file_size = cursor_le64(&data);
	}
}

void smb1_transaction2_request(Smb1Member *in, Message *m)
{
	TransactionParts p;
	uint8_t setup_count = parse_request_words(&in->words, m, &p);

	if (setup_count == 0 || in->words.bad) {
		if (!in->words.bad)
			in->anomaly = "smb1-no-subcommand";
		return;
	}
	m->info_class = cursor_le16(&in->words);
	if (in->words.bad)
		return;
	in->state->last_command[0] = (uint16_t)m->info_class;
	set_trans2_verb(m);
	parse_trans2(in, &p, m);
}

/* NT_TRANSACT request, MS-CIFS 2.2.4.62.1 and 2.2.7. */
void smb1_nt_transact_request(Smb1Member *in, Message *m)
{
	TransactionParts p = {0};
	Cursor *c = &in->words, params;
	uint8_t setup_count;

	cursor_skip(c, 1 + 2);
	p.total_params = cursor_le32(c);
	p.total_data = cursor_le32(c);
	cursor_skip(c, 4);
	m->buffer_length = cursor_le32(c);
	p.params_len = cursor_le32(c);
	p.params_at = cursor_le32(c);
	p.data_len = cursor_le32(c);
	p.data_at = cursor_le32(c);
	setup_count = cursor_u8(c);
	m->info_class = cursor_le16(c);
	if (c->bad)
		return;
	if (is_incomplete(&p))
		m->flags |= MESSAGE_MULTIPART;
	switch (m->info_class) {
	case NT_TRANSACT_CREATE:
		m->verb = VERB_OPEN;
		params = smb1_member_slice(in, p.params_at, p.params_len, m);
		cursor_skip(&params, 4 + 4);
		m->access = cursor_le32(&params);
		cursor_skip(&params, 8 + 4 + 4);
		m->disposition = cursor_le32(&params);
		m->options = cursor_le32(&params);
		m->flags |= (m->options & OPTION_DIRECTORY ? MESSAGE_DIRECTORY : 0U) |
			    (m->options & OPTION_WRITE_THROUGH ? MESSAGE_WRITE_THROUGH : 0U);
		take_path(in, &p, 53, m);
		break;
	case NT_TRANSACT_IOCTL:
		m->verb = VERB_IOCTL;
		if (setup_count >= 4) {
			m->info_class = cursor_le32(c);
			smb1_member_fid(in, m);
		}
		break;
	case NT_TRANSACT_NOTIFY_CHANGE:
		m->verb = VERB_NOTIFY;
		if (setup_count >= 4) {
			cursor_skip(c, 4);
			smb1_member_fid(in, m);
		}
		break;
	case NT_TRANSACT_SET_SECURITY:
	case NT_TRANSACT_RENAME:
	case NT_TRANSACT_SET_QUOTA:
	case NT_TRANSACT_QUERY_SECURITY:
	case NT_TRANSACT_QUERY_QUOTA:
		m->verb = m->info_class == NT_TRANSACT_QUERY_SECURITY ||
					  m->info_class == NT_TRANSACT_QUERY_QUOTA
				  ? VERB_QUERY
				  : VERB_SET;
		params = smb1_member_slice(in, p.params_at, p.params_len, m);
		take_fid(&params, m);
		break;
	default:
		break;
	}
}

/* A part of a request that was begun: the answer is owed to the first part. */
void smb1_secondary_request(Smb1Member *in, Message *m)
{
	(void)in;
	m->kind = MESSAGE_NOTICE;
	m->flags |= MESSAGE_MULTIPART;
}

/* An answer in parts: all but the last say that more is to come. */
static void note_parts(const TransactionParts *p, Message *m)
{
	if (p->params_before != 0 || p->data_before != 0)
		m->flags |= MESSAGE_MULTIPART;
	if (is_incomplete(p)) {
		m->flags |= MESSAGE_MULTIPART;
		m->kind = MESSAGE_INTERIM;
	}
	m->length = p->data_len;
}

void smb1_transaction_reply(Smb1Member *in, Message *m)
{
	TransactionParts p = {0};
	Cursor *c = &in->words, params;
	uint16_t last = in->state->last_command[0];

	p.total_params = cursor_le16(c);
	p.total_data = cursor_le16(c);
	cursor_skip(c, 2);
	p.params_len = cursor_le16(c);
	p.params_at = cursor_le16(c);
	p.params_before = cursor_le16(c);
	p.data_len = cursor_le16(c);
	p.data_at = cursor_le16(c);
	p.data_before = cursor_le16(c);
	if (c->bad)
		return;
	note_parts(&p, m);
	if (m->command != SMB1_TRANSACTION2 || p.params_before != 0)
		return;
	params = smb1_member_slice(in, p.params_at, p.params_len, m);
	if (p.total_params == PARAMS_FIND_FIRST2 && last == TRANS2_FIND_FIRST2)
		cursor_skip(&params, 2);
	else if (p.total_params != PARAMS_FIND_NEXT2 || last != TRANS2_FIND_NEXT2)
		return;
	m->verb = VERB_LIST;
	m->entries = cursor_le16(&params);
}

/* NT_TRANSACT answer, MS-CIFS 2.2.4.62.2; that of a create has 69 bytes of parameters, 2.2.7.1.2.
 */
void smb1_nt_transact_reply(Smb1Member *in, Message *m)
{
	TransactionParts p = {0};
	Cursor *c = &in->words, params;

	cursor_skip(c, 3);
	p.total_params = cursor_le32(c);
	p.total_data = cursor_le32(c);
	p.params_len = cursor_le32(c);
	p.params_at = cursor_le32(c);
	p.params_before = cursor_le32(c);
	p.data_len = cursor_le32(c);
	p.data_at = cursor_le32(c);
	p.data_before = cursor_le32(c);
	if (c->bad)
		return;
	note_parts(&p, m);
	if (p.total_params != PARAMS_NT_CREATE || p.params_before != 0)
		return;
	params = smb1_member_slice(in, p.params_at, p.params_len, m);
	cursor_skip(&params, 1 + 1);
	take_fid(&params, m);
	m->disposition = cursor_le32(&params);
	cursor_skip(&params, 4 + 4 * 8);
	if (cursor_le32(&params) & ATTRIBUTE_DIRECTORY)
		m->flags |= MESSAGE_DIRECTORY;
	cursor_skip(&params, 8);
	m->file_size = cursor_le64(&params);
	m->verb = VERB_OPEN;
}
