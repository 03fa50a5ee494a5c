/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A long round trip makes every other cause expensive: a note. docs/causes.md, rtt-high.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, rtt-high: beyond a town, and half of the time spent on what it multiplies. */
#define MIN_RTT_NS (20 * MILLISECOND_NS)
#define MIN_SHARE 0.5

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const int64_t *ns = context->unit->account.bucket_ns;
	int64_t multiplied = ns[BUCKET_ROUND_TRIP] + ns[BUCKET_RECEIVE_WINDOW] +
			     ns[BUCKET_SLOW_START] + ns[BUCKET_CONNECTION_SETUP];
	if (context->rtt_ns < MIN_RTT_NS || cause_share(context, multiplied) < MIN_SHARE)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"The round trip between the hosts takes %s, and %s of the time is made of waits "
		"that last one round trip each.",
		cause_time(context, (double)context->rtt_ns),
		cause_percent(context, cause_share(context, multiplied)));
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "round trips' worth of waiting", NUMBER_COUNT,
		(double)(multiplied / context->rtt_ns));
	cause_advice(draft, "Bring the data nearer: a server or replica at this site, a cache "
			    "(BranchCache), or a session on a machine beside the server.");
	cause_advice(draft, "Over long distances prefer tools that keep much under way: several "
			    "files at once (robocopy /MT, lftp --parallel), rsync, SFTP.");
	return true;
}

const Cause cause_rtt_high = {
	.id = "rtt-high",
	.title = "The hosts are far apart",
	.explanation =
		"Every question takes at least one round trip until its answer is there. The "
		"distance itself cannot be mended, but the number of round trips can: see the "
		"other findings.",
	.source = "RFC 7323 1.1",
	.precedence = 710,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The round trip is {} or more, and waits that last one round trip "
				"each make {} of the time. Always a note: it multiplies other "
				"causes.",
			.numbers = {GUIDE_NS(MIN_RTT_NS), GUIDE_SHARE(MIN_SHARE)},
			.needs = "The round trip.",
			.traps = {"Distance alone slows nothing that keeps enough under way."},
			.confidence = "High.",
			.advice = {{"Any", "Bring the data nearer: a replica or cache at this site "
					   "(DFS, "
					   "BranchCache), or a session on a machine beside the "
					   "server."},
				{"Any", "Tools that keep much under way: robocopy /MT, lftp "
					"--parallel, "
					"rsync, SFTP."}},
			.next_test = "None is needed: it is measured.",
		},
};
