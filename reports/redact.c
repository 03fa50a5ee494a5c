/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of redact.h. Every string has a class: an id of ours stays, a name becomes a
 * pseudonym, a sentence is rewritten; there is no fourth.
 */
#include "reports/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "reports/assets.h"

struct Redaction {
	Pseudonyms *names;
	GPtrArray *blocks; /* arrays of the copy */
	char *command_line;
	Result result;
	ReportOptions options;
};

/** block: zeroed memory that lives as long as the copy; NULL for nothing. */
static void *block(Redaction *r, size_t count, size_t size)
{
	void *ret = count ? g_malloc0_n(count, size) : NULL;

	if (ret)
		g_ptr_array_add(r->blocks, ret);
	return ret;
}

#define BLOCK(r, type, count) ((type *)block(r, count, sizeof(type)))

static const char *prose(Redaction *r, const char *text)
{
	return pseudonyms_prose(r->names, text);
}

/** ident: an id of ours (a cause, a protocol, "T1"): constants of the program or counted by it.
 * What does not look like one is a sentence. */
static const char *ident(Redaction *r, const char *text)
{
	if (text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-FTJ") == strlen(text) &&
		strlen(text) <= 48 && !pseudonyms_find_original(r->names, text, strlen(text)))
		return text;
	return prose(r, text);
}

/** foreign: a name from another program's fixed list; dropped when a name of the capture is in it.
 */
static const char *foreign(Redaction *r, const char *text)
{
	if (text && pseudonyms_find_original(r->names, text, strlen(text)))
		return NULL;
	return text;
}

static const char *const *prose_list(Redaction *r, const char *const *texts, size_t count)
{
	const char **ret = BLOCK(r, const char *, count);

	for (size_t i = 0; i < count; i++)
		ret[i] = prose(r, texts[i]);
	return (const char *const *)ret;
}

static ResultEndpoint endpoint(Redaction *r, const ResultEndpoint *from)
{
	ResultEndpoint ret = {.port = from->port};

	pseudonyms_address(r->names, from->addr, ret.addr);
	return ret;
}

/** know_hosts: all addresses before any gets its pseudonym, with who serves. */
static void know_hosts(Redaction *r, const Result *from)
{
	for (size_t i = 0; i < from->connection_count; i++) {
		pseudonyms_know_address(
			r->names, from->connections[i].client.addr, PSEUDONYM_CLIENT);
		pseudonyms_know_address(
			r->names, from->connections[i].server.addr, PSEUDONYM_SERVER);
	}
	for (size_t i = 0; i < from->transfer_count + from->job_count; i++) {
		const ResultTransfer *t = result_transfer(from, (int32_t)i);

		pseudonyms_know_address(r->names, t->client.addr, PSEUDONYM_CLIENT);
		pseudonyms_know_address(r->names, t->server.addr, PSEUDONYM_SERVER);
	}
	for (size_t i = 0; i < from->udp_flow_count; i++) {
		pseudonyms_know_address(r->names, from->udp_flows[i].from.addr, PSEUDONYM_CLIENT);
		pseudonyms_know_address(r->names, from->udp_flows[i].to.addr, PSEUDONYM_CLIENT);
	}
	for (size_t i = 0; i < from->host_pair_count; i++) {
		pseudonyms_know_address(r->names, from->host_pairs[i].a, PSEUDONYM_CLIENT);
		pseudonyms_know_address(r->names, from->host_pairs[i].b, PSEUDONYM_CLIENT);
	}
}

/** session_server: whom the shares of @session belong to; all zeros when its connection is not
 * listed. */
static const uint8_t *session_server(const Result *from, const ResultSession *session)
{
	static const uint8_t unknown[16];

	for (size_t i = 0; i < from->connection_count && session->stream_count > 0; i++) {
		if (from->connections[i].stream == session->streams[0] &&
			from->connections[i].input == session->input)
			return from->connections[i].server.addr;
	}
	return unknown;
}

static void know_paths(Redaction *r, const Result *from, const ResultSession *session)
{
	const SessionStats *s = &session->stats;
	const uint8_t *server = s->file_count > 0 ? session_server(from, session) : NULL;

	for (size_t i = 0; i < s->file_count; i++) {
		pseudonyms_share(r->names, s->files[i].share, server);
		pseudonyms_file(r->names, s->files[i].name);
	}
}

/** know_names: files, shares and inputs before any sentence that may speak of them. */
static void know_names(Redaction *r, const Result *from)
{
	for (size_t i = 0; i < from->input_count; i++)
		pseudonyms_capture(r->names, from->inputs[i].path);
	for (size_t i = 0; i < from->transfer_count + from->job_count; i++) {
		const ResultTransfer *t = result_transfer(from, (int32_t)i);

		pseudonyms_share(r->names, t->share, t->server.addr);
		pseudonyms_file(r->names, t->file);
	}
	for (size_t i = 0; i < from->session_count; i++)
		know_paths(r, from, &from->sessions[i]);
}

static void copy_inputs(Redaction *r, const Result *from)
{
	ResultInput *to = BLOCK(r, ResultInput, from->input_count);

	for (size_t i = 0; i < from->input_count; i++) {
		const ResultInput *input = &from->inputs[i];

		to[i] = (ResultInput){.path = pseudonyms_capture(r->names, input->path),
			.format = ident(r, input->format),
			.compression = ident(r, input->compression),
			.packets = input->packets,
			.bytes = input->bytes,
			.damaged_at = input->damaged_at,
			.damage = prose(r, input->damage)};
	}
	r->result.inputs = to;
	r->result.input_count = from->input_count;
}

static void copy_capture(Redaction *r, const ResultCapture *from)
{
	ResultCaveat *caveats = BLOCK(r, ResultCaveat, from->caveat_count);
	ResultCount *ignored = BLOCK(r, ResultCount, from->ignored_count);

	for (size_t i = 0; i < from->caveat_count; i++)
		caveats[i] = (ResultCaveat){.id = ident(r, from->caveats[i].id),
			.count = from->caveats[i].count,
			.text = prose(r, from->caveats[i].text)};
	for (size_t i = 0; i < from->ignored_count; i++)
		ignored[i] = (ResultCount){
			.name = ident(r, from->ignored[i].name), .count = from->ignored[i].count};
	r->result.capture = (ResultCapture){.first_packet_ns = from->first_packet_ns,
		.duration_ns = from->duration_ns,
		.packets = from->packets,
		.bytes = from->bytes,
		.captured_bytes = from->captured_bytes,
		/* libpcap's names of link types; they come from a number in the file */
		.link_types = from->link_types,
		.link_type_count = from->link_type_count,
		.snaplen = from->snaplen,
		.dropped_packets = from->dropped_packets,
		.grade = from->grade,
		.caveats = caveats,
		.caveat_count = from->caveat_count,
		.ignored = ignored,
		.ignored_count = from->ignored_count};
}

static void copy_verdict(Redaction *r, const ResultVerdict *from)
{
	ResultRuledOut *ruled_out = BLOCK(r, ResultRuledOut, from->ruled_out_count);

	for (size_t i = 0; i < from->ruled_out_count; i++)
		ruled_out[i] = (ResultRuledOut){.cause = ident(r, from->ruled_out[i].cause),
			.because = prose(r, from->ruled_out[i].because)};
	r->result.verdict = (ResultVerdict){.cause = ident(r, from->cause),
		.finding = from->finding,
		.transfer = from->transfer,
		.confidence = from->confidence,
		.blame = prose(r, from->blame),
		.sentence = prose(r, from->sentence),
		.measured_bytes_per_s = from->measured_bytes_per_s,
		.ceiling_bytes_per_s = from->ceiling_bytes_per_s,
		.ceiling_formula = prose(r, from->ceiling_formula),
		.predicted_bytes_per_s = from->predicted_bytes_per_s,
		.saved_ns = from->saved_ns,
		.ruled_out = ruled_out,
		.ruled_out_count = from->ruled_out_count};
}

static void copy_connections(Redaction *r, const Result *from)
{
	ResultConnection *to = BLOCK(r, ResultConnection, from->connection_count);

	for (size_t i = 0; i < from->connection_count; i++) {
		const ResultConnection *c = &from->connections[i];

		to[i] = (ResultConnection){.stream = c->stream,
			.input = c->input,
			.client = endpoint(r, &c->client),
			.server = endpoint(r, &c->server),
			.protocol = ident(r, c->protocol),
			/* nDPI's */
			.application = foreign(r, c->application),
			.start_ns = c->start_ns,
			.duration_ns = c->duration_ns,
			.handshake_seen = c->handshake_seen,
			.initial_rtt_ns = c->initial_rtt_ns,
			.min_rtt_ns = c->min_rtt_ns,
			.client_loop_ns = c->client_loop_ns,
			.server_loop_ns = c->server_loop_ns,
			.vantage = c->vantage,
			.closed_by = c->closed_by,
			.capacity_bytes_per_s = {c->capacity_bytes_per_s[0],
				c->capacity_bytes_per_s[1]},
			.capacity_proven = {c->capacity_proven[0], c->capacity_proven[1]},
			/* numbers only */
			.direction = {c->direction[0], c->direction[1]},
			.middlebox_terminated = c->middlebox_terminated};
	}
	r->result.connections = to;
	r->result.connection_count = from->connection_count;
}

static FileActivity *copy_paths(Redaction *r, const Result *result, const ResultSession *from)
{
	const SessionStats *s = &from->stats;
	FileActivity *to = BLOCK(r, FileActivity, s->file_count);
	const uint8_t *server = s->file_count > 0 ? session_server(result, from) : NULL;

	for (size_t i = 0; i < s->file_count; i++) {
		/* numbers only, but for the names */
		to[i] = s->files[i];
		to[i].name = pseudonyms_file(r->names, s->files[i].name);
		to[i].share = pseudonyms_share(r->names, s->files[i].share, server);
	}
	return to;
}

static ResultPhase *copy_phases(Redaction *r, const ResultSession *from)
{
	ResultPhase *to = BLOCK(r, ResultPhase, from->phase_count);

	for (size_t i = 0; i < from->phase_count; i++)
		to[i] = (ResultPhase){.phase = ident(r, from->phases[i].phase),
			.start_ns = from->phases[i].start_ns,
			.duration_ns = from->phases[i].duration_ns,
			.busy_ns = from->phases[i].busy_ns,
			.exchanges = from->phases[i].exchanges,
			.how = prose(r, from->phases[i].how)};
	return to;
}

static void copy_session(
	Redaction *r, const Result *result, const ResultSession *from, ResultSession *to)
{
	const SessionStats *s = &from->stats;
	SessionStats *t = &to->stats;

	to->streams = from->streams;
	to->stream_count = from->stream_count;
	to->input = from->input;
	to->phases = copy_phases(r, from);
	to->phase_count = from->phase_count;
	to->first_data_ns = from->first_data_ns;
	to->bins_start_ns = from->bins_start_ns;
	to->became_smb2 = from->became_smb2;
	*t = (SessionStats){.protocol = ident(r, s->protocol),
		.dialect = prose(r, s->dialect),
		.transport = s->transport,
		.over_netbios = s->over_netbios,
		.is_signed = s->is_signed,
		.is_encrypted = s->is_encrypted,
		.is_compressed = s->is_compressed,
		.multi_credit = s->multi_credit,
		.signing_required = s->signing_required,
		.client_offered_smb2 = s->client_offered_smb2,
		.negotiate_seen = s->negotiate_seen,
		.max_read_bytes = s->max_read_bytes,
		.max_write_bytes = s->max_write_bytes,
		.max_buffer_bytes = s->max_buffer_bytes,
		.max_requests = s->max_requests,
		.large_read = s->large_read,
		.large_write = s->large_write,
		.credits_min = s->credits_min,
		.cipher = s->cipher,
		.signing_algorithm = s->signing_algorithm,
		.has_signing_algorithm = s->has_signing_algorithm,
		/* numbers only */
		.commands = s->commands,
		.command_count = s->command_count,
		.anomalies = s->anomalies,
		.resyncs = s->resyncs,
		.requests_dropped = s->requests_dropped,
		.files_dropped = s->files_dropped,
		.ftp_ascii = s->ftp_ascii,
		.ftp_tls = s->ftp_tls,
		.client_requires_signing = s->client_requires_signing,
		.multichannel = s->multichannel,
		.binding_seen = s->binding_seen,
		/* the server's number, no name */
		.session_id = s->session_id,
		.interfaces = s->interfaces,
		.interfaces_scale = s->interfaces_scale,
		.breaks = s->breaks,
		.read_size = s->read_size,
		.write_size = s->write_size,
		.inferred = s->inferred,
		.unpaired_replies = s->unpaired_replies,
		.counts = s->counts,
		.files = copy_paths(r, result, from),
		.file_count = s->file_count,
		.files_forgotten = s->files_forgotten,
		.bins = s->bins,
		.bin_count = s->bin_count,
		.bins_start_ns = s->bins_start_ns,
		.bin_ns = s->bin_ns,
		.anomaly_kind_count = s->anomaly_kind_count};
	/* the dissectors' own words */
	memcpy(t->anomaly_kinds, s->anomaly_kinds, sizeof t->anomaly_kinds);
	t->offered_count = MIN(s->offered_count, G_N_ELEMENTS(s->offered));
	for (size_t i = 0; i < t->offered_count; i++)
		t->offered[i] = prose(r, s->offered[i]);
}

static void copy_transfer(Redaction *r, const ResultTransfer *from, ResultTransfer *to)
{
	*to = (ResultTransfer){.id = ident(r, from->id),
		.is_job = from->is_job,
		.streams = from->streams,
		.stream_count = from->stream_count,
		.input = from->input,
		.client = endpoint(r, &from->client),
		.server = endpoint(r, &from->server),
		.protocol = ident(r, from->protocol),
		.is_write = from->is_write,
		.file = pseudonyms_file(r->names, from->file),
		.share = pseudonyms_share(r->names, from->share, from->server.addr),
		.files = from->files,
		.bytes = from->bytes,
		.start_ns = from->start_ns,
		.duration_ns = from->duration_ns,
		.requests = from->requests,
		.request_bytes_median = from->request_bytes_median,
		.request_bytes_max = from->request_bytes_max,
		.requests_in_flight_mean = from->requests_in_flight_mean,
		.requests_in_flight_max = from->requests_in_flight_max,
		/* numbers only, down to `findings` */
		.slices = from->slices,
		.slice_count = from->slice_count,
		.series = from->series,
		.operations = from->operations,
		.operation_count = from->operation_count,
		.findings = from->findings,
		.finding_count = from->finding_count,
		.fixes = from->fixes,
		.fix_count = from->fix_count,
		.outlook = from->outlook,
		.capacity_bytes_per_s = from->capacity_bytes_per_s,
		.capacity_proven = from->capacity_proven,
		.rtt_ns = from->rtt_ns,
		.is_ftp_file = from->is_ftp_file,
		.ftp = from->ftp};
	memcpy(to->budget, from->budget, sizeof to->budget);
	memcpy(to->round_trip_ns, from->round_trip_ns, sizeof to->round_trip_ns);
	memcpy(to->server_ns, from->server_ns, sizeof to->server_ns);
}

static void copy_transfers(Redaction *r, const Result *from)
{
	ResultSession *sessions = BLOCK(r, ResultSession, from->session_count);
	ResultTransfer *transfers = BLOCK(r, ResultTransfer, from->transfer_count);
	ResultTransfer *jobs = BLOCK(r, ResultTransfer, from->job_count);

	for (size_t i = 0; i < from->session_count; i++)
		copy_session(r, from, &from->sessions[i], &sessions[i]);
	for (size_t i = 0; i < from->transfer_count; i++)
		copy_transfer(r, &from->transfers[i], &transfers[i]);
	for (size_t i = 0; i < from->job_count; i++)
		copy_transfer(r, &from->jobs[i], &jobs[i]);
	r->result.sessions = sessions;
	r->result.session_count = from->session_count;
	r->result.transfers = transfers;
	r->result.transfer_count = from->transfer_count;
	r->result.jobs = jobs;
	r->result.job_count = from->job_count;
}

static void copy_finding(Redaction *r, const ResultFinding *from, ResultFinding *to)
{
	ResultNumber *numbers = BLOCK(r, ResultNumber, from->number_count);
	ResultEvidence *evidence = BLOCK(r, ResultEvidence, from->evidence_count);

	for (size_t i = 0; i < from->number_count; i++)
		numbers[i] = (ResultNumber){.label = prose(r, from->numbers[i].label),
			.kind = from->numbers[i].kind,
			.value = from->numbers[i].value,
			.name = prose(r, from->numbers[i].name)};
	for (size_t i = 0; i < from->evidence_count; i++)
		evidence[i] = (ResultEvidence){.input = from->evidence[i].input,
			.frame = from->evidence[i].frame,
			.time_ns = from->evidence[i].time_ns,
			.note = prose(r, from->evidence[i].note)};
	*to = (ResultFinding){.id = ident(r, from->id),
		.cause = ident(r, from->cause),
		.severity = from->severity,
		.confidence = from->confidence,
		.scope = from->scope,
		.scope_id = prose(r, from->scope_id),
		.transfer = from->transfer,
		.title = prose(r, from->title),
		.sentence = prose(r, from->sentence),
		.explanation = prose(r, from->explanation),
		.fix = prose(r, from->fix),
		.advice = prose_list(r, from->advice, from->advice_count),
		.advice_count = from->advice_count,
		.doubt = prose(r, from->doubt),
		.next_test = prose(r, from->next_test),
		.lost_ns = from->lost_ns,
		.saved_ns = from->saved_ns,
		.predicted_bytes_per_s = from->predicted_bytes_per_s,
		.ceiling_bytes_per_s = from->ceiling_bytes_per_s,
		.ceiling_formula = prose(r, from->ceiling_formula),
		.numbers = numbers,
		.number_count = from->number_count,
		.evidence = evidence,
		.evidence_count = from->evidence_count,
		.filter = pseudonyms_filter(r->names, from->filter)};
}

static void copy_findings(Redaction *r, const Result *from)
{
	ResultFinding *to = BLOCK(r, ResultFinding, from->finding_count);

	for (size_t i = 0; i < from->finding_count; i++)
		copy_finding(r, &from->findings[i], &to[i]);
	r->result.findings = to;
	r->result.finding_count = from->finding_count;
}

static ResultHostWay copy_way(Redaction *r, const ResultHostWay *from)
{
	ResultHostWay to = *from;

	to.reference = prose(r, from->reference);
	return to;
}

static void copy_hosts(Redaction *r, const Result *from)
{
	ResultSharing *sharings = BLOCK(r, ResultSharing, from->sharing_count);
	ResultUdpFlow *flows = BLOCK(r, ResultUdpFlow, from->udp_flow_count);

	for (size_t i = 0; i < from->sharing_count; i++) {
		sharings[i] = from->sharings[i];
		pseudonyms_address(r->names, from->sharings[i].host, sharings[i].host);
	}
	for (size_t i = 0; i < from->udp_flow_count; i++) {
		flows[i] = from->udp_flows[i];
		pseudonyms_address(r->names, from->udp_flows[i].from.addr, flows[i].from.addr);
		pseudonyms_address(r->names, from->udp_flows[i].to.addr, flows[i].to.addr);
	}
	r->result.sharings = sharings;
	r->result.sharing_count = from->sharing_count;
	r->result.udp_flows = flows;
	r->result.udp_flow_count = from->udp_flow_count;
}

static void copy_rest(Redaction *r, const Result *from)
{
	ResultHostPair *pairs = BLOCK(r, ResultHostPair, from->host_pair_count);
	ResultLimit *limits = BLOCK(r, ResultLimit, from->limit_count);

	for (size_t i = 0; i < from->host_pair_count; i++) {
		const ResultHostPair *pair = &from->host_pairs[i];

		pairs[i] = (ResultHostPair){.a_to_b = copy_way(r, &pair->a_to_b),
			.b_to_a = copy_way(r, &pair->b_to_a),
			.asymmetry = pair->asymmetry,
			.asymmetry_bucket = pair->asymmetry_bucket,
			.asymmetry_text = prose(r, pair->asymmetry_text),
			.protocols = prose_list(r, pair->protocols, pair->protocol_count),
			.protocol_count = pair->protocol_count,
			.worst_finding = pair->worst_finding};
		pseudonyms_address(r->names, pair->a, pairs[i].a);
		pseudonyms_address(r->names, pair->b, pairs[i].b);
	}
	for (size_t i = 0; i < from->limit_count; i++)
		limits[i] = (ResultLimit){.limit = ident(r, from->limits[i].limit),
			.count = from->limits[i].count,
			.effect = prose(r, from->limits[i].effect)};
	r->result.host_pairs = pairs;
	r->result.host_pair_count = from->host_pair_count;
	r->result.limits = limits;
	r->result.limit_count = from->limit_count;
	/* numbers only */
	r->result.stalls = from->stalls;
	r->result.stall_count = from->stall_count;
	r->result.assumption = from->assumption;
	r->result.is_partial = from->is_partial;
	r->result.internal_errors = from->internal_errors;
}

/** is_own_value: whether the value of that option is one of our words or a number, and so tells
 * nothing of anybody. */
static bool is_own_value(const char *option)
{
	static const char *const options[] = {
		"--format", "--fail-on", "--color", "--memory", "--link-speed", "--assume"};

	for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
		if (strcmp(option, options[i]) == 0)
			return true;
	}
	return false;
}

/** command_word: what stands for one word of a command line. @before: the word before it. */
static void command_word(
	Pseudonyms *names, GString *out, const char *before, const char *word, bool is_command)
{
	const char *equals = strchr(word, '=');
	g_autofree char *option = equals ? g_strndup(word, (gsize)(equals - word)) : NULL;
	const char *known;

	if (is_command) {
		g_string_append(out, word);
	} else if (word[0] == '-' && word[1] == '-' && equals) {
		g_string_append_printf(out, "%s=%s", pseudonyms_prose(names, option),
			is_own_value(option) ? pseudonyms_prose(names, equals + 1) : "[name]");
	} else if (word[0] == '-' && (word[1] == '-' || strlen(word) <= 3)) {
		g_string_append(out, pseudonyms_prose(names, word));
	} else if ((known = pseudonyms_known_capture(names, word))) {
		g_string_append(out, known);
	} else {
		/* a path, an expression: our own words may be somebody's names there */
		g_string_append(
			out, is_own_value(before) ? pseudonyms_prose(names, word) : "[name]");
	}
}

char *redact_command_line(Pseudonyms *names, const char *line)
{
	g_auto(GStrv) words = NULL;
	g_autoptr(GString) out = g_string_new(NULL);

	if (!line || !g_shell_parse_argv(line, NULL, &words, NULL))
		return NULL;
	for (size_t i = 0; words[i]; i++) {
		bool is_command = i == 0 || (i == 1 && (strcmp(words[1], "analyze") == 0 ||
							       strcmp(words[1], "compare") == 0));

		g_string_append(out, i ? " " : "");
		command_word(names, out, i ? words[i - 1] : "", words[i], is_command);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/** option_values: what is no number and none of our words is not told. */
static const char *const *option_values(Redaction *r, const ReportOptions *from)
{
	const char **ret = BLOCK(r, const char *, from->option_count);

	for (size_t i = 0; i < from->option_count; i++) {
		g_autofree char *option = g_strconcat("--", from->option_names[i], NULL);

		ret[i] = is_own_value(option) ? prose(r, from->option_values[i]) : "[name]";
	}
	return (const char *const *)ret;
}

static void copy_options(Redaction *r, const ReportOptions *from)
{
	r->options = *from;
	r->options.redact = true;
	r->options.pseudonyms = r->names;
	r->command_line = redact_command_line(r->names, from->command_line);
	r->options.command_line = r->command_line;
	r->options.option_values = option_values(r, from);
}

Redaction *redaction_new(const Result *result, const ReportOptions *options)
{
	Redaction *r = g_new0(Redaction, 1);

	r->names = pseudonyms_new();
	r->blocks = g_ptr_array_new_with_free_func(g_free);
	know_hosts(r, result);
	know_names(r, result);
	copy_connections(r, result);
	copy_inputs(r, result);
	copy_capture(r, &result->capture);
	copy_verdict(r, &result->verdict);
	copy_transfers(r, result);
	copy_findings(r, result);
	copy_rest(r, result);
	copy_hosts(r, result);
	copy_options(r, options);
	return r;
}

const Result *redaction_result(const Redaction *r)
{
	return &r->result;
}

const ReportOptions *redaction_options(const Redaction *r)
{
	return &r->options;
}

Pseudonyms *redaction_pseudonyms(const Redaction *r)
{
	return r->names;
}

/** next_asset: the first of our own files inside [@text, @end), which hold words no source says. */
static const char *next_asset(const char *text, const char *end, size_t *ret_len)
{
	const char *first = NULL;

	for (int i = 0; i < ASSET_COUNT; i++) {
		const char *asset = report_asset((ReportAsset)i);
		size_t len = strlen(asset);
		const char *at = len ? memmem(text, (size_t)(end - text), asset, len) : NULL;

		if (at && (!first || at < first)) {
			first = at;
			*ret_len = len;
		}
	}
	return first;
}

bool redaction_check(const Redaction *r, const char *text, size_t len, GError **error)
{
	const char *end = text + len, *found = NULL;

	while (text < end && !found) {
		size_t skip = 0;
		const char *asset = next_asset(text, end, &skip);

		found = pseudonyms_find_original(
			r->names, text, (size_t)((asset ? asset : end) - text));
		text = asset ? asset + skip : end;
	}
	if (found)
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_REFUSED,
			"the redacted report would hold the name behind %s, so it is not written; "
			"this is an error in slowcopy, please report it (--no-redact writes it "
			"with all names)",
			found);
	return !found;
}

bool redaction_write_map(const Redaction *r, const char *path, GError **error)
{
	g_autofree char *map = pseudonyms_map(r->names);
	g_autofree char *temporary = g_strconcat(path, ".XXXXXX", NULL);
	size_t len = strlen(map), done = 0;
	int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0600), code = fd < 0 ? errno : 0;

	while (fd >= 0 && !code && done < len) {
		ssize_t n = write(fd, map + done, len - done);

		if (n < 0 && errno != EINTR)
			code = errno;
		else if (n > 0)
			done += (size_t)n;
	}
	if (fd >= 0 && !code && fsync(fd) != 0 && errno != EINVAL)
		code = errno;
	if (fd >= 0 && close(fd) != 0 && !code)
		code = errno;
	if (!code && rename(temporary, path) != 0)
		code = errno;
	if (!code)
		return true;
	if (fd >= 0)
		unlink(temporary);
	g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "cannot write %s: %s", path,
		g_strerror(code));
	return false;
}

void redaction_free(Redaction *r)
{
	if (!r)
		return;
	pseudonyms_free(r->names);
	g_ptr_array_unref(r->blocks);
	g_free(r->command_line);
	g_free(r);
}
