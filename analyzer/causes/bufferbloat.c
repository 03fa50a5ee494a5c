/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full link holds a long queue: everything else on it waits. A note. docs/causes.md,
 * bufferbloat.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/pace.h"
#include "analyzer/constants.h"

/* docs/causes.md, bufferbloat: five times the free path's round trip, and 50 ms more. */
#define MIN_FACTOR 5
#define MIN_ADDED_NS (50 * MILLISECOND_NS)
#define MIN_LINK_SHARE 0.70

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Pace pace;
	if (context->rtt_ns <= 0 || cause_share(context, context->link_ns) < MIN_LINK_SHARE ||
		!pace_read(context, &pace))
		return false;
	int64_t loaded = pace_median_rtt_ns(&pace);
	if (loaded < MIN_FACTOR * context->rtt_ns || loaded < context->rtt_ns + MIN_ADDED_NS)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"While the copy runs the round trip grows from %s to %s: a long queue before the "
		"link delays everything else on it.",
		cause_time(context, (double)context->rtt_ns), cause_time(context, (double)loaded));
	cause_number(draft, "round trip of the free path", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "round trip under load", NUMBER_NS, (double)loaded);
	cause_number(draft, "queue", NUMBER_BYTES,
		context->capacity.bytes_per_s * (double)(loaded - context->rtt_ns) / 1e9);
	cause_advice(draft, "Queue management at the slow link (fq_codel, CAKE) keeps delay short "
			    "without costing rate.");
	return true;
}

const Cause cause_bufferbloat = {
	.id = "bufferbloat",
	.title = "A long queue before the link",
	.explanation =
		"Some devices keep a great many packets waiting before a slow link. A big copy "
		"fills that queue. The copy is as fast as the link, but everything else that "
		"crosses it, such as opening files or a call, becomes slow.",
	.source = "RFC 7567; RFC 8289; RFC 8290",
	.precedence = 715,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "While the link is busy ({} of the time) the round trip grows to "
				"{} "
				"times the free one and by {} or more. Always a note.",
			.numbers = {GUIDE_SHARE(MIN_LINK_SHARE), GUIDE_COUNT(MIN_FACTOR),
				GUIDE_NS(MIN_ADDED_NS)},
			.needs = "Round trips at rest and under load.",
			.traps = {"The copy itself loses nothing; others on the same link do."},
			.confidence = "High.",
			.advice = {{"Network",
				"Queue management at the slow link (fq_codel, CAKE) keeps delay "
				"short without costing rate."}},
			.next_test =
				"Run a ping beside the copy: its round trip grows as the report "
				"says.",
		},
};
