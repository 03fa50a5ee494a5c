/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text made safe for its target: a terminal, HTML, Markdown, a pcapng comment, a Wireshark display
 * filter, a shell line. Every function takes any bytes, returns new memory (g_free), and never
 * lets through invalid UTF-8, control characters, or the invisible ones that turn the reading
 * direction.
 */
#ifndef SLOWCOPY_REPORTS_ESCAPE_H
#define SLOWCOPY_REPORTS_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/** escape_clean: valid UTF-8 without control and direction characters; each becomes U+FFFD. NULL
 * gives "". */
char *escape_clean(const char *text);

/**
 * escape_terminal: for a terminal or plain text file.
 * @unicode: false turns everything beyond ASCII into ASCII: "µ" u, "…" three points, arrows, dashes
 * and quotes their likes, anything else "?".
 */
char *escape_terminal(const char *text, bool unicode);

/** escape_html: for HTML text and attributes in double or single quotes. */
char *escape_html(const char *text);

/** escape_markdown: prose of GitHub's dialect, one line; nothing in it becomes markup, a mention or
 * a link. */
char *escape_markdown(const char *text);

/** escape_markdown_code: a code span for names and filters, safe inside a table cell. */
char *escape_markdown_code(const char *text);

/** escape_comment: a pcapng comment of at most @max_bytes (>= 4) bytes, cut between characters. */
char *escape_comment(const char *text, size_t max_bytes);

/** escape_filter_string: a quoted string for a Wireshark display filter. */
char *escape_filter_string(const char *text);

/** escape_shell: one word of a POSIX shell, quoted only when it must be. */
char *escape_shell(const char *text);

/** escape_csv: one field after RFC 4180; a field that a spreadsheet would run as a formula gets an
 * apostrophe first. */
char *escape_csv(const char *text);

/** escape_width: columns of clean UTF-8 on a terminal; wide characters count two. */
int escape_width(const char *text);

/**
 * escape_cut: @text, shortened in its middle to at most @columns (>= 3) columns with "…" or "...",
 * so that a path keeps its file name.
 */
char *escape_cut(const char *text, int columns, bool unicode);

#endif
