/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copy-through-client: a file is copied within one server by reading and writing it back, although
 * the server could copy it by itself. docs/causes.md, copy-through-client.
 */
#include "analyzer/causes/cause.h"

/* docs/causes.md, copy-through-client. */
#define SAME_SHARE 0.9
#define MIN_BYTES (1024 * 1024)

/* The pieces are matched in the job; when its files are looked at one by one, the file that is read
 * tells it. */
static const Unit *job_of(const CauseContext *context)
{
	if (context->unit->is_job)
		return context->unit;
	if (unit_is_write(context->unit) || context->unit->job_serial == 0)
		return NULL;
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *u = context->units[i];
		if (u->is_job && u->serial == context->unit->job_serial)
			return u;
	}
	return NULL;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *job = job_of(context);
	if (!job || job->is_ftp)
		return false;
	double read = (double)job->read.bytes, written = (double)job->write.bytes;
	double less = read < written ? read : written, more = read < written ? written : read;
	if (less < MIN_BYTES || less < SAME_SHARE * more ||
		(double)job->copied_back < SAME_SHARE * less)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"%s were read from the server %s and written back to it, piece by piece: the "
		"server could copy the file by itself, and next to nothing would cross the "
		"network.",
		cause_bytes(context, (double)job->copied_back), context->server_name);
	draft->fix = "a copy inside the server";
	cause_advice(draft,
		"Explorer and robocopy let the server copy when both ends are on one server; other "
		"programs and file systems mounted by a path of their own often do not.");
	cause_advice(draft, "Samba offers it by default; with `vfs objects = btrfs` or `fruit` "
			    "(`fruit:copyfile = yes` for macOS) it is quicker still. On the server "
			    "itself use cp.");
	cause_number(draft, "read and written back", NUMBER_BYTES, (double)job->copied_back);
	cause_evidence(context, draft, context->unit->first_frame, context->unit->account.start_ns,
		"the copy begins");
	return true;
}

const Cause cause_copy_through_client = {
	.id = "copy-through-client",
	.title = "A copy inside the server goes through the client",
	.explanation = "The same data travels to the client and straight back to the server it "
		       "came from. SMB has requests that let the server copy by itself.",
	.source = "MS-SMB2 2.2.31.1, 3.3.5.15.6",
	.precedence = 760,
	.conclude = conclude,
	.guide =
		{
			.rule = "At least {} were read from a server and written back to the same "
				"server in the same pieces, {} of them or more. Always a note.",
			.numbers = {GUIDE_BYTES(MIN_BYTES), GUIDE_SHARE(SAME_SHARE)},
			.needs = "Reads and writes of one session.",
			.traps =
				{"A program that changes the data on the way writes other pieces."},
			.confidence = "Medium.",
			.advice = {{"Windows client", "Explorer and robocopy let the server copy "
						      "when both ends are on "
						      "one server."},
				{"Linux client (cifs)",
					"'cp --reflink=auto' on one mount uses it."},
				{"Samba", "Offered by default; 'vfs objects = btrfs', or 'fruit' "
					  "with "
					  "'fruit:copyfile = yes' for macOS."},
				{"Any", "On the server itself use cp."}},
			.next_test =
				"Copy the same file with Explorer or robocopy: if hardly a byte "
				"crosses the network, the program was the reason.",
		},
};
