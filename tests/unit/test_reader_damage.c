/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader over files that are missing, empty, cut, damaged or still growing.
 */
#include "analyzer/capture/reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "analyzer/capture/codec.h"
#include "analyzer/capture/resync.h"
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

TestSuite(reader_damage, .init = setup, .fini = teardown, .timeout = 120);

static void expect_refusal(const char *path, const char *words)
{
	g_autoptr(GError) error = NULL;
	Reader *reader = reader_open(&path, 1, NULL, &error);
	cr_assert_null(reader, "%s", path);
	cr_assert_not_null(error);
	cr_expect(strstr(error->message, words), "\"%s\" not in: %s", words, error->message);
	cr_expect(strstr(error->message, path), "%s: %s", path, error->message);
	cr_expect_null(strchr(error->message, '\n'));
}

Test(reader_damage, refusals)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	expect_refusal("/nonexistent/x.pcap", "No such file");
	expect_refusal(capture_folder_write(&folder, "empty", bytes), "is empty");
	expect_refusal(folder.path, "no capture file");
	g_byte_array_append(bytes, (const guint8 *)"\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0", 12);
	expect_refusal(capture_folder_write(&folder, "short", bytes), "not a capture file");
	g_byte_array_set_size(bytes, 3000);
	for (guint i = 0; i < bytes->len; i++)
		bytes->data[i] = (guint8)(i * 7 + i / 256);
	expect_refusal(capture_folder_write(&folder, "garbage", bytes), "not a capture file");
	memcpy(bytes->data, "\x1f\x8b\x08", 3);
	expect_refusal(capture_folder_write(&folder, "x.gz", bytes), "gzip data");
	memcpy(bytes->data, "\x0a\x0d\x0d\x0a", 4);
	expect_refusal(capture_folder_write(&folder, "x.pcapng", bytes), "pcapng");
	if (geteuid() != 0) {
		const char *path = capture_folder_write(&folder, "secret", bytes);
		cr_assert_eq(chmod(path, 0), 0);
		expect_refusal(path, "Permission denied");
	}
	/* a version of the far future */
	CaptureBuilder c;
	capture_begin(&c, false);
	make_pcapng(&c, 1, 1500000000);
	c.bytes->data[12] = 9;
	expect_refusal(capture_folder_write(&folder, "future", c.bytes), "version");
	capture_end(&c);
}

/* one input of several cannot be opened: the others are read, and it says so */
Test(reader_damage, some_inputs_refused)
{
	CaptureBuilder c;
	capture_begin(&c, false);
	make_pcap(&c, 10, 1500000000);
	const char *paths[] = {"/nonexistent/x.pcap", capture_folder_write(&folder, "x", c.bytes)};
	ReadPackets *read = read_all(paths, 2, NULL);
	cr_expect_eq(read->count, 10);
	cr_expect_eq(read->packets[0].input, 1);
	const InputInfo *info = reader_input(read->reader, 0);
	cr_expect(!info->format && info->damage && strstr(info->damage, "No such file"));
	cr_expect_null(reader_input(read->reader, 1)->damage);
	read_free(read);
	capture_end(&c);
}

Test(reader_damage, header_only)
{
	CaptureBuilder c;
	capture_begin(&c, false);
	make_pcap(&c, 0, 0);
	const char *path = capture_folder_write(&folder, "x", c.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	cr_expect_eq(read->count, 0);
	cr_expect_eq(reader_input(read->reader, 0)->damaged_at, -1);
	read_free(read);
	capture_end(&c);
}

/* cut at every byte: what came before is read, and the damage is where the record begins */
Test(reader_damage, cut_at_every_length)
{
	for (int format = 0; format < 2; format++) {
		CaptureBuilder c;
		capture_begin(&c, false);
		if (format == 0)
			make_pcap(&c, 3, 1500000000);
		else
			make_pcapng(&c, 3, 1500000000);
		guint whole = c.bytes->len;
		size_t record = format == 0 ? 16 + CAPTURE_FRAME_LEN : 32 + 76;
		size_t begin = whole - 3 * record;
		for (guint len = (guint)begin; len <= whole; len++) {
			g_autoptr(GByteArray) cut = g_byte_array_new();
			g_byte_array_append(cut, c.bytes->data, len);
			const char *path = capture_folder_write(&folder, "x", cut);
			ReadPackets *read = read_all(&path, 1, NULL);
			const InputInfo *info = reader_input(read->reader, 0);
			size_t complete = (len - begin) / record;
			bool is_cut = (len - begin) % record != 0;
			cr_assert_eq(read->count, complete, "format %d at %u: %zu", format, len,
				read->count);
			cr_assert_eq(info->damaged_at,
				is_cut ? (int64_t)(begin + complete * record) : -1,
				"format %d at %u: %ld", format, len, (long)info->damaged_at);
			cr_assert_eq(info->damage != NULL, is_cut);
			if (is_cut)
				cr_assert(strstr(info->damage, "ends in the middle"), "%s",
					info->damage);
			read_free(read);
		}
		capture_end(&c);
	}
}

/* damage in the middle: reading goes on behind it, and frames read are right */
Test(reader_damage, goes_on_behind_damage)
{
	static const char *const how[] = {"overwritten", "inserted", "removed", "zeros"};
	for (int format = 0; format < 4; format++) {
		for (size_t kind = 0; kind < G_N_ELEMENTS(how); kind++) {
			CaptureBuilder c;
			/* both byte orders of both formats */
			capture_begin(&c, format & 1);
			if (format < 2)
				make_pcap(&c, 200, 1500000000);
			else
				make_pcapng(&c, 200, 1500000000);
			guint at = c.bytes->len / 2;
			uint8_t junk[1000];
			for (size_t i = 0; i < sizeof(junk); i++)
				junk[i] = kind == 3 ? 0 : (uint8_t)(i * 31 + i / 7);
			if (kind == 0 || kind == 3) {
				memcpy(c.bytes->data + at, junk, sizeof(junk));
			} else if (kind == 2) {
				g_byte_array_remove_range(c.bytes, at, 333);
			} else {
				g_autoptr(GByteArray) tail = g_byte_array_new();
				g_byte_array_append(tail, c.bytes->data + at, c.bytes->len - at);
				g_byte_array_set_size(c.bytes, at);
				capture_add(&c, junk, sizeof(junk));
				capture_add(&c, tail->data, tail->len);
			}
			for (int zipped = 0; zipped < 2; zipped++) {
				GByteArray *gz = zipped ? capture_compress(&c, CODEC_GZIP) : NULL;
				const char *path =
					capture_folder_write(&folder, "x", gz ? gz : c.bytes);
				ReadPackets *read = read_all(&path, 1, NULL);
				const InputInfo *info = reader_input(read->reader, 0);
				cr_expect(read->count >= 180 && read->count <= 200,
					"format %d %s zipped %d: %zu packets", format, how[kind],
					zipped, read->count);
				cr_expect_geq(info->resynchronised, 1);
				cr_expect(
					info->damaged_at > at - 200 && info->damaged_at < at + 1200,
					"format %d %s: %ld for %u", format, how[kind],
					(long)info->damaged_at, at);
				const Packet *last = &read->packets[read->count - 1];
				cr_expect(last->kind == PACKET_TCP && last->seq == 199);
				uint8_t *data = NULL;
				size_t len = 0;
				cr_expect(reader_read_packet(
					read->reader, 0, last->file_offset, &data, &len));
				cr_expect(len == CAPTURE_FRAME_LEN &&
					  memcmp(data, capture_frame(199), len) == 0);
				g_free(data);
				read_free(read);
				if (gz)
					g_byte_array_unref(gz);
			}
			capture_end(&c);
		}
	}
}

Test(reader_damage, archives_that_end_early)
{
	CaptureBuilder c;
	capture_begin(&c, false);
	make_pcap(&c, 3000, 1500000000);
	for (int kind = CODEC_GZIP; kind < CODEC_COUNT; kind++) {
		GByteArray *all = capture_compress(&c, kind);
		if (!all)
			continue;
		for (int flip = 0; flip < 2; flip++) {
			g_autoptr(GByteArray) part = g_byte_array_new();
			g_byte_array_append(part, all->data, flip ? all->len : all->len - 100);
			if (flip)
				memset(part->data + all->len / 2, 0xa5, 50);
			const char *path = capture_folder_write(&folder, "x", part);
			g_autoptr(GError) error = NULL;
			Reader *reader = reader_open(&path, 1, NULL, &error);
			if (!reader) { /* small files are one block, and all of it is lost */
				cr_expect(strstr(error->message, codec_name((CodecKind)kind)), "%s",
					error->message);
				continue;
			}
			reader_free(reader);
			ReadPackets *read = read_all(&path, 1, NULL);
			const InputInfo *info = reader_input(read->reader, 0);
			cr_expect(read->count <= 3000);
			cr_expect_not_null(info->damage, "%s", codec_name((CodecKind)kind));
			read_free(read);
		}
		g_byte_array_unref(all);
	}
	capture_end(&c);
}

/* blocks whose own framing is right, but not what they say */
Test(reader_damage, pcapng_contradictions)
{
	CaptureBuilder c;
	capture_begin(&c, false);
	capture_section(&c, NULL);
	capture_enhanced(&c, 0, 1, capture_frame(0), 74, 74, NULL); /* no interface yet */
	capture_interface(&c, LINKTYPE_ETHERNET, 65535, NULL);
	guint lie = c.bytes->len;
	capture_enhanced(&c, 0, 1, capture_frame(1), 74, 74, NULL);
	c.bytes->data[lie + 8 + 13] = 1; /* 330 bytes captured, it says */
	capture_enhanced(&c, 0, 1, capture_frame(2), 74, 74, NULL);
	const char *path = capture_folder_write(&folder, "x", c.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	cr_expect(read->count == 1 && read->packets[0].seq == 2);
	const InputInfo *info = reader_input(read->reader, 0);
	cr_expect_eq(info->damaged_at, 28);
	cr_expect(strstr(info->damage, "interface"), "%s", info->damage);
	cr_expect_eq(info->resynchronised, 2);
	read_free(read);
	capture_end(&c);
}

/* bytes that pretend to become plausible again and again end soon */
Test(reader_damage, recovery_is_bounded)
{
	for (int format = 0; format < 2; format++) {
		CaptureBuilder c;
		capture_begin(&c, false);
		if (format == 0)
			make_pcap(&c, 1, 1500000000);
		else
			make_pcapng(&c, 1, 1500000000);
		for (uint32_t i = 0; i < 3000; i++) {
			for (uint32_t n = 0; n < 4; n++) {
				if (format == 0)
					capture_record(&c, 1500000000, n, capture_frame(n), 74, 74);
				else
					capture_enhanced(&c, 0, 1500000000000000, capture_frame(n),
						74, 74, NULL);
			}
			capture_add(&c,
				"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
				16);
		}
		const char *path = capture_folder_write(&folder, "x", c.bytes);
		ReadPackets *read = read_all(&path, 1, NULL);
		const InputInfo *info = reader_input(read->reader, 0);
		cr_expect_eq(info->resynchronised, RESYNC_LIMIT);
		cr_expect_gt(read->count, 4 * RESYNC_LIMIT - 8);
		read_free(read);
		capture_end(&c);
	}
}

/* random bytes changed anywhere: never more than bounded trouble */
Test(reader_damage, random_changes)
{
	Random random = random_start();
	for (int round = 0; round < 300; round++) {
		CaptureBuilder c;
		capture_begin(&c, round & 1);
		if (round & 2)
			make_pcap(&c, 30, 1500000000);
		else
			make_pcapng(&c, 30, 1500000000);
		for (int i = 0; i < 1 + round % 20; i++)
			c.bytes->data[random_below(&random, c.bytes->len)] =
				(uint8_t)random_next(&random);
		const char *path = capture_folder_write(&folder, "x", c.bytes);
		g_autoptr(GError) error = NULL;
		Reader *reader = reader_open(&path, 1, NULL, &error);
		if (reader) {
			reader_free(reader);
			ReadPackets *read = read_all(&path, 1, NULL);
			cr_assert_leq(read->count, 1000);
			read_free(read);
		}
		capture_end(&c);
	}
}

/** Growth: appends a file piece by piece, as a capture program does. */
typedef struct Growth {
	const char *path;
	GByteArray *bytes;
	guint from;
} Growth;

static volatile sig_atomic_t stop;

static gpointer grow(gpointer data)
{
	Growth *growth = data;
	int fd = open(growth->path, O_WRONLY | O_APPEND);
	/* pieces that end in the middle of records */
	for (guint at = growth->from; at < growth->bytes->len; at += 777) {
		guint len = MIN(777, growth->bytes->len - at);
		if (write(fd, growth->bytes->data + at, len) != (ssize_t)len)
			abort();
		g_usleep(20000);
	}
	close(fd);
	g_usleep(500000);
	stop = 1;
	return NULL;
}

Test(reader_damage, follows_growth)
{
	for (int format = 0; format < 2; format++) {
		CaptureBuilder c;
		capture_begin(&c, false);
		if (format == 0)
			make_pcap(&c, 100, 1500000000);
		else
			make_pcapng(&c, 100, 1500000000);
		g_autoptr(GByteArray) first = g_byte_array_new();
		g_byte_array_append(first, c.bytes->data, 300);
		const char *path = capture_folder_write(&folder, "x", first);
		/* g_file_set_contents writes another file and renames it, so the first one stays */
		Growth growth = {.path = path, .bytes = c.bytes, .from = 300};
		stop = 0;
		GThread *thread = g_thread_new("grow", grow, &growth);
		ReaderOptions options = {.follow = true, .stop = &stop};
		ReadPackets *read = read_all(&path, 1, &options);
		g_thread_join(thread);
		cr_expect_eq(read->count, 100, "format %d: %zu", format, read->count);
		cr_expect_eq(read->packets[read->count - 1].seq, 99);
		cr_expect_null(reader_input(read->reader, 0)->damage);
		read_free(read);
		capture_end(&c);
	}
}
