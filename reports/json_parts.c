/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of json_parts.h. jansson drops a member whose text is not UTF-8, so every string
 * goes through escape_clean() first, and unknown numbers become null here and nowhere else.
 */
#include "reports/json_parts.h"

#include <math.h>
#include <string.h>

#include "analyzer/constants.h"
#include "dissectors/message.h"
#include "reports/escape.h"
#include "reports/session_facts.h"
#include "reports/units.h"
#include "reports/wording.h"

/** put: moves @value into @object under @key. */
static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

/** count_json: a counter; JSON integers here end at 2^63 - 1, more than any capture holds. */
static json_t *count_json(uint64_t count)
{
	if (count == RESULT_UNKNOWN_COUNT)
		return json_null();
	return json_integer((json_int_t)MIN(count, (uint64_t)INT64_MAX));
}

/** known_json: a number for which 0 means unknown. */
static json_t *known_json(uint64_t count)
{
	return count ? count_json(count) : json_null();
}

static json_t *ns_json(int64_t ns)
{
	return ns == RESULT_UNKNOWN_NS ? json_null() : json_integer(ns);
}

/** rate_json: bytes per second as an integer; 0 and less are unknown. */
static json_t *rate_json(double bytes_per_s)
{
	if (!(bytes_per_s > 0) || !(bytes_per_s < 9e18))
		return json_null();
	return json_integer(llround(bytes_per_s));
}

/** real_json: a fraction with at most @decimals digits behind the point. */
static json_t *real_json(double value, double steps)
{
	if (!isfinite(value) || fabs(value) > 1e15)
		return json_null();
	/* + 0.0 makes 0 of -0 */
	return json_real(round(value * steps) / steps + 0.0);
}

static json_t *ns_range_json(NsRange range)
{
	json_t *ret = json_object();

	put(ret, "low", ns_json(range.low));
	put(ret, "high", ns_json(range.high));
	return ret;
}

static json_t *rate_range_json(RateRange range)
{
	json_t *ret = json_object();

	put(ret, "low", rate_json(range.low));
	put(ret, "high", rate_json(range.high));
	return ret;
}

json_t *json_part_text(const char *text)
{
	g_autofree char *clean = NULL;

	if (!text)
		return json_null();
	clean = escape_clean(text);
	return json_string(clean);
}

static json_t *texts_json(const char *const *texts, size_t count)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(ret, json_part_text(texts[i] ? texts[i] : ""));
	return ret;
}

static json_t *streams_json(const uint32_t *streams, size_t count)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < count; i++)
		if (streams[i] < STREAM_NOT_TCP)
			json_array_append_new(ret, json_integer(streams[i]));
	return ret;
}

/** finding_id: "F1" of the finding at @index, null for -1. */
static json_t *finding_id(const Result *result, int64_t index)
{
	if (index < 0 || (uint64_t)index >= result->finding_count)
		return json_null();
	return json_part_text(result->findings[index].id);
}

json_t *json_part_time(int64_t ns)
{
	int64_t seconds = ns / INT64_C(1000000000), rest = ns % INT64_C(1000000000);
	if (rest < 0) {
		seconds--;
		rest += INT64_C(1000000000);
	}
	g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(seconds);
	g_autofree char *text = date ? g_date_time_format(date, "%Y-%m-%dT%H:%M:%S") : NULL;
	g_autofree char *all = g_strdup_printf(
		"%s.%09" G_GINT64_FORMAT "Z", text ? text : "1970-01-01T00:00:00", text ? rest : 0);
	return json_string(all);
}

json_t *json_part_tool(const ReportOptions *options)
{
	json_t *ret = json_object(), *set = json_object();

	for (size_t i = 0; i < options->option_count; i++) {
		g_autofree char *key = escape_clean(options->option_names[i]);

		put(set, key, json_part_text(options->option_values[i]));
	}
	put(ret, "name", json_string("slowcopy"));
	put(ret, "version", json_part_text(options->version ? options->version : "unknown"));
	put(ret, "options", set);
	put(ret, "redacted", json_boolean(options->redact));
	return ret;
}

json_t *json_part_input(const ResultInput *input)
{
	json_t *ret = json_object();

	put(ret, "path", json_part_text(input->path));
	put(ret, "format", json_part_text(input->format));
	put(ret, "compression", json_part_text(input->compression));
	put(ret, "packets", count_json(input->packets));
	put(ret, "bytes", count_json(input->bytes));
	put(ret, "damaged_at",
		input->damaged_at < 0 ? json_null() : json_integer(input->damaged_at));
	put(ret, "damage", json_part_text(input->damage));
	return ret;
}

json_t *json_part_capture(const ResultCapture *c)
{
	json_t *ret = json_object(), *caveats = json_array(), *ignored = json_object();
	char grade[2] = {c->grade, '\0'};

	for (size_t i = 0; i < c->caveat_count; i++) {
		json_t *caveat = json_object();

		put(caveat, "id", json_part_text(c->caveats[i].id));
		put(caveat, "count", count_json(c->caveats[i].count));
		put(caveat, "text", json_part_text(c->caveats[i].text));
		json_array_append_new(caveats, caveat);
	}
	for (size_t i = 0; i < c->ignored_count; i++)
		put(ignored, c->ignored[i].name, count_json(c->ignored[i].count));
	put(ret, "first_packet",
		c->packets ? json_part_text(units_utc(c->first_packet_ns).text) : json_null());
	put(ret, "duration_ns", ns_json(c->duration_ns));
	put(ret, "packets", count_json(c->packets));
	put(ret, "bytes", count_json(c->bytes));
	put(ret, "captured_bytes", count_json(c->captured_bytes));
	put(ret, "link_types", texts_json(c->link_types, c->link_type_count));
	put(ret, "snaplen", known_json(c->snaplen));
	put(ret, "dropped_packets",
		c->dropped_packets < 0 ? json_null() : json_integer(c->dropped_packets));
	put(ret, "grade", json_part_text(grade));
	put(ret, "caveats", caveats);
	put(ret, "ignored", ignored);
	return ret;
}

json_t *json_part_verdict(const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	const ResultTransfer *transfer = result_transfer(result, v->transfer);
	json_t *ret = json_object(), *ruled_out = json_array();

	for (size_t i = 0; i < v->ruled_out_count; i++) {
		json_t *entry = json_object();

		put(entry, "cause", json_part_text(v->ruled_out[i].cause));
		put(entry, "because", json_part_text(v->ruled_out[i].because));
		json_array_append_new(ruled_out, entry);
	}
	put(ret, "cause", json_part_text(v->cause));
	put(ret, "finding", finding_id(result, v->finding));
	put(ret, "transfer", transfer ? json_part_text(transfer->id) : json_null());
	put(ret, "confidence", json_string(wording_confidence(v->confidence)));
	put(ret, "blame", json_part_text(v->blame));
	put(ret, "sentence", json_part_text(v->sentence ? v->sentence : ""));
	put(ret, "measured_bytes_per_s", rate_json(v->measured_bytes_per_s));
	put(ret, "ceiling_bytes_per_s", rate_json(v->ceiling_bytes_per_s));
	put(ret, "ceiling_formula", json_part_text(v->ceiling_formula));
	put(ret, "predicted_bytes_per_s", rate_range_json(v->predicted_bytes_per_s));
	put(ret, "saved_ns", ns_range_json(v->saved_ns));
	put(ret, "ruled_out", ruled_out);
	return ret;
}

static json_t *direction_json(const ResultDirection *d)
{
	json_t *ret = json_object();

	put(ret, "packets", count_json(d->packets));
	put(ret, "payload_packets", count_json(d->payload_packets));
	put(ret, "payload_bytes", count_json(d->payload_bytes));
	put(ret, "unique_bytes", count_json(d->unique_bytes));
	put(ret, "retransmitted_packets", count_json(d->retransmitted_packets));
	put(ret, "retransmitted_bytes", count_json(d->retransmitted_bytes));
	put(ret, "timeout_retransmissions", count_json(d->timeout_retransmissions));
	put(ret, "fast_retransmissions", count_json(d->fast_retransmissions));
	put(ret, "spurious_retransmissions", count_json(d->spurious_retransmissions));
	put(ret, "reordered_packets", count_json(d->reordered_packets));
	put(ret, "duplicate_packets", count_json(d->duplicate_packets));
	put(ret, "uncaptured_bytes", count_json(d->uncaptured_bytes));
	put(ret, "duplicate_acks", count_json(d->duplicate_acks));
	put(ret, "keep_alives", count_json(d->keep_alives));
	put(ret, "mss_bytes", known_json(d->mss_bytes));
	put(ret, "window_scale", d->window_scale < 0 ? json_null() : json_integer(d->window_scale));
	put(ret, "sack_permitted", json_boolean(d->sack_permitted));
	put(ret, "timestamps", json_boolean(d->timestamps));
	put(ret, "min_rtt_ns", ns_json(d->min_rtt_ns));
	put(ret, "median_rtt_ns", ns_json(d->median_rtt_ns));
	put(ret, "max_rtt_ns", ns_json(d->max_rtt_ns));
	put(ret, "max_in_flight_bytes", count_json(d->max_in_flight_bytes));
	put(ret, "max_window_bytes", count_json(d->max_window_bytes));
	put(ret, "window_full_ns", ns_json(d->window_full_ns));
	put(ret, "zero_windows", count_json(d->zero_windows));
	put(ret, "zero_window_ns", ns_json(d->zero_window_ns));
	put(ret, "max_segment_bytes", count_json(d->max_segment_bytes));
	return ret;
}

static const char *vantage_id(Vantage vantage)
{
	switch (vantage) {
	case VANTAGE_UNKNOWN:
		return "unknown";
	case VANTAGE_CLIENT:
		return "client";
	case VANTAGE_MIDDLE:
		return "middle";
	case VANTAGE_SERVER:
		return "server";
	}
	return "unknown";
}

static const char *closed_by_id(ClosedBy closed_by)
{
	switch (closed_by) {
	case CLOSED_BY_CAPTURE_END:
		return "capture-end";
	case CLOSED_BY_FIN:
		return "fin";
	case CLOSED_BY_RST:
		return "rst";
	case CLOSED_BY_TIMEOUT:
		return "timeout";
	}
	return "capture-end";
}

/** capacity_json: what the path carried one way; a bound only, unless proven. */
static json_t *capacity_json(double bytes_per_s, bool proven)
{
	json_t *ret = json_object();

	put(ret, "bytes_per_s", rate_json(bytes_per_s));
	put(ret, "proven", json_boolean(proven));
	return ret;
}

json_t *json_part_connection(const ReportOptions *options, const ResultConnection *c)
{
	json_t *ret = json_object();

	put(ret, "stream", json_integer(c->stream));
	put(ret, "input", json_integer(c->input));
	put(ret, "client", json_part_text(wording_endpoint(options, &c->client).text));
	put(ret, "server", json_part_text(wording_endpoint(options, &c->server).text));
	put(ret, "protocol", json_part_text(c->protocol));
	put(ret, "application", json_part_text(c->application));
	put(ret, "start_ns", ns_json(c->start_ns));
	put(ret, "duration_ns", ns_json(c->duration_ns));
	put(ret, "handshake_seen", json_boolean(c->handshake_seen));
	put(ret, "initial_rtt_ns", ns_json(c->initial_rtt_ns));
	put(ret, "min_rtt_ns", ns_json(c->min_rtt_ns));
	put(ret, "client_loop_ns", ns_json(c->client_loop_ns));
	put(ret, "server_loop_ns", ns_json(c->server_loop_ns));
	put(ret, "vantage", json_string(vantage_id(c->vantage)));
	put(ret, "closed_by", json_string(closed_by_id(c->closed_by)));
	put(ret, "middlebox_terminated", json_boolean(c->middlebox_terminated));
	put(ret, "client_to_server_capacity",
		capacity_json(
			c->capacity_bytes_per_s[SIDE_CLIENT], c->capacity_proven[SIDE_CLIENT]));
	put(ret, "server_to_client_capacity",
		capacity_json(
			c->capacity_bytes_per_s[SIDE_SERVER], c->capacity_proven[SIDE_SERVER]));
	put(ret, "client_to_server", direction_json(&c->direction[SIDE_CLIENT]));
	put(ret, "server_to_client", direction_json(&c->direction[SIDE_SERVER]));
	return ret;
}

static json_t *time_stats_json(const TimeStats *t)
{
	json_t *ret = json_object();
	bool known = t->count > 0;

	put(ret, "count", count_json(t->count));
	put(ret, "min", known ? ns_json(t->min_ns) : json_null());
	put(ret, "median", known ? ns_json(t->median_ns) : json_null());
	put(ret, "p95", known ? ns_json(t->p95_ns) : json_null());
	put(ret, "max", known ? ns_json(t->max_ns) : json_null());
	put(ret, "mean", known ? ns_json(t->mean_ns) : json_null());
	return ret;
}

static json_t *commands_json(const SessionStats *s)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < s->command_count; i++) {
		const CommandStats *c = &s->commands[i];
		json_t *entry = json_object();

		put(entry, "command",
			json_part_text(message_command_name(c->protocol, c->command)));
		put(entry, "requests", count_json(c->requests));
		put(entry, "responses", count_json(c->responses));
		put(entry, "errors", count_json(c->errors));
		put(entry, "pending", count_json(c->pending));
		put(entry, "response_time_ns", time_stats_json(&c->response_time));
		put(entry, "server_time_ns", time_stats_json(&c->server_time));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *sizes_json(const SizeStats *sizes)
{
	json_t *ret = json_object(), *bins = json_array();
	bool known = sizes->count > 0;

	for (int i = 0; i < SESSION_SIZE_BINS; i++) {
		json_t *bin;

		if (sizes->bins[i] == 0)
			continue;
		bin = json_object();
		put(bin, "from_bytes", count_json(i ? UINT64_C(1) << i : 0));
		put(bin, "count", count_json(sizes->bins[i]));
		json_array_append_new(bins, bin);
	}
	put(ret, "count", count_json(sizes->count));
	put(ret, "min_bytes", known ? count_json(sizes->min) : json_null());
	put(ret, "median_bytes", known ? count_json(sizes->median) : json_null());
	put(ret, "max_bytes", known ? count_json(sizes->max) : json_null());
	put(ret, "limited_by", json_string(session_size_limit_id(sizes->limit)));
	put(ret, "histogram", bins);
	return ret;
}

static json_t *phases_json(const ResultSession *session)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < session->phase_count; i++) {
		const ResultPhase *p = &session->phases[i];
		json_t *entry = json_object();

		put(entry, "phase", json_part_text(p->phase));
		put(entry, "start_ns", ns_json(p->start_ns));
		put(entry, "duration_ns", ns_json(p->duration_ns));
		put(entry, "busy_ns", ns_json(p->busy_ns));
		put(entry, "exchanges", json_integer(p->exchanges));
		put(entry, "how", json_part_text(p->how));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *balance_json(int32_t credits)
{
	return credits == INT32_MIN ? json_null() : json_integer(credits);
}

static json_t *timeline_json(const ResultSession *session)
{
	const SessionStats *s = &session->stats;
	json_t *ret = json_object(), *depths = json_array(), *credits = json_array();

	for (size_t i = 0; i < s->bin_count; i++) {
		json_array_append_new(depths, json_integer(s->bins[i].in_flight));
		json_array_append_new(credits, balance_json(s->bins[i].credits_low));
	}
	put(ret, "start_ns", s->bin_count ? ns_json(session->bins_start_ns) : json_null());
	put(ret, "bin_ns", s->bin_count ? ns_json(s->bin_ns) : json_null());
	put(ret, "requests_in_flight_max", depths);
	put(ret, "credits_min", credits);
	return ret;
}

static json_t *paths_json(const SessionStats *s)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < s->file_count; i++) {
		const FileActivity *f = &s->files[i];
		json_t *entry = json_object();

		put(entry, "name", json_part_text(f->name));
		put(entry, "share", f->share && *f->share ? json_part_text(f->share) : json_null());
		put(entry, "directory", json_boolean(f->is_directory));
		put(entry, "size_bytes", known_json(f->size));
		put(entry, "operations", count_json(f->operations));
		put(entry, "errors", count_json(f->errors));
		put(entry, "opens", count_json(f->opens));
		put(entry, "not_found", count_json(f->not_found));
		put(entry, "asked_again", count_json(f->asked_again));
		put(entry, "reads", count_json(f->reads));
		put(entry, "writes", count_json(f->writes));
		put(entry, "lists", count_json(f->lists));
		put(entry, "metadata", count_json(f->metadata));
		put(entry, "read_bytes", count_json(f->read_bytes));
		put(entry, "written_bytes", count_json(f->written_bytes));
		put(entry, "reread_bytes", count_json(f->reread_bytes));
		put(entry, "hardly_read", count_json(f->hardly_read));
		put(entry, "busy_ns", ns_json(f->busy_ns));
		put(entry, "metadata_ns", ns_json(f->metadata_ns));
		put(entry, "longest_ns", ns_json(f->longest_ns));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *anomalies_json(const SessionStats *s)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < s->anomaly_kind_count; i++)
		put(ret, s->anomaly_kinds[i].kind, count_json(s->anomaly_kinds[i].count));
	return ret;
}

static json_t *features_json(const SessionStats *s)
{
	SessionFact facts[SESSION_FACTS_MAX];
	size_t count = session_facts(s, facts);
	json_t *ret = json_object();

	for (size_t i = 0; i < count; i++)
		put(ret, facts[i].key, count_json(facts[i].count));
	return ret;
}

static json_t *credits_json(const SessionStats *s)
{
	json_t *ret = json_object();

	put(ret, "charged", count_json(s->counts.credits_charged));
	put(ret, "granted", count_json(s->counts.credits_granted));
	put(ret, "min", balance_json(s->credits_min));
	put(ret, "max", balance_json(s->counts.credits_max));
	put(ret, "left", balance_json(s->counts.credits_left));
	return ret;
}

/** session_id_json: as --smb-key takes it. */
static json_t *session_id_json(const SessionStats *s)
{
	g_autofree char *text = g_strdup_printf("%016" G_GINT64_MODIFIER "x", s->session_id);

	return s->session_id && strcmp(s->protocol, "smb2") == 0 ? json_string(text) : json_null();
}

json_t *json_part_session(const ResultSession *session)
{
	const SessionStats *s = &session->stats;
	size_t offered = MIN(s->offered_count, G_N_ELEMENTS(s->offered));
	json_t *ret = json_object();

	put(ret, "streams", streams_json(session->streams, session->stream_count));
	put(ret, "input", json_integer(session->input));
	put(ret, "protocol", json_part_text(s->protocol));
	put(ret, "dialect", json_part_text(s->dialect));
	put(ret, "dialects_offered", texts_json(s->offered, offered));
	put(ret, "transport", json_string(session_transport_id(s->transport)));
	put(ret, "signed", json_boolean(s->is_signed));
	put(ret, "encrypted", json_boolean(s->is_encrypted));
	put(ret, "compressed", json_boolean(s->is_compressed));
	put(ret, "multi_credit", json_boolean(s->multi_credit));
	put(ret, "max_read_bytes", known_json(s->max_read_bytes));
	put(ret, "max_write_bytes", known_json(s->max_write_bytes));
	put(ret, "max_requests", known_json(s->max_requests));
	put(ret, "credits_min",
		s->credits_min == INT32_MIN ? json_null() : json_integer(s->credits_min));
	put(ret, "signing_required", json_boolean(s->signing_required));
	put(ret, "client_offered_smb2", json_boolean(s->client_offered_smb2));
	put(ret, "became_smb2", json_boolean(session->became_smb2));
	put(ret, "negotiate_seen", json_boolean(s->negotiate_seen));
	put(ret, "signing_algorithm", json_part_text(session_signing_name(s)));
	put(ret, "client_requires_signing", json_boolean(s->client_requires_signing));
	put(ret, "cipher", json_part_text(session_cipher_name(s)));
	put(ret, "multichannel", json_boolean(s->multichannel));
	put(ret, "bound_to_session", json_boolean(s->binding_seen));
	put(ret, "session_id", session_id_json(s));
	put(ret, "server_interfaces", known_json(s->interfaces));
	put(ret, "max_transact_bytes", known_json(s->max_buffer_bytes));
	put(ret, "ftp_ascii", json_boolean(s->ftp_ascii));
	put(ret, "first_data_ns", ns_json(session->first_data_ns));
	put(ret, "before_first_byte", phases_json(session));
	put(ret, "read_requests", sizes_json(&s->read_size));
	put(ret, "write_requests", sizes_json(&s->write_size));
	put(ret, "credits", credits_json(s));
	put(ret, "timeline", timeline_json(session));
	put(ret, "features", features_json(s));
	put(ret, "files", paths_json(s));
	put(ret, "files_forgotten", count_json(s->files_forgotten));
	put(ret, "malformed_by_kind", anomalies_json(s));
	put(ret, "malformed_messages", count_json(s->anomalies));
	put(ret, "resynchronisations", count_json(s->resyncs));
	put(ret, "commands", commands_json(s));
	return ret;
}

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
				put(by_class, op_class_id((OpClass)c), ns_json(ns));
		}
		put(entry, "bucket", json_string(bucket_id(bucket->bucket)));
		put(entry, "ns", json_integer(bucket->ns));
		put(entry, "by_class", by_class);
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *slices_json(const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->slice_count; i++) {
		json_t *entry = json_object();

		put(entry, "start_ns", ns_json(t->slices[i].start_ns));
		put(entry, "start_bytes", count_json(t->slices[i].start_bytes));
		put(entry, "duration_ns", ns_json(t->slices[i].duration_ns));
		/* nothing moved is known, too */
		put(entry, "bytes_per_s",
			t->slices[i].bytes_per_s > 0 ? rate_json(t->slices[i].bytes_per_s)
						     : json_integer(0));
		put(entry, "dominant_bucket", json_string(bucket_id(t->slices[i].dominant)));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *transfer_findings_json(const Result *result, const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->finding_count; i++)
		json_array_append_new(ret, finding_id(result, t->findings[i]));
	return ret;
}

static json_t *ftp_json(const ResultTransfer *t)
{
	json_t *ret;

	if (!t->is_ftp_file)
		return json_null();
	ret = json_object();
	put(ret, "prepare_to_connect_ns", ns_json(t->ftp.prepare_to_connect_ns));
	put(ret, "connect_ns", ns_json(t->ftp.connect_ns));
	put(ret, "command_to_reply_ns", ns_json(t->ftp.command_to_reply_ns));
	put(ret, "reply_to_first_byte_ns", ns_json(t->ftp.reply_to_first_byte_ns));
	put(ret, "last_byte_to_done_ns", ns_json(t->ftp.last_byte_to_done_ns));
	return ret;
}

static json_t *fixes_json(const Result *result, const ResultTransfer *t)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < t->fix_count; i++) {
		const ResultFix *fix = &t->fixes[i];
		const ResultFinding *finding = &result->findings[fix->finding];
		json_t *entry = json_object();

		put(entry, "finding", finding_id(result, fix->finding));
		put(entry, "cause", json_part_text(finding->cause));
		put(entry, "saved_ns", ns_range_json(fix->saved_ns));
		put(entry, "duration_ns", ns_range_json(fix->duration_ns));
		put(entry, "bytes_per_s", rate_range_json(fix->bytes_per_s));
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
	put(ret, "rtt_ns", assumed_json(assumption->rtt_ns));
	put(ret, "rate_bytes_per_s", assumed_json(assumption->bytes_per_s));
	put(ret, "window_bytes", assumed_json(assumption->window_bytes));
	put(ret, "request_bytes", assumed_json(assumption->request_bytes));
	put(ret, "depth", assumed_json(assumption->depth));
	return ret;
}

static json_t *outlook_json(const ResultOutlook *outlook)
{
	json_t *ret;

	if (!outlook)
		return json_null();
	ret = json_object();
	put(ret, "duration_ns", ns_range_json(outlook->duration_ns));
	put(ret, "bytes_per_s", rate_range_json(outlook->bytes_per_s));
	put(ret, "limit", json_string(bucket_id(outlook->limit)));
	put(ret, "formula", json_part_text(outlook->formula));
	put(ret, "uses_requests", json_boolean(outlook->uses_requests));
	return ret;
}

json_t *json_part_transfer(
	const Result *result, const ReportOptions *options, const ResultTransfer *t)
{
	json_t *ret = json_object(), *request_bytes = json_object(), *in_flight = json_object();
	double seconds = (double)t->duration_ns / 1e9;

	put(request_bytes, "median", known_json(t->request_bytes_median));
	put(request_bytes, "max", known_json(t->request_bytes_max));
	put(in_flight, "mean", real_json(t->requests_in_flight_mean, 100));
	put(in_flight, "max", json_integer(t->requests_in_flight_max));
	put(ret, "id", json_part_text(t->id));
	put(ret, "streams", streams_json(t->streams, t->stream_count));
	put(ret, "input", json_integer(t->input));
	put(ret, "client", json_part_text(wording_endpoint(options, &t->client).text));
	put(ret, "server", json_part_text(wording_endpoint(options, &t->server).text));
	put(ret, "protocol", json_part_text(t->protocol));
	put(ret, "direction", json_string(t->is_write ? "write" : "read"));
	put(ret, "file", json_part_text(t->file));
	put(ret, "share", json_part_text(t->share));
	if (t->is_job)
		put(ret, "files", count_json(t->files));
	put(ret, "bytes", count_json(t->bytes));
	put(ret, "start_ns", ns_json(t->start_ns));
	put(ret, "duration_ns", ns_json(t->duration_ns));
	put(ret, "bytes_per_s",
		t->duration_ns > 0 ? rate_json((double)t->bytes / seconds) : json_null());
	put(ret, "requests", count_json(t->requests));
	put(ret, "request_bytes", request_bytes);
	put(ret, "requests_in_flight", in_flight);
	put(ret, "rtt_ns", ns_json(t->rtt_ns));
	put(ret, "capacity", capacity_json(t->capacity_bytes_per_s, t->capacity_proven));
	put(ret, "ftp_phases", ftp_json(t));
	put(ret, "budget", budget_json(t));
	put(ret, "slices", slices_json(t));
	put(ret, "findings", transfer_findings_json(result, t));
	put(ret, "fixes", fixes_json(result, t));
	put(ret, "outlook", outlook_json(t->outlook));
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
			value = real_json(n->value, 1000);
		break;
	case NUMBER_RATE:
		unit = "bytes_per_s";
		break;
	case NUMBER_PERCENT:
		unit = "percent";
		value = real_json(n->value, 1000);
		break;
	case NUMBER_NAME:
		unit = "name";
		value = json_part_text(n->name);
		break;
	}
	if (!value)
		value = fits ? json_integer(llround(n->value)) : json_null();
	put(ret, "label", json_part_text(n->label));
	put(ret, "value", value);
	put(ret, "unit", json_part_text(unit));
	return ret;
}

static json_t *evidence_json(const ResultFinding *f)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < f->evidence_count; i++) {
		json_t *entry = json_object();

		put(entry, "input", json_integer(f->evidence[i].input));
		put(entry, "frame", count_json(f->evidence[i].frame));
		put(entry, "time_ns", ns_json(f->evidence[i].time_ns));
		put(entry, "note", json_part_text(f->evidence[i].note));
		json_array_append_new(ret, entry);
	}
	return ret;
}

json_t *json_part_finding(const ResultFinding *f)
{
	json_t *ret = json_object(), *scope = json_object(), *numbers = json_array();

	put(scope, "kind", json_string(scope_id(f->scope)));
	put(scope, "id", json_part_text(f->scope_id ? f->scope_id : ""));
	for (size_t i = 0; i < f->number_count; i++)
		json_array_append_new(numbers, number_json(&f->numbers[i]));
	put(ret, "id", json_part_text(f->id));
	put(ret, "cause", json_part_text(f->cause));
	put(ret, "severity", json_string(wording_severity(f->severity)));
	put(ret, "confidence", json_string(wording_confidence(f->confidence)));
	put(ret, "scope", scope);
	put(ret, "title", json_part_text(f->title));
	put(ret, "sentence", json_part_text(f->sentence));
	put(ret, "explanation", json_part_text(f->explanation));
	put(ret, "fix", json_part_text(f->fix));
	put(ret, "advice", texts_json(f->advice, f->advice_count));
	put(ret, "doubt", json_part_text(f->doubt));
	put(ret, "next_test", json_part_text(f->next_test));
	put(ret, "lost_ns", ns_json(f->lost_ns));
	put(ret, "saved_ns", ns_range_json(f->saved_ns));
	put(ret, "predicted_bytes_per_s", rate_range_json(f->predicted_bytes_per_s));
	put(ret, "ceiling_bytes_per_s", rate_json(f->ceiling_bytes_per_s));
	put(ret, "ceiling_formula", json_part_text(f->ceiling_formula));
	put(ret, "numbers", numbers);
	put(ret, "evidence", evidence_json(f));
	put(ret, "filter", json_part_text(f->filter));
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

	put(ret, "bytes", count_json(way->bytes));
	put(ret, "bytes_per_s", rate_json(way->bytes_per_s));
	put(ret, "transfers", json_integer(way->transfers));
	put(ret, "read_bytes", count_json(way->read_bytes));
	put(ret, "read_bytes_per_s", rate_json(way->read_bytes_per_s));
	put(ret, "written_bytes", count_json(way->written_bytes));
	put(ret, "written_bytes_per_s", rate_json(way->written_bytes_per_s));
	put(ret, "largest_transfer", transfer_id(result, way->slowest));
	put(ret, "dominant_bucket",
		way->slowest < 0 ? json_null() : json_string(bucket_id(way->dominant)));
	put(ret, "capacity_bytes_per_s", rate_json(way->capacity_bytes_per_s));
	put(ret, "reference", json_part_text(way->reference));
	put(ret, "reference_bytes_per_s", rate_json(way->reference_bytes_per_s));
	return ret;
}

json_t *json_part_host_pair(
	const Result *result, const ReportOptions *options, const ResultHostPair *pair)
{
	json_t *ret = json_object();
	UnitText room;

	put(ret, "a", json_part_text(wording_host(options, pair->a, &room)));
	put(ret, "b", json_part_text(wording_host(options, pair->b, &room)));
	put(ret, "a_to_b", pair_way_json(result, &pair->a_to_b));
	put(ret, "b_to_a", pair_way_json(result, &pair->b_to_a));
	put(ret, "protocols", texts_json(pair->protocols, pair->protocol_count));
	put(ret, "worst_finding", finding_id(result, pair->worst_finding));
	put(ret, "asymmetry",
		pair->asymmetry > 0 ? json_real(round(pair->asymmetry * 100) / 100) : json_null());
	put(ret, "asymmetry_bucket",
		pair->asymmetry_text ? json_string(bucket_id(pair->asymmetry_bucket))
				     : json_null());
	put(ret, "asymmetry_text", json_part_text(pair->asymmetry_text));
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

		put(share, "transfer", transfer_id(result, s->transfer));
		put(share, "bytes_per_s", rate_json(s->bytes_per_s));
		put(share, "share", json_real(round(s->share * 1000) / 1000));
		put(share, "starved", json_boolean(s->is_starved));
		json_array_append_new(shares, share);
	}
	put(ret, "host", json_part_text(wording_host(options, sharing->host, &room)));
	put(ret, "role", json_string(sharing->host_sends ? "sends" : "receives"));
	put(ret, "start_ns", ns_json(sharing->start_ns));
	put(ret, "duration_ns", ns_json(sharing->duration_ns));
	put(ret, "bytes_per_s", rate_json(sharing->bytes_per_s));
	put(ret, "shares", shares);
	return ret;
}

json_t *json_part_udp_flow(const ReportOptions *options, const ResultUdpFlow *flow)
{
	json_t *ret = json_object();

	put(ret, "input", json_integer(flow->input));
	put(ret, "from", json_part_text(wording_endpoint(options, &flow->from).text));
	put(ret, "to", json_part_text(wording_endpoint(options, &flow->to).text));
	put(ret, "program", json_part_text(flow->program));
	put(ret, "datagrams", count_json(flow->datagrams));
	put(ret, "bytes", count_json(flow->bytes));
	put(ret, "start_ns", ns_json(flow->start_ns));
	put(ret, "duration_ns", ns_json(flow->duration_ns));
	put(ret, "bytes_per_s", rate_json(flow->bytes_per_s));
	put(ret, "numbered_by", json_part_text(flow->numbered_by));
	put(ret, "lost_packets", count_json(flow->lost));
	put(ret, "late_packets", count_json(flow->late));
	put(ret, "first_frame", count_json(flow->first_frame));
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

	put(ret, "stream",
		stall->stream < STREAM_NOT_TCP ? json_integer(stall->stream) : json_null());
	put(ret, "input", json_integer(stall->input));
	put(ret, "start_ns", ns_json(stall->start_ns));
	put(ret, "duration_ns", ns_json(stall->duration_ns));
	put(ret, "owed_by", json_string(owed_by_id(stall->owed_by)));
	put(ret, "cause", json_string(bucket_id(stall->bucket)));
	put(ret, "frame", count_json(stall->frame));
	return ret;
}

json_t *json_part_limit(const ResultLimit *limit)
{
	json_t *ret = json_object();

	put(ret, "limit", json_part_text(limit->limit));
	put(ret, "count", count_json(limit->count));
	put(ret, "effect", json_part_text(limit->effect));
	return ret;
}
