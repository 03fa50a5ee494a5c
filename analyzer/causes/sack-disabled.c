/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without selective acknowledgements several losses in one window cost a round trip each, or a
 * timer. docs/causes.md, sack-disabled.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

/* docs/causes.md, sack-disabled: losses that make it matter. */
#define MIN_REPAIRS 3
/* With half of the repairs being of several losses, timers after them are its fault, too. */
#define MULTI_SHARE 0.5

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (!loss_facts(context, &facts) || context->rtt_ns <= 0)
		return false;
	const TcpDirection *a = context->sender, *b = context->receiver, *d = facts.direction;
	if (!a->syn_seen || !b->syn_seen || a->options_cut || b->options_cut ||
		(a->sack_permitted && b->sack_permitted) || facts.lost < MIN_REPAIRS ||
		d->recoveries_multi == 0)
		return false;
	/* one round trip per episode is what selective acknowledgements leave (RFC 6675) */
	int64_t needed = context->rtt_ns * (int64_t)d->loss_events;
	int64_t repair = context->left_ns[BUCKET_LOSS_RECOVERY] - needed;
	cause_claim_part(context, draft, BUCKET_LOSS_RECOVERY, repair);
	int64_t without_timers = draft->lost_ns;
	if ((double)d->recoveries_multi >= MULTI_SHARE * (double)d->loss_events)
		cause_claim(context, draft, BUCKET_RTO_STALL);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	Side lacking =
		!host_direction(context, SIDE_CLIENT)->sack_permitted ? SIDE_CLIENT : SIDE_SERVER;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = without_timers;
	draft->confidence = CONFIDENCE_HIGH;
	draft->blame = host_blame(lacking);
	draft->sentence = cause_printf(context,
		"%s does not use selective acknowledgements, so after %llu losses in %llu groups "
		"each packet was found missing one round trip after the other: %s of %s.",
		host_label_start(context, lacking), (unsigned long long)facts.lost,
		(unsigned long long)d->loss_events, cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "selective acknowledgements on";
	cause_number(draft, "lost packets", NUMBER_COUNT, (double)facts.lost);
	cause_number(draft, "groups of losses", NUMBER_COUNT, (double)d->loss_events);
	cause_number(draft, "groups with several", NUMBER_COUNT, (double)d->recoveries_multi);
	const ConnectionFacts *f = context->facts;
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	cause_evidence_bucket(context, draft, BUCKET_LOSS_RECOVERY, "repairing losses");
	if (host_kind(context, lacking) != HOST_WINDOWS)
		cause_advice(draft, "Linux: 'sysctl net.ipv4.tcp_sack' must be 1.");
	if (host_kind(context, lacking) != HOST_UNIX)
		cause_advice(draft, "Windows: selective acknowledgements are on unless the "
				    "registry value SackOpts is 0.");
	cause_advice(draft, "A firewall may remove the option from the SYN (sequence number "
			    "randomisation, TCP normalisation): compare captures on both sides.");
	cause_advice(draft, "And find the losses themselves; see the other findings.");
	return true;
}

const Cause cause_sack_disabled = {
	.id = "sack-disabled",
	.title = "No selective acknowledgements",
	.explanation =
		"With selective acknowledgements a receiver tells exactly which packets are "
		"missing and all are repaired in one round trip. Without them it can only say how "
		"far everything is complete, so several losses are found one after the other, or "
		"only by a timer.",
	.source = "RFC 2018; RFC 6675",
	.precedence = 315,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The handshake shows that one side does not permit selective "
				"acknowledgements; at least {} packets were lost, some several at "
				"a "
				"time, and repair took more than one round trip for each event.",
			.numbers = {GUIDE_COUNT(MIN_REPAIRS)},
			.needs = "The whole handshake, and losses.",
			.traps = {"Without loss it costs nothing and nothing is said.",
				"A firewall that changes sequence numbers but not the blocks makes "
				"the option useless."},
			.confidence = "High.",
			.advice = {{"Linux", "'sysctl net.ipv4.tcp_sack' must be 1."},
				{"Windows", "It is on unless the registry value SackOpts is 0."},
				{"Network", "A firewall may remove the option (sequence number "
					    "randomisation, "
					    "TCP normalisation)."},
				{"NAS or appliance", "Newer firmware."}},
			.next_test =
				"Compare the SYN at the host that seems to lack it with the SYN at "
				"the other end.",
		},
};
