/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings and tables of the HTML report: plain HTML that needs no script.
 */
#include <stdarg.h>

#include "dissectors/message.h"
#include "reports/escape.h"
#include "reports/html.h"
#include "reports/units.h"
#include "reports/wording.h"

/* Findings, and parts of a finding: what a person still reads. The JSON has all.
 */
#define FINDINGS_MAX 30
#define PARTS_MAX 12

void html_text_cell(const HtmlPage *page, const char *text)
{
	fputs("<td>", page->out);
	html_text(page, text);
	fputs("</td>", page->out);
}

void html_name_cell(const HtmlPage *page, const char *name)
{
	g_autofree char *cut = escape_cut(name ? name : "", 160, true);

	fputs("<td class=\"name\">", page->out);
	html_text(page, cut);
	fputs("</td>", page->out);
}

void html_number_cell(const HtmlPage *page, const char *text, double value)
{
	fprintf(page->out, "<td class=\"n\" data-value=\"%s\">", units_fixed(value, 0).text);
	html_text(page, text);
	fputs("</td>", page->out);
}

void html_table_begin(const HtmlPage *page, const char *title, size_t count, ...)
{
	va_list heads;
	const char *head;

	fprintf(page->out,
		"<section><h2>%s</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"%s\"><table class=\"sortable\">",
		title, title);
	if (count > HTML_ROWS_MAX)
		fprintf(page->out, "<caption>%d of %zu; the JSON report has all</caption>",
			HTML_ROWS_MAX, count);
	fputs("<thead><tr>", page->out);
	va_start(heads, count);
	while ((head = va_arg(heads, const char *)))
		fprintf(page->out, "<th scope=\"col\"%s>%s</th>",
			*head == '#' ? " class=\"n\"" : "", *head == '#' ? head + 1 : head);
	va_end(heads);
	fputs("</tr></thead><tbody>\n", page->out);
}

void html_table_end(const HtmlPage *page)
{
	fputs("</tbody></table></div></section>\n", page->out);
}

/* ---- findings */

/** moment: an evidence point; a link into the graphs when its copy has one. */
static void moment(const HtmlPage *page, const ResultFinding *f, const ResultEvidence *e)
{
	const ResultTransfer *t = result_transfer(page->result, f->transfer);
	bool linked = false;

	for (size_t i = 0; i < page->graphed_count; i++)
		linked = linked || page->graphed[i] == t;
	fputs("<li>", page->out);
	if (linked && e->time_ns != RESULT_UNKNOWN_NS)
		fprintf(page->out, "<a href=\"#graphs\" data-copy=\"%s\" data-at=\"%lld\">", t->id,
			(long long)e->time_ns);
	fprintf(page->out, "frame %llu", (unsigned long long)e->frame);
	if (e->time_ns != RESULT_UNKNOWN_NS)
		fprintf(page->out, " at %s", units_duration(e->time_ns).text);
	if (linked && e->time_ns != RESULT_UNKNOWN_NS)
		fputs("</a>", page->out);
	if (e->note) {
		fputs(": ", page->out);
		html_text(page, e->note);
	}
	fputs("</li>\n", page->out);
}

static const char *severity_class(Severity severity)
{
	switch (severity) {
	case SEVERITY_INFO:
		return "good";
	case SEVERITY_MINOR:
		return "warn";
	case SEVERITY_MAJOR:
	case SEVERITY_CRITICAL:
		return "bad";
	}
	return "bad";
}

static void paragraph(const HtmlPage *page, const char *head, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(page->out, "<p>%s", head);
	html_prose(page, text);
	fputs("</p>\n", page->out);
}

static void finding_numbers(const HtmlPage *page, const ResultFinding *f)
{
	if (f->number_count == 0)
		return;
	fputs("<dl class=\"facts\">", page->out);
	for (size_t i = 0; i < f->number_count && i < PARTS_MAX; i++) {
		fputs("<div><dt>", page->out);
		html_text(page, f->numbers[i].label);
		fputs("</dt><dd>", page->out);
		html_text(page, units_number(&f->numbers[i]).text);
		fputs("</dd></div>", page->out);
	}
	fputs("</dl>\n", page->out);
}

static void finding(const HtmlPage *page, const ResultFinding *f)
{
	g_autofree char *fix = wording_fix(page->result, f);

	fprintf(page->out, "<article id=\"%s\"><h3>%s ", f->id, f->id);
	html_text(page, f->title);
	fprintf(page->out, "</h3>\n<p class=\"faint\"><span class=\"%s\">%s</span>, confidence %s",
		severity_class(f->severity), wording_severity(f->severity),
		wording_confidence(f->confidence));
	if (f->lost_ns != RESULT_UNKNOWN_NS && f->lost_ns > 0)
		fprintf(page->out, ", lost %s", units_duration(f->lost_ns).text);
	fputs(" · <code>", page->out);
	html_text(page, f->cause);
	fputs("</code></p>\n", page->out);
	paragraph(page, "", f->sentence);
	paragraph(page, "", f->explanation);
	paragraph(page, "<strong>Fix:</strong> ", fix);
	finding_numbers(page, f);
	if (f->advice_count > 0)
		fputs("<ul>", page->out);
	for (size_t i = 0; i < f->advice_count && i < PARTS_MAX; i++) {
		fputs("<li>", page->out);
		html_prose(page, f->advice[i]);
		fputs("</li>\n", page->out);
	}
	if (f->advice_count > 0)
		fputs("</ul>\n", page->out);
	paragraph(page, "<strong>How sure:</strong> ", f->doubt);
	paragraph(page, "<strong>To be sure:</strong> ", f->next_test);
	if (f->evidence_count > 0)
		fputs("<p>Evidence:</p><ul>", page->out);
	for (size_t i = 0; i < f->evidence_count && i < PARTS_MAX; i++)
		moment(page, f, &f->evidence[i]);
	if (f->evidence_count > 0)
		fputs("</ul>\n", page->out);
	if (f->filter) {
		fputs("<p>Wireshark: <code>", page->out);
		html_text(page, f->filter);
		fputs("</code></p>\n", page->out);
	}
	fputs("</article>\n", page->out);
}

void html_findings(const HtmlPage *page)
{
	const Result *result = page->result;

	fputs("<section id=\"findings\"><h2>Findings</h2>\n", page->out);
	if (result->finding_count == 0)
		fputs("<p>None.</p>\n", page->out);
	for (size_t i = 0; i < result->finding_count && i < FINDINGS_MAX; i++)
		finding(page, &result->findings[i]);
	if (result->finding_count > FINDINGS_MAX)
		fprintf(page->out, "<p>%zu more are in the JSON report.</p>\n",
			result->finding_count - FINDINGS_MAX);
	fputs("</section>\n", page->out);
}

/* ---- tables */

static void copy_row(const HtmlPage *page, const ResultTransfer *t)
{
	double seconds = (double)t->duration_ns / 1e9;
	double rate = seconds > 0 ? (double)t->bytes / seconds : 0;
	g_autofree char *protocol = wording_protocol(page->result, t);
	g_autofree char *way = g_strdup_printf("%s %s", protocol, t->is_write ? "write" : "read");
	g_autofree char *files = wording_files(t);
	g_autofree char *most = NULL;
	size_t order[BUCKET_COUNT];
	UnitText rooms[2];

	if (wording_budget_order(t, order) > 0) {
		g_autofree char *bucket = wording_bucket(t, &t->budget[order[0]]);

		most = g_strdup_printf(
			"%s %s", bucket, units_share(t->budget[order[0]].ns, t->duration_ns).text);
	}
	fputs("<tr>", page->out);
	html_text_cell(page, t->id);
	html_text_cell(page, way);
	html_text_cell(page, wording_host(page->options, t->client.addr, &rooms[0]));
	html_text_cell(page, wording_host(page->options, t->server.addr, &rooms[1]));
	html_name_cell(page, t->is_job ? files : t->file);
	html_number_cell(page, units_size(t->bytes).text, (double)t->bytes);
	html_number_cell(page, units_duration(t->duration_ns).text, (double)t->duration_ns);
	html_number_cell(page, units_rate(rate).text, rate);
	html_text_cell(page, most);
	fputs("</tr>\n", page->out);
}

static void copies(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = result->job_count + result->transfer_count;

	if (count == 0)
		return;
	html_table_begin(page, "Copies", count, "Id", "Protocol", "Client", "Server", "File",
		"#Size", "#Time", "#Rate", "Most of the time", (const char *)NULL);
	for (size_t i = 0; i < count && i < HTML_ROWS_MAX; i++)
		copy_row(page, i < result->job_count ? &result->jobs[i]
						     : &result->transfers[i - result->job_count]);
	html_table_end(page);
}

static void connections(const HtmlPage *page)
{
	const Result *result = page->result;

	if (result->connection_count == 0)
		return;
	html_table_begin(page, "Connections", result->connection_count, "#Stream", "Client",
		"Server", "Protocol", "#Sent", "#Received", "#Round trip", "#Retransmitted",
		"#Largest window", (const char *)NULL);
	for (size_t i = 0; i < result->connection_count && i < HTML_ROWS_MAX; i++) {
		const ResultConnection *c = &result->connections[i];
		const ResultDirection *up = &c->direction[SIDE_CLIENT];
		const ResultDirection *down = &c->direction[SIDE_SERVER];
		uint64_t again = up->retransmitted_packets + down->retransmitted_packets;
		uint64_t window = MAX(up->max_window_bytes, down->max_window_bytes);
		char stream[16];

		g_snprintf(stream, sizeof stream, "%u", c->stream);
		fputs("<tr>", page->out);
		html_number_cell(page, stream, c->stream);
		html_text_cell(page, wording_endpoint(page->options, &c->client).text);
		html_text_cell(page, wording_endpoint(page->options, &c->server).text);
		html_text_cell(page, c->application ? c->application : c->protocol);
		html_number_cell(page, units_size(up->unique_bytes).text, (double)up->unique_bytes);
		html_number_cell(
			page, units_size(down->unique_bytes).text, (double)down->unique_bytes);
		html_number_cell(page, units_duration(c->min_rtt_ns).text, (double)c->min_rtt_ns);
		html_number_cell(page, units_count(again).text, (double)again);
		html_number_cell(page, units_buffer(window).text, (double)window);
		fputs("</tr>\n", page->out);
	}
	html_table_end(page);
}

static void command_row(const HtmlPage *page, const ResultSession *session, const CommandStats *c)
{
	const TimeStats *times[] = {&c->response_time, &c->server_time};

	fputs("<tr>", page->out);
	html_number_cell(page, wording_session(session).text,
		session->stream_count ? session->streams[0] : 0);
	html_text_cell(page, message_command_name(c->protocol, c->command));
	html_number_cell(page, units_count(c->requests).text, (double)c->requests);
	html_number_cell(page, units_count(c->errors).text, (double)c->errors);
	html_number_cell(page, times[0]->count ? units_duration(times[0]->median_ns).text : "-",
		(double)times[0]->median_ns);
	html_number_cell(page, times[0]->count ? units_duration(times[0]->p95_ns).text : "-",
		(double)times[0]->p95_ns);
	html_number_cell(page, times[0]->count ? units_duration(times[0]->max_ns).text : "-",
		(double)times[0]->max_ns);
	html_number_cell(page, times[1]->count ? units_duration(times[1]->median_ns).text : "-",
		(double)times[1]->median_ns);
	fputs("</tr>\n", page->out);
}

static void commands(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < result->session_count; i++)
		count += result->sessions[i].stats.command_count;
	if (count == 0)
		return;
	html_table_begin(page, "Commands and their response times", count, "#Stream", "Command",
		"#Requests", "#Errors", "#Median", "#95 %", "#Longest", "#Server, median",
		(const char *)NULL);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];

		for (size_t k = 0; k < session->stats.command_count && shown < HTML_ROWS_MAX;
			k++, shown++)
			command_row(page, session, &session->stats.commands[k]);
	}
	html_table_end(page);
}

static void stalls(const HtmlPage *page)
{
	static const char *const owners[] = {[OWED_BY_UNKNOWN] = "unknown",
		[OWED_BY_CLIENT] = "client",
		[OWED_BY_SERVER] = "server",
		[OWED_BY_NETWORK] = "network"};
	const Result *result = page->result;

	if (result->stall_count == 0)
		return;
	html_table_begin(page, "Longest stalls", result->stall_count, "#Stream", "#At", "#Lasted",
		"Owed by", "Kind", "#Ended by frame", (const char *)NULL);
	for (size_t i = 0; i < result->stall_count && i < HTML_ROWS_MAX; i++) {
		const ResultStall *s = &result->stalls[i];
		char number[24];

		fputs("<tr>", page->out);
		html_number_cell(page, wording_stream(s->stream).text, s->stream);
		html_number_cell(page, units_duration(s->start_ns).text, (double)s->start_ns);
		html_number_cell(page, units_duration(s->duration_ns).text, (double)s->duration_ns);
		html_text_cell(page, owners[s->owed_by]);
		html_text_cell(page, bucket_title(s->bucket));
		g_snprintf(number, sizeof number, "%llu", (unsigned long long)s->frame);
		html_number_cell(page, number, (double)s->frame);
		fputs("</tr>\n", page->out);
	}
	html_table_end(page);
}

static void way_row(const HtmlPage *page, const uint8_t from[16], const uint8_t to[16],
	const ResultHostWay *way, const char *asymmetry)
{
	const ResultTransfer *largest = result_transfer(page->result, way->slowest);
	g_autofree char *most = NULL, *reference = NULL;
	UnitText rooms[2];

	if (way->bytes == 0)
		return;
	if (largest)
		most = g_strdup_printf(
			"%s %.0f %%", bucket_title(way->dominant), 100 * way->dominant_share);
	if (way->reference)
		reference = g_strdup_printf(
			"%s %s", way->reference, units_rate(way->reference_bytes_per_s).text);
	fputs("<tr>", page->out);
	html_text_cell(page, wording_host(page->options, from, &rooms[0]));
	html_text_cell(page, wording_host(page->options, to, &rooms[1]));
	html_number_cell(page, units_size(way->bytes).text, (double)way->bytes);
	html_number_cell(page, units_count(way->transfers).text, way->transfers);
	html_number_cell(page,
		way->read_bytes_per_s > 0 ? units_rate(way->read_bytes_per_s).text : "-",
		way->read_bytes_per_s);
	html_number_cell(page,
		way->written_bytes_per_s > 0 ? units_rate(way->written_bytes_per_s).text : "-",
		way->written_bytes_per_s);
	html_text_cell(page, most);
	html_text_cell(page, asymmetry);
	html_text_cell(page, reference);
	fputs("</tr>\n", page->out);
}

static void hosts(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t ways = 0;

	for (size_t i = 0; i < result->host_pair_count; i++)
		ways += (result->host_pairs[i].a_to_b.bytes > 0) +
			(result->host_pairs[i].b_to_a.bytes > 0);
	if (ways == 0)
		return;
	html_table_begin(page, "Between hosts", ways, "From", "To", "#Size", "#Copies", "#Read at",
		"#Written at", "The largest waited most for", "Against the other way",
		"What else moved data this way", (const char *)NULL);
	for (size_t i = 0; i < result->host_pair_count && i < HTML_ROWS_MAX; i++) {
		const ResultHostPair *p = &result->host_pairs[i];
		bool a_is_slow = p->a_to_b.bytes_per_s <= p->b_to_a.bytes_per_s;

		way_row(page, p->a, p->b, &p->a_to_b, a_is_slow ? p->asymmetry_text : NULL);
		way_row(page, p->b, p->a, &p->b_to_a, a_is_slow ? NULL : p->asymmetry_text);
	}
	html_table_end(page);
}

static void sharings(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t rows = 0;

	for (size_t i = 0; i < result->sharing_count; i++)
		rows += result->sharings[i].share_count;
	if (rows == 0)
		return;
	html_table_begin(page, "Copies at the same time", rows, "Host", "Role", "#At", "#For",
		"Copy", "#Rate", "#Share", "", (const char *)NULL);
	for (size_t i = 0; i < result->sharing_count; i++) {
		const ResultSharing *s = &result->sharings[i];
		UnitText room;

		for (size_t k = 0; k < s->share_count; k++) {
			const ResultShare *share = &s->shares[k];
			const ResultTransfer *t = result_transfer(result, share->transfer);

			fputs("<tr>", page->out);
			html_text_cell(page, wording_host(page->options, s->host, &room));
			html_text_cell(page, s->host_sends ? "sends" : "receives");
			html_number_cell(
				page, units_duration(s->start_ns).text, (double)s->start_ns);
			html_number_cell(
				page, units_duration(s->duration_ns).text, (double)s->duration_ns);
			html_text_cell(page, t ? t->id : "");
			html_number_cell(
				page, units_rate(share->bytes_per_s).text, share->bytes_per_s);
			html_number_cell(
				page, units_percent(100 * share->share).text, share->share);
			html_text_cell(page, share->is_starved ? "starved" : "");
			fputs("</tr>\n", page->out);
		}
	}
	html_table_end(page);
}

static void udp_flows(const HtmlPage *page)
{
	const Result *result = page->result;

	if (result->udp_flow_count == 0)
		return;
	html_table_begin(page, "UDP", result->udp_flow_count, "From", "To", "Program", "#Size",
		"#Rate", "#Lost on the way here", "Known by", (const char *)NULL);
	for (size_t i = 0; i < result->udp_flow_count && i < HTML_ROWS_MAX; i++) {
		const ResultUdpFlow *u = &result->udp_flows[i];
		g_autofree char *lost = wording_lost(u);

		fputs("<tr>", page->out);
		html_text_cell(page, wording_endpoint(page->options, &u->from).text);
		html_text_cell(page, wording_endpoint(page->options, &u->to).text);
		html_text_cell(page, u->program);
		html_number_cell(page, units_size(u->bytes).text, (double)u->bytes);
		html_number_cell(page, units_rate(u->bytes_per_s).text, u->bytes_per_s);
		html_number_cell(
			page, lost, u->lost == RESULT_UNKNOWN_COUNT ? -1 : (double)u->lost);
		html_text_cell(page, u->numbered_by);
		fputs("</tr>\n", page->out);
	}
	html_table_end(page);
}

void html_tables(const HtmlPage *page)
{
	copies(page);
	hosts(page);
	sharings(page);
	udp_flows(page);
	commands(page);
	html_sessions(page);
	connections(page);
	stalls(page);
}
