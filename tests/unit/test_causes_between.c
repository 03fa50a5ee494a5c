/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes between two hosts: what else shows the path, detours, pause frames, fragments, network
 * cards that lose what they should cut; and credits and limits on the client's side. Each with its
 * near miss.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/causes/loss.h"
#include "analyzer/result_hosts.h"
#include "tests/tools/cause_case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static void address(uint8_t ret[16], int a, int b, int c, int d)
{
	memset(ret, 0, 16);
	ret[10] = ret[11] = 0xff;
	ret[12] = (uint8_t)a;
	ret[13] = (uint8_t)b;
	ret[14] = (uint8_t)c;
	ret[15] = (uint8_t)d;
}

/* 4 MiB read at 2 MB/s, one request at a time. */
static CauseCase *slow_read(void)
{
	CauseCase *c = cause_case_new();
	address(c->unit.addr[SIDE_CLIENT], 10, 0, 0, 2);
	address(c->unit.addr[SIDE_SERVER], 10, 0, 0, 9);
	cause_case_requests(c, false, 64, 64 * KIB, 1, 0);
	cause_case_round_trip(c, OP_READ, 1700 * CASE_MS);
	c->facts.tcp.dir[0].packets = c->facts.tcp.dir[1].packets = 3000;
	c->facts.tcp.dir[0].ttl_max = c->facts.tcp.dir[1].ttl_max = 64;
	return c;
}

/* Another connection between the same hosts: @bytes in a second from the server. */
static void add_test(CauseCase *c, ConnectionFacts *test, uint64_t bytes)
{
	*test = (ConnectionFacts){.application = "iperf3"};
	memcpy(test->addr, c->unit.addr, sizeof(test->addr));
	test->tcp.first_ns = c->unit.account.start_ns;
	test->tcp.last_ns = test->tcp.first_ns + 1000 * CASE_MS;
	test->tcp.dir[SIDE_SERVER].unique_bytes = bytes;
	test->tcp.dir[SIDE_SERVER].first_data_frame = 77;
	c->connections[1] = test;
	c->context.connection_count = 2;
}

Test(causes_between, a_test_program_shows_what_the_path_can_do)
{
	ConnectionFacts test;
	CauseCase *c = slow_read();
	cr_assert_not(cause_case_conclude(c, "reference-flow")); /* nothing to compare with */
	add_test(c, &test, 11000000);
	cr_assert(cause_case_conclude(c, "reference-flow"));
	cr_assert(c->draft.is_note);
	cr_assert(strstr(c->draft.sentence, "iperf3 moved 11 MB/s"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.evidence[0].frame, 77);
	/* as slow as the copy: it is the path */
	add_test(c, &test, 2000000);
	cr_assert(cause_case_conclude(c, "reference-flow"));
	cr_assert(strstr(c->draft.sentence, "it is the path"), "%s", c->draft.sentence);
	/* near misses: slower than the copy, too short, the other way, between other hosts */
	add_test(c, &test, 1200000);
	cr_assert_not(cause_case_conclude(c, "reference-flow"));
	add_test(c, &test, 900000);
	test.tcp.last_ns = test.tcp.first_ns + CASE_MS;
	cr_assert_not(cause_case_conclude(c, "reference-flow"));
	add_test(c, &test, 0);
	test.tcp.dir[SIDE_CLIENT].unique_bytes = 11000000;
	cr_assert_not(cause_case_conclude(c, "reference-flow"));
	add_test(c, &test, 11000000);
	test.addr[SIDE_SERVER][15] = 10;
	cr_assert_not(cause_case_conclude(c, "reference-flow"));
	cause_case_free(c);
}

Test(causes_between, udp_and_ftp_are_references_too)
{
	CauseCase *c = slow_read();
	ResultUdpFlow udp = {
		.program = "iperf3", .bytes = 12000000, .bytes_per_s = 11.5e6, .first_frame = 500};
	memcpy(udp.from.addr, c->unit.addr[SIDE_SERVER], 16);
	memcpy(udp.to.addr, c->unit.addr[SIDE_CLIENT], 16);
	c->context.udp_flows = &udp;
	c->context.udp_flow_count = 1;
	cr_assert(cause_case_conclude(c, "reference-flow"));
	cr_assert(strstr(c->draft.sentence, "iperf3 over UDP"), "%s", c->draft.sentence);
	udp.program = NULL; /* a film is no test */
	cr_assert_not(cause_case_conclude(c, "reference-flow"));
	cause_case_free(c);
}

Test(causes_between, a_detour_over_a_router_an_overlay_or_two_devices)
{
	CauseCase *c = slow_read();
	cr_assert_not(cause_case_conclude(c, "path-detour"));
	c->facts.tcp.dir[SIDE_SERVER].ttl_max = 63;
	cr_assert(cause_case_conclude(c, "path-detour"));
	cr_assert(strstr(c->draft.sentence, "cross 1 router."), "%s", c->draft.sentence);
	cr_assert(c->draft.is_note && c->draft.confidence == CONFIDENCE_MEDIUM);
	/* near miss: on different networks a router is as it should be */
	c->unit.addr[SIDE_SERVER][14] = 7;
	cr_assert_not(cause_case_conclude(c, "path-detour"));
	/* near miss: one host in the range of carriers' address translation is no overlay */
	address(c->unit.addr[SIDE_CLIENT], 100, 64, 0, 2);
	cr_assert_not(cause_case_conclude(c, "path-detour"));
	address(c->unit.addr[SIDE_SERVER], 100, 127, 3, 9);
	cr_assert(cause_case_conclude(c, "path-detour"));
	cr_assert(strstr(c->draft.sentence, "100.64.0.0/10"), "%s", c->draft.sentence);
	address(c->unit.addr[SIDE_SERVER], 100, 128, 3, 9);
	cr_assert_not(cause_case_conclude(c, "path-detour"));
	/* two devices in turn; near miss: one took over from the other */
	c->facts.tcp.dir[SIDE_SERVER].mac_changes = 1;
	cr_assert_not(cause_case_conclude(c, "path-detour"));
	c->facts.tcp.dir[SIDE_SERVER].mac_changes = 900;
	cr_assert(cause_case_conclude(c, "path-detour"));
	cr_assert(strstr(c->draft.sentence, "changed 900 times"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_between, pause_frames_while_it_ran)
{
	CauseCase *c = slow_read();
	cr_assert_not(cause_case_conclude(c, "ethernet-pause"));
	int64_t start = c->unit.account.start_ns;
	c->context.pauses = (PauseFrames){.count = 40,
		.first_ns = start + CASE_MS,
		.last_ns = start + 900 * CASE_MS,
		.first_frame = 12};
	cr_assert(cause_case_conclude(c, "ethernet-pause"));
	cr_assert(strstr(c->draft.sentence, "40 Ethernet pause frames"), "%s", c->draft.sentence);
	c->context.pauses.count = 3; /* a card that starts */
	cr_assert_not(cause_case_conclude(c, "ethernet-pause"));
	c->context.pauses.count = 40; /* long before */
	c->context.pauses.first_ns = start - 900 * CASE_MS;
	c->context.pauses.last_ns = start - 800 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "ethernet-pause"));
	cause_case_free(c);
}

Test(causes_between, packets_in_fragments)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 64, MIB, 8, 0);
	d->packets = 46000;
	d->wire_bytes = 46000 * 1514;
	d->max_segment = 1460;
	d->fragmented = 45900;
	cr_assert(cause_case_conclude(c, "ip-fragmentation"));
	cr_assert_not(c->draft.is_note); /* 5 % of five seconds */
	cr_assert(strstr(c->draft.sentence, "100 % of the packets"), "%s", c->draft.sentence);
	d->fragmented = 1000;
	cr_assert(cause_case_conclude(c, "ip-fragmentation"));
	cr_assert(c->draft.is_note);
	d->fragmented = 300; /* less than a hundredth */
	cr_assert_not(cause_case_conclude(c, "ip-fragmentation"));
	cause_case_free(c);
}

Test(causes_between, credits_that_the_client_does_not_ask_for)
{
	CauseCase *c = cause_case_new();
	cause_case_requests(c, false, 60, MIB, 4, 0);
	cause_case_round_trip(c, OP_READ, 1500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "smb2-credits-not-asked"));
	c->unit.read.credit_known = 60;
	c->unit.read.credit_starved = 40;
	cr_assert(cause_case_conclude(c, "smb2-credits-not-asked"));
	cr_assert_str_eq(c->draft.blame, "CLIENT");
	cr_assert(strstr(c->draft.sentence, "costs 16."), "%s", c->draft.sentence);
	cr_assert_not(cause_case_conclude(c, "smb2-credit-starvation"));
	/* not the server's doing, but credits were short: they are not ruled out */
	cr_assert_null(cause_case_rules_out(c, "smb2-credit-starvation"));
	/* near miss: the server refuses what is asked for */
	c->unit.read.credits_asked_more = 60;
	cr_assert_not(cause_case_conclude(c, "smb2-credits-not-asked"));
	cr_assert(cause_case_conclude(c, "smb2-credit-starvation"));
	/* near miss: one request at a time needs no credit for another */
	c->unit.read.credits_asked_more = 0;
	c->unit.read.depth_max = 1;
	cr_assert_not(cause_case_conclude(c, "smb2-credits-not-asked"));
	cause_case_free(c);
}

Test(causes_between, the_limit_of_an_smb1_server)
{
	CauseCase *c = cause_case_new();
	c->session.protocol = "smb1";
	c->session.dialect = "NT LM 0.12";
	c->session.max_requests = 2;
	cause_case_requests(c, false, 100, 16 * KIB, 2, 0);
	cause_case_round_trip(c, OP_READ, 900 * CASE_MS);
	cr_assert(cause_case_conclude(c, "smb1-mpx-limit"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert_gt(c->draft.lost_ns, 100 * CASE_MS);
	c->session.max_requests = 50; /* a ceiling that nobody reaches */
	cr_assert_not(cause_case_conclude(c, "smb1-mpx-limit"));
	c->session.protocol = "smb2";
	c->session.max_requests = 2;
	cr_assert_not(cause_case_conclude(c, "smb1-mpx-limit"));
	cause_case_free(c);
}

Test(causes_between, a_card_that_loses_what_it_should_cut)
{
	CauseCase *c = cause_case_new();
	TcpDirection *d = &c->facts.tcp.dir[SIDE_SERVER];
	cause_case_requests(c, false, 4, MIB, 4, 0);
	cause_case_add(c, BUCKET_RTO_STALL, 3000 * CASE_MS);
	c->unit.account.loss_ns[SIDE_SERVER] = 3000 * CASE_MS;
	d->mss = 1448;
	d->payload_packets = 300;
	d->retransmitted_packets = 60;
	d->retransmitted_bytes = 60 * 1448;
	d->loss_events = 12;
	d->timeouts = 12;
	d->segments_over_mss = 60;
	d->max_passed_len = 1448;
	cr_assert(cause_case_conclude(c, "offload-defect"));
	cr_assert_str_eq(c->draft.blame, "SERVER");
	cr_assert(strstr(c->draft.sentence, "60 frames"), "%s", c->draft.sentence);
	/* near miss: large frames do get through, some are lost like any other */
	d->max_passed_len = 28960;
	cr_assert_not(cause_case_conclude(c, "offload-defect"));
	/* near miss: nothing larger than a packet was ever sent */
	d->max_passed_len = 1448;
	d->segments_over_mss = 0;
	cr_assert_not(cause_case_conclude(c, "offload-defect"));
	cause_case_free(c);
}

static ResultTransfer transfer_at(int64_t start_ms, int64_t ms, uint64_t bytes, Bucket bucket)
{
	ResultTransfer t = {.id = "T",
		.protocol = "smb2",
		.bytes = bytes,
		.start_ns = start_ms * CASE_MS,
		.duration_ns = ms * CASE_MS};
	address(t.client.addr, 10, 0, 0, 2);
	address(t.server.addr, 10, 0, 0, 9);
	for (int b = 0; b < BUCKET_COUNT; b++)
		t.budget[b].bucket = b;
	t.budget[bucket].ns = t.duration_ns;
	return t;
}

Test(causes_between, copies_at_the_same_time_and_which_of_them_starves)
{
	/* two at 8 and 2 MB/s for a second, a third one later alone */
	ResultTransfer list[3] = {transfer_at(0, 1000, 8000000, BUCKET_LINK),
		transfer_at(0, 1000, 2000000, BUCKET_CONGESTION_WINDOW),
		transfer_at(1500, 1000, 9000000, BUCKET_LINK)};
	Result r = {.transfers = list, .transfer_count = 3};
	DiagnosisInput input = {.arena = arena_new()};
	result_sharings_build(&input, &r);
	cr_assert_eq(
		r.sharing_count, 1); /* at the receiving host; the sending one shares as much */
	const ResultSharing *s = &r.sharings[0];
	cr_assert_eq(s->share_count, 2);
	cr_assert_not(s->host_sends);
	cr_assert_float_eq(s->bytes_per_s, 10e6, 1e3);
	cr_assert_float_eq(s->shares[1].share, 0.2, 1e-6);
	cr_assert(s->shares[1].is_starved && !s->shares[0].is_starved);
	/* near miss: slow by its own doing */
	list[1] = transfer_at(0, 1000, 2000000, BUCKET_CLIENT_THINK);
	result_sharings_build(&input, &r);
	cr_assert_not(r.sharings[0].shares[1].is_starved);
	/* near miss: one after the other */
	list[1] = transfer_at(980, 500, 2000000, BUCKET_CONGESTION_WINDOW);
	result_sharings_build(&input, &r);
	cr_assert_eq(r.sharing_count, 0);
	arena_free(input.arena);
}
