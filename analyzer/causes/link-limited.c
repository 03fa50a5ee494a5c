/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The healthy verdict: the bytes needed the time. docs/causes.md, link-limited.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/neighbours.h"
#include "analyzer/constants.h"

/* docs/architecture.md, "Every nanosecond once": names of Ethernet speeds. */
static const char *speed_name(double nominal_bps)
{
	if (nominal_bps >= 1e9)
		return nominal_bps == 2.5e9 ? "2.5 Gbit/s" : NULL;
	return nominal_bps == 10e6 ? "10 Mbit/s" : nominal_bps == 100e6 ? "100 Mbit/s" : NULL;
}

static const char *nominal_text(const CauseContext *context, double nominal_bps)
{
	const char *name = speed_name(nominal_bps);
	return name ? name : cause_printf(context, "%.0f Gbit/s", nominal_bps / 1e9);
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (cause_share(context, context->link_ns) < HEALTHY_LINK_SHARE || context->rate <= 0)
		return false;
	draft->is_note = true;
	const Capacity *c = &context->capacity;
	bool is_speed = c->is_proven && c->bytes_per_s > 0;
	bool is_full = is_speed && !c->is_share &&
		       context->rate >= FULL_RATE_SHARE * context->goodput_limit;
	double nominal = is_full ? path_nominal_bps(c->bytes_per_s) : 0;
	draft->confidence = is_speed ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	const char *rate = cause_rate(context, context->rate);
	if (nominal > 0)
		draft->sentence = cause_printf(context, "%s is what a full %s link carries.", rate,
			nominal_text(context, nominal));
	else if (is_speed && !c->is_share)
		draft->sentence = cause_printf(context,
			"%s is what the path carries: its slowest part lets %s through.", rate,
			cause_rate(context, c->bytes_per_s));
	else
		draft->sentence = cause_printf(context,
			"The path was busy %s of the time: %s is what it gave this transfer.",
			cause_percent(context, cause_share(context, context->link_ns)), rate);
	draft->ceiling_bytes_per_s = context->goodput_limit;
	cause_number(draft, "rate", NUMBER_RATE, context->rate);
	if (is_speed)
		cause_number(draft, "path speed with headers", NUMBER_RATE, c->bytes_per_s);
	cause_number(
		draft, "path busy", NUMBER_PERCENT, 100 * cause_share(context, context->link_ns));
	cause_advice(draft, "To go faster: a faster link, compression, or fewer bytes.");
	return true;
}

/* How long the path was busy follows from its speed: without one, or with one that is only guessed
 * from frames that a card has joined, nobody knows. What others sent kept it busy as
 * well, and where that was much the path is no small matter. */
static const char *rules_out(const CauseContext *context)
{
	const Capacity *c = &context->capacity;
	bool is_joined = context->sender && context->sender->segments_over_mss > 0;
	int64_t others = context->unit->account.bucket_ns[BUCKET_OTHER_TRAFFIC];
	int64_t busy = context->link_ns + others;
	if (busy <= 0 || c->bytes_per_s <= 0 || (is_joined && !c->is_proven) ||
		cause_share(context, busy) >= HEALTHY_LINK_SHARE ||
		cause_share(context, others) >= MAJOR_SHARE || neighbours_fill_path(context))
		return NULL;
	return cause_printf(context, "the path was busy only %s of the time",
		cause_percent(context, cause_share(context, busy)));
}

const Cause cause_link_limited = {
	.id = "link-limited",
	.title = "The path was full: nothing is wrong",
	.explanation =
		"The transfer used what the slowest link between the hosts can carry, headers "
		"included, nearly all of the time. No setting on the hosts makes it faster.",
	.source = "T-RAT (SIGCOMM 2002), bandwidth-limited transfers",
	.precedence = 700,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "The link was busy {} of the time or more. The speed is named as "
				"an "
				"Ethernet speed only when trains of 16 and more packets, or a "
				"standing queue, agree on it; \"full\" is {} of what that speed "
				"carries. Always a note: the healthy verdict.",
			.numbers = {GUIDE_SHARE(HEALTHY_LINK_SHARE), GUIDE_SHARE(FULL_RATE_SHARE)},
			.needs = "Trains of packets in the capture.",
			.traps = {"A queue that other transfers share gives this transfer's share, "
				  "not the link's speed: then no speed is named."},
			.confidence = "High when the speed is proven, else medium.",
			.advice = {{"Any",
				"To go faster: a faster link, compression, or fewer bytes."}},
			.next_test = "None is needed: the link was full.",
		},
};
