/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receive windows: see window.h.
 */
#include "analyzer/causes/window.h"

#include <string.h>

#include "analyzer/causes/host.h"
#include "analyzer/causes/reader.h"
#include "analyzer/constants.h"

/* A reader's share below a quarter of the window's is the small window's own (docs/causes.md,
 * receive-window-small, traps).
 */
#define READER_FACTOR 4
/* Window updates come within a round trip; ten are something else. */
#define OUTLIER_ROUND_TRIPS 10
/* docs/causes.md, receive-window-small: a receive buffer of twice what the path holds leaves room
 * for reading. */
#define WANTED_FACTOR 2

Side window_side(const CauseContext *context)
{
	const int64_t *ns = context->unit->account.receive_window_ns;
	if (ns[SIDE_CLIENT] == ns[SIDE_SERVER])
		return context->bulk;
	return ns[SIDE_CLIENT] > ns[SIDE_SERVER] ? SIDE_CLIENT : SIDE_SERVER;
}

double window_at_stops(const TcpDirection *sender)
{
	if (sender->edge_stops == 0)
		return sender->max_peer_window;
	return (double)sender->edge_window_sum / (double)sender->edge_stops;
}

bool window_scale_is_off(const CauseContext *context)
{
	const TcpDirection *a = context->sender, *b = context->receiver;
	if (!a || !b || !a->syn_seen || !b->syn_seen || a->options_cut || b->options_cut)
		return false;
	return a->window_scale < 0 || b->window_scale < 0;
}

bool window_is_misread(const CauseContext *context)
{
	const TcpDirection *d = context->sender;
	bool is_off = window_scale_is_off(context) || context->facts->tcp.is_scale_lost;
	return is_off && d && d->first_window >= WINDOW_MISREAD_MIN_FIRST &&
	       d->max_window_after_syn > 0 &&
	       (uint64_t)d->max_window_after_syn * WINDOW_MISREAD_FACTOR <= d->first_window;
}

/* The acceptor answers other hosts with the option: something on this path took it out. */
static bool peer_scales_elsewhere(const CauseContext *context)
{
	const ConnectionFacts *own = context->facts;
	const TcpDirection *syn = &own->tcp.dir[SIDE_CLIENT], *answer = &own->tcp.dir[SIDE_SERVER];
	if (syn->window_scale < 0 || answer->window_scale >= 0)
		return false;
	for (uint32_t i = 0; i < context->connection_count; i++) {
		const ConnectionFacts *c = context->connections[i];
		bool is_same_server = c->port[SIDE_SERVER] == own->port[SIDE_SERVER] &&
				      memcmp(c->addr[SIDE_SERVER], own->addr[SIDE_SERVER], 16) == 0;
		bool is_other_client =
			memcmp(c->addr[SIDE_CLIENT], own->addr[SIDE_CLIENT], 16) != 0;
		if (is_same_server && is_other_client && c->tcp.dir[SIDE_SERVER].syn_seen &&
			c->tcp.dir[SIDE_SERVER].window_scale >= 0)
			return true;
	}
	return false;
}

static bool is_held_after_growth(const CauseContext *context, const TcpDirection *d)
{
	bool grew = d->first_window > 0 &&
		    d->edge_plateau >= (uint64_t)WINDOW_GROWTH_FACTOR * d->first_window;
	int64_t held = d->edge_plateau_last_ns - d->edge_plateau_since_ns;
	return grew && held >= WINDOW_HELD_ROUND_TRIPS * context->rtt_ns;
}

/* The window grew and never came to rest: the transfer was over too soon to blame it. */
static bool is_growing(const TcpDirection *d)
{
	return d->first_window > 0 &&
	       d->edge_plateau >= (uint64_t)WINDOW_GROWTH_FACTOR * d->first_window &&
	       d->edge_plateau_stops * 2 < d->edge_stops;
}

/* Bytes per second moved while the window governed. A short snap length may hide most of a file:
 * then the unit's share of the time at the edge tells its share of the connection's payload. */
static double governed_rate(const CauseContext *context, int64_t governed_ns)
{
	const TcpDirection *d = context->sender;
	double moved = (double)context->bytes;
	int64_t at_edge = context->unit->account.bucket_ns[BUCKET_RECEIVE_WINDOW];
	if (d->at_edge_ns > at_edge && at_edge > 0) {
		double share = (double)at_edge / (double)d->at_edge_ns;
		if (share * (double)d->unique_bytes > moved)
			moved = share * (double)d->unique_bytes;
	}
	return governed_ns > 0 ? moved * 1e9 / (double)governed_ns : 0;
}

/* A stop of many round trips is no matter of the window's size: a jump of the clock, an outage. */
static int64_t outliers_ns(const CauseContext *context)
{
	const AccountEvidence *e = account_evidence(&context->unit->account, BUCKET_RECEIVE_WINDOW);
	int64_t sum = 0;
	for (int i = 0; i < ACCOUNT_EVIDENCE; i++) {
		if (e[i].ns > OUTLIER_ROUND_TRIPS * context->rtt_ns + MILLISECOND_NS)
			sum += e[i].ns;
	}
	return sum;
}

/* A window would have let twice as much through: the round trip was longer because of a queue, so
 * something else is the limit. */
static bool allows_more(const CauseContext *context, Side side, double window)
{
	const int64_t *ns = context->unit->account.bucket_ns;
	int64_t governed = ns[BUCKET_RECEIVE_WINDOW] + ns[BUCKET_LINK] - outliers_ns(context);
	if (side != context->bulk || ns[BUCKET_RECEIVE_WINDOW] * 2 < context->wall_ns)
		return false; /* too little of the time to compare with */
	return window / ((double)context->rtt_ns / 1e9) >
	       WINDOW_RATE_EXCESS * governed_rate(context, governed);
}

WindowKind window_kind(const CauseContext *context)
{
	Side side = window_side(context);
	const TcpDirection *d = host_direction(context, side);
	if (!d || context->rtt_ns <= 0 ||
		context->unit->account.bucket_ns[BUCKET_RECEIVE_WINDOW] <
			cause_min_lost_ns(context) ||
		d->edge_stops < WINDOW_MIN_EDGE_STOPS || reader_shrinks_window(context))
		return WINDOW_FINE;
	bool is_held = is_held_after_growth(context, d);
	double window = is_held ? d->edge_plateau : window_at_stops(d);
	bool is_bulk = side == context->bulk;
	double fills = cause_bdp_bytes(context) * WINDOW_SMALL_SHARE;
	if (is_bulk && context->capacity.is_proven && fills > 0 && window >= fills)
		return WINDOW_FINE;
	if (allows_more(context, side, window))
		return WINDOW_FINE;
	if (window_scale_is_off(context) && d->max_peer_window <= WINDOW_UNSCALED_MAX &&
		d->edge_window_max >= WINDOW_UNSCALED_MIN_MAX && window >= WINDOW_UNSCALED_MIN_MEAN)
		return context->facts->tcp.scale_stripped_frame != 0 ||
				       peer_scales_elsewhere(context)
			       ? WINDOW_STRIPPED
			       : WINDOW_SCALE_OFF;
	if (is_held)
		return WINDOW_RESTRICTED;
	return is_growing(d) ? WINDOW_FINE : WINDOW_SMALL;
}

bool window_explains_reader(const CauseContext *context)
{
	int64_t reader =
		context->left_ns[BUCKET_ZERO_WINDOW] + context->left_ns[BUCKET_SLOW_READER];
	return reader * READER_FACTOR < context->left_ns[BUCKET_RECEIVE_WINDOW] &&
	       window_kind(context) != WINDOW_FINE;
}

/* Without a loss or a mark the congestion window never shrank: what the acknowledgements clock is
 * the flight that the receive window allows. */
static bool is_never_congested(const TcpDirection *d)
{
	return d->loss_events == 0 && d->ece_flags == 0 && d->ecn_marks == 0;
}

static bool rate_agrees(const CauseContext *context, const FindingDraft *draft, double ceiling)
{
	double rate = governed_rate(context, draft->lost_ns + context->link_ns);
	return rate >= ceiling * (1 - WINDOW_RATE_TOLERANCE) &&
	       rate <= ceiling * (1 + WINDOW_RATE_TOLERANCE);
}

bool window_conclude(const CauseContext *context, FindingDraft *draft, Side side, double window)
{
	const TcpDirection *d = host_direction(context, side);
	Side receiver = host_other(side);
	int64_t stops = cause_claim_part(context, draft, BUCKET_RECEIVE_WINDOW,
		context->left_ns[BUCKET_RECEIVE_WINDOW] - outliers_ns(context));
	if (window_explains_reader(context)) {
		cause_claim(context, draft, BUCKET_ZERO_WINDOW);
		cause_claim(context, draft, BUCKET_SLOW_READER);
	}
	if (is_never_congested(d))
		cause_claim(context, draft, BUCKET_CONGESTION_WINDOW);
	if (stops < cause_min_lost_ns(context))
		return false;
	double seconds = (double)context->rtt_ns / 1e9;
	draft->blame = host_blame(receiver);
	draft->ceiling_bytes_per_s = window / seconds;
	draft->ceiling_formula = cause_printf(context, "%s / %s = %s", cause_bytes(context, window),
		cause_time(context, (double)context->rtt_ns),
		cause_rate(context, draft->ceiling_bytes_per_s));
	int64_t ramp = cause_slow_start_ns(context);
	draft->saved_high_ns = draft->lost_ns;
	draft->saved_low_ns = stops > ramp ? stops - ramp : 0;
	bool is_sure = d->scale_known && context->facts->tcp.handshake_seen &&
		       rate_agrees(context, draft, draft->ceiling_bytes_per_s);
	draft->confidence = is_sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	if (!d->scale_known)
		draft->doubt = "The start of the connection is not in the capture, so the scale of "
			       "the window is a guess from the data sent.";
	cause_number(draft, "receive window", NUMBER_BYTES, window);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	double wanted = cause_bdp_bytes(context);
	if (wanted > 0)
		cause_number(draft, "window the path needs", NUMBER_BYTES, wanted);
	cause_number(draft, "stops at the edge", NUMBER_COUNT, (double)d->edge_stops);
	const ConnectionFacts *f = context->facts;
	cause_evidence(context, draft, f->tcp.dir[SIDE_CLIENT].syn_frame, f->tcp.syn_ns, "SYN");
	cause_evidence(
		context, draft, f->tcp.dir[SIDE_SERVER].syn_frame, f->tcp.syn_ack_ns, "SYN-ACK");
	cause_evidence_bucket(
		context, draft, BUCKET_RECEIVE_WINDOW, "stopped at the end of the window");
	return true;
}

void window_advice(const CauseContext *context, FindingDraft *draft, Side receiver, double wanted)
{
	HostKind kind = host_kind(context, receiver);
	const char *need = wanted > 0 ? cause_printf(context, "at least %s",
						cause_bytes(context, WANTED_FACTOR * wanted))
				      : "at least twice rate times round trip";
	const SessionStats *session = context->session;
	bool is_smb = session && session->protocol && strncmp(session->protocol, "smb", 3) == 0;
	if (host_is_samba(context, receiver))
		cause_advice(draft,
			"Samba: remove SO_RCVBUF and SO_SNDBUF from 'socket options' in smb.conf "
			"(keep TCP_NODELAY) and reload; a fixed buffer switches off the system's "
			"own growing buffers.");
	else if (is_smb && kind != HOST_WINDOWS)
		cause_advice(draft, "smbclient and programs on libsmbclient: remove SO_RCVBUF from "
				    "'socket options' in smb.conf of the client.");
	if (kind != HOST_WINDOWS)
		cause_advice(draft,
			cause_printf(context,
				"Linux: look for SO_RCVBUF in the program's settings, and check "
				"'sysctl net.ipv4.tcp_rmem net.ipv4.tcp_moderate_rcvbuf': the "
				"third "
				"value of tcp_rmem should be %s.",
				need));
	if (kind != HOST_UNIX)
		cause_advice(draft,
			"Windows: 'netsh int tcp show global' should say 'normal' for the receive "
			"window auto-tuning level; 'netsh int tcp set global "
			"autotuninglevel=normal' sets it. Look for a fixed buffer in the program, "
			"too.");
	cause_advice(draft, "NAS, printer or other device: look for a socket buffer or TCP window "
			    "setting, or newer firmware.");
}

const char *window_rules_out(const CauseContext *context)
{
	const Account *a = &context->unit->account;
	if (!context->sender || !context->sender->has_edge || cause_is_half_seen(context))
		return NULL;
	int64_t closed = a->bucket_ns[BUCKET_RECEIVE_WINDOW] + a->bucket_ns[BUCKET_ZERO_WINDOW] +
			 a->bucket_ns[BUCKET_SLOW_READER];
	if (closed > context->wall_ns / 10)
		return NULL;
	return cause_printf(context, "receive window open %s of the time",
		cause_percent(context, 1 - cause_share(context, closed)));
}
