/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adding up a budget: see account.h.
 */
#include "analyzer/transfer/account.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(BUCKET_COUNT <= SERIES_MAX_COLUMNS, "a column for each bucket");

/* Room for the evidence of one more bucket; a few at a time, as few more are to come. */
static bool evidence_grow(Account *account)
{
	unsigned room = account->evidence_room + (account->evidence_room ? 2u : 3u);
	AccountEvidence *bigger =
		realloc(account->evidence, room * ACCOUNT_EVIDENCE * sizeof(*account->evidence));
	if (!bigger)
		return false;
	account->evidence = bigger;
	account->evidence_room = (uint8_t)room;
	return true;
}

/* NULL without memory. */
static AccountEvidence *evidence_of(Account *account, Bucket bucket)
{
	uint8_t place = account->evidence_place[bucket];
	if (place > 0)
		return account->evidence + (place - 1) * ACCOUNT_EVIDENCE;
	if (account->evidence_count == account->evidence_room && !evidence_grow(account))
		return NULL;
	AccountEvidence *e = account->evidence + account->evidence_count * ACCOUNT_EVIDENCE;
	memset(e, 0, ACCOUNT_EVIDENCE * sizeof(*e));
	account->evidence_place[bucket] = ++account->evidence_count;
	return e;
}

static void keep_evidence(Account *account, Bucket bucket, int64_t ns, int64_t end_ns,
	uint64_t frame, uint32_t stream)
{
	AccountEvidence *e = evidence_of(account, bucket);
	int at = ACCOUNT_EVIDENCE - 1;
	if (!e || ns <= e[at].ns)
		return;
	for (; at > 0 && ns > e[at - 1].ns; at--)
		e[at] = e[at - 1];
	e[at] = (AccountEvidence){ns, end_ns, frame, stream};
}

static void add_side(Account *account, Bucket bucket, Side side, int64_t ns, bool is_after_loss)
{
	if (bucket == BUCKET_SENDER_STALLED)
		account->stalled_ns[side] += ns;
	else if (bucket == BUCKET_RECEIVE_WINDOW)
		account->receive_window_ns[side] += ns;
	else if (bucket == BUCKET_SLOW_READER)
		account->slow_reader_ns[side] += ns;
	else if (bucket == BUCKET_ZERO_WINDOW)
		account->zero_window_ns[side] += ns;
	else if (bucket == BUCKET_LOSS_RECOVERY || bucket == BUCKET_RTO_STALL ||
		 bucket == BUCKET_TAIL_LOSS)
		account->loss_ns[side] += ns;
	else if (bucket == BUCKET_CONGESTION_WINDOW && is_after_loss)
		account->after_loss_ns[side] += ns;
	else if (bucket == BUCKET_SLOW_START && is_after_loss)
		account->restart_after_loss_ns[side] += ns;
}

void account_add(Account *account, int64_t from_ns, int64_t to_ns, Bucket bucket, OpClass op_class,
	Side side, uint64_t frame, uint32_t stream, bool is_after_loss)
{
	int64_t from = from_ns > account->start_ns ? from_ns : account->start_ns;
	int64_t to = to_ns < account->end_ns ? to_ns : account->end_ns;
	if (to <= from)
		return;
	int64_t ns = to - from;
	account->bucket_ns[bucket] += ns;
	account->spans[bucket]++;
	if (bucket == BUCKET_ROUND_TRIP)
		account->round_trip_ns[op_class] += ns;
	else if (bucket == BUCKET_SERVER_PROCESSING)
		account->server_ns[op_class] += ns;
	else if (bucket == BUCKET_CLIENT_THINK)
		account->think_ns[op_class] += ns;
	else
		add_side(account, bucket, side, ns, is_after_loss);
	keep_evidence(account, bucket, ns, to, frame, stream);
	if (account->buckets)
		series_add_span(account->buckets, bucket, from, to, ns);
}

void account_reach(Account *account, int64_t from_ns, int64_t to_ns)
{
	int64_t from = from_ns > account->start_ns ? from_ns : account->start_ns;
	int64_t to = to_ns < account->end_ns ? to_ns : account->end_ns;
	if (to > from && account->buckets)
		series_reach(account->buckets, to);
}

const AccountEvidence *account_evidence(const Account *account, Bucket bucket)
{
	static const AccountEvidence none[ACCOUNT_EVIDENCE];
	uint8_t place = account->evidence_place[bucket];
	return place > 0 ? account->evidence + (place - 1) * ACCOUNT_EVIDENCE : none;
}

int64_t account_sum_ns(const Account *account)
{
	int64_t sum = 0;
	for (int i = 0; i < BUCKET_COUNT; i++)
		sum += account->bucket_ns[i];
	return sum;
}

void account_keep_series(Account *account)
{
	static const SeriesRule rules[BUCKET_COUNT] = {SERIES_SUM};
	if (!account->buckets)
		account->buckets = series_new(account->start_ns, ACCOUNT_BINS, BUCKET_COUNT, rules);
}

void account_drop_series(Account *account)
{
	series_free(account->buckets);
	account->buckets = NULL;
}

void account_clear(Account *account)
{
	account_drop_series(account);
	free(account->evidence);
	account->evidence = NULL;
	account->evidence_count = account->evidence_room = 0;
	memset(account->evidence_place, 0, sizeof(account->evidence_place));
}
