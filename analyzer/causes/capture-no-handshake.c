/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start of connections is missing. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_capture_no_handshake = {
	.id = "capture-no-handshake",
	.title = "The capture began in the middle",
	.explanation = "Hosts agree on segment size, window scale and options in their first "
		       "packets. When the capture began later these are guessed from the data: "
		       "the window may really be larger than what is known.",
	.source = "RFC 9293 3.5; RFC 7323 2.2",
	.precedence = 102,
	.conclude = NULL,
	.guide =
		{
			.rule = "A connection that moved {} or more has no SYN and SYN-ACK in the "
				"capture. Grade C when that is so for all, else B. Told with the "
				"capture's grade, never as a finding.",
			.numbers = {GUIDE_BYTES(CAPTURE_BULK_BYTES)},
			.needs = "None.",
			.traps = {"Connections that hardly moved anything interest nobody."},
			.confidence = "Not a finding; findings about windows are medium at most.",
			.advice = {{"Any",
				"Start the capture first, then the copy; to force a new connection "
				"unmount the share, 'net use /delete', or log out."}},
			.next_test = "Capture again, from before the connection is made.",
		},
};
