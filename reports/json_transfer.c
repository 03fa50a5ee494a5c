/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfers, jobs and what was assumed, as JSON: see json_parts.h.
 */
#include "reports/json_parts.h"

#include <string.h>

#include "dissectors/message.h"
#include "reports/json_values.h"
#include "reports/wording.h"

/** budget_json: the buckets that hold time; their ns sum to the transfer's duration. */
static json_t *budget_json(const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < BUCKET_COUNT; i++) {
		const ResultBucket *bucket = &t->budget[i];
		json_t *entry, *by_class;

		if (bucket->ns == 0)
			continue;
		entry = json_object();
		by_class = json_object();
		for (int c = 0; c < OP_CLASS_COUNT; c++) {
			int64_t ns = result_class_ns(t, bucket->bucket, (OpClass)c);

			if (ns != 0)
				value_put(by_class, op_class_id((OpClass)c), value_ns(ns));
		}
		value_put(entry, "bucket", json_string(bucket_id(bucket->bucket)));
		value_put(entry, "ns", json_integer(bucket->ns));
		value_put(entry, "by_class", by_class);
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *slices_json(const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->slice_count; i++) {
		json_t *entry = json_object();

		value_put(entry, "start_ns", value_ns(t->slices[i].start_ns));
		value_put(entry, "start_bytes", value_count(t->slices[i].start_bytes));
		value_put(entry, "duration_ns", value_ns(t->slices[i].duration_ns));
		/* nothing moved is known, too */
		value_put(entry, "bytes_per_s",
			t->slices[i].bytes_per_s > 0 ? value_rate(t->slices[i].bytes_per_s)
						     : json_integer(0));
		value_put(entry, "dominant_bucket", json_string(bucket_id(t->slices[i].dominant)));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *transfer_findings_json(const Result *result, const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->finding_count; i++)
		json_array_append_new(ret, value_finding(result, t->findings[i]));
	return ret;
}

static json_t *ftp_json(const ResultTransfer *t)
{
	json_t *ret;

	if (!t->is_ftp_file)
		return json_null();
	ret = json_object();
	value_put(ret, "prepare_to_connect_ns", value_ns(t->ftp.prepare_to_connect_ns));
	value_put(ret, "connect_ns", value_ns(t->ftp.connect_ns));
	value_put(ret, "command_to_reply_ns", value_ns(t->ftp.command_to_reply_ns));
	value_put(ret, "reply_to_first_byte_ns", value_ns(t->ftp.reply_to_first_byte_ns));
	value_put(ret, "last_byte_to_done_ns", value_ns(t->ftp.last_byte_to_done_ns));
	return ret;
}

static json_t *fixes_json(const Result *result, const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->fix_count; i++) {
		const ResultFix *fix = &t->fixes[i];
		const ResultFinding *finding = &result->findings[fix->finding];
		json_t *entry = json_object();

		value_put(entry, "finding", value_finding(result, fix->finding));
		value_put(entry, "cause", json_part_text(finding->cause));
		value_put(entry, "saved_ns", value_ns_range(fix->saved_ns));
		value_put(entry, "duration_ns", value_ns_range(fix->duration_ns));
		value_put(entry, "bytes_per_s", value_rate_range(fix->bytes_per_s));
		json_array_append_new(ret, entry);
	}
	return ret;
}

/** assumed_json: a value the user named, as an integer; null for the others. */
static json_t *assumed_json(double value)
{
	return value > 0 ? json_integer((json_int_t)(value + 0.5)) : json_null();
}

json_t *json_part_assumption(const ResultAssumption *assumption)
{
	json_t *ret;

	if (!assumption->is_given)
		return json_null();
	ret = json_object();
	value_put(ret, "rtt_ns", assumed_json(assumption->rtt_ns));
	value_put(ret, "rate_bytes_per_s", assumed_json(assumption->bytes_per_s));
	value_put(ret, "window_bytes", assumed_json(assumption->window_bytes));
	value_put(ret, "request_bytes", assumed_json(assumption->request_bytes));
	value_put(ret, "depth", assumed_json(assumption->depth));
	return ret;
}

static json_t *outlook_json(const ResultOutlook *outlook)
{
	json_t *ret;

	if (!outlook)
		return json_null();
	ret = json_object();
	value_put(ret, "duration_ns", value_ns_range(outlook->duration_ns));
	value_put(ret, "bytes_per_s", value_rate_range(outlook->bytes_per_s));
	value_put(ret, "limit", json_string(bucket_id(outlook->limit)));
	value_put(ret, "formula", json_part_text(outlook->formula));
	value_put(ret, "uses_requests", json_boolean(outlook->uses_requests));
	return ret;
}

json_t *json_part_transfer(
	const Result *result, const ReportOptions *options, const ResultTransfer *t)
{
	json_t *ret = json_object(), *request_bytes = json_object(), *in_flight = json_object();
	double seconds = (double)t->duration_ns / 1e9;

	value_put(request_bytes, "median", value_known(t->request_bytes_median));
	value_put(request_bytes, "max", value_known(t->request_bytes_max));
	value_put(in_flight, "mean", value_real(t->requests_in_flight_mean, 100));
	value_put(in_flight, "max", json_integer(t->requests_in_flight_max));
	value_put(ret, "id", json_part_text(t->id));
	value_put(ret, "streams", value_streams(t->streams, t->stream_count));
	value_put(ret, "input", json_integer(t->input));
	value_put(ret, "client", json_part_text(wording_endpoint(options, &t->client).text));
	value_put(ret, "server", json_part_text(wording_endpoint(options, &t->server).text));
	value_put(ret, "protocol", json_part_text(t->protocol));
	value_put(ret, "direction", json_string(t->is_write ? "write" : "read"));
	value_put(ret, "file", json_part_text(t->file));
	value_put(ret, "share", json_part_text(t->share));
	if (t->is_job)
		value_put(ret, "files", value_count(t->files));
	value_put(ret, "bytes", value_count(t->bytes));
	value_put(ret, "start_ns", value_ns(t->start_ns));
	value_put(ret, "duration_ns", value_ns(t->duration_ns));
	value_put(ret, "bytes_per_s",
		t->duration_ns > 0 ? value_rate((double)t->bytes / seconds) : json_null());
	value_put(ret, "requests", value_count(t->requests));
	value_put(ret, "request_bytes", request_bytes);
	value_put(ret, "requests_in_flight", in_flight);
	value_put(ret, "rtt_ns", value_ns(t->rtt_ns));
	value_put(ret, "capacity", value_capacity(t->capacity_bytes_per_s, t->capacity_proven));
	value_put(ret, "ftp_phases", ftp_json(t));
	value_put(ret, "budget", budget_json(t));
	value_put(ret, "slices", slices_json(t));
	value_put(ret, "findings", transfer_findings_json(result, t));
	value_put(ret, "fixes", fixes_json(result, t));
	value_put(ret, "outlook", outlook_json(t->outlook));
	return ret;
}
