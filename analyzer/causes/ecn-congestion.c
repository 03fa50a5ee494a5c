/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Routers mark packets instead of dropping them: congestion without loss. docs/causes.md,
 * ecn-congestion.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, ecn-congestion: reductions that make it a cause, and twice that to be sure
 * (2.16). */
#define MIN_ECHOES 10
/* A queue marks some packets; a device that overwrites the field marks all. */
#define MANGLED_SHARE 0.90

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender, *back = context->receiver;
	if (!d || !back || back->ece_flags < MIN_ECHOES)
		return false;
	if ((double)d->ecn_marks > MANGLED_SHARE * (double)d->packets)
		return false; /* ecn-broken */
	cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	int64_t ramp = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > ramp ? draft->lost_ns - ramp : 0;
	draft->confidence = back->ece_flags >= 2 * MIN_ECHOES ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"Routers on the path marked packets to say that a queue was filling (%llu "
		"acknowledgements carry the echo), so %s slowed down for %s of %s although nothing "
		"was lost.",
		(unsigned long long)back->ece_flags, host_label(context, context->bulk),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "a path with more room, or a later mark";
	cause_number(draft, "congestion echoes", NUMBER_COUNT, (double)back->ece_flags);
	cause_number(draft, "marked packets seen", NUMBER_COUNT, (double)d->ecn_marks);
	cause_evidence(
		context, draft, back->first_ecn_frame, back->first_ecn_ns, "first congestion echo");
	cause_evidence_bucket(context, draft, BUCKET_CONGESTION_WINDOW, "window kept small");
	cause_advice(draft, "Find the queue that marks: its threshold may be set far too low for a "
			    "path with this round trip (fq_codel 'ce_threshold', RED minimum).");
	cause_advice(draft, "Otherwise the link is really busy: less traffic at the same time, or "
			    "more bandwidth.");
	return true;
}

const Cause cause_ecn_congestion = {
	.id = "ecn-congestion",
	.title = "Routers asked the sender to slow down",
	.explanation =
		"With explicit congestion notification a router marks packets when its queue "
		"fills, instead of throwing some away. The receiver echoes the mark and the sender "
		"slows down as if a packet had been lost. That is gentle, but when marks come too "
		"early the link is never filled.",
	.source = "RFC 3168",
	.precedence = 338,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more acknowledgements carry the congestion echo, the marks "
				"are on no more than {} of the packets, and the sender was held "
				"back by its congestion window.",
			.numbers = {GUIDE_COUNT(MIN_ECHOES), GUIDE_SHARE(MANGLED_SHARE)},
			.needs = "The acknowledgements' flags.",
			.traps = {"Marks on nearly all packets are no queue's: ecn-broken."},
			.confidence = "High with twice that many echoes; otherwise medium.",
			.advice = {{"Network",
					   "Find the queue that marks: its threshold may be far "
					   "too low for "
					   "this round trip (fq_codel ce_threshold, RED minimum)."},
				{"Network", "Otherwise the link is busy: less at the same time, or "
					    "more "
					    "bandwidth."}},
			.next_test = "Switch ECN off on the sender for one copy "
				     "(net.ipv4.tcp_ecn=0): if "
				     "that is much faster, the marks come too early.",
		},
};
