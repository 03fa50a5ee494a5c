/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of table.h. libsmartcols is told not to encode anything: it would turn the "\x" in
 * "\\host\xfiles" into "\x5cx". Its failures (memory) leave the table shorter, never wrong.
 */
#include "reports/table.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include <libsmartcols.h>

#include "reports/escape.h"

struct Table {
	struct libscols_table *table;
	size_t columns;
};

Table *table_new(int columns)
{
	Table *ret = g_new0(Table, 1);

	ret->table = scols_new_table();
	if (!ret->table)
		return ret;
	scols_table_enable_noencoding(ret->table, 1);
	scols_table_enable_colors(ret->table, 0);
	/* the width is the caller's, not that of whatever terminal there may be */
	scols_table_set_termforce(ret->table, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(ret->table, (size_t)CLAMP(columns, 20, 1000));
	return ret;
}

void table_column(Table *table, const char *name, unsigned flags)
{
	int scols_flags = 0;

	if (flags & TABLE_RIGHT)
		scols_flags |= SCOLS_FL_RIGHT;
	if (flags & TABLE_SHRINK)
		scols_flags |= SCOLS_FL_TRUNC;
	if (table->table && scols_table_new_column(table->table, name, 0, scols_flags))
		table->columns++;
}

/**
 * cell_text: @text as the library can lay it out in the locale of the program. It never returns
 * from a character that the C library does not know (found with "µs" in the C locale, 2.38.1).
 */
static char *cell_text(const char *text)
{
	char *ret = g_strdup(text);
	size_t left = strlen(ret);
	mbstate_t state = {0};
	wchar_t c;

	for (char *at = ret; *at;) {
		size_t len = mbrtowc(&c, at, left, &state);

		if (len == (size_t)-1 || len == (size_t)-2 || !iswprint((wint_t)c) ||
			wcwidth(c) < 0) {
			g_free(ret);
			return escape_terminal(text, false);
		}
		at += len;
		left -= len;
	}
	return ret;
}

void table_row(Table *table, const char *const *cells)
{
	struct libscols_line *line;

	line = table->table ? scols_table_new_line(table->table, NULL) : NULL;
	for (size_t i = 0; line && i < table->columns; i++) {
		char *text = cell_text(cells[i] ? cells[i] : "");

		scols_line_set_data(line, i, text);
		g_free(text);
	}
}

/** trim_lines: drops the blanks that pad the last column. */
static char *trim_lines(const char *text)
{
	GString *out = g_string_new(NULL);

	while (*text) {
		size_t len = strcspn(text, "\n"), kept = len;

		while (kept > 0 && text[kept - 1] == ' ')
			kept--;
		g_string_append_len(out, text, (gssize)kept);
		g_string_append_c(out, '\n');
		text += len + (text[len] == '\n');
	}
	return g_string_free(out, FALSE);
}

char *table_print(Table *table)
{
	char *text = NULL, *ret;

	if (!table->table || scols_table_get_nlines(table->table) == 0 ||
		scols_print_table_to_string(table->table, &text) != 0 || !text)
		return g_strdup("");
	ret = trim_lines(text);
	free(text);
	return ret;
}

void table_free(Table *table)
{
	if (!table)
		return;
	scols_unref_table(table->table);
	g_free(table);
}
