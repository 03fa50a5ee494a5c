/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole result as one JSON document, docs/report.schema.json. It is written element by element,
 * one a line, so that a capture of many transfers needs the memory of one and a difference between
 * two reports is a difference of lines.
 */
#include "reports/json_parts.h"
#include "reports/wording.h"

#define LINE_SCHEMA "slowcopy.capture/1"

/** JsonOut: where the document goes, and what ends its lines: nothing when it is to be one. */
typedef struct JsonOut {
	FILE *out;
	const ReportOptions *options;
	const char *end;
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
	fprintf(j->out, ",%s\"%s\": ", j->end, key);
	write_value(j, value);
}

static void array_begin(JsonOut *j, const char *key)
{
	fprintf(j->out, ",%s\"%s\": [", j->end, key);
}

static void array_add(JsonOut *j, size_t index, json_t *value)
{
	fprintf(j->out, "%s%s", index ? "," : "", j->end);
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
	array_begin(j, "shared");
	for (size_t i = 0; i < result->sharing_count; i++)
		array_add(j, i, json_part_sharing(result, j->options, &result->sharings[i]));
	array_end(j);
	array_begin(j, "udp_flows");
	for (size_t i = 0; i < result->udp_flow_count; i++)
		array_add(j, i, json_part_udp_flow(j->options, &result->udp_flows[i]));
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

static void write_document(JsonOut *j, const Result *result)
{
	fputs("{\"schema\": \"" JSON_PARTS_SCHEMA "\"", j->out);
	write_member(j, "tool", json_part_tool(j->options));
	array_begin(j, "inputs");
	for (size_t i = 0; i < result->input_count; i++)
		array_add(j, i, json_part_input(&result->inputs[i]));
	array_end(j);
	write_member(j, "capture", json_part_capture(&result->capture));
	write_member(j, "verdict", json_part_verdict(result));
	write_member(j, "assumed", json_part_assumption(&result->assumption));
	write_traffic(j, result);
	write_judgement(j, result);
	write_member(j, "is_partial", json_boolean(result->is_partial));
	write_member(j, "internal_errors", json_integer((json_int_t)result->internal_errors));
	fprintf(j->out, "%s}", j->end);
}

static bool is_written(const JsonOut *j, GError **error)
{
	/* a stream that failed keeps errno for the caller, who names the file */
	if (j->failed && !ferror(j->out)) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_FORMAT,
			"a part of the report cannot be written as JSON");
		return false;
	}
	return true;
}

static bool json_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	JsonOut j = {.out = out, .options = options, .end = "\n"};
	write_document(&j, result);
	fputc('\n', out);
	return is_written(&j, error);
}

static json_t *integer(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* What tables want as columns. */
static void write_columns(JsonOut *j, const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	const ResultFinding *f = v->finding >= 0 ? &result->findings[v->finding] : NULL;
	const ResultTransfer *t = result_transfer(result, v->transfer);
	uint64_t bytes = 0;
	UnitText room;
	for (size_t i = 0; i < result->transfer_count; i++)
		bytes += result->transfers[i].bytes;
	write_member(
		j, "path", json_part_text(result->input_count > 0 ? result->inputs[0].path : NULL));
	write_member(j, "start", json_part_time(result->capture.first_packet_ns));
	write_member(j, "capture_ns", json_integer(result->capture.duration_ns));
	write_member(j, "packets", integer(result->capture.packets));
	const char grade[] = {result->capture.grade, '\0'};
	write_member(j, "grade", json_part_text(grade));
	write_member(j, "transfers", integer(result->transfer_count));
	write_member(j, "file_bytes", integer(bytes));
	write_member(j, "cause", json_part_text(v->cause));
	write_member(j, "blame", json_part_text(v->blame));
	write_member(j, "confidence", json_string(wording_confidence(v->confidence)));
	write_member(j, "severity", json_part_text(f ? wording_severity(f->severity) : NULL));
	write_member(j, "lost_ns", json_integer(f ? f->lost_ns : 0));
	write_member(j, "client_host",
		json_part_text(t ? wording_host(j->options, t->client.addr, &room) : NULL));
	write_member(j, "server_host",
		json_part_text(t ? wording_host(j->options, t->server.addr, &room) : NULL));
	write_member(j, "protocol", json_part_text(t ? t->protocol : NULL));
	write_member(j, "share", json_part_text(t ? t->share : NULL));
	write_member(j, "file", json_part_text(t ? t->file : NULL));
	write_member(j, "bytes", integer(t ? t->bytes : 0));
	write_member(j, "duration_ns", json_integer(t ? t->duration_ns : 0));
	write_member(j, "is_partial", json_boolean(result->is_partial));
}

static bool json_lines_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	JsonOut j = {.out = out, .options = options, .end = ""};
	fputs("{\"schema\": \"" LINE_SCHEMA "\"", out);
	write_columns(&j, result);
	fputs(",\"report\": ", out);
	write_document(&j, result);
	fputs("}\n", out);
	return is_written(&j, error);
}

const ReportFormat format_json_lines = {
	.name = "json-lines",
	.suffix = ".ndjson",
	.summary = "the same in one line, for tables of captures",
	.write = json_lines_write,
};

const ReportFormat format_json = {
	.name = "json",
	.suffix = ".json",
	.summary = "the full result, for other programs (slowcopy-json(5))",
	.write = json_write,
};
