/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb2-credit-starvation: the server grants too few credits to keep the path busy, although the
 * client asks for more. docs/causes.md, smb2-credit-starvation.
 */
#include "analyzer/causes/requests.h"

/* Half of the data requests left no credit for another, and half of the answers granted less than
 * was asked. docs/causes.md, smb2-credit-starvation. */
#define STARVED_SHARE 0.5
#define REFUSED_SHARE 0.5
/* A READ of 1 MiB costs sixteen credits: few requests are enough when the balance is known from the
 * negotiation on. docs/causes.md, smb2-credit-starvation. */
#define MIN_STARVED 5

static bool is_starved(const DataFacts *d)
{
	return d->credit_starved >= MIN_STARVED &&
	       (double)d->credit_starved >= STARVED_SHARE * (double)d->credit_known &&
	       (double)d->credits_asked_more >= REFUSED_SHARE * (double)d->answered;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	if (!requests_measure(context, &r) || !is_starved(r.data))
		return false;
	requests_claim(context, draft, &r, (double)r.round_trip_ns, true);
	requests_save(context, draft, &r, r.size, requests_full_depth(context, &r));
	requests_describe(context, draft, &r);
	double share = (double)r.data->credit_starved / (double)r.data->credit_known;
	cause_number(draft, "requests that used the last credit", NUMBER_PERCENT, 100 * share);
	if (context->session && context->session->credits_min != INT32_MIN)
		cause_number(draft, "credits left at the least", NUMBER_COUNT,
			context->session->credits_min);
	draft->confidence = requests_confidence(context, draft, &r);
	draft->blame = "SERVER";
	draft->sentence = cause_printf(context,
		"The server grants so few credits that the client can have only %.0f block%s of %s "
		"under way: %s of its requests used the last credit, and it asked for more each "
		"time.",
		r.depth_round, r.depth_round > 1 ? "s" : "", cause_bytes(context, r.size),
		cause_percent(context, share));
	draft->fix = "more credits from the server";
	cause_advice(draft, "Samba: remove `smb2 max credits` from smb.conf (the default is 8192). "
			    "ksmbd: the setting of the same name in ksmbd.conf.");
	cause_advice(draft,
		"Windows server: look at Smb2CreditsMin and Smb2CreditsMax of LanmanServer, and at "
		"the counter \"SMB Client Shares\\Credit Stalls/sec\" on the client.");
	cause_advice(draft, "A NAS: newer firmware, or fewer clients at the same time; credits are "
			    "what a busy server rations.");
	if (draft->confidence != CONFIDENCE_HIGH)
		draft->next_test = "Watch \"Credit Stalls/sec\" on a Windows client, or compare "
				   "with `smb2 max credits` at its default.";
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Requests r;
	if (!requests_measure(context, &r) || r.data->credit_known == 0)
		return NULL;
	double share = (double)r.data->credit_starved / (double)r.data->credit_known;
	/* short, though not by the server's will: smb2-credits-not-asked */
	if (share >= STARVED_SHARE)
		return NULL;
	return cause_printf(
		context, "credits (short in %s of requests)", cause_percent(context, share));
}

const Cause cause_smb2_credit_starvation = {
	.id = "smb2-credit-starvation",
	.title = "The server grants too few credits",
	.explanation =
		"In SMB2 a client may send a request only when the server has given it a credit "
		"for it; large requests cost several. A server that gives few makes the client "
		"wait for an answer before it may ask again, whatever the network could carry.",
	.source = "MS-SMB2 3.2.4.1.5, 3.3.1.2, 3.3.4.2",
	.precedence = 410,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "{} or more data requests and {} of those with a known balance "
				"left "
				"no credit for another, and {} of the answers granted less than "
				"the "
				"client asked for.",
			.numbers = {GUIDE_COUNT(MIN_STARVED), GUIDE_SHARE(STARVED_SHARE),
				GUIDE_SHARE(REFUSED_SHARE)},
			.needs = "The balance from the start of the connection, or enough requests "
				 "for a lower bound.",
			.traps = {"The first few requests of every session run short: only data "
				  "requests count.",
				"A client that does not ask for more is not starved by the "
				"server."},
			.confidence =
				"High with plenty of requests and an arithmetic that gives the "
				"measured rate; otherwise medium.",
			.advice = {{"Samba", "Remove 'smb2 max credits' from smb.conf (the default "
					     "is 8192); "
					     "ksmbd has a setting of the same name."},
				{"Windows server",
					"Smb2CreditsMin and Smb2CreditsMax of LanmanServer; "
					"counter \"SMB "
					"Client Shares\\Credit Stalls/sec\" on the client."},
				{"NAS or appliance",
					"Newer firmware, or fewer clients at the same time."}},
			.next_test =
				"Watch \"Credit Stalls/sec\" on a Windows client, or compare with "
				"'smb2 max credits' at its default.",
		},
};
