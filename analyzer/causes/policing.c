/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rate limiter throws away what is too much instead of letting it wait: a policer.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/constants.h"

/* Flach et al. 2016: so many losses, nine in ten of them with an empty bucket, and hardly any after
 * a round trip that grew. */
#define MIN_LOSSES 15
#define MIN_ON_LINE 0.90
#define MAX_INFLATED 0.20
/* A shorter stretch is one burst of losses: a line goes through any. */
#define MIN_ROUND_TRIPS 30
/* The path carries more than the limiter lets through, or it is the path that is full. */
#define PATH_FACTOR 1.5

static bool is_policed(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	const LossLine *line = &d->loss_line;
	if (line->losses < MIN_LOSSES || line->on_line < MIN_ON_LINE || context->rtt_ns <= 0 ||
		line->duration_ns < MIN_ROUND_TRIPS * context->rtt_ns ||
		(double)d->loss_events_inflated > MAX_INFLATED * (double)d->loss_events)
		return false;
	return !context->capacity.is_proven ||
	       context->capacity.bytes_per_s >= PATH_FACTOR * line->bytes_per_s;
}

/* A short queue before a link that is rarely full loses on a line as well: the time is told by
 * loss-congestive or loss-random, and this is what it may be. */
static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	LossKind kind = loss_kind(context, &facts);
	if ((kind != LOSS_RANDOM && kind != LOSS_CONGESTIVE) || facts.side != context->bulk ||
		!is_policed(context, &facts))
		return false;
	const LossLine *line = &facts.direction->loss_line;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_LOW;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"The losses are as a rate limiter makes them that drops what exceeds %s: %s of %u "
		"came just when that much had been sent, and without a growing round trip.",
		cause_rate(context, line->bytes_per_s), cause_percent(context, line->on_line),
		line->losses);
	draft->doubt = "A short queue before a link that is seldom full loses in the same way.";
	draft->ceiling_bytes_per_s = line->bytes_per_s;
	cause_number(draft, "limit", NUMBER_RATE, line->bytes_per_s);
	cause_number(draft, "losses on its line", NUMBER_PERCENT, 100 * line->on_line);
	cause_evidence(context, draft, facts.direction->first_loss_frame, 0, "first repair");
	cause_advice(draft,
		"Ask the provider or the firewall's administrator for the limit, and for "
		"a shaper (that queues) instead of a policer (that drops).");
	cause_advice(draft, "Let the sender keep a little below it: Linux 'tc qdisc ... tbf rate', "
			    "Windows New-NetQosPolicy -ThrottleRateActionBitsPerSecond; BBR copes "
			    "better than CUBIC.");
	draft->next_test = "send at nine tenths of the limit (iperf3 -u -b RATE, or a throttled "
			   "copy): below it nothing is lost, above it the excess";
	return true;
}

const Cause cause_policing = {
	.id = "policing",
	.title = "A rate limiter may drop what is too much",
	.explanation =
		"Some providers and firewalls limit a rate by throwing away packets that exceed "
		"it, "
		"without a queue. TCP takes each loss for congestion and slows down far below the "
		"limit, then tries again. The limit itself may be intended; the drops make the "
		"copy "
		"slower than it allows.",
	.source = "Flach et al., SIGCOMM 2016",
	.precedence = 329,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more losses, {} of them on one straight line of bytes over "
				"time (within what three round trips carry), over {} round trips "
				"or "
				"more; no more than {} of them after a round trip that grew; and "
				"the path carries {} times the line's rate or its speed is not "
				"proven. Always a possibility beside loss-congestive or "
				"loss-random, which hold the time.",
			.numbers = {GUIDE_COUNT(MIN_LOSSES), GUIDE_SHARE(MIN_ON_LINE),
				GUIDE_COUNT(MIN_ROUND_TRIPS), GUIDE_SHARE(MAX_INFLATED),
				GUIDE_COUNT(PATH_FACTOR)},
			.needs = "The losses with the time at which each had been sent first.",
			.traps = {"Random loss: how much passes between losses varies, and the "
				  "losses "
				  "leave the line.",
				"A short queue before a link that is seldom full loses on a line "
				"as "
				"well: packets alone do not tell it apart.",
				"A shaper holds packets back instead of dropping them: shaping."},
			.confidence = "Low: the limiter itself is not in the capture.",
			.advice = {{"Network", "Ask for the limit, and for a shaper instead of a "
					       "policer."},
				{"Linux", "'tc qdisc ... tbf rate' a little below the limit on the "
					  "sender; "
					  "BBR copes better than CUBIC."},
				{"Windows", "New-NetQosPolicy -ThrottleRateActionBitsPerSecond."}},
			.next_test =
				"Send at nine tenths of the limit (iperf3 -u -b RATE, or a "
				"throttled copy): below it nothing is lost, above it the excess.",
		},
};
