/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * escape.[ch]: nothing that means harm to a target gets there, and plain text stays what it is.
 */
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>

#include "reports/escape.h"

typedef char *(*Escape)(const char *text);

static char *terminal(const char *text)
{
	return escape_terminal(text, true);
}

static char *terminal_ascii(const char *text)
{
	return escape_terminal(text, false);
}

Test(escape, table)
{
	static const struct {
		const char *name;
		Escape escape;
		const char *in, *want;
	} cases[] = {
		{"clean", escape_clean, "plain äöü 漢字", "plain äöü 漢字"},
		{"clean", escape_clean, NULL, ""},
		{"clean", escape_clean, "a\033[31mb\n\t\x7f", "a�[31mb���"},
		{"clean", escape_clean,
			"\xc2\x9b"
			"31m",
			"�31m"},
		{"clean", escape_clean, "bad \xff\xfe \xc3", "bad �� �"},
		{"clean", escape_clean, "over\xc0\xaflong \xed\xa0\x80", "over��long ���"},
		{"clean", escape_clean, "exe\xe2\x80\xaetxt.", "exe�txt."},
		{"clean", escape_clean, "\xef\xbb\xbfx\xe2\x81\xa6y", "�x�y"},
		{"terminal", terminal, "8.7 µs → · 漢", "8.7 µs → · 漢"},
		{"ascii", terminal_ascii, "8.7 µs → · 漢 é …", "8.7 us -> . ? ? ..."},
		{"ascii", terminal_ascii, "e\xcc\x81", "e"},
		{"html", escape_html, "<a href=\"x\" id='y'>&\x01",
			"&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;�"},
		{"markdown", escape_markdown, "a*b_c`d|e\\f", "a\\*b\\_c\\`d\\|e\\\\f"},
		{"markdown", escape_markdown, "<b>&amp;", "&lt;b&gt;&amp;amp;"},
		{"markdown", escape_markdown, "@me #1 http://x",
			"@&#8203;me \\#&#8203;1 http:&#8203;//x"},
		{"code", escape_markdown_code, "a|b", "`a\\|b`"},
		{"code", escape_markdown_code, "a`b``c", "```a`b``c```"},
		{"code", escape_markdown_code, "`", "`` ` ``"},
		{"code", escape_markdown_code, "", "-"},
		{"code", escape_markdown_code, "a\nb", "`a�b`"},
		{"filter", escape_filter_string, "a\"b\\c", "\"a\\\"b\\\\c\""},
		{"shell", escape_shell, "dir/file-1.pcap", "dir/file-1.pcap"},
		{"shell", escape_shell, "a b", "'a b'"},
		{"shell", escape_shell, "it's $HOME", "'it'\\''s $HOME'"},
		{"shell", escape_shell, "", "''"},
		{"shell", escape_shell, "~root", "'~root'"},
		{"csv", escape_csv, "plain", "plain"},
		{"csv", escape_csv, "a,\"b\"", "\"a,\"\"b\"\"\""},
		{"csv", escape_csv, "=1+1", "'=1+1"},
		{"csv", escape_csv, "@x,y", "\"'@x,y\""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		g_autofree char *got = cases[i].escape(cases[i].in);

		cr_assert_str_eq(got, cases[i].want, "%s case %zu: got \"%s\", want \"%s\"",
			cases[i].name, i, got, cases[i].want);
	}
}

/* every byte, alone and before another: never invalid, never a control character */
Test(escape, all_bytes)
{
	static const Escape all[] = {escape_clean, terminal, terminal_ascii, escape_html,
		escape_markdown, escape_markdown_code, escape_filter_string, escape_shell,
		escape_csv};

	for (size_t k = 0; k < G_N_ELEMENTS(all); k++) {
		for (int a = 1; a < 256; a++) {
			for (int b = 0; b < 256; b += a < 128 ? 17 : 1) {
				char text[3] = {(char)a, (char)b, '\0'};
				g_autofree char *got = all[k](text);

				cr_assert(
					g_utf8_validate(got, -1, NULL), "%zu: %02x %02x", k, a, b);
				for (const char *p = got; *p; p++)
					cr_assert((unsigned char)*p >= 0x20 && *p != 0x7f,
						"%zu: %02x %02x", k, a, b);
			}
		}
	}
}

Test(escape, comment_is_cut_between_characters)
{
	for (size_t max = 4; max < 40; max++) {
		g_autofree char *got = escape_comment("aä漢😀 and so on, and on, and on", max);

		cr_assert(strlen(got) <= max, "%zu: %zu", max, strlen(got));
		cr_assert(g_utf8_validate(got, -1, NULL), "%zu", max);
	}
}

Test(escape, cut_keeps_the_end)
{
	static const char path[] = "share\\資料フォルダ\\e\xcc\x81tude\\report.xlsx";
	g_autofree char *short_one = escape_cut("short", 10, true);
	g_autofree char *got = escape_cut("directory/with/many/levels/file.iso", 20, true);
	g_autofree char *ascii = escape_cut("directory/with/many/levels/file.iso", 20, false);

	cr_assert_str_eq(short_one, "short");
	cr_assert_str_eq(got, "direct…vels/file.iso");
	cr_assert_str_eq(ascii, "direc...els/file.iso");
	for (int columns = 3; columns < 50; columns++) {
		g_autofree char *cut = escape_cut(path, columns, true);

		cr_assert(escape_width(cut) <= columns, "%d: \"%s\"", columns, cut);
		cr_assert(g_utf8_validate(cut, -1, NULL), "%d", columns);
	}
}

Test(escape, width)
{
	cr_assert_eq(escape_width("abc"), 3);
	cr_assert_eq(escape_width("漢字"), 4);
	cr_assert_eq(escape_width("e\xcc\x81"), 1);
	cr_assert_eq(escape_width(""), 0);
}
