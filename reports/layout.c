/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of layout.h.
 */
#include "reports/layout.h"

#include <string.h>

#include "reports/escape.h"

void layout_color(Layout *l, const char *color)
{
	if (l->color)
		g_string_append(l->out, color);
}

void layout_label(Layout *l, const char *label)
{
	layout_color(l, LAYOUT_BOLD);
	g_string_append(l->out, label);
	layout_color(l, LAYOUT_PLAIN);
	for (int i = (int)strlen(label); i < LAYOUT_INDENT; i++)
		g_string_append_c(l->out, ' ');
}

void layout_newline(Layout *l, int indent)
{
	g_string_append_c(l->out, '\n');
	for (int i = 0; i < indent; i++)
		g_string_append_c(l->out, ' ');
}

/** belongs_to_next: whether @word is a number that must not be parted from the unit @next. */
static bool belongs_to_next(const char *word, const char *next)
{
	return *word && next && *next && strlen(next) <= 7 &&
	       word[strspn(word, "0123456789.,<>(")] == '\0';
}

/** words_split: @text cut at blanks, numbers kept with their units, each word safe and at most
 * @room columns wide. */
static GPtrArray *words_split(const char *text, int room, bool unicode)
{
	g_autofree char *safe = escape_terminal(text, unicode);
	g_auto(GStrv) words = g_strsplit(safe, " ", -1);
	GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; words[i]; i++) {
		if (!*words[i])
			continue;
		if (belongs_to_next(words[i], words[i + 1])) {
			g_ptr_array_add(ret, g_strconcat(words[i], " ", words[i + 1], NULL));
			i++;
		} else {
			g_ptr_array_add(ret, escape_cut(words[i], room, unicode));
		}
	}
	return ret;
}

/** words_fit: whether the words from @first on fit into @room columns. */
static bool words_fit(const GPtrArray *words, guint first, int room)
{
	for (guint i = first; i < words->len && room >= 0; i++)
		room -= escape_width(g_ptr_array_index(words, i)) + (i > first);
	return room >= 0;
}

void layout_words(
	Layout *l, int indent, const char *text, int max_lines, const char *mark, const char *color)
{
	int room = l->columns - indent, used = 0, line = 1, limit = room;
	g_autoptr(GPtrArray) words = words_split(text, room, l->unicode);

	for (guint i = 0; i < words->len; i++) {
		const char *word = g_ptr_array_index(words, i);
		int width = escape_width(word);
		bool marked = mark && g_str_has_prefix(word, mark);

		if (used == 0)
			limit = line == max_lines && !words_fit(words, i, room) ? room - 4 : room;
		if (used > 0 && used + 1 + width > limit) {
			if (line == max_lines) {
				g_string_append(l->out, " ...");
				break;
			}
			layout_newline(l, indent);
			line++;
			used = 0;
			limit = line == max_lines && !words_fit(words, i, room) ? room - 4 : room;
		} else if (used > 0) {
			g_string_append_c(l->out, ' ');
			used++;
		}
		if (marked)
			layout_color(l, color);
		g_string_append(l->out, word);
		if (marked)
			layout_color(l, LAYOUT_PLAIN);
		used += width;
	}
	g_string_append_c(l->out, '\n');
}

void layout_section(Layout *l, const char *label, const char *text, int max_lines)
{
	layout_label(l, label);
	layout_words(l, LAYOUT_INDENT, text, max_lines, NULL, NULL);
}

int layout_lines(const char *text)
{
	int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}
