/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receiver never offers more than a small, constant amount of buffer: the sender idles for most
 * of each round trip. docs/causes.md, receive-window-small.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/window.h"

/* Linux derives the shift from the buffer's limit: up to 2 stands for at most 256 KiB (measured,
 * docs/causes.md, receive-window-small); an automatic buffer announces 6 and more. */
#define PINNED_MAX_SHIFT 2
#define PINNED_MAX_BYTES (256 * 1024)

static bool is_pinned(const TcpDirection *receiver, double window)
{
	return receiver->window_scale >= 0 && receiver->window_scale <= PINNED_MAX_SHIFT &&
	       window <= PINNED_MAX_BYTES;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (window_kind(context) != WINDOW_SMALL)
		return false;
	Side side = window_side(context), receiver = host_other(side);
	const TcpDirection *d = host_direction(context, side);
	double window = window_at_stops(d);
	if (!window_conclude(context, draft, side, window))
		return false;
	const TcpDirection *advertiser = host_direction(context, receiver);
	const char *rtt = cause_time(context, (double)context->rtt_ns);
	draft->sentence = cause_printf(context,
		"%s offers no more than %s of receive window, so %s has to stop after that much "
		"and wait for the answer, once every %s round trip.",
		host_label_start(context, receiver), cause_bytes(context, window),
		host_label(context, side), rtt);
	double wanted = cause_bdp_bytes(context);
	draft->fix = wanted > window
			     ? cause_printf(context, "a receive window of %s or more on the %s",
				       cause_bytes(context, wanted),
				       receiver == SIDE_CLIENT ? "client" : "server")
			     : "a larger receive window";
	if (advertiser->window_scale >= 0)
		cause_number(draft, "window scale", NUMBER_COUNT, advertiser->window_scale);
	if (is_pinned(advertiser, window))
		cause_number_name(draft, "buffer", "fixed by the program (small window scale)");
	window_advice(context, draft, receiver, wanted);
	return true;
}

const Cause cause_receive_window_small = {
	.id = "receive-window-small",
	.title = "The receiver's window was too small",
	.explanation =
		"A receiver tells the sender how much it may send before it must wait for an "
		"acknowledgement: the receive window. When that is less than what fits on the way "
		"between the two hosts, the sender stands still for part of every round trip. The "
		"usual reason is a program or a setting that fixes the size of the socket buffer.",
	.source = "RFC 7323 1.1-2; RFC 9293 3.8.6; Samba smb.conf(5) \"socket options\"",
	.precedence = 365,
	.conclude = conclude,
	.rules_out = window_rules_out,
	.guide =
		{
			.rule = "The sender stopped at the right edge of the receive window {} "
				"times or more, the edge moved as soon as data was acknowledged, "
				"and the window at those stops was below {} of what the path holds "
				"(rate times round trip) and did not grow to {} times its start. "
				"Fixed buffer: a window scale of {} or less and at most {} of "
				"window. The printed ceiling is window / round trip; within {} of "
				"the measured rate it agrees.",
			.numbers = {GUIDE_COUNT(WINDOW_MIN_EDGE_STOPS),
				GUIDE_SHARE(WINDOW_SMALL_SHARE), GUIDE_COUNT(WINDOW_GROWTH_FACTOR),
				GUIDE_COUNT(PINNED_MAX_SHIFT), GUIDE_BYTES(PINNED_MAX_BYTES),
				GUIDE_SHARE(WINDOW_RATE_TOLERANCE)},
			.needs = "Both directions of the connection; the SYN of the receiver, or "
				 "the "
				 "scale is inferred from what was under way.",
			.traps = {"A full link: the time the bytes need on the link is set aside "
				  "first, so a window that is touched on a full path costs "
				  "nothing.",
				"A receiver that reads slowly shows a window that shrinks or opens "
				"late: slow-reader and zero-window.",
				"A plain 64 KiB ceiling because the option is missing is "
				"window-scale-off."},
			.confidence =
				"High when the handshake was seen and the measured rate is what "
				"window / round trip gives; otherwise medium.",
			.advice = {{"Samba", "Remove SO_RCVBUF and SO_SNDBUF from 'socket options' "
					     "in smb.conf; "
					     "fixed sizes switch the system's own growing buffers "
					     "off."},
				{"Linux", "Look for SO_RCVBUF in the program; 'sysctl "
					  "net.ipv4.tcp_rmem' "
					  "should allow twice what the path holds, and "
					  "tcp_moderate_rcvbuf "
					  "should be 1."},
				{"Windows",
					"'netsh int tcp show global' should say 'normal' for the "
					"auto-tuning level; look for a program that fixes its "
					"buffer."},
				{"NAS or appliance", "Look for a socket buffer or TCP window "
						     "setting, or newer firmware."},
				{"FTP server", "vsftpd, ProFTPD and Pure-FTPd have socket buffer "
					       "options: leave "
					       "them unset."}},
			.next_test =
				"Read the socket's buffer on the receiving host while it copies: "
				"'ss -tmi' (Linux) shows rb, the receive buffer; a value that "
				"never "
				"grows is the program's or the system's limit.",
		},
};
