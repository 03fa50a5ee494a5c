/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Name services: messages at every truncation length, hostile names, and the look-ups that
 * connections waited for.
 */
#include "dissectors/name_service.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/name_lookup.h"
#include "tests/tools/random.h"

#define TEXT(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

/* header of DNS: id 0x1234, flags, questions, answers */
#define QUERY "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define ANSWER(n) "\x12\x34\x81\x80\x00\x01\x00" n "\x00\x00\x00\x00"
#define FS_TEST                                                                                    \
	"\x02"                                                                                     \
	"Fs"                                                                                       \
	"\x04"                                                                                     \
	"test"                                                                                     \
	"\x00"
#define NB_NAME                                                                                    \
	"\x20"                                                                                     \
	"EGFDCACACACACACACACACACACACACACA"                                                         \
	"\x00"

static const char dns_query[] = QUERY FS_TEST "\x00\x01\x00\x01";
static const char dns_answer[] =
	ANSWER("\x02") FS_TEST "\x00\x01\x00\x01"
			       /* a CNAME, then the address of what it leads to */
			       "\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x04\x01"
			       "b"
			       "\xc0\x0f"
			       "\xc0\x25\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x0a\x00\x00\x01";
static const char dns_answer6[] =
	ANSWER("\x01") FS_TEST "\x00\x1c\x00\x01"
			       "\xc0\x0c\x00\x1c\x00\x01\x00\x00\x00\x3c\x00\x10\x20\x01\x0d\xb8"
			       "\x00\x00\x00\x00\x00\x00\x00"
			       "\x00\x00\x00\x00\x01";
static const char nbns_query[] =
	"\x00\x07\x01\x10\x00\x01\x00\x00\x00\x00\x00\x00" NB_NAME "\x00\x20\x00\x01";
static const char nbns_answer[] =
	"\x00\x07\x85\x00\x00\x00\x00\x01\x00\x00\x00\x00" NB_NAME
	"\x00\x20\x00\x01\x00\x00\x00\x3c\x00\x06\x00\x00\x0a\x00\x00\x01";
static const char mdns_answer[] = "\x00\x00\x84\x00\x00\x00\x00\x01\x00\x00\x00\x00\x02"
				  "fs"
				  "\x05"
				  "local"
				  "\x00"
				  "\x00\x01\x80\x01\x00\x00\x00\x78\x00\x04\x0a\x00\x00\x01";

static const struct {
	const char *title;
	NameService service;
	const char *bytes;
	size_t len;
	bool is_answer;
	const char *name;
	uint8_t addresses;
} samples[] = {
	{"dns query", NAME_SERVICE_DNS, dns_query, sizeof dns_query - 1, false, "fs.test", 0},
	{"dns answer", NAME_SERVICE_DNS, dns_answer, sizeof dns_answer - 1, true, "fs.test", 1},
	{"dns answer, IPv6", NAME_SERVICE_DNS, dns_answer6, sizeof dns_answer6 - 1, true, "fs.test",
		1},
	{"nbns query", NAME_SERVICE_NBNS, nbns_query, sizeof nbns_query - 1, false, "fs", 0},
	{"nbns answer", NAME_SERVICE_NBNS, nbns_answer, sizeof nbns_answer - 1, true, "fs", 1},
	{"mdns answer", NAME_SERVICE_MDNS, mdns_answer, sizeof mdns_answer - 1, true, "fs.local",
		1},
};
#define SAMPLES (sizeof samples / sizeof *samples)

Test(name_service, messages)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t len = 0; len <= samples[i].len; len++) {
			uint8_t *copy = malloc(len > 0 ? len : 1);
			memcpy(copy, samples[i].bytes, len);
			NameMessage m;
			ParseStatus status = name_service_parse(samples[i].service, copy, len, &m);
			free(copy);
			if (len < samples[i].len) {
				cr_assert(status == PARSE_SHORT ||
					  m.address_count <= samples[i].addresses);
				continue;
			}
			cr_assert_eq(status, PARSE_OK, "%s", samples[i].title);
			cr_assert_eq(m.is_answer, samples[i].is_answer, "%s", samples[i].title);
			cr_assert_str_eq(m.name, samples[i].name, "%s", samples[i].title);
			cr_assert_eq(m.name_len, strlen(m.name));
			cr_assert_eq(m.address_count, samples[i].addresses, "%s", samples[i].title);
			cr_assert(m.is_answer || m.asks_address);
		}
	}
	NameMessage m;
	name_service_parse(NAME_SERVICE_DNS, TEXT(dns_answer), &m);
	cr_assert_arr_eq(m.addresses[0], "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\x01", 16);
	NameService service;
	cr_assert(name_service_of_port(5355, &service));
	cr_assert_str_eq(name_service_id(service), "llmnr");
	cr_assert_not(name_service_of_port(80, &service));
}

Test(name_service, hostile_names)
{
	static const struct {
		const char *bytes;
		size_t len;
		ParseStatus status;
	} cases[] = {
		/* a name that points at itself, forward, into the header */
		{QUERY "\xc0\x0c\x00\x01\x00\x01", 18, PARSE_BAD},
		{QUERY "\xc0\x20\x00\x01\x00\x01", 18, PARSE_BAD},
		{QUERY "\x01"
		       "a"
		       "\xc0\x0c\x00\x01\x00\x01",
			20, PARSE_BAD},
		{QUERY "\x40"
		       "a"
		       "\x00\x00\x01\x00\x01",
			19, PARSE_BAD},
		/* an update */
		{"\x12\x34\x28\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12, PARSE_UNKNOWN},
		{QUERY, 12, PARSE_SHORT},
	};
	NameMessage m;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_eq(name_service_parse(NAME_SERVICE_DNS, (const uint8_t *)cases[i].bytes,
				     cases[i].len, &m),
			cases[i].status, "%zu", i);
	/* 300 characters */
	uint8_t long_name[12 + 5 * 64 + 5] = {0};
	memcpy(long_name, QUERY, 12);
	for (int i = 0; i < 5; i++) {
		long_name[12 + 64 * i] = 63;
		memset(long_name + 13 + 64 * i, 'a', 63);
	}
	cr_assert_eq(
		name_service_parse(NAME_SERVICE_DNS, long_name, sizeof long_name, &m), PARSE_BAD);
	/* bytes that are no text are not shown */
	cr_assert_eq(name_service_parse(NAME_SERVICE_DNS,
			     TEXT(QUERY "\x03"
					"a\x1b\xff"
					"\x00\x00\x01\x00\x01"),
			     &m),
		PARSE_OK);
	cr_assert_str_eq(m.name, "a??");
}

Test(name_service, survives_noise)
{
	Random random = random_start();
	for (int round = 0; round < 50000; round++) {
		size_t i = random_below(&random, SAMPLES), len = samples[i].len;
		uint8_t *copy = malloc(len);
		memcpy(copy, samples[i].bytes, len);
		for (int k = 0; k < 4; k++)
			copy[random_below(&random, len)] = (uint8_t)random_next(&random);
		NameMessage m;
		if (name_service_parse(samples[i].service, copy, len, &m) == PARSE_OK) {
			cr_assert_leq(m.address_count, NAME_SERVICE_MAX_ADDRESSES);
			cr_assert_eq(strlen(m.name), m.name_len);
		}
		free(copy);
	}
}

/* ---- look-ups */

static const uint8_t client[16] = {[10] = 0xff, 0xff, 10, 0, 0, 2};
static const uint8_t other[16] = {[10] = 0xff, 0xff, 10, 0, 0, 3};
static const uint8_t server[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};
static const uint8_t resolver[16] = {[10] = 0xff, 0xff, 10, 0, 0, 53};

static void push(NameLookup *lookup, int64_t ts_ns, const uint8_t *src, const uint8_t *dst,
	uint16_t port, const char *bytes, size_t len)
{
	Packet packet = {.kind = PACKET_UDP,
		.ts_ns = ts_ns,
		.frame = (uint64_t)ts_ns,
		.dst_port = port,
		.src_port = port,
		.payload = (const uint8_t *)bytes,
		.payload_len = (uint32_t)len,
		.payload_caplen = (uint32_t)len};
	memcpy(packet.src, src, 16);
	memcpy(packet.dst, dst, 16);
	name_lookup_push(lookup, &packet);
}

#define SECOND INT64_C(1000000000)

Test(name_lookup, tries_of_all_services_are_one_wait)
{
	NameLookup *lookup = name_lookup_new();
	NameWait wait;
	cr_assert_not(name_lookup_find(lookup, client, server, 9 * SECOND, &wait));
	push(lookup, 1 * SECOND, client, resolver, 53, dns_query, sizeof dns_query - 1);
	push(lookup, 2 * SECOND, client, resolver, 53, dns_query, sizeof dns_query - 1);
	push(lookup, 3 * SECOND, client, resolver, 137, nbns_query, sizeof nbns_query - 1);
	cr_assert_not(name_lookup_find(lookup, client, server, 9 * SECOND, &wait), "no answer yet");
	push(lookup, 4 * SECOND, server, client, 137, nbns_answer, sizeof nbns_answer - 1);
	cr_assert_not(name_lookup_find(lookup, other, server, 5 * SECOND, &wait));
	cr_assert_not(name_lookup_find(lookup, client, resolver, 5 * SECOND, &wait));
	cr_assert_not(
		name_lookup_find(lookup, client, server, 3 * SECOND, &wait), "before the answer");
	cr_assert_not(name_lookup_find(lookup, client, server, 50 * SECOND, &wait), "long after");
	cr_assert(name_lookup_find(lookup, client, server, 5 * SECOND, &wait));
	cr_assert_eq(wait.first_query_ns, 1 * SECOND);
	cr_assert_eq(wait.answer_ns, 4 * SECOND);
	cr_assert_eq(wait.tries, 3);
	cr_assert_eq(wait.services,
		1u << NAME_SERVICE_DNS | 1u << NAME_SERVICE_NBNS | NAME_LOOKUP_BROADCAST);
	cr_assert_eq(wait.answered_by, NAME_SERVICE_NBNS);
	cr_assert_str_eq(wait.name, "fs.test");
	cr_assert_not(name_lookup_find(lookup, client, server, 5 * SECOND, &wait), "found once");
	name_lookup_free(lookup);
}

Test(name_lookup, old_tries_are_another_lookup)
{
	NameLookup *lookup = name_lookup_new();
	NameWait wait;
	push(lookup, 1 * SECOND, client, resolver, 53, dns_query, sizeof dns_query - 1);
	push(lookup, 40 * SECOND, client, resolver, 53, dns_query, sizeof dns_query - 1);
	push(lookup, 41 * SECOND, resolver, client, 53, dns_answer, sizeof dns_answer - 1);
	cr_assert(name_lookup_find(lookup, client, server, 42 * SECOND, &wait));
	cr_assert_eq(wait.first_query_ns, 40 * SECOND);
	cr_assert_eq(wait.tries, 1);
	name_lookup_free(lookup);
}

Test(name_lookup, multicast_answers_are_for_all)
{
	static const uint8_t group[16] = {[10] = 0xff, 0xff, 224, 0, 0, 251};
	static const char query[] = QUERY "\x02"
					  "fs"
					  "\x05"
					  "local"
					  "\x00\x00\x01\x00\x01";
	NameLookup *lookup = name_lookup_new();
	NameWait wait;
	push(lookup, 1 * SECOND, client, group, 5353, query, sizeof query - 1);
	push(lookup, 2 * SECOND, other, group, 5353, query, sizeof query - 1);
	push(lookup, 3 * SECOND, server, group, 5353, mdns_answer, sizeof mdns_answer - 1);
	cr_assert(name_lookup_find(lookup, client, server, 4 * SECOND, &wait));
	cr_assert_eq(wait.first_query_ns, 1 * SECOND);
	cr_assert(name_lookup_find(lookup, other, server, 4 * SECOND, &wait));
	cr_assert_eq(wait.first_query_ns, 2 * SECOND);
	name_lookup_free(lookup);
}

Test(name_lookup, cap)
{
	NameLookup *lookup = name_lookup_new();
	NameWait wait;
	uint8_t address[16] = {[10] = 0xff, 0xff};
	for (uint32_t i = 0; i < 10 * NAME_LOOKUP_MAX; i++) {
		memcpy(address + 12, &i, 4);
		push(lookup, i, address, resolver, 53, dns_query, sizeof dns_query - 1);
	}
	cr_assert_eq(name_lookup_forgotten(lookup), 9 * NAME_LOOKUP_MAX);
	cr_assert_leq(name_lookup_bytes(lookup), (size_t)1 << 20);
	push(lookup, 2 * SECOND, resolver, address, 53, dns_answer, sizeof dns_answer - 1);
	cr_assert(name_lookup_find(lookup, address, server, 3 * SECOND, &wait));
	name_lookup_free(lookup);
}
