/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-login-delay: seconds before the greeting or before the answer to the password.
 * docs/causes.md, ftp-login-delay.
 */
#include <string.h>

#include "analyzer/causes/ftp.h"
#include "analyzer/constants.h"

/* Beyond a round trip. docs/causes.md, ftp-login-delay. */
#define DELAY_NS SECOND_NS

static const CommandStats *slowest_command(const SessionStats *s)
{
	const CommandStats *worst = NULL;
	for (size_t i = 0; i < s->command_count; i++) {
		const CommandStats *c = &s->commands[i];
		const char *name = message_command_name(c->protocol, c->command);
		bool is_login = strcmp(name, "user") == 0 || strcmp(name, "pass") == 0 ||
				strcmp(name, "acct") == 0 || strcmp(name, "auth") == 0;
		if (is_login && (!worst || c->response_time.max_ns > worst->response_time.max_ns))
			worst = c;
	}
	return worst;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (!unit->is_ftp || !context->session)
		return false;
	const AccountEvidence *e = account_evidence(&unit->account, BUCKET_SESSION_SETUP);
	int64_t long_ns = 0, longest = e[0].ns;
	for (int i = 0; i < ACCOUNT_EVIDENCE; i++)
		long_ns += e[i].ns > DELAY_NS + context->rtt_ns ? e[i].ns : 0;
	if (long_ns == 0)
		return false;
	cause_claim_part(context, draft, BUCKET_SESSION_SETUP, long_ns);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns - SECOND_NS / 10 - context->rtt_ns;
	const CommandStats *c = slowest_command(context->session);
	bool is_command = c && c->response_time.max_ns > longest * 4 / 5;
	const char *time = cause_time(context, (double)longest);
	draft->sentence =
		is_command
			? cause_printf(context,
				  "The server %s took %s to answer %s when the client logged in.",
				  context->server_name, time,
				  message_command_name(c->protocol, c->command))
			: cause_printf(context,
				  "The server %s took %s to greet the client after the connection "
				  "was open.",
				  context->server_name, time);
	draft->fix = "no name look-ups at log-in on the server";
	cause_advice(draft,
		"The usual reason is a name look-up of the client's address that gets no "
		"answer: vsftpd `reverse_lookup_enable=NO`, ProFTPD `UseReverseDNS off` and "
		"`IdentLookups off`, Pure-FTPd -H; or mend DNS for the client's addresses.");
	if (is_command)
		cause_advice(draft,
			"After the password: look at what the server asks (PAM modules, "
			"LDAP, a domain controller) and at delays after failed log-ins.");
	cause_number(draft, "log-in, longest wait", NUMBER_NS, (double)longest);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_bucket(context, draft, BUCKET_SESSION_SETUP, "until the server spoke");
	draft->blame = "SERVER";
	draft->confidence = CONFIDENCE_HIGH;
	return true;
}

const Cause cause_ftp_login_delay = {
	.id = "ftp-login-delay",
	.title = "FTP: the server is slow to let the client in",
	.explanation = "Before the first command can be given the server greets the client and "
		       "checks its password. Many servers first try to find the client's name or "
		       "user, and wait seconds for an answer that does not come.",
	.source = "RFC 959 5.4; RFC 1413",
	.precedence = 240,
	.conclude = conclude,
	.guide =
		{
			.rule = "The greeting or an answer during the log-in took {} or more "
				"beyond "
				"a round trip.",
			.numbers = {GUIDE_NS(DELAY_NS)},
			.needs = "The start of the control connection.",
			.traps = {"A person who types a password is a pause of the client."},
			.confidence = "High.",
			.advice = {{"FTP server", "vsftpd reverse_lookup_enable=NO, ProFTPD "
						  "'UseReverseDNS off' and "
						  "'IdentLookups off', Pure-FTPd -H; or mend DNS "
						  "for the clients' "
						  "addresses."},
				{"FTP server", "After the password: PAM modules, LDAP, a domain "
					       "controller, a "
					       "delay after failed log-ins."}},
			.next_test =
				"Capture at the server: a question to port 53 or 113 that gets no "
				"answer in the gap is the reason.",
		},
};
