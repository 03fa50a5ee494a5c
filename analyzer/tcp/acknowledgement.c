/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Acknowledgements: see acknowledgement.h. RFC 9293 3.10.7.4, RFC 2018, RFC 2883, RFC 6298, RFC
 * 7323.
 */
#include "analyzer/tcp/acknowledgement.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/seq.h"
#include "analyzer/constants.h"
#include "analyzer/tcp/hole.h"

/* Doubles a ring while its oldest entry is still wanted; keeps free-running indices valid. */
static bool ring_grow(void **ring, uint32_t *mask, uint32_t head, size_t size)
{
	uint32_t old = *ring ? *mask + 1 : 0;
	uint32_t count = old ? old * 2 : TCP_RING_START;
	uint8_t *bigger = calloc(count, size);
	if (!bigger)
		return false;
	uint32_t kept = head < old ? head : old;
	for (uint32_t i = 1; i <= kept; i++)
		memcpy(bigger + ((head - i) & (count - 1)) * size,
			(uint8_t *)*ring + ((head - i) & (old - 1)) * size, size);
	free(*ring);
	*ring = bigger;
	*mask = count - 1;
	return true;
}

static void push_event(TcpConnection *tcp, TcpDirection *d, int64_t loop_ns, const AckEvent *event)
{
	if (d->acks_head > 0 && d->acks) {
		AckEvent *last = &d->acks[(d->acks_head - 1) & d->acks_mask];
		/* events closer than a fraction of the loop cannot be told apart by what they
		 * trigger */
		bool is_close = event->ts_ns - last->ts_ns < loop_ns / 128 &&
				d->acks_head - 1 >= d->acks_applied;
		if (is_close && event->window >= d->mss && last->window >= d->mss) {
			last->ack = event->ack;
			last->edge = event->edge;
			last->window = event->window;
			last->ack_advanced |= event->ack_advanced;
			last->edge_advanced |= event->edge_advanced;
			return;
		}
	}
	if (!d->acks || (d->acks_head > d->acks_mask && d->acks_mask + 1 < TCP_RING_MAX &&
				event->ts_ns - d->acks[d->acks_head & d->acks_mask].ts_ns <
					2 * tcp_rtt_now_ns(tcp, SIDE_CLIENT) + loop_ns)) {
		if (!ring_grow((void **)&d->acks, &d->acks_mask, d->acks_head, sizeof(AckEvent)) &&
			!d->acks)
			return;
	}
	d->acks[d->acks_head & d->acks_mask] = *event;
	d->acks_head++;
	if (d->acks_head - d->acks_applied > d->acks_mask + 1)
		d->acks_applied = d->acks_head - d->acks_mask - 1;
}

void acknowledgement_apply(TcpDirection *d, int64_t loop_ns, int64_t now_ns, int64_t need_edge)
{
	while (d->acks_applied != d->acks_head) {
		const AckEvent *e = &d->acks[d->acks_applied & d->acks_mask];
		if (e->ts_ns + loop_ns > now_ns && d->sender_edge >= need_edge)
			break;
		if (e->ts_ns > now_ns)
			break;
		if (e->ack > d->sender_una)
			d->sender_una = e->ack;
		if (e->edge > d->sender_edge)
			d->sender_edge = e->edge;
		d->acks_applied++;
	}
}

static void sacked_prune(TcpDirection *d)
{
	uint32_t kept = 0;
	d->sacked_bytes = 0;
	for (uint32_t i = 0; i < d->sacked_count; i++) {
		Interval v = d->sacked[i];
		if (v.to <= d->una)
			continue;
		if (v.from < d->una)
			v.from = d->una;
		d->sacked[kept++] = v;
		d->sacked_bytes += v.to - v.from;
	}
	d->sacked_count = kept;
}

/* RFC 8985 7.4.2, RFC 3522: the only repair of an episode was not needed, so the sender takes its
 * slow-down back. */
static void take_back_loss(TcpDirection *d)
{
	if (d->losses_in_event <= 1)
		d->last_loss_ns = d->loss_before_ns;
}

static void sacked_add(TcpDirection *d, int64_t from, int64_t to)
{
	if (from < d->una)
		from = d->una;
	if (to <= from || to > d->next)
		return;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->sacked_count; i++) {
		Interval v = d->sacked[i];
		if (v.to < from || v.from > to) {
			d->sacked[kept++] = v;
			continue;
		}
		from = v.from < from ? v.from : from;
		to = v.to > to ? v.to : to;
	}
	if (kept == TCP_MAX_SACKED) /* merge with the last: an over-estimate of what arrived */
		kept--;
	d->sacked[kept++] = (Interval){from, to};
	d->sacked_count = kept;
	if (to > d->highest_sacked)
		d->highest_sacked = to;
	sacked_prune(d);
}

static void take_sack(TcpDirection *d, const Packet *packet, int64_t ack)
{
	for (unsigned i = 0; i < packet->sack_count; i++) {
		int64_t from = seq_unwrap(packet->sack[i].left, d->next_seq, d->next);
		int64_t to = seq_unwrap(packet->sack[i].right, d->next_seq, d->next);
		if (to <= from)
			continue;
		/* RFC 2883: a first block at or below the ACK, or inside the second block, reports
		 * a duplicate */
		if (i == 0) {
			bool below = to <= ack;
			bool inside = packet->sack_count > 1 &&
				      !seq_before(packet->sack[0].left, packet->sack[1].left) &&
				      !seq_before(packet->sack[1].right, packet->sack[0].right);
			if (below || inside) {
				if (d->spurious < d->retransmitted_packets)
					d->spurious++;
				take_back_loss(d);
				if (d->first_spurious_frame == 0) {
					d->first_spurious_frame = packet->frame;
					d->first_spurious_ns = packet->ts_ns;
				}
				continue;
			}
		}
		sacked_add(d, from, to);
	}
}

static void take_rtt(
	TcpConnection *tcp, TcpDirection *d, Side data_side, int64_t ack, int64_t now_ns)
{
	while (d->sends_tail != d->sends_head) {
		const SendRecord *r = &d->sends[d->sends_tail & d->sends_mask];
		if (r->end > ack)
			break;
		/* sent after the last repair: what is acknowledged went through by itself */
		if (!r->retransmitted && !d->in_recovery && r->ts_ns > d->last_loss_ns &&
			r->len > d->max_passed_len)
			d->max_passed_len = r->len;
		if (r->end == ack && !r->retransmitted && !d->in_recovery) {
			int64_t sample = now_ns - r->ts_ns;
			d->rtt_samples++;
			d->last_rtt_ns = sample;
			tcp_recent_min_add(&d->rtt_now, sample);
			if (r->len > d->max_acked_len)
				d->max_acked_len = r->len;
			d->smoothed_rtt_ns =
				d->smoothed_rtt_ns
					? d->smoothed_rtt_ns + (sample - d->smoothed_rtt_ns) / 8
					: sample;
			if (d->min_rtt_ns == 0 || sample < d->min_rtt_ns)
				d->min_rtt_ns = sample;
			if (sample > d->max_rtt_ns)
				d->max_rtt_ns = sample;
			Side receiver = data_side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
			tcp_loop_sample(tcp, receiver, sample);
		}
		d->sends_tail++;
	}
}

static uint32_t scaled_window(const TcpDirection *sender, const Packet *packet)
{
	/* RFC 7323 2.2: the window of a SYN is never scaled */
	return packet->tcp_flags & TCP_SYN ? packet->window
					   : (uint32_t)packet->window << sender->scale_in_force;
}

static void zero_window_clock(TcpDirection *advertiser, bool is_zero, int64_t now_ns)
{
	if (is_zero && advertiser->zero_window_since_ns == 0)
		advertiser->zero_window_since_ns = now_ns;
	if (!is_zero && advertiser->zero_window_since_ns != 0) {
		advertiser->zero_window_ns += now_ns - advertiser->zero_window_since_ns;
		advertiser->zero_window_since_ns = 0;
	}
}

/* RFC 3522: an answer to the original carries its timestamp; and none to the repair can come before
 * the repair has been at the receiver. */
static void repair_answered(TcpConnection *tcp, Side data_side, const Packet *packet)
{
	TcpDirection *d = &tcp->dir[data_side];
	int64_t loop = tcp_receiver_loop_ns(tcp, data_side);
	bool is_older = packet->has_timestamps && d->repair_has_tsval &&
			seq_before(packet->tsecr, d->repair_tsval);
	bool is_too_soon =
		loop >= MILLISECOND_NS &&
		packet->ts_ns - d->repair_ns < (int64_t)(REORDER_RTT_SHARE * (double)loop);
	if (is_older || is_too_soon) {
		d->spurious_inferred++;
		take_back_loss(d);
		if (d->first_spurious_frame == 0) {
			d->first_spurious_frame = packet->frame;
			d->first_spurious_ns = packet->ts_ns;
		}
	}
	d->repair_end = 0;
}

/* Everything below @ack has arrived. */
static void advance(
	TcpConnection *tcp, TcpDirection *d, Side data_side, int64_t ack, int64_t now_ns)
{
	d->una = ack;
	d->duplicate_acks_now = 0;
	d->last_progress_ns = now_ns;
	d->backoff = 0;
	if (d->sacked_count > 0)
		sacked_prune(d);
	if (d->hole_count > 0)
		holes_acknowledged(d, ack, now_ns);
	take_rtt(tcp, d, data_side, ack, now_ns);
}

static void take_window(TcpConnection *tcp, TcpDirection *d, Side data_side, const Packet *packet,
	TcpStep *step, const AckEvent *event)
{
	step->ack_advanced = event->ack_advanced;
	step->edge_advanced = event->edge_advanced;
	if (event->edge > d->edge || !d->has_edge)
		d->edge = event->edge;
	if (!d->has_edge)
		d->first_window = event->window;
	d->has_edge = true;
	d->peer_window = event->window;
	if (event->window > d->max_peer_window)
		d->max_peer_window = event->window;
	if (event->window > d->max_window_after_syn && !(packet->tcp_flags & TCP_SYN))
		d->max_window_after_syn = event->window;
	if (d->acks_head == 0) {
		d->sender_edge = event->edge;
		d->sender_una = d->una;
	}
	push_event(tcp, d, tcp_sender_loop_ns(tcp, data_side), event);
}

void acknowledgement_take(TcpConnection *tcp, Side data_side, const Packet *packet, TcpStep *step)
{
	Side from = step->side;
	TcpDirection *d = &tcp->dir[data_side];
	TcpDirection *advertiser = &tcp->dir[from];
	if (!d->has_seq) { /* data of this side was never seen: count from what is acknowledged */
		d->has_seq = true;
		d->next_seq = packet->ack;
		d->next = d->una = d->edge = d->sender_una = d->sender_edge = 0;
	}
	int64_t ack = seq_unwrap(packet->ack, d->next_seq, d->next);
	uint32_t window = scaled_window(advertiser, packet);
	/* ahead, half the sequence space may be missing in the capture */
	if (ack < d->una - (int64_t)UINT32_MAX / 4) {
		tcp->out_of_window_packets++;
		return;
	}
	if (packet->tcp_flags & TCP_RST)
		return;
	/* most segments of a bulk direction repeat what the one before acknowledged */
	if (step->len > 0 && ack == d->una && window == d->peer_window && d->has_edge &&
		packet->sack_count == 0 && window != 0)
		return;
	int64_t edge = ack + window;
	bool ack_advanced = ack > d->una || (!d->has_edge && ack == d->una);
	bool edge_advanced = !d->has_edge || edge > d->edge;
	if (d->fin_seen &&
		ack == d->next + 1) { /* a FIN takes a sequence number of its own and is no byte */
		ack = d->next;
		edge = ack + window;
		ack_advanced = ack > d->una;
	}
	if (!(packet->tcp_flags & (TCP_SYN | TCP_FIN)) && window == 0) {
		if (advertiser->zero_windows++ == 0) {
			advertiser->first_zero_window_frame = packet->frame;
			advertiser->first_zero_window_ns = packet->ts_ns;
		}
		step->zero_window = true;
	}
	zero_window_clock(advertiser, step->zero_window, packet->ts_ns);
	if (ack > d->next) { /* bytes acknowledged that did not pass here, yet or ever */
		hole_open(d, d->next, ack, packet->ts_ns);
		d->next_seq += (uint32_t)(ack - d->next);
		d->next = ack;
	}
	/* the window closed over data still on its way: the receiver will throw that away and it
	 * comes again */
	if (d->has_edge && window < d->mss && edge < d->next && ack >= d->una &&
		(window == 0 || tcp_window_is_trusted(tcp, data_side))) {
		if (d->closed_to <= ack || edge < d->closed_from)
			d->closed_from = edge;
		d->closed_to = d->next;
	}
	bool is_pure = step->len == 0 && !(packet->tcp_flags & (TCP_SYN | TCP_FIN));
	if (is_pure && ack == d->una && d->next > d->una && d->has_edge && !edge_advanced &&
		(window == d->peer_window || packet->sack_count > 0)) {
		d->duplicate_acks_now++;
		d->duplicate_acks++;
		step->is_duplicate_ack = true;
	}
	if (packet->sack_count > 0) {
		bool was_whole = d->sacked_count == 0;
		take_sack(d, packet, ack);
		if (was_whole)
			d->sacked_since_ns = packet->ts_ns;
	}
	if (d->repair_end != 0 && ack >= d->repair_end)
		repair_answered(tcp, data_side, packet);
	if (ack > d->una)
		advance(tcp, d, data_side, ack, packet->ts_ns);
	if (ack < d->una && !edge_advanced)
		return; /* an old acknowledgement that was overtaken */
	take_window(tcp, d, data_side, packet, step,
		&(AckEvent){packet->ts_ns, ack, edge, window, ack_advanced, edge_advanced,
			step->len == 0});
}

void acknowledgement_in_order(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	TcpDirection *d = ends->peer;
	Side data_side = ends->side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	int64_t ack = seq_unwrap(packet->ack, d->next_seq, d->next);
	uint32_t window = scaled_window(ends->own, packet);
	int64_t edge = ack + window;
	bool edge_advanced = edge > d->edge;
	advance(ends->tcp, d, data_side, ack, packet->ts_ns);
	take_window(ends->tcp, d, data_side, packet, step,
		&(AckEvent){packet->ts_ns, ack, edge, window, true, edge_advanced, true});
}

/* A packet that was sent at the end of a pause, not held up on the way through it: its sender's
 * clock, known to a few per cent, moved on by as much. */
#define CLOCK_FRESH_SHARE 0.9

/*
 * Whether the capture's clock was set forward since this side's last packet: its own clock, whose
 * speed is known from before, moved on by much less (docs/causes.md, capture-clock).
 */
static bool clock_jumped(const TcpDirection *d, const Packet *packet, TcpStep *step)
{
	int64_t known_ns = d->last_tsval_ns - d->first_tsval_ns;
	uint32_t ticks = d->last_tsval - d->first_tsval;
	if (known_ns < CLOCK_KNOWN_MIN_NS || ticks < CLOCK_KNOWN_TICKS)
		return false;
	double tick_ns = (double)known_ns / ticks;
	double moved_ns = (double)(uint32_t)(packet->tsval - d->last_tsval) * tick_ns;
	double gap_ns = (double)(packet->ts_ns - d->last_tsval_ns);
	step->is_fresh = moved_ns >= CLOCK_FRESH_SHARE * gap_ns;
	return gap_ns >= CLOCK_JUMP_MIN_NS && gap_ns - moved_ns > CLOCK_JUMP_MIN_NS / 2.0 &&
	       moved_ns < CLOCK_JUMP_SHARE * gap_ns;
}

/*
 * Data that echoes an older time stamp than the one that passed towards its sender was sent before
 * that one arrived: it has been under way since then at least. RFC 7323 4.3.
 */
static void measure_under_way(TcpDirection *own, const Packet *packet, TcpStep *step)
{
	int64_t age = packet->ts_ns - own->pending_tsval_ns;
	if (seq_before(packet->tsecr, own->pending_tsval)) {
		own->older_echo_ns = age;
		step->under_way_ns = age > own->last_older_echo_ns ? age : own->last_older_echo_ns;
		return;
	}
	/* the first that knows of it: what came before it is as far as the proof goes */
	if (packet->tsecr == own->pending_tsval)
		step->under_way_ns = own->older_echo_ns;
	own->last_older_echo_ns = own->older_echo_ns;
	own->older_echo_ns = 0;
}

/* Two clocks against one: where the other host's ran on through the pause, the pause was real, and
 * the packet that told of a jump had been held up on the way. */
static void ask_other_clock(
	TcpConnection *tcp, const TcpDirection *own, const Packet *packet, TcpStep *step)
{
	int64_t gap_ns = packet->ts_ns - own->last_tsval_ns;
	if (step->is_fresh && (double)gap_ns >= CLOCK_JUMP_SHARE * (double)tcp->jump_ns) {
		step->clock_ran = true;
		tcp->clock_jumps--;
	}
	tcp->jump_ns = 0;
}

/* What @side answers to the time stamp that it is known to have been sent. */
static void take_echo(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	TcpConnection *tcp = ends->tcp;
	TcpDirection *own = ends->own;
	Side side = ends->side;
	if (packet->payload_len > 0)
		measure_under_way(own, packet, step);
	if (packet->tsecr == own->pending_tsval) {
		tcp_loop_sample(tcp, side, packet->ts_ns - own->pending_tsval_ns);
		tcp_recent_min_add(&tcp->loop_now[side], packet->ts_ns - own->pending_tsval_ns);
		own->pending_tsval_ns = 0;
	} else if (seq_before(own->pending_tsval, packet->tsecr)) {
		own->pending_tsval_ns = 0;
	}
}

void acknowledgement_timestamps(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	TcpConnection *tcp = ends->tcp;
	/* the packet travels towards the peer: its TSval will come back in the peer's TSecr */
	TcpDirection *own = ends->own, *towards = ends->peer;
	Side side = ends->side;
	bool is_first = !own->has_last_tsval;
	if (towards->pending_tsval_ns == 0 && (is_first || packet->tsval != own->last_tsval)) {
		towards->pending_tsval = packet->tsval;
		towards->pending_tsval_ns = packet->ts_ns;
		towards->pending_edge = towards->has_edge && own->scale_known ? towards->edge : 0;
	}
	bool has_jumped = packet->ts_ns - own->last_tsval_ns >= TIMEOUT_MIN_NS && !is_first &&
			  clock_jumped(own, packet, step);
	if (tcp->jump_ns > 0 && tcp->jump_side != side)
		ask_other_clock(tcp, own, packet, step);
	if (has_jumped) {
		step->clock_jumped = true;
		tcp->clock_jumps++;
		tcp->jump_from_ns = own->last_tsval_ns;
		tcp->jump_ns = packet->ts_ns - own->last_tsval_ns;
		tcp->jump_side = side;
	}
	if (is_first || has_jumped) { /* the two clocks are compared anew from here */
		own->first_tsval = packet->tsval;
		own->first_tsval_ns = packet->ts_ns;
	}
	own->last_tsval_ns = packet->ts_ns;
	if (is_first || seq_before(own->last_tsval, packet->tsval)) {
		own->last_tsval = packet->tsval;
		own->has_last_tsval = true;
	}
	if (own->pending_tsval_ns != 0 && packet->tcp_flags & TCP_ACK)
		take_echo(ends, packet, step);
}
