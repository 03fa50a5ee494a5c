/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person reads first: the first screen, which fits 24 lines of 80 columns, the words before
 * the packets; `-q` is its verdict in one line, `-v` adds tables (text_tables.c). Colour never says
 * what words do not.
 */
#include "reports/report.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/layout.h"
#include "reports/text_tables.h"
#include "reports/wording.h"

#define BUCKETS_SHOWN 4
#define BAR_MAX 30
/* Behind "TIME", where there is no room for more. */
#define NARROW_INDENT 5
/* A terminal that nobody made larger. */
#define SCREEN_LINES 24

/** Room: lines for what may be long; the screen is laid out with the first that fits. */
typedef struct Room {
	int warnings, warning_lines, verdict_lines, ruled_out_lines, fixes, fix_lines;
} Room;

static const Room rooms[] = {
	{2, 3, 8, 4, 3, 3}, {2, 2, 7, 3, 3, 2}, {2, 1, 6, 2, 2, 2}, {1, 1, 5, 2, 2, 1}};
/* -v scrolls anyway. */
static const Room endless_room = {20, 20, 20, 20, 20, 20};
static const Room narrow_room = {2, 20, 20, 8, 3, 20};

/** Screen: the text so far and how it is to look. */
typedef struct Screen {
	Layout layout;
	const ReportOptions *options;
	const Room *room;
} Screen;

static const char *verdict_color(const Result *result)
{
	int32_t at = result->verdict.finding;

	if (wording_is_healthy(result))
		return LAYOUT_GREEN;
	if (at < 0 || (size_t)at >= result->finding_count)
		return LAYOUT_BOLD;
	return result->findings[at].severity >= SEVERITY_MAJOR ? LAYOUT_RED : LAYOUT_YELLOW;
}

static void screen_head(Screen *s, const Result *result)
{
	g_autofree char *path =
		g_strdup(result->input_count > 0 ? result->inputs[0].path : "no input");
	g_autofree char *capture = wording_capture(result);
	g_autofree char *safe_capture = escape_terminal(capture, s->options->unicode);
	g_autofree char *start =
		g_strdup_printf("slowcopy %s  ", s->options->version ? s->options->version : "");
	g_autofree char *more = result->input_count > 1
					? g_strdup_printf(" and %zu more", result->input_count - 1)
					: g_strdup("");
	int room = s->layout.columns - escape_width(start) - escape_width(more);
	int beside = room - escape_width(safe_capture) - 2;
	g_autofree char *safe = NULL;
	g_autofree char *name = NULL;

	/* the folder is what a reader can do without */
	if (escape_width(path) > beside) {
		char *base = g_path_get_basename(path);

		g_free(path);
		path = base;
	}
	safe = escape_terminal(path, s->options->unicode);
	name = escape_cut(
		safe, MAX(escape_width(safe) > beside ? room : beside, 12), s->options->unicode);
	layout_color(&s->layout, LAYOUT_BOLD);
	g_string_append(s->layout.out, "slowcopy");
	layout_color(&s->layout, LAYOUT_PLAIN);
	g_string_append_printf(s->layout.out, "%s%s%s", start + strlen("slowcopy"), name, more);
	if (escape_width(name) > beside) {
		layout_newline(&s->layout, LAYOUT_INDENT);
		layout_words(&s->layout, LAYOUT_INDENT, safe_capture, 2, NULL, NULL);
	} else {
		g_string_append_printf(s->layout.out, "  %s\n", safe_capture);
	}
}

static void screen_verdict(Screen *s, const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	g_autofree char *verdict = wording_verdict(result, s->options);
	g_autofree char *rates = wording_rates(result);
	const char *mark = v->cause ? v->blame : "Nothing";

	layout_label(&s->layout, "VERDICT");
	layout_words(&s->layout, LAYOUT_INDENT, verdict, s->room->verdict_lines, mark,
		verdict_color(result));
	if (rates) {
		layout_label(&s->layout, "");
		layout_words(&s->layout, LAYOUT_INDENT, rates,
			s->layout.columns < LAYOUT_NARROW ? 6 : 2, NULL, NULL);
	}
	if (v->cause) {
		g_autofree char *sure =
			g_strdup_printf("confidence: %s", wording_confidence(v->confidence));

		layout_section(&s->layout, "", sure, 1);
	}
}

/** screen_bar: one line of the time budget: kind, length, share, and a bar where there is room. */
static void screen_bar(
	Screen *s, const char *label, const char *title, int64_t ns, int64_t whole_ns)
{
	bool narrow = s->layout.columns < LAYOUT_NARROW;
	int indent = narrow ? NARROW_INDENT : LAYOUT_INDENT;
	int length_width = narrow ? 10 : 12, share_width = 7;
	int name_width = CLAMP(s->layout.columns - indent - length_width - share_width, 8, 25);
	int bar = s->layout.columns - indent - name_width - length_width - share_width - 1;
	g_autofree char *safe = escape_terminal(title, s->options->unicode);
	g_autofree char *name = escape_cut(safe, name_width, s->options->unicode);
	g_autofree char *length = escape_terminal(units_duration(ns).text, s->options->unicode);
	int filled;

	layout_label(&s->layout, label);
	/* the label leaves LAYOUT_INDENT columns behind it */
	g_string_truncate(s->layout.out, s->layout.out->len - (gsize)(LAYOUT_INDENT - indent));
	g_string_append_printf(s->layout.out, "%s%*s%*s%*s", name, name_width - escape_width(name),
		"", length_width + (int)strlen(length) - escape_width(length), length, share_width,
		units_share(ns, whole_ns).text);
	bar = MIN(bar, BAR_MAX);
	if (bar >= 10) {
		filled = (int)((double)ns / (double)MAX(whole_ns, 1) * bar + 0.5);
		filled = CLAMP(filled, 0, bar);
		g_string_append(s->layout.out, " ");
		layout_color(&s->layout, LAYOUT_CYAN);
		for (int i = 0; i < filled; i++)
			g_string_append_c(s->layout.out, '#');
		layout_color(&s->layout, LAYOUT_PLAIN);
		for (int i = filled; i < bar; i++)
			g_string_append(s->layout.out, s->options->unicode ? "·" : ".");
	}
	g_string_append_c(s->layout.out, '\n');
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
		g_autofree char *title = wording_bucket(transfer, bucket);

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
	const ResultTransfer *transfer = result_transfer(result, result->verdict.transfer);
	g_autofree char *together = NULL;
	int shown = 0;

	for (size_t i = 0; i < result->finding_count && shown < s->room->fixes; i++) {
		const ResultFinding *finding = &result->findings[i];
		g_autofree char *fix = NULL;

		if (!wording_is_fix(result, finding))
			continue;
		fix = wording_fix(result, finding);
		shown++;
		layout_label(&s->layout, shown == 1 ? "FIX" : "");
		g_string_append_printf(s->layout.out, "%d  ", shown);
		layout_words(&s->layout, LAYOUT_INDENT + 3, fix, s->room->fix_lines, NULL, NULL);
	}
	together = wording_fixes_together(transfer);
	if (together && (size_t)shown == transfer->fix_count)
		layout_section(&s->layout, "", together, 1);
}

/** screen_possible: what nobody can be sure of, and how to find out. */
static void screen_possible(Screen *s, const Result *result)
{
	/* one of them on a screen: they are doubtful, and -v lists the others */
	for (int i = 0; i == 0 || s->room == &endless_room; i++) {
		g_autofree char *text = wording_possible(result, (size_t)i);

		if (!text)
			return;
		layout_section(&s->layout, i == 0 ? "POSSIBLE" : "", text, s->room->fix_lines + 1);
	}
}

/** screen_outlook: the answer to --assume. */
static void screen_outlook(Screen *s, const Result *result)
{
	g_autofree char *assumption = wording_assumption(result);
	g_autofree char *outlook =
		wording_outlook(result_transfer(result, result->verdict.transfer));
	g_autofree char *text = NULL;

	if (!assumption)
		return;
	text = g_strdup_printf("%s: %s", assumption, outlook);
	layout_section(&s->layout, "WHAT IF", text, G_MAXINT);
}

/** screen_ruled_out: as many reasons as there are lines for, none of them cut in its middle. */
static void screen_ruled_out(Screen *s, const Result *result)
{
	size_t count = result->verdict.ruled_out_count;

	for (size_t shown = count; shown > 0; shown--) {
		g_autofree char *text = wording_ruled_out(result, shown);
		g_autoptr(GString) trial = g_string_new(NULL);
		Screen measured = *s;

		if (shown < count) {
			char *more = g_strdup_printf("%s; %zu more with -v", text, count - shown);

			g_free(text);
			text = more;
		}
		measured.layout.out = trial;
		layout_section(&measured.layout, "RULED OUT", text, G_MAXINT);
		if (layout_lines(trial->str) > s->room->ruled_out_lines && shown > 1)
			continue;
		layout_section(&s->layout, "RULED OUT", text, s->room->ruled_out_lines);
		return;
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
	layout_section(&s->layout, "OTHERS", text, 2);
}

static void screen_next(Screen *s, const Result *result)
{
	g_autofree char *inputs = wording_inputs(result);
	g_autofree char *report = NULL;

	if (result->verdict.transfer < 0) {
		layout_section(&s->layout, "NEXT",
			"slowcopy capture-help (how to capture a copy from its start)", 3);
		return;
	}
	if (result->verdict.cause) {
		layout_label(&s->layout, "NEXT");
		/* a command that is cut cannot be copied */
		if (s->layout.columns < LAYOUT_NARROW) {
			g_string_truncate(s->layout.out,
				s->layout.out->len - (gsize)LAYOUT_INDENT + strlen("NEXT"));
			layout_newline(&s->layout, 0);
		}
		g_string_append_printf(
			s->layout.out, "slowcopy explain %s\n", result->verdict.cause);
	}
	report =
		g_strdup_printf("slowcopy analyze %s -o report (redacted, safe to attach)", inputs);
	if (escape_width(report) > s->layout.columns - LAYOUT_INDENT) {
		g_free(report);
		report = g_strdup("add -o report: redacted files, safe to attach");
	}
	layout_section(&s->layout, result->verdict.cause ? "" : "NEXT", report, 2);
}

static void write_screen(Screen *s, const Result *result)
{
	const ResultTransfer *transfer = result_transfer(result, result->verdict.transfer);
	g_autoptr(GPtrArray) warnings = wording_warnings(result);

	screen_head(s, result);
	for (guint i = 0; i < warnings->len && (int)i < s->room->warnings; i++)
		layout_section(&s->layout, i == 0 ? "NOTE" : "", g_ptr_array_index(warnings, i),
			s->room->warning_lines);
	screen_verdict(s, result);
	if (transfer) {
		screen_time(s, transfer);
	} else {
		g_autofree char *seen = wording_seen(result);

		layout_section(&s->layout, "SEEN", seen, 3);
	}
	screen_ruled_out(s, result);
	screen_fixes(s, result);
	screen_outlook(s, result);
	screen_possible(s, result);
	screen_others(s, result);
	screen_next(s, result);
}

/** lay_out: the first screen with the most room that a terminal has. */
static void lay_out(Screen *s, const Result *result)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rooms); i++) {
		s->room = s->options->verbosity > 0           ? &endless_room
			  : s->layout.columns < LAYOUT_NARROW ? &narrow_room
							      : &rooms[i];
		g_string_truncate(s->layout.out, 0);
		write_screen(s, result);
		if (layout_lines(s->layout.out->str) <= SCREEN_LINES)
			return;
	}
}

/** write_line: the verdict in one line, for scripts and mails. */
static void write_line(Screen *s, const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	g_autofree char *verdict = wording_verdict(result, s->options);
	g_autofree char *safe = escape_terminal(verdict, s->options->unicode);

	g_string_append(s->layout.out, safe);
	if (v->cause)
		g_string_append_printf(s->layout.out, " [%s, confidence %s]", v->cause,
			wording_confidence(v->confidence));
	if (result->is_partial)
		g_string_append(s->layout.out, " [input incomplete]");
	g_string_append_c(s->layout.out, '\n');
}

static bool text_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	int columns = options->columns ? options->columns : 80;
	g_autoptr(GString) text = g_string_new(NULL);
	Screen s = {.layout = {.out = text,
			    .columns = CLAMP(columns, LAYOUT_COLUMNS_MIN, LAYOUT_COLUMNS_MAX),
			    .color = options->color,
			    .unicode = options->unicode},
		.options = options};

	(void)error;
	if (options->verbosity < 0)
		write_line(&s, result);
	else
		lay_out(&s, result);
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
