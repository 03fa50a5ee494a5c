/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets travel in fragments: each loss costs the whole packet.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* A hundredth of the packets is no accident of one large one. */
#define MIN_SHARE 0.01
#define MIN_PACKETS 20
/* Headers that a second fragment repeats: Ethernet with framing, and IP. */
#define FRAGMENT_BYTES (14.0 + FRAMING_BYTES + 20.0)

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || d->fragmented < MIN_PACKETS ||
		(double)d->fragmented < MIN_SHARE * (double)d->packets)
		return false;
	double share = (double)d->fragmented / (double)d->packets;
	double more = FRAGMENT_BYTES * share / ((double)d->wire_bytes / (double)d->packets);
	cause_claim_part(context, draft, BUCKET_LINK,
		(int64_t)(more / (1 + more) * (double)context->link_ns));
	if (draft->lost_ns < cause_min_lost_ns(context)) {
		draft->claim_ns[BUCKET_LINK] = 0;
		draft->lost_ns = 0;
		draft->is_note = true;
	}
	draft->saved_high_ns = draft->lost_ns;
	draft->confidence = CONFIDENCE_HIGH;
	draft->blame = "NETWORK";
	draft->sentence = cause_printf(context,
		"%s of the packets from %s travel in fragments: each needs a second frame, and "
		"when "
		"one fragment is lost the whole packet is.",
		cause_percent(context, share), host_label(context, context->bulk));
	draft->fix = draft->is_note ? NULL : "packets that fit";
	cause_number(draft, "packets in fragments", NUMBER_COUNT, (double)d->fragmented);
	cause_number(draft, "share", NUMBER_PERCENT, 100 * share);
	cause_number(draft, "segment size", NUMBER_BYTES, d->max_segment);
	cause_evidence(context, draft, context->unit->first_frame, context->unit->account.start_ns,
		"the copy begins");
	cause_advice(draft, "Let the tunnel or VPN announce a smaller MTU, or clamp the MSS "
			    "(iptables ... --clamp-mss-to-pmtu), so that packets fit as they are.");
	return true;
}

const Cause cause_ip_fragmentation = {
	.id = "ip-fragmentation",
	.title = "Packets travel in fragments",
	.explanation =
		"A packet that is larger than a link on the way carries is cut into fragments, "
		"which the receiving host puts together. That costs headers and work, and the loss "
		"of one fragment loses the whole packet. Usually a tunnel adds its own header to "
		"packets of full size.",
	.source = "RFC 791 3.2; RFC 8900",
	.precedence = 622,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more packets, {} of the direction's, were put together from "
				"fragments. A note while the extra headers cost no finding's time.",
			.numbers = {GUIDE_COUNT(MIN_PACKETS), GUIDE_SHARE(MIN_SHARE)},
			.needs = "All fragments of a packet in the capture.",
			.traps = {"Datagrams of test programs (netio, NFS over UDP) are fragmented "
				  "on "
				  "purpose: only TCP counts here."},
			.confidence = "High.",
			.advice = {{"Network", "Tunnel or VPN: a smaller MTU on its interface, or "
					       "clamp the MSS."},
				{"Linux", "net.ipv4.ip_no_pmtu_disc must be 0."},
				{"Windows", "Path MTU discovery on (the default)."}},
			.next_test =
				"'ping -M do -s 1472' (Windows: 'ping -f -l 1472') between the "
				"hosts: it must pass unfragmented.",
		},
};
