/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last packets of a burst are lost and nothing follows them, so only a timer repairs them.
 * docs/causes.md, tail-loss.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_TAIL || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	uint64_t seen = d->tail_timeouts + d->tail_probes, unseen = d->unseen_stalls;
	const Account *a = &context->unit->account;
	int64_t longest = account_evidence(a, BUCKET_RTO_STALL)[0].ns;
	if (longest < account_evidence(a, BUCKET_TAIL_LOSS)[0].ns)
		longest = account_evidence(a, BUCKET_TAIL_LOSS)[0].ns;
	draft->confidence = seen >= 2 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"The last packets that %s sent%s were lost %s, with nothing after them that could "
		"report it, so a timer had to expire first: %s at the longest, %s of %s in all.",
		host_label(context, facts.side),
		facts.answers_lost > 0 ? ", or the answers to them," : "",
		cause_times(context, seen + unseen), cause_time(context, (double)longest),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "no packet loss on the path";
	if (unseen > seen)
		draft->doubt = "The lost packets did not reach the capture point: the gaps in the "
			       "sender's packet numbers tell of them.";
	cause_number(draft, "longest wait", NUMBER_NS, (double)longest);
	cause_advice(
		draft, cause_printf(context, "Find the loss %s.", loss_place(context, &facts)));
	if (host_kind(context, facts.side) != HOST_WINDOWS)
		cause_advice(draft, "Linux sender: net.ipv4.tcp_early_retrans=3 (the default) "
				    "sends a probe after two round trips instead of waiting for "
				    "the timer.");
	if (host_kind(context, facts.side) != HOST_UNIX)
		cause_advice(draft, "Windows sender: Set-NetTCPSetting -MinRtoMs shortens the "
				    "timer on a local network.");
	cause_advice(draft, "Fewer, larger requests have fewer last packets.");
	return true;
}

const Cause cause_tail_loss = {
	.id = "tail-loss",
	.title = "The last packets of messages were lost",
	.explanation =
		"A receiver reports a gap when later packets arrive. When the very last packet of "
		"a message is lost nothing comes after it, so nobody reports anything and the "
		"sender has to wait for a timer. Requests, answers and small files suffer from "
		"this most.",
	.source = "RFC 8985 7; RFC 6298",
	.precedence = 320,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "As rto-stall, but at least half of the timers were tail probes or "
				"expired with so little under way that nothing else could report "
				"the loss.",
			.needs = "The repeated packet, or gaps in the sender's packet numbers "
				 "before "
				 "a pause.",
			.traps = {"At the receiver the loss leaves no gap: the sender's packet "
				  "numbers (IPv4 identification) tell of it, where they count "
				  "evenly.",
				"A server that thinks for 0.2 s sends something new afterwards."},
			.confidence =
				"High with two such events seen; medium when the packet numbers "
				"alone tell of them.",
			.advice = {{"Network", "Find the loss; see the error counters of cards and "
					       "ports on the "
					       "way."},
				{"Linux", "net.ipv4.tcp_early_retrans=3 (the default) sends a "
					  "probe after two "
					  "round trips instead of waiting for the timer."},
				{"Windows", "'Set-NetTCPSetting -MinRtoMs' shortens the timer on a "
					    "local "
					    "network."},
				{"Any", "Fewer, larger requests have fewer last packets."}},
			.next_test =
				"Capture at both ends at the same time: the packet before each "
				"pause is missing at the receiver.",
		},
};
