/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person reads first: the first screen, which fits 24 lines of 80 columns, the words before
 * the packets; `-q` is its verdict in one line, `-v` adds tables (text_tables.c). Colour never says
 * what words do not.
 */
#include "reports/report.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/text_tables.h"
#include "reports/wording.h"

/* Where text begins, behind the longest label, "RULED OUT". */
#define INDENT 11
#define COLUMNS_MIN 40
/* Longer lines are hard to read, however wide the terminal. */
#define COLUMNS_MAX 100
#define BUCKETS_SHOWN 4
#define FIXES_SHOWN 3
#define WARNINGS_SHOWN 2
#define BAR_MAX 30

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN "\033[1;32m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

/** Screen: the text so far and how it is to look. */
typedef struct Screen {
	GString *out;
	const ReportOptions *options;
	int columns;
} Screen;

static void screen_color(Screen *s, const char *color)
{
	if (s->options->color)
		g_string_append(s->out, color);
}

/** screen_label: the label of a section, padded to where text begins. */
static void screen_label(Screen *s, const char *label)
{
	screen_color(s, BOLD);
	g_string_append(s->out, label);
	screen_color(s, PLAIN);
	for (int i = (int)strlen(label); i < INDENT; i++)
		g_string_append_c(s->out, ' ');
}

static void screen_newline(Screen *s, int indent)
{
	g_string_append_c(s->out, '\n');
	for (int i = 0; i < indent; i++)
		g_string_append_c(s->out, ' ');
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

/**
 * screen_words: wraps @text into the room from @indent to the right edge; the cursor stands at
 * @indent. What does not fit @max_lines lines is cut, and "..." says so.
 * @mark: a word to print in @color, or NULL.
 */
static void screen_words(
	Screen *s, int indent, const char *text, int max_lines, const char *mark, const char *color)
{
	int room = s->columns - indent, used = 0, line = 1, limit = room;
	g_autoptr(GPtrArray) words = words_split(text, room, s->options->unicode);

	for (guint i = 0; i < words->len; i++) {
		const char *word = g_ptr_array_index(words, i);
		int width = escape_width(word);
		bool marked = mark && g_str_has_prefix(word, mark);

		if (used == 0)
			limit = line == max_lines && !words_fit(words, i, room) ? room - 4 : room;
		if (used > 0 && used + 1 + width > limit) {
			if (line == max_lines) {
				g_string_append(s->out, " ...");
				break;
			}
			screen_newline(s, indent);
			line++;
			used = 0;
			limit = line == max_lines && !words_fit(words, i, room) ? room - 4 : room;
		} else if (used > 0) {
			g_string_append_c(s->out, ' ');
			used++;
		}
		if (marked)
			screen_color(s, color);
		g_string_append(s->out, word);
		if (marked)
			screen_color(s, PLAIN);
		used += width;
	}
	g_string_append_c(s->out, '\n');
}

static void screen_section(Screen *s, const char *label, const char *text, int max_lines)
{
	screen_label(s, label);
	screen_words(s, INDENT, text, max_lines, NULL, NULL);
}

static const char *verdict_color(const Result *result)
{
	int32_t at = result->verdict.finding;

	if (wording_is_healthy(result))
		return GREEN;
	if (at < 0 || (size_t)at >= result->finding_count)
		return BOLD;
	return result->findings[at].severity >= SEVERITY_MAJOR ? RED : YELLOW;
}

static void screen_head(Screen *s, const Result *result)
{
	g_autofree char *inputs = wording_inputs(result);
	g_autofree char *capture = wording_capture(result);
	g_autofree char *safe = escape_terminal(inputs, s->options->unicode);
	g_autofree char *start =
		g_strdup_printf("slowcopy %s  ", s->options->version ? s->options->version : "");
	int room = s->columns - escape_width(start) - escape_width(capture) - 2;
	g_autofree char *name = escape_cut(safe, MAX(room, 12), s->options->unicode);
	g_autofree char *line = g_strdup_printf("%s%s  %s", start, name, capture);

	screen_words(s, 0, line, 2, "slowcopy", BOLD);
}

static void screen_verdict(Screen *s, const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	g_autofree char *verdict = wording_verdict(result, s->options);
	g_autofree char *rates = wording_rates(result);
	const char *mark = v->cause ? v->blame : "Nothing";

	screen_label(s, "VERDICT");
	screen_words(s, INDENT, verdict, 5, mark, verdict_color(result));
	if (rates) {
		screen_label(s, "");
		screen_words(s, INDENT, rates, 2, NULL, NULL);
	}
	if (v->cause) {
		g_autofree char *sure =
			g_strdup_printf("confidence: %s", wording_confidence(v->confidence));

		screen_section(s, "", sure, 1);
	}
}

/** screen_bar: one line of the time budget: kind, length, share, and a bar where there is room. */
static void screen_bar(
	Screen *s, const char *label, const char *title, int64_t ns, int64_t whole_ns)
{
	int length_width = s->columns < 60 ? 10 : 12, share_width = 7;
	int name_width = CLAMP(s->columns - INDENT - length_width - share_width, 8, 25);
	int bar = s->columns - INDENT - name_width - length_width - share_width - 1;
	g_autofree char *safe = escape_terminal(title, s->options->unicode);
	g_autofree char *name = escape_cut(safe, name_width, s->options->unicode);
	g_autofree char *length = escape_terminal(units_duration(ns).text, s->options->unicode);
	int filled;

	screen_label(s, label);
	g_string_append_printf(s->out, "%s%*s%*s%*s", name, name_width - escape_width(name), "",
		length_width + (int)strlen(length) - escape_width(length), length, share_width,
		units_share(ns, whole_ns).text);
	bar = MIN(bar, BAR_MAX);
	if (bar >= 10) {
		filled = (int)((double)ns / (double)MAX(whole_ns, 1) * bar + 0.5);
		filled = CLAMP(filled, 0, bar);
		g_string_append(s->out, " ");
		screen_color(s, CYAN);
		for (int i = 0; i < filled; i++)
			g_string_append_c(s->out, '#');
		screen_color(s, PLAIN);
		for (int i = filled; i < bar; i++)
			g_string_append(s->out, s->options->unicode ? "·" : ".");
	}
	g_string_append_c(s->out, '\n');
}

static void screen_time(Screen *s, const ResultTransfer *transfer)
{
	size_t order[BUCKET_COUNT];
	size_t count = wording_budget_order(transfer, order), shown = MIN(count, BUCKETS_SHOWN);
	int64_t rest = 0;

	/* "1 more" would take the same line as that one bucket */
	if (count == BUCKETS_SHOWN + 1)
		shown = count;
	for (size_t i = 0; i < count; i++) {
		const ResultBucket *bucket = &transfer->budget[order[i]];
		g_autofree char *title = wording_bucket(bucket);

		if (i < shown)
			screen_bar(
				s, i == 0 ? "TIME" : "", title, bucket->ns, transfer->duration_ns);
		else
			rest += bucket->ns;
	}
	if (rest > 0) {
		g_autofree char *title =
			g_strdup_printf("%u other kinds", (unsigned)(count - shown));

		screen_bar(s, "", title, rest, transfer->duration_ns);
	}
}

static void screen_fixes(Screen *s, const Result *result)
{
	int shown = 0;

	for (size_t i = 0; i < result->finding_count && shown < FIXES_SHOWN; i++) {
		const ResultFinding *finding = &result->findings[i];
		g_autofree char *fix = NULL;

		/* the verdict's copy first of all; a fix for another one is told with that one */
		if (finding->transfer != result->verdict.transfer && finding->transfer >= 0)
			continue;
		fix = wording_fix(result, finding);
		if (!fix)
			continue;
		shown++;
		screen_label(s, shown == 1 ? "FIX" : "");
		g_string_append_printf(s->out, "%d  ", shown);
		screen_words(s, INDENT + 3, fix, shown == 1 ? 2 : 1, NULL, NULL);
	}
}

/** screen_others: how many more copies there are. */
static void screen_others(Screen *s, const Result *result)
{
	size_t others = result->transfer_count, with = 0;
	g_autofree char *text = NULL;

	if (result->verdict.transfer < 0)
		return;
	/* a job speaks for its files */
	if ((size_t)result->verdict.transfer >= result->transfer_count)
		others -= MIN(others, result_transfer(result, result->verdict.transfer)->files);
	else
		others--;
	if (others == 0)
		return;
	for (size_t i = 0; i < result->transfer_count; i++) {
		if ((int64_t)i != result->verdict.transfer &&
			result->transfers[i].finding_count > 0)
			with++;
	}
	text = g_strdup_printf("%s other cop%s in this capture, %s with findings; -v lists them",
		units_count(others).text, others == 1 ? "y" : "ies", units_count(with).text);
	screen_section(s, "OTHERS", text, 1);
}

static void screen_next(Screen *s, const Result *result)
{
	g_autofree char *inputs = wording_inputs(result);
	g_autofree char *report = NULL;

	if (result->verdict.transfer < 0) {
		screen_section(s, "NEXT",
			"slowcopy capture-help   (how to capture a copy from its start)", 1);
		return;
	}
	if (result->verdict.cause) {
		g_autofree char *explain =
			g_strdup_printf("slowcopy explain %s", result->verdict.cause);

		screen_section(s, "NEXT", explain, 1);
	}
	report = g_strdup_printf(
		"slowcopy analyze %s -o report   (redacted, safe to attach)", inputs);
	/* a command that is cut cannot be copied */
	if (escape_width(report) > s->columns - INDENT) {
		g_free(report);
		report = g_strdup("with -o report: redacted files, safe to attach");
	}
	screen_section(s, result->verdict.cause ? "" : "NEXT", report, 1);
}

static void write_screen(Screen *s, const Result *result)
{
	const ResultTransfer *transfer = result_transfer(result, result->verdict.transfer);
	g_autoptr(GPtrArray) warnings = wording_warnings(result);
	g_autofree char *ruled_out = wording_ruled_out(result);

	screen_head(s, result);
	for (guint i = 0; i < warnings->len && i < WARNINGS_SHOWN; i++)
		screen_section(s, i == 0 ? "NOTE" : "", g_ptr_array_index(warnings, i),
			warnings->len == 1 ? 2 : 1);
	screen_verdict(s, result);
	if (transfer) {
		screen_time(s, transfer);
	} else {
		g_autofree char *seen = wording_seen(result);

		screen_section(s, "SEEN", seen, 3);
	}
	if (ruled_out)
		screen_section(s, "RULED OUT", ruled_out, 2);
	screen_fixes(s, result);
	screen_others(s, result);
	screen_next(s, result);
}

/** write_line: the verdict in one line, for scripts and mails. */
static void write_line(Screen *s, const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	g_autofree char *verdict = wording_verdict(result, s->options);
	g_autofree char *safe = escape_terminal(verdict, s->options->unicode);

	g_string_append(s->out, safe);
	if (v->cause)
		g_string_append_printf(s->out, " [%s, confidence %s]", v->cause,
			wording_confidence(v->confidence));
	if (result->is_partial)
		g_string_append(s->out, " [input incomplete]");
	g_string_append_c(s->out, '\n');
}

static bool text_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	int columns = options->columns ? options->columns : 80;
	g_autoptr(GString) text = g_string_new(NULL);
	Screen s = {.out = text,
		.options = options,
		.columns = CLAMP(columns, COLUMNS_MIN, COLUMNS_MAX)};

	(void)error;
	if (options->verbosity < 0)
		write_line(&s, result);
	else
		write_screen(&s, result);
	if (options->verbosity > 0)
		text_tables(result, options, text);
	fwrite(text->str, 1, text->len, out);
	return true;
}

const ReportFormat format_text = {
	.name = "text",
	.suffix = ".txt",
	.summary = "the verdict for a person, in 24 lines",
	.write = text_write,
};
