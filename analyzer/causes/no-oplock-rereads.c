/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * no-oplock-rereads: data or attributes are fetched again because the client may not keep them.
 * docs/causes.md, no-oplock-rereads.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/requests.h"

/* docs/causes.md, no-oplock-rereads. */
#define UNCACHED_SHARE 0.8
#define REREAD_SHARE 0.20
#define QUERIES_PER_FILE 3.0
#define MIN_OPENS 10
#define MIN_REREAD_BYTES (64 * 1024)

static bool is_uncached(const Unit *unit)
{
	return unit->opens > 0 &&
	       (double)unit->opens_uncached >= UNCACHED_SHARE * (double)unit->opens;
}

static const char *reason(const Unit *unit)
{
	return unit->opens_refused * 2 > unit->opens_uncached
		       ? "the server did not grant the permission (oplock or lease) that the "
			 "client asked for"
		       : "the client did not ask for the permission (oplock or lease)";
}

static bool rereads(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	const DataFacts *d = &unit->read;
	if (d->repeated_bytes < MIN_REREAD_BYTES ||
		(double)d->repeated_bytes < REREAD_SHARE * (double)d->bytes)
		return false;
	double share = (double)d->repeated_bytes / (double)d->bytes;
	cause_claim_round_trips_part(context, draft, OP_READ,
		(int64_t)((double)context->left_round_trip_ns[OP_READ] * share));
	cause_claim_server_part(context, draft, OP_READ,
		(int64_t)((double)context->left_server_ns[OP_READ] * share));
	cause_claim_part(context, draft, BUCKET_LINK,
		(int64_t)((double)context->left_ns[BUCKET_LINK] * share));
	draft->sentence = cause_printf(context,
		"%s of the %s read were read before; the client may not keep them because %s.",
		cause_bytes(context, (double)d->repeated_bytes),
		cause_bytes(context, (double)d->bytes), reason(unit));
	cause_number(draft, "bytes read", NUMBER_BYTES, (double)d->bytes);
	cause_number(draft, "of these again", NUMBER_BYTES, (double)d->repeated_bytes);
	requests_evidence(context, draft, OP_READ, 2);
	return true;
}

static bool queries(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	double per_file = (double)unit->queries / (double)(unit->opens > 0 ? unit->opens : 1);
	if (unit->opens < MIN_OPENS || per_file < QUERIES_PER_FILE)
		return false;
	/* the first question about a file has to be asked */
	double share = 1 - 1 / per_file;
	cause_claim_round_trips_part(context, draft, OP_META,
		(int64_t)((double)context->left_round_trip_ns[OP_META] * share));
	cause_claim_server_part(context, draft, OP_META,
		(int64_t)((double)context->left_server_ns[OP_META] * share));
	draft->sentence = cause_printf(context,
		"The client asks %.1f times for the attributes of each file; it may not keep them "
		"because %s.",
		per_file, reason(unit));
	cause_number(draft, "attribute queries per file", NUMBER_COUNT, per_file);
	requests_evidence(context, draft, OP_META, 2);
	return true;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (unit->is_ftp || unit->is_unframed || !is_uncached(unit))
		return false;
	if (!rereads(context, draft) && !queries(context, draft))
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns / 2;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->doubt = "Some programs read without a cache on purpose.";
	draft->blame = unit->opens_refused * 2 > unit->opens_uncached ? "SERVER" : "CLIENT";
	draft->fix = "oplocks or leases, so that the client may keep what it read";
	cause_number(draft, "files opened", NUMBER_COUNT, (double)unit->opens);
	cause_number(draft, "without a cache", NUMBER_COUNT, (double)unit->opens_uncached);
	cause_number(draft, "refused by the server", NUMBER_COUNT, (double)unit->opens_refused);
	if (unit->opens_refused * 2 > unit->opens_uncached)
		cause_advice(draft, "Samba: `oplocks = yes`, `smb2 leases = yes` (defaults), and "
				    "`kernel oplocks = no`; not without thought where other "
				    "programs or protocols change the same files. Windows server: "
				    "`Get-SmbServerConfiguration` (EnableOplocks, EnableLeasing).");
	else
		cause_advice(draft, "Let the client cache: Linux mount cache=strict (the default) "
				    "instead of cache=none; programs with an SMB library of their "
				    "own: ask for a lease when opening.");
	cause_advice(draft, "If another program or user has the same files open, that is why "
			    "caching is refused; find it with `smbstatus` or `Get-SmbOpenFile`.");
	draft->next_test = "Open the same file from one client only and see whether the server "
			   "then grants an oplock or a lease.";
	return true;
}

const Cause cause_no_oplock_rereads = {
	.id = "no-oplock-rereads",
	.title = "The same data is fetched again and again",
	.explanation = "A client may keep what it has read only while the server promises to tell "
		       "it of changes (an oplock or a lease). Without that promise every read and "
		       "every question about the file goes to the server again.",
	.source = "MS-SMB2 2.2.13, 2.2.14, 3.3.4.6; smb.conf(5)",
	.precedence = 408,
	.conclude = conclude,
	.guide =
		{
			.rule = "{} or more of the opened files came without permission to cache, "
				"and either {} of the bytes read (and at least {}) had been read "
				"before, or the client asked {} times or more for the attributes "
				"of "
				"each file.",
			.numbers = {GUIDE_SHARE(UNCACHED_SHARE), GUIDE_SHARE(REREAD_SHARE),
				GUIDE_BYTES(MIN_REREAD_BYTES), GUIDE_COUNT(QUERIES_PER_FILE),
				GUIDE_COUNT(MIN_OPENS)},
			.needs = "Opens in the capture; {} of them for attributes.",
			.traps = {"Programs that copy without a cache on purpose.",
				"Encrypted sessions do not show it."},
			.confidence = "Medium.",
			.advice = {{"Samba", "'oplocks = yes', 'smb2 leases = yes' (defaults) and "
					     "'kernel "
					     "oplocks = no'; not without thought where other "
					     "programs change the "
					     "same files."},
				{"Windows server", "'Get-SmbServerConfiguration': EnableOplocks, "
						   "EnableLeasing."},
				{"Linux client (cifs)",
					"cache=strict (the default) instead of cache=none."},
				{"Any", "Find who else has the file open: smbstatus, "
					"Get-SmbOpenFile."}},
			.next_test = "Open the same file from one client only and see whether the "
				     "server "
				     "then grants an oplock or a lease.",
		},
};
