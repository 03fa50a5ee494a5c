/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sender's network card, or its virtual one, does not manage to cut large pieces into packets:
 * they vanish, single packets do not.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_OFFLOAD || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	draft->saved_high_ns = draft->lost_ns;
	draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = host_blame(facts.side);
	draft->doubt = "Whether the card or the first device behind it loses them is not in a "
		       "capture on the host itself.";
	draft->sentence = cause_printf(context,
		"%llu frames of %s were larger than one packet, to be cut by its network card, and "
		"none of them got through at the first try; single packets did. Timers and repairs "
		"took %s of %s.",
		(unsigned long long)d->segments_over_mss, host_label(context, facts.side),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "segmentation offload off, or a newer driver";
	draft->next_test =
		"switch segmentation offload off on the sender ('ethtool -K eth0 tso off "
		"gso off', Disable-NetAdapterLso) and copy again";
	cause_number(draft, "frames to be cut", NUMBER_COUNT, (double)d->segments_over_mss);
	cause_number(draft, "largest that arrived at once", NUMBER_BYTES, d->max_passed_len);
	cause_number(draft, "timers", NUMBER_COUNT, (double)d->timeouts);
	cause_advice(draft,
		"Update the driver of the network card (in a guest: the virtual card's, "
		"and the host's).");
	cause_advice(draft,
		"Until then switch segmentation offload off: Linux 'ethtool -K eth0 tso "
		"off gso off', Windows Disable-NetAdapterLso and Disable-NetAdapterRsc.");
	return true;
}

const Cause cause_offload_defect = {
	.id = "offload-defect",
	.title = "The network card loses what it should cut into packets",
	.explanation =
		"To save work a host hands large pieces to its network card, which cuts them into "
		"packets. A defect in a card, its driver or a virtual card loses these pieces. "
		"Small messages pass, bulk data creeps along, one repaired packet after the other.",
	.source = "Linux networking documentation, segmentation offloads; field reports of virtual "
		  "cards",
	.precedence = 305,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more frames were larger than one packet, {} or more timers "
				"expired, and nothing larger than one packet was ever acknowledged "
				"without a repair, while single packets were.",
			.numbers = {GUIDE_COUNT(LOSS_OFFLOAD_MIN_FRAMES),
				GUIDE_COUNT(LOSS_OFFLOAD_MIN_TIMEOUTS)},
			.needs = "A capture on the sending host: elsewhere the frames are cut "
				 "already.",
			.traps = {"Large frames are normal in a capture on a host; some of them "
				  "lost "
				  "is ordinary loss.",
				"Full-size packets that vanish while smaller pass: "
				"pmtud-black-hole."},
			.confidence = "Medium.",
			.advice = {{"Linux", "'ethtool -K eth0 tso off gso off'."},
				{"Windows", "'Disable-NetAdapterLso', 'Disable-NetAdapterRsc'; a "
					    "newer driver."},
				{"Any", "In a guest: the virtual card's driver and the host's."}},
			.next_test =
				"Switch segmentation offload off on the sender and copy again.",
		},
};
