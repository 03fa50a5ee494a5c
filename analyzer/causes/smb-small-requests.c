/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb-small-requests: READs or WRITEs far smaller than the session allows. docs/causes.md,
 * smb-small-requests.
 */
#include <math.h>
#include <string.h>

#include "analyzer/causes/requests.h"

/* A request is small up to this size, and when four times as much is allowed. docs/causes.md,
 * smb-small-requests. */
#define SMALL_BYTES (64.0 * 1024)
#define SMALL_SHARE_OF_ALLOWED 4
/* Sizes at which the size itself is what to mend first; of larger blocks it is their number under
 * way. Editors, file managers and players ask for 4 to 32 KiB. docs/causes.md, smb-small-requests.
 */
#define TINY_BYTES (32.0 * 1024)
/* Sizes within this of the server's limit are the server's choice. Headers and rounding. */
#define AT_LIMIT_SHARE 0.9
#define SERIAL_DEPTH 1

typedef enum Limiter { LIMITER_NONE, LIMITER_SERVER, LIMITER_CLIENT } Limiter;

static Limiter limiter_of(const CauseContext *context, const Requests *r)
{
	const SessionStats *s = context->session;
	bool is_smb1 = s && s->protocol && strcmp(s->protocol, "smb1") == 0;
	if (r->size > SMALL_BYTES)
		return LIMITER_NONE;
	if (r->allowed > 0 && r->size >= AT_LIMIT_SHARE * r->allowed)
		/* 64 KiB without large reads is the dialect's limit: smb2-no-large-mtu */
		return !is_smb1 && s->multi_credit ? LIMITER_SERVER : LIMITER_NONE;
	if (r->allowed > 0 && r->size * SMALL_SHARE_OF_ALLOWED > r->allowed)
		return LIMITER_NONE;
	/* SMB1 moves at most 64 KiB: a quarter of that is small */
	if (r->allowed == 0 && r->size > SMALL_BYTES / SMALL_SHARE_OF_ALLOWED)
		return LIMITER_NONE;
	if (r->size > TINY_BYTES && r->depth_usual <= SERIAL_DEPTH)
		return LIMITER_NONE;
	return LIMITER_CLIENT;
}

static void advise(FindingDraft *draft, const Requests *r, Limiter limiter)
{
	if (limiter == LIMITER_SERVER) {
		cause_advice(draft, r->is_write
					    ? "Server: raise the largest write it allows. Samba: "
					      "leave `smb2 max write` at its default of 8 MiB; a "
					      "NAS: look for its SMB settings or newer firmware."
					    : "Server: raise the largest read it allows. Samba: "
					      "leave `smb2 max read` at its default of 8 MiB; a "
					      "NAS: look for its SMB settings or newer firmware.");
	} else {
		cause_advice(draft,
			"Give the program a larger buffer: `dd bs=1M`, `curl` and many libraries "
			"have an option; robocopy and Explorer use 1 MiB by themselves.");
		cause_advice(draft, "Linux mounts: leave rsize= and wsize= at their defaults (4 "
				    "MiB), and cache=strict so that the kernel may read ahead.");
		cause_advice(draft, "If the program cannot be changed, copy the file to the local "
				    "disk first and open it there.");
	}
	if (r->depth_usual <= SERIAL_DEPTH)
		cause_advice(
			draft, "Several requests under way would hide the round trips as well.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	if (!requests_measure(context, &r) || r.sequential < REQUESTS_SEQUENTIAL_SHARE)
		return false;
	Limiter limiter = limiter_of(context, &r);
	if (limiter == LIMITER_NONE)
		return false;
	double larger = REQUESTS_USUAL_BYTES;
	if (limiter == LIMITER_CLIENT && r.allowed > 0 && r.allowed < larger)
		larger = r.allowed;
	if (limiter == LIMITER_CLIENT && r.allowed == 0)
		larger = SMALL_BYTES;
	requests_claim(context, draft, &r, (double)r.round_trip_ns * (1 - r.size / larger), true);
	requests_save(context, draft, &r, larger, fmax(1, r.depth_mean));
	requests_describe(context, draft, &r);
	draft->confidence = requests_confidence(context, draft, &r);
	draft->blame = limiter == LIMITER_SERVER ? "SERVER" : "CLIENT";
	const char *block = cause_bytes(context, r.size), *verb = r.is_write ? "writes" : "reads";
	const char *rtt = cause_time(context, (double)context->rtt_ns);
	if (limiter == LIMITER_SERVER)
		draft->sentence = cause_printf(context,
			"The server allows no more than %s per request, so the client %s in %.0f "
			"pieces and waits a %s round trip again and again.",
			cause_bytes(context, r.allowed), verb, (double)r.count, rtt);
	else
		draft->sentence = cause_printf(context,
			"The client %s only %s per request%s, and pays a %s round trip for each of "
			"%.0f requests.",
			verb, block,
			r.allowed > 0 ? cause_printf(context, " although up to %s is allowed",
						cause_bytes(context, r.allowed))
				      : "",
			rtt, (double)r.count);
	draft->fix = cause_printf(context, "blocks of %s", cause_bytes(context, larger));
	advise(draft, &r, limiter);
	if (draft->confidence != CONFIDENCE_HIGH)
		draft->next_test = "Copy the same file with a program that is known to use large "
				   "blocks (robocopy, smbclient) and compare.";
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	Requests r;
	if (!requests_measure(context, &r) || r.size <= SMALL_BYTES)
		return NULL;
	return cause_printf(context, "small requests (%s each)", cause_bytes(context, r.size));
}

const Cause cause_smb_small_requests = {
	.id = "smb-small-requests",
	.title = "Small requests",
	.explanation = "Each request moves only a little of the file, and each costs a journey to "
		       "the server and back and some work on both hosts. Larger requests move the "
		       "same file with far fewer journeys.",
	.source = "MS-SMB2 2.2.4, 2.2.19, 2.2.21",
	.precedence = 430,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "Typical requests move {} or less, in file order ({} of them), "
				"although {} times as much or more is allowed; or the server "
				"itself "
				"allows no more (within {} of its limit). Above {} with one "
				"request "
				"at a time it is their number that counts: smb-serial-requests.",
			.numbers = {GUIDE_BYTES(SMALL_BYTES),
				GUIDE_SHARE(REQUESTS_SEQUENTIAL_SHARE),
				GUIDE_COUNT(SMALL_SHARE_OF_ALLOWED), GUIDE_SHARE(AT_LIMIT_SHARE),
				GUIDE_BYTES(TINY_BYTES), GUIDE_COUNT(REQUESTS_MIN),
				GUIDE_COUNT(REQUESTS_PLENTY)},
			.needs = "{} data requests.",
			.traps = {"Random access is not copying: nothing is said.",
				"64 KiB because of the dialect is smb2-no-large-mtu.",
				"The last, partial block of a file: the typical size counts."},
			.confidence =
				"High with {} requests and an arithmetic that gives the measured "
				"rate; otherwise medium.",
			.advice = {{"Any", "Give the program a larger buffer ('dd bs=1M', an "
					   "option of the "
					   "library)."},
				{"Linux client (cifs)",
					"Leave rsize= and wsize= at their defaults (4 MiB) and "
					"cache=strict."},
				{"Windows client",
					"robocopy and Explorer use 1 MiB by themselves."},
				{"Samba", "Leave 'smb2 max read' and 'smb2 max write' at 8 MiB, "
					  "the default."},
				{"NAS or appliance", "Its SMB settings or newer firmware, when the "
						     "server sets the "
						     "limit."}},
			.next_test = "Copy the same file with a program that is known to use large "
				     "blocks (robocopy, smbclient) and compare.",
		},
};
