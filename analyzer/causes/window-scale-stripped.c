/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device on the path removes the window scale option. docs/causes.md, window-scale-stripped.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/window.h"
#include "analyzer/tcp/scale_lost.h"

#define ADVICE                                                                                     \
	"Look for TCP normalisation or option rules in firewalls, load balancers and WAN "         \
	"accelerators between the hosts (iptables TCPOPTSTRIP, Cisco 'tcp-options window-scale')."

static void advise(FindingDraft *draft)
{
	cause_advice(draft, ADVICE);
	draft->next_test = "capture the same SYN and SYN-ACK at the client and at the server and "
			   "compare their options";
}

/* One side scales, the other does not know: what is left of a window is a few dozen bytes. */
static bool conclude_misread(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	cause_claim(context, draft, BUCKET_ZERO_WINDOW);
	cause_claim(context, draft, BUCKET_SLOW_READER);
	cause_claim(context, draft, BUCKET_RECEIVE_WINDOW);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	Side receiver = host_other(context->bulk);
	int64_t ramp = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > ramp ? draft->lost_ns - ramp : 0;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	const ConnectionFacts *f = context->facts;
	if (f->tcp.is_scale_lost)
		draft->doubt =
			"Both hosts announce window scaling where this was captured. That the "
			"option got lost behind it is concluded from segments that just fill the "
			"window as it stands in the packets, and from none that goes beyond.";
	draft->sentence = cause_printf(context,
		"Once connected, the receive window of %s falls from %s to %s: it means a multiple "
		"of that, but its window scale option got lost on the way, so %s sends next to "
		"nothing at a time.",
		host_label(context, receiver), cause_bytes(context, d->first_window),
		cause_bytes(context, d->max_window_after_syn), host_label(context, context->bulk));
	draft->fix = "no device that edits TCP options";
	cause_number(draft, "window in the handshake", NUMBER_BYTES, d->first_window);
	cause_number(draft, "largest window afterwards", NUMBER_BYTES, d->max_window_after_syn);
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	cause_evidence_bucket(context, draft, BUCKET_ZERO_WINDOW, "no room for a packet");
	advise(draft);
	return true;
}

/* Captured on both sides of the device. */
static void tell_proven(const CauseContext *context, FindingDraft *draft, Side sender)
{
	const ConnectionFacts *f = context->facts;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"The same SYN was captured with and without the TCP window scale option: a device "
		"between the two places removes it, so %s may send no more than 64 KiB per %s "
		"round trip.",
		host_label(context, sender), cause_time(context, (double)context->rtt_ns));
	cause_evidence(context, draft, f->tcp.scale_stripped_frame, f->tcp.syn_ns,
		"the SYN at the other place");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (window_is_misread(context))
		return conclude_misread(context, draft);
	if (window_kind(context) != WINDOW_STRIPPED)
		return false;
	Side side = window_side(context);
	if (!window_conclude(context, draft, side, WINDOW_UNSCALED_MAX))
		return false;
	draft->blame = "NETWORK";
	draft->fix = "no device that edits TCP options";
	if (context->facts->tcp.scale_stripped_frame != 0) {
		tell_proven(context, draft, side);
		cause_advice(draft, ADVICE);
		return true;
	}
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"The connection runs without TCP window scaling although the client offered it and "
		"the same server uses it with other hosts: a device on the way seems to remove the "
		"option, so %s may send no more than 64 KiB per %s round trip.",
		host_label(context, side), cause_time(context, (double)context->rtt_ns));
	draft->doubt = "Seen from the answers to other hosts; captures on both sides of the device "
		       "would prove it.";
	advise(draft);
	return true;
}

const Cause cause_window_scale_stripped = {
	.id = "window-scale-stripped",
	.title = "A device on the path removes TCP window scaling",
	.explanation =
		"Two hosts agree on windows above 64 KiB with an option in their first packets. "
		"Some firewalls and load balancers edit that option away. The hosts then work as "
		"if the other end were twenty years old: 64 KiB per round trip and no more.",
	.source = "RFC 7323 2; measured with a device that removes the option",
	.precedence = 339,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Either the server answers other clients with the window scale "
				"option and this one without it, and the sender stops at 64 KiB; "
				"or, one side only, the window falls from {} or more in the "
				"handshake to a {}th of it or less in the first packet after it. "
				"Before the device both SYNs still have the option: then {} "
				"segments in a row that end at the last byte of the unscaled "
				"window, and none beyond it, prove the same. With both places in "
				"one capture the same SYN is there with the option and without.",
			.numbers = {GUIDE_BYTES(WINDOW_MISREAD_MIN_FIRST),
				GUIDE_COUNT(WINDOW_MISREAD_FACTOR),
				GUIDE_COUNT(SCALE_LOST_FILLS_MIN)},
			.needs = "The whole handshake, and either other connections of the same "
				 "server or the collapse itself.",
			.traps = {"A server that has scaling switched off lacks it for everybody: "
				  "window-scale-off.",
				"Messages that happen to be as long as the window field prove "
				"nothing: the field must change with them, or the client's own "
				"field stay what it was in its SYN."},
			.confidence =
				"Medium: one capture shows the effect. High: both places were "
				"captured, which shows the device.",
			.advice = {{"Network", "Look for TCP normalisation or option rules in "
					       "firewalls, load "
					       "balancers and WAN accelerators (Cisco 'tcp-options "
					       "window-scale', "
					       "iptables TCPOPTSTRIP)."},
				{"Any", "A host or path without the device is the quickest "
					"proof."}},
			.next_test =
				"Capture the same SYN and SYN-ACK at the client and at the server "
				"and compare their options.",
		},
};
