/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No TCP timestamps: worth a note only where they would have helped. docs/causes.md,
 * timestamps-disabled.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

/* docs/causes.md, timestamps-disabled: timers that expired for nothing, or sequence numbers that
 * come round within a minute (RFC 7323 5: PAWS). */
#define MIN_NEEDLESS 2
#define WRAP_BYTES 4294967296.0
#define WRAP_SECONDS 60

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	const TcpDirection *a = context->sender, *b = context->receiver;
	if (!loss_facts(context, &facts) || !a->syn_seen || !b->syn_seen || a->options_cut ||
		b->options_cut || (a->has_timestamps && b->has_timestamps))
		return false;
	const TcpDirection *d = facts.direction;
	bool wraps =
		context->rate * WRAP_SECONDS > WRAP_BYTES && (double)context->bytes > WRAP_BYTES;
	bool needless = facts.unneeded >= MIN_NEEDLESS && d->timeouts >= MIN_NEEDLESS;
	if (!wraps && !needless)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = needless ? cause_printf(context,
					     "TCP timestamps are off; with them %s could have "
					     "told that %llu repeats were not needed.",
					     host_label(context, facts.side),
					     (unsigned long long)facts.unneeded)
				   : cause_printf(context,
					     "TCP timestamps are off, and at %s the sequence "
					     "numbers come round within a minute: very late "
					     "packets could be mistaken for new ones.",
					     cause_rate(context, context->rate));
	const ConnectionFacts *f = context->facts;
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	cause_advice(draft, "Windows: 'netsh int tcp set global timestamps=enabled'. Linux: "
			    "net.ipv4.tcp_timestamps=1.");
	return true;
}

const Cause cause_timestamps_disabled = {
	.id = "timestamps-disabled",
	.title = "TCP timestamps are off",
	.explanation =
		"Timestamps let a sender measure every round trip, notice needless repeats, and "
		"tell very old packets from new ones. Windows leaves them off by default, and "
		"mostly that does no harm.",
	.source = "RFC 7323 3-5; RFC 3522",
	.precedence = 725,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Timestamps are not in use, and either {} or more timers expired "
				"for nothing, or the sequence numbers come round within {} s at "
				"this rate. Always a note.",
			.numbers = {GUIDE_COUNT(MIN_NEEDLESS), GUIDE_COUNT(WRAP_SECONDS)},
			.needs = "The whole handshake.",
			.traps =
				{"Windows leaves them off by default and mostly that does no harm: "
				 "without one of the two effects nothing is said."},
			.confidence = "High.",
			.advice = {{"Windows", "'netsh int tcp set global timestamps=enabled'."},
				{"Linux", "net.ipv4.tcp_timestamps=1."}},
			.next_test = "None is needed: both effects are counted in the capture.",
		},
};
