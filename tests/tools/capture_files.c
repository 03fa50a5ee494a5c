/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files, frames and readers for tests.
 */
#include "tests/tools/capture_files.h"

#include <string.h>

#include <glib/gstdio.h>

#include "dissectors/frame.h"
#include "tests/tools/frame_builder.h"

void capture_folder_make(CaptureFolder *folder)
{
	folder->path = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	g_assert_nonnull(folder->path);
	folder->files = g_ptr_array_new_with_free_func(g_free);
}

const char *capture_folder_write(CaptureFolder *folder, const char *name, const GByteArray *bytes)
{
	char *path = g_build_filename(folder->path, name, NULL);
	g_ptr_array_add(folder->files, path);
	g_assert_true(
		g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, NULL));
	return path;
}

void capture_folder_remove(CaptureFolder *folder)
{
	for (guint i = 0; i < folder->files->len; i++)
		(void)g_unlink(g_ptr_array_index(folder->files, i));
	(void)g_rmdir(folder->path);
	g_ptr_array_unref(folder->files);
	g_free(folder->path);
}

const uint8_t *capture_frame(uint32_t seq)
{
	static FrameBuilder f;
	put_payload(&f, 20);
	put_tcp(&f, &(FrameTcp){.src_port = 40000, .dst_port = 445, .seq = seq, .flags = 0x10});
	put_ipv4(&f, 6);
	put_ethernet(&f, 0x0800);
	g_assert_cmpuint(f.len, ==, CAPTURE_FRAME_LEN);
	return frame_start(&f);
}

void make_pcap(CaptureBuilder *c, uint32_t count, uint32_t seconds)
{
	capture_pcap(c, 0xa1b2c3d4, 65535, LINKTYPE_ETHERNET);
	for (uint32_t n = 0; n < count; n++)
		capture_record(
			c, seconds + n, 0, capture_frame(n), CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN);
}

void make_pcapng(CaptureBuilder *c, uint32_t count, uint32_t seconds)
{
	capture_section(c, NULL);
	capture_interface(c, LINKTYPE_ETHERNET, 65535, NULL);
	for (uint32_t n = 0; n < count; n++)
		capture_enhanced(c, 0, (uint64_t)(seconds + n) * 1000000, capture_frame(n),
			CAPTURE_FRAME_LEN, CAPTURE_FRAME_LEN, NULL);
}

ReadPackets *read_all(const char *const *paths, size_t count, const ReaderOptions *options)
{
	g_autoptr(GError) error = NULL;
	ReadPackets *read = g_new0(ReadPackets, 1);
	read->reader = reader_open(paths, count, options, &error);
	if (!read->reader)
		g_error("%s", error->message);
	size_t room = 0;
	for (;;) {
		if (room - read->count < READER_BATCH) {
			room = 2 * room + READER_BATCH;
			read->packets = g_renew(Packet, read->packets, room);
		}
		size_t n = reader_next_batch(read->reader, read->packets + read->count);
		if (n == 0)
			return read;
		read->count += n;
	}
}

void read_free(ReadPackets *read)
{
	reader_free(read->reader);
	g_free(read->packets);
	g_free(read);
}
