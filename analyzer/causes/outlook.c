/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of outlook.h.
 *
 * Three clocks can set the pace of data: the path (bytes / rate), the window (bytes * round trip /
 * window), and the requests (one answer after the other). The slowest one counts. How much longer
 * the data took than the slowest clock says is measured in this unit and kept. Everything else is
 * kept as it was, and made longer or shorter with the round trip where it consists of those.
 */
#include "analyzer/causes/outlook.h"

#include <math.h>

#include "analyzer/causes/loss.h"
#include "analyzer/causes/requests.h"
#include "analyzer/causes/saving.h"
#include "analyzer/causes/window.h"
#include "analyzer/constants.h"

/* A clock that explains less than half of the time that data took, or twice it, explains nothing:
 * the factor is not carried further. Judgement. */
#define FACTOR_MIN 0.5
#define FACTOR_MAX 2.0
/* Nobody knows what a path of unknown speed carries: half of what a larger window or request would
 * save is sure (as for savings, saving.c). */
#define UNKNOWN_PATH_SHARE 0.5
/* Two deviations hold 95 of 100 (saving.c). */
#define DEVIATIONS 2.0

/** Clocks: nanoseconds all data would take by each; 0 where there is no such clock. */
typedef struct Clocks {
	double link, window, requests;
} Clocks;

/** Setting: what sets the clocks. */
typedef struct Setting {
	double rtt, goodput, window, request, depth;
} Setting;

/** Parts: the measured budget by what it depends on, in ns. */
typedef struct Parts {
	double data;        /* paced by the clocks */
	double round_trips; /* of other requests, repair and growth: proportional to the round trip
			     */
	double setup;       /* of connection and session: partly */
	double thought;     /* by the client, before each data request */
	double kept;
} Parts;

typedef struct Model {
	const CauseContext *context;
	Requests requests;
	bool has_requests;
	bool is_clocked; /* never congested: what acknowledgements clock is the window's time */
	Setting was, then;
	Parts parts;
} Model;

/* The window that was in force: at the stops when there were some, else nothing is known but that
 * it was large enough. */
static double window_in_force(const CauseContext *context)
{
	const TcpDirection *d = context->sender;
	int64_t stopped = context->unit->account.bucket_ns[BUCKET_RECEIVE_WINDOW] +
			  context->unit->account.bucket_ns[BUCKET_SEND_BUFFER];
	if (stopped < cause_min_lost_ns(context))
		return 0;
	if (d->edge_stops > 0 &&
		context->unit->account.bucket_ns[BUCKET_RECEIVE_WINDOW] * 2 >= stopped)
		return window_at_stops(d);
	return (double)d->max_in_flight;
}

static double assumed(double given, double measured)
{
	return given > 0 ? given : measured;
}

/* Payload per second on a link of @bytes_per_s: what headers leave. */
static double goodput_of(const CauseContext *context, double bytes_per_s)
{
	double headers = 40 + (context->sender->has_timestamps ? 12 : 0) + 14 + FRAMING_BYTES;
	return bytes_per_s * context->mss / (context->mss + headers);
}

static void settings_make(Model *m, const ResultAssumption *a)
{
	const CauseContext *c = m->context;
	m->was = (Setting){.rtt = (double)c->rtt_ns,
		.goodput = c->goodput_limit,
		.window = window_in_force(c)};
	if (m->has_requests) {
		m->was.request = m->requests.size;
		m->was.depth = m->requests.depth_mean > 1 ? m->requests.depth_mean : 1;
	}
	m->then = (Setting){.rtt = assumed(a->rtt_ns, m->was.rtt),
		.goodput = a->bytes_per_s > 0 ? goodput_of(c, a->bytes_per_s) : m->was.goodput,
		.window = assumed(a->window_bytes, m->was.window),
		.request = m->has_requests ? assumed(a->request_bytes, m->was.request) : 0,
		.depth = m->has_requests ? assumed(a->depth, m->was.depth) : 0};
}

static Clocks clocks_of(const Model *m, const Setting *s)
{
	double bytes = (double)m->context->bytes;
	Clocks c = {0};
	if (s->goodput > 0)
		c.link = bytes * 1e9 / s->goodput;
	else
		c.link = (double)m->context->link_ns;
	if (s->window > 0)
		c.window = bytes * s->rtt / s->window;
	if (m->has_requests) {
		double size = s->request < bytes ? s->request : bytes;
		double block = size * c.link / bytes;
		double cycle = s->rtt + m->requests.service_ns + block;
		c.requests = bytes / size * cycle / s->depth;
	}
	return c;
}

static double slowest(const Clocks *c)
{
	double most = c->link > c->window ? c->link : c->window;
	return most > c->requests ? most : c->requests;
}

static void parts_make(Model *m)
{
	const Account *a = &m->context->unit->account;
	Parts *p = &m->parts;
	double sum = 0;
	for (int b = 0; b < BUCKET_COUNT; b++)
		sum += (double)a->bucket_ns[b];
	p->data = (double)(a->bucket_ns[BUCKET_LINK] + a->bucket_ns[BUCKET_RECEIVE_WINDOW] +
			   a->bucket_ns[BUCKET_SEND_BUFFER]);
	p->round_trips =
		(double)(a->bucket_ns[BUCKET_ROUND_TRIP] + a->bucket_ns[BUCKET_SLOW_START] +
			 a->bucket_ns[BUCKET_LOSS_RECOVERY]);
	if (m->is_clocked)
		p->data += (double)a->bucket_ns[BUCKET_CONGESTION_WINDOW];
	else
		p->round_trips += (double)a->bucket_ns[BUCKET_CONGESTION_WINDOW];
	if (m->has_requests) {
		OpClass op = m->requests.op_class;
		p->data += (double)(a->round_trip_ns[op] + a->server_ns[op]);
		p->round_trips -= (double)a->round_trip_ns[op];
		p->thought = (double)a->think_ns[op];
	}
	p->setup = (double)(a->bucket_ns[BUCKET_CONNECTION_SETUP] +
			    a->bucket_ns[BUCKET_SESSION_SETUP]);
	p->kept = sum - p->data - p->round_trips - p->setup - p->thought;
}

/* Round trips in which a window of @window bytes grows from ten segments (RFC 6928). */
static double start_ns(const Model *m, const Setting *s)
{
	double pipe = s->goodput * s->rtt / 1e9, bytes = (double)m->context->bytes;
	double first = INITIAL_WINDOW_SEGMENTS * (double)m->context->mss;
	if (pipe <= 0 || (s->window > 0 && s->window < pipe))
		pipe = s->window;
	pipe = pipe > 0 && pipe < bytes ? pipe : bytes;
	return pipe > first ? s->rtt * ceil(log2(pipe / first)) : 0;
}

/* A window that has to grow further than was needed so far, or whose growing hid behind other
 * waits, costs round trips that this capture does not show. */
static double growth_ns(const Model *m, double stretch)
{
	const Account *a = &m->context->unit->account;
	double shown = (double)a->bucket_ns[BUCKET_SLOW_START] * stretch;
	double whole = start_ns(m, &m->then);
	return whole > shown ? whole - shown : 0;
}

static Bucket limit_of(const Model *m, const Clocks *clocks, double data, double rest)
{
	if (rest > data) {
		const Account *a = &m->context->unit->account;
		Bucket most = BUCKET_ROUND_TRIP;
		int64_t ns = 0;
		for (int b = 0; b < BUCKET_COUNT; b++) {
			bool is_data = b == BUCKET_LINK || b == BUCKET_RECEIVE_WINDOW ||
				       b == BUCKET_SEND_BUFFER ||
				       (b == BUCKET_ROUND_TRIP && m->has_requests) ||
				       (b == BUCKET_CONGESTION_WINDOW && m->is_clocked);
			if (!is_data && a->bucket_ns[b] > ns) {
				ns = a->bucket_ns[b];
				most = (Bucket)b;
			}
		}
		return most;
	}
	double most = slowest(clocks);
	if (most <= clocks->link)
		return BUCKET_LINK;
	return most <= clocks->window ? BUCKET_RECEIVE_WINDOW : BUCKET_ROUND_TRIP;
}

static const char *formula_of(const Model *m, Bucket limit)
{
	const CauseContext *c = m->context;
	const Setting *s = &m->then;
	if (limit == BUCKET_LINK && s->goodput > 0)
		return cause_printf(c, "the path carries %s", cause_rate(c, s->goodput));
	if (limit == BUCKET_RECEIVE_WINDOW)
		return cause_printf(c, "%s / %s = %s", cause_bytes(c, s->window),
			cause_time(c, s->rtt), cause_rate(c, s->window * 1e9 / s->rtt));
	if (limit != BUCKET_ROUND_TRIP || !m->has_requests)
		return NULL;
	double block = s->goodput > 0 ? s->request * 1e9 / s->goodput : 0;
	double cycle = s->rtt + m->requests.service_ns + block;
	const char *blocks = cause_bytes(c, s->request);
	if (s->depth >= 1.5)
		blocks = cause_printf(c, "%.0f x %s", s->depth, blocks);
	return cause_printf(c, "%s / %s = %s", blocks, cause_time(c, cycle),
		cause_rate(c, s->request * s->depth * 1e9 / cycle));
}

/* How much shorter the link time may be where the speed of the path is not proven (saving.c). */
static double unproven_factor(const Model *m, const ResultAssumption *assumption)
{
	const Capacity *c = &m->context->capacity;
	if (assumption->bytes_per_s > 0 || c->is_proven || c->fastest <= c->bytes_per_s)
		return 1;
	return c->bytes_per_s / c->fastest;
}

/* Data, from the fastest that is possible to the slowest. */
static void data_range(const Model *m, const ResultAssumption *assumption, const Clocks *then,
	double *ret_low, double *ret_high)
{
	Clocks was = clocks_of(m, &m->was), best = *then;
	double factor = slowest(&was) > 0 ? m->parts.data / slowest(&was) : 1;
	factor = factor < FACTOR_MIN || factor > FACTOR_MAX ? 1 : factor;
	best.link *= unproven_factor(m, assumption);
	*ret_low = slowest(&best) * (factor < 1 ? factor : 1);
	*ret_high = slowest(then) * (factor > 1 ? factor : 1);
	/* where nothing is known of the path, it may be the next limit anywhere in between */
	if (m->then.goodput <= 0 && *ret_high < m->parts.data)
		*ret_high += UNKNOWN_PATH_SHARE * (m->parts.data - *ret_high);
}

/* What losses that stay add where the clocks would let the data pass faster than they do: they
 * allow a rate of their own, which falls as the round trip grows. */
static double caught_ns(const Model *m, double data, double stretch)
{
	const Account *a = &m->context->unit->account;
	double paced = data + stretch * (double)(a->bucket_ns[BUCKET_SLOW_START] +
						 a->bucket_ns[BUCKET_CONGESTION_WINDOW] +
						 a->bucket_ns[BUCKET_LOSS_RECOVERY]);
	double floor_ns = stretch * (double)loss_floor_ns(m->context);
	return data < m->parts.data && floor_ns > paced ? floor_ns - paced : 0;
}

static void outlook_fill(Model *m, const ResultAssumption *assumption, ResultOutlook *ret)
{
	Clocks then = clocks_of(m, &m->then);
	double stretch = m->was.rtt > 0 ? m->then.rtt / m->was.rtt : 1;
	double low, high, thought = m->parts.thought;
	data_range(m, assumption, &then, &low, &high);
	if (m->has_requests)
		thought *= m->was.request * m->was.depth / (m->then.request * m->then.depth);
	double rest = m->parts.kept + m->parts.round_trips * stretch + thought;
	double setup_low = m->parts.setup * (stretch < 1 ? stretch : 1);
	double setup_high = m->parts.setup * (stretch > 1 ? stretch : 1);
	ret->limit = limit_of(m, &then, slowest(&then), rest + setup_low);
	ret->formula = formula_of(m, ret->limit);
	ret->uses_requests = m->has_requests;
	low += rest + setup_low;
	double caught = caught_ns(m, high, stretch);
	high += caught + rest + setup_high + growth_ns(m, stretch);
	/* a silence that no rule explains may go with what was assumed away */
	double unexplained = (double)m->context->unit->account.bucket_ns[BUCKET_SENDER_STALLED];
	if (high < (double)m->context->wall_ns)
		low -= unexplained;
	double bytes = (double)m->context->bytes;
	double lost = (double)m->context->unit->account.bucket_ns[BUCKET_CONGESTION_WINDOW];
	double chance = DEVIATIONS * sqrt(saving_losses_variance(m->context, lost * stretch));
	double more =
		DEVIATIONS * sqrt(saving_losses_variance(m->context, lost * stretch + caught));
	double runs = saving_run_spread_ns((low + high) / 2);
	low -= hypot(runs, chance);
	low = low > 0 ? low : 0;
	high += hypot(runs, more);
	ret->duration_ns = (NsRange){(int64_t)low, (int64_t)high};
	ret->bytes_per_s =
		(RateRange){high > 0 ? bytes * 1e9 / high : 0, low > 0 ? bytes * 1e9 / low : 0};
}

bool outlook_make(
	const CauseContext *context, const ResultAssumption *assumption, ResultOutlook *ret)
{
	Model m = {.context = context};
	bool needs_rtt = assumption->rtt_ns > 0 || assumption->window_bytes > 0;
	if (!context->sender || context->bytes == 0 || (needs_rtt && context->rtt_ns <= 0))
		return false;
	m.has_requests = requests_measure(context, &m.requests);
	m.is_clocked = context->sender->loss_events == 0 && context->sender->ecn_marks == 0;
	settings_make(&m, assumption);
	parts_make(&m);
	outlook_fill(&m, assumption, ret);
	return true;
}
