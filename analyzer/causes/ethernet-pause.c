/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ethernet flow control at work: a port asked the other end to be silent for a moment.
 */
#include "analyzer/causes/cause.h"

/* A few may come from a card that starts. Judgement. */
#define MIN_FRAMES 10

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const PauseFrames *p = &context->pauses;
	const Account *a = &context->unit->account;
	/* one must have come while this ran */
	if (p->count < MIN_FRAMES || p->last_ns < a->start_ns || p->first_ns > a->end_ns)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"%llu Ethernet pause frames were captured: a port could not take more and silenced "
		"its neighbour, whatever was to be sent.",
		(unsigned long long)p->count);
	cause_number(draft, "pause frames", NUMBER_COUNT, (double)p->count);
	cause_number(
		draft, "between first and last", NUMBER_NS, (double)(p->last_ns - p->first_ns));
	cause_evidence_elsewhere(context, draft, p->first_frame, p->first_ns, "first pause frame");
	cause_advice(draft, "Read the pause counters of switch and cards ('ethtool -S', 'show "
			    "interfaces'): one slow receiver can silence the port that serves "
			    "everybody. Flow control on that one port off, or a faster link for "
			    "it.");
	return true;
}

const Cause cause_ethernet_pause = {
	.id = "ethernet-pause",
	.title = "Ethernet flow control stops the sender",
	.explanation =
		"A network card or switch port that cannot take more asks the other end of the "
		"cable to be silent. That avoids losses, but it stops everything on that cable, "
		"not only what is for the slow one. Most cards keep these frames to themselves, "
		"so a capture that shows none proves nothing.",
	.source = "IEEE 802.3 annex 31B",
	.precedence = 735,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more pause frames were captured, some of them while the "
				"copy "
				"ran. Always a note.",
			.numbers = {GUIDE_COUNT(MIN_FRAMES)},
			.needs =
				"A capture point that sees them: a tap, or a card that passes them "
				"on.",
			.traps = {"Most cards and mirror ports do not show them: none captured "
				  "proves "
				  "nothing.",
				"When all flows of a port stand still together without loss, ask "
				"for its counters."},
			.confidence = "Medium.",
			.advice = {{"Network", "Pause counters of switch ports; flow control off "
					       "on the port of "
					       "the one slow receiver."},
				{"Linux", "'ethtool -a eth0', 'ethtool -S eth0'."},
				{"Windows", "'Get-NetAdapterAdvancedProperty' (Flow Control)."}},
			.next_test =
				"Read the pause counters of the ports before and after a copy.",
		},
};
