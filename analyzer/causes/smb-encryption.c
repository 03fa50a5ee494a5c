/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb-encryption: messages are encrypted. A fact, and a possible cost where the server's time grows
 * with the bytes. docs/causes.md, smb-encryption.
 */
#include <string.h>

#include "analyzer/causes/security_cost.h"

/* MS-SMB2 2.2.41: the transform header before each message. */
#define OVERHEAD_BYTES 52

static const char *cipher(const SessionStats *s)
{
	static const char *const names[] = {
		"", "AES-128-CCM", "AES-128-GCM", "AES-256-CCM", "AES-256-GCM"};
	if (s->cipher > 0 && s->cipher < sizeof(names) / sizeof(*names))
		return names[s->cipher];
	/* 3.0 and 3.0.2 know AES-128-CCM alone */
	bool is_311 = s->dialect && strcmp(s->dialect, "3.1.1") == 0;
	return s->dialect && !is_311 ? "AES-128-CCM" : "the cipher is not in the capture";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const SessionStats *s = context->session;
	double per_mib = 0;
	if (context->unit->is_ftp || !s || !s->is_encrypted || !security_cost_is_long(context))
		return false;
	cause_number_name(draft, "cipher", cipher(s));
	cause_number(draft, "bytes added per message", NUMBER_BYTES, OVERHEAD_BYTES);
	cause_advice(draft,
		"Encryption keeps the data private on the way; do not switch it off for speed "
		"without weighing that. AES-128-GCM (SMB 3.1.1) on processors with AES "
		"instructions costs little; old devices and SMB 3.0 (AES-CCM) are slower.");
	cause_evidence(context, draft, context->unit->first_frame, context->unit->account.start_ns,
		"an encrypted message");
	draft->confidence = CONFIDENCE_LOW;
	if (!security_cost_claim(context, draft, &per_mib)) {
		draft->is_note = true;
		draft->confidence = CONFIDENCE_HIGH;
		draft->sentence = cause_printf(context,
			"Messages are encrypted (%s). No cost of that shows in the timing.",
			cipher(s));
		return true;
	}
	draft->saved_high_ns = draft->lost_ns;
	draft->sentence = cause_printf(context,
		"Messages are encrypted (%s), and the server's time grows by %s per MiB, as the "
		"work of a processor does: encryption may be what costs it.",
		cipher(s), cause_time(context, per_mib));
	draft->blame = "SERVER";
	draft->doubt = "Packets do not show what a processor works on.";
	draft->next_test = "Watch the processor of both hosts during the copy: one core at 100 % "
			   "means that encryption or the copying itself is the limit.";
	return true;
}

const Cause cause_smb_encryption = {
	.id = "smb-encryption",
	.title = "Messages are encrypted",
	.explanation = "Encryption hides the content of messages from everybody on the way. It "
		       "takes processor time for every byte: nothing on current hosts, noticeable "
		       "on small devices.",
	.source = "MS-SMB2 2.2.41, 2.2.3.1.2",
	.precedence = 565,
	.conclude = conclude,
	.guide =
		{
			.rule = "Messages are encrypted. A cost is claimed only when the server's "
				"time grows with the bytes in a straight line (fit {} or better) "
				"that explains {} of it, no disk shows, and the link is busy less "
				"than {} of the time; otherwise it is a note.",
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
			.advice = {{"Any", "Encryption keeps data private on the way. The finding "
					   "tells what "
					   "it costs; weigh that against the protection before "
					   "anything is "
					   "changed."},
				{"Windows server", "AES-128-GCM (SMB 3.1.1) is quicker than "
						   "AES-CCM; the order of "
						   "ciphers is a setting of both sides."},
				{"Samba", "'server smb3 encryption algorithms' sets the order; GCM "
					  "first."},
				{"NAS or appliance", "Processors without AES instructions: a newer "
						     "dialect, or hardware "
						     "with them."}},
			.next_test = "Watch the processor of both hosts during the copy: one core "
				     "at 100 "
				     "% means that encryption or the copying itself is the limit.",
		},
};
