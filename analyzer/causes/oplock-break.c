/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oplock-break: an open waits until another client gives its cached file back. docs/causes.md,
 * oplock-break.
 */
#include <string.h>

#include "analyzer/causes/requests.h"
#include "analyzer/constants.h"

/* docs/causes.md, oplock-break: an open that is pending this long waits for somebody. */
#define PENDING_NS (100 * MILLISECOND_NS)
/* MS-SMB2 3.3.2.1: how long a server waits for the answer to a break. */
#define BREAK_TIMEOUT_NS (35 * SECOND_NS)

/* Breaks sent by this server on any connection in the capture. */
static uint64_t breaks_seen(const CauseContext *context)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *f = context->connections[i];
		if (f->has_session &&
			memcmp(f->addr[SIDE_SERVER], context->unit->addr[SIDE_SERVER], 16) == 0)
			sum += f->session.breaks;
	}
	return sum;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	uint64_t pending = unit->class_interim[OP_OPEN];
	int64_t waited = unit->class_interim_ns[OP_OPEN];
	if (unit->is_ftp || pending == 0 || waited < (int64_t)pending * PENDING_NS)
		return false;
	cause_claim_server_part(context, draft, OP_OPEN, waited);
	uint64_t breaks = breaks_seen(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns * 9 / 10;
	draft->blame = "CLIENT";
	draft->confidence = breaks > 0 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context, "%.0f open%s waited %s in all%s%s.",
		(double)pending, pending == 1 ? "" : "s", cause_time(context, (double)waited),
		breaks > 0
			? " until another client gave its cached copy back (the server called an "
			  "oplock or lease back)"
			: " at the server, as they do while another client holds the file cached",
		unit->class_longest_ns[OP_OPEN] >= BREAK_TIMEOUT_NS
			? "; one ended only when the server's patience of 35 s was over"
			: "");
	draft->fix = "find who else has the files open";
	cause_advice(draft,
		"Find the second opener: `smbstatus -L` on Samba, `Get-SmbOpenFile` on Windows. "
		"Backup, antivirus, indexing and a second user are the usual ones.");
	cause_advice(draft, "A client that does not answer a break (asleep, crashed, behind a "
			    "broken link) keeps everybody waiting for 35 s: look at it first.");
	cause_advice(draft,
		"Files that many write at the same time (databases): Samba `veto oplock files`; "
		"`Set-SmbServerConfiguration -EnableLeasing $false` only as a test.");
	cause_number(draft, "opens that were pending", NUMBER_COUNT, (double)pending);
	cause_number(draft, "longest", NUMBER_NS, (double)unit->class_longest_ns[OP_OPEN]);
	cause_number(draft, "breaks seen in the capture", NUMBER_COUNT, (double)breaks);
	requests_evidence(context, draft, OP_OPEN, 3);
	if (breaks == 0) {
		draft->doubt = "The break itself is not in this capture; slow storage can make an "
			       "open pending as well.";
		draft->next_test = "Capture at the server with all its clients, and look for "
				   "oplock-break messages before the answers.";
	}
	return true;
}

const Cause cause_oplock_break = {
	.id = "oplock-break",
	.title = "Opens wait for another client's cached copy",
	.explanation =
		"A client that has a file cached must give it back before another may open it. The "
		"server tells it so and keeps the second client waiting until it has answered.",
	.source = "MS-SMB2 3.3.4.6, 3.3.4.7, 3.3.5.9",
	.precedence = 520,
	.conclude = conclude,
	.guide =
		{
			.rule = "Opens were answered 'pending' first and waited {} or more on "
				"average at the server. {} is how long a server waits for a client "
				"that does not give its cached copy back.",
			.numbers = {GUIDE_NS(PENDING_NS), GUIDE_NS(BREAK_TIMEOUT_NS)},
			.needs = "The opens with interim and final answer.",
			.traps = {"Slow storage can make an open pending as well: the break "
				  "message "
				  "decides.",
				"The client that holds the file may not be in the capture."},
			.confidence = "High with the break in the capture; otherwise medium.",
			.advice = {{"Samba", "'smbstatus -L' shows who holds what; 'veto oplock "
					     "files' for files "
					     "that many write."},
				{"Windows server",
					"'Get-SmbOpenFile'; leasing off only as a test."},
				{"Any", "Backup, antivirus, indexing and a second user are the "
					"usual "
					"openers; a client that is asleep or gone keeps everybody "
					"waiting."}},
			.next_test = "Capture at the server with all its clients, and look for "
				     "oplock-break messages before the answers.",
		},
};
