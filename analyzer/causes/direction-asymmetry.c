/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fast one way, slow the other between the same two hosts. A comparison: it claims no time, the
 * cause of the slow direction does. docs/causes.md, direction-asymmetry.
 */
#include <string.h>

#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, direction-asymmetry: large enough to compare, and at least twice as fast. */
#define MIN_BYTES (4000 * 1000)
#define MIN_NS (2 * SECOND_NS)
#define MIN_RATIO 2.0
/* Both directions full: an access line with two speeds, nothing is wrong (docs/causes.md,
 * direction-asymmetry, N15). */
#define FULL_SHARE 0.80

/* A short snap length hides part of a file from the protocol, not from TCP. */
static double bytes_of(const Unit *unit)
{
	uint64_t file = unit_bytes(unit), payload = unit->payload[unit_bulk_side(unit)];
	return (double)(payload > file ? payload : file);
}

static double rate_of(const Unit *unit)
{
	int64_t ns = unit_duration_ns(unit);
	return ns > 0 ? bytes_of(unit) * 1e9 / (double)ns : 0;
}

static bool is_bulk(const Unit *unit)
{
	return bytes_of(unit) >= MIN_BYTES ||
	       (bytes_of(unit) > 0 && unit_duration_ns(unit) >= MIN_NS);
}

/* The host that sends the bulk of @unit. */
static const uint8_t *sender_addr(const Unit *unit)
{
	return unit->addr[unit_bulk_side(unit)];
}

static const uint8_t *receiver_addr(const Unit *unit)
{
	return unit->addr[host_other(unit_bulk_side(unit))];
}

/* The longest unit of a kind from @from to @to stands for that direction. */
static const Unit *longest(
	const CauseContext *context, const uint8_t from[16], const uint8_t to[16], bool is_job)
{
	const Unit *best = NULL;
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *u = context->units[i];
		if (u->is_job != is_job || !is_bulk(u) || memcmp(sender_addr(u), from, 16) != 0 ||
			memcmp(receiver_addr(u), to, 16) != 0)
			continue;
		if (!best || bytes_of(u) > bytes_of(best))
			best = u;
	}
	return best;
}

static double share_of(const Unit *unit, Bucket bucket)
{
	int64_t ns = unit_duration_ns(unit);
	return ns > 0 ? (double)unit->account.bucket_ns[bucket] / (double)ns : 0;
}

/* Per byte moved, the bucket that grew most from @fast to @slow. */
static Bucket largest_difference(const Unit *slow, const Unit *fast)
{
	double per_slow = 1.0 / bytes_of(slow), per_fast = 1.0 / bytes_of(fast);
	Bucket best = BUCKET_LINK;
	double most = 0;
	for (int i = 0; i < BUCKET_COUNT; i++) {
		double grown = (double)slow->account.bucket_ns[i] * per_slow -
			       (double)fast->account.bucket_ns[i] * per_fast;
		if (grown > most) {
			most = grown;
			best = i;
		}
	}
	return best;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	double rate = rate_of(unit);
	if (!is_bulk(unit) || rate <= 0)
		return false;
	const uint8_t *from = sender_addr(unit), *to = receiver_addr(unit);
	if (longest(context, from, to, unit->is_job) != unit)
		return false;
	const Unit *fast = longest(context, to, from, unit->is_job);
	if (!fast || rate_of(fast) < MIN_RATIO * rate)
		return false;
	Bucket why = largest_difference(unit, fast);
	bool is_line = share_of(unit, BUCKET_LINK) >= FULL_SHARE &&
		       share_of(fast, BUCKET_LINK) >= FULL_SHARE;
	draft->is_note = true;
	draft->confidence = context->confidence_cap < CONFIDENCE_MEDIUM ? context->confidence_cap
									: CONFIDENCE_MEDIUM;
	draft->sentence = cause_printf(context,
		"From %s to %s data moves at %s, the other way at %s: %.1f times as fast. %s",
		context->sender_name, context->receiver_name, cause_rate(context, rate),
		cause_rate(context, rate_of(fast)), rate_of(fast) / rate,
		is_line ? "The path was full both ways, so the line has two speeds."
			: cause_printf(
				  context, "The largest difference is in: %s.", bucket_title(why)));
	double other_way = bytes_of(unit) / rate_of(fast) * 1e9;
	cause_number(draft, "rate this way", NUMBER_RATE, rate);
	cause_number(draft, "rate the other way", NUMBER_RATE, rate_of(fast));
	cause_number(draft, "time the other way would need", NUMBER_NS, other_way);
	cause_number_name(draft, "largest difference", bucket_id(why));
	cause_number(draft, "its share this way", NUMBER_PERCENT, 100 * share_of(unit, why));
	cause_number(draft, "its share the other way", NUMBER_PERCENT, 100 * share_of(fast, why));
	cause_evidence(context, draft, unit->first_frame, unit->account.start_ns, "slow direction");
	cause_evidence_elsewhere(
		context, draft, fast->first_frame, fast->account.start_ns, "fast direction");
	cause_evidence_bucket(context, draft, why, bucket_title(why));
	return true;
}

const Cause cause_direction_asymmetry = {
	.id = "direction-asymmetry",
	.title = "Fast one way, slow the other",
	.explanation =
		"Two transfers between the same hosts in opposite directions ran at very different "
		"speeds. That narrows the search: whatever both directions share, such as the link "
		"and its delay, is not the reason. What differs is the receiving host's window, "
		"loss in one direction, or a disk that writes slower than it reads.",
	.source = "Shalunov and Carlson (PAM 2005)",
	.precedence = 600,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "Two transfers between the same two hosts in opposite directions, "
				"each {} or {} long at least, differ by a factor of {} or more. "
				"Always a note: the cause of the slow direction has its own "
				"finding.",
			.numbers = {GUIDE_BYTES(MIN_BYTES), GUIDE_NS(MIN_NS),
				GUIDE_COUNT(MIN_RATIO), GUIDE_SHARE(FULL_SHARE)},
			.needs = "Both directions in one capture.",
			.traps = {"Access lines with two speeds: both directions fill the link ({} "
				  "of "
				  "the time) and nothing is wrong.",
				"Different files, a warm cache or another dialect: compare like "
				"with like."},
			.confidence = "Medium.",
			.advice = {{"Any",
				"What both directions share (link, distance) is not the reason; "
				"look at the bucket that differs."}},
			.next_test = "Copy the same file there and back at a quiet time, captured "
				     "in one "
				     "file.",
		},
};
