/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segment classes: see segment.h. RFC 9293, RFC 8985, RFC 4737; docs/architecture.md, "Life of a
 * packet".
 */
#include "analyzer/tcp/segment.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/seq.h"
#include "analyzer/constants.h"
#include "analyzer/tcp/acknowledgement.h"
#include "analyzer/tcp/hole.h"
#include "analyzer/tcp/repair.h"
#include "analyzer/tcp/scale_lost.h"

/* RFC 7323 2.3 */
#define WINDOW_SCALE_LARGEST 14

static bool ip_id_is_orderly(const TcpDirection *d)
{
	/* hosts with a TTL of 64 count per connection: a few in a row are no accident; Windows
	 * counts for all connections together */
	if (d->ip_id_disorderly == 0 && d->ip_id_orderly >= IP_ID_FEW_SAMPLES &&
		d->ttl_max <= IP_ID_UNIX_TTL)
		return true;
	return d->ip_id_orderly >= IP_ID_MIN_SAMPLES && d->ip_id_disorderly * 9 <= d->ip_id_orderly;
}

/* So much of the ring in use: every segment is worth remembering again. */
#define SENDS_FEW (TCP_RING_MAX / 4)
#define SENDS_SHIFT_MAX 16

/* More is under way than is remembered: every second record goes, and of what is sent from here on
 * only so many are kept. Without the oldest ones no acknowledgement would ever find its segment,
 * and a full path would have no round trip. */
__attribute__((noinline)) static void send_records_thin(TcpDirection *d)
{
	uint32_t n = d->sends_head - d->sends_tail;
	for (uint32_t i = 0; i < n / 2; i++)
		d->sends[(d->sends_head - 1 - i) & d->sends_mask] =
			d->sends[(d->sends_head - 1 - 2 * i) & d->sends_mask];
	/* what lies behind is read as history: it stays in order */
	for (uint32_t i = n / 2; i < n; i++)
		d->sends[(d->sends_head - 1 - i) & d->sends_mask] =
			d->sends[(d->sends_head - n / 2) & d->sends_mask];
	d->sends_tail = d->sends_head - n / 2;
	if (d->sends_shift < SENDS_SHIFT_MAX)
		d->sends_shift++;
}

/* A ring that is full of what is still wanted doubles, up to its largest size. */
__attribute__((noinline)) static bool sends_grow(TcpDirection *d)
{
	uint32_t size = d->sends ? d->sends_mask + 1 : 0;
	if (size >= TCP_RING_MAX)
		return true;
	uint32_t bigger = size ? size * 2 : TCP_RING_START;
	SendRecord *ring = calloc(bigger, sizeof(SendRecord));
	if (!ring)
		return d->sends != NULL;
	uint32_t kept = d->sends_head < size ? d->sends_head : size;
	for (uint32_t i = 1; i <= kept; i++)
		ring[(d->sends_head - i) & (bigger - 1)] =
			d->sends[(d->sends_head - i) & d->sends_mask];
	free(d->sends);
	d->sends = ring;
	d->sends_mask = bigger - 1;
	return true;
}

static void send_record_push(TcpDirection *d, const SendRecord *record)
{
	uint32_t used = d->sends_head - d->sends_tail;
	if (d->sends_shift > 0) {
		if (used < SENDS_FEW)
			d->sends_shift--;
		if (++d->sends_skipped & ((1u << d->sends_shift) - 1))
			return;
	}
	if (used > d->sends_mask || !d->sends) {
		if (!sends_grow(d))
			return;
		if (used > d->sends_mask)
			send_records_thin(d);
	}
	d->sends[d->sends_head++ & d->sends_mask] = *record;
}

static void take_ip_id(TcpDirection *d, const Packet *packet, TcpStep *step)
{
	uint16_t jump = (uint16_t)(packet->ip_id - d->last_ip_id);
	d->last_ip_id = packet->ip_id;
	if (packet->ip_version != 4 || d->payload_packets == 0)
		return;
	/* where all connections of a host share the count, what it counted in a pause went
	 * elsewhere */
	bool was_orderly = d->ttl_max <= IP_ID_UNIX_TTL && ip_id_is_orderly(d);
	if (jump == 1) {
		d->ip_id_orderly++;
		step->none_unseen = was_orderly;
		return;
	}
	if (packet->ts_ns - d->last_data_ns < LEDGER_MIN_PAUSE_NS)
		d->ip_id_disorderly++;
	step->unseen_before = was_orderly && jump > 1 && jump <= IP_ID_MAX_JUMP;
	if (step->unseen_before) {
		step->unseen_count = (uint16_t)(jump - 1);
		d->unseen_sent += step->unseen_count;
	}
}

static void round_step(TcpDirection *d, const TcpStep *step)
{
	int64_t flight = step->end - d->sender_una - d->sacked_bytes;
	uint64_t now = flight > 0 ? (uint64_t)flight : 0;
	if (d->sender_una >= d->round_mark) {
		if (d->round_was_limited && d->round_max_flight > 0) {
			if (d->initial_flight == 0)
				d->initial_flight = (uint32_t)d->round_max_flight;
			/* RFC 5681 4.1 allows the restart window; half of before is no accident */
			if (d->round_max_flight <= d->demonstrated_before_restart / 2)
				d->restarts_small++;
			d->demonstrated_before_restart = 0;
			if (d->is_slow_start && d->previous_round_flight > 0) {
				bool grew = (double)d->round_max_flight >=
					    SLOW_START_GROWTH * (double)d->previous_round_flight;
				d->slow_rounds = grew ? 0 : d->slow_rounds + 1;
				if (d->slow_rounds >= 2)
					d->is_slow_start = false;
			}
			uint64_t tolerance =
				(uint64_t)(PLATEAU_TOLERANCE * (double)d->plateau_reference);
			if (tolerance < 2 * (uint64_t)d->mss)
				tolerance = 2 * (uint64_t)d->mss;
			uint64_t distance = d->round_max_flight > d->plateau_reference
						    ? d->round_max_flight - d->plateau_reference
						    : d->plateau_reference - d->round_max_flight;
			bool is_flat = distance <= tolerance && !d->in_recovery;
			/* far from the sender one round in a plateau may be cut wrongly */
			bool is_outlier = !is_flat && !d->plateau_outlier &&
					  d->plateau_rounds >= PLATEAU_ROUNDS / 2 &&
					  !d->in_recovery;
			d->plateau_outlier = is_outlier;
			if (is_flat)
				d->plateau_rounds++;
			else if (!is_outlier)
				d->plateau_rounds = 0;
			if (d->plateau_rounds >= PLATEAU_ROUNDS &&
				d->plateau_reference > d->plateau_flight)
				d->plateau_flight = d->plateau_reference;
			if (!is_flat && !is_outlier) {
				d->plateau_reference = d->round_max_flight;
				d->plateau_since_ns = d->last_data_ns;
			}
			d->previous_round_flight = d->round_max_flight;
		}
		d->round_max_flight = 0;
		d->round_was_limited = false;
		d->round_mark = d->next > d->sender_una ? d->next : step->end;
	}
	if (now > d->round_max_flight)
		d->round_max_flight = now;
	if (now > d->max_in_flight)
		d->max_in_flight = now;
	if (!d->in_recovery && d->duplicate_acks_now == 0 && now > d->demonstrated)
		d->demonstrated = now;
}

/* Idle longer than a timer with everything acknowledged: the sender starts again from a small
 * window (RFC 5681 4.1). */
static void restart_check(
	TcpConnection *tcp, TcpDirection *d, Side side, const TcpStep *step, int64_t now_ns)
{
	if (d->last_data_ns == 0 || d->sender_una < step->next_before)
		return;
	int64_t timer = tcp_rtt_now_ns(tcp, side) * 2;
	if (timer < TIMEOUT_MIN_NS)
		timer = TIMEOUT_MIN_NS;
	if (now_ns - d->last_data_ns <= timer)
		return;
	d->is_slow_start = true;
	d->slow_rounds = 0;
	d->previous_round_flight = 0;
	d->round_max_flight = 0;
	d->round_mark = d->next;
	if (d->demonstrated > 20 * (uint64_t)d->mss) {
		d->restarts++;
		d->demonstrated_before_restart = d->demonstrated;
	}
	d->demonstrated = 0;
}

/* Opened by an acknowledgement, not by later data. */
static bool is_of_capture(const Hole *hole)
{
	return hole->acknowledged_ns != 0 && hole->acknowledged_ns == hole->opened_ns;
}

/* A packet without data showed a round trip ago or earlier that these bytes had been sent. */
static bool was_announced(
	const TcpConnection *tcp, const TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	int64_t rtt = tcp_rtt_ns(tcp);
	return d->bare_next > step->from && rtt > 0 &&
	       packet->ts_ns - d->bare_ns >= rtt + CAPTURE_ORDER_NS;
}

/*
 * A repair begins where a packet of its sender began, and no sooner than a round trip after it.
 * What begins inside the last one at once, and brings more than it repeats, overlaps by mistake.
 */
static bool is_overlap(
	const TcpConnection *tcp, const TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	const SendRecord *last = tcp_send_record(d, 0);
	int64_t again = d->next - step->from;
	return last && last->end == d->next && !last->retransmitted && again > 0 &&
	       again < (int64_t)d->last_len && step->end - d->next > again &&
	       packet->ts_ns - d->last_data_ns < tcp_rtt_ns(tcp);
}

static SegmentClass class_of(
	TcpConnection *tcp, Side side, TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	uint32_t index = 0;
	if (step->end <= d->next && step->len <= 1 && step->from == d->next - 1 &&
		step->end <= d->una)
		return SEGMENT_KEEP_ALIVE;
	if (d->has_edge && d->peer_window == 0 && step->len <= 1)
		return SEGMENT_PROBE;
	if (step->from >= d->next)
		return was_announced(tcp, d, packet, step) ? SEGMENT_RETRANSMISSION_UPSTREAM
							   : SEGMENT_NEW;
	if (!hole_find(d, step->from, step->end, &index)) {
		/* the probe's byte was not accepted and comes again with more behind it */
		if (step->len > 1 && step->from == d->next - 1 && d->last_was_probe)
			return SEGMENT_NEW;
		if (step->end > d->next &&
			(step->from == d->next || is_overlap(tcp, d, packet, step)))
			return SEGMENT_NEW;
		if (step->from < 0 && step->end <= 0)
			return SEGMENT_REORDERED; /* before the first byte of the capture */
		return SEGMENT_RETRANSMISSION;
	}
	const Hole *h = &d->holes[index];
	int64_t age = packet->ts_ns - h->opened_ns;
	int64_t rtt = tcp_rtt_ns(tcp);
	/* the receiver had confirmed it: only the capture put it behind that */
	if (is_of_capture(h) && age <= CAPTURE_ORDER_NS)
		return SEGMENT_REORDERED;
	(void)side;
	if (age < (int64_t)(REORDER_RTT_SHARE * (double)rtt))
		return SEGMENT_REORDERED;
	if (packet->has_timestamps && h->has_tsval && seq_before(packet->tsval, h->opener_tsval))
		return SEGMENT_REORDERED;
	if (h->has_ip_id && packet->ip_version == 4 && ip_id_is_orderly(d)) {
		uint16_t before = (uint16_t)(h->opener_ip_id - packet->ip_id);
		if (before >= 1 && before <= IP_ID_MAX_JUMP)
			return SEGMENT_REORDERED;
	}
	if (rtt == 0 &&
		age < 3 * MILLISECOND_NS) /* no round trip known: Wireshark's own guess of 3 ms */
		return SEGMENT_REORDERED;
	return SEGMENT_RETRANSMISSION_UPSTREAM;
}

static void take_reordering(TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	uint32_t index = 0;
	if (!hole_find(d, step->from, step->end, &index) || is_of_capture(&d->holes[index]))
		return;
	d->reordered++;
	int64_t late = packet->ts_ns - d->holes[index].opened_ns;
	if (late > d->reordered_late_max_ns)
		d->reordered_late_max_ns = late;
	if (d->first_reordered_frame == 0) {
		d->first_reordered_frame = packet->frame;
		d->first_reordered_ns = packet->ts_ns;
	}
}

/*
 * Without the handshake the scale of windows is unknown. Data beyond an advertised edge proves that
 * it is scaled: by the smallest shift that allows it, which is exact once the window limits the
 * flow (docs/causes.md, receive-window-small).
 */
static void infer_scale(TcpConnection *tcp, Side side, const TcpStep *step)
{
	TcpDirection *d = &tcp->dir[side], *advertiser = &tcp->dir[1 - (int)side];
	if (advertiser->scale_known || !d->has_edge || d->peer_window == 0 || d->hole_count > 0)
		return;
	uint64_t raw = d->peer_window >> advertiser->scale_in_force;
	uint64_t flight = (uint64_t)(step->end - d->una);
	while (advertiser->scale_in_force < WINDOW_SCALE_LARGEST &&
		raw << advertiser->scale_in_force < flight)
		advertiser->scale_in_force++;
	d->peer_window = (uint32_t)(raw << advertiser->scale_in_force);
	if (d->peer_window > d->max_peer_window)
		d->max_peer_window = d->peer_window;
	d->edge = d->una + d->peer_window;
	d->sender_edge = d->edge;
}

static void advance(TcpDirection *d, const TcpStep *step)
{
	if (step->end > d->next) {
		d->next_seq += (uint32_t)(step->end - d->next);
		d->next = step->end;
	}
}

/* What is asked of new data before the stream moves on. */
static inline void look_at_new(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	if (ends->side == SIDE_CLIENT)
		scale_lost_step(ends->tcp, packet->ts_ns, step);
	take_ip_id(ends->own, packet, step);
	restart_check(ends->tcp, ends->own, ends->side, step, packet->ts_ns);
}

static void take_new(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	TcpDirection *d = ends->own;
	look_at_new(ends, packet, step);
	if (step->from > d->next)
		hole_push(
			d, &(Hole){d->next, step->from, packet->ts_ns, 0, packet->tsval,
				   packet->ip_id, packet->has_timestamps, packet->ip_version == 4});
	d->unique_bytes += (uint64_t)(step->end - (step->from > d->next ? step->from : d->next));
	round_step(d, step);
}

/* What every segment that moves the stream leaves behind. */
static void take_sent(const TcpEnds *ends, const Packet *packet, const TcpStep *step)
{
	TcpDirection *d = ends->own;
	/* segments above the announced size are offload artefacts of a host; smaller ones tell the
	 * size in use */
	if (d->syn_mss == 0 && ends->peer->syn_mss == 0 && step->len > d->mss && step->len <= 1460)
		d->mss = step->len;
	if (step->len > d->mss)
		d->segments_over_mss++;
	send_record_push(d,
		&(SendRecord){packet->ts_ns, step->end, step->len, step->segment != SEGMENT_NEW});
	d->last_data_ns = packet->ts_ns;
	d->last_len = step->len;
	if (step->len < d->mss)
		d->small_end = step->end;
	d->flight_at_stop = d->next - d->sender_una;
}

static void count_payload(TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	d->payload_packets++;
	d->payload_bytes += step->len;
	if (d->first_data_frame == 0)
		d->first_data_frame = packet->frame;
	if (step->len > d->max_segment)
		d->max_segment = step->len;
}

void segment_classify(TcpConnection *tcp, Side side, const Packet *packet, TcpStep *step)
{
	TcpEnds ends = tcp_ends(tcp, side);
	TcpDirection *d = ends.own;
	acknowledgement_apply(d, tcp_sender_loop_ns(tcp, side), packet->ts_ns,
		step->from >= d->next ? step->end : INT64_MIN);
	if (d->in_recovery && d->sender_una >= d->recovery_point) {
		d->in_recovery = false;
		d->round_max_flight = 0;
		d->previous_round_flight = 0;
		d->round_mark = d->next;
		step->ends_recovery = true;
	}
	step->segment = class_of(tcp, side, d, packet, step);
	count_payload(d, packet, step);
	switch (step->segment) {
	case SEGMENT_KEEP_ALIVE:
		d->keep_alives++;
		return;
	case SEGMENT_PROBE:
		d->probes++;
		advance(d, step);
		d->last_was_probe = true;
		return;
	case SEGMENT_NEW:
		if (step->end > d->edge)
			infer_scale(tcp, side, step);
		take_new(&ends, packet, step);
		break;
	case SEGMENT_RETRANSMISSION:
		take_ip_id(d, packet, step);
		repair_take(tcp, d, side, packet, step);
		if (step->end > d->next)
			d->unique_bytes += (uint64_t)(step->end - d->next);
		break;
	case SEGMENT_RETRANSMISSION_UPSTREAM:
		repair_log(d, step); /* while the hole tells when */
		d->unique_bytes += (uint64_t)holes_fill(d, step->from, step->end);
		if (step->end > d->next)
			d->unique_bytes += (uint64_t)(step->end - (step->from > d->next ? step->from
											: d->next));
		d->upstream_losses++;
		take_ip_id(d, packet, step);
		repair_take(tcp, d, side, packet, step);
		d->announced_stalls += step->from >= step->next_before &&
				       step->retransmission == RETRANSMISSION_TIMEOUT;
		break;
	case SEGMENT_REORDERED:
		take_reordering(d, packet, step);
		d->unique_bytes += (uint64_t)holes_fill(d, step->from, step->end);
		break;
	case SEGMENT_COPY:
	case SEGMENT_NONE:
		return;
	}
	d->last_was_probe = false;
	advance(d, step);
	take_sent(&ends, packet, step);
}

void segment_in_order(const TcpEnds *ends, const Packet *packet, TcpStep *step)
{
	acknowledgement_apply(
		ends->own, tcp_sender_loop_ns(ends->tcp, ends->side), packet->ts_ns, step->end);
	TcpDirection *d = ends->own;
	step->segment = SEGMENT_NEW;
	count_payload(d, packet, step);
	look_at_new(ends, packet, step);
	d->unique_bytes += step->len;
	round_step(d, step);
	d->next_seq += step->len;
	d->next = step->end;
	take_sent(ends, packet, step);
}
