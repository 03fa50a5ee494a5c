/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report for issue trackers, in GitHub's dialect: fewer than 60 lines whatever the capture
 * holds, tables folded away, the exact command and the capture's grade at the end.
 */
#include "reports/report.h"

#include <errno.h>
#include <stdlib.h>

#include "dissectors/message.h"
#include "reports/escape.h"
#include "reports/session_facts.h"
#include "reports/units.h"
#include "reports/wording.h"

/* Rows of each folded table; with the fixed lines they stay below 60 lines together. */
#define FINDINGS_SHOWN 5
#define COPIES_SHOWN 3
#define CONNECTIONS_SHOWN 2
#define HOSTS_SHOWN 2
#define UDP_FLOWS_SHOWN 2
#define COMMANDS_SHOWN 3
#define FIXES_SHOWN 3
#define WARNINGS_SHOWN 2
#define BUCKETS_SHOWN 6
#define FRAMES_SHOWN 4
/* Fewer than 60, less the two at the end. */
#define LINES_MAX 57

/** print: prose, escaped. */
static void print(FILE *out, const char *text)
{
	g_autofree char *safe = escape_markdown(text);

	fputs(safe, out);
}

/** print_code: a name or a filter as code. */
static void print_code(FILE *out, const char *text)
{
	g_autofree char *safe = escape_markdown_code(text);

	fputs(safe, out);
}

static void write_verdict(const Result *result, const ReportOptions *options, FILE *out)
{
	g_autofree char *verdict = wording_verdict(result, options);
	g_autofree char *rates = wording_rates(result);
	g_autoptr(GPtrArray) warnings = wording_warnings(result);

	fputs("## slowcopy report\n\n**", out);
	print(out, verdict);
	fputs("**", out);
	if (result->verdict.cause)
		fprintf(out, " Confidence: %s.", wording_confidence(result->verdict.confidence));
	fputs("\n\n", out);
	if (rates) {
		print(out, rates);
		fputs("\n\n", out);
	}
	for (guint i = 0; i < warnings->len && i < WARNINGS_SHOWN; i++) {
		fputs("> note: ", out);
		print(out, g_ptr_array_index(warnings, i));
		/* a backslash breaks the line */
		fputs(i + 1 < MIN(warnings->len, WARNINGS_SHOWN) ? "\\\n" : "\n", out);
	}
	if (warnings->len > 0)
		fputs("\n", out);
}

static void write_time(const Result *result, FILE *out)
{
	const ResultTransfer *transfer = result_transfer(result, result->verdict.transfer);
	size_t order[BUCKET_COUNT];
	size_t count = transfer ? wording_budget_order(transfer, order) : 0;

	if (!transfer) {
		g_autofree char *seen = wording_seen(result);

		fputs("**Seen instead:** ", out);
		print(out, seen);
		fputs("\n\n", out);
		return;
	}
	fprintf(out, "**Time** (%s): ", units_duration(transfer->duration_ns).text);
	for (size_t i = 0; i < count && i < BUCKETS_SHOWN; i++) {
		const ResultBucket *bucket = &transfer->budget[order[i]];
		g_autofree char *title = wording_bucket(transfer, bucket);

		fputs(i ? " · " : "", out);
		print(out, title);
		fprintf(out, " %s", units_share(bucket->ns, transfer->duration_ns).text);
	}
	fputs(count > BUCKETS_SHOWN ? " · …\n\n" : "\n\n", out);
}

/** write_setup: what came before the first byte, of the first session that shows it. */
static void write_setup(const Result *result, FILE *out)
{
	const ResultSession *session = NULL;
	int64_t start, end;

	for (size_t i = 0; i < result->session_count && !session; i++) {
		if (result->sessions[i].phase_count > 0)
			session = &result->sessions[i];
	}
	if (!session)
		return;
	session_setup_span(session, &start, &end);
	fprintf(out, "**Before the first byte** (%s): ", units_duration(end - start).text);
	for (size_t i = 0; i < session->phase_count; i++) {
		const ResultPhase *p = &session->phases[i];

		fprintf(out, "%s%s %s", i ? " · " : "", session_phase_words(p->phase),
			units_duration(p->duration_ns).text);
	}
	fputs("\n\n", out);
}

/** write_possible: one of them: they are doubtful, and the table of findings lists the others. */
static void write_possible(const Result *result, FILE *out)
{
	g_autofree char *possible = wording_possible(result, 0);

	if (!possible)
		return;
	fputs("**Possible:** ", out);
	print(out, possible);
	fputs("\n\n", out);
}

static void write_fixes(const Result *result, FILE *out)
{
	g_autofree char *ruled_out = wording_ruled_out(result, SIZE_MAX);
	g_autofree char *in_order =
		wording_fixes_in_order(result, result_transfer(result, result->verdict.transfer));
	int shown = 0;

	if (ruled_out) {
		fputs("**Ruled out:** ", out);
		print(out, ruled_out);
		fputs("\n\n", out);
	}
	for (size_t i = 0; i < result->finding_count && shown < FIXES_SHOWN; i++) {
		const ResultFinding *finding = &result->findings[i];
		g_autofree char *fix = NULL;

		if (!wording_is_fix(result, finding))
			continue;
		fix = wording_fix(result, finding);
		if (shown++ == 0)
			fputs("**What would help**", out);
		if (shown == 1 && in_order) {
			fputs(" (", out);
			print(out, in_order);
			fputs(")", out);
		}
		if (shown == 1)
			fputs("\n", out);
		fprintf(out, "%d. ", shown);
		print(out, fix);
		fprintf(out, " — `%s`\n", finding->cause);
	}
	if (shown > 0)
		fputs("\n", out);
	write_possible(result, out);
}

/** fold: begins a folded table; @head is its header line and the line below. */
static void fold(FILE *out, const char *title, size_t shown, size_t count, const char *head)
{
	if (shown < count)
		fprintf(out, "<details><summary>%s (%zu of %zu)</summary>\n\n%s\n", title, shown,
			count, head);
	else
		fprintf(out, "<details><summary>%s (%zu)</summary>\n\n%s\n", title, count, head);
}

static void write_findings(const Result *result, const ReportOptions *options, FILE *out)
{
	size_t shown = MIN(result->finding_count, FINDINGS_SHOWN);

	(void)options;
	if (shown == 0)
		return;
	fold(out, "Findings", shown, result->finding_count,
		"| | cause | what | severity | lost | frames | Wireshark filter |\n"
		"|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		const ResultFinding *f = &result->findings[i];

		fprintf(out, "| %s | `%s` | ", f->id, f->cause);
		print(out, f->sentence ? f->sentence : f->title);
		fprintf(out, " | %s, confidence %s | %s | ", wording_severity(f->severity),
			wording_confidence(f->confidence),
			f->lost_ns <= 0 ? "-" : units_duration(f->lost_ns).text);
		for (size_t k = 0; k < f->evidence_count && k < FRAMES_SHOWN; k++)
			fprintf(out, "%s%llu", k ? ", " : "",
				(unsigned long long)f->evidence[k].frame);
		fputs(" | ", out);
		print_code(out, f->filter ? f->filter : "");
		fputs(" |\n", out);
	}
	fputs("\n</details>\n", out);
}

static void write_copy(
	const Result *result, const ReportOptions *options, const ResultTransfer *t, FILE *out)
{
	g_autofree char *protocol = wording_protocol(result, t);
	double seconds = (double)t->duration_ns / 1e9;
	UnitText rooms[2];

	fprintf(out, "| %s | %s %s | ", t->id, protocol, t->is_write ? "write" : "read");
	print(out, wording_host(options, t->client.addr, &rooms[0]));
	fputs(" | ", out);
	print(out, wording_host(options, t->server.addr, &rooms[1]));
	fputs(" | ", out);
	if (t->is_job) {
		g_autofree char *files = wording_files(t);

		print(out, files);
	} else {
		print_code(out, t->file ? t->file : "");
	}
	fprintf(out, " | %s | %s | %s |\n", units_size(t->bytes).text,
		units_duration(t->duration_ns).text,
		seconds > 0 ? units_rate((double)t->bytes / seconds).text : "-");
}

static void write_copies(const Result *result, const ReportOptions *options, FILE *out)
{
	size_t count = result->job_count + result->transfer_count, shown = MIN(count, COPIES_SHOWN);

	if (count == 0)
		return;
	fold(out, "Copies", shown, count,
		"| | protocol | client | server | file | size | time | rate |\n"
		"|---|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		bool is_job = i < result->job_count;

		write_copy(result, options,
			is_job ? &result->jobs[i] : &result->transfers[i - result->job_count], out);
	}
	fputs("\n</details>\n", out);
}

static void write_way(const Result *result, const ReportOptions *options, const uint8_t from[16],
	const uint8_t to[16], const ResultHostWay *way, FILE *out)
{
	g_autofree char *rates = wording_way(way);
	UnitText rooms[2];

	if (way->bytes == 0)
		return;
	fputs("| ", out);
	print(out, wording_host(options, from, &rooms[0]));
	fputs(" | ", out);
	print(out, wording_host(options, to, &rooms[1]));
	fprintf(out, " | %s | ", units_size(way->bytes).text);
	print(out, rates);
	fputs(" | ", out);
	if (result_transfer(result, way->slowest))
		print(out, bucket_title(way->dominant));
	fputs(" | ", out);
	print(out, way->reference ? way->reference : "-");
	if (way->reference)
		fprintf(out, " %s", units_rate(way->reference_bytes_per_s).text);
	fputs(" |\n", out);
}

static void write_hosts(const Result *result, const ReportOptions *options, FILE *out)
{
	size_t shown = MIN(result->host_pair_count, HOSTS_SHOWN);
	const ResultHostPair *first = result->host_pairs;

	/* one way between two hosts is what the verdict speaks of */
	if (shown == 0 || (result->host_pair_count == 1 && !first->asymmetry_text &&
				  !first->a_to_b.reference && !first->b_to_a.reference))
		return;
	fold(out, "Between hosts", shown, result->host_pair_count,
		"| from | to | size | fastest | the largest waited most for | what else moved data "
		"|\n"
		"|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		const ResultHostPair *p = &result->host_pairs[i];

		write_way(result, options, p->a, p->b, &p->a_to_b, out);
		write_way(result, options, p->b, p->a, &p->b_to_a, out);
		if (p->asymmetry_text) {
			fputs("| | | | ", out);
			print(out, p->asymmetry_text);
			fputs(" | | |\n", out);
		}
	}
	fputs("\n</details>\n", out);
}

static void write_udp_flows(const Result *result, const ReportOptions *options, FILE *out)
{
	size_t shown = MIN(result->udp_flow_count, UDP_FLOWS_SHOWN);

	if (shown == 0)
		return;
	fold(out, "UDP", shown, result->udp_flow_count,
		"| from | to | program | size | rate | lost on the way here |\n"
		"|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		const ResultUdpFlow *u = &result->udp_flows[i];
		g_autofree char *lost = wording_lost(u);

		fprintf(out, "| %s | %s | ", wording_endpoint(options, &u->from).text,
			wording_endpoint(options, &u->to).text);
		print(out, u->program ? u->program : "-");
		fprintf(out, " | %s | %s | %s |\n", units_size(u->bytes).text,
			units_rate(u->bytes_per_s).text, lost);
	}
	fputs("\n</details>\n", out);
}

static void write_connections(const Result *result, const ReportOptions *options, FILE *out)
{
	size_t shown = MIN(result->connection_count, CONNECTIONS_SHOWN);

	if (shown == 0)
		return;
	fold(out, "Connections", shown, result->connection_count,
		"| stream | client | server | protocol | sent | received | RTT | retransmitted |\n"
		"|---|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		const ResultConnection *c = &result->connections[i];
		const ResultDirection *up = &c->direction[SIDE_CLIENT];
		const ResultDirection *down = &c->direction[SIDE_SERVER];

		fprintf(out, "| %u | %s | %s | ", c->stream,
			wording_endpoint(options, &c->client).text,
			wording_endpoint(options, &c->server).text);
		print(out, c->application ? c->application : c->protocol);
		fprintf(out, " | %s | %s | %s | %s |\n", units_size(up->unique_bytes).text,
			units_size(down->unique_bytes).text, units_duration(c->min_rtt_ns).text,
			units_count(up->retransmitted_packets + down->retransmitted_packets).text);
	}
	fputs("\n</details>\n", out);
}

/** busiest: the command of @stats that most time was waited for and is not in @shown yet. */
static const CommandStats *busiest(
	const SessionStats *stats, const CommandStats *const *shown, size_t count)
{
	const CommandStats *ret = NULL;
	double most = -1;

	for (size_t i = 0; i < stats->command_count; i++) {
		const CommandStats *c = &stats->commands[i];
		double time = (double)c->response_time.mean_ns * (double)c->response_time.count;
		bool is_shown = false;

		for (size_t k = 0; k < count; k++)
			is_shown = is_shown || shown[k] == c;
		if (!is_shown && time > most) {
			most = time;
			ret = c;
		}
	}
	return ret;
}

/** write_commands: of the first session that has any; the others are in the JSON. */
static void write_commands(const Result *result, const ReportOptions *options, FILE *out)
{
	const CommandStats *list[COMMANDS_SHOWN];
	const SessionStats *stats = NULL;
	size_t shown;

	(void)options;
	for (size_t i = 0; i < result->session_count && !stats; i++) {
		if (result->sessions[i].stats.command_count > 0)
			stats = &result->sessions[i].stats;
	}
	if (!stats)
		return;
	shown = MIN(stats->command_count, COMMANDS_SHOWN);
	fold(out, "Commands of the first session, the longest waited for", shown,
		stats->command_count,
		"| command | requests | errors | median | 95 % | longest |\n"
		"|---|---|---|---|---|---|");
	for (size_t i = 0; i < shown; i++) {
		const CommandStats *c = list[i] = busiest(stats, list, i);
		const TimeStats *t = &c->response_time;

		fprintf(out, "| `%s` | %s | %s | %s | %s | %s |\n",
			message_command_name(c->protocol, c->command),
			units_count(c->requests).text, units_count(c->errors).text,
			t->count ? units_duration(t->median_ns).text : "-",
			t->count ? units_duration(t->p95_ns).text : "-",
			t->count ? units_duration(t->max_ns).text : "-");
	}
	fputs("\n</details>\n", out);
}

static void write_head(const Result *result, const ReportOptions *options, FILE *out)
{
	write_verdict(result, options, out);
	write_time(result, out);
	write_setup(result, out);
	write_fixes(result, out);
}

/** Part: a table, or the words before them. */
typedef void (*Part)(const Result *result, const ReportOptions *options, FILE *out);

/** write_part: the part if its lines are @left, or if it @must be there. False without memory. */
static bool write_part(Part part, const Result *result, const ReportOptions *options, bool must,
	int *left, FILE *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	int lines = 0;

	if (!memory)
		return false;
	part(result, options, memory);
	if (fclose(memory) != 0) {
		free(text);
		return false;
	}
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (must || lines <= *left) {
		fwrite(text, 1, len, out);
		*left -= lines;
	}
	free(text);
	return true;
}

static bool markdown_write(
	const Result *result, const ReportOptions *options, FILE *out, GError **error)
{
	/* the first are what an issue is read for; of the others as many as there is room for */
	static const Part parts[] = {write_head, write_findings, write_copies, write_hosts,
		write_udp_flows, write_commands, write_connections};
	g_autofree char *capture = wording_capture(result);
	int left = LINES_MAX;

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (!write_part(parts[i], result, options, i == 0, &left, out)) {
			g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE,
				"cannot make the report: %s", g_strerror(errno));
			return false;
		}
	}
	fputs("\n", out);
	print_code(out, options->command_line ? options->command_line : "slowcopy analyze");
	fprintf(out, " · slowcopy %s · %s · %s\n", options->version ? options->version : "",
		capture,
		options->redact ? "names and addresses are pseudonyms"
				: "not redacted: names and addresses are real");
	return true;
}

const ReportFormat format_markdown = {
	.name = "markdown",
	.suffix = ".md",
	.summary = "for issue trackers, under 60 lines",
	.needs = REPORT_IS_SHARED,
	.write = markdown_write,
};
