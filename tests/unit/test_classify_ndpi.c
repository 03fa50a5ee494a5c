/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nDPI: names well-known beginnings, gives up after its packets, keeps no flow behind.
 */
#include "analyzer/flow/classify_ndpi.h"

#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

typedef struct Segment {
	uint8_t bytes[1500];
	Packet packet;
} Segment;

static void put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/* An IPv4 TCP segment with @len bytes of payload, as the decoder would describe it. */
static const Packet *segment(Segment *s, uint16_t src_port, uint16_t dst_port, uint32_t seq,
	const void *payload, size_t len)
{
	memset(s, 0, sizeof *s);
	uint8_t *ip = s->bytes, *tcp = ip + 20;
	ip[0] = 0x45;
	put16(ip + 2, 40 + len);
	ip[8] = 64;
	ip[9] = 6;
	memcpy(ip + 12, src_port < dst_port ? "\x0a\x00\x00\x01" : "\x0a\x00\x00\x02", 4);
	memcpy(ip + 16, src_port < dst_port ? "\x0a\x00\x00\x02" : "\x0a\x00\x00\x01", 4);
	put16(tcp, src_port);
	put16(tcp + 2, dst_port);
	put16(tcp + 4, seq >> 16);
	put16(tcp + 6, seq);
	tcp[12] = 0x50;
	tcp[13] = TCP_ACK | TCP_PSH;
	put16(tcp + 14, 65535);
	memcpy(tcp + 20, payload, len);
	s->packet = (Packet){.ts_ns = INT64_C(1700000000000000000),
		.kind = PACKET_TCP,
		.ip_version = 4,
		.ip_protocol = 6,
		.src_port = src_port,
		.dst_port = dst_port,
		.payload = tcp + 20,
		.payload_len = (uint32_t)len,
		.payload_caplen = (uint32_t)len,
		.ip = ip,
		.ip_caplen = (uint32_t)(40 + len)};
	return &s->packet;
}

Test(classify_ndpi, names_http_on_any_port)
{
	static const char request[] = "GET /index.html HTTP/1.1\r\nHost: intranet.test\r\n"
				      "User-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";
	static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
				    "Content-Length: 5\r\n\r\nhello";
	Classifier *classifier = classifier_new();
	ClassifierFlow *flow = NULL;
	const char *name = "unset";
	Segment s;
	bool settled = classifier_push(
		classifier, &flow, segment(&s, 40000, 8099, 1, request, strlen(request)), &name);
	if (!settled) {
		cr_assert_eq(classifier_count(classifier), 1);
		settled = classifier_push(classifier, &flow,
			segment(&s, 8099, 40000, 1, reply, strlen(reply)), &name);
	}
	if (!settled)
		name = classifier_settle(classifier, &flow);
	cr_assert_null(flow);
	cr_assert_eq(classifier_count(classifier), 0);
	classifier_free(classifier);
	cr_assert_not_null(name);
	cr_assert_str_eq(name, "HTTP", "names outlive the classifier");
}

Test(classify_ndpi, gives_up)
{
	Random random = random_start();
	Classifier *classifier = classifier_new();
	cr_assert_null(classifier_settle(classifier, &(ClassifierFlow *){NULL}));
	for (unsigned round = 0; round < 50; round++) {
		ClassifierFlow *flow = NULL;
		const char *name = NULL;
		Segment s;
		unsigned pushed = 0;
		for (;; pushed++) {
			uint8_t noise[700];
			for (size_t i = 0; i < sizeof noise; i++)
				noise[i] = (uint8_t)random_next(&random);
			const Packet *p =
				segment(&s, 40000, 50001, pushed * 700, noise, sizeof noise);
			if (classifier_push(classifier, &flow, p, &name))
				break;
			cr_assert_not(classifier_push(classifier, &flow,
					      segment(&s, 50001, 40000, 1, noise, 0), &name),
				"no payload");
		}
		cr_assert_lt(pushed, CLASSIFIER_MAX_PACKETS);
		cr_assert_null(flow);
	}
	cr_assert_eq(classifier_count(classifier), 0);
	classifier_free(classifier);
	classifier_free(NULL);
}

Test(classify_ndpi, too_many_flows_stay_without_a_name)
{
	static ClassifierFlow *flows[CLASSIFIER_MAX_FLOWS + 3];
	Classifier *classifier = classifier_new();
	const char *name = "unset";
	Segment s;
	segment(&s, 40000, 50001, 1, "\x01\x02\x03", 3);
	for (size_t i = 0; i < CLASSIFIER_MAX_FLOWS; i++)
		cr_assert_not(classifier_push(classifier, &flows[i], &s.packet, &name));
	cr_assert(classifier_push(classifier, &flows[CLASSIFIER_MAX_FLOWS], &s.packet, &name));
	cr_assert_null(name);
	cr_assert_eq(classifier_refused(classifier), 1);
	for (size_t i = 0; i < CLASSIFIER_MAX_FLOWS; i++)
		classifier_settle(classifier, &flows[i]);
	cr_assert_eq(classifier_count(classifier), 0);
	classifier_free(classifier);
}
