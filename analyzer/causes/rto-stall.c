/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connection stood silent until the retransmission timer expired. docs/causes.md, rto-stall.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_TIMEOUT || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	const Account *a = &context->unit->account;
	int64_t longest = account_evidence(a, BUCKET_RTO_STALL)[0].ns;
	bool has_pairs = d->timeouts >= 2;
	draft->confidence = has_pairs ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"After losses %s could only wait for its retransmission timer: %s, %s at "
		"the longest; timers and the slow start after them took %s of %s.",
		host_label(context, facts.side),
		cause_times(context, d->timeouts + d->unseen_stalls),
		cause_time(context, (double)longest), cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "no packet loss on the path";
	cause_number(draft, "longest wait", NUMBER_NS, (double)longest);
	cause_advice(draft, cause_printf(context,
				    "Find the loss %s: many packets in a row vanish there, as in "
				    "outages of a radio link, a rerouting or an overrun device.",
				    loss_place(context, &facts)));
	if (!context->sender->sack_permitted || !context->receiver->sack_permitted)
		cause_advice(draft, "Switch selective acknowledgements on (Linux: "
				    "net.ipv4.tcp_sack=1); without them more losses end in a "
				    "timer.");
	if (host_kind(context, facts.side) != HOST_WINDOWS)
		cause_advice(draft, "Linux sender: net.ipv4.tcp_early_retrans=3 and "
				    "net.ipv4.tcp_recovery=1 (the defaults) repair what can be "
				    "repaired without the timer.");
	if (host_kind(context, facts.side) != HOST_UNIX)
		cause_advice(draft, "Windows sender: on a local network Set-NetTCPSetting "
				    "-MinRtoMs shortens the timer.");
	return true;
}

const Cause cause_rto_stall = {
	.id = "rto-stall",
	.title = "Waiting for the retransmission timer",
	.explanation =
		"When so much is lost that the receiver cannot report it, the sender notices "
		"nothing until a timer expires. That takes a fifth of a second or more, doubles "
		"each time, and nothing moves meanwhile. Afterwards the sender begins again from "
		"one packet.",
	.source = "RFC 6298 2-5; RFC 8985",
	.precedence = 325,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Most of the time lost to loss was silence until a retransmission "
				"timer expired (at least 0.2 s each, doubling), and timers were at "
				"least half as many as the loss events or fewer than {} packets "
				"were lost at all.",
			.numbers = {GUIDE_COUNT(LOSS_MIN_PACKETS)},
			.needs = "The packet that the timer repeated; or gaps in the sender's "
				 "packet "
				 "numbers when the repeats did not pass the capture point.",
			.traps = {"A host that thinks for as long ends its pause with something "
				  "new, "
				  "not with a repeat.",
				"A delayed acknowledgement of 200 ms is no timer of the sender.",
				"The very last packet of a message: tail-loss."},
			.confidence =
				"High with two timers seen; medium when only the packet numbers "
				"tell of them.",
			.advice = {{"Network", "Find where many packets in a row vanish: outages "
					       "of a radio link, "
					       "a rerouting, an overrun device."},
				{"Linux", "Keep net.ipv4.tcp_sack, tcp_recovery and "
					  "tcp_early_retrans at "
					  "their defaults: they repair what can be repaired "
					  "without the "
					  "timer."},
				{"Windows", "On a local network 'Set-NetTCPSetting -MinRtoMs' "
					    "shortens the "
					    "timer."}},
			.next_test =
				"Capture at both ends at the same time and look for the packets "
				"that one sent and the other never saw.",
		},
};
