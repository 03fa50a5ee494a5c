/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See slow_server.h.
 */
#include "analyzer/causes/slow_server.h"

#include <string.h>

#include "analyzer/causes/neighbours.h"
#include "analyzer/causes/requests.h"
#include "analyzer/constants.h"

/* A pause of about one round trip is the sign of a sender that waits for an acknowledgement: what
 * looks like a stall then is a small window or buffer. Judgement. */
#define OWN_STALL_RTT_SHARE 1.5

int64_t slow_server_stalled_ns(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	int64_t stalled = a->stalled_ns[SIDE_SERVER];
	int64_t left = context->left_ns[BUCKET_SENDER_STALLED];
	/* one direction alone tells nothing of what held the sender back */
	if (context->rtt_ns == 0 || a->bucket_ns[BUCKET_SEND_BUFFER] > stalled ||
		(double)account_evidence(a, BUCKET_SENDER_STALLED)[0].ns <
			OWN_STALL_RTT_SHARE * (double)context->rtt_ns)
		return 0;
	stalled = stalled < left ? stalled : left;
	return stalled >= cause_min_lost_ns(context) && !neighbours_fill_path(context) ? stalled
										       : 0;
}

int64_t slow_server_claim(
	const CauseContext *context, FindingDraft *draft, unsigned mask, bool with_stalls)
{
	int64_t ns = 0;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (!(mask & OP_MASK(c)))
			continue;
		Service s = service_of(context, (OpClass)c);
		/* where most answers are quick, only the slow ones are a fault */
		bool is_quick = s.count > 0 && !context->unit->is_ftp &&
				s.typical_ns <= service_quick_ns((OpClass)c, &s);
		ns += cause_claim_server_part(
			context, draft, (OpClass)c, is_quick ? s.slow_ns : INT64_MAX);
	}
	if (with_stalls)
		ns += cause_claim_part(
			context, draft, BUCKET_SENDER_STALLED, slow_server_stalled_ns(context));
	return ns;
}

OpClass slow_server_class(const FindingDraft *draft, unsigned mask)
{
	OpClass worst = OP_OTHER;
	int64_t most = -1;
	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		if (!(mask & OP_MASK(c)) || draft->claim_server_ns[c] <= most)
			continue;
		most = draft->claim_server_ns[c];
		worst = (OpClass)c;
	}
	return worst;
}

/* Seen from the client, an answer that was lost on the way and sent again after a timer looks like
 * a slow one: where such losses were seen, slow answers that are no more of them prove nothing.
 * docs/architecture.md, "Life of a packet". */
#define FEW_SLOW 3
/* A relay hands on what it gets: the same bytes but for a message under way and what it changes. */
#define RELAY_DIFFERENCE 0.02
#define RELAY_MIN_BYTES (16 * 1024)
/* One pause is the story when it makes a third of the loss. */
#define SINGLE_PAUSE_PARTS 3
/* The server takes twice as long in the last third as in the first: it got slower. */
#define GROWTH 2
/* Account keeps ten buckets in each of two series. */

static bool may_be_network(const CauseContext *context, const Service *service)
{
	const TcpDirection *d = context->bulk == SIDE_SERVER ? context->sender : context->receiver;
	if (!d || context->vantage == VANTAGE_SERVER)
		return false;
	uint64_t held_back = d->timeouts + d->tail_probes + d->unseen_stalls + d->spurious +
			     d->spurious_inferred;
	if (held_back == 0)
		return false;
	return context->unit->is_unframed || service->slow <= held_back + FEW_SLOW;
}

/* Most of what was lost is one pause, long enough for a retransmission timer: seen from afar it may
 * have been a packet lost before the capture point; of an unknown protocol it may have been
 * anything. */
static bool is_single_pause(const CauseContext *context, const FindingDraft *draft)
{
	const Account *a = &context->unit->account;
	bool is_stall =
		draft->claim_ns[BUCKET_SENDER_STALLED] > draft->claim_ns[BUCKET_SERVER_PROCESSING];
	const AccountEvidence *longest =
		account_evidence(a, is_stall ? BUCKET_SENDER_STALLED : BUCKET_SERVER_PROCESSING);
	if (longest->ns * SINGLE_PAUSE_PARTS < draft->lost_ns)
		return false;
	if (context->unit->is_unframed)
		return true;
	/* nothing was lost before the capture point, and what came next was sent then */
	bool is_proven = context->sender && context->bulk == SIDE_SERVER &&
			 context->sender->silent_ns >= longest->ns;
	return is_stall && longest->ns >= TIMEOUT_MIN_NS && context->vantage != VANTAGE_SERVER &&
	       !is_proven;
}

/* Whether the server got slower while the copy ran, as when a cache fills. docs/causes.md,
 * server-slow-read. */
static void tell_growth(const CauseContext *context, FindingDraft *draft)
{
	const Series *series = context->unit->account.buckets;
	size_t bins = series ? series_count(series) : 0, third = bins / 3;
	int64_t first = 0, last = 0;
	for (size_t i = 0; i < third; i++) {
		first += series_value(series, BUCKET_SERVER_PROCESSING, i);
		last += series_value(series, BUCKET_SERVER_PROCESSING, bins - 1 - i);
	}
	if (last < MIN_LOST_NS || last < GROWTH * first)
		return;
	cause_number(draft, "at the server, first third", NUMBER_NS, (double)first);
	cause_number(draft, "at the server, last third", NUMBER_NS, (double)last);
	cause_advice(draft,
		"It grew while the copy ran: look for a cache that fills (SSD write cache, RAID "
		"cache, shingled disk) or for something else that began on the server.");
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

/* Of a protocol that is not understood nobody knows whose turn it was: while what the client sent
 * was lost on the way the server had nothing to answer. */
static bool may_lack_data(const CauseContext *context)
{
	return context->unit->is_unframed && context->bulk == SIDE_CLIENT && context->sender &&
	       context->sender->retransmitted_packets > 0;
}

static bool is_near(uint64_t a, uint64_t b)
{
	uint64_t more = a > b ? a : b, less = a + b - more;
	return less >= RELAY_MIN_BYTES && (double)(more - less) <= RELAY_DIFFERENCE * (double)more;
}

/* The connection over which the server hands on what it is asked and gets its answers: it began
 * while this one was open, and as much went both ways. NULL: none is in the capture. */
static const ConnectionFacts *relayed_by(const CauseContext *context)
{
	const ConnectionFacts *own = context->facts;
	for (uint32_t i = 0; own && i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		if (c != own && memcmp(c->addr[SIDE_CLIENT], own->addr[SIDE_SERVER], 16) == 0 &&
			c->tcp.first_ns >= own->tcp.first_ns &&
			c->tcp.first_ns <= own->tcp.last_ns &&
			is_near(c->tcp.dir[0].unique_bytes, own->tcp.dir[0].unique_bytes) &&
			is_near(c->tcp.dir[1].unique_bytes, own->tcp.dir[1].unique_bytes))
			return c;
	}
	return NULL;
}

static void tell_relay(const CauseContext *context, FindingDraft *draft)
{
	const ConnectionFacts *behind = relayed_by(context);
	if (!behind)
		return;
	if (draft->confidence == CONFIDENCE_HIGH)
		draft->confidence = CONFIDENCE_MEDIUM;
	draft->doubt = cause_printf(context,
		"The server hands on what it is asked, over connection %u to port %u, and as many "
		"bytes come back there: it seems to be a relay (proxy, WAN accelerator), and the "
		"time is "
		"its "
		"own or that of what stands behind it.",
		behind->stream, behind->port[SIDE_SERVER]);
	draft->next_test = "Compare how long the same requests take on both connections: the "
			   "difference is the relay's.";
	cause_advice(draft, "Look at the relay first, and try without it.");
}

bool slow_server_finish(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, unsigned mask)
{
	Service s = service_of(context, op_class);
	if (may_be_network(context, &s))
		return false;
	double low = (double)draft->lost_ns - quick_ns(context, mask);
	draft->saved_low_ns = low > 0 ? (int64_t)low : 0;
	/* a quicker server answers its other requests quicker too, and a client that need not wait
	 * does not fall asleep in between: what is too little to be told goes with it */
	int64_t least = cause_min_lost_ns(context);
	/* but it must be enough by itself */
	if (draft->lost_ns < least)
		return false;
	if (context->left_ns[BUCKET_SERVER_PROCESSING] - draft->claim_ns[BUCKET_SERVER_PROCESSING] <
		least)
		cause_claim_server(context, draft, OP_MASK_ALL);
	if (context->left_ns[BUCKET_CLIENT_THINK] < least)
		cause_claim(context, draft, BUCKET_CLIENT_THINK);
	draft->saved_high_ns = draft->lost_ns;
	draft->confidence = service_confidence(context, draft, &s);
	if (context->unit->is_unframed && draft->confidence == CONFIDENCE_HIGH)
		draft->confidence = CONFIDENCE_MEDIUM;
	/* a protocol that is not understood, seen from afar: the answer may have been lost, or
	 * nobody owed one */
	if ((context->unit->is_unframed && context->vantage != VANTAGE_SERVER) ||
		is_single_pause(context, draft) || may_lack_data(context))
		draft->confidence = CONFIDENCE_LOW;
	tell_growth(context, draft);
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
	tell_relay(context, draft);
	if (draft->confidence == CONFIDENCE_HIGH || draft->doubt)
		return true;
	draft->doubt =
		may_lack_data(context)
			? "Packets of the client's were lost on the way: the server may have had "
			  "nothing to answer."
		: context->vantage == VANTAGE_CLIENT
			? "Seen from the client, a queue on the way looks like a slow server."
			: "The time an answer needs without the server's work is not known well "
			  "enough here.";
	draft->next_test = "Capture at the server during the same copy, or watch its disk there "
			   "(`iostat -x 1`, Resource Monitor).";
	return true;
}
