/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only way to touch packet bytes: a window that never reads past its end. A read that does not
 * fit sets `bad`, returns 0, and so does every read after it; a parser reads a whole structure and
 * asks `bad` once.
 */
#ifndef SLOWCOPY_DISSECTORS_CURSOR_H
#define SLOWCOPY_DISSECTORS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Cursor {
	const uint8_t *start; /* first byte of the window, never NULL */
	size_t pos;           /* bytes already taken; at most len */
	size_t len;           /* bytes in the window */
	bool bad;             /* a read did not fit; stays set */
} Cursor;

/** cursor_over: a window on @len bytes at @data. @data may be NULL when @len is 0. Borrows the
 * bytes. */
__attribute__((always_inline)) static inline Cursor cursor_over(const void *data, size_t len)
{
	/* NULL + 0 is undefined, so an empty window points at a real byte */
	return (Cursor){
		.start = data ? (const uint8_t *)data : (const uint8_t *)"", .len = data ? len : 0};
}

/** cursor_left: bytes not yet taken; 0 once bad. */
__attribute__((always_inline)) static inline size_t cursor_left(const Cursor *c)
{
	return c->bad ? 0 : c->len - c->pos;
}

/** cursor_take: @n bytes, or NULL and bad when fewer are left. The pointer lives as long as the
 * window's bytes. */
__attribute__((always_inline)) static inline const uint8_t *cursor_take(Cursor *c, size_t n)
{
	if (c->bad || n > c->len - c->pos) {
		c->bad = true;
		return NULL;
	}
	const uint8_t *p = c->start + c->pos;
	c->pos += n;
	return p;
}

/** cursor_skip: moves past @n bytes; bad when fewer are left. */
__attribute__((always_inline)) static inline void cursor_skip(Cursor *c, size_t n)
{
	(void)cursor_take(c, n);
}

/** cursor_u8: the next byte, 0 when bad. */
__attribute__((always_inline)) static inline uint8_t cursor_u8(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 1);
	return p ? p[0] : 0;
}

/** cursor_le16: next two bytes, least significant first; 0 when bad. */
__attribute__((always_inline)) static inline uint16_t cursor_le16(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);
	return p ? (uint16_t)(p[0] | (unsigned)p[1] << 8) : 0;
}

/** cursor_le32: next four bytes, least significant first; 0 when bad. */
__attribute__((always_inline)) static inline uint32_t cursor_le32(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);
	return p ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			       (uint32_t)p[3] << 24
		 : 0;
}

/** cursor_le64: next eight bytes, least significant first; 0 when bad. */
__attribute__((always_inline)) static inline uint64_t cursor_le64(Cursor *c)
{
	uint64_t low = cursor_le32(c);
	return low | (uint64_t)cursor_le32(c) << 32;
}

/** cursor_be16: next two bytes in network order; 0 when bad. */
__attribute__((always_inline)) static inline uint16_t cursor_be16(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);
	return p ? (uint16_t)((unsigned)p[0] << 8 | p[1]) : 0;
}

/** cursor_be24: next three bytes in network order; 0 when bad. */
__attribute__((always_inline)) static inline uint32_t cursor_be24(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 3);
	return p ? (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2] : 0;
}

/** cursor_be32: next four bytes in network order; 0 when bad. */
__attribute__((always_inline)) static inline uint32_t cursor_be32(Cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);
	return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

/** cursor_be64: next eight bytes in network order; 0 when bad. */
__attribute__((always_inline)) static inline uint64_t cursor_be64(Cursor *c)
{
	uint64_t high = cursor_be32(c);
	return high << 32 | cursor_be32(c);
}

/** cursor_bytes: copies @n bytes to @out; writes nothing when bad. */
__attribute__((always_inline)) static inline void cursor_bytes(Cursor *c, void *out, size_t n)
{
	const uint8_t *p = cursor_take(c, n);
	if (p && n > 0)
		memcpy(out, p, n);
}

/** cursor_sub: a window on the next @n bytes; the parent moves past them. Both are bad when fewer
 * are left. */
__attribute__((always_inline)) static inline Cursor cursor_sub(Cursor *c, size_t n)
{
	const uint8_t *p = cursor_take(c, n);
	Cursor sub = cursor_over(p, p ? n : 0);
	sub.bad = c->bad;
	return sub;
}

/**
 * cursor_at: a window on @n bytes at absolute @offset of the whole window, wherever the cursor
 * stands. The parent does not move and does not become bad; the window returned does when it does
 * not fit.
 */
__attribute__((always_inline)) static inline Cursor cursor_at(
	const Cursor *c, size_t offset, size_t n)
{
	if (offset > c->len || n > c->len - offset) {
		Cursor none = cursor_over(NULL, 0);
		none.bad = true;
		return none;
	}
	return cursor_over(c->start + offset, n);
}

/*
 * Loads for hot paths that have checked the whole header once: @p must have that many bytes, which
 * only a bounds check right before can promise.
 */

/** cursor_load_be16: two bytes in network order at @p, unchecked. */
__attribute__((always_inline)) static inline uint16_t cursor_load_be16(const uint8_t *p)
{
	return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

/** cursor_load_be32: four bytes in network order at @p, unchecked. */
__attribute__((always_inline)) static inline uint32_t cursor_load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/** cursor_load_be64: eight bytes in network order at @p, unchecked. */
__attribute__((always_inline)) static inline uint64_t cursor_load_be64(const uint8_t *p)
{
	return (uint64_t)cursor_load_be32(p) << 32 | cursor_load_be32(p + 4);
}

/** cursor_load_le16: two bytes, least significant first, at @p, unchecked. */
__attribute__((always_inline)) static inline uint16_t cursor_load_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | (unsigned)p[1] << 8);
}

/** cursor_load_le32: four bytes, least significant first, at @p, unchecked. */
__attribute__((always_inline)) static inline uint32_t cursor_load_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#endif
