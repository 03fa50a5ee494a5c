/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A device answers for the server. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"

const Cause cause_middlebox_terminated_handshake = {
	.id = "middlebox-terminated-handshake",
	.title = "Something between the hosts answers for the server",
	.explanation = "The handshake is answered far sooner than any data. A proxy, a "
		       "firewall with SYN protection or a WAN accelerator answers in the "
		       "server's name. Distances measured in the handshake are those to the "
		       "device.",
	.source = "RFC 3135 2; RFC 4987 3.6",
	.precedence = 109,
	.conclude = NULL,
	.guide =
		{
			.rule = "The round trip of the first twenty samples of data is many times "
				"that of the handshake and above 10 ms. The handshake's round trip "
				"is not used then. Grade B, never a finding.",
			.needs = "The handshake and twenty samples.",
			.traps = {"A queue that fills makes later round trips longer: the smallest "
				  "counts."},
			.confidence = "Not a finding.",
			.advice = {{"Network",
				"Know which device it is: what it does to windows and options is "
				"part of the path."}},
			.next_test = "Compare the TTL of the SYN-ACK with that of the data.",
		},
};
