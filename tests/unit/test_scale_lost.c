/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A client behind a device that took the window scale option out of the SYN-ACK: what it sends
 * proves it, and clients that only seem to do so prove nothing.
 */
#include "analyzer/tcp/scale_lost.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/constants.h"

#define MS MILLISECOND_NS
#define MSS 1460
#define SHIFT 10
#define SYN_WINDOW 64240
#define RTT_MS 10

typedef struct Case {
	const char *name;
	uint16_t syn_window, first_field; /* of the client, in the SYN and in the ACK after it */
	int16_t client_scale, server_scale;
	uint16_t fields[8];  /* of the server, one after the other; 0 ends */
	uint16_t lengths[8]; /* of the segments sent into them; 0: just so long */
	bool is_lost;
} Case;

static void put(TcpConnection *tcp, TcpStep *step, int64_t at_ms, Side side, Packet p)
{
	p.kind = PACKET_TCP;
	p.ip_version = 4;
	p.ttl = 64;
	p.ts_ns = SECOND_NS + at_ms * MS;
	tcp_connection_step(tcp, side, &p, step);
}

/* As seen next to the server: what it says reaches the client half a round trip later. */
static bool play(const Case *c, TcpConnection *tcp)
{
	TcpStep step;
	bool is_told = false;
	tcp_connection_init(tcp);
	put(tcp, &step, 0, SIDE_CLIENT,
		(Packet){.tcp_flags = TCP_SYN,
			.seq = 99,
			.window = c->syn_window,
			.mss = MSS,
			.has_window_scale = true,
			.window_scale = (uint8_t)c->client_scale});
	put(tcp, &step, 0, SIDE_SERVER,
		(Packet){.tcp_flags = TCP_SYN | TCP_ACK,
			.seq = 499,
			.ack = 100,
			.window = 65160,
			.mss = MSS,
			.has_window_scale = c->server_scale >= 0,
			.window_scale = (uint8_t)(c->server_scale < 0 ? 0 : c->server_scale)});
	put(tcp, &step, RTT_MS, SIDE_CLIENT,
		(Packet){.tcp_flags = TCP_ACK, .seq = 100, .ack = 500, .window = c->first_field});
	/* a whole segment into the window of the SYN-ACK */
	uint32_t next = 100;
	put(tcp, &step, RTT_MS, SIDE_CLIENT,
		(Packet){.tcp_flags = TCP_ACK,
			.seq = next,
			.ack = 500,
			.window = c->first_field,
			.payload_len = MSS,
			.payload = (const uint8_t *)""});
	next += MSS;
	for (int i = 0; i < 8 && c->fields[i] != 0; i++) {
		int64_t at = 200 * (i + 1);
		put(tcp, &step, at, SIDE_SERVER,
			(Packet){.tcp_flags = TCP_ACK,
				.seq = 500,
				.ack = next,
				.window = c->fields[i]});
		uint32_t len = c->lengths[i] ? c->lengths[i] : c->fields[i];
		put(tcp, &step, at + 150, SIDE_CLIENT,
			(Packet){.tcp_flags = TCP_ACK,
				.seq = next,
				.ack = 500,
				.window = c->first_field,
				.payload_len = len,
				.payload = (const uint8_t *)""});
		next += len;
		is_told |= step.scale_lost;
	}
	cr_expect_eq(is_told, tcp->is_scale_lost, "%s", c->name);
	return tcp->is_scale_lost;
}

Test(scale_lost, what_proves_it_and_what_does_not)
{
	static const Case cases[] = {
		{"the same number, and a client that does not scale", SYN_WINDOW, SYN_WINDOW, 7,
			SHIFT, {78, 78, 78, 78}, {0}, true},
		{"three fills are too few", SYN_WINDOW, SYN_WINDOW, 7, SHIFT, {78, 78, 78}, {0},
			false},
		{"messages of the same length, and a client that scales", SYN_WINDOW, 502, 7, SHIFT,
			{78, 78, 78, 78, 78, 78, 78, 78}, {0}, false},
		{"the window moves and the client follows it", SYN_WINDOW, 502, 7, SHIFT,
			{74, 78, 81, 78}, {0}, true},
		{"a window too large for a SYN looks the same in both fields", 65535, 65535, 2,
			SHIFT, {78, 78, 78, 78, 78, 78}, {0}, false},
		{"once more than the field allows", SYN_WINDOW, SYN_WINDOW, 7, SHIFT,
			{78, 79, 80, 78, 78, 78, 78, 78}, {0, 0, 90}, false},
		{"messages shorter than the field", SYN_WINDOW, SYN_WINDOW, 7, SHIFT,
			{78, 79, 80, 81, 78, 79}, {60, 61, 62, 63, 64, 65}, false},
		{"the server does not scale at all", SYN_WINDOW, SYN_WINDOW, 7, -1,
			{78, 79, 80, 81, 78}, {0}, false},
		{"a client without a scale of its own says nothing by its field", SYN_WINDOW,
			SYN_WINDOW, 0, SHIFT, {78, 78, 78, 78, 78, 78}, {0}, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		TcpConnection tcp;
		cr_expect_eq(play(&cases[i], &tcp), cases[i].is_lost, "%s", cases[i].name);
		tcp_connection_clear(&tcp);
	}
}

Test(scale_lost, windows_become_what_the_client_takes_them_for)
{
	static const Case c = {
		"", SYN_WINDOW, SYN_WINDOW, 7, SHIFT, {74, 78, 78, 78, 77}, {0}, true};
	TcpConnection tcp;
	cr_assert(play(&c, &tcp));
	const TcpDirection *d = &tcp.dir[SIDE_CLIENT];
	cr_assert_eq(d->peer_window, 77);
	cr_assert_eq(d->max_window_after_syn, 78);
	cr_assert_eq(d->first_window, 65160);
	cr_assert_eq(d->max_peer_window, 65160);
	cr_assert_eq(tcp.dir[SIDE_SERVER].peer_window, SYN_WINDOW);
	const AckEvent *e;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL; i++)
		cr_assert(e->window <= 78 || i + 1 == d->acks_head);
	tcp_connection_clear(&tcp);
}
