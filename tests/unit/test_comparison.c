/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparison.c, comparand*.c and compare*.c: what matches, what explains a difference, saved
 * reports read back, and the reports of it byte for byte (tests/golden/reports/compare.*).
 */
#include <locale.h>
#include <string.h>

#include <criterion/criterion.h>
#include <glib.h>
#include <jansson.h>

#include "reports/compare.h"
#include "tests/tools/sample_result.h"

#define FOLDER "tests/golden/reports"
#define MS INT64_C(1000000)

TestSuite(comparison, .timeout = 60);

/** Case: a comparand whose parts a test sets. */
typedef struct Case {
	Comparand c;
	ComparandTransfer transfers[4];
	ComparandFinding findings[4];
} Case;

static const uint32_t first_finding[] = {0};

static void side_init(Case *s, const char *file, uint64_t bytes, int64_t ms)
{
	*s = (Case){.c = {.path = "x.pcap", .grade = 'A', .main = 0, .transfer_count = 1}};
	s->c.transfers = s->transfers;
	s->c.findings = s->findings;
	s->transfers[0] = (ComparandTransfer){.id = "T1",
		.protocol = "smb2",
		.file = file,
		.client = "10.0.0.2:40000",
		.server = "10.0.0.9:445",
		.files = 1,
		.bytes = bytes,
		.duration_ns = ms * MS,
		.rtt_ns = 5 * MS};
	s->transfers[0].bucket_ns[BUCKET_LINK] = 100 * MS;
	s->transfers[0].bucket_ns[BUCKET_ROUND_TRIP] = (ms - 100) * MS;
}

static void side_find(Case *s, const char *cause, int64_t lost_ms, double low, double high)
{
	s->findings[0] = (ComparandFinding){.cause = cause,
		.title = cause,
		.severity = SEVERITY_MAJOR,
		.confidence = CONFIDENCE_HIGH,
		.lost_ns = lost_ms * MS,
		.predicted_bytes_per_s = {low, high}};
	s->c.finding_count = 1;
	s->transfers[0].findings = first_finding;
	s->transfers[0].finding_count = 1;
}

Test(comparison, outcome_bucket_cause_and_prediction)
{
	Case a, b;
	side_init(&a, "\\big.bin", 10000000, 1100);
	side_init(&b, "\\big.bin", 10000000, 300);
	side_find(&a, "smb-serial-requests", 900, 30e6, 40e6);
	g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
	cr_assert_eq(c->matched_count, 1);
	cr_assert_eq(c->pairs[0].matched_by, MATCHED_BY_FILE);
	cr_assert_eq(c->outcome, COMPARISON_FASTER);
	cr_assert_eq(c->difference_ns, -800 * MS);
	cr_assert_eq(c->bucket, BUCKET_ROUND_TRIP);
	cr_assert_float_eq(c->bucket_share, 1, 1e-9);
	cr_assert_eq(c->cause, &a.findings[0]);
	cr_assert_eq(c->confidence, CONFIDENCE_HIGH);
	cr_assert_eq(c->gone->len, 1);
	cr_assert_eq(c->predictions->len, 1);
	const ComparisonPrediction *p = &g_array_index(c->predictions, ComparisonPrediction, 0);
	cr_assert_eq(p->outcome, PREDICTION_WITHIN);
	cr_assert_eq(p->measured_saved_ns, 800 * MS);
	/* the other way round: slower, and the cause is new */
	g_autoptr(Comparison) back = comparison_new(&b.c, &a.c);
	cr_assert_eq(back->outcome, COMPARISON_SLOWER);
	cr_assert_eq(back->difference_ns, 800 * MS);
	cr_assert_eq(back->cause, &a.findings[0]);
	cr_assert_eq(back->came->len, 1);
	cr_assert_eq(back->predictions->len, 0);
}

Test(comparison, predictions_that_fail)
{
	const struct {
		double low, high;
		PredictionOutcome outcome;
	} cases[] = {{50e6, 60e6, PREDICTION_MISSED}, {36e6, 60e6, PREDICTION_WITHIN},
		{10e6, 29e6, PREDICTION_EXCEEDED}, {10e6, 31e6, PREDICTION_WITHIN}};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Case a, b;
		side_init(&a, "f", 10000000, 1100);
		side_init(&b, "f", 10000000, 300); /* 33.3 MB/s */
		side_find(&a, "smb-serial-requests", 900, cases[i].low, cases[i].high);
		g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
		cr_expect_eq(g_array_index(c->predictions, ComparisonPrediction, 0).outcome,
			cases[i].outcome, "case %zu", i);
	}
}

Test(comparison, the_same_and_nearly_so)
{
	const struct {
		int64_t a_ms, b_ms;
		ComparisonOutcome outcome;
		Confidence confidence;
	} cases[] = {{1000, 1000, COMPARISON_SAME, CONFIDENCE_HIGH},
		{1000, 1029, COMPARISON_SAME, CONFIDENCE_HIGH},
		{10000, 11000, COMPARISON_SLOWER, CONFIDENCE_MEDIUM},
		/* a tenth of a second is within what two runs differ by */
		{1000, 1090, COMPARISON_SLOWER, CONFIDENCE_LOW},
		{200, 150, COMPARISON_FASTER, CONFIDENCE_LOW}};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		Case a, b;
		side_init(&a, "f", 10000000, cases[i].a_ms);
		side_init(&b, "f", 10000000, cases[i].b_ms);
		g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
		cr_expect_eq(c->outcome, cases[i].outcome, "case %zu", i);
		cr_expect_eq(c->confidence, cases[i].confidence, "case %zu", i);
	}
}

Test(comparison, other_sizes_are_compared_by_rate)
{
	Case a, b;
	side_init(&a, "f", 10000000, 1000);
	side_init(&b, "f", 30000000, 2000);
	g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
	cr_assert(c->sizes_differ);
	cr_assert_eq(c->outcome, COMPARISON_FASTER);
	cr_assert_eq(c->difference_ns, 1000 * MS);
	cr_assert_eq(c->confidence, CONFIDENCE_LOW);
	/* nothing moved on one side: no rate, and no division by it */
	b.transfers[0].bytes = 0;
	g_autoptr(Comparison) nothing = comparison_new(&a.c, &b.c);
	cr_assert_not(nothing->sizes_differ);
}

Test(comparison, matching)
{
	Case a, b;
	side_init(&a, "\\dir\\big.bin", 10000000, 1000);
	side_init(&b, "\\else\\big.bin", 10000000, 1000);
	const struct {
		const char *a, *b;
		uint64_t a_bytes, b_bytes;
		bool b_is_write, b_is_job;
		MatchedBy by;
	} cases[] = {{"\\d\\x", "\\d\\x", 5, 6, false, false, MATCHED_BY_FILE},
		{"\\d\\x", "/e/x", 5, 6, false, false, MATCHED_BY_NAME},
		{"\\d\\x", "\\d\\y", 5, 5, false, false, MATCHED_BY_SIZE},
		{NULL, NULL, 5, 6, false, false, MATCHED_BY_ONLY},
		/* another direction is other work; only the verdicts tie them */
		{"\\d\\x", "\\d\\x", 5, 5, true, false, MATCHED_BY_VERDICT},
		{"\\d\\x", NULL, 5, 5, false, true, MATCHED_BY_VERDICT}};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		a.transfers[0].file = cases[i].a;
		b.transfers[0].file = cases[i].b;
		a.transfers[0].bytes = cases[i].a_bytes;
		b.transfers[0].bytes = cases[i].b_bytes;
		b.transfers[0].is_write = cases[i].b_is_write;
		b.transfers[0].is_job = cases[i].b_is_job;
		g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
		cr_assert_eq(c->matched_count, 1, "case %zu", i);
		cr_expect_eq(c->pairs[0].matched_by, cases[i].by, "case %zu", i);
	}
}

Test(comparison, some_are_on_one_side_only)
{
	Case a, b;
	side_init(&a, "x", 5, 1000);
	side_init(&b, "y", 7, 1000);
	a.transfers[1] = a.transfers[2] = a.transfers[0];
	a.transfers[1].file = "y";
	a.transfers[1].bytes = 7;
	a.c.transfer_count = 3;
	a.c.main = -1;
	g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
	cr_assert_eq(c->pair_count, 3);
	cr_assert_eq(c->matched_count, 1);
	cr_assert_eq(c->pairs[0].a, 1);
	cr_assert_eq(c->main, 0);
	/* nothing at all */
	b.c.transfer_count = 0;
	b.c.main = -1;
	g_autoptr(Comparison) none = comparison_new(&a.c, &b.c);
	cr_assert_eq(none->main, -1);
	cr_assert_eq(none->outcome, COMPARISON_NONE);
	ReportOptions options = {.unicode = true};
	for (int f = COMPARE_TEXT; f <= COMPARE_JSON; f++) {
		g_autofree char *text = compare_render(none, (CompareFormat)f, &options);
		cr_assert(strstr(text, "nothing to compare"), "%s", text);
	}
}

/* Pseudonyms of two reports have nothing to do with each other. */
Test(comparison, redacted_reports_match_by_size)
{
	Case a, b;
	side_init(&a, "file-0001.bin", 10000000, 1000);
	side_init(&b, "file-0001.bin", 10000000, 1000);
	b.transfers[0].client = "10.0.0.3:1";
	a.c.is_redacted = true;
	g_autoptr(Comparison) c = comparison_new(&a.c, &b.c);
	cr_assert_eq(c->pairs[0].matched_by, MATCHED_BY_SIZE);
	ComparisonFact facts[COMPARISON_FACTS_MAX];
	cr_assert_eq(comparison_facts(c, facts), 0);
}

/** saved: the JSON report of a sample. */
static char *saved(const char *name)
{
	g_autofree char *folder = g_dir_make_tmp("slowcopy-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "r.json", NULL);
	char *text = NULL;
	cr_assert(report_write_file(
		report_format_find("json"), sample_result(name), &(ReportOptions){0}, path, NULL));
	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	remove(path);
	remove(folder);
	return text;
}

/* A saved report says of a result what the result itself says. */
Test(comparison, saved_reports_are_as_good_as_results)
{
	ReportOptions options = {.unicode = true};
	for (size_t i = 0; sample_result_names[i]; i++) {
		/* made to mean harm, its budgets do not add up */
		if (strcmp(sample_result_names[i], "hostile") == 0)
			continue;
		g_autofree char *text = saved(sample_result_names[i]);
		g_autoptr(GError) error = NULL;
		g_autoptr(Comparand) read = comparand_parse_json(text, strlen(text), "p", &error);
		cr_assert_not_null(
			read, "%s: %s", sample_result_names[i], error ? error->message : "");
		g_autoptr(Comparand) direct =
			comparand_from_result(sample_result(sample_result_names[i]), "p");
		g_autoptr(Comparison) same = comparison_new(direct, read);
		cr_assert_eq(same->difference_ns, 0);
		ComparisonFact facts[COMPARISON_FACTS_MAX];
		cr_assert_eq(comparison_facts(same, facts), 0, "%s: %s differs",
			sample_result_names[i], facts[0].id);
		cr_assert_eq(same->came->len + same->gone->len, 0);
		g_autoptr(Comparison) self = comparison_new(direct, direct);
		g_autofree char *one = compare_render(self, COMPARE_JSON, &options);
		g_autofree char *two = compare_render(same, COMPARE_JSON, &options);
		cr_assert_str_eq(one, two, "%s", sample_result_names[i]);
	}
}

/* Whatever a file says, it is refused or read; every prefix and many changed bytes. */
Test(comparison, damaged_reports)
{
	g_autofree char *text = saved("slow-read");
	size_t len = strlen(text);
	for (size_t cut = 0; cut + 1 < len; cut += 7) {
		g_autofree char *copy = g_memdup2(text, cut + 1);
		g_autoptr(GError) error = NULL;
		g_autoptr(Comparand) c = comparand_parse_json(copy, cut, "p", &error);
		cr_assert(!c && error, "cut at %zu", cut);
	}
	for (size_t at = 0; at < len; at += 5) {
		g_autofree char *copy = g_strdup(text);
		g_autoptr(GError) error = NULL;
		copy[at] = copy[at] == '9' ? '-' : '9';
		g_autoptr(Comparand) c = comparand_parse_json(copy, len, "p", &error);
		if (!c)
			continue;
		g_autoptr(Comparison) self = comparison_new(c, c);
		for (int f = COMPARE_TEXT; f <= COMPARE_JSON; f++)
			g_free(compare_render(self, (CompareFormat)f, &(ReportOptions){0}));
	}
	const char *const wrong[] = {"", "{", "[]", "{}", "null", "\"x\"", "{\"schema\": 1}",
		"{\"schema\": \"slowcopy.report/1\", \"transfers\": [{}]}",
		"{\"schema\": \"slowcopy.report/1\", \"transfers\": [[1], 2]}",
		"{\"schema\": \"slowcopy.report/1\", \"findings\": [1]}",
		"{\"schema\": \"slowcopy.report/2\"}"};
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;
		cr_assert_null(comparand_parse_json(wrong[i], strlen(wrong[i]), "p", &error), "%s",
			wrong[i]);
		cr_assert_not_null(error);
	}
}

/* A budget that does not add up is no report of ours. */
Test(comparison, budgets_must_add_up)
{
	g_autofree char *text = saved("slow-read");
	char *at = strstr(text, "\"duration_ns\": ");
	at = strstr(strstr(text, "\"transfers\""), "\"duration_ns\": ") +
	     strlen("\"duration_ns\": ");
	*at = *at == '1' ? '2' : '1';
	g_autoptr(GError) error = NULL;
	cr_assert_null(comparand_parse_json(text, strlen(text), "p", &error));
	cr_assert(strstr(error->message, "does not add up"), "%s", error->message);
}

/** golden: @text is what FOLDER/@name holds. */
static void golden(const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(FOLDER, name, NULL);
	g_autofree char *want = NULL;
	if (g_getenv("SLOWCOPY_GOLDEN_UPDATE")) {
		cr_assert(g_file_set_contents(path, text, -1, NULL));
		return;
	}
	cr_assert(g_file_get_contents(path, &want, NULL, NULL), "%s is missing", path);
	cr_expect_str_eq(text, want, "%s", path);
}

/** faster: slow-read as it may look when its cause is gone. */
static Comparand *faster(void)
{
	Comparand *c = comparand_from_result(sample_result("slow-read"), "after/capture.pcap");
	ComparandTransfer *t = &c->transfers[0];
	int64_t less = t->bucket_ns[BUCKET_ROUND_TRIP] / 10 * 9;
	t->bucket_ns[BUCKET_ROUND_TRIP] -= less;
	t->duration_ns -= less;
	t->requests_in_flight = 7.8;
	t->is_signed = !t->is_signed;
	t->finding_count = 0;
	return c;
}

Test(comparison, reports_byte_for_byte)
{
	const struct {
		CompareFormat format;
		const char *file;
		ReportOptions options;
	} cases[] = {{COMPARE_TEXT, "compare.txt", {.unicode = true}},
		{COMPARE_TEXT, "compare.ascii.txt", {.columns = 50}},
		{COMPARE_TEXT, "compare.v.txt", {.unicode = true, .verbosity = 1}},
		{COMPARE_TEXT, "compare.q.txt", {.unicode = true, .verbosity = -1}},
		{COMPARE_MARKDOWN, "compare.md", {.command_line = "slowcopy compare a b"}},
		{COMPARE_JSON, "compare.json", {.version = "0.1.0"}}};
	setlocale(LC_CTYPE, "C.UTF-8");
	g_autoptr(Comparand) a =
		comparand_from_result(sample_result("slow-read"), "before/capture.pcap");
	g_autoptr(Comparand) b = faster();
	g_autoptr(Comparison) c = comparison_new(a, b);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = compare_render(c, cases[i].format, &cases[i].options);
		golden(cases[i].file, text);
	}
}

/* Names that mean harm reach no terminal, table or page as they are. */
Test(comparison, hostile_names)
{
	g_autoptr(Comparand) a =
		comparand_from_result(sample_result("hostile"), "a\033[2J<b>|`x`.pcap");
	a->findings[0].title = "\033]0;x\007 <script> | **b**";
	g_autoptr(Comparison) c = comparison_new(a, a);
	for (int f = COMPARE_TEXT; f <= COMPARE_JSON; f++) {
		g_autofree char *text =
			compare_render(c, (CompareFormat)f, &(ReportOptions){.verbosity = 1});
		cr_assert(g_utf8_validate(text, -1, NULL));
		cr_assert_null(strchr(text, '\033'), "%s", text);
		cr_assert_null(strchr(text, '\007'), "%s", text);
		if (f == COMPARE_MARKDOWN)
			cr_assert_null(strstr(text, "<script>"), "%s", text);
	}
}
