/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bucket that explains losses (trail.c): a sender that grows by a packet a round and halves
 * when something was lost, against a limiter, a short queue, and chance.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyzer/transfer/trail.h"

#define MS INT64_C(1000000)
#define RTT_NS (40 * MS)
#define FRAME 1514
#define MSS 1448

typedef enum Place { SENDER, RECEIVER } Place;

typedef struct Setting {
	double rate, burst; /* bytes a second, bytes; 0: no limiter */
	double chance;      /* of each packet to be lost */
	bool is_queue;      /* what is over the rate waits until the burst is full */
	Place place;
	uint32_t rounds, frames; /* packets in a frame of the capture */
} Setting;

typedef struct Sender {
	const Setting *s;
	Trail *trail;
	int64_t now_ns, last_ns, offset;
	double tokens;
	uint32_t seed, lost;
	int64_t lost_at[4096], missed_ns[4096];
	double queued_ns;
} Sender;

static double chance(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)(*seed >> 8) / (double)(1u << 24);
}

static bool is_dropped(Sender *x)
{
	const Setting *s = x->s;
	if (s->chance > 0 && chance(&x->seed) < s->chance)
		return true;
	if (s->rate <= 0)
		return false;
	x->tokens += s->rate * (double)(x->now_ns - x->last_ns) / 1e9;
	x->tokens = x->tokens < s->burst ? x->tokens : s->burst;
	x->last_ns = x->now_ns;
	if (x->tokens < FRAME) {
		x->queued_ns = s->is_queue ? (s->burst - x->tokens) / s->rate * 1e9 : 0;
		return true;
	}
	x->tokens -= FRAME;
	return false;
}

static void repair_all(Sender *x)
{
	for (uint32_t i = 0; i < x->lost; i++) {
		trail_lose(x->trail, 7, x->lost_at[i], MSS, FRAME, x->missed_ns[i],
			(int64_t)x->queued_ns);
		trail_pass(x->trail, x->now_ns, 7, x->lost_at[i], MSS, FRAME);
	}
	x->lost = 0;
}

static void send_round(Sender *x, uint32_t window)
{
	const Setting *s = x->s;
	int64_t begin_ns = x->now_ns;
	bool misses = false;
	for (uint32_t i = 0; i < window; i++) {
		x->now_ns = begin_ns + i * INT64_C(60000);
		bool is_lost = is_dropped(x);
		if (s->place == SENDER && i % s->frames == 0)
			trail_pass(x->trail, x->now_ns, 7, x->offset, MSS * s->frames,
				FRAME * s->frames);
		if (is_lost) {
			x->missed_ns[x->lost] = 0;
			x->lost_at[x->lost++] = x->offset;
			misses = true;
		} else if (s->place == RECEIVER) {
			for (uint32_t k = x->lost; misses && k-- > 0;)
				if (x->missed_ns[k] == 0)
					x->missed_ns[k] = x->now_ns;
			misses = false;
			trail_pass(x->trail, x->now_ns, 7, x->offset, MSS, FRAME);
		}
		x->offset += MSS;
	}
	/* the last ones are missed when the next round begins */
	for (uint32_t k = 0; s->place == RECEIVER && k < x->lost; k++)
		if (x->missed_ns[k] == 0)
			x->missed_ns[k] = begin_ns + RTT_NS;
	x->now_ns = begin_ns + RTT_NS;
}

static TrailFit fit_of(const Setting *setting)
{
	static Sender x;
	uint32_t count = 0, window = 8;
	x = (Sender){.s = setting, .now_ns = MS, .tokens = setting->burst, .seed = 1};
	x.trail = trail_new(&count, x.now_ns);
	cr_assert_not_null(x.trail);
	for (uint32_t i = 0; i < setting->rounds; i++) {
		send_round(&x, window);
		window = x.lost > 0 ? window / 2 + 2 : window + 1;
		repair_all(&x);
	}
	TrailFit fit = trail_fit(x.trail, RTT_NS);
	/* asked again nothing has changed, and it is the same */
	TrailFit again = trail_fit(x.trail, RTT_NS);
	cr_assert_eq(memcmp(&fit, &again, sizeof(fit)), 0);
	trail_free(x.trail);
	cr_assert_eq(count, 0);
	return fit;
}

Test(trail, a_limiter_is_found_with_its_rate_and_burst)
{
	static const double rates[] = {1e5, 5e5, 2e6}, bursts[] = {9e3, 20e3, 60e3};
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 3; k++) {
			Setting s = {
				.rate = rates[i], .burst = bursts[k], .rounds = 300, .frames = 1};
			TrailFit fit = fit_of(&s);
			if (fit.events < TRAIL_MIN_EVENTS)
				continue; /* the sender never gets there */
			cr_assert(trail_fit_is_good(&fit), "%g %g: %g %g", s.rate, s.burst,
				fit.passed_wrong, fit.lost_wrong);
			if (isinf(fit.high)) {
				/* full before each burst: any rate would do */
				cr_assert_leq(s.burst, s.rate * RTT_NS / 1e9,
					"%g %g: %g from %g, %u events", s.rate, s.burst,
					fit.bytes_per_s, fit.low, fit.events);
				cr_assert(trail_fit_is_queue(&fit));
				continue;
			}
			cr_assert_not(trail_fit_is_queue(&fit));
			cr_assert(fit.low <= 1.05 * s.rate && fit.high >= 0.95 * s.rate,
				"%g %g: %g to %g", s.rate, s.burst, fit.low, fit.high);
			/* full before each burst: the rate hardly matters */
			if (s.burst > s.rate * RTT_NS / 1e9)
				cr_assert_lt(fit.high, 1.5 * fit.low, "%g %g: %g to %g", s.rate,
					s.burst, fit.low, fit.high);
			/* one that is never full again shows what it holds at least */
			cr_assert_lt(
				fit.burst, 1.35 * s.burst, "%g %g: %g", s.rate, s.burst, fit.burst);
			if (s.burst < s.rate * RTT_NS / 1e9)
				cr_assert_gt(fit.burst, 0.7 * s.burst, "%g %g: %g", s.rate, s.burst,
					fit.burst);
		}
	}
}

Test(trail, chance_fits_no_bucket)
{
	static const double chances[] = {0.003, 0.01, 0.03, 0.1};
	for (unsigned i = 0; i < 4; i++) {
		for (int place = SENDER; place <= RECEIVER; place++) {
			Setting s = {.chance = chances[i],
				.rounds = 500,
				.frames = 1,
				.place = (Place)place};
			TrailFit fit = fit_of(&s);
			cr_assert_geq(fit.losses, 15u);
			cr_assert_not(trail_fit_is_good(&fit), "%g: %g %g", chances[i],
				fit.passed_wrong, fit.lost_wrong);
		}
	}
}

Test(trail, a_queue_drops_the_same_and_holds_the_others_up)
{
	Setting s = {.rate = 5e5, .burst = 20e3, .rounds = 300, .frames = 1, .is_queue = true};
	TrailFit fit = fit_of(&s);
	cr_assert(trail_fit_is_good(&fit));
	cr_assert(trail_fit_is_queue(&fit), "%lld", (long long)fit.queued_ns);
}

Test(trail, beside_the_receiver_bursts_that_came_through_tell)
{
	TrailFit fit = {.losses = 100,
		.events = 20,
		.bytes_per_s = 1e6,
		.burst = 3 * FRAME,
		.largest = FRAME,
		.upstream = 1};
	cr_assert(trail_fit_is_good(&fit));
	cr_assert(trail_fit_is_queue(&fit));
	fit.burst = 8 * FRAME;
	cr_assert_not(trail_fit_is_queue(&fit));
}

Test(trail, beside_the_receiver_what_never_came_is_missed_after_a_burst)
{
	Setting s = {.rate = 5e5, .burst = 30e3, .rounds = 300, .frames = 1, .place = RECEIVER};
	TrailFit fit = fit_of(&s);
	cr_assert_eq(fit.upstream, 1);
	cr_assert(trail_fit_is_good(&fit), "%g %g", fit.passed_wrong, fit.lost_wrong);
	cr_assert_not(trail_fit_is_queue(&fit));
	cr_assert(fit.low <= 1.05 * s.rate && fit.high >= 0.95 * s.rate, "%g to %g", fit.low,
		fit.high);
	/* bursts of less come through a queue, too */
	s.burst = 5e3;
	fit = fit_of(&s);
	cr_assert_not(trail_fit_is_good(&fit) && !trail_fit_is_queue(&fit));
}

Test(trail, frames_that_a_card_cuts)
{
	Setting s = {.rate = 5e5, .burst = 30e3, .rounds = 300, .frames = 4};
	TrailFit fit = fit_of(&s);
	cr_assert_geq(fit.losses, 15u);
	cr_assert(trail_fit_is_good(&fit), "%g %g", fit.passed_wrong, fit.lost_wrong);
}

Test(trail, few_losses_say_nothing)
{
	uint32_t count = 0;
	Trail *trail = trail_new(&count, 0);
	for (int i = 0; i < 200; i++)
		trail_pass(trail, i * MS, 1, i * MSS, MSS, FRAME);
	for (int i = 0; i < 14; i++)
		trail_lose(trail, 1, i * 14 * MSS, MSS, FRAME, 0, 0);
	trail_lose(trail, 2, 5 * MSS, MSS, FRAME, 0, 0); /* of another connection: not known */
	cr_assert_eq(trail->losses, 14);
	TrailFit fit = trail_fit(trail, RTT_NS);
	cr_assert_not(trail_fit_is_good(&fit));
	fit = trail_fit(NULL, RTT_NS);
	cr_assert_not(trail_fit_is_good(&fit));
	trail_free(trail);
	trail_free(NULL);
}

Test(trail, it_is_bounded)
{
	uint32_t count = 0;
	Trail *trails[TRAILS_MAX];
	for (int i = 0; i < TRAILS_MAX; i++)
		cr_assert_not_null(trails[i] = trail_new(&count, 0));
	cr_assert_null(trail_new(&count, 0));
	trail_free(trails[0]);
	cr_assert_not_null(trails[0] = trail_new(&count, 0));
	for (int i = 0; i < 3 * TRAIL_MAX; i++) {
		trail_pass(trails[0], i * MS, 1, INT64_C(1448) * i, MSS, FRAME);
		trail_lose(
			trails[0], 1, INT64_C(1448) * i, MSS / 2, FRAME / 2, i % 2 ? i * MS : 0, 0);
	}
	cr_assert_eq(trails[0]->length, TRAIL_MAX);
	trail_fit(trails[0], RTT_NS);
	/* a clock that it cannot hold, and one that ran back */
	trail_pass(trails[1], INT64_C(5000) * 1000 * MS, 1, 0, MSS, FRAME);
	trail_pass(trails[1], -MS, 1, 0, MSS, FRAME);
	cr_assert_eq(trails[1]->length, 0);
	for (int i = 0; i < TRAILS_MAX; i++)
		trail_free(trails[i]);
	cr_assert_eq(count, 0);
}
