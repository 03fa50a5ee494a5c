/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of wording.h.
 */
#include "reports/wording.h"

#include <string.h>

#include "analyzer/constants.h"
#include "reports/escape.h"
#include "reports/pseudonym.h"

const char *wording_confidence(Confidence confidence)
{
	switch (confidence) {
	case CONFIDENCE_LOW:
		return "low";
	case CONFIDENCE_MEDIUM:
		return "medium";
	case CONFIDENCE_HIGH:
		return "high";
	}
	return "low";
}

const char *wording_severity(Severity severity)
{
	switch (severity) {
	case SEVERITY_INFO:
		return "info";
	case SEVERITY_MINOR:
		return "minor";
	case SEVERITY_MAJOR:
		return "major";
	case SEVERITY_CRITICAL:
		return "critical";
	}
	return "info";
}

UnitText wording_stream(uint32_t stream)
{
	UnitText ret;

	if (stream >= STREAM_NOT_TCP)
		g_snprintf(ret.text, sizeof ret.text, "nbf");
	else
		g_snprintf(ret.text, sizeof ret.text, "%u", stream);
	return ret;
}

UnitText wording_session(const ResultSession *session)
{
	UnitText ret;

	if (session->stream_count > 0)
		return wording_stream(session->streams[0]);
	g_snprintf(ret.text, sizeof ret.text, "%s", session_transport_id(session->stats.transport));
	return ret;
}

/** session_of: the session that carried @transfer, or NULL. */
static const ResultSession *session_of(const Result *result, const ResultTransfer *transfer)
{
	if (transfer->stream_count == 0)
		return NULL;
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];

		for (size_t k = 0; k < session->stream_count; k++) {
			if (session->input == transfer->input &&
				session->streams[k] == transfer->streams[0])
				return session;
		}
	}
	return NULL;
}

char *wording_protocol(const Result *result, const ResultTransfer *transfer)
{
	const char *protocol = transfer->protocol ? transfer->protocol : "other";
	const ResultSession *session = session_of(result, transfer);

	if (strcmp(protocol, "smb1") == 0)
		return g_strdup("SMB1");
	if (strcmp(protocol, "smb2") == 0)
		return session && session->stats.dialect
			       ? g_strdup_printf("SMB %s", session->stats.dialect)
			       : g_strdup("SMB2");
	if (strcmp(protocol, "smb") == 0)
		return g_strdup("SMB");
	if (g_str_has_prefix(protocol, "ftp"))
		return g_strdup("FTP");
	return g_strdup("TCP");
}

char *wording_files(const ResultTransfer *transfer)
{
	g_autofree char *listings = g_strdup_printf("%s directory listing%s",
		units_count(transfer->listings).text, transfer->listings == 1 ? "" : "s");
	if (transfer->files == 0 && transfer->listings > 0)
		return g_steal_pointer(&listings);
	/* the messages that opened them were not captured */
	if (transfer->files == 0)
		return g_strdup(transfer->bytes > 0 ? "unnamed files" : "no file");
	return g_strdup_printf("%s file%s%s%s", units_count(transfer->files).text,
		transfer->files == 1 ? "" : "s", transfer->listings > 0 ? " and " : "",
		transfer->listings > 0 ? listings : "");
}

/** file_words: the name of the file without its folders, or how many there are. */
static char *file_words(const ResultTransfer *transfer)
{
	const char *name = transfer->file, *p;

	if (transfer->is_job)
		return wording_files(transfer);
	if (transfer->is_listing)
		return g_strdup("a directory listing");
	if (!name || !*name)
		return g_strdup("an unnamed file");
	for (p = name; *p; p++) {
		if ((*p == '\\' || *p == '/') && p[1])
			name = p + 1;
	}
	return escape_cut(name, 60, true);
}

const char *wording_host(const ReportOptions *options, const uint8_t address[16], UnitText *room)
{
	const char *name =
		options->pseudonyms ? pseudonyms_host(options->pseudonyms, address) : NULL;

	if (name)
		return name;
	*room = units_address(address);
	return room->text;
}

UnitText wording_endpoint(const ReportOptions *options, const ResultEndpoint *endpoint)
{
	const char *name =
		options->pseudonyms ? pseudonyms_host(options->pseudonyms, endpoint->addr) : NULL;
	UnitText ret;

	if (!name)
		return units_endpoint(endpoint);
	g_snprintf(ret.text, sizeof ret.text, "%.32s:%u", name, endpoint->port);
	return ret;
}

bool wording_is_fileless(const ResultTransfer *transfer)
{
	return transfer->is_job && transfer->files == 0 && transfer->bytes == 0;
}

/** fileless_verdict: what took the time when no file was moved. */
static char *fileless_verdict(const Result *result, const ReportOptions *options,
	const ResultTransfer *transfer, const char *sentence)
{
	const ResultVerdict *v = &result->verdict;
	g_autofree char *protocol = wording_protocol(result, transfer);
	UnitText rooms[2];
	const ResultSession *session = session_of(result, transfer);
	/* small files hide among the other messages of an encrypted session */
	bool is_hidden = session && session->stats.counts.hidden > 0;
	g_autofree char *what =
		transfer->files_unseen > 0
			? g_strdup_printf("The data of %s file%s was not captured",
				  units_count(transfer->files_unseen).text,
				  transfer->files_unseen == 1 ? "" : "s")
			: g_strdup(is_hidden ? "No file can be recognised in this encrypted session"
					     : "No file was transferred");
	g_autofree char *work = g_strdup_printf("%s: %s worked on %s for %s (%s)", what,
		wording_host(options, transfer->client.addr, &rooms[0]),
		wording_host(options, transfer->server.addr, &rooms[1]),
		units_duration(transfer->duration_ns).text, protocol);
	size_t order[BUCKET_COUNT];

	if (v->cause && v->blame)
		return g_strdup_printf("%s, %sheld up by the %s. %s", work,
			v->confidence == CONFIDENCE_LOW ? "possibly " : "", v->blame,
			sentence ? sentence : "");
	if (v->cause)
		return g_strdup_printf("%s. %s", work, sentence ? sentence : "");
	if (wording_budget_order(transfer, order) == 0)
		return g_strdup_printf("%s.", work);
	const ResultBucket *most = &transfer->budget[order[0]];
	g_autofree char *title = wording_bucket(transfer, most);

	return g_strdup_printf("%s; most of the time went into: %s, %s (%s).", work, title,
		units_duration(most->ns).text, units_share(most->ns, transfer->duration_ns).text);
}

char *wording_subject(
	const Result *result, const ReportOptions *options, const ResultTransfer *transfer)
{
	g_autofree char *protocol = wording_protocol(result, transfer);
	g_autofree char *file = file_words(transfer);
	UnitText rooms[2];
	const char *client = wording_host(options, transfer->client.addr, &rooms[0]);
	const char *server = wording_host(options, transfer->server.addr, &rooms[1]);

	if (wording_is_fileless(transfer))
		return g_strdup_printf("Work of %s on %s %s (%s)", client, server,
			transfer->files_unseen > 0 ? "whose files were not captured"
						   : "without a file transfer",
			protocol);
	return g_strdup_printf("Copy of %s from %s to %s (%s %s, %s)", file,
		transfer->is_write ? client : server, transfer->is_write ? server : client,
		protocol, transfer->is_write ? "write" : "read", units_size(transfer->bytes).text);
}

char *wording_verdict(const Result *result, const ReportOptions *options)
{
	const ResultVerdict *v = &result->verdict;
	const ResultTransfer *transfer = result_transfer(result, v->transfer);
	g_autofree char *subject = transfer ? wording_subject(result, options, transfer) : NULL;
	const char *sentence = v->sentence && *v->sentence ? v->sentence : NULL;

	if (!transfer)
		return g_strdup(sentence ? sentence : "There is no file transfer in this capture.");
	if (wording_is_fileless(transfer))
		return fileless_verdict(result, options, transfer, sentence);
	if (!v->cause)
		return g_strdup_printf(
			"%s %s.", sentence ? sentence : "Nothing is wrong.", subject);
	if (!v->blame)
		return g_strdup_printf("%s was slow. %s", subject, sentence ? sentence : "");
	return g_strdup_printf("%s was %slimited by the %s. %s", subject,
		v->confidence == CONFIDENCE_LOW ? "possibly " : "", v->blame,
		sentence ? sentence : "");
}

bool wording_is_healthy(const Result *result)
{
	const ResultVerdict *v = &result->verdict;

	return !v->cause && v->transfer >= 0 &&
	       (!v->sentence || g_str_has_prefix(v->sentence, "Nothing is wrong"));
}

char *wording_rates(const Result *result)
{
	const ResultVerdict *v = &result->verdict;
	const ResultTransfer *transfer = result_transfer(result, v->transfer);
	GString *out;

	if (!transfer || !(v->measured_bytes_per_s > 0))
		return NULL;
	out = g_string_new(NULL);
	g_string_append_printf(out, "measured %s", units_rate_both(v->measured_bytes_per_s).text);
	if (v->ceiling_formula)
		g_string_append_printf(out, "; ceiling %s", v->ceiling_formula);
	else if (v->ceiling_bytes_per_s > 0)
		g_string_append_printf(
			out, "; ceiling %s", units_rate(v->ceiling_bytes_per_s).text);
	if (transfer->capacity_proven && transfer->capacity_bytes_per_s > 0)
		g_string_append_printf(out, "; the path carries %s",
			units_rate(transfer->capacity_bytes_per_s).text);
	return g_string_free(out, FALSE);
}

char *wording_bucket(const ResultTransfer *transfer, const ResultBucket *bucket)
{
	/* four fifths: the word in brackets must not hide a second kind of work */
	for (int c = OP_OTHER + 1; c < OP_CLASS_COUNT; c++) {
		int64_t ns = result_class_ns(transfer, bucket->bucket, (OpClass)c);
		if (ns > 0 && ns >= bucket->ns / 5 * 4)
			return g_strdup_printf(
				"%s (%s)", bucket_title(bucket->bucket), op_class_id((OpClass)c));
	}
	return g_strdup(bucket_title(bucket->bucket));
}

char *wording_ruled_out(const Result *result, size_t count)
{
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < MIN(count, result->verdict.ruled_out_count); i++) {
		const ResultRuledOut *entry = &result->verdict.ruled_out[i];

		g_string_append_printf(out, "%s%s", i ? "; " : "",
			entry->because && *entry->because ? entry->because : entry->cause);
	}
	if (out->len == 0) {
		g_string_free(out, TRUE);
		return NULL;
	}
	return g_string_free(out, FALSE);
}

char *wording_fix(const Result *result, const ResultFinding *finding)
{
	const ResultTransfer *transfer = result_transfer(result, finding->transfer);
	bool saves = finding->saved_ns.high != RESULT_UNKNOWN_NS && finding->saved_ns.high > 0;
	GString *out;

	if (!finding->fix || !*finding->fix)
		return NULL;
	/* a doubtful cause's fix must not read like the others */
	out = g_string_new(finding->confidence == CONFIDENCE_LOW ? "possibly: " : "");
	g_string_append(out, finding->fix);
	if (finding->predicted_bytes_per_s.high > 0)
		g_string_append_printf(
			out, " → %s", units_rate_range(finding->predicted_bytes_per_s).text);
	/* what several copies would save together is no part of one copy's time */
	if (saves && finding->scope == SCOPE_HOST_PAIR)
		g_string_append_printf(out, " (saves %s in all copies it held up%s)",
			units_duration_range(finding->saved_ns).text,
			finding->saved_ns.high > result->capture.duration_ns ? " at the same time"
									     : "");
	else if (saves && transfer)
		g_string_append_printf(out, " (saves %s of %s)",
			units_duration_range(finding->saved_ns).text,
			units_duration(transfer->duration_ns).text);
	else if (saves)
		g_string_append_printf(
			out, " (saves %s)", units_duration_range(finding->saved_ns).text);
	return g_string_free(out, FALSE);
}

char *wording_assumption(const Result *result)
{
	const ResultAssumption *a = &result->assumption;
	GString *out;

	if (!a->is_given)
		return NULL;
	out = g_string_new(NULL);
	if (a->rtt_ns > 0)
		g_string_append_printf(
			out, ", round trip %s", units_duration((int64_t)a->rtt_ns).text);
	if (a->bytes_per_s > 0)
		g_string_append_printf(out, ", link %s", units_rate_bits(a->bytes_per_s).text);
	if (a->window_bytes > 0)
		g_string_append_printf(
			out, ", window %s", units_buffer((uint64_t)a->window_bytes).text);
	if (a->request_bytes > 0)
		g_string_append_printf(
			out, ", requests of %s", units_buffer((uint64_t)a->request_bytes).text);
	if (a->depth > 0)
		g_string_append_printf(out, ", %s under way", units_count((uint64_t)a->depth).text);
	g_string_erase(out, 0, 2);
	return g_string_free(out, FALSE);
}

char *wording_outlook(const ResultTransfer *transfer)
{
	const ResultOutlook *o = transfer ? transfer->outlook : NULL;

	if (!o)
		return g_strdup("nothing can be said: the round trip or the bytes are not known");
	return g_strdup_printf("%s instead of %s (%s), limited by: %s%s%s%s",
		units_duration_range(o->duration_ns).text,
		units_duration(transfer->duration_ns).text, units_rate_range(o->bytes_per_s).text,
		bucket_title(o->limit), o->formula ? " (" : "", o->formula ? o->formula : "",
		o->formula ? ")" : "");
}

char *wording_fixes_together(const ResultTransfer *transfer)
{
	if (!transfer || transfer->fix_count < 2)
		return NULL;
	return g_strdup_printf("%s: %s instead of %s",
		transfer->fix_count == 2 ? "both" : "all of these",
		units_duration_range(transfer->fixes[transfer->fix_count - 1].duration_ns).text,
		units_duration(transfer->duration_ns).text);
}

char *wording_fixes_in_order(const Result *result, const ResultTransfer *transfer)
{
	GString *out;

	if (!transfer || transfer->fix_count < 2)
		return NULL;
	out = g_string_new(NULL);
	for (size_t i = 0; i < transfer->fix_count; i++)
		g_string_append_printf(out, "%s%s", i ? ", then " : "",
			result->findings[transfer->fixes[i].finding].id);
	g_string_append_printf(out, ": %s", units_duration(transfer->duration_ns).text);
	for (size_t i = 0; i < transfer->fix_count; i++)
		g_string_append_printf(
			out, " → %s", units_duration_range(transfer->fixes[i].duration_ns).text);
	return g_string_free(out, FALSE);
}

bool wording_is_fix(const Result *result, const ResultFinding *finding)
{
	if (!finding->fix || !*finding->fix)
		return false;
	/* a fix for another copy is told with that one */
	if (finding->transfer != result->verdict.transfer && finding->transfer >= 0)
		return false;
	return finding->severity > SEVERITY_INFO || !wording_is_healthy(result);
}

/** count_by_name: adds @count to @name in a list kept in order of first appearance. */
static void count_by_name(GPtrArray *names, GArray *counts, const char *name, uint64_t count)
{
	for (guint i = 0; i < names->len; i++) {
		if (strcmp(g_ptr_array_index(names, i), name) == 0) {
			g_array_index(counts, uint64_t, i) += count;
			return;
		}
	}
	g_ptr_array_add(names, g_strdup(name));
	g_array_append_val(counts, count);
}

/* Kinds named in one sentence; the rest is summed up. */
#define KINDS_NAMED 6

static void append_counts(GString *out, GPtrArray *names, GArray *counts)
{
	for (guint i = 0; i < names->len && i < KINDS_NAMED; i++)
		g_string_append_printf(out, "%s%s %s", i ? ", " : "",
			units_count(g_array_index(counts, uint64_t, i)).text,
			(const char *)g_ptr_array_index(names, i));
	if (names->len > KINDS_NAMED)
		g_string_append(out, ", …");
}

char *wording_possible(const Result *result, size_t index)
{
	for (size_t i = 0; i < result->finding_count; i++) {
		const ResultFinding *f = &result->findings[i];

		if (f->confidence > CONFIDENCE_LOW || !f->next_test || f->transfer < 0 ||
			f->transfer != result->verdict.transfer || index-- > 0)
			continue;
		return g_strdup_printf("%s (%s). To be sure: %s", f->title, f->cause, f->next_test);
	}
	return NULL;
}

char *wording_way(const ResultHostWay *way)
{
	GString *text = g_string_new(NULL);

	if (way->read_bytes_per_s > 0)
		g_string_append_printf(text, "read %s", units_rate(way->read_bytes_per_s).text);
	if (way->written_bytes_per_s > 0)
		g_string_append_printf(text, "%swritten %s", text->len ? ", " : "",
			units_rate(way->written_bytes_per_s).text);
	return g_string_free(text, FALSE);
}

char *wording_lost(const ResultUdpFlow *flow)
{
	uint64_t sent;

	if (flow->lost == RESULT_UNKNOWN_COUNT)
		return g_strdup("unknown");
	sent = flow->datagrams + flow->lost;
	return g_strdup_printf("%s of %s (%s)", units_count(flow->lost).text,
		units_count(sent).text,
		units_percent(sent ? 100.0 * (double)flow->lost / (double)sent : 0).text);
}

/** protocol_words: a connection's protocol as people write it. */
static const char *protocol_words(const char *protocol)
{
	static const char *const words[][2] = {{"smb1", "SMB1"}, {"smb2", "SMB2"}, {"ftp", "FTP"},
		{"ftp-data", "FTP data"}, {"netbios", "NetBIOS"},
		{"other", "of an unknown program"}};

	for (size_t i = 0; protocol && i < G_N_ELEMENTS(words); i++) {
		if (strcmp(protocol, words[i][0]) == 0)
			return words[i][1];
	}
	return protocol ? protocol : "unknown";
}

char *wording_seen(const Result *result)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GArray) other_counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < result->connection_count; i++) {
		const ResultConnection *c = &result->connections[i];

		count_by_name(names, counts,
			c->application ? c->application : protocol_words(c->protocol), 1);
	}
	for (size_t i = 0; i < result->capture.ignored_count; i++) {
		if (result->capture.ignored[i].count > 0)
			count_by_name(others, other_counts, result->capture.ignored[i].name,
				result->capture.ignored[i].count);
	}
	if (result->capture.packets == 0) {
		g_string_append(out, "no packet at all");
		return g_string_free(out, FALSE);
	}
	g_string_append_printf(out, "%s TCP connection%s",
		units_count(result->connection_count).text,
		result->connection_count == 1 ? "" : "s");
	if (names->len > 0) {
		g_string_append(out, " (");
		append_counts(out, names, counts);
		g_string_append(out, ")");
	}
	if (others->len > 0) {
		g_string_append(out, "; other packets: ");
		append_counts(out, others, other_counts);
	}
	return g_string_free(out, FALSE);
}

char *wording_capture(const Result *result)
{
	const ResultCapture *c = &result->capture;
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%s, %s packet%s", units_duration(c->duration_ns).text,
		units_count(c->packets).text, c->packets == 1 ? "" : "s");
	if (c->grade)
		g_string_append_printf(out, ", capture grade %c", c->grade);
	if (c->dropped_packets > 0)
		g_string_append_printf(out, ", %s dropped by the capture",
			units_count((uint64_t)c->dropped_packets).text);
	return g_string_free(out, FALSE);
}

/** hidden_warning: what an encrypted session keeps to itself; NULL when there is none. */
static char *hidden_warning(const Result *result)
{
	uint64_t smb = 0, ftp = 0;

	for (size_t i = 0; i < result->session_count; i++) {
		const SessionStats *s = &result->sessions[i].stats;

		if (s->counts.hidden > 0)
			*(strcmp(s->protocol, "ftp") == 0 ? &ftp : &smb) += 1;
	}
	if (smb > 0)
		return g_strdup_printf(
			"%s SMB3 session%s encrypted: names, commands and errors stay "
			"hidden, sizes and times come from the lengths of messages "
			"(--smb-key opens them)",
			units_count(smb).text, smb == 1 ? " is" : "s are");
	if (ftp > 0)
		return g_strdup_printf(
			"%s FTP session%s encrypted: names and commands stay hidden, "
			"data connections are known by time and address",
			units_count(ftp).text, ftp == 1 ? " is" : "s are");
	return NULL;
}

GPtrArray *wording_warnings(const Result *result)
{
	GPtrArray *ret = g_ptr_array_new_with_free_func(g_free);

	if (result->internal_errors > 0)
		g_ptr_array_add(ret,
			g_strdup_printf("slowcopy found %s error%s of its own in this analysis: "
					"do not trust it, please report it",
				units_count(result->internal_errors).text,
				result->internal_errors == 1 ? "" : "s"));
	for (size_t i = 0; i < result->input_count; i++) {
		const ResultInput *input = &result->inputs[i];

		if (input->damage && input->damaged_at >= 0)
			g_ptr_array_add(ret,
				g_strdup_printf("%s is damaged at byte %" G_GINT64_FORMAT ": %s",
					input->path, input->damaged_at, input->damage));
		else if (input->damage)
			g_ptr_array_add(ret, g_strdup_printf("%s: %s", input->path, input->damage));
	}
	for (size_t i = 0; i < result->capture.caveat_count; i++)
		g_ptr_array_add(ret, g_strdup(result->capture.caveats[i].text));
	char *hidden = hidden_warning(result);
	if (hidden)
		g_ptr_array_add(ret, hidden);
	for (size_t i = 0; i < result->limit_count; i++)
		g_ptr_array_add(
			ret, g_strdup_printf("limit reached: %s", result->limits[i].effect));
	return ret;
}

char *wording_inputs(const Result *result)
{
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < result->input_count; i++) {
		g_autofree char *word = escape_shell(result->inputs[i].path);

		g_string_append_printf(out, "%s%s", i ? " " : "", word);
	}
	return g_string_free(out, FALSE);
}

size_t wording_budget_order(const ResultTransfer *transfer, size_t ret[BUCKET_COUNT])
{
	size_t count = 0;

	for (size_t i = 0; i < BUCKET_COUNT; i++) {
		size_t at = count;

		if (transfer->budget[i].ns == 0)
			continue;
		while (at > 0 && transfer->budget[ret[at - 1]].ns < transfer->budget[i].ns) {
			ret[at] = ret[at - 1];
			at--;
		}
		ret[at] = i;
		count++;
	}
	return count;
}
