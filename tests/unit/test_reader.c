/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader over small captures made here: formats, compression, pcapng's variety, filters,
 * merging, and reading a packet again. What is damaged or missing: test_reader_damage.c.
 */
#include "analyzer/capture/reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "analyzer/capture/codec.h"
#include "dissectors/frame.h"
#include "tests/tools/capture_files.h"

static CaptureFolder folder;

static void setup(void)
{
	capture_folder_make(&folder);
}

static void teardown(void)
{
	capture_folder_remove(&folder);
}

TestSuite(reader, .init = setup, .fini = teardown, .timeout = 60);

Test(reader, pcap_magics)
{
	static const struct {
		uint32_t magic;
		bool is_big_endian;
		int64_t ns;
	} cases[] = {
		{0xa1b2c3d4, false, 123456000},
		{0xa1b2c3d4, true, 123456000},
		{0xa1b23c4d, false, 123456},
		{0xa1b23c4d, true, 123456},
		{0xa1b2cd34, false, 123456000}, /* Kuznetzov's */
		{0xa1b2cd34, true, 123456000},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		CaptureBuilder c;
		capture_begin(&c, cases[i].is_big_endian);
		capture_pcap(&c, cases[i].magic, 65535, LINKTYPE_ETHERNET);
		for (uint32_t n = 0; n < 20; n++)
			capture_record(&c, 1500000000 + n, 123456, capture_frame(n),
				CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN + n);
		const char *path = capture_folder_write(&folder, "x.pcap", c.bytes);
		ReadPackets *read = read_all(&path, 1, NULL);
		cr_assert_eq(read->count, 20, "case %zu: %zu", i, read->count);
		for (uint32_t n = 0; n < 20; n++) {
			const Packet *p = &read->packets[n];
			cr_assert_eq(p->ts_ns, (1500000000 + n) * 1000000000L + cases[i].ns);
			cr_assert_eq(p->frame, n + 1);
			cr_assert_eq(
				p->file_offset, 24 + n * (16 + c.record_extra + CAPTURE_FRAME_LEN));
			cr_assert_eq(p->wirelen, CAPTURE_FRAME_LEN + n);
			cr_assert_eq(p->caplen, CAPTURE_FRAME_LEN);
			cr_assert(p->kind == PACKET_TCP && p->seq == n);
			cr_assert_eq(p->link_type, LINKTYPE_ETHERNET);
		}
		const InputInfo *info = reader_input(read->reader, 0);
		cr_expect_str_eq(info->format, "pcap");
		cr_expect_str_eq(info->compression, "none");
		cr_expect_eq(info->packets, 20);
		cr_expect_eq(info->bytes, c.bytes->len);
		cr_expect_eq(info->damaged_at, -1);
		cr_expect_eq(info->snaplen, 65535);
		cr_expect_eq(info->dropped_packets, -1);
		read_free(read);
		capture_end(&c);
	}
}

Test(reader, records_longer_than_the_snap_length)
{
	CaptureBuilder c;
	capture_begin(&c, true);
	capture_pcap(&c, 0xa1b2c3d4, 20, LINKTYPE_ETHERNET);
	for (uint32_t n = 0; n < 5; n++)
		capture_record(&c, 1, n, capture_frame(n), CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN);
	const char *path = capture_folder_write(&folder, "x.pcap", c.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	cr_assert_eq(read->count, 5);
	for (uint32_t n = 0; n < 5; n++) {
		cr_expect_eq(read->packets[n].caplen, CAPTURE_FRAME_LEN);
		cr_expect_eq(read->packets[n].seq, n);
	}
	cr_expect_eq(reader_input(read->reader, 0)->snaplen, 20);
	read_free(read);
	capture_end(&c);
}

/* a snap length of 0, or a filter that keeps headers only: nothing kept is still a packet */
Test(reader, records_without_bytes)
{
	for (int order = 0; order < 2; order++) {
		CaptureBuilder c;
		capture_begin(&c, order == 1);
		capture_pcap(&c, 0xa1b2c3d4, 65535, LINKTYPE_ETHERNET);
		for (uint32_t n = 0; n < 100; n++)
			capture_record(&c, 1500000000 + n, 0, capture_frame(n),
				n % 3 == 0 ? 0 : CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN);
		const char *path = capture_folder_write(&folder, "x.pcap", c.bytes);
		ReadPackets *read = read_all(&path, 1, NULL);
		cr_assert_eq(read->count, 100, "%zu", read->count);
		for (uint32_t n = 0; n < 100; n++) {
			const Packet *p = &read->packets[n];
			cr_assert_eq(p->frame, n + 1);
			cr_assert_eq(p->wirelen, CAPTURE_FRAME_LEN);
			cr_assert_eq(p->caplen, n % 3 == 0 ? 0 : CAPTURE_FRAME_LEN);
			cr_assert_eq(p->kind, n % 3 == 0 ? PACKET_CUT : PACKET_TCP);
		}
		read_free(read);
		capture_end(&c);
	}
}

/* packets of a batch stay readable together, however large */
Test(reader, large_packets)
{
	enum { LEN = 250000, COUNT = 40 };
	uint8_t *big = g_malloc0(LEN);
	for (int format = 0; format < 2; format++) {
		CaptureBuilder c;
		capture_begin(&c, false);
		if (format == 0) {
			capture_pcap(&c, 0xa1b2c3d4, 262144, LINKTYPE_ETHERNET);
		} else {
			capture_section(&c, NULL);
			capture_interface(&c, LINKTYPE_ETHERNET, 0, NULL);
		}
		for (uint32_t n = 0; n < COUNT; n++) {
			memcpy(big, capture_frame(n), CAPTURE_FRAME_LEN);
			big[16] = big[17] = 0; /* total length 0: offload */
			big[LEN - 1] = (uint8_t)n;
			if (format == 0)
				capture_record(&c, 1, n, big, LEN, LEN);
			else
				capture_enhanced(&c, 0, n, big, LEN, LEN, NULL);
		}
		const char *path = capture_folder_write(&folder, "x", c.bytes);
		Reader *reader = reader_open(&path, 1, NULL, NULL);
		Packet batch[READER_BATCH];
		uint32_t seen = 0;
		for (size_t n; (n = reader_next_batch(reader, batch)) > 0;) {
			for (size_t i = 0; i < n; i++, seen++) {
				const Packet *p = &batch[i];
				cr_assert_eq(p->seq, seen);
				cr_assert_eq(p->payload[p->payload_caplen - 1], (uint8_t)seen);
			}
		}
		cr_expect_eq(seen, COUNT);
		reader_free(reader);
		capture_end(&c);
	}
	g_free(big);
}

Test(reader, compressed)
{
	CaptureBuilder c;
	capture_begin(&c, false);
	make_pcap(&c, 5000, 1500000000);
	for (int kind = CODEC_GZIP; kind < CODEC_COUNT; kind++) {
		GByteArray *once = capture_compress(&c, kind);
		if (!once) {
			cr_log_warn("not built with %s: skipped", codec_name((CodecKind)kind));
			continue;
		}
		const char *path = capture_folder_write(&folder, "x", once);
		ReadPackets *read = read_all(&path, 1, NULL);
		cr_expect_eq(read->count, 5000, "%s", codec_name((CodecKind)kind));
		cr_expect_eq(read->packets[4999].seq, 4999);
		const InputInfo *info = reader_input(read->reader, 0);
		cr_expect_str_eq(info->compression, codec_name((CodecKind)kind));
		cr_expect_eq(info->bytes, c.bytes->len);
		cr_expect_eq(info->damaged_at, -1, "%s", info->damage);
		read_free(read);
		g_byte_array_unref(once);
	}
	capture_end(&c);
}

/* several archives behind each other are one; what follows them and is none is ignored */
Test(reader, concatenated_archives)
{
	CaptureBuilder whole, half;
	capture_begin(&whole, false);
	make_pcap(&whole, 100, 1500000000);
	for (int kind = CODEC_GZIP; kind < CODEC_COUNT; kind++) {
		GByteArray *all = g_byte_array_new();
		for (int part = 0; part < 2; part++) {
			capture_begin(&half, false);
			guint middle = whole.bytes->len / 2;
			capture_add(&half, whole.bytes->data + (part ? middle : 0),
				part ? whole.bytes->len - middle : middle);
			GByteArray *piece = capture_compress(&half, kind);
			if (piece) {
				g_byte_array_append(all, piece->data, piece->len);
				g_byte_array_unref(piece);
			}
			capture_end(&half);
		}
		if (all->len > 0) {
			if (kind == CODEC_GZIP)
				g_byte_array_append(all, (const guint8 *)"rest", 4);
			const char *path = capture_folder_write(&folder, "x", all);
			ReadPackets *read = read_all(&path, 1, NULL);
			cr_expect_eq(read->count, 100, "%s: %zu", codec_name((CodecKind)kind),
				read->count);
			cr_expect_eq(reader_input(read->reader, 0)->damaged_at, -1, "%s",
				reader_input(read->reader, 0)->damage);
			read_free(read);
		}
		g_byte_array_unref(all);
	}
	capture_end(&whole);
}

static void make_rich_pcapng(CaptureBuilder *c)
{
	g_autoptr(GByteArray) options = g_byte_array_new();
	uint8_t flags[4];
	capture_option(c, options, 1, "first\x1b[2J", 9);
	capture_section(c, options);
	capture_option(c, options, 2, "eth0", 4);
	capture_option(c, options, 9, "\x09", 1);
	capture_option_u64(c, options, 8, 1000000000);
	capture_interface(c, LINKTYPE_ETHERNET, 96, options);
	capture_option(c, options, 9, "\x94", 1); /* 2^-20 */
	capture_option_u64(c, options, 14, 1000);
	capture_interface(c, LINKTYPE_RAW, 0, options);

	capture_enhanced(
		c, 0, 1500000000000000001, capture_frame(1), CAPTURE_FRAME_LEN, 1500, NULL);
	g_autoptr(GByteArray) custom = g_byte_array_new();
	g_byte_array_append(custom, (const guint8 *)"\0\0\0\1abcd", 8);
	capture_block(c, 0x0bad, custom, NULL);
	memset(flags, 0, 4);
	flags[c->is_big_endian ? 3 : 0] = 1;
	capture_option(c, options, 2, flags, 4);
	capture_option_u64(c, options, 4, 5);
	capture_option(c, options, 1, "second", 6);
	capture_enhanced(c, 1, (uint64_t)1499999000 << 20 | 1 << 19, capture_frame(2) + 14,
		CAPTURE_FRAME_LEN - 14, CAPTURE_FRAME_LEN - 14, options);
	capture_simple(c, capture_frame(3), CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN);
	capture_old(c, 0, 3, 1500000001000000009, capture_frame(4), CAPTURE_FRAME_LEN, 1500);
	capture_option_u64(c, options, 5, 2);
	capture_option_u64(c, options, 7, 4);
	capture_statistics(c, 0, options);
	capture_option_u64(c, options, 5, 2);
	capture_option_u64(c, options, 7, 10);
	capture_statistics(c, 0, options);
}

Test(reader, pcapng_variety)
{
	/* two sections, each in its own byte order */
	for (int order = 0; order < 2; order++) {
		CaptureBuilder c;
		capture_begin(&c, order);
		make_rich_pcapng(&c);
		c.is_big_endian = !order;
		make_rich_pcapng(&c);
		const char *path = capture_folder_write(&folder, "x.pcapng", c.bytes);
		ReadPackets *read = read_all(&path, 1, NULL);
		static const struct {
			uint64_t frame;
			int64_t ts_ns;
			uint32_t seq, wirelen;
			uint8_t direction;
			uint16_t interface, link_type;
		} expected[] = {
			{1, 1500000000000000001, 1, 1500, PACKET_DIRECTION_UNKNOWN, 0, 1},
			/* 2 is the custom block, as in Wireshark */
			{3, 1500000000500000000, 2, CAPTURE_FRAME_LEN - 14, PACKET_DIRECTION_IN, 1,
				101},
			/* has no time: the one before stands in */
			{4, 1500000000500000000, 3, CAPTURE_FRAME_LEN, PACKET_DIRECTION_UNKNOWN, 0,
				1},
			{5, 1500000001000000009, 4, 1500, PACKET_DIRECTION_UNKNOWN, 0, 1},
		};
		cr_assert_eq(read->count, 8, "%zu: %s", read->count,
			reader_input(read->reader, 0)->damage);
		for (size_t i = 0; i < 8; i++) {
			const Packet *p = &read->packets[i];
			cr_expect_eq(p->frame, expected[i % 4].frame + i / 4 * 5);
			cr_expect_eq(p->ts_ns, expected[i % 4].ts_ns, "%zu", i);
			cr_expect(p->kind == PACKET_TCP && p->seq == expected[i % 4].seq);
			cr_expect_eq(p->wirelen, expected[i % 4].wirelen);
			cr_expect_eq(p->direction, expected[i % 4].direction);
			cr_expect_eq(p->interface, expected[i % 4].interface + i / 4 * 2);
			cr_expect_eq(p->link_type, expected[i % 4].link_type);
		}
		const InputInfo *info = reader_input(read->reader, 0);
		cr_expect_str_eq(info->format, "pcapng");
		cr_expect_eq(info->packets, 8);
		cr_expect_eq(info->link_type_count, 2);
		cr_expect(info->link_types[0] == 1 && info->link_types[1] == 101);
		cr_expect_eq(info->interface_count, 4);
		cr_expect_str_eq(info->interfaces[0], "eth0");
		cr_expect_str_eq(info->interfaces[1], "");
		cr_expect_eq(info->comment_count, 4);
		cr_expect_str_eq(info->comments[0], "first [2J");
		cr_expect_str_eq(info->comments[1], "second");
		cr_expect_eq(info->snaplen, 96);
		cr_expect_eq(info->if_speed_bps, 1000000000);
		/* of each section: 12 counted by statistics rather than 3 by a packet, and 5 */
		cr_expect_eq(info->dropped_packets, 2 * (12 + 5));
		cr_expect_eq(info->damaged_at, -1);
		read_free(read);
		capture_end(&c);
	}
}

Test(reader, standard_input)
{
	for (int format = 0; format < 2; format++) {
		for (int piped = 0; piped < 2; piped++) {
			CaptureBuilder c;
			int fd[2];
			capture_begin(&c, false);
			if (format == 0)
				make_pcap(&c, 300, 1500000000);
			else
				make_pcapng(&c, 300, 1500000000);
			if (piped) {
				cr_assert_eq(pipe(fd), 0);
				/* a pipe holds 64 KiB, more than this */
				cr_assert_eq(
					write(fd[1], c.bytes->data, c.bytes->len), c.bytes->len);
				close(fd[1]);
			} else {
				const char *path = capture_folder_write(&folder, "x", c.bytes);
				fd[0] = open(path, O_RDONLY);
			}
			dup2(fd[0], STDIN_FILENO);
			close(fd[0]);
			const char *path = "-";
			ReadPackets *read = read_all(&path, 1, NULL);
			cr_expect_eq(read->count, 300);
			cr_expect_eq(read->packets[299].seq, 299);
			uint8_t *data;
			size_t len;
			cr_expect_not(reader_read_packet(read->reader, 0, 24, &data, &len));
			read_free(read);
			capture_end(&c);
		}
	}
}

Test(reader, filter)
{
	CaptureBuilder c;
	uint8_t tagged[CAPTURE_FRAME_LEN + 4];
	capture_begin(&c, false);
	capture_section(&c, NULL);
	capture_interface(&c, LINKTYPE_ETHERNET, 0, NULL);
	capture_interface(&c, LINKTYPE_RAW, 0, NULL);
	for (uint32_t n = 0; n < 10; n++) {
		memcpy(tagged, capture_frame(n), CAPTURE_FRAME_LEN);
		tagged[37] = n % 2 ? 0xbd : 0; /* destination port 445 or 256 */
		capture_enhanced(&c, 0, n, tagged, CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN, NULL);
		capture_enhanced(&c, 1, n, tagged + 14, CAPTURE_FRAME_LEN - 14,
			CAPTURE_FRAME_LEN - 14, NULL);
		memmove(tagged + 16, tagged + 12, CAPTURE_FRAME_LEN - 12);
		memcpy(tagged + 12, "\x81\0\0\7", 4);
		capture_enhanced(&c, 0, n, tagged, sizeof(tagged), sizeof(tagged), NULL);
	}
	const char *path = capture_folder_write(&folder, "x.pcapng", c.bytes);
	ReaderOptions options = {.filter = "tcp dst port 445 or udp port 9"};
	ReadPackets *read = read_all(&path, 1, &options);
	cr_expect_eq(read->count, 15, "%zu", read->count);
	cr_expect_eq(reader_filtered(read->reader), 15);
	cr_expect_eq(read->packets[0].frame, 4);
	cr_expect_eq(reader_input(read->reader, 0)->packets, 30);
	read_free(read);
	/* whoever names VLANs gets what they name */
	options.filter = "vlan 7 and tcp dst port 445";
	read = read_all(&path, 1, &options);
	cr_expect_eq(read->count, 5, "%zu", read->count);
	read_free(read);
	options.filter = "";
	read = read_all(&path, 1, &options);
	cr_expect_eq(read->count, 30);
	read_free(read);

	g_autoptr(GError) error = NULL;
	options.filter = "tcp prot 445";
	cr_expect_null(reader_open(&path, 1, &options, &error));
	cr_assert(g_error_matches(error, READER_ERROR, READER_ERROR_FILTER));
	cr_expect(strstr(error->message, "tcp prot 445"), "%s", error->message);
	capture_end(&c);
}

Test(reader, merges_by_time)
{
	const char *paths[3];
	for (uint32_t i = 0; i < 3; i++) {
		CaptureBuilder c;
		g_autofree char *name = g_strdup_printf("%u", i);
		capture_begin(&c, i == 1);
		if (i == 2)
			capture_pcap(&c, 0xa1b2c3d4, 100, LINKTYPE_ETHERNET); /* no packets */
		else
			make_pcap(&c, 100, 1500000000);
		paths[i] = capture_folder_write(&folder, name, c.bytes);
		capture_end(&c);
	}
	ReadPackets *read = read_all(paths, 3, NULL);
	cr_assert_eq(read->count, 200);
	for (size_t i = 0; i < 200; i++) {
		cr_expect_eq(read->packets[i].seq, i / 2);
		cr_expect_eq(read->packets[i].input, i % 2);
		cr_expect_eq(read->packets[i].frame, i / 2 + 1);
	}
	cr_expect_eq(reader_input_count(read->reader), 3);
	read_free(read);
}

/* a ring buffer whose names do not sort by time, and files that are no captures */
Test(reader, directory)
{
	enum { FILES = 40, EACH = 50 };
	for (uint32_t i = 0; i < FILES; i++) {
		CaptureBuilder c;
		g_autofree char *name = g_strdup_printf("ring_%05u", (i + 17) % FILES);
		capture_begin(&c, false);
		if (i % 2)
			make_pcapng(&c, EACH, 1500000000 + i * EACH);
		else
			make_pcap(&c, EACH, 1500000000 + i * EACH);
		GByteArray *gz = i % 3 == 0 ? capture_compress(&c, CODEC_GZIP) : NULL;
		capture_folder_write(&folder, name, gz ? gz : c.bytes);
		if (gz)
			g_byte_array_unref(gz);
		capture_end(&c);
	}
	g_autoptr(GByteArray) text = g_byte_array_new();
	g_byte_array_append(text, (const guint8 *)"notes about these files\n", 24);
	capture_folder_write(&folder, "NOTES", text);
	g_autofree char *below = g_build_filename(folder.path, "below", NULL);
	g_mkdir(below, 0700);

	const char *path = folder.path;
	for (int filtered = 0; filtered < 2; filtered++) {
		ReaderOptions options = {.filter = filtered ? "greater 10" : NULL};
		ReadPackets *read = read_all(&path, 1, &options);
		cr_assert_eq(read->count, FILES * EACH, "%zu", read->count);
		for (size_t i = 0; i < read->count; i++) {
			cr_assert_eq(
				read->packets[i].ts_ns, (1500000000 + (int64_t)i) * 1000000000);
			cr_assert_eq(read->packets[i].input, i / EACH);
		}
		cr_expect_eq(reader_input_count(read->reader), FILES);
		for (size_t i = 0; i < FILES; i++)
			cr_expect_eq(reader_input(read->reader, i)->packets, EACH);
		uint64_t done, total;
		reader_progress(read->reader, &done, &total);
		cr_expect(total > 0 && done == total, "%lu of %lu", (unsigned long)done,
			(unsigned long)total);
		read_free(read);
	}
	g_rmdir(below);
}

Test(reader, reads_packets_again)
{
	for (int variant = 0; variant < 3; variant++) {
		CaptureBuilder c;
		capture_begin(&c, variant == 1);
		if (variant == 1)
			make_pcapng(&c, 200, 1500000000);
		else
			make_pcap(&c, 200, 1500000000);
		GByteArray *gz = variant == 2 ? capture_compress(&c, CODEC_GZIP) : NULL;
		const char *path = capture_folder_write(&folder, "x", gz ? gz : c.bytes);
		ReadPackets *read = read_all(&path, 1, NULL);
		cr_assert_eq(read->count, 200);
		for (size_t i = 0; i < 400; i++) {
			/* forwards, then backwards */
			const Packet *p = &read->packets[i < 200 ? i : 399 - i];
			uint8_t *data = NULL;
			size_t len = 0;
			cr_assert(reader_read_packet(read->reader, 0, p->file_offset, &data, &len));
			cr_assert_eq(len, CAPTURE_FRAME_LEN);
			cr_assert_eq(memcmp(data, capture_frame(p->seq), len), 0);
			g_free(data);
		}
		uint8_t *data;
		size_t len;
		cr_expect_not(reader_read_packet(read->reader, 1, 24, &data, &len));
		cr_expect_not(reader_read_packet(read->reader, 0, 1 << 30, &data, &len));
		read_free(read);
		if (gz)
			g_byte_array_unref(gz);
		capture_end(&c);
	}
}
