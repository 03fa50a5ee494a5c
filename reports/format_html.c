/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as one HTML file: no request leaves it, scripts and styles run by their hash only, and
 * without scripts all but the graphs is there. Always below 2 MB.
 */
#include "reports/report.h"

#include <string.h>

#include "reports/assets.h"
#include "reports/escape.h"
#include "reports/html.h"
#include "reports/units.h"
#include "reports/wording.h"

#define TEXT_COLUMNS_MAX 400
#define FIXES_MAX 8
#define WARNINGS_MAX 12
#define INPUTS_MAX 20

void html_text(const HtmlPage *page, const char *text)
{
	g_autofree char *cut = text ? escape_cut(text, TEXT_COLUMNS_MAX, true) : NULL;
	g_autofree char *safe = cut ? escape_html(cut) : NULL;

	if (safe)
		fputs(safe, page->out);
}

void html_prose(const HtmlPage *page, const char *text)
{
	g_autofree char *cut = text ? escape_cut(text, TEXT_COLUMNS_MAX, true) : NULL;
	g_autofree char *safe = cut ? escape_html(cut) : NULL;
	const char *at = safe;
	bool inside = false;

	while (at && *at) {
		size_t len = strcspn(at, "`");

		fwrite(at, 1, len, page->out);
		at += len;
		if (*at != '`')
			break;
		at++;
		/* one alone is a backtick */
		if (!inside && !strchr(at, '`')) {
			fputc('`', page->out);
			continue;
		}
		fputs(inside ? "</code>" : "<code>", page->out);
		inside = !inside;
	}
}

const char *html_side(Bucket bucket)
{
	if (bucket == BUCKET_LINK)
		return "s-link";
	switch (bucket_side(bucket)) {
	case BUCKET_SIDE_NETWORK:
		return "s-network";
	case BUCKET_SIDE_CLIENT:
		return "s-client";
	case BUCKET_SIDE_SERVER:
		return "s-server";
	case BUCKET_SIDE_SENDER:
		return "s-sender";
	case BUCKET_SIDE_RECEIVER:
		return "s-receiver";
	case BUCKET_SIDE_CAPTURE:
		return "s-capture";
	case BUCKET_SIDE_PROTOCOL:
		return "s-protocol";
	}
	return "s-capture";
}

int html_tone(Bucket bucket)
{
	int tone = 0;

	for (int i = 0; i < (int)bucket; i++)
		tone += strcmp(html_side((Bucket)i), html_side(bucket)) == 0;
	return tone % HTML_TONES;
}

/** policy_hash: prints the source expression that allows exactly @text. */
static void policy_hash(const HtmlPage *page, const char *text)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	uint8_t digest[32];
	gsize len = sizeof digest;
	g_autofree char *base64 = NULL;

	g_checksum_update(checksum, (const guchar *)text, (gssize)strlen(text));
	g_checksum_get_digest(checksum, digest, &len);
	base64 = g_base64_encode(digest, len);
	fprintf(page->out, " 'sha256-%s'", base64);
}

static void head(const HtmlPage *page)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "base-uri 'none'; form-action 'none'; script-src",
		page->out);
	policy_hash(page, report_asset(ASSET_CHART_SCRIPT));
	policy_hash(page, report_asset(ASSET_SCRIPT));
	fputs("; style-src", page->out);
	policy_hash(page, report_asset(ASSET_CHART_STYLE));
	policy_hash(page, report_asset(ASSET_STYLE));
	fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>slowcopy report</title>\n",
		page->out);
	fprintf(page->out, "<style>%s</style>\n", report_asset(ASSET_CHART_STYLE));
	fprintf(page->out, "<style>%s</style>\n</head>\n", report_asset(ASSET_STYLE));
}

static void verdict(const HtmlPage *page)
{
	const Result *result = page->result;
	const ResultVerdict *v = &result->verdict;
	g_autofree char *text = wording_verdict(result, page->options);
	g_autofree char *capture = wording_capture(result);
	g_autoptr(GPtrArray) warnings = wording_warnings(result);
	int32_t at = v->finding;
	bool severe = at >= 0 && (size_t)at < result->finding_count &&
		      result->findings[at].severity >= SEVERITY_MAJOR;

	fprintf(page->out, "<header>\n<p class=\"tool\">slowcopy %s · ",
		page->options->version ? page->options->version : "");
	for (size_t i = 0; i < result->input_count && i < INPUTS_MAX; i++) {
		g_autofree char *name = escape_cut(result->inputs[i].path, 80, true);

		html_text(page, name);
		fputs(i + 1 < result->input_count ? ", " : " · ", page->out);
	}
	html_text(page, capture);
	fputs("</p>\n</header>\n<main>\n<section id=\"verdict\">\n", page->out);
	if (v->blame && v->cause) {
		fprintf(page->out, "<p class=\"blame %s\">limited by: ", severe ? "bad" : "warn");
		html_text(page, v->blame);
		fputs("</p>\n", page->out);
	} else if (wording_is_healthy(result)) {
		fputs("<p class=\"blame good\">nothing is wrong</p>\n", page->out);
	}
	fputs("<h1>", page->out);
	html_text(page, text);
	fputs("</h1>\n", page->out);
	for (guint i = 0; i < warnings->len && i < WARNINGS_MAX; i++) {
		fputs("<p class=\"note\">", page->out);
		html_text(page, g_ptr_array_index(warnings, i));
		fputs("</p>\n", page->out);
	}
}

static void fact(const HtmlPage *page, const char *name, const char *value)
{
	fprintf(page->out, "<div><dt>%s</dt><dd>", name);
	html_text(page, value);
	fputs("</dd></div>\n", page->out);
}

static void facts(const HtmlPage *page)
{
	const Result *result = page->result;
	const ResultVerdict *v = &result->verdict;
	const ResultTransfer *t = result_transfer(result, v->transfer);

	if (!t) {
		g_autofree char *seen = wording_seen(result);

		fputs("<p>Seen instead: ", page->out);
		html_text(page, seen);
		fputs("</p>\n</section>\n", page->out);
		return;
	}
	fputs("<dl class=\"facts\">\n", page->out);
	if (v->measured_bytes_per_s > 0)
		fact(page, "Measured", units_rate_both(v->measured_bytes_per_s).text);
	if (v->ceiling_formula)
		fact(page, "Ceiling", v->ceiling_formula);
	else if (v->ceiling_bytes_per_s > 0)
		fact(page, "Ceiling", units_rate_both(v->ceiling_bytes_per_s).text);
	if (t->capacity_proven && t->capacity_bytes_per_s > 0)
		fact(page, "The path carries", units_rate_both(t->capacity_bytes_per_s).text);
	if (t->rtt_ns != RESULT_UNKNOWN_NS)
		fact(page, "Round trip", units_duration(t->rtt_ns).text);
	if (v->predicted_bytes_per_s.high > 0)
		fact(page, "Without the cause", units_rate_range(v->predicted_bytes_per_s).text);
	if (v->cause)
		fact(page, "Confidence", wording_confidence(v->confidence));
	fputs("</dl>\n</section>\n", page->out);
}

/** budget_bar: the time as one bar; what it says is said again in the table below it. */
static void budget_bar(
	const HtmlPage *page, const ResultTransfer *t, const size_t *order, size_t count)
{
	double x = 0, whole = (double)MAX(t->duration_ns, 1);

	fputs("<svg class=\"budget\" viewBox=\"0 0 1000 40\" preserveAspectRatio=\"none\" "
	      "role=\"img\" aria-label=\"The time as a bar; the table below says the same\">\n",
		page->out);
	for (size_t i = 0; i < count; i++) {
		double width = (double)t->budget[order[i]].ns / whole * 1000;
		g_autofree char *title = wording_bucket(t, &t->budget[order[i]]);

		fprintf(page->out,
			"<rect class=\"%s t-%d\" x=\"%s\" y=\"0\" width=\"%s\" "
			"height=\"40\"><title>",
			html_side(t->budget[order[i]].bucket),
			html_tone(t->budget[order[i]].bucket), units_fixed(x, 2).text,
			units_fixed(width, 2).text);
		html_text(page, title);
		fprintf(page->out, " %s</title></rect>\n",
			units_share(t->budget[order[i]].ns, t->duration_ns).text);
		x += width;
	}
	fputs("</svg>\n", page->out);
}

static void budget(const HtmlPage *page)
{
	const ResultTransfer *t = result_transfer(page->result, page->result->verdict.transfer);
	size_t order[BUCKET_COUNT];
	size_t count = t ? wording_budget_order(t, order) : 0;

	if (count == 0)
		return;
	fprintf(page->out, "<section><h2>Where the time went: %s</h2>\n",
		units_duration(t->duration_ns).text);
	budget_bar(page, t, order, count);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Time by kind\">"
	      "<table class=\"sortable\"><thead><tr><th scope=\"col\">Kind</th><th scope=\"col\" "
	      "class=\"n\">Time</th><th scope=\"col\" class=\"n\">Share</th></tr></thead><tbody>\n",
		page->out);
	for (size_t i = 0; i < count; i++) {
		const ResultBucket *bucket = &t->budget[order[i]];
		g_autofree char *title = wording_bucket(t, bucket);

		fprintf(page->out,
			"<tr><td><svg class=\"swatch %s t-%d\" viewBox=\"0 0 1 1\" "
			"aria-hidden=\"true\">"
			"<rect width=\"1\" height=\"1\"/></svg>",
			html_side(bucket->bucket), html_tone(bucket->bucket));
		html_text(page, title);
		fprintf(page->out,
			"</td><td class=\"n\" data-value=\"%lld\">%s</td><td class=\"n\" "
			"data-value=\"%lld\">",
			(long long)bucket->ns, units_duration(bucket->ns).text,
			(long long)bucket->ns);
		html_text(page, units_share(bucket->ns, t->duration_ns).text);
		fputs("</td></tr>\n", page->out);
	}
	fputs("</tbody></table></div></section>\n", page->out);
}

static void fixes(const HtmlPage *page)
{
	const Result *result = page->result;
	g_autofree char *in_order =
		wording_fixes_in_order(result, result_transfer(result, result->verdict.transfer));
	g_autofree char *ruled_out = wording_ruled_out(result, SIZE_MAX);
	int shown = 0;

	for (size_t i = 0; i < result->finding_count && shown < FIXES_MAX; i++) {
		const ResultFinding *f = &result->findings[i];
		g_autofree char *fix = NULL;

		if (!wording_is_fix(result, f))
			continue;
		fix = wording_fix(result, f);
		if (shown++ == 0)
			fputs("<section><h2>What would help</h2>\n<ol class=\"fixes\">\n",
				page->out);
		fputs("<li>", page->out);
		html_text(page, fix);
		fprintf(page->out, " <a href=\"#%s\">%s</a></li>\n", f->id, f->id);
	}
	if (shown > 0)
		fputs("</ol>", page->out);
	if (shown > 0 && in_order) {
		fputs("\n<p>One after the other: ", page->out);
		html_text(page, in_order);
		fputs("</p>", page->out);
	}
	if (shown > 0)
		fputs("</section>\n", page->out);
	if (ruled_out) {
		fputs("<section><h2>Ruled out</h2>\n<p>", page->out);
		html_text(page, ruled_out);
		fputs("</p></section>\n", page->out);
	}
}

/** plot: the place of one graph. */
static void plot(const HtmlPage *page, const char *id, const char *title)
{
	fprintf(page->out,
		"<div class=\"plot\" id=\"plot-%s\"><h3>%s</h3><div class=\"chart\" "
		"id=\"chart-%s\" "
		"role=\"img\" aria-label=\"%s over time\"></div><div class=\"legend\" "
		"id=\"legend-%s\"></div></div>\n",
		id, title, id, title, id);
}

static void graphs(const HtmlPage *page)
{
	if (page->graphed_count == 0)
		return;
	fputs("<noscript><p class=\"note\">The graphs need scripts; every number behind the "
	      "verdict "
	      "is in the text and tables of this page.</p></noscript>\n"
	      "<section id=\"graphs\" hidden><h2>Graphs</h2>\n<p id=\"graph-title\"></p>\n"
	      "<div class=\"controls\"><label>Copy <select id=\"copy\"></select></label>"
	      "<button type=\"button\" id=\"zoom-in\">Zoom in</button>"
	      "<button type=\"button\" id=\"zoom-out\">Zoom out</button>"
	      "<button type=\"button\" id=\"earlier\">Earlier</button>"
	      "<button type=\"button\" id=\"later\">Later</button>"
	      "<button type=\"button\" id=\"all\">Whole copy</button></div>\n"
	      "<p class=\"faint\">All graphs show <span id=\"range\" aria-live=\"polite\"></span> "
	      "since the capture began. Drag over a graph to zoom, double-click for the whole "
	      "copy.</p>\n",
		page->out);
	plot(page, "throughput", "Throughput, on the kind of time that was most");
	plot(page, "window", "Bytes in flight and receive window");
	plot(page, "rtt", "Round-trip time");
	plot(page, "sequence", "Time-sequence graph");
	fputs("<div class=\"plot\" id=\"plot-waterfall\"><h3>Requests: waiting, then answering, "
	      "with "
	      "the place in the file</h3><canvas class=\"waterfall\" id=\"chart-waterfall\" "
	      "role=\"img\" aria-label=\"Requests as bars over time\"></canvas><div "
	      "class=\"legend\">"
	      "<span><svg class=\"swatch p-2\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect "
	      "width=\"1\" height=\"1\"/></svg>waiting for the first byte</span><span><svg "
	      "class=\"swatch p-1\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect width=\"1\" "
	      "height=\"1\"/></svg>answer arriving</span><span id=\"text-waterfall\"></span></div>"
	      "</div>\n",
		page->out);
	plot(page, "response", "Response time of requests");
	fputs("</section>\n", page->out);
}

static void foot(const HtmlPage *page)
{
	const ReportOptions *o = page->options;

	fputs("</main>\n<footer>\n<p class=\"faint\">", page->out);
	if (o->command_line) {
		fputs("<code>", page->out);
		html_text(page, o->command_line);
		fputs("</code> · ", page->out);
	}
	fprintf(page->out, "capture grade %c · %s</p>\n",
		page->result->capture.grade ? page->result->capture.grade : '?',
		o->redact ? "names and addresses are pseudonyms"
			  : "not redacted: names and addresses are real");
	fprintf(page->out, "<details><summary class=\"faint\">Licence of the chart library "
			   "dygraphs</summary><pre>");
	/* escaped by the Makefile, so that the check of redacted reports knows it as ours */
	fputs(report_asset(ASSET_CHART_COPYRIGHT), page->out);
	fputs("</pre></details>\n</footer>\n", page->out);
}

static bool html_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	HtmlPage page = {.out = out, .result = result, .options = options};

	(void)error;
	html_choose_graphs(&page);
	head(&page);
	fputs("<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n", out);
	verdict(&page);
	facts(&page);
	budget(&page);
	fixes(&page);
	graphs(&page);
	html_findings(&page);
	html_tables(&page);
	foot(&page);
	if (page.graphed_count > 0) {
		fputs("<script type=\"application/json\" id=\"data\">", out);
		html_data(&page);
		fprintf(out, "</script>\n<script>%s</script>\n", report_asset(ASSET_CHART_SCRIPT));
	}
	fprintf(out, "<script>%s</script>\n</body>\n</html>\n", report_asset(ASSET_SCRIPT));
	return true;
}

const ReportFormat format_html = {
	.name = "html",
	.suffix = ".html",
	.summary = "one file with graphs, for a browser",
	.needs = REPORT_IS_SHARED,
	.write = html_write,
};
