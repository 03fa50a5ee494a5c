/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of sessions in the HTML report: what was agreed, what came before the first byte, sizes of
 * requests, depth over time, paths, counts.
 */
#include "reports/html.h"
#include "reports/session_facts.h"
#include "reports/units.h"
#include "reports/wording.h"

/* Parts of time told of. */
#define PARTS_SHOWN 32

static void row_begin(const HtmlPage *page, const ResultSession *session)
{
	uint32_t stream = session->stream_count > 0 ? session->streams[0] : 0;

	fputs("<tr>", page->out);
	html_number_cell(page, wording_session(session).text, stream);
}

static void row_end(const HtmlPage *page)
{
	fputs("</tr>\n", page->out);
}

static void duration_cell(const HtmlPage *page, int64_t ns)
{
	html_number_cell(page, units_duration(ns).text, (double)ns);
}

static void count_cell(const HtmlPage *page, uint64_t count)
{
	html_number_cell(page, units_count(count).text, (double)count);
}

static void agreed(const HtmlPage *page)
{
	const Result *result = page->result;

	if (result->session_count == 0)
		return;
	html_table_begin(page, "Sessions", result->session_count, "#Stream", "Dialect", "Offered",
		"Security", "#Read at most", "#Write at most", "#Least credits", "#Malformed",
		(const char *)NULL);
	for (size_t i = 0; i < result->session_count && i < HTML_ROWS_MAX; i++) {
		const SessionStats *s = &result->sessions[i].stats;
		g_autofree char *dialect = session_dialect_words(s);
		g_autofree char *offered = session_offer_words(s);
		g_autofree char *security = session_security_words(s);
		bool has_credits = s->credits_min != INT32_MIN;
		char credits[16] = "-";

		if (has_credits)
			g_snprintf(credits, sizeof credits, "%d", s->credits_min);
		row_begin(page, &result->sessions[i]);
		html_text_cell(page, dialect);
		html_text_cell(page, offered);
		html_text_cell(page, security);
		html_number_cell(page,
			s->max_read_bytes ? units_buffer(s->max_read_bytes).text : "-",
			s->max_read_bytes);
		html_number_cell(page,
			s->max_write_bytes ? units_buffer(s->max_write_bytes).text : "-",
			s->max_write_bytes);
		html_number_cell(page, credits, has_credits ? s->credits_min : -1);
		count_cell(page, s->anomalies);
		row_end(page);
	}
	html_table_end(page);
}

static void setup(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < result->session_count; i++)
		count += result->sessions[i].phase_count;
	if (count == 0)
		return;
	html_table_begin(page, "Before the first byte", count, "#Stream", "Step", "#At", "#Lasted",
		"#Waited for answers", "#Times", "When", "How", (const char *)NULL);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];

		for (size_t k = 0; k < session->phase_count && shown < HTML_ROWS_MAX;
			k++, shown++) {
			const ResultPhase *p = &session->phases[k];
			char bar[SESSION_BAR_COLUMNS + 1];

			session_bar(session, p, bar);
			row_begin(page, session);
			html_text_cell(page, session_phase_words(p->phase));
			duration_cell(page, p->start_ns);
			duration_cell(page, p->duration_ns);
			duration_cell(page, p->busy_ns);
			count_cell(page, p->exchanges);
			fprintf(page->out, "<td><code>%s</code></td>", bar);
			html_text_cell(page, p->how ? p->how : "");
			row_end(page);
		}
	}
	html_table_end(page);
}

static void sizes_row(const HtmlPage *page, const ResultSession *session, bool is_write)
{
	const SessionStats *s = &session->stats;
	const SizeStats *sizes = is_write ? &s->write_size : &s->read_size;
	g_autofree char *words = session_sizes_words(sizes);

	row_begin(page, session);
	html_text_cell(page, is_write ? "write" : "read");
	count_cell(page, sizes->count);
	html_number_cell(page, units_buffer(sizes->median).text, (double)sizes->median);
	html_number_cell(page, units_buffer(sizes->max).text, (double)sizes->max);
	html_text_cell(page, session_limit_words(sizes->limit));
	html_text_cell(page, words);
	row_end(page);
}

static void sizes(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = 0;

	for (size_t i = 0; i < result->session_count; i++) {
		const SessionStats *s = &result->sessions[i].stats;

		count += (s->read_size.count > 0) + (s->write_size.count > 0);
	}
	if (count == 0)
		return;
	html_table_begin(page, "Request sizes", count, "#Stream", "Way", "#Requests", "#Median",
		"#Largest", "Capped by", "How many from what size on", (const char *)NULL);
	for (size_t i = 0, shown = 0; i < result->session_count && shown < HTML_ROWS_MAX; i++) {
		const ResultSession *session = &result->sessions[i];

		for (int way = 0; way < 2; way++) {
			const SizeStats *of =
				way ? &session->stats.write_size : &session->stats.read_size;

			if (of->count == 0 || shown++ >= HTML_ROWS_MAX)
				continue;
			sizes_row(page, session, way == 1);
		}
	}
	html_table_end(page);
}

static void depths(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < result->session_count; i++)
		count += result->sessions[i].stats.bin_count > 0;
	if (count == 0)
		return;
	html_table_begin(page, "Requests in flight over time", count, "#Stream", "#From",
		"Most in flight, in equal parts of time", "Least credits", (const char *)NULL);
	for (size_t i = 0; i < result->session_count && shown < HTML_ROWS_MAX; i++) {
		const ResultSession *session = &result->sessions[i];
		g_autofree char *most = session_folded(&session->stats, false, PARTS_SHOWN);
		g_autofree char *least = session_folded(&session->stats, true, PARTS_SHOWN);

		if (session->stats.bin_count == 0)
			continue;
		shown++;
		row_begin(page, session);
		duration_cell(page, session->bins_start_ns);
		html_text_cell(page, most);
		html_text_cell(page, least);
		row_end(page);
	}
	html_table_end(page);
}

static void path_row(const HtmlPage *page, const ResultSession *session, const FileActivity *f)
{
	row_begin(page, session);
	html_name_cell(page, f->name);
	duration_cell(page, f->busy_ns);
	count_cell(page, f->operations);
	count_cell(page, f->errors);
	count_cell(page, f->asked_again);
	count_cell(page, f->not_found);
	count_cell(page, f->metadata);
	html_number_cell(page, units_size(f->read_bytes).text, (double)f->read_bytes);
	html_number_cell(page, units_size(f->reread_bytes).text, (double)f->reread_bytes);
	html_number_cell(page, units_size(f->written_bytes).text, (double)f->written_bytes);
	count_cell(page, f->hardly_read);
	row_end(page);
}

static void paths(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < result->session_count; i++)
		count += result->sessions[i].stats.file_count;
	if (count == 0)
		return;
	html_table_begin(page, "Paths most waited for", count, "#Stream", "Path", "#Waited",
		"#Requests", "#Errors", "#Asked again", "#Not found", "#Metadata", "#Read",
		"#Read twice", "#Written", "#Hardly read", (const char *)NULL);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];

		for (size_t k = 0; k < session->stats.file_count && shown < HTML_ROWS_MAX;
			k++, shown++)
			path_row(page, session, &session->stats.files[k]);
	}
	html_table_end(page);
}

static void counts(const HtmlPage *page)
{
	const Result *result = page->result;
	size_t shown = 0, total = 0;

	for (size_t i = 0; i < result->session_count; i++) {
		SessionFact facts[SESSION_FACTS_MAX];
		size_t count = session_facts(&result->sessions[i].stats, facts);

		for (size_t k = 0; k < count; k++)
			total += facts[k].count > 0;
		total += result->sessions[i].stats.anomaly_kind_count;
	}
	if (total == 0)
		return;
	html_table_begin(page, "Also seen", total, "#Stream", "#Count", "What", (const char *)NULL);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		SessionFact facts[SESSION_FACTS_MAX];
		size_t count = session_facts(&session->stats, facts);

		for (size_t k = 0; k < count; k++) {
			if (facts[k].count == 0 || shown++ >= HTML_ROWS_MAX)
				continue;
			row_begin(page, session);
			count_cell(page, facts[k].count);
			html_text_cell(page, facts[k].words);
			row_end(page);
		}
		for (size_t k = 0; k < session->stats.anomaly_kind_count; k++) {
			const AnomalyCount *a = &session->stats.anomaly_kinds[k];
			g_autofree char *words = g_strdup_printf("malformed: %s", a->kind);

			if (shown++ >= HTML_ROWS_MAX)
				continue;
			row_begin(page, session);
			count_cell(page, a->count);
			html_text_cell(page, words);
			row_end(page);
		}
	}
	html_table_end(page);
}

void html_sessions(const HtmlPage *page)
{
	agreed(page);
	setup(page);
	sizes(page);
	depths(page);
	paths(page);
	counts(page);
}
