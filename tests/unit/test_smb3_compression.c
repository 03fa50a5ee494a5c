/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heads of compressed messages: each algorithm on a vector made by hand or by its specification,
 * cut anywhere, and contradictions.
 */
#include "dissectors/smb3_compression.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/smb_recorder.h"
#include "tests/tools/smb_samples.h"

typedef struct Vector {
	const char *name;
	uint16_t algorithm;
	uint32_t original;
	const uint8_t *data;
	size_t len;
	const char *want; /* begins like this */
	size_t least;     /* so many bytes at least come out */
} Vector;

/* MS-XCA 3.1: the alphabet, and 100 times "abc" */
static const uint8_t lz77_alphabet[] = {0x3f, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i',
	'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z'};
static const uint8_t lz77_abc[] = {
	0xff, 0xff, 0xff, 0x1f, 'a', 'b', 'c', 0x17, 0, 0x0f, 0xff, 0x26, 0x01};
/* two long matches share a byte of lengths: x, then 12 and 13 more of it */
static const uint8_t lz77_halves[] = {0xff, 0xff, 0xff, 0x7f, 'x', 0x07, 0, 0x32, 0x07, 0};
/* three literals and a match; then 20 literals and a match with 11 bits of length */
static const uint8_t lznt1_short[] = {0x05, 0xB0, 0x08, 'a', 'b', 'c', 0x06, 0x20};
static const uint8_t lznt1_long[] = {0x18, 0xB0, 0x00, '0', '1', '2', '3', '4', '5', '6', '7', 0x00,
	'8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 0x10, 'g', 'h', 'i', 'j', 0x07, 0x98};
static const uint8_t lznt1_stored[] = {0x04, 0x30, 'p', 'l', 'a', 'i', 'n', 0, 0};
/* 512 codes of nine bits: "hello ", a match (6,5), " world!", matches (1,20) and (7,300), "end" */
static uint8_t huffman[256 + 28];
static const uint8_t huffman_bits[28] = {0x19, 0x34, 0x86, 0x4d, 0x78, 0xc3, 0x45, 0x82, 0x0e, 0x08,
	0xf3, 0xe6, 0xb0, 0x91, 0x21, 0xc8, 0xcb, 0x87, 0x29, 0xf3, 0x02, 0xc8, 0xb8, 0xff, 0x29,
	0x01, 0x00, 0x00};
static const uint8_t pattern[] = {'z', 0, 0, 0, 40, 0, 0, 0};

static const Vector vectors[] = {
	{"lz77 alphabet", 2, 26, lz77_alphabet, sizeof lz77_alphabet, "abcdefghijklmnopqrstuvwxyz",
		26},
	{"lz77 abc", 2, 300, lz77_abc, sizeof lz77_abc, "abcabcabcabcabc", 300},
	{"lz77 halves", 2, 26, lz77_halves, sizeof lz77_halves, "xxxxxxxxxxxxxxxxxxxxxxxxxx", 26},
	{"lznt1", 1, 12, lznt1_short, sizeof lznt1_short, "abcabcabcabc", 12},
	{"lznt1 long", 1, 30, lznt1_long, sizeof lznt1_long, "0123456789abcdefghij0123456789", 30},
	{"lznt1 stored", 1, 5, lznt1_stored, sizeof lznt1_stored, "plain", 5},
	{"huffman", 3, 341, huffman, sizeof huffman, "hello hello world!!!!!!!!!!!!!!!!!!!!!!!!!!",
		330},
	{"none", 0, 7, (const uint8_t *)"nothing", 7, "nothing", 7},
	{"pattern", 4, 40, pattern, sizeof pattern, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", 40},
};

static SmbBuilder builder;

static void make_huffman(void)
{
	memset(huffman, 0x99, 256);
	memcpy(huffman + 256, huffman_bits, sizeof huffman_bits);
}

/* MS-SMB2 2.2.42.1, with @plain in front of what is compressed */
static void build_unchained(const Vector *v, const char *plain)
{
	memset(&builder, 0, sizeof builder);
	build_text(&builder, "\xFCSMB");
	build_le32(&builder, v->original);
	build_le16(&builder, v->algorithm);
	build_le16(&builder, 0);
	build_le32(&builder, (uint32_t)strlen(plain));
	build_text(&builder, plain);
	build_bytes(&builder, v->data, v->len);
}

static void build_payload(const Vector *v, bool is_first)
{
	bool has_size = v->algorithm >= 1 && v->algorithm <= 3;

	build_le16(&builder, v->algorithm);
	build_le16(&builder, is_first);
	build_le32(&builder, (uint32_t)v->len + (has_size ? 4 : 0));
	if (has_size)
		build_le32(&builder, v->original);
	build_bytes(&builder, v->data, v->len);
}

/* runs on a heap copy of exactly @len bytes */
static ParseStatus head(size_t len, uint8_t *out, size_t room, Smb3CompressedHead *ret)
{
	uint8_t *copy = malloc(len ? len : 1);
	ParseStatus status;

	memcpy(copy, builder.bytes, len);
	memset(ret, 0, sizeof *ret);
	status = smb3_decompress_head(copy, len, out, room, ret);
	free(copy);
	return status;
}

Test(smb3_compression, every_algorithm_alone_and_cut)
{
	make_huffman();
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		const Vector *v = &vectors[i];
		Smb3CompressedHead whole, ret;
		uint8_t out[400], part[400];
		build_unchained(v, "HEAD");
		cr_assert_eq(head(builder.len, out, sizeof out, &whole), PARSE_OK, "%s", v->name);
		cr_expect_eq(whole.original_len, v->original + 4U, "%s", v->name);
		cr_expect_geq(whole.len, v->least + 4, "%s: %zu", v->name, whole.len);
		cr_expect_leq(whole.len, v->original + 4U, "%s: %zu", v->name, whole.len);
		cr_expect_eq(memcmp(out, "HEAD", 4), 0, "%s", v->name);
		cr_expect_eq(memcmp(out + 4, v->want, strlen(v->want)), 0, "%s: %.*s", v->name,
			(int)whole.len, (char *)out);
		for (size_t len = 0; len < builder.len; len++) {
			ParseStatus status = head(len, part, sizeof part, &ret);
			cr_expect_eq(status == PARSE_SHORT, len < 16, "%s %zu", v->name, len);
			cr_expect_leq(ret.len, whole.len, "%s %zu", v->name, len);
			cr_expect_eq(memcmp(part, out, ret.len), 0, "%s %zu", v->name, len);
		}
		for (size_t room = 0; room < whole.len; room++) {
			uint8_t *small = malloc(room ? room : 1);
			head(builder.len, small, room, &ret);
			cr_expect_eq(ret.len, room, "%s %zu", v->name, room);
			cr_expect_eq(memcmp(small, out, room), 0, "%s %zu", v->name, room);
			free(small);
		}
	}
}

Test(smb3_compression, chains)
{
	Smb3CompressedHead ret;
	uint8_t out[2048];

	make_huffman();
	memset(&builder, 0, sizeof builder);
	build_text(&builder, "\xFCSMB");
	build_le32(&builder, 7 + 26 + 40 + 12 + 7);
	build_payload(&vectors[7], true);  /* none */
	build_payload(&vectors[0], false); /* lz77 */
	build_payload(&vectors[8], false); /* pattern */
	build_payload(&vectors[3], false); /* lznt1 */
	build_payload(&vectors[7], false);
	cr_assert_eq(head(builder.len, out, sizeof out, &ret), PARSE_OK);
	cr_expect_eq(ret.original_len, 92);
	cr_expect_eq(ret.len, 92);
	cr_expect_eq(memcmp(out, "nothingabcdefghijklmnopqrstuvwxyzzzzz", 37), 0);
	cr_expect_eq(memcmp(out + 73, "abcabcabcabcnothing", 19), 0);
	for (size_t len = 0; len < builder.len; len++) {
		uint8_t part[2048];
		head(len, part, sizeof part, &ret);
		cr_expect_eq(memcmp(part, out, ret.len), 0, "%zu", len);
	}
}

Test(smb3_compression, contradictions)
{
	static const uint8_t too_far[] = {0xff, 0xff, 0xff, 0x7f, 'x', 0x08, 0};
	static const uint8_t lznt1_far[] = {0x03, 0xB0, 0x02, 'a', 0x00, 0x20};
	static const Vector bad[] = {
		{"unknown algorithm", 9, 10, too_far, sizeof too_far, "", 0},
		{"lz77 before the start", 2, 10, too_far, sizeof too_far, "x", 1},
		{"lznt1 before the start", 1, 10, lznt1_far, sizeof lznt1_far, "a", 1},
	};
	static uint8_t table[300];
	Vector overfull = {"codes that do not fit", 3, 10, table, sizeof table, "", 0};
	Smb3CompressedHead ret;
	uint8_t out[100];

	for (size_t i = 0; i < 3; i++) {
		build_unchained(&bad[i], "");
		cr_expect_eq(head(builder.len, out, sizeof out, &ret),
			i == 0 ? PARSE_UNKNOWN : PARSE_OK, "%s", bad[i].name);
		cr_expect_eq(ret.len, bad[i].least, "%s", bad[i].name);
	}
	memset(table, 0x11, sizeof table);
	build_unchained(&overfull, "");
	cr_expect_eq(head(builder.len, out, sizeof out, &ret), PARSE_BAD);
	memset(table, 0, sizeof table); /* no code at all */
	build_unchained(&overfull, "");
	cr_expect_eq(head(builder.len, out, sizeof out, &ret), PARSE_BAD);
	builder.bytes[0] = 0xFE;
	cr_expect_eq(head(builder.len, out, sizeof out, &ret), PARSE_BAD);
}

Test(smb3_compression, a_compressed_read_is_told_as_a_read)
{
	static SmbRecorder recorder;
	static SmbBuilder plain;
	Vector rest = {"pattern", 4, 5000, NULL, 8, NULL, 0};
	uint8_t repeat[8] = {0, 0, 0, 0, 0x88, 0x13, 0, 0};
	const Message *m;

	smb_sample_find(smb2_samples, "read-reply")->build(&plain);
	rest.data = repeat;
	memset(&builder, 0, sizeof builder);
	build_pdu(&builder);
	build_text(&builder, "\xFCSMB");
	build_le32(&builder, (uint32_t)plain.len - 4);
	build_le16(&builder, 0);
	build_le16(&builder, 1);
	build_le32(&builder, 80);
	build_bytes(&builder, plain.bytes + 4, 80);
	build_payload(&rest, false);
	build_end(&builder);
	smb_recorder_run(&recorder, builder.bytes, builder.len, SIZE_MAX, false);
	cr_assert_eq(recorder.count, 1);
	cr_expect_eq(recorder.anomaly_count, 0);
	m = &recorder.records[0].message;
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->verb, VERB_READ);
	cr_expect(m->flags & MESSAGE_COMPRESSED);
	cr_expect_eq(m->length, 5000);
	cr_expect_eq(m->data_offset, 0);
	cr_expect_eq(m->opaque_length, builder.len - 4);
}
