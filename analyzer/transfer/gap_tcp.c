/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kept TCP from sending: see gap_tcp.h. docs/architecture.md, "Life of a packet" and "Every
 * nanosecond once".
 */
#include "analyzer/transfer/gap_tcp.h"

#include <string.h>

#include "analyzer/constants.h"

/* What a sender at the edge of a window sends is acknowledged a round trip later; one round may
 * pass without a stop. */
#define EDGE_ROUNDS 2

static int64_t longer(int64_t a, double share, int64_t of)
{
	int64_t b = (int64_t)(share * (double)of);
	return a > b ? a : b;
}

/* Data sent at @now was set off by an acknowledgement that reached the sender just then. */
static const AckEvent *trigger_of(
	const Conversation *conv, Side side, int64_t now_ns, bool pure_only)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, side);
	/* the whole round trip's share, so that all places agree about a program that is woken late
	 */
	int64_t tolerance = longer(TRIGGER_MIN_NS, TRIGGER_LOOP_SHARE, tcp_rtt_ns(&conv->tcp));
	const AckEvent *e;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL; i++) {
		int64_t reached = e->ts_ns + loop;
		if (reached < now_ns - tolerance)
			return NULL;
		if (reached <= now_ns + tolerance && e->ack_advanced && (e->is_pure || !pure_only))
			return e;
	}
	return NULL;
}

/* The newest advert that had passed here by @by_ns; NULL when none is remembered. */
static const AckEvent *advert_by(const TcpDirection *d, int64_t by_ns)
{
	const AckEvent *e;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL; i++) {
		if (e->ts_ns <= by_ns)
			return e;
	}
	return NULL;
}

/* The first advert that made @room bytes of room behind @next; NULL when none did or it is
 * forgotten. */
static const AckEvent *release_of(const TcpDirection *d, int64_t next, int64_t room)
{
	const AckEvent *release = NULL, *e;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL && e->edge - next >= room; i++)
		release = e;
	return release;
}

/* When the sender knew of room worth sending into; INT64_MAX when no advert that is remembered made
 * it. */
static int64_t room_known_ns(const Conversation *conv, Side side, const TcpStep *step)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	/* senders put off sending into a little room: a few segments, or a quarter of the window */
	int64_t room = d->peer_window / 4;
	if (room < ROOM_MIN_SEGMENTS * (int64_t)d->mss)
		room = ROOM_MIN_SEGMENTS * (int64_t)d->mss;
	const AckEvent *release = release_of(d, step->next_before, room);
	return release ? release->ts_ns + tcp_sender_loop_ns(&conv->tcp, side) : INT64_MAX;
}

/* A sender that had room long before it went on was not waiting for room. */
static bool had_room_before(
	const Conversation *conv, Side side, const TcpStep *step, int64_t now_ns)
{
	int64_t known = room_known_ns(conv, side, step);
	return known != INT64_MAX &&
	       now_ns - known > longer(2 * MILLISECOND_NS, 0.25, tcp_rtt_ns(&conv->tcp));
}

/*
 * Whether the sender had used up the window when it sent its last segment. Its newest advert then
 * is the one that had passed here a loop before; loops are minima and vary, so a little less and a
 * little more count as well. All adverts in between would not do: while a window grows, one of them
 * always ends near the last byte.
 */
static bool stood_at_edge(
	const Conversation *conv, Side side, const TcpStep *step, uint32_t *ret_window)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	if (!d->has_edge || step->previous_data_ns == 0 || step->next_before <= 0 ||
		!tcp_window_is_trusted(&conv->tcp, side))
		return false;
	/* RFC 1122 4.2.3.4: too little to send into is less than a segment and than half the window
	 */
	uint32_t little = d->mss < d->max_peer_window / 2 ? d->mss : d->max_peer_window / 2;
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, side), stop = step->previous_data_ns;
	int64_t less = (int64_t)(EDGE_LOOP_SHARE * (double)loop);
	int64_t loops[] = {less, loop, loop + longer(NOISE_FLOOR_NS, EDGE_JITTER_SHARE, loop)};
	/* from afar: one of the adverts would have forbidden what was sent, the one after it gave
	 * so little room that senders put it off */
	bool was_beyond = false, was_little = false, had_room = false;
	uint32_t little_window = 0;
	for (unsigned i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		const AckEvent *e = advert_by(d, stop - loops[i]);
		if (!e && d->acks_head > d->acks_mask + 1)
			continue; /* forgotten, not absent */
		int64_t room = (e ? e->edge : (int64_t)d->first_window) - step->next_before;
		*ret_window = e ? e->window : d->first_window;
		/* a slow start passes every size once: no older advert than the loop's own */
		if (had_room && d->is_slow_start)
			break;
		if (room >= 0 && room < (int64_t)little)
			return true;
		had_room = i == 1 && room >= ROOM_MIN_SEGMENTS * (int64_t)d->mss;
		was_beyond |= room < 0;
		if (room >= 0 && room < ROOM_MIN_SEGMENTS * (int64_t)d->mss) {
			was_little = true;
			little_window = *ret_window;
		}
	}
	*ret_window = little_window;
	/* a slow start passes every size once */
	if (was_beyond && was_little && !d->is_slow_start)
		return true;
	/* what was under way filled a window that does not grow, and is not itself inferred from
	 * what was under way */
	*ret_window = d->peer_window;
	return was_beyond && conv->tcp.dir[1 - (int)side].scale_known &&
	       d->peer_window == d->max_peer_window &&
	       step->flight_before <= (int64_t)d->peer_window &&
	       step->flight_before + (int64_t)little > (int64_t)d->peer_window;
}

static bool window_was_closed(
	const Conversation *conv, Side side, const TcpStep *step, int64_t now_ns)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, side);
	/* RFC 1122 4.2.3.4: less than a segment, or than half of the window ever offered, is not
	 * worth sending into */
	uint32_t closed = d->mss < d->max_peer_window / 2 ? d->mss : d->max_peer_window / 2;
	const AckEvent *e;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL; i++) {
		if (e->ts_ns + loop > now_ns + NOISE_FLOOR_NS)
			continue;
		if (e->ts_ns + loop < step->previous_data_ns)
			return false;
		if (e->window < closed)
			return true;
	}
	return false;
}

/*
 * How long the receiver sat on data before it made room (docs/architecture.md, "Every nanosecond
 * once", release latency): the advert that made room was prompt if some data segment passed one
 * receiver loop before it.
 */
static int64_t release_late_ns(const Conversation *conv, Side side, const TcpStep *step)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	int64_t loop = tcp_receiver_loop_ns(&conv->tcp, side);
	int64_t tolerance = longer(MILLISECOND_NS, 0.25, tcp_rtt_ns(&conv->tcp));
	const AckEvent *release =
		release_of(d, step->next_before, step->len < d->mss ? step->len : d->mss);
	if (!release)
		return 0;
	const SendRecord *r;
	for (uint32_t i = 0; (r = tcp_send_record(d, i)) != NULL; i++) {
		if (r->end > step->next_before || r->ts_ns > release->ts_ns ||
			r->ts_ns > release->ts_ns - loop + tolerance)
			continue;
		int64_t late = release->ts_ns - loop - r->ts_ns;
		return late > tolerance ? late : 0;
	}
	return 0;
}

/*
 * A loop that was not measured at the handshake is the shortest time from an acknowledgement to the
 * data after it. Of a program that writes a little now and then that is its own pace, and no
 * acknowledgement can be said to have set it off.
 */
static bool keeps_own_pace(
	const Conversation *conv, Side side, const Packet *packet, const TcpStep *step)
{
	return !conv->tcp.handshake_seen && step->previous_len < conv->tcp.dir[side].mss &&
	       2 * tcp_sender_loop_ns(&conv->tcp, side) > packet->ts_ns - step->previous_data_ns;
}

static bool waited_for_delayed_ack(
	const Conversation *conv, Side side, const Packet *packet, const TcpStep *step)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	if (step->previous_len >= d->mss || step->flight_before <= 0 ||
		keeps_own_pace(conv, side, packet, step))
		return false;
	const AckEvent *e = trigger_of(conv, side, packet->ts_ns, true);
	if (!e)
		return false;
	/* RFC 1122 4.2.3.2: the acknowledgement came a timer's time after the segment it covers */
	int64_t loop = tcp_receiver_loop_ns(&conv->tcp, side);
	int64_t least = loop * 3 / 2 + 20 * MILLISECOND_NS;
	if (least < DELAYED_ACK_MIN_NS)
		least = DELAYED_ACK_MIN_NS;
	return e->ts_ns - step->previous_data_ns >= least;
}

/*
 * RFC 896 and Minshall's variant: less than a segment waits until an earlier one that was not full
 * either, or all that was sent, is acknowledged. A full window would have let a whole segment go.
 */
static bool waited_for_small(const TcpDirection *d, const TcpStep *step)
{
	if (step->len >= d->mss || step->flight_before <= 0)
		return false;
	if (d->sender_una >= step->next_before)
		return true;
	int64_t una = step->next_before - step->flight_before; /* when it stopped */
	return step->small_end > una && step->small_end <= d->sender_una;
}

/* A window within a tenth of its largest counts as not growing any more (docs/causes.md,
 * autotuning-restricted). */
static void count_plateau(TcpDirection *d, uint32_t window, int64_t now_ns)
{
	if (window > d->edge_plateau + d->edge_plateau / 10) {
		d->edge_plateau = window;
		d->edge_plateau_since_ns = now_ns;
		d->edge_plateau_stops = 0;
	}
	if (window >= d->edge_plateau - d->edge_plateau / 10) {
		d->edge_plateau_stops++;
		d->edge_plateau_last_ns = now_ns;
	}
}

static void count_edge_stop(
	TcpDirection *d, uint32_t window, int64_t now_ns, int64_t rest_ns, int64_t late_ns)
{
	d->edge_stops++;
	count_plateau(d, window, now_ns);
	d->edge_window_sum += window;
	if (window < d->edge_window_min)
		d->edge_window_min = window;
	if (window > d->edge_window_max)
		d->edge_window_max = window;
	d->at_edge_ns += rest_ns;
	d->late_releases += late_ns > 0;
}

static Bucket repair_bucket(RetransmissionKind kind)
{
	switch (kind) {
	case RETRANSMISSION_TIMEOUT:
		return BUCKET_RTO_STALL;
	case RETRANSMISSION_TAIL_PROBE:
		return BUCKET_TAIL_LOSS;
	case RETRANSMISSION_CLOSED_WINDOW:
		return BUCKET_ZERO_WINDOW;
	case RETRANSMISSION_FAST:
	case RETRANSMISSION_NONE:
		break;
	}
	return BUCKET_LOSS_RECOVERY;
}

/*
 * Full segments that come at even pauses come off a link that is so slow, or from a sender that
 * paces itself to what it takes for one: a program that stops now and then is not so even. Asked
 * for pauses alone, and not next to the sender.
 */
static bool is_evenly_spaced(
	Conversation *conv, Side side, const Packet *packet, const TcpStep *step, bool new_message)
{
	TcpDirection *d = &conv->tcp.dir[side];
	int64_t gap = packet->ts_ns - step->previous_data_ns;
	bool is_full = step->len >= d->mss && step->previous_len >= d->mss;
	int64_t differs = gap > d->spacing_ns ? gap - d->spacing_ns : d->spacing_ns - gap;
	bool is_next = d->spacing_at_ns == step->previous_data_ns &&
		       (double)differs <= SPACING_EVEN_SHARE * (double)d->spacing_ns;
	/* a message sent when nothing was under way was not waiting behind the one before */
	bool is_alone = new_message && d->sender_una >= step->next_before;
	d->spacing_run = is_full && is_next && !is_alone ? d->spacing_run + 1 : 0;
	d->spacing_ns = gap;
	d->spacing_at_ns = packet->ts_ns;
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, side);
	return d->spacing_run >= SPACING_EVEN_RUN && loop * 10 >= tcp_rtt_ns(&conv->tcp);
}

/* A timer repeats these bytes: nothing moved since the last progress, or since they were sent at
 * first; a probe and a late acknowledgement of what went before are no progress of theirs. */
static int64_t stalled_since_ns(const TcpDirection *d, const TcpStep *step)
{
	const SendRecord *r;
	for (uint32_t i = 0; (r = tcp_send_record(d, i)) != NULL; i++) {
		if (!r->retransmitted && r->end > step->from && r->end - r->len <= step->from)
			return r->ts_ns < d->last_progress_ns ? r->ts_ns : d->last_progress_ns;
	}
	return d->last_progress_ns;
}

/* The sender may send as far as its windows are concerned: is it TCP's clock, or has the program
 * nothing to send? */
static Bucket clocked_or_stalled(Conversation *conv, Side side, const Packet *packet,
	const TcpStep *step, int64_t rest_ns, bool new_message)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, side);
	bool is_even = is_evenly_spaced(conv, side, packet, step, new_message);
	/* it stood in a queue on the way for longer than the pause: nobody paused */
	if (is_even || (step->under_way_ns > 0 && rest_ns <= step->under_way_ns - loop))
		return BUCKET_LINK;
	bool is_triggered = !keeps_own_pace(conv, side, packet, step) &&
			    trigger_of(conv, side, packet->ts_ns, new_message) != NULL;
	if (!is_triggered && rest_ns > longer(STALL_MIN_NS, STALL_LOOP_SHARE, loop)) {
		if (step->none_unseen && step->is_fresh && rest_ns > conv->tcp.dir[side].silent_ns)
			conv->tcp.dir[side].silent_ns = rest_ns;
		return BUCKET_SENDER_STALLED;
	}
	if (step->previous_len < d->mss && !is_triggered)
		return BUCKET_SENDER_STALLED;
	/* after a loss CUBIC stays near its old window for seconds (RFC 9438 4.2): no plateau of a
	 * buffer; and a window of a few segments may be why the rest waited */
	bool is_quiet = d->last_loss_ns == 0 || packet->ts_ns - d->last_loss_ns > PLATEAU_QUIET_NS;
	if (is_triggered && is_quiet && waited_for_small(d, step))
		return BUCKET_ROUND_TRIP;
	bool is_far =
		loop > 2 * MILLISECOND_NS && (double)loop > 0.3 * (double)tcp_rtt_ns(&conv->tcp);
	if (is_far && (double)step->flight_before + 2.0 * d->mss <
			      DEMONSTRATED_SHARE * (double)d->demonstrated)
		return BUCKET_SENDER_STALLED;
	if (d->is_slow_start)
		return BUCKET_SLOW_START;
	int64_t base = tcp_rtt_ns(&conv->tcp), now = tcp_rtt_now_ns(&conv->tcp, side);
	bool is_below_window =
		(double)d->plateau_reference <= PLATEAU_WINDOW_SHARE * (double)d->peer_window;
	if (d->plateau_rounds >= PLATEAU_ROUNDS && is_below_window && is_quiet &&
		now <= base + base / 4 + NOISE_FLOOR_NS)
		return BUCKET_SEND_BUFFER;
	return BUCKET_CONGESTION_WINDOW;
}

/* The sender stood at the edge of a window of @window bytes for all of @gap. */
static void classify_edge(Conversation *conv, const Packet *packet, const TcpStep *step,
	uint32_t window, int64_t gap, GapTcp *ret)
{
	Side side = step->side;
	TcpDirection *d = &conv->tcp.dir[side];
	ret->bucket = window_was_closed(conv, side, step, packet->ts_ns) ? BUCKET_ZERO_WINDOW
									 : BUCKET_RECEIVE_WINDOW;
	if (ret->bucket == BUCKET_RECEIVE_WINDOW && gap > NOISE_FLOOR_NS)
		ret->late_ns = release_late_ns(conv, side, step);
	/* held data back while its window had shrunk: without that there were no stop at all */
	bool is_shrunk = ret->late_ns > 0 && window < d->max_peer_window / 2;
	if (ret->late_ns > gap || is_shrunk)
		ret->late_ns = gap;
	count_edge_stop(d, window, packet->ts_ns, gap, ret->late_ns);
	if (ret->late_ns > 0 || ret->bucket == BUCKET_ZERO_WINDOW)
		d->last_late_ns = packet->ts_ns;
	ret->is_queued = ret->bucket == BUCKET_RECEIVE_WINDOW && ret->late_ns == 0 &&
			 tcp_queue_stands(&conv->tcp, side);
}

/* The window was closed for a while, and the sender went on some time after it was opened: only
 * that time is the sender's. Returns what was the window's. */
static int64_t charge_closed_window(
	Conversation *conv, const Packet *packet, const TcpStep *step, uint32_t window)
{
	Side side = step->side;
	int64_t known = room_known_ns(conv, side, step);
	int64_t ns = known - conv->timeline->accounted_ns;
	if (ns <= NOISE_FLOOR_NS || !window_was_closed(conv, side, step, known))
		return 0;
	count_edge_stop(&conv->tcp.dir[side], window, known, ns, 0);
	conv->tcp.dir[side].last_late_ns = known;
	timeline_add(conv->timeline, known,
		&(Span){.frame = packet->frame,
			.stream = conv->stream,
			.side = (uint8_t)conversation_side(conv, side),
			.bucket = BUCKET_ZERO_WINDOW});
	return ns;
}

void gap_tcp_classify(Conversation *conv, const Packet *packet, const TcpStep *step,
	bool new_message, GapTcp *ret)
{
	Side side = step->side;
	TcpDirection *d = &conv->tcp.dir[side];
	int64_t gap = packet->ts_ns - conv->timeline->accounted_ns;
	memset(ret, 0, sizeof(*ret));
	ret->is_after_loss = d->loss_events > 0 || d->unseen_stalls > 0;
	if (step->segment == SEGMENT_PROBE) {
		ret->bucket = BUCKET_ZERO_WINDOW;
		ret->is_repair = true;
		return;
	}
	if (step->segment == SEGMENT_RETRANSMISSION ||
		step->segment == SEGMENT_RETRANSMISSION_UPSTREAM) {
		ret->bucket = repair_bucket(step->retransmission);
		ret->is_repair = true;
		ret->relabel_recovery = step->retransmission == RETRANSMISSION_TIMEOUT;
		ret->stalled_since_ns = stalled_since_ns(d, step);
		return;
	}
	if (step->segment == SEGMENT_REORDERED) {
		bool is_short = gap < tcp_rtt_ns(&conv->tcp) / 2;
		ret->bucket = is_short ? BUCKET_LINK : BUCKET_CONGESTION_WINDOW;
		ret->is_flow = is_short && gap <= NOISE_FLOOR_NS;
		return;
	}
	if (step->was_in_recovery && !step->ends_recovery) {
		ret->bucket = d->episode_kind == RETRANSMISSION_CLOSED_WINDOW
				      ? BUCKET_ZERO_WINDOW
				      : BUCKET_LOSS_RECOVERY;
		ret->is_repair = true;
		return;
	}
	/* without room it sent nothing that could be lost: what it counted went elsewhere; what a
	 * capture misses that misses other packets of this sender was not lost either */
	uint32_t window = 0;
	if (step->unseen_before && gap >= LEDGER_MIN_PAUSE_NS && tcp_uncaptured_bytes(d) == 0 &&
		!(stood_at_edge(conv, side, step, &window) &&
			!had_room_before(conv, side, step, packet->ts_ns))) {
		d->unseen_stalls++;
		d->unseen_tails += step->unseen_count <= UNSEEN_TAIL_PACKETS;
		ret->bucket = BUCKET_RTO_STALL;
		ret->is_repair = true;
		return;
	}
	bool might_be_edge =
		d->sender_edge - step->next_before < (int64_t)d->mss + (int64_t)step->len ||
		gap > NOISE_FLOOR_NS;
	if (!might_be_edge) {
		ret->bucket = BUCKET_LINK;
		ret->is_flow = true;
		return;
	}
	bool is_at_edge = gap > 0 && stood_at_edge(conv, side, step, &window);
	if (is_at_edge && !had_room_before(conv, side, step, packet->ts_ns)) {
		classify_edge(conv, packet, step, window, gap, ret);
		return;
	}
	if (is_at_edge && !new_message)
		gap -= charge_closed_window(conv, packet, step, window);
	if (gap <= NOISE_FLOOR_NS) {
		ret->bucket = BUCKET_LINK;
		ret->is_flow = true;
		return;
	}
	/* holes that the sender has been told of: the clock stops while they are repaired, the
	 * program does not */
	int64_t told_ns = d->sacked_since_ns + tcp_sender_loop_ns(&conv->tcp, side);
	if (d->sacked_count > 0 && packet->ts_ns >= told_ns) {
		ret->bucket = BUCKET_LOSS_RECOVERY;
		ret->is_repair = true;
		return;
	}
	if (!new_message && waited_for_delayed_ack(conv, side, packet, step)) {
		ret->bucket = BUCKET_DELAYED_ACK_STALL;
		return;
	}
	ret->bucket = clocked_or_stalled(conv, side, packet, step, gap, new_message);
	bool is_clocked = ret->bucket != BUCKET_SENDER_STALLED && ret->bucket != BUCKET_ROUND_TRIP;
	if (is_clocked)
		d->round_was_limited = true;
	ret->is_queued =
		is_clocked && step->flight_before > 0 && tcp_queue_stands(&conv->tcp, side);
	if (ret->bucket == BUCKET_SEND_BUFFER && d->plateau_rounds == PLATEAU_ROUNDS)
		timeline_relabel(conv->timeline, d->plateau_since_ns, conversation_side(conv, side),
			BUCKET_CONGESTION_WINDOW, BUCKET_SEND_BUFFER);
}

/* When the segment that ends at @end or last before it was sent; 0 when it is forgotten. */
static int64_t sent_ns(const TcpDirection *d, int64_t end)
{
	const SendRecord *r;
	for (uint32_t i = 0; (r = tcp_send_record(d, i)) != NULL; i++) {
		if (r->end <= end)
			return r->ts_ns;
	}
	return 0;
}

bool gap_tcp_follows_sender(const Conversation *conv, Side side, int64_t now_ns)
{
	if (now_ns - conv->edge_ns[side] > EDGE_ROUNDS * tcp_rtt_ns(&conv->tcp))
		return false;
	const TcpDirection *d = &conv->tcp.dir[side];
	const AckEvent *e, *newest = NULL, *before = NULL;
	for (uint32_t i = 0; (e = tcp_ack_event(d, i)) != NULL && !before; i++) {
		if (e->ack_advanced && newest)
			before = e;
		else if (e->ack_advanced)
			newest = e;
	}
	if (!before)
		return true;
	int64_t from = sent_ns(d, before->ack), to = sent_ns(d, newest->ack);
	return from == 0 || to == 0 || 2 * (to - from) >= newest->ts_ns - before->ts_ns;
}

/* A pause that the path did not make must not look like its spacing. */
static void break_trains(Conversation *conv, Side side, const GapTcp *label, int64_t gap_ns)
{
	bool is_path = label->is_flow || label->is_queued || label->bucket == BUCKET_SLOW_START ||
		       label->bucket == BUCKET_CONGESTION_WINDOW || label->bucket == BUCKET_LINK;
	/* at the edge of a window even the shortest pause is the window's */
	if (is_path || (gap_ns <= NOISE_FLOOR_NS && label->bucket != BUCKET_RECEIVE_WINDOW))
		return;
	/* standing at the edge of a window that just covers a full path is the path's doing too */
	int64_t base = tcp_rtt_ns(&conv->tcp);
	if (label->bucket == BUCKET_RECEIVE_WINDOW &&
		tcp_rtt_now_ns(&conv->tcp, side) > base + base / 4 + NOISE_FLOOR_NS)
		return;
	if (!conv->path)
		return;
	PathDirection *dir = &conv->path->dir[path_way(conv->client_is_low, side)];
	train_break(&dir->data_train);
	conv->edge_ns[side] = label->bucket == BUCKET_RECEIVE_WINDOW ? conv->tcp.last_ns : 0;
	if (label->bucket != BUCKET_RECEIVE_WINDOW || label->late_ns > 0)
		train_break(&dir->ack_train);
}

void gap_tcp_charge(Conversation *conv, Side side, const Packet *packet, const GapTcp *label)
{
	Timeline *timeline = conv->timeline;
	break_trains(conv, side, label, packet->ts_ns - timeline->accounted_ns);
	if (label->relabel_recovery) {
		timeline_relabel(timeline, label->stalled_since_ns, conversation_side(conv, side),
			BUCKET_TAIL_LOSS, BUCKET_RTO_STALL);
		timeline_relabel(timeline, label->stalled_since_ns, conversation_side(conv, side),
			BUCKET_SENDER_STALLED, BUCKET_RTO_STALL);
	}
	Span span = {.frame = packet->frame,
		.stream = conv->stream,
		.side = (uint8_t)conversation_side(conv, side),
		.is_queued = label->is_queued,
		.is_after_loss = label->is_after_loss,
		.is_flow = label->is_flow};
	if (label->late_ns > 0) {
		span.bucket = BUCKET_SLOW_READER;
		timeline_add(timeline, timeline->accounted_ns + label->late_ns, &span);
	}
	span.bucket = (uint8_t)label->bucket;
	span.wire_bytes = packet->wirelen + FRAMING_BYTES;
	timeline_add(timeline, packet->ts_ns, &span);
}

/* A queue begins to be looked at. */
static void queue_restart(Conversation *conv, Side side, int64_t now_ns, uint64_t others)
{
	conv->queue_since_ns[side] = now_ns;
	conv->queue_bytes[side] = 0;
	conv->queue_others[side] = others;
	conv->queue_against[side] = conv->tcp.dir[1 - (int)side].next;
}

__attribute__((noinline)) void gap_tcp_queue(
	Conversation *conv, Side side, int64_t now_ns, uint64_t wire, int dir)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	bool stands = d->next > d->una && !d->in_recovery && tcp_queue_stands(&conv->tcp, side);
	if (!stands) {
		conv->queue_since_ns[side] = 0;
		return;
	}
	uint64_t others = conv->path->dir[dir].wire_bytes -
			  conv->timeline->own_bytes[conversation_side(conv, side)];
	if (conv->queue_since_ns[side] == 0) {
		queue_restart(conv, side, now_ns, others);
		return;
	}
	conv->queue_bytes[side] += wire;
	int64_t ns = now_ns - conv->queue_since_ns[side];
	/* two round trips: shorter stretches catch single bursts */
	if (ns < 2 * tcp_rtt_now_ns(&conv->tcp, side) || ns <= 0)
		return;
	/* a round trip has two ways: requests come as slowly as the queue of the answers lets them
	 */
	int64_t against = conv->tcp.dir[1 - (int)side].next - conv->queue_against[side];
	uint64_t bytes = conv->queue_bytes[side] + others - conv->queue_others[side];
	if (against < (int64_t)bytes)
		histogram_add(&conv->path->dir[dir].queue,
			(int64_t)((double)bytes * 1e9 / (double)ns), 1);
	queue_restart(conv, side, now_ns, others);
}
