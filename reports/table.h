/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of text for terminals: libsmartcols behind a few calls. Cells must be safe text already
 * (escape_terminal).
 */
#ifndef SLOWCOPY_REPORTS_TABLE_H
#define SLOWCOPY_REPORTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <glib.h>

typedef struct Table Table;

typedef enum TableFlags {
	TABLE_LEFT = 0,
	TABLE_RIGHT = 1 << 0,  /* numbers */
	TABLE_SHRINK = 1 << 1, /* cut first when the terminal is narrow */
} TableFlags;

/** table_new: an empty table for a terminal of @columns columns. Ownership: table_free(). */
Table *table_new(int columns);

/** table_column: adds a column on the right. Call before any row. */
void table_column(Table *table, const char *name, unsigned flags);

/** table_row: adds a row; @cells has one text per column, NULL is an empty cell. Texts are copied.
 */
void table_row(Table *table, const char *const *cells);

/** table_print: the table as text, a line each, ended by a newline; "" without rows. The caller
 * frees it. */
char *table_print(Table *table);

void table_free(Table *table);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

#endif
