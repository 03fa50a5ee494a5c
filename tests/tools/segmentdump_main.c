/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints what each TCP packet of a capture was taken for, for compare_retransmissions.py and for
 * looking: frame, class, kind of repair, milliseconds since the hole it fills was opened (or since
 * the same bytes were confirmed), what else it did. segmentdump FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/capture/reader.h"
#include "analyzer/flow/flow_table.h"
#include "analyzer/flow/fragments.h"
#include "analyzer/tcp/connection.h"

#define MAX_FLOWS 100000

typedef struct Seen {
	TcpConnection tcp;
	bool client_is_low;
} Seen;

static const char *const classes[] = {
	[SEGMENT_NONE] = "none",
	[SEGMENT_NEW] = "new",
	[SEGMENT_COPY] = "copy",
	[SEGMENT_KEEP_ALIVE] = "keep-alive",
	[SEGMENT_PROBE] = "probe",
	[SEGMENT_RETRANSMISSION] = "repeated",
	[SEGMENT_RETRANSMISSION_UPSTREAM] = "upstream",
	[SEGMENT_REORDERED] = "reordered",
};

static const char *const kinds[] = {
	[RETRANSMISSION_NONE] = "-",
	[RETRANSMISSION_FAST] = "fast",
	[RETRANSMISSION_TIMEOUT] = "timeout",
	[RETRANSMISSION_TAIL_PROBE] = "tail-probe",
	[RETRANSMISSION_CLOSED_WINDOW] = "closed-window",
};

static void no_evict(void *context, Flow *flow)
{
	(void)context;
	tcp_connection_clear(&((Seen *)flow->user)->tcp);
}

/* A SYN with another sequence number opens another connection. */
static bool is_reuse(const Seen *seen, const Packet *packet, Side side)
{
	const TcpDirection *d = &seen->tcp.dir[side];
	return (packet->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN && d->has_seq &&
	       d->next_seq - (uint32_t)d->next - 1 != packet->seq;
}

static void seen_begin(Seen *seen, const Packet *packet, bool from_low)
{
	bool from_client = packet->tcp_flags & TCP_SYN ? !(packet->tcp_flags & TCP_ACK)
						       : packet->dst_port < packet->src_port;
	tcp_connection_init(&seen->tcp);
	seen->client_is_low = from_client == from_low;
}

static void dump(FlowTable *flows, const Packet *packet)
{
	FlowKey key;
	bool is_new, from_low = flow_key_of(packet, &key);
	Flow *flow = flow_table_get(flows, &key, flow_key_hash(&key), packet->ts_ns, &is_new);
	Seen *seen = flow->user;
	if (is_new)
		seen_begin(seen, packet, from_low);
	Side side = from_low == seen->client_is_low ? SIDE_CLIENT : SIDE_SERVER;
	if (is_reuse(seen, packet, side)) {
		tcp_connection_clear(&seen->tcp);
		seen_begin(seen, packet, from_low);
		side = SIDE_CLIENT;
	}
	const TcpDirection *d = &seen->tcp.dir[side];
	int64_t una = d->una, edge = d->edge;
	uint64_t keep_alives = d->keep_alives, spurious = d->spurious_inferred;
	bool has_edge = d->has_edge;
	TcpStep step;
	tcp_connection_step(&seen->tcp, side, packet, &step);
	bool is_hole = step.segment == SEGMENT_NEW && step.from > step.next_before;
	bool is_full = packet->payload_len > 0 && has_edge && step.end == edge &&
		       step.segment != SEGMENT_COPY;
	bool is_old = packet->payload_len > 0 && step.end <= una;
	printf("%" PRIu64 "\t%s\t%s\t%.3f\t%s%s%s%s%s%s%s\n", packet->frame, classes[step.segment],
		kinds[step.retransmission], (double)(packet->ts_ns - step.previous_data_ns) / 1e6,
		step.is_duplicate_ack ? "duplicate-ack " : "",
		step.zero_window ? "zero-window " : "", is_hole ? "hole " : "",
		is_full ? "full " : "", is_old ? "old " : "",
		d->keep_alives > keep_alives ? "keep-alive " : "",
		d->spurious_inferred > spurious ? "spurious " : "");
}

int main(int argc, char **argv)
{
	static Packet batch[READER_BATCH];
	if (argc != 2)
		return 2;
	ReaderOptions options = {0};
	const char *path = argv[1];
	g_autoptr(GError) error = NULL;
	g_autoptr(Reader) reader = reader_open(&path, 1, &options, &error);
	if (!reader) {
		fprintf(stderr, "%s\n", error->message);
		return 3;
	}
	flow_hash_seed();
	FlowTable *flows = flow_table_new(MAX_FLOWS, sizeof(Seen), no_evict, NULL);
	Fragments *fragments = fragments_new();
	size_t count;
	while ((count = reader_next_batch(reader, batch)) > 0) {
		for (size_t i = 0; i < count; i++) {
			Packet whole;
			if (batch[i].kind == PACKET_TCP)
				dump(flows, &batch[i]);
			else if (batch[i].kind == PACKET_FRAGMENT &&
				 fragments_push(fragments, &batch[i], &whole) &&
				 whole.kind == PACKET_TCP)
				dump(flows, &whole);
		}
	}
	for (Flow *flow = flow_table_oldest(flows); flow; flow = flow->lru_next)
		tcp_connection_clear(&((Seen *)flow->user)->tcp);
	flow_table_free(flows);
	fragments_free(fragments);
	return 0;
}
