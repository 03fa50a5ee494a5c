/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sender holds a small last piece until an acknowledgement arrives, the receiver holds that
 * acknowledgement back: two timers wait for each other. docs/causes.md, delayed-ack-nagle.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, delayed-ack-nagle: five stalls make a pattern. */
#define MIN_EVENTS 5
#define SURE_EVENTS 10
/* Timers of systems, docs/causes.md, delayed-ack-nagle: 40 ms Linux and current Windows, 100 ms old
 * BSD and macOS, 200 ms older Windows; each with room for the clock tick. */
#define LINUX_MAX_NS (75 * MILLISECOND_NS)
#define BSD_MIN_NS (90 * MILLISECOND_NS)
#define BSD_MAX_NS (110 * MILLISECOND_NS)
#define OLD_WINDOWS_MIN_NS (150 * MILLISECOND_NS)
#define OLD_WINDOWS_MAX_NS (250 * MILLISECOND_NS)

/* Who held data back: the side whose data the pauses ended with; the evidence does not keep it, but
 * the side that sent more small segments is the one that asks. */
static Side holder(const CauseContext *context)
{
	const TcpDirection *client = host_direction(context, SIDE_CLIENT);
	const TcpDirection *server = host_direction(context, SIDE_SERVER);
	return client->payload_packets >= server->payload_packets ? SIDE_CLIENT : SIDE_SERVER;
}

static const char *timer_name(int64_t timer_ns)
{
	if (timer_ns <= LINUX_MAX_NS)
		return "about 40 ms: Linux, current Windows";
	if (timer_ns >= BSD_MIN_NS && timer_ns <= BSD_MAX_NS)
		return "about 100 ms: older BSD, macOS";
	if (timer_ns >= OLD_WINDOWS_MIN_NS && timer_ns <= OLD_WINDOWS_MAX_NS)
		return "about 200 ms: older Windows";
	return "other";
}

static void advise(const CauseContext *context, FindingDraft *draft, Side side)
{
	cause_advice(draft, cause_printf(context,
				    "In the program on %s: set TCP_NODELAY, or write a message "
				    "with one call instead of two.",
				    host_label(context, side)));
	if (host_is_samba(context, side))
		cause_advice(draft, "Samba: keep TCP_NODELAY in 'socket options' (the default).");
	if (host_kind(context, host_other(side)) != HOST_UNIX)
		cause_advice(draft, "Windows receiver, as a last resort: Set-NetTCPSetting "
				    "-DelayedAckFrequency 1, or TcpAckFrequency=1 for the "
				    "interface.");
	if (host_kind(context, host_other(side)) != HOST_WINDOWS)
		cause_advice(draft, "Linux receiver, as a last resort: 'ip route change … quickack "
				    "1', or TCP_QUICKACK in the program.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	uint32_t events = context->unit->account.spans[BUCKET_DELAYED_ACK_STALL];
	if (!context->sender || events < MIN_EVENTS)
		return false;
	cause_claim(context, draft, BUCKET_DELAYED_ACK_STALL);
	if (draft->lost_ns < cause_min_lost_ns(context))
		return false;
	Side side = holder(context);
	int64_t mean = draft->lost_ns / events;
	int64_t round_trips = context->rtt_ns * events;
	/* sent at once the piece waits for nothing; with a prompt acknowledgement still a round
	 * trip */
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > round_trips ? draft->lost_ns - round_trips : 0;
	draft->confidence =
		events >= SURE_EVENTS && context->rtt_ns > 0 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	draft->blame = host_blame(side);
	draft->sentence = cause_printf(context,
		"%s kept the last small piece of a message until an acknowledgement came, and %s "
		"held that acknowledgement back: %s, %s each, %s of %s in all.",
		host_label_start(context, side), host_label(context, host_other(side)),
		cause_times(context, events), cause_time(context, (double)mean),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = "TCP_NODELAY in the sending program";
	cause_number(draft, "stalls", NUMBER_COUNT, events);
	cause_number(draft, "mean stall", NUMBER_NS, (double)mean);
	cause_number_name(draft, "timer", timer_name(mean - context->rtt_ns));
	cause_evidence_bucket(context, draft, BUCKET_DELAYED_ACK_STALL,
		"held until a delayed acknowledgement came");
	advise(context, draft, side);
	return true;
}

const Cause cause_delayed_ack_nagle = {
	.id = "delayed-ack-nagle",
	.title = "Two timers wait for each other (Nagle and delayed ACK)",
	.explanation =
		"A sender may keep a small piece of data until what it sent before is "
		"acknowledged (Nagle's algorithm), and a receiver may hold an acknowledgement back "
		"for 40 to 200 ms in the hope of more data. When a program sends a message in two "
		"small writes, both wait for each other, once per message.",
	.source = "RFC 896; RFC 1122 4.2.3.2, 4.2.3.4",
	.precedence = 370,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "{} or more times a small last piece waited until an "
				"acknowledgement came that the receiver had held back on its timer "
				"({} or more beyond the way there and back), and data of the same "
				"side followed at once. The length names the system: about 40 ms "
				"Linux and current Windows, 100 ms older BSD and macOS, 200 ms "
				"older Windows.",
			.numbers = {GUIDE_COUNT(MIN_EVENTS), GUIDE_NS(DELAYED_ACK_MIN_NS),
				GUIDE_COUNT(SURE_EVENTS)},
			.needs = "Both directions; pure acknowledgements.",
			.traps = {"A server that thinks for as long answers with data: here the "
				  "release is a bare acknowledgement, and the same side goes on.",
				"A timer of the sender repeats something: rto-stall.",
				"The first few packets of a connection are acknowledged at once "
				"and "
				"hide it."},
			.confidence =
				"High with {} events and a known round trip; otherwise medium.",
			.advice = {{"Any", "In the sending program set TCP_NODELAY, or write a "
					   "message with "
					   "one call."},
				{"Samba", "Keep TCP_NODELAY in 'socket options' (the default)."},
				{"Windows", "Receiver, as a last resort: 'Set-NetTCPSetting "
					    "-DelayedAckFrequency 1', or TcpAckFrequency=1 for the "
					    "interface."},
				{"Linux", "Receiver, as a last resort: 'ip route change ... "
					  "quickack 1'."},
				{"NAS or appliance", "Small devices that send one segment at a "
						     "time need a stack that "
						     "sends two."}},
			.next_test =
				"Switch delayed acknowledgements off on the receiver for one copy "
				"(quickack 1, TcpAckFrequency=1): the pauses must vanish.",
		},
};
