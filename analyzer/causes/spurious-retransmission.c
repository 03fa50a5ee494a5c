/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sender repeated data that the receiver already had. docs/causes.md, spurious-retransmission.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_SPURIOUS || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	/* where half of the repairs were needed, real losses may have cost as much */
	bool is_most = facts.unneeded > facts.lost + facts.answers_lost;
	draft->confidence = d->spurious > 0 && is_most ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	const char *why =
		facts.lost == 0 ? "nothing was lost, but the path held packets back so long that "
				  "it thought so; that"
				: "the path held packets back so long that they seemed lost; with "
				  "the packets that may really have been lost that";
	draft->sentence = cause_printf(context,
		"%llu of %llu packets that %s sent again had arrived already: %s took %s of %s.",
		(unsigned long long)facts.unneeded, (unsigned long long)facts.repairs,
		host_label(context, facts.side), why, cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	if (!is_most)
		draft->doubt = "As many of the packets sent again were needed, so a part of the "
			       "time may be real loss.";
	draft->fix = "a path without sudden delays";
	cause_number(draft, "repeated for nothing", NUMBER_COUNT, (double)facts.unneeded);
	cause_number(draft, "longest round trip", NUMBER_NS,
		(double)(d->max_rtt_ns + (context->rtt_ns - d->min_rtt_ns > 0
							 ? context->rtt_ns - d->min_rtt_ns
							 : 0)));
	cause_evidence(context, draft, d->first_spurious_frame, d->first_spurious_ns,
		"shows that a repeat was not needed");
	cause_advice(draft, "Look for what holds packets back for fractions of a second: Wi-Fi "
			    "power saving, a VPN or virtual machine that pauses, a link that "
			    "re-synchronises.");
	cause_advice(draft, "Keep TCP timestamps and selective acknowledgements switched on: with "
			    "them a sender notices its mistake and takes the slow-down back.");
	return true;
}

const Cause cause_spurious_retransmission = {
	.id = "spurious-retransmission",
	.title = "Packets were sent again although none was lost",
	.explanation =
		"A sender repeats a packet when no answer comes for longer than it expects. When "
		"the path suddenly holds packets back, the answer comes late, not never: the "
		"repeat is wasted and, worse, the sender slows down as if the path were "
		"overloaded.",
	.source = "RFC 2883; RFC 3522; RFC 5682",
	.precedence = 302,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "At least {} packets and more than {} of all repairs were sent "
				"again "
				"although "
				"the receiver had them: it says so (D-SACK), or the answer belongs "
				"to the original (timestamps), or came too soon for the repeat.",
			.numbers = {GUIDE_COUNT(LOSS_SPURIOUS_MIN),
				GUIDE_SHARE(LOSS_SPURIOUS_SHARE)},
			.needs = "Acknowledgements of the receiver; timestamps or D-SACK.",
			.traps = {"A slow reader that holds its acknowledgements makes the sender "
				  "repeat as well: told as slow-reader.",
				"Packets out of order in numbers: told as reordering.",
				"A copy in the capture is no repeat."},
			.confidence = "High with D-SACK when most repairs were needless; medium "
				      "otherwise.",
			.advice = {{"Network", "Look for what holds packets back for fractions of "
					       "a second: Wi-Fi "
					       "power saving, a VPN or virtual machine that "
					       "pauses, a line that "
					       "re-synchronises."},
				{"Linux", "Keep tcp_timestamps and tcp_sack on: with them a sender "
					  "takes its "
					  "mistake back."},
				{"Windows", "'netsh int tcp set global timestamps=enabled' on the "
					    "sender."}},
			.next_test = "Run a ping with ten packets a second beside the copy: single "
				     "round "
				     "trips of the length of the timer show the spikes.",
		},
};
