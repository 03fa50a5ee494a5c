/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb1-chatty: an SMB1 client that moves one block per round trip. SMB1 alone is no proof:
 * smbclient keeps fifty requests under way and fills the path. docs/causes.md, smb1-chatty.
 */
#include <string.h>

#include "analyzer/causes/requests.h"

/* One at a time, with room for the odd pair at the start or end of a file. docs/causes.md,
 * smb1-chatty. */
#define CHATTY_DEPTH 1.2

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	const SessionStats *s = context->session;
	if (!s || !s->protocol || strcmp(s->protocol, "smb1") != 0 ||
		!requests_measure(context, &r) || r.depth_mean > CHATTY_DEPTH ||
		r.sequential < REQUESTS_SEQUENTIAL_SHARE)
		return false;
	requests_claim(context, draft, &r, (double)r.round_trip_ns, true);
	requests_save(context, draft, &r, REQUESTS_USUAL_BYTES, REQUESTS_USUAL_DEPTH);
	requests_describe(context, draft, &r);
	draft->confidence = requests_confidence(context, draft, &r);
	draft->blame = "CLIENT";
	const char *block = cause_bytes(context, r.size),
		   *rtt = cause_time(context, (double)context->rtt_ns);
	draft->sentence = r.is_write ? cause_printf(context,
					       "The client writes over SMB1, one block of %s at a "
					       "time, and waits a %s round trip for each answer.",
					       block, rtt)
				     : cause_printf(context,
					       "The client reads over SMB1, one block of %s at a "
					       "time, and waits a %s round trip for each.",
					       block, rtt);
	draft->fix = "SMB2 or newer, several blocks in flight";
	cause_number(draft, "requests the server allows at once", NUMBER_COUNT, s->max_requests);
	cause_advice(draft, "Use SMB2 or SMB3 if both sides can: Linux mount vers=3.1.1, smbclient "
			    "-m SMB3, Samba `server min protocol = SMB2_02`; newer dialects move 1 "
			    "MiB and more per request and keep many under way.");
	cause_advice(draft,
		"If it has to stay SMB1, copy several files at the same time (`robocopy /MT`), or "
		"use a client that keeps several requests under way (smbclient does).");
	if (draft->confidence != CONFIDENCE_HIGH)
		draft->next_test = "Copy the same file with smbclient from the same host: it keeps "
				   "many requests under way. If that is as slow, the path or the "
				   "server is the limit.";
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Requests r;
	const SessionStats *s = context->session;
	if (!s || !s->protocol || strcmp(s->protocol, "smb1") != 0 ||
		!requests_measure(context, &r))
		return NULL;
	return cause_printf(context, "SMB1 requests (%.1f in flight)", r.depth_mean);
}

const Cause cause_smb1_chatty = {
	.id = "smb1-chatty",
	.title = "One SMB1 request per round trip",
	.explanation =
		"The client asks for a block, waits until all of it has come, and only then asks "
		"for the next. While a request travels to the server and back nothing else moves, "
		"so the longer the path, the slower the copy, whatever the link could carry.",
	.source = "MS-CIFS 2.2.4.52.2 (MaxMpxCount); MS-SMB 2.2.4.2",
	.precedence = 440,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "In SMB1, data requests were under way {} at a time on average or "
				"fewer, {} of them in file order, and the client waited a round "
				"trip for each.",
			.numbers = {GUIDE_COUNT(CHATTY_DEPTH),
				GUIDE_SHARE(REQUESTS_SEQUENTIAL_SHARE), GUIDE_COUNT(REQUESTS_MIN),
				GUIDE_COUNT(REQUESTS_PLENTY)},
			.needs = "{} data requests.",
			.traps =
				{"SMB1 by itself is no proof: smbclient keeps dozens under way and "
				 "fills the link.",
					"Small blocks because of the server's buffer are "
					"smb1-small-buffer."},
			.confidence =
				"High with {} requests and an arithmetic that gives the measured "
				"rate; otherwise medium.",
			.advice = {{"Any", "Use SMB2 or newer where both sides can: it moves 1 MiB "
					   "and more "
					   "per request and keeps many under way."},
				{"Windows client", "Several files at once: robocopy /MT."},
				{"Linux client (cifs)", "Mount with vers=3.1.1."},
				{"Samba", "'server min protocol = SMB2_02', and clients that speak "
					  "it."},
				{"NAS or appliance",
					"Newer firmware, or its SMB version setting."}},
			.next_test =
				"Copy the same file with smbclient from the same host: it keeps "
				"many requests under way. If that is as slow, the path or the "
				"server is the limit.",
		},
};
