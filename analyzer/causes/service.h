/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server's own time per request: whether it is long enough to be a cause by itself, and what
 * the findings about a slow server have in common. docs/causes.md, server-slow-read to
 * server-slow-metadata.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_SERVICE_H
#define SLOWCOPY_ANALYZER_CAUSES_SERVICE_H

#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

/* A server that has the data in memory begins to answer within a millisecond: 1.7 ms for 8 MiB
 * measured, docs/causes.md, server-slow-read. What the bytes add is SLOW_SERVICE_NS_PER_BYTE. */
#define SERVICE_QUICK_DATA_NS (1 * MILLISECOND_NS)
/* An idle server opens, asks about or closes a file in 0.2 to 1 ms. Judgement. */
#define SERVICE_QUICK_METADATA_NS (2 * MILLISECOND_NS)
/* Half of the number of operations that causes 3 wants for a statement. */
#define SERVICE_FEW_ANSWERS 10

/** Service: what is known of the server's time for one class of requests. All 0 when there were
 * none. */
typedef struct Service {
	uint64_t count;
	double typical_ns; /* median of READs and WRITEs, mean of others */
	double p95_ns;     /* READs and WRITEs; of others the longest */
	double longest_ns;
	double best_ns; /* one in ten READs or WRITEs is as fast; 0 of others */
	double bytes;   /* asked per request; 0 of others */
	uint64_t slow;  /* took as long as a disk that moves its head */
	int64_t slow_ns;
} Service;

/** service_of: of @op_class in @context's unit. */
Service service_of(const CauseContext *context, OpClass op_class);

/** service_quick_ns: what a server that has everything in memory needs per request of @op_class. */
double service_quick_ns(OpClass op_class, const Service *service);

/** service_is_slow: some class of @mask was answered more slowly than a server that has the data in
 * memory does. */
bool service_is_slow(const CauseContext *context, unsigned mask);

/** service_words: "1.1 ms each, 95 % within 3 ms, the longest 80 ms". */
const char *service_words(const CauseContext *context, const Service *service);

/** service_numbers: the same as numbers of the finding. */
void service_numbers(FindingDraft *draft, const Service *service);

/** service_confidence: high where the server's loop is known well, docs/causes.md,
 * server-slow-read. @service: the class that costs most. */
Confidence service_confidence(
	const CauseContext *context, const FindingDraft *draft, const Service *service);

#endif
