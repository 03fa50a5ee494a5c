/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 1500-byte frames on a path that seems to allow 9000. The gain is small and can be computed;
 * docs/causes.md, jumbo-frames-missing, which also lists when this must not be said.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* Efficiency of a frame: payload / (MTU + framing); IEEE 802.3, RFC 791, RFC 9293, RFC 7323. */
#define MTU_ETHERNET 1500.0
#define MTU_JUMBO 9000.0
#define HEADER_BYTES 40.0
#define TIMESTAMP_BYTES 12.0
/* docs/causes.md, jumbo-frames-missing: a gigabit or more, full, on one network. */
#define MIN_NOMINAL_BPS 1e9
#define MAX_RTT_NS (5 * MILLISECOND_NS)
#define JUMBO_MIN_MSS 8000
#define ETHERNET_MAX_PAYLOAD 1460
/* More than this of another bucket is the better thing to mend. */
#define OTHER_BUCKET_SHARE 0.20
/* TTLs of hosts; one less means a router. */
static bool is_unrouted(const TcpDirection *d)
{
	return d->ttl_min == d->ttl_max &&
	       (d->ttl_max == 64 || d->ttl_max == 128 || d->ttl_max == 255);
}

static double efficiency(double mtu, double options)
{
	return (mtu - HEADER_BYTES - options) / (mtu + FRAMING_BYTES);
}

static bool has_other_trouble(const CauseContext *context)
{
	for (int i = 0; i < BUCKET_COUNT; i++) {
		if (i != BUCKET_LINK && cause_share(context, context->unit->account.bucket_ns[i]) >=
						OTHER_BUCKET_SHARE)
			return true;
	}
	return false;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *a = context->sender, *b = context->receiver;
	if (!a || !b || context->rtt_ns <= 0 || context->rtt_ns > MAX_RTT_NS)
		return false;
	if (cause_share(context, context->link_ns) < HEALTHY_LINK_SHARE ||
		has_other_trouble(context) || !context->capacity.is_proven ||
		path_nominal_bps(context->capacity.bytes_per_s) < MIN_NOMINAL_BPS)
		return false;
	/* frames larger than a segment are cut by a network card: their wire size was not seen */
	if (a->segments_over_mss > 0 || a->max_segment > ETHERNET_MAX_PAYLOAD ||
		context->vantage == VANTAGE_UNKNOWN || !is_unrouted(a) || !is_unrouted(b))
		return false;
	/* both hosts are set up for it; only what lies between is not */
	if (a->syn_mss < JUMBO_MIN_MSS || b->syn_mss < JUMBO_MIN_MSS)
		return false;
	double options = a->has_timestamps && b->has_timestamps ? TIMESTAMP_BYTES : 0;
	double gain = 1 - efficiency(MTU_ETHERNET, options) / efficiency(MTU_JUMBO, options);
	cause_claim_part(context, draft, BUCKET_LINK, (int64_t)(gain * (double)context->link_ns));
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = 0;
	draft->confidence = CONFIDENCE_LOW;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"Both hosts are set up for jumbo frames (%u and %u bytes), but the data travels in "
		"frames of 1500: 9000 would save %s of the time on the wire at the most.",
		a->syn_mss, b->syn_mss, cause_percent(context, gain));
	draft->fix = "jumbo frames on every device between";
	draft->doubt = "Whether every device between them can is not in the capture.";
	draft->next_test = "ping -M do -s 8972 between the hosts (Windows: ping -f -l 8972)";
	cause_number(draft, "efficiency at 1500", NUMBER_PERCENT,
		100 * efficiency(MTU_ETHERNET, options));
	cause_number(
		draft, "efficiency at 9000", NUMBER_PERCENT, 100 * efficiency(MTU_JUMBO, options));
	const ConnectionFacts *f = context->facts;
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	cause_advice(draft, "Find the device that limits the frame size (switch MTU, a router, a "
			    "virtual switch) and set it to 9000 or more.");
	cause_advice(draft, "All devices in one network must agree: one that does not makes large "
			    "packets vanish, which is far worse.");
	return true;
}

const Cause cause_jumbo_frames_missing = {
	.id = "jumbo-frames-missing",
	.title = "Jumbo frames are set up, but not in use",
	.explanation =
		"Each Ethernet frame costs 38 bytes and its headers besides the data. Frames of "
		"9000 bytes instead of 1500 save a few per cent of the wire time, and work for the "
		"processors, which a capture does not show. Every device of the network must be "
		"set up for them.",
	.source = "IEEE 802.3; RFC 8201; measured in network namespaces",
	.precedence = 610,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Both hosts announce segments of {} bytes or more, data travels in "
				"at most {}, the link is a full {} Gbit/s Ethernet or faster ({} "
				"of "
				"the time), the round trip is at most {}, no router counts the TTL "
				"down, and nothing else takes {} of the time. Expected gain: 1 - "
				"efficiency(1500) / efficiency(9000), efficiency = (MTU - 40 - "
				"options) / (MTU + 38): 4.2 % of the wire time, 4.9 % with "
				"timestamps, never more.",
			.numbers = {GUIDE_COUNT(JUMBO_MIN_MSS), GUIDE_COUNT(ETHERNET_MAX_PAYLOAD),
				GUIDE_COUNT(MIN_NOMINAL_BPS / 1e9), GUIDE_SHARE(HEALTHY_LINK_SHARE),
				GUIDE_NS(MAX_RTT_NS), GUIDE_SHARE(OTHER_BUCKET_SHARE)},
			.needs = "Real frames: a capture point where no network card joins or cuts "
				 "them.",
			.traps = {"Frames larger than a segment are made by the capturing host's "
				  "card "
				  "(offload), not by jumbo frames: the announced segment size "
				  "decides.",
				"Hosts that announce 1460 are not set up for it: nothing is said.",
				"Routed, radio, VPN and Internet paths: never."},
			.confidence = "Low: the arithmetic is exact, but whether every device "
				      "between can "
				      "is not in the capture.",
			.advice = {{"Network", "All devices of the network must agree on the size; "
					       "one that does "
					       "not makes large packets vanish."},
				{"Linux", "'ip link set mtu 9000 dev eth0'."},
				{"Windows", "'Set-NetAdapterAdvancedProperty -DisplayName \"Jumbo "
					    "Packet\"'."},
				{"NAS or appliance",
					"Its network setting, together with the switch."}},
			.next_test = "'ping -M do -s 8972' between the hosts (Windows: 'ping -f -l "
				     "8972').",
		},
};
