/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-restart: a transfer was broken off and began again from the start, so bytes were moved twice.
 * docs/causes.md, ftp-restart.
 */
#include <string.h>

#include "analyzer/causes/ftp.h"

/* Less is not why anybody complains, and a preview may be meant. */
#define MIN_DISCARDED (64 * 1024)
/* A second try comes soon; later it is another copy. Judgement. */
#define MAX_PAUSE_NS (INT64_C(600) * 1000000000)

/* The second try may find files in memory and a window that is open: the first may have cost more
 * than it would now. Judgement. */
#define SAVED_LOW_SHARE 0.8

static bool is_broken_off(const Unit *unit)
{
	const ConnectionFacts *f = unit->facts;
	return unit->data_aborted > 0 || (f && f->is_ftp_data && f->tcp.state == TCP_STATE_RESET);
}

static bool is_same_file(const Unit *a, const Unit *b)
{
	return a->input == b->input && a->file && b->file && strcmp(a->file, b->file) == 0 &&
	       memcmp(a->addr, b->addr, sizeof(a->addr)) == 0 &&
	       unit_is_write(a) == unit_is_write(b);
}

/* Bytes of @unit that a later transfer of the same file moved again. */
static uint64_t discarded_bytes(const CauseContext *context, const Unit *unit)
{
	uint64_t end = unit->start_offset + unit_bytes(unit), best = 0;
	if (unit->is_job || !unit->is_ftp || !is_broken_off(unit))
		return 0;
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *again = context->units[i];
		int64_t pause = again->account.start_ns - unit->account.end_ns;
		if (again == unit || again->is_job || !again->is_ftp || pause < 0 ||
			pause > MAX_PAUSE_NS || !is_same_file(unit, again))
			continue;
		uint64_t from = again->start_offset > unit->start_offset ? again->start_offset
									 : unit->start_offset;
		if (from < end && end - from > best)
			best = end - from;
	}
	return best;
}

/* Broken transfers looked at in one job: more of them tell nothing new, and each is compared with
 * all. */
#define MAX_BROKEN 256

/** Discarded: what was moved for nothing in @context's unit. */
typedef struct Discarded {
	uint64_t bytes;
	double ns;
	uint32_t transfers;
	const Unit *first;
} Discarded;

static void add(const CauseContext *context, const Unit *unit, Discarded *d)
{
	uint64_t bytes = discarded_bytes(context, unit);
	if (bytes < MIN_DISCARDED)
		return;
	d->bytes += bytes;
	d->ns += (double)unit_duration_ns(unit) * (double)bytes / (double)unit_bytes(unit);
	d->transfers++;
	if (!d->first)
		d->first = unit;
}

static Discarded measure(const CauseContext *context)
{
	Discarded d = {0};
	if (!context->unit->is_job) {
		add(context, context->unit, &d);
		return d;
	}
	uint32_t broken = 0;
	for (uint32_t i = 0; i < context->unit_count && broken < MAX_BROKEN; i++) {
		const Unit *unit = context->units[i];
		if (unit->job_serial != context->unit->serial || !is_broken_off(unit))
			continue;
		broken++;
		add(context, unit, &d);
	}
	return d;
}

static void claim(const CauseContext *context, FindingDraft *draft, double ns)
{
	/* the bytes needed their share of everything, of the path's time first of all */
	double share = ns / (double)context->wall_ns;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		if (b == BUCKET_ROUND_TRIP || b == BUCKET_SERVER_PROCESSING)
			continue;
		cause_claim_part(
			context, draft, (Bucket)b, (int64_t)((double)context->left_ns[b] * share));
	}
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		cause_claim_round_trips_part(context, draft, (OpClass)c,
			(int64_t)((double)context->left_round_trip_ns[c] * share));
		cause_claim_server_part(context, draft, (OpClass)c,
			(int64_t)((double)context->left_server_ns[c] * share));
	}
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (!context->unit->is_ftp)
		return false;
	Discarded d = measure(context);
	if (d.transfers == 0)
		return false;
	claim(context, draft, d.ns);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = (int64_t)((double)draft->lost_ns * SAVED_LOW_SHARE);
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"%u transfer%s broken off and begun again, and %s that had arrived already were "
		"moved once more.",
		d.transfers, d.transfers == 1 ? " was" : "s were",
		cause_bytes(context, (double)d.bytes));
	draft->fix = "resume instead of starting over";
	cause_advice(draft, "Use a client that resumes (REST): `curl -C -`, `lftp get -c`, `wget "
			    "-c`, the \"resume\" answer in FileZilla.");
	cause_advice(draft, "Find out why it broke off: a firewall or router that forgets an idle "
			    "control connection during a long transfer is the usual reason; NOOP "
			    "or TCP keep-alives help.");
	cause_number(draft, "bytes moved twice", NUMBER_BYTES, (double)d.bytes);
	cause_number(draft, "transfers broken off", NUMBER_COUNT, d.transfers);
	cause_evidence(context, draft, d.first->last_frame, d.first->account.end_ns,
		"the transfer that was broken off ends");
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *again = context->units[i];
		if (again != d.first && !again->is_job && is_same_file(d.first, again) &&
			again->account.start_ns >= d.first->account.end_ns)
			cause_evidence(context, draft, again->first_frame, again->account.start_ns,
				"the same file again");
	}
	return true;
}

const Cause cause_ftp_restart = {
	.id = "ftp-restart",
	.title = "FTP: a transfer was started over",
	.explanation = "A transfer ended before the file was complete, and the next try began at "
		       "the first byte instead of where the first one had stopped. The time of the "
		       "first try was lost.",
	.source = "RFC 959 3.5; RFC 3659 5",
	.precedence = 245,
	.conclude = conclude,
	.guide =
		{
			.rule = "A transfer was broken off and the same file was moved again "
				"within "
				"{} from the start, or from before where it ended: {} or more "
				"twice.",
			.numbers = {GUIDE_NS(MAX_PAUSE_NS), GUIDE_BYTES(MIN_DISCARDED)},
			.needs = "Both tries in the capture.",
			.traps = {"Another copy of the same file much later is meant."},
			.confidence = "High.",
			.advice = {{"FTP client", "Use a client that resumes (REST): 'curl -C -', "
						  "'lftp get -c', "
						  "'wget -c'."},
				{"Network",
					"A firewall that forgets the idle control connection "
					"during a long "
					"transfer is the usual reason: NOOP or TCP keep-alives."},
				{"FTP server", "REST must be allowed."}},
			.next_test =
				"Look at which side broke it off: the first FIN or RST, and the "
				"reply 426.",
		},
};
