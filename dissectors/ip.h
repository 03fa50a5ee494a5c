/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IPv4 (RFC 791) and IPv6 (RFC 8200) with its extension headers, as layers of a frame.
 */
#ifndef SLOWCOPY_DISSECTORS_IP_H
#define SLOWCOPY_DISSECTORS_IP_H

#include "dissectors/layer.h"

/* IP protocol numbers, IANA "Assigned Internet Protocol Numbers". */
enum {
	IP_PROTOCOL_HOP_BY_HOP = 0,
	IP_PROTOCOL_ICMP = 1,
	IP_PROTOCOL_IPV4 = 4,
	IP_PROTOCOL_TCP = 6,
	IP_PROTOCOL_UDP = 17,
	IP_PROTOCOL_IPV6 = 41,
	IP_PROTOCOL_ROUTING = 43,
	IP_PROTOCOL_FRAGMENT = 44,
	IP_PROTOCOL_GRE = 47,
	IP_PROTOCOL_AH = 51,
	IP_PROTOCOL_ICMPV6 = 58,
	IP_PROTOCOL_NONE = 59,
	IP_PROTOCOL_OPTIONS = 60,
	IP_PROTOCOL_ETHERIP = 97,
	IP_PROTOCOL_MOBILITY = 135,
	IP_PROTOCOL_ETHERNET = 143,
	IP_PROTOCOL_MPLS = 137,
	IP_PROTOCOL_HIP = 139,
	IP_PROTOCOL_SHIM6 = 140,
};

/** ip_layer: one IP header of either version, extension headers included. A later (inner) header
 * replaces what an outer one left in the packet. */
LayerNext ip_layer(Layer *layer);

/** ip_extensions: IPv6 extension headers from layer->type on, up to a transport or a fragment. */
LayerNext ip_extensions(Layer *layer);

#endif
