/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server-slow-read: the server takes long before it answers a READ, or stands still in the middle
 * of the answer, with nothing in its way. docs/causes.md, server-slow-read.
 */
#include "analyzer/causes/slow_server.h"
#include "analyzer/constants.h"

#define MASK_READ OP_MASK(OP_READ)

/* FTP and unknown protocols: no request to measure, only how long the server was silent. */
static unsigned mask_of(const CauseContext *context)
{
	const Unit *unit = context->unit;
	if (unit->is_unframed)
		return OP_MASK_ALL;
	return unit->is_ftp ? OP_MASK(OP_FTP) | MASK_READ : MASK_READ;
}

/* In a protocol that is not understood a longer silence is nobody's turn: files of a job follow
 * each other within this. */
static bool is_nobodys_turn(const CauseContext *context)
{
	return context->unit->is_unframed &&
	       account_evidence(&context->unit->account, BUCKET_SERVER_PROCESSING)[0].ns >
		       JOB_GAP_NS;
}

static bool is_slow(const CauseContext *context)
{
	const Unit *unit = context->unit;
	if (is_nobodys_turn(context))
		return false;
	if (slow_server_stalled_ns(context) >= cause_min_lost_ns(context))
		return true;
	if (!unit->is_unframed && !unit->is_ftp)
		return service_is_slow(context, MASK_READ);
	uint32_t spans = unit->account.spans[BUCKET_SERVER_PROCESSING];
	return spans > 0 &&
	       unit->account.bucket_ns[BUCKET_SERVER_PROCESSING] > spans * SLOW_SERVICE_NS;
}

static const char *sentence(const CauseContext *context, const FindingDraft *draft)
{
	int64_t stalled = draft->claim_ns[BUCKET_SENDER_STALLED];
	int64_t working = draft->claim_ns[BUCKET_SERVER_PROCESSING];
	Service s = service_of(context, OP_READ);
	if (context->unit->is_unframed || s.count == 0)
		return cause_printf(context,
			"The server %s was silent for %s although nothing held its data back, %s "
			"in the middle of the file.",
			context->server_name, cause_time(context, (double)(stalled + working)),
			cause_time(context, (double)stalled));
	if (stalled > working)
		return cause_printf(context,
			"The server begins each answer soon but stops in the middle for %s in all, "
			"as if its disk had to catch up.",
			cause_time(context, (double)stalled));
	return cause_printf(context, "The server takes %s to answer %.0f reads: %s.",
		cause_time(context, (double)(stalled + working)), (double)s.count,
		service_words(context, &s));
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	/* without a byte of a file the silence may be that of a data connection that was not
	 * captured */
	if (context->bulk != SIDE_SERVER || context->bytes == 0 || !is_slow(context))
		return false;
	unsigned mask = mask_of(context);
	if (slow_server_claim(context, draft, mask, true) == 0)
		return false;
	if (!slow_server_finish(context, draft, OP_READ, mask))
		return false;
	draft->sentence = sentence(context, draft);
	draft->fix = "faster storage or cache on the server";
	cause_advice(draft,
		"Watch the server's disk during a copy: `iostat -x 1`, the PhysicalDisk counters, "
		"the NAS's own monitor. A full queue there means the disks are the limit.");
	cause_advice(draft,
		"Look for what shares the disk: backup, indexing, snapshots, RAID rebuild, "
		"disks that sleep, and for an antivirus scan of files that are opened.");
	cause_advice(draft,
		"Samba: keep `aio read size = 1` (the default); compare with reading the "
		"same file on the server itself (`dd if=FILE of=/dev/null bs=1M`).");
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Service s = service_of(context, OP_READ);
	if (s.count == 0 || context->bulk != SIDE_SERVER ||
		!cause_may_rule_out(
			context, context->unit->account.bucket_ns[BUCKET_SERVER_PROCESSING]))
		return NULL;
	return cause_printf(context, "server (95 %% of answers begin within %s)",
		cause_time(context, s.p95_ns));
}

const Cause cause_server_slow_read = {
	.id = "server-slow-read",
	.title = "The server reads slowly",
	.explanation = "The request lay at the server, complete, and the path was free, yet the "
		       "answer did not come. The server was looking for the data: on a slow or "
		       "busy disk, in a storage behind it, or because a scanner had to look first.",
	.source = "MS-SMB2 3.3.5.12; Microsoft, Slow SMB files transfer speed",
	.precedence = 500,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "Requests lay complete at the server while the path was free: its "
				"own time (first byte of the answer, less the network, less the "
				"wait behind earlier answers) is above {} plus 1 ns per byte, or "
				"single answers took {} and more and add up to {}. Or the server "
				"stood still in the middle of its answers.",
			.numbers = {GUIDE_NS(SERVICE_QUICK_DATA_NS), GUIDE_NS(SLOW_SERVICE_NS),
				GUIDE_NS(MIN_LOST_NS), GUIDE_COUNT(SERVICE_FEW_ANSWERS)},
			.needs = "Requests and answers, and the network's part of the round trip.",
			.traps = {"Time to the last byte contains the transfer; only the first "
				  "byte "
				  "counts.",
				"Many requests under way wait behind each other: that is queueing, "
				"not a slow disk.",
				"Losses on the way look like a slow server from afar: then nothing "
				"is said.",
				"A receive window that closed is the client's."},
			.confidence =
				"High at the server, or when it takes longer than half a round "
				"trip; medium with fewer than {} answers, or a single long pause.",
			.advice = {{"Windows server", "PhysicalDisk counters, antivirus exclusions "
						      "for a test."},
				{"Samba", "Keep 'aio read size = 1'; 'iostat -x 1' during a copy."},
				{"NAS or appliance", "Its own monitor: disk queue, RAID rebuild, "
						     "snapshots, sleeping "
						     "disks, SMR disks."},
				{"Any", "Look for what shares the disk: backup, indexing, a "
					"scan."}},
			.next_test =
				"Capture at the server during the same copy, or watch its disk "
				"there (iostat -x 1, Resource Monitor).",
		},
};
