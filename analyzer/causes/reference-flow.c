/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Something else moved data between the same hosts, the same way, in the same capture: a test
 * program (iperf, NTttcp, netio), FTP beside SMB. It proves what the path can do.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"
#include "analyzer/flow/udp_flows.h"

/* Enough to be past the start of a connection: a megabyte. Judgement. */
#define MIN_BYTES (1000 * 1000)
/* A fifth more or less is the same speed. */
#define FASTER_FACTOR 1.25
#define ALIKE_FACTOR 0.8

/** Reference: the fastest of them. */
typedef struct Reference {
	const char *name;
	double bytes_per_s;
	uint64_t frame;
	int64_t time_ns;
} Reference;

static void take(Reference *r, const char *name, double rate, uint64_t frame, int64_t time_ns)
{
	if (rate > r->bytes_per_s)
		*r = (Reference){name, rate, frame, time_ns};
}

static bool is_way(const CauseContext *context, const uint8_t from[16], const uint8_t to[16])
{
	return memcmp(from, context->unit->addr[context->bulk], 16) == 0 &&
	       memcmp(to, context->unit->addr[host_other(context->bulk)], 16) == 0;
}

static void of_connections(const CauseContext *context, Reference *r)
{
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		int64_t ns = c->tcp.last_ns - c->tcp.first_ns;
		/* files are compared as transfers */
		if (c == context->facts || c->has_session || c->is_ftp_data || ns <= 0)
			continue;
		for (int side = 0; side < 2; side++) {
			const TcpDirection *d = &c->tcp.dir[side];
			if (d->unique_bytes < MIN_BYTES ||
				!is_way(context, c->addr[side], c->addr[1 - side]))
				continue;
			const char *name = udp_test_program(c->port[SIDE_SERVER]);
			if (!name)
				name = c->application ? c->application
						      : cause_printf(context, "TCP port %u",
								c->port[SIDE_SERVER]);
			take(r, name, (double)d->unique_bytes * 1e9 / (double)ns,
				d->first_data_frame, c->tcp.first_ns);
		}
	}
}

static void of_transfers(const CauseContext *context, Reference *r)
{
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *u = context->units[i];
		int64_t ns = unit_duration_ns(u);
		Side bulk = unit_bulk_side(u);
		if (u->is_job || u->is_unframed || u->is_ftp == context->unit->is_ftp || ns <= 0 ||
			unit_bytes(u) < MIN_BYTES ||
			!is_way(context, u->addr[bulk], u->addr[host_other(bulk)]))
			continue;
		take(r, u->is_ftp ? "FTP" : "SMB", (double)unit_bytes(u) * 1e9 / (double)ns,
			u->first_frame, u->account.start_ns);
	}
}

static void of_udp(const CauseContext *context, Reference *r)
{
	for (size_t i = 0; i < context->udp_flow_count; i++) {
		const ResultUdpFlow *u = &context->udp_flows[i];
		if (u->program && u->bytes >= MIN_BYTES &&
			is_way(context, u->from.addr, u->to.addr))
			take(r, cause_printf(context, "%s over UDP", u->program), u->bytes_per_s,
				u->first_frame, 0);
	}
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Reference r = {0};
	if (context->unit->is_unframed || context->bytes < MIN_BYTES || context->rate <= 0)
		return false;
	of_connections(context, &r);
	of_transfers(context, &r);
	of_udp(context, &r);
	if (r.bytes_per_s < ALIKE_FACTOR * context->rate)
		return false;
	bool is_faster = r.bytes_per_s >= FASTER_FACTOR * context->rate;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	const char *rate = cause_rate(context, r.bytes_per_s);
	draft->sentence =
		is_faster ? cause_printf(context,
				    "In the same capture %s moved %s from %s to %s, %.1f times as "
				    "much as this copy: the path can do at least that.",
				    r.name, rate, context->sender_name, context->receiver_name,
				    r.bytes_per_s / context->rate)
			  : cause_printf(context,
				    "In the same capture %s moved %s from %s to %s, no more than "
				    "this copy: it is the path, not the protocol.",
				    r.name, rate, context->sender_name, context->receiver_name);
	cause_number_name(draft, "reference", r.name);
	cause_number(draft, "reference rate", NUMBER_RATE, r.bytes_per_s);
	cause_number(draft, "this copy", NUMBER_RATE, context->rate);
	cause_evidence_elsewhere(context, draft, r.frame, r.time_ns, "the reference begins");
	return true;
}

const Cause cause_reference_flow = {
	.id = "reference-flow",
	.title = "Something else shows what the path can do",
	.explanation =
		"A test program such as iperf3, or FTP beside SMB, moved data between the same two "
		"hosts in the same direction. What it reached the path can carry, whatever the "
		"copy reached: the difference lies in how the copy is done.",
	.source = "RFC 6349 4: TCP throughput tests",
	.precedence = 605,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Beside a copy of {} or more, another connection, FTP transfer or "
				"UDP test of a megabyte or more went between the same hosts in the "
				"same direction. It is told as faster from {} times the copy's "
				"rate "
				"on, and as alike from {} of it on. Always a note.",
			.numbers = {GUIDE_BYTES(MIN_BYTES), GUIDE_COUNT(FASTER_FACTOR),
				GUIDE_SHARE(ALIKE_FACTOR)},
			.needs = "Both in one capture.",
			.traps = {"A test at another time of day meets another path.",
				"A UDP test shows what arrived here; behind the capture point more "
				"may have been lost."},
			.confidence = "High: it was measured.",
			.advice = {{"Any",
				"Run iperf3 (or NTttcp, netio) between the two hosts before or "
				"after the copy, captured in the same file: 'iperf3 -c SERVER -R' "
				"reads, without -R it writes."}},
			.next_test =
				"Run 'iperf3 -c SERVER' and 'iperf3 -c SERVER -R' beside the copy.",
		},
};
