/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text of a capture on its way into reports: escapes and pseudonyms. The input is lines: a path, a
 * share, and sentences that may speak of them.
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "reports/escape.h"
#include "reports/pseudonym.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/** check_escapes: whatever goes in, clean text comes out, as wide as was asked for. */
static void check_escapes(const char *text)
{
	char *const all[] = {escape_clean(text), escape_terminal(text, true),
		escape_terminal(text, false), escape_html(text), escape_markdown(text),
		escape_markdown_code(text), escape_comment(text, 40), escape_filter_string(text),
		escape_shell(text), escape_csv(text), escape_cut(text, 20, true),
		escape_cut(text, 20, false)};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		require(g_utf8_validate(all[i], -1, NULL));
		for (const char *p = all[i]; *p; p++)
			require((unsigned char)*p >= 0x20 && *p != 0x7f);
		g_free(all[i]);
	}
	for (int columns = 3; columns < 40; columns += 9) {
		g_autofree char *cut = escape_cut(text, columns, true);

		require(escape_width(cut) <= columns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t server[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 9};
	g_autofree char *text = g_strndup((const char *)data, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", 8);
	g_autoptr(Pseudonyms) names = pseudonyms_new();

	pseudonyms_know_address(names, server, PSEUDONYM_SERVER);
	for (size_t i = 0; lines[i]; i++) {
		g_autofree char *clean = escape_clean(lines[i]);

		check_escapes(lines[i]);
		if (i == 0)
			pseudonyms_file(names, clean);
		else if (i == 1)
			pseudonyms_share(names, clean, server);
	}
	for (size_t i = 0; lines[i]; i++) {
		const char *prose = pseudonyms_prose(names, lines[i]);

		/* what was rewritten passes the check of finished reports */
		require(!pseudonyms_find_original(names, prose, strlen(prose)));
	}
	pseudonyms_find_original(names, (const char *)data, size);
	return 0;
}
