/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nobody answers connections. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_connect_unanswered = {
	.id = "connect-unanswered",
	.title = "Some connections were never answered",
	.explanation = "The first packet of a connection was sent again and again and nothing came "
		       "back: the host is not there, or a firewall drops what is sent to it. A "
		       "program that needs such a connection waits for it, although what it "
		       "copies from elsewhere is quick.",
	.source = "RFC 9293 3.5; RFC 6298 5.7",
	.precedence = 119,
	.conclude = NULL,
	.guide =
		{
			.rule = "The same host sent {} or more packets that open one connection, "
				"and nothing ever came back. Changes no grade, never a finding.",
			.numbers = {GUIDE_COUNT(CAPTURE_UNANSWERED_TRIES)},
			.needs = "The first packets (SYN) of the connection.",
			.traps = {"Where only one direction was captured the answers are missing, "
				  "too; but who has an answer does not ask again.",
				"One try without an answer may be a port scan, or lost."},
			.confidence = "Not a finding.",
			.advice = {{"Network",
					   "Look for the host, the route and the firewall rule."},
				{"Any", "Compare the address with what name resolution should "
					"give."}},
			.next_test = "Capture at the other end: do the first packets arrive there?",
		},
};
