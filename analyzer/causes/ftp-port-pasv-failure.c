/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-port-pasv-failure: the data connection could not be made; the client waited and tried another
 * way. docs/causes.md, ftp-port-pasv-failure.
 */
#include "analyzer/causes/ftp.h"
#include "analyzer/constants.h"

static const char *what_failed(const CauseContext *context)
{
	const Unit *unit = context->unit;
	if (unit->data_failed > 0)
		return cause_printf(context,
			"%.0f data connection%s could not be opened (no answer, or refused)",
			(double)unit->data_failed, unit->data_failed == 1 ? "" : "s");
	if (unit->data_refused > 0)
		return "the server could not open the data connection (reply 425)";
	return "the server refused the way the client wanted its data connection";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (!unit->is_ftp || unit->data_failed + unit->data_refused + unit->prepare_refused == 0)
		return false;
	/* connections that did come up are what they should be */
	int64_t healthy = context->rtt_ns * (int64_t)(unit->data_connections + 1);
	cause_claim_part(context, draft, BUCKET_CONNECTION_SETUP,
		context->left_ns[BUCKET_CONNECTION_SETUP] - healthy);
	/* until the client gave up and prepared another one */
	if (unit->data_failed > 0)
		cause_claim_part(
			context, draft, BUCKET_CLIENT_THINK, unit->account.think_ns[OP_FTP]);
	if (unit->data_refused > 0)
		cause_claim_server_part(context, draft, OP_FTP, context->left_server_ns[OP_FTP]);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = (int64_t)((double)draft->lost_ns * 0.9);
	draft->sentence = cause_printf(context, "FTP lost %s because %s.",
		cause_time(context, (double)draft->lost_ns), what_failed(context));
	draft->fix = "open passive ports, or the mode that works";
	cause_advice(draft, "Server: give passive mode a fixed range of ports and open it in the "
			    "firewall (vsftpd `pasv_min_port`, `pasv_max_port`; behind address "
			    "translation also `pasv_address`).");
	cause_advice(draft, "Client: if one mode never works here, choose the other at once; curl "
			    "`--disable-epsv` for old firewalls, \"use the control connection's "
			    "host for PASV\" behind address translation.");
	if (unit->data_connections > 0)
		cause_number(draft, "data connections tried", NUMBER_COUNT,
			(double)unit->data_connections);
	cause_number(draft, "never established", NUMBER_COUNT, (double)unit->data_failed);
	cause_number(draft, "refused by the server", NUMBER_COUNT,
		(double)(unit->data_refused + unit->prepare_refused));
	cause_evidence_bucket(context, draft, BUCKET_CONNECTION_SETUP, "to open a connection");
	ftp_command_evidence(context, draft, 6);
	draft->blame = "NETWORK";
	draft->confidence = CONFIDENCE_HIGH;
	return true;
}

const Cause cause_ftp_port_pasv_failure = {
	.id = "ftp-port-pasv-failure",
	.title = "FTP: the data connection could not be made",
	.explanation = "FTP needs a second connection for every file. A firewall or an address "
		       "that is not what the other side sees keeps it from coming up; the client "
		       "waits, then tries another way.",
	.source = "RFC 1579; RFC 2428; RFC 959 5.4",
	.precedence = 225,
	.conclude = conclude,
	.guide =
		{
			.rule = "A data connection was never established, or the server refused it "
				"(425) or the way it was to be made (PORT, EPRT, PASV, EPSV).",
			.needs = "The control connection, and the tries.",
			.traps = {"A data connection that was not captured but carried data is no "
				  "failure: the reply 226 tells."},
			.confidence = "High.",
			.advice = {{"FTP server", "Give passive mode a fixed range of ports and "
						  "open it in the "
						  "firewall (pasv_min_port, pasv_max_port; behind "
						  "address translation "
						  "pasv_address)."},
				{"FTP client", "Choose the mode that works; curl --disable-epsv "
					       "for old firewalls."},
				{"Network",
					"A firewall must follow FTP, or let the range through."}},
			.next_test = "Try the passive port by hand ('nc -vz server PORT') from the "
				     "client while the server waits.",
		},
};
