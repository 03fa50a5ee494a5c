/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a unit's READs or WRITEs were made: size, number under way, what each waited for; and what
 * other sizes and depths would wait. A closed loop of d requests of s bytes moves at most
 * d * s / (RTT + service + s / C) bytes per second, never more than C (docs/architecture.md, "Life
 * of a finding").
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_REQUESTS_H
#define SLOWCOPY_ANALYZER_CAUSES_REQUESTS_H

#include "analyzer/causes/cause.h"

/* Fewer requests than this say nothing about a habit; with twenty the default of causes 3 is met
 * and confidence may be high. */
#define REQUESTS_MIN 8
#define REQUESTS_PLENTY 20
/* Share of requests that begin where the one before ended, for a copy. docs/causes.md,
 * smb-small-requests. */
#define REQUESTS_SEQUENTIAL_SHARE 0.8
/* Requests a copying program keeps under way: robocopy, Explorer, smbclient and cifs.ko have eight
 * or more. */
#define REQUESTS_USUAL_DEPTH 8
/* What SMB 2.1 and later move per request when they are let: Windows asks for 1 MiB, smbclient and
 * cifs.ko for 1 to 8 MiB. docs/causes.md, smb-small-requests. */
#define REQUESTS_USUAL_BYTES (1024.0 * 1024)

/** Requests: the data requests of a unit's main direction. */
typedef struct Requests {
	const DataFacts *data;
	OpClass op_class; /* OP_READ or OP_WRITE */
	bool is_write;
	uint64_t count;
	double size;        /* bytes of a typical request, > 0 */
	double depth_mean;  /* under way when one was sent, itself included */
	double depth_round; /* the same as a whole number, for arithmetic that people can follow */
	uint32_t depth_usual;  /* nine in ten were sent with at most so many under way */
	double sequential;     /* share, 0..1 */
	double service_ns;     /* the server's own time per request, median */
	double block_ns;       /* one request's bytes on the path, 0 unknown */
	double cycle_ns;       /* round trip, service and block together */
	double ceiling;        /* bytes per second of this loop, 0 unknown */
	double allowed;        /* largest request the session allows, 0 unknown */
	int64_t round_trip_ns; /* waited for, not yet claimed */
} Requests;

/** requests_measure: facts of @context's unit; false when it has too few data requests for any
 * statement (FTP, unknown protocols). */
bool requests_measure(const CauseContext *context, Requests *ret);

/** requests_wait_ns: time in which the path would stand empty if the same bytes were moved with
 * @depth requests of @size bytes under way; at least one round trip. */
double requests_wait_ns(
	const CauseContext *context, const Requests *requests, double size, double depth);

/** requests_full_depth: requests of this size that keep the path busy, at least
 * REQUESTS_USUAL_DEPTH. */
uint32_t requests_full_depth(const CauseContext *context, const Requests *requests);

/** requests_claim: claims at most @ns of the round trips of the data requests; and, when
 * @with_hidden, what answers that wait behind each other hide: the server's and the client's own
 * time per request, where it is too little to be a cause by itself. */
void requests_claim(const CauseContext *context, FindingDraft *draft, const Requests *requests,
	double ns, bool with_hidden);

/** requests_save: sets the saving of @draft if @depth requests of @size bytes were under way: the
 * high end is a path that never waits again, and a server and a client whose own time per request
 * passes beside that of others. */
void requests_save(const CauseContext *context, FindingDraft *draft, const Requests *requests,
	double size, double depth);

/** requests_describe: numbers, ceiling with its arithmetic, and evidence frames. */
void requests_describe(const CauseContext *context, FindingDraft *draft, const Requests *requests);

/** requests_confidence: by margin, vantage, and whether the arithmetic gives the measured rate. */
Confidence requests_confidence(
	const CauseContext *context, const FindingDraft *draft, const Requests *requests);

/** requests_evidence: frames of the first @pairs exchanges of @op_class and of the longest. */
void requests_evidence(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, uint32_t pairs);

#endif
