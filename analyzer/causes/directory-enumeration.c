/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * directory-enumeration: listing folders, and asking about each entry by itself, is what takes the
 * time. docs/causes.md, directory-enumeration.
 */
#include <math.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/requests.h"
#include "analyzer/causes/service.h"
#include "analyzer/constants.h"

/* docs/causes.md, directory-enumeration. */
#define MIN_SHARE 0.30
/* Questions about entries follow a listing when there are many and hardly any file is read or
 * written between them. */
#define MIN_ENTRY_QUERIES 20
#define MAX_MOVED_SHARE 0.2
/* Buffer that current clients give for a listing; Windows Vista to 7 gave 64 KiB, smbclient the
 * server's largest. docs/causes.md, directory-enumeration. */
#define LARGE_BUFFER (1024.0 * 1024)

static const unsigned mask_entries =
	OP_MASK(OP_OPEN) | OP_MASK(OP_META) | OP_MASK(OP_CLOSE) | OP_MASK(OP_OTHER);

/** Listing: what a job spent on folders. */
typedef struct Listing {
	double lists, queries, buffer;
	int64_t list_trips_ns, list_server_ns, query_ns;
	bool has_queries;
} Listing;

static bool measure(const CauseContext *context, Listing *ret)
{
	const Unit *unit = context->unit;
	if (!unit->is_job || unit->lists == 0 || context->rtt_ns <= 0)
		return false;
	Listing l = {.lists = (double)unit->lists,
		.buffer = (double)unit->list_asked / (double)unit->lists,
		.list_trips_ns = context->left_round_trip_ns[OP_DIR],
		.list_server_ns = context->left_server_ns[OP_DIR]};
	uint64_t queries = unit->class_count[OP_META];
	uint64_t opens = unit->class_count[OP_OPEN];
	l.queries = (double)(queries > opens ? queries : opens);
	/* a short snap length hides which file is read, not that one is */
	uint64_t reads = unit->class_count[OP_READ] + unit->class_count[OP_WRITE];
	uint64_t moved = unit->files > 0 ? unit->files : reads;
	l.has_queries = !unit->is_ftp && l.queries >= MIN_ENTRY_QUERIES &&
			(double)moved <= MAX_MOVED_SHARE * l.queries;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (mask_entries & OP_MASK(c))
			l.query_ns += context->left_round_trip_ns[c] + context->left_server_ns[c];
	}
	*ret = l;
	return true;
}

static int64_t total_ns(const Listing *l)
{
	return l->list_trips_ns + l->list_server_ns + (l->has_queries ? l->query_ns : 0);
}

static const char *sentence(const CauseContext *context, const Listing *l)
{
	const char *rtt = cause_time(context, (double)context->rtt_ns);
	const char *time = cause_time(context, (double)total_ns(l));
	if (l->has_queries && l->query_ns > l->list_trips_ns + l->list_server_ns)
		return cause_printf(context,
			"After listing a folder the client asks about its entries, or changes "
			"them, one by one: %.0f names and %.0f listing requests take %s, each "
			"request a %s round trip.",
			l->queries, l->lists, time, rtt);
	return cause_printf(context,
		"Listing folders took %.0f requests and %s, each a %s round trip or more.",
		l->lists, time, rtt);
}

static void advise(const CauseContext *context, FindingDraft *draft, const Listing *l)
{
	if (l->has_queries) {
		draft->fix = "fewer requests per entry";
		cause_advice(draft,
			"Use a view or a program that takes what the listing already says: "
			"in Explorer turn off thumbnails and extra columns for network "
			"folders; `dir` or robocopy instead of tools that open each file.");
		cause_advice(draft, "Linux mounts: a longer actimeo= lets the kernel keep "
				    "attributes; macOS: switch off .DS_Store on network volumes.");
	} else {
		draft->fix = "fewer entries per folder";
		cause_advice(draft, "Split very large folders; servers and clients handle some "
				    "thousand entries well.");
	}
	if (context->unit->is_ftp)
		return;
	cause_advice(draft, "Samba: `case sensitive = yes` (where clients allow it) and a larger "
			    "`directory name cache size` shorten the search in large folders.");
}

static void claim(const CauseContext *context, FindingDraft *draft, const Listing *l)
{
	cause_claim_round_trips(context, draft, OP_MASK(OP_DIR));
	if (!service_is_slow(context, OP_MASK(OP_DIR)))
		cause_claim_server(context, draft, OP_MASK(OP_DIR));
	if (!l->has_queries)
		return;
	cause_claim_round_trips(context, draft, mask_entries);
	if (!service_is_slow(context, mask_entries))
		cause_claim_server(context, draft, mask_entries);
	if (context->left_ns[BUCKET_CLIENT_THINK] < cause_min_lost_ns(context))
		cause_claim(context, draft, BUCKET_CLIENT_THINK);
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Listing l;
	if (!measure(context, &l) || cause_share(context, total_ns(&l)) < MIN_SHARE)
		return false;
	claim(context, draft, &l);
	double larger = l.buffer > 0 && l.buffer < LARGE_BUFFER ? 1 - l.buffer / LARGE_BUFFER : 0;
	double lists = (double)draft->claim_round_trip_ns[OP_DIR] * larger;
	double queries = l.has_queries
				 ? (double)(draft->lost_ns - draft->claim_round_trip_ns[OP_DIR] -
					    draft->claim_server_ns[OP_DIR])
				 : 0;
	draft->saved_high_ns = (int64_t)(lists + queries);
	/* some of the questions will be asked by any program */
	draft->saved_low_ns = (int64_t)(lists / 2 + queries / 2);
	draft->blame = "CLIENT";
	draft->sentence = sentence(context, &l);
	draft->confidence =
		context->vantage != VANTAGE_UNKNOWN ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	advise(context, draft, &l);
	cause_number(draft, "listing requests", NUMBER_COUNT, l.lists);
	if (context->unit->list_entries > 0)
		cause_number(draft, "entries seen in the kept bytes", NUMBER_COUNT,
			(double)context->unit->list_entries);
	if (l.buffer > 0)
		cause_number(draft, "buffer per listing request", NUMBER_BYTES, l.buffer);
	cause_number(draft, "questions about single entries", NUMBER_COUNT,
		l.has_queries ? l.queries : 0);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	requests_evidence(context, draft, OP_DIR, 2);
	if (l.has_queries)
		requests_evidence(context, draft, OP_OPEN, 2);
	return true;
}

const Cause cause_directory_enumeration = {
	.id = "directory-enumeration",
	.title = "Listing folders takes the time",
	.explanation = "A folder is read in pieces, and many programs then ask about every entry "
		       "by itself: size, owner, icon, extended attributes. Each piece and each "
		       "question waits for an answer, so a large folder or a long path makes it "
		       "slow although no file is moved.",
	.source = "MS-SMB2 2.2.33, 3.3.5.18; MS-FSCC 2.4",
	.precedence = 403,
	.conclude = conclude,
	.guide =
		{
			.rule = "Listing folders, with the requests for single entries (questions, "
				"changes) that follow it, takes {} of the time or more. They count "
				"when "
				"there are {} or more and hardly any file is moved.",
			.numbers = {GUIDE_SHARE(MIN_SHARE), GUIDE_COUNT(MIN_ENTRY_QUERIES)},
			.needs = "Listing requests of the job.",
			.traps = {"Waits for change notifications are not waits.",
				"A slow server is server-slow-metadata."},
			.confidence = "High when the capture place is known.",
			.advice = {{"Windows client",
					   "Turn off thumbnails and extra columns for network "
					   "folders; 'dir' "
					   "or robocopy instead of tools that open each file."},
				{"Linux client (cifs)",
					"A longer actimeo= lets the kernel keep attributes."},
				{"macOS", "Switch off .DS_Store on network volumes."},
				{"Samba", "'case sensitive = yes' where clients allow it, a larger "
					  "'directory "
					  "name cache size'."},
				{"Any", "Split very large folders."}},
			.next_test =
				"List the same folder with a program that asks for names only "
				"(dir, "
				"ls -U): if that is quick, the questions per entry are the cost.",
		},
};
