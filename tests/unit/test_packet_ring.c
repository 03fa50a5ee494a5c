/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring of packets on disk: what is written can be read, old files go, saved ones stay, and size
 * is bounded.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/capture/packet_ring.h"
#include "analyzer/capture/reader.h"

#define S INT64_C(1000000000)
#define START (1700000000 * S)
#define MIB (UINT64_C(1) << 20)

static const char *const names[] = {"eth1", "eth2"};

static char *make_folder(void)
{
	char *folder = g_strdup_printf("%s/ring-XXXXXX", g_get_tmp_dir());
	cr_assert(g_mkdtemp(folder));
	return folder;
}

static PacketRing *open_ring(const char *folder, uint64_t bytes)
{
	g_autoptr(GError) error = NULL;
	PacketRingOptions options = {folder, 10 * S, bytes, names, 2};
	PacketRing *ring = packet_ring_open(&options, &error);
	cr_assert(ring, "%s", error ? error->message : "");
	return ring;
}

static void add(PacketRing *ring, int64_t ts_ns, uint16_t input, uint32_t caplen)
{
	static uint8_t data[2000];
	Packet p = {.ts_ns = ts_ns,
		.input = input,
		.link_type = input ? 101 : 1,
		.caplen = caplen,
		.wirelen = caplen + 7};
	packet_ring_add(ring, &p, data);
}

static uint64_t count_packets(const char *path, int64_t *ret_first, int64_t *ret_last)
{
	g_autoptr(GError) error = NULL;
	const char *paths[] = {path};
	ReaderOptions options = {0};
	g_autoptr(Reader) reader = reader_open(paths, 1, &options, &error);
	cr_assert(reader, "%s", error ? error->message : "");
	static Packet batch[READER_BATCH];
	uint64_t count = 0;
	for (size_t n; (n = reader_next_batch(reader, batch)) > 0; count += n) {
		if (count == 0)
			*ret_first = batch[0].ts_ns;
		*ret_last = batch[n - 1].ts_ns;
		for (size_t i = 0; i < n; i++) {
			cr_assert_eq(batch[i].wirelen, batch[i].caplen + 7);
			cr_assert_eq(batch[i].link_type, batch[i].caplen % 2 ? 101u : 1u);
		}
	}
	cr_assert_null(reader_input(reader, 0)->damage);
	return count;
}

static void remove_folder(const char *folder)
{
	g_autofree char *command = g_strdup_printf("rm -rf '%s'", folder);
	cr_assert_eq(system(command), 0);
}

Test(packet_ring, keeps_the_last_and_no_more)
{
	g_autofree char *folder = make_folder();
	PacketRing *ring = open_ring(folder, 100 * MIB);
	int why;
	int64_t first, last;
	/* 60 s, 100 packets a second, lengths odd on the second interface */
	for (int i = 0; i < 6000; i++)
		add(ring, START + i * (S / 100), (uint16_t)(i % 2), 100 + (uint32_t)(i % 2));
	packet_ring_flush(ring);
	uint64_t kept = count_packets(folder, &first, &last);
	cr_assert_eq(last, START + 5999 * (S / 100));
	cr_assert_leq(first, last - 10 * S + S / 100, "ten seconds are there");
	cr_assert_geq(first, last - 12 * S, "and not much more");
	cr_assert_eq(kept, (uint64_t)((last - first) / (S / 100) + 1));
	cr_assert_eq(packet_ring_lost(ring, &why), 0);
	packet_ring_free(ring);
	/* another run takes over what it finds */
	ring = open_ring(folder, 100 * MIB);
	int64_t now = (int64_t)time(NULL) * S;
	for (int i = 0; i < 3000; i++)
		add(ring, now + 3 * S + i * (S / 100), 0, 100);
	packet_ring_free(ring);
	count_packets(folder, &first, &last);
	cr_assert_geq(first, now + 3 * S, "files of the run before went too");
	remove_folder(folder);
}

Test(packet_ring, size_is_bounded)
{
	g_autofree char *folder = make_folder();
	PacketRing *ring = open_ring(folder, 2 * MIB);
	PacketRingSaved saved;
	for (int i = 0; i < 20000; i++) {
		add(ring, START + i * (S / 100000), 0, 1500);
		if (i % 1000 != 999)
			continue;
		uint64_t sum = 0;
		g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
		for (const char *name; (name = g_dir_read_name(dir));) {
			struct stat about;
			g_autofree char *path = g_build_filename(folder, name, NULL);
			if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
				sum += (uint64_t)about.st_size;
		}
		cr_assert_leq(sum, 2 * MIB + 600 * 1024, "%d: %ju", i, (uintmax_t)sum);
		packet_ring_save(ring, START, START + 100 * S, &saved);
		g_ptr_array_unref(saved.paths);
	}
	cr_assert_eq(saved.why, ENOSPC, "saved files have a bound, too");
	cr_assert_not(saved.is_whole);
	packet_ring_free(ring);
	remove_folder(folder);
}

Test(packet_ring, saves_what_is_asked_for)
{
	g_autofree char *folder = make_folder();
	PacketRing *ring = open_ring(folder, 100 * MIB);
	PacketRingSaved saved;
	int64_t first, last;
	for (int i = 0; i < 800; i++)
		add(ring, START + i * (S / 100), 0, 100);
	packet_ring_save(ring, START + 3 * S, START + 5 * S, &saved);
	cr_assert(saved.is_whole);
	cr_assert_gt(saved.paths->len, 0);
	cr_assert_lt(saved.paths->len, 8, "not the whole ring");
	count_packets(saved.paths->pdata[0], &first, &last);
	cr_assert_leq(first, START + 3 * S);
	count_packets(saved.paths->pdata[saved.paths->len - 1], &first, &last);
	cr_assert_geq(last, START + 5 * S);
	g_autofree char *kept = g_strdup(saved.paths->pdata[0]);
	g_ptr_array_unref(saved.paths);
	for (int i = 800; i < 8000; i++)
		add(ring, START + i * (S / 100), 0, 100);
	cr_assert_eq(access(kept, R_OK), 0, "it stays when the ring goes on");
	packet_ring_save(ring, START + 3 * S, START + 5 * S, &saved);
	cr_assert_not(saved.is_whole, "too late");
	g_ptr_array_unref(saved.paths);
	packet_ring_free(ring);
	remove_folder(folder);
}

Test(packet_ring, folder_must_be_there)
{
	g_autoptr(GError) error = NULL;
	PacketRingOptions options = {"/nonexistent", 10 * S, MIB, names, 2};
	cr_assert_null(packet_ring_open(&options, &error));
	cr_assert(error);
}
