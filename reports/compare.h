/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of a Comparison: text for a person, Markdown for an issue tracker, JSON
 * (docs/compare.schema.json).
 */
#ifndef SLOWCOPY_REPORTS_COMPARE_H
#define SLOWCOPY_REPORTS_COMPARE_H

#include <glib.h>

#include "analyzer/comparison.h"
#include "reports/report.h"
#include "reports/units.h"

typedef enum CompareFormat { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_JSON } CompareFormat;

/**
 * compare_write: writes the report to standard output; a closed pipe is no error. With
 * options->redact the names in @comparison's sides become pseudonyms first (they stay so), and the
 * report is searched for every original before it is let out.
 */
bool compare_write(
	Comparison *comparison, CompareFormat format, const ReportOptions *options, GError **error);

/** compare_render: the report as text, names as they are. The caller frees it. */
char *compare_render(
	const Comparison *comparison, CompareFormat format, const ReportOptions *options);

/* ---- what the formats share; all text is plain and still to be escaped, the caller frees it */

/** compare_subject: "big.bin (SMB 3.1.1 read, 4.2 MB)". */
char *compare_subject(const ComparandTransfer *transfer);

/** compare_sentence: what changed and why, in one or two sentences. */
char *compare_sentence(const Comparison *comparison);

/** compare_notes: what weakens the comparison; array of strings, free with g_ptr_array_unref. */
GPtrArray *compare_notes(const Comparison *comparison);

/** compare_prediction: "smb-serial-requests: 8.4 to 10 MB/s without it, measured 9 MB/s: as
 * predicted". */
char *compare_prediction(const ComparisonPrediction *prediction);

/** compare_fact: "requests in flight: 1 → 7.8". */
char *compare_fact(const ComparisonFact *fact);

/** compare_bucket_title, compare_bucket_id: also of the bucket this program does not know; static.
 */
const char *compare_bucket_title(size_t bucket);
const char *compare_bucket_id(size_t bucket);

/** compare_bucket_order: buckets that hold time on either side, by how much they differ.
 * @ret: room for COMPARAND_BUCKETS. Returns how many. */
size_t compare_bucket_order(
	const ComparandTransfer *a, const ComparandTransfer *b, size_t ret[COMPARAND_BUCKETS]);

/** compare_delta: "+1.2 s", "-340 ms". */
UnitText compare_delta(int64_t ns);

/** compare_rate: bytes per second of a transfer, 0 unknown. */
double compare_rate(const ComparandTransfer *transfer);

/** compare_text, compare_markdown, compare_json: append the report. */
void compare_text(const Comparison *comparison, const ReportOptions *options, GString *out);
void compare_markdown(const Comparison *comparison, const ReportOptions *options, GString *out);
void compare_json(const Comparison *comparison, const ReportOptions *options, GString *out);

#endif
