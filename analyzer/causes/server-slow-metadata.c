/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server-slow-metadata: the server takes long to open, close, list or describe files.
 * docs/causes.md, server-slow-metadata.
 */
#include "analyzer/causes/slow_server.h"
#include "analyzer/constants.h"

static unsigned mask_of(const CauseContext *context)
{
	if (context->unit->is_unframed)
		return 0;
	/* calls of other programs through pipes, and what is not known, open and list nothing; a
	 * long CLOSE after writing belongs to server-slow-write */
	unsigned mask = OP_MASK_META & ~OP_MASK(OP_OTHER);
	return context->bulk == SIDE_CLIENT ? mask & ~OP_MASK(OP_CLOSE) : mask;
}

static bool is_slow(const CauseContext *context, unsigned mask)
{
	if (!context->unit->is_ftp)
		return service_is_slow(context, mask);
	/* the answer to LIST comes after its data: only the time at the server counts */
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		uint64_t count = context->unit->class_count[c];
		if (mask & OP_MASK(c) && count > 0 &&
			context->left_server_ns[c] > (int64_t)count * SLOW_SERVICE_NS)
			return true;
	}
	return false;
}

static const char *words(OpClass op_class)
{
	switch (op_class) {
	case OP_OPEN:
		return "open files";
	case OP_CLOSE:
		return "close files";
	case OP_DIR:
		return "list folders";
	case OP_META:
		return "answer questions about files";
	case OP_LOCK:
		return "lock files";
	case OP_OTHER:
	case OP_READ:
	case OP_WRITE:
	case OP_FLUSH:
	case OP_AUTH:
	case OP_FTP:
	case OP_CLASS_COUNT:
		break;
	}
	return "answer";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	unsigned mask = mask_of(context);
	if (!is_slow(context, mask))
		return false;
	if (slow_server_claim(context, draft, mask, false) == 0)
		return false;
	OpClass op_class = slow_server_class(draft, mask);
	if (!slow_server_finish(context, draft, op_class, mask))
		return false;
	Service s = service_of(context, op_class);
	const char *time = cause_time(context, (double)draft->claim_server_ns[op_class]);
	draft->sentence =
		context->unit->is_ftp
			? cause_printf(context, "The server takes %s to %s, %.0f times.", time,
				  words(op_class), (double)s.count)
			: cause_printf(context, "The server takes %s to %s, %.0f times: %s.", time,
				  words(op_class), (double)s.count, service_words(context, &s));
	draft->fix = "a server that opens and lists files faster";
	if (op_class == OP_OPEN || op_class == OP_CLOSE)
		cause_advice(draft, "A scanner on the server is the usual reason (antivirus, "
				    "data-loss prevention): at open it looks before, at close "
				    "after the file changed. Exclude the share as a test.");
	if (op_class == OP_DIR)
		cause_advice(draft,
			"Very large folders take long to list: split them. Samba: `case "
			"sensitive = yes` where clients allow it saves a search per name.");
	cause_advice(draft,
		"Look at the server's disk and at what stands behind the share: cloud or archive "
		"storage, DFS, long access lists, Samba's tdb files on a disk that syncs slowly.");
	cause_advice(draft, "If all requests are slow by the same time, look at the server's "
			    "processor or its virtual machine's host.");
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Service s = service_of(context, OP_OPEN);
	if (s.count == 0 || context->unit->is_ftp)
		return NULL;
	return cause_printf(context, "server's opens (%s each)", cause_time(context, s.typical_ns));
}

const Cause cause_server_slow_metadata = {
	.id = "server-slow-metadata",
	.title = "The server is slow to open or list files",
	.explanation = "Opening, closing and describing files are small requests that a server "
		       "answers from memory in a moment. Here they took long at the server itself, "
		       "not on the way.",
	.source = "MS-SMB2 3.3.5.9; Microsoft, Slow SMB files transfer speed",
	.precedence = 530,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "The server's own time to open, close, list or describe files is "
				"above {} each on average, or single answers took {} and more and "
				"add up to {}.",
			.numbers = {GUIDE_NS(SERVICE_QUICK_METADATA_NS), GUIDE_NS(SLOW_SERVICE_NS),
				GUIDE_NS(MIN_LOST_NS), GUIDE_COUNT(SERVICE_FEW_ANSWERS)},
			.needs = "Requests and answers, and the network's part of the round trip.",
			.traps = {"Opens that wait for another client are oplock-break.",
				"Waiting for a lock is byte-range-locks.",
				"Notifications are never owed."},
			.confidence =
				"High at the server, or when it takes longer than half a round "
				"trip; medium with fewer than {} answers.",
			.advice = {{"Any", "A scanner on the server is the usual reason: at open "
					   "it looks "
					   "before, at close after the file changed; exclude the "
					   "share as a "
					   "test."},
				{"Samba", "'case sensitive = yes' where clients allow it; tdb "
					  "files on a disk "
					  "that syncs slowly; vfs modules."},
				{"Windows server",
					"Antivirus, access-based enumeration, DFS, storage tiers."},
				{"NAS or appliance",
					"Processor and disk monitor; very large folders."}},
			.next_test = "Switch the server's virus scanner off for the share and "
				     "repeat the "
				     "copy; or capture at the server.",
		},
};
