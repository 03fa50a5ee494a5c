/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames were cut when they were recorded. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

const Cause cause_capture_snaplen = {
	.id = "capture-snaplen",
	.title = "The capture keeps only the beginning of frames",
	.explanation = "A capture may keep only the first bytes of each frame. Times and "
		       "lengths are still right, so windows, losses and waiting are judged as "
		       "usual. What lies behind the cut, such as file names or requests in the "
		       "middle of a frame, is missing.",
	.source = "pcap and pcapng record both lengths of a frame",
	.precedence = 101,
	.conclude = NULL,
	.guide =
		{
			.rule = "More than {} of the frames were cut. Below {} bytes a frame even "
				"TCP options are missing (grade C), below {} some requests (grade "
				"B); longer cuts cost no confidence. Told with the capture's "
				"grade, "
				"never as a finding.",
			.numbers = {GUIDE_SHARE(CAPTURE_CUT_SHARE),
				GUIDE_COUNT(CAPTURE_SNAPLEN_HEADERS),
				GUIDE_COUNT(CAPTURE_SNAPLEN_SMB)},
			.needs = "Both lengths of each frame.",
			.traps = {"Frames that are short by themselves are not cut."},
			.confidence = "Not a finding.",
			.advice = {{"Any",
				"'tcpdump -s 256' keeps what a verdict needs and no file contents; "
				"'-s 0' keeps all."}},
			.next_test = "Capture again with '-s 256' or more.",
		},
};
