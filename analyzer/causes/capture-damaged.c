/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An input could not be read to its end. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"

const Cause cause_capture_damaged = {
	.id = "capture-damaged",
	.title = "The capture file is damaged",
	.explanation = "The file ends in the middle of a packet, or holds bytes that are none. "
		       "What could be read before and, where possible, behind the damage was "
		       "analysed.",
	.source = "pcap and pcapng file formats",
	.precedence = 107,
	.conclude = NULL,
	.guide =
		{
			.rule = "A record is cut or does not fit its format. Grade C, and exit "
				"status 3; never a finding.",
			.needs = "None.",
			.traps = {"A capture that is still being written ends anywhere."},
			.confidence = "Not a finding.",
			.advice = {{"Any", "Stop the capture before copying its file; copy it in "
					   "binary mode."}},
			.next_test = "Copy the file again and compare its checksum.",
		},
};
