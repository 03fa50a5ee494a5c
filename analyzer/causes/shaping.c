/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fast start, then a lower, even rate: somebody limits the rate with a queue. A note, since the
 * path is full all the time. docs/causes.md, shaping.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/pace.h"

/* docs/causes.md, shaping. */
#define MIN_LINK_SHARE 0.70
#define MIN_BURST_FACTOR 1.5
#define MAX_VARIATION 0.10
#define RTT_FACTOR 2
/* Slices that show an even rate. */
#define MIN_EVEN_SLICES 10

/* Slices until the rate fell for good: the last one above the burst's rate. */
static size_t knee_of(const Pace *pace, double even_rate)
{
	size_t knee = 0;
	for (size_t i = 0; i < pace->count / 2; i++) {
		if (pace_rate(pace, i, i + 1) >= MIN_BURST_FACTOR * even_rate)
			knee = i + 1;
	}
	return knee;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Pace pace;
	if (context->rtt_ns <= 0 || cause_share(context, context->link_ns) < MIN_LINK_SHARE ||
		!pace_read(context, &pace) || pace.count < 2 * MIN_EVEN_SLICES)
		return false;
	size_t half = pace.count / 2;
	double even = pace_rate(&pace, half, pace.count);
	/* what the even rate is on the wire: of a link that is so slow it is no limit */
	double wire = context->goodput_limit > 0
			      ? even * context->capacity.bytes_per_s / context->goodput_limit
			      : even;
	if (path_nominal_bps(wire) > 0 || pace_variation(&pace, half, pace.count) > MAX_VARIATION ||
		pace_median_rtt_ns(&pace) < RTT_FACTOR * context->rtt_ns)
		return false;
	size_t knee = knee_of(&pace, even);
	if (knee == 0)
		return false;
	double first = pace_rate(&pace, 0, knee);
	double burst = first * (double)knee * (double)pace.slice_ns / 1e9;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"The first %s moved at %s, everything after at an even %s: the rate seems to be "
		"limited on the path.",
		cause_bytes(context, burst), cause_rate(context, first), cause_rate(context, even));
	draft->ceiling_bytes_per_s = even;
	cause_number(draft, "first", NUMBER_RATE, first);
	cause_number(draft, "afterwards", NUMBER_RATE, even);
	cause_number(draft, "burst", NUMBER_BYTES, burst);
	draft->next_test = "ask whoever runs the line or the firewall for its rate limit";
	cause_advice(draft, "Ask the provider or the firewall's administrator for the limit; a "
			    "copy cannot be faster than it.");
	return true;
}

const Cause cause_shaping = {
	.id = "shaping",
	.title = "The rate is limited on the path",
	.explanation =
		"A shaper lets a first burst through at full speed and then holds packets back to "
		"an agreed rate. It shows as a fast start followed by a lower and very even rate, "
		"with a longer round trip because the packets wait in its queue.",
	.source = "Flach et al., SIGCOMM 2016",
	.precedence = 730,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The link was busy {} of the time, the rate of the second half is "
				"even (variation {} or less) and no Ethernet speed, the round trip "
				"grew to {} times the free one, and the first part moved {} times "
				"as fast. Always a note.",
			.numbers = {GUIDE_SHARE(MIN_LINK_SHARE), GUIDE_SHARE(MAX_VARIATION),
				GUIDE_COUNT(RTT_FACTOR), GUIDE_COUNT(MIN_BURST_FACTOR)},
			.needs = "A transfer of some seconds.",
			.traps = {"A server's write cache also makes a fast start: then the server "
				  "or "
				  "the window waits, not the link.",
				"Other traffic makes the rate uneven."},
			.confidence = "Medium.",
			.advice = {{"Network", "Ask the provider or the firewall's administrator "
					       "for the limit; a "
					       "copy cannot be faster than it."},
				{"Windows", "'Get-NetQosPolicy' on both hosts."},
				{"Linux", "'tc qdisc show' on both hosts."}},
			.next_test =
				"Ask whoever runs the line or the firewall for its rate limit.",
		},
};
