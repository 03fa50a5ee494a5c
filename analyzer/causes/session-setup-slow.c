/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session-setup-slow: negotiation, log-in, tree connect or a DFS referral took long before any file
 * was opened. docs/causes.md, session-setup-slow.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* A log-in against a domain takes some 100 ms on a healthy network; half a second per exchange is
 * worth telling. Judgement. */
#define SLOW_EXCHANGE_NS (200 * MILLISECOND_NS)

static const char REFERRAL[] = "dfs-referral";

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

/** Slowest: the step of the set-up that waited longest beyond its round trips. */
typedef struct Slowest {
	const char *name;
	int64_t took_ns, beyond_ns;
	uint64_t pending;
	uint64_t exchanges; /* of the whole set-up */
} Slowest;

static void take_command(Slowest *ret, const CommandStats *c, int64_t rtt_ns)
{
	const char *name = message_command_name(c->protocol, c->command);
	if (!is_setup_command(name))
		return;
	ret->exchanges += c->responses;
	int64_t beyond = c->response_time.max_ns - rtt_ns;
	if (ret->name && beyond <= ret->beyond_ns)
		return;
	ret->name = name;
	ret->took_ns = c->response_time.max_ns;
	ret->beyond_ns = beyond;
	ret->pending = c->pending;
}

/* One name may take several referrals, of the root, of the link (MS-DFSC 3.1.4.1): together they
 * are one step. */
static void take_referrals(Slowest *ret, const SessionPhase *phase, int64_t rtt_ns)
{
	int64_t beyond = phase->busy_ns - rtt_ns * (int64_t)phase->exchanges;
	ret->exchanges += phase->exchanges;
	if (phase->exchanges == 0 || (ret->name && beyond <= ret->beyond_ns))
		return;
	ret->name = REFERRAL;
	ret->took_ns = phase->busy_ns;
	ret->beyond_ns = beyond;
	ret->pending = 0;
}

static Slowest slowest(const SessionStats *s, int64_t rtt_ns)
{
	Slowest ret = {0};
	for (size_t i = 0; i < s->command_count; i++)
		take_command(&ret, &s->commands[i], rtt_ns);
	take_referrals(&ret, &s->phases[PHASE_REFERRAL], rtt_ns);
	return ret;
}

static const char *words(const char *name)
{
	if (strncmp(name, "session-setup", 13) == 0)
		return "check who the user is (session setup)";
	if (strncmp(name, "tree-connect", 12) == 0)
		return "open the share (tree connect)";
	if (name == REFERRAL)
		return "say where the share is (DFS referral)";
	return strcmp(name, "negotiate") == 0 ? "agree on a dialect (negotiate)" : name;
}

static void advise(FindingDraft *draft, const char *name)
{
	if (strncmp(name, "tree-connect", 12) == 0) {
		draft->fix = "a quicker tree connect on the server";
		cause_advice(draft,
			"Samba: look for `root preexec` and `preexec` scripts of the share, and at "
			"its vfs modules; Windows: DFS referrals and access-based enumeration.");
	} else if (name == REFERRAL) {
		draft->fix = "a quicker DFS referral, or the target server's own name";
		cause_advice(draft,
			"Copy once from the target itself (\\\\server\\share instead of "
			"\\\\domain\\namespace): if that begins at once, it is the namespace.");
		cause_advice(draft,
			"Windows: `dfsutil /pktinfo` shows the referral and its targets, `dfsdiag "
			"/testreferral` what is wrong with them; remove targets and domain "
			"controllers that are gone. Samba: targets of `msdfs root` that do not "
			"resolve.");
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
	if (unit->is_ftp || unit->is_unframed || !s || context->rtt_ns <= 0)
		return false;
	Slowest step = slowest(s, context->rtt_ns);
	if (!step.name || step.beyond_ns < SLOW_EXCHANGE_NS)
		return false;
	int64_t healthy = context->rtt_ns * (int64_t)step.exchanges;
	cause_claim_part(context, draft, BUCKET_SESSION_SETUP,
		context->left_ns[BUCKET_SESSION_SETUP] - healthy);
	if (draft->lost_ns == 0)
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns =
		(step.beyond_ns < draft->lost_ns ? step.beyond_ns : draft->lost_ns) * 9 / 10;
	draft->sentence = cause_printf(context,
		"Before the first file was opened the server %s took %s to %s.",
		context->server_name, cause_time(context, (double)step.took_ns), words(step.name));
	advise(draft, step.name);
	cause_number_name(draft, "slowest exchange", step.name);
	cause_number(draft, "it took", NUMBER_NS, (double)step.took_ns);
	cause_number(draft, "answered \"pending\" first", NUMBER_COUNT, (double)step.pending);
	cause_number(draft, "set-up exchanges", NUMBER_COUNT, (double)step.exchanges);
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
		       "user logs in and the share is connected; a DFS server says first where "
		       "the share is. The server often asks a domain controller or runs scripts "
		       "for that, and the client waits.",
	.source = "MS-SMB2 3.3.5.5, 3.3.5.7; MS-DFSC 3.1.4.1",
	.precedence = 250,
	.conclude = conclude,
	.guide =
		{
			.rule = "One exchange before the first file (negotiate, log-in, tree "
				"connect), or the DFS referrals together, took {} or more beyond "
				"the round trips.",
			.numbers = {GUIDE_NS(SLOW_EXCHANGE_NS)},
			.needs = "The exchanges of the set-up.",
			.traps = {"A person who types a password is a pause before the request, "
				  "not "
				  "after it.",
				"A referral asked for over another connection, as from a domain "
				"controller, is not in these figures."},
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
