/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Losses: see loss.h.
 */
#include "analyzer/causes/loss.h"

#include <math.h>
#include <string.h>

#include "analyzer/causes/host.h"
#include "analyzer/causes/neighbours.h"
#include "analyzer/causes/reader.h"
#include "analyzer/constants.h"

/* Mathis et al. 1997: rate = 1.22 MSS / (RTT sqrt(p)). */
#define MATHIS_FACTOR 1.22
#define LOSS_FLOOR_MAX_NS 1e18
/* docs/causes.md, loss-random: the model fits when it is within a factor of two. */
#define MATHIS_TOLERANCE 2.0
/* Segments that show which size passes: many, and larger than the smallest MTU of IPv4 (RFC 791).
 */
#define MIN_FAR_PACKETS 100
#define MIN_FAR_SEGMENT 536
/* What a timer costs at least after the fix: the loss is seen and repaired in two round trips
 * (docs/architecture.md, "Life of a finding"). */
#define REPAIR_ROUND_TRIPS 2

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t after_loss_ns(const CauseContext *context)
{
	const int64_t *ns = context->unit->account.after_loss_ns;
	return smaller(ns[0] + ns[1], context->left_ns[BUCKET_CONGESTION_WINDOW]);
}

static int64_t restart_after_loss_ns(const CauseContext *context)
{
	const int64_t *ns = context->unit->account.restart_after_loss_ns;
	return smaller(ns[0] + ns[1], context->left_ns[BUCKET_SLOW_START]);
}

static Side loss_side(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	int64_t ns[2];
	for (int i = 0; i < 2; i++)
		ns[i] = a->loss_ns[i] + a->after_loss_ns[i] + a->restart_after_loss_ns[i];
	if (ns[0] == ns[1])
		return context->bulk;
	return ns[SIDE_CLIENT] > ns[SIDE_SERVER] ? SIDE_CLIENT : SIDE_SERVER;
}

/*
 * What was sent again although the receiver had it: either the answer was only late (the original's
 * timestamp comes back, RFC 3522), or the answer itself was lost (D-SACK alone, RFC 2883).
 */
static void take_repairs(const CauseContext *context, LossFacts *ret)
{
	const TcpDirection *d = ret->direction;
	ret->repairs = d->retransmitted_packets - d->closed_repairs;
	uint64_t late = d->spurious_inferred < ret->repairs ? d->spurious_inferred : ret->repairs;
	uint64_t had = d->spurious < ret->repairs ? d->spurious : ret->repairs;
	bool can_tell = context->sender->has_timestamps && context->receiver->has_timestamps;
	/* one late answer proves its whole series of repairs needless, the others tell of it by
	 * D-SACK */
	bool is_late = !can_tell || late * 2 >= d->loss_events;
	ret->unneeded = is_late && had > late ? had : late;
	ret->answers_lost = is_late || had < late ? 0 : had - late;
	ret->lost = ret->repairs - ret->unneeded;
}

/* Frames that a card cuts or joins hold many packets: then as many are counted as bytes need, of
 * the size that repairs have. */
static uint64_t packets_sent(const TcpDirection *d)
{
	if (d->mss == 0 || d->payload_bytes <= d->payload_packets * d->mss)
		return d->payload_packets;
	double size = d->mss;
	if (d->retransmitted_packets > 0 &&
		(double)d->retransmitted_bytes > size * (double)d->retransmitted_packets)
		size = (double)d->retransmitted_bytes / (double)d->retransmitted_packets;
	double packets = (double)d->payload_bytes / size;
	return packets > (double)d->payload_packets ? (uint64_t)packets : d->payload_packets;
}

int64_t loss_none_arrived(const TcpDirection *d)
{
	return d->payload_packets == 0 && d->bare_next > d->next ? d->bare_next - d->next : 0;
}

bool loss_facts(const CauseContext *context, LossFacts *ret)
{
	*ret = (LossFacts){.side = loss_side(context)};
	const TcpDirection *d = host_direction(context, ret->side);
	if (!d || (d->payload_packets == 0 && loss_none_arrived(d) == 0))
		return false;
	ret->direction = d;
	take_repairs(context, ret);
	ret->sent = packets_sent(d);
	if (ret->sent == 0)
		ret->sent = ret->lost = (uint64_t)loss_none_arrived(d) / (d->mss ? d->mss : 1) + 1;
	ret->rate = (double)ret->lost / (double)ret->sent;
	if (ret->rate > 0 && context->rtt_ns > 0)
		ret->mathis =
			MATHIS_FACTOR * d->mss / ((double)context->rtt_ns / 1e9 * sqrt(ret->rate));
	ret->stall_ns = context->left_ns[BUCKET_RTO_STALL] + context->left_ns[BUCKET_TAIL_LOSS];
	ret->cost_ns = ret->stall_ns + context->left_ns[BUCKET_LOSS_RECOVERY] +
		       after_loss_ns(context) + restart_after_loss_ns(context);
	return true;
}

int64_t loss_floor_ns(const CauseContext *context)
{
	LossFacts facts;
	if (!loss_facts(context, &facts) || facts.direction != context->sender ||
		loss_was_none(&facts) || facts.mathis <= 0)
		return 0;
	double ns = (double)context->bytes * 1e9 / facts.mathis;
	/* far longer than any capture, and no number that could not be added to others */
	return ns < LOSS_FLOOR_MAX_NS ? (int64_t)ns : (int64_t)LOSS_FLOOR_MAX_NS;
}

/* Another connection of the same hosts carried data both ways after this one was established: small
 * packets pass. */
static bool small_packets_pass(const CauseContext *context)
{
	const ConnectionFacts *own = context->facts;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		bool is_pair = (memcmp(c->addr[0], own->addr[0], 16) == 0 &&
				       memcmp(c->addr[1], own->addr[1], 16) == 0) ||
			       (memcmp(c->addr[0], own->addr[1], 16) == 0 &&
				       memcmp(c->addr[1], own->addr[0], 16) == 0);
		if (c != own && is_pair && c->tcp.dir[0].una > 0 && c->tcp.dir[1].una > 0 &&
			c->tcp.last_ns > own->tcp.established_ns)
			return true;
	}
	return false;
}

/* At the receiver: silences that only the sender's packet numbers explain, and never a segment of
 * the size that the handshake allows. */
static bool is_black_hole_from_afar(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	return d->unseen_stalls + d->announced_stalls > 0 && d->big_timeouts == 0 &&
	       d->retransmitted_packets > 0 && context->facts->tcp.handshake_seen &&
	       d->payload_packets >= MIN_FAR_PACKETS &&
	       (double)d->max_segment < LOSS_BLACK_HOLE_SIZE_SHARE * d->mss &&
	       d->max_segment >= MIN_FAR_SEGMENT && facts->stall_ns * 2 >= facts->cost_ns;
}

/* Full-size segments time out again and again, and none was ever acknowledged at that size. */
static bool is_black_hole(const CauseContext *context, const TcpDirection *d)
{
	if (d->big_timeouts < LOSS_BLACK_HOLE_TIMEOUTS)
		return false;
	if (d->max_acked_len > 0)
		return (double)d->max_acked_len < LOSS_BLACK_HOLE_SIZE_SHARE * d->max_timeout_len;
	/* nothing at all arrived: the handshake did, and so do the small packets of others */
	return d->una == 0 && context->facts->tcp.handshake_seen && small_packets_pass(context);
}

/* At the receiver: of several full segments that were sent nothing ever came, through several
 * timers, while the handshake did, and so do the small packets of others. */
static bool is_black_hole_unseen(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	return loss_none_arrived(d) >= LOSS_BLACK_HOLE_SEGMENTS * (int64_t)d->mss &&
	       facts->stall_ns >= LOSS_BLACK_HOLE_SILENCE_NS &&
	       context->facts->tcp.handshake_seen && small_packets_pass(context);
}

/* At the sender: frames that its card should cut vanish, single packets arrive. */
static bool is_offload_defect(const TcpDirection *d)
{
	return d->segments_over_mss >= LOSS_OFFLOAD_MIN_FRAMES &&
	       d->timeouts >= LOSS_OFFLOAD_MIN_TIMEOUTS && d->max_passed_len > 0 &&
	       d->max_passed_len <= d->mss;
}

bool loss_was_none(const LossFacts *facts)
{
	return facts->unneeded >= LOSS_SPURIOUS_MIN &&
	       (double)facts->unneeded > LOSS_SPURIOUS_SHARE * (double)facts->repairs;
}

/*
 * Before the place where packets overtake each other their order is still right. But again and
 * again three acknowledgements in a row said that something was missing that was not, while no
 * round trip grew and no timer ran out (RFC 5681 3.2, RFC 4653 1): they came in another order.
 */
static bool is_reordered_behind(const TcpDirection *d)
{
	return d->reordered == 0 && d->loss_events >= LOSS_REORDERED_MIN &&
	       (d->timeouts + d->tail_probes) * 2 < d->loss_events &&
	       d->loss_events_inflated * 2 < d->loss_events &&
	       d->duplicate_acks >= LOSS_DUPLICATES * d->loss_events;
}

static LossKind unneeded_kind(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	/* a receiver that holds its acknowledgements is the slow reader's story
	 * (docs/architecture.md, "Life of a finding") */
	if (reader_kind(context) != READER_FINE)
		return LOSS_FINE;
	double reordered = (double)d->reordered / (double)d->payload_packets;
	if (d->reordered >= LOSS_REORDERED_MIN && reordered >= LOSS_REORDERED_MIN_RATE)
		return LOSS_REORDERING;
	return is_reordered_behind(d) ? LOSS_REORDERING : LOSS_SPURIOUS;
}

/* Few packets under way: nothing but a timer could report the loss. Far from the sender many may
 * have been lost unseen before it: then their repairs are counted. */
static LossKind stall_kind(const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	uint64_t tails = d->tail_timeouts + d->tail_probes + d->unseen_tails;
	uint64_t all = d->timeouts + d->tail_probes + d->unseen_stalls;
	bool are_few = facts->lost <= UNSEEN_TAIL_PACKETS * all;
	return are_few && tails * 2 >= all ? LOSS_TAIL : LOSS_TIMEOUT;
}

static bool is_congestive(const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	return (double)d->loss_events_inflated >= LOSS_CONGESTIVE_SHARE * (double)d->loss_events ||
	       facts->lost >= LOSS_CONGESTIVE_BURST * d->loss_events;
}

/* The end of slow start overruns the queue once in a healthy connection (docs/causes.md,
 * loss-congestive). */
static bool is_first_overshoot(const CauseContext *context, const LossFacts *facts)
{
	return facts->direction->loss_events <= 1 && is_congestive(facts) &&
	       cause_share(context, facts->cost_ns) < MAJOR_SHARE;
}

/* Before the place of the losses each packet was seen, so the bucket has the last word. */
static bool bucket_decides(const TrailFit *fit)
{
	return fit->bytes_per_s > 0 && fit->upstream <= 0.5;
}

bool loss_is_on_line(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	const LossLine *line = &d->loss_line;
	if (facts->side != context->bulk || bucket_decides(&context->trail) ||
		line->losses < LOSS_LINE_LOSSES || line->on_line < LOSS_LINE_SHARE ||
		context->rtt_ns <= 0 ||
		line->duration_ns < LOSS_LINE_ROUND_TRIPS * context->rtt_ns ||
		(double)d->loss_events_inflated > LOSS_LINE_INFLATED * (double)d->loss_events)
		return false;
	return !context->capacity.is_proven ||
	       context->capacity.bytes_per_s >= LOSS_PATH_FACTOR * line->bytes_per_s;
}

/* One bucket explains the losses, no queue was there to fill, and the path carries more. */
static bool is_policed(const CauseContext *context, const LossFacts *facts)
{
	const TrailFit *fit = &context->trail;
	const Capacity *c = &context->capacity;
	return facts->side == context->bulk && trail_fit_is_good(fit) && !trail_fit_is_queue(fit) &&
	       (c->is_proven ? c->bytes_per_s >= LOSS_PATH_FACTOR * fit->bytes_per_s
			     : fit->upstream <= 0.5);
}

static bool link_was_full(const CauseContext *context)
{
	int64_t busy = context->link_ns + context->unit->account.bucket_ns[BUCKET_OTHER_TRAFFIC];
	return cause_share(context, busy) >= HEALTHY_LINK_SHARE || neighbours_fill_path(context);
}

LossKind loss_kind(const CauseContext *context, LossFacts *ret)
{
	if (!loss_facts(context, ret) || ret->cost_ns < cause_min_lost_ns(context))
		return LOSS_FINE;
	const TcpDirection *d = ret->direction;
	if (d->payload_packets == 0)
		return is_black_hole_unseen(context, ret) ? LOSS_BLACK_HOLE : LOSS_FINE;
	if (is_offload_defect(d))
		return LOSS_OFFLOAD;
	if (is_black_hole(context, d) || is_black_hole_from_afar(context, ret))
		return LOSS_BLACK_HOLE;
	if (loss_was_none(ret))
		return unneeded_kind(context, ret);
	/* a repeat or two that were not needed are no loss */
	if (ret->lost == 0 && d->unseen_stalls == 0)
		return LOSS_FINE;
	uint64_t timers = d->timeouts + d->tail_probes + d->unseen_stalls;
	bool has_stalls = timers > 0 && ret->stall_ns >= cause_min_lost_ns(context);
	/* timers tell the story when most repairs needed one or nearly all that was lost went into
	 * them, not when a few of many did */
	bool are_usual = timers * 2 >= d->loss_events || ret->lost < LOSS_MIN_PACKETS ||
			 (double)ret->stall_ns >= LOSS_STALL_SHARE * (double)ret->cost_ns;
	if (has_stalls && are_usual && ret->stall_ns * 2 >= ret->cost_ns)
		return stall_kind(ret);
	/* a long path suffers from rates that a short one does not notice */
	bool explains = ret->rate >= LOSS_MIN_RATE ||
			(ret->mathis > 0 && ret->mathis <= MATHIS_TOLERANCE * context->rate);
	if (ret->lost < LOSS_MIN_PACKETS || !explains)
		return has_stalls ? stall_kind(ret) : LOSS_FINE;
	if (is_first_overshoot(context, ret))
		return LOSS_FINE;
	if (is_policed(context, ret))
		return LOSS_POLICED;
	if (!is_congestive(ret))
		return LOSS_RANDOM;
	/* a link that is full with this and others loses what is too much: that is how it is shared
	 */
	return link_was_full(context) ? LOSS_FINE : LOSS_CONGESTIVE;
}

/* Link time of bytes that passed the capture point twice: without the loss they pass once. */
static int64_t repeated_wire_ns(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	if (context->goodput_limit <= 0 || facts->side != context->bulk ||
		d->retransmitted_packets == 0)
		return 0;
	int64_t once = (int64_t)(d->upstream_losses + d->closed_repairs);
	int64_t twice = (int64_t)d->retransmitted_packets - once;
	if (twice <= 0)
		return 0;
	double bytes =
		(double)d->retransmitted_bytes * (double)twice / (double)d->retransmitted_packets;
	return (int64_t)(bytes / context->goodput_limit * 1e9);
}

/* Wire bytes that other connections of the same hosts sent the same way meanwhile. */
static double others_bytes(const CauseContext *context)
{
	const ConnectionFacts *own = context->facts;
	const Account *a = &context->unit->account;
	double sum = 0;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		if (c == own || !c->path || c->path != own->path)
			continue;
		bool is_same = c->client_is_low == own->client_is_low;
		const TcpDirection *d =
			&c->tcp.dir[is_same == (context->sender == &own->tcp.dir[0]) ? SIDE_CLIENT
										     : SIDE_SERVER];
		int64_t from = c->tcp.first_ns > a->start_ns ? c->tcp.first_ns : a->start_ns;
		int64_t to = c->tcp.last_ns < a->end_ns ? c->tcp.last_ns : a->end_ns;
		if (to > from)
			sum += (double)d->wire_bytes * (double)(to - from) /
			       (double)(c->tcp.last_ns - c->tcp.first_ns);
	}
	return sum;
}

/* No more is sure to be saved than who keeps below a limit saves, at which it takes @limited_ns. */
static void keep_low(const CauseContext *context, FindingDraft *draft, double limited_ns)
{
	int64_t least = context->wall_ns - (int64_t)(limited_ns / LOSS_BELOW_LIMIT);
	if (draft->saved_low_ns > least)
		draft->saved_low_ns = least > 0 ? least : 0;
}

/* A limit that a bucket fits stays, whatever becomes of the losses: at best the copy has it alone.
 */
static void respect_limit(const CauseContext *context, FindingDraft *draft, const LossFacts *facts)
{
	double alone = cause_limited_ns(context, 0, context->trail.high);
	if (alone <= 0) {
		/* what may be one bounds what is sure */
		if (loss_is_on_line(context, facts))
			keep_low(context, draft,
				(double)context->bytes * 1e9 /
					facts->direction->loss_line.bytes_per_s);
		return;
	}
	double shared = cause_limited_ns(context, others_bytes(context), context->trail.low);
	int64_t most = context->wall_ns - (int64_t)alone;
	if (draft->saved_high_ns > most)
		draft->saved_high_ns = most > 0 ? most : 0;
	keep_low(context, draft, shared);
}

bool loss_conclude(const CauseContext *context, FindingDraft *draft, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	int64_t after = after_loss_ns(context), restart = restart_after_loss_ns(context);
	cause_claim(context, draft, BUCKET_LOSS_RECOVERY);
	cause_claim(context, draft, BUCKET_RTO_STALL);
	cause_claim(context, draft, BUCKET_TAIL_LOSS);
	cause_claim_part(context, draft, BUCKET_CONGESTION_WINDOW, after);
	cause_claim_part(context, draft, BUCKET_SLOW_START, restart);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	draft->blame = "NETWORK";
	int64_t remains = cause_slow_start_ns(context) +
			  REPAIR_ROUND_TRIPS * context->rtt_ns *
				  (int64_t)(d->timeouts + d->tail_probes + d->unseen_stalls);
	draft->saved_low_ns = draft->lost_ns > remains ? draft->lost_ns - remains : 0;
	cause_claim_part(context, draft, BUCKET_LINK, repeated_wire_ns(context, facts));
	draft->saved_high_ns = draft->lost_ns;
	/* a window does not move on before its first hole is filled */
	double repairs_ns = (double)facts->lost * (double)context->rtt_ns;
	cause_hides(draft, BUCKET_RECEIVE_WINDOW,
		fmin(repairs_ns, (double)context->unit->account.bucket_ns[BUCKET_RECEIVE_WINDOW]));
	cause_hides(draft, BUCKET_SEND_BUFFER,
		fmin(repairs_ns, (double)context->unit->account.bucket_ns[BUCKET_SEND_BUFFER]));
	respect_limit(context, draft, facts);
	cause_number(draft, "lost packets", NUMBER_COUNT, (double)facts->lost);
	cause_number(draft, "loss", NUMBER_PERCENT, facts->rate * 100);
	cause_number(draft, "losses repaired by a timer", NUMBER_COUNT, (double)d->timeouts);
	if (facts->mathis > 0)
		cause_number(draft, "rate such loss allows", NUMBER_RATE, facts->mathis);
	cause_evidence_bucket(context, draft, BUCKET_RTO_STALL, "until a timer repaired a loss");
	cause_evidence_bucket(context, draft, BUCKET_LOSS_RECOVERY, "repairing a loss");
	cause_evidence_bucket(context, draft, BUCKET_TAIL_LOSS, "until a probe repaired a loss");
	return true;
}

const char *loss_place(const CauseContext *context, const LossFacts *facts)
{
	const TcpDirection *d = facts->direction;
	uint64_t upstream = d->upstream_losses + d->unseen_stalls;
	if (upstream * 4 < d->retransmitted_packets + d->unseen_stalls)
		return cause_printf(context, "between the capture point and %s",
			host_label(context, host_other(facts->side)));
	if (upstream * 4 > (d->retransmitted_packets + d->unseen_stalls) * 3)
		return cause_printf(context, "between %s and the capture point",
			host_label(context, facts->side));
	return "on both sides of the capture point";
}

const char *loss_rules_out(const CauseContext *context)
{
	LossFacts facts;
	if (context->is_data_unseen || !loss_facts(context, &facts) ||
		facts.cost_ns >= cause_min_lost_ns(context))
		return NULL;
	if (facts.lost == 0)
		return "loss 0.00 %";
	if (facts.cost_ns < MILLISECOND_NS)
		return cause_printf(context, "loss %s, repaired without delay",
			cause_percent(context, facts.rate));
	return cause_printf(context, "loss %s, repaired in %s", cause_percent(context, facts.rate),
		cause_time(context, (double)facts.cost_ns));
}
