/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets above some size vanish and nobody tells the sender. docs/causes.md, pmtud-black-hole.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"

static void advise(FindingDraft *draft)
{
	cause_advice(draft, "Let ICMP 'fragmentation needed' (IPv6: 'packet too big') pass through "
			    "every firewall on the path.");
	cause_advice(draft, "VPN or tunnel: set the interface's MTU to what fits, or clamp the MSS "
			    "(iptables … --clamp-mss-to-pmtu).");
	cause_advice(draft, "Linux sender: net.ipv4.tcp_mtu_probing=1 finds the size by itself; "
			    "Windows: EnablePMTUBHDetect.");
	cause_advice(draft, "After a change to jumbo frames: one device of the network still has "
			    "the old MTU.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	LossFacts facts;
	if (loss_kind(context, &facts) != LOSS_BLACK_HOLE || !loss_conclude(context, draft, &facts))
		return false;
	const TcpDirection *d = facts.direction;
	draft->saved_high_ns =
		draft->lost_ns > context->rtt_ns ? draft->lost_ns - context->rtt_ns : 0;
	bool is_near = d->big_timeouts > 0;
	uint32_t vanished = is_near ? d->max_timeout_len : d->mss;
	uint32_t passed = is_near ? d->max_acked_len : d->max_segment;
	draft->confidence = is_near && passed > 0 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	if (!is_near)
		draft->doubt = "Seen at the receiver: the large packets themselves did not get "
			       "here.";
	const char *passes = passed > 0 ? cause_printf(context, "those of %u bytes do", passed)
					: "small ones do";
	if (loss_none_arrived(d) > 0)
		draft->sentence = cause_printf(context,
			"%s sent %s and not a packet of it arrived in %s of %s, %s: most likely "
			"the path carries none of full size and nobody says so.",
			host_label_start(context, facts.side),
			cause_bytes(context, (double)loss_none_arrived(d)),
			cause_time(context, (double)draft->lost_ns),
			cause_time(context, (double)context->wall_ns), passes);
	else
		draft->sentence = cause_printf(context,
			"Packets of %u bytes from %s never arrive, %s: the path carries no larger "
			"ones and "
			"nobody says so; %llu timers expired and took %s of %s.",
			vanished, host_label(context, facts.side), passes,
			(unsigned long long)(d->timeouts + d->unseen_stalls),
			cause_time(context, (double)draft->lost_ns),
			cause_time(context, (double)context->wall_ns));
	draft->fix = "packets that fit, or ICMP that says so";
	draft->next_test = "ping -M do -s 1472 between the hosts (Windows: ping -f -l 1472), then "
			   "smaller until it passes";
	cause_number(draft, "payload that vanished", NUMBER_BYTES, vanished);
	cause_number(draft, "largest that arrived", NUMBER_BYTES, passed);
	cause_number(draft, "timers over full-size packets", NUMBER_COUNT, (double)d->big_timeouts);
	advise(draft);
	return true;
}

const Cause cause_pmtud_black_hole = {
	.id = "pmtud-black-hole",
	.title = "Large packets vanish on the way",
	.explanation =
		"Somewhere on the path the largest packet is smaller than the sender thinks. The "
		"router there should answer 'too big', but the answer is missing or blocked, so "
		"the sender repeats the same large packet until it gives up or tries smaller "
		"ones. Connecting and small messages work, data does not.",
	.source = "RFC 1191; RFC 2923; RFC 4821; RFC 8201; RFC 8899",
	.precedence = 300,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more timers expired over full-size packets, and the largest "
				"packet ever acknowledged is smaller than {} of them. At the "
				"receiver: silences that only the sender's packet numbers explain, "
				"and never a packet of full size; or nothing at all of {} full "
				"segments and more in {}, while small packets come.",
			.numbers = {GUIDE_COUNT(LOSS_BLACK_HOLE_TIMEOUTS),
				GUIDE_SHARE(LOSS_BLACK_HOLE_SIZE_SHARE),
				GUIDE_COUNT(LOSS_BLACK_HOLE_SEGMENTS),
				GUIDE_NS(LOSS_BLACK_HOLE_SILENCE_NS)},
			.needs = "A small packet that was acknowledged after the handshake.",
			.traps = {"An outage loses small packets as well, and a firewall that "
				  "looks "
				  "into data may let none of them through.",
				"Frames larger than a segment are cut by the network card: when "
				"only these vanish it is the card (offload-defect)."},
			.confidence = "High when a smaller size is seen to pass; otherwise medium.",
			.advice = {{"Network", "Let ICMP 'fragmentation needed' (IPv6: 'packet too "
					       "big') pass "
					       "every firewall on the path."},
				{"Network", "VPN or tunnel: an MTU that fits, or clamp the MSS "
					    "(iptables ... "
					    "--clamp-mss-to-pmtu)."},
				{"Linux", "net.ipv4.tcp_mtu_probing=1 finds the size by itself."},
				{"Windows", "EnablePMTUBHDetect."},
				{"Any", "After a change to jumbo frames: one device still has the "
					"old MTU."}},
			.next_test = "'ping -M do -s 1472' between the hosts (Windows: 'ping -f -l "
				     "1472'), then smaller until it passes.",
		},
};
