/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Neighbours: see neighbours.h.
 */
#include "analyzer/causes/neighbours.h"

#include <string.h>

#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* Slower ones change nothing. */
#define NOTICED_SHARE 0.05

/* Share of a connection's time that lies within the unit. */
static double overlap(const Unit *unit, const ConnectionFacts *c)
{
	int64_t from = c->tcp.first_ns, to = c->tcp.last_ns;
	if (from < unit->account.start_ns)
		from = unit->account.start_ns;
	if (to > unit->account.end_ns)
		to = unit->account.end_ns;
	int64_t whole = c->tcp.last_ns - c->tcp.first_ns;
	return to > from && whole > 0 ? (double)(to - from) / (double)whole : 0;
}

static bool is_addr(const uint8_t a[16], const uint8_t b[16])
{
	return memcmp(a, b, 16) == 0;
}

static bool is_same_pair(const Unit *u, const ConnectionFacts *c)
{
	return (is_addr(c->addr[0], u->addr[0]) && is_addr(c->addr[1], u->addr[1])) ||
	       (is_addr(c->addr[0], u->addr[1]) && is_addr(c->addr[1], u->addr[0]));
}

static void count_rate(const CauseContext *context, Neighbours *n, const ConnectionFacts *c)
{
	const uint8_t *sender = context->unit->addr[context->bulk];
	const uint8_t *receiver = context->unit->addr[host_other(context->bulk)];
	double share = overlap(context->unit, c) * 1e9 / (double)context->wall_ns;
	if (share == 0)
		return;
	for (int side = 0; side < 2; side++) {
		const uint8_t *from = c->addr[side], *to = c->addr[1 - side];
		double rate = share * (double)c->tcp.dir[side].wire_bytes;
		if (is_addr(from, sender) || is_addr(to, receiver)) {
			n->same_way += rate;
			n->count += rate > NOTICED_SHARE * context->rate;
		} else if (is_addr(from, receiver) || is_addr(to, sender)) {
			n->against += rate;
		}
	}
}

static bool is_same_service(const ConnectionFacts *own, const ConnectionFacts *c)
{
	return own && own->port[SIDE_SERVER] == c->port[SIDE_SERVER];
}

void neighbours_find(const CauseContext *context, Neighbours *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		bool is_pair = is_same_pair(context->unit, c);
		int64_t rtt = tcp_rtt_ns(&c->tcp);
		if (is_pair && rtt > 0 && (ret->min_rtt_ns == 0 || rtt < ret->min_rtt_ns))
			ret->min_rtt_ns = rtt;
		/* file connections of the same hosts belong to the same copy, or to one like it; so
		 * do connections to the same service */
		bool is_sibling = is_pair && (c->has_session || c->is_ftp_data ||
						     is_same_service(context->facts, c));
		if (c != context->facts && !is_sibling)
			count_rate(context, ret, c);
	}
}

/* Bytes that @other moved the same way while @unit ran, taking its rate as even. */
static double bytes_during(const Unit *other, const Unit *unit)
{
	int64_t from = other->account.start_ns > unit->account.start_ns ? other->account.start_ns
									: unit->account.start_ns;
	int64_t to = other->account.end_ns < unit->account.end_ns ? other->account.end_ns
								  : unit->account.end_ns;
	if (to <= from || unit_bulk_side(other) != unit_bulk_side(unit))
		return 0;
	return (double)unit_bytes(other) * (double)(to - from) / (double)unit_duration_ns(other);
}

bool neighbours_fill_path(const CauseContext *context)
{
	double bytes = 0;
	if (context->goodput_limit <= 0)
		return false;
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *other = context->units[i];
		if (!other->is_job && unit_duration_ns(other) > 0 &&
			memcmp(other->addr, context->unit->addr, sizeof(other->addr)) == 0)
			bytes += bytes_during(other, context->unit);
	}
	return bytes * 1e9 / (double)context->wall_ns >=
	       HEALTHY_LINK_SHARE * context->goodput_limit;
}
