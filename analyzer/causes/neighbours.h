/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Other connections in the capture that ran at the same time as a transfer and share one of its
 * hosts: how much of the path they took. docs/causes.md, cross-traffic, ack-path-congested.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_NEIGHBOURS_H
#define SLOWCOPY_ANALYZER_CAUSES_NEIGHBOURS_H

#include "analyzer/causes/cause.h"

/** Neighbours: rates are wire bytes per second over the transfer's time. */
typedef struct Neighbours {
	double same_way; /* from the transfer's sender or to its receiver; its own siblings, other
			    file connections of the same two hosts, are left out */
	double against;  /* from its receiver or to its sender */
	uint32_t count;  /* that moved more than a twentieth of the transfer's rate */
	int64_t min_rtt_ns; /* smallest of the connections between the same two hosts, 0 none */
} Neighbours;

/** neighbours_fill_path: several transfers between the same hosts filled the path: each waits while
 * the others send. */
bool neighbours_fill_path(const CauseContext *context);

/** neighbours_find: looks at the connections of the context. */
void neighbours_find(const CauseContext *context, Neighbours *ret);

#endif
