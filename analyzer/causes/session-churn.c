/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session-churn: a new connection and session for each file. docs/causes.md, session-churn.
 */
#include "analyzer/causes/cause.h"

/* docs/causes.md, session-churn. */
#define MIN_SESSIONS 5
/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

/* Each session opens the root of its share or a pipe before its file: opens beyond one a file. */
static void claim_opening(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, double share)
{
	uint64_t count = context->unit->class_count[op_class], files = context->unit->files;
	if (count <= files)
		return;
	double beyond = (double)(count - files) / (double)count;
	cause_claim_round_trips_part(context, draft, op_class,
		(int64_t)(share * beyond * (double)context->left_round_trip_ns[op_class]));
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	if (!unit->is_job || unit->is_ftp || unit->sessions < MIN_SESSIONS)
		return false;
	/* the first one has to be made */
	double sessions = (double)unit->sessions, share = 1 - 1 / sessions;
	cause_claim_part(context, draft, BUCKET_CONNECTION_SETUP,
		(int64_t)(share * (double)context->left_ns[BUCKET_CONNECTION_SETUP]));
	cause_claim_part(context, draft, BUCKET_SESSION_SETUP,
		(int64_t)(share * (double)context->left_ns[BUCKET_SESSION_SETUP]));
	draft->saved_low_ns = draft->lost_ns * 9 / 10;
	/* so do leaving a session, what is asked anew in each, and growing each connection's window
	 */
	cause_claim_part(context, draft, BUCKET_CLIENT_THINK,
		(int64_t)(share * (double)unit->account.think_ns[OP_OTHER]));
	cause_claim_part(context, draft, BUCKET_SLOW_START,
		(int64_t)(share * (double)context->left_ns[BUCKET_SLOW_START]));
	cause_claim_round_trips_part(context, draft, OP_META,
		(int64_t)(share * (double)context->left_round_trip_ns[OP_META]));
	claim_opening(context, draft, OP_OPEN, share);
	claim_opening(context, draft, OP_CLOSE, share);
	cause_claim_round_trips_part(context, draft, OP_AUTH,
		(int64_t)(share * (double)context->left_round_trip_ns[OP_AUTH]));
	draft->saved_high_ns = draft->lost_ns;
	/* a program that begins anew reads its settings anew, and the server its own of the user */
	cause_hides(draft, BUCKET_CLIENT_THINK,
		share * (double)unit->account.bucket_ns[BUCKET_CLIENT_THINK]);
	cause_hides(
		draft, BUCKET_SERVER_PROCESSING, share * (double)unit->account.server_ns[OP_META]);
	const char *files = unit->files > 0
				    ? cause_printf(context, ", for %.0f file%s",
					      (double)unit->files, unit->files == 1 ? "" : "s")
				    : "";
	draft->sentence = cause_printf(context,
		"The client opened %.0f connections and sessions one after the other%s, and "
		"logging in anew took %s.",
		sessions, files,
		cause_time(context, (double)(draft->claim_ns[BUCKET_CONNECTION_SETUP] +
					     draft->claim_ns[BUCKET_SESSION_SETUP])));
	draft->fix = "one session for all files";
	cause_advice(draft, "Let the program keep its connection: many SMB libraries have a "
			    "session or connection object to be reused; a script should hand all "
			    "files to one call (smbclient -c \"mget …\", robocopy with a list) "
			    "instead of starting a program per file.");
	cause_advice(draft, "Web applications that log in per request: a persistent process or the "
			    "system's own mount keeps the session open.");
	cause_advice(draft,
		"If the server closes idle sessions early, raise its time: Samba "
		"`deadtime`, Windows `Set-SmbServerConfiguration -AutoDisconnectTimeout`.");
	cause_number(draft, "sessions", NUMBER_COUNT, sessions);
	cause_number(draft, "files", NUMBER_COUNT, (double)unit->files);
	cause_number(draft, "set-up per session", NUMBER_NS,
		(double)(context->left_ns[BUCKET_CONNECTION_SETUP] +
			 context->left_ns[BUCKET_SESSION_SETUP]) /
			sessions);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_bucket(context, draft, BUCKET_SESSION_SETUP, "of a session's set-up");
	cause_evidence_bucket(context, draft, BUCKET_CONNECTION_SETUP, "to open a connection");
	draft->blame = "CLIENT";
	draft->confidence = draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context)
				    ? CONFIDENCE_HIGH
				    : CONFIDENCE_MEDIUM;
	return true;
}

const Cause cause_session_churn = {
	.id = "session-churn",
	.title = "A new session for every file",
	.explanation = "Before a file can be opened, client and server connect, agree on a "
		       "dialect, log in and connect the share: six round trips and more. A program "
		       "that does this for each file pays it each time.",
	.source = "MS-SMB2 3.2.4.2; user reports smbj 816, OpenList 2578",
	.precedence = 260,
	.conclude = conclude,
	.guide =
		{
			.rule = "A job used {} or more sessions of one client with one server, one "
				"after the other.",
			.numbers = {GUIDE_COUNT(MIN_SESSIONS)},
			.needs = "The set-ups in the capture.",
			.traps = {"Several channels of one session and several users are not "
				  "counted "
				  "as churn."},
			.confidence = "High with twice the least loss; otherwise medium.",
			.advice = {{"Any", "Let the program keep its connection: one session "
					   "object for all "
					   "files; web applications: a persistent process or the "
					   "system's "
					   "mount."},
				{"Samba", "'deadtime' closes idle sessions: raise it."},
				{"Windows server",
					"'Set-SmbServerConfiguration -AutoDisconnectTimeout'."}},
			.next_test =
				"Count log-ins at the server (smbstatus, security log) while one "
				"job runs.",
		},
};
