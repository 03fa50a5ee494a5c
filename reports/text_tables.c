/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of text_tables.h.
 */
#include "reports/text_tables.h"

#include <stdarg.h>
#include <string.h>

#include "dissectors/message.h"
#include "reports/escape.h"
#include "reports/layout.h"
#include "reports/table.h"
#include "reports/units.h"
#include "reports/wording.h"

/* Narrower ones hold nothing that can be read. */
#define TABLE_COLUMNS_MIN 76

void text_row(Tables *t, Table *table, ...)
{
	char *cells[TEXT_CELLS_MAX + 1] = {NULL};
	const char *cell;
	size_t count = 0;
	va_list list;

	va_start(list, table);
	while (count < TEXT_CELLS_MAX && (cell = va_arg(list, const char *)))
		cells[count++] = escape_terminal(cell, t->options->unicode);
	va_end(list);
	table_row(table, (const char *const *)cells);
	for (size_t i = 0; i < count; i++)
		g_free(cells[i]);
}

void text_table_end(Tables *t, const char *title, Table *table, size_t rows)
{
	g_autofree char *text = table_print(table);

	if (!*text)
		return;
	g_string_append_printf(t->out, "\n%s%s%s\n%s", t->options->color ? "\033[1m" : "", title,
		t->options->color ? "\033[0m" : "", text);
	if (rows > TEXT_ROWS_MAX)
		g_string_append_printf(t->out, "and %s more (--json lists all)\n",
			units_count(rows - TEXT_ROWS_MAX).text);
}

static void add_transfer(Tables *t, Table *table, const ResultTransfer *transfer)
{
	size_t order[BUCKET_COUNT];
	g_autofree char *file = escape_cut(transfer->file ? transfer->file : "-",
		MAX(20, t->columns - 64), t->options->unicode);
	g_autofree char *most = NULL;
	double seconds = (double)transfer->duration_ns / 1e9;

	if (wording_budget_order(transfer, order) > 0) {
		g_autofree char *bucket = wording_bucket(transfer, &transfer->budget[order[0]]);

		most = g_strdup_printf("%s %s", bucket,
			units_share(transfer->budget[order[0]].ns, transfer->duration_ns).text);
	}
	text_row(t, table, transfer->id, transfer->is_write ? "write" : "read",
		units_size(transfer->bytes).text, units_duration(transfer->duration_ns).text,
		seconds > 0 ? units_rate((double)transfer->bytes / seconds).text : "unknown",
		most ? most : "", transfer->is_job ? units_count(transfer->files).text : "1", file,
		NULL);
}

static void write_transfers(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);

	table_column(table, "ID", TABLE_LEFT);
	table_column(table, "WAY", TABLE_LEFT);
	table_column(table, "SIZE", TABLE_RIGHT);
	table_column(table, "TIME", TABLE_RIGHT);
	table_column(table, "RATE", TABLE_RIGHT);
	table_column(table, "MOST OF THE TIME", TABLE_LEFT);
	table_column(table, "FILES", TABLE_RIGHT);
	table_column(table, "FILE", TABLE_SHRINK);
	for (size_t i = 0; i < result->job_count && i < TEXT_ROWS_MAX; i++)
		add_transfer(t, table, &result->jobs[i]);
	for (size_t i = 0; i < result->transfer_count && i < TEXT_ROWS_MAX; i++)
		add_transfer(t, table, &result->transfers[i]);
	text_table_end(t, "COPIES", table, MAX(result->transfer_count, result->job_count));
}

/** write_part: a paragraph of a finding behind @start. */
static void write_part(Tables *t, const char *start, const char *text)
{
	Layout layout = {.out = t->out,
		.columns = CLAMP(t->columns, LAYOUT_COLUMNS_MIN, LAYOUT_COLUMNS_MAX),
		.unicode = t->options->unicode};

	if (!text)
		return;
	g_string_append(t->out, start);
	layout_words(&layout, (int)strlen(start), text, G_MAXINT, NULL, NULL);
}

/** write_finding: not a table: sentences, numbers, evidence. */
static void write_finding(Tables *t, const ResultFinding *f)
{
	g_autofree char *title = escape_terminal(f->title, t->options->unicode);
	g_autofree char *filter = escape_terminal(f->filter, t->options->unicode);
	g_autofree char *lost =
		f->lost_ns != RESULT_UNKNOWN_NS && f->lost_ns > 0
			? g_strdup_printf(", lost %s", units_duration(f->lost_ns).text)
			: g_strdup("");
	g_autofree char *kind = g_strdup_printf("[%s, %s, confidence %s%s]", f->cause,
		wording_severity(f->severity), wording_confidence(f->confidence), lost);

	g_string_append_printf(t->out, "\n%s  %s\n", f->id, title);
	write_part(t, "    ", kind);
	write_part(t, "    ", f->sentence);
	for (size_t i = 0; i < f->number_count; i++) {
		g_autofree char *label = escape_terminal(f->numbers[i].label, t->options->unicode);
		g_autofree char *value =
			escape_terminal(units_number(&f->numbers[i]).text, t->options->unicode);

		g_string_append_printf(t->out, "    %s: %s\n", label, value);
	}
	for (size_t i = 0; i < f->advice_count; i++)
		write_part(t, "    - ", f->advice[i]);
	for (size_t i = 0; i < f->evidence_count; i++) {
		g_autofree char *note = g_strdup_printf("frame %llu%s%s",
			(unsigned long long)f->evidence[i].frame, f->evidence[i].note ? ": " : "",
			f->evidence[i].note ? f->evidence[i].note : "");

		write_part(t, "    ", note);
	}
	/* on one line, so that it can be copied */
	if (f->filter)
		g_string_append_printf(t->out, "    filter: %s\n", filter);
	if (f->doubt) {
		g_autofree char *doubt = g_strdup_printf("how sure: %s", f->doubt);

		write_part(t, "    ", doubt);
	}
	if (f->next_test) {
		g_autofree char *test = g_strdup_printf("to be sure: %s", f->next_test);

		write_part(t, "    ", test);
	}
}

static void write_findings(Tables *t, const Result *result)
{
	if (result->finding_count > 0)
		g_string_append_printf(t->out, "\n%sFINDINGS%s\n",
			t->options->color ? "\033[1m" : "", t->options->color ? "\033[0m" : "");
	for (size_t i = 0; i < result->finding_count && i < TEXT_ROWS_MAX; i++)
		write_finding(t, &result->findings[i]);
}

/** write_fixes: how long each copy takes with one fix after the other. */
static void write_fixes(Tables *t, const Result *result)
{
	size_t rows = 0;

	for (size_t i = 0; i < result->transfer_count + result->job_count && rows < TEXT_ROWS_MAX;
		i++) {
		const ResultTransfer *transfer = result_transfer(result, (int32_t)i);
		g_autofree char *in_order = wording_fixes_in_order(result, transfer);
		g_autofree char *start = g_strdup_printf("%-5s", transfer->id);

		if (!in_order)
			continue;
		if (rows++ == 0)
			g_string_append_printf(t->out, "\n%sFIXES IN ORDER%s\n",
				t->options->color ? "\033[1m" : "",
				t->options->color ? "\033[0m" : "");
		write_part(t, start, in_order);
	}
}

/** add_outlook: a copy as it would be under --assume. */
static void add_outlook(Tables *t, Table *table, const ResultTransfer *transfer)
{
	const ResultOutlook *o = transfer->outlook;

	text_row(t, table, transfer->id, units_duration(transfer->duration_ns).text,
		o ? units_duration_range(o->duration_ns).text : "unknown",
		o ? units_rate_range(o->bytes_per_s).text : "unknown",
		o ? bucket_title(o->limit) : "", o && o->formula ? o->formula : "", NULL);
}

static void write_outlooks(Tables *t, const Result *result)
{
	g_autofree char *assumption = wording_assumption(result);
	g_autofree char *title = g_strdup_printf("WHAT IF (%s)", assumption ? assumption : "");
	g_autoptr(Table) table = table_new(t->columns);

	if (!assumption)
		return;
	table_column(table, "ID", TABLE_LEFT);
	table_column(table, "NOW", TABLE_RIGHT);
	table_column(table, "THEN", TABLE_LEFT);
	table_column(table, "RATE", TABLE_LEFT);
	table_column(table, "LIMITED BY", TABLE_LEFT);
	table_column(table, "", TABLE_SHRINK);
	for (size_t i = 0; i < result->job_count && i < TEXT_ROWS_MAX; i++)
		add_outlook(t, table, &result->jobs[i]);
	for (size_t i = 0; i < result->transfer_count && i < TEXT_ROWS_MAX; i++)
		add_outlook(t, table, &result->transfers[i]);
	text_table_end(t, title, table, MAX(result->transfer_count, result->job_count));
}

static void add_slices(Tables *t, Table *table, const ResultTransfer *transfer, size_t *rows)
{
	/* one slice is no change */
	for (size_t i = 0; transfer->slice_count > 1 && i < transfer->slice_count; i++) {
		const ResultSlice *slice = &transfer->slices[i];

		if ((*rows)++ >= TEXT_ROWS_MAX)
			continue;
		text_row(t, table, i == 0 ? transfer->id : "", units_duration(slice->start_ns).text,
			units_size(slice->start_bytes).text,
			units_duration(slice->duration_ns).text,
			slice->bytes_per_s > 0 ? units_rate(slice->bytes_per_s).text : "none",
			bucket_title(slice->dominant), NULL);
	}
}

static void write_slices(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "ID", TABLE_LEFT);
	table_column(table, "AT", TABLE_RIGHT);
	table_column(table, "AFTER", TABLE_RIGHT);
	table_column(table, "LASTED", TABLE_RIGHT);
	table_column(table, "RATE", TABLE_RIGHT);
	table_column(table, "MOST OF THE TIME", TABLE_LEFT);
	for (size_t i = 0; i < result->job_count; i++)
		add_slices(t, table, &result->jobs[i], &rows);
	for (size_t i = 0; i < result->transfer_count; i++)
		add_slices(t, table, &result->transfers[i], &rows);
	text_table_end(t, "CHANGES OF RATE OR KIND", table, rows);
}

static void write_connections(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "CLIENT", TABLE_SHRINK);
	table_column(table, "SERVER", TABLE_SHRINK);
	table_column(table, "PROTOCOL", TABLE_LEFT);
	table_column(table, "SENT", TABLE_RIGHT);
	table_column(table, "RECEIVED", TABLE_RIGHT);
	table_column(table, "RTT", TABLE_RIGHT);
	table_column(table, "RETRANS", TABLE_RIGHT);
	for (size_t i = 0; i < result->connection_count && i < TEXT_ROWS_MAX; i++) {
		const ResultConnection *c = &result->connections[i];
		const ResultDirection *up = &c->direction[SIDE_CLIENT];
		const ResultDirection *down = &c->direction[SIDE_SERVER];
		char stream[16];

		g_snprintf(stream, sizeof stream, "%u", c->stream);
		text_row(t, table, stream, wording_endpoint(t->options, &c->client).text,
			wording_endpoint(t->options, &c->server).text,
			c->application ? c->application : c->protocol,
			units_size(up->unique_bytes).text, units_size(down->unique_bytes).text,
			units_duration(c->min_rtt_ns).text,
			units_count(up->retransmitted_packets + down->retransmitted_packets).text,
			NULL);
	}
	text_table_end(t, "CONNECTIONS", table, result->connection_count);
}

static void write_commands(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "SESSION", TABLE_RIGHT);
	table_column(table, "COMMAND", TABLE_SHRINK);
	table_column(table, "REQUESTS", TABLE_RIGHT);
	table_column(table, "ERRORS", TABLE_RIGHT);
	table_column(table, "MEDIAN", TABLE_RIGHT);
	table_column(table, "95 %", TABLE_RIGHT);
	table_column(table, "LONGEST", TABLE_RIGHT);
	table_column(table, "SERVER", TABLE_RIGHT);
	table_column(table, "ITS 95 %", TABLE_RIGHT);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		UnitText stream = wording_session(session);

		for (size_t k = 0; k < session->stats.command_count; k++) {
			const CommandStats *c = &session->stats.commands[k];
			const TimeStats *r = &c->response_time, *server = &c->server_time;

			if (rows++ >= TEXT_ROWS_MAX)
				continue;
			text_row(t, table, stream.text,
				message_command_name(c->protocol, c->command),
				units_count(c->requests).text, units_count(c->errors).text,
				r->count ? units_duration(r->median_ns).text : "-",
				r->count ? units_duration(r->p95_ns).text : "-",
				r->count ? units_duration(r->max_ns).text : "-",
				server->count ? units_duration(server->median_ns).text : "-",
				server->count ? units_duration(server->p95_ns).text : "-", NULL);
		}
	}
	text_table_end(t, "COMMANDS (response times)", table, rows);
}

static const char *owed_by_words(OwedBy owed_by)
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

static void write_stalls(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "AT", TABLE_RIGHT);
	table_column(table, "LASTED", TABLE_RIGHT);
	table_column(table, "OWED BY", TABLE_LEFT);
	table_column(table, "KIND", TABLE_LEFT);
	table_column(table, "ENDED BY FRAME", TABLE_RIGHT);
	for (size_t i = 0; i < result->stall_count && i < TEXT_ROWS_MAX; i++) {
		const ResultStall *s = &result->stalls[i];
		char frame[24];

		g_snprintf(frame, sizeof frame, "%llu", (unsigned long long)s->frame);
		text_row(t, table, wording_stream(s->stream).text, units_duration(s->start_ns).text,
			units_duration(s->duration_ns).text, owed_by_words(s->owed_by),
			bucket_title(s->bucket), frame, NULL);
	}
	text_table_end(t, "LONGEST STALLS", table, result->stall_count);
}

static void add_way(Tables *t, Table *table, const uint8_t from[16], const uint8_t to[16],
	const ResultHostWay *way, const Result *result)
{
	const ResultTransfer *largest = result_transfer(result, way->slowest);
	g_autofree char *rates = wording_way(way);
	g_autofree char *most = NULL, *reference = NULL;
	UnitText rooms[2];

	if (way->bytes == 0)
		return;
	most = largest ? g_strdup_printf("%s %.0f %%", bucket_title(way->dominant),
				 100 * way->dominant_share)
		       : g_strdup("");
	reference = way->reference ? g_strdup_printf("%s %s", way->reference,
					     units_rate(way->reference_bytes_per_s).text)
				   : g_strdup("-");
	text_row(t, table, wording_host(t->options, from, &rooms[0]),
		wording_host(t->options, to, &rooms[1]), units_size(way->bytes).text,
		units_count(way->transfers).text, rates, most, reference, NULL);
}

static void write_hosts(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "FROM", TABLE_LEFT);
	table_column(table, "TO", TABLE_LEFT);
	table_column(table, "SIZE", TABLE_RIGHT);
	table_column(table, "COPIES", TABLE_RIGHT);
	table_column(table, "FASTEST", TABLE_LEFT);
	table_column(table, "LARGEST MOSTLY", TABLE_SHRINK);
	table_column(table, "ELSE", TABLE_LEFT);
	for (size_t i = 0; i < result->host_pair_count && i < TEXT_ROWS_MAX; i++) {
		const ResultHostPair *p = &result->host_pairs[i];

		add_way(t, table, p->a, p->b, &p->a_to_b, result);
		add_way(t, table, p->b, p->a, &p->b_to_a, result);
		rows += (p->a_to_b.bytes > 0) + (p->b_to_a.bytes > 0);
	}
	text_table_end(t, "BETWEEN HOSTS", table, rows);
	for (size_t i = 0; i < result->host_pair_count && i < TEXT_ROWS_MAX; i++) {
		const ResultHostPair *p = &result->host_pairs[i];
		g_autofree char *text = NULL;
		UnitText rooms[2];

		if (!p->asymmetry_text)
			continue;
		text = g_strdup_printf("%s and %s: %s", wording_host(t->options, p->a, &rooms[0]),
			wording_host(t->options, p->b, &rooms[1]), p->asymmetry_text);
		write_part(t, "  ", text);
	}
}

static void write_sharings(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "AT", TABLE_RIGHT);
	table_column(table, "FOR", TABLE_RIGHT);
	table_column(table, "HOST", TABLE_LEFT);
	table_column(table, "ROLE", TABLE_LEFT);
	table_column(table, "COPY", TABLE_LEFT);
	table_column(table, "RATE", TABLE_RIGHT);
	table_column(table, "SHARE", TABLE_RIGHT);
	table_column(table, "", TABLE_LEFT);
	for (size_t i = 0; i < result->sharing_count; i++) {
		const ResultSharing *s = &result->sharings[i];

		for (size_t k = 0; k < s->share_count && rows < TEXT_ROWS_MAX; k++, rows++) {
			const ResultShare *share = &s->shares[k];
			const ResultTransfer *transfer = result_transfer(result, share->transfer);
			UnitText room;

			text_row(t, table, k == 0 ? units_duration(s->start_ns).text : "",
				k == 0 ? units_duration(s->duration_ns).text : "",
				k == 0 ? wording_host(t->options, s->host, &room) : "",
				k > 0           ? ""
				: s->host_sends ? "sends"
						: "receives",
				transfer ? transfer->id : "", units_rate(share->bytes_per_s).text,
				units_percent(100 * share->share).text,
				share->is_starved ? "starved" : "", NULL);
		}
	}
	text_table_end(t, "AT THE SAME TIME", table, rows);
}

static void write_udp_flows(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);

	table_column(table, "FROM", TABLE_SHRINK);
	table_column(table, "TO", TABLE_SHRINK);
	table_column(table, "PROGRAM", TABLE_LEFT);
	table_column(table, "SIZE", TABLE_RIGHT);
	table_column(table, "RATE", TABLE_RIGHT);
	table_column(table, "LOST ON THE WAY HERE", TABLE_LEFT);
	table_column(table, "LATE", TABLE_RIGHT);
	for (size_t i = 0; i < result->udp_flow_count && i < TEXT_ROWS_MAX; i++) {
		const ResultUdpFlow *u = &result->udp_flows[i];
		g_autofree char *lost = wording_lost(u);

		text_row(t, table, wording_endpoint(t->options, &u->from).text,
			wording_endpoint(t->options, &u->to).text, u->program ? u->program : "-",
			units_size(u->bytes).text, units_rate(u->bytes_per_s).text, lost,
			u->late == RESULT_UNKNOWN_COUNT ? "-" : units_count(u->late).text, NULL);
	}
	text_table_end(t, "UDP", table, result->udp_flow_count);
}

void text_tables(const Result *result, const ReportOptions *options, GString *out)
{
	Tables t = {.out = out,
		.options = options,
		/* cells of two letters say less than lines that the terminal breaks */
		.columns = MAX(options->columns ? options->columns : 80, TABLE_COLUMNS_MIN)};

	write_findings(&t, result);
	write_fixes(&t, result);
	write_outlooks(&t, result);
	write_transfers(&t, result);
	write_slices(&t, result);
	write_hosts(&t, result);
	write_sharings(&t, result);
	write_udp_flows(&t, result);
	write_connections(&t, result);
	write_commands(&t, result);
	text_sessions(&t, result);
	text_ftp(&t, result);
	write_stalls(&t, result);
}
