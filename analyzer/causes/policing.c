/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rate limiter throws away what is too much instead of letting it wait: a policer.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/constants.h"

/* Twice the rule's least events and a quarter of its errors leave no doubt. */
#define SURE_EVENTS 10
#define SURE_WRONG 0.05
/* A range as narrow as this reads as one number. */
#define NARROW 1.25

/* Limits are agreed in bits. */
static const char *bits(const CauseContext *context, double bytes_per_s)
{
	double per_s = bytes_per_s * 8;
	if (per_s < 1e6)
		return cause_printf(context, "%.0f kbit/s", per_s / 1e3);
	return cause_printf(context, per_s < 10e6 ? "%.1f Mbit/s" : "%.0f Mbit/s", per_s / 1e6);
}

static const char *limit_text(const CauseContext *context, const TrailFit *fit)
{
	if (fit->high <= NARROW * fit->low)
		return bits(context, fit->bytes_per_s);
	return cause_printf(context, "%s to %s", bits(context, fit->low), bits(context, fit->high));
}

static void advise(const CauseContext *context, FindingDraft *draft, const LossFacts *facts)
{
	cause_evidence(context, draft, facts->direction->first_loss_frame, 0, "first repair");
	cause_advice(draft,
		"Ask the provider or the firewall's administrator for the limit, and for "
		"a shaper (that queues) instead of a policer (that drops).");
	cause_advice(draft, "Let the sender keep a little below it: Linux 'tc qdisc ... tbf rate', "
			    "Windows New-NetQosPolicy -ThrottleRateActionBitsPerSecond; BBR copes "
			    "better than CUBIC.");
	draft->next_test = "send at nine tenths of the limit (iperf3 -u -b RATE, or a throttled "
			   "copy): below it nothing is lost, above it the excess";
}

static bool conclude_possible(
	const CauseContext *context, FindingDraft *draft, const LossFacts *facts)
{
	if (!loss_is_on_line(context, facts))
		return false;
	const LossLine *line = &facts->direction->loss_line;
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
	advise(context, draft, facts);
	return true;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	LossKind kind = loss_kind(context, &facts);
	if ((kind == LOSS_RANDOM || kind == LOSS_CONGESTIVE) && facts.side == context->bulk)
		return conclude_possible(context, draft, &facts);
	if (kind != LOSS_POLICED || !loss_conclude(context, draft, &facts))
		return false;
	const TrailFit *fit = &context->trail;
	bool is_sure = fit->events >= SURE_EVENTS && fit->upstream <= 0.5 &&
		       fit->passed_wrong + fit->lost_wrong <= SURE_WRONG;
	draft->confidence = is_sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	if (!is_sure)
		draft->doubt = "The limiter itself is not in the capture; what it would have "
			       "dropped and what was lost differ a little.";
	draft->sentence = cause_printf(context,
		"%s of the packets from %s were lost %s (%llu of %llu), just those beyond %s and "
		"short bursts: a rate limiter drops them. Repairing them, and sending carefully "
		"afterwards, took %s of %s.",
		cause_percent(context, facts.rate), host_label(context, facts.side),
		loss_place(context, &facts), (unsigned long long)facts.lost,
		(unsigned long long)facts.sent, limit_text(context, fit),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "a sender that keeps below the limit";
	double most = fit->high <= NARROW * fit->low ? fit->bytes_per_s : fit->high;
	draft->ceiling_bytes_per_s = most * context->mss / (context->mss + CAUSE_HEADER_BYTES);
	draft->ceiling_formula = cause_printf(context, "%s less headers = %s", bits(context, most),
		cause_rate(context, draft->ceiling_bytes_per_s));
	cause_number(draft, "limit at least, with headers", NUMBER_RATE, fit->low);
	cause_number(draft, "limit at most", NUMBER_RATE, fit->high);
	cause_number(draft, "burst it lets pass, at least", NUMBER_BYTES, fit->burst);
	cause_number(draft, "losses it explains", NUMBER_PERCENT, 100 * (1 - fit->lost_wrong));
	cause_number(draft, "of the others it would pass", NUMBER_PERCENT,
		100 * (1 - fit->passed_wrong));
	cause_number(draft, "round trip longer at the losses", NUMBER_NS, (double)fit->queued_ns);
	advise(context, draft, &facts);
	return true;
}

const Cause cause_policing = {
	.id = "policing",
	.title = "A rate limiter drops what is too much",
	.explanation =
		"Some providers and firewalls limit a rate by throwing away packets that exceed "
		"it, without a queue. TCP takes each loss for congestion and slows down far below "
		"the limit, then tries again. The limit itself may be intended; the drops make the "
		"copy slower than it allows.",
	.source = "Flach et al., SIGCOMM 2016",
	.precedence = 329,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "A bucket of tokens is looked for that drops the packets that were "
				"lost and passes the others, all connections between the hosts "
				"together, from the first loss on: {} or more losses in {} or more "
				"events, and of both kinds it tells nine in ten right (the two "
				"shares of errors are {} or less together). A queue of that depth "
				"and rate would have made packets wait: the round trip had grown "
				"by less than half of that at the losses; beside the receiver "
				"bursts of {} full frames and more came through instead. And the "
				"path carries {} times the rate (or, before the place of the "
				"losses, its "
				"speed is not proven). Where "
				"only the receiver's side was seen: {} of the losses on one "
				"straight line of bytes over time, over {} round trips or more, "
				"no more than {} of them after a round trip that grew; that is a "
				"possibility beside loss-congestive or loss-random.",
			.numbers = {GUIDE_COUNT(TRAIL_MIN_LOSSES), GUIDE_COUNT(TRAIL_MIN_EVENTS),
				GUIDE_SHARE(TRAIL_MAX_WRONG), GUIDE_COUNT(TRAIL_BURST_FRAMES),
				GUIDE_COUNT(LOSS_PATH_FACTOR), GUIDE_SHARE(LOSS_LINE_SHARE),
				GUIDE_COUNT(LOSS_LINE_ROUND_TRIPS), GUIDE_SHARE(LOSS_LINE_INFLATED),
				GUIDE_COUNT(SURE_EVENTS), GUIDE_SHARE(SURE_WRONG)},
			.needs = "The lost packets and those that passed, each with its time: best "
				 "recorded at the sender.",
			.traps = {"Random loss: what passed before a lost packet is no more than "
				  "before others, and no bucket parts them.",
				"A short queue before a slow link drops the same packets, but the "
				"others wait in it: loss-congestive.",
				"One burst of losses fits any bucket.",
				"A shaper holds packets back instead of dropping them: shaping."},
			.confidence =
				"High with {} events and {} or less of errors, recorded before the "
				"place of the losses; otherwise medium, and low for the line.",
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
