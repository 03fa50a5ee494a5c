/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeated-failed-opens: programs ask for names that do not exist. docs/causes.md,
 * repeated-failed-opens.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/requests.h"

/* docs/causes.md, repeated-failed-opens. */
#define MIN_FAILED 20
#define MIN_FAILED_SHARE 0.20
/* One look before a file is made belongs to the copy; half as much again is a habit. */
#define INHERENT_PER_FILE 1.5
/* A kind of name is told when a tenth of the misses are of it. */
#define TELLING_SHARE 0.1

static const char *const kind_words[MISSING_KINDS] = {
	[MISSING_OTHER] = NULL,
	[MISSING_DESKTOP_INI] = "desktop.ini (Explorer's folder settings)",
	[MISSING_THUMBS] = "Thumbs.db (Explorer's previews)",
	[MISSING_APPLE_DOUBLE] = "names that begin with ._ (macOS)",
	[MISSING_DS_STORE] = ".DS_Store (macOS Finder)",
	[MISSING_AUTORUN] = "autorun.inf",
	[MISSING_LIBRARY] = "program libraries (.dll, .so)",
};

static double tries_of(const Unit *unit)
{
	/* SMB1 asks for paths without opening them */
	return (double)(unit->class_count[OP_OPEN] + unit->class_count[OP_META]);
}

static MissingKind commonest(const Unit *unit)
{
	MissingKind best = MISSING_OTHER;
	for (int k = 1; k < MISSING_KINDS; k++) {
		bool is_more = best == MISSING_OTHER || unit->missing[k] > unit->missing[best];
		if (is_more && (double)unit->missing[k] >= TELLING_SHARE * (double)unit->not_found)
			best = (MissingKind)k;
	}
	return best;
}

static void advise(FindingDraft *draft, MissingKind kind)
{
	draft->fix = "fewer look-ups of names that are not there";
	if (kind == MISSING_DESKTOP_INI || kind == MISSING_THUMBS)
		cause_advice(draft,
			"Windows Explorer: policies \"Do not cache thumbnails in Thumbs.db "
			"on network folders\" and UseDesktopIniCache stop these look-ups.");
	if (kind == MISSING_APPLE_DOUBLE || kind == MISSING_DS_STORE)
		cause_advice(draft,
			"macOS: `defaults write com.apple.desktopservices "
			"DSDontWriteNetworkStores -bool true`; Samba: `vfs objects = fruit "
			"streams_xattr` keeps ._ data out of files of their own.");
	if (kind == MISSING_LIBRARY)
		cause_advice(draft,
			"A program started from the share looks for its libraries in each folder "
			"of its search path: install it locally or shorten the path.");
	cause_advice(draft, "Look at which program asks (Process Monitor, `strace -e openat`) and "
			    "at its search paths and plug-ins.");
	cause_advice(draft,
		"Windows clients remember misses for FileNotFoundCacheLifetime seconds (5 "
		"by default): a longer time helps when the same names are asked again.");
	cause_advice(draft, "Samba: `veto files` answers without looking at the disk.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	double failed = (double)unit->not_found, tries = tries_of(unit);
	if (!unit->is_job || unit->is_ftp || unit->not_found < MIN_FAILED || tries <= 0 ||
		failed < MIN_FAILED_SHARE * (double)unit->class_count[OP_OPEN] ||
		failed <= INHERENT_PER_FILE * (double)unit->files)
		return false;
	double share = failed / tries < 1 ? failed / tries : 1;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (c != OP_OPEN && c != OP_META)
			continue;
		cause_claim_round_trips_part(context, draft, (OpClass)c,
			(int64_t)((double)context->left_round_trip_ns[c] * share));
		cause_claim_server_part(context, draft, (OpClass)c,
			(int64_t)((double)context->left_server_ns[c] * share));
	}
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = (int64_t)((double)draft->lost_ns * (1 - MIN_FAILED_SHARE));
	draft->blame = "CLIENT";
	draft->confidence =
		context->vantage != VANTAGE_UNKNOWN ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	MissingKind kind = commonest(unit);
	draft->sentence = cause_printf(context,
		"%.0f of %.0f look-ups were for names that do not exist%s%s, and each waited %s "
		"for \"not found\".",
		failed, tries, kind_words[kind] ? ", many for " : "",
		kind_words[kind] ? kind_words[kind] : "",
		cause_time(context, (double)draft->lost_ns / failed));
	advise(draft, kind);
	cause_number(draft, "look-ups", NUMBER_COUNT, tries);
	cause_number(draft, "not found", NUMBER_COUNT, failed);
	for (int k = 1; k < MISSING_KINDS; k++) {
		if (unit->missing[k] > 0)
			cause_number(draft, kind_words[k], NUMBER_COUNT, (double)unit->missing[k]);
	}
	for (uint32_t i = 0; i < unit->operation_count; i++) {
		const OperationSample *o = &unit->operations[i];
		/* NTSTATUS errors begin with 0xC; only opens fail so that no file follows */
		if (o->op_class == OP_OPEN && o->status >> 30 == 3)
			cause_evidence(context, draft, o->reply_frame, o->reply_ns, "not found");
	}
	return true;
}

const Cause cause_repeated_failed_opens = {
	.id = "repeated-failed-opens",
	.title = "Programs ask for names that do not exist",
	.explanation = "Before it does its work a program looks for files that are not there: "
		       "settings of a folder, previews, libraries, backups. The server answers "
		       "\"not found\" each time, but the question has to travel there and back.",
	.source = "MS-ERREF 2.3.1; Set-SmbClientConfiguration (FileNotFoundCacheLifetime)",
	.precedence = 401,
	.conclude = conclude,
	.guide =
		{
			.rule = "{} or more look-ups, {} of all opens, were answered 'not found', "
				"and more than {} per file moved.",
			.numbers = {GUIDE_COUNT(MIN_FAILED), GUIDE_SHARE(MIN_FAILED_SHARE),
				GUIDE_COUNT(INHERENT_PER_FILE)},
			.needs = "The answers with their status.",
			.traps = {"One look before a file is made belongs to the copy."},
			.confidence = "High when the capture place is known.",
			.advice = {{"Windows client", "Policies against Thumbs.db and desktop.ini "
						      "on network folders; "
						      "FileNotFoundCacheLifetime lets the client "
						      "remember misses."},
				{"macOS", "'defaults write com.apple.desktopservices "
					  "DSDontWriteNetworkStores "
					  "-bool true'."},
				{"Samba", "'veto files' answers without looking at the disk; 'vfs "
					  "objects = "
					  "fruit streams_xattr' keeps ._ files away."},
				{"Any", "Find the program that asks (Process Monitor, 'strace -e "
					"openat') "
					"and its search paths."}},
			.next_test =
				"Run Process Monitor (Windows) or 'strace -f -e openat' on the "
				"client and look at who opens those names.",
		},
};
