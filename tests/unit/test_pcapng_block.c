/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcapng blocks: every kind in both byte orders, cut at every length, and clocks.
 */
#include "dissectors/pcapng_block.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/capture_builder.h"

static CaptureBuilder c;
static GByteArray *options;

static void setup(bool is_big_endian)
{
	capture_begin(&c, is_big_endian);
	options = g_byte_array_new();
}

static void teardown(void)
{
	capture_end(&c);
	g_byte_array_unref(options);
}

/* parses the one block in the builder, and every truncation of it on the heap */
static void parse(PcapngBlock *ret)
{
	size_t needed;
	for (guint len = 0; len < c.bytes->len; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		memcpy(copy, c.bytes->data, len);
		cr_assert_eq(pcapng_block_parse(copy, len, c.is_big_endian, ret, &needed),
			PARSE_SHORT, "at %u", len);
		cr_assert_gt(needed, len);
		free(copy);
	}
	cr_assert_eq(pcapng_block_parse(c.bytes->data, c.bytes->len, c.is_big_endian, ret, &needed),
		PARSE_OK);
	cr_assert_eq(ret->total_len, c.bytes->len);
}

Test(pcapng_block, section)
{
	for (int order = 0; order < 2; order++) {
		PcapngBlock block;
		PcapngSection section;
		setup(order);
		capture_option(&c, options, 3, "an OS", 5);
		capture_option(&c, options, 1, "hello", 5);
		capture_option(&c, options, 1, "again", 5);
		capture_section(&c, options);
		parse(&block);
		/* a section header tells its own byte order */
		size_t needed;
		cr_assert_eq(
			pcapng_block_parse(c.bytes->data, c.bytes->len, !order, &block, &needed),
			PARSE_OK);
		cr_expect_eq(block.is_big_endian, order);
		cr_assert_eq(pcapng_section_parse(&block, &section), PARSE_OK);
		cr_expect(section.major == 1 && section.minor == 0);
		cr_expect(
			section.comment.len == 5 && memcmp(section.comment.data, "hello", 5) == 0);
		c.bytes->data[order ? 13 : 12] = 2;
		cr_expect_eq(pcapng_section_parse(&block, &section), PARSE_UNKNOWN);
		c.bytes->data[8] ^= 0xff;
		cr_expect_eq(
			pcapng_block_parse(c.bytes->data, c.bytes->len, order, &block, &needed),
			PARSE_BAD);
		teardown();
	}
}

Test(pcapng_block, interface)
{
	for (int order = 0; order < 2; order++) {
		PcapngBlock block;
		PcapngInterface interface;
		setup(order);
		capture_option(&c, options, 2, "eth0", 4);
		capture_option_u64(&c, options, 8, 10000000000);
		capture_option(&c, options, 9, "\x09", 1);
		capture_option_u64(&c, options, 14, (uint64_t)-3);
		capture_interface(&c, 276, 96, options);
		parse(&block);
		cr_assert_eq(pcapng_interface_parse(&block, &interface), PARSE_OK);
		cr_expect_eq(interface.link_type, 276);
		cr_expect_eq(interface.snaplen, 96);
		cr_expect_eq(interface.speed_bps, 10000000000);
		cr_expect_eq(interface.clock.resolution, 9);
		cr_expect_eq(interface.clock.offset_s, -3);
		cr_expect(interface.name.len == 4 && memcmp(interface.name.data, "eth0", 4) == 0);
		cr_expect_null(interface.description.data);
		teardown();

		setup(order);
		capture_interface(&c, 1, 0, NULL);
		parse(&block);
		cr_assert_eq(pcapng_interface_parse(&block, &interface), PARSE_OK);
		cr_expect_eq(interface.clock.resolution, 6);
		block.body_len = 7;
		cr_expect_eq(pcapng_interface_parse(&block, &interface), PARSE_BAD);
		teardown();
	}
}

Test(pcapng_block, packets)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5};
	for (int order = 0; order < 2; order++) {
		PcapngBlock block;
		PcapngPacket p;
		uint8_t flags[4] = {0};
		flags[order ? 3 : 0] = 2;
		setup(order);
		capture_option(&c, options, 1, "look", 4);
		capture_option(&c, options, 2, flags, 4);
		capture_option_u64(&c, options, 4, 77);
		capture_enhanced(&c, 3, 0x0102030405060708, data, 5, 1500, options);
		parse(&block);
		cr_assert_eq(pcapng_packet_parse(&block, 0, &p), PARSE_OK);
		cr_expect(p.interface == 3 && p.has_time && p.time == 0x0102030405060708);
		cr_expect(p.caplen == 5 && p.wirelen == 1500 && p.data[4] == 5);
		cr_expect(p.flags == 2 && p.has_dropped && p.dropped == 77);
		cr_expect_eq(p.comment.len, 4);
		/* more captured than the block holds */
		c.bytes->data[order ? 8 + 14 : 8 + 13] = 1;
		cr_expect_eq(pcapng_packet_parse(&block, 0, &p), PARSE_BAD);
		teardown();

		setup(order);
		capture_old(&c, 2, 9, 5, data, 4, 4);
		parse(&block);
		cr_assert_eq(pcapng_packet_parse(&block, 0, &p), PARSE_OK);
		cr_expect(p.interface == 2 && p.has_dropped && p.dropped == 9 && p.caplen == 4);
		teardown();
		setup(order);
		capture_old(&c, 2, 0xffff, 5, data, 4, 4);
		parse(&block);
		cr_assert_eq(pcapng_packet_parse(&block, 0, &p), PARSE_OK);
		cr_expect(!p.has_dropped && p.dropped == 0);
		teardown();

		setup(order);
		capture_simple(&c, data, 5, 1500);
		parse(&block);
		cr_assert_eq(pcapng_packet_parse(&block, 5, &p), PARSE_OK);
		cr_expect(!p.has_time && p.interface == 0 && p.caplen == 5 && p.wirelen == 1500);
		cr_expect_eq(pcapng_packet_parse(&block, 0, &p), PARSE_BAD);
		block.type = 4;
		cr_expect_eq(pcapng_packet_parse(&block, 0, &p), PARSE_UNKNOWN);
		teardown();
	}
}

Test(pcapng_block, statistics)
{
	for (int order = 0; order < 2; order++) {
		PcapngBlock block;
		PcapngStatistics statistics;
		setup(order);
		capture_option_u64(&c, options, 4, 1000);
		capture_option_u64(&c, options, 5, 3);
		capture_option_u64(&c, options, 7, 4);
		capture_statistics(&c, 1, options);
		parse(&block);
		cr_assert_eq(pcapng_statistics_parse(&block, &statistics), PARSE_OK);
		cr_expect(statistics.interface == 1 && statistics.has_dropped);
		cr_expect_eq(statistics.dropped, 7);
		teardown();

		setup(order);
		capture_option_u64(&c, options, 5, UINT64_MAX);
		capture_option_u64(&c, options, 7, 4);
		capture_statistics(&c, 1, options);
		parse(&block);
		cr_assert_eq(pcapng_statistics_parse(&block, &statistics), PARSE_OK);
		cr_expect_eq(statistics.dropped, UINT64_MAX);
		teardown();
	}
}

Test(pcapng_block, lengths)
{
	/* {length, trailing length, answer}, of a block in a buffer of 64 bytes */
	static const struct {
		uint32_t len, again;
		ParseStatus status;
	} cases[] = {
		{0, 0, PARSE_BAD},
		{11, 11, PARSE_BAD},
		{12, 12, PARSE_OK},
		{14, 14, PARSE_OK}, /* padded in the file only */
		{16, 12, PARSE_BAD},
		{64, 64, PARSE_OK},
		{68, 68, PARSE_SHORT},
		{PCAPNG_BLOCK_MAX, 0, PARSE_SHORT},
		{PCAPNG_BLOCK_MAX + 4, 0, PARSE_BAD},
		{UINT32_MAX, UINT32_MAX, PARSE_BAD},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		PcapngBlock block;
		size_t needed;
		uint8_t bytes[64] = {0x0a, 0};
		uint32_t at = ((cases[i].len + 3) & ~3u) - 4;
		for (int b = 0; b < 4; b++) {
			bytes[4 + b] = (uint8_t)(cases[i].len >> 8 * b);
			if (at <= 60 && at >= 8)
				bytes[at + (uint32_t)b] = (uint8_t)(cases[i].again >> 8 * b);
		}
		cr_expect_eq(pcapng_block_parse(bytes, 64, false, &block, &needed), cases[i].status,
			"length %u", cases[i].len);
	}
}

Test(pcapng_block, clocks)
{
	static const int64_t limit = ((int64_t)1 << 62) - 1; /* limit - -limit fits */
	static const struct {
		uint8_t resolution;
		int64_t offset_s;
		uint64_t time;
		int64_t ns;
	} cases[] = {
		{6, 0, 1500000000123456, 1500000000123456000},
		{9, 0, 1500000000123456789, 1500000000123456789},
		{0, 0, 1500000000, 1500000000000000000},
		{3, 0, 1500000000123, 1500000000123000000},
		{12, 0, 1234567, 1234},
		{19, 0, UINT64_MAX, 1844674407},
		{127, 0, UINT64_MAX, 0},
		{6, 100, 5, 100000005000},
		{6, -100, 5, -99999995000},
		{0x80, 0, 7, 7000000000},
		{0x80 | 10, 0, 3 << 9, 1500000000},
		{0x80 | 32, 0, (uint64_t)1500000000 << 32 | 0x80000000, 1500000000500000000},
		{0x80 | 63, 0, (uint64_t)3 << 62, 1500000000},
		{0x80 | 64, 0, (uint64_t)1 << 63, 500000000},
		{0x80 | 94, 0, UINT64_MAX, 0},
		{0x80 | 127, 0, UINT64_MAX, 0},
		/* counts below zero, as some write relative times */
		{6, 0, (uint64_t)-5, -5000},
		/* beyond what 64 bits of nanoseconds hold */
		{6, 0, INT64_MAX, limit},
		{6, 0, (uint64_t)INT64_MIN, -limit},
		{6, INT64_MAX, 0, limit},
		{6, INT64_MIN, 0, -limit},
		{0x80, 0, UINT64_MAX, limit},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		PcapngClock clock = {cases[i].resolution, cases[i].offset_s};
		cr_expect_eq(pcapng_time_ns(&clock, cases[i].time), cases[i].ns, "case %zu: %ld", i,
			(long)pcapng_time_ns(&clock, cases[i].time));
	}
}
