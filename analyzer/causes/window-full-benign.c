/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sender often fills the window, but the path is full anyway: a note. docs/causes.md,
 * window-full-benign.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, window-full-benign. */
#define MIN_EDGE_STOPS 10

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || d->edge_stops < MIN_EDGE_STOPS ||
		cause_share(context, context->link_ns) < HEALTHY_LINK_SHARE)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"%s filled the receive window %s, but the path was busy %s of the time: a "
		"larger window would add delay, not speed.",
		host_label_start(context, context->bulk), cause_times(context, d->edge_stops),
		cause_percent(context, cause_share(context, context->link_ns)));
	cause_number(draft, "window filled", NUMBER_COUNT, (double)d->edge_stops);
	cause_number(draft, "largest window", NUMBER_BYTES, d->max_peer_window);
	return true;
}

const Cause cause_window_full_benign = {
	.id = "window-full-benign",
	.title = "The window was full, and that is fine",
	.explanation =
		"Other tools mark packets that fill the receive window as a problem. It is none "
		"when the link is already busy: what waits in the window would otherwise wait in "
		"a queue before the link.",
	.source = "RFC 9293 3.8.6; measured: a deep queue and a small window together",
	.precedence = 705,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The sender touched the edge of the window {} times or more, but "
				"the link was busy {} of the time or more. Always a note.",
			.numbers = {GUIDE_COUNT(MIN_EDGE_STOPS), GUIDE_SHARE(HEALTHY_LINK_SHARE)},
			.needs = "Windows and data of one direction.",
			.traps = {"Other tools mark each of these packets as a problem; a larger "
				  "window would only make the queue longer."},
			.confidence = "High.",
			.advice = {{"Any", "Nothing to do."}},
			.next_test = "None is needed: the link was full.",
		},
};
