/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb1-negotiated: the session speaks SMB1. A fact that costs nothing by itself; what SMB1's habits
 * cost is told by smb1-chatty and smb1-small-buffer. docs/causes.md, smb1-negotiated.
 */
#include <string.h>

#include "analyzer/causes/cause.h"

/* Who kept the two from speaking SMB2: MS-SMB2 3.3.5.3.1 says that a server which can do SMB2
 * answers an offer of it in SMB2. */
static const char *reason(const CauseContext *context)
{
	const SessionStats *s = context->session;
	if (!s->negotiate_seen)
		return "the negotiation is not in the capture, so nobody can say which side chose "
		       "it";
	if (s->client_offered_smb2)
		return cause_printf(context,
			"the client %s offered SMB2 as well, the server %s answered in SMB1",
			context->client_name, context->server_name);
	return cause_printf(context, "the client %s offered nothing newer", context->client_name);
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const SessionStats *s = context->session;
	const Unit *unit = context->unit;
	if (!s || !s->protocol || strcmp(s->protocol, "smb1") != 0 ||
		unit->read.requests + unit->write.requests == 0)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(
		context, "The session uses SMB1, the dialect of the 1990s: %s.", reason(context));
	if (s->negotiate_seen && !s->client_offered_smb2) {
		draft->fix = "SMB2 or newer on the client";
		cause_advice(draft, "Client: Windows has SMB2 and SMB3 on by default; look for "
				    "`Get-SmbClientConfiguration` and for programs or devices that "
				    "bring an SMB1 client of their own. Linux: mount with "
				    "vers=3.1.1 or without vers=; smbclient: -m SMB3.");
	}
	if (!s->negotiate_seen || s->client_offered_smb2) {
		draft->fix = "SMB2 or newer on the server";
		cause_advice(draft,
			"Server: Samba speaks SMB2 and SMB3 unless `server max protocol` forbids "
			"it; Windows: `Get-SmbServerConfiguration` (EnableSMB2Protocol should be "
			"on); a NAS: look for its SMB version setting or newer firmware.");
	}
	cause_advice(draft, "SMB1 lacks the protection of the newer dialects against tampering and "
			    "is switched off in current systems; weigh that too.");
	cause_number_name(draft, "dialect", s->dialect ? s->dialect : "SMB1");
	cause_number_name(draft, "client offered SMB2",
		!s->negotiate_seen       ? "not seen"
		: s->client_offered_smb2 ? "yes"
					 : "no");
	cause_evidence(context, draft, unit->first_frame, unit->account.start_ns,
		"first request of this copy, in SMB1");
	return true;
}

const Cause cause_smb1_negotiated = {
	.id = "smb1-negotiated",
	.title = "SMB1 is in use",
	.explanation = "Client and server agreed on the oldest dialect of the protocol. It moves "
		       "at most 64 KiB per request and many of its clients wait for each answer "
		       "before they ask again. That alone does not make a copy slow, but it takes "
		       "away what newer dialects do about long paths.",
	.source = "MS-CIFS 2.2.4.52; MS-SMB2 3.3.5.3.1, 3.3.5.3.2",
	.precedence = 750,
	.conclude = conclude,
	.guide =
		{
			.rule = "The data requests of the session are SMB1. The negotiation tells "
				"whose choice it was. Always a note.",
			.needs = "One SMB1 data request.",
			.traps = {"A negotiation that begins in SMB1 and is answered in SMB2 is no "
				  "SMB1."},
			.confidence = "High.",
			.advice = {{"Windows client", "SMB2 and SMB3 are on by default; look for "
						      "programs or devices that "
						      "bring an SMB1 client of their own."},
				{"Windows server", "'Get-SmbServerConfiguration': "
						   "EnableSMB2Protocol should be on."},
				{"Linux client (cifs)", "Mount with vers=3.1.1 or without vers=; "
							"smbclient -m SMB3."},
				{"Samba", "'server max protocol' must not forbid SMB2; 'server min "
					  "protocol = "
					  "SMB2_02' is the default."},
				{"NAS or appliance", "Its SMB version setting, or newer firmware."},
				{"Any", "SMB1 lacks the newer dialects' protection against "
					"tampering: weigh "
					"that too."}},
			.next_test = "Capture from the very start of the connection: the first two "
				     "messages name the side that chose it.",
		},
};
