/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure a predicted saving is: see saving.h.
 */
#include "analyzer/causes/saving.h"

#include <math.h>

#include "analyzer/causes/loss.h"
#include "analyzer/constants.h"

/* Standard deviation of the wall time of one and the same copy, repeated: `lab.py repeat` over 17
 * settings with walls of 0.3 to 11 s gave 0.5 to 16 % of the wall, 2.4 % in the median whatever the
 * length, and 3 to 7 ms for the shortest, where nothing but scheduling differs. */
#define RUN_DEVIATION_SHARE 0.024
#define RUN_DEVIATION_NS (5.0 * MILLISECOND_NS)
/* Two deviations hold 95 of 100. */
#define DEVIATIONS 2.0
/* Nobody can say what a sender that waits for less would meet next on a path whose speed never
 * showed: half is sure to help (as for requests, requests.c). */
#define UNKNOWN_PATH_SHARE 0.5
/* Mean square of what a loss costs, in squares of the mean: costs spread as widely as an
 * exponential distribution's, from nothing to the whole of a window's growth. The same copies
 * repeated with other losses at 1 % (lab.py run, two-loss-serial-20ms, three-loss-serial-disk-20ms)
 * took 13 to 40 % of that time more or less; 20 to 30 losses give 26 to 32 %. */
#define LOSS_COST_SPREAD 2.0

/* Time whose amount is chance: it comes in pauses that happen or do not. What remains is structure,
 * given by bytes, round trips and rates, and differs as runs differ. */
static bool is_chance(Bucket bucket)
{
	switch (bucket) {
	case BUCKET_CAPTURE_GAP:
	case BUCKET_ZERO_WINDOW:
	case BUCKET_RTO_STALL:
	case BUCKET_TAIL_LOSS:
	case BUCKET_LOSS_RECOVERY:
	case BUCKET_SLOW_READER:
	case BUCKET_DELAYED_ACK_STALL:
	case BUCKET_SENDER_STALLED:
	case BUCKET_SERVER_PROCESSING:
	case BUCKET_CLIENT_THINK:
	case BUCKET_OTHER_TRAFFIC:
		return true;
	case BUCKET_NAME_RESOLUTION:
	case BUCKET_CONNECTION_SETUP:
	case BUCKET_SESSION_SETUP:
	case BUCKET_RECEIVE_WINDOW:
	case BUCKET_SEND_BUFFER:
	case BUCKET_SLOW_START:
	case BUCKET_CONGESTION_WINDOW:
	case BUCKET_ROUND_TRIP:
	case BUCKET_LINK:
	case BUCKET_COUNT:
		break;
	}
	return false;
}

/*
 * Variance of a sum of pauses that come at random is the sum of their squares (compound Poisson).
 * The longest ones are known, the others taken as equal.
 */
static double pauses_variance(const Account *account, Bucket bucket)
{
	const AccountEvidence *longest = account_evidence(account, bucket);
	double rest = (double)account->bucket_ns[bucket], squares = 0;
	double others = (double)account->spans[bucket];
	for (int i = 0; i < ACCOUNT_EVIDENCE && longest[i].ns > 0; i++) {
		double ns = (double)longest[i].ns < rest ? (double)longest[i].ns : rest;
		squares += ns * ns;
		rest -= ns;
		others--;
	}
	return rest > 0 ? squares + rest * rest / (others > 1 ? others : 1) : squares;
}

double saving_losses_variance(const CauseContext *context, double ns)
{
	double losses = context->sender ? (double)context->sender->retransmitted_packets : 0;
	return losses > 0 ? LOSS_COST_SPREAD * ns * ns / losses : 0;
}

/*
 * How long the congestion window stays small is chance where packets are lost at random: how many
 * there are is Poisson's, and what each costs differs. Without losses it is structure.
 */
static double window_variance(const CauseContext *context)
{
	return saving_losses_variance(
		context, (double)context->unit->account.bucket_ns[BUCKET_CONGESTION_WINDOW]);
}

static double variance_of(const CauseContext *context, Bucket bucket)
{
	if (bucket == BUCKET_CONGESTION_WINDOW)
		return window_variance(context);
	return is_chance(bucket) ? pauses_variance(&context->unit->account, bucket) : 0;
}

static double kept_variance(const CauseContext *context, const FindingDraft *draft)
{
	const Account *account = &context->unit->account;
	double variance = 0;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		int64_t all = account->bucket_ns[b];
		if (all <= 0)
			continue;
		double kept = 1 - (double)draft->claim_ns[b] / (double)all;
		variance += kept * variance_of(context, (Bucket)b);
	}
	return variance;
}

double saving_run_spread_ns(double wall_ns)
{
	/* what stays was measured in one run and is met in another: both differ from their mean */
	return DEVIATIONS * M_SQRT2 * hypot(RUN_DEVIATION_SHARE * wall_ns, RUN_DEVIATION_NS);
}

/* Payload bytes per second at best: trains of a sender that is held up are slower than the path. */
static double fastest_goodput(const CauseContext *context)
{
	const Capacity *c = &context->capacity;
	if (c->is_proven || c->bytes_per_s <= 0 || c->fastest <= c->bytes_per_s)
		return context->goodput_limit;
	return context->goodput_limit * c->fastest / c->bytes_per_s;
}

/* Time on the link that the bytes would not need: repeats, and a path taken for slower than it is.
 */
static double surplus_link_ns(const CauseContext *context, const FindingDraft *draft)
{
	double goodput = fastest_goodput(context);
	double kept = (double)(context->link_ns - draft->claim_ns[BUCKET_LINK]);
	double needed = goodput > 0 ? (double)context->bytes * 1e9 / goodput : kept;
	return kept > needed ? kept - needed : 0;
}

/* Waits after which a sender begins with a small window: idle ones (RFC 5681 4.1), timers, and a
 * SYN that was lost (RFC 5681 3.1). */
static int64_t claimed_pauses_ns(const FindingDraft *draft)
{
	static const Bucket pauses[] = {BUCKET_CONNECTION_SETUP, BUCKET_ZERO_WINDOW,
		BUCKET_RTO_STALL, BUCKET_TAIL_LOSS, BUCKET_SLOW_READER, BUCKET_DELAYED_ACK_STALL,
		BUCKET_SENDER_STALLED, BUCKET_SERVER_PROCESSING, BUCKET_CLIENT_THINK,
		BUCKET_ROUND_TRIP};
	int64_t sum = 0;
	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++)
		sum += draft->claim_ns[pauses[i]];
	return sum;
}

/* Time for which the path stands empty while one window grows to what the path holds: of each round
 * trip what the window of that round does not fill. */
static double growth_ns(const CauseContext *context)
{
	double rtt = (double)context->rtt_ns, pipe = cause_bdp_bytes(context), sum = 0;
	if (pipe <= 0)
		return (double)cause_slow_start_ns(context);
	double left = (double)context->bytes;
	for (double window = INITIAL_WINDOW_SEGMENTS * (double)context->mss;
		window < pipe && window < left; window *= 2) {
		sum += rtt * (1 - window / pipe);
		left -= window;
	}
	return sum;
}

/*
 * Time that no cause claimed and that may go with this one: the sender's silence no rule explains,
 * and the growing of windows after pauses, of which a transfer without pauses needs one.
 */
static double unclaimed_ns(const CauseContext *context, const FindingDraft *draft)
{
	double sum = surplus_link_ns(context, draft);
	sum += (double)context->left_ns[BUCKET_SENDER_STALLED];
	double growth = (double)context->left_ns[BUCKET_SLOW_START] - growth_ns(context);
	if (growth > 0 && claimed_pauses_ns(draft) * 2 >= draft->lost_ns)
		sum += growth;
	return sum;
}

/* What of the promise rests on sending more at a time over a path of unknown speed. */
static double unknown_path_share(const CauseContext *context, const FindingDraft *draft)
{
	if (context->goodput_limit > 0 || draft->lost_ns <= 0)
		return 0;
	int64_t paced = draft->claim_ns[BUCKET_RECEIVE_WINDOW] +
			draft->claim_ns[BUCKET_SEND_BUFFER] +
			draft->claim_ns[BUCKET_CONGESTION_WINDOW];
	return (double)paced / (double)draft->lost_ns;
}

/* What of the promise rests on a sender that does not stop in the middle of its data, although
 * frames that a card has joined hide what it does between them: a limit before the first host that
 * sees them apart looks the same, and lets no more through. */
static double joined_share(const CauseContext *context, const FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || d->segments_over_mss == 0 || context->capacity.is_proven || draft->lost_ns <= 0)
		return 0;
	return (double)draft->claim_ns[BUCKET_SENDER_STALLED] / (double)draft->lost_ns;
}

static int64_t most_ns(const CauseContext *context, const FindingDraft *draft)
{
	const Capacity *c = &context->capacity;
	double goodput = context->goodput_limit, needed = 0;
	if (goodput > 0 && c->fastest > c->bytes_per_s)
		goodput *= c->fastest / c->bytes_per_s;
	if (goodput > 0)
		needed = (double)context->bytes * 1e9 / goodput;
	/* set-up that is no part of it has to be waited for as well */
	static const Bucket before[] = {
		BUCKET_NAME_RESOLUTION, BUCKET_CONNECTION_SETUP, BUCKET_SESSION_SETUP};
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		needed += (double)(context->unit->account.bucket_ns[before[i]] -
				   draft->claim_ns[before[i]]);
	/* what drops all that exceeds a rate lets no more pass, whatever else is mended */
	double limited = cause_limited_ns(context, 0, context->trail.high);
	needed = limited > needed ? limited : needed;
	/* a stream nobody asks for piece by piece lasts from its first to its last packet */
	if (!context->unit->is_unframed)
		needed += (double)context->rtt_ns;
	needed -= (double)draft->claim_ns[BUCKET_LINK] + DEVIATIONS * RUN_DEVIATION_NS;
	double most = (double)context->wall_ns - (needed > 0 ? needed : 0);
	return most > 0 ? (int64_t)most : 0;
}

static int64_t sum_of(const int64_t ns[BUCKET_COUNT], const Bucket *buckets, size_t count)
{
	int64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += ns[buckets[i]];
	return sum;
}

static const Bucket paced[] = {BUCKET_RECEIVE_WINDOW, BUCKET_SEND_BUFFER};
static const Bucket paused[] = {BUCKET_SERVER_PROCESSING, BUCKET_CLIENT_THINK};
static const Bucket lossy[] = {BUCKET_LOSS_RECOVERY, BUCKET_TAIL_LOSS, BUCKET_RTO_STALL,
	BUCKET_CONGESTION_WINDOW, BUCKET_SLOW_START};
#define SUM(ns, buckets) sum_of(ns, buckets, sizeof(buckets) / sizeof(*(buckets)))

static double pauses_ended(const CauseContext *context, const FindingDraft *draft)
{
	const Account *a = &context->unit->account;
	double sum = 0;
	for (size_t i = 0; i < sizeof(paused) / sizeof(*paused); i++) {
		Bucket b = paused[i];
		if (a->bucket_ns[b] > 0)
			sum += (double)a->spans[b] * (double)draft->claim_ns[b] /
			       (double)a->bucket_ns[b];
	}
	return sum;
}

/*
 * What is released may be caught by the next limit. A sender that no longer waits for windows meets
 * what the losses that stay allow.
 */
static int64_t caught_by_losses_ns(const Saving *saving)
{
	int64_t windows = SUM(saving->claim_ns, paced);
	int64_t losses = SUM(saving->claim_ns, lossy);
	int64_t kept = SUM(saving->all_ns, lossy) - losses;
	if (windows == 0 || losses > kept)
		return 0;
	int64_t more = saving->lossy_ns - kept - saving->all_ns[BUCKET_LINK];
	more = more < windows ? more : windows;
	return more > 0 ? more : 0;
}

/*
 * Where windows stay, what comes in while nobody asks (the last acknowledgements of a block, a
 * window that opens again) is waited for once there is no pause: windows pass in whole round trips,
 * and that is one more for each pause at worst.
 */
static int64_t caught_by_windows_ns(const Saving *saving)
{
	int64_t kept = SUM(saving->all_ns, paced) - SUM(saving->claim_ns, paced);
	int64_t pauses = SUM(saving->claim_ns, paused);
	int64_t most = pauses < kept ? pauses : kept;
	double rounds = saving->pauses * (double)saving->rtt_ns;
	return rounds < (double)most ? (int64_t)rounds : most;
}

/*
 * Bytes that pass while windows are waited for need the path all the same: the time it takes stands
 * in the wait where its speed was not known yet.
 */
static int64_t caught_by_link_ns(const Saving *saving)
{
	int64_t windows = SUM(saving->claim_ns, paced);
	int64_t more =
		saving->needed_ns - (saving->all_ns[BUCKET_LINK] - saving->claim_ns[BUCKET_LINK]);
	more = more < windows ? more : windows;
	return more > 0 ? more : 0;
}

static int64_t caught_ns(const Saving *saving)
{
	int64_t losses = caught_by_losses_ns(saving), link = caught_by_link_ns(saving);
	return (losses > link ? losses : link) + caught_by_windows_ns(saving);
}

/* Time that losses catch is as uncertain as what they take now. */
static double caught_variance(const Saving *saving)
{
	double caught = (double)caught_by_losses_ns(saving);
	return saving->caught_variance + saving->lossy_variance * caught * caught;
}

/* Trains that do not agree well enough to prove a speed leave open at least what they may differ
 * by.
 */
static int64_t needed_ns(const CauseContext *context)
{
	if (context->goodput_limit <= 0)
		return 0;
	double ns = (double)context->bytes * 1e9 / context->goodput_limit;
	if (!context->capacity.is_proven)
		ns *= 1 + PATH_PROVEN_SPREAD;
	return ns < (double)context->wall_ns ? (int64_t)ns : context->wall_ns;
}

Saving saving_make(const CauseContext *context, const FindingDraft *draft)
{
	if (draft->is_note || draft->saved_high_ns <= 0)
		return (Saving){0};
	double low = (double)draft->saved_low_ns;
	low *= 1 - UNKNOWN_PATH_SHARE * unknown_path_share(context, draft);
	low *= 1 - joined_share(context, draft);
	Saving saving = {.low_ns = (int64_t)low,
		.high_ns = draft->saved_high_ns,
		.open_ns = (int64_t)unclaimed_ns(context, draft),
		.most_ns = most_ns(context, draft),
		.rtt_ns = context->rtt_ns,
		.needed_ns = needed_ns(context),
		.lossy_ns = loss_floor_ns(context),
		.lossy_variance = saving_losses_variance(context, 1),
		.pauses = pauses_ended(context, draft),
		.variance = kept_variance(context, draft)};
	for (int b = 0; b < BUCKET_COUNT; b++) {
		saving.all_ns[b] = context->unit->account.bucket_ns[b];
		saving.claim_ns[b] = draft->claim_ns[b];
		int64_t others = draft->hides_ns[b] - draft->claim_ns[b];
		saving.hides_ns[b] = others > 0 ? others : 0;
	}
	return saving;
}

/* What would go beside the claims: no more than they leave. */
static int64_t hidden_ns(const Saving *saving)
{
	int64_t sum = 0;
	for (int b = 0; b < BUCKET_COUNT; b++) {
		int64_t left = saving->all_ns[b] - saving->claim_ns[b];
		int64_t ns = saving->hides_ns[b] < left ? saving->hides_ns[b] : left;
		sum += ns > 0 ? ns : 0;
	}
	return sum;
}

Saving saving_with(Saving a, Saving b, int64_t wall_ns)
{
	/* what one fix takes from the link leaves room for the other */
	int64_t rest_a = wall_ns - a.most_ns, rest_b = wall_ns - b.most_ns;
	Saving both = {.low_ns = a.low_ns + b.low_ns,
		.high_ns = a.high_ns + b.high_ns,
		.open_ns = a.open_ns > b.open_ns ? a.open_ns : b.open_ns,
		.most_ns = wall_ns - (rest_a < rest_b ? rest_a : rest_b),
		.rtt_ns = a.rtt_ns > b.rtt_ns ? a.rtt_ns : b.rtt_ns,
		.needed_ns = a.needed_ns > b.needed_ns ? a.needed_ns : b.needed_ns,
		.lossy_ns = a.lossy_ns > b.lossy_ns ? a.lossy_ns : b.lossy_ns,
		.lossy_variance =
			a.lossy_variance > b.lossy_variance ? a.lossy_variance : b.lossy_variance,
		.pauses = a.pauses + b.pauses,
		.variance = a.variance < b.variance ? a.variance : b.variance};
	for (int i = 0; i < BUCKET_COUNT; i++) {
		both.all_ns[i] = a.all_ns[i] > b.all_ns[i] ? a.all_ns[i] : b.all_ns[i];
		both.claim_ns[i] = a.claim_ns[i] + b.claim_ns[i];
		both.hides_ns[i] = a.hides_ns[i] > b.hides_ns[i] ? a.hides_ns[i] : b.hides_ns[i];
	}
	return both;
}

Saving saving_beside(Saving a, Saving b)
{
	return (Saving){.low_ns = a.low_ns - caught_ns(&a) + b.low_ns - caught_ns(&b),
		.high_ns = a.high_ns + b.high_ns,
		.open_ns = a.open_ns + hidden_ns(&a) + b.open_ns + hidden_ns(&b),
		.most_ns = a.most_ns + b.most_ns,
		.caught_variance = caught_variance(&a) + caught_variance(&b),
		.variance = a.variance + b.variance};
}

NsRange saving_range(const Saving *saving, int64_t wall_ns)
{
	if (saving->high_ns <= 0)
		return (NsRange){0, 0};
	double low = (double)(saving->low_ns - caught_ns(saving)), most = (double)saving->most_ns;
	double high = (double)(saving->high_ns + saving->open_ns + hidden_ns(saving));
	high = high < most ? high : most;
	high = high > low ? high : low;
	double rest = (double)wall_ns - (low + high) / 2;
	double runs = saving_run_spread_ns(rest > 0 ? rest : 0);
	double spread = hypot(runs, DEVIATIONS * sqrt(saving->variance));
	low -= hypot(runs, DEVIATIONS * sqrt(saving->variance + caught_variance(saving)));
	high = high > most || high + spread < most ? high + spread : most;
	high = high < (double)wall_ns ? high : (double)wall_ns;
	low = low > 0 ? low : 0;
	return (NsRange){(int64_t)(low < high ? low : high), (int64_t)high};
}
