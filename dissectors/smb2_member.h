/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One SMB2 message (a member of a compound) as the body parsers see it. Inside the SMB dissector
 * only; others use smb2_header.h.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB2_MEMBER_H
#define SLOWCOPY_DISSECTORS_SMB2_MEMBER_H

#include "dissectors/cursor.h"
#include "dissectors/message.h"

#define SMB2_HEADER_LEN 64

typedef struct Smb2Member {
	Cursor all;          /* kept bytes from the FE'SMB' on */
	Cursor body;         /* the same window, standing behind the header */
	size_t wire_len;     /* bytes of this member on the wire, without its neighbours */
	size_t at;           /* offset of FE'SMB' from the first byte of the extent */
	const char *anomaly; /* set by a parser: what contradicts the specification */
} Smb2Member;

/** smb2_member_begin: reads StructureSize; false, with the anomaly noted, when it is not @size. */
static inline bool smb2_member_begin(Smb2Member *in, uint16_t size)
{
	uint16_t found = cursor_le16(&in->body);

	if (in->body.bad || found == size)
		return true; /* when cut the fields read as zero, which is what the caller wants */
	in->anomaly = "smb2-structure-size";
	return false;
}

/**
 * smb2_member_slice: variable part at @offset from the header, @len bytes, as far as it was kept.
 * What lies beyond the message on the wire is an anomaly and gives an empty window; what the
 * capture cut sets MESSAGE_TRUNCATED and gives what is there.
 */
Cursor smb2_member_slice(Smb2Member *in, size_t offset, size_t len, Message *m);

/** smb2_member_data: notes file data of @len bytes at @offset: data_offset, and length limited to
 * the message. */
void smb2_member_data(Smb2Member *in, size_t offset, uint64_t len, Message *m);

/* Bodies, MS-SMB2 2.2; each stands behind the header and fills what it knows of @m. */
void smb2_negotiate_request(Smb2Member *in, Message *m, MessageNegotiation *n);
void smb2_negotiate_reply(Smb2Member *in, Message *m, MessageNegotiation *n);
void smb2_session_setup_request(Smb2Member *in, Message *m);
void smb2_session_setup_reply(Smb2Member *in, Message *m);
void smb2_tree_connect_request(Smb2Member *in, Message *m);
void smb2_tree_connect_reply(Smb2Member *in, Message *m);
void smb2_create_request(Smb2Member *in, Message *m);
void smb2_create_reply(Smb2Member *in, Message *m);
void smb2_close_request(Smb2Member *in, Message *m);
void smb2_close_reply(Smb2Member *in, Message *m);
void smb2_flush_request(Smb2Member *in, Message *m);
void smb2_lock_request(Smb2Member *in, Message *m);
void smb2_break_notice(Smb2Member *in, Message *m);
void smb2_break_request(Smb2Member *in, Message *m);
void smb2_read_request(Smb2Member *in, Message *m);
void smb2_read_reply(Smb2Member *in, Message *m);
void smb2_write_request(Smb2Member *in, Message *m);
void smb2_write_reply(Smb2Member *in, Message *m);
void smb2_directory_request(Smb2Member *in, Message *m);
void smb2_directory_reply(Smb2Member *in, Message *m);
void smb2_notify_request(Smb2Member *in, Message *m);
void smb2_query_info_request(Smb2Member *in, Message *m);
void smb2_query_info_reply(Smb2Member *in, Message *m);
void smb2_set_info_request(Smb2Member *in, Message *m);
void smb2_ioctl_request(Smb2Member *in, Message *m);
void smb2_ioctl_reply(Smb2Member *in, Message *m);

#endif
