/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clearing what is cleared for every packet.
 */
#ifndef SLOWCOPY_DISSECTORS_CLEAR_H
#define SLOWCOPY_DISSECTORS_CLEAR_H

#include <stddef.h>
#include <string.h>

#define CLEAR_PIECE 64

/** clear_stores: zeroes @size bytes at @at, more than two and up to three CLEAR_PIECE, in pieces
 * that compilers turn into plain stores; one memset() of this size becomes a slow string
 * instruction. */
static inline void clear_stores(void *at, size_t size)
{
	unsigned char *p = at;
	memset(p, 0, CLEAR_PIECE);
	memset(p + CLEAR_PIECE, 0, CLEAR_PIECE);
	memset(p + 2 * CLEAR_PIECE, 0, size - 2 * CLEAR_PIECE);
}

#endif
