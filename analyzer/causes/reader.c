/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slow receivers: see reader.h.
 */
#include "analyzer/causes/reader.h"

#include <string.h>

#include "analyzer/causes/host.h"
#include "analyzer/causes/loss.h"
#include "analyzer/causes/window.h"

static int64_t reader_ns(const CauseContext *context)
{
	return context->left_ns[BUCKET_ZERO_WINDOW] + context->left_ns[BUCKET_SLOW_READER];
}

Side reader_side(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	/* the account keeps the side that had to wait */
	int64_t client = a->zero_window_ns[SIDE_CLIENT] + a->slow_reader_ns[SIDE_CLIENT];
	int64_t server = a->zero_window_ns[SIDE_SERVER] + a->slow_reader_ns[SIDE_SERVER];
	if (client == server)
		return host_other(context->bulk);
	return client > server ? SIDE_SERVER : SIDE_CLIENT;
}

ReaderKind reader_kind(const CauseContext *context)
{
	Side reader = reader_side(context);
	const TcpDirection *sender = host_direction(context, host_other(reader));
	const TcpDirection *receiver = host_direction(context, reader);
	if (!sender || !receiver || reader_ns(context) < cause_min_lost_ns(context) ||
		window_is_misread(context) || window_explains_reader(context))
		return READER_FINE;
	bool is_closed = receiver->zero_windows > 0 || sender->probes > 0;
	if (is_closed &&
		context->left_ns[BUCKET_ZERO_WINDOW] >= context->left_ns[BUCKET_SLOW_READER])
		return READER_STOPPED;
	bool is_often = sender->late_releases >= READER_MIN_LATE_RELEASES;
	return is_often || is_closed ? READER_SLOW : READER_FINE;
}

bool reader_shrinks_window(const CauseContext *context)
{
	const TcpDirection *sender = host_direction(context, host_other(reader_side(context)));
	const Account *a = &context->unit->account;
	return sender && sender->edge_stops > 0 &&
	       a->bucket_ns[BUCKET_ZERO_WINDOW] + a->bucket_ns[BUCKET_SLOW_READER] >=
		       a->bucket_ns[BUCKET_RECEIVE_WINDOW] &&
	       window_at_stops(sender) < READER_SHRUNK_SHARE * (double)sender->max_peer_window;
}

/* What a fast reader would still leave: windows of this size, one a round trip, less what the link
 * needs anyhow. */
static int64_t window_remains_ns(const CauseContext *context, const TcpDirection *sender)
{
	double window = sender->max_peer_window;
	if (window <= 0 || context->rtt_ns <= 0)
		return 0;
	double needs = (double)context->bytes / window * (double)context->rtt_ns;
	double remains = needs - (double)context->link_ns;
	return remains > 0 ? (int64_t)remains : 0;
}

static void advise(const CauseContext *context, FindingDraft *draft, Side reader)
{
	HostKind kind = host_kind(context, reader);
	cause_advice(draft, cause_printf(context,
				    "Look at %s: its program or disk takes the data too slowly. "
				    "Check the disk's write times, the processor, and virus "
				    "scanners there.",
				    host_label(context, reader)));
	if (kind != HOST_WINDOWS)
		cause_advice(draft, "Linux: 'iostat -x 1' shows the disk, 'ss -tm' a full receive "
				    "queue (Recv-Q) of the program.");
	if (kind != HOST_UNIX)
		cause_advice(draft, "Windows: Resource Monitor shows the disk queue, or "
				    "Get-Counter '\\PhysicalDisk(*)\\Avg. Disk sec/Write'.");
}

/* Repairs because the receiver held its acknowledgements back: nothing was lost
 * (docs/architecture.md, "Life of a finding"). */
static void claim_needless_repairs(const CauseContext *context, FindingDraft *draft)
{
	LossFacts loss;
	if (!loss_facts(context, &loss) || !loss_was_none(&loss))
		return;
	cause_claim(context, draft, BUCKET_TAIL_LOSS);
	cause_claim(context, draft, BUCKET_LOSS_RECOVERY);
	cause_claim(context, draft, BUCKET_RTO_STALL);
}

bool reader_conclude(const CauseContext *context, FindingDraft *draft, Side reader)
{
	const TcpDirection *sender = host_direction(context, host_other(reader));
	const TcpDirection *receiver = host_direction(context, reader);
	cause_claim(context, draft, BUCKET_ZERO_WINDOW);
	cause_claim(context, draft, BUCKET_SLOW_READER);
	if (reader_shrinks_window(context))
		cause_claim(context, draft, BUCKET_RECEIVE_WINDOW);
	claim_needless_repairs(context, draft);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	draft->blame = host_blame(reader);
	int64_t ramp = cause_slow_start_ns(context);
	int64_t remains = window_remains_ns(context, sender);
	if (remains < ramp)
		remains = ramp;
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > remains ? draft->lost_ns - remains : 0;
	bool is_sure = context->rtt_ns > 0 &&
		       (receiver->zero_windows > 0 ||
			       sender->late_releases >= 2 * READER_MIN_LATE_RELEASES);
	draft->confidence = is_sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	cause_number(draft, "zero windows", NUMBER_COUNT, (double)receiver->zero_windows);
	cause_number(draft, "late window openings", NUMBER_COUNT, (double)sender->late_releases);
	cause_number(draft, "largest window", NUMBER_BYTES, sender->max_peer_window);
	cause_evidence_bucket(context, draft, BUCKET_ZERO_WINDOW, "the window was closed");
	cause_evidence_bucket(context, draft, BUCKET_SLOW_READER, "the receiver made room late");
	advise(context, draft, reader);
	return true;
}
