/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One side of a comparison: what of a result is compared, whether it comes from a capture or from a
 * saved JSON report. Text is as its source had it and still to be made safe for its target. Unknown
 * numbers are 0, unknown times and durations INT64_MIN.
 */
#ifndef SLOWCOPY_ANALYZER_COMPARAND_H
#define SLOWCOPY_ANALYZER_COMPARAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/result.h"

/* The last is for buckets of a newer report that this program does not know. */
#define COMPARAND_BUCKETS (BUCKET_COUNT + 1)
#define COMPARAND_BUCKET_UNKNOWN BUCKET_COUNT

typedef enum ComparandError { COMPARAND_ERROR_READ, COMPARAND_ERROR_FORMAT } ComparandError;

#define COMPARAND_ERROR (comparand_error_quark())
GQuark comparand_error_quark(void);

typedef struct ComparandFinding {
	const char *cause, *title;
	Severity severity;
	Confidence confidence;
	int64_t lost_ns;
	NsRange saved_ns;                /* high INT64_MIN unknown */
	RateRange predicted_bytes_per_s; /* 0,0 unknown */
} ComparandFinding;

/** ComparandTransfer: a transfer or a job; durations add up as they do in a result. */
typedef struct ComparandTransfer {
	const char *id;
	bool is_job, is_write;
	const char *protocol, *dialect; /* dialect NULL when unknown or none */
	const char *file, *share;       /* NULL unknown */
	const char *client, *server;    /* with their ports, "10.0.0.2:40122" */
	uint64_t files, bytes;
	int64_t duration_ns, rtt_ns;
	uint64_t requests, request_bytes;
	double requests_in_flight, capacity_bytes_per_s;
	bool has_session, is_signed, is_encrypted, is_compressed, multi_credit;
	const char *transport;                   /* NULL unknown */
	uint64_t retransmitted_packets, packets; /* of its connections, data direction */
	uint64_t window_bytes;                   /* largest that the receiver offered */
	int64_t bucket_ns[COMPARAND_BUCKETS];
	const uint32_t *findings; /* indices, by rank */
	size_t finding_count;
} ComparandTransfer;

typedef struct Comparand {
	const char *path; /* as the user named it */
	char grade;       /* 'A' to 'D', 0 unknown */
	bool is_partial;
	bool is_redacted;             /* a saved report that has pseudonyms already */
	int32_t main;                 /* transfer its verdict speaks of, -1 none */
	ComparandTransfer *transfers; /* files first, then jobs */
	size_t transfer_count;
	ComparandFinding *findings;
	size_t finding_count;
	void *arena;
} Comparand;

/** comparand_from_result: what of @result is compared. @path: what to call it. Ownership:
 * comparand_free(); @result may be freed before. */
Comparand *comparand_from_result(const Result *result, const char *path);

/**
 * comparand_from_json: reads a document that `--json` or `-o` wrote (slowcopy.report/1). NULL with
 * @error when it cannot be read (COMPARAND_ERROR_READ) or is no such report
 * (COMPARAND_ERROR_FORMAT).
 */
Comparand *comparand_from_json(const char *path, GError **error);

/** comparand_parse_json: the same from @len bytes at @text. */
Comparand *comparand_parse_json(const char *text, size_t len, const char *path, GError **error);

/** comparand_looks_like_json: whether the file at @path begins as a JSON object does. */
bool comparand_looks_like_json(const char *path);

void comparand_free(Comparand *comparand);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Comparand, comparand_free)

#endif
