/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets were lost and repaired, and that is not why it was slow: a note. docs/causes.md,
 * fast-retransmit.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (!loss_facts(context, &facts) || facts.lost == 0)
		return false;
	/* what was claimed before is somebody else's story */
	const Account *a = &context->unit->account;
	int64_t cost = a->loss_ns[0] + a->loss_ns[1];
	if (cost >= cause_min_lost_ns(context) || facts.cost_ns >= cause_min_lost_ns(context))
		return false;
	/* the counts are the connection's: this part of it lost nothing */
	if (cost == 0)
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
	.title = "A few packets were lost and repaired at once",
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
			.rule = "Packets were lost and repaired, and all of it cost less than a "
				"finding. Always a note.",
			.needs = "One repair.",
			.traps = {"It is what other tools count as a problem; without lost time it "
				  "is "
				  "none."},
			.confidence = "High.",
			.advice = {{"Any", "Nothing to do."}},
			.next_test = "None is needed: its cost is measured.",
		},
};
