/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The capture generator says what it was told to, as the decoder reads it; other tests rest on it.
 */
#include "tests/tools/capgen.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissectors/packet.h"

typedef struct Capture {
	char *bytes;
	size_t size;
	Packet packets[64];
	size_t count;
} Capture;

static uint32_t le32(const char *p)
{
	const uint8_t *u = (const uint8_t *)p;
	return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static void capture_decode(Capture *c)
{
	cr_assert_eq(le32(c->bytes), 0xa1b23c4d);
	for (size_t at = 24; at < c->size; c->count++) {
		uint32_t caplen = le32(c->bytes + at + 8), wirelen = le32(c->bytes + at + 12);
		Packet *p = &c->packets[c->count];
		p->ts_ns =
			le32(c->bytes + at) * CAPGEN_S + le32(c->bytes + at + 4) - CAPGEN_EPOCH_NS;
		p->wirelen = wirelen;
		packet_decode(1, (const uint8_t *)c->bytes + at + 16, caplen, wirelen, p);
		at += 16 + caplen;
	}
}

static void make_ftp(Capgen *capgen, bool v6, uint16_t vlan)
{
	CapgenTcp tcp = v6 ? capgen_tcp(capgen, "fd00::1", 40000, "fd00::2", 21)
			   : capgen_tcp(capgen, "10.0.0.1", 40000, "10.0.0.2", 21);
	tcp.vlan = vlan;
	int64_t t = capgen_tcp_open(&tcp, 5, 10 * CAPGEN_MS);
	t = capgen_tcp_text(&tcp, t + CAPGEN_MS, CAPGEN_SERVER, "220 ready\r\n");
	capgen_tcp_ack(&tcp, t + 40 * CAPGEN_MS, CAPGEN_CLIENT);
	t = capgen_tcp_send(&tcp, t + CAPGEN_MS, CAPGEN_CLIENT, NULL, 3000, 12 * CAPGEN_US);
	capgen_tcp_close(&tcp, t + CAPGEN_S, CAPGEN_CLIENT, CAPGEN_MS);
}

Test(capgen, a_connection_reads_as_written)
{
	for (unsigned form = 0; form < 4; form++) {
		Capture c = {0};
		FILE *out = open_memstream(&c.bytes, &c.size);
		Capgen *capgen = capgen_new(out, 200);
		make_ftp(capgen, form & 1, form & 2 ? 7 : 0);
		cr_assert_eq(capgen_count(capgen), 11);
		capgen_free(capgen);
		fclose(out);
		capture_decode(&c);
		cr_assert_eq(c.count, 11);
		for (size_t i = 0; i < c.count; i++) {
			const Packet *p = &c.packets[i];
			cr_assert_eq(p->kind, PACKET_TCP, "form %u packet %zu", form, i);
			cr_assert_eq(p->ip_version, form & 1 ? 6 : 4);
			cr_assert_eq(p->vlan, form & 2 ? 7 : 0);
			cr_assert(p->has_timestamps);
			cr_assert(i == 0 || p->ts_ns >= c.packets[i - 1].ts_ns, "sorted");
		}
		const Packet *p = c.packets;
		cr_assert_eq(p[0].tcp_flags, TCP_SYN);
		cr_assert_eq(p[0].mss, form & 1 ? 1440 : 1460);
		cr_assert_eq(p[0].window_scale, 7);
		cr_assert(p[0].sack_permitted && p[0].has_window_scale);
		cr_assert_eq(p[1].ts_ns - p[0].ts_ns, 10 * CAPGEN_MS);
		cr_assert_eq(p[1].ack, p[0].seq + 1);
		cr_assert_eq(p[2].ack, p[1].seq + 1);
		cr_assert_eq(p[3].payload_len, 11);
		cr_assert_arr_eq(p[3].payload, "220 ready\r\n", 11);
		cr_assert_eq(p[3].window, (1 << 20) >> 7);
		/* the client's data comes before its later acknowledgement */
		cr_assert_eq(p[4].payload_len + p[5].payload_len + p[6].payload_len, 3000);
		cr_assert_eq(p[5].seq, p[4].seq + p[4].payload_len);
		cr_assert_eq(p[5].ts_ns - p[4].ts_ns, 12 * CAPGEN_US);
		cr_assert_lt(p[4].payload_caplen, p[4].payload_len, "cut at 200 bytes");
		cr_assert_eq(p[7].payload_len, 0, "padding is no payload");
		cr_assert_eq(p[8].tcp_flags, TCP_FIN | TCP_ACK);
		cr_assert_eq(p[10].ack, p[9].seq + 1);
		free(c.bytes);
	}
}
