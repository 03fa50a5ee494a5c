/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receiving host's buffer was full: it told the sender to stop. docs/causes.md, zero-window.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/reader.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (reader_kind(context) != READER_STOPPED)
		return false;
	Side reader = reader_side(context);
	if (!reader_conclude(context, draft, reader))
		return false;
	const TcpDirection *receiver = host_direction(context, reader);
	cause_evidence(context, draft, receiver->first_zero_window_frame,
		receiver->first_zero_window_ns, "first zero window");
	const char *how = receiver->zero_windows > 0
				  ? cause_printf(context, "closed its receive window %s",
					    cause_times(context, receiver->zero_windows))
				  : "left no room for a packet in its receive window";
	draft->sentence = cause_printf(context,
		"%s %s because its program did not take the data fast enough; %s stood still for "
		"%s of %s.",
		host_label_start(context, reader), how, host_label(context, host_other(reader)),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = reader == SIDE_CLIENT ? "a client that takes the data faster"
					   : "a server that takes the data faster";
	return true;
}

static const char *rules_out(const CauseContext *context)
{
	const TcpDirection *r = context->receiver;
	if (!r || r->zero_windows > 0 || cause_is_half_seen(context))
		return NULL;
	return "zero windows: none";
}

const Cause cause_zero_window = {
	.id = "zero-window",
	.title = "The receiver told the sender to stop",
	.explanation =
		"Data waits in a buffer of the receiving host until the program there takes it. "
		"When that buffer is full the host announces a window of zero and the sender must "
		"stop until it opens again. The network is not the problem then: the receiving "
		"program, its disk or something it waits for is.",
	.source = "RFC 9293 3.8.6.1; RFC 1122 4.2.2.17",
	.precedence = 340,
	.conclude = conclude,
	.rules_out = rules_out,
	.guide =
		{
			.rule = "The receiver advertised a window of zero, or the sender probed a "
				"closed one, while data was waiting; time at closed windows is "
				"larger than time at windows that opened late.",
			.needs = "The receiver's window updates in the capture.",
			.traps = {"A zero window while the sender has nothing to send costs "
				  "nothing "
				  "and is not counted.",
				"Packets sent again into a closed window are part of it and no "
				"loss.",
				"Windows in SYN, FIN and RST packets mean nothing."},
			.confidence =
				"High with zero windows seen and a known round trip; otherwise "
				"medium.",
			.advice = {{"Windows",
					   "Resource Monitor shows the disk queue; 'Get-Counter "
					   "\"\\PhysicalDisk(*)\\Avg. Disk sec/Write\"'. A scanner "
					   "of the "
					   "target folder does the same."},
				{"Linux", "'iostat -x 1' shows the disk, 'ss -tm' a full receive "
					  "queue "
					  "(Recv-Q) of the program."},
				{"Samba", "For writes the server is the receiver: look at its "
					  "disks and vfs "
					  "modules."},
				{"NAS or appliance",
					"Look at its disk and processor load during the copy."}},
			.next_test =
				"Copy the same file to a RAM disk (or /dev/null) on the receiving "
				"host: if that is fast, its disk or scanner is the reason.",
		},
};
