/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * byte-range-locks: the client asks again and again for a lock that another holds. docs/causes.md,
 * byte-range-locks.
 */
#include "analyzer/causes/requests.h"

/* docs/causes.md, byte-range-locks. */
#define MIN_REFUSED 5

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	uint64_t refused = unit->class_errors[OP_LOCK];
	if (unit->is_ftp || refused < MIN_REFUSED)
		return false;
	cause_claim_round_trips(context, draft, OP_MASK(OP_LOCK));
	cause_claim_server(context, draft, OP_MASK(OP_LOCK));
	/* the pauses before it tried again */
	cause_claim_part(context, draft, BUCKET_CLIENT_THINK, unit->account.think_ns[OP_LOCK]);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns * 9 / 10;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"The client asked %.0f times for a lock on part of the file, was refused %.0f "
		"times because another holds it, and spent %s on trying.",
		(double)unit->class_count[OP_LOCK], (double)refused,
		cause_time(context, (double)draft->lost_ns));
	draft->fix = "find who holds the lock";
	cause_advice(draft, "Find the holder: `smbstatus -B` on Samba, `Get-SmbOpenFile` on "
			    "Windows; another program or user works on the same file.");
	cause_advice(draft, "Databases and mailboxes on a share lock a lot by design: keep them on "
			    "a local disk, or let one server program work on them.");
	cause_number(draft, "lock requests", NUMBER_COUNT, (double)unit->class_count[OP_LOCK]);
	cause_number(draft, "refused", NUMBER_COUNT, (double)refused);
	cause_number(draft, "pauses before trying again", NUMBER_NS,
		(double)draft->claim_ns[BUCKET_CLIENT_THINK]);
	requests_evidence(context, draft, OP_LOCK, 3);
	return true;
}

const Cause cause_byte_range_locks = {
	.id = "byte-range-locks",
	.title = "The client waits for a lock",
	.explanation =
		"Programs lock parts of a file so that nobody else changes them. While another "
		"holds the lock, this client tries again and again and does nothing else.",
	.source = "MS-SMB2 2.2.26, 3.3.5.14",
	.precedence = 525,
	.conclude = conclude,
	.guide =
		{
			.rule = "{} or more lock requests were refused and tried again.",
			.numbers = {GUIDE_COUNT(MIN_REFUSED)},
			.needs = "The lock requests with their status.",
			.traps = {"A lock that is granted at once costs one round trip and is not "
				  "counted."},
			.confidence = "High.",
			.advice = {{"Samba", "'smbstatus -B' shows the holder."},
				{"Windows server", "'Get-SmbOpenFile'."},
				{"Any", "Databases and mailboxes on a share lock by design: a "
					"local disk, "
					"or one server program that works on them."}},
			.next_test =
				"Ask the server who holds the lock while it happens (smbstatus -B, "
				"Get-SmbOpenFile).",
		},
};
