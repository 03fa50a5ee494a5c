/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets overtake each other: harmless, unless the sender takes it for loss. docs/causes.md,
 * reordering.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/constants.h"

/* docs/causes.md, reordering: a thousandth, and ten of them. */
#define MIN_COUNT 10
#define MIN_RATE 0.001
/* Less is the order in which a capturing card delivers its queues (docs/causes.md, reordering,
 * capture-clock). */
#define CAPTURE_LATE_NS (100000)

static void describe(const CauseContext *context, FindingDraft *draft, const TcpDirection *d)
{
	cause_number(draft, "packets overtaken", NUMBER_COUNT, (double)d->reordered);
	cause_number(draft, "share", NUMBER_PERCENT,
		100.0 * (double)d->reordered / (double)d->payload_packets);
	cause_number(draft, "late by at most", NUMBER_NS, (double)d->reordered_late_max_ns);
	cause_evidence(context, draft, d->first_reordered_frame, d->first_reordered_ns,
		"first packet that was overtaken");
}

static bool note(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || d->reordered < MIN_COUNT ||
		(double)d->reordered < MIN_RATE * (double)d->payload_packets ||
		d->reordered_late_max_ns < CAPTURE_LATE_NS)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"%llu packets (%s) from %s arrived out of order, up to %s late; that cost next to "
		"nothing.",
		(unsigned long long)d->reordered,
		cause_percent(context, (double)d->reordered / (double)d->payload_packets),
		host_label(context, context->bulk),
		cause_time(context, (double)d->reordered_late_max_ns));
	describe(context, draft, d);
	return true;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_REORDERING)
		return note(context, draft);
	if (!loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	draft->confidence = d->spurious > 0 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	if (d->reordered == 0) {
		draft->confidence = CONFIDENCE_MEDIUM;
		draft->doubt = "The packets passed here in the right order: that they did not "
			       "arrive in it is concluded from repairs for nothing that three "
			       "acknowledgements in a row set off.";
		draft->sentence = cause_printf(context,
			"Packets from %s overtake each other behind the capture point and are "
			"taken for lost: %llu were sent again for nothing, and the slow-down took "
			"%s of %s.",
			host_label(context, facts.side), (unsigned long long)facts.unneeded,
			cause_time(context, (double)draft->lost_ns),
			cause_time(context, (double)context->wall_ns));
	} else
		draft->sentence = cause_printf(context,
			"%llu packets (%s) from %s were overtaken by later ones and taken for "
			"lost: "
			"%llu were sent again for nothing, and the slow-down took %s of %s.",
			(unsigned long long)d->reordered,
			cause_percent(context, (double)d->reordered / (double)d->payload_packets),
			host_label(context, facts.side), (unsigned long long)facts.unneeded,
			cause_time(context, (double)draft->lost_ns),
			cause_time(context, (double)context->wall_ns));
	draft->fix = "one path per connection";
	if (d->reordered > 0)
		describe(context, draft, d);
	cause_advice(draft, "Look for load balancing by packet: bonding mode balance-rr, a LAG or "
			    "router that spreads one connection over several links.");
	cause_advice(draft, "Linux sender: keep net.ipv4.tcp_sack, tcp_timestamps and tcp_recovery "
			    "at 1; net.ipv4.tcp_reordering sets how far packets may be apart.");
	return true;
}

const Cause cause_reordering = {
	.id = "reordering",
	.title = "Packets overtook each other",
	.explanation =
		"The network delivers packets in another order than they were sent, usually "
		"because it spreads a connection over several links. Modern senders cope. Others "
		"take a late packet for a lost one, send it again and slow down.",
	.source = "RFC 4737; RFC 8985; Jaiswal et al. 2003",
	.precedence = 304,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "At least {} packets and {} of those sent arrived after later "
				"ones, "
				"too soon to be a repair. It costs time only when {} or more "
				"repairs were needless because of it; otherwise it is a note. "
				"Before the place where they overtake each other: {} or more "
				"times three duplicate acknowledgements set off a repair for "
				"nothing, without timers and with an even round trip.",
			.numbers = {GUIDE_COUNT(LOSS_REORDERED_MIN),
				GUIDE_SHARE(LOSS_REORDERED_MIN_RATE),
				GUIDE_COUNT(LOSS_SPURIOUS_MIN), GUIDE_COUNT(LOSS_REORDERED_MIN),
				GUIDE_NS(CAPTURE_LATE_NS)},
			.needs = "Best at the receiver: at the sender the order is still right.",
			.traps = {"Packets less than {} late may have been put out of order by the "
				  "capturing card itself.",
				"A repair needs a round trip first: earlier ones were only late."},
			.confidence =
				"High when the receiver reported the needless repeats and packets "
				"were seen out of order; medium otherwise.",
			.advice = {{"Network", "Look for load balancing by packet: bonding mode "
					       "balance-rr, a LAG "
					       "or router that spreads one connection over several "
					       "links."},
				{"Linux", "Sender: keep net.ipv4.tcp_sack, tcp_timestamps and "
					  "tcp_recovery at "
					  "1; net.ipv4.tcp_reordering sets how far packets may be "
					  "apart."}},
			.next_test =
				"Take all but one link out of the bundle, or route the two hosts "
				"over one link, and copy again.",
		},
};
