/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keep-alives of every kind. Never a finding.
 */
#include "analyzer/causes/cause.h"

const Cause cause_keepalives_benign = {
	.id = "keepalives-benign",
	.title = "Keep-alives are no data and no fault",
	.explanation = "Idle connections are kept open by small messages: TCP keep-alives, "
		       "NetBIOS keep-alives, SMB ECHO, FTP NOOP. They are left out of waiting "
		       "times, losses and work.",
	.source = "RFC 1122 4.2.3.6; RFC 1002 4.3.7; MS-SMB2 2.2.28",
	.precedence = 790,
	.conclude = NULL,
	.guide =
		{
			.rule = "A segment of no byte or one that lies just before what is "
				"acknowledged is a keep-alive; so are NetBIOS messages of type "
				"0x85, ECHO requests and NOOP. Never a finding.",
			.needs = "None.",
			.traps = {"Tools that call them retransmissions are misled."},
			.confidence = "Not a finding.",
			.advice = {{"Any", "Nothing to do."}},
			.next_test = "None is needed.",
		},
};
