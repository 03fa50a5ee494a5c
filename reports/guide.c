/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See guide.h.
 */
#include "reports/guide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "analyzer/constants.h"
#include "reports/units.h"

/* Columns of a terminal that is not asked for its width. */
#define WIDTH 80
/* A name of which more than a third has to change is another name. */
#define NEAREST_PART 3
#define NAME_MAX_BYTES 64

static void append_number(GString *out, const GuideNumber *number)
{
	double v = number->value;
	switch (number->kind) {
	case NUMBER_BYTES:
		if (fmod(v, 1024) == 0)
			g_string_append(out, units_buffer((uint64_t)v).text);
		else if (fmod(v, 1000) == 0)
			g_string_append(out, units_size((uint64_t)v).text);
		else
			g_string_append_printf(out, "%.0f bytes", v);
		break;
	case NUMBER_NS:
		g_string_append(out, units_duration((int64_t)v).text);
		break;
	case NUMBER_RATE:
		g_string_append(out, units_rate(v).text);
		break;
	case NUMBER_PERCENT:
	case NUMBER_COUNT:
	case NUMBER_NAME: {
		char digits[G_ASCII_DTOSTR_BUF_SIZE];
		g_string_append(out, g_ascii_formatd(digits, sizeof(digits), "%g", v));
		if (number->kind == NUMBER_PERCENT)
			g_string_append(out, " %");
		break;
	}
	}
}

char *guide_expand(const char *text, const GuideNumber *numbers, unsigned *index)
{
	GString *out = g_string_new(NULL);
	for (const char *p = text; *p; p++) {
		if (p[0] == '{' && p[1] == '}') {
			if (*index < GUIDE_MAX_NUMBERS)
				append_number(out, &numbers[*index]);
			++*index;
			p++;
		} else {
			g_string_append_c(out, *p);
		}
	}
	return g_string_free(out, FALSE);
}

/** GuideText: the texts of a guide with their numbers. */
typedef struct GuideText {
	char *rule, *needs, *confidence;
	char *traps[GUIDE_MAX_TRAPS];
} GuideText;

static GuideText text_of(const Cause *cause)
{
	const CauseGuide *g = &cause->guide;
	unsigned index = 0;
	GuideText t = {.rule = guide_expand(g->rule, g->numbers, &index)};
	t.needs = guide_expand(g->needs, g->numbers, &index);
	for (int i = 0; i < GUIDE_MAX_TRAPS && g->traps[i]; i++)
		t.traps[i] = guide_expand(g->traps[i], g->numbers, &index);
	t.confidence = guide_expand(g->confidence, g->numbers, &index);
	return t;
}

static void text_clear(GuideText *t)
{
	g_free(t->rule);
	g_free(t->needs);
	g_free(t->confidence);
	for (int i = 0; i < GUIDE_MAX_TRAPS; i++)
		g_free(t->traps[i]);
}

/* Words in lines of WIDTH, the first behind @lead, the others under it. */
static void print_wrapped(FILE *out, const char *lead, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	size_t indent = strlen(lead), column = indent;
	bool is_first = true;
	fputs(lead, out);
	for (char **w = words; *w; w++) {
		size_t length = (size_t)g_utf8_strlen(*w, -1);
		if (!is_first && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		fprintf(out, "%s%s", is_first ? "" : " ", *w);
		column += length + (is_first ? 0 : 1);
		is_first = false;
	}
	fputc('\n', out);
}

static void print_part(FILE *out, const char *title, const char *text)
{
	fprintf(out, "\n%s\n", title);
	print_wrapped(out, "  ", text);
}

void guide_print(FILE *out, const Cause *cause)
{
	const CauseGuide *g = &cause->guide;
	GuideText t = text_of(cause);
	fprintf(out, "%s: %s\n\n", cause->id, cause->title);
	print_wrapped(out, "", cause->explanation);
	print_part(out, "How it is recognised", t.rule);
	print_part(out, "What must be in the capture", t.needs);
	if (t.traps[0])
		fputs("\nWhat looks like it\n", out);
	for (int i = 0; i < GUIDE_MAX_TRAPS && t.traps[i]; i++)
		print_wrapped(out, "  - ", t.traps[i]);
	print_part(out, "How sure it is", t.confidence);
	if (g->advice[0].text)
		fputs("\nWhat may help\n", out);
	for (int i = 0; i < GUIDE_MAX_ADVICE && g->advice[i].text; i++) {
		g_autofree char *text = g_strdup_printf("%s%s%s",
			strcmp(g->advice[i].platform, "Any") == 0 ? "" : g->advice[i].platform,
			strcmp(g->advice[i].platform, "Any") == 0 ? "" : ": ", g->advice[i].text);
		print_wrapped(out, "  - ", text);
	}
	print_part(out, "The test that settles it", g->next_test);
	print_part(out, "Source", cause->source);
	text_clear(&t);
}

/* ---- the page of all causes */

/** Group: causes whose precedence is below @end and not in an earlier one. */
typedef struct Group {
	unsigned end;
	const char *title;
} Group;

static const Group groups[] = {{200, "The capture itself"}, {300, "Before the first byte"},
	{340, "Lost packets and devices on the path"}, {400, "Windows, buffers, start-up"},
	{500, "How the client asks"}, {600, "Server and client"}, {700, "Comparisons and the path"},
	{800, "Facts that cost no time"}};

static gint by_precedence(gconstpointer a, gconstpointer b)
{
	const Cause *x = *(const Cause *const *)a, *y = *(const Cause *const *)b;
	return (x->precedence > y->precedence) - (x->precedence < y->precedence);
}

static GPtrArray *causes_in_order(void)
{
	GPtrArray *causes = g_ptr_array_new();
	for (const Cause *const *c = cause_table; *c; c++)
		g_ptr_array_add(causes, (gpointer)(uintptr_t)*c);
	g_ptr_array_sort(causes, by_precedence);
	return causes;
}

/* Markdown must not take signs in the text for its own. */
static void put_markdown(FILE *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (strchr("*_<>`\\[]|", *p))
			fputc('\\', out);
		fputc(*p, out);
	}
}

static void put_item(FILE *out, const char *lead, const char *text)
{
	fputs(lead, out);
	put_markdown(out, text);
	fputc('\n', out);
}

static void print_page(FILE *out, const Cause *cause)
{
	const CauseGuide *g = &cause->guide;
	GuideText t = text_of(cause);
	fprintf(out, "\n### `%s`\n\n", cause->id);
	fprintf(out, "**");
	put_markdown(out, cause->title);
	fputs(".** ", out);
	put_markdown(out, cause->explanation);
	fputs("\n\n", out);
	put_item(out, "* **Recognised by:** ", t.rule);
	put_item(out, "* **Needs:** ", t.needs);
	if (t.traps[0])
		fputs("* **Looks like it:**\n", out);
	for (int i = 0; i < GUIDE_MAX_TRAPS && t.traps[i]; i++)
		put_item(out, "  * ", t.traps[i]);
	put_item(out, "* **Sure:** ", t.confidence);
	if (g->advice[0].text)
		fputs("* **May help:**\n", out);
	for (int i = 0; i < GUIDE_MAX_ADVICE && g->advice[i].text; i++) {
		bool is_any = strcmp(g->advice[i].platform, "Any") == 0;
		fprintf(out, "  * %s%s%s", is_any ? "" : "*", is_any ? "" : g->advice[i].platform,
			is_any ? "" : ":* ");
		put_item(out, "", g->advice[i].text);
	}
	put_item(out, "* **Settled by:** ", g->next_test);
	put_item(out, "* **Source:** ", cause->source);
	text_clear(&t);
}

static void print_introduction(FILE *out)
{
	fputs("# Causes\n\n"
	      "Generated by `make docs/causes.md` from the descriptors that the analysis itself "
	      "uses\n(`analyzer/causes`), thresholds included; `slowcopy explain CAUSE` prints the "
	      "same for one.\n\n",
		out);
	fprintf(out,
		"For all of them: every nanosecond of a transfer is in one bucket, and a cause "
		"claims time of\nbuckets that nobody claimed before it. It is a finding when that "
		"is "
		"%s and %s of the\ntransfer's time or more: minor from there, major from %s, "
		"critical "
		"from %s. A note\nstates a fact that costs no time. A transfer whose bytes needed "
		"%s "
		"of the time on the\nlink is healthy. Confidence is never higher than the capture "
		"allows. `low` is worded \"possible\"\nand is never the verdict; the report then "
		"prints the one test that settles it. Advice names\nwhat usually helps on a "
		"platform; "
		"whether a setting fits is for whoever runs it to say.\n",
		units_duration(MIN_LOST_NS).text, units_percent(100 * MIN_LOST_SHARE).text,
		units_percent(100 * MAJOR_SHARE).text, units_percent(100 * CRITICAL_SHARE).text,
		units_percent(100 * HEALTHY_LINK_SHARE).text);
}

void guide_print_pages(FILE *out)
{
	g_autoptr(GPtrArray) causes = causes_in_order();
	print_introduction(out);
	fputs("\n| cause | in one line |\n| --- | --- |\n", out);
	for (guint i = 0; i < causes->len; i++) {
		const Cause *c = causes->pdata[i];
		fprintf(out, "| [`%s`](#%s) | ", c->id, c->id);
		put_markdown(out, c->title);
		fputs(" |\n", out);
	}
	guint next = 0;
	for (size_t g = 0; g < G_N_ELEMENTS(groups); g++) {
		fprintf(out, "\n## %s\n", groups[g].title);
		for (; next < causes->len; next++) {
			const Cause *c = causes->pdata[next];
			if (c->precedence >= groups[g].end)
				break;
			print_page(out, c);
		}
	}
}

/* ---- names like another */

/* Letters to change, add or leave out (Levenshtein 1966) to make @a the name @b or its first words,
 * both cut to NAME_MAX_BYTES. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_BYTES + 1], length = strnlen(b, NAME_MAX_BYTES);
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; a[i] && i < NAME_MAX_BYTES; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j <= length; j++) {
			size_t change = diagonal + (a[i] != b[j - 1]);
			diagonal = row[j];
			row[j] = MIN(change, MIN(row[j - 1], row[j]) + 1);
		}
	}
	size_t least = row[length];
	for (size_t j = 1; j < length; j++) {
		if (b[j] == '-')
			least = MIN(least, row[j]);
	}
	return least;
}

const Cause *guide_nearest(const char *name)
{
	const Cause *best = NULL;
	size_t least = SIZE_MAX, length = strlen(name);
	for (const Cause *const *c = cause_table; *c; c++) {
		size_t d = distance(name, (*c)->id);
		/* a part of a name, or of its title, is meant */
		if (length >= 3 && strstr((*c)->id, name))
			d = 0;
		if (d < least) {
			least = d;
			best = *c;
		}
	}
	return best && least * NEAREST_PART <= length ? best : NULL;
}
