/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP sequence numbers: compared modulo 2^32 and unwrapped to 64-bit stream offsets at the door, so
 * that no 32-bit number goes further up. RFC 9293 3.4.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_SEQ_H
#define SLOWCOPY_ANALYZER_BASE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

/** seq_diff: @a - @b modulo 2^32 as a signed distance. */
static inline int32_t seq_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

/** seq_before: true if @a comes before @b. */
static inline bool seq_before(uint32_t a, uint32_t b)
{
	return seq_diff(a, b) < 0;
}

/**
 * seq_unwrap: 64-bit offset of @seq, given that offset @near_offset has sequence number @near_seq
 * and that the two are less than 2^31 apart. May be negative for bytes before the first one seen.
 */
static inline int64_t seq_unwrap(uint32_t seq, uint32_t near_seq, int64_t near_offset)
{
	return near_offset + seq_diff(seq, near_seq);
}

#endif
