/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repairs: see repair.h. RFC 6298, RFC 8985, RFC 5681.
 */
#include "analyzer/tcp/repair.h"

#include <stdlib.h>

#include "analyzer/constants.h"
#include "analyzer/tcp/hole.h"

/* RFC 5681 3.2: three duplicate acknowledgements report a loss; with fewer than four segments under
 * way they cannot come. */
#define TAIL_SEGMENTS 4
/* A full-size segment: the last one of a write may be a little smaller. */
#define FULL_SIZE_SHARE 0.9

/* Fast retransmissions follow an acknowledgement that has just reached the sender; timers do not.
 */
static bool follows_an_acknowledgement(
	const TcpConnection *tcp, const TcpDirection *d, Side side, int64_t now_ns, int64_t srtt)
{
	const AckEvent *e = tcp_ack_event(d, 0);
	int64_t loop = tcp_sender_loop_ns(tcp, side);
	int64_t tolerance = srtt / 4 > TIMER_SLACK_NS ? srtt / 4 : TIMER_SLACK_NS;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL; i++) {
		if (e->ts_ns + loop > now_ns + NOISE_FLOOR_NS)
			continue;
		return e->ts_ns + loop >= now_ns - tolerance;
	}
	return true;
}

/* A segment that repeats bytes known to be lost or seen: what made the sender send it again? */
static RetransmissionKind retransmission_kind(const TcpConnection *tcp, const TcpDirection *d,
	Side side, const TcpStep *step, int64_t now_ns)
{
	bool was_closed = d->closed_to > d->closed_from && step->end > d->closed_from &&
			  step->from < d->closed_to;
	if (was_closed || tcp_is_closed_window(tcp, side))
		return RETRANSMISSION_CLOSED_WINDOW;
	int64_t progress = d->last_progress_ns + tcp_sender_loop_ns(tcp, side);
	int64_t since = now_ns - (d->last_data_ns > progress ? d->last_data_ns : progress);
	int64_t srtt = tcp_rtt_now_ns(tcp, side);
	bool is_timer =
		since >= TIMEOUT_MIN_NS && !follows_an_acknowledgement(tcp, d, side, now_ns, srtt);
	if (is_timer ||
		(since >= TIMEOUT_MIN_NS && since >= (int64_t)(TIMEOUT_SRTT_FACTOR * (double)srtt)))
		return RETRANSMISSION_TIMEOUT;
	if (d->in_recovery)
		return d->episode_kind == RETRANSMISSION_TIMEOUT ? RETRANSMISSION_TIMEOUT
								 : RETRANSMISSION_FAST;
	bool has_evidence = d->duplicate_acks_now >= 3 || d->highest_sacked > d->una;
	if (!has_evidence && since >= (int64_t)(TAIL_PROBE_SRTT_FACTOR * (double)srtt))
		return RETRANSMISSION_TAIL_PROBE;
	return RETRANSMISSION_FAST;
}

static void episode_begin(
	TcpConnection *tcp, TcpDirection *d, Side side, TcpStep *step, uint64_t frame)
{
	d->in_recovery = true;
	d->recovery_point = d->next;
	d->episode_kind = step->retransmission;
	d->loss_events++;
	d->losses_in_event = 0;
	if (d->first_loss_frame == 0)
		d->first_loss_frame = frame;
	/* a full queue shows as an inflated round trip just before the loss (docs/causes.md,
	 * loss-random) */
	int64_t base = tcp_rtt_ns(tcp);
	if (base > 0 && tcp_rtt_now_ns(tcp, side) > base + base * 3 / 10 &&
		tcp_rtt_now_ns(tcp, side) > base + MILLISECOND_NS)
		d->loss_events_inflated++;
	d->demonstrated = 0;
	d->plateau_rounds = 0;
	step->starts_recovery = true;
}

static void take_timeout(TcpDirection *d, const TcpStep *step, uint64_t frame, int64_t since_ns)
{
	d->timeouts++;
	d->backoff++;
	d->last_timeout_frame = frame;
	d->last_timeout_gap_ns = since_ns;
	d->is_slow_start = true; /* RFC 5681 3.1: restart from one segment */
	d->slow_rounds = 0;
	int64_t flight = d->next - d->una - d->sacked_bytes;
	if (flight < TAIL_SEGMENTS * (int64_t)d->mss)
		d->tail_timeouts++;
	if ((double)step->len >= FULL_SIZE_SHARE * (double)d->mss)
		d->big_timeouts++;
	if (step->len > d->max_timeout_len)
		d->max_timeout_len = step->len;
}

/* Remembers a repair until its acknowledgement tells whether it was needed. */
static void note_repair(TcpDirection *d, const Packet *packet, const TcpStep *step)
{
	if (step->end <= d->una) { /* the receiver had said that it has these bytes */
		d->spurious_inferred++;
		if (d->first_spurious_frame == 0) {
			d->first_spurious_frame = packet->frame;
			d->first_spurious_ns = packet->ts_ns;
		}
		return;
	}
	if (d->repair_end != 0)
		return;
	d->repair_end = step->end;
	d->repair_ns = packet->ts_ns;
	d->repair_has_tsval = packet->has_timestamps;
	d->repair_tsval = packet->tsval;
}

/* When the lost bytes had been sent: remembered, or told by the hole that they left. */
static int64_t first_sent_ns(const TcpDirection *d, const TcpStep *step)
{
	uint32_t index = 0;
	if (hole_find(d, step->from, step->end, &index))
		return d->holes[index].opened_ns;
	const SendRecord *r;
	for (uint32_t i = 0; (r = tcp_send_record(d, i)) != NULL; i++) {
		if (!r->retransmitted && r->end > step->from && r->end - r->len <= step->from)
			return r->ts_ns;
	}
	return 0;
}

void repair_log(TcpDirection *d, TcpStep *step)
{
	uint32_t index = 0;
	step->was_lost = step->end > d->una;
	if (hole_find(d, step->from, step->end, &index))
		step->missed_ns = d->holes[index].opened_ns;
	int64_t sent_ns = first_sent_ns(d, step);
	if (sent_ns == 0)
		return;
	if (!d->loss_log)
		d->loss_log = calloc(1, sizeof(*d->loss_log));
	if (d->loss_log)
		loss_log_add(d->loss_log, sent_ns, step->from);
}

void repair_take(
	TcpConnection *tcp, TcpDirection *d, Side side, const Packet *packet, TcpStep *step)
{
	step->retransmission = retransmission_kind(tcp, d, side, step, packet->ts_ns);
	d->retransmitted_packets++;
	d->retransmitted_bytes += step->len;
	if (step->retransmission == RETRANSMISSION_CLOSED_WINDOW) {
		d->probes++;
		d->closed_repairs++;
		return;
	}
	if (!d->in_recovery)
		d->loss_before_ns = d->last_loss_ns;
	d->last_loss_ns = packet->ts_ns;
	repair_log(d, step);
	note_repair(d, packet, step);
	int64_t progress = d->last_progress_ns + tcp_sender_loop_ns(tcp, side);
	int64_t since = packet->ts_ns - (d->last_data_ns > progress ? d->last_data_ns : progress);
	if (step->retransmission == RETRANSMISSION_TIMEOUT && since >= TIMEOUT_MIN_NS) {
		take_timeout(d, step, packet->frame, since);
	} else {
		d->is_slow_start = false;
		if (step->retransmission == RETRANSMISSION_TAIL_PROBE)
			d->tail_probes++;
		else
			d->fast_retransmissions++;
	}
	if (!d->in_recovery)
		episode_begin(tcp, d, side, step, packet->frame);
	d->losses_in_event++;
	if (d->losses_in_event > d->max_losses_in_event)
		d->max_losses_in_event = d->losses_in_event;
	if (d->losses_in_event == 2)
		d->recoveries_multi++;
}
