/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smb1-small-buffer: an SMB1 session whose buffers or signing keep the blocks small.
 * docs/causes.md, smb1-small-buffer.
 */
#include <math.h>
#include <string.h>

#include "analyzer/causes/requests.h"

/* Small for SMB1: six tenths of 64 KiB. docs/causes.md, smb1-small-buffer. */
#define SMALL_BYTES (0.6 * 65536)
/* What large reads and writes move: smbclient uses 63 KiB, Windows 60 KiB. */
#define LARGE_BYTES (60.0 * 1024)
/* The server's buffer is the reason when the blocks fill most of it: header and padding take some,
 * and clients round down to 4 KiB. */
#define AT_BUFFER_SHARE 0.7
#define OVER_BUFFER_SHARE 1.05

typedef enum Reason { REASON_NONE, REASON_BUFFER, REASON_SIGNING, REASON_ONE_REQUEST } Reason;

static Reason reason_of(const SessionStats *s, const Requests *r)
{
	bool is_large = r->is_write ? s->large_write : s->large_read;
	if (!s->negotiate_seen || r->size > SMALL_BYTES)
		return REASON_NONE;
	double buffer = s->max_buffer_bytes;
	if (!is_large && buffer > 0 && r->size >= AT_BUFFER_SHARE * buffer &&
		r->size <= OVER_BUFFER_SHARE * buffer)
		return REASON_BUFFER;
	if (s->is_signed && r->is_write && is_large)
		return REASON_SIGNING;
	return s->max_requests == 1 ? REASON_ONE_REQUEST : REASON_NONE;
}

static const char *because(const CauseContext *context, const Requests *r, Reason reason)
{
	const SessionStats *s = context->session;
	switch (reason) {
	case REASON_BUFFER:
		return cause_printf(context,
			"the server's buffer is %s and it does not offer large %s",
			cause_bytes(context, s->max_buffer_bytes),
			r->is_write ? "writes" : "reads");
	case REASON_SIGNING:
		return "clients do not use large writes in signed SMB1 sessions";
	case REASON_ONE_REQUEST:
		return "the server allows one request at a time";
	case REASON_NONE:
		break;
	}
	return "";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Requests r;
	const SessionStats *s = context->session;
	if (!s || !s->protocol || strcmp(s->protocol, "smb1") != 0 ||
		!requests_measure(context, &r))
		return false;
	Reason reason = reason_of(s, &r);
	if (reason == REASON_NONE)
		return false;
	/* what larger blocks save; waiting for each of them stays with smb1-chatty */
	requests_claim(
		context, draft, &r, (double)r.round_trip_ns * (1 - r.size / LARGE_BYTES), true);
	requests_save(context, draft, &r, LARGE_BYTES, fmax(1, r.depth_mean));
	requests_describe(context, draft, &r);
	cause_number(draft, "server's buffer", NUMBER_BYTES, s->max_buffer_bytes);
	draft->confidence = requests_confidence(context, draft, &r);
	if (reason == REASON_SIGNING && draft->confidence == CONFIDENCE_HIGH)
		draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "SERVER";
	draft->sentence = cause_printf(context,
		"SMB1 moves only %s per request here because %s; each costs a %s round trip.",
		cause_bytes(context, r.size), because(context, &r, reason),
		cause_time(context, (double)context->rtt_ns));
	draft->fix = "SMB2 or newer, or large reads and writes in SMB1";
	cause_advice(
		draft, "Use SMB2 or newer if both sides can: its requests move 1 MiB and more.");
	cause_advice(draft, "Samba: leave `large readwrite`, `read raw` and `write raw` on, and "
			    "`max xmit` and `max mux` at their defaults.");
	if (reason == REASON_SIGNING)
		cause_advice(draft,
			"Signing protects against tampering; newer dialects sign without "
			"making the blocks small, so the dialect is what to change.");
	return true;
}

const Cause cause_smb1_small_buffer = {
	.id = "smb1-small-buffer",
	.title = "Small blocks inside SMB1",
	.explanation = "What was agreed when the session began allows only small blocks: the "
		       "server's buffer, capabilities that one side lacks, or signing. Each block "
		       "costs a journey to the server and back.",
	.source = "MS-CIFS 2.2.4.52.2, 2.2.4.25; MS-SMB 3.2.4.4.1",
	.precedence = 420,
	.conclude = conclude,
	.guide =
		{
			.rule = "In SMB1, requests move no more than {} because the server's "
				"buffer "
				"is that small and it does not offer large reads or writes (the "
				"blocks fill {} of the buffer or more), because clients do not use "
				"large writes in signed sessions, or because the server allows one "
				"request at a time.",
			.numbers = {GUIDE_BYTES(SMALL_BYTES), GUIDE_SHARE(AT_BUFFER_SHARE),
				GUIDE_COUNT(REQUESTS_MIN)},
			.needs = "The negotiation, and {} data requests.",
			.traps = {"A program that asks for less than it could is "
				  "smb-small-requests."},
			.confidence =
				"High when the arithmetic gives the measured rate; medium for "
				"signing.",
			.advice = {{"Any", "Use SMB2 or newer where both sides can."},
				{"Samba", "Leave 'large readwrite', 'read raw' and 'write raw' on, "
					  "and 'max "
					  "xmit' and 'max mux' at their defaults."},
				{"Any", "Signing protects against tampering; newer dialects sign "
					"without "
					"making the blocks small, so the dialect is what to "
					"change."},
				{"NAS or appliance", "Newer firmware."}},
			.next_test = "Compare with the same copy over SMB2.",
		},
};
