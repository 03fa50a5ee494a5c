/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop over usual pcapng blocks against the general way, which files in big-endian order take:
 * the same packets and facts, whatever stands between and however interfaces count time.
 */
#include "analyzer/capture/pcapng_file.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/capture/reader.h"
#include "dissectors/frame.h"
#include "tests/tools/capture_files.h"
#include "tests/tools/random.h"

static CaptureFolder folder;

static void setup(void)
{
	capture_folder_make(&folder);
}

static void teardown(void)
{
	capture_folder_remove(&folder);
}

TestSuite(pcapng_file, .init = setup, .fini = teardown, .timeout = 120);

/* an interface that counts in @resolution, from 1970 on or not */
static void add_interface(CaptureBuilder *c, Random *random, GByteArray *options)
{
	static const uint8_t resolutions[] = {0, 1, 3, 6, 6, 6, 9, 9, 10, 12, 0x80, 0x8a, 0xff};
	uint8_t resolution = resolutions[random_below(random, sizeof(resolutions))];
	if (random_below(random, 4) > 0)
		capture_option(c, options, 9, &resolution, 1);
	if (random_below(random, 4) == 0)
		capture_option_u64(c, options, 14, random_next(random) >> random_below(random, 64));
	capture_interface(c, random_below(random, 3) ? LINKTYPE_ETHERNET : LINKTYPE_RAW,
		(uint32_t)random_below(random, 2) * 40, options);
}

static uint64_t some_time(Random *random, uint32_t n)
{
	switch (random_below(random, 12)) {
	case 0: /* any, also of more bits than nanoseconds have */
		return random_next(random) >> random_below(random, 64);
	case 1: /* about the last that a nanosecond clock can say: 2^62 */
		return (UINT64_C(1) << 62) - 2 + random_below(random, 4);
	case 2: /* and a microsecond clock */
		return ((UINT64_C(1) << 62) / 1000) - 2 + random_below(random, 4);
	default:
		return UINT64_C(1500000000000000) + n;
	}
}

/* the same blocks in either order of bytes */
static void make_blocks(CaptureBuilder *c, Random random, uint32_t count)
{
	g_autoptr(GByteArray) options = g_byte_array_new();
	uint32_t interfaces = 1 + (uint32_t)random_below(&random, 3);
	capture_section(c, NULL);
	for (uint32_t i = 0; i < interfaces; i++)
		add_interface(c, &random, options);
	for (uint32_t n = 0; n < count; n++) {
		uint32_t caplen = (uint32_t)random_below(&random, CAPTURE_FRAME_LEN + 1);
		if (random_below(&random, 2))
			caplen = CAPTURE_FRAME_LEN;
		uint32_t wirelen = (uint32_t)random_below(&random, 200);
		uint32_t interface = (uint32_t)random_below(&random, interfaces);
		uint64_t time = some_time(&random, n);
		const uint8_t *frame = capture_frame(n);
		switch (random_below(&random, 16)) {
		case 0:
			capture_simple(c, frame, CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN);
			break;
		case 1:
			capture_old(c, (uint16_t)interface, 1, time, frame, caplen, wirelen);
			break;
		case 2:
			capture_option(c, options, 1, "comment", 7);
			capture_enhanced(c, interface, time, frame, caplen, wirelen, options);
			break;
		case 3: /* often one that was not described */
			capture_enhanced(c, interface + 1, time, frame, caplen, wirelen, NULL);
			break;
		case 4:
			capture_statistics(c, interface, NULL);
			break;
		default:
			capture_enhanced(c, interface, time, frame, caplen, wirelen, NULL);
			break;
		}
	}
}

static ReadPackets *read_blocks(bool is_big_endian, const Random *random)
{
	CaptureBuilder c;
	capture_begin(&c, is_big_endian);
	make_blocks(&c, *random, 100);
	const char *path = capture_folder_write(&folder, "x.pcapng", c.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	capture_end(&c);
	return read;
}

Test(pcapng_file, usual_blocks_equal_the_general_way)
{
	Random random = random_start();
	size_t packets = 0;
	for (int round = 0; round < 400; round++) {
		Random here = random_seeded(random_next(&random));
		ReadPackets *usual = read_blocks(false, &here);
		ReadPackets *general = read_blocks(true, &here);
		cr_assert_eq(usual->count, general->count, "round %d", round);
		packets += usual->count;
		for (size_t i = 0; i < usual->count; i++) {
			Packet *a = &usual->packets[i], *b = &general->packets[i];
			a->payload = b->payload = a->ip = b->ip = NULL; /* dead */
			cr_assert_eq(memcmp(a, b, sizeof(*a)), 0, "round %d, packet %zu", round, i);
		}
		const InputInfo *x = reader_input(usual->reader, 0);
		const InputInfo *y = reader_input(general->reader, 0);
		cr_assert_eq(x->packets, y->packets);
		cr_assert_eq(x->bytes, y->bytes);
		cr_assert_eq(x->damaged_at, y->damaged_at);
		cr_assert_str_eq(x->damage ? x->damage : "", y->damage ? y->damage : "");
		cr_assert_eq(x->resynchronised, y->resynchronised);
		cr_assert_eq(x->comment_count, y->comment_count);
		read_free(usual);
		read_free(general);
	}
	cr_assert_gt(packets, 20000); /* it did compare something */
}
