/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Properties of the two compared copies that differ, for who looks for what was changed.
 */
#include <math.h>
#include <string.h>

#include "analyzer/comparison.h"

/* Measured numbers within it are the same: a round trip or a window is never twice alike. */
#define FACT_SHARE 0.10

/** Facts: the list being made. */
typedef struct Facts {
	ComparisonFact *list;
	size_t count;
} Facts;

static ComparisonFact *fact_next(Facts *f, const char *id, const char *label, NumberKind kind)
{
	if (f->count == COMPARISON_FACTS_MAX)
		return NULL;
	ComparisonFact *ret = &f->list[f->count++];
	*ret = (ComparisonFact){.id = id, .label = label, .kind = kind};
	return ret;
}

static void fact_text(Facts *f, const char *id, const char *label, const char *a, const char *b)
{
	if (g_strcmp0(a, b) == 0)
		return;
	ComparisonFact *fact = fact_next(f, id, label, NUMBER_NAME);
	if (!fact)
		return;
	fact->a_text = a;
	fact->b_text = b;
}

static void fact_yes_no(Facts *f, const char *id, const char *label, bool a, bool b)
{
	fact_text(f, id, label, a ? "yes" : "no", b ? "yes" : "no");
}

/* @share: what must differ at least; 0: anything. Numbers below 0 are unknown. */
static void fact_number(Facts *f, const char *id, const char *label, NumberKind kind, double a,
	double b, double share)
{
	bool a_known = a >= 0, b_known = b >= 0;
	if (!a_known && !b_known)
		return;
	if (a_known && b_known && fabs(a - b) <= share * fmax(a, b))
		return;
	ComparisonFact *fact = fact_next(f, id, label, kind);
	if (!fact)
		return;
	fact->a_known = a_known;
	fact->b_known = b_known;
	fact->a = a;
	fact->b = b;
}

static double known(double value)
{
	return value > 0 ? value : -1;
}

static double repeated_percent(const ComparandTransfer *t)
{
	return t->packets > 0 ? 100.0 * (double)t->retransmitted_packets / (double)t->packets : -1;
}

/* The host without its port; ports of clients are never twice the same. */
static void fact_client(Facts *f, const char *a, const char *b)
{
	const char *end_a = strrchr(a, ':'), *end_b = strrchr(b, ':');
	size_t len_a = end_a ? (size_t)(end_a - a) : strlen(a),
	       len_b = end_b ? (size_t)(end_b - b) : strlen(b);
	if (len_a == len_b && memcmp(a, b, len_a) == 0)
		return;
	ComparisonFact *fact = fact_next(f, "client", "client", NUMBER_NAME);
	if (!fact)
		return;
	g_strlcpy(fact->a_room, a, MIN(len_a + 1, sizeof(fact->a_room)));
	g_strlcpy(fact->b_room, b, MIN(len_b + 1, sizeof(fact->b_room)));
	fact->a_text = fact->a_room;
	fact->b_text = fact->b_room;
}

static void facts_session(Facts *f, const ComparandTransfer *a, const ComparandTransfer *b)
{
	fact_text(f, "protocol", "protocol", a->protocol, b->protocol);
	if (!a->has_session || !b->has_session)
		return;
	fact_text(f, "dialect", "dialect", a->dialect, b->dialect);
	fact_text(f, "transport", "transport", a->transport, b->transport);
	fact_yes_no(f, "signed", "signed", a->is_signed, b->is_signed);
	fact_yes_no(f, "encrypted", "encrypted", a->is_encrypted, b->is_encrypted);
	fact_yes_no(f, "compressed", "compressed", a->is_compressed, b->is_compressed);
	fact_yes_no(f, "multi_credit", "large requests (multi-credit)", a->multi_credit,
		b->multi_credit);
}

size_t comparison_facts(const Comparison *c, ComparisonFact ret[COMPARISON_FACTS_MAX])
{
	Facts f = {.list = ret};
	if (c->main < 0)
		return 0;
	const ComparandTransfer *a = comparison_a(c, &c->pairs[c->main]),
				*b = comparison_b(c, &c->pairs[c->main]);
	facts_session(&f, a, b);
	/* pseudonyms of two reports have nothing to do with each other */
	if (!c->a->is_redacted && !c->b->is_redacted) {
		fact_client(&f, a->client, b->client);
		fact_text(&f, "server", "server", a->server, b->server);
		fact_text(&f, "file", "file", a->file, b->file);
	}
	fact_number(&f, "files", "files", NUMBER_COUNT, (double)a->files, (double)b->files, 0);
	fact_number(&f, "bytes", "size", NUMBER_BYTES, (double)a->bytes, (double)b->bytes, 0);
	fact_number(&f, "requests", "requests", NUMBER_COUNT, (double)a->requests,
		(double)b->requests, FACT_SHARE);
	fact_number(&f, "request_bytes", "bytes per request", NUMBER_BYTES,
		known((double)a->request_bytes), known((double)b->request_bytes), FACT_SHARE);
	fact_number(&f, "requests_in_flight", "requests in flight", NUMBER_COUNT,
		known(a->requests_in_flight), known(b->requests_in_flight), FACT_SHARE);
	fact_number(&f, "rtt_ns", "round trip", NUMBER_NS, known((double)a->rtt_ns),
		known((double)b->rtt_ns), FACT_SHARE);
	fact_number(&f, "capacity_bytes_per_s", "the path carries", NUMBER_RATE,
		known(a->capacity_bytes_per_s), known(b->capacity_bytes_per_s), FACT_SHARE);
	fact_number(&f, "window_bytes", "largest receive window", NUMBER_BYTES,
		known((double)a->window_bytes), known((double)b->window_bytes), FACT_SHARE);
	fact_number(&f, "retransmitted_percent", "packets sent again", NUMBER_PERCENT,
		repeated_percent(a), repeated_percent(b), FACT_SHARE);
	if (c->a->grade != c->b->grade) {
		ComparisonFact *fact = fact_next(&f, "grade", "capture grade", NUMBER_NAME);
		if (fact) {
			fact->a_room[0] = c->a->grade ? c->a->grade : '?';
			fact->b_room[0] = c->b->grade ? c->b->grade : '?';
			fact->a_text = fact->a_room;
			fact->b_text = fact->b_room;
		}
	}
	return f.count;
}
