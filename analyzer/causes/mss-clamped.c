/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments smaller than Ethernet allows: more headers for the same data. docs/causes.md,
 * mss-clamped.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, mss-clamped: below 1400 it is a tunnel, which is normal; below 1000 it costs. */
#define TUNNEL_MSS 1400
#define COSTLY_MSS 1000
#define ETHERNET_MSS 1460
/* Fewer say nothing about what a host may send. */
#define MIN_FULL_PACKETS 100
/* Headers of IP, TCP and Ethernet with framing around each segment. */
#define HEADER_BYTES (40.0 + FRAMING_BYTES)
#define TIMESTAMP_BYTES 12

static double efficiency(double payload, double options)
{
	return payload / (payload + options + HEADER_BYTES);
}

/* Who announced the small size: only what both SYNs say is known. */
static const char *limiter(const CauseContext *context)
{
	const TcpDirection *receiver = context->receiver;
	if (receiver->syn_mss > 0 && receiver->syn_mss < TUNNEL_MSS)
		return cause_printf(context, "%s, or a device before it, announces segments of %u",
			host_label(context, host_other(context->bulk)), receiver->syn_mss);
	return cause_printf(context, "both hosts announce more, so %s or the path limits them",
		host_label(context, context->bulk));
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || !d->has_mac || !context->receiver || d->max_segment == 0 ||
		d->max_segment >= TUNNEL_MSS ||
		d->unique_bytes < MIN_FULL_PACKETS * (uint64_t)d->max_segment ||
		context->receiver->options_cut)
		return false;
	double options = d->has_timestamps ? TIMESTAMP_BYTES : 0;
	double now = efficiency(d->max_segment, options);
	double full = efficiency(ETHERNET_MSS - options, options);
	double gain = 1 - now / full;
	draft->confidence = CONFIDENCE_HIGH;
	draft->blame = "NETWORK";
	if (d->max_segment < COSTLY_MSS)
		cause_claim_part(
			context, draft, BUCKET_LINK, (int64_t)(gain * (double)context->link_ns));
	if (draft->lost_ns < cause_min_lost_ns(context)) {
		memset(draft->claim_ns, 0, sizeof(draft->claim_ns));
		draft->lost_ns = 0;
		draft->is_note = true;
	}
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns / 2;
	draft->sentence = cause_printf(context,
		"No packet carries more than %u bytes where Ethernet allows 1460 (%s): headers "
		"take %s more of the wire.",
		d->max_segment, limiter(context), cause_percent(context, gain));
	draft->fix = draft->is_note ? NULL : "full-size packets";
	cause_number(draft, "largest segment", NUMBER_BYTES, d->max_segment);
	cause_number(draft, "announced by the receiver", NUMBER_BYTES, context->receiver->syn_mss);
	cause_number(draft, "more wire time", NUMBER_PERCENT, 100 * gain);
	const ConnectionFacts *f = context->facts;
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	if (d->max_segment < COSTLY_MSS)
		cause_advice(draft, "536 bytes are what hosts use when they do not know better: "
				    "look for a host with path MTU discovery switched off, or a "
				    "device that clamps the MSS far too low.");
	else
		cause_advice(draft, "A VPN, PPPoE or a tunnel needs room for its own headers; that "
				    "is as it should be.");
	return true;
}

const Cause cause_mss_clamped = {
	.id = "mss-clamped",
	.title = "Packets are smaller than the network allows",
	.explanation =
		"Each packet carries headers besides the data. When packets are small, more of "
		"the line goes into headers and each host has more packets to handle. Somewhat "
		"smaller packets are normal inside a tunnel; very small ones come from a wrong "
		"setting.",
	.source = "RFC 6691; RFC 9293 3.7.1; RFC 1191",
	.precedence = 620,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "No packet carried more than {} bytes on an Ethernet capture, over "
				"{} full packets or more. Below {} it costs wire time; above that "
				"it is a note.",
			.numbers = {GUIDE_COUNT(TUNNEL_MSS), GUIDE_COUNT(MIN_FULL_PACKETS),
				GUIDE_COUNT(COSTLY_MSS)},
			.needs = "Both SYNs tell who limits it.",
			.traps = {"VPN, PPPoE and tunnels need the room: a note without advice to "
				  "change it.",
				"Programs that write small pieces send small packets: the largest "
				"one counts."},
			.confidence = "High.",
			.advice = {{"Network", "536 bytes are what hosts use when they do not know "
					       "better: look "
					       "for a device that clamps far too low."},
				{"Windows", "Path MTU discovery switched off in the registry "
					    "(EnablePMTUDiscovery = 0) gives 536 beyond the own "
					    "network."},
				{"Linux", "net.ipv4.ip_no_pmtu_disc must be 0."}},
			.next_test =
				"Read the MSS option of both SYNs at both ends: a difference shows "
				"that a device changes it.",
		},
};
