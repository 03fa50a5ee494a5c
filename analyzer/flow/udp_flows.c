/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See udp_flows.h. A hash table with linear probing over a fixed array.
 */
#include "analyzer/flow/udp_flows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"

/* Twice the flows: probing stays short. */
#define SLOTS (2 * UDP_FLOWS_MAX)
/* Larger steps are no count: no test loses so many in a row and goes on. */
#define LARGEST_STEP 65536
#define LARGEST_ID_STEP 200
/* A count goes on nearly always; packets out of order are the rest. */
#define FIT_SHARE 0.9
/* Words of time behind the number: microseconds are fewer than a million. */
#define MICROSECONDS 1000000
/* Ports of the programs (iperf2, iperf3, NETIO). */
#define PORT_IPERF2 5001
#define PORT_IPERF3 5201
#define PORT_NETIO 18767

struct UdpFlows {
	UdpFlow flows[UDP_FLOWS_MAX];
	uint16_t slots[SLOTS]; /* index + 1, 0 empty */
	size_t count;
	uint64_t evicted;
};

UdpFlows *udp_flows_new(void)
{
	return calloc(1, sizeof(UdpFlows));
}

void udp_flows_free(UdpFlows *flows)
{
	free(flows);
}

/** Key: what names a flow. */
typedef struct Key {
	uint8_t src[16], dst[16];
	uint16_t src_port, dst_port, input, zero;
} Key;

static size_t slot_of(const uint8_t src[16], const uint8_t dst[16], uint16_t src_port,
	uint16_t dst_port, uint16_t input)
{
	Key key = {.src_port = src_port, .dst_port = dst_port, .input = input};
	memcpy(key.src, src, 16);
	memcpy(key.dst, dst, 16);
	return hash_bytes(&key, sizeof(key)) % SLOTS;
}

static bool is_flow_of(const UdpFlow *f, const Packet *p)
{
	return f->src_port == p->src_port && f->dst_port == p->dst_port && f->input == p->input &&
	       memcmp(f->src, p->src, 16) == 0 && memcmp(f->dst, p->dst, 16) == 0;
}

static void slots_fill(UdpFlows *flows)
{
	memset(flows->slots, 0, sizeof(flows->slots));
	for (size_t i = 0; i < flows->count; i++) {
		const UdpFlow *f = &flows->flows[i];
		size_t s = slot_of(f->src, f->dst, f->src_port, f->dst_port, f->input);
		while (flows->slots[s] != 0)
			s = (s + 1) % SLOTS;
		flows->slots[s] = (uint16_t)(i + 1);
	}
}

/* The quieter half of the flows makes room at once: one at a time would cost a walk per flow. */
static void make_room(UdpFlows *flows)
{
	int64_t newest = INT64_MIN, oldest = INT64_MAX;
	for (size_t i = 0; i < flows->count; i++) {
		newest = flows->flows[i].last_ns > newest ? flows->flows[i].last_ns : newest;
		oldest = flows->flows[i].last_ns < oldest ? flows->flows[i].last_ns : oldest;
	}
	int64_t middle = oldest + (newest - oldest) / 2;
	size_t kept = 0;
	for (size_t i = 0; i < flows->count; i++) {
		if (flows->flows[i].last_ns > middle)
			flows->flows[kept++] = flows->flows[i];
	}
	/* all of the same moment: the second half goes */
	if (kept == flows->count)
		kept /= 2;
	flows->evicted += flows->count - kept;
	flows->count = kept;
	slots_fill(flows);
}

static UdpFlow *flow_get(UdpFlows *flows, const Packet *p)
{
	size_t s = slot_of(p->src, p->dst, p->src_port, p->dst_port, p->input);
	for (; flows->slots[s] != 0; s = (s + 1) % SLOTS) {
		UdpFlow *f = &flows->flows[flows->slots[s] - 1];
		if (is_flow_of(f, p))
			return f;
	}
	if (flows->count == UDP_FLOWS_MAX) {
		make_room(flows);
		s = slot_of(p->src, p->dst, p->src_port, p->dst_port, p->input);
		while (flows->slots[s] != 0)
			s = (s + 1) % SLOTS;
	}
	UdpFlow *f = &flows->flows[flows->count++];
	*f = (UdpFlow){.src_port = p->src_port,
		.dst_port = p->dst_port,
		.input = p->input,
		.first_ns = p->ts_ns,
		.first_frame = p->frame};
	memcpy(f->src, p->src, 16);
	memcpy(f->dst, p->dst, 16);
	flows->slots[s] = (uint16_t)flows->count;
	return f;
}

static void count_take(UdpCount *c, uint32_t number, uint32_t mask, uint32_t largest)
{
	if (c->numbered++ == 0) {
		c->first = c->last = c->highest = number;
		return;
	}
	uint32_t ahead = (number - c->highest) & mask;
	uint32_t behind = (c->highest - number) & mask;
	if (ahead >= 1 && ahead <= largest) {
		c->steps++;
		c->single += ahead == 1;
		c->over_first += ahead;
		c->highest = number;
	} else if (behind >= 1 && behind <= largest) {
		c->late++;
	} else {
		c->misfits++;
	}
	c->last = number;
}

static uint32_t word_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void udp_flows_push(UdpFlows *flows, const Packet *packet)
{
	UdpFlow *f = flow_get(flows, packet);
	f->datagrams++;
	f->bytes += packet->payload_len;
	f->last_ns = packet->ts_ns;
	if (packet->payload_caplen >= 12) {
		const uint8_t *p = packet->payload;
		/* iperf2 ends with negative ids */
		if (word_at(p) <= INT32_MAX && word_at(p + 8) < MICROSECONDS)
			count_take(&f->counts[UDP_NUMBERING_FIRST_WORD - 1], word_at(p), UINT32_MAX,
				LARGEST_STEP);
		if (word_at(p + 4) < MICROSECONDS)
			count_take(&f->counts[UDP_NUMBERING_THIRD_WORD - 1], word_at(p + 8),
				UINT32_MAX, LARGEST_STEP);
	}
	if (packet->ip_version == 4)
		count_take(&f->counts[UDP_NUMBERING_IP_ID - 1], packet->ip_id, UINT16_MAX,
			LARGEST_ID_STEP);
}

size_t udp_flows_count(const UdpFlows *flows)
{
	return flows ? flows->count : 0;
}

const UdpFlow *udp_flows_at(const UdpFlows *flows, size_t index)
{
	return &flows->flows[index];
}

uint64_t udp_flows_evicted(const UdpFlows *flows)
{
	return flows ? flows->evicted : 0;
}

static bool fits(const UdpFlow *f, UdpNumbering numbering)
{
	const UdpCount *c = &f->counts[numbering - 1];
	/* a few datagrams of a test are no data: its start and its end */
	if (c->numbered < UDP_FLOWS_MIN_NUMBERED ||
		(double)c->numbered < FIT_SHARE * (double)f->datagrams)
		return false;
	/* the identification is shared by all that a host sends: only steps of one are a count of
	 * this flow, with the losses between them */
	uint64_t good = numbering == UDP_NUMBERING_IP_ID ? c->single : c->steps + c->late;
	/* a time that is stamped into each datagram grows, too, but not by one */
	return (double)good >= FIT_SHARE * (double)(c->numbered - 1) && c->single * 2 >= c->steps;
}

UdpNumbering udp_flow_numbering(const UdpFlow *flow)
{
	/* numbers of their own first; of iperf3's words the first is a time and stands still */
	static const UdpNumbering order[] = {
		UDP_NUMBERING_THIRD_WORD, UDP_NUMBERING_FIRST_WORD, UDP_NUMBERING_IP_ID};
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (fits(flow, order[i]))
			return order[i];
	}
	return UDP_NUMBERING_NONE;
}

bool udp_flow_lost(const UdpFlow *flow, uint64_t *ret_lost, uint64_t *ret_late)
{
	UdpNumbering numbering = udp_flow_numbering(flow);
	*ret_lost = *ret_late = 0;
	if (numbering == UDP_NUMBERING_NONE)
		return false;
	const UdpCount *c = &flow->counts[numbering - 1];
	uint64_t sent = c->over_first + 1, came = c->steps + c->late + 1;
	*ret_lost = sent > came ? sent - came : 0;
	*ret_late = c->late;
	return true;
}

double udp_flow_rate(const UdpFlow *flow)
{
	int64_t ns = flow->last_ns - flow->first_ns;
	return ns > 0 && flow->datagrams > 1 ? (double)flow->bytes * 1e9 / (double)ns : 0;
}

const char *udp_flow_program(const UdpFlow *flow)
{
	UdpNumbering numbering = udp_flow_numbering(flow);
	if (flow->src_port == PORT_NETIO || flow->dst_port == PORT_NETIO)
		return "netio";
	if (flow->src_port == PORT_IPERF3 || flow->dst_port == PORT_IPERF3 ||
		numbering == UDP_NUMBERING_THIRD_WORD)
		return "iperf3";
	if (flow->src_port == PORT_IPERF2 || flow->dst_port == PORT_IPERF2 ||
		numbering == UDP_NUMBERING_FIRST_WORD)
		return "iperf2";
	return NULL;
}

const char *udp_test_program(uint16_t port)
{
	switch (port) {
	case PORT_IPERF3:
		return "iperf3";
	case PORT_IPERF2: /* NTttcp as well */
		return "iperf";
	case PORT_NETIO:
		return "netio";
	default:
		return NULL;
	}
}
