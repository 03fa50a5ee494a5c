/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single packets vanish although no queue is full. docs/causes.md, loss-random.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

/* docs/causes.md, loss-random: a quarter of the losses may come with an inflated round trip by
 * chance. */
#define INFLATED_SHARE 0.25
/* Events and packets that leave no doubt: twice the rule's least (docs/architecture.md, "Life of a
 * finding"). */
#define SURE_EVENTS 10
/* Mathis' model and the measured rate agree within a factor of two, or it says nothing. */
#define MODEL_FACTOR 2.0

static bool model_agrees(const CauseContext *context, const LossFacts *facts)
{
	return facts->mathis > 0 && facts->mathis <= MODEL_FACTOR * context->rate &&
	       context->rate <= MODEL_FACTOR * facts->mathis;
}

static void advise(const CauseContext *context, FindingDraft *draft, const LossFacts *facts)
{
	cause_advice(draft, cause_printf(context,
				    "Look for a bad cable, plug, SFP module or Wi-Fi link %s: the "
				    "error counters of network cards and switch ports tell "
				    "('ethtool -S', 'show interface', Get-NetAdapterStatistics).",
				    loss_place(context, facts)));
	cause_advice(draft, "On ports of 100 Mbit/s or less check that both ends negotiate the "
			    "same duplex mode.");
	cause_advice(draft, "A receiver that drops packets itself needs larger ring buffers "
			    "('ethtool -G').");
	cause_advice(draft, "A provider or firewall that limits the rate by dropping packets, with "
			    "hardly a queue, looks the same: ask for its limit; without the loss "
			    "the copy then reaches that limit and no more.");
	cause_advice(draft, "A newer congestion control on the sender (CUBIC, BBR) softens the "
			    "effect, but does not cure it.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_RANDOM || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	double inflated =
		d->loss_events ? (double)d->loss_events_inflated / (double)d->loss_events : 0;
	bool is_scattered = inflated <= INFLATED_SHARE;
	bool is_limited = loss_is_on_line(context, &facts);
	bool is_sure = is_scattered && !is_limited && d->loss_events >= SURE_EVENTS &&
		       (model_agrees(context, &facts) ||
			       cause_share(context, context->left_ns[BUCKET_LOSS_RECOVERY]) > 0.1);
	draft->confidence = is_sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	if (!is_scattered)
		draft->doubt = "Some of the losses came while a queue was filling, so a part may "
			       "be congestion.";
	else if (is_limited)
		draft->doubt = "They came whenever about as much had passed as before: a rate "
			       "limiter that drops the excess does that as well (policing).";
	draft->sentence = cause_printf(context,
		"%s of the packets from %s were lost %s (%llu of %llu) without a full queue: "
		"repairing them, and sending carefully afterwards, took %s of %s.",
		cause_percent(context, facts.rate), host_label(context, facts.side),
		loss_place(context, &facts), (unsigned long long)facts.lost,
		(unsigned long long)facts.sent, cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "no packet loss on the path";
	if (facts.mathis > 0) {
		draft->ceiling_bytes_per_s = facts.mathis;
		draft->ceiling_formula = cause_printf(context,
			"1.22 x %s / (%s x square root of %s) = %s", cause_bytes(context, d->mss),
			cause_time(context, (double)context->rtt_ns),
			cause_percent(context, facts.rate), cause_rate(context, facts.mathis));
	}
	advise(context, draft, &facts);
	return true;
}

const Cause cause_loss_random = {
	.id = "loss-random",
	.title = "Packets were lost on the way",
	.explanation =
		"TCP takes every lost packet as a sign that the path is full: it sends the packet "
		"again and halves its speed. When packets are lost for another reason, such as a "
		"bad cable or a weak radio link, it keeps slowing down although the path is free. "
		"The longer the round trip, the more each loss costs.",
	.source = "RFC 5681; RFC 6675; Mathis et al. 1997",
	.precedence = 335,
	.conclude = conclude,
	.rules_out = loss_rules_out,
	.guide =
		{
			.rule = "At least {} packets and {} of those sent were lost and repaired "
				"(or fewer, when that loss explains the rate by the model 1.22 x "
				"MSS / (round trip x square root of loss)); fewer than {} of the "
				"losses came with a growing round trip, and fewer than {} at a "
				"time.",
			.numbers = {GUIDE_COUNT(LOSS_MIN_PACKETS), GUIDE_SHARE(LOSS_MIN_RATE),
				GUIDE_SHARE(LOSS_CONGESTIVE_SHARE),
				GUIDE_COUNT(LOSS_CONGESTIVE_BURST), GUIDE_SHARE(INFLATED_SHARE),
				GUIDE_COUNT(MODEL_FACTOR)},
			.needs = "Repairs seen in the capture, with the gap or the original before "
				 "them.",
			.traps = {"Packets that are late, not lost: their repair cannot have been "
				  "asked for yet (reordering).",
				"The same packet recorded twice (mirror port) is a copy and never "
				"a "
				"repair.",
				"Bytes the capture missed but the receiver acknowledged are no "
				"loss "
				"(capture-drops).",
				"Packets sent again into a closed window belong to zero-window."},
			.confidence =
				"High with ten separate losses that are scattered ({} or less with "
				"a growing round trip), a rate that fits the model within a "
				"factor of {}, and nothing that looks like a rate limiter; "
				"otherwise medium.",
			.advice = {{"Network", "Look for a bad cable, plug, SFP module or radio "
					       "link where the "
					       "report says the loss is: error counters of cards "
					       "and switch ports "
					       "('ethtool -S', 'show interface')."},
				{"Windows", "'Get-NetAdapterStatistics' shows received errors and "
					    "discards."},
				{"Linux", "'ethtool -S eth0', 'ip -s link'; a receiver that drops "
					  "by itself "
					  "needs larger rings ('ethtool -G')."},
				{"Any", "A newer congestion control on the sender (CUBIC, BBR) "
					"softens it, "
					"but does not cure it."}},
			.next_test =
				"Capture at both ends at the same time: what left one and never "
				"reached the other was lost between them; what reached it was not.",
		},
};
