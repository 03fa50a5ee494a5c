/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-active-setup-delay: in active mode the server's connection to the client is slow to come up.
 * docs/causes.md, ftp-active-setup-delay.
 */
#include "analyzer/causes/ftp.h"
#include "analyzer/constants.h"

/* Beyond a round trip. docs/causes.md, ftp-active-setup-delay. */
#define DELAY_NS (100 * MILLISECOND_NS)

/* The server's wait before its first SYN, as far as it is among the longest pauses. */
static int64_t before_syn_ns(const CauseContext *context)
{
	const AccountEvidence *e =
		account_evidence(&context->unit->account, BUCKET_SERVER_PROCESSING);
	uint64_t syn = context->facts->tcp.dir[SIDE_CLIENT].syn_frame;
	for (int i = 0; i < ACCOUNT_EVIDENCE; i++) {
		if (syn != 0 && e[i].frame == syn && e[i].ns > DELAY_NS)
			return e[i].ns;
	}
	return 0;
}

static const char *sentence(
	const CauseContext *context, const FindingDraft *draft, int64_t waited_ns)
{
	const TcpConnection *tcp = &context->facts->tcp;
	if (context->facts->is_syn_repeat)
		return cause_printf(context,
			"In active mode the data connection from the server %s came up %s after it "
			"was asked for, just when hosts try again: its first packets were lost.",
			context->server_name, cause_time(context, (double)draft->lost_ns));
	if (tcp->syn_tries > 1)
		return cause_printf(context,
			"In active mode the server %s had to try %u times to open the data "
			"connection to the client, which took %s.",
			context->server_name, tcp->syn_tries,
			cause_time(context, (double)draft->lost_ns));
	return cause_printf(context,
		"In active mode the server %s waited %s before it opened the data connection to "
		"the client.",
		context->server_name, cause_time(context, (double)waited_ns));
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (!unit->is_ftp || !ftp_is_active(context))
		return false;
	const TcpConnection *tcp = &context->facts->tcp;
	int64_t waited = before_syn_ns(context);
	bool is_repeat = context->facts->is_syn_repeat;
	if (tcp->syn_tries < 2 && !is_repeat && waited == 0)
		return false;
	if (tcp->syn_tries > 1 || is_repeat) {
		int64_t ns = context->left_ns[BUCKET_CONNECTION_SETUP] - context->rtt_ns;
		cause_claim_part(context, draft, BUCKET_CONNECTION_SETUP, ns);
	}
	cause_claim_server_part(context, draft, OP_FTP, waited);
	draft->saved_high_ns = draft->lost_ns;
	/* a healthy handshake was left out; how runs differ is saving.c's */
	draft->saved_low_ns =
		draft->lost_ns > context->rtt_ns ? draft->lost_ns - context->rtt_ns : 0;
	draft->sentence = sentence(context, draft, waited);
	if (is_repeat)
		draft->doubt =
			"The lost packets never came here: that there were any is concluded "
			"from the wait, which is as long as hosts wait before they try again.";
	draft->fix = "passive mode";
	cause_advice(draft,
		"Use passive mode (PASV, EPSV): then the client opens the data connection, "
		"which firewalls and address translation in front of the client allow.");
	cause_advice(draft, "If it has to be active: let the firewall in front of the client "
			    "follow FTP, and give the client a wide range of ports.");
	cause_advice(draft,
		"On the server switch off look-ups of the client's name: vsftpd "
		"`reverse_lookup_enable=NO`, ProFTPD `UseReverseDNS off`, `IdentLookups off`.");
	cause_number(draft, "tries to connect", NUMBER_COUNT, tcp->syn_tries);
	cause_number(draft, "wait before the first try", NUMBER_NS, (double)waited);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence(context, draft, tcp->dir[SIDE_CLIENT].syn_frame, tcp->syn_ns,
		"the server's first try to open the data connection");
	cause_evidence_bucket(context, draft, BUCKET_CONNECTION_SETUP, "to open a connection");
	draft->blame = tcp->syn_tries > 1 || is_repeat ? "NETWORK" : "SERVER";
	draft->confidence = is_repeat ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	return true;
}

const Cause cause_ftp_active_setup_delay = {
	.id = "ftp-active-setup-delay",
	.title = "FTP: the server's data connection was slow to come up",
	.explanation = "In active mode the server opens a connection back to the client for each "
		       "file. Firewalls and address translation in front of clients often stop it, "
		       "or the server first looks for the client's name.",
	.source = "RFC 959 3.3; RFC 1413",
	.precedence = 230,
	.conclude = conclude,
	.guide =
		{
			.rule = "In active mode the server opened the data connection {} or more "
				"later than it should, or had to try again. At the client's end "
				"its lost tries are not seen: a connection that comes just when "
				"hosts try again, 1, 3 or 7 s late, counts as tried again.",
			.numbers = {GUIDE_NS(DELAY_NS)},
			.needs = "Control and data connection.",
			.traps = {"A server that is busy answers late in passive mode, too."},
			.confidence = "High; medium where the lost tries were not seen.",
			.advice = {{"FTP client", "Use passive mode (PASV, EPSV)."},
				{"Network", "If it has to be active: let the firewall before the "
					    "client follow "
					    "FTP."},
				{"FTP server", "vsftpd reverse_lookup_enable=NO, ProFTPD "
					       "'UseReverseDNS off', "
					       "'IdentLookups off'."}},
			.next_test = "Move the same file in passive mode.",
		},
};
