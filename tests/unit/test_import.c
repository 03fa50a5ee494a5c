/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats that are converted by editcap. Skipped, and said so, where it is not installed.
 */
#include "analyzer/capture/import.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "analyzer/capture/codec.h"
#include "tests/tools/capture_files.h"

static CaptureFolder folder;
static CaptureBuilder c;

static void setup(void)
{
	capture_folder_make(&folder);
	capture_begin(&c, true);
	capture_snoop(&c);
	for (uint32_t n = 0; n < 100; n++)
		capture_snoop_record(&c, 1500000000 + n, 7, capture_frame(n), CAPTURE_FRAME_LEN);
}

static void teardown(void)
{
	capture_end(&c);
	capture_folder_remove(&folder);
}

TestSuite(import, .init = setup, .fini = teardown, .timeout = 60);

static bool can_import(void)
{
	g_autofree char *editcap = g_find_program_in_path("editcap");
	if (!editcap)
		cr_log_warn("editcap is not installed: skipped");
	return editcap != NULL;
}

static void expect_all(const char *path)
{
	ReadPackets *read = read_all(&path, 1, NULL);
	const InputInfo *info = reader_input(read->reader, 0);
	cr_expect_eq(read->count, 100, "%s: %zu", path, read->count);
	for (uint32_t n = 0; n < read->count; n++) {
		cr_expect_eq(read->packets[n].seq, n);
		cr_expect_eq(read->packets[n].ts_ns, (1500000000 + n) * 1000000000L + 7000);
	}
	cr_expect_str_eq(info->format, "snoop");
	cr_expect_null(info->damage, "%s", info->damage);
	read_free(read);
}

Test(import, snoop)
{
	if (!can_import())
		return;
	const char *path = capture_folder_write(&folder, "x.snoop", c.bytes);
	expect_all(path);
	ReadPackets *read = read_all(&path, 1, NULL);
	for (size_t i = 0; i < read->count; i += 7) {
		uint8_t *data;
		size_t len;
		cr_assert(reader_read_packet(
			read->reader, 0, read->packets[i].file_offset, &data, &len));
		cr_expect_eq(memcmp(data, capture_frame((uint32_t)i), len), 0);
		g_free(data);
	}
	read_free(read);
}

Test(import, compressed)
{
	if (!can_import())
		return;
	for (int kind = CODEC_GZIP; kind < CODEC_COUNT; kind++) {
		GByteArray *archive = capture_compress(&c, kind);
		if (!archive)
			continue;
		expect_all(capture_folder_write(&folder, "x", archive));
		g_byte_array_unref(archive);
	}
}

Test(import, standard_input)
{
	if (!can_import())
		return;
	int fd = open(capture_folder_write(&folder, "x", c.bytes), O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	expect_all("-");
}

/* names that look like options stay names */
Test(import, hostile_names)
{
	if (!can_import())
		return;
	static const char *const names[] = {"-x", "--help", "-F", "a b;touch y", "$(touch y)"};
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		capture_folder_write(&folder, names[i], c.bytes);
	cr_assert_eq(chdir(folder.path), 0);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		expect_all(names[i]);
	cr_expect_neq(access("y", F_OK), 0);
}

Test(import, cut)
{
	if (!can_import())
		return;
	g_byte_array_set_size(c.bytes, c.bytes->len - 10);
	const char *path = capture_folder_write(&folder, "x.snoop", c.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	cr_expect_eq(read->count, 99);
	const InputInfo *info = reader_input(read->reader, 0);
	cr_expect(info->damage && strstr(info->damage, "cut short"), "%s", info->damage);
	read_free(read);
}

/* pcap's magic number, but longer record headers: Nokia's variant */
Test(import, pcap_variant)
{
	if (!can_import())
		return;
	CaptureBuilder nokia;
	capture_begin(&nokia, false);
	capture_pcap(&nokia, 0xa1b2c3d4, 65535, 1);
	nokia.record_extra = 4;
	for (uint32_t n = 0; n < 50; n++)
		capture_record(&nokia, 1500000000 + n, 7, capture_frame(n), 74, 74);
	const char *path = capture_folder_write(&folder, "x", nokia.bytes);
	ReadPackets *read = read_all(&path, 1, NULL);
	cr_expect_eq(read->count, 50, "%zu", read->count);
	cr_expect_eq(read->packets[49].seq, 49);
	cr_expect_str_eq(reader_input(read->reader, 0)->format, "nokiapcap");
	read_free(read);
	capture_end(&nokia);
}

Test(import, without_editcap)
{
	const char *path = capture_folder_write(&folder, "x.snoop", c.bytes);
	g_autoptr(GError) error = NULL;
	setenv("PATH", "/nonexistent", 1);
	cr_expect_null(reader_open(&path, 1, NULL, &error));
	cr_expect(strstr(error->message, "editcap"), "%s", error->message);
	cr_expect(strstr(error->message, path), "%s", error->message);
}
