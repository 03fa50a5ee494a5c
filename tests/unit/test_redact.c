/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * redact.[ch] and pseudonym.[ch]: no original survives, the same name is the same pseudonym, and a
 * report that holds an original is refused.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "reports/redact.h"
#include "reports/units.h"
#include "tests/tools/sample_result.h"

static const uint8_t host_a[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2};
static const uint8_t host_b[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 9};
static const uint8_t host_c[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 1, 9};
static const uint8_t host_6[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

static void same(const char *got, const char *want)
{
	cr_assert_str_eq(got, want, "got \"%s\", want \"%s\"", got, want);
}

Test(pseudonym, addresses_keep_their_subnets)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	uint8_t a[16], b[16], c[16], six[16], again[16];

	pseudonyms_know_address(p, host_a, PSEUDONYM_CLIENT);
	pseudonyms_know_address(p, host_b, PSEUDONYM_SERVER);
	pseudonyms_address(p, host_a, a);
	pseudonyms_address(p, host_b, b);
	pseudonyms_address(p, host_c, c);
	pseudonyms_address(p, host_6, six);
	pseudonyms_address(p, host_a, again);
	same(units_address(a).text, "198.18.0.1");
	same(units_address(b).text, "198.18.0.2");
	same(units_address(c).text, "198.18.1.1");
	same(units_address(six).text, "2001:db8:0:2::1");
	cr_assert_arr_eq(a, again, 16);
	same(pseudonyms_host(p, a), "client-1");
	same(pseudonyms_host(p, b), "server-1");
	same(pseudonyms_host(p, c), "client-2");
	cr_assert_null(pseudonyms_host(p, host_a));
}

/* a capture may use the very network that pseudonyms come from */
Test(pseudonym, no_pseudonym_is_an_original)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	uint8_t taken[16], a[16];

	memcpy(taken, host_a, 16);
	taken[12] = 198;
	taken[13] = 18;
	taken[14] = 0;
	pseudonyms_know_address(p, host_a, PSEUDONYM_CLIENT);
	pseudonyms_know_address(p, taken, PSEUDONYM_SERVER);
	pseudonyms_address(p, host_a, a);
	same(units_address(a).text, "198.18.1.1");
	pseudonyms_address(p, taken, a);
	same(units_address(a).text, "198.18.2.1");
}

Test(pseudonym, many_subnets_never_meet)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < 70000; i++) {
		uint8_t address[16], to[16];

		memcpy(address, host_a, 16);
		address[12] = (uint8_t)(1 + (i >> 16));
		address[13] = (uint8_t)(i >> 8);
		address[14] = (uint8_t)i;
		pseudonyms_address(p, address, to);
		cr_assert(g_hash_table_add(seen, g_strdup(units_address(to).text)), "%u: %s", i,
			units_address(to).text);
	}
}

Test(pseudonym, files_and_shares)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();

	pseudonyms_know_address(p, host_b, PSEUDONYM_SERVER);
	same(pseudonyms_file(p, "Projekt Zebra\\Müller\\secret plan.xlsx"),
		"dir-1\\dir-2\\file-0001.xlsx");
	same(pseudonyms_file(p, "Projekt Zebra\\other.smith"), "dir-1\\file-0002.ext");
	same(pseudonyms_file(p, "/pub/../x/"), "/dir-3/../dir-4/");
	same(pseudonyms_file(p, "Projekt Zebra\\Müller\\secret plan.xlsx"),
		"dir-1\\dir-2\\file-0001.xlsx");
	same(pseudonyms_file(p, ".hidden"), "file-0003");
	same(pseudonyms_file(p, "zoe.backup.tar.gz"), "file-0004.tar.gz");
	same(pseudonyms_file(p, "zoe.smith.gz"), "file-0005.gz");
	same(pseudonyms_file(p, ""), "");
	cr_assert_null(pseudonyms_file(p, NULL));
	same(pseudonyms_share(p, "\\\\zebranas\\kunden", host_b), "\\\\server-1\\share-1");
	same(pseudonyms_share(p, "\\\\zebranas\\kunden", host_b), "\\\\server-1\\share-1");
	same(pseudonyms_share(p, "\\\\10.0.0.9\\more", host_b), "\\\\server-1\\share-2");
	same(pseudonyms_share(p, "plainshare", host_b), "share-3");
	same(pseudonyms_capture(p, "/home/zoe/zebra.pcap"), "capture-1.pcap");
	same(pseudonyms_capture(p, "-"), "-");
}

Test(pseudonym, prose)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	static const struct {
		const char *in, *want;
	} cases[] = {
		{"The server is slow: 6.5 ms.", "The server is slow: 6.5 ms."},
		{"read of secret plan.xlsx in 3 s", "read of file-0001.xlsx in 3 s"},
		{"\"Projekt Zebra\\Müller\\secret plan.xlsx\"", "\"dir-1\\dir-2\\file-0001.xlsx\""},
		{"PROJEKT ZEBRA", "dir-1"},
		{"zebra of Zoe", "[name] of [name]"},
		{"from 10.0.0.2:445 to 10.0.0.9.", "from client-1:445 to server-1."},
		{"host 192.168.7.7", "host client-2"},
		{"at [fe80::1]:445 or fe80::1.", "at [client-3]:445 or client-3."},
		{"::1", "client-4"},
		{"host 00:1b:21:aa:bb:cc", "host [mac]"},
		{"at 12:30:45, SMB 3.1.1, 64 KiB, 1460 bytes, 0x1f, 95th",
			"at 12:30:45, SMB 3.1.1, 64 KiB, 1460 bytes, 0x1f, 95th"},
		{"\\\\zebranas\\kunden\\x", "\\\\server-1\\share-1\\[name]"},
		{"T1 and F12", "T1 and F12"},
		{"", ""},
	};

	pseudonyms_know_address(p, host_a, PSEUDONYM_CLIENT);
	pseudonyms_know_address(p, host_b, PSEUDONYM_SERVER);
	pseudonyms_file(p, "Projekt Zebra\\Müller\\secret plan.xlsx");
	pseudonyms_share(p, "\\\\zebranas\\kunden", host_b);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *got = pseudonyms_prose(p, cases[i].in);

		/* "x" is a word slowcopy may or may not say */
		if (g_str_has_suffix(cases[i].in, "\\x"))
			cr_assert(g_str_has_prefix(got, "\\\\server-1\\share-1\\"), "%s", got);
		else
			same(got, cases[i].want);
	}
	cr_assert_null(pseudonyms_prose(p, NULL));
	same(pseudonyms_filter(p, "stream == 0 && host == 10.0.0.9"),
		"stream == 0 && host == 198.18.0.1");
}

Test(pseudonym, originals_are_found)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	static const struct {
		const char *text;
		bool found;
	} cases[] = {
		{"The server answers in 6.5 ms, 2024 packets.", false},
		{"a zebra runs", true},
		{"ZEBRA", true},
		{"zebras", false},
		{"MÜLLER", true},
		{"10.0.0.2", true},
		{"x10.0.0.2", false},
		{"110.0.0.2", false},
		{"10.0.0.21", false},
		{"(10.0.0.2:445)", true},
		{"198.18.0.1", false},
		{"fe80::1", true},
		{"[fe80::1]", true},
		{"{\"file\": \"data\\\\server\\\\read.iso\"}", true},
		{"data\\server\\read.iso", true},
		{"data &amp; server", true},
		{"data server read", false},
		{"2024\\10\\11.iso", true},
		{"2024, 10, 11", false},
	};

	pseudonyms_know_address(p, host_a, PSEUDONYM_CLIENT);
	pseudonyms_know_address(p, host_6, PSEUDONYM_CLIENT);
	pseudonyms_prose(p, "10.0.0.2");
	pseudonyms_file(p, "Projekt Zebra\\Müller\\ab.xlsx");
	pseudonyms_file(p, "data\\server\\read.iso");
	pseudonyms_file(p, "data & server");
	pseudonyms_file(p, "2024\\10\\11.iso");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *found =
			pseudonyms_find_original(p, cases[i].text, strlen(cases[i].text));

		cr_assert_eq(found != NULL, cases[i].found, "\"%s\": %s", cases[i].text,
			found ? found : "nothing");
	}
}

/* Text of every truncation length, and hostile bytes: no overread, no endless loop */
Test(pseudonym, any_bytes)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	static const char sample[] = "\xff\xc3 10.0.0.2 fe80::1 00:11:22:33:44:55 漢字\\漢字.iso "
				     "&amp; ::::: 1.2.3.4.5.6 \xe6\xbc";

	pseudonyms_file(p, sample);
	pseudonyms_share(p, sample, host_a);
	for (size_t len = 0; len < sizeof sample; len++) {
		g_autofree char *copy = g_strndup(sample, len);
		g_autofree char *bytes = g_memdup2(sample, len);

		pseudonyms_prose(p, copy);
		pseudonyms_file(p, copy);
		pseudonyms_capture(p, copy);
		pseudonyms_share(p, copy, host_b);
		pseudonyms_find_original(p, bytes, len);
	}
}

/* as many files as a report may hold, all in one folder: no time that grows with their square */
Test(pseudonym, a_hundred_thousand_files, .timeout = 60)
{
	g_autoptr(Pseudonyms) p = pseudonyms_new();
	static const char sentence[] = "zebra\\picture-00077.jpg came after zebra\\10\\99.jpg";
	const char *got;

	for (unsigned i = 0; i < 100000; i++) {
		g_autofree char *path = g_strdup_printf("zebra\\picture-%05u.jpg", i);
		g_autofree char *plain = g_strdup_printf("data\\10\\%u.jpg", i);

		pseudonyms_file(p, path);
		pseudonyms_file(p, plain);
	}
	got = pseudonyms_prose(p, sentence);
	cr_assert(g_str_has_prefix(got, "dir-1\\file-0155.jpg "), "%s", got);
	for (unsigned i = 0; i < 1000; i++)
		cr_assert_null(pseudonyms_find_original(p, got, strlen(got)));
}

/** holds: whether @text holds @word in any case, as part of anything. */
static bool holds(const char *text, const char *word)
{
	g_autofree char *a = g_utf8_casefold(text, -1);
	g_autofree char *b = g_utf8_casefold(word, -1);

	return strstr(a, b) != NULL;
}

Test(redact, no_original_in_any_text_format)
{
	static const char *const originals[] = {"10.0.0.2", "10.0.0.9", "backup.iso", "desktop.ini",
		"\\images\\", "nas\\public", "capture.pcap", "192.168.1", "video", "\\media",
		"2020:2020", "img-0", "photos", "資料", "DROP TABLE", "everyone", "evil",
		"e\xcc\x81tude", "$HOME", "never-ends", "final2", "zoe"};

	for (size_t i = 0; sample_result_names[i]; i++) {
		const Result *result = sample_result(sample_result_names[i]);

		for (size_t k = 0; report_formats[k]; k++) {
			g_autofree char *line = g_strdup_printf(
				"slowcopy analyze %s -o zoe", result->inputs[0].path);
			ReportOptions options = {.unicode = true,
				.redact = true,
				.verbosity = 1,
				.command_line = line};
			g_autofree char *path = NULL;
			g_autofree char *text = NULL;
			g_autoptr(GError) error = NULL;
			int fd = g_file_open_tmp("slowcopy-XXXXXX", &path, NULL);

			if (report_formats[k]->needs & REPORT_IS_BINARY)
				continue;
			close(fd);
			cr_assert(report_write_file(
					  report_formats[k], result, &options, path, &error),
				"%s %s: %s", sample_result_names[i], report_formats[k]->name,
				error ? error->message : "");
			cr_assert(g_file_get_contents(path, &text, NULL, NULL));
			g_unlink(path);
			for (size_t w = 0; w < G_N_ELEMENTS(originals); w++)
				cr_assert_not(holds(text, originals[w]), "%s %s holds %s",
					sample_result_names[i], report_formats[k]->name,
					originals[w]);
		}
	}
}

static bool leaky_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	(void)result;
	(void)options;
	(void)error;
	fputs("the copy of backup-images from 10.0.0.9", out);
	return true;
}

Test(redact, a_leak_is_refused_and_nothing_is_written)
{
	static const ReportFormat leaky = {.name = "leaky", .suffix = ".txt", .write = leaky_write};
	ReportOptions options = {.redact = true};
	g_autofree char *folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "report", NULL);
	g_autoptr(GError) error = NULL;

	cr_assert_not(
		report_write_file(&leaky, sample_result("slow-read"), &options, path, &error));
	cr_assert(g_error_matches(error, REPORT_ERROR, REPORT_ERROR_REFUSED));
	cr_assert_not(g_file_test(path, G_FILE_TEST_EXISTS));
	/* an empty folder can be removed: no temporary file is left */
	cr_assert_eq(g_rmdir(folder), 0, "%s", g_strerror(errno));
}

Test(redact, map_only_on_request_and_private)
{
	g_autofree char *folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "report", NULL);
	g_autofree char *map_path = g_build_filename(folder, "map", NULL);
	g_autofree char *map = NULL;
	g_autoptr(GError) error = NULL;
	ReportOptions options = {.redact = true, .redact_map_path = map_path};
	struct stat info;

	cr_assert(report_write_file(
		report_format_find("json"), sample_result("slow-read"), &options, path, &error));
	cr_assert_eq(stat(map_path, &info), 0);
	cr_assert_eq(info.st_mode & 0777, 0600);
	cr_assert(g_file_get_contents(map_path, &map, NULL, NULL));
	cr_assert(strstr(map, "server-1\t10.0.0.9\n"), "%s", map);
	cr_assert(strstr(map, "dir-1\\file-0001.iso\timages\\backup.iso\n"), "%s", map);
	g_unlink(path);
	g_unlink(map_path);
	g_rmdir(folder);
}

/* Words that slowcopy itself uses may be somebody's names where a user typed them. */
Test(redact, command_lines)
{
	const struct {
		const char *line, *want;
	} cases[] = {
		{"slowcopy /home/mark/server.pcap", "slowcopy capture-1.pcap"},
		{"slowcopy analyze -o /home/client/report /home/mark/server.pcap --memory=1G",
			"slowcopy analyze -o [name] capture-1.pcap --memory=1G"},
		{"slowcopy analyze --filter='host server' --color never other.pcap -v",
			"slowcopy analyze --filter=[name] --color never [name] -v"},
		{"slowcopy -f 'net 10.0.0.0/8' -q -", "slowcopy -f [name] -q -"},
		{"slowcopy compare --fail-on minor '/home/mark/server.pcap' x",
			"slowcopy compare --fail-on minor capture-1.pcap [name]"},
		{"slowcopy --redact-map=client.txt --weird=server --secretword",
			"slowcopy --redact-map=[name] --[name]=[name] --[name]"},
		{"slowcopy 'unfinished", NULL},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Pseudonyms) names = pseudonyms_new();
		g_autofree char *got = NULL;

		pseudonyms_capture(names, "/home/mark/server.pcap");
		got = redact_command_line(names, cases[i].line);
		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s gives %s", cases[i].line, got);
	}
}

/* A rewritten sentence that joins to something known is not told at all: "5::" was an address. */
Test(redact, what_joins_to_an_original_is_dropped)
{
	static const uint8_t address[16] = {0, 5};
	g_autoptr(Pseudonyms) names = pseudonyms_new();
	const char *prose;

	pseudonyms_know_address(names, address, PSEUDONYM_CLIENT);
	prose = pseudonyms_prose(names, "at 5::21213pktm");
	cr_assert_str_eq(prose, "[text]");
	cr_assert_null(pseudonyms_find_original(names, prose, strlen(prose)));
}
