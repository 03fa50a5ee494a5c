/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb2-no-large-mtu: SMB2 whose requests cannot exceed 64 KiB: dialect 2.0.2, the NetBIOS session
 * service, or a capability that is off. docs/causes.md, smb2-no-large-mtu.
 */
#include <math.h>
#include <string.h>

#include "analyzer/causes/requests.h"

/* MS-SMB2 2.2.4: without multi-credit operations a request moves at most this. */
#define LIMIT_BYTES 65536.0
/* The limit is what decides when the requests are as large as it allows. docs/causes.md,
 * smb2-no-large-mtu. */
#define AT_LIMIT_SHARE 0.9

static const char *reason_of(const SessionStats *s)
{
	if (s->dialect && strcmp(s->dialect, "2.0.2") == 0)
		return "dialect 2.0.2 knows no larger ones";
	if (s->over_netbios)
		return "the session runs over NetBIOS (port 139), which carries no larger ones";
	return "one side did not offer large requests (multi-credit) when the session began";
}

static bool is_limited(const CauseContext *context, const Requests *r)
{
	const SessionStats *s = context->session;
	return s && s->protocol && strcmp(s->protocol, "smb2") == 0 && s->negotiate_seen &&
	       /* the maximum is sent behind the capabilities: unseen, both were cut by the snap
		  length */
	       s->max_read_bytes > 0 && s->dialect && !s->multi_credit &&
	       r->size >= AT_LIMIT_SHARE * LIMIT_BYTES && r->size <= LIMIT_BYTES;
}

static void advise(const SessionStats *s, FindingDraft *draft)
{
	if (s->over_netbios)
		cause_advice(draft,
			"Let the client use port 445 (direct SMB) instead of 139: open it in the "
			"firewall between the two, and do not force port 139 in the client.");
	if (s->dialect && strcmp(s->dialect, "2.0.2") == 0)
		cause_advice(draft, "Raise the dialect to 2.1 or newer on the side that limits it: "
				    "Samba `server max protocol`, `client max protocol`; Linux "
				    "mount vers=3.1.1; old servers and NAS: newer firmware.");
	else if (!s->over_netbios)
		cause_advice(draft,
			"Windows 7 and Server 2008 R2 have large requests off by default: "
			"`Set-SmbClientConfiguration -EnableLargeMtu $true` where it exists, or "
			"the registry value DisableLargeMtu = 0 of LanmanWorkstation.");
	cause_advice(draft, "Several requests under way would hide the round trips as well.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	if (!requests_measure(context, &r) || !is_limited(context, &r))
		return false;
	const SessionStats *s = context->session;
	const char *reason = reason_of(s);
	cause_number_name(draft, "dialect", s->dialect);
	draft->fix = s->over_netbios ? "port 445" : "requests larger than 64 KiB";
	advise(s, draft);
	if (r.round_trip_ns < cause_min_lost_ns(context)) {
		draft->is_note = true;
		draft->confidence = CONFIDENCE_HIGH;
		draft->sentence = cause_printf(context,
			"Requests cannot exceed 64 KiB here because %s; with %.0f of them under "
			"way that costs nothing on this path.",
			reason, r.depth_round);
		return true;
	}
	requests_claim(context, draft, &r,
		(double)r.round_trip_ns * (1 - r.size / REQUESTS_USUAL_BYTES), true);
	requests_save(context, draft, &r, REQUESTS_USUAL_BYTES, fmax(1, r.depth_mean));
	requests_describe(context, draft, &r);
	draft->confidence = requests_confidence(context, draft, &r);
	draft->blame = s->over_netbios ? "NETWORK" : "SERVER";
	draft->sentence = cause_printf(context,
		"Each request moves at most 64 KiB because %s, and the client waits a %s round "
		"trip for %.0f of them.",
		reason, cause_time(context, (double)context->rtt_ns), (double)r.count);
	return true;
}

const Cause cause_smb2_no_large_mtu = {
	.id = "smb2-no-large-mtu",
	.title = "SMB2 requests limited to 64 KiB",
	.explanation =
		"From SMB 2.1 on a request may move 1 MiB and more, if both sides agree and the "
		"connection goes directly over TCP. Here it may not, so the same file needs "
		"sixteen times as many requests, and each costs a journey to the server and back.",
	.source = "MS-SMB2 2.2.4, 3.3.5.4",
	.precedence = 425,
	.conclude = conclude,
	.guide =
		{
			.rule = "The session has no multi-credit requests, and requests are at its "
				"limit of {} (within {}): dialect 2.0.2, NetBIOS (port 139), or a "
				"side that does not offer it. A note while it costs no round "
				"trips.",
			.numbers = {GUIDE_BYTES(LIMIT_BYTES), GUIDE_SHARE(AT_LIMIT_SHARE)},
			.needs = "The negotiation.",
			.traps = {"Many requests under way hide the limit completely."},
			.confidence = "High with the arithmetic; medium otherwise.",
			.advice = {{"Windows client",
					   "Windows 7 has large requests off by default: "
					   "'Set-SmbClientConfiguration -EnableLargeMtu $true' "
					   "where it "
					   "exists, or DisableLargeMtu = 0 of LanmanWorkstation."},
				{"Windows server",
					"Server 2008 R2 likewise; newer ones have it on."},
				{"Linux client (cifs)",
					"Mount with vers=3.1.1 (or 2.1 and newer)."},
				{"Samba", "'server max protocol' must not forbid SMB2_10 and "
					  "newer; 'smb2 max "
					  "read' and '... write' above 64 KiB."},
				{"Network", "Let the client use port 445 instead of 139."}},
			.next_test = "Compare with the same copy over port 445 and dialect 3.1.1.",
		},
};
