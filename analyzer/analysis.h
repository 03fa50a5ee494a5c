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
	uint64_t memory_bytes; /* for flows and units; default 1 GiB */
	double link_bps;       /* the user's word on the bottleneck in bit/s, 0 none */
	struct SmbKeyring
		*smb_keys; /* smb_decrypt.h: opens encrypted SMB3; NULL none; must outlive it */
	/** told of every pause of span_min_ns or more as it is committed, for tools that look at
	 * labels; may be NULL */
	void (*span)(void *user, const Span *span, int64_t start_ns, int64_t ns);
	void *span_user;
	int64_t span_min_ns;
} AnalysisOptions;

typedef struct Analysis Analysis;

/** analysis_new: ready for the first packet. Never NULL. */
Analysis *analysis_new(const AnalysisOptions *options);

/** analysis_feed: takes @count packets, at most READER_BATCH, in capture order. Their times are set
 * to those the analysis uses (clock.h). */
void analysis_feed(Analysis *analysis, Packet *batch, size_t count);

/**
 * analysis_finish: ends all connections and concludes. May be called once; also after a part of the
 * input (an interrupted run). @reader: for the facts of the inputs; may be NULL in tests.
 * Ownership: the caller frees with result_free().
 */
Result *analysis_finish(Analysis *analysis, const Reader *reader);

/** analysis_free: NULL is allowed. */
void analysis_free(Analysis *analysis);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Analysis, analysis_free)

#endif
