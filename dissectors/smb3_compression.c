/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decompression of the first bytes of SMB3 messages. Back references reach at most to the first
 * byte of output, so that the beginning can be had without the rest.
 */
#include "dissectors/smb3_compression.h"

#include "dissectors/cursor.h"

#define COMPRESSION_MAGIC 0xFC534D42U /* FC'SMB' */
#define FLAG_CHAINED 0x0001U
/* Payloads of a chain looked at; the first one or two hold the header. */
#define MAX_PAYLOADS 16

/* MS-SMB2 2.2.3.1.3 */
enum Algorithm {
	ALGORITHM_NONE = 0,
	ALGORITHM_LZNT1 = 1,
	ALGORITHM_LZ77 = 2,
	ALGORITHM_LZ77_HUFFMAN = 3,
	ALGORITHM_PATTERN = 4,
};

typedef struct Out {
	uint8_t *data;
	size_t len, size;
} Out;

static bool out_is_full(const Out *out)
{
	return out->len == out->size;
}

static void out_byte(Out *out, uint8_t value)
{
	if (!out_is_full(out))
		out->data[out->len++] = value;
}

/* Copies @count bytes from @distance back; false when that lies before @first. The copy may overlap
 * itself, which repeats. */
static bool out_copy(Out *out, size_t first, size_t distance, size_t count)
{
	if (distance == 0 || distance > out->len - first)
		return false;
	for (; count > 0 && !out_is_full(out); count--)
		out_byte(out, out->data[out->len - distance]);
	return true;
}

/* MS-XCA 2.5: chunks of 4096 bytes; a token's split between distance and length follows from the
 * position in the chunk. */
static bool lznt1_chunk(Cursor c, Out *out)
{
	size_t first = out->len;

	while (cursor_left(&c) > 0 && !out_is_full(out)) {
		uint8_t flags = cursor_u8(&c);
		for (int bit = 0; bit < 8 && cursor_left(&c) > 0; bit++) {
			uint16_t token;
			unsigned length_bits = 12;
			if (!(flags >> bit & 1)) {
				out_byte(out, cursor_u8(&c));
				continue;
			}
			token = cursor_le16(&c);
			if (c.bad)
				return true;
			for (size_t at = out->len - first; at > 16 && length_bits > 4;
				at = (at + 1) / 2)
				length_bits--;
			if (!out_copy(out, first, ((size_t)token >> length_bits) + 1,
				    (token & ((1U << length_bits) - 1)) + 3U))
				return false;
		}
	}
	return true;
}

static bool decompress_lznt1(Cursor c, Out *out)
{
	while (cursor_left(&c) >= 2 && !out_is_full(out)) {
		uint16_t header = cursor_le16(&c);
		size_t len = (header & 0xFFFU) + 1U;
		Cursor chunk;
		if (header == 0)
			return true;
		if (len > cursor_left(&c))
			len = cursor_left(&c);
		chunk = cursor_sub(&c, len);
		if (header & 0x8000) {
			if (!lznt1_chunk(chunk, out))
				return false;
		} else {
			while (cursor_left(&chunk) > 0 && !out_is_full(out))
				out_byte(out, cursor_u8(&chunk));
		}
	}
	return true;
}

/* MS-XCA 2.4: length of a match beyond what three bits hold; @half remembers where the other half
 * of a shared byte is, 0 when there is none. */
static size_t lz77_long_length(Cursor *c, size_t *half)
{
	size_t len;

	if (*half == 0) {
		*half = c->pos;
		len = cursor_u8(c) & 15U;
	} else {
		Cursor shared = cursor_at(c, *half, 1);
		len = cursor_u8(&shared) >> 4;
		*half = 0;
	}
	if (len < 15)
		return len + 7;
	len = cursor_u8(c);
	if (len < 255)
		return len + 15 + 7;
	len = cursor_le16(c);
	if (len == 0)
		len = cursor_le32(c);
	return len;
}

static bool decompress_lz77(Cursor c, Out *out)
{
	size_t first = out->len, half = 0;

	while (cursor_left(&c) > 4 && !out_is_full(out)) {
		uint32_t flags = cursor_le32(&c);
		for (int bit = 31; bit >= 0 && !out_is_full(out); bit--) {
			uint16_t token;
			size_t len;
			if (cursor_left(&c) == 0)
				return true;
			if (!(flags >> bit & 1)) {
				out_byte(out, cursor_u8(&c));
				continue;
			}
			token = cursor_le16(&c);
			len = token & 7;
			if (len == 7)
				len = lz77_long_length(&c, &half);
			if (c.bad)
				return true; /* cut */
			if (!out_copy(out, first, (token >> 3) + 1U, len + 3))
				return false;
		}
	}
	return true;
}

#define HUFFMAN_SYMBOLS 512
#define HUFFMAN_MAX_BITS 15

/* Canonical code of MS-XCA 2.1.4: symbols by length, then by value. */
typedef struct Huffman {
	uint16_t count[HUFFMAN_MAX_BITS + 1];
	uint16_t symbols[HUFFMAN_SYMBOLS];
} Huffman;

static bool huffman_read(Cursor *c, Huffman *ret)
{
	const uint8_t *lengths = cursor_take(c, HUFFMAN_SYMBOLS / 2);
	uint16_t next[HUFFMAN_MAX_BITS + 2] = {0};
	uint32_t room = 1;

	if (!lengths)
		return false;
	memset(ret, 0, sizeof *ret);
	for (unsigned i = 0; i < HUFFMAN_SYMBOLS; i++)
		ret->count[lengths[i / 2] >> (i % 2 * 4) & 15]++;
	ret->count[0] = 0;
	for (unsigned bits = 1; bits <= HUFFMAN_MAX_BITS; bits++) {
		room *= 2;
		if (ret->count[bits] > room)
			return false;
		room -= ret->count[bits];
		next[bits + 1] = (uint16_t)(next[bits] + ret->count[bits]);
	}
	for (unsigned i = 0; i < HUFFMAN_SYMBOLS; i++) {
		unsigned bits = lengths[i / 2] >> (i % 2 * 4) & 15;
		if (bits > 0)
			ret->symbols[next[bits]++] = (uint16_t)i;
	}
	return true;
}

/* Bits come from 16-bit units, highest first; two units are read ahead of the bytes that lengths
 * take: MS-XCA 2.2.4. */
typedef struct BitReader {
	Cursor *c;
	uint32_t bits;
	int extra;   /* bits beyond the 16 that are always there; below 0 a unit is due */
	bool is_cut; /* a unit was due and not there: bits read from now on may be invented */
} BitReader;

static uint16_t bits_unit(BitReader *b)
{
	if (cursor_left(b->c) < 2) {
		b->is_cut = true;
		return 0;
	}
	return cursor_le16(b->c);
}

static void bits_drop(BitReader *b, unsigned n)
{
	b->bits = n < 32 ? b->bits << n : 0;
	b->extra -= (int)n;
	if (b->extra < 0) {
		b->bits |= (uint32_t)bits_unit(b) << -b->extra;
		b->extra += 16;
	}
}

/* -1 when no code fits */
static int huffman_symbol(const Huffman *h, BitReader *b)
{
	uint32_t code = 0, first = 0, index = 0;

	for (unsigned bits = 1; bits <= HUFFMAN_MAX_BITS; bits++) {
		uint16_t count = h->count[bits];
		code = b->bits >> (32 - bits);
		if (code - first < count) {
			bits_drop(b, bits);
			return h->symbols[index + code - first];
		}
		index += count;
		first = (first + count) << 1;
	}
	return -1;
}

/* MS-XCA 2.2: one table per 64 KiB of output; the head lies in the first. */
static bool decompress_lz77_huffman(Cursor c, Out *out)
{
	size_t first = out->len;
	Huffman huffman;
	BitReader b = {.c = &c, .extra = 16};

	if (!huffman_read(&c, &huffman))
		return c.bad; /* cut in the table: nothing comes out, which is no contradiction */
	b.bits = (uint32_t)bits_unit(&b) << 16;
	b.bits |= bits_unit(&b);
	while (!out_is_full(out) && !b.is_cut) {
		int symbol = huffman_symbol(&huffman, &b);
		size_t len;
		unsigned distance_bits;
		uint32_t distance;
		if (b.is_cut)
			break; /* units are read ahead: the last one or two symbols are given up */
		if (symbol < 0)
			return false;
		if (symbol < 256) {
			out_byte(out, (uint8_t)symbol);
			continue;
		}
		len = (size_t)symbol & 15;
		distance_bits = (unsigned)symbol >> 4 & 15;
		if (len == 15) {
			len = cursor_u8(&c);
			if (len == 255) {
				len = cursor_le16(&c);
				if (len == 0)
					len = cursor_le32(&c);
			} else {
				len += 15;
			}
		}
		if (c.bad)
			return true;
		distance = 1U << distance_bits;
		if (distance_bits > 0)
			distance += b.bits >> (32 - distance_bits);
		bits_drop(&b, distance_bits);
		if (!out_copy(out, first, distance, len + 3))
			return false;
	}
	return true;
}

/* MS-SMB2 2.2.42.2.2: Pattern, three reserved bytes, Repetitions. */
static void decompress_pattern(Cursor c, Out *out)
{
	uint8_t pattern = cursor_u8(&c);
	uint32_t count;

	cursor_skip(&c, 3);
	count = cursor_le32(&c);
	for (; !c.bad && count > 0 && !out_is_full(out); count--)
		out_byte(out, pattern);
}

static ParseStatus decompress(uint16_t algorithm, Cursor c, Out *out)
{
	bool is_good = true;

	switch (algorithm) {
	case ALGORITHM_NONE:
		while (cursor_left(&c) > 0 && !out_is_full(out))
			out_byte(out, cursor_u8(&c));
		break;
	case ALGORITHM_LZNT1:
		is_good = decompress_lznt1(c, out);
		break;
	case ALGORITHM_LZ77:
		is_good = decompress_lz77(c, out);
		break;
	case ALGORITHM_LZ77_HUFFMAN:
		is_good = decompress_lz77_huffman(c, out);
		break;
	case ALGORITHM_PATTERN:
		decompress_pattern(c, out);
		break;
	default:
		return PARSE_UNKNOWN;
	}
	return is_good ? PARSE_OK : PARSE_BAD;
}

/* MS-SMB2 2.2.42.2: payloads one behind the other. Where the output of one ends is told by its
 * original size; a payload that was not all there ends the head. */
static ParseStatus decompress_chain(Cursor *c, Out *out)
{
	ParseStatus status = PARSE_OK;

	for (int i = 0; i < MAX_PAYLOADS && cursor_left(c) >= 8 && !out_is_full(out); i++) {
		uint16_t algorithm = cursor_le16(c);
		uint32_t len, original;
		size_t before = out->len;
		Cursor payload;
		cursor_skip(c, 2);
		len = cursor_le32(c);
		original = len;
		payload = cursor_sub(c, len < cursor_left(c) ? len : cursor_left(c));
		if (algorithm != ALGORITHM_NONE && algorithm != ALGORITHM_PATTERN)
			original = cursor_le32(&payload);
		status = decompress(algorithm, payload, out);
		if (status != PARSE_OK ||
			(algorithm != ALGORITHM_PATTERN && out->len - before < original))
			break;
		if (algorithm != ALGORITHM_PATTERN)
			out->len = before + original; /* no byte more than it says */
	}
	return status;
}

ParseStatus smb3_decompress_head(
	const uint8_t *data, size_t len, uint8_t *out, size_t out_size, Smb3CompressedHead *ret)
{
	Cursor c = cursor_over(data, len);
	Out to = {.data = out, .size = out_size};
	uint32_t magic = cursor_be32(&c), size = cursor_le32(&c);
	size_t start = c.pos;
	uint16_t algorithm = cursor_le16(&c), flags = cursor_le16(&c);
	uint32_t offset = cursor_le32(&c);
	ParseStatus status;

	if (c.bad)
		return PARSE_SHORT;
	if (magic != COMPRESSION_MAGIC)
		return PARSE_BAD;
	ret->original_len = size;
	if (flags & FLAG_CHAINED) {
		c.pos = start;
		status = decompress_chain(&c, &to);
	} else {
		/* 2.2.42.1: bytes that were not compressed stand in front */
		size_t plain = offset < cursor_left(&c) ? offset : cursor_left(&c);
		status = decompress(ALGORITHM_NONE, cursor_sub(&c, plain), &to);
		if (status == PARSE_OK && plain == offset)
			status = decompress(algorithm, c, &to);
		ret->original_len = (uint64_t)size + offset;
	}
	ret->len = to.len;
	return to.len > 0 ? PARSE_OK : status;
}
