/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock of the capture jumped. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_capture_clock = {
	.id = "capture-clock",
	.title = "The capture's clock jumped",
	.explanation = "Durations are only as good as the clock that stamped the packets. A "
		       "clock that is set while the capture runs makes a pause appear or time "
		       "run backwards. Such moments are set aside and nobody is blamed for "
		       "them.",
	.source = "RFC 7323 5.4: the timestamps of the hosts are a second clock",
	.precedence = 106,
	.conclude = NULL,
	.guide =
		{
			.rule = "The stamps run backwards by more than a tenth of a second; or "
				"jump "
				"ahead by {} or more while the sender's own clock, its TCP "
				"timestamps, moved by less than {} of that. The jump is put into "
				"the bucket capture-gap. Grade C, never a finding.",
			.numbers = {GUIDE_NS(CLOCK_JUMP_MIN_NS), GUIDE_SHARE(CLOCK_JUMP_SHARE),
				GUIDE_NS(CAPTURE_ORDER_NS)},
			.needs = "For jumps ahead: TCP timestamps.",
			.traps =
				{"Packets of several queues are out of order by up to {}: they are "
				 "sorted, not taken for a jump.",
					"A real pause moves the sender's clock, too."},
			.confidence = "Not a finding; confidence is medium at most.",
			.advice = {{"Any", "Do not set the clock while a capture runs (let NTP "
					   "slew it); merge "
					   "captures only of hosts with the same clock."}},
			.next_test = "Capture again with the clock left alone.",
		},
};
