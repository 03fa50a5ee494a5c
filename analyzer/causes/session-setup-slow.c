/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session-setup-slow: negotiation, log-in or tree connect took long before any file was opened.
 * docs/causes.md, session-setup-slow.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* A log-in against a domain takes some 100 ms on a healthy network; half a second per exchange is
 * worth telling. Judgement. */
#define SLOW_EXCHANGE_NS (200 * MILLISECOND_NS)

static bool is_setup_command(const char *name)
{
	static const char *const names[] = {"negotiate", "session-setup", "session-setup-andx",
		"tree-connect", "tree-connect-andx", "logoff"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The set-up command that waited longest, and how many exchanges the set-up took. */
static const CommandStats *slowest(const SessionStats *s, uint64_t *ret_exchanges)
{
	const CommandStats *worst = NULL;
	*ret_exchanges = 0;
	for (size_t i = 0; i < s->command_count; i++) {
		const CommandStats *c = &s->commands[i];
		if (!is_setup_command(message_command_name(c->protocol, c->command)))
			continue;
		*ret_exchanges += c->responses;
		if (!worst || c->response_time.max_ns > worst->response_time.max_ns)
			worst = c;
	}
	return worst;
}

static const char *words(const char *name)
{
	if (strncmp(name, "session-setup", 13) == 0)
		return "check who the user is (session setup)";
	if (strncmp(name, "tree-connect", 12) == 0)
		return "open the share (tree connect)";
	return strcmp(name, "negotiate") == 0 ? "agree on a dialect (negotiate)" : name;
}

static void advise(FindingDraft *draft, const char *name)
{
	if (strncmp(name, "tree-connect", 12) == 0) {
		draft->fix = "a quicker tree connect on the server";
		cause_advice(draft,
			"Samba: look for `root preexec` and `preexec` scripts of the share, and at "
			"its vfs modules; Windows: DFS referrals and access-based enumeration.");
	} else {
		draft->fix = "a quicker log-in on the server";
		cause_advice(draft,
			"The server usually waits for somebody else: a domain controller, DNS, "
			"LDAP. Samba: `wbinfo -t`, `wbinfo -P`, timings in a log of level 10; "
			"Windows: event log (NETLOGON, Kerberos), `nltest /sc_verify`.");
		cause_advice(draft, "Check that the server resolves the client's and the "
				    "controller's names quickly, in both directions.");
	}
	cause_advice(draft,
		"Keep the session open between copies: this cost comes once per connection.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	const SessionStats *s = context->session;
	uint64_t exchanges = 0;
	if (unit->is_ftp || unit->is_unframed || !s || context->rtt_ns <= 0)
		return false;
	const CommandStats *c = slowest(s, &exchanges);
	int64_t beyond = c ? c->response_time.max_ns - context->rtt_ns : 0;
	if (beyond < SLOW_EXCHANGE_NS)
		return false;
	int64_t healthy = context->rtt_ns * (int64_t)exchanges;
	cause_claim_part(context, draft, BUCKET_SESSION_SETUP,
		context->left_ns[BUCKET_SESSION_SETUP] - healthy);
	if (draft->lost_ns == 0)
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = beyond < draft->lost_ns ? beyond * 9 / 10 : draft->lost_ns * 9 / 10;
	const char *name = message_command_name(c->protocol, c->command);
	draft->sentence = cause_printf(context,
		"Before the first file was opened the server %s took %s to %s.",
		context->server_name, cause_time(context, (double)c->response_time.max_ns),
		words(name));
	advise(draft, name);
	cause_number_name(draft, "slowest exchange", name);
	cause_number(draft, "it took", NUMBER_NS, (double)c->response_time.max_ns);
	cause_number(draft, "answered \"pending\" first", NUMBER_COUNT, (double)c->pending);
	cause_number(draft, "set-up exchanges", NUMBER_COUNT, (double)exchanges);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_bucket(context, draft, BUCKET_SESSION_SETUP, "of the session's set-up");
	draft->blame = "SERVER";
	draft->confidence = CONFIDENCE_HIGH;
	return true;
}

const Cause cause_session_setup_slow = {
	.id = "session-setup-slow",
	.title = "The server is slow to open the session",
	.explanation = "Before a file can be opened, client and server agree on a dialect, the "
		       "user logs in and the share is connected. The server often asks a domain "
		       "controller or runs scripts for that, and the client waits.",
	.source = "MS-SMB2 3.3.5.5, 3.3.5.7",
	.precedence = 250,
	.conclude = conclude,
	.guide =
		{
			.rule = "One exchange before the first file (negotiate, log-in, tree "
				"connect) took {} or more beyond its round trip.",
			.numbers = {GUIDE_NS(SLOW_EXCHANGE_NS)},
			.needs = "The exchanges of the set-up.",
			.traps =
				{"A person who types a password is a pause before the request, not "
				 "after it."},
			.confidence = "High.",
			.advice = {{"Samba", "'wbinfo -t', 'wbinfo -P'; preexec scripts and vfs "
					     "modules of the "
					     "share; timings in a log of level 10."},
				{"Windows server",
					"Event log (NETLOGON, Kerberos), 'nltest /sc_verify'; DFS "
					"referrals."},
				{"Any", "The server usually waits for a domain controller, DNS or "
					"LDAP: "
					"check name look-ups in both directions."}},
			.next_test =
				"Capture at the server: what it asks others (ports 53, 88, 389) "
				"between the request and its answer is the reason.",
		},
};
