/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of escape.h. All targets share one walk over code points; what a target must not
 * see is decided per code point.
 */
#include "reports/escape.h"

#include <string.h>

#include <glib.h>

#define REPLACEMENT 0xfffd

/**
 * is_forbidden: characters no report shows: controls, surrogates and noncharacters are invalid
 * anyway; direction marks can make "exe.txt" of "txt.exe"; the tag block is invisible text.
 */
static bool is_forbidden(gunichar c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe007f);
}

/** utf8_after: the character behind the valid one at @at. */
static const char *utf8_after(const char *at)
{
	return at + g_utf8_skip[(unsigned char)*at];
}

/** next_char: the code point at *@at, moving it on; REPLACEMENT for a bad byte. 0 at the end. */
static gunichar next_char(const char **at)
{
	gunichar c;

	if (**at == '\0')
		return 0;
	c = g_utf8_get_char_validated(*at, -1);
	if (c == (gunichar)-1 || c == (gunichar)-2) {
		(*at)++;
		return REPLACEMENT;
	}
	*at = utf8_after(*at);
	return is_forbidden(c) ? REPLACEMENT : c;
}

char *escape_clean(const char *text)
{
	GString *out = g_string_new(NULL);
	gunichar c;

	text = text ? text : "";
	while ((c = next_char(&text)))
		g_string_append_unichar(out, c);
	return g_string_free(out, FALSE);
}

/** ascii_of: what @c is called in ASCII. */
static const char *ascii_of(gunichar c)
{
	switch (c) {
	case 0xb5:
	case 0x3bc:
		return "u";
	case 0xb7:
		return ".";
	case 0xd7:
		return "x";
	case 0x2010:
	case 0x2011:
	case 0x2012:
	case 0x2013:
	case 0x2014:
		return "-";
	case 0x2018:
	case 0x2019:
		return "'";
	case 0x201c:
	case 0x201d:
		return "\"";
	case 0x2026:
		return "...";
	case 0x2190:
		return "<-";
	case 0x2192:
		return "->";
	case 0x2248:
		return "~";
	case 0x2264:
		return "<=";
	case 0x2265:
		return ">=";
	case 0x2588:
		return "#";
	case 0xa0:
		return " ";
	default:
		return "?";
	}
}

char *escape_terminal(const char *text, bool unicode)
{
	GString *out = g_string_new(NULL);
	gunichar c;

	text = text ? text : "";
	while ((c = next_char(&text))) {
		if (c < 0x80 || unicode)
			g_string_append_unichar(out, c);
		else if (!g_unichar_iszerowidth(c))
			g_string_append(out, ascii_of(c));
	}
	return g_string_free(out, FALSE);
}

char *escape_html(const char *text)
{
	GString *out = g_string_new(NULL);
	gunichar c;

	text = text ? text : "";
	while ((c = next_char(&text))) {
		switch (c) {
		case '&':
			g_string_append(out, "&amp;");
			break;
		case '<':
			g_string_append(out, "&lt;");
			break;
		case '>':
			g_string_append(out, "&gt;");
			break;
		case '"':
			g_string_append(out, "&quot;");
			break;
		case '\'':
			g_string_append(out, "&#39;");
			break;
		default:
			g_string_append_unichar(out, c);
		}
	}
	return g_string_free(out, FALSE);
}

char *escape_markdown(const char *text)
{
	GString *out = g_string_new(NULL);
	gunichar c;

	text = text ? text : "";
	while ((c = next_char(&text))) {
		switch (c) {
		case '&':
			g_string_append(out, "&amp;");
			break;
		case '<':
			g_string_append(out, "&lt;");
			break;
		case '>':
			g_string_append(out, "&gt;");
			break;
		default:
			if (c < 0x80 && strchr("\\`*_{}[]#|~!$", (int)c))
				g_string_append_c(out, '\\');
			g_string_append_unichar(out, c);
			/* a tracker links "@name", "#12" and "://" in finished text, where a
			 * backslash has gone; an empty entity keeps the parts apart */
			if (c == '@' || c == '#' || (c == ':' && text[0] == '/'))
				g_string_append(out, "&#8203;");
		}
	}
	return g_string_free(out, FALSE);
}

char *escape_markdown_code(const char *text)
{
	g_autofree char *clean = escape_clean(text);
	GString *out;
	size_t longest = 0, run = 0;
	bool pad;

	for (const char *p = clean; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = MAX(longest, run);
	}
	if (*clean == '\0')
		return g_strdup("-");
	out = g_string_new(NULL);
	for (size_t i = 0; i <= longest; i++)
		g_string_append_c(out, '`');
	/* GFM strips one space on both sides; a code span that begins with a backtick needs it */
	pad = clean[0] == '`' || clean[strlen(clean) - 1] == '`' ||
	      (clean[0] == ' ' && clean[strlen(clean) - 1] == ' ');
	if (pad)
		g_string_append_c(out, ' ');
	for (const char *p = clean; *p; p++) {
		if (*p == '|')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *p);
	}
	if (pad)
		g_string_append_c(out, ' ');
	for (size_t i = 0; i <= longest; i++)
		g_string_append_c(out, '`');
	return g_string_free(out, FALSE);
}

char *escape_comment(const char *text, size_t max_bytes)
{
	char *clean = escape_clean(text);
	size_t len = strlen(clean);

	if (len > max_bytes) {
		size_t cut = max_bytes - strlen("…");

		while (cut > 0 && ((unsigned char)clean[cut] & 0xc0) == 0x80)
			cut--;
		memcpy(clean + cut, "…", sizeof "…");
	}
	return clean;
}

char *escape_filter_string(const char *text)
{
	GString *out = g_string_new("\"");
	gunichar c;

	text = text ? text : "";
	while ((c = next_char(&text))) {
		if (c == '"' || c == '\\')
			g_string_append_c(out, '\\');
		g_string_append_unichar(out, c);
	}
	g_string_append_c(out, '"');
	return g_string_free(out, FALSE);
}

char *escape_shell(const char *text)
{
	g_autofree char *clean = escape_clean(text);
	bool plain = *clean != '\0' && *clean != '~';

	for (const char *p = clean; *p && plain; p++)
		plain = g_ascii_isalnum(*p) || strchr("/._-+,:@%=", *p) || (*p & 0x80);
	return plain ? g_steal_pointer(&clean) : g_shell_quote(clean);
}

char *escape_csv(const char *text)
{
	g_autofree char *clean = escape_clean(text);
	GString *out;

	if (*clean && strchr("=+-@", *clean)) {
		char *guarded = g_strconcat("'", clean, NULL);

		g_free(clean);
		clean = guarded;
	}
	if (!strpbrk(clean, ",\""))
		return g_steal_pointer(&clean);
	out = g_string_new("\"");
	for (const char *p = clean; *p; p++) {
		if (*p == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *p);
	}
	g_string_append_c(out, '"');
	return g_string_free(out, FALSE);
}

/** char_width: columns of one code point. */
static int char_width(gunichar c)
{
	if (g_unichar_iszerowidth(c))
		return 0;
	return g_unichar_iswide(c) ? 2 : 1;
}

int escape_width(const char *text)
{
	gunichar c;
	int width = 0;

	while ((c = next_char(&text)))
		width += char_width(c);
	return width;
}

char *escape_cut(const char *text, int columns, bool unicode)
{
	g_autofree char *clean = escape_clean(text);
	const char *mark = unicode ? "…" : "...", *head = clean, *tail = clean + strlen(clean);
	int room = columns - (unicode ? 1 : 3), used = 0, head_room;

	if (escape_width(clean) <= columns)
		return g_steal_pointer(&clean);
	/* a third for the start, the rest for the end, where the file name is */
	head_room = room / 3;
	while (*head && used + char_width(g_utf8_get_char(head)) <= head_room) {
		used += char_width(g_utf8_get_char(head));
		head = utf8_after(head);
	}
	while (tail > head) {
		const char *before = g_utf8_prev_char(tail);

		if (used + char_width(g_utf8_get_char(before)) > room)
			break;
		used += char_width(g_utf8_get_char(before));
		tail = before;
	}
	/* a combining mark without its base would sit on the cut mark */
	while (*tail && g_unichar_iszerowidth(g_utf8_get_char(tail)))
		tail = utf8_after(tail);
	return g_strdup_printf("%.*s%s%s", (int)(head - clean), clean, mark, tail);
}
