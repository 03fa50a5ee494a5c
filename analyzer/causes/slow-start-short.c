/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transfer ends while TCP still doubles its window. docs/causes.md, slow-start-short.
 */
#include <math.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, slow-start-short. */
#define MIN_SHARE 0.30
#define SHORT_BDP_FACTOR 4
#define SHORT_ROUND_TRIPS 12
/* RFC 6928: ten segments; old stacks begin with two to four. */
#define OLD_INITIAL_SEGMENTS 4
/* An initial window four times as large, or four streams, saves two doublings. */
#define DOUBLINGS_SAVED 2

static bool is_short(const CauseContext *context)
{
	double pipe = cause_bdp_bytes(context);
	return (pipe > 0 && (double)context->bytes < SHORT_BDP_FACTOR * pipe) ||
	       context->wall_ns < SHORT_ROUND_TRIPS * context->rtt_ns;
}

static void advise(const CauseContext *context, FindingDraft *draft)
{
	if (context->unit->is_ftp)
		cause_advice(draft, "FTP makes a new connection for each file: pack many files "
				    "into one archive, or move several at a time.");
	else
		cause_advice(draft, "Keep connections open and use them again; a warm connection "
				    "starts at speed.");
	cause_advice(draft, "Several streams at once each bring their own start window.");
	cause_advice(draft, "Linux sender: a larger start window for this route ('ip route change "
			    "… initcwnd 20').");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	/* what goes on when the capture ends was not over */
	if (!d || context->rtt_ns <= 0 || context->unit->is_unfinished || !is_short(context) ||
		!(context->facts->tcp.handshake_seen || d->restarts > 0))
		return false;
	cause_claim(context, draft, BUCKET_SLOW_START);
	if (draft->lost_ns < cause_min_lost_ns(context) ||
		cause_share(context, draft->lost_ns) < MIN_SHARE)
		return false;
	int64_t high = draft->lost_ns - context->rtt_ns, low = DOUBLINGS_SAVED * context->rtt_ns;
	draft->saved_high_ns = high > 0 ? high : 0;
	draft->saved_low_ns = low < draft->saved_high_ns ? low : draft->saved_high_ns;
	draft->confidence = CONFIDENCE_HIGH;
	draft->blame = "NETWORK";
	double first = d->initial_flight > 0 ? d->initial_flight : 10.0 * d->mss;
	double rounds = ceil(log2((double)context->bytes / first + 1));
	draft->sentence = cause_printf(context,
		"The transfer was over before TCP was up to speed: it starts with %s and doubles "
		"once per %s round trip, so %s take %.0f rounds.",
		cause_bytes(context, first), cause_time(context, (double)context->rtt_ns),
		cause_bytes(context, (double)context->bytes), rounds);
	draft->fix = "one warm connection, or several at once";
	cause_number(draft, "first flight", NUMBER_BYTES, first);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "rounds", NUMBER_COUNT, rounds);
	draft->ceiling_bytes_per_s =
		(double)context->bytes / (rounds * (double)context->rtt_ns / 1e9);
	draft->ceiling_formula = cause_printf(context, "%s / (%.0f x %s) = %s",
		cause_bytes(context, (double)context->bytes), rounds,
		cause_time(context, (double)context->rtt_ns),
		cause_rate(context, draft->ceiling_bytes_per_s));
	if (first < OLD_INITIAL_SEGMENTS * (double)d->mss)
		cause_advice(draft, cause_printf(context,
					    "%s starts with %s; current systems start with ten "
					    "segments (RFC 6928).",
					    host_label_start(context, context->bulk),
					    cause_bytes(context, first)));
	cause_evidence_bucket(context, draft, BUCKET_SLOW_START, "waited for the window to grow");
	advise(context, draft);
	return true;
}

const Cause cause_slow_start_short = {
	.id = "slow-start-short",
	.title = "The transfer was too short to reach full speed",
	.explanation =
		"A new TCP connection does not know how fast the path is. It begins with about ten "
		"packets and doubles that with each round trip. A small file on a path with some "
		"delay is finished long before the full speed is reached.",
	.source = "RFC 5681 3.1; RFC 6928",
	.precedence = 385,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Waiting for a congestion window that still doubles took {} of the "
				"time or more, and the transfer is short: less than {} times what "
				"the path holds, or less than {} round trips.",
			.numbers = {GUIDE_SHARE(MIN_SHARE), GUIDE_COUNT(SHORT_BDP_FACTOR),
				GUIDE_COUNT(SHORT_ROUND_TRIPS)},
			.needs = "The start of the connection, or a restart after a pause.",
			.traps = {"A loss ends the start early: then the loss is told.",
				"A window that ends the start is told as a window."},
			.confidence = "High.",
			.advice = {{"Any", "Keep connections open and use them again; several "
					   "files or streams "
					   "at once each bring their own start window."},
				{"FTP client", "Pack many files into one archive, or move several "
					       "at a time: FTP "
					       "opens a connection for each."},
				{"Linux", "A larger start window for one route: 'ip route change "
					  "... initcwnd "
					  "20'; very old systems start with two to four segments "
					  "instead of "
					  "ten."},
				{"Windows", "Current systems start with ten segments; "
					    "'Get-NetTCPSetting' shows "
					    "InitialCongestionWindow."}},
			.next_test = "Copy a file ten times as large over the same path: its rate "
				     "should "
				     "be far higher.",
		},
};
