/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * After each pause the sender begins again from a small window. docs/causes.md, idle-restart.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, idle-restart. */
#define MIN_RESTARTS 3

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || d->restarts_small < MIN_RESTARTS || context->rtt_ns <= 0)
		return false;
	cause_claim(context, draft, BUCKET_SLOW_START);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	/* the first start of the connection stays */
	int64_t first = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > first ? draft->lost_ns - first : 0;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = host_blame(context->bulk);
	draft->sentence = cause_printf(context,
		"After each of %llu pauses %s started again from a small window and doubled it "
		"once per %s round trip; that took %s of %s.",
		(unsigned long long)d->restarts_small, host_label(context, context->bulk),
		cause_time(context, (double)context->rtt_ns),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "keep the window over pauses";
	cause_number(draft, "restarts", NUMBER_COUNT, (double)d->restarts_small);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_bucket(context, draft, BUCKET_SLOW_START, "waited for the window to grow");
	if (host_kind(context, context->bulk) != HOST_WINDOWS)
		cause_advice(draft, "Linux sender: 'sysctl net.ipv4.tcp_slow_start_after_idle=0'; "
				    "on a shared long-distance line that may cause loss.");
	if (host_kind(context, context->bulk) != HOST_UNIX)
		cause_advice(draft, "Windows sender: Set-NetTCPSetting -CwndRestart False.");
	cause_advice(draft, "Remove the pauses: find out what the program waits for between the "
			    "bursts.");
	return true;
}

const Cause cause_idle_restart = {
	.id = "idle-restart",
	.title = "The window collapses after each pause",
	.explanation =
		"A sender that was silent for a while no longer knows how busy the path is. By "
		"default it begins again with about ten packets and doubles with each round trip. "
		"A program that sends in bursts with pauses never gets up to speed.",
	.source = "RFC 5681 4.1; RFC 7661",
	.precedence = 380,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} times or more the sender was silent for longer than its timer "
				"and then began with half of what it had under way before, or "
				"less, "
				"and doubled again.",
			.numbers = {GUIDE_COUNT(MIN_RESTARTS)},
			.needs = "Pauses with everything acknowledged, in one direction of data.",
			.traps = {"A short message after a pause is small by itself: only rounds "
				  "that "
				  "end because of acknowledgements count.",
				"A loss before the pause explains the small window."},
			.confidence =
				"Medium: the window of the sender is inferred from what it sends.",
			.advice = {{"Linux", "'sysctl net.ipv4.tcp_slow_start_after_idle=0' on the "
					     "sender; on a "
					     "shared long line that may cause loss."},
				{"Windows",
					"'Set-NetTCPSetting -CwndRestart False' on the sender."},
				{"Any", "Remove the pauses: find out what the program waits for "
					"between its "
					"bursts."}},
			.next_test =
				"Switch the restart off on the sender for one copy and compare.",
		},
};
