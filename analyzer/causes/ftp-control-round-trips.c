/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-control-round-trips: commands beside the transfer itself, for every file: SIZE, MDTM, TYPE,
 * CWD… docs/causes.md, ftp-control-round-trips.
 */
#include <math.h>

#include "analyzer/causes/ftp.h"
#include "analyzer/constants.h"

/* docs/causes.md, ftp-connection-per-file. */
#define MIN_FILES 10
#define SMALL_BYTES (1000 * 1000)
/* A dialogue without files is worth telling from here on. Judgement. */
#define MIN_COMMANDS 100
/* One extra command in two files is a habit. */
#define MIN_PER_FILE 0.5
/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	double commands = (double)unit->class_count[OP_META];
	double files = (double)(unit->files + unit->files_unseen);
	if (!unit->is_job || !unit->is_ftp || context->rtt_ns <= 0)
		return false;
	/* a session that only looks around, or one that copies small files */
	bool is_dialogue = files == 0 && commands >= MIN_COMMANDS;
	double per_file = files > 0 ? commands / files : 0;
	bool is_habit = files >= MIN_FILES && per_file >= MIN_PER_FILE &&
			histogram_quantile(&unit->file_size, 0.5) <= SMALL_BYTES;
	if (!is_dialogue && !is_habit)
		return false;
	cause_claim_round_trips(context, draft, OP_MASK(OP_META));
	if ((double)context->left_server_ns[OP_META] <
		(double)SLOW_SERVICE_NS * (double)unit->class_count[OP_META])
		cause_claim_server(context, draft, OP_MASK(OP_META));
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns / 2;
	const char *names = ftp_command_names(context, OP_META);
	const char *in_words = *names ? cause_printf(context, " (%s)", names) : "";
	const char *rtt = cause_time(context, (double)context->rtt_ns);
	draft->sentence =
		is_dialogue
			? cause_printf(context,
				  "The client sends %.0f commands%s one after the other and waits "
				  "a %s round trip for each, without moving a file.",
				  commands, in_words, rtt)
			: cause_printf(context,
				  "For each of %.0f files the client sends %.1f commands%s beside "
				  "the transfer itself and waits a %s round trip for each.",
				  files, per_file, in_words, rtt);
	draft->fix = "no extra commands per file";
	cause_advice(draft,
		"Let the client ask less: options such as \"use MLSD\", no SIZE and MDTM before "
		"each file, TYPE sent once; curl: several files in one command; lftp: `set "
		"ftp:sync-mode off` sends commands without waiting for each answer.");
	cause_advice(draft, "Or move several files at the same time (`lftp mirror --parallel=8`), "
			    "or one archive.");
	cause_number(draft, "files", NUMBER_COUNT, files);
	cause_number(draft, "extra commands", NUMBER_COUNT, commands);
	if (is_habit)
		cause_number(
			draft, "extra commands per file", NUMBER_COUNT, round(per_file * 10) / 10);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	ftp_command_evidence(context, draft, 8);
	draft->blame = "CLIENT";
	draft->confidence = draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context) &&
					    context->vantage != VANTAGE_UNKNOWN
				    ? CONFIDENCE_HIGH
				    : CONFIDENCE_MEDIUM;
	return true;
}

const Cause cause_ftp_control_round_trips = {
	.id = "ftp-control-round-trips",
	.title = "FTP: many commands for every file",
	.explanation = "Before and after each file the client asks for size, date, type or folder, "
		       "and waits for each answer before it goes on. With small files this takes "
		       "longer than the data.",
	.source = "RFC 959 5; RFC 3659",
	.precedence = 455,
	.conclude = conclude,
	.guide =
		{
			.rule = "{} or more commands beside the transfer for each of {} files or "
				"more, or {} commands without a file; the client waited a round "
				"trip for each.",
			.numbers = {GUIDE_COUNT(MIN_PER_FILE), GUIDE_COUNT(MIN_FILES),
				GUIDE_COUNT(MIN_COMMANDS)},
			.needs = "The control connection.",
			.traps = {"Commands that belong to every transfer are not counted."},
			.confidence = "High with twice the least loss; otherwise medium.",
			.advice = {{"FTP client", "Options such as 'use MLSD', no SIZE and MDTM "
						  "before each file, "
						  "TYPE once; several files in one command; lftp "
						  "'set ftp:sync-mode "
						  "off'."},
				{"FTP client", "Several files at the same time, or one archive."}},
			.next_test = "Count the commands per file in the client's log.",
		},
};
