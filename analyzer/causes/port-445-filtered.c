/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * port-445-filtered: port 445 did not answer, and the client went over port 139 in the end.
 * docs/causes.md, port-445-filtered.
 */
#include "analyzer/causes/cause.h"

#define PORT_DIRECT 445
#define PORT_NETBIOS 139

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const ConnectionFacts *f = context->facts;
	if (!f || f->approach.failed_port != PORT_DIRECT || f->approach.failed_tries == 0 ||
		f->port[SIDE_SERVER] != PORT_NETBIOS)
		return false;
	const Approach *a = &f->approach;
	cause_claim_part(context, draft, BUCKET_CONNECTION_SETUP,
		context->left_ns[BUCKET_CONNECTION_SETUP] - context->rtt_ns);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns * 9 / 10;
	draft->sentence = cause_printf(context,
		"Port 445 of the server %s %s %u times; %s later the client went over port 139 "
		"(NetBIOS) instead.",
		context->server_name,
		a->failed_refused ? "refused the connection" : "did not answer", a->failed_tries,
		cause_time(context, (double)draft->lost_ns));
	draft->fix = "open port 445";
	cause_advice(draft,
		"Open TCP port 445 between client and server in every firewall on the way, the "
		"server's own included (inside the network; it does not belong on the Internet).");
	cause_advice(draft,
		"Samba: `smb ports = 445 139` (the default). A firewall that must not let 445 "
		"through should reject instead of dropping it: then the client goes on at once.");
	cause_advice(draft, "Over port 139 requests are limited to 64 KiB, so the copy itself is "
			    "slower too on a long path.");
	cause_number(draft, "tries on port 445", NUMBER_COUNT, a->failed_tries);
	cause_number(draft, "until port 139 was tried", NUMBER_NS,
		(double)(f->tcp.first_ns - a->failed_ns));
	cause_evidence_elsewhere(
		context, draft, a->failed_frame, a->failed_ns, "first try on port 445");
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.first_ns,
		"the client tries port 139");
	draft->blame = "NETWORK";
	draft->confidence = CONFIDENCE_HIGH;
	return true;
}

const Cause cause_port_445_filtered = {
	.id = "port-445-filtered",
	.title = "Port 445 is blocked",
	.explanation =
		"SMB uses port 445. When a firewall drops packets to it, the client waits until "
		"its patience is over and then uses the old way over NetBIOS, if that is open.",
	.source = "MS-SMB2 2.1; MS-SMB 2.1",
	.precedence = 210,
	.conclude = conclude,
	.guide =
		{
			.rule = "Tries on port 445 of the server were not answered or refused "
				"before the session began on port 139 of the same server.",
			.needs = "Both tries in the capture.",
			.traps = {"Clients that try both ports at once and drop 139 are healthy."},
			.confidence = "High.",
			.advice = {{"Network", "Open TCP port 445 between client and server inside "
					       "the network (it "
					       "does not belong on the Internet); a firewall that "
					       "must not let it "
					       "through should reject, not drop."},
				{"Samba", "'smb ports = 445 139' (the default)."},
				{"Windows server", "The rule 'File and Printer Sharing (SMB-In)' "
						   "of its firewall."}},
			.next_test =
				"'Test-NetConnection server -Port 445' or 'nc -vz server 445' from "
				"the client.",
		},
};
