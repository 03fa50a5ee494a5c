/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data takes another way than one would think: routed although both hosts seem to be on one
 * network, through an overlay network, or handed on by several devices.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"

/* Hosts start their packets with one of these; no path has more than 30 routers (RFC 1340 names 64;
 * Windows uses 128, network devices 255). */
#define MOST_ROUTERS 30
/* One change is a device that took over; a hundredth of the frames looked at is a
 * habit. */
#define MIN_CHANGES 10
#define CHANGES_SHARE 0.01

static int routers_of(const TcpDirection *d)
{
	static const int starts[] = {64, 128, 255};
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		int passed = starts[i] - d->ttl_max;
		if (d->packets > 0 && passed >= 0 && passed <= MOST_ROUTERS)
			return passed;
	}
	return 0;
}

static bool is_ipv4(const uint8_t addr[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	return memcmp(addr, mapped, 12) == 0;
}

/* Networks are rarely larger: a /24 of IPv4, a /64 of IPv6 (RFC 4291 2.5.4). */
static bool is_one_network(const Unit *u)
{
	size_t bytes = is_ipv4(u->addr[0]) && is_ipv4(u->addr[1]) ? 15 : 8;
	return memcmp(u->addr[0], u->addr[1], bytes) == 0;
}

/* RFC 6598 (100.64/10, what Tailscale and others use); Tailscale's IPv6 prefix; Hamachi's 25/8. */
static const char *overlay_of(const uint8_t a[16])
{
	static const uint8_t tailscale[6] = {0xfd, 0x7a, 0x11, 0x5c, 0xa1, 0xe0};
	if (is_ipv4(a) && a[12] == 100 && (a[13] & 0xc0) == 64)
		return "100.64.0.0/10";
	if (is_ipv4(a) && a[12] == 25)
		return "25.0.0.0/8";
	return memcmp(a, tailscale, sizeof(tailscale)) == 0 ? "fd7a:115c:a1e0::/48" : NULL;
}

static void take_routed(const CauseContext *context, FindingDraft *draft, int routers)
{
	draft->sentence = cause_printf(context,
		"%s and %s seem to be on one network, but their packets cross %d router%s.",
		context->client_name, context->server_name, routers, routers == 1 ? "" : "s");
	draft->doubt =
		"How large the network is does not stand in packets: hosts with neighbouring "
		"addresses may be on different ones.";
	cause_number(draft, "routers between them", NUMBER_COUNT, routers);
	cause_advice(draft, "Compare the masks and VLANs of both hosts; on a host with several "
			    "addresses choose the one on the other's network.");
}

static void take_overlay(const CauseContext *context, FindingDraft *draft, const char *overlay)
{
	draft->sentence = cause_printf(context,
		"The copy between %s and %s runs over addresses of an overlay network (%s): a VPN "
		"program on both hosts handles each packet and may take a detour.",
		context->client_name, context->server_name, overlay);
	cause_number_name(draft, "range", overlay);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_advice(draft,
		"If both hosts are on one local network, use the server's local address "
		"or name; lower the metric of the local interface, or bind SMB "
		"multichannel to it (New-SmbMultichannelConstraint).");
}

static void take_changes(const CauseContext *context, FindingDraft *draft, const TcpDirection *d)
{
	draft->sentence = cause_printf(context,
		"Packets of one connection were handed on by different devices in turn: the "
		"sender's Ethernet address changed %llu times.",
		(unsigned long long)d->mac_changes);
	cause_number(draft, "changes", NUMBER_COUNT, (double)d->mac_changes);
	cause_evidence(context, draft, d->mac_frame, d->mac_frame_ns, "another device sends");
	cause_advice(draft,
		"Two routers or a pair of bonded ports take turns: load balancing should "
		"keep one connection on one way.");
}

static const TcpDirection *changing(const CauseContext *context)
{
	const TcpDirection *both[] = {context->sender, context->receiver};
	for (int i = 0; i < 2; i++) {
		if (both[i]->mac_changes >= MIN_CHANGES &&
			(double)both[i]->mac_changes >=
				CHANGES_SHARE * (double)both[i]->packets / TCP_MAC_EVERY)
			return both[i];
	}
	return NULL;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *u = context->unit;
	if (!context->sender || !context->receiver)
		return false;
	int a = routers_of(context->sender), b = routers_of(context->receiver);
	const char *overlay =
		overlay_of(u->addr[0]) && overlay_of(u->addr[1]) ? overlay_of(u->addr[0]) : NULL;
	const TcpDirection *d = changing(context);
	draft->confidence = CONFIDENCE_MEDIUM;
	if (overlay)
		take_overlay(context, draft, overlay);
	else if (a + b > 0 && is_one_network(u))
		take_routed(context, draft, a + b);
	else if (d)
		take_changes(context, draft, d);
	else
		return false;
	draft->is_note = true;
	draft->blame = "NETWORK";
	cause_evidence(context, draft, u->first_frame, u->account.start_ns, "the copy begins");
	return true;
}

const Cause cause_path_detour = {
	.id = "path-detour",
	.title = "The data takes a detour",
	.explanation =
		"Hosts side by side may still talk through a router, a VPN program or two devices "
		"in turn, because a name, a route or a metric points there. That way may be slower "
		"than the wire between them.",
	.source = "RFC 6598; RFC 1812 5.3.1; field reports of overlay adapters and routed VLANs",
	.precedence = 625,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Both addresses lie in one /24 (IPv6: one /64) and the packets' "
				"TTL "
				"shows routers (up to {}); or both lie in the range of an overlay "
				"network; or the Ethernet address that hands the packets on "
				"changed "
				"{} times and in {} of the frames looked at or more. Always a "
				"note.",
			.numbers = {GUIDE_COUNT(MOST_ROUTERS), GUIDE_COUNT(MIN_CHANGES),
				GUIDE_SHARE(CHANGES_SHARE)},
			.needs = "Packets of the far host (for the TTL), real Ethernet frames (for "
				 "the address).",
			.traps = {"Networks smaller than a /24: hosts with neighbouring addresses "
				  "may "
				  "well be on different ones.",
				"A mirror port that records a packet before and behind a router "
				"makes copies: they are left out."},
			.confidence = "Medium: masks and routes do not stand in packets.",
			.advice = {{"Windows", "'Test-NetConnection -TraceRoute', 'Get-NetRoute'; "
					       "metric of the "
					       "interfaces; New-SmbMultichannelConstraint."},
				{"Linux", "'ip route get ADDRESS', 'traceroute'."},
				{"Network", "Compare the VLANs of both ports."}},
			.next_test = "traceroute between the hosts: one line means one network.",
		},
};
