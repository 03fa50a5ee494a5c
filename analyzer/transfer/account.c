/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adding up a budget: see account.h.
 */
#include "analyzer/transfer/account.h"

#include <stdlib.h>

_Static_assert(BUCKET_COUNT <= SERIES_MAX_COLUMNS, "a column for each bucket");

static void keep_evidence(Account *account, Bucket bucket, int64_t ns, int64_t end_ns,
	uint64_t frame, uint32_t stream)
{
	AccountEvidence *e = account->evidence[bucket];
	if (!e) {
		/* most accounts know a few of the buckets only */
		e = account->evidence[bucket] = calloc(ACCOUNT_EVIDENCE, sizeof(*e));
		if (!e)
			return;
	}
	int at = ACCOUNT_EVIDENCE;
	while (at > 0 && ns > e[at - 1].ns)
		at--;
	if (at == ACCOUNT_EVIDENCE)
		return;
	for (int i = ACCOUNT_EVIDENCE - 1; i > at; i--)
		e[i] = e[i - 1];
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
	return account->evidence[bucket] ? account->evidence[bucket] : none;
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
	for (int b = 0; b < BUCKET_COUNT; b++) {
		free(account->evidence[b]);
		account->evidence[b] = NULL;
	}
}
