/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IP reassembly: a datagram cut anywhere, in any order, decodes like the whole; nothing grows
 * beyond its caps; overlaps are refused.
 */
#include "analyzer/flow/fragments.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

#define LINKTYPE_RAW 101
#define SECOND INT64_C(1000000000)

typedef struct Sample {
	unsigned version; /* of IP */
	uint32_t id;
	uint8_t transport[70000]; /* TCP header and payload */
	uint32_t len;
} Sample;

static void put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void sample_fill(Sample *s, Random *random, unsigned version, uint32_t len)
{
	s->version = version;
	s->id = (uint32_t)random_below(random, 65536);
	s->len = len;
	for (uint32_t i = 0; i < len; i++)
		s->transport[i] = (uint8_t)random_next(random);
	put16(s->transport, 445);
	put16(s->transport + 2, 40000);
	s->transport[12] = 0x50;
	s->transport[13] = TCP_ACK;
}

/* Writes [from, from + len) of the sample as an IP packet; 0xffffffff: unfragmented. Returns its
 * length. */
static uint32_t write_packet(
	const Sample *s, uint32_t from, uint32_t len, bool more, bool fragment, uint8_t *out)
{
	uint32_t header = s->version == 4 ? 20 : fragment ? 48 : 40;
	memset(out, 0, header);
	if (s->version == 4) {
		out[0] = 0x45;
		put16(out + 2, header + len);
		put16(out + 4, s->id);
		put16(out + 6, from / 8 | (more ? 0x2000 : 0));
		out[8] = 61;
		out[9] = 6;
		memcpy(out + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02", 8);
	} else {
		out[0] = 0x60;
		put16(out + 4, header - 40 + len);
		out[6] = fragment ? 44 : 6;
		out[7] = 61;
		out[8] = out[24] = 0xfd;
		out[23] = 1;
		out[39] = 2;
		if (fragment) {
			out[40] = 6;
			put16(out + 42, from | more);
			put16(out + 46, s->id);
		}
	}
	memcpy(out + header, s->transport + from, len);
	return header + len;
}

/* Fragment @from of the sample, decoded; @bytes must outlive the packet. */
static Packet fragment_of(const Sample *s, uint32_t from, uint32_t len, bool more, uint32_t snap,
	int64_t ts_ns, uint8_t *bytes)
{
	uint32_t total = write_packet(s, from, len, more, true, bytes);
	Packet p = {.ts_ns = ts_ns, .frame = (uint64_t)ts_ns, .wirelen = total};
	packet_decode(LINKTYPE_RAW, bytes, snap < total ? snap : total, total, &p);
	cr_assert_eq(p.kind, PACKET_FRAGMENT);
	return p;
}

typedef struct Cut {
	uint32_t from, len;
} Cut;

/* Cuts @len bytes into pieces of multiples of 8 and shuffles them. */
static size_t cut_up(Random *random, uint32_t len, Cut *cuts)
{
	size_t n = 0;
	for (uint32_t from = 0; from < len; n++) {
		uint32_t size = 8 * (uint32_t)random_between(random, 64, 400);
		size = size < len - from ? size : len - from;
		cuts[n] = (Cut){from, size};
		from += size;
	}
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(random, i);
		Cut t = cuts[i - 1];
		cuts[i - 1] = cuts[j];
		cuts[j] = t;
	}
	return n;
}

static void check_same(const Packet *got, const Packet *want)
{
	cr_assert_eq(got->kind, PACKET_TCP);
	cr_assert_eq(got->ip_version, want->ip_version);
	cr_assert_arr_eq(got->src, want->src, 16);
	cr_assert_arr_eq(got->dst, want->dst, 16);
	cr_assert_eq(got->src_port, want->src_port);
	cr_assert_eq(got->dst_port, want->dst_port);
	cr_assert_eq(got->seq, want->seq);
	cr_assert_eq(got->ack, want->ack);
	cr_assert_eq(got->ttl, want->ttl);
	cr_assert_eq(got->payload_len, want->payload_len);
	cr_assert_eq(got->payload_caplen, want->payload_caplen);
	cr_assert_arr_eq(got->payload, want->payload, want->payload_caplen);
}

Test(fragments, any_cut_in_any_order_is_the_whole)
{
	static Sample s;
	static uint8_t bytes[70000], whole_bytes[70000];
	Random random = random_start();
	Fragments *fragments = fragments_new();
	int64_t now = SECOND;
	for (unsigned round = 0; round < 300; round++) {
		uint32_t len = (uint32_t)random_between(&random, 3300, round % 10 ? 9000 : 65515);
		sample_fill(&s, &random, round % 2 ? 4 : 6, len);
		uint32_t total = write_packet(&s, 0, len, false, false, whole_bytes);
		Packet want = {0}, got;
		packet_decode(LINKTYPE_RAW, whole_bytes, total, total, &want);
		Cut cuts[200];
		size_t n = cut_up(&random, len, cuts);
		for (size_t i = 0; i < n; i++) {
			bool more = cuts[i].from + cuts[i].len < len;
			Packet p = fragment_of(
				&s, cuts[i].from, cuts[i].len, more, 100000, ++now, bytes);
			bool whole = fragments_push(fragments, &p, &got);
			cr_assert_eq(whole, i + 1 == n, "round %u piece %zu of %zu", round, i, n);
			if (random_below(&random, 3) == 0 && !whole)
				cr_assert_not(fragments_push(fragments, &p, &got), "a duplicate");
		}
		check_same(&got, &want);
		cr_assert_eq(got.ts_ns, now);
		cr_assert_eq(got.frame, (uint64_t)now, "the last fragment's");
		cr_assert_eq(fragments_bytes(fragments), 0);
	}
	cr_assert_eq(fragments_stats(fragments).whole, 300);
	fragments_free(fragments);
	fragments_free(NULL);
}

Test(fragments, what_the_snap_length_left)
{
	static Sample s;
	static uint8_t bytes[2][4000];
	Random random = random_start();
	sample_fill(&s, &random, 4, 3000);
	Fragments *fragments = fragments_new();
	Packet got;
	Packet first = fragment_of(&s, 0, 1480, true, 96, 1, bytes[0]);
	Packet last = fragment_of(&s, 1480, 1520, false, 96, 2, bytes[1]);
	cr_assert_not(fragments_push(fragments, &first, &got));
	cr_assert(fragments_push(fragments, &last, &got));
	cr_assert_eq(got.kind, PACKET_TCP);
	cr_assert_eq(got.payload_len, 2980, "as on the wire");
	cr_assert_eq(got.payload_caplen, 96 - 40, "up to where the first fragment was cut");
	cr_assert_arr_eq(got.payload, s.transport + 20, got.payload_caplen);
	fragments_free(fragments);
}

Test(fragments, overlaps_and_contradictions_discard)
{
	static const struct {
		const char *what;
		uint32_t from[3], len[3];
		bool more[3];
	} cases[] = {
		{"overlap", {0, 800, 1600}, {1000, 800, 400}, {true, true, false}},
		{"two ends", {0, 800, 1600}, {800, 800, 400}, {true, false, false}},
		{"end before the end", {1600, 0, 800}, {400, 800, 800}, {true, true, false}},
		{"behind the end", {0, 800, 1600}, {800, 800, 400}, {true, false, true}},
	};
	static Sample s;
	static uint8_t bytes[4000];
	Random random = random_start();
	sample_fill(&s, &random, 4, 3000);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		Fragments *fragments = fragments_new();
		Packet got;
		bool whole = false;
		for (unsigned f = 0; f < 3; f++) {
			Packet p = fragment_of(&s, cases[i].from[f], cases[i].len[f],
				cases[i].more[f], 100000, f, bytes);
			whole |= fragments_push(fragments, &p, &got) && got.payload_len > 1980;
		}
		cr_assert_not(whole, "%s", cases[i].what);
		fragments_free(fragments);
	}
	/* beyond 64 KiB, and nothing at all */
	Fragments *fragments = fragments_new();
	Packet got, p = {.kind = PACKET_FRAGMENT,
			    .ip_version = 4,
			    .fragment_offset = 65528,
			    .payload = bytes,
			    .payload_len = 1000,
			    .payload_caplen = 1000};
	cr_assert_not(fragments_push(fragments, &p, &got));
	p.payload_len = p.payload_caplen = 0;
	cr_assert_not(fragments_push(fragments, &p, &got));
	cr_assert_eq(fragments_bytes(fragments), 0);
	fragments_free(fragments);
}

Test(fragments, memory_and_age_are_bounded)
{
	static Sample s;
	static uint8_t bytes[4000];
	Random random = random_start();
	Fragments *fragments = fragments_new();
	Packet got;
	for (uint32_t i = 0; i < 20000; i++) {
		sample_fill(&s, &random, 4, 3000);
		s.id = i;
		uint32_t from = 8 * (uint32_t)random_below(&random, 180);
		Packet p = fragment_of(&s, from, 1480, true, 100000, i, bytes);
		p.fragment_offset = from + 8 * (uint32_t)random_below(&random, 5000);
		cr_assert_not(fragments_push(fragments, &p, &got));
		cr_assert_leq(fragments_bytes(fragments), FRAGMENTS_MAX_BYTES);
	}
	cr_assert_eq(fragments_stats(fragments).evicted, 20000 - FRAGMENTS_MAX_DATAGRAMS);
	/* many pieces of one datagram: given up, not grown */
	for (uint32_t i = 0; i < 2 * FRAGMENTS_MAX_PIECES; i++) {
		s.id = 70000;
		Packet p = fragment_of(&s, 16 * (i % 180), 8, true, 100000, 30000, bytes);
		p.fragment_offset = 16 * i;
		p.fragment_id = 70000;
		fragments_push(fragments, &p, &got);
	}
	fragments_free(fragments);

	/* the second half comes too late */
	fragments = fragments_new();
	sample_fill(&s, &random, 4, 3000);
	Packet p = fragment_of(&s, 0, 1480, true, 100000, 0, bytes);
	cr_assert_not(fragments_push(fragments, &p, &got));
	p = fragment_of(&s, 1480, 1520, false, 100000, FRAGMENTS_MAX_AGE_NS + 1, bytes);
	cr_assert_not(fragments_push(fragments, &p, &got));
	cr_assert_eq(fragments_stats(fragments).expired, 1);
	fragments_free(fragments);
}

Test(fragments, payload_lives_for_a_batch)
{
	static Sample s[FRAGMENTS_KEPT];
	static uint8_t bytes[4000];
	Random random = random_start();
	Fragments *fragments = fragments_new();
	Packet got[FRAGMENTS_KEPT];
	for (unsigned i = 0; i < FRAGMENTS_KEPT; i++) {
		sample_fill(&s[i], &random, 4, 3000);
		Packet p = fragment_of(&s[i], 0, 1480, true, 100000, i, bytes);
		fragments_push(fragments, &p, &got[i]);
		p = fragment_of(&s[i], 1480, 1520, false, 100000, i, bytes);
		cr_assert(fragments_push(fragments, &p, &got[i]));
	}
	for (unsigned i = 0; i < FRAGMENTS_KEPT; i++)
		cr_assert_arr_eq(got[i].payload, s[i].transport + 20, 2980);
	fragments_free(fragments);
}
