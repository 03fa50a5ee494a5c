/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-connection-per-file: many small files over FTP, each with a data connection of its own and a
 * dialogue before and after it. docs/causes.md, ftp-connection-per-file.
 */
#include <math.h>
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* docs/causes.md, ftp-connection-per-file. */
#define MIN_FILES 10
/* What is said of each file needs a few of them. */
#define MIN_FILES_IN_SESSION 3
#define SMALL_BYTES (1000 * 1000)
#define MIN_SHARE 0.40
/* RETR or STOR and its answer, and the data: what is left when everything else is pipelined or
 * remembered. docs/causes.md, ftp-connection-per-file. */
#define KEPT_ROUND_TRIPS 2.0
/* A server that needs longer than a disk seek per file is a cause of its own. */
#define QUICK_PER_FILE_NS SLOW_SERVICE_NS
/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

static const unsigned mask_control = OP_MASK_ALL & ~OP_MASK(OP_AUTH);

/* Of all sessions between the two hosts: a client that uses several has a part of the files in
 * each. */
static uint64_t files_in_all(const CauseContext *context)
{
	uint64_t files = 0;
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *other = context->units[i];
		if (other->is_job && other->is_ftp && other != context->unit &&
			memcmp(other->addr, context->unit->addr, sizeof(other->addr)) == 0)
			files += other->files;
	}
	return files + context->unit->files;
}

static bool is_candidate(const CauseContext *context)
{
	const Unit *unit = context->unit;
	return unit->is_job && unit->is_ftp && unit->files >= MIN_FILES_IN_SESSION &&
	       files_in_all(context) >= MIN_FILES && context->rtt_ns > 0 &&
	       histogram_quantile(&unit->file_size, 0.5) <= SMALL_BYTES;
}

static int64_t server_left_ns(const CauseContext *context)
{
	int64_t sum = 0;
	for (int c = 0; c < OP_CLASS_COUNT; c++)
		sum += mask_control & OP_MASK(c) ? context->left_server_ns[c] : 0;
	return sum;
}

static bool server_is_quick(const CauseContext *context)
{
	return server_left_ns(context) < (int64_t)context->unit->files * QUICK_PER_FILE_NS;
}

static void claim(const CauseContext *context, FindingDraft *draft)
{
	cause_claim(context, draft, BUCKET_CONNECTION_SETUP);
	cause_claim_round_trips(context, draft, mask_control);
	cause_claim(context, draft, BUCKET_SLOW_START);
	if (server_is_quick(context))
		cause_claim_server(context, draft, mask_control);
	if (context->left_ns[BUCKET_CLIENT_THINK] < cause_min_lost_ns(context))
		cause_claim(context, draft, BUCKET_CLIENT_THINK);
}

static void advise(FindingDraft *draft)
{
	draft->fix = "one archive, or several files at the same time";
	cause_advice(draft, "Pack the files first (tar, zip) and move one archive: one dialogue "
			    "and one data connection instead of one per file.");
	cause_advice(draft, "Or move several at the same time: `lftp mirror --parallel=8`, the "
			    "transfer limit in FileZilla and WinSCP.");
	cause_advice(draft, "Let the client send TYPE once and leave out SIZE and MDTM before each "
			    "file, where it has such options.");
	cause_advice(draft, "Protocols that keep one connection for all files (rsync, SFTP, HTTP) "
			    "do not have this cost.");
}

static void evidence(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	for (uint32_t i = 0; i < unit->operation_count && i < 6; i++) {
		const OperationSample *o = &unit->operations[i];
		const char *name = message_command_name(MESSAGE_FTP, o->command);
		cause_evidence(context, draft, o->request_frame, o->request_ns,
			cause_printf(context, "command %s", name));
	}
	cause_evidence_bucket(context, draft, BUCKET_CONNECTION_SETUP, "to open a data connection");
	cause_evidence_bucket(context, draft, BUCKET_ROUND_TRIP, "on the way");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (!is_candidate(context))
		return false;
	claim(context, draft);
	if (cause_share(context, draft->lost_ns) < MIN_SHARE)
		return false;
	double files = (double)unit->files;
	double waits = (double)(draft->claim_ns[BUCKET_ROUND_TRIP] +
				draft->claim_ns[BUCKET_CONNECTION_SETUP]);
	double trips = waits / files / (double)context->rtt_ns;
	double per_file_ns = (double)context->wall_ns / files;
	double size = (double)histogram_quantile(&unit->file_size, 0.5);
	draft->saved_high_ns = (int64_t)((double)draft->lost_ns * (1 - 1 / files));
	/* an archive is one file: all of them but one ask, begin slowly and wait for the server no
	 * more, whatever else is named for it */
	static const Bucket per_file[] = {BUCKET_CONNECTION_SETUP, BUCKET_ROUND_TRIP,
		BUCKET_SLOW_START, BUCKET_SERVER_PROCESSING, BUCKET_CLIENT_THINK};
	for (size_t i = 0; i < sizeof(per_file) / sizeof(*per_file); i++)
		cause_hides(draft, per_file[i],
			(double)unit->account.bucket_ns[per_file[i]] * (1 - 1 / files));
	if (trips > KEPT_ROUND_TRIPS)
		draft->saved_low_ns = (int64_t)(waits * (1 - KEPT_ROUND_TRIPS / trips));
	draft->sentence = cause_printf(context,
		"Each of %.0f files of %s gets a data connection of its own and a dialogue before "
		"and after it: %.1f round trips of %s, %s per file.",
		files, cause_bytes(context, size), trips,
		cause_time(context, (double)context->rtt_ns), cause_time(context, per_file_ns));
	draft->ceiling_bytes_per_s = size * 1e9 / (trips * (double)context->rtt_ns);
	draft->ceiling_formula = cause_printf(context, "%s / (%.1f x %s) = %s",
		cause_bytes(context, size), trips, cause_time(context, (double)context->rtt_ns),
		cause_rate(context, draft->ceiling_bytes_per_s));
	cause_number(draft, "files", NUMBER_COUNT, files);
	cause_number(draft, "bytes per file, median", NUMBER_BYTES, size);
	cause_number(draft, "round trips per file", NUMBER_COUNT, round(trips * 10) / 10);
	cause_number(draft, "time per file", NUMBER_NS, per_file_ns);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "server per file", NUMBER_NS, (double)server_left_ns(context) / files);
	advise(draft);
	evidence(context, draft);
	draft->blame = "CLIENT";
	draft->confidence = draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context) &&
					    context->vantage != VANTAGE_UNKNOWN
				    ? CONFIDENCE_HIGH
				    : CONFIDENCE_MEDIUM;
	return true;
}

const Cause cause_ftp_connection_per_file = {
	.id = "ftp-connection-per-file",
	.title = "FTP: a connection for every small file",
	.explanation = "FTP opens a new connection for each file and exchanges several commands "
		       "and answers on the other one before and after it. For small files these "
		       "journeys take far longer than the data.",
	.source = "RFC 959 3.2, 3.3, 5; RFC 2428",
	.precedence = 460,
	.conclude = conclude,
	.guide =
		{
			.rule = "A job of {} files or more (counted over all sessions of the same "
				"hosts), half of them {} or smaller, spends {} "
				"or more of its time on connections, commands and the slow start "
				"of "
				"each connection.",
			.numbers = {GUIDE_COUNT(MIN_FILES), GUIDE_BYTES(SMALL_BYTES),
				GUIDE_SHARE(MIN_SHARE), GUIDE_NS(QUICK_PER_FILE_NS)},
			.needs = "The control connection.",
			.traps = {"A server that takes {} and more per file is told by itself.",
				"Parallel sessions hide a part of it."},
			.confidence = "High with twice the least loss and a known capture place; "
				      "otherwise medium.",
			.advice = {{"FTP client", "Pack the files first (tar, zip), or move "
						  "several at the same time: "
						  "'lftp mirror --parallel=8', the transfer limit "
						  "of FileZilla and "
						  "WinSCP."},
				{"FTP client", "TYPE once, no SIZE and MDTM before each file."},
				{"Any", "Protocols that keep one connection for all files (rsync, "
					"SFTP, "
					"HTTP) do not have this cost."}},
			.next_test =
				"Move one archive of the same bytes: it must reach the speed of a "
				"large file.",
		},
};
