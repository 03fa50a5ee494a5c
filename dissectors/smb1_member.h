/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One SMB1 command (a member of an AndX chain) as the parsers see it, and the table of commands.
 * Inside the SMB dissector only; others use smb1_header.h.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB1_MEMBER_H
#define SLOWCOPY_DISSECTORS_SMB1_MEMBER_H

#include "dissectors/cursor.h"
#include "dissectors/message.h"
#include "dissectors/protocol.h"

#define SMB1_HEADER_LEN 32

/* MS-CIFS 2.2.3.1 Flags */
#define SMB1_FLAG_OPLOCK 0x20U
#define SMB1_FLAG_BATCH_OPLOCK 0x40U
#define SMB1_FLAG_REPLY 0x80U

enum Smb1Command {
	SMB1_CREATE_DIRECTORY = 0x00,
	SMB1_OPEN = 0x02,
	SMB1_CREATE = 0x03,
	SMB1_READ_RAW = 0x1A,
	SMB1_WRITE_RAW = 0x1D,
	SMB1_WRITE_COMPLETE = 0x20,
	SMB1_LOCKING_ANDX = 0x24,
	SMB1_TRANSACTION = 0x25,
	SMB1_TRANSACTION_SECONDARY = 0x26,
	SMB1_ECHO = 0x2B,
	SMB1_READ_ANDX = 0x2E,
	SMB1_WRITE_ANDX = 0x2F,
	SMB1_TRANSACTION2 = 0x32,
	SMB1_TRANSACTION2_SECONDARY = 0x33,
	SMB1_NEGOTIATE = 0x72,
	SMB1_SESSION_SETUP_ANDX = 0x73,
	SMB1_NT_TRANSACT = 0xA0,
	SMB1_NT_TRANSACT_SECONDARY = 0xA1,
	SMB1_NO_ANDX = 0xFF,
};

typedef struct Smb1Member {
	Cursor all;         /* kept bytes from the FF'SMB' on */
	size_t wire_len;    /* bytes of the message on the wire */
	size_t at;          /* offset of FF'SMB' from the first byte of the extent */
	Cursor words;       /* parameter words, behind the AndX words of commands that have them */
	uint8_t word_count; /* as the message says, AndX words included */
	size_t bytes_at;    /* data bytes: offset from FF'SMB' */
	size_t bytes_len;   /* ByteCount, 0 when cut */
	bool unicode;       /* strings are UTF-16LE, aligned to even offsets from FF'SMB' */
	uint8_t header_flags;
	DissectorState *state;
	MessageNegotiation *negotiation; /* to fill and attach when the command tells limits */
	const char *anomaly;             /* set by a parser: what contradicts the specification */
} Smb1Member;

typedef void (*Smb1Parser)(Smb1Member *in, Message *m);

/** Smb1CommandEntry: one command of MS-CIFS 2.2.2.1. */
typedef struct Smb1CommandEntry {
	const char *name;
	MessageVerb verb;
	bool is_chained; /* its words begin with AndXCommand, reserved, AndXOffset */
	Smb1Parser request, reply;
} Smb1CommandEntry;

/** smb1_command_find: entry of @command; name NULL for unknown ones, never NULL itself. */
const Smb1CommandEntry *smb1_command_find(uint8_t command);

/**
 * smb1_member_slice: @len bytes at @offset from FF'SMB', as far as they were kept. Beyond the
 * message: an anomaly and an empty window; cut by the capture: MESSAGE_TRUNCATED and what is there.
 */
Cursor smb1_member_slice(Smb1Member *in, size_t offset, size_t len, Message *m);

/** smb1_member_data: notes @len bytes of file data at @offset: data_offset, and length limited to
 * the message. */
void smb1_member_data(Smb1Member *in, size_t offset, uint64_t len, Message *m);

/**
 * smb1_member_string: a zero-terminated string at @offset, within @len bytes, in the encoding of
 * the message; becomes the name of @m. Returns the offset behind it.
 */
size_t smb1_member_string(Smb1Member *in, size_t offset, size_t len, Message *m);

/** smb1_member_fid: takes a file id from the words. */
void smb1_member_fid(Smb1Member *in, Message *m);

/* Commands; each parser fills what it knows of @m. Sections of MS-CIFS 2.2.4 stand in the .c files.
 */
void smb1_negotiate_request(Smb1Member *in, Message *m);
void smb1_negotiate_reply(Smb1Member *in, Message *m);
void smb1_session_setup_request(Smb1Member *in, Message *m);
void smb1_session_setup_reply(Smb1Member *in, Message *m);
void smb1_tree_connect_request(Smb1Member *in, Message *m);
void smb1_tree_connect_reply(Smb1Member *in, Message *m);
void smb1_tree_connect_andx_request(Smb1Member *in, Message *m);
void smb1_tree_connect_andx_reply(Smb1Member *in, Message *m);

void smb1_nt_create_request(Smb1Member *in, Message *m);
void smb1_nt_create_reply(Smb1Member *in, Message *m);
void smb1_open_andx_request(Smb1Member *in, Message *m);
void smb1_open_andx_reply(Smb1Member *in, Message *m);
void smb1_open_request(Smb1Member *in, Message *m);
void smb1_open_reply(Smb1Member *in, Message *m);
void smb1_create_request(Smb1Member *in, Message *m);
void smb1_create_reply(Smb1Member *in, Message *m);
void smb1_fid_request(Smb1Member *in, Message *m);
void smb1_path_request(Smb1Member *in, Message *m);
void smb1_path_attributes_request(Smb1Member *in, Message *m);
void smb1_query_information_reply(Smb1Member *in, Message *m);
void smb1_query_information2_reply(Smb1Member *in, Message *m);
void smb1_locking_request(Smb1Member *in, Message *m);
void smb1_lock_range_request(Smb1Member *in, Message *m);
void smb1_search_request(Smb1Member *in, Message *m);
void smb1_search_reply(Smb1Member *in, Message *m);
void smb1_echo_reply(Smb1Member *in, Message *m);

void smb1_read_andx_request(Smb1Member *in, Message *m);
void smb1_read_andx_reply(Smb1Member *in, Message *m);
void smb1_write_andx_request(Smb1Member *in, Message *m);
void smb1_write_andx_reply(Smb1Member *in, Message *m);
void smb1_read_request(Smb1Member *in, Message *m);
void smb1_read_reply(Smb1Member *in, Message *m);
void smb1_write_request(Smb1Member *in, Message *m);
void smb1_write_reply(Smb1Member *in, Message *m);
void smb1_write_close_request(Smb1Member *in, Message *m);
void smb1_read_raw_request(Smb1Member *in, Message *m);
void smb1_read_mpx_reply(Smb1Member *in, Message *m);
void smb1_write_raw_request(Smb1Member *in, Message *m);
void smb1_write_raw_reply(Smb1Member *in, Message *m);
void smb1_write_mpx_request(Smb1Member *in, Message *m);

void smb1_transaction_request(Smb1Member *in, Message *m);
void smb1_transaction2_request(Smb1Member *in, Message *m);
void smb1_transaction_reply(Smb1Member *in, Message *m);
void smb1_nt_transact_request(Smb1Member *in, Message *m);
void smb1_nt_transact_reply(Smb1Member *in, Message *m);
void smb1_secondary_request(Smb1Member *in, Message *m);

#endif
