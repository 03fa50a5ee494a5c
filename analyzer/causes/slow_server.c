/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See slow_server.h.
 */
#include "analyzer/causes/slow_server.h"

#include "analyzer/causes/requests.h"
#include "analyzer/constants.h"

/* A pause of one round trip is the sign of a sender that waits for an acknowledgement: what looks
 * like a stall then is a small window or buffer. Judgement. */
#define OWN_STALL_RTT_SHARE 1.2

int64_t slow_server_stalled_ns(const CauseContext *context)
{
	const AccountEvidence *longest = context->unit->account.evidence[BUCKET_SENDER_STALLED];
	bool is_own = context->vantage == VANTAGE_SERVER ||
		      (double)longest->ns > OWN_STALL_RTT_SHARE * (double)context->rtt_ns;
	if (!is_own)
		return 0;
	int64_t stalled = context->unit->account.stalled_ns[SIDE_SERVER];
	int64_t left = context->left_ns[BUCKET_SENDER_STALLED];
	return stalled < left ? stalled : left;
}

int64_t slow_server_claim(
	const CauseContext *context, FindingDraft *draft, unsigned mask, bool with_stalls)
{
	int64_t ns = cause_claim_server(context, draft, mask);
	if (with_stalls)
		ns += cause_claim_part(
			context, draft, BUCKET_SENDER_STALLED, slow_server_stalled_ns(context));
	return ns;
}

OpClass slow_server_class(const CauseContext *context, unsigned mask)
{
	OpClass worst = OP_OTHER;
	int64_t most = -1;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (!(mask & OP_MASK(c)) || context->left_server_ns[c] <= most)
			continue;
		most = context->left_server_ns[c];
		worst = (OpClass)c;
	}
	return worst;
}

/* What a server that has everything in memory would still need for these requests. */
static double quick_ns(const CauseContext *context, unsigned mask)
{
	double sum = 0;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (!(mask & OP_MASK(c)))
			continue;
		Service s = service_of(context, (OpClass)c);
		double quick = service_quick_ns((OpClass)c, &s);
		if (s.best_ns > 0 && s.best_ns < quick)
			quick = s.best_ns;
		sum += (double)s.count * quick;
	}
	return sum;
}

void slow_server_finish(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, unsigned mask)
{
	Service s = service_of(context, op_class);
	double low = (double)draft->lost_ns - quick_ns(context, mask);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = low > 0 ? (int64_t)low : 0;
	draft->confidence = service_confidence(context, draft, &s);
	if (context->unit->is_unframed && draft->confidence == CONFIDENCE_HIGH)
		draft->confidence = CONFIDENCE_MEDIUM;
	draft->blame = "SERVER";
	if (s.count > 0)
		service_numbers(draft, &s);
	int64_t stalled = draft->claim_ns[BUCKET_SENDER_STALLED];
	if (stalled > 0)
		cause_number(draft, "pauses in mid-answer", NUMBER_NS, (double)stalled);
	if (draft->claim_ns[BUCKET_SERVER_PROCESSING] > 0)
		cause_evidence_bucket(context, draft, BUCKET_SERVER_PROCESSING, "at the server");
	if (stalled > 0)
		cause_evidence_bucket(
			context, draft, BUCKET_SENDER_STALLED, "without a byte from the server");
	requests_evidence(context, draft, op_class, 1);
	if (draft->confidence == CONFIDENCE_HIGH)
		return;
	draft->doubt =
		context->vantage == VANTAGE_CLIENT
			? "Seen from the client, a queue on the way looks like a slow server."
			: "The time an answer needs without the server's work is not known well "
			  "enough here.";
	draft->next_test = "Capture at the server during the same copy, or watch its disk there "
			   "(`iostat -x 1`, Resource Monitor).";
}
