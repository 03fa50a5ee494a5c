/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trail.h. A bucket that is filled with `rate` and holds `burst` passes a packet when the bytes
 * that passed before it, less what `rate` carried off since, leave room for it: so one number a
 * packet and rate ("level") is enough, and the depth is where passed and lost ones part best.
 */
#include "analyzer/transfer/trail.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_ROOM 256
/* Rates tried, as powers of two above what passed: a bucket passes that much when it is never full,
 * and more would be of no use. Fine near it, where a small error adds up to a large level. */
#define FINE_FROM (-3)
#define FINE_TO 16
#define FINE_STEP (1.0 / 32)
#define COARSE_TO 20
#define COARSE_STEP (1.0 / 8)
#define RATES (FINE_TO - FINE_FROM + 1 + COARSE_TO)
/* Rates with one packet in a hundred, or one loss, more on the wrong side are no worse. */
#define AS_GOOD 0.01
/* Levels are counted in so many steps. */
#define STEPS 512
/* Rounds until the level at the beginning is that of an empty bucket. */
#define ROUNDS 4
#define FULL_FRAME 1514.0 /* IEEE 802.3, without its checksum */

enum { FATE_PASSED, FATE_LOST, FATE_MISSED };

Trail *trail_new(uint32_t *count, int64_t now_ns)
{
	if (*count >= TRAILS_MAX)
		return NULL;
	Trail *trail = calloc(1, sizeof(*trail));
	if (!trail)
		return NULL;
	trail->count = count;
	trail->base_ns = now_ns;
	(*count)++;
	return trail;
}

void trail_free(Trail *trail)
{
	if (!trail)
		return;
	(*trail->count)--;
	histogram_clear(&trail->queued);
	free(trail->packets);
	free(trail);
}

/* NULL when it is full or too long for its clock. */
static TrailPacket *append(Trail *trail, int64_t at_ns)
{
	int64_t us = (at_ns - trail->base_ns) / 1000;
	if (us < 0 || us >= UINT32_MAX || trail->length >= TRAIL_MAX)
		return NULL;
	if (trail->length == trail->room) {
		uint32_t room = trail->room ? 2 * trail->room : FIRST_ROOM;
		TrailPacket *grown = realloc(trail->packets, room * sizeof(*grown));
		if (!grown)
			return NULL;
		trail->packets = grown;
		trail->room = room;
	}
	TrailPacket *p = &trail->packets[trail->length++];
	*p = (TrailPacket){.us = (uint32_t)us};
	return p;
}

void trail_pass(Trail *trail, int64_t now_ns, uint32_t stream, int64_t offset, uint32_t payload,
	uint32_t bytes)
{
	TrailPacket *p = append(trail, now_ns);
	if (!p)
		return;
	p->offset = (uint32_t)offset;
	p->bytes = bytes;
	p->payload = payload < UINT16_MAX ? (uint16_t)payload : UINT16_MAX;
	p->stream = (uint8_t)stream;
}

/* The newest packet that holds @offset; NULL when it is none of these. */
static TrailPacket *find(Trail *trail, uint32_t stream, uint32_t offset)
{
	for (uint32_t i = trail->length; i-- > 0;) {
		TrailPacket *p = &trail->packets[i];
		if (p->fate == FATE_PASSED && p->stream == (uint8_t)stream &&
			offset - p->offset < p->payload)
			return p;
	}
	return NULL;
}

/* When a packet had been sent that was missed at @missed_ns: limiters drop the end of a burst, so
 * just after the last one that came before; what is lost by chance is as likely there as anywhere.
 */
static int64_t sent_ns(const Trail *trail, uint32_t stream, int64_t missed_ns)
{
	int64_t missed_us = (missed_ns - trail->base_ns) / 1000;
	for (uint32_t i = trail->length; i-- > 0;) {
		const TrailPacket *p = &trail->packets[i];
		if (p->fate == FATE_PASSED && p->stream == (uint8_t)stream && p->us < missed_us)
			return trail->base_ns + (int64_t)p->us * 1000;
	}
	return missed_ns;
}

void trail_lose(Trail *trail, uint32_t stream, int64_t offset, uint32_t payload, uint32_t bytes,
	int64_t missed_ns, int64_t queued_ns)
{
	if (missed_ns != 0) {
		TrailPacket *p = append(trail, sent_ns(trail, stream, missed_ns));
		if (!p)
			return;
		p->bytes = bytes;
		p->fate = FATE_MISSED;
		trail->upstream++;
	} else {
		TrailPacket *p = find(trail, stream, (uint32_t)offset);
		if (!p)
			return;
		if (payload < p->payload && bytes < p->bytes) {
			/* a frame that the card cut into packets: some of them passed */
			int64_t at_ns = trail->base_ns + (int64_t)p->us * 1000;
			p->bytes -= bytes;
			TrailPacket *part = append(trail, at_ns);
			if (!part)
				return;
			part->bytes = bytes;
			part->fate = FATE_LOST;
		} else {
			p->fate = FATE_LOST;
		}
	}
	trail->losses++;
	histogram_add(&trail->queued, queued_ns > 0 ? queued_ns : 0, 1);
}

/* By time; what was missed had been sent after what came then. `offset` is the place in the trail.
 */
static int by_time(const void *a, const void *b)
{
	const TrailPacket *x = a, *y = b;
	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	if ((x->fate == FATE_MISSED) != (y->fate == FATE_MISSED))
		return x->fate == FATE_MISSED ? 1 : -1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The trail in order, from the first loss on, for a bucket that is empty then. */
typedef struct Replay {
	const TrailPacket *packets;
	uint32_t count, passed, lost;
	double least; /* depth that is looked for at least */
	double *levels;
} Replay;

typedef struct Parting {
	double bytes_per_us, depth, passed_wrong, lost_wrong;
} Parting;

static double wrong(const Parting *p)
{
	return p->passed_wrong + p->lost_wrong;
}

static double replay_levels(const Replay *r, double bytes_per_us, double level)
{
	double most = 0;
	uint32_t last_us = r->packets[0].us;
	for (uint32_t i = 0; i < r->count; i++) {
		const TrailPacket *p = &r->packets[i];
		level -= bytes_per_us * (double)(p->us - last_us);
		level = level > 0 ? level : 0;
		last_us = p->us;
		r->levels[i] = level + p->bytes;
		if (p->fate == FATE_PASSED)
			level = r->levels[i];
		most = r->levels[i] > most ? r->levels[i] : most;
	}
	return most;
}

/* The depth that parts passed from lost packets with the fewest errors. */
static Parting replay_part(const Replay *r, double most)
{
	uint32_t passed[STEPS + 1] = {0}, lost[STEPS + 1] = {0};
	double step = most / STEPS;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t k = (uint32_t)(r->levels[i] / step);
		k = k < STEPS ? k : STEPS;
		if (r->packets[i].fate == FATE_PASSED)
			passed[k]++;
		else
			lost[k]++;
	}
	Parting best = {0, 0, 1, 1};
	uint32_t below_passed = 0, below_lost = 0;
	for (uint32_t k = 0; k <= STEPS; k++) {
		below_passed += passed[k];
		below_lost += lost[k];
		double p = 1 - (double)below_passed / (double)r->passed;
		double l = (double)below_lost / (double)r->lost;
		if ((k + 1) * step >= r->least && p + l < wrong(&best))
			best = (Parting){0, (k + 1) * step, p, l};
	}
	return best;
}

static Parting try_rate(const Replay *r, double bytes_per_us)
{
	Parting best = {bytes_per_us, 0, 1, 1};
	double level = 0;
	for (int round = 0; round < ROUNDS; round++) {
		double most = replay_levels(r, bytes_per_us, level);
		if (most <= 0)
			break;
		Parting p = replay_part(r, most);
		if (wrong(&p) < wrong(&best))
			best = (Parting){bytes_per_us, p.depth, p.passed_wrong, p.lost_wrong};
		if (fabs(p.depth - level) < 2 * FULL_FRAME)
			break;
		level = p.depth;
	}
	return best;
}

/* Bytes a microsecond that passed between the first and the last loss; 0 unknown. */
static double passed_rate(const Replay *r)
{
	double bytes = 0, until = 0;
	uint32_t end_us = r->packets[0].us;
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->packets[i].fate == FATE_PASSED) {
			bytes += r->packets[i].bytes;
		} else {
			until = bytes;
			end_us = r->packets[i].us;
		}
	}
	return end_us > r->packets[0].us ? until / (double)(end_us - r->packets[0].us) : 0;
}

static void replay_count(Replay *r, int64_t rtt_ns, TrailFit *fit)
{
	uint32_t last_us = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		const TrailPacket *p = &r->packets[i];
		if (p->bytes > fit->largest)
			fit->largest = p->bytes;
		if (p->fate == FATE_PASSED) {
			r->passed++;
			continue;
		}
		if (r->lost++ == 0 || (int64_t)(p->us - last_us) * 1000 > rtt_ns)
			fit->events++;
		last_us = p->us;
	}
	fit->losses = r->lost;
}

static void replay_fit(Replay *r, TrailFit *fit)
{
	double passed = passed_rate(r);
	r->levels = calloc(r->count, sizeof(*r->levels));
	if (passed <= 0 || !r->levels) {
		free(r->levels);
		return;
	}
	Parting tries[RATES];
	int best = 0;
	for (int i = 0; i < RATES; i++) {
		int fine = FINE_FROM + i < FINE_TO ? FINE_FROM + i : FINE_TO;
		int coarse = i - (FINE_TO - FINE_FROM);
		double power = fine * FINE_STEP + (coarse > 0 ? coarse : 0) * COARSE_STEP;
		tries[i] = try_rate(r, passed * exp2(power));
		if (wrong(&tries[i]) < wrong(&tries[best]))
			best = i;
	}
	free(r->levels);
	double as_good = wrong(&tries[best]) + AS_GOOD + 1.0 / r->lost;
	int low = best, high = best;
	while (low > 0 && wrong(&tries[low - 1]) <= as_good)
		low--;
	while (high < RATES - 1 && wrong(&tries[high + 1]) <= as_good)
		high++;
	fit->bytes_per_s = tries[best].bytes_per_us * 1e6;
	fit->low = tries[low].bytes_per_us * 1e6;
	fit->high = high < RATES - 1 ? tries[high].bytes_per_us * 1e6 : INFINITY;
	fit->burst = tries[best].depth;
	fit->passed_wrong = tries[best].passed_wrong;
	fit->lost_wrong = tries[best].lost_wrong;
}

static TrailFit fit_make(const Trail *trail, int64_t rtt_ns)
{
	TrailFit fit = {.passed_wrong = 1, .lost_wrong = 1};
	TrailPacket *sorted = malloc(trail->length * sizeof(*sorted));
	if (!sorted)
		return fit;
	for (uint32_t i = 0; i < trail->length; i++) {
		sorted[i] = trail->packets[i];
		sorted[i].offset = i;
	}
	qsort(sorted, trail->length, sizeof(*sorted), by_time);
	uint32_t first = 0;
	while (first < trail->length && sorted[first].fate == FATE_PASSED)
		first++;
	Replay replay = {.packets = sorted + first, .count = trail->length - first};
	replay_count(&replay, rtt_ns, &fit);
	fit.upstream = (double)trail->upstream / (double)trail->losses;
	/* what a queue lets through as well is no proof */
	replay.least = fit.upstream > 0.5 ? TRAIL_BURST_FRAMES * (double)fit.largest : 0;
	if (replay.lost >= TRAIL_MIN_LOSSES && replay.passed > 0 && fit.events >= TRAIL_MIN_EVENTS)
		replay_fit(&replay, &fit);
	fit.queued_ns = histogram_quantile(&trail->queued, 0.5);
	free(sorted);
	return fit;
}

TrailFit trail_fit(Trail *trail, int64_t rtt_ns)
{
	if (!trail || trail->losses < TRAIL_MIN_LOSSES)
		return (TrailFit){.passed_wrong = 1, .lost_wrong = 1};
	if (trail->fit_length != trail->length || trail->fit_losses != trail->losses) {
		trail->fit = fit_make(trail, rtt_ns);
		trail->fit_length = trail->length;
		trail->fit_losses = trail->losses;
	}
	return trail->fit;
}

bool trail_fit_is_good(const TrailFit *fit)
{
	return fit->bytes_per_s > 0 && fit->losses >= TRAIL_MIN_LOSSES &&
	       fit->events >= TRAIL_MIN_EVENTS &&
	       fit->passed_wrong + fit->lost_wrong <= TRAIL_MAX_WRONG;
}

bool trail_fit_is_queue(const TrailFit *fit)
{
	/* behind a queue packets come no faster than it lets them out; next to the receiver the
	 * round trip shows none */
	if (fit->upstream > 0.5)
		return fit->burst < TRAIL_BURST_FRAMES * (double)fit->largest;
	/* a queue of that depth is nearly full at each loss: packets wait as long as it takes to
	 * empty */
	return (double)fit->queued_ns * 2 >= fit->burst / fit->high * 1e9;
}
