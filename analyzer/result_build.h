/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the sealed Result of what an analysis has collected.
 */
#ifndef SLOWCOPY_ANALYZER_RESULT_BUILD_H
#define SLOWCOPY_ANALYZER_RESULT_BUILD_H

#include "analyzer/blindness.h"
#include "analyzer/capture/reader.h"
#include "analyzer/collection.h"
#include "analyzer/flow/fragments.h"
#include "analyzer/flow/udp_flows.h"
#include "analyzer/result.h"

/** CaptureTotals: counters over all packets. */
typedef struct CaptureTotals {
	int64_t first_ns, last_ns;
	uint64_t packets, bytes, captured_bytes, cut_packets;
	uint64_t last_frame;
	uint16_t last_input;
	bool out_of_order;   /* packets stand in a file in another order than they were sent */
	uint64_t steps_back; /* times that lie before their predecessor's */
	int64_t largest_step_back_ns;
	uint64_t ignored[PACKET_KIND_COUNT];
	uint64_t flows_evicted;
	uint64_t told_early; /* live: see Rolling */
	TrackerCounts tracker;
	FragmentsStats fragments;
	const UdpFlows *udp_flows; /* the analysis' own; NULL none */
	PauseFrames pauses;
	const Blindness *blindness; /* live: packets that were not seen; NULL none */
	bool expire; /* put silent connections to rest (live), or keep them as Wireshark does */
	int64_t idle_ns;
} CaptureTotals;

/** result_build: takes the collection's arena; @reader may be NULL. The caller frees with
 * result_free(). */
Result *result_build(Collection *collection, const CaptureTotals *totals, const Reader *reader);

#endif
