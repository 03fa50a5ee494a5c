/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flush-write-through: writes that wait for the disk, because the client flushes all the time or
 * asks for write-through. docs/causes.md, flush-write-through.
 */
#include "analyzer/causes/requests.h"
#include "analyzer/causes/service.h"

/* docs/causes.md, flush-write-through: one FLUSH per eight writes. */
#define WRITES_PER_FLUSH 8
#define THROUGH_SHARE 0.5
/* One FLUSH at the end of a file is normal. */
#define MIN_FLUSHES 3

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	const DataFacts *w = &unit->write;
	uint64_t flushes = unit->class_count[OP_FLUSH];
	if (unit->is_ftp || unit->is_unframed || w->requests == 0)
		return false;
	bool does_flush = flushes >= MIN_FLUSHES && flushes * WRITES_PER_FLUSH >= w->requests;
	bool is_through = (double)w->write_through >= THROUGH_SHARE * (double)w->requests;
	if (!does_flush && !is_through)
		return false;
	double quick = 0;
	if (does_flush) {
		cause_claim_round_trips(context, draft, OP_MASK(OP_FLUSH));
		cause_claim_server(context, draft, OP_MASK(OP_FLUSH));
	}
	if (is_through) {
		Service s = service_of(context, OP_WRITE);
		cause_claim_server(context, draft, OP_MASK(OP_WRITE));
		quick = (double)s.count * service_quick_ns(OP_WRITE, &s);
	}
	double low = (double)draft->lost_ns - quick;
	/* writes between flushes wait for the same disk: what is too little to be told goes with
	 * them */
	if (!service_is_slow(context, OP_MASK(OP_WRITE)))
		cause_claim_server(context, draft, OP_MASK(OP_WRITE));
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = low > 0 ? (int64_t)(0.9 * low) : 0;
	Service s = service_of(context, does_flush ? OP_FLUSH : OP_WRITE);
	draft->sentence =
		does_flush
			? cause_printf(context,
				  "The client asks %.0f times to put the data on the disk at once "
				  "(FLUSH), for %.0f writes, and waits for each: %s.",
				  (double)flushes, (double)w->requests, service_words(context, &s))
			: cause_printf(context,
				  "%.0f of %.0f writes ask to be on the disk before they are "
				  "confirmed (write-through): %s.",
				  (double)w->write_through, (double)w->requests,
				  service_words(context, &s));
	draft->fix = does_flush ? "fewer flushes by the program" : "no write-through";
	cause_advice(draft,
		"Begin with the program: many have a setting for how often data must be on "
		"the disk (sync, fsync, \"safe writes\", disk image bands of a backup).");
	cause_advice(draft, "Give the server storage that confirms quickly and safely: an SSD, or "
			    "a RAID controller with a battery-backed cache.");
	cause_advice(draft,
		"Samba `strict sync = no` answers FLUSH without waiting: faster, but data "
		"that the client believes to be safe is lost if the server loses power. "
		"Windows shares with continuous availability always write through.");
	service_numbers(draft, &s);
	cause_number(draft, "writes", NUMBER_COUNT, (double)w->requests);
	cause_number(draft, "flushes", NUMBER_COUNT, (double)flushes);
	cause_number(draft, "writes with write-through", NUMBER_COUNT, (double)w->write_through);
	requests_evidence(context, draft, does_flush ? OP_FLUSH : OP_WRITE, 3);
	draft->blame = "CLIENT";
	draft->confidence = service_confidence(context, draft, &s);
	return true;
}

const Cause cause_flush_write_through = {
	.id = "flush-write-through",
	.title = "Every write waits for the disk",
	.explanation = "Normally a server confirms a write as soon as it has it in memory. Here "
		       "the client asks that the data be on the disk first, again and again, so "
		       "each piece costs what the disk needs.",
	.source = "MS-SMB2 2.2.17, 2.2.21, 3.3.5.11; smb.conf(5) strict sync",
	.precedence = 495,
	.conclude = conclude,
	.guide =
		{
			.rule = "One FLUSH for {} writes or fewer (and {} at least), or {} of the "
				"writes ask to be on the disk before they are confirmed.",
			.numbers = {GUIDE_COUNT(WRITES_PER_FLUSH), GUIDE_COUNT(MIN_FLUSHES),
				GUIDE_SHARE(THROUGH_SHARE)},
			.needs = "The write requests with their flags.",
			.traps = {"One FLUSH at the end of a file is normal; when it is long it is "
				  "server-slow-write."},
			.confidence = "High near the server or with long waits; otherwise medium.",
			.advice = {{"Any", "Begin with the program: how often must data be on the "
					   "disk (sync, "
					   "safe writes, disk image bands of a backup)?"},
				{"Samba", "'strict sync = no' answers FLUSH without waiting: "
					  "faster, but data "
					  "the client believes to be safe is lost if the server "
					  "loses power."},
				{"Windows server", "Shares with continuous availability always "
						   "write through."},
				{"NAS or appliance", "Storage that confirms quickly and safely: an "
						     "SSD or a cache with a "
						     "battery."},
				{"Linux client (cifs)", "Mounts with cache=none or programs with "
							"O_SYNC write through."}},
			.next_test = "Copy the same file with a program that does not flush (cp, "
				     "robocopy) and compare.",
		},
};
