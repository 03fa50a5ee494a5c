/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packet trains and capacity: see path.h.
 */
#include "analyzer/transfer/path.h"

#include <math.h>

/* Trains of at least 16 segments prove a speed. */
#define PROVEN_LEVEL 2
/* Trains of eight segments, fewer tell of bursts; one window in twenty may be one that was
 * squeezed.
 */
#define FASTEST_LEVEL 1
#define FASTEST_QUANTILE 0.95
/* Spacing in a train is the bottleneck's; a pause of four times its mean is not. Noise of hosts
 * does not count. */
#define UNEVEN_FACTOR 4
#define UNEVEN_MIN_NS TRAIN_CLOSE_NS
/* Of a receiver that soon holds its acknowledgements back there are a few only, those of an initial
 * window and the round after it (RFC 6928: 10 segments, then 20): windows of four segments that
 * lie within PATH_PROVEN_SPREAD came through the bottleneck one by one. One in five may be slower:
 * a host paused in it. */
#define FEW_WINDOWS 4
#define FEW_PAUSED 5
/* A full segment with framing in a microsecond, the step of most captures' clocks: trains of a few
 * that are faster lie one behind the other as a host wrote them, before any link. */
#define TOLD_MAX_BYTES_PER_S (1538 * 1e6)
/* Stretches with a standing queue that make an estimate. */
#define QUEUE_MIN_STRETCHES 3

static void train_restart(Train *train, int64_t now_ns)
{
	for (int i = 0; i < TRAIN_LEVELS; i++) {
		train->start_ns[i] = now_ns;
		train->bytes[i] = 0;
		train->halves[i] = 0;
	}
}

void train_break(Train *train)
{
	train->last_ns = 0;
}

static bool is_uneven(const Train *train, int64_t now_ns, uint64_t bytes)
{
	int64_t gap = now_ns - train->last_ns;
	if (gap <= UNEVEN_MIN_NS || train->all_bytes == 0)
		return false;
	double mean = (double)(train->last_ns - train->first_ns) * (double)bytes /
		      (double)train->all_bytes;
	return (double)gap > UNEVEN_FACTOR * mean;
}

/* Of the shortest windows nothing is asked once longer ones are usable. */
static void count_window(Train *train, Histogram levels[TRAIN_LEVELS], int level, int64_t now_ns)
{
	int64_t ns = now_ns - train->start_ns[level];
	if (ns <= 0 || (level < FASTEST_LEVEL && level < train->usable))
		return;
	histogram_add(&levels[level], (int64_t)((double)train->bytes[level] * 1e9 / (double)ns), 1);
	if (histogram_count(&levels[level]) >= TRAIN_MIN_WINDOWS)
		train->usable = (uint8_t)level;
}

/* What came before a stretch that is much faster was held up by something else than the path. */
static inline void restart_if_faster(Train *train, int64_t now_ns)
{
	uint64_t before = train->all_bytes - train->bytes[0];
	int64_t since = train->start_ns[0] - train->first_ns, now = now_ns - train->start_ns[0];
	if (before == 0 || since <= 0 || now <= 0 || now + since <= UNEVEN_MIN_NS)
		return;
	/* rates compared without a division: this is asked for every fourth packet */
	if ((double)train->bytes[0] * (double)since <= UNEVEN_FACTOR * (double)before * (double)now)
		return;
	for (int i = 1; i < TRAIN_LEVELS; i++) {
		train->start_ns[i] = train->start_ns[0];
		train->bytes[i] = 0;
		train->halves[i] = 0;
	}
	train->first_ns = train->start_ns[0];
	train->all_bytes = train->bytes[0];
}

void train_push(Train *train, Histogram levels[TRAIN_LEVELS], int64_t now_ns, uint64_t bytes,
	int64_t gap_ns, uint32_t unit)
{
	bool is_new = train->last_ns == 0 || now_ns - train->last_ns > gap_ns ||
		      now_ns < train->last_ns || is_uneven(train, now_ns, bytes);
	train->last_ns = now_ns;
	if (is_new) { /* the first packet's bytes were sent before the train's clock starts */
		train->first_ns = now_ns;
		train->all_bytes = 0;
		train_restart(train, now_ns);
		return;
	}
	train_lengthen(train, levels, now_ns, bytes, unit);
}

__attribute__((noinline)) void train_count_windows(
	Train *train, Histogram levels[TRAIN_LEVELS], int64_t now_ns)
{
	restart_if_faster(train, now_ns);
	/* each window is half of one of the next level */
	for (int i = 0; i < TRAIN_LEVELS; i++) {
		count_window(train, levels, i, now_ns);
		uint64_t done = train->bytes[i];
		train->bytes[i] = 0;
		train->start_ns[i] = now_ns;
		if (i + 1 == TRAIN_LEVELS)
			break;
		train->bytes[i + 1] += done;
		if (++train->halves[i + 1] < 2)
			break;
		train->halves[i + 1] = 0;
	}
}

/* The longest trains that are frequent enough; returns their level or -1. */
static int usable_level(const Histogram levels[TRAIN_LEVELS])
{
	for (int i = TRAIN_LEVELS - 1; i >= 0; i--) {
		if (histogram_count(&levels[i]) >= TRAIN_MIN_WINDOWS)
			return i;
	}
	return -1;
}

/* Long trains of a sender that sends with pauses are slower than the path; shorter ones of the same
 * packets are not. */
static double fastest_train(const Histogram levels[TRAIN_LEVELS])
{
	double fastest = 0;
	for (int i = FASTEST_LEVEL; i < TRAIN_LEVELS; i++) {
		if (histogram_count(&levels[i]) < TRAIN_MIN_WINDOWS)
			break;
		double rate = (double)histogram_quantile(&levels[i], FASTEST_QUANTILE);
		fastest = rate > fastest ? rate : fastest;
	}
	return fastest;
}

static Capacity trains_capacity(const Histogram levels[TRAIN_LEVELS])
{
	Capacity c = {0};
	int level = usable_level(levels);
	if (level < 0)
		return c;
	const Histogram *h = &levels[level];
	c.low = (double)histogram_quantile(h, 0.25);
	c.high = (double)histogram_quantile(h, 0.75);
	c.bytes_per_s = c.high;
	c.fastest = fastest_train(levels);
	c.is_proven = level >= PROVEN_LEVEL && c.high - c.low <= PATH_PROVEN_SPREAD * c.high;
	return c;
}

/* What few but even trains tell: a speed to reckon with, not one to print. */
static Capacity few_capacity(const Histogram *shortest)
{
	Capacity c = {0};
	if (histogram_count(shortest) < FEW_WINDOWS)
		return c;
	uint64_t paused = histogram_count(shortest) / FEW_PAUSED;
	double rank = (double)(paused + 1) / (double)histogram_count(shortest);
	double low = (double)histogram_quantile(shortest, rank);
	double high = (double)histogram_max(shortest);
	if (high - low > PATH_PROVEN_SPREAD * high)
		return c;
	c.low = low;
	c.high = c.fastest = high;
	c.bytes_per_s = (double)histogram_quantile(shortest, 0.75);
	return c;
}

/* The speed on which the fastest quarter of the shortest trains agrees, 0 if it does not: what
 * makes the others slower (windows, acknowledgements that were put off) differs from train to
 * train. */
static double even_quarter(const Histogram *shortest)
{
	if (histogram_count(shortest) < 4 * FEW_WINDOWS)
		return 0;
	double low = (double)histogram_quantile(shortest, 0.75);
	double high = (double)histogram_quantile(shortest, FASTEST_QUANTILE);
	return high - low <= PATH_PROVEN_SPREAD * high ? high : 0;
}

Capacity path_capacity(const Path *path, int dir)
{
	const PathDirection *d = &path->dir[dir];
	Capacity best = trains_capacity(d->data), acks = trains_capacity(d->acks);
	if (!best.is_proven && best.bytes_per_s > TOLD_MAX_BYTES_PER_S)
		best = (Capacity){0};
	if (acks.bytes_per_s == 0)
		acks = few_capacity(&d->acks[0]);
	/* acknowledgements of a sender that is held up itself come as slowly as it sends */
	if (!acks.is_proven && acks.bytes_per_s > 0)
		acks.fastest = fmax(acks.fastest, even_quarter(&d->acks[0]));
	if (!acks.is_proven && acks.fastest > acks.bytes_per_s)
		acks.bytes_per_s = acks.fastest;
	if (acks.bytes_per_s > 0 && (best.bytes_per_s == 0 || acks.bytes_per_s < best.bytes_per_s))
		best = acks;
	if (histogram_count(&d->queue) >= QUEUE_MIN_STRETCHES) {
		double rate = (double)histogram_quantile(&d->queue, 0.5);
		if (best.bytes_per_s == 0 || rate < best.bytes_per_s) {
			best.bytes_per_s = rate;
			best.low = (double)histogram_quantile(&d->queue, 0.25);
			best.high = (double)histogram_quantile(&d->queue, 0.75);
			best.is_proven = best.high - best.low <= PATH_PROVEN_SPREAD * best.high;
			best.fastest = (double)histogram_quantile(&d->queue, FASTEST_QUANTILE);
			best.is_share = true;
		}
	}
	return best;
}

double path_nominal_bps(double bytes_per_s)
{
	static const double ladder[] = {10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 100e9};
	double bps = bytes_per_s * 8;
	for (unsigned i = 0; i < sizeof(ladder) / sizeof(*ladder); i++) {
		/* below by framing and pauses that were not counted, above by timestamp noise */
		if (bps >= 0.92 * ladder[i] && bps <= 1.03 * ladder[i])
			return ladder[i];
	}
	return 0;
}

void path_clear(Path *path)
{
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < TRAIN_LEVELS; k++) {
			histogram_clear(&path->dir[i].data[k]);
			histogram_clear(&path->dir[i].acks[k]);
		}
		histogram_clear(&path->dir[i].queue);
		trail_free(path->dir[i].trail);
		path->dir[i].trail = NULL;
	}
}
