/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text on a screen of so many columns: labels at the left, wrapped words beside them. What the
 * first screen, its findings and comparisons share.
 */
#ifndef SLOWCOPY_REPORTS_LAYOUT_H
#define SLOWCOPY_REPORTS_LAYOUT_H

#include <stdbool.h>

#include <glib.h>

/* Where text begins, behind the longest label, "RULED OUT". */
#define LAYOUT_INDENT 11
#define LAYOUT_COLUMNS_MIN 40
/* Longer lines are hard to read, however wide the terminal. */
#define LAYOUT_COLUMNS_MAX 100
/* Below this many columns there is no room beside things; they go below each other, and nothing is
 * cut to save lines. */
#define LAYOUT_NARROW 60

#define LAYOUT_BOLD "\033[1m"
#define LAYOUT_RED "\033[1;31m"
#define LAYOUT_YELLOW "\033[1;33m"
#define LAYOUT_GREEN "\033[1;32m"
#define LAYOUT_CYAN "\033[36m"
#define LAYOUT_PLAIN "\033[0m"

/** Layout: the text so far and how it is to look. */
typedef struct Layout {
	GString *out;
	int columns;
	bool color, unicode;
} Layout;

/** layout_color: an escape sequence, where colour is wanted. */
void layout_color(Layout *layout, const char *color);

/** layout_label: @label in bold, padded to LAYOUT_INDENT. */
void layout_label(Layout *layout, const char *label);

/** layout_newline: a line break and @indent blanks. */
void layout_newline(Layout *layout, int indent);

/**
 * layout_words: wraps @text, made safe for a terminal, into the room from @indent to the right
 * edge, and ends the line; the cursor stands at @indent. Numbers are kept with their units. What
 * does not fit @max_lines lines is cut, and "..." says so.
 * @mark: a word to print in @color, or NULL.
 */
void layout_words(Layout *layout, int indent, const char *text, int max_lines, const char *mark,
	const char *color);

/** layout_section: a label and its words. */
void layout_section(Layout *layout, const char *label, const char *text, int max_lines);

/** layout_lines: lines of @text. */
int layout_lines(const char *text);

#endif
