/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the seeds of fuzz_packet and fuzz_pcapng: capture_seeds DIRECTORY, which is
 * tests/fuzz/corpus.
 */
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "analyzer/capture/codec.h"
#include "dissectors/frame.h"
#include "tests/tools/capture_builder.h"
#include "tests/tools/capture_files.h"
#include "tests/tools/frame_samples.h"

static const char *root;

static void seed(const char *target, const char *name, const GByteArray *bytes)
{
	g_autofree char *folder = g_build_filename(root, target, NULL);
	g_autofree char *path = g_build_filename(folder, name, NULL);
	(void)g_mkdir_with_parents(folder, 0755);
	if (!g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, NULL))
		g_error("cannot write %s", path);
}

static void seed_packets(void)
{
	static FrameBuilder f;
	const FrameSample *s;
	for (size_t n = 0; (s = frame_sample_at(n)); n++) {
		f.len = 0;
		s->build(&f);
		/* headers are what matters */
		guint len = f.len > 300 ? 300 : (guint)f.len;
		uint8_t head[4] = {(uint8_t)s->link_type, (uint8_t)(s->link_type >> 8),
			(uint8_t)(f.len - len), (uint8_t)((f.len - len) >> 8)};
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		g_byte_array_append(bytes, head, 4);
		g_byte_array_append(bytes, frame_start(&f), len);
		seed("packet", s->name, bytes);
	}
}

/* a section with every kind of block */
static void seed_pcapng(CaptureBuilder *c)
{
	g_autoptr(GByteArray) options = g_byte_array_new();
	g_autoptr(GByteArray) custom = g_byte_array_new();
	g_byte_array_append(custom, (const guint8 *)"\0\0\0\1abcd", 8);
	capture_option(c, options, 1, "comment", 7);
	capture_section(c, options);
	capture_option(c, options, 2, "eth0", 4);
	capture_option(c, options, 9, "\x09", 1);
	capture_option_u64(c, options, 14, 1000);
	capture_interface(c, LINKTYPE_ETHERNET, 96, options);
	capture_option(c, options, 9, "\x94", 1);
	capture_interface(c, LINKTYPE_RAW, 0, options);
	capture_option_u64(c, options, 4, 5);
	capture_enhanced(c, 0, 1500000000000000001, capture_frame(1), 74, 1500, options);
	capture_block(c, 0x0bad, custom, NULL);
	capture_enhanced(c, 1, 1500000000, capture_frame(2) + 14, 60, 60, NULL);
	capture_simple(c, capture_frame(3), 74, 74);
	capture_old(c, 0, 3, 1500000000000000009, capture_frame(4), 74, 1500);
	capture_option_u64(c, options, 5, 2);
	capture_statistics(c, 0, options);
}

static void seed_files(void)
{
	static const uint32_t magics[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34};
	CaptureBuilder c;
	for (int order = 0; order < 2; order++) {
		const char *suffix = order ? "be" : "le";
		for (size_t i = 0; i < G_N_ELEMENTS(magics); i++) {
			g_autofree char *name = g_strdup_printf("pcap-%x-%s", magics[i], suffix);
			capture_begin(&c, order);
			capture_pcap(&c, magics[i], 65535, LINKTYPE_ETHERNET);
			for (uint32_t n = 0; n < 5; n++)
				capture_record(&c, 1500000000, n, capture_frame(n), 74, 74);
			seed("pcapng", name, c.bytes);
			/* damage that can be got over */
			memset(c.bytes->data + 24 + 90 + 8, 0xff, 4);
			g_autofree char *damaged = g_strconcat(name, "-damaged", NULL);
			seed("pcapng", damaged, c.bytes);
			capture_end(&c);
		}
		g_autofree char *name = g_strconcat("pcapng-", suffix, NULL);
		capture_begin(&c, order);
		seed_pcapng(&c);
		c.is_big_endian = !order;
		seed_pcapng(&c);
		seed("pcapng", name, c.bytes);
		for (int kind = CODEC_GZIP; kind < CODEC_COUNT; kind++) {
			GByteArray *archive = capture_compress(&c, kind);
			g_autofree char *packed =
				g_strconcat(name, ".", codec_name((CodecKind)kind), NULL);
			if (archive) {
				seed("pcapng", packed, archive);
				g_byte_array_unref(archive);
			}
		}
		c.bytes->data[c.bytes->len / 2] ^= 0xff;
		g_autofree char *damaged = g_strconcat(name, "-damaged", NULL);
		seed("pcapng", damaged, c.bytes);
		capture_end(&c);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "capture_seeds DIRECTORY\n");
		return 2;
	}
	root = argv[1];
	seed_packets();
	seed_files();
	return 0;
}
