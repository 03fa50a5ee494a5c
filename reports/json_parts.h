/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a Result as JSON values, for the whole document and for the lines of `monitor`
 * alike. Keys, their order and their units are those of docs/report.schema.json. All functions
 * return a new reference (json_decref) and cannot fail.
 */
#ifndef SLOWCOPY_REPORTS_JSON_PARTS_H
#define SLOWCOPY_REPORTS_JSON_PARTS_H

#include <jansson.h>

#include "analyzer/result.h"
#include "reports/report.h"

#define JSON_PARTS_SCHEMA "slowcopy.report/1"

/* Flags for json_dump*: one line, keys in the order written, 10 digits of a fraction, so that 1.1
 * stays 1.1. */
#define JSON_PARTS_DUMP (JSON_REAL_PRECISION(10) | JSON_ENCODE_ANY)

/** json_part_text: @text cleaned; null for NULL. */
json_t *json_part_text(const char *text);

/** json_part_time: @ns since the epoch as ISO 8601 in UTC with nine digits, which ClickHouse and
 * Elasticsearch take. */
json_t *json_part_time(int64_t ns);

/** json_part_tool: name, version and the options that were not defaults. */
json_t *json_part_tool(const ReportOptions *options);

json_t *json_part_input(const ResultInput *input);
json_t *json_part_capture(const ResultCapture *capture);

/** json_part_assumption: what --assume said, null without it. */
json_t *json_part_assumption(const ResultAssumption *assumption);

/** json_part_verdict: the verdict; its finding by id. */
json_t *json_part_verdict(const Result *result);
json_t *json_part_connection(const ReportOptions *options, const ResultConnection *connection);
json_t *json_part_session(const ResultSession *session);

/** json_part_transfer: a transfer or a job (which has "files" more). */
json_t *json_part_transfer(
	const Result *result, const ReportOptions *options, const ResultTransfer *transfer);
json_t *json_part_finding(const ResultFinding *finding);

/** json_part_sharing: transfers by id. */
json_t *json_part_sharing(
	const Result *result, const ReportOptions *options, const ResultSharing *sharing);

/** json_part_udp_flow: lost and late are null when nobody can tell. */
json_t *json_part_udp_flow(const ReportOptions *options, const ResultUdpFlow *flow);

/** json_part_host_pair: its worst finding by id. */
json_t *json_part_host_pair(
	const Result *result, const ReportOptions *options, const ResultHostPair *pair);
json_t *json_part_stall(const ResultStall *stall);
json_t *json_part_limit(const ResultLimit *limit);

#endif
