/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One packet of a connection, in order: handshake, loops, acknowledgement, payload. See
 * connection.h.
 */
#include "analyzer/tcp/connection.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/seq.h"
#include "analyzer/constants.h"
#include "analyzer/tcp/acknowledgement.h"
#include "analyzer/tcp/copy.h"
#include "analyzer/tcp/hole.h"
#include "analyzer/tcp/scale_lost.h"
#include "analyzer/tcp/segment.h"
#include "analyzer/tcp/steady.h"
#include "dissectors/clear.h"

/* Largest shift that RFC 7323 2.3 allows; larger ones count as this. */
#define WINDOW_SCALE_MAX 14
/* RFC 9293 3.7.1: without the option 536 for IPv4; only a starting value, data corrects it. */
/* RFC 7323 5.4: ticks are of 1 ms to 1 s, so this is a second at least, and sequence numbers need
 * longer to wrap at 10 Gbit/s. */
#define STALE_TICKS 1000
#define STALE_MAX 3
#define MSS_DEFAULT 536
/* A handshake answered this much faster than the path ever is means somebody else answered it. */
#define MIDDLEBOX_FACTOR 8
/* "ever": the smallest of so many samples */
#define MIDDLEBOX_SAMPLES 20

void tcp_connection_init(TcpConnection *tcp)
{
	memset(tcp, 0, sizeof(*tcp));
	for (int i = 0; i < 2; i++) {
		tcp->loop_ns[i] = INT64_MAX;
		tcp->dir[i].window_scale = -1;
		tcp->dir[i].is_slow_start = true;
		tcp->dir[i].mss = MSS_DEFAULT;
		tcp->dir[i].ttl_min = UINT8_MAX;
		tcp->dir[i].edge_window_min = UINT32_MAX;
	}
	tcp->state = TCP_STATE_SYN;
}

void tcp_connection_clear(TcpConnection *tcp)
{
	for (int i = 0; i < 2; i++) {
		free(tcp->dir[i].acks);
		free(tcp->dir[i].sends);
		free(tcp->dir[i].recent);
		free(tcp->dir[i].holes);
		free(tcp->dir[i].loss_log);
		tcp->dir[i].loss_log = NULL;
		tcp->dir[i].acks = NULL;
		tcp->dir[i].sends = NULL;
		tcp->dir[i].recent = NULL;
		tcp->dir[i].holes = NULL;
		tcp->dir[i].hole_count = 0;
	}
}

uint64_t tcp_uncaptured_bytes(const TcpDirection *d)
{
	uint64_t bytes = d->uncaptured_bytes;
	for (uint32_t i = 0; i < d->hole_count; i++) {
		if (d->holes[i].to <= d->una)
			bytes += (uint64_t)(d->holes[i].to - d->holes[i].from);
	}
	return bytes;
}

int64_t tcp_rtt_ns(const TcpConnection *tcp)
{
	if (tcp->loop_ns[0] == INT64_MAX || tcp->loop_ns[1] == INT64_MAX)
		return 0;
	return tcp->loop_ns[0] + tcp->loop_ns[1];
}

void tcp_recent_min_add(RecentMin *recent, int64_t sample)
{
	int64_t *cell = &recent->samples[recent->count % TCP_RECENT_SAMPLES];
	int64_t leaves = recent->count >= TCP_RECENT_SAMPLES ? *cell : INT64_MAX;
	*cell = sample;
	recent->count++;
	if (recent->count == 1 || sample <= recent->min) {
		recent->min = sample;
		return;
	}
	if (leaves > recent->min)
		return;
	recent->min = sample;
	for (uint32_t i = 0; i < TCP_RECENT_SAMPLES; i++) {
		if (recent->samples[i] < recent->min)
			recent->min = recent->samples[i];
	}
}

int64_t tcp_rtt_now_ns(const TcpConnection *tcp, Side sender)
{
	Side receiver = sender == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	int64_t there = tcp->dir[sender].rtt_now.min;
	int64_t back = tcp->loop_now[sender].min;
	if (there == 0)
		there = tcp_sender_loop_ns(tcp, receiver);
	if (back == 0)
		back = tcp_sender_loop_ns(tcp, sender);
	return there + back;
}

bool tcp_queue_stands(const TcpConnection *tcp, Side sender)
{
	int64_t base = tcp_rtt_ns(tcp);
	int64_t now = tcp_rtt_now_ns(tcp, sender);
	if (base == 0 || now < 2 * base || now < base + 2 * MILLISECOND_NS)
		return false;
	/* a receiver that was slow a moment ago delays its acknowledgements as a queue would */
	int64_t late = tcp->dir[sender].last_late_ns;
	int64_t fresh = QUEUE_AFTER_LATE_NS > 4 * now ? QUEUE_AFTER_LATE_NS : 4 * now;
	return late == 0 || tcp->last_ns - late > fresh;
}

void tcp_loop_sample(TcpConnection *tcp, Side side, int64_t loop_ns)
{
	if (loop_ns >= 0 && loop_ns < tcp->loop_ns[side])
		tcp->loop_ns[side] = loop_ns;
}

bool tcp_is_closed_window(const TcpConnection *tcp, Side sender)
{
	const TcpDirection *d = &tcp->dir[sender];
	return tcp_window_is_trusted(tcp, sender) && d->has_edge &&
	       (d->peer_window < d->mss || (d->edge - d->next < (int64_t)d->mss &&
						   d->peer_window < d->max_peer_window / 4));
}

static void scales_in_force(TcpConnection *tcp)
{
	TcpDirection *client = &tcp->dir[SIDE_CLIENT], *server = &tcp->dir[SIDE_SERVER];
	if (!client->syn_seen || !server->syn_seen)
		return;
	/* RFC 7323 2.2: only when both sides sent the option */
	bool both = client->window_scale >= 0 && server->window_scale >= 0;
	client->scale_in_force = both ? (uint8_t)client->window_scale : 0;
	server->scale_in_force = both ? (uint8_t)server->window_scale : 0;
	client->scale_known = server->scale_known = true;
	uint32_t options = client->has_timestamps && server->has_timestamps ? 12 : 0;
	for (int i = 0; i < 2; i++) {
		uint16_t peer = tcp->dir[1 - i].syn_mss ? tcp->dir[1 - i].syn_mss : MSS_DEFAULT;
		tcp->dir[i].mss = peer > options + 1 ? peer - options : 1;
	}
}

static void take_syn(TcpConnection *tcp, Side side, const Packet *packet)
{
	TcpDirection *d = &tcp->dir[side];
	bool is_repeated = d->syn_seen;
	if (!d->syn_seen || !d->has_seq || d->payload_packets == 0) {
		d->has_seq = true;
		d->next_seq = packet->seq + 1;
		d->next = d->una = d->sender_una = 0;
	}
	d->syn_seen = true;
	if (!is_repeated) {
		d->syn_frame = packet->frame;
		d->syn_mss = packet->mss;
		d->sack_permitted = packet->sack_permitted;
		d->has_timestamps = packet->has_timestamps;
		d->options_cut = packet->options_cut;
		if (packet->has_window_scale)
			d->window_scale = packet->window_scale > WINDOW_SCALE_MAX
						  ? WINDOW_SCALE_MAX
						  : packet->window_scale;
	}
	bool is_answer = packet->tcp_flags & TCP_ACK;
	if (!is_answer) {
		if (tcp->syn_tries++ == 0)
			tcp->syn_ns = packet->ts_ns;
		scale_lost_syn(d, packet);
	} else {
		if (tcp->syn_ack_tries++ == 0)
			tcp->syn_ack_ns = packet->ts_ns;
		/* a repeated SYN does not say which one was answered */
		if (tcp->syn_tries == 1 && tcp->syn_ack_tries == 1 && tcp->syn_ns != 0) {
			tcp->handshake_loop_ns[SIDE_SERVER] = packet->ts_ns - tcp->syn_ns;
			tcp_loop_sample(tcp, SIDE_SERVER, packet->ts_ns - tcp->syn_ns);
		}
	}
	tcp->swapped_known = true;
	scales_in_force(tcp);
}

static void take_handshake_ack(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	if (tcp->established_ns != 0 || tcp->syn_ack_ns == 0 || side != SIDE_CLIENT ||
		!(packet->tcp_flags & TCP_ACK))
		return;
	if (packet->tcp_flags & (TCP_SYN | TCP_RST))
		return;
	tcp->established_ns = packet->ts_ns;
	tcp->state = TCP_STATE_OPEN;
	tcp->handshake_seen = tcp->syn_ns != 0;
	step->is_setup = true;
	scale_lost_established(&tcp->dir[SIDE_CLIENT], packet);
	if (tcp->syn_ack_tries == 1) {
		tcp->handshake_loop_ns[SIDE_CLIENT] = packet->ts_ns - tcp->syn_ack_ns;
		tcp_loop_sample(tcp, SIDE_CLIENT, packet->ts_ns - tcp->syn_ack_ns);
	}
}

static void take_congestion_mark(TcpDirection *d, const Packet *packet)
{
	d->ece_flags++;
	if (d->first_ecn_frame != 0)
		return;
	d->first_ecn_frame = packet->frame;
	d->first_ecn_ns = packet->ts_ns;
}

static void take_mac(TcpDirection *d, const Packet *packet)
{
	if (!packet->has_macs)
		return;
	if (d->has_mac && memcmp(d->mac, packet->src_mac, sizeof(d->mac)) != 0 &&
		d->mac_changes++ == 0) {
		d->mac_frame = packet->frame;
		d->mac_frame_ns = packet->ts_ns;
	}
	memcpy(d->mac, packet->src_mac, sizeof(d->mac));
	d->has_mac = true;
}

static void take_header(TcpDirection *d, const Packet *packet)
{
	d->packets++;
	if (packet->ttl < d->ttl_min)
		d->ttl_min = packet->ttl;
	if (packet->ttl > d->ttl_max)
		d->ttl_max = packet->ttl;
	if (d->packets % TCP_MAC_EVERY == 1)
		take_mac(d, packet);
	if (packet->was_fragmented)
		d->fragmented++;
	if (packet->ecn == 3)
		d->ecn_marks++;
	d->wire_bytes += packet->wirelen;
	if (packet->has_timestamps)
		d->has_timestamps = true;
}

/* RFC 3168 6.1.2: the sender reacts to an echoed mark as to a loss. */
static void take_congestion_echo(TcpDirection *sender, int64_t now_ns)
{
	sender->demonstrated = 0;
	sender->plateau_rounds = 0;
	sender->last_loss_ns = now_ns;
	sender->is_slow_start = false;
}

/* Whether the packet brings anything that no earlier packet of its side brought. */
static bool brings_new(const TcpDirection *d, const TcpDirection *peer, const Packet *packet)
{
	if (!d->has_seq)
		return true;
	if (packet->payload_len > 0)
		return !seq_before(packet->seq + packet->payload_len, d->next_seq + 1);
	if (packet->tcp_flags & (TCP_SYN | TCP_FIN | TCP_RST))
		return false;
	if (!peer->has_seq)
		return true;
	return seq_unwrap(packet->ack, peer->next_seq, peer->next) > peer->una;
}

static void middlebox_check(TcpConnection *tcp, const TcpDirection *d)
{
	int64_t handshake =
		tcp->handshake_loop_ns[SIDE_CLIENT] + tcp->handshake_loop_ns[SIDE_SERVER];
	if (handshake > 0 && d->min_rtt_ns > MIDDLEBOX_FACTOR * handshake &&
		d->min_rtt_ns > 10 * MILLISECOND_NS)
		tcp->middlebox = true;
}

/* An acknowledgement carries the number of the next byte: those before it were sent, and were lost
 * on their way here or are late. */
static void take_bare(TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	/* before the first data only the handshake tells where they begin */
	bool is_known = d->payload_packets > 0 || d->syn_seen;
	/* a FIN took a number of its own */
	int64_t from = step->from - d->fin_seen;
	if (packet->tcp_flags & (TCP_SYN | TCP_RST) || !is_known || from <= d->next ||
		d->bare_next >= from)
		return;
	if (d->bare_next <= d->next)
		d->bare_ns = packet->ts_ns;
	d->bare_next = from;
}

/*
 * Data that are new by their number and old by their time stamp: left over from before the numbers
 * wrapped, or not of this connection. A receiver drops them (RFC 7323 5.3). When they keep coming a
 * device on the way has changed the clock.
 */
static bool is_stale(TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	bool is_old = packet->has_timestamps && d->has_last_tsval && d->payload_packets > 0 &&
		      step->from >= d->next &&
		      seq_before(packet->tsval, d->last_tsval - STALE_TICKS);
	if (!is_old) {
		d->stale_in_row = 0;
		return false;
	}
	if (++d->stale_in_row <= STALE_MAX)
		return true;
	d->stale_in_row = 0;
	d->last_tsval = packet->tsval;
	return false;
}

/* Captured at two places: what happened to its options between them? */
static void compare_syn(TcpConnection *tcp, const TcpDirection *d, const Packet *packet)
{
	bool is_whole = d->syn_seen && !d->options_cut && !packet->options_cut;
	if (is_whole && (d->window_scale >= 0) != packet->has_window_scale)
		tcp->scale_stripped_frame = packet->frame;
}

/* Where the packet lies in its stream, and what was known before it. */
static void take_place(TcpDirection *d, int64_t from, TcpStep *step)
{
	step->from = from;
	step->end = from + step->len;
	/* what no older advert allowed was sent by who knows a newer one, whatever it echoes */
	d->is_echo_stuck |= step->under_way_ns > 0 && d->pending_tsval_ns > 0 &&
			    d->pending_edge > 0 && step->end > d->pending_edge;
	if (d->is_echo_stuck)
		step->under_way_ns = 0;
	step->next_before = d->next;
	step->flight_before = d->flight_at_stop;
	step->small_end = d->small_end;
}

/* The long way: nothing is taken for granted. */
__attribute__((noinline)) static void step_in_full(
	TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	Side peer = side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	TcpDirection *d = &tcp->dir[side];
	if (tcp->first_ns == 0)
		tcp->first_ns = packet->ts_ns;
	tcp->last_ns = packet->ts_ns;
	if (copy_is_known(tcp, d, packet, brings_new(d, &tcp->dir[peer], packet))) {
		if (packet->tcp_flags & TCP_SYN)
			compare_syn(tcp, d, packet);
		d->copies++;
		d->packets++;
		step->segment = SEGMENT_COPY;
		return;
	}
	take_header(d, packet);
	if ((packet->tcp_flags & (TCP_ECE | TCP_SYN)) == TCP_ECE) {
		take_congestion_mark(d, packet);
		take_congestion_echo(&tcp->dir[peer], packet->ts_ns);
	}
	for (int i = 0; i < 2 && tcp->dir[0].hole_count + tcp->dir[1].hole_count > 0; i++) {
		if (step->gap_to == step->gap_from)
			holes_expire(tcp, i, packet->ts_ns, step);
	}
	if (packet->direction == PACKET_DIRECTION_OUT)
		tcp->direction_hint[side] = true;
	TcpEnds ends = tcp_ends(tcp, side);
	if (packet->has_timestamps)
		acknowledgement_timestamps(&ends, packet, step);
	if (packet->tcp_flags & TCP_SYN) {
		step->is_setup = true;
		take_syn(tcp, side, packet);
	}
	take_handshake_ack(tcp, side, packet, step);
	if (packet->tcp_flags & TCP_ACK)
		acknowledgement_take(tcp, peer, packet, step);
	uint32_t seq = packet->seq + (packet->tcp_flags & TCP_SYN ? 1 : 0);
	if (!d->has_seq) {
		d->has_seq = true;
		d->next_seq = seq;
		/* without a handshake the peer's window counts from here */
		d->next = d->una = d->sender_una = 0;
	}
	take_place(d, seq_unwrap(seq, d->next_seq, d->next), step);
	if (packet->payload_len > 0) {
		/* ahead, half the sequence space may be missing in the capture */
		if (step->end < d->next - (int64_t)UINT32_MAX / 4 || is_stale(d, packet, step))
			tcp->out_of_window_packets++;
		else
			segment_classify(tcp, side, packet, step);
		if (tcp->state == TCP_STATE_SYN)
			tcp->state = TCP_STATE_OPEN;
	} else if (step->from > d->next) {
		take_bare(d, packet, step);
	} else if (!(packet->tcp_flags & (TCP_SYN | TCP_FIN | TCP_RST)) && d->payload_packets > 0 &&
		   step->from == d->next - 1) {
		d->keep_alives++; /* RFC 1122 4.2.3.6: empty, one below */
		step->segment = SEGMENT_KEEP_ALIVE;
	}
	/* the ledger of unseen packets counts all that the host sends, acknowledgements as well */
	if (packet->ip_version == 4 && !(packet->tcp_flags & (TCP_SYN | TCP_RST)) &&
		step->segment != SEGMENT_REORDERED)
		d->last_ip_id = packet->ip_id;
	if (packet->tcp_flags & TCP_FIN) {
		d->fin_seen = true;
		step->closes = true;
		if (tcp->state < TCP_STATE_CLOSING)
			tcp->state = TCP_STATE_CLOSING;
		if (tcp->dir[peer].fin_seen && tcp->state < TCP_STATE_CLOSED)
			tcp->state = TCP_STATE_CLOSED;
	}
	if (packet->tcp_flags & TCP_RST) {
		d->rst_seen = true;
		step->closes = true;
		tcp->state = TCP_STATE_RESET;
	}
	if (d->rtt_samples == MIDDLEBOX_SAMPLES)
		middlebox_check(tcp, d);
}

static inline void step_begin(
	const TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	const TcpDirection *d = &tcp->dir[side];
	_Static_assert(sizeof(*step) > 2 * CLEAR_PIECE && sizeof(*step) <= 3 * CLEAR_PIECE,
		"three pieces");
	clear_stores(step, sizeof(*step));
	step->side = side;
	step->len = packet->payload_len;
	step->previous_data_ns = d->last_data_ns;
	step->previous_len = d->last_len;
	step->was_in_recovery = d->in_recovery;
}

/* With all it needs in one piece of code: nearly every packet goes this way. */
__attribute__((flatten)) bool tcp_connection_predicted(
	TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	if (!tcp->is_steady)
		return false;
	TcpEnds ends = tcp_ends(tcp, side);
	TcpDirection *d = ends.own;
	bool is_data = steady_is_data(d, ends.peer, packet);
	if (!is_data && !steady_is_ack(d, ends.peer, packet))
		return false;
	step_begin(tcp, side, packet, step);
	tcp->last_ns = packet->ts_ns;
	copy_remember(d, packet);
	take_header(d, packet);
	if (packet->direction == PACKET_DIRECTION_OUT)
		tcp->direction_hint[side] = true;
	if (packet->has_timestamps)
		acknowledgement_timestamps(&ends, packet, step);
	take_place(d, d->next, step);
	if (is_data)
		segment_in_order(&ends, packet, step);
	else
		acknowledgement_in_order(&ends, packet, step);
	if (packet->ip_version == 4)
		d->last_ip_id = packet->ip_id;
	if (d->rtt_samples == MIDDLEBOX_SAMPLES)
		middlebox_check(tcp, d);
	return true;
}

void tcp_connection_step(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	if (tcp_connection_predicted(tcp, side, packet, step))
		return;
	step_begin(tcp, side, packet, step);
	step_in_full(tcp, side, packet, step);
	tcp->is_steady = !tcp->is_never_steady && steady_holds(tcp);
}
