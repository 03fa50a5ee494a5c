/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sending host keeps a constant amount in flight, less than the receiver offers and the network
 * takes, although nothing is lost. docs/causes.md, send-buffer-small.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/constants.h"

/* docs/causes.md, send-buffer-small: a flight within a tenth of what the program asks for at a time
 * is the program's. */
#define DEPTH_TOLERANCE 0.1
/* A flight near what the path holds fills it: no buffer to blame (docs/causes.md,
 * send-buffer-small, paced senders). */
#define FILLS_PATH_SHARE 0.8
/* Twelve rounds of bulk, docs/causes.md, send-buffer-small. */
#define MIN_ROUNDS 12
/* Seen from afar the flight is known to within one burst: half of it more still is the cap. */
#define CAPPED_FACTOR 1.5
/* docs/architecture.md, "Life of a finding": a buffer of twice what the path holds. */
#define WANTED_FACTOR 2
/* Measured rate and buffer / round trip agree within a factor of two, as for windows: a queue makes
 * the round trip longer than its smallest. */
#define ALLOWS_FACTOR 2.0

static double flight_of(const TcpDirection *d)
{
	return d->plateau_flight > 0 ? (double)d->plateau_flight : (double)d->max_in_flight;
}

static uint64_t needed_repairs(const TcpDirection *d)
{
	uint64_t needless = d->spurious > d->spurious_inferred ? d->spurious : d->spurious_inferred;
	return d->retransmitted_packets > needless ? d->retransmitted_packets - needless : 0;
}

/* In the whole connection nothing was lost and the flight never rose above the plateau: what the
 * accounting charged to the congestion window while it learned the plateau is the buffer's, too. */
static bool is_capped_throughout(const TcpDirection *d)
{
	return needed_repairs(d) == 0 && d->ece_flags == 0 &&
	       (double)d->max_in_flight <= CAPPED_FACTOR * flight_of(d);
}

/* A program that may write only when an acknowledgement frees buffer seems to stall for part of a
 * round trip. */
static bool stalls_are_short(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	int64_t spans = a->spans[BUCKET_SENDER_STALLED];
	return spans > 0 && a->bucket_ns[BUCKET_SENDER_STALLED] <= spans * context->rtt_ns;
}

static bool is_depth_of_program(const CauseContext *context, double flight)
{
	const DataFacts *data = unit_main(context->unit);
	if (!data || data->depth_bytes_max == 0)
		return false;
	return (double)data->depth_bytes_max <= flight * (1 + DEPTH_TOLERANCE);
}

/* A buffer would have let twice as much through in the time it is blamed for: something else held
 * the sender back, and little was under way because of that. */
static bool allows_more(const CauseContext *context, const FindingDraft *draft, double flight)
{
	double ceiling = flight * 1e9 / (double)context->rtt_ns;
	double governed = (double)(draft->lost_ns + context->link_ns);
	return ceiling > ALLOWS_FACTOR * (double)context->bytes * 1e9 / governed;
}

static void advise(const CauseContext *context, FindingDraft *draft, Side side, double wanted)
{
	const char *need = wanted > 0 ? cause_bytes(context, WANTED_FACTOR * wanted)
				      : "twice rate times round trip";
	if (host_is_samba(context, side))
		cause_advice(draft, "Samba: remove SO_SNDBUF and SO_RCVBUF from 'socket options' "
				    "in smb.conf and reload.");
	if (host_kind(context, side) != HOST_WINDOWS)
		cause_advice(draft, cause_printf(context,
					    "Linux: look for SO_SNDBUF in the program's settings "
					    "(vsftpd, proftpd 'SocketOptions sndbuf'), and set the "
					    "third value of 'sysctl net.ipv4.tcp_wmem' to %s.",
					    need));
	if (host_kind(context, side) != HOST_UNIX)
		cause_advice(draft, "Windows: send buffers grow by themselves unless the program "
				    "sets SO_SNDBUF; older tools fix 8 or 64 KiB.");
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpDirection *d = context->sender;
	if (!d || context->rtt_ns <= 0)
		return false;
	/* on a path that others fill, more under way would only wait longer */
	int64_t busy = context->link_ns + context->unit->account.bucket_ns[BUCKET_OTHER_TRAFFIC];
	if (cause_share(context, busy) >= HEALTHY_LINK_SHARE)
		return false;
	double flight = flight_of(d);
	double fills = FILLS_PATH_SHARE * cause_bdp_bytes(context);
	bool is_open = flight <= PLATEAU_WINDOW_SHARE * (double)d->max_peer_window;
	if (!is_open || (context->capacity.is_proven && fills > 0 && flight >= fills) ||
		is_depth_of_program(context, flight) ||
		context->wall_ns < MIN_ROUNDS * context->rtt_ns)
		return false;
	/* in a protocol that is not understood: where the turns take longer, what is under way is
	 * an answer */
	if (context->unit->is_unframed && context->unit->account.bucket_ns[BUCKET_ROUND_TRIP] >
						  context->left_ns[BUCKET_SEND_BUFFER])
		return false;
	int64_t plateau = cause_claim(context, draft, BUCKET_SEND_BUFFER);
	if (plateau > 0 && is_capped_throughout(d)) {
		cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
		if (stalls_are_short(context))
			cause_claim(context, draft, BUCKET_SENDER_STALLED);
	}
	if (draft->lost_ns < cause_min_lost_ns(context) || allows_more(context, draft, flight))
		return false;
	int64_t ramp = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = draft->lost_ns > ramp ? draft->lost_ns - ramp : 0;
	draft->confidence = context->facts->tcp.handshake_seen && is_capped_throughout(d)
				    ? CONFIDENCE_HIGH
				    : CONFIDENCE_MEDIUM;
	draft->blame = host_blame(context->bulk);
	draft->ceiling_bytes_per_s = flight / ((double)context->rtt_ns / 1e9);
	draft->ceiling_formula = cause_printf(context, "%s / %s = %s", cause_bytes(context, flight),
		cause_time(context, (double)context->rtt_ns),
		cause_rate(context, draft->ceiling_bytes_per_s));
	draft->sentence = cause_printf(context,
		"%s never keeps more than %s under way although the receiver offers %s and nothing "
		"is lost, so it moves only that much per %s round trip.",
		host_label_start(context, context->bulk), cause_bytes(context, flight),
		cause_bytes(context, d->max_peer_window),
		cause_time(context, (double)context->rtt_ns));
	draft->fix = "a larger send buffer";
	draft->next_test = "ask the sending host: 'ss -tmi' (Linux) shows the socket's send buffer "
			   "(tb) while the copy runs";
	cause_number(draft, "most data in flight", NUMBER_BYTES, flight);
	cause_number(draft, "receive window", NUMBER_BYTES, d->max_peer_window);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	cause_evidence_bucket(context, draft, BUCKET_SEND_BUFFER, "waited with the window open");
	advise(context, draft, context->bulk, cause_bdp_bytes(context));
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	const TcpDirection *d = context->sender;
	if (!d || cause_is_half_seen(context) ||
		context->left_ns[BUCKET_SEND_BUFFER] > context->wall_ns / 10)
		return NULL;
	return cause_printf(context, "send buffer held back %s of the time",
		cause_percent(context, cause_share(context, context->left_ns[BUCKET_SEND_BUFFER])));
}

const Cause cause_send_buffer_small = {
	.id = "send-buffer-small",
	.title = "The sender's buffer was too small",
	.explanation =
		"A host keeps what it has sent until the other side confirms it. When the buffer "
		"for that is small the program cannot hand over more, and the connection carries "
		"only one buffer per round trip. It shows as a constant amount in flight, below "
		"the receive window, with no loss.",
	.source = "RFC 9293; SNAP (NSDI 2011); T-RAT (SIGCOMM 2002)",
	.precedence = 375,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "The data under way stayed flat (within {} over {} rounds) at no "
				"more than {} of the receive window, nothing was lost, no queue "
				"grew, and it is not what the program itself had asked for at a "
				"time (within {}). At least {} round trips of data; less than {} "
				"of "
				"what the path holds where that is known.",
			.numbers = {GUIDE_SHARE(PLATEAU_TOLERANCE), GUIDE_COUNT(PLATEAU_ROUNDS),
				GUIDE_SHARE(PLATEAU_WINDOW_SHARE), GUIDE_SHARE(DEPTH_TOLERANCE),
				GUIDE_COUNT(MIN_ROUNDS), GUIDE_SHARE(FILLS_PATH_SHARE)},
			.needs = "A dozen round trips of data in one direction, with "
				 "acknowledgements.",
			.traps = {"A program that keeps few requests under way shows the same flat "
				  "line: smb-serial-requests wins where the requests explain it.",
				"Congestion control that is growing is not flat.",
				"A sender that paces itself at the path's rate fills the link: no "
				"time is lost."},
			.confidence =
				"High when nothing was lost, the handshake was seen and the flight "
				"never rose above the flat line; otherwise medium.",
			.advice = {{"Samba", "Remove SO_SNDBUF and SO_RCVBUF from 'socket options' "
					     "in smb.conf."},
				{"Linux", "Look for SO_SNDBUF in the program; the third value of "
					  "net.ipv4.tcp_wmem should be twice what the path holds."},
				{"Windows", "Send buffers grow by themselves unless the program "
					    "fixes them; "
					    "older tools use 8 or 64 KiB."},
				{"FTP server", "vsftpd tcp_sndbuf and ProFTPD 'SocketOptions "
					       "sndbuf': leave unset."}},
			.next_test =
				"Ask the sending host: 'ss -tmi' (Linux) shows the socket's send "
				"buffer (tb) while the copy runs.",
		},
};
