/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets were lost and repaired, and that is not why it was slow: a note. docs/causes.md,
 * fast-retransmit.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

/* What costs as much as a major finding is a reason. */
#define MAX_SHARE MAJOR_SHARE

/* Another cause has claimed time of losses. */
static bool is_told(const CauseContext *context)
{
	static const Bucket buckets[] = {BUCKET_LOSS_RECOVERY, BUCKET_RTO_STALL, BUCKET_TAIL_LOSS};
	for (size_t i = 0; i < sizeof(buckets) / sizeof(*buckets); i++) {
		if (context->left_ns[buckets[i]] < context->unit->account.bucket_ns[buckets[i]])
			return true;
	}
	return false;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (!loss_facts(context, &facts) || facts.lost == 0)
		return false;
	/* what was claimed before is somebody else's story; the counts are the connection's, and a
	 * part of it may have lost nothing */
	const Account *a = &context->unit->account;
	int64_t cost = a->loss_ns[0] + a->loss_ns[1];
	if (cost == 0 || is_told(context) || cause_share(context, facts.cost_ns) >= MAX_SHARE)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"%llu packets (%s) from %s were lost and repaired; that took %s, so it is not why "
		"this was slow.",
		(unsigned long long)facts.lost, cause_percent(context, facts.rate),
		host_label(context, facts.side), cause_time(context, (double)cost));
	cause_number(draft, "lost packets", NUMBER_COUNT, (double)facts.lost);
	cause_number(draft, "loss", NUMBER_PERCENT, facts.rate * 100);
	cause_number(draft, "time for repair", NUMBER_NS, (double)cost);
	cause_evidence_bucket(context, draft, BUCKET_LOSS_RECOVERY, "repairing a loss");
	return true;
}

const Cause cause_fast_retransmit = {
	.id = "fast-retransmit",
	.title = "Packets were lost and repaired at once",
	.explanation =
		"Some loss is normal: it is how TCP finds out how much a path carries. When the "
		"receiver can report it at once the repair takes one round trip and hardly costs "
		"time.",
	.source = "RFC 5681 3.2; RFC 6675",
	.precedence = 720,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Packets were lost and repaired, no other cause tells of it, and "
				"it "
				"cost less than {} of the time. Always a note.",
			.numbers = {GUIDE_SHARE(MAX_SHARE)},
			.needs = "One repair.",
			.traps = {"It is what other tools count as a problem; without lost time it "
				  "is "
				  "none."},
			.confidence = "High.",
			.advice = {{"Any", "Nothing to do."}},
			.next_test = "None is needed: its cost is measured.",
		},
};
