/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds SMB and NetBIOS messages byte by byte for tests and fuzz seeds, independently of the
 * dissectors: from the tables of MS-CIFS and MS-SMB2.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_SMB_BUILDER_H
#define SLOWCOPY_TESTS_TOOLS_SMB_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMB_BUILDER_ROOM (160 * 1024)

/** SmbBuilder: zeroed at start; what does not fit is dropped. */
typedef struct SmbBuilder {
	size_t len;
	size_t message;  /* where the current FF'SMB' or FE'SMB' stands */
	size_t pdu;      /* where the current NetBIOS header stands */
	size_t previous; /* SMB2: header of the member before, or SIZE_MAX */
	size_t words;    /* SMB1: where WordCount of the current member stands */
	uint8_t bytes[SMB_BUILDER_ROOM];
} SmbBuilder;

/** Smb2Fields: header of an SMB2 message; what is not given is 0. */
typedef struct Smb2Fields {
	uint16_t command, credit_charge, credits;
	uint32_t status, flags, tree_id;
	uint64_t message_id, async_id, session_id;
} Smb2Fields;

/** Smb1Fields: header of an SMB1 message. */
typedef struct Smb1Fields {
	uint8_t command, flags;
	uint16_t flags2, tid, pid, uid, mid;
	uint32_t status;
	uint64_t signature;
} Smb1Fields;

void build_u8(SmbBuilder *b, uint8_t value);
void build_le16(SmbBuilder *b, uint16_t value);
void build_le32(SmbBuilder *b, uint32_t value);
void build_le64(SmbBuilder *b, uint64_t value);
void build_zeros(SmbBuilder *b, size_t count);
void build_bytes(SmbBuilder *b, const void *data, size_t len);
void build_text(SmbBuilder *b, const char *text);  /* without the NUL */
void build_utf16(SmbBuilder *b, const char *text); /* ASCII in, without the NUL */
void build_align(SmbBuilder *b, size_t multiple);  /* from the start of the message */

/** build_at: overwrites @size bytes (1, 2, 4) at @at with @value. */
void build_at(SmbBuilder *b, size_t at, size_t size, uint32_t value);

/** build_offset: where the next byte goes, from the start of the current message. */
size_t build_offset(const SmbBuilder *b);

/** build_pdu: begins a NetBIOS message; build_end() closes it. */
void build_pdu(SmbBuilder *b);
void build_end(SmbBuilder *b);

/** build_smb2: header of a member; a second one in the same PDU is chained to the first. */
void build_smb2(SmbBuilder *b, const Smb2Fields *fields);

/** build_smb1: header; then members: build_words(), the words, build_byte_count(), the bytes. */
void build_smb1(SmbBuilder *b, const Smb1Fields *fields);
void build_words(SmbBuilder *b);
void build_byte_count(SmbBuilder *b); /* the bytes follow until build_bytes_end() */
void build_bytes_end(SmbBuilder *b);
void build_andx(SmbBuilder *b, uint8_t command); /* the four bytes; 0xff ends the chain */
void build_andx_target(
	SmbBuilder *b, size_t from); /* AndXOffset of the member at @from leads here */

/** build_netbios: a session service packet of @type with @len bytes of content. */
void build_netbios(SmbBuilder *b, uint8_t type, const void *data, size_t len);

#endif
