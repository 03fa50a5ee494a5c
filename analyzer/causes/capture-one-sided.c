/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One direction was not captured. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_capture_one_sided = {
	.id = "capture-one-sided",
	.title = "Only one direction was captured",
	.explanation = "The capture holds what one host sent and not what the other answered. "
		       "Windows, round trips and waiting cannot be told from one side, only "
		       "rates and repeats.",
	.source = "RFC 9293 3.4: every segment carries an acknowledgement",
	.precedence = 103,
	.conclude = NULL,
	.guide =
		{
			.rule = "One direction of a connection has less than {} of the packets of "
				"the other. Grade D when it is so for all connections that moved "
				"{} "
				"or more, else C. Told with the capture's grade.",
			.numbers = {GUIDE_SHARE(CAPTURE_ONE_SIDED_SHARE),
				GUIDE_BYTES(CAPTURE_BULK_BYTES)},
			.needs = "None.",
			.traps = {"A receiver that acknowledges rarely still sends one packet in "
				  "twenty."},
			.confidence = "Not a finding; confidence is low for everything.",
			.advice = {{"Network",
				"A mirror port must copy both directions (rx and tx); with several "
				"links or routes capture where both directions pass, best on a "
				"host."}},
			.next_test = "Capture again on one of the hosts.",
		},
};
