/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time budget of one transfer or job: an interval of a timeline, cut into buckets that add up
 * to it exactly.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_ACCOUNT_H
#define SLOWCOPY_ANALYZER_TRANSFER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/series.h"
#include "analyzer/transfer/bucket.h"

/* Longest spans kept per bucket, as evidence. */
#define ACCOUNT_EVIDENCE 4
/* Bins of the bucket-over-time picture. */
#define ACCOUNT_BINS 48

typedef struct AccountEvidence {
	int64_t ns;     /* length of the span */
	int64_t end_ns; /* when it ended */
	uint64_t frame; /* the packet that ended it */
	uint32_t stream;
} AccountEvidence;

typedef struct Account {
	struct Account *next; /* on its timeline */
	int64_t start_ns;
	int64_t end_ns;     /* INT64_MAX while open */
	int64_t covered_ns; /* committed up to here */
	int64_t bucket_ns[BUCKET_COUNT];
	int64_t round_trip_ns[OP_CLASS_COUNT];
	int64_t server_ns[OP_CLASS_COUNT];
	int64_t think_ns[OP_CLASS_COUNT]; /* client-think by class of the request that ended it */
	int64_t stalled_ns[2];            /* sender-stalled by Side */
	int64_t receive_window_ns[2], slow_reader_ns[2], zero_window_ns[2], loss_ns[2],
		after_loss_ns[2];
	int64_t restart_after_loss_ns[2]; /* of slow-start: a loss had made the window small */
	uint32_t spans[BUCKET_COUNT];
	/* ACCOUNT_EVIDENCE of each bucket that had a span, in the order of their first ones: most
	 * accounts know a few of the buckets only; see account_evidence() */
	AccountEvidence *evidence;
	uint8_t evidence_count, evidence_room; /* buckets */
	uint8_t evidence_place[BUCKET_COUNT];  /* from 1; 0 none */
	Series *buckets;                       /* ns per bin, a column each; made when wanted */
	void *user;
} Account;

/** account_add: [@from_ns, @to_ns) of the timeline belongs to @bucket; clipped to the account. */
void account_add(Account *account, int64_t from_ns, int64_t to_ns, Bucket bucket, OpClass op_class,
	Side side, uint64_t frame, uint32_t stream, bool is_after_loss);

/** account_reach: [@from_ns, @to_ns) of the timeline is added next, without a gap. */
void account_reach(Account *account, int64_t from_ns, int64_t to_ns);

/** account_sum_ns: all buckets together. */
int64_t account_sum_ns(const Account *account);

/** account_evidence: the ACCOUNT_EVIDENCE longest spans of @bucket, longest first, zeros behind
 * them, until the next account_add(). */
const AccountEvidence *account_evidence(const Account *account, Bucket bucket);

/** account_keep_series: from now on remembers which bucket dominated when. */
void account_keep_series(Account *account);

/** account_drop_series: forgets which bucket dominated when. */
void account_drop_series(Account *account);

/** account_clear: frees what it holds. */
void account_clear(Account *account);

#endif
