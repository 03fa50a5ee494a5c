/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receiving program drains its socket slower than data could come; the window shrinks and
 * opens late, rarely down to zero. docs/causes.md, slow-reader.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/host.h"
#include "analyzer/causes/reader.h"

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	if (reader_kind(context) != READER_SLOW)
		return false;
	Side reader = reader_side(context);
	if (!reader_conclude(context, draft, reader))
		return false;
	const TcpDirection *sender = host_direction(context, host_other(reader));
	draft->sentence = cause_printf(context,
		"%s takes the data out of its receive buffer too slowly: %s it made room "
		"only long after the data had arrived, and %s waited %s of %s for that.",
		host_label_start(context, reader), cause_times(context, sender->late_releases),
		host_label(context, host_other(reader)),
		cause_time(context, (double)draft->lost_ns),
		cause_time(context, (double)context->wall_ns));
	draft->fix = reader == SIDE_CLIENT ? "a client that takes the data faster"
					   : "a server that takes the data faster";
	return true;
}

const Cause cause_slow_reader = {
	.id = "slow-reader",
	.title = "The receiving program was slow to take the data",
	.explanation =
		"Data waits in a buffer of the receiving host until the program there takes it. "
		"This program took it slower than the network could bring it, so the host had to "
		"slow the sender down by opening its receive window late. A slow disk, a busy "
		"processor or a virus scanner on the receiving host does this.",
	.source = "RFC 9293 3.8.6; RFC 1122 4.2.2.17",
	.precedence = 345,
	.conclude = conclude,
	.rules_out = NULL,
	.guide =
		{
			.rule = "The receiver made room later than its acknowledgements allow, {} "
				"times or more, and the window was hardly ever zero. 'Late' is "
				"measured against the data that had arrived: a prompt receiver "
				"makes room within the round trip.",
			.numbers = {GUIDE_COUNT(READER_MIN_LATE_RELEASES),
				GUIDE_SHARE(READER_SHRUNK_SHARE)},
			.needs =
				"The receiver's window updates, and both halves of the round trip.",
			.traps = {"A small constant window follows its acknowledgements at once: "
				  "receive-window-small.",
				"Windows below {} of their own maximum count for the reader, as "
				"only a slow reader shrinks a buffer."},
			.confidence =
				"High with twice the number of late openings; otherwise medium.",
			.advice = {{"Windows", "Look at the receiving host's disk queue (Resource "
					       "Monitor), "
					       "processor and virus scanner."},
				{"Linux", "'ss -tm' shows a full receive queue (Recv-Q); 'iostat "
					  "-x 1' the "
					  "disk."},
				{"Samba", "For writes look at the server's disks, for reads at the "
					  "client's "
					  "program."}},
			.next_test =
				"Copy the same file to a RAM disk (or /dev/null) on the receiving "
				"host.",
		},
};
