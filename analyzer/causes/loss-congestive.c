/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Losses come in bursts when the queue before the bottleneck overflows. docs/causes.md,
 * loss-congestive.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

/* docs/causes.md, loss-congestive: so many losses announced themselves by a longer round trip. */
#define FILLING_SHARE 0.5

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_CONGESTIVE || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	draft->confidence = CONFIDENCE_MEDIUM;
	bool was_filling =
		(double)d->loss_events_inflated >= FILLING_SHARE * (double)d->loss_events;
	draft->sentence = cause_printf(context,
		"%llu packets (%s) from %s were lost in %llu bursts, %s: repairing them, and "
		"sending carefully afterwards, took %s of %s.",
		(unsigned long long)facts.lost, cause_percent(context, facts.rate),
		host_label(context, facts.side), (unsigned long long)d->loss_events,
		was_filling ? "when a queue on the path was full"
			    : "as a short queue or a rate limiter drops them",
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	if (!was_filling)
		draft->doubt = "The round trip did not grow before the losses, so the queue is a "
			       "short one, or something else drops several packets in a row.";
	draft->fix = "a path with enough queue, or less traffic on it";
	cause_number(draft, "loss bursts", NUMBER_COUNT, (double)d->loss_events);
	cause_number(draft, "bursts with a filling queue", NUMBER_COUNT,
		(double)d->loss_events_inflated);
	cause_advice(draft, "The link is busier than it can carry, or the queue before it is too "
			    "short: queue management (fq_codel, CAKE), limits for other traffic, "
			    "or more bandwidth.");
	cause_advice(draft, "Where a fast port feeds a slower one (10 to 1 Gbit/s, 1 Gbit/s to 100 "
			    "Mbit/s), Ethernet flow control or a sender that paces its packets "
			    "('tc qdisc … fq', BBR) keeps the switch's small buffer from "
			    "overflowing.");
	cause_advice(draft, "A provider or firewall that limits the rate by dropping packets does "
			    "the same: ask for its limit and let the sender stay a little below "
			    "it.");
	draft->next_test = "repeat the copy when the link is otherwise idle";
	return true;
}

const Cause cause_loss_congestive = {
	.id = "loss-congestive",
	.title = "A queue on the path overflows",
	.explanation =
		"Before a slower link packets wait in a queue. When more come than the queue "
		"holds, the rest is thrown away, often several at once. TCP repairs that and "
		"halves its speed. It is normal once at the start of a transfer; here it happened "
		"so often, or cost so much, that it slowed the copy down.",
	.source = "RFC 7567; RFC 5681",
	.precedence = 330,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "At least {} packets were lost, and {} or more of the loss events "
				"came while the round trip was growing, or {} and more packets "
				"went "
				"at a time. One burst at the end of slow start is normal and not "
				"counted.",
			.numbers = {GUIDE_COUNT(LOSS_MIN_PACKETS),
				GUIDE_SHARE(LOSS_CONGESTIVE_SHARE),
				GUIDE_COUNT(LOSS_CONGESTIVE_BURST)},
			.needs = "Round trip samples around the losses.",
			.traps = {"The overshoot that ends slow start happens once per connection "
				  "in "
				  "health.",
				"A rate limiter without a queue drops at an even rate: policing.",
				"On a link that is full, shared or not, losses are how it tells: "
				"not "
				"told.",
				"A receiver whose buffer overruns is told as zero-window."},
			.confidence = "Medium: the queue itself is not in the capture.",
			.advice = {{"Network", "The link is busier than it can carry, or its queue "
					       "too short: fair "
					       "queueing (fq_codel, CAKE), limits for other "
					       "traffic, more "
					       "bandwidth."},
				{"Network", "Where a fast port feeds a slow one, Ethernet flow "
					    "control, or a "
					    "sender that paces ('tc qdisc ... fq', BBR), keeps a "
					    "switch's small "
					    "buffer from overflowing."},
				{"Any", "Run large copies one after the other, or at another "
					"time."}},
			.next_test = "Repeat the copy when the link is otherwise idle.",
		},
};
