/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connections and sessions as JSON: see json_parts.h.
 */
#include "reports/json_parts.h"

#include <string.h>

#include "dissectors/message.h"
#include "reports/json_values.h"
#include "reports/session_facts.h"
#include "reports/wording.h"

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

static json_t *direction_json(const ResultDirection *d)
{
	json_t *ret = json_object();

	value_put(ret, "packets", value_count(d->packets));
	value_put(ret, "payload_packets", value_count(d->payload_packets));
	value_put(ret, "payload_bytes", value_count(d->payload_bytes));
	value_put(ret, "unique_bytes", value_count(d->unique_bytes));
	value_put(ret, "retransmitted_packets", value_count(d->retransmitted_packets));
	value_put(ret, "retransmitted_bytes", value_count(d->retransmitted_bytes));
	value_put(ret, "timeout_retransmissions", value_count(d->timeout_retransmissions));
	value_put(ret, "fast_retransmissions", value_count(d->fast_retransmissions));
	value_put(ret, "spurious_retransmissions", value_count(d->spurious_retransmissions));
	value_put(ret, "reordered_packets", value_count(d->reordered_packets));
	value_put(ret, "duplicate_packets", value_count(d->duplicate_packets));
	value_put(ret, "uncaptured_bytes", value_count(d->uncaptured_bytes));
	value_put(ret, "duplicate_acks", value_count(d->duplicate_acks));
	value_put(ret, "keep_alives", value_count(d->keep_alives));
	value_put(ret, "mss_bytes", value_known(d->mss_bytes));
	value_put(ret, "window_scale",
		d->window_scale < 0 ? json_null() : json_integer(d->window_scale));
	value_put(ret, "sack_permitted", json_boolean(d->sack_permitted));
	value_put(ret, "timestamps", json_boolean(d->timestamps));
	value_put(ret, "min_rtt_ns", value_ns(d->min_rtt_ns));
	value_put(ret, "median_rtt_ns", value_ns(d->median_rtt_ns));
	value_put(ret, "max_rtt_ns", value_ns(d->max_rtt_ns));
	value_put(ret, "max_in_flight_bytes", value_count(d->max_in_flight_bytes));
	value_put(ret, "max_window_bytes", value_count(d->max_window_bytes));
	value_put(ret, "window_full_ns", value_ns(d->window_full_ns));
	value_put(ret, "zero_windows", value_count(d->zero_windows));
	value_put(ret, "zero_window_ns", value_ns(d->zero_window_ns));
	value_put(ret, "max_segment_bytes", value_count(d->max_segment_bytes));
	return ret;
}

json_t *json_part_connection(const ReportOptions *options, const ResultConnection *c)
{
	json_t *ret = json_object();

	value_put(ret, "stream", json_integer(c->stream));
	value_put(ret, "input", json_integer(c->input));
	value_put(ret, "client", json_part_text(wording_endpoint(options, &c->client).text));
	value_put(ret, "server", json_part_text(wording_endpoint(options, &c->server).text));
	value_put(ret, "protocol", json_part_text(c->protocol));
	value_put(ret, "application", json_part_text(c->application));
	value_put(ret, "start_ns", value_ns(c->start_ns));
	value_put(ret, "duration_ns", value_ns(c->duration_ns));
	value_put(ret, "handshake_seen", json_boolean(c->handshake_seen));
	value_put(ret, "initial_rtt_ns", value_ns(c->initial_rtt_ns));
	value_put(ret, "min_rtt_ns", value_ns(c->min_rtt_ns));
	value_put(ret, "client_loop_ns", value_ns(c->client_loop_ns));
	value_put(ret, "server_loop_ns", value_ns(c->server_loop_ns));
	value_put(ret, "vantage", json_string(vantage_id(c->vantage)));
	value_put(ret, "closed_by", json_string(closed_by_id(c->closed_by)));
	value_put(ret, "middlebox_terminated", json_boolean(c->middlebox_terminated));
	value_put(ret, "client_to_server_capacity",
		value_capacity(
			c->capacity_bytes_per_s[SIDE_CLIENT], c->capacity_proven[SIDE_CLIENT]));
	value_put(ret, "server_to_client_capacity",
		value_capacity(
			c->capacity_bytes_per_s[SIDE_SERVER], c->capacity_proven[SIDE_SERVER]));
	value_put(ret, "client_to_server", direction_json(&c->direction[SIDE_CLIENT]));
	value_put(ret, "server_to_client", direction_json(&c->direction[SIDE_SERVER]));
	return ret;
}

static json_t *time_stats_json(const TimeStats *t)
{
	json_t *ret = json_object();
	bool known = t->count > 0;

	value_put(ret, "count", value_count(t->count));
	value_put(ret, "min", known ? value_ns(t->min_ns) : json_null());
	value_put(ret, "median", known ? value_ns(t->median_ns) : json_null());
	value_put(ret, "p95", known ? value_ns(t->p95_ns) : json_null());
	value_put(ret, "max", known ? value_ns(t->max_ns) : json_null());
	value_put(ret, "mean", known ? value_ns(t->mean_ns) : json_null());
	return ret;
}

static json_t *commands_json(const SessionStats *s)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < s->command_count; i++) {
		const CommandStats *c = &s->commands[i];
		json_t *entry = json_object();

		value_put(entry, "command",
			json_part_text(message_command_name(c->protocol, c->command)));
		value_put(entry, "requests", value_count(c->requests));
		value_put(entry, "responses", value_count(c->responses));
		value_put(entry, "errors", value_count(c->errors));
		value_put(entry, "pending", value_count(c->pending));
		value_put(entry, "response_time_ns", time_stats_json(&c->response_time));
		value_put(entry, "server_time_ns", time_stats_json(&c->server_time));
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
		value_put(bin, "from_bytes", value_count(i ? UINT64_C(1) << i : 0));
		value_put(bin, "count", value_count(sizes->bins[i]));
		json_array_append_new(bins, bin);
	}
	value_put(ret, "count", value_count(sizes->count));
	value_put(ret, "min_bytes", known ? value_count(sizes->min) : json_null());
	value_put(ret, "median_bytes", known ? value_count(sizes->median) : json_null());
	value_put(ret, "max_bytes", known ? value_count(sizes->max) : json_null());
	value_put(ret, "limited_by", json_string(session_size_limit_id(sizes->limit)));
	value_put(ret, "histogram", bins);
	return ret;
}

static json_t *phases_json(const ResultSession *session)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < session->phase_count; i++) {
		const ResultPhase *p = &session->phases[i];
		json_t *entry = json_object();

		value_put(entry, "phase", json_part_text(p->phase));
		value_put(entry, "start_ns", value_ns(p->start_ns));
		value_put(entry, "duration_ns", value_ns(p->duration_ns));
		value_put(entry, "busy_ns", value_ns(p->busy_ns));
		value_put(entry, "exchanges", json_integer(p->exchanges));
		value_put(entry, "how", json_part_text(p->how));
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
	value_put(ret, "start_ns", s->bin_count ? value_ns(session->bins_start_ns) : json_null());
	value_put(ret, "bin_ns", s->bin_count ? value_ns(s->bin_ns) : json_null());
	value_put(ret, "requests_in_flight_max", depths);
	value_put(ret, "credits_min", credits);
	return ret;
}

static json_t *paths_json(const SessionStats *s)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < s->file_count; i++) {
		const FileActivity *f = &s->files[i];
		json_t *entry = json_object();

		value_put(entry, "name", json_part_text(f->name));
		value_put(entry, "share",
			f->share && *f->share ? json_part_text(f->share) : json_null());
		value_put(entry, "directory", json_boolean(f->is_directory));
		value_put(entry, "size_bytes", value_known(f->size));
		value_put(entry, "operations", value_count(f->operations));
		value_put(entry, "errors", value_count(f->errors));
		value_put(entry, "opens", value_count(f->opens));
		value_put(entry, "not_found", value_count(f->not_found));
		value_put(entry, "asked_again", value_count(f->asked_again));
		value_put(entry, "reads", value_count(f->reads));
		value_put(entry, "writes", value_count(f->writes));
		value_put(entry, "lists", value_count(f->lists));
		value_put(entry, "metadata", value_count(f->metadata));
		value_put(entry, "read_bytes", value_count(f->read_bytes));
		value_put(entry, "written_bytes", value_count(f->written_bytes));
		value_put(entry, "reread_bytes", value_count(f->reread_bytes));
		value_put(entry, "hardly_read", value_count(f->hardly_read));
		value_put(entry, "busy_ns", value_ns(f->busy_ns));
		value_put(entry, "metadata_ns", value_ns(f->metadata_ns));
		value_put(entry, "longest_ns", value_ns(f->longest_ns));
		json_array_append_new(ret, entry);
	}
	return ret;
}

static json_t *anomalies_json(const SessionStats *s)
{
	json_t *ret = json_object();

	for (size_t i = 0; i < s->anomaly_kind_count; i++)
		value_put(ret, s->anomaly_kinds[i].kind, value_count(s->anomaly_kinds[i].count));
	return ret;
}

static json_t *features_json(const SessionStats *s)
{
	SessionFact facts[SESSION_FACTS_MAX];
	size_t count = session_facts(s, facts);
	json_t *ret = json_object();

	for (size_t i = 0; i < count; i++)
		value_put(ret, facts[i].key, value_count(facts[i].count));
	return ret;
}

static json_t *credits_json(const SessionStats *s)
{
	json_t *ret = json_object();

	value_put(ret, "charged", value_count(s->counts.credits_charged));
	value_put(ret, "granted", value_count(s->counts.credits_granted));
	value_put(ret, "min", balance_json(s->credits_min));
	value_put(ret, "max", balance_json(s->counts.credits_max));
	value_put(ret, "left", balance_json(s->counts.credits_left));
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

	value_put(ret, "streams", value_streams(session->streams, session->stream_count));
	value_put(ret, "input", json_integer(session->input));
	value_put(ret, "protocol", json_part_text(s->protocol));
	value_put(ret, "dialect", json_part_text(s->dialect));
	value_put(ret, "dialects_offered", value_texts(s->offered, offered));
	value_put(ret, "transport", json_string(session_transport_id(s->transport)));
	value_put(ret, "signed", json_boolean(s->is_signed));
	value_put(ret, "encrypted", json_boolean(s->is_encrypted));
	value_put(ret, "compressed", json_boolean(s->is_compressed));
	value_put(ret, "multi_credit", json_boolean(s->multi_credit));
	value_put(ret, "max_read_bytes", value_known(s->max_read_bytes));
	value_put(ret, "max_write_bytes", value_known(s->max_write_bytes));
	value_put(ret, "max_requests", value_known(s->max_requests));
	value_put(ret, "credits_min",
		s->credits_min == INT32_MIN ? json_null() : json_integer(s->credits_min));
	value_put(ret, "signing_required", json_boolean(s->signing_required));
	value_put(ret, "client_offered_smb2", json_boolean(s->client_offered_smb2));
	value_put(ret, "became_smb2", json_boolean(session->became_smb2));
	value_put(ret, "negotiate_seen", json_boolean(s->negotiate_seen));
	value_put(ret, "signing_algorithm", json_part_text(session_signing_name(s)));
	value_put(ret, "client_requires_signing", json_boolean(s->client_requires_signing));
	value_put(ret, "cipher", json_part_text(session_cipher_name(s)));
	value_put(ret, "multichannel", json_boolean(s->multichannel));
	value_put(ret, "bound_to_session", json_boolean(s->binding_seen));
	value_put(ret, "session_id", session_id_json(s));
	value_put(ret, "server_interfaces", value_known(s->interfaces));
	value_put(ret, "max_transact_bytes", value_known(s->max_buffer_bytes));
	value_put(ret, "ftp_ascii", json_boolean(s->ftp_ascii));
	value_put(ret, "first_data_ns", value_ns(session->first_data_ns));
	value_put(ret, "before_first_byte", phases_json(session));
	value_put(ret, "read_requests", sizes_json(&s->read_size));
	value_put(ret, "write_requests", sizes_json(&s->write_size));
	value_put(ret, "credits", credits_json(s));
	value_put(ret, "timeline", timeline_json(session));
	value_put(ret, "features", features_json(s));
	value_put(ret, "files", paths_json(s));
	value_put(ret, "files_forgotten", value_count(s->files_forgotten));
	value_put(ret, "malformed_by_kind", anomalies_json(s));
	value_put(ret, "malformed_messages", value_count(s->anomalies));
	value_put(ret, "resynchronisations", value_count(s->resyncs));
	value_put(ret, "commands", commands_json(s));
	return ret;
}
