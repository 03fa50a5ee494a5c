/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before the first packet: tries that failed, look-ups that were waited for.
 */
#include "analyzer/transfer/approach.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/transfer/conversation.h"

#define S INT64_C(1000000000)
#define MS INT64_C(1000000)
#define START (INT64_C(1700000000) * S)

static Packet syn_packet(int64_t at_ns, uint64_t frame)
{
	return (Packet){
		.kind = PACKET_TCP, .tcp_flags = TCP_SYN, .ts_ns = START + at_ns, .frame = frame};
}

static Conversation conversation(uint16_t server_port)
{
	Conversation conv = {.port = {50000, server_port}};
	conv.addr[SIDE_CLIENT][15] = 2;
	conv.addr[SIDE_SERVER][15] = 9;
	return conv;
}

/* A SYN of @conv passes at @at_ns, the @tries-th. */
static void try_again(Approaches *a, Conversation *conv, int64_t at_ns, uint32_t tries)
{
	Packet packet = syn_packet(at_ns, 0);
	conv->tcp.syn_tries = tries;
	approaches_step(a, conv, &packet);
}

Test(approach, tries_in_vain_are_where_the_waiting_began)
{
	Approaches *a = approaches_new();
	Conversation direct = conversation(445), netbios = conversation(139);
	Approach ret;
	Packet packet = syn_packet(0, 1);
	approaches_begin(a, &direct, &packet, &ret);
	cr_assert_eq(ret.begin_ns, START);
	cr_assert_eq(ret.failed_tries, 0);
	try_again(a, &direct, 0, 1);
	try_again(a, &direct, 1 * S, 2);
	try_again(a, &direct, 3 * S, 3);
	packet = syn_packet(4 * S, 9);
	approaches_begin(a, &netbios, &packet, &ret);
	cr_assert_eq(ret.begin_ns, START);
	cr_assert_eq(ret.failed_port, 445);
	cr_assert_eq(ret.failed_tries, 3);
	cr_assert_eq(ret.failed_frame, 1);
	cr_assert_not(ret.failed_refused);
	approaches_end(&direct);
	approaches_end(&netbios);
	approaches_free(a);
}

Test(approach, two_ports_tried_at_the_same_time_are_no_failure)
{
	/* N10: smbclient sends a SYN to 139 five milliseconds after that to 445 */
	Approaches *a = approaches_new();
	Conversation direct = conversation(445), netbios = conversation(139);
	Approach ret;
	Packet packet = syn_packet(0, 1);
	approaches_begin(a, &direct, &packet, &ret);
	try_again(a, &direct, 0, 1);
	packet = syn_packet(5 * MS, 2);
	approaches_begin(a, &netbios, &packet, &ret);
	cr_assert_eq(ret.failed_tries, 0);
	cr_assert_eq(ret.begin_ns, START + 5 * MS);
	approaches_end(&direct);
	approaches_end(&netbios);
	approaches_free(a);
}

Test(approach, answered_old_and_foreign_tries_do_not_count)
{
	Approaches *a = approaches_new();
	Conversation first = conversation(445), second = conversation(445);
	Approach ret;
	Packet packet = syn_packet(0, 1);
	approaches_begin(a, &first, &packet, &ret);
	try_again(a, &first, 0, 1);
	try_again(a, &first, 1 * S, 2);
	first.tcp.syn_ack_ns = START + 1010 * MS; /* the second one was answered */
	try_again(a, &first, 1010 * MS, 2);
	cr_assert_null(first.attempt);
	packet = syn_packet(2 * S, 5);
	approaches_begin(a, &second, &packet, &ret);
	cr_assert_eq(ret.failed_tries, 0);
	try_again(a, &second, 2 * S, 1);
	try_again(a, &second, 3 * S, 2);
	approaches_end(&second); /* it ends unanswered and stays remembered */
	cr_assert_null(second.attempt);
	Conversation other = conversation(445), late = conversation(445);
	other.addr[SIDE_SERVER][15] = 10;
	packet = syn_packet(4 * S, 8);
	approaches_begin(a, &other, &packet, &ret);
	cr_assert_eq(ret.failed_tries, 0);
	packet = syn_packet(40 * S, 9);
	approaches_begin(a, &late, &packet, &ret);
	cr_assert_eq(ret.failed_tries, 0, "half a minute later it is another story");
	approaches_end(&other);
	approaches_end(&late);
	approaches_free(a);
}

Test(approach, a_refused_port_counts_at_once)
{
	Approaches *a = approaches_new();
	Conversation direct = conversation(445), netbios = conversation(139);
	Approach ret;
	Packet packet = syn_packet(0, 1);
	approaches_begin(a, &direct, &packet, &ret);
	direct.tcp.syn_tries = 1;
	Packet reset = {.tcp_flags = TCP_RST | TCP_ACK, .ts_ns = START + 10 * MS};
	approaches_step(a, &direct, &reset);
	packet = syn_packet(20 * MS, 3);
	approaches_begin(a, &netbios, &packet, &ret);
	cr_assert(ret.failed_refused);
	cr_assert_eq(ret.failed_tries, 1);
	approaches_end(&direct);
	approaches_end(&netbios);
	approaches_free(a);
}

Test(approach, many_tries_are_bounded)
{
	enum { MANY = 3 * APPROACH_MAX_ATTEMPTS };
	static Conversation convs[MANY];
	Approaches *a = approaches_new();
	Approach ret;
	for (int i = 0; i < MANY; i++) {
		convs[i] = conversation(445);
		convs[i].addr[SIDE_SERVER][14] = (uint8_t)(i >> 8);
		convs[i].addr[SIDE_SERVER][13] = (uint8_t)i;
		Packet packet = syn_packet(i * MS, (uint64_t)i + 1);
		approaches_begin(a, &convs[i], &packet, &ret);
	}
	size_t remembered = 0;
	for (int i = 0; i < MANY; i++) {
		remembered += convs[i].attempt != NULL;
		approaches_end(&convs[i]);
	}
	cr_assert_eq(remembered, APPROACH_MAX_ATTEMPTS);
	approaches_free(a);
}

/* A DNS message: query or answer for "nas" with one address. */
static size_t dns_message(uint8_t *m, bool is_answer)
{
	static const uint8_t query[] = {
		0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'n', 'a', 's', 0, 0, 1, 0, 1};
	static const uint8_t record[] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 9};
	memcpy(m, query, sizeof(query));
	if (!is_answer)
		return sizeof(query);
	m[2] = 0x81;
	m[3] = 0x80;
	m[7] = 1;
	memcpy(m + sizeof(query), record, sizeof(record));
	return sizeof(query) + sizeof(record);
}

Test(approach, a_connection_that_follows_its_look_up_begins_with_it)
{
	static const uint8_t v4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	for (int late = 0; late < 2; late++) {
		Approaches *a = approaches_new();
		Conversation conv = conversation(445);
		memset(conv.addr, 0, sizeof(conv.addr));
		memcpy(conv.addr[SIDE_CLIENT], v4, 12);
		memcpy(conv.addr[SIDE_SERVER], v4, 12);
		memcpy(conv.addr[SIDE_CLIENT] + 12, (uint8_t[]){10, 0, 0, 2}, 4);
		memcpy(conv.addr[SIDE_SERVER] + 12, (uint8_t[]){10, 0, 0, 9}, 4);
		uint8_t m[64];
		Packet packet = {.kind = PACKET_UDP, .src_port = 40000, .dst_port = 53, .frame = 1};
		packet.payload = m;
		packet.payload_len = packet.payload_caplen = (uint32_t)dns_message(m, false);
		memcpy(packet.src, conv.addr[SIDE_CLIENT], 16);
		memcpy(packet.dst, v4, 12);
		packet.dst[15] = 1;
		packet.ts_ns = START;
		approaches_lookup(a, &packet);
		packet.ts_ns = START + 1 * S;
		packet.frame = 2;
		approaches_lookup(a, &packet);
		Packet answer = packet;
		memcpy(answer.src, packet.dst, 16);
		memcpy(answer.dst, packet.src, 16);
		answer.src_port = 53;
		answer.dst_port = 40000;
		answer.payload_len = answer.payload_caplen = (uint32_t)dns_message(m, true);
		answer.ts_ns = START + 1020 * MS;
		answer.frame = 3;
		approaches_lookup(a, &answer);
		Approach ret;
		/* at once, or when somebody clicks ten seconds later */
		packet = syn_packet(late ? 11 * S : 1021 * MS, 4);
		approaches_begin(a, &conv, &packet, &ret);
		cr_assert_eq(ret.begin_ns, late ? packet.ts_ns : START, "late %d", late);
		cr_assert_eq(ret.query_tries, late ? 0 : 2);
		approaches_end(&conv);
		approaches_free(a);
	}
}
