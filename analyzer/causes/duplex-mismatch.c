/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One end of a copper link is in half duplex, the other in full: a possibility where packets of a
 * short path at 10 or 100 Mbit/s are lost one by one under load.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/constants.h"

/* A mismatch loses per cents, a bad cable of that class rather less (Shalunov and Carlson 2005). */
#define MIN_RATE 0.01
#define MIN_LOSSES 30
/* Gigabit copper always negotiates (IEEE 802.3 40.5.1): a mismatch needs a slower link. */
#define MAX_NOMINAL_BPS 100e6
/* Within one building; farther away other reasons come first. Judgement. */
#define MAX_RTT_NS (5 * MILLISECOND_NS)
/* No full queue: hardly any loss after a round trip that grew. */
#define MAX_INFLATED 0.20

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (context->rtt_ns <= 0 || context->rtt_ns > MAX_RTT_NS ||
		loss_kind(context, &facts) != LOSS_RANDOM || facts.rate < MIN_RATE ||
		facts.lost < MIN_LOSSES)
		return false;
	const TcpDirection *d = facts.direction;
	double nominal = path_nominal_bps(context->capacity.bytes_per_s);
	if (nominal <= 0 || nominal > MAX_NOMINAL_BPS || context->capacity.is_share ||
		(double)d->loss_events_inflated > MAX_INFLATED * (double)d->loss_events)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_LOW;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"%s of the packets are lost one by one on a short path at %.0f Mbit/s without a "
		"full "
		"queue, as when one end of a cable is in half duplex and the other in full.",
		cause_percent(context, facts.rate), nominal / 1e6);
	draft->doubt =
		"A bad cable or port loses in the same way; collisions do not show in packets.";
	cause_number(draft, "loss", NUMBER_PERCENT, 100 * facts.rate);
	cause_number(draft, "path speed", NUMBER_RATE, context->capacity.bytes_per_s);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence(context, draft, d->first_loss_frame, 0, "first repair");
	cause_advice(draft,
		"Set both ends of each cable to automatic negotiation, or both to the same "
		"fixed mode; one fixed and one automatic end gives a mismatch.");
	draft->next_test = "read the counters of both ends of each cable during a copy: late "
			   "collisions on one and FCS errors on the other are a mismatch ('ethtool "
			   "-S', 'show interface')";
	return true;
}

const Cause cause_duplex_mismatch = {
	.id = "duplex-mismatch",
	.title = "The ends of a cable may be in different duplex modes",
	.explanation =
		"In half duplex a port listens before it sends and stops when it hears something; "
		"in "
		"full duplex it just sends. When the two ends of a cable differ, packets that meet "
		"are lost. A ping works, a copy crawls, and more traffic makes it worse.",
	.source = "Shalunov and Carlson, PAM 2005; IEEE 802.3 28 and 40.5.1",
	.precedence = 334,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more of the packets, {} at least, were lost one by one on a "
				"path at 10 or {} Mbit/s with a round trip of {} or less, no more "
				"than {} of them after a round trip that grew. Always a "
				"possibility "
				"beside loss-random, which holds the time.",
			.numbers = {GUIDE_SHARE(MIN_RATE), GUIDE_COUNT(MIN_LOSSES),
				GUIDE_COUNT(MAX_NOMINAL_BPS / 1e6), GUIDE_NS(MAX_RTT_NS),
				GUIDE_SHARE(MAX_INFLATED)},
			.needs = "The speed of the path from trains of packets.",
			.traps = {"Gigabit copper always negotiates: no mismatch.",
				"Losses with a growing queue are loss-congestive.",
				"Whether lost packets met others on the wire does not show: "
				"acknowledgements are on their way at almost every moment of a "
				"copy."},
			.confidence = "Low: collisions are not in a capture.",
			.advice = {{"Network", "Set both ends of each cable to automatic "
					       "negotiation, or both to "
					       "the same fixed mode."},
				{"Linux", "'ethtool eth0' (Duplex), 'ethtool -S eth0'."},
				{"Windows", "'Get-NetAdapter | Format-List Name, FullDuplex, "
					    "LinkSpeed'."},
				{"NAS or appliance",
					"Its port and the switch's: late collisions, FCS errors."}},
			.next_test =
				"Read the counters of both ends of each cable during a copy: late "
				"collisions on one and FCS errors on the other are a mismatch.",
		},
};
