/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * name-resolution-delay: the client waited for the server's address. docs/causes.md,
 * name-resolution-delay.
 */
#include "analyzer/causes/cause.h"

static const Approach *approach_of(const CauseContext *context)
{
	const ConnectionFacts *all[] = {context->unit->control, context->facts};
	for (int i = 0; i < 2; i++) {
		if (all[i] && all[i]->approach.query_tries > 0)
			return &all[i]->approach;
	}
	return NULL;
}

static const char *services_words(const CauseContext *context, uint32_t services)
{
	static const char *const names[] = {[NAME_SERVICE_DNS] = "DNS",
		[NAME_SERVICE_MDNS] = "multicast DNS",
		[NAME_SERVICE_LLMNR] = "LLMNR",
		[NAME_SERVICE_NBNS] = "NetBIOS"};
	const char *text = "";
	for (int i = NAME_SERVICE_DNS; i <= NAME_SERVICE_NBNS; i++) {
		if (services & (1u << i))
			text = cause_printf(context, "%s%s%s", text, *text ? ", " : "", names[i]);
	}
	return text;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Approach *a = approach_of(context);
	if (!a)
		return false;
	/* one question and its answer belong to every connection */
	cause_claim_part(context, draft, BUCKET_NAME_RESOLUTION,
		context->left_ns[BUCKET_NAME_RESOLUTION] - context->rtt_ns);
	if (draft->lost_ns == 0)
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns * 9 / 10;
	draft->sentence = cause_printf(context,
		"Before it could connect the client spent %s on finding the server's address: %u "
		"queries (%s) until one was answered.",
		cause_time(context, (double)(a->answer_ns - a->first_query_ns)), a->query_tries,
		services_words(context, a->query_services));
	draft->fix = "a name service that answers at once";
	cause_advice(draft,
		"Give the server a DNS name that the client's first DNS server knows, and "
		"take servers that do not answer (DNS, WINS) out of the client's list.");
	cause_advice(draft, "Use the full name (server.example.org): short names are tried with "
			    "each suffix, and by broadcast.");
	cause_advice(draft, "Samba clients: `name resolve order = host bcast`; Windows: switch off "
			    "NetBIOS over TCP/IP where no old devices need it.");
	cause_number(draft, "queries", NUMBER_COUNT, a->query_tries);
	cause_number(
		draft, "until the answer", NUMBER_NS, (double)(a->answer_ns - a->first_query_ns));
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_elsewhere(context, draft, a->query_frame, a->first_query_ns, "first query");
	cause_evidence_elsewhere(context, draft, a->answer_frame, a->answer_ns,
		"first answer with the server's address");
	draft->blame = "NETWORK";
	draft->confidence = CONFIDENCE_HIGH;
	return true;
}

const Cause cause_name_resolution_delay = {
	.id = "name-resolution-delay",
	.title = "Finding the server's address took long",
	.explanation =
		"A name has to be turned into an address before anything can be sent. Clients ask "
		"one name service after the other and wait seconds for those that do not answer.",
	.source = "RFC 1002 6; RFC 1035 4.2.1; RFC 4795 2.7",
	.precedence = 205,
	.conclude = conclude,
	.guide =
		{
			.rule = "Queries for the server's name (DNS, multicast DNS, LLMNR, "
				"NetBIOS) "
				"whose answer holds the server's address took longer than one "
				"round "
				"trip before the connection began.",
			.needs = "The queries in the capture.",
			.traps = {"Queries for other names, or without that answer, are not "
				  "counted."},
			.confidence = "High.",
			.advice = {{"Windows client",
					   "Take DNS and WINS servers that do not answer out of "
					   "the list; "
					   "NetBIOS over TCP/IP off where nothing old needs it."},
				{"Samba", "'name resolve order = host bcast' for clients."},
				{"Any", "Use the full name; give the server a name that the first "
					"DNS "
					"server knows."}},
			.next_test =
				"'nslookup' or 'dig' of the name against each configured server: "
				"one that does not answer is the reason.",
		},
};
