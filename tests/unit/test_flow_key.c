/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Flow key: one key for both directions, every field matters, and the hash spreads what real
 * captures hold: neighbouring addresses and ports.
 */
#include "analyzer/flow/flow_key.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

static Packet random_packet(Random *random)
{
	Packet p = {.kind = random_below(random, 2) ? PACKET_TCP : PACKET_UDP};
	/* few different bytes, so that equal addresses and ports happen */
	for (unsigned i = 0; i < 16; i++) {
		p.src[i] = (uint8_t)random_below(random, 2);
		p.dst[i] = random_below(random, 4) ? p.src[i] : (uint8_t)random_below(random, 2);
	}
	p.src_port = (uint16_t)random_below(random, 3);
	p.dst_port = (uint16_t)random_below(random, 3);
	return p;
}

static Packet reversed(const Packet *p)
{
	Packet r = *p;
	memcpy(r.src, p->dst, 16);
	memcpy(r.dst, p->src, 16);
	r.src_port = p->dst_port;
	r.dst_port = p->src_port;
	return r;
}

static int endpoint_compare(const uint8_t *a, uint16_t a_port, const uint8_t *b, uint16_t b_port)
{
	int order = memcmp(a, b, 16);
	return order ? order : (int)a_port - (int)b_port;
}

Test(flow_key, both_directions_have_one_key)
{
	Random random = random_start();
	for (unsigned i = 0; i < 20000; i++) {
		Packet p = random_packet(&random), r = reversed(&p);
		FlowKey a, b, c;
		bool forward = flow_key_of(&p, &a), backward = flow_key_of(&r, &b);
		cr_assert(flow_key_equal(&a, &b));
		cr_assert_arr_eq(&a, &b, sizeof a);
		cr_assert_eq(flow_key_hash(&a), flow_key_hash(&b));
		int order = endpoint_compare(p.src, p.src_port, p.dst, p.dst_port);
		cr_assert_eq(forward, order <= 0);
		cr_assert_eq(backward, order >= 0);
		cr_assert(endpoint_compare(a.low_addr, a.low_port, a.high_addr, a.high_port) <= 0);
		cr_assert_eq(a.protocol, p.kind == PACKET_TCP ? 6 : 17);
		flow_key_of_endpoints(p.dst, p.dst_port, p.src, p.src_port, a.protocol, &c);
		cr_assert(flow_key_equal(&a, &c));
	}
}

Test(flow_key, every_byte_tells_keys_apart)
{
	FlowKey a = {.protocol = 6};
	for (size_t i = 0; i < sizeof a; i++) {
		FlowKey b = a;
		((uint8_t *)&b)[i] ^= 1;
		cr_assert_not(flow_key_equal(&a, &b), "byte %zu", i);
		cr_assert_neq(flow_key_hash(&a), flow_key_hash(&b), "byte %zu", i);
	}
}

static double chi_squared(const unsigned *bucket, size_t buckets, double expected)
{
	double chi = 0;
	for (size_t i = 0; i < buckets; i++)
		chi += (bucket[i] - expected) * (bucket[i] - expected) / expected;
	return chi;
}

Test(flow_key, neighbours_spread_over_buckets)
{
	static unsigned low[1024], high[1024];
	setenv("SLOWCOPY_HASH_SEED", "1", 0); /* so that a run can be repeated */
	flow_hash_seed();
	for (unsigned host = 0; host < 100; host++) {
		for (unsigned port = 0; port < 1024; port++) {
			Packet p = {.kind = PACKET_TCP,
				.src = {[10] = 255, 255, 10, 0, 0, (uint8_t)host},
				.dst = {[10] = 255, 255, 10, 0, 0, 200},
				.src_port = (uint16_t)(32768 + port),
				.dst_port = 445};
			FlowKey key;
			flow_key_of(&p, &key);
			low[flow_key_hash(&key) & 1023]++;
			high[flow_key_hash(&key) >> 54]++;
		}
	}
	/* 1023 degrees of freedom: standard deviation 45. More even than chance is welcome. */
	double chi_low = chi_squared(low, 1024, 100), chi_high = chi_squared(high, 1024, 100);
	cr_assert(chi_low < 1023 + 6 * 45, "low bits: chi squared %g", chi_low);
	cr_assert(chi_high < 1023 + 6 * 45, "high bits: chi squared %g", chi_high);
}

Test(flow_key, seeding_changes_the_hash_once)
{
	FlowKey key = {.protocol = 6};
	uint64_t unseeded = flow_key_hash(&key);
	flow_hash_seed();
	uint64_t seeded = flow_key_hash(&key);
	cr_assert_neq(seeded, unseeded);
	flow_hash_seed();
	cr_assert_eq(flow_key_hash(&key), seeded);
}
