/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a unit would take if path or client were others: outlook.c.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/causes/outlook.h"
#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static ResultOutlook ask(CauseCase *c, ResultAssumption assumption)
{
	ResultOutlook ret = {0};
	cause_case_rules_out(c, "receive-window-small"); /* completes the context */
	cr_assert(outlook_make(&c->context, &assumption, &ret));
	cr_assert_leq(ret.duration_ns.low, ret.duration_ns.high);
	cr_assert_leq(ret.bytes_per_s.low, ret.bytes_per_s.high);
	return ret;
}

static void holds(const ResultOutlook *o, int64_t ms)
{
	cr_assert_leq(o->duration_ns.low, ms * CASE_MS, "%g > %g", (double)o->duration_ns.low / 1e6,
		(double)ms);
	cr_assert_geq(o->duration_ns.high, ms * CASE_MS, "%g < %g",
		(double)o->duration_ns.high / 1e6, (double)ms);
	/* and says something */
	cr_assert_lt(o->duration_ns.high - o->duration_ns.low, ms * CASE_MS * 2 / 3);
}

/* 4 MiB in 64 requests of 64 KiB, one at a time over 10 ms and 100 Mbit/s: 640 ms of round trips,
 * 360 ms of link. */
static CauseCase *serial(void)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 64, 64 * KIB, 1, 0);
	for (int i = 0; i < 64; i++)
		cause_case_round_trip(c, OP_READ, 10 * CASE_MS);
	return c;
}

Test(outlook, nothing_else_is_as_it_was)
{
	CauseCase *c = serial();
	ResultOutlook o = ask(c, (ResultAssumption){.rtt_ns = 10e6});
	holds(&o, 1000);
	cr_assert_eq(o.limit, BUCKET_ROUND_TRIP);
	cr_assert(o.uses_requests);
	cr_assert_str_eq(o.formula, "64 KiB / 15.6 ms = 4.2 MB/s");
	cause_case_free(c);
}

Test(outlook, requests_set_the_pace_until_the_path_does)
{
	CauseCase *c = serial();
	ResultOutlook o = ask(c, (ResultAssumption){.rtt_ns = 50e6});
	holds(&o, 64 * 50 + 360);
	o = ask(c, (ResultAssumption){.depth = 2});
	holds(&o, 500);
	cr_assert_eq(o.limit, BUCKET_ROUND_TRIP);
	o = ask(c, (ResultAssumption){.depth = 8});
	holds(&o, 390);
	cr_assert_eq(o.limit, BUCKET_LINK);
	o = ask(c, (ResultAssumption){.request_bytes = 256 * 1024});
	holds(&o, 520);
	o = ask(c, (ResultAssumption){.bytes_per_s = 1.25e6});
	holds(&o, 3600 + 640);
	cause_case_free(c);
}

Test(outlook, a_window_set_the_pace_or_will)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 4, MIB, 4, 0);
	for (int i = 0; i < 174; i++)
		cause_case_add(c, BUCKET_RECEIVE_WINDOW, 10 * CASE_MS);
	d->edge_stops = 210;
	d->edge_window_sum = 210 * 20000;
	ResultOutlook o = ask(c, (ResultAssumption){.window_bytes = 40000});
	holds(&o, 1050);
	cr_assert_eq(o.limit, BUCKET_RECEIVE_WINDOW);
	cr_assert_str_eq(o.formula, "39.1 KiB / 10 ms = 4 MB/s");
	o = ask(c, (ResultAssumption){.window_bytes = 4 * 1024 * 1024});
	holds(&o, 400);
	cr_assert_eq(o.limit, BUCKET_LINK);
	o = ask(c, (ResultAssumption){.window_bytes = 5000});
	holds(&o, 8390);
	o = ask(c, (ResultAssumption){.rtt_ns = 20e6});
	holds(&o, 4200);
	cause_case_free(c);
}

/* Time of the server's and the client's own stays. */
Test(outlook, what_depends_on_none_of_them_stays)
{
	CauseCase *c = serial();
	cause_case_server(c, OP_OPEN, 2000 * CASE_MS);
	ResultOutlook o = ask(c, (ResultAssumption){.depth = 16, .rtt_ns = 1e6});
	holds(&o, 2400);
	cr_assert_eq(o.limit, BUCKET_SERVER_PROCESSING);
	cr_assert_null(o.formula);
	cause_case_free(c);
}

Test(outlook, without_round_trip_or_bytes_there_is_no_answer)
{
	CauseCase *c = serial();
	ResultAssumption assumption = {.window_bytes = 4096}, rate = {.bytes_per_s = 1e6};
	ResultOutlook o;
	cause_case_rules_out(c, "receive-window-small");
	c->context.rtt_ns = 0;
	cr_assert_not(outlook_make(&c->context, &assumption, &o));
	cr_assert(outlook_make(&c->context, &rate, &o));
	cr_assert_eq(o.limit, BUCKET_LINK);
	c->context.rtt_ns = 10 * CASE_MS;
	c->context.bytes = 0;
	cr_assert_not(outlook_make(&c->context, &assumption, &o));
	cause_case_free(c);
}

/* A path whose speed never showed may be the next limit. */
Test(outlook, an_unknown_path_makes_it_wide)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 4, MIB, 4, 0);
	for (int i = 0; i < 174; i++)
		cause_case_add(c, BUCKET_RECEIVE_WINDOW, 10 * CASE_MS);
	c->facts.tcp.dir[SIDE_SERVER].edge_stops = 210;
	c->facts.tcp.dir[SIDE_SERVER].edge_window_sum = 210 * 20000;
	ResultOutlook known = ask(c, (ResultAssumption){.window_bytes = 1e6});
	c->context.capacity = (Capacity){0};
	c->context.goodput_limit = 0;
	ResultOutlook unknown = ask(c, (ResultAssumption){.window_bytes = 1e6});
	cr_assert_gt(unknown.duration_ns.high, 2 * known.duration_ns.high);
	cr_assert_leq(unknown.duration_ns.low, known.duration_ns.low + CASE_MS);
	cause_case_free(c);
}
