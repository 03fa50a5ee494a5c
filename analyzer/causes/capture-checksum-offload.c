/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums in captures of a host's own packets. Never told.
 */
#include "analyzer/causes/cause.h"

const Cause cause_capture_checksum_offload = {
	.id = "capture-checksum-offload",
	.title = "Checksums that look wrong in a capture",
	.explanation = "A host leaves the checksum of its packets to the network card, so a "
		       "capture on that host records them unfinished. That is no damage. "
		       "slowcopy therefore never judges a packet by its checksum.",
	.source = "RFC 9293 3.1; pcap on hosts with checksum offload",
	.precedence = 108,
	.conclude = NULL,
	.guide =
		{
			.rule = "Checksums are not looked at, and no packet is left out because of "
				"one. Never a finding.",
			.needs = "None.",
			.traps = {"Packets that were really damaged on the way are dropped by the "
				  "receiver and show as loss."},
			.confidence = "Not a finding.",
			.advice = {{"Any", "Nothing to do."}},
			.next_test =
				"Capture on the other host: there the same checksums are right.",
		},
};
