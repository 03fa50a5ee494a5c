/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison for a person, in the manner of the first screen.
 */
#include "reports/compare.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/layout.h"
#include "reports/table.h"
#include "reports/wording.h"

#define BUCKETS_SHOWN 6
#define FACTS_SHOWN 8
#define CAUSES_SHOWN 4
#define ROWS_MAX 200

/** side_words: "before.pcap: big.bin (SMB 3.1.1 read, 4.2 MB): 1.1 s = 4.0 MB/s, capture grade A".
 */
static char *side_words(const Comparand *side, const ComparandTransfer *t, const Comparand *other)
{
	g_autofree char *base = g_path_get_basename(side->path);
	g_autofree char *other_base = g_path_get_basename(other->path);
	/* before/client.pcap and after/client.pcap differ by their folders */
	bool same = strcmp(base, other_base) == 0;
	g_autofree char *name = escape_cut(same ? side->path : base, 40, true);
	g_autofree char *subject = t ? compare_subject(t) : NULL;

	if (!t)
		return g_strdup_printf("%s: %s cop%s", name, units_count(side->transfer_count).text,
			side->transfer_count == 1 ? "y" : "ies");
	return g_strdup_printf("%s: %s in %s, %s", name, subject,
		units_duration(t->duration_ns).text, units_rate(compare_rate(t)).text);
}

/** cell: @text right-aligned in @width columns. */
static void cell(Layout *l, const char *text, int width)
{
	g_autofree char *safe = escape_terminal(text, l->unicode);
	int blanks = width - escape_width(safe);

	g_string_append_printf(l->out, "%*s%s", MAX(blanks, 1), "", safe);
}

static void time_row(Layout *l, const char *label, const char *title, const char *a, const char *b,
	const char *delta)
{
	int name_width = CLAMP(l->columns - LAYOUT_INDENT - 36, 10, 25);
	g_autofree char *safe = escape_terminal(title, l->unicode);
	g_autofree char *name = escape_cut(safe, name_width, l->unicode);

	layout_label(l, label);
	g_string_append_printf(l->out, "%s%*s", name, name_width - escape_width(name), "");
	cell(l, a, 12);
	cell(l, b, 12);
	cell(l, delta, 12);
	g_string_append_c(l->out, '\n');
}

/** Scale: what a time is divided by, so that copies of different sizes can be compared: 1, or the
 * megabytes of the copy. */
typedef struct Scale {
	double a, b;
} Scale;

static void time_row_of(Layout *l, const char *title, Scale by, int64_t in_a, int64_t in_b)
{
	int64_t a = (int64_t)((double)in_a / by.a), b = (int64_t)((double)in_b / by.b);

	time_row(l, "", title, units_duration(a).text, units_duration(b).text,
		compare_delta(b - a).text);
}

static void times(Layout *l, const Comparison *c, const ComparandTransfer *a,
	const ComparandTransfer *b, bool all)
{
	Scale by = {1, 1};

	size_t order[COMPARAND_BUCKETS], count = compare_bucket_order(a, b, order);
	size_t shown = all || count <= BUCKETS_SHOWN + 1 ? count : BUCKETS_SHOWN;
	int64_t rest_a = 0, rest_b = 0;

	if (c->sizes_differ)
		by = (Scale){(double)a->bytes / 1e6, (double)b->bytes / 1e6};
	time_row(l, "TIME", c->sizes_differ ? "for each MB" : "", "A", "B", "B less A");
	for (size_t i = 0; i < count; i++) {
		int64_t in_a = a->bucket_ns[order[i]], in_b = b->bucket_ns[order[i]];

		if (i < shown) {
			time_row_of(l, compare_bucket_title(order[i]), by, in_a, in_b);
			continue;
		}
		rest_a += in_a;
		rest_b += in_b;
	}
	if (shown < count) {
		g_autofree char *title = g_strdup_printf("%zu other kinds", count - shown);

		time_row_of(l, title, by, rest_a, rest_b);
	}
	time_row_of(l, "all", by, a->duration_ns, b->duration_ns);
}

static void cause_list(Layout *l, bool *first, const char *kind, const GPtrArray *list, bool all)
{
	guint shown = all ? list->len : MIN(list->len, CAUSES_SHOWN);

	for (guint i = 0; i < list->len; i++) {
		const ComparandFinding *f = list->pdata[i];
		g_autofree char *text = NULL;

		if (i == shown) {
			text = g_strdup_printf("%u more are %s (-v)", list->len - shown, kind);
			layout_section(l, "", text, 1);
			return;
		}
		text = g_strdup_printf("%s: %s (%s, %s)", kind, f->title ? f->title : f->cause,
			f->cause, wording_severity(f->severity));
		layout_section(l, *first ? "CAUSES" : "", text, 2);
		*first = false;
	}
}

static void predictions(Layout *l, const Comparison *c)
{
	for (guint i = 0; i < c->predictions->len && i < CAUSES_SHOWN; i++) {
		g_autofree char *text =
			compare_prediction(&g_array_index(c->predictions, ComparisonPrediction, i));

		layout_section(l, i == 0 ? "PREDICTED" : "", text, 4);
	}
}

static void facts(Layout *l, const Comparison *c, bool all)
{
	ComparisonFact list[COMPARISON_FACTS_MAX];
	size_t count = comparison_facts(c, list);

	for (size_t i = 0; i < count && (all || i < FACTS_SHOWN); i++) {
		g_autofree char *text = compare_fact(&list[i]);

		layout_section(l, i == 0 ? "CHANGED" : "", text, 2);
	}
	if (!all && count > FACTS_SHOWN) {
		g_autofree char *text = g_strdup_printf("%zu more with -v", count - FACTS_SHOWN);

		layout_section(l, "", text, 1);
	}
}

static void others(Layout *l, const Comparison *c)
{
	size_t only_a = 0, only_b = 0, matched = c->matched_count - (c->main >= 0);
	g_autofree char *text = NULL;

	for (size_t i = c->matched_count; i < c->pair_count; i++) {
		only_a += c->pairs[i].b < 0;
		only_b += c->pairs[i].a < 0;
	}
	if (matched + only_a + only_b == 0)
		return;
	text = g_strdup_printf("%s more in both, %s only in A, %s only in B; -v lists them",
		units_count(matched).text, units_count(only_a).text, units_count(only_b).text);
	layout_section(l, "OTHERS", text, 1);
}

static void pair_row(Layout *l, Table *table, const Comparison *c, const ComparisonPair *p)
{
	const ComparandTransfer *a = comparison_a(c, p), *b = comparison_b(c, p);
	g_autofree char *subject = compare_subject(a ? a : b);
	const char *const texts[] = {a ? a->id : "-", b ? b->id : "-",
		a ? units_duration(a->duration_ns).text : "-",
		b ? units_duration(b->duration_ns).text : "-",
		a && b ? compare_delta(b->duration_ns - a->duration_ns).text : "-",
		matched_by_id(p->matched_by), subject};
	char *cells[G_N_ELEMENTS(texts)];

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		cells[i] = escape_terminal(texts[i], l->unicode);
	table_row(table, (const char *const *)cells);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(cells[i]);
}

static void pairs(Layout *l, const Comparison *c)
{
	g_autoptr(Table) table = table_new(MAX(l->columns, 76));
	g_autofree char *text = NULL;

	table_column(table, "A", TABLE_LEFT);
	table_column(table, "B", TABLE_LEFT);
	table_column(table, "TIME A", TABLE_RIGHT);
	table_column(table, "TIME B", TABLE_RIGHT);
	table_column(table, "B LESS A", TABLE_RIGHT);
	table_column(table, "MATCHED BY", TABLE_LEFT);
	table_column(table, "COPY", TABLE_SHRINK);
	for (size_t i = 0; i < c->pair_count && i < ROWS_MAX; i++)
		pair_row(l, table, c, &c->pairs[i]);
	text = table_print(table);
	if (!*text)
		return;
	g_string_append(l->out, "\nCOPIES\n");
	g_string_append(l->out, text);
	if (c->pair_count > ROWS_MAX)
		g_string_append_printf(l->out, "and %s more (--json lists all)\n",
			units_count(c->pair_count - ROWS_MAX).text);
}

static const char *outcome_color(const Comparison *c)
{
	return c->outcome == COMPARISON_FASTER   ? LAYOUT_GREEN
	       : c->outcome == COMPARISON_SLOWER ? LAYOUT_RED
						 : LAYOUT_BOLD;
}

void compare_text(const Comparison *c, const ReportOptions *options, GString *out)
{
	int columns = options->columns ? options->columns : 80;
	Layout l = {.out = out,
		.columns = CLAMP(columns, LAYOUT_COLUMNS_MIN, LAYOUT_COLUMNS_MAX),
		.color = options->color,
		.unicode = options->unicode};
	const ComparisonPair none = {-1, -1, MATCHED_BY_NOTHING};
	const ComparisonPair *pair = c->main >= 0 ? &c->pairs[c->main] : &none;
	const ComparandTransfer *a = comparison_a(c, pair), *b = comparison_b(c, pair);
	g_autofree char *sentence = compare_sentence(c);
	g_autofree char *from = side_words(c->a, a, c->b);
	g_autofree char *to = side_words(c->b, b, c->a);
	g_autoptr(GPtrArray) notes = compare_notes(c);
	bool all = options->verbosity > 0, first = true;

	if (options->verbosity < 0) {
		g_autofree char *safe = escape_terminal(sentence, options->unicode);

		g_string_append_printf(out, "%s\n", safe);
		return;
	}
	layout_section(&l, "A", from, 2);
	layout_section(&l, "B", to, 2);
	for (guint i = 0; i < notes->len; i++)
		layout_section(&l, i == 0 ? "NOTE" : "", g_ptr_array_index(notes, i), 2);
	layout_label(&l, "RESULT");
	layout_words(&l, LAYOUT_INDENT, sentence, G_MAXINT, "B", outcome_color(c));
	if (a && b) {
		g_autofree char *sure =
			g_strdup_printf("confidence: %s", wording_confidence(c->confidence));

		layout_section(&l, "", sure, 1);
		times(&l, c, a, b, all);
	}
	cause_list(&l, &first, "gone", c->gone, all);
	cause_list(&l, &first, "new", c->came, all);
	cause_list(&l, &first, "still there", c->kept, all);
	predictions(&l, c);
	facts(&l, c, all);
	if (all)
		pairs(&l, c);
	else
		others(&l, c);
}
