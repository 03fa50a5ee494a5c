/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A comparison for programs: docs/compare.schema.json.
 */
#include "reports/compare.h"

#include <math.h>
#include <stdlib.h>

#include "reports/json_parts.h"
#include "reports/wording.h"

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

static json_t *ns_json(int64_t ns)
{
	return ns == RESULT_UNKNOWN_NS ? json_null() : json_integer(ns);
}

static json_t *rate_json(double rate)
{
	return rate > 0 && rate < 9e18 ? json_integer(llround(rate)) : json_null();
}

static json_t *input_json(const Comparand *c)
{
	json_t *ret = json_object();
	char grade[2] = {c->grade, '\0'};

	put(ret, "path", json_part_text(c->path));
	put(ret, "grade", c->grade ? json_string(grade) : json_null());
	put(ret, "is_partial", json_boolean(c->is_partial));
	return ret;
}

static const char *outcome_id(ComparisonOutcome outcome)
{
	switch (outcome) {
	case COMPARISON_NONE:
		return "nothing-to-compare";
	case COMPARISON_SAME:
		return "same";
	case COMPARISON_FASTER:
		return "faster";
	case COMPARISON_SLOWER:
		return "slower";
	}
	return "nothing-to-compare";
}

static json_t *difference_json(const Comparison *c)
{
	json_t *ret = json_object();
	g_autofree char *sentence = compare_sentence(c);
	bool compared = c->main >= 0;

	put(ret, "outcome", json_string(outcome_id(c->outcome)));
	put(ret, "cause", json_part_text(c->cause ? c->cause->cause : NULL));
	put(ret, "sentence", json_part_text(sentence));
	put(ret, "ns", compared ? json_integer(c->difference_ns) : json_null());
	put(ret, "confidence",
		json_string(wording_confidence(compared ? c->confidence : CONFIDENCE_LOW)));
	put(ret, "bucket",
		c->bucket >= 0 ? json_string(compare_bucket_id((size_t)c->bucket)) : json_null());
	put(ret, "sizes_differ", json_boolean(c->sizes_differ));
	return ret;
}

static json_t *buckets_json(const ComparandTransfer *a, const ComparandTransfer *b)
{
	json_t *ret = json_array();

	for (size_t i = 0; a && b && i < COMPARAND_BUCKETS; i++) {
		json_t *entry;

		if (a->bucket_ns[i] == 0 && b->bucket_ns[i] == 0)
			continue;
		entry = json_object();
		put(entry, "bucket", json_string(compare_bucket_id(i)));
		put(entry, "a_ns", json_integer(a->bucket_ns[i]));
		put(entry, "b_ns", json_integer(b->bucket_ns[i]));
		json_array_append_new(ret, entry);
	}
	return ret;
}

/** fact_side: one side of a fact; times and sizes are integers as everywhere. */
static json_t *fact_side(const ComparisonFact *f, const char *text, bool known, double value)
{
	if (f->kind == NUMBER_NAME)
		return json_part_text(text);
	if (!known)
		return json_null();
	if (f->kind == NUMBER_PERCENT || value != floor(value))
		return f->kind == NUMBER_NS || f->kind == NUMBER_BYTES || f->kind == NUMBER_RATE
			       ? json_integer(llround(value))
			       : json_real(round(value * 1000) / 1000);
	return json_integer(llround(value));
}

static json_t *facts_json(const Comparison *c)
{
	ComparisonFact list[COMPARISON_FACTS_MAX];
	size_t count = comparison_facts(c, list);
	json_t *ret = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *entry = json_object();

		put(entry, "fact", json_string(list[i].id));
		put(entry, "a", fact_side(&list[i], list[i].a_text, list[i].a_known, list[i].a));
		put(entry, "b", fact_side(&list[i], list[i].b_text, list[i].b_known, list[i].b));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *cause_list(const GPtrArray *list)
{
	json_t *ret = json_array();

	for (guint i = 0; i < list->len; i++) {
		const ComparandFinding *f = list->pdata[i];
		json_t *entry = json_object();

		put(entry, "cause", json_part_text(f->cause));
		put(entry, "title", json_part_text(f->title ? f->title : f->cause));
		put(entry, "severity", json_string(wording_severity(f->severity)));
		put(entry, "lost_ns", ns_json(f->lost_ns));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *causes_json(const Comparison *c)
{
	json_t *ret = json_object();

	put(ret, "new", cause_list(c->came));
	put(ret, "gone", cause_list(c->gone));
	put(ret, "kept", cause_list(c->kept));
	return ret;
}

static json_t *predictions_json(const Comparison *c)
{
	static const char *const outcomes[] = {[PREDICTION_WITHIN] = "within",
		[PREDICTION_EXCEEDED] = "exceeded",
		[PREDICTION_MISSED] = "missed"};
	json_t *ret = json_array();

	for (guint i = 0; i < c->predictions->len; i++) {
		const ComparisonPrediction *p =
			&g_array_index(c->predictions, ComparisonPrediction, i);
		json_t *entry = json_object(), *rate = json_object(), *saved = json_object();

		put(rate, "low", rate_json(p->finding->predicted_bytes_per_s.low));
		put(rate, "high", rate_json(p->finding->predicted_bytes_per_s.high));
		put(saved, "low", ns_json(p->finding->saved_ns.low));
		put(saved, "high", ns_json(p->finding->saved_ns.high));
		put(entry, "cause", json_part_text(p->finding->cause));
		put(entry, "predicted_bytes_per_s", rate);
		put(entry, "measured_bytes_per_s", rate_json(p->measured_bytes_per_s));
		put(entry, "predicted_saved_ns", saved);
		put(entry, "measured_saved_ns", ns_json(p->measured_saved_ns));
		put(entry, "outcome", json_string(outcomes[p->outcome]));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *pair_json(const Comparison *c, const ComparisonPair *p)
{
	const ComparandTransfer *a = comparison_a(c, p), *b = comparison_b(c, p);
	json_t *ret = json_object();

	put(ret, "a", json_part_text(a ? a->id : NULL));
	put(ret, "b", json_part_text(b ? b->id : NULL));
	put(ret, "file", json_part_text(a ? a->file : b ? b->file : NULL));
	put(ret, "matched_by", json_string(matched_by_id(p->matched_by)));
	put(ret, "a_ns", a ? json_integer(a->duration_ns) : json_null());
	put(ret, "b_ns", b ? json_integer(b->duration_ns) : json_null());
	put(ret, "difference_ns",
		a && b ? json_integer(b->duration_ns - a->duration_ns) : json_null());
	put(ret, "buckets", buckets_json(a, b));
	return ret;
}

void compare_json(const Comparison *c, const ReportOptions *options, GString *out)
{
	json_t *root = json_object(), *inputs = json_array(), *pairs = json_array();
	const ComparisonPair *main = c->main >= 0 ? &c->pairs[c->main] : NULL;
	json_t *compared = json_object();
	char *text;

	json_array_append_new(inputs, input_json(c->a));
	json_array_append_new(inputs, input_json(c->b));
	for (size_t i = 0; i < c->pair_count; i++)
		json_array_append_new(pairs, pair_json(c, &c->pairs[i]));
	put(compared, "a", json_part_text(main ? comparison_a(c, main)->id : NULL));
	put(compared, "b", json_part_text(main ? comparison_b(c, main)->id : NULL));
	put(root, "schema", json_string("slowcopy.compare/1"));
	put(root, "tool", json_part_tool(options));
	put(root, "inputs", inputs);
	put(root, "compared", compared);
	put(root, "difference", difference_json(c));
	put(root, "buckets",
		main ? buckets_json(comparison_a(c, main), comparison_b(c, main)) : json_array());
	put(root, "facts", facts_json(c));
	put(root, "causes", causes_json(c));
	put(root, "predictions", predictions_json(c));
	put(root, "transfers", pairs);
	text = json_dumps(root, JSON_PARTS_DUMP | JSON_INDENT(1));
	if (text)
		g_string_append_printf(out, "%s\n", text);
	free(text);
	json_decref(root);
}
