/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * client-think: the client had its answer and waited before it asked again, or stopped supplying
 * the data of a write. docs/causes.md, client-think.
 */
#include <math.h>

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* Less is the ordinary work between two requests. docs/causes.md, client-think. */
#define MIN_SHARE 0.20
/* Pauses are regular when the longest are hardly longer than the mean: a program that sleeps or
 * works for a fixed time. Judgement. */
#define REGULAR_RATIO 1.5
/* The timer of Windows ticks 64 times a second; programs that sleep "a little" sleep one tick. */
#define WINDOWS_TICK_NS 15.625e6
#define TICK_TOLERANCE 0.05
/* A few short pauses are how programs start and end; a long one is worth telling alone. Causes 3
 * wants twenty operations for a statement. */
#define MIN_PAUSES 20
#define LONG_PAUSE_NS SECOND_NS
/* As many pauses as requests that make a habit (requests.h), when together they are a long one. */
#define FEW_PAUSES 8
/* People need this long to click or type. Judgement. */
#define HUMAN_PAUSE_NS (500 * MILLISECOND_NS)
/* A sender that stops for no longer waits for an acknowledgement, as with a small window.
 * Judgement. */
#define OWN_STALL_RTT_SHARE 1.5
/* docs/architecture.md, "Life of a finding". */
#define HIGH_MARGIN 2

/** Pauses: of the client, of both kinds. */
typedef struct Pauses {
	int64_t think_ns, stalled_ns;
	double count, mean_ns, longest_ns;
	bool is_regular;
} Pauses;

static Pauses measure(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	Pauses p = {.think_ns = context->left_ns[BUCKET_CLIENT_THINK]};
	/* one direction alone tells nothing of what held the sender back */
	if (context->bulk == SIDE_CLIENT && context->rtt_ns > 0 &&
		(double)account_evidence(a, BUCKET_SENDER_STALLED)[0].ns >=
			OWN_STALL_RTT_SHARE * (double)context->rtt_ns) {
		p.stalled_ns = a->stalled_ns[SIDE_CLIENT];
		if (p.stalled_ns > context->left_ns[BUCKET_SENDER_STALLED])
			p.stalled_ns = context->left_ns[BUCKET_SENDER_STALLED];
	}
	Bucket bucket = p.think_ns >= p.stalled_ns ? BUCKET_CLIENT_THINK : BUCKET_SENDER_STALLED;
	p.count = a->spans[bucket];
	if (p.count > 0)
		p.mean_ns = (double)a->bucket_ns[bucket] / p.count;
	p.longest_ns = (double)account_evidence(a, bucket)[0].ns;
	/* the longest of many is an outlier now and then: the fourth is what is usual */
	double usual = (double)account_evidence(a, bucket)[ACCOUNT_EVIDENCE - 1].ns;
	/* one long enough to be told alone has made the mean, too; a shorter one may have */
	double others_ns = ((double)a->bucket_ns[bucket] - p.longest_ns) / fmax(p.count - 1, 1);
	bool is_alone =
		(p.longest_ns >= LONG_PAUSE_NS && p.longest_ns > REGULAR_RATIO * p.mean_ns) ||
		p.mean_ns > REGULAR_RATIO * others_ns;
	p.is_regular = p.count >= MIN_PAUSES && usual <= REGULAR_RATIO * p.mean_ns && !is_alone;
	return p;
}

/* A program that holds a file open and moves nothing is not slow: it has nothing to do. */
static bool is_at_work(const CauseContext *context, const Pauses *p)
{
	uint64_t operations = 0;
	for (int c = 0; c < OP_CLASS_COUNT; c++)
		operations += context->unit->class_count[c];
	bool is_enough = p->count >= MIN_PAUSES || p->longest_ns >= LONG_PAUSE_NS ||
			 (p->count >= FEW_PAUSES && p->think_ns + p->stalled_ns >= LONG_PAUSE_NS);
	return (context->bytes > 0 || operations >= MIN_PAUSES) && is_enough;
}

static bool is_timer(const Pauses *p)
{
	double ticks = round(p->mean_ns / WINDOWS_TICK_NS);
	return p->is_regular && ticks >= 1 && ticks <= 2 &&
	       fabs(p->mean_ns - ticks * WINDOWS_TICK_NS) < TICK_TOLERANCE * WINDOWS_TICK_NS;
}

static const char *sentence(const CauseContext *context, const Pauses *p)
{
	const char *pauses = p->is_regular
				     ? cause_printf(context, "about %s each time",
					       cause_time(context, p->mean_ns))
				     : cause_printf(context, "%s on average, %s at the longest",
					       cause_time(context, p->mean_ns),
					       cause_time(context, p->longest_ns));
	if (p->stalled_ns > p->think_ns)
		return cause_printf(context,
			"The client %s stops %.0f times in the middle of its data, %s, although "
			"nothing holds it back.",
			context->client_name, p->count, pauses);
	return cause_printf(context,
		"The client %s has its answer and waits before it asks again: %.0f times, %s.",
		context->client_name, p->count, pauses);
}

static void advise(FindingDraft *draft, const Pauses *p)
{
	draft->fix = "a faster client or copying program";
	cause_advice(draft,
		"Look at the client while it copies: is its disk busy (`iostat -x 1`, Resource "
		"Monitor), one processor core full, an antivirus at work on the target file?");
	if (p->is_regular)
		cause_advice(draft, "Pauses this even come from a program that works or sleeps for "
				    "a fixed time per block: look for throttling (`robocopy /IPG`, "
				    "rsync --bwlimit, backup limits).");
	if (is_timer(p))
		cause_advice(draft,
			"Their length is a tick of the Windows timer (15.6 ms): a program "
			"that sleeps \"one millisecond\" between blocks sleeps that long.");
	cause_advice(draft, "Try another program or another target disk; several files at the same "
			    "time (`robocopy /MT`) hide pauses of a single file.");
}

/* Somebody may have been at work: no data was being moved, and the pauses are long and uneven. */
static bool may_be_human(const CauseContext *context, const Pauses *p)
{
	const Account *a = &context->unit->account;
	int64_t between_data = a->think_ns[OP_READ] + a->think_ns[OP_WRITE];
	return p->think_ns > p->stalled_ns && between_data < p->think_ns / 2 && !p->is_regular &&
	       p->longest_ns >= (double)HUMAN_PAUSE_NS;
}

/* A protocol that is not understood, seen from afar, where the path is known to lose or hold back
 * what the client sends: its pauses may be the path's. */
static bool may_be_network(const CauseContext *context)
{
	const TcpDirection *d = context->bulk == SIDE_CLIENT ? context->sender : context->receiver;
	return context->unit->is_unframed && context->vantage != VANTAGE_CLIENT && d &&
	       d->retransmitted_packets + d->timeouts + d->unseen_stalls + d->spurious > 0;
}

/* No habit: a short pause that makes most of the time is one, however many tiny ones there are. */
static bool are_few(const Pauses *p)
{
	bool is_one = p->longest_ns * 2 > (double)(p->think_ns + p->stalled_ns);
	return (p->count < MIN_PAUSES || is_one) && p->longest_ns < LONG_PAUSE_NS;
}

static Confidence confidence_of(
	const CauseContext *context, const FindingDraft *draft, const Pauses *p)
{
	double rtt = (double)context->rtt_ns;
	if (context->unit->is_unframed) {
		/* pacing, a limiter before the capture point and small windows look like pauses of
		 * the program; longer ones do not */
		double least = rtt > (double)SLOW_SERVICE_NS ? rtt : (double)SLOW_SERVICE_NS;
		return p->stalled_ns > p->think_ns && p->mean_ns >= least ? CONFIDENCE_MEDIUM
									  : CONFIDENCE_LOW;
	}
	if (may_be_human(context, p))
		return CONFIDENCE_LOW;
	if (are_few(p))
		return CONFIDENCE_MEDIUM;
	/* a pause no longer than the way there and back may be the way */
	bool is_beyond = context->vantage == VANTAGE_CLIENT || p->mean_ns > 0.5 * rtt;
	return context->rtt_ns > 0 && context->vantage != VANTAGE_UNKNOWN && is_beyond &&
			       draft->lost_ns >= HIGH_MARGIN * cause_min_lost_ns(context)
		       ? CONFIDENCE_HIGH
		       : CONFIDENCE_MEDIUM;
}

static const char *doubt_of(const CauseContext *context, const Pauses *p)
{
	if (context->unit->is_unframed)
		return "The protocol is not one whose messages are understood: a pause may have "
		       "been the server's turn.";
	if (may_be_human(context, p))
		return "Pauses of this length between files may be a person's.";
	if (are_few(p))
		return p->count < MIN_PAUSES ? "The pauses are few."
					     : "One pause makes most of it.";
	return "The pauses are short against the round trip, or few.";
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	Pauses p = measure(context);
	if (cause_share(context, p.think_ns + p.stalled_ns) < MIN_SHARE ||
		!is_at_work(context, &p) || may_be_network(context))
		return false;
	cause_claim(context, draft, BUCKET_CLIENT_THINK);
	cause_claim_part(context, draft, BUCKET_SENDER_STALLED, p.stalled_ns);
	/* a program needs a moment of its own per block whatever is done */
	double low = (double)draft->lost_ns - p.count * (double)NOISE_FLOOR_NS;
	draft->saved_low_ns = low > 0 ? (int64_t)low : 0;
	/* hosts that are asked without pauses do not fall asleep in between: the server's little
	 * time shrinks too */
	if (context->left_ns[BUCKET_SERVER_PROCESSING] < cause_min_lost_ns(context))
		cause_claim_server(context, draft, OP_MASK_DATA);
	draft->saved_high_ns = draft->lost_ns;
	draft->blame = "CLIENT";
	draft->sentence = sentence(context, &p);
	advise(draft, &p);
	cause_number(draft, "pauses", NUMBER_COUNT, p.count);
	cause_number(draft, "pause, mean", NUMBER_NS, p.mean_ns);
	cause_number(draft, "pause, longest", NUMBER_NS, p.longest_ns);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	if (p.think_ns > 0)
		cause_evidence_bucket(
			context, draft, BUCKET_CLIENT_THINK, "until the client asked again");
	if (p.stalled_ns > 0)
		cause_evidence_bucket(
			context, draft, BUCKET_SENDER_STALLED, "without a byte from the client");
	draft->confidence = confidence_of(context, draft, &p);
	if (draft->confidence != CONFIDENCE_HIGH) {
		draft->doubt = doubt_of(context, &p);
		draft->next_test = "Capture at the client during the same copy and look at its "
				   "disk and processor.";
	}
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	if (context->is_one_sided)
		return NULL;
	Pauses p = measure(context);
	int64_t waits = p.think_ns + p.stalled_ns;
	if (!cause_may_rule_out(context, waits))
		return NULL;
	return cause_printf(context, "client (waits %s of the time)",
		cause_percent(context, cause_share(context, waits)));
}

const Cause cause_client_think = {
	.id = "client-think",
	.title = "The client was the slow one",
	.explanation =
		"The server's answer had reached the client, and the client did not ask for more "
		"for a while; or it stopped in the middle of what it was sending. Server and "
		"network stood by. The program, its disk or a scanner on the client was busy.",
	.source = "T-RAT (SIGCOMM 2002), application-limited transfers",
	.precedence = 540,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "The client had its answer and did not ask again, or stopped in "
				"the "
				"middle of its data with nothing holding it back: {} of the time "
				"or "
				"more, in {} pauses, one of {} and longer, or {} that last as long "
				"together. Pauses that are even "
				"point to a program that sleeps or works for a fixed time per "
				"block.",
			.numbers = {GUIDE_SHARE(MIN_SHARE), GUIDE_COUNT(MIN_PAUSES),
				GUIDE_NS(LONG_PAUSE_NS), GUIDE_COUNT(FEW_PAUSES),
				GUIDE_NS(HUMAN_PAUSE_NS)},
			.needs =
				"Requests and answers (or, for other protocols, data of one side).",
			.traps = {"Pauses of {} and more between files may be a person's: low "
				  "confidence.",
				"Pauses about a round trip long may be a small window seen from "
				"afar.",
				"Keep-alives and echoes are no work."},
			.confidence =
				"High for understood protocols when the pauses are longer than "
				"half "
				"a round trip or seen at the client; medium or low otherwise, and "
				"when one "
				"short pause makes most of them.",
			.advice = {{"Windows client",
					   "Resource Monitor: disk, processor, antivirus on the "
					   "target file; "
					   "even pauses of 15.6 ms are a program that sleeps 'one "
					   "millisecond'."},
				{"Linux", "'iostat -x 1', one processor core full? 'strace -c' on "
					  "the "
					  "program."},
				{"Any", "Look for throttling: robocopy /IPG, rsync --bwlimit, "
					"backup "
					"limits. Several files at the same time hide pauses of a "
					"single "
					"file."}},
			.next_test =
				"Capture at the client during the same copy and look at its disk "
				"and processor.",
		},
};
