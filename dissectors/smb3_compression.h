/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The beginning of compressed SMB3 messages: enough to read the header inside.
 * Source: MS-SMB2 2.2.42, 3.1.4.4; MS-XCA 2.3-2.5.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB3_COMPRESSION_H
#define SLOWCOPY_DISSECTORS_SMB3_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "dissectors/parse.h"

/** Smb3CompressedHead: what came out. */
typedef struct Smb3CompressedHead {
	size_t len;            /* bytes written to the caller's buffer */
	uint64_t original_len; /* bytes of the whole message when decompressed */
} Smb3CompressedHead;

/**
 * smb3_decompress_head: decompresses from the beginning until @out is full or the input ends.
 * @data: the message from FC'SMB' on, @len bytes of it kept, cut anywhere.
 * Returns PARSE_SHORT when the header is cut, PARSE_UNKNOWN for an algorithm other than LZNT1,
 * LZ77, LZ77+Huffman, pattern and none, PARSE_BAD when the data contradict their format before the
 * first byte; what came out before a contradiction is kept.
 */
ParseStatus smb3_decompress_head(
	const uint8_t *data, size_t len, uint8_t *out, size_t out_size, Smb3CompressedHead *ret);

#endif
