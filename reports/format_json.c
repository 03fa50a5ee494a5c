/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole result as one JSON document, docs/report.schema.json. It is written element by element,
 * one a line, so that a capture of many transfers needs the memory of one and a difference between
 * two reports is a difference of lines.
 */
#include "reports/json_parts.h"

/** JsonOut: where the document goes, and whether its first member was written. */
typedef struct JsonOut {
	FILE *out;
	const ReportOptions *options;
	bool failed;
} JsonOut;

static void write_value(JsonOut *j, json_t *value)
{
	if (!value || json_dumpf(value, j->out, JSON_PARTS_DUMP | JSON_ENCODE_ANY) != 0)
		j->failed = true;
	json_decref(value);
}

static void write_member(JsonOut *j, const char *key, json_t *value)
{
	fprintf(j->out, ",\n\"%s\": ", key);
	write_value(j, value);
}

static void array_begin(JsonOut *j, const char *key)
{
	fprintf(j->out, ",\n\"%s\": [", key);
}

static void array_add(JsonOut *j, size_t index, json_t *value)
{
	fputs(index ? ",\n" : "\n", j->out);
	write_value(j, value);
}

static void array_end(JsonOut *j)
{
	fputs("]", j->out);
}

static void write_transfers(
	JsonOut *j, const char *key, const Result *result, const ResultTransfer *list, size_t count)
{
	array_begin(j, key);
	for (size_t i = 0; i < count; i++)
		array_add(j, i, json_part_transfer(result, j->options, &list[i]));
	array_end(j);
}

static void write_traffic(JsonOut *j, const Result *result)
{
	array_begin(j, "connections");
	for (size_t i = 0; i < result->connection_count; i++)
		array_add(j, i, json_part_connection(j->options, &result->connections[i]));
	array_end(j);
	array_begin(j, "sessions");
	for (size_t i = 0; i < result->session_count; i++)
		array_add(j, i, json_part_session(&result->sessions[i]));
	array_end(j);
	write_transfers(j, "transfers", result, result->transfers, result->transfer_count);
	write_transfers(j, "jobs", result, result->jobs, result->job_count);
}

static void write_judgement(JsonOut *j, const Result *result)
{
	array_begin(j, "findings");
	for (size_t i = 0; i < result->finding_count; i++)
		array_add(j, i, json_part_finding(&result->findings[i]));
	array_end(j);
	array_begin(j, "host_pairs");
	for (size_t i = 0; i < result->host_pair_count; i++)
		array_add(j, i, json_part_host_pair(result, j->options, &result->host_pairs[i]));
	array_end(j);
	array_begin(j, "stalls");
	for (size_t i = 0; i < result->stall_count; i++)
		array_add(j, i, json_part_stall(&result->stalls[i]));
	array_end(j);
	array_begin(j, "limits_reached");
	for (size_t i = 0; i < result->limit_count; i++)
		array_add(j, i, json_part_limit(&result->limits[i]));
	array_end(j);
}

static bool json_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	JsonOut j = {.out = out, .options = options};

	fputs("{\"schema\": \"" JSON_PARTS_SCHEMA "\"", out);
	write_member(&j, "tool", json_part_tool(options));
	array_begin(&j, "inputs");
	for (size_t i = 0; i < result->input_count; i++)
		array_add(&j, i, json_part_input(&result->inputs[i]));
	array_end(&j);
	write_member(&j, "capture", json_part_capture(&result->capture));
	write_member(&j, "verdict", json_part_verdict(result));
	write_traffic(&j, result);
	write_judgement(&j, result);
	write_member(&j, "is_partial", json_boolean(result->is_partial));
	write_member(&j, "internal_errors", json_integer((json_int_t)result->internal_errors));
	fputs("\n}\n", out);
	/* a stream that failed keeps errno for the caller, who names the file */
	if (j.failed && !ferror(out)) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_FORMAT,
			"a part of the report cannot be written as JSON");
		return false;
	}
	return true;
}

const ReportFormat format_json = {
	.name = "json",
	.suffix = ".json",
	.summary = "the full result, for other programs (slowcopy-json(5))",
	.write = json_write,
};
