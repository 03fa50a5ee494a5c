/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1: the client has as many requests under way as the server allows (MaxMpxCount), and the path
 * holds more.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/requests.h"

/* Nearly all the time at the limit: one below it is a request on its way. */
#define AT_LIMIT_SHARE 0.9
/* One at a time is smb1-small-buffer's or smb1-chatty's story. */
#define MIN_LIMIT 2

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	const SessionStats *s = context->session;
	if (!s || !s->protocol || strcmp(s->protocol, "smb1") != 0 || s->max_requests < MIN_LIMIT ||
		!requests_measure(context, &r) ||
		r.depth_mean < AT_LIMIT_SHARE * (double)s->max_requests)
		return false;
	requests_claim(context, draft, &r, (double)r.round_trip_ns, true);
	requests_save(context, draft, &r, r.size, requests_full_depth(context, &r));
	requests_describe(context, draft, &r);
	cause_number(draft, "requests the server allows at once", NUMBER_COUNT, s->max_requests);
	draft->confidence = requests_confidence(context, draft, &r);
	draft->blame = "SERVER";
	draft->sentence = cause_printf(context,
		"The server allows %u requests at a time, the client uses them all, and this path "
		"holds more than %u blocks of %s.",
		s->max_requests, s->max_requests, cause_bytes(context, r.size));
	draft->fix = "SMB2 or newer, or more requests at a time";
	cause_advice(draft,
		"SMB2 and newer have credits instead of this limit: use them where both "
		"sides can.");
	cause_advice(draft, "Samba: leave `max mux` at its default of 50. Windows server: "
			    "MaxMpxCt of LanmanServer; client: MaxCmds of LanmanWorkstation.");
	return true;
}

const Cause cause_smb1_mpx_limit = {
	.id = "smb1-mpx-limit",
	.title = "The server allows too few SMB1 requests at a time",
	.explanation =
		"When the session begins an SMB1 server says how many requests a client may have "
		"under way. When all of them are, the client can send nothing, not even the answer "
		"to a call for its cached files, until one is answered.",
	.source = "MS-CIFS 2.2.4.52.2 (MaxMpxCount), 3.2.4.1.5",
	.precedence = 415,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "In SMB1, requests under way reach {} of what the server allows "
				"(MaxMpxCount, {} or more), and the client still waits round "
				"trips.",
			.numbers = {GUIDE_SHARE(AT_LIMIT_SHARE), GUIDE_COUNT(MIN_LIMIT),
				GUIDE_COUNT(REQUESTS_MIN)},
			.needs = "The negotiation, and {} data requests.",
			.traps = {"A limit that nobody reaches is no cause: it is a ceiling, not a "
				  "use."},
			.confidence = "High when the arithmetic gives the measured rate.",
			.advice = {{"Any", "SMB2 and newer have credits instead: use them where "
					   "both sides "
					   "can."},
				{"Samba", "Leave 'max mux' at its default of 50."},
				{"Windows server", "MaxMpxCt of LanmanServer."},
				{"Windows client", "MaxCmds of LanmanWorkstation."}},
			.next_test = "Compare with the same copy over SMB2.",
		},
};
