/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server-slow-write: the server takes long to confirm a WRITE, or the FLUSH or CLOSE behind it.
 * docs/causes.md, server-slow-write.
 */
#include "analyzer/causes/slow_server.h"
#include "analyzer/constants.h"

/* A cache that drains at the end shows as one long FLUSH or CLOSE. docs/causes.md,
 * flush-write-through. */
#define MASK_WRITE (OP_MASK(OP_WRITE) | OP_MASK(OP_FLUSH) | OP_MASK(OP_CLOSE))

/* A straight line through the closes: so many of them, the line fits, and the bytes make half of
 * their time. As for signing, security_cost.h. */
#define FIT_MIN_CLOSES SERVICE_FEW_ANSWERS
#define FIT_MIN 0.8
#define FIT_BYTES_SHARE 0.5
#define MEBIBYTE 1048576.0

/* Whether files took the longer to close the more had been written to them: the data were confirmed
 * in memory and go to the disk now. @ret_ns_per_mib: how long. */
static bool closes_follow_bytes(const CauseContext *context, double *ret_ns_per_mib)
{
	const DataFit *f = &context->unit->close_fit;
	double dx = f->n * f->xx - f->x * f->x, dy = f->n * f->yy - f->y * f->y;
	if (f->n < FIT_MIN_CLOSES || dx <= 0 || dy <= 0 || f->y <= 0)
		return false;
	double slope = (f->n * f->xy - f->x * f->y) / dx;
	*ret_ns_per_mib = slope * MEBIBYTE;
	return slope > 0 && slope * slope * dx / dy >= FIT_MIN &&
	       slope * f->x >= FIT_BYTES_SHARE * f->y;
}

static unsigned mask_of(const CauseContext *context)
{
	const Unit *unit = context->unit;
	if (unit->is_unframed)
		return OP_MASK_ALL;
	return unit->is_ftp ? OP_MASK(OP_FTP) : MASK_WRITE;
}

static bool is_slow(const CauseContext *context)
{
	const Unit *unit = context->unit;
	if (!unit->is_unframed && !unit->is_ftp)
		return service_is_slow(context, MASK_WRITE);
	uint32_t spans = unit->account.spans[BUCKET_SERVER_PROCESSING];
	return spans > 0 &&
	       unit->account.bucket_ns[BUCKET_SERVER_PROCESSING] > spans * SLOW_SERVICE_NS;
}

static const char *sentence(
	const CauseContext *context, const FindingDraft *draft, OpClass op_class)
{
	Service s = service_of(context, op_class);
	const char *time = cause_time(context, (double)draft->claim_ns[BUCKET_SERVER_PROCESSING]);
	if (context->unit->is_unframed || context->unit->is_ftp)
		return cause_printf(context,
			"The server %s had all of the data and took %s more before it said so.",
			context->server_name, time);
	double ns_per_mib;
	if (op_class == OP_CLOSE && closes_follow_bytes(context, &ns_per_mib))
		return cause_printf(context,
			"The server takes %s to close %.0f files, in proportion to what was "
			"written to them (%s for each MiB): it had confirmed the data in memory "
			"and works on them when the file is closed.",
			time, (double)s.count, cause_time(context, ns_per_mib));
	const char *what =
		op_class == OP_WRITE ? cause_printf(context, "confirm %.0f writes", (double)s.count)
		: op_class == OP_FLUSH
			? cause_printf(context, "put data on the disk, %.0f times", (double)s.count)
			: cause_printf(context, "close %.0f file%s", (double)s.count,
				  s.count == 1 ? "" : "s");
	return cause_printf(
		context, "The server takes %s to %s: %s.", time, what, service_words(context, &s));
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (context->bulk != SIDE_CLIENT || !is_slow(context))
		return false;
	unsigned mask = mask_of(context);
	if (slow_server_claim(context, draft, mask, false) == 0)
		return false;
	OpClass op_class = slow_server_class(draft, mask);
	if (!slow_server_finish(context, draft, op_class, mask))
		return false;
	draft->sentence = sentence(context, draft, op_class);
	draft->fix = "faster storage or a write cache on the server";
	double ns_per_mib;
	if (op_class == OP_CLOSE && closes_follow_bytes(context, &ns_per_mib)) {
		cause_number(draft, "to close, for each MiB written", NUMBER_NS, ns_per_mib);
		if (!draft->doubt)
			draft->doubt = "A virus scan of each file that is closed takes time in "
				       "proportion to its size, too.";
		if (!draft->next_test)
			draft->next_test = "Exclude the folder from virus scans for a test and "
					   "copy the same files again.";
	}
	cause_advice(draft,
		"Watch the server's disk during a copy: `iostat -x 1`, the PhysicalDisk "
		"counters, the NAS's own monitor. Shingled (SMR) disks, full thin pools and "
		"RAID without a battery- backed cache write slowly.");
	cause_advice(draft, "Look for what shares the disk: backup, snapshots, RAID rebuild, and "
			    "for an antivirus scan of files that are closed after writing.");
	cause_advice(draft, "Samba: keep `aio write size = 1` (the default) and try `strict "
			    "allocate = no`; for large files from Windows try `robocopy /J`.");
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Service s = service_of(context, OP_WRITE);
	if (s.count == 0 || context->bulk != SIDE_CLIENT ||
		!cause_may_rule_out(
			context, context->unit->account.bucket_ns[BUCKET_SERVER_PROCESSING]))
		return NULL;
	return cause_printf(context, "server (95 %% of writes confirmed within %s)",
		cause_time(context, s.p95_ns));
}

const Cause cause_server_slow_write = {
	.id = "server-slow-write",
	.title = "The server writes slowly",
	.explanation =
		"The server had received all of a request and had not yet said that it is done. "
		"While the client waits for that word, nothing else moves. Slow disks, a full "
		"write cache or a scanner behind the share are the usual reasons.",
	.source = "MS-SMB2 3.3.5.13; Microsoft, Slow SMB files transfer speed",
	.precedence = 510,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "Requests lay complete at the server while the path was free: its "
				"own time (first byte of the answer, less the network, less the "
				"wait behind earlier answers) is above {} plus 1 ns per byte, or "
				"single answers took {} and more and add up to {}. FLUSH and CLOSE "
				"after writing count, as a cache that drains shows there.",
			.numbers = {GUIDE_NS(SERVICE_QUICK_DATA_NS), GUIDE_NS(SLOW_SERVICE_NS),
				GUIDE_NS(MIN_LOST_NS), GUIDE_COUNT(FIT_MIN_CLOSES),
				GUIDE_COUNT(SERVICE_FEW_ANSWERS)},
			.needs = "Requests and answers, and the network's part of the round trip.",
			.traps = {"Time to the last byte contains the transfer; only the first "
				  "byte "
				  "counts.",
				"Many requests under way wait behind each other: that is queueing, "
				"not a slow disk.",
				"Losses on the way look like a slow server from afar: then nothing "
				"is said.",
				"A receive window that closed is the client's.",
				"Files that take the longer to close the more was written to them "
				"({} or more on a straight line) show data confirmed in memory and "
				"written later, or a virus scan of what is closed."},
			.confidence =
				"High at the server, or when it takes longer than half a round "
				"trip; medium with fewer than {} answers, or a single long pause.",
			.advice = {{"Windows server", "PhysicalDisk counters, antivirus exclusions "
						      "for a test, 'robocopy "
						      "/J' for large files."},
				{"Samba", "Keep 'aio write size = 1' and try 'strict allocate = "
					  "no'; 'iostat "
					  "-x 1' during a copy."},
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
