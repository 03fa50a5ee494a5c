/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames and TCP connections written as a capture. IP checksums are right; TCP checksums are left
 * out (0) as with checksum offload, since the payload beyond the given bytes is not real either.
 */
#include "tests/tools/capgen.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#define PCAP_MAGIC_NS 0xa1b23c4d
#define LINKTYPE_ETHERNET 1

enum { FIN = 0x01, SYN = 0x02, PSH = 0x08, ACK = 0x10 };

typedef struct Record {
	int64_t t_ns;
	uint64_t order;
	uint32_t caplen, wirelen;
	uint8_t *data;
} Record;

struct Capgen {
	FILE *out;
	uint32_t snaplen;
	bool stream;
	uint64_t count;
	GArray *records; /* Record, until finished */
};

static void write_le32(FILE *out, uint32_t value)
{
	uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
		(uint8_t)(value >> 24)};
	fwrite(bytes, 1, sizeof bytes, out);
}

Capgen *capgen_new(FILE *out, uint32_t snaplen)
{
	Capgen *capgen = g_new0(Capgen, 1);
	capgen->out = out;
	capgen->snaplen = snaplen;
	capgen->records = g_array_new(FALSE, FALSE, sizeof(Record));
	write_le32(out, PCAP_MAGIC_NS);
	write_le32(out, 2 | 4 << 16); /* version 2.4 */
	write_le32(out, 0);
	write_le32(out, 0);
	write_le32(out, snaplen);
	write_le32(out, LINKTYPE_ETHERNET);
	return capgen;
}

void capgen_stream(Capgen *capgen)
{
	capgen->stream = true;
}

static void write_record(
	const Capgen *capgen, int64_t t_ns, const uint8_t *data, uint32_t caplen, uint32_t wirelen)
{
	int64_t time = CAPGEN_EPOCH_NS + t_ns;
	write_le32(capgen->out, (uint32_t)(time / CAPGEN_S));
	write_le32(capgen->out, (uint32_t)(time % CAPGEN_S));
	write_le32(capgen->out, caplen);
	write_le32(capgen->out, wirelen);
	fwrite(data, 1, caplen, capgen->out);
}

void capgen_frame(Capgen *capgen, int64_t t_ns, const void *data, uint32_t len, uint32_t wirelen)
{
	uint32_t caplen = wirelen < capgen->snaplen ? wirelen : capgen->snaplen;
	uint64_t order = capgen->count++;
	uint8_t small[512], *bytes = small;
	if (!capgen->stream || caplen > sizeof small)
		bytes = g_malloc(caplen ? caplen : 1);
	uint32_t given = len < caplen ? len : caplen;
	memcpy(bytes, data, given);
	memset(bytes + given, 0, caplen - given);
	if (!capgen->stream) {
		Record record = {t_ns, order, caplen, wirelen, bytes};
		g_array_append_val(capgen->records, record);
		return;
	}
	write_record(capgen, t_ns, bytes, caplen, wirelen);
	if (bytes != small)
		g_free(bytes);
}

uint64_t capgen_count(const Capgen *capgen)
{
	return capgen->count;
}

static gint compare_records(gconstpointer a, gconstpointer b)
{
	const Record *x = a, *y = b;
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void capgen_free(Capgen *capgen)
{
	if (!capgen)
		return;
	g_array_sort(capgen->records, compare_records);
	for (guint i = 0; i < capgen->records->len; i++) {
		Record *r = &g_array_index(capgen->records, Record, i);
		write_record(capgen, r->t_ns, r->data, r->caplen, r->wirelen);
		g_free(r->data);
	}
	g_array_free(capgen->records, TRUE);
	g_free(capgen);
}

static void put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value);
}

static CapgenEnd end_of(const char *address, uint16_t port, uint8_t number, bool *ret_is_v6)
{
	CapgenEnd end = {.mac = {0x02, 0, 0, 0, 0, number},
		.port = port,
		.ttl = 64,
		.ip_id = (uint16_t)(number * 1000),
		.seq = number * 100000u,
		.window = 1 << 20,
		.window_scale = 7};
	*ret_is_v6 = inet_pton(AF_INET, address, end.addr) != 1;
	if (*ret_is_v6 && inet_pton(AF_INET6, address, end.addr) != 1)
		g_error("capgen: %s is no address", address);
	end.mss = *ret_is_v6 ? 1440 : 1460;
	return end;
}

CapgenTcp capgen_tcp(Capgen *capgen, const char *client, uint16_t client_port, const char *server,
	uint16_t server_port)
{
	bool client_is_v6, server_is_v6;
	CapgenTcp tcp = {.capgen = capgen,
		.end = {end_of(client, client_port, 1, &client_is_v6),
			end_of(server, server_port, 2, &server_is_v6)},
		.timestamps = true,
		.sack_permitted = true,
		.window_scaling = true};
	if (client_is_v6 != server_is_v6)
		g_error("capgen: %s and %s are of different versions", client, server);
	tcp.ip_version = client_is_v6 ? 6 : 4;
	return tcp;
}

static uint16_t ip_checksum(const uint8_t *header)
{
	uint32_t sum = 0;
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static uint32_t put_ethernet(
	uint8_t *p, const CapgenTcp *tcp, const CapgenEnd *from, const CapgenEnd *to)
{
	uint32_t len = 12;
	memcpy(p, to->mac, 6);
	memcpy(p + 6, from->mac, 6);
	if (tcp->vlan) {
		put16(p + len, 0x8100);
		put16(p + len + 2, tcp->vlan);
		len += 4;
	}
	put16(p + len, tcp->ip_version == 6 ? 0x86dd : 0x0800);
	return len + 2;
}

static uint32_t put_ip(
	uint8_t *p, const CapgenTcp *tcp, CapgenEnd *from, const CapgenEnd *to, uint32_t len)
{
	if (tcp->ip_version == 6) {
		memset(p, 0, 40);
		p[0] = 0x60;
		put16(p + 4, len);
		p[6] = 6;
		p[7] = from->ttl;
		memcpy(p + 8, from->addr, 16);
		memcpy(p + 24, to->addr, 16);
		return 40;
	}
	memset(p, 0, 20);
	p[0] = 0x45;
	put16(p + 2, 20 + len);
	put16(p + 4, from->ip_id++);
	p[6] = 0x40; /* do not fragment */
	p[8] = from->ttl;
	p[9] = 6;
	memcpy(p + 12, from->addr, 4);
	memcpy(p + 16, to->addr, 4);
	put16(p + 10, ip_checksum(p));
	return 20;
}

/* TCP options, padded with NOPs in front as stacks do it; returns their length. */
static uint32_t put_options(uint8_t *p, const CapgenTcp *tcp, int64_t t_ns, const CapgenSegment *s)
{
	const CapgenEnd *from = &tcp->end[s->side];
	uint32_t len = 0;
	if (s->flags & SYN) {
		p[0] = 2;
		p[1] = 4;
		put16(p + 2, from->mss);
		len = 4;
	}
	if (s->flags & SYN && tcp->sack_permitted) {
		memcpy(p + len, "\x01\x01\x04\x02", 4);
		len += 4;
	}
	if (tcp->timestamps) {
		memcpy(p + len, "\x01\x01\x08\x0a", 4);
		uint32_t ms = (uint32_t)(t_ns / CAPGEN_MS) + 1000;
		put32(p + len + 4, ms + (s->side == CAPGEN_SERVER ? 5000000 : 0));
		put32(p + len + 8,
			s->flags & ACK ? ms + (s->side == CAPGEN_SERVER ? 0 : 5000000) : 0);
		len += 12;
	}
	if (s->flags & SYN && tcp->window_scaling) {
		memcpy(p + len, "\x01\x03\x03", 3);
		p[len + 3] = from->window_scale;
		len += 4;
	}
	if (s->sack_count > 0) {
		p[len] = p[len + 1] = 1;
		p[len + 2] = 5;
		p[len + 3] = (uint8_t)(2 + 8 * s->sack_count);
		for (unsigned i = 0; i < 2 * s->sack_count; i++)
			put32(p + len + 4 + 4 * i, s->sack[i]);
		len += 4 + 8 * s->sack_count;
	}
	return len;
}

void capgen_tcp_segment(CapgenTcp *tcp, int64_t t_ns, const CapgenSegment *segment)
{
	uint8_t frame[CAPGEN_MAX_HEADER + 2048], options[60] = {0};
	CapgenEnd *from = &tcp->end[segment->side], *to = &tcp->end[!segment->side];
	uint32_t option_len = put_options(options, tcp, t_ns, segment);
	uint32_t len = put_ethernet(frame, tcp, from, to);
	len += put_ip(frame + len, tcp, from, to, 20 + option_len + segment->len);
	uint8_t *p = frame + len;
	bool scaled = tcp->window_scaling && !(segment->flags & SYN);
	uint32_t window = scaled ? from->window >> from->window_scale : from->window;
	memset(p, 0, 20);
	put16(p, from->port);
	put16(p + 2, to->port);
	put32(p + 4, segment->seq);
	put32(p + 8, segment->flags & ACK ? segment->ack : 0);
	p[12] = (uint8_t)((20 + option_len) << 2);
	p[13] = segment->flags;
	put16(p + 14, window < 65535 ? window : 65535);
	memcpy(p + 20, options, option_len);
	len += 20 + option_len;
	uint32_t wirelen = len + segment->len, kept = segment->kept;
	if (kept > sizeof frame - len)
		kept = (uint32_t)sizeof frame - len;
	if (kept > 0)
		memcpy(frame + len, segment->payload, kept);
	len += kept;
	if (wirelen < 60) { /* Ethernet pads */
		memset(frame + len, 0, 60 - len);
		len = wirelen = 60;
	}
	capgen_frame(tcp->capgen, t_ns, frame, len, wirelen);
}

uint32_t capgen_tcp_mss(const CapgenTcp *tcp, CapgenSide side)
{
	return tcp->end[!side].mss - (tcp->timestamps ? 12u : 0u);
}

/* A segment without payload. */
static void send_bare(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, uint8_t flags)
{
	const CapgenEnd *from = &tcp->end[side];
	capgen_tcp_segment(tcp, t_ns,
		&(CapgenSegment){
			.side = side, .flags = flags, .seq = from->seq, .ack = from->acked});
}

int64_t capgen_tcp_open(CapgenTcp *tcp, int64_t t_ns, int64_t rtt_ns)
{
	CapgenEnd *client = &tcp->end[CAPGEN_CLIENT], *server = &tcp->end[CAPGEN_SERVER];
	send_bare(tcp, t_ns, CAPGEN_CLIENT, SYN);
	server->acked = ++client->seq;
	send_bare(tcp, t_ns + rtt_ns, CAPGEN_SERVER, SYN | ACK);
	client->acked = ++server->seq;
	send_bare(tcp, t_ns + rtt_ns, CAPGEN_CLIENT, ACK);
	return t_ns + rtt_ns;
}

int64_t capgen_tcp_send(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, const void *data,
	uint32_t len, int64_t gap_ns)
{
	CapgenEnd *from = &tcp->end[side], *to = &tcp->end[!side];
	uint32_t mss = capgen_tcp_mss(tcp, side);
	for (uint32_t sent = 0; sent < len; t_ns += gap_ns) {
		uint32_t size = len - sent < mss ? len - sent : mss;
		bool last = sent + size == len;
		capgen_tcp_segment(tcp, t_ns,
			&(CapgenSegment){.side = side,
				.flags = (uint8_t)(ACK | (last ? PSH : 0)),
				.seq = from->seq,
				.ack = from->acked,
				.payload = data ? (const uint8_t *)data + sent : NULL,
				.kept = data ? size : 0,
				.len = size});
		from->seq += size;
		sent += size;
	}
	to->acked = from->seq;
	return len > 0 ? t_ns - gap_ns : t_ns;
}

int64_t capgen_tcp_text(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, const char *text)
{
	return capgen_tcp_send(tcp, t_ns, side, text, (uint32_t)strlen(text), 0);
}

void capgen_tcp_ack(CapgenTcp *tcp, int64_t t_ns, CapgenSide side)
{
	send_bare(tcp, t_ns, side, ACK);
}

int64_t capgen_tcp_close(CapgenTcp *tcp, int64_t t_ns, CapgenSide side, int64_t rtt_ns)
{
	for (unsigned i = 0; i < 2; i++, side = !side) {
		send_bare(tcp, t_ns + i * rtt_ns, side, FIN | ACK);
		tcp->end[!side].acked = ++tcp->end[side].seq;
	}
	send_bare(tcp, t_ns + rtt_ns, side, ACK);
	return t_ns + rtt_ns;
}
