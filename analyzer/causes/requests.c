/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data requests of a unit and the loop they make: see requests.h.
 */
#include "analyzer/causes/requests.h"

#include <math.h>
#include <string.h>

#include "analyzer/causes/service.h"
#include "analyzer/constants.h"

/* Round trips under load are longer than the smallest, and no program overlaps perfectly: the low
 * end of a saving leaves a tenth. Judgement. */
#define SAVED_LOW_SHARE 0.9
/* Without a known path nobody can say what a deeper queue would meet next: half is sure to help. */
#define SAVED_LOW_SHARE_UNKNOWN 0.5
/* The loop explains the rate when it gives it within a fifth, the tolerance of docs/causes.md,
 * receive-window-small. */
#define CEILING_TOLERANCE 0.2
/* Time needed for high confidence: twice the least that counts. docs/architecture.md, "Life of a
 * finding". */
#define HIGH_MARGIN 2
/* Requests per file of a job from which on their size and number are a choice. */
#define REQUESTS_PER_FILE 4
/* RFC 7323 2.3: largest value of the window field, before scaling. */
#define WINDOW_FIELD_MAX 65535.0

static uint32_t depth_quantile(const DataFacts *d, double q)
{
	uint64_t sum = 0;
	for (int n = 0; n <= UNIT_DEPTHS; n++)
		sum += d->depth_count[n];
	uint64_t seen = 0;
	for (uint32_t n = 0; n < UNIT_DEPTHS; n++) {
		seen += d->depth_count[n];
		if ((double)seen >= q * (double)sum)
			return n;
	}
	return d->depth_max;
}

static double allowed_bytes(const CauseContext *context, bool is_write)
{
	const SessionStats *s = context->session;
	if (!s)
		return 0;
	return is_write ? s->max_write_bytes : s->max_read_bytes;
}

bool requests_measure(const CauseContext *context, Requests *ret)
{
	const Unit *unit = context->unit;
	const DataFacts *d = unit_main(unit);
	/* a short snap length hides what was asked, not what came */
	uint64_t asked = d->asked > 0 ? d->asked : d->bytes;
	if (unit->is_ftp || unit->is_unframed || d->requests < REQUESTS_MIN || asked == 0 ||
		context->rtt_ns <= 0)
		return false;
	/* files moved whole, in one or two requests, have the size they have */
	if (unit->is_job && d->requests < REQUESTS_PER_FILE * unit->files)
		return false;
	bool is_write = unit_is_write(unit);
	Requests r = {.data = d, .op_class = is_write ? OP_WRITE : OP_READ, .is_write = is_write};
	r.count = d->requests;
	/* mixed sizes: the mean, because large ones carry the bytes */
	double median = (double)histogram_quantile(&d->size, 0.5);
	double mean = (double)asked / (double)d->requests;
	r.size = median > mean ? median : mean;
	r.depth_mean = (double)d->depth_sum / (double)d->requests;
	r.depth_usual = depth_quantile(d, 0.9);
	r.sequential = (double)d->sequential / (double)d->requests;
	r.service_ns = (double)histogram_quantile(&d->service_ns, 0.5);
	if (context->goodput_limit > 0)
		r.block_ns = r.size * 1e9 / context->goodput_limit;
	r.cycle_ns = (double)context->rtt_ns + r.service_ns + r.block_ns;
	r.depth_round = r.depth_mean < 1.5 ? 1 : round(r.depth_mean);
	r.ceiling = r.depth_round * r.size * 1e9 / r.cycle_ns;
	if (context->goodput_limit > 0 && r.ceiling > context->goodput_limit)
		r.ceiling = context->goodput_limit;
	r.allowed = allowed_bytes(context, is_write);
	r.round_trip_ns = context->left_round_trip_ns[r.op_class];
	*ret = r;
	return true;
}

/* The largest window this receiver can ever announce; 0 when its scale is unknown. */
static double window_limit(const CauseContext *context)
{
	const TcpDirection *receiver = context->receiver;
	if (!receiver || !receiver->scale_known)
		return 0;
	return WINDOW_FIELD_MAX * (double)(1u << (receiver->scale_in_force & 15));
}

double requests_wait_ns(
	const CauseContext *context, const Requests *requests, double size, double depth)
{
	double bytes = (double)context->bytes;
	double rtt = (double)context->rtt_ns, loop = rtt + requests->service_ns;
	double block = context->goodput_limit > 0 ? size * 1e9 / context->goodput_limit : 0;
	double count = size > 0 && bytes > size ? bytes / size : 1;
	if (depth < 1)
		depth = 1;
	double wait = count / depth * (loop + block) - count * block;
	double window = window_limit(context);
	if (window > 0 && depth * size > window) {
		double limited = bytes / window * rtt - count * block;
		wait = limited > wait ? limited : wait;
	}
	return wait > rtt ? wait : rtt;
}

uint32_t requests_full_depth(const CauseContext *context, const Requests *requests)
{
	double full = ceil(cause_bdp_bytes(context) / requests->size) + 1;
	if (full < REQUESTS_USUAL_DEPTH)
		return REQUESTS_USUAL_DEPTH;
	return full < UINT16_MAX ? (uint32_t)full : UINT16_MAX;
}

void requests_claim(const CauseContext *context, FindingDraft *draft, const Requests *requests,
	double ns, bool with_hidden)
{
	OpClass c = requests->op_class;
	cause_claim_round_trips_part(context, draft, c, (int64_t)ns);
	if (!with_hidden)
		return;
	if (!service_is_slow(context, OP_MASK(c)))
		cause_claim_server(context, draft, OP_MASK(c));
	/* too little to be told on its own */
	if (context->left_ns[BUCKET_CLIENT_THINK] < cause_min_lost_ns(context))
		cause_claim(context, draft, BUCKET_CLIENT_THINK);
}

/* Round trips the congestion window needs to grow from one block to what the path holds; while one
 * block went at a time it never had to. */
static double growth_ns(const CauseContext *context, const Requests *requests)
{
	double pipe = cause_bdp_bytes(context);
	if (pipe > (double)context->bytes)
		pipe = (double)context->bytes;
	if (pipe <= requests->size)
		return 0;
	return (double)context->rtt_ns * ceil(log2(pipe / requests->size));
}

/*
 * Requests under way at the same time are also worked on at the same time by a server that can
 * (threads, disks that read ahead), and larger ones are fewer; a program that pauses for each does
 * so while others travel, so that the longer of the two is what is left.
 */
static void hide(const CauseContext *context, FindingDraft *draft, const Requests *requests,
	double size, double depth)
{
	const Account *a = &context->unit->account;
	double under_way = fmax(requests->depth_mean * requests->size, 1);
	double share = 1 - under_way / fmax(depth * size, 1);
	if (share <= 0)
		return;
	cause_hides(
		draft, BUCKET_SERVER_PROCESSING, share * (double)a->server_ns[requests->op_class]);
	/* a sender that is asked for the same amount each time looks as if it were out of buffers,
	 * and its congestion window does not grow beyond that (RFC 7661); losses keep it small
	 * whatever is asked */
	cause_hides(draft, BUCKET_SEND_BUFFER, share * (double)a->bucket_ns[BUCKET_SEND_BUFFER]);
	if (context->sender && context->sender->retransmitted_packets == 0)
		cause_hides(draft, BUCKET_CONGESTION_WINDOW,
			share * (double)a->bucket_ns[BUCKET_CONGESTION_WINDOW]);
	double think = (double)a->think_ns[requests->op_class];
	double rest = (double)(context->wall_ns - draft->lost_ns) - think;
	cause_hides(draft, BUCKET_CLIENT_THINK, fmin(share * think, fmax(rest, 0)));
}

void requests_save(const CauseContext *context, FindingDraft *draft, const Requests *requests,
	double size, double depth)
{
	double trips = (double)draft->claim_round_trip_ns[requests->op_class];
	/* waits that stay with other causes are not counted twice */
	double others = (double)requests->round_trip_ns - trips;
	double best = requests_wait_ns(context, requests, size, 1e9) - others;
	double wait = requests_wait_ns(context, requests, size, depth) - others;
	best = best > 0 ? best : 0;
	wait = wait > 0 ? wait : 0;
	double high = (double)draft->lost_ns - best;
	double share = context->goodput_limit > 0 ? SAVED_LOW_SHARE : SAVED_LOW_SHARE_UNKNOWN;
	double low = (trips - wait - growth_ns(context, requests)) * share;
	draft->saved_high_ns = high > 0 ? (int64_t)high : 0;
	draft->saved_low_ns = low > 0 ? (int64_t)low : 0;
	hide(context, draft, requests, size, depth);
}

void requests_evidence(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, uint32_t pairs)
{
	const Unit *unit = context->unit;
	const OperationSample *longest = NULL;
	uint32_t shown = 0;
	for (uint32_t i = 0; i < UNIT_OPERATIONS; i++) {
		bool is_set = i < UNIT_OPERATIONS_FIRST
				      ? i < unit->operation_count
				      : i - UNIT_OPERATIONS_FIRST < unit->longest_count;
		const OperationSample *o = &unit->operations[i];
		if (!is_set || o->op_class != op_class || o->reply_ns == 0)
			continue;
		if (!longest ||
			o->reply_ns - o->request_ns > longest->reply_ns - longest->request_ns)
			longest = o;
		if (i >= UNIT_OPERATIONS_FIRST || shown >= pairs)
			continue;
		shown++;
		cause_evidence(context, draft, o->request_frame, o->request_ns, "request");
		cause_evidence(context, draft, o->reply_frame, o->reply_ns,
			cause_printf(context, "its answer is complete, %s later",
				cause_time(context, (double)(o->reply_ns - o->request_ns))));
	}
	if (longest)
		cause_evidence(context, draft, longest->reply_frame, longest->reply_ns,
			cause_printf(context, "the longest exchange seen, %s",
				cause_time(context,
					(double)(longest->reply_ns - longest->request_ns))));
}

void requests_describe(const CauseContext *context, FindingDraft *draft, const Requests *requests)
{
	cause_number(draft, requests->is_write ? "bytes per write" : "bytes per read", NUMBER_BYTES,
		requests->size);
	cause_number(draft, "requests", NUMBER_COUNT, (double)requests->count);
	cause_number(draft, "in flight, mean", NUMBER_COUNT, round(requests->depth_mean * 10) / 10);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_number(draft, "server per request, median", NUMBER_NS, requests->service_ns);
	if (requests->block_ns > 0)
		cause_number(draft, "one block on the path", NUMBER_NS, requests->block_ns);
	if (requests->allowed > 0)
		cause_number(draft, "largest request allowed", NUMBER_BYTES, requests->allowed);
	draft->ceiling_bytes_per_s = requests->ceiling;
	const char *blocks = cause_bytes(context, requests->size);
	if (requests->depth_round > 1)
		blocks = cause_printf(context, "%.0f x %s", requests->depth_round, blocks);
	draft->ceiling_formula = cause_printf(context, "%s / %s = %s", blocks,
		cause_time(context, requests->cycle_ns), cause_rate(context, requests->ceiling));
	requests_evidence(context, draft, requests->op_class, 3);
}

Confidence requests_confidence(
	const CauseContext *context, const FindingDraft *draft, const Requests *requests)
{
	bool is_explained = context->rate > requests->ceiling * (1 - CEILING_TOLERANCE) &&
			    context->rate < requests->ceiling * (1 + CEILING_TOLERANCE);
	bool is_clear = draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context) &&
			requests->count >= REQUESTS_PLENTY;
	return is_explained && is_clear && context->vantage != VANTAGE_UNKNOWN &&
			       context->goodput_limit > 0
		       ? CONFIDENCE_HIGH
		       : CONFIDENCE_MEDIUM;
}
