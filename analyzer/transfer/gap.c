/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels for pauses at the message level: who owed the next byte, and was the request travelling,
 * at the server, or not asked for yet? See gap.h; the TCP level is in gap_tcp.c.
 * docs/architecture.md, "Every nanosecond once" and 2.11.
 */
#include "analyzer/transfer/gap.h"

#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/gap_tcp.h"

/* A pause before a log-in message longer than this is a person, not a program. */
#define SETUP_THINK_NS SECOND_NS
/* When SYNs are sent again, seconds after the first: RFC 6298 2.1 and 5.5 (1, 3, 7…), Linux since
 * 6.5 (tcp_syn_linear_timeouts: 1, 2, 3, 4), and hosts of RFC 1122 4.2.3.1, which begin with three.
 */
static const int64_t SYN_TIMERS_S[] = {1, 2, 3, 4, 7, 9, 15, 21, 31};
/* Kernel timers are late by up to their wheel's step (Linux, 1,000 ticks a second: 64 ticks in
 * 1,000), and loops are minima. */
#define SYN_TIMER_LATE_SHARE 0.07
#define SYN_TIMER_EARLY_NS (10 * MILLISECOND_NS)

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static Span span_of(
	const Conversation *conv, Bucket bucket, OpClass op_class, Side side, const Packet *packet)
{
	return (Span){.frame = packet->frame,
		.stream = conv->stream,
		.bucket = (uint8_t)bucket,
		.op_class = (uint8_t)op_class,
		.side = (uint8_t)conversation_side(conv, side)};
}

/* Time before the packet that is not the packet's own: it carries no bytes yet. */
static void add_part(Conversation *conv, int64_t to_ns, Bucket bucket, OpClass op_class, Side side,
	const Packet *packet)
{
	Span span = span_of(conv, bucket, op_class, side, packet);
	timeline_add(conv->timeline, to_ns, &span);
}

/* Time up to the packet: first @travel_ns of a round trip, the rest is @bucket. */
static void add_wait(Conversation *conv, int64_t travel_ns, Bucket bucket, OpClass op_class,
	Side side, const Packet *packet)
{
	Span span = span_of(conv, bucket, op_class, side, packet);
	span.travel_ns = travel_ns > 0 ? travel_ns : 0;
	span.wire_bytes = packet->wirelen + FRAMING_BYTES;
	timeline_add(conv->timeline, packet->ts_ns, &span);
}

/* Time the server's side is responsible for: the request travels to it and back, then it works. */
static void charge_server(
	Conversation *conv, const Packet *packet, const Turn *turn, OpClass op_class, Side speaker)
{
	/* another share may be connected, another user log in, after files were opened */
	if (turn->is_setup || op_class == OP_AUTH) {
		add_wait(conv, 0, BUCKET_SESSION_SETUP, OP_AUTH, speaker, packet);
		return;
	}
	if (conv->data_unseen_ns == packet->ts_ns && turn->interim) {
		add_wait(conv, 0, BUCKET_CAPTURE_GAP, OP_OTHER, speaker, packet);
		return;
	}
	int64_t from = conv->timeline->accounted_ns;
	int64_t asked = turn->oldest_request_ns ? turn->oldest_request_ns : from;
	/* an FTP server answers when the data connection is closed, not when it was asked */
	if (conv->data_done_ns > asked)
		asked = conv->data_done_ns;
	/* a request that was lost has reached the server with its repair */
	int64_t repaired = conv->tcp.dir[SIDE_CLIENT].last_loss_ns;
	if (repaired > asked && repaired <= packet->ts_ns)
		asked = repaired;
	if (asked > from) { /* before the request was complete: it was still coming */
		int64_t complete = asked < packet->ts_ns ? asked : packet->ts_ns;
		add_part(conv, complete, BUCKET_ROUND_TRIP, op_class, speaker, packet);
		from = complete;
	}
	add_wait(conv, asked + tcp_sender_loop_ns(&conv->tcp, SIDE_SERVER) - from,
		BUCKET_SERVER_PROCESSING, op_class, speaker, packet);
}

/* Time the client's side is responsible for: the answer travels to it, then it decides. */
static void charge_client(
	Conversation *conv, const Packet *packet, const Turn *turn, OpClass op_class)
{
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, SIDE_CLIENT);
	int64_t from = conv->timeline->accounted_ns;
	int64_t answered = turn->last_reply_ns ? turn->last_reply_ns : from;
	if (!turn->is_setup) {
		add_wait(conv, answered + loop - from, BUCKET_CLIENT_THINK, op_class, SIDE_CLIENT,
			packet);
		return;
	}
	int64_t back = clamp(answered + loop, from, packet->ts_ns);
	if (packet->ts_ns - back < SETUP_THINK_NS) {
		add_wait(conv, 0, BUCKET_SESSION_SETUP, OP_AUTH, SIDE_CLIENT, packet);
		return;
	}
	add_part(conv, back, BUCKET_SESSION_SETUP, OP_AUTH, SIDE_CLIENT, packet);
	add_wait(conv, 0, BUCKET_CLIENT_THINK, OP_OTHER, SIDE_CLIENT, packet);
}

/* Whether a label of the TCP level explains why a new message came late. */
static bool blocks_message(Bucket bucket)
{
	return bucket >= BUCKET_ZERO_WINDOW && bucket <= BUCKET_DELAYED_ACK_STALL;
}

static bool is_ack_clocked(Bucket bucket)
{
	return bucket == BUCKET_SEND_BUFFER || bucket == BUCKET_SLOW_START ||
	       bucket == BUCKET_CONGESTION_WINDOW;
}

/* The speaker had work waiting when it last sent: requests that had reached it by then. */
static bool was_backlogged(const Conversation *conv, const Turn *turn, const TcpStep *step)
{
	int64_t loop = tcp_sender_loop_ns(&conv->tcp, SIDE_SERVER);
	/* "pending" is no work done: it is still at the request */
	return turn->outstanding > 0 && !turn->interim && step->previous_data_ns > 0 &&
	       turn->oldest_request_ns + loop <= step->previous_data_ns + loop / 8;
}

static void server_message(Conversation *conv, const Packet *packet, const TcpStep *step,
	const Turn *before, const Turn *after)
{
	GapTcp tcp_label;
	gap_tcp_classify(conv, packet, step, true, &tcp_label);
	bool pipelined = was_backlogged(conv, before, step) && step->flight_before > 0;
	if (tcp_label.is_repair || blocks_message(tcp_label.bucket) ||
		(pipelined && is_ack_clocked(tcp_label.bucket))) {
		gap_tcp_charge(conv, step->side, packet, &tcp_label);
		return;
	}
	if (pipelined && tcp_label.is_flow) {
		gap_tcp_charge(conv, step->side, packet, &tcp_label);
		return;
	}
	OpClass op_class = before->outstanding > 0 ? before->oldest_class : after->last_class;
	charge_server(conv, packet, before, op_class, SIDE_SERVER);
}

static void client_message(Conversation *conv, const Packet *packet, const TcpStep *step,
	const Turn *before, const Turn *after)
{
	GapTcp tcp_label;
	gap_tcp_classify(conv, packet, step, true, &tcp_label);
	if (tcp_label.is_repair || blocks_message(tcp_label.bucket)) {
		gap_tcp_charge(conv, step->side, packet, &tcp_label);
		return;
	}
	if (before->outstanding > 0) {
		/* several writes under way: either the window lets no more out, or the client waits
		 * for an answer */
		bool is_bulk = step->flight_before > 2 * (int64_t)conv->tcp.dir[SIDE_CLIENT].mss;
		if (is_bulk && (is_ack_clocked(tcp_label.bucket) || tcp_label.is_flow)) {
			gap_tcp_charge(conv, step->side, packet, &tcp_label);
			return;
		}
		charge_server(conv, packet, before, before->oldest_class, SIDE_CLIENT);
		return;
	}
	charge_client(conv, packet, before, after->newest_class);
}

/* Whether a host that has tried to connect for so long tries again just now. */
static bool is_syn_timer(int64_t waited_ns)
{
	for (size_t i = 0; i < sizeof(SYN_TIMERS_S) / sizeof(*SYN_TIMERS_S); i++) {
		int64_t after = waited_ns - SYN_TIMERS_S[i] * SECOND_NS;
		if (after >= -SYN_TIMER_EARLY_NS &&
			(double)after <=
				SYN_TIMER_LATE_SHARE * (double)(SYN_TIMERS_S[i] * SECOND_NS))
			return true;
	}
	return false;
}

/*
 * A data connection is opened as soon as the host that opens it was told to. When its first SYN
 * here comes a timer's time later, those before it were lost on their way here: it is the setting
 * up that took so long.
 */
static bool is_syn_repeat(const Conversation *conv, const Packet *packet, const Turn *turn)
{
	Side opener = conv->is_flipped ? SIDE_SERVER : SIDE_CLIENT;
	int64_t told = opener == SIDE_SERVER ? turn->oldest_request_ns : turn->last_reply_ns;
	bool is_turn = (turn->outstanding > 0) == (opener == SIDE_SERVER);
	int64_t loop = tcp_sender_loop_ns(&conv->control->tcp, opener);
	return is_turn && told > 0 && is_syn_timer(packet->ts_ns - told - loop);
}

static void setup_step(
	Conversation *conv, const Packet *packet, const TcpStep *step, const Turn *before)
{
	if (packet->tcp_flags & TCP_SYN && !(packet->tcp_flags & TCP_ACK) &&
		conv->tcp.syn_tries == 1 && conv->control) {
		/* a data connection begins on its control connection's timeline: whose turn was it
		 * to open it? */
		const Turn *turn = before;
		conv->is_syn_repeat = is_syn_repeat(conv, packet, turn);
		if (conv->is_syn_repeat)
			add_wait(conv, tcp_rtt_ns(&conv->control->tcp), BUCKET_CONNECTION_SETUP,
				OP_OTHER, step->side, packet);
		else if (turn->outstanding > 0)
			charge_server(conv->control, packet, turn, turn->oldest_class, step->side);
		else
			charge_client(conv->control, packet, turn, OP_FTP);
		return;
	}
	add_wait(conv, 0, BUCKET_CONNECTION_SETUP, OP_OTHER, step->side, packet);
}

/* More than a window cannot pass without acknowledgements: the pause before was none. */
static void unseen(Conversation *conv, Side side, int64_t bytes, int64_t at_ns)
{
	uint32_t window = conv->tcp.dir[side].max_peer_window;
	if (window > 0 && bytes > window)
		timeline_unseen(conv->timeline, at_ns);
}

static void capture_gap(Conversation *conv, const TcpStep *step, const Packet *packet)
{
	/* data passed unseen before its acknowledgement did: nobody can say what that time was */
	if (step->gap_opened_ns > conv->timeline->accounted_ns + NOISE_FLOOR_NS)
		add_part(conv, step->gap_opened_ns, BUCKET_CAPTURE_GAP, OP_OTHER, step->gap_side,
			packet);
	unseen(conv, step->gap_side, step->gap_to - step->gap_from, step->gap_opened_ns);
}

void gap_closes(Conversation *conv)
{
	for (int side = 0; side < 2 && conv->timeline; side++) {
		const TcpDirection *d = &conv->tcp.dir[side];
		for (uint32_t i = 0; i < d->hole_count; i++) {
			const Hole *h = &d->holes[i];
			if (h->to <= d->una)
				unseen(conv, side, h->to - h->from, h->opened_ns);
		}
	}
}

__attribute__((noinline)) void gap_clock_ran(Conversation *conv, Side side)
{
	Side held = side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	if (!conv->timeline)
		return;
	/* a sender whose packets are held up so long runs into its timer */
	conv->tcp.dir[held].unseen_stalls++;
	timeline_relabel(conv->timeline, conv->tcp.jump_from_ns, conversation_side(conv, held),
		BUCKET_CAPTURE_GAP, BUCKET_RTO_STALL);
}

static bool is_repair(SegmentClass segment)
{
	return segment == SEGMENT_RETRANSMISSION || segment == SEGMENT_RETRANSMISSION_UPSTREAM ||
	       segment == SEGMENT_PROBE;
}

/*
 * The usual segment: in the middle of its side's message, on the heels of the one before, far from
 * the window's edge. It only lengthens the burst under way.
 */
__attribute__((always_inline)) static inline bool burst_goes_on(
	Conversation *conv, const Packet *packet, const TcpStep *step)
{
	const TcpDirection *d = &conv->tcp.dir[step->side];
	if (d->sender_edge - step->next_before < (int64_t)d->mss + (int64_t)step->len)
		return false;
	return timeline_lengthen(conv->timeline, packet->ts_ns, NOISE_FLOOR_NS,
		conversation_side(conv, step->side), conv->stream, packet->frame,
		packet->wirelen + FRAMING_BYTES);
}

/* What the client waited for before it was known that it takes the windows as they stand there. */
static void relabel_unscaled(Conversation *conv)
{
	static const Bucket looked_like[] = {BUCKET_SENDER_STALLED, BUCKET_SLOW_START,
		BUCKET_CONGESTION_WINDOW, BUCKET_SEND_BUFFER, BUCKET_DELAYED_ACK_STALL};
	for (size_t i = 0; i < sizeof(looked_like) / sizeof(*looked_like); i++)
		timeline_relabel(conv->timeline, conv->tcp.dir[SIDE_CLIENT].fills_since_ns,
			conversation_side(conv, SIDE_CLIENT), looked_like[i], BUCKET_ZERO_WINDOW);
}

bool gap_goes_on(Conversation *conv, const Packet *packet, const TcpStep *step, const Turn *turn)
{
	return conv->timeline && !step->scale_lost && !step->clock_jumped &&
	       turn->message_left[1 - (int)step->side] == 0 && burst_goes_on(conv, packet, step);
}

__attribute__((noinline)) void gap_step(Conversation *conv, const Packet *packet,
	const TcpStep *step, const Turn *before, const Turn *after)
{
	if (!conv->timeline)
		return;
	if (step->scale_lost)
		relabel_unscaled(conv);
	if (step->gap_to > step->gap_from)
		capture_gap(conv, step, packet);
	if (step->is_setup &&
		conv->tcp.dir[0].payload_packets + conv->tcp.dir[1].payload_packets == 0) {
		setup_step(conv, packet, step, before);
		return;
	}
	if (step->clock_jumped) { /* time that never passed */
		add_part(conv, packet->ts_ns, BUCKET_CAPTURE_GAP, OP_OTHER, step->side, packet);
	}
	if (step->segment == SEGMENT_NEW && !step->was_in_recovery && before->is_framed &&
		before->message_left[step->side] > 0 &&
		before->message_left[1 - (int)step->side] == 0 && burst_goes_on(conv, packet, step))
		return;
	if (step->segment == SEGMENT_NONE || step->segment == SEGMENT_COPY ||
		step->segment == SEGMENT_KEEP_ALIVE)
		return;
	Side side = step->side, other = side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
	bool is_mid = before->message_left[side] > 0;
	bool other_is_mid = before->message_left[other] > 0;
	if (!before->is_framed) {
		is_mid = conv->has_last_side && conv->last_side == side;
		other_is_mid = false;
		conv->has_last_side = true;
		conv->last_side = (uint8_t)side;
	}
	GapTcp label;
	if (is_repair(step->segment)) {
		gap_tcp_classify(conv, packet, step, false, &label);
		gap_tcp_charge(conv, side, packet, &label);
		return;
	}
	if (is_mid) {
		if (other_is_mid && before->message_left[other] > before->message_left[side])
			return; /* the other side's bulk is what everybody waits for */
		gap_tcp_classify(conv, packet, step, false, &label);
		gap_tcp_charge(conv, side, packet, &label);
		return;
	}
	if (other_is_mid)
		return;
	/* nothing of the other side was captured: whose time this was nobody can say */
	if (conv->tcp.dir[other].packets == 0) {
		add_wait(conv, 0, BUCKET_CAPTURE_GAP, OP_OTHER, side, packet);
		return;
	}
	if (side == SIDE_SERVER) {
		if (before->outstanding > 0 || !before->is_framed || before->is_setup)
			server_message(conv, packet, step, before, after);
		return;
	}
	client_message(conv, packet, step, before, after);
}

__attribute__((noinline)) static void push_train_later(const Conversation *conv, Train *train,
	Histogram *levels, Side sender, int64_t now_ns, uint64_t bytes, uint32_t unit)
{
	int64_t gap = tcp_rtt_now_ns(&conv->tcp, sender) / 4;
	const TcpDirection *d = &conv->tcp.dir[sender];
	/* segments of a slow link are further apart than a short round trip */
	if (d->spacing_run >= SPACING_EVEN_RUN && gap < 2 * d->spacing_ns)
		gap = 2 * d->spacing_ns;
	train_push(train, levels, now_ns, bytes, gap > BURST_GAP_MIN_NS ? gap : BURST_GAP_MIN_NS,
		unit);
}

/* @sender: whose data it is, or whose acknowledgements tell of it */
static inline void push_train(const Conversation *conv, Train *train, Histogram *levels,
	Side sender, int64_t now_ns, uint64_t bytes, uint32_t unit)
{
	if (train_is_close(train, now_ns))
		train_lengthen(train, levels, now_ns, bytes, unit);
	else
		push_train_later(conv, train, levels, sender, now_ns, bytes, unit);
}

/* Of the segments that @bytes came in: about 90 bytes each with framing. */
static uint64_t headers_of(uint64_t bytes, uint32_t mss)
{
	/* short divisions are several times as fast, and nearly all are */
	if (bytes <= UINT32_MAX / 90)
		return (uint32_t)bytes * 90 / mss;
	return bytes * 90 / mss;
}

/* Next to the host of @side. */
static bool is_near(const TcpConnection *tcp, Side side)
{
	return tcp->loop_ns[side] != INT64_MAX && tcp->loop_ns[side] * 10 < tcp_rtt_ns(tcp);
}

/* Segments of @side pass, outside of recovery. Next to the sender its own pace is seen, not the
 * path's, unless it is paced; small messages and repairs are no trains. */
__attribute__((always_inline)) static inline void data_train(
	const Conversation *conv, Side side, const Packet *packet, uint32_t len)
{
	const TcpDirection *d = &conv->tcp.dir[side];
	/* of a frame that the host's card cuts later one time is known for many segments: only an
	 * even train of them, as pacing makes it, tells a speed */
	if (len * 2 < d->mss || (len <= d->mss + 12u && is_near(&conv->tcp, side)))
		return;
	PathDirection *way = &conv->path->dir[path_way(conv->client_is_low, side)];
	push_train(conv, &way->data_train, way->data, side, packet->ts_ns,
		packet->wirelen + FRAMING_BYTES, (len > d->mss ? len : d->mss) + 90u);
}

/* Data of @sender are acknowledged. */
__attribute__((always_inline)) static inline void ack_train(
	Conversation *conv, Side sender, int64_t now_ns)
{
	const TcpDirection *acked = &conv->tcp.dir[sender];
	int64_t before = conv->queue_una[sender];
	int64_t bytes = acked->una - before;
	conv->queue_una[sender] = acked->una;
	if (bytes <= 0 || before == 0)
		return;
	int dir = path_way(conv->client_is_low, sender);
	PathDirection *way = &conv->path->dir[dir];
	if (acked->in_recovery) { /* one acknowledgement covers what was repaired */
		train_break(&way->ack_train);
		return;
	}
	if (conv->edge_ns[sender] != 0 && gap_tcp_follows_sender(conv, sender, now_ns))
		train_break(&way->ack_train);
	uint64_t wire = (uint64_t)bytes + headers_of((uint64_t)bytes, acked->mss);
	push_train(conv, &way->ack_train, way->acks, sender, now_ns, wire, acked->mss + 90u);
	gap_tcp_queue(conv, sender, now_ns, wire, dir);
}

void gap_trains(Conversation *conv, const Packet *packet, const TcpStep *step)
{
	if (!conv->path || step->segment == SEGMENT_COPY || step->segment == SEGMENT_KEEP_ALIVE)
		return;
	Side side = step->side;
	if (step->len > 0)
		timeline_path_bytes(conv->timeline, conversation_side(conv, side),
			packet->wirelen + FRAMING_BYTES);
	if (conv->tcp.dir[side].in_recovery)
		train_break(&conv->path->dir[path_way(conv->client_is_low, side)].data_train);
	else
		data_train(conv, side, packet, step->len);
	if (step->ack_advanced && !step->is_setup)
		ack_train(conv, side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT, packet->ts_ns);
}

void gap_data_train(Conversation *conv, Side side, const Packet *packet)
{
	timeline_path_bytes(
		conv->timeline, conversation_side(conv, side), packet->wirelen + FRAMING_BYTES);
	data_train(conv, side, packet, packet->payload_len);
}

void gap_ack_train(Conversation *conv, Side sender, int64_t now_ns)
{
	ack_train(conv, sender, now_ns);
}

void gap_given_up(Conversation *conv, Side sender, int64_t to_ns, const Packet *packet)
{
	if (conv->timeline && to_ns - conv->timeline->accounted_ns >= TIMEOUT_MIN_NS)
		add_part(conv, to_ns, BUCKET_RTO_STALL, OP_OTHER, sender, packet);
}

void gap_end(Conversation *conv)
{
	if (!conv->timeline || conv->control ||
		conv->tcp.dir[0].payload_packets + conv->tcp.dir[1].payload_packets == 0)
		return;
	for (int side = 0; side < 2; side++) {
		const TcpDirection *d = &conv->tcp.dir[side];
		if (!conv->has_last_side || conv->last_side != side ||
			d->last_progress_ns <= conv->timeline->accounted_ns)
			continue;
		if (d->una < d->next)
			continue;
		/* the last data travels, its acknowledgement comes back */
		Packet none = {.ts_ns = d->last_progress_ns};
		add_part(conv, d->last_progress_ns, BUCKET_ROUND_TRIP, OP_OTHER, side, &none);
	}
}
