/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One side did not offer window scaling, so neither may announce more than 65535 bytes.
 * docs/causes.md, window-scale-off.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/window.h"

/* The side whose SYN lacks the option, as the unit counts sides: the initiator's when both do. */
static Side side_without(const CauseContext *context)
{
	const TcpDirection *initiator = &context->facts->tcp.dir[SIDE_CLIENT];
	const TcpDirection *lacking =
		initiator->window_scale < 0 ? initiator : &context->facts->tcp.dir[SIDE_SERVER];
	return lacking == host_direction(context, SIDE_CLIENT) ? SIDE_CLIENT : SIDE_SERVER;
}

static void advise(const CauseContext *context, FindingDraft *draft, Side side)
{
	HostKind kind = host_kind(context, side);
	if (kind != HOST_WINDOWS)
		cause_advice(draft, "Linux: 'sysctl net.ipv4.tcp_window_scaling' must be 1.");
	if (kind != HOST_UNIX)
		cause_advice(draft,
			"Windows: 'netsh int tcp show global' must not say 'disabled' for the "
			"receive window auto-tuning level; an old registry value Tcp1323Opts = 0 "
			"does the same.");
	cause_advice(draft, "Old appliance or printer: newer firmware. If the host does offer "
			    "scaling, capture on its own network card: a firewall between may "
			    "remove the option from the SYN.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (window_kind(context) != WINDOW_SCALE_OFF)
		return false;
	Side side = window_side(context), lacking = side_without(context);
	if (!window_conclude(context, draft, side, WINDOW_UNSCALED_MAX))
		return false;
	draft->confidence = CONFIDENCE_HIGH; /* both SYNs are in the capture and say so */
	draft->blame = host_blame(lacking);
	draft->sentence = cause_printf(context,
		"%s did not offer TCP window scaling, so no more than 64 KiB can be under way and "
		"%s waits for the rest of each %s round trip.",
		host_label_start(context, lacking), host_label(context, side),
		cause_time(context, (double)context->rtt_ns));
	draft->fix = "window scaling on";
	cause_number_name(draft, "without the option",
		lacking == SIDE_CLIENT ? "the client's SYN" : "the server's SYN");
	advise(context, draft, lacking);
	return true;
}

const Cause cause_window_scale_off = {
	.id = "window-scale-off",
	.title = "No TCP window scaling: 64 KiB a round trip",
	.explanation =
		"The field for the receive window has room for 65535 bytes. Larger windows need "
		"the window scale option, and both hosts must send it when they connect. Without "
		"it at most 64 KiB can be under way at any time, which on a path with some delay "
		"is much less than the path could carry.",
	.source = "RFC 7323 2.2-2.3",
	.precedence = 355,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Both SYN and SYN-ACK were seen and at least one lacks the window "
				"scale option; the sender stopped at the edge {} times or more, "
				"and "
				"the window at the stops was between {} and {}.",
			.numbers = {GUIDE_COUNT(WINDOW_MIN_EDGE_STOPS),
				GUIDE_BYTES(WINDOW_UNSCALED_MIN_MEAN),
				GUIDE_BYTES(WINDOW_UNSCALED_MAX)},
			.needs = "The whole handshake with all its options.",
			.traps = {"On a short path 64 KiB is enough: then no time is lost at the "
				  "edge "
				  "and nothing is said.",
				"The same server using the option with other clients points at a "
				"device in between: window-scale-stripped.",
				"A much smaller window than 64 KiB is a small buffer, with or "
				"without scaling: receive-window-small."},
			.confidence = "High: both packets are in the capture and say so.",
			.advice = {{"Windows", "'netsh int tcp show global' must not say "
					       "'disabled' for the "
					       "auto-tuning level; an old registry value "
					       "Tcp1323Opts = 0 does the "
					       "same."},
				{"Linux", "'sysctl net.ipv4.tcp_window_scaling' must be 1."},
				{"NAS or appliance", "Old devices lack the option: newer firmware, "
						     "or a newer device."},
				{"Network", "If the host does offer it, compare the SYN on both "
					    "sides of the "
					    "firewall."}},
			.next_test = "Capture the SYN on the network card of the host that seems "
				     "to lack "
				     "the option.",
		},
};
