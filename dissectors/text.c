/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strings from packets made safe to show. One loop decodes a character, another writes it; the
 * encodings differ only in the decoder.
 */
#include "dissectors/text.h"

#include <string.h>

#define REPLACEMENT 0xFFFDU

/* Code page 437, upper half (IBM PC, as mapped by unicode.org). */
static const uint16_t code_page_437[128] = {0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5,
	0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF, 0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6,
	0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9, 0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3,
	0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA, 0x00F1, 0x00D1, 0x00AA, 0x00BA,
	0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB, 0x2591, 0x2592, 0x2593,
	0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255D, 0x255C,
	0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F, 0x255A,
	0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
	0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590,
	0x2580, 0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398,
	0x03A9, 0x03B4, 0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320,
	0x2321, 0x00F7, 0x2248, 0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0};

typedef struct TextOut {
	char *data;
	size_t used, size; /* size includes the NUL */
	bool full;         /* a character did not fit: nothing after it may be written */
} TextOut;

bool text_is_clean(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
		return false;
	/* line and paragraph separator, direction marks, embeddings, overrides and isolates */
	if (c == 0x200E || c == 0x200F || c == 0x061C || (c >= 0x2028 && c <= 0x202E) ||
		(c >= 0x2066 && c <= 0x2069))
		return false;
	if (c == 0xFEFF || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE)
		return false;
	return c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
}

static void text_put(TextOut *out, uint32_t c)
{
	uint8_t bytes[4];
	size_t n;

	if (!text_is_clean(c))
		c = REPLACEMENT;
	if (c < 0x80) {
		bytes[0] = (uint8_t)c;
		n = 1;
	} else if (c < 0x800) {
		bytes[0] = (uint8_t)(0xC0 | c >> 6);
		bytes[1] = (uint8_t)(0x80 | (c & 0x3F));
		n = 2;
	} else if (c < 0x10000) {
		bytes[0] = (uint8_t)(0xE0 | c >> 12);
		bytes[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
		bytes[2] = (uint8_t)(0x80 | (c & 0x3F));
		n = 3;
	} else {
		bytes[0] = (uint8_t)(0xF0 | c >> 18);
		bytes[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
		bytes[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
		bytes[3] = (uint8_t)(0x80 | (c & 0x3F));
		n = 4;
	}
	if (n >= out->size - out->used) {
		out->full = true;
		return;
	}
	memcpy(out->data + out->used, bytes, n);
	out->used += n;
}

size_t text_from_utf16le(const uint8_t *data, size_t len, char *ret, size_t ret_size)
{
	TextOut out = {.data = ret, .size = ret_size};

	len &= ~(size_t)1;
	while (len >= 2 && data[len - 1] == 0 && data[len - 2] == 0)
		len -= 2;
	for (size_t i = 0; i < len && !out.full; i += 2) {
		uint32_t c = data[i] | (uint32_t)data[i + 1] << 8;
		if (c >= 0xD800 && c <= 0xDBFF && i + 4 <= len) {
			uint32_t low = data[i + 2] | (uint32_t)data[i + 3] << 8;
			if (low >= 0xDC00 && low <= 0xDFFF) {
				c = 0x10000 + ((c & 0x3FF) << 10 | (low & 0x3FF));
				i += 2;
			}
		}
		text_put(&out, c);
	}
	ret[out.used] = '\0';
	return out.used;
}

/* Length of the well-formed UTF-8 sequence at @data, 0 when there is none; sets @ret on success. */
static size_t utf8_decode(const uint8_t *data, size_t len, uint32_t *ret)
{
	static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = data[0];
	size_t n;

	if (c < 0x80) {
		*ret = c;
		return 1;
	}
	if (c >= 0xC2 && c <= 0xDF) {
		n = 2;
		c &= 0x1F;
	} else if (c >= 0xE0 && c <= 0xEF) {
		n = 3;
		c &= 0x0F;
	} else if (c >= 0xF0 && c <= 0xF4) {
		n = 4;
		c &= 0x07;
	} else {
		return 0;
	}
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((data[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (data[i] & 0x3FU);
	}
	if (c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	*ret = c;
	return n;
}

bool text_is_utf8(const uint8_t *data, size_t len)
{
	uint32_t c;

	for (size_t i = 0; i < len;) {
		size_t n = utf8_decode(data + i, len - i, &c);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

size_t text_from_bytes(const uint8_t *data, size_t len, char *ret, size_t ret_size)
{
	TextOut out = {.data = ret, .size = ret_size};
	bool is_utf8;

	while (len > 0 && data[len - 1] == 0)
		len--;
	is_utf8 = text_is_utf8(data, len);
	for (size_t i = 0; i < len && !out.full;) {
		uint32_t c = data[i];
		if (is_utf8) {
			i += utf8_decode(data + i, len - i, &c);
		} else {
			if (c >= 0x80)
				c = code_page_437[c - 0x80];
			i++;
		}
		text_put(&out, c);
	}
	ret[out.used] = '\0';
	return out.used;
}
