/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small-files-metadata: a job of many small files, where opening, asking and closing take the time.
 * docs/causes.md, small-files-metadata.
 */
#include <math.h>
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/service.h"
#include "analyzer/constants.h"

/* docs/causes.md, small-files-metadata. */
#define MIN_FILES 20
#define MIN_METADATA_SHARE 0.40
/* CREATE, READ or WRITE, CLOSE: what a file costs when the client compounds or asks for nothing
 * else. docs/architecture.md, "Life of a finding". */
#define KEPT_REQUESTS 3.0
/* Threads of robocopy /MT when no number is given. */
#define THREADS 8.0
/* Files moved in so few pieces wait like metadata; more pieces are the business of smb-serial-
 * requests. */
#define DATA_REQUESTS_PER_FILE 2.0
/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

/** Files: a job in figures per file. */
typedef struct Files {
	double count, size, requests, data_requests;
	int64_t metadata_ns;
	bool is_names; /* nothing was moved: names were asked about, renamed, deleted */
} Files;

static bool measure(const CauseContext *context, Files *ret)
{
	const Unit *unit = context->unit;
	uint64_t names = unit->class_count[OP_OPEN];
	/* SMB1 renames and deletes without opening */
	if (unit->protocol && strcmp(unit->protocol, "smb1") == 0)
		names = MAX(names, unit->class_count[OP_META]);
	bool is_names = unit->files == 0 && context->bytes == 0;
	/* a short snap length hides which file is read; each was opened */
	bool is_hidden = unit->files == 0 && context->bytes > 0;
	uint64_t moved = unit->class_count[OP_READ] + unit->class_count[OP_WRITE];
	uint64_t count = is_names    ? names
			 : is_hidden ? MIN(unit->class_count[OP_OPEN], moved)
				     : unit->files;
	if (!unit->is_job || unit->is_ftp || context->rtt_ns <= 0 || count < MIN_FILES)
		return false;
	Files f = {.count = (double)count,
		.size = is_hidden ? (double)context->bytes / (double)count
				  : (double)histogram_quantile(&unit->file_size, 0.5),
		.is_names = is_names};
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (OP_MASK(c) & (OP_MASK_META | OP_MASK_DATA))
			f.requests += (double)unit->class_count[c] / f.count;
		if (OP_MASK(c) & OP_MASK_DATA)
			f.data_requests += (double)unit->class_count[c] / f.count;
		if (OP_MASK(c) & OP_MASK_META)
			f.metadata_ns +=
				context->left_round_trip_ns[c] + context->left_server_ns[c];
	}
	*ret = f;
	return f.size <= SMALL_FILE_BYTES;
}

static void claim(const CauseContext *context, FindingDraft *draft, const Files *f)
{
	unsigned mask = OP_MASK_META;
	if (f->data_requests <= DATA_REQUESTS_PER_FILE)
		mask |= OP_MASK_DATA;
	cause_claim_round_trips(context, draft, mask);
	/* a server that takes long is a cause of its own */
	if (!service_is_slow(context, OP_MASK_META))
		cause_claim_server(context, draft, OP_MASK_META);
	if (mask & OP_MASK_DATA && !service_is_slow(context, OP_MASK_DATA))
		cause_claim_server(context, draft, OP_MASK_DATA);
	if (context->left_ns[BUCKET_CLIENT_THINK] < cause_min_lost_ns(context))
		cause_claim(context, draft, BUCKET_CLIENT_THINK);
}

static int64_t metadata_round_trips(const FindingDraft *draft)
{
	int64_t sum = 0;
	for (int c = 0; c < OP_CLASS_COUNT; c++)
		sum += OP_MASK(c) & OP_MASK_META ? draft->claim_round_trip_ns[c] : 0;
	return sum;
}

static void describe(const CauseContext *context, FindingDraft *draft, const Files *f)
{
	double per_file_ns = (double)context->wall_ns / f->count;
	cause_number(draft, f->is_names ? "names" : "files", NUMBER_COUNT, f->count);
	if (!f->is_names)
		cause_number(draft, "bytes per file, median", NUMBER_BYTES, f->size);
	cause_number(draft, "requests per file", NUMBER_COUNT, round(f->requests * 10) / 10);
	cause_number(draft, "time per file", NUMBER_NS, per_file_ns);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "round trips per file", NUMBER_COUNT,
		round(10 * (double)context->unit->account.bucket_ns[BUCKET_ROUND_TRIP] /
			(double)context->rtt_ns / f->count) /
			10);
	cause_number(draft, "time the path needed for the data", NUMBER_PERCENT,
		100 * cause_share(context, context->link_ns));
	if (f->is_names) {
		draft->sentence = cause_printf(context,
			"%.0f names were worked on one after the other, asked about, renamed or "
			"deleted, with %.1f requests each, and each request waits a %s round trip: "
			"%s of waiting per name.",
			f->count, f->requests, cause_time(context, (double)context->rtt_ns),
			cause_time(context, (double)draft->lost_ns / f->count));
		return;
	}
	double ceiling_ns = f->requests * (double)context->rtt_ns;
	draft->ceiling_bytes_per_s = f->size * 1e9 / ceiling_ns;
	draft->ceiling_formula =
		cause_printf(context, "%s / (%.1f x %s) = %s", cause_bytes(context, f->size),
			f->requests, cause_time(context, (double)context->rtt_ns),
			cause_rate(context, draft->ceiling_bytes_per_s));
	draft->sentence = cause_printf(context,
		"%.0f files of %s each take %.1f requests, most of them to open, ask about and "
		"close the file, and each request waits a %s round trip: %s of waiting per file.",
		f->count, cause_bytes(context, f->size), f->requests,
		cause_time(context, (double)context->rtt_ns),
		cause_time(context, (double)draft->lost_ns / f->count));
}

static void advise(FindingDraft *draft, const Files *f)
{
	draft->fix = "several files at the same time";
	if (f->is_names) {
		cause_advice(draft, "Work on several names at the same time, or let a program on "
				    "the server do it: a folder that is renamed or removed there "
				    "is one request.");
		return;
	}
	cause_advice(draft,
		"Copy several files at the same time: `robocopy /MT:16`, rclone --transfers "
		"16. The requests of one file wait while those of the others travel.");
	cause_advice(draft, "Or pack them first (zip, tar) and copy the archive; or let a program "
			    "on the server do the work (rsync, a sync service).");
	cause_advice(draft, "This is how the protocol works with many small files and not a fault "
			    "of the network; a faster link would not help.");
	cause_advice(draft, "Keep leases and directory leases on (Samba: `smb2 leases = yes`), so "
			    "that clients may answer some questions from their cache.");
}

static void evidence(const CauseContext *context, FindingDraft *draft)
{
	/* one file from open to close, as it was first seen */
	const Unit *unit = context->unit;
	for (uint32_t i = 0; i < unit->operation_count && i < 8; i++) {
		const OperationSample *o = &unit->operations[i];
		cause_evidence(context, draft, o->request_frame, o->request_ns,
			cause_printf(context, "%s, answered after %s",
				op_class_id((OpClass)o->op_class),
				cause_time(context, (double)(o->reply_ns - o->request_ns))));
	}
	cause_evidence_bucket(context, draft, BUCKET_ROUND_TRIP, "on the way");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Files f;
	if (!measure(context, &f) || cause_share(context, f.metadata_ns) < MIN_METADATA_SHARE)
		return false;
	claim(context, draft, &f);
	double compounds = f.requests > KEPT_REQUESTS ? 1 - KEPT_REQUESTS / f.requests : 0;
	draft->saved_low_ns = (int64_t)((double)metadata_round_trips(draft) * compounds);
	draft->saved_high_ns = (int64_t)((double)draft->lost_ns * (1 - 1 / THREADS));
	if (draft->saved_low_ns > draft->saved_high_ns)
		draft->saved_low_ns = draft->saved_high_ns;
	/* what the server and the client do for each file passes beside that for others, too, or
	 * for the one archive alone, whatever else is named for it */
	static const Bucket per_file[] = {
		BUCKET_ROUND_TRIP, BUCKET_SERVER_PROCESSING, BUCKET_CLIENT_THINK};
	for (size_t i = 0; i < sizeof(per_file) / sizeof(*per_file); i++)
		cause_hides(draft, per_file[i],
			(double)context->unit->account.bucket_ns[per_file[i]] * (1 - 1 / f.count));
	describe(context, draft, &f);
	advise(draft, &f);
	evidence(context, draft);
	draft->blame = "CLIENT";
	draft->confidence = draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context) &&
					    context->vantage != VANTAGE_UNKNOWN
				    ? CONFIDENCE_HIGH
				    : CONFIDENCE_MEDIUM;
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Files f;
	if (!measure(context, &f) || f.is_names || !cause_may_rule_out(context, f.metadata_ns))
		return NULL;
	return cause_printf(context, "work per file (%s of the time)",
		cause_percent(context, cause_share(context, f.metadata_ns)));
}

const Cause cause_small_files_metadata = {
	.id = "small-files-metadata",
	.title = "Many small files, copied one after the other",
	.explanation = "A small file moves in an instant, but opening it, asking for its "
		       "attributes and closing it are requests of their own, and each waits for an "
		       "answer. The time grows with the number of files and the distance to the "
		       "server, not with their size.",
	.source = "MS-SMB2 3.2.4.1.4; Microsoft, Slow SMB files transfer speed",
	.precedence = 405,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "A job of {} files or more, half of them {} or smaller, spends {} "
				"or more of its time on opening, asking about and closing files. "
				"Or "
				"as many names were asked about, renamed or deleted without data.",
			.numbers = {GUIDE_COUNT(MIN_FILES), GUIDE_BYTES(SMALL_FILE_BYTES),
				GUIDE_SHARE(MIN_METADATA_SHARE)},
			.needs = "The requests of the job.",
			.traps = {"Compounded requests count as one journey.",
				"A server that takes long by itself is server-slow-metadata.",
				"A scanner on the server shows as a slow open or close, too."},
			.confidence = "High with twice the least loss and a known capture place; "
				      "otherwise medium.",
			.advice = {{"Any", "Copy several files at the same time, or pack them "
					   "first and copy "
					   "the archive."},
				{"Windows client", "'robocopy /MT:16'."},
				{"Linux client (cifs)", "Several cp or rsync processes; leave "
							"caching on (cache=strict, "
							"actimeo)."},
				{"Samba", "Keep 'smb2 leases = yes' so that clients may answer "
					  "some questions "
					  "themselves."},
				{"Any", "This is how the protocol works with many small files; a "
					"faster "
					"link would not help."}},
			.next_test = "Copy one archive of the same bytes: it must move at the "
				     "speed of a "
				     "large file.",
		},
};
