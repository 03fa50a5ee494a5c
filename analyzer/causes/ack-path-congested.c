/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The way of the data is free, the way back of its acknowledgements is not. docs/causes.md,
 * ack-path-congested.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/causes/neighbours.h"
#include "analyzer/constants.h"

/* docs/causes.md, ack-path-congested. */
#define MAX_LINK_SHARE 0.70
#define INFLATION_FACTOR 3
#define MIN_ADDED_NS (20 * MILLISECOND_NS)
/* Losses that would be the better explanation. */
#define MAX_LOSS_RATE 0.01
/* Traffic against the data that can fill a slow line. */
#define MIN_AGAINST_BYTES_PER_S 8000

static int64_t loaded_rtt_ns(const CauseContext *context)
{
	const TcpDirection *d = context->sender;
	int64_t back = context->rtt_ns > d->min_rtt_ns ? context->rtt_ns - d->min_rtt_ns : 0;
	return d->smoothed_rtt_ns + back;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Neighbours n;
	LossFacts loss;
	if (!loss_facts(context, &loss) || context->rtt_ns <= 0 ||
		cause_share(context, context->link_ns) >= MAX_LINK_SHARE ||
		loss.rate >= MAX_LOSS_RATE)
		return false;
	neighbours_find(context, &n);
	if (n.against < MIN_AGAINST_BYTES_PER_S)
		return false;
	/* a line that was full before the connection began inflates even its smallest round trip */
	int64_t base =
		n.min_rtt_ns > 0 && n.min_rtt_ns < context->rtt_ns ? n.min_rtt_ns : context->rtt_ns;
	int64_t loaded = loaded_rtt_ns(context);
	if (loaded < context->rtt_ns)
		loaded = context->rtt_ns;
	if (loaded < INFLATION_FACTOR * base || loaded < base + MIN_ADDED_NS)
		return false;
	cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
	cause_claim(context, draft, BUCKET_SLOW_START);
	cause_claim(context, draft, BUCKET_LOSS_RECOVERY);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	/* the same rounds at the round trip of the free line remain */
	double kept = (double)base / (double)loaded;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = (int64_t)((1 - kept) * (double)draft->lost_ns);
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"The way back is congested: other traffic fills it with %s, so acknowledgements of "
		"%s need %s instead of %s and the data can only follow at that pace.",
		cause_rate(context, n.against), host_label(context, host_other(context->bulk)),
		cause_time(context, (double)loaded), cause_time(context, (double)base));
	draft->fix = "the upload slower, or small packets first";
	draft->doubt = "That the delay arises on the way back is inferred from the traffic there.";
	cause_number(draft, "round trip of the free path", NUMBER_NS, (double)base);
	cause_number(draft, "round trip under load", NUMBER_NS, (double)loaded);
	cause_number(draft, "traffic on the way back", NUMBER_RATE, n.against);
	cause_evidence_bucket(
		context, draft, BUCKET_CONGESTION_WINDOW, "waited for acknowledgements");
	cause_advice(draft, "Limit the traffic in the other direction to a little below its line's "
			    "speed, or let small packets pass first (fq_codel, CAKE, QoS).");
	cause_advice(draft, "Run uploads and downloads one after the other.");
	return true;
}

const Cause cause_ack_path_congested = {
	.id = "ack-path-congested",
	.title = "The way back is congested",
	.explanation =
		"Every few packets of data need an acknowledgement in return. On a line with a "
		"slow way back, a single upload fills the queue there, and all acknowledgements "
		"wait in it. The download then becomes slow although its own direction is free.",
	.source = "RFC 3449; RFC 7567",
	.precedence = 303,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Acknowledgements come {} times as late as on the free path and {} "
				"or more later, other traffic of the capture goes their way, less "
				"than {} of the data was lost and the data's own direction is busy "
				"less than {} of the time.",
			.numbers = {GUIDE_COUNT(INFLATION_FACTOR), GUIDE_NS(MIN_ADDED_NS),
				GUIDE_SHARE(MAX_LOSS_RATE), GUIDE_SHARE(MAX_LINK_SHARE)},
			.needs = "The traffic in the other direction must be in the capture.",
			.traps = {"A receiver that acknowledges rarely is not late.",
				"A connection that began on a full line has no free round trip of "
				"its own: others between the same hosts give it."},
			.confidence = "Medium: where the delay arises is inferred.",
			.advice = {{"Network", "Limit the traffic the other way to a little below "
					       "its line's "
					       "speed, or let small packets pass first (fq_codel, "
					       "CAKE, QoS)."},
				{"Any", "Run uploads and downloads one after the other."}},
			.next_test =
				"Stop the upload for a moment: the download must become fast at "
				"once.",
		},
};
