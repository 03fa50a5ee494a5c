/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The capture lacks packets: nobody can say what that time was. docs/causes.md, capture-drops.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, capture-drops: a thousandth of the bytes. */
#define MIN_SHARE 0.001

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *a = context->sender, *b = context->receiver;
	if (!a || !b)
		return false;
	double elsewhere = (double)context->unit->unseen_bytes;
	double unseen = (double)(a->uncaptured_bytes + b->uncaptured_bytes) + elsewhere;
	double all = unseen + (double)(a->unique_bytes + b->unique_bytes);
	if ((all <= 0 || unseen < MIN_SHARE * all) && !context->is_data_unseen)
		return false;
	cause_claim(context, draft, BUCKET_CAPTURE_GAP);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "CAPTURE";
	const char *time = cause_time(context, (double)draft->lost_ns);
	const char *wall = cause_time(context, (double)context->wall_ns);
	if (context->is_data_unseen) {
		draft->sentence = cause_printf(context,
			"The connections that carried the files are not in the capture, so nobody "
			"can say what %s of %s were spent on.",
			time, wall);
		draft->fix = "a capture with the data connections";
		cause_advice(draft, "FTP moves each file over a connection of its own: capture all "
				    "ports between the two hosts ('host ADDRESS', not 'port 21').");
	} else {
		draft->sentence = cause_printf(context,
			"The capture lacks %s of the bytes that arrived, so nobody can say what "
			"%s of %s were spent on.",
			cause_percent(context, unseen / all), time, wall);
		draft->fix = "a capture without gaps";
	}
	cause_number(draft, "missing bytes", NUMBER_BYTES, unseen);
	cause_number(draft, "share", NUMBER_PERCENT, 100 * unseen / all);
	cause_evidence_bucket(context, draft, BUCKET_CAPTURE_GAP, "packets are missing");
	if (context->is_data_unseen)
		return true;
	cause_advice(draft, "Capture again with a larger buffer and short frames: 'tcpdump -B "
			    "65536 -s 256', with a filter for the two hosts.");
	cause_advice(draft, "A mirror port that carries more than its own speed drops packets: "
			    "capture on a host, or with a tap.");
	return true;
}

const Cause cause_capture_drops = {
	.id = "capture-drops",
	.title = "The capture lacks packets",
	.explanation =
		"Acknowledgements in the capture cover data that the capture does not hold, and "
		"it was not sent again: it arrived, only the capture missed it. What happened in "
		"those moments cannot be told.",
	.source = "Paxson, SIGCOMM 1997, on drops of a measurement point",
	.precedence = 110,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Acknowledgements cover {} or more of the bytes that the capture "
				"does not hold and that were not sent again, or an FTP server "
				"confirms files whose data connections are not in it; moments "
				"without knowledge make a finding's worth of time.",
			.numbers = {GUIDE_SHARE(MIN_SHARE)},
			.needs = "Acknowledgements of the missing direction.",
			.traps =
				{"Data that is recorded after its acknowledgement is out of order, "
				 "not missing.",
					"A whole direction that is missing is capture-one-sided."},
			.confidence = "Medium.",
			.advice = {{"Any", "Capture again with a larger buffer and short frames: "
					   "'tcpdump -B "
					   "65536 -s 256', with a filter for the two hosts."},
				{"FTP client", "FTP moves each file over a connection of its own: "
					       "capture all ports between the two hosts."},
				{"Network", "A mirror port that carries more than its own speed "
					    "drops packets: "
					    "capture on a host, or with a tap."}},
			.next_test =
				"Capture again on one of the hosts: the drop counter that tcpdump "
				"prints must be zero.",
		},
};
