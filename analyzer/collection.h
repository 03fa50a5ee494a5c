/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an analysis keeps of things that have ended: connections, sessions, units, stalls. Bounded;
 * what does not fit is counted.
 */
#ifndef SLOWCOPY_ANALYZER_COLLECTION_H
#define SLOWCOPY_ANALYZER_COLLECTION_H

#include <glib.h>

#include "analyzer/base/arena.h"
#include "analyzer/base/topk.h"
#include "analyzer/result.h"
#include "analyzer/session/datagrams.h"
#include "analyzer/transfer/tracker.h"

/* Stalls listed at most: a person reads the longest. */
#define COLLECTION_STALLS 64
/* Connections kept in full; more are counted. */
#define COLLECTION_MAX_CONNECTIONS 200000
/* Finished units kept; the report names the worst. */
#define COLLECTION_MAX_UNITS 50000

/* Paths kept of all sessions together; beyond that a few of each. */
#define COLLECTION_MAX_PATHS 4096

typedef struct Collection {
	Arena *arena;        /* becomes the Result's */
	GArray *connections; /* ResultConnection */
	GArray *sessions;    /* ResultSession */
	GPtrArray *facts;    /* ConnectionFacts that units refer to */
	GPtrArray *units;    /* Unit, owned */
	TopK stalls;
	TopKItem stall_items[COLLECTION_STALLS];
	uint64_t paths; /* kept so far */
	uint64_t connections_dropped, units_dropped;
	uint64_t packets_dropped; /* of connections not kept */
	ResultAssumption assumption;
	bool is_live; /* results are taken in instalments: rolling.h */
	uint32_t max_units;
	/* of an instalment: units told of before that causes may compare with, and how many of each
	 * kind have been numbered */
	Unit *const *history;
	uint32_t history_count;
	uint32_t first_transfer, first_job, first_finding;
} Collection;

void collection_init(Collection *collection);

/** collection_connection: takes over @facts. */
void collection_connection(Collection *collection, ConnectionFacts *facts);

/** collection_keep: lists the connection of @facts, and its session; a session that says nothing is
 * taken from @facts. Its session is the last of the list then. */
void collection_keep(Collection *collection, ConnectionFacts *facts);

/** collection_datagrams: lists what @input carried of SMB outside of connections; NULL is allowed.
 */
void collection_datagrams(Collection *collection, uint16_t input, Datagrams *datagrams);

/** collection_unit_free: frees @unit and lets go of its facts; for GDestroyNotify. */
void collection_unit_free(gpointer unit);

/** collection_unit: takes over @unit. */
void collection_unit(Collection *collection, Unit *unit);

/** collection_stall: nothing moved from @start_ns for @ns. */
void collection_stall(Collection *collection, const ResultStall *stall);

/** collection_clear: frees all but the arena. */
void collection_clear(Collection *collection);

#endif
