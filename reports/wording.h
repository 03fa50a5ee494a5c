/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Phrases that text, Markdown and HTML share, so that all reports say the same. Everything returned
 * is plain clean text, still to be escaped for its target; the caller frees it.
 */
#ifndef SLOWCOPY_REPORTS_WORDING_H
#define SLOWCOPY_REPORTS_WORDING_H

#include "analyzer/result.h"
#include "reports/report.h"
#include "reports/units.h"

/** wording_confidence: "high", "medium", "low"; static. */
const char *wording_confidence(Confidence confidence);

/** wording_severity: "info", "minor", "major", "critical"; static. */
const char *wording_severity(Severity severity);

/** wording_protocol: "SMB 3.1.1", "SMB1", "FTP", "TCP". */
char *wording_protocol(const Result *result, const ResultTransfer *transfer);

/** wording_host: the text of an address, or the name that stands for it in a redacted report. */
const char *wording_host(const ReportOptions *options, const uint8_t address[16], UnitText *room);

/** wording_endpoint: the same with its port: "10.0.0.2:445", "[2001:db8::1]:445", "server-1:445".
 */
UnitText wording_endpoint(const ReportOptions *options, const ResultEndpoint *endpoint);

/** wording_stream: Wireshark's number of a connection, "nbf" for one that is not TCP. */
UnitText wording_stream(uint32_t stream);

/** wording_session: the same of a session; what carried it when it had no connection. */
UnitText wording_session(const ResultSession *session);

/** wording_files: "20 files", "1 file", or what to call files whose names the capture lacks. */
char *wording_files(const ResultTransfer *transfer);

/** wording_is_fileless: a job that looked around and moved no file. */
bool wording_is_fileless(const ResultTransfer *transfer);

/** wording_subject: "Copy of backup.iso from 10.0.0.9 to 10.0.0.2 (SMB 3.1.1 read, 530 MB)". */
char *wording_subject(
	const Result *result, const ReportOptions *options, const ResultTransfer *transfer);

/** wording_verdict: the verdict as one or two sentences, its copy and whom it blames first. */
char *wording_verdict(const Result *result, const ReportOptions *options);

/** wording_is_healthy: whether the verdict says that nothing is wrong, which is more than that no
 * cause was found. */
bool wording_is_healthy(const Result *result);

/** wording_rates: "measured 8.7 MB/s = 70 Mbit/s; ceiling …; the path carries …", NULL when nothing
 * was measured. */
char *wording_rates(const Result *result);

/** wording_bucket: "round trip (read)" when one class of work holds most of it. */
char *wording_bucket(const ResultTransfer *transfer, const ResultBucket *bucket);

/** wording_ruled_out: "loss 0.00 %; receive window …": the first @count reasons at most; NULL when
 * there is none. */
char *wording_ruled_out(const Result *result, size_t count);

/** wording_fix: "eight blocks in flight -> about 70 MB/s (saves 53 s of 61 s)", NULL without fix.
 */
char *wording_fix(const Result *result, const ResultFinding *finding);

/** wording_is_fix: whether @finding belongs to what would help the verdict's copy: it has a fix,
 * and a copy with which nothing is wrong is spared advice on facts. */
bool wording_is_fix(const Result *result, const ResultFinding *finding);

/** wording_possible: a cause of the verdict's copy that is no more than possible, with the test
 * that settles it: the @index-th; NULL when there are no more. */
char *wording_possible(const Result *result, size_t index);

/** wording_way: what one way between two hosts shows, by the fastest of its transfers: "read 8.7
 * MB/s, written 4.1 MB/s". */
char *wording_way(const ResultHostWay *way);

/** wording_lost: "12 of 8,645 (0.14 %)", "unknown". */
char *wording_lost(const ResultUdpFlow *flow);

/** wording_seen: what a capture without a file transfer holds instead. */
char *wording_seen(const Result *result);

/** wording_capture: "61 s, 0.55 M packets, capture grade B". */
char *wording_capture(const Result *result);

/** wording_warnings: sentences a reader must see before he trusts the rest: damage, limits, our own
 * errors, caveats. Array of strings, free with g_ptr_array_unref. */
GPtrArray *wording_warnings(const Result *result);

/** wording_inputs: the inputs as shell words. */
char *wording_inputs(const Result *result);

/** wording_budget_order: indices of the transfer's buckets that hold time, most first.
 * @ret: room for BUCKET_COUNT. Returns how many. */
size_t wording_budget_order(const ResultTransfer *transfer, size_t ret[BUCKET_COUNT]);

/** wording_fixes_in_order: "F1, then F2: 3.1 s → 1.1-1.3 s → 0.7-0.9 s", how long @transfer takes
 * after each fix; NULL with fewer than two. */
char *wording_fixes_in_order(const Result *result, const ResultTransfer *transfer);

/** wording_assumption: "round trip 50 ms, window 1 MiB", NULL when nothing was assumed. */
char *wording_assumption(const Result *result);

/** wording_outlook: "4.9 to 5.6 s instead of 2.1 s (0.8 to 0.9 MB/s), limited by the receive
 * window: 64 KiB / 50 ms = 1.3 MB/s" of @transfer, or why nothing can be said. */
char *wording_outlook(const ResultTransfer *transfer);

/** wording_fixes_together: "all of these: 0.7-0.9 s instead of 3.1 s"; NULL with fewer than two. */
char *wording_fixes_together(const ResultTransfer *transfer);

#endif
