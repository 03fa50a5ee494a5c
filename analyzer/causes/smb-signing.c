/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb-signing: every message carries a signature. A fact, and a possible cost where the server's
 * time grows with the bytes. docs/causes.md, smb-signing.
 */
#include <string.h>

#include "analyzer/causes/security_cost.h"

static const char *algorithm(const SessionStats *s)
{
	if (s->protocol && strcmp(s->protocol, "smb1") == 0)
		return "MD5";
	if (s->has_signing_algorithm)
		return s->signing_algorithm == 0   ? "HMAC-SHA256"
		       : s->signing_algorithm == 1 ? "AES-128-CMAC"
						   : "AES-128-GMAC";
	/* MS-SMB2 3.1.4.1: 3.x without a choice signs with AES-CMAC, 2.x with HMAC-SHA256 */
	return s->dialect && s->dialect[0] == '3' ? "AES-128-CMAC" : "HMAC-SHA256";
}

static const char *required_by(const SessionStats *s)
{
	if (!s->signing_required)
		return "neither side requires it";
	return s->client_requires_signing ? "the client requires it" : "the server requires it";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const SessionStats *s = context->session;
	double per_mib = 0;
	if (context->unit->is_ftp || !s || !s->is_signed || s->is_encrypted ||
		!security_cost_is_long(context))
		return false;
	cause_number_name(draft, "algorithm", algorithm(s));
	cause_number_name(draft, "signing", required_by(s));
	cause_advice(draft, "Signing protects against tampering on the way; do not switch it off "
			    "for speed without weighing that. Newer dialects sign faster: SMB "
			    "3.1.1 with AES-GMAC (Windows 11, Server 2022).");
	cause_evidence(context, draft, context->unit->first_frame, context->unit->account.start_ns,
		"a signed request");
	draft->confidence = CONFIDENCE_LOW;
	if (!security_cost_claim(context, draft, &per_mib)) {
		draft->is_note = true;
		draft->confidence = CONFIDENCE_HIGH;
		draft->sentence = cause_printf(context,
			"Messages are signed (%s; %s). No cost of that shows in the timing.",
			algorithm(s), required_by(s));
		return true;
	}
	draft->saved_high_ns = draft->lost_ns;
	draft->sentence = cause_printf(context,
		"Messages are signed (%s; %s), and the server's time grows by %s per MiB, as the "
		"work of a processor does: signing may be what costs it.",
		algorithm(s), required_by(s), cause_time(context, per_mib));
	draft->blame = "SERVER";
	draft->doubt = "Packets do not show what a processor works on.";
	draft->next_test = "Watch the processor of both hosts during the copy: one core at 100 % "
			   "means that signing or the copying itself is the limit.";
	return true;
}

const Cause cause_smb_signing = {
	.id = "smb-signing",
	.title = "Messages are signed",
	.explanation = "A signature proves that a message was not changed on the way. Computing it "
		       "takes processor time for every byte: nothing on current hosts, noticeable "
		       "on small devices and in old dialects.",
	.source = "MS-SMB2 3.1.4.1, 2.2.3.1.7; Microsoft, performance tuning of SMB servers",
	.precedence = 560,
	.conclude = conclude,
	.guide =
		{
			.rule = "Messages are signed. A cost is claimed only when the server's "
				"time "
				"grows with the bytes in a straight line (fit {} or better) that "
				"explains {} of it, no disk shows, and the link is busy less than "
				"{} of the time; otherwise it is a note.",
			.numbers = {GUIDE_SHARE(SECURITY_MIN_FIT),
				GUIDE_SHARE(SECURITY_SLOPE_SHARE),
				GUIDE_SHARE(SECURITY_MAX_LINK_SHARE),
				GUIDE_BYTES(SECURITY_MIN_BYTES)},
			.needs = "{} of data, and requests of different sizes.",
			.traps = {"Processors with AES instructions do this at more than 1 GB/s.",
				"A disk also takes longer for more bytes: its seeks spread the "
				"line."},
			.confidence =
				"Low: packets do not show what a processor works on. High for the "
				"note.",
			.advice = {{"Any", "Signing protects against tampering on the way. The "
					   "finding tells "
					   "what it costs; weigh that against the protection "
					   "before anything "
					   "is changed."},
				{"Windows client", "AES-GMAC (SMB 3.1.1 on Windows 11 and Server "
						   "2022) signs faster; "
						   "'Get-SmbConnection' shows what is in use."},
				{"Samba", "Newer versions sign faster; 'server signing' says who "
					  "requires it."},
				{"NAS or appliance", "A small processor is the usual limit: newer "
						     "dialects and firmware."}},
			.next_test = "Watch the processor of both hosts during the copy: one core "
				     "at 100 "
				     "% means that signing or the copying itself is the limit.",
		},
};
