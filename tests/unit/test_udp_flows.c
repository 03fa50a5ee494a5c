/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UDP flows: rate, and losses by the numbers of test programs or the IP identification.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/flow/udp_flows.h"

#define MS INT64_C(1000000)

typedef enum Layout { LAYOUT_IPERF3, LAYOUT_IPERF2, LAYOUT_NOISE, LAYOUT_STAMP } Layout;

static void put(uint8_t *p, uint32_t word)
{
	p[0] = (uint8_t)(word >> 24);
	p[1] = (uint8_t)(word >> 16);
	p[2] = (uint8_t)(word >> 8);
	p[3] = (uint8_t)word;
}

/* The @number-th datagram of a flow, one each millisecond. */
static void push(UdpFlows *flows, Layout layout, uint32_t number, uint16_t port, uint16_t ip_id)
{
	uint8_t payload[16] = {0};
	uint32_t micro = number * 1000 % 1000000;
	switch (layout) {
	case LAYOUT_IPERF3:
		put(payload, 5000 + number / 1000);
		put(payload + 4, micro);
		put(payload + 8, number + 1);
		break;
	case LAYOUT_IPERF2:
		put(payload, number);
		put(payload + 4, 1700000000);
		put(payload + 8, micro);
		break;
	case LAYOUT_NOISE:
		put(payload, number * 2654435761u);
		put(payload + 4, number * 40503u);
		put(payload + 8, number * 2246822519u);
		break;
	case LAYOUT_STAMP: /* seconds and microseconds, and no number */
		put(payload + 4, 0);
		put(payload + 8, micro);
		break;
	}
	Packet p = {.kind = PACKET_UDP,
		.ts_ns = (int64_t)number * MS + 1,
		.frame = number + 1,
		.ip_version = 4,
		.ip_id = ip_id,
		.src = {[10] = 0xff, [11] = 0xff, [15] = 1},
		.dst = {[10] = 0xff, [11] = 0xff, [15] = 2},
		.src_port = 40000,
		.dst_port = port,
		.payload = payload,
		.payload_len = 1250,
		.payload_caplen = sizeof(payload)};
	udp_flows_push(flows, &p);
}

Test(udp_flows, losses_by_the_programs_own_numbers)
{
	static const Layout layouts[] = {LAYOUT_IPERF3, LAYOUT_IPERF2};
	static const char *const programs[] = {"iperf3", "iperf2"};
	for (size_t k = 0; k < 2; k++) {
		UdpFlows *flows = udp_flows_new();
		uint64_t lost, late;
		/* every tenth is lost, two come late */
		for (uint32_t i = 0; i < 1000; i++) {
			if (i % 10 != 3)
				push(flows, layouts[k],
					i == 500   ? 501
					: i == 501 ? 500
						   : i,
					9000, 0);
		}
		cr_assert_eq(udp_flows_count(flows), 1);
		const UdpFlow *f = udp_flows_at(flows, 0);
		cr_assert_str_eq(udp_flow_program(f), programs[k]);
		cr_assert(udp_flow_lost(f, &lost, &late));
		cr_assert_eq(lost, 100, "%llu", (unsigned long long)lost);
		cr_assert_eq(late, 1);
		cr_assert_float_eq(udp_flow_rate(f), 900 * 1250 / 0.999, 1);
		udp_flows_free(flows);
	}
}

Test(udp_flows, the_ip_identification_counts_where_nothing_else_does)
{
	UdpFlows *flows = udp_flows_new();
	uint64_t lost, late;
	/* it wraps, and five are missing */
	for (uint32_t i = 0; i < 400; i++) {
		if (i < 200 || i >= 205)
			push(flows, LAYOUT_NOISE, i, 18767, (uint16_t)(65400 + i));
	}
	const UdpFlow *f = udp_flows_at(flows, 0);
	cr_assert_eq(udp_flow_numbering(f), UDP_NUMBERING_IP_ID);
	cr_assert(udp_flow_lost(f, &lost, &late));
	cr_assert_eq(lost, 5);
	cr_assert_str_eq(udp_flow_program(f), "netio");
	udp_flows_free(flows);
}

Test(udp_flows, what_is_no_count_is_not_taken_for_one)
{
	uint64_t lost, late;
	UdpFlows *flows = udp_flows_new();
	for (uint32_t i = 0; i < 400; i++) {
		push(flows, LAYOUT_STAMP, i, 9000, 0);
		push(flows, LAYOUT_NOISE, i, 9001, (uint16_t)(i * 7919));
		if (i < UDP_FLOWS_MIN_NUMBERED - 1)
			push(flows, LAYOUT_IPERF3, i, 9002, 0);
	}
	cr_assert_eq(udp_flows_count(flows), 3);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(
			udp_flow_numbering(udp_flows_at(flows, i)), UDP_NUMBERING_NONE, "%zu", i);
		cr_assert_not(udp_flow_lost(udp_flows_at(flows, i), &lost, &late));
	}
	udp_flows_free(flows);
}

Test(udp_flows, memory_is_bounded_and_busy_flows_stay)
{
	UdpFlows *flows = udp_flows_new();
	for (uint32_t i = 0; i < 3 * UDP_FLOWS_MAX; i++) {
		push(flows, LAYOUT_NOISE, i, (uint16_t)(10000 + i), 0);
		push(flows, LAYOUT_IPERF3, i, 5201, 0);
		cr_assert_leq(udp_flows_count(flows), UDP_FLOWS_MAX);
	}
	cr_assert_gt(udp_flows_evicted(flows), 0);
	uint64_t lost, late, most = 0;
	for (size_t i = 0; i < udp_flows_count(flows); i++) {
		const UdpFlow *f = udp_flows_at(flows, i);
		if (f->dst_port == 5201) {
			most = f->datagrams;
			cr_assert(udp_flow_lost(f, &lost, &late));
			cr_assert_eq(lost, 0);
		}
	}
	cr_assert_eq(most, 3 * UDP_FLOWS_MAX);
	cr_assert_eq(udp_flows_count(NULL), 0);
	udp_flows_free(flows);
	udp_flows_free(NULL);
}
