/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * status-pending-async: the server answers "pending" first and works on. A fact; the time is told
 * by the causes of slow servers and of locks. docs/causes.md, status-pending-async.
 */
#include "analyzer/causes/requests.h"
#include "analyzer/constants.h"

/* docs/causes.md, status-pending-async. */
#define MIN_SHARE 0.05
#define MIN_DELAY_NS (10 * MILLISECOND_NS)

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	uint64_t pending = 0, all = 0;
	int64_t waited = 0;
	OpClass most = OP_OTHER;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (!(OP_MASK(c) & (OP_MASK_DATA | OP_MASK(OP_OPEN))))
			continue;
		pending += unit->class_interim[c];
		all += unit->class_count[c];
		waited += unit->class_interim_ns[c];
		if (unit->class_interim[c] > unit->class_interim[most])
			most = (OpClass)c;
	}
	/* Samba says "pending" to large requests as a matter of course, and answers at once */
	if (unit->is_ftp || pending == 0 || (double)pending < MIN_SHARE * (double)all ||
		waited < (int64_t)pending * MIN_DELAY_NS)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"The server answered %.0f of %.0f requests with \"pending\" first and took %s more "
		"on average.",
		(double)pending, (double)all,
		cause_time(context, (double)waited / (double)pending));
	cause_number(draft, "answered \"pending\"", NUMBER_COUNT, (double)pending);
	cause_number(draft, "mean until the answer", NUMBER_NS, (double)waited / (double)pending);
	requests_evidence(context, draft, most, 2);
	return true;
}

const Cause cause_status_pending_async = {
	.id = "status-pending-async",
	.title = "The server answers \"pending\" and works on",
	.explanation = "A server that cannot answer at once may say so and send the answer later. "
		       "That is no fault: it tells that the request waited at the server, for a "
		       "disk or for another client.",
	.source = "MS-SMB2 3.3.4.2",
	.precedence = 755,
	.conclude = conclude,
	.guide =
		{
			.rule = "{} or more of the reads, writes and opens were first answered "
				"'pending', and the answer came {} or more later on average. "
				"Always "
				"a note: the time is told by the slow server or the other client.",
			.numbers = {GUIDE_SHARE(MIN_SHARE), GUIDE_NS(MIN_DELAY_NS)},
			.needs = "Interim and final answers.",
			.traps =
				{"Samba says 'pending' to large requests as a matter of course and "
				 "answers at once.",
					"Notifications are always pending."},
			.confidence = "High.",
			.advice = {{"Any", "See the finding that holds the time."}},
			.next_test =
				"Look for oplock-break messages of the server before the answers; "
				"without them it is the disk.",
		},
};
