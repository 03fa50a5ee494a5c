/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A unit made by hand, to ask single causes about: time is put into buckets and requests into the
 * facts, the rest of the context follows from them.
 */
#ifndef SLOWCOPY_TESTS_CAUSE_CASE_H
#define SLOWCOPY_TESTS_CAUSE_CASE_H

#include "analyzer/causes/cause.h"

#define CASE_MS INT64_C(1000000)

/** CauseCase: one unit and what a cause may ask. Set up by cause_case_new(), then changed freely.
 */
typedef struct CauseCase {
	Unit unit;
	ConnectionFacts facts;
	SessionStats session;
	CauseContext context;
	FindingDraft draft;
	const Unit *units[4];
	const ConnectionFacts *connections[4];
} CauseCase;

/** cause_case_new: an SMB 3.1.1 read over a path of 10 ms and 100 Mbit/s, captured in the middle,
 * no time spent yet. Ends the program without memory. Ownership: cause_case_free(). */
CauseCase *cause_case_new(void);

/** cause_case_add: @ns of wall time in @bucket. */
void cause_case_add(CauseCase *c, Bucket bucket, int64_t ns);

/** cause_case_round_trip, cause_case_server: @ns of class @op_class. */
void cause_case_round_trip(CauseCase *c, OpClass op_class, int64_t ns);
void cause_case_server(CauseCase *c, OpClass op_class, int64_t ns);

/** cause_case_requests: @count data requests of @bytes each, @depth under way, each answered after
 * @service_ns at the server; and the link time of their bytes. */
void cause_case_requests(CauseCase *c, bool is_write, uint64_t count, uint64_t bytes,
	uint32_t depth, int64_t service_ns);

/** cause_case_operations: @count requests of @op_class, each answered after @service_ns. */
void cause_case_operations(CauseCase *c, OpClass op_class, uint64_t count, int64_t service_ns);

/** cause_case_conclude: asks @cause and checks what every draft owes: claims that add up and are
 * not more than was left, a saving within them, a sentence. Returns whether it concluded. */
bool cause_case_conclude(CauseCase *c, const char *cause);

/** cause_case_rules_out: the reason, or NULL. */
const char *cause_case_rules_out(CauseCase *c, const char *cause);

void cause_case_free(CauseCase *c);

#endif
