/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receive window grows, but stops short of what the path needs. docs/causes.md,
 * autotuning-restricted.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/window.h"

/* Microsoft's table of auto-tuning levels and window scales (net-sub-performance-tuning-nics). */
static const char *windows_level(int scale)
{
	switch (scale) {
	case 2:
		return "highlyrestricted";
	case 4:
		return "restricted";
	case 8:
		return "normal";
	case 14:
		return "experimental";
	default:
		return NULL;
	}
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (window_kind(context) != WINDOW_RESTRICTED)
		return false;
	Side side = window_side(context), receiver = host_other(side);
	const TcpDirection *d = host_direction(context, side);
	const TcpDirection *advertiser = host_direction(context, receiver);
	double window = d->edge_plateau;
	if (!window_conclude(context, draft, side, window))
		return false;
	draft->sentence = cause_printf(context,
		"The receive window of %s grew from %s to %s and stayed there, so %s still has to "
		"wait in each %s round trip.",
		host_label(context, receiver), cause_bytes(context, d->first_window),
		cause_bytes(context, window), host_label(context, side),
		cause_time(context, (double)context->rtt_ns));
	double wanted = cause_bdp_bytes(context);
	draft->fix = wanted > window ? cause_printf(context, "a larger limit: %s or more",
					       cause_bytes(context, wanted))
				     : "a larger limit for the receive window";
	cause_number(draft, "first window", NUMBER_BYTES, d->first_window);
	const char *level = windows_level(advertiser->window_scale);
	if (level && host_kind(context, receiver) == HOST_WINDOWS)
		cause_number_name(draft, "auto-tuning level, by its window scale", level);
	window_advice(context, draft, receiver, wanted);
	return true;
}

const Cause cause_autotuning_restricted = {
	.id = "autotuning-restricted",
	.title = "The receiver's window stopped growing too early",
	.explanation =
		"Current systems enlarge the receive window while a transfer runs. Here it grew, "
		"reached a limit that somebody set, and stayed below what the path between the "
		"hosts holds. The sender fills that window and then waits for the rest of the "
		"round trip.",
	.source = "Linux ip-sysctl tcp_rmem; Microsoft net-sub-performance-tuning-nics",
	.precedence = 360,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The window grew to {} times its start or more, then held for {} "
				"round trips or more while the sender kept stopping at its edge "
				"({} "
				"stops), below {} of what the path holds. On Windows the window "
				"scale tells the level: 2 highlyrestricted, 4 restricted, 8 "
				"normal, "
				"14 experimental.",
			.numbers = {GUIDE_COUNT(WINDOW_GROWTH_FACTOR),
				GUIDE_COUNT(WINDOW_HELD_ROUND_TRIPS),
				GUIDE_COUNT(WINDOW_MIN_EDGE_STOPS),
				GUIDE_SHARE(WINDOW_SMALL_SHARE)},
			.needs = "The handshake and some dozen round trips of data.",
			.traps = {"A transfer that ends while the window still grows: nothing is "
				  "said "
				  "about its limit.",
				"A window that never grew is receive-window-small."},
			.confidence =
				"High when the measured rate is what window / round trip gives, "
				"else medium.",
			.advice = {{"Windows", "'netsh int tcp set global autotuninglevel=normal'; "
					       "'Get-NetTCPSetting' shows what a policy sets."},
				{"Linux", "Raise the third value of net.ipv4.tcp_rmem to twice "
					  "what the path "
					  "holds."},
				{"NAS or appliance", "A limit on buffers is often a memory setting "
						     "of the device."}},
			.next_test = "Raise the limit on the receiving host for one copy and "
				     "compare the "
				     "largest window in a second capture.",
		},
};
