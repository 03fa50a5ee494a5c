/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of comparison.h: matching and arithmetic; comparison_facts.c lists properties.
 */
#include "analyzer/comparison.h"

#include <string.h>

#include "analyzer/constants.h"

/* Two runs of the same copy over the same path differ by as much; what differs less is the same. It
 * is the share below which nothing is a finding either. */
#define SAME_SHARE MIN_LOST_SHARE
/* Sizes further apart make times incomparable. */
#define SIZE_SHARE 0.10
/* Reports call two rates the same that lie within it. */
#define PREDICTION_SHARE 0.10
/* A cause explains a difference when what it cost is at least this share of it. */
#define EXPLAINS_SHARE 0.20

const char *matched_by_id(MatchedBy matched_by)
{
	static const char *const ids[] = {
		"file", "name", "files", "size", "only-one", "verdict", "none"};
	return ids[matched_by];
}

const ComparandTransfer *comparison_a(const Comparison *c, const ComparisonPair *pair)
{
	return pair->a >= 0 ? &c->a->transfers[pair->a] : NULL;
}

const ComparandTransfer *comparison_b(const Comparison *c, const ComparisonPair *pair)
{
	return pair->b >= 0 ? &c->b->transfers[pair->b] : NULL;
}

/* ---- matching */

/** Matching: who is still without a partner. */
typedef struct Matching {
	const Comparand *a, *b;
	int32_t *partner_of_a, *partner_of_b; /* -1 none */
	MatchedBy *by;                        /* of those of A */
} Matching;

static const char *last_name(const char *path)
{
	const char *name = path;
	for (const char *p = path; *p; p++) {
		if ((*p == '\\' || *p == '/') && p[1])
			name = p + 1;
	}
	return name;
}

/* What two copies must share to match; NULL when this one has no such thing. */
static char *match_key(const ComparandTransfer *t, MatchedBy by)
{
	char way = t->is_write ? 'w' : 'r', kind = t->is_job ? 'J' : 'T';
	switch (by) {
	case MATCHED_BY_FILE:
		return t->file && !t->is_job ? g_strdup_printf("%c%s", way, t->file) : NULL;
	case MATCHED_BY_NAME:
		return t->file && !t->is_job ? g_strdup_printf("%c%s", way, last_name(t->file))
					     : NULL;
	case MATCHED_BY_FILES:
		return t->is_job ? g_strdup_printf("%c%" G_GUINT64_FORMAT, way, t->files) : NULL;
	case MATCHED_BY_SIZE:
		return t->bytes > 0 ? g_strdup_printf("%c%c%" G_GUINT64_FORMAT "%s", kind, way,
					      t->bytes, t->protocol)
				    : NULL;
	case MATCHED_BY_ONLY:
		return g_strdup_printf("%c%c", kind, way);
	case MATCHED_BY_VERDICT:
	case MATCHED_BY_NOTHING:
		return NULL;
	}
	return NULL;
}

static void marry(Matching *m, int32_t a, int32_t b, MatchedBy by)
{
	m->partner_of_a[a] = b;
	m->partner_of_b[b] = a;
	m->by[a] = by;
}

/* Those with the same key match in their order; for MATCHED_BY_ONLY there must be one on each side.
 */
static void match_by(Matching *m, MatchedBy by)
{
	g_autoptr(GHashTable) waiting = g_hash_table_new_full(
		g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_queue_free);
	g_autoptr(GHashTable) wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (size_t i = 0; i < m->b->transfer_count; i++) {
		char *key = m->partner_of_b[i] < 0 ? match_key(&m->b->transfers[i], by) : NULL;
		GQueue *queue = key ? g_hash_table_lookup(waiting, key) : NULL;
		if (!key)
			continue;
		if (!queue) {
			queue = g_queue_new();
			g_hash_table_insert(waiting, g_strdup(key), queue);
		}
		g_queue_push_tail(queue, GSIZE_TO_POINTER(i));
		g_free(key);
	}
	for (size_t i = 0; i < m->a->transfer_count && by == MATCHED_BY_ONLY; i++) {
		if (m->partner_of_a[i] >= 0)
			continue;
		char *key = match_key(&m->a->transfers[i], by);
		gpointer count = g_hash_table_lookup(wanted, key);
		g_hash_table_insert(wanted, key, GSIZE_TO_POINTER(GPOINTER_TO_SIZE(count) + 1));
	}
	for (size_t i = 0; i < m->a->transfer_count; i++) {
		g_autofree char *key =
			m->partner_of_a[i] < 0 ? match_key(&m->a->transfers[i], by) : NULL;
		GQueue *queue = key ? g_hash_table_lookup(waiting, key) : NULL;
		if (!queue || g_queue_is_empty(queue))
			continue;
		if (by == MATCHED_BY_ONLY &&
			(g_queue_get_length(queue) != 1 ||
				GPOINTER_TO_SIZE(g_hash_table_lookup(wanted, key)) != 1))
			continue;
		marry(m, (int32_t)i, (int32_t)GPOINTER_TO_SIZE(g_queue_pop_head(queue)), by);
	}
}

static bool is_in(const Comparand *c, int32_t index)
{
	return index >= 0 && (size_t)index < c->transfer_count;
}

static void match_verdicts(Matching *m)
{
	int32_t a = m->a->main, b = m->b->main;
	if (is_in(m->a, a) && is_in(m->b, b) && m->partner_of_a[a] < 0 && m->partner_of_b[b] < 0)
		marry(m, a, b, MATCHED_BY_VERDICT);
}

static void pairs_make(Comparison *c, const Matching *m)
{
	size_t na = m->a->transfer_count, nb = m->b->transfer_count;
	c->pairs = g_new0(ComparisonPair, na + nb + 1);
	for (size_t i = 0; i < na; i++) {
		if (m->partner_of_a[i] >= 0)
			c->pairs[c->pair_count++] =
				(ComparisonPair){(int32_t)i, m->partner_of_a[i], m->by[i]};
	}
	c->matched_count = c->pair_count;
	for (size_t i = 0; i < na; i++) {
		if (m->partner_of_a[i] < 0)
			c->pairs[c->pair_count++] =
				(ComparisonPair){(int32_t)i, -1, MATCHED_BY_NOTHING};
	}
	for (size_t i = 0; i < nb; i++) {
		if (m->partner_of_b[i] < 0)
			c->pairs[c->pair_count++] =
				(ComparisonPair){-1, (int32_t)i, MATCHED_BY_NOTHING};
	}
}

static void pairs_match(Comparison *c)
{
	Matching m = {.a = c->a,
		.b = c->b,
		.partner_of_a = g_new(int32_t, c->a->transfer_count + 1),
		.partner_of_b = g_new(int32_t, c->b->transfer_count + 1),
		.by = g_new0(MatchedBy, c->a->transfer_count + 1)};
	memset(m.partner_of_a, 0xff, (c->a->transfer_count + 1) * sizeof(int32_t));
	memset(m.partner_of_b, 0xff, (c->b->transfer_count + 1) * sizeof(int32_t));
	/* the same pseudonym in two reports is no sign of the same file */
	bool has_names = !c->a->is_redacted && !c->b->is_redacted;
	for (MatchedBy by = has_names ? MATCHED_BY_FILE : MATCHED_BY_FILES; by <= MATCHED_BY_ONLY;
		by++)
		match_by(&m, by);
	match_verdicts(&m);
	pairs_make(c, &m);
	g_free(m.partner_of_a);
	g_free(m.partner_of_b);
	g_free(m.by);
}

/* The pair A's verdict speaks of, else B's, else the one that took longest. */
static int32_t main_pair(const Comparison *c)
{
	int32_t longest = -1, of_b = -1;
	int64_t most = -1;
	for (size_t i = 0; i < c->matched_count; i++) {
		const ComparisonPair *p = &c->pairs[i];
		int64_t ns = comparison_a(c, p)->duration_ns;
		if (p->a == c->a->main)
			return (int32_t)i;
		if (p->b == c->b->main)
			of_b = (int32_t)i;
		if (ns > most) {
			most = ns;
			longest = (int32_t)i;
		}
	}
	return of_b >= 0 ? of_b : longest;
}

/* ---- times */

/* How much of A's time counts, so that as many bytes are compared. */
static double scale_of(const Comparison *c, const ComparandTransfer *a, const ComparandTransfer *b)
{
	return c->sizes_differ ? (double)b->bytes / (double)a->bytes : 1;
}

static void times_compare(Comparison *c, const ComparandTransfer *a, const ComparandTransfer *b)
{
	double larger = (double)(a->bytes > b->bytes ? a->bytes : b->bytes),
	       smaller = (double)(a->bytes > b->bytes ? b->bytes : a->bytes);
	c->sizes_differ = smaller > 0 && larger - smaller > SIZE_SHARE * larger;
	c->difference_ns = b->duration_ns - a->duration_ns;
	double before = (double)a->duration_ns * scale_of(c, a, b), after = (double)b->duration_ns;
	double difference = after - before;
	c->share_of_a = before > 0 ? after / before : 0;
	double most = before > after ? before : after;
	c->outcome = (difference < 0 ? -difference : difference) <= SAME_SHARE * most
			     ? COMPARISON_SAME
		     : difference < 0 ? COMPARISON_FASTER
				      : COMPARISON_SLOWER;
	double best = 0;
	for (int i = 0; i < COMPARAND_BUCKETS && c->outcome != COMPARISON_SAME; i++) {
		double delta =
			(double)b->bucket_ns[i] - (double)a->bucket_ns[i] * scale_of(c, a, b);
		if (delta / difference > best) {
			best = delta / difference;
			c->bucket = i;
		}
	}
	c->bucket_share = best;
}

/* ---- causes */

static const ComparandFinding *with_cause(const GPtrArray *list, const char *cause)
{
	for (guint i = 0; i < list->len; i++) {
		const ComparandFinding *f = list->pdata[i];
		if (strcmp(f->cause, cause) == 0)
			return f;
	}
	return NULL;
}

/* Findings of a transfer, or all of them when @t is NULL; each cause once, the worst. */
static GPtrArray *causes_of(const Comparand *c, const ComparandTransfer *t)
{
	GPtrArray *ret = g_ptr_array_new();
	size_t count = t ? t->finding_count : c->finding_count;
	for (size_t i = 0; i < count; i++) {
		ComparandFinding *f = &c->findings[t ? t->findings[i] : i];
		if (!with_cause(ret, f->cause))
			g_ptr_array_add(ret, f);
	}
	return ret;
}

static void causes_compare(Comparison *c, const ComparandTransfer *a, const ComparandTransfer *b)
{
	g_autoptr(GPtrArray) before = causes_of(c->a, a), after = causes_of(c->b, b);
	for (guint i = 0; i < before->len; i++) {
		if (!with_cause(after, ((ComparandFinding *)before->pdata[i])->cause))
			g_ptr_array_add(c->gone, before->pdata[i]);
	}
	for (guint i = 0; i < after->len; i++) {
		bool was_there = with_cause(before, ((ComparandFinding *)after->pdata[i])->cause);
		g_ptr_array_add(was_there ? c->kept : c->came, after->pdata[i]);
	}
}

static int64_t lost_ns(const ComparandFinding *f)
{
	return f && f->lost_ns > 0 ? f->lost_ns : 0;
}

/* The cause that came or went and cost most; else one that stayed and changed most. */
static void cause_choose(Comparison *c, const ComparandTransfer *a)
{
	bool is_slower = c->outcome == COMPARISON_SLOWER;
	const GPtrArray *changed = is_slower ? c->came : c->gone;
	double least = EXPLAINS_SHARE * ((double)c->difference_ns * (is_slower ? 1 : -1)), best = 0;
	g_autoptr(GPtrArray) before = causes_of(c->a, a);
	if (c->outcome == COMPARISON_SAME || c->outcome == COMPARISON_NONE)
		return;
	for (guint i = 0; i < changed->len; i++) {
		const ComparandFinding *f = changed->pdata[i];
		double cost = (double)lost_ns(f);
		if (f->severity > SEVERITY_INFO && cost > best && cost >= least) {
			best = cost;
			c->cause = f;
		}
	}
	for (guint i = 0; i < c->kept->len && !c->cause; i++) {
		const ComparandFinding *f = c->kept->pdata[i];
		double more = (double)lost_ns(f) - (double)lost_ns(with_cause(before, f->cause));
		if (!is_slower)
			more = -more;
		if (more > best && more >= least) {
			best = more;
			c->cause = f;
		}
	}
}

static Confidence lower(Confidence a, Confidence b)
{
	return a < b ? a : b;
}

static void confidence_set(Comparison *c)
{
	MatchedBy by = c->pairs[c->main].matched_by;
	char worst = MAX(c->a->grade, c->b->grade);
	/* without a cause there is the kind of time, which was measured, but no reason */
	Confidence ret = c->cause ? c->cause->confidence : CONFIDENCE_MEDIUM;
	if (c->outcome == COMPARISON_SAME)
		ret = CONFIDENCE_HIGH;
	else if (c->difference_ns < MIN_LOST_NS && c->difference_ns > -MIN_LOST_NS)
		ret = CONFIDENCE_LOW;
	if (by >= MATCHED_BY_SIZE || worst == 'C')
		ret = lower(ret, CONFIDENCE_MEDIUM);
	if (by == MATCHED_BY_VERDICT || c->sizes_differ || worst == 'D' || worst == 0 ||
		c->a->is_partial || c->b->is_partial)
		ret = CONFIDENCE_LOW;
	c->confidence = ret;
}

static void predictions_check(Comparison *c, const ComparandTransfer *a, const ComparandTransfer *b)
{
	double measured = b->duration_ns > 0 ? (double)b->bytes * 1e9 / (double)b->duration_ns : 0;
	for (guint i = 0; i < c->gone->len; i++) {
		const ComparandFinding *f = c->gone->pdata[i];
		RateRange said = f->predicted_bytes_per_s;
		if (!(said.high > 0) || f->severity == SEVERITY_INFO)
			continue;
		ComparisonPrediction p = {.finding = f,
			.measured_bytes_per_s = measured,
			.measured_saved_ns = c->sizes_differ ? RESULT_UNKNOWN_NS
							     : a->duration_ns - b->duration_ns,
			.outcome = measured < said.low * (1 - PREDICTION_SHARE) ? PREDICTION_MISSED
				   : measured > said.high * (1 + PREDICTION_SHARE)
					   ? PREDICTION_EXCEEDED
					   : PREDICTION_WITHIN};
		g_array_append_val(c->predictions, p);
	}
}

Comparison *comparison_new(Comparand *a, Comparand *b)
{
	Comparison *c = g_new0(Comparison, 1);
	c->a = a;
	c->b = b;
	c->bucket = -1;
	c->came = g_ptr_array_new();
	c->gone = g_ptr_array_new();
	c->kept = g_ptr_array_new();
	c->predictions = g_array_new(FALSE, TRUE, sizeof(ComparisonPrediction));
	pairs_match(c);
	c->main = main_pair(c);
	if (c->main < 0) {
		causes_compare(c, NULL, NULL);
		return c;
	}
	const ComparandTransfer *from = comparison_a(c, &c->pairs[c->main]),
				*to = comparison_b(c, &c->pairs[c->main]);
	times_compare(c, from, to);
	causes_compare(c, from, to);
	cause_choose(c, from);
	confidence_set(c);
	predictions_check(c, from, to);
	return c;
}

void comparison_free(Comparison *c)
{
	if (!c)
		return;
	g_free(c->pairs);
	g_ptr_array_unref(c->came);
	g_ptr_array_unref(c->gone);
	g_ptr_array_unref(c->kept);
	g_array_unref(c->predictions);
	g_free(c);
}
