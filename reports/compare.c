/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of compare.h: words that the formats share, pseudonyms, and where bytes go.
 */
#include "reports/compare.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/pseudonym.h"
#include "reports/redact.h"

/* ---- words */

char *compare_subject(const ComparandTransfer *t)
{
	g_autofree char *what = NULL, *protocol = NULL;
	const char *name = t->file;

	for (const char *p = name; p && *p; p++) {
		if ((*p == '\\' || *p == '/') && p[1])
			name = p + 1;
	}
	if (t->is_job && t->files == 0)
		what = g_strdup("unnamed files");
	else if (t->is_job)
		what = g_strdup_printf(
			"%s file%s", units_count(t->files).text, t->files == 1 ? "" : "s");
	else
		what = name && *name ? escape_cut(name, 60, true) : g_strdup("an unnamed file");
	if (strcmp(t->protocol, "smb2") == 0)
		protocol = g_strdup_printf(t->dialect ? "SMB %s" : "SMB2", t->dialect);
	else
		protocol = g_strdup(strcmp(t->protocol, "smb1") == 0       ? "SMB1"
				    : g_str_has_prefix(t->protocol, "ftp") ? "FTP"
									   : "TCP");
	return g_strdup_printf("%s (%s %s, %s)", what, protocol, t->is_write ? "write" : "read",
		units_size(t->bytes).text);
}

double compare_rate(const ComparandTransfer *t)
{
	return t->duration_ns > 0 ? (double)t->bytes * 1e9 / (double)t->duration_ns : 0;
}

const char *compare_bucket_title(size_t bucket)
{
	return bucket < BUCKET_COUNT ? bucket_title((Bucket)bucket) : "kinds of a newer report";
}

const char *compare_bucket_id(size_t bucket)
{
	return bucket < BUCKET_COUNT ? bucket_id((Bucket)bucket) : "unknown";
}

UnitText compare_delta(int64_t ns)
{
	UnitText text = units_duration(ns), ret;

	if (ns <= 0)
		return text;
	g_snprintf(ret.text, sizeof ret.text, "+%.40s", text.text);
	return ret;
}

size_t compare_bucket_order(
	const ComparandTransfer *a, const ComparandTransfer *b, size_t ret[COMPARAND_BUCKETS])
{
	size_t count = 0;

	for (size_t i = 0; i < COMPARAND_BUCKETS; i++) {
		int64_t delta = llabs(b->bucket_ns[i] - a->bucket_ns[i]);
		size_t at = count;

		if (a->bucket_ns[i] == 0 && b->bucket_ns[i] == 0)
			continue;
		while (at > 0 &&
			llabs(b->bucket_ns[ret[at - 1]] - a->bucket_ns[ret[at - 1]]) < delta) {
			ret[at] = ret[at - 1];
			at--;
		}
		ret[at] = i;
		count++;
	}
	return count;
}

/** outcome_words: "B took 560 ms less than A (1.1 s, now 490 ms): 2.2 times as fast". */
static void outcome_words(const Comparison *c, GString *out)
{
	const ComparandTransfer *a = comparison_a(c, &c->pairs[c->main]);
	const ComparandTransfer *b = comparison_b(c, &c->pairs[c->main]);
	UnitText before = units_duration(a->duration_ns), after = units_duration(b->duration_ns);
	UnitText old_rate = units_rate(compare_rate(a)), new_rate = units_rate(compare_rate(b));

	if (c->outcome == COMPARISON_SAME && c->sizes_differ)
		g_string_append_printf(
			out, "B is as fast as A: %s and %s.", new_rate.text, old_rate.text);
	else if (c->outcome == COMPARISON_SAME)
		g_string_append_printf(
			out, "B took as long as A: %s and %s.", after.text, before.text);
	else if (c->sizes_differ)
		g_string_append_printf(out,
			"The copies differ in size, so their rates are compared: B is %s than A, "
			"%s instead of %s.",
			c->outcome == COMPARISON_FASTER ? "faster" : "slower", new_rate.text,
			old_rate.text);
	else
		g_string_append_printf(out,
			"B took %s %s than A: %s instead of %s (%s instead of "
			"%s).",
			units_duration(llabs(c->difference_ns)).text,
			c->outcome == COMPARISON_FASTER ? "less" : "longer", after.text,
			before.text, new_rate.text, old_rate.text);
}

/** bucket_words: " Most of the difference, 98 %, is round trips." */
static void bucket_words(const Comparison *c, GString *out)
{
	double share = c->bucket_share > 1 ? 1 : c->bucket_share;
	const char *title = compare_bucket_title((size_t)MAX(c->bucket, 0));

	if (c->outcome == COMPARISON_SAME || c->bucket < 0)
		return;
	if (share >= 0.5)
		g_string_append_printf(out, " %s of the difference is time of the kind \"%s\".",
			share >= 0.995 ? "All" : units_percent(share * 100).text, title);
	else
		g_string_append_printf(out,
			" It is spread over several kinds of time; \"%s\" is the largest part, %s.",
			title, units_percent(share * 100).text);
}

static bool is_listed(const GPtrArray *list, const ComparandFinding *finding)
{
	for (guint i = 0; i < list->len; i++) {
		if (list->pdata[i] == finding)
			return true;
	}
	return false;
}

char *compare_sentence(const Comparison *c)
{
	GString *out = g_string_new(NULL);

	if (c->main < 0) {
		g_string_append(out, "There is no copy that is in both, so there is nothing to "
				     "compare.");
		return g_string_free(out, FALSE);
	}
	outcome_words(c, out);
	bucket_words(c, out);
	if (c->cause)
		g_string_append_printf(out, " The cause %s %s: %s.", c->cause->cause,
			is_listed(c->gone, c->cause)      ? "is gone"
			: is_listed(c->came, c->cause)    ? "is new"
			: c->outcome == COMPARISON_FASTER ? "costs less than before"
							  : "costs more than before",
			c->cause->title ? c->cause->title : c->cause->cause);
	return g_string_free(out, FALSE);
}

GPtrArray *compare_notes(const Comparison *c)
{
	GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);
	const Comparand *const sides[] = {c->a, c->b};

	for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
		char name = (char)('A' + i);

		if (sides[i]->is_partial)
			g_ptr_array_add(
				ret, g_strdup_printf("%c could be read only in part", name));
		if (sides[i]->grade >= 'C')
			g_ptr_array_add(ret, g_strdup_printf("the capture of %c has grade %c: its "
							     "times are less certain",
						     name, sides[i]->grade));
	}
	if (c->main >= 0 && c->pairs[c->main].matched_by == MATCHED_BY_VERDICT)
		g_ptr_array_add(
			ret, g_strdup("no copy is in both, so those that the verdicts speak "
				      "of are compared; is it the same work?"));
	else if (c->main >= 0 && c->pairs[c->main].matched_by >= MATCHED_BY_SIZE)
		g_ptr_array_add(ret, g_strdup("the copies were matched by size or number, not by "
					      "name; is it the same file?"));
	return ret;
}

char *compare_prediction(const ComparisonPrediction *p)
{
	const char *words = p->outcome == PREDICTION_WITHIN     ? "as predicted"
			    : p->outcome == PREDICTION_EXCEEDED ? "better than predicted"
								: "less than predicted";

	return g_strdup_printf("%s: %s without it, measured %s: %s", p->finding->cause,
		units_rate_range(p->finding->predicted_bytes_per_s).text,
		units_rate(p->measured_bytes_per_s).text, words);
}

/** fact_value: one side of a fact. */
static UnitText fact_value(const ComparisonFact *f, bool known, double value)
{
	ResultNumber number = {.kind = f->kind, .value = value};
	UnitText unknown = {.text = "unknown"};

	if (!known)
		return unknown;
	if (strcmp(f->id, "bytes") == 0)
		return units_size((uint64_t)value);
	return units_number(&number);
}

char *compare_fact(const ComparisonFact *f)
{
	if (f->kind == NUMBER_NAME)
		return g_strdup_printf("%s: %s → %s", f->label, f->a_text ? f->a_text : "unknown",
			f->b_text ? f->b_text : "unknown");
	return g_strdup_printf("%s: %s → %s", f->label, fact_value(f, f->a_known, f->a).text,
		fact_value(f, f->b_known, f->b).text);
}

/* ---- pseudonyms */

/** split_endpoint: the address in "10.0.0.2:445" or "[::1]:445"; returns where the port begins,
 * NULL when there is no address, as in a report that was redacted before. */
static const char *split_endpoint(const char *text, uint8_t ret[16])
{
	const char *colon = strrchr(text, ':');
	g_autofree char *host = colon ? g_strndup(text, (gsize)(colon - text)) : g_strdup(text);
	size_t len = strlen(host);

	memset(ret, 0, 16);
	ret[10] = ret[11] = 0xff;
	if (inet_pton(AF_INET, host, ret + 12) == 1)
		return colon ? colon : "";
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, ret) == 1)
			return colon ? colon : "";
	}
	return NULL;
}

static void know_side(Pseudonyms *names, const Comparand *c)
{
	uint8_t address[16];

	for (size_t i = 0; i < c->transfer_count && !c->is_redacted; i++) {
		if (split_endpoint(c->transfers[i].client, address))
			pseudonyms_know_address(names, address, PSEUDONYM_CLIENT);
		if (split_endpoint(c->transfers[i].server, address))
			pseudonyms_know_address(names, address, PSEUDONYM_SERVER);
	}
}

static const char *hide_endpoint(Pseudonyms *names, const char *text, GPtrArray *texts)
{
	uint8_t address[16], pseudonym[16];
	const char *port = split_endpoint(text, address);
	char *ret;

	if (!port)
		return pseudonyms_prose(names, text);
	pseudonyms_address(names, address, pseudonym);
	ret = g_strconcat(pseudonyms_host(names, pseudonym), port, NULL);
	g_ptr_array_add(texts, ret);
	return ret;
}

/** hide_side: all text of a side that is not an id of ours. */
static void hide_side(Pseudonyms *names, Comparand *c, GPtrArray *texts)
{
	uint8_t server[16];

	c->path = pseudonyms_capture(names, c->path);
	/* pseudonyms of pseudonyms would be taken for names that got through */
	if (c->is_redacted)
		return;
	for (size_t i = 0; i < c->transfer_count; i++) {
		ComparandTransfer *t = &c->transfers[i];

		if (!split_endpoint(t->server, server))
			memset(server, 0, sizeof server);
		t->share = pseudonyms_share(names, t->share, server);
		t->file = pseudonyms_file(names, t->file);
		t->client = hide_endpoint(names, t->client, texts);
		t->server = hide_endpoint(names, t->server, texts);
		t->id = pseudonyms_prose(names, t->id);
		t->protocol = pseudonyms_prose(names, t->protocol);
		t->dialect = pseudonyms_prose(names, t->dialect);
		t->transport = pseudonyms_prose(names, t->transport);
	}
	for (size_t i = 0; i < c->finding_count; i++) {
		c->findings[i].cause = pseudonyms_prose(names, c->findings[i].cause);
		c->findings[i].title = pseudonyms_prose(names, c->findings[i].title);
	}
}

/* ---- output */

char *compare_render(const Comparison *c, CompareFormat format, const ReportOptions *options)
{
	GString *out = g_string_new(NULL);

	switch (format) {
	case COMPARE_TEXT:
		compare_text(c, options, out);
		break;
	case COMPARE_MARKDOWN:
		compare_markdown(c, options, out);
		break;
	case COMPARE_JSON:
		compare_json(c, options, out);
		break;
	}
	return g_string_free(out, FALSE);
}

bool compare_write(
	Comparison *c, CompareFormat format, const ReportOptions *options, GError **error)
{
	g_autoptr(Pseudonyms) names = options->redact ? pseudonyms_new() : NULL;
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = NULL, *command = NULL;
	ReportOptions shown = *options;
	const char *found;

	if (names) {
		know_side(names, c->a);
		know_side(names, c->b);
		hide_side(names, c->a, texts);
		hide_side(names, c->b, texts);
		command = redact_command_line(names, options->command_line);
		shown.command_line = command;
		shown.option_count = 0;
	}
	text = compare_render(c, format, &shown);
	found = names ? pseudonyms_find_original(names, text, strlen(text)) : NULL;
	if (found) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_REFUSED,
			"the report would hold the name behind %s, so it is not written; this is "
			"an error in slowcopy, please report it",
			found);
		return false;
	}
	return report_print(text, strlen(text), error);
}
