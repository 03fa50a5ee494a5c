/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Some hop runs at a lower Ethernet speed than others of the same hosts in the same capture.
 * docs/causes.md, link-speed-low.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, link-speed-low. */
#define MIN_LINK_SHARE 0.70
#define MAX_NOMINAL_BPS 100e6
#define FASTER_FACTOR 1.5

static double capacity_of(const ConnectionFacts *c, int side, bool *ret_proven)
{
	Capacity capacity = path_capacity(c->path, path_way(c->client_is_low, (Side)side));
	*ret_proven = capacity.is_proven && !capacity.is_share;
	return capacity.bytes_per_s;
}

static bool shares_host(const ConnectionFacts *c, const Unit *u)
{
	for (int i = 0; i < 2; i++) {
		if (memcmp(c->addr[i], u->addr[0], 16) == 0 ||
			memcmp(c->addr[i], u->addr[1], 16) == 0)
			return true;
	}
	return false;
}

/* The fastest proven speed that one of the two network cards reached in another connection: with
 * the same address the same card. */
static double faster_elsewhere(const CauseContext *context)
{
	double best = 0;
	const Unit *u = context->unit;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		if (c == context->facts || !c->path || c->path == context->facts->path)
			continue;
		bool is_shared = shares_host(c, u);
		for (int side = 0; side < 2 && is_shared; side++) {
			bool is_proven;
			double speed = capacity_of(c, side, &is_proven);
			if (is_proven && speed > best)
				best = speed;
		}
	}
	return best;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Capacity *c = &context->capacity;
	if (!context->sender || !c->is_proven || c->is_share ||
		cause_share(context, context->link_ns) < MIN_LINK_SHARE)
		return false;
	double nominal = path_nominal_bps(c->bytes_per_s);
	if (nominal <= 0 || nominal > MAX_NOMINAL_BPS)
		return false;
	double expected = faster_elsewhere(context);
	if (expected < FASTER_FACTOR * c->bytes_per_s)
		return false;
	double gain = 1 - c->bytes_per_s / expected;
	cause_claim_part(context, draft, BUCKET_LINK, (int64_t)(gain * (double)context->link_ns));
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns / 2;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"The path runs at %.0f Mbit/s although one of the hosts reaches %s with another: "
		"some link between %s and %s seems to be set to the lower speed.",
		nominal / 1e6, cause_rate(context, expected), context->sender_name,
		context->receiver_name);
	draft->fix = "every link at full speed";
	draft->next_test = "compare the speed that network cards and switch ports report: 'ethtool "
			   "eth0 | grep Speed', Get-NetAdapter";
	cause_number(draft, "speed of this path", NUMBER_RATE, c->bytes_per_s);
	cause_number(draft, "speed elsewhere", NUMBER_RATE, expected);
	cause_evidence_bucket(context, draft, BUCKET_LINK, "sending at the lower speed");
	cause_advice(draft, "Check the cable first: a gigabit link needs all four pairs and falls "
			    "back to 100 Mbit/s with one broken wire.");
	cause_advice(draft, "An old dock, IP telephone or switch in between, or energy saving on "
			    "the network card, also limits a port to 100 Mbit/s.");
	return true;
}

const Cause cause_link_speed_low = {
	.id = "link-speed-low",
	.title = "A link runs below its speed",
	.explanation =
		"Network ports agree on a speed when they are plugged in. A bad cable or an old "
		"device between makes them agree on a tenth of what they could. The copy then "
		"fills that slower link all the time.",
	.source = "IEEE 802.3; Katti et al. 2004",
	.precedence = 615,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The link was busy {} of the time at a proven speed of 10 or {} "
				"Mbit/s, and one of the two hosts reaches {} times as much with "
				"another in the same capture.",
			.numbers = {GUIDE_SHARE(MIN_LINK_SHARE), GUIDE_COUNT(MAX_NOMINAL_BPS / 1e6),
				GUIDE_COUNT(FASTER_FACTOR)},
			.needs = "A reason to expect more; without one the speed is only stated "
				 "(link-limited).",
			.traps = {"A shaper set to a round number looks alike: it lets a first "
				  "burst "
				  "pass (shaping).",
				"A service of 100 Mbit/s is as it should be."},
			.confidence = "Medium.",
			.advice = {{"Network", "Check the cable first: a gigabit link needs all "
					       "four pairs and "
					       "falls back to 100 Mbit/s with one broken wire."},
				{"Linux", "'ethtool eth0 | grep Speed'."},
				{"Windows", "'Get-NetAdapter'."},
				{"Any", "An old dock, IP telephone or switch in between, or energy "
					"saving "
					"on the card."}},
			.next_test =
				"Compare the speed that cards and switch ports report: 'ethtool "
				"eth0 | grep Speed', Get-NetAdapter.",
		},
};
