/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb-serial-requests: too few READs or WRITEs under way for this path. docs/causes.md,
 * smb-serial-requests.
 */
#include <string.h>

#include "analyzer/causes/requests.h"

/* Nine in ten requests sent with no more than this under way: one at a time, or one read ahead.
 * Field cases, rank 1. */
#define SERIAL_DEPTH 2
/* A queue that holds less than this of the path's own content leaves it empty in between; more may
 * be the estimate's fault. docs/causes.md, receive-window-small uses the same share for windows. */
#define SHORT_QUEUE_SHARE 0.8
/* Half of the requests sent without credit for another: the server forbids more. docs/causes.md,
 * smb2-credit-starvation. */
#define STARVED_SHARE 0.5

static bool is_starved(const DataFacts *d)
{
	return d->credit_known > 0 &&
	       (double)d->credit_starved >= STARVED_SHARE * (double)d->credit_known &&
	       (double)d->credits_asked_more >= STARVED_SHARE * (double)d->answered;
}

static bool is_too_few(const CauseContext *context, const Requests *r)
{
	if (r->depth_usual <= SERIAL_DEPTH)
		return true;
	double queue = r->depth_mean * r->size;
	return context->capacity.is_proven && queue < SHORT_QUEUE_SHARE * cause_bdp_bytes(context);
}

static const char *sentence(const CauseContext *context, const Requests *r)
{
	const char *block = cause_bytes(context, r->size);
	const char *rtt = cause_time(context, (double)context->rtt_ns);
	const char *verb = r->is_write ? "sends" : "asks for";
	if (r->depth_usual <= 1)
		return cause_printf(context,
			"The client %s one %s block at a time and waits a %s round trip for each.",
			verb, block, rtt);
	if (r->depth_usual <= SERIAL_DEPTH)
		return cause_printf(context,
			"The client %s no more than %u blocks of %s at a time and waits a %s round "
			"trip in between.",
			verb, r->depth_usual, block, rtt);
	return cause_printf(context,
		"The client keeps %.0f blocks of %s under way, %s in all; this path of %s and %s "
		"holds %s.",
		r->depth_mean, block, cause_bytes(context, r->depth_mean * r->size), rtt,
		cause_rate(context, context->goodput_limit),
		cause_bytes(context, cause_bdp_bytes(context)));
}

static void advise(const CauseContext *context, FindingDraft *draft, const Requests *r)
{
	uint32_t depth = requests_full_depth(context, r);
	bool is_larger = r->size * 2 <= REQUESTS_USUAL_BYTES &&
			 (r->allowed == 0 || r->allowed >= REQUESTS_USUAL_BYTES);
	draft->fix = depth == REQUESTS_USUAL_DEPTH
			     ? "eight blocks in flight"
			     : cause_printf(context, "%u blocks in flight", depth);
	cause_advice(draft, "Copy with a program that overlaps its requests: robocopy, Explorer "
			    "and smbclient do, many libraries (smbj, jcifs, SMBLibrary, pysmb, "
			    "libsmbclient used block by block) do not.");
	cause_advice(draft, "Or move several files at the same time: `robocopy /MT:16`, rclone "
			    "--transfers, more than one connection.");
	if (is_larger)
		cause_advice(draft,
			cause_printf(context,
				"Or larger blocks: with 1 MiB instead of %s there are %.0f times "
				"fewer round trips to wait for.",
				cause_bytes(context, r->size), REQUESTS_USUAL_BYTES / r->size));
	cause_advice(draft,
		"Windows clients on paths with a high round trip: "
		"`Set-SmbClientConfiguration -EnableBandwidthThrottling $false` may help.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	const SessionStats *s = context->session;
	if (!requests_measure(context, &r) || r.sequential < REQUESTS_SEQUENTIAL_SHARE ||
		!is_too_few(context, &r) || is_starved(r.data))
		return false;
	requests_claim(context, draft, &r, (double)r.round_trip_ns, true);
	requests_save(context, draft, &r, r.size, requests_full_depth(context, &r));
	requests_describe(context, draft, &r);
	draft->confidence = requests_confidence(context, draft, &r);
	if (r.depth_usual > 1 && draft->confidence == CONFIDENCE_HIGH)
		draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "CLIENT";
	draft->sentence = sentence(context, &r);
	advise(context, draft, &r);
	if (s && s->credits_min != INT32_MIN)
		cause_number(draft, "credits left at the least", NUMBER_COUNT, s->credits_min);
	if (draft->confidence != CONFIDENCE_HIGH) {
		draft->doubt = r.count < REQUESTS_PLENTY
				       ? "There are few requests to judge by."
				       : "The arithmetic does not give the measured rate alone: "
					 "something else takes its share.";
		draft->next_test =
			"Copy the same file with robocopy or smbclient, which keep several "
			"requests under way; if that is as slow, it is not the client.";
	}
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Requests r;
	if (!requests_measure(context, &r))
		return NULL;
	if (r.depth_usual > SERIAL_DEPTH)
		return cause_printf(context, "requests (%.0f in flight)", r.depth_mean);
	return cause_printf(context, "waiting for one request at a time (%s of the time)",
		cause_percent(context,
			cause_share(context, context->unit->account.round_trip_ns[r.op_class])));
}

const Cause cause_smb_serial_requests = {
	.id = "smb-serial-requests",
	.title = "Too few requests at a time",
	.explanation =
		"Every request has to travel to the server and its answer back before the next one "
		"leaves. In between the path stands empty. With several requests under way the "
		"next block is already coming while the client waits for the first.",
	.source = "MS-SMB2 3.2.4.1.2, 3.3.1.1",
	.precedence = 450,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "Nine in ten data requests were sent with no more than {} under "
				"way, or all of them together hold less than {} of what the path "
				"holds; {} of them in file order; the client waited a round trip "
				"in "
				"between. Ceiling: depth x size / (round trip + server + size / "
				"path speed).",
			.numbers = {GUIDE_COUNT(SERIAL_DEPTH), GUIDE_SHARE(SHORT_QUEUE_SHARE),
				GUIDE_SHARE(REQUESTS_SEQUENTIAL_SHARE), GUIDE_COUNT(REQUESTS_MIN),
				GUIDE_COUNT(REQUESTS_PLENTY)},
			.needs = "{} data requests.",
			.traps = {"A server that grants no credit for more forbids it: "
				  "smb2-credit-starvation.",
				"A client that waits before it asks is client-think: only the time "
				"under way counts here.",
				"A short path hides it: then no time is lost."},
			.confidence = "High with {} requests, one at a time, and an arithmetic "
				      "that gives "
				      "the measured rate; otherwise medium.",
			.advice = {{"Any", "Copy with a program that overlaps its requests: "
					   "robocopy, Explorer "
					   "and smbclient do, many libraries (smbj, jcifs, "
					   "SMBLibrary, pysmb) "
					   "do not."},
				{"Any", "Several files at the same time, or larger blocks."},
				{"Windows client",
					"'robocopy /MT:16'; on paths with a high round trip "
					"'Set-SmbClientConfiguration -EnableBandwidthThrottling "
					"$false' may "
					"help."},
				{"Linux client (cifs)",
					"Leave rsize= at its default; several files at once."},
				{"NAS or appliance", "A backup program of the device often has a "
						     "setting for parallel "
						     "transfers."}},
			.next_test =
				"Copy the same file with robocopy or smbclient, which keep several "
				"requests under way; if that is as slow, it is not the client.",
		},
};
