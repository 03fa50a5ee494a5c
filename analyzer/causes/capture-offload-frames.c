/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames larger than the network carries. Told by the capture's grade.
 */
#include "analyzer/causes/cause.h"

const Cause cause_capture_offload_frames = {
	.id = "capture-offload-frames",
	.title = "The capturing host's card cuts or joins frames",
	.explanation = "Hosts hand large pieces to their network card, which cuts them into "
		       "packets (TSO), and cards join packets before the host sees them (GRO, "
		       "LRO). A capture on a host shows the large pieces. They are neither "
		       "jumbo frames nor a fault; only numbers of packets are not the "
		       "network's.",
	.source = "Linux networking documentation, segmentation offloads",
	.precedence = 105,
	.conclude = NULL,
	.guide =
		{
			.rule = "Segments are larger than the size that the receiver announced. "
				"Grade B, never a finding. What was sent again is counted by "
				"bytes, "
				"and trains of such frames are not used for the speed of the path.",
			.needs = "The announced segment size, or frames above 9000 bytes.",
			.traps = {"Jumbo frames keep within the announced size."},
			.confidence = "Not a finding.",
			.advice = {{"Linux", "For another capture only: 'ethtool -K eth0 tso off "
					     "gso off gro off "
					     "lro off'."},
				{"Windows", "For another capture only: 'Disable-NetAdapterLso', "
					    "'Disable-NetAdapterRsc'."}},
			.next_test = "Capture at a mirror port or on the other host.",
		},
};
