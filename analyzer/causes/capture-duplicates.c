/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets were recorded more than once. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_capture_duplicates = {
	.id = "capture-duplicates",
	.title = "Packets were recorded twice",
	.explanation = "A mirror port that copies a packet when it comes in and again when it "
		       "goes out, or a capture on all interfaces at once, records packets "
		       "twice. The copies are recognised and left out; they are no "
		       "retransmissions.",
	.source = "Jaiswal et al. 2003, on duplicates of a measurement point",
	.precedence = 104,
	.conclude = NULL,
	.guide =
		{
			.rule = "More than {} of the packets equal an earlier one in sequence and "
				"acknowledgement number, length, window, timestamps and "
				"identification, and come within half a round trip ({} to {}). A "
				"lower TTL, another VLAN or MAC address tells where the copy was "
				"made. Grade B, never a finding.",
			.numbers = {GUIDE_SHARE(CAPTURE_COPIES_SHARE), GUIDE_NS(DUPLICATE_MIN_NS),
				GUIDE_NS(DUPLICATE_MAX_NS)},
			.needs = "None.",
			.traps = {"A real retransmission has a new identification or timestamp."},
			.confidence = "Not a finding.",
			.advice = {{"Network",
				"Mirror one direction per port, or capture on one interface."}},
			.next_test = "Look at two copies: equal but for TTL, VLAN or MAC address.",
		},
};
