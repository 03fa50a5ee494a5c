/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The façade: packets in, a Result out. Time is the capture's; nothing here looks at the clock.
 */
#ifndef SLOWCOPY_ANALYZER_ANALYSIS_H
#define SLOWCOPY_ANALYZER_ANALYSIS_H

#include <glib.h>

#include "analyzer/capture/reader.h"
#include "analyzer/result.h"
#include "analyzer/transfer/timeline.h"

/** AnalysisOptions: zeroed gives the defaults. */
typedef struct AnalysisOptions {
	uint64_t memory_bytes;       /* for flows and units; default 1 GiB */
	ResultAssumption assumption; /* answered for each transfer */
	double link_bps;             /* the user's word on the bottleneck in bit/s, 0 none */
	struct SmbKeyring
		*smb_keys; /* smb_decrypt.h: opens encrypted SMB3; NULL none; must outlive it */
	/** told of every pause of span_min_ns or more as it is committed, for tools that look at
	 * labels; may be NULL */
	void (*span)(void *user, const Span *span, int64_t start_ns, int64_t ns);
	void *span_user;
	int64_t span_min_ns;
	bool is_live; /* results are taken by analysis_take; silent connections are put to rest */
	bool is_unpredicted; /* every packet goes the long way (steady.h): tests compare both */
	int64_t settle_ns;   /* live: a finished transfer is told of so much later; default 4 s */
} AnalysisOptions;

/** AnalysisCounts: of all packets so far. */
typedef struct AnalysisCounts {
	uint64_t packets, bytes;
	uint64_t connections; /* known at the moment */
	uint64_t transfers, jobs, findings;
	int64_t first_ns, last_ns; /* capture time */
} AnalysisCounts;

/** OpenTransfer: one that goes on, as far as it is known. */
typedef struct OpenTransfer {
	uint64_t serial; /* the same from call to call */
	ResultEndpoint client, server;
	const char *protocol;     /* static */
	const char *file, *share; /* NULL unknown; live until the next packet */
	bool is_write;
	uint64_t bytes;
	int64_t start_ns,
		last_ns; /* since the epoch; last_ns: the latest packet of its connection */
	int64_t bucket_ns[BUCKET_COUNT]; /* so far; the latest moments may lack their label yet */
} OpenTransfer;

typedef struct Analysis Analysis;

/** analysis_new: ready for the first packet. Never NULL. */
Analysis *analysis_new(const AnalysisOptions *options);

/** analysis_feed: takes @count packets, at most READER_BATCH, in capture order. Their times are set
 * to those the analysis uses (clock.h). */
void analysis_feed(Analysis *analysis, Packet *batch, size_t count);

/** analysis_tick: no packet came; it is @now_ns (since the epoch). For live analyses. */
void analysis_tick(Analysis *analysis, int64_t now_ns);

/** analysis_blind: live: between @from_ns and @to_ns (capture time) @dropped packets were lost
 * before they could be fed, and @received were not: conclusions about that time are less certain.
 */
void analysis_blind(
	Analysis *analysis, int64_t from_ns, int64_t to_ns, uint64_t dropped, uint64_t received);

/**
 * analysis_take: live: what has finished since the last call and is settled, stalls, and limits so
 * far; NULL when nothing has. Its limits count from the beginning. @takes_all: does not wait.
 * Ownership: the caller frees with result_free().
 */
Result *analysis_take(Analysis *analysis, const Reader *reader, bool takes_all);

/** analysis_wants_take: live: so many have finished that analysis_take should not wait. */
bool analysis_wants_take(const Analysis *analysis);

/** analysis_open_transfers: at most @max transfers under way, of the connections that moved last.
 * Returns how many were written. */
size_t analysis_open_transfers(const Analysis *analysis, OpenTransfer *ret, size_t max);

AnalysisCounts analysis_counts(const Analysis *analysis);

/** analysis_wind_down: live, before analysis_finish: ends connections until so many transfers have
 * ended that they must be taken (analysis_take). False when all have ended. */
bool analysis_wind_down(Analysis *analysis);

/**
 * analysis_finish: ends all connections and concludes. May be called once; also after a part of the
 * input (an interrupted run). Live: the last instalment, or NULL. @reader: for the facts of the
 * inputs; may be NULL in tests. Ownership: the caller frees with result_free().
 */
Result *analysis_finish(Analysis *analysis, const Reader *reader);

/** analysis_free: NULL is allowed. */
void analysis_free(Analysis *analysis);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Analysis, analysis_free)

#endif
