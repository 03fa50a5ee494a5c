/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nearly all packets carry the congestion mark: a device overwrites the field. docs/causes.md,
 * ecn-broken.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* docs/causes.md, ecn-broken: a queue marks some packets; a device that overwrites the field marks
 * all. */
#define MANGLED_SHARE 0.90
#define MIN_PACKETS 50
#define MIN_ECHOES 10

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender, *back = context->receiver;
	if (!d || !back || d->packets < MIN_PACKETS ||
		(double)d->ecn_marks <= MANGLED_SHARE * (double)d->packets ||
		back->ece_flags < MIN_ECHOES)
		return false;
	cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	int64_t ramp = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > ramp ? draft->lost_ns - ramp : 0;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"%s of the packets from %s carry the congestion mark, which no real queue does: a "
		"device overwrites the field, and the sender slows down for %s of %s.",
		cause_percent(context, (double)d->ecn_marks / (double)d->packets),
		host_label(context, context->bulk), cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "no device that overwrites the traffic class";
	cause_number(draft, "marked packets", NUMBER_COUNT, (double)d->ecn_marks);
	cause_number(draft, "packets", NUMBER_COUNT, (double)d->packets);
	cause_evidence(
		context, draft, back->first_ecn_frame, back->first_ecn_ns, "first congestion echo");
	cause_evidence_bucket(context, draft, BUCKET_CONGESTION_WINDOW, "window kept small");
	cause_advice(draft, "Look for a router or firewall that sets DSCP by writing the whole "
			    "traffic class byte; its two lowest bits are not its own.");
	cause_advice(draft, "Until then: net.ipv4.tcp_ecn=0 on the Linux host.");
	return true;
}

const Cause cause_ecn_broken = {
	.id = "ecn-broken",
	.title = "A device marks every packet as congested",
	.explanation =
		"Two bits of each packet tell that a router's queue was filling. A device on this "
		"path sets them on nearly all packets, so the sender believes in permanent "
		"congestion and stays slow.",
	.source = "RFC 3168 5",
	.precedence = 336,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "More than {} of at least {} packets carry the congestion mark, {} "
				"or more acknowledgements echo it, and the sender was held back by "
				"its congestion window.",
			.numbers = {GUIDE_SHARE(MANGLED_SHARE), GUIDE_COUNT(MIN_PACKETS),
				GUIDE_COUNT(MIN_ECHOES)},
			.needs = "The marks must be visible: behind the device that makes them.",
			.traps = {"A real queue marks some packets, and none while it is empty."},
			.confidence = "Medium.",
			.advice = {{"Network", "Look for a router or firewall that sets DSCP by "
					       "writing the whole "
					       "byte; its two lowest bits are not its own."},
				{"Linux", "Until then net.ipv4.tcp_ecn=0."}},
			.next_test = "Capture before and behind the suspected device and compare "
				     "the two "
				     "lowest bits of the traffic class.",
		},
};
