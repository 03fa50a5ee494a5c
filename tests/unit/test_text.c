/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strings from packets: whatever the bytes, what comes out is valid UTF-8 without control
 * characters and fits.
 */
#include "dissectors/text.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#define MARK "\uFFFD"

Test(text, utf16)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
	} rows[] = {
		{"", 0, ""},
		{"a\0b\0", 4, "ab"},
		{"a\0b\0c", 5, "ab"},
		{"\xe4\0", 2, "ä"},
		{"\xac\x20", 2, "€"},
		{"\x3d\xd8\x00\xde", 4, "\U0001F600"},
		{"\x3d\xd8", 2, MARK},
		{"\x3d\xd8"
		 "a\0",
			4, MARK "a"},
		{"\x00\xde"
		 "a\0",
			4, MARK "a"},
		{"a\0\0\0\0\0", 6, "a"},
		{"a\0\0\0b\0", 6, "a" MARK "b"},
		{"\n\0\x1b\0", 4, MARK MARK},
		{"\x7f\0\x85\0", 4, MARK MARK},
		{"\x2e\x20\x66\x20", 4, MARK MARK},
		{"\xff\xff\xfe\xff", 4, MARK MARK},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[64];
		size_t n = text_from_utf16le(
			(const uint8_t *)rows[i].bytes, rows[i].len, out, sizeof out);
		cr_expect_str_eq(out, rows[i].want, "row %zu: %s", i, out);
		cr_expect_eq(n, strlen(rows[i].want), "row %zu", i);
	}
}

Test(text, bytes_of_unknown_encoding)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
	} rows[] = {
		{"", 0, ""},
		{"plain", 5, "plain"},
		{"gr\xc3\xbc\xc3\x9f", 6, "grüß"},
		{"gr\x81\xe1", 4, "grüß"},       /* code page 437 */
		{"\xc3", 1, "├"},                /* cut UTF-8 is not UTF-8 */
		{"\xc0\xaf", 2, "└»"},           /* overlong */
		{"\xed\xa0\x80", 3, "φáÇ"},      /* a surrogate */
		{"\xf4\x90\x80\x80", 4, "⌠ÉÇÇ"}, /* beyond U+10FFFF */
		{"\xf0\x9f\x98\x80", 4, "\U0001F600"},
		{"a\0b\0\0", 5, "a" MARK "b"},
		{"\x1b[31m", 5, MARK "[31m"},
		{"\xe2\x80\xae", 3, MARK}, /* right-to-left override */
		{"\xc2\x9b", 2, MARK},     /* C1: control sequence introducer */
		{"\xef\xbb\xbf", 3, MARK},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[64];
		size_t n = text_from_bytes(
			(const uint8_t *)rows[i].bytes, rows[i].len, out, sizeof out);
		cr_expect_str_eq(out, rows[i].want, "row %zu: %s", i, out);
		cr_expect_eq(n, strlen(rows[i].want), "row %zu", i);
	}
}

Test(text, cut_between_characters)
{
	static const uint8_t wide[] = {0xac, 0x20, 'x', 0}, narrow[] = {0x81, 'x'};

	for (size_t size = 1; size < 8; size++) {
		char *out = malloc(size);
		size_t n = text_from_utf16le(wide, sizeof wide, out, size);
		cr_expect_str_eq(out, size < 4 ? "" : size < 5 ? "€" : "€x", "%zu", size);
		cr_expect_eq(n, strlen(out));
		n = text_from_bytes(narrow, sizeof narrow, out, size);
		cr_expect_str_eq(out, size < 3 ? "" : size < 4 ? "ü" : "üx", "%zu", size);
		cr_expect_eq(n, strlen(out));
		free(out);
	}
}

/* glib is the judge of UTF-8 */
Test(text, any_bytes_give_clean_utf8)
{
	uint32_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		uint8_t bytes[40];
		size_t len = (seed >> 8) % sizeof bytes, size;
		char out[64];
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(seed >> 24);
			if ((seed >> 16 & 3) == 0)
				bytes[i] |= 0xC0;
		}
		seed = seed * 1664525 + 1013904223;
		size = 1 + (seed >> 16) % sizeof out;
		cr_assert_eq(text_is_utf8(bytes, len),
			(memchr(bytes, 0, len)
					? text_is_utf8(bytes, len)
					: g_utf8_validate((const char *)bytes, (gssize)len, NULL)));
		for (int kind = 0; kind < 2; kind++) {
			size_t n = kind ? text_from_bytes(bytes, len, out, size)
					: text_from_utf16le(bytes, len, out, size);
			cr_assert_lt(n, size);
			cr_assert_eq(out[n], '\0');
			cr_assert(g_utf8_validate(out, (gssize)n, NULL));
			for (char *p = out; p < out + n; p = g_utf8_next_char(p))
				cr_assert(!g_unichar_iscntrl(g_utf8_get_char(p)));
		}
	}
}
