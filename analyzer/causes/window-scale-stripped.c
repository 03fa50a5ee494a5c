/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device on the path removes the window scale option. Causes 3.3.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/window.h"

/* RFC 9293 3.1: sixteen bits of window. */
#define UNSCALED_MAX 65535

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (window_kind(context) != WINDOW_STRIPPED)
		return false;
	Side side = window_side(context);
	if (!window_conclude(context, draft, side, UNSCALED_MAX))
		return false;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"The connection runs without TCP window scaling although the client offered it and "
		"the same server uses it with other hosts: a device on the way seems to remove the "
		"option, so %s may send no more than 64 KiB per %s round trip.",
		host_label(context, side), cause_time(context, (double)context->rtt_ns));
	draft->fix = "no device that edits TCP options";
	draft->doubt = "Seen from the answers to other hosts; captures on both sides of the device "
		       "would prove it.";
	draft->next_test = "capture the same SYN at the client and at the server and compare its "
			   "options";
	cause_advice(draft, "Look for TCP normalisation or option rules in firewalls, load "
			    "balancers and WAN accelerators between the hosts (iptables "
			    "TCPOPTSTRIP, Cisco 'tcp-options window-scale').");
	return true;
}

const Cause cause_window_scale_stripped = {
	.id = "window-scale-stripped",
	.title = "A device on the path removes TCP window scaling",
	.explanation =
		"Two hosts agree on windows above 64 KiB with an option in their first packets. "
		"Some firewalls and load balancers edit that option away. The hosts then work as "
		"if the other end were twenty years old: 64 KiB per round trip and no more.",
	.source = "RFC 7323 2; causes 3.3",
	.precedence = 350,
	.conclude = conclude,
	.rules_out = NULL,
};
