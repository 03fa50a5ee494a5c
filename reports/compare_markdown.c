/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison for issue trackers, in GitHub's dialect.
 */
#include "reports/compare.h"

#include "reports/escape.h"
#include "reports/wording.h"

#define BUCKETS_SHOWN 8
#define PAIRS_SHOWN 12
#define CAUSES_SHOWN 6

/** add: prose, escaped. */
static void add(GString *out, const char *text)
{
	g_autofree char *safe = escape_markdown(text);

	g_string_append(out, safe);
}

static void side(GString *out, char name, const Comparand *c, const ComparandTransfer *t)
{
	g_autofree char *base = g_path_get_basename(c->path);
	g_autofree char *file = escape_markdown_code(base);
	g_autofree char *subject = t ? compare_subject(t) : NULL;

	g_string_append_printf(out, "- **%c** %s", name, file);
	if (t) {
		g_string_append(out, ": ");
		add(out, subject);
		g_string_append_printf(out, " in %s, %s", units_duration(t->duration_ns).text,
			units_rate(compare_rate(t)).text);
	}
	if (c->grade)
		g_string_append_printf(out, ", capture grade %c", c->grade);
	g_string_append_c(out, '\n');
}

static void times(GString *out, const ComparandTransfer *a, const ComparandTransfer *b)
{
	size_t order[COMPARAND_BUCKETS], count = compare_bucket_order(a, b, order);

	g_string_append(out, "\n| time | A | B | B less A |\n|---|--:|--:|--:|\n");
	for (size_t i = 0; i < count && i < BUCKETS_SHOWN; i++) {
		int64_t in_a = a->bucket_ns[order[i]], in_b = b->bucket_ns[order[i]];

		g_string_append(out, "| ");
		add(out, compare_bucket_title(order[i]));
		g_string_append_printf(out, " | %s | %s | %s |\n", units_duration(in_a).text,
			units_duration(in_b).text, compare_delta(in_b - in_a).text);
	}
	g_string_append_printf(out, "| all | %s | %s | %s |\n\n",
		units_duration(a->duration_ns).text, units_duration(b->duration_ns).text,
		compare_delta(b->duration_ns - a->duration_ns).text);
}

static void causes(GString *out, const char *kind, const GPtrArray *list)
{
	for (guint i = 0; i < list->len && i < CAUSES_SHOWN; i++) {
		const ComparandFinding *f = list->pdata[i];
		g_autofree char *id = escape_markdown_code(f->cause);

		g_string_append_printf(out, "- %s: %s ", kind, id);
		add(out, f->title ? f->title : "");
		g_string_append_printf(out, " (%s)\n", wording_severity(f->severity));
	}
}

static void details(GString *out, const Comparison *c)
{
	ComparisonFact list[COMPARISON_FACTS_MAX];
	size_t count = comparison_facts(c, list);

	for (guint i = 0; i < c->predictions->len && i < CAUSES_SHOWN; i++) {
		g_autofree char *text =
			compare_prediction(&g_array_index(c->predictions, ComparisonPrediction, i));

		g_string_append(out, "- predicted for ");
		add(out, text);
		g_string_append_c(out, '\n');
	}
	for (size_t i = 0; i < count; i++) {
		g_autofree char *text = compare_fact(&list[i]);

		g_string_append(out, "- ");
		add(out, text);
		g_string_append_c(out, '\n');
	}
}

static void pairs(GString *out, const Comparison *c)
{
	size_t shown = MIN(c->pair_count, PAIRS_SHOWN);

	if (c->pair_count < 2)
		return;
	g_string_append_printf(out,
		"\n<details><summary>Copies (%zu of %zu)</summary>\n\n"
		"| A | B | time A | time B | matched by | copy |\n|---|---|--:|--:|---|---|\n",
		shown, c->pair_count);
	for (size_t i = 0; i < shown; i++) {
		const ComparandTransfer *a = comparison_a(c, &c->pairs[i]);
		const ComparandTransfer *b = comparison_b(c, &c->pairs[i]);
		g_autofree char *subject = compare_subject(a ? a : b);

		g_string_append(out, "| ");
		add(out, a ? a->id : "-");
		g_string_append(out, " | ");
		add(out, b ? b->id : "-");
		g_string_append_printf(out, " | %s | %s | %s | ",
			a ? units_duration(a->duration_ns).text : "-",
			b ? units_duration(b->duration_ns).text : "-",
			matched_by_id(c->pairs[i].matched_by));
		add(out, subject);
		g_string_append(out, " |\n");
	}
	g_string_append(out, "\n</details>\n");
}

void compare_markdown(const Comparison *c, const ReportOptions *options, GString *out)
{
	const ComparisonPair *pair = c->main >= 0 ? &c->pairs[c->main] : NULL;
	const ComparandTransfer *a = pair ? comparison_a(c, pair) : NULL;
	const ComparandTransfer *b = pair ? comparison_b(c, pair) : NULL;
	g_autofree char *sentence = compare_sentence(c);
	g_autofree char *command = escape_markdown_code(
		options->command_line ? options->command_line : "slowcopy compare");
	g_autoptr(GPtrArray) notes = compare_notes(c);

	g_string_append(out, "## slowcopy comparison\n\n**");
	add(out, sentence);
	g_string_append(out, "**");
	if (pair)
		g_string_append_printf(out, " Confidence: %s.", wording_confidence(c->confidence));
	g_string_append(out, "\n\n");
	side(out, 'A', c->a, a);
	side(out, 'B', c->b, b);
	for (guint i = 0; i < notes->len; i++) {
		g_string_append(out, "- note: ");
		add(out, g_ptr_array_index(notes, i));
		g_string_append_c(out, '\n');
	}
	if (a && b)
		times(out, a, b);
	causes(out, "gone", c->gone);
	causes(out, "new", c->came);
	causes(out, "still there", c->kept);
	details(out, c);
	pairs(out, c);
	g_string_append_printf(out, "\n%s · slowcopy %s · %s\n", command,
		options->version ? options->version : "",
		options->redact ? "names and addresses are pseudonyms"
				: "not redacted: names and addresses are real");
}
