/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Other connections took the path at the same time. docs/causes.md, cross-traffic.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/causes/neighbours.h"
#include "analyzer/constants.h"

/* docs/causes.md, cross-traffic: with the transfer they fill the path; a fifth less is left to what
 * was not captured.
 */
#define FULL_SHARE 0.85
#define NEARLY_FULL_SHARE 0.65
/* A quarter of the path is worth a word. */
#define MIN_OTHERS_SHARE 0.25

static void claim(const CauseContext *context, FindingDraft *draft, double total)
{
	double path = total > context->goodput_limit ? total : context->goodput_limit;
	double own_ns = (double)context->bytes * 1e9 / path;
	cause_claim(context, draft, BUCKET_OTHER_TRAFFIC);
	cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
	cause_claim(context, draft, BUCKET_LOSS_RECOVERY);
	cause_claim(context, draft, BUCKET_RTO_STALL);
	cause_claim(context, draft, BUCKET_TAIL_LOSS);
	/* on the path alone the bytes would need less: all together showed what it carries */
	cause_claim_part(context, draft, BUCKET_LINK, context->link_ns - (int64_t)own_ns);
}

/* A full path that only takes its time is healthy: others must be felt. */
static int64_t contention_ns(const CauseContext *context)
{
	return context->left_ns[BUCKET_CONGESTION_WINDOW] + context->left_ns[BUCKET_LOSS_RECOVERY] +
	       context->left_ns[BUCKET_RTO_STALL] + context->left_ns[BUCKET_TAIL_LOSS];
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Neighbours n;
	if (!context->sender || context->rate <= 0 || context->capacity.bytes_per_s <= 0 ||
		cause_share(context, context->link_ns) >= HEALTHY_LINK_SHARE)
		return false;
	if (contention_ns(context) < cause_min_lost_ns(context))
		return false;
	neighbours_find(context, &n);
	/* what a short snap length hides of the file is still on the wire */
	double own = context->rate;
	double on_wire = (double)context->sender->wire_bytes * 1e9 /
			 (double)(context->facts->tcp.last_ns - context->facts->tcp.first_ns + 1);
	if (on_wire > own)
		own = on_wire;
	double total = own + n.same_way;
	if (n.same_way < MIN_OTHERS_SHARE * context->capacity.bytes_per_s ||
		total < NEARLY_FULL_SHARE * context->capacity.bytes_per_s)
		return false;
	claim(context, draft, total);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	bool is_full = total >= FULL_SHARE * context->capacity.bytes_per_s;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = (int64_t)(n.same_way / total * (double)draft->lost_ns);
	draft->confidence = is_full ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"%u other connection%s moved %s over the same path at the same time, together %s "
		"of "
		"what it carries, so %s was left for this transfer.",
		n.count, n.count == 1 ? "" : "s", cause_rate(context, n.same_way),
		cause_percent(context, total / context->capacity.bytes_per_s > 1
					       ? 1
					       : total / context->capacity.bytes_per_s),
		cause_rate(context, own));
	draft->fix = "the path for this copy alone";
	cause_number(draft, "other connections", NUMBER_RATE, n.same_way);
	cause_number(draft, "this transfer on the wire", NUMBER_RATE, own);
	cause_number(draft, "the path carries", NUMBER_RATE, context->capacity.bytes_per_s);
	cause_evidence_bucket(
		context, draft, BUCKET_CONGESTION_WINDOW, "waited behind other traffic");
	cause_advice(draft, "Run large transfers one after the other, or at another time.");
	cause_advice(draft, "Quality of service on the shared link (a queue per connection: "
			    "fq_codel, CAKE) shares it evenly.");
	return true;
}

const Cause cause_cross_traffic = {
	.id = "cross-traffic",
	.title = "Other traffic took its share of the path",
	.explanation =
		"Connections that run at the same time share the slowest link between them. Each "
		"gets a part, and packets are lost when their bursts meet in the queue before it. "
		"Nothing is broken; there is only more to move than this copy.",
	.source = "Siekkinen et al. 2008",
	.precedence = 301,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Other connections in the capture took {} or more of what the path "
				"carries at the same time, together with this transfer {} or more, "
				"and the transfer was held back by its congestion window or by "
				"losses.",
			.numbers = {GUIDE_SHARE(MIN_OTHERS_SHARE), GUIDE_SHARE(NEARLY_FULL_SHARE),
				GUIDE_SHARE(FULL_SHARE)},
			.needs = "The other connections in the same capture.",
			.traps = {"Connections of the same copy (several channels, FTP data) are "
				  "not "
				  "others.",
				"A full link that only takes its time is healthy."},
			.confidence = "High when the sum is {} of the path; otherwise medium.",
			.advice = {{"Any", "Run large transfers one after the other, or at another "
					   "time."},
				{"Network", "A queue per connection (fq_codel, CAKE) shares the "
					    "link evenly."}},
			.next_test = "Repeat the copy while the other transfers rest.",
		},
};
