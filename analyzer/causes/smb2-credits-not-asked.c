/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The client runs out of credits because it asks for too few, not because the server is mean.
 */
#include <math.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/requests.h"

/* As smb2-credit-starvation, seen from the other side: half of the requests used the last credit,
 * and the server gave what was asked for. */
#define STARVED_SHARE 0.5
#define MIN_STARVED 5
#define REFUSED_SHARE 0.5
/* A client that sends one at a time needs no more credits. */
#define MIN_DEPTH 2
/* MS-SMB2 3.1.5.2: one credit for each 64 KiB. */
#define CREDIT_BYTES 65536.0

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	if (!requests_measure(context, &r))
		return false;
	const DataFacts *d = r.data;
	if (d->credit_starved < MIN_STARVED || d->depth_max < MIN_DEPTH ||
		(double)d->credit_starved < STARVED_SHARE * (double)d->credit_known ||
		(double)d->credits_asked_more >= REFUSED_SHARE * (double)d->answered)
		return false;
	requests_claim(context, draft, &r, (double)r.round_trip_ns, true);
	requests_save(context, draft, &r, r.size, requests_full_depth(context, &r));
	requests_describe(context, draft, &r);
	double share = (double)d->credit_starved / (double)d->credit_known;
	cause_number(draft, "requests that used the last credit", NUMBER_PERCENT, 100 * share);
	draft->confidence = requests_confidence(context, draft, &r);
	/* the balance before the capture began is a guess */
	if (!context->session || !context->session->negotiate_seen)
		draft->confidence = CONFIDENCE_LOW;
	draft->blame = "CLIENT";
	draft->sentence = cause_printf(context,
		"The client asks for too few credits: %s of its requests of %s used the last one, "
		"although the server gave what was asked for; a request of %s costs %.0f.",
		cause_percent(context, share), cause_bytes(context, r.size),
		cause_bytes(context, r.size), fmax(1, round(r.size / CREDIT_BYTES)));
	draft->fix = "a client that asks for more credits";
	cause_advice(draft,
		"This is the client's library: it has to ask for as many credits as its "
		"requests cost, and some more. A newer version, or another client "
		"(Explorer, smbclient, the kernel's cifs).");
	return true;
}

const Cause cause_smb2_credits_not_asked = {
	.id = "smb2-credits-not-asked",
	.title = "The client asks for too few credits",
	.explanation =
		"In SMB2 each request costs credits, large ones several, and each answer brings "
		"new "
		"ones: as many as the client asked for, if the server can. A client that asks for "
		"fewer than it spends runs dry and waits, although the server would give more.",
	.source = "MS-SMB2 3.2.4.1.2, 3.2.4.1.5, 3.3.1.2",
	.precedence = 412,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more data requests and {} of those with a known balance "
				"left "
				"no credit for another, the client keeps {} or more under way when "
				"it can, and less than {} of the answers granted less than was "
				"asked for.",
			.numbers = {GUIDE_COUNT(MIN_STARVED), GUIDE_SHARE(STARVED_SHARE),
				GUIDE_COUNT(MIN_DEPTH), GUIDE_SHARE(REFUSED_SHARE),
				GUIDE_COUNT(REQUESTS_MIN)},
			.needs = "The balance from the start of the connection, {} data requests.",
			.traps = {"A server that grants less than it is asked for: "
				  "smb2-credit-starvation.",
				"A client that sends one request at a time needs no credit for "
				"another: smb-serial-requests."},
			.confidence = "As requests in general; low without the negotiation.",
			.advice = {{"Any", "The client's library has to ask for as many credits as "
					   "its "
					   "requests cost; a newer version, or another client."},
				{"Linux client (cifs)", "The kernel's client asks for enough; "
							"programs on libsmb2 and "
							"others may not."}},
			.next_test =
				"Copy the same file with smbclient or Explorer from the same host: "
				"they ask for plenty.",
		},
};
