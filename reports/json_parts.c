/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a document: see json_parts.h. Transfers and sessions are in json_transfer.c and
 * json_session.c.
 */
#include "reports/json_parts.h"

#include <math.h>
#include <string.h>

#include "analyzer/constants.h"
#include "reports/escape.h"
#include "reports/json_values.h"
#include "reports/units.h"
#include "reports/wording.h"

json_t *json_part_tool(const ReportOptions *options)
{
	json_t *ret = json_object(), *set = json_object();

	for (size_t i = 0; i < options->option_count; i++) {
		g_autofree char *key = escape_clean(options->option_names[i]);

		value_put(set, key, json_part_text(options->option_values[i]));
	}
	value_put(ret, "name", json_string("slowcopy"));
	value_put(ret, "version", json_part_text(options->version ? options->version : "unknown"));
	value_put(ret, "options", set);
	value_put(ret, "redacted", json_boolean(options->redact));
	return ret;
}

json_t *json_part_input(const ResultInput *input)
{
	json_t *ret = json_object();

	value_put(ret, "path", json_part_text(input->path));
	value_put(ret, "format", json_part_text(input->format));
	value_put(ret, "compression", json_part_text(input->compression));
	value_put(ret, "packets", value_count(input->packets));
	value_put(ret, "bytes", value_count(input->bytes));
	value_put(ret, "damaged_at",
		input->damaged_at < 0 ? json_null() : json_integer(input->damaged_at));
	value_put(ret, "damage", json_part_text(input->damage));
	return ret;
}

json_t *json_part_capture(const ResultCapture *c)
{
	json_t *ret = json_object(), *caveats = json_array(), *ignored = json_object();
	char grade[2] = {c->grade, '\0'};

	for (size_t i = 0; i < c->caveat_count; i++) {
		json_t *caveat = json_object();

		value_put(caveat, "id", json_part_text(c->caveats[i].id));
		value_put(caveat, "count", value_count(c->caveats[i].count));
		value_put(caveat, "text", json_part_text(c->caveats[i].text));
		json_array_append_new(caveats, caveat);
	}
	for (size_t i = 0; i < c->ignored_count; i++)
		value_put(ignored, c->ignored[i].name, value_count(c->ignored[i].count));
	value_put(ret, "first_packet",
		c->packets ? json_part_text(units_utc(c->first_packet_ns).text) : json_null());
	value_put(ret, "duration_ns", value_ns(c->duration_ns));
	value_put(ret, "packets", value_count(c->packets));
	value_put(ret, "bytes", value_count(c->bytes));
	value_put(ret, "captured_bytes", value_count(c->captured_bytes));
	value_put(ret, "link_types", value_texts(c->link_types, c->link_type_count));
	value_put(ret, "snaplen", value_known(c->snaplen));
	value_put(ret, "dropped_packets",
		c->dropped_packets < 0 ? json_null() : json_integer(c->dropped_packets));
	value_put(ret, "grade", json_part_text(grade));
	value_put(ret, "caveats", caveats);
	value_put(ret, "ignored", ignored);
	return ret;
}

json_t *json_part_verdict(const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	const ResultTransfer *transfer = result_transfer(result, v->transfer);
	json_t *ret = json_object(), *ruled_out = json_array();

	for (size_t i = 0; i < v->ruled_out_count; i++) {
		json_t *entry = json_object();

		value_put(entry, "cause", json_part_text(v->ruled_out[i].cause));
		value_put(entry, "because", json_part_text(v->ruled_out[i].because));
		json_array_append_new(ruled_out, entry);
	}
	value_put(ret, "cause", json_part_text(v->cause));
	value_put(ret, "finding", value_finding(result, v->finding));
	value_put(ret, "transfer", transfer ? json_part_text(transfer->id) : json_null());
	value_put(ret, "confidence", json_string(wording_confidence(v->confidence)));
	value_put(ret, "blame", json_part_text(v->blame));
	value_put(ret, "sentence", json_part_text(v->sentence ? v->sentence : ""));
	value_put(ret, "measured_bytes_per_s", value_rate(v->measured_bytes_per_s));
	value_put(ret, "ceiling_bytes_per_s", value_rate(v->ceiling_bytes_per_s));
	value_put(ret, "ceiling_formula", json_part_text(v->ceiling_formula));
	value_put(ret, "predicted_bytes_per_s", value_rate_range(v->predicted_bytes_per_s));
	value_put(ret, "saved_ns", value_ns_range(v->saved_ns));
	value_put(ret, "ruled_out", ruled_out);
	return ret;
}

static const char *scope_id(ScopeKind scope)
{
	switch (scope) {
	case SCOPE_TRANSFER:
		return "transfer";
	case SCOPE_CONNECTION:
		return "connection";
	case SCOPE_SESSION:
		return "session";
	case SCOPE_HOST_PAIR:
		return "host-pair";
	case SCOPE_CAPTURE:
		return "capture";
	}
	return "capture";
}

/** number_json: label, value and unit; sizes, times, counts and rates are integers, as their keys
 * elsewhere. */
static json_t *number_json(const ResultNumber *n)
{
	json_t *ret = json_object(), *value = NULL;
	const char *unit = NULL;
	bool fits = fabs(n->value) < 9.2e18;

	switch (n->kind) {
	case NUMBER_BYTES:
		unit = "bytes";
		break;
	case NUMBER_NS:
		unit = "ns";
		break;
	case NUMBER_COUNT:
		unit = "count";
		if (n->value != floor(n->value))
			value = value_real(n->value, 1000);
		break;
	case NUMBER_RATE:
		unit = "bytes_per_s";
		break;
	case NUMBER_PERCENT:
		unit = "percent";
		value = value_real(n->value, 1000);
		break;
	case NUMBER_NAME:
		unit = "name";
		value = json_part_text(n->name);
		break;
	}
	if (!value)
		value = fits ? json_integer(llround(n->value)) : json_null();
	value_put(ret, "label", json_part_text(n->label));
	value_put(ret, "value", value);
	value_put(ret, "unit", json_part_text(unit));
	return ret;
}

static json_t *evidence_json(const ResultFinding *f)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < f->evidence_count; i++) {
		json_t *entry = json_object();

		value_put(entry, "input", json_integer(f->evidence[i].input));
		value_put(entry, "frame", value_count(f->evidence[i].frame));
		value_put(entry, "time_ns", value_ns(f->evidence[i].time_ns));
		value_put(entry, "note", json_part_text(f->evidence[i].note));
		json_array_append_new(ret, entry);
	}
	return ret;
}

json_t *json_part_finding(const ResultFinding *f)
{
	json_t *ret = json_object(), *scope = json_object(), *numbers = json_array();

	value_put(scope, "kind", json_string(scope_id(f->scope)));
	value_put(scope, "id", json_part_text(f->scope_id ? f->scope_id : ""));
	for (size_t i = 0; i < f->number_count; i++)
		json_array_append_new(numbers, number_json(&f->numbers[i]));
	value_put(ret, "id", json_part_text(f->id));
	value_put(ret, "cause", json_part_text(f->cause));
	value_put(ret, "severity", json_string(wording_severity(f->severity)));
	value_put(ret, "confidence", json_string(wording_confidence(f->confidence)));
	value_put(ret, "scope", scope);
	value_put(ret, "title", json_part_text(f->title));
	value_put(ret, "sentence", json_part_text(f->sentence));
	value_put(ret, "explanation", json_part_text(f->explanation));
	value_put(ret, "fix", json_part_text(f->fix));
	value_put(ret, "advice", value_texts(f->advice, f->advice_count));
	value_put(ret, "doubt", json_part_text(f->doubt));
	value_put(ret, "next_test", json_part_text(f->next_test));
	value_put(ret, "lost_ns", value_ns(f->lost_ns));
	value_put(ret, "saved_ns", value_ns_range(f->saved_ns));
	value_put(ret, "predicted_bytes_per_s", value_rate_range(f->predicted_bytes_per_s));
	value_put(ret, "ceiling_bytes_per_s", value_rate(f->ceiling_bytes_per_s));
	value_put(ret, "ceiling_formula", json_part_text(f->ceiling_formula));
	value_put(ret, "numbers", numbers);
	value_put(ret, "evidence", evidence_json(f));
	value_put(ret, "filter", json_part_text(f->filter));
	return ret;
}

static json_t *transfer_id(const Result *result, int32_t index)
{
	const ResultTransfer *t = result_transfer(result, index);

	return t ? json_part_text(t->id) : json_null();
}

static json_t *pair_way_json(const Result *result, const ResultHostWay *way)
{
	json_t *ret = json_object();

	value_put(ret, "bytes", value_count(way->bytes));
	value_put(ret, "bytes_per_s", value_rate(way->bytes_per_s));
	value_put(ret, "transfers", json_integer(way->transfers));
	value_put(ret, "read_bytes", value_count(way->read_bytes));
	value_put(ret, "read_bytes_per_s", value_rate(way->read_bytes_per_s));
	value_put(ret, "written_bytes", value_count(way->written_bytes));
	value_put(ret, "written_bytes_per_s", value_rate(way->written_bytes_per_s));
	value_put(ret, "largest_transfer", transfer_id(result, way->slowest));
	value_put(ret, "dominant_bucket",
		way->slowest < 0 ? json_null() : json_string(bucket_id(way->dominant)));
	value_put(ret, "capacity_bytes_per_s", value_rate(way->capacity_bytes_per_s));
	value_put(ret, "reference", json_part_text(way->reference));
	value_put(ret, "reference_bytes_per_s", value_rate(way->reference_bytes_per_s));
	return ret;
}

json_t *json_part_host_pair(
	const Result *result, const ReportOptions *options, const ResultHostPair *pair)
{
	json_t *ret = json_object();
	UnitText room;

	value_put(ret, "a", json_part_text(wording_host(options, pair->a, &room)));
	value_put(ret, "b", json_part_text(wording_host(options, pair->b, &room)));
	value_put(ret, "a_to_b", pair_way_json(result, &pair->a_to_b));
	value_put(ret, "b_to_a", pair_way_json(result, &pair->b_to_a));
	value_put(ret, "protocols", value_texts(pair->protocols, pair->protocol_count));
	value_put(ret, "worst_finding", value_finding(result, pair->worst_finding));
	value_put(ret, "asymmetry",
		pair->asymmetry > 0 ? json_real(round(pair->asymmetry * 100) / 100) : json_null());
	value_put(ret, "asymmetry_bucket",
		pair->asymmetry_text ? json_string(bucket_id(pair->asymmetry_bucket))
				     : json_null());
	value_put(ret, "asymmetry_text", json_part_text(pair->asymmetry_text));
	return ret;
}

json_t *json_part_sharing(
	const Result *result, const ReportOptions *options, const ResultSharing *sharing)
{
	json_t *ret = json_object(), *shares = json_array();
	UnitText room;

	for (size_t i = 0; i < sharing->share_count; i++) {
		const ResultShare *s = &sharing->shares[i];
		json_t *share = json_object();

		value_put(share, "transfer", transfer_id(result, s->transfer));
		value_put(share, "bytes_per_s", value_rate(s->bytes_per_s));
		value_put(share, "share", json_real(round(s->share * 1000) / 1000));
		value_put(share, "starved", json_boolean(s->is_starved));
		json_array_append_new(shares, share);
	}
	value_put(ret, "host", json_part_text(wording_host(options, sharing->host, &room)));
	value_put(ret, "role", json_string(sharing->host_sends ? "sends" : "receives"));
	value_put(ret, "start_ns", value_ns(sharing->start_ns));
	value_put(ret, "duration_ns", value_ns(sharing->duration_ns));
	value_put(ret, "bytes_per_s", value_rate(sharing->bytes_per_s));
	value_put(ret, "shares", shares);
	return ret;
}

json_t *json_part_udp_flow(const ReportOptions *options, const ResultUdpFlow *flow)
{
	json_t *ret = json_object();

	value_put(ret, "input", json_integer(flow->input));
	value_put(ret, "from", json_part_text(wording_endpoint(options, &flow->from).text));
	value_put(ret, "to", json_part_text(wording_endpoint(options, &flow->to).text));
	value_put(ret, "program", json_part_text(flow->program));
	value_put(ret, "datagrams", value_count(flow->datagrams));
	value_put(ret, "bytes", value_count(flow->bytes));
	value_put(ret, "start_ns", value_ns(flow->start_ns));
	value_put(ret, "duration_ns", value_ns(flow->duration_ns));
	value_put(ret, "bytes_per_s", value_rate(flow->bytes_per_s));
	value_put(ret, "numbered_by", json_part_text(flow->numbered_by));
	value_put(ret, "lost_packets", value_count(flow->lost));
	value_put(ret, "late_packets", value_count(flow->late));
	value_put(ret, "first_frame", value_count(flow->first_frame));
	return ret;
}

static const char *owed_by_id(OwedBy owed_by)
{
	switch (owed_by) {
	case OWED_BY_UNKNOWN:
		return "unknown";
	case OWED_BY_CLIENT:
		return "client";
	case OWED_BY_SERVER:
		return "server";
	case OWED_BY_NETWORK:
		return "network";
	}
	return "unknown";
}

json_t *json_part_stall(const ResultStall *stall)
{
	json_t *ret = json_object();

	value_put(ret, "stream",
		stall->stream < STREAM_NOT_TCP ? json_integer(stall->stream) : json_null());
	value_put(ret, "input", json_integer(stall->input));
	value_put(ret, "start_ns", value_ns(stall->start_ns));
	value_put(ret, "duration_ns", value_ns(stall->duration_ns));
	value_put(ret, "owed_by", json_string(owed_by_id(stall->owed_by)));
	value_put(ret, "cause", json_string(bucket_id(stall->bucket)));
	value_put(ret, "frame", value_count(stall->frame));
	return ret;
}

json_t *json_part_limit(const ResultLimit *limit)
{
	json_t *ret = json_object();

	value_put(ret, "limit", json_part_text(limit->limit));
	value_put(ret, "count", value_count(limit->count));
	value_put(ret, "effect", json_part_text(limit->effect));
	return ret;
}
