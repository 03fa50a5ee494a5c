/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of `-v` that speak of sessions: what was agreed, what came before the first byte,
 * sizes of requests and who capped them, requests in flight over time, paths most waited for.
 */
#include "reports/session_facts.h"
#include "reports/text_tables.h"
#include "reports/units.h"
#include "reports/wording.h"

/* Paths of one session; --json has more. */
#define PATHS_SHOWN 10
/* Parts of time that a line of 80 columns has room for. */
#define PARTS_SHOWN 12

static UnitText balance(int32_t credits)
{
	UnitText ret = {"-"};

	if (credits != INT32_MIN)
		g_snprintf(ret.text, sizeof ret.text, "%d", credits);
	return ret;
}

static void write_sessions(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "DIALECT", TABLE_LEFT);
	table_column(table, "OFFERED", TABLE_SHRINK);
	table_column(table, "SECURITY", TABLE_LEFT);
	table_column(table, "CREDITS", TABLE_RIGHT);
	table_column(table, "LEAST", TABLE_RIGHT);
	table_column(table, "BAD", TABLE_RIGHT);
	for (size_t i = 0; i < result->session_count && i < TEXT_ROWS_MAX; i++) {
		const ResultSession *session = &result->sessions[i];
		const SessionStats *s = &session->stats;
		g_autofree char *dialect = session_dialect_words(s);
		g_autofree char *offered = session_offer_words(s);
		g_autofree char *security = session_security_words(s);

		text_row(t, table, wording_session(session).text, dialect, offered, security,
			balance(s->counts.credits_left).text, balance(s->credits_min).text,
			units_count(s->anomalies).text, NULL);
	}
	text_table_end(t, "SESSIONS", table, result->session_count);
}

static void write_setup(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "STEP", TABLE_LEFT);
	table_column(table, "AT", TABLE_RIGHT);
	table_column(table, "LASTED", TABLE_RIGHT);
	table_column(table, "WAITED", TABLE_RIGHT);
	table_column(table, "TIMES", TABLE_RIGHT);
	table_column(table, "", TABLE_LEFT);
	table_column(table, "HOW", TABLE_SHRINK);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];

		for (size_t k = 0; k < session->phase_count; k++) {
			const ResultPhase *p = &session->phases[k];
			char bar[SESSION_BAR_COLUMNS + 1];

			if (rows++ >= TEXT_ROWS_MAX)
				continue;
			session_bar(session, p, bar);
			text_row(t, table, wording_session(session).text,
				session_phase_words(p->phase), units_duration(p->start_ns).text,
				units_duration(p->duration_ns).text,
				units_duration(p->busy_ns).text, units_count(p->exchanges).text,
				bar, p->how ? p->how : "", NULL);
		}
	}
	text_table_end(t, "BEFORE THE FIRST BYTE", table, rows);
}

static void write_sizes(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "WAY", TABLE_LEFT);
	table_column(table, "REQUESTS", TABLE_RIGHT);
	table_column(table, "MEDIAN", TABLE_RIGHT);
	table_column(table, "LARGEST", TABLE_RIGHT);
	table_column(table, "ALLOWED", TABLE_RIGHT);
	table_column(table, "CAPPED BY", TABLE_LEFT);
	table_column(table, "HOW MANY FROM WHAT SIZE ON", TABLE_SHRINK);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		const SessionStats *s = &session->stats;

		for (int way = 0; way < 2; way++) {
			const SizeStats *sizes = way ? &s->write_size : &s->read_size;
			uint32_t allowed = way ? s->max_write_bytes : s->max_read_bytes;
			g_autofree char *words = session_sizes_words(sizes);

			if (sizes->count == 0 || rows++ >= TEXT_ROWS_MAX)
				continue;
			text_row(t, table, wording_session(session).text, way ? "write" : "read",
				units_count(sizes->count).text, units_buffer(sizes->median).text,
				units_buffer(sizes->max).text,
				allowed ? units_buffer(allowed).text : "-",
				session_limit_words(sizes->limit), words, NULL);
		}
	}
	text_table_end(t, "REQUEST SIZES", table, rows);
}

static void write_depths(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "WHAT", TABLE_LEFT);
	table_column(table, "FROM", TABLE_RIGHT);
	table_column(table, "TO", TABLE_RIGHT);
	table_column(table, "IN EQUAL PARTS OF TIME", TABLE_SHRINK);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		const SessionStats *s = &session->stats;
		g_autofree char *depths = session_folded(s, false, PARTS_SHOWN);
		g_autofree char *credits = session_folded(s, true, PARTS_SHOWN);
		int64_t end = session->bins_start_ns + (int64_t)s->bin_count * s->bin_ns;

		if (s->bin_count == 0 || rows++ >= TEXT_ROWS_MAX)
			continue;
		text_row(t, table, wording_session(session).text, "most in flight",
			units_duration(session->bins_start_ns).text, units_duration(end).text,
			depths, NULL);
		if (s->credits_min != INT32_MIN)
			text_row(t, table, "", "least credits", "", "", credits, NULL);
	}
	text_table_end(t, "REQUESTS IN FLIGHT OVER TIME", table, rows);
}

static void write_paths(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "PATH", TABLE_SHRINK);
	table_column(table, "WAITED", TABLE_RIGHT);
	table_column(table, "REQUESTS", TABLE_RIGHT);
	table_column(table, "ERRORS", TABLE_RIGHT);
	table_column(table, "AGAIN", TABLE_RIGHT);
	table_column(table, "MISSING", TABLE_RIGHT);
	table_column(table, "READ", TABLE_RIGHT);
	table_column(table, "TWICE", TABLE_RIGHT);
	table_column(table, "WRITTEN", TABLE_RIGHT);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		const SessionStats *s = &session->stats;

		for (size_t k = 0; k < s->file_count && k < PATHS_SHOWN; k++) {
			const FileActivity *f = &s->files[k];

			if (rows++ >= TEXT_ROWS_MAX)
				continue;
			text_row(t, table, wording_session(session).text, f->name,
				units_duration(f->busy_ns).text, units_count(f->operations).text,
				units_count(f->errors).text, units_count(f->asked_again).text,
				units_count(f->not_found).text, units_size(f->read_bytes).text,
				units_size(f->reread_bytes).text, units_size(f->written_bytes).text,
				NULL);
		}
	}
	text_table_end(t, "PATHS MOST WAITED FOR", table, rows);
}

static void write_facts(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "STREAM", TABLE_RIGHT);
	table_column(table, "COUNT", TABLE_RIGHT);
	table_column(table, "WHAT", TABLE_SHRINK);
	for (size_t i = 0; i < result->session_count; i++) {
		const ResultSession *session = &result->sessions[i];
		SessionFact facts[SESSION_FACTS_MAX];
		size_t count = session_facts(&session->stats, facts);

		for (size_t k = 0; k < count; k++) {
			if (facts[k].count == 0 || rows++ >= TEXT_ROWS_MAX)
				continue;
			text_row(t, table, wording_session(session).text,
				units_count(facts[k].count).text, facts[k].words, NULL);
		}
		for (size_t k = 0; k < session->stats.anomaly_kind_count; k++) {
			const AnomalyCount *a = &session->stats.anomaly_kinds[k];
			g_autofree char *words = g_strdup_printf("malformed: %s", a->kind);

			if (rows++ >= TEXT_ROWS_MAX)
				continue;
			text_row(t, table, wording_session(session).text,
				units_count(a->count).text, words, NULL);
		}
	}
	text_table_end(t, "ALSO SEEN", table, rows);
}

static UnitText phase_text(int64_t ns)
{
	UnitText ret = {"-"};

	if (ns == RESULT_UNKNOWN_NS)
		return ret;
	/* what is named last came first: nobody waited */
	return ns < 0 ? (UnitText){"before"} : units_duration(ns);
}

void text_ftp(Tables *t, const Result *result)
{
	g_autoptr(Table) table = table_new(t->columns);
	size_t rows = 0;

	table_column(table, "ID", TABLE_LEFT);
	table_column(table, "PASV TO SYN", TABLE_RIGHT);
	table_column(table, "HANDSHAKE", TABLE_RIGHT);
	table_column(table, "COMMAND TO 150", TABLE_RIGHT);
	table_column(table, "150 TO DATA", TABLE_RIGHT);
	table_column(table, "DATA TO 226", TABLE_RIGHT);
	table_column(table, "FILE", TABLE_SHRINK);
	for (size_t i = 0; i < result->transfer_count; i++) {
		const ResultTransfer *transfer = &result->transfers[i];
		const ResultFtpTimes *f = &transfer->ftp;

		if (!transfer->is_ftp_file || rows++ >= TEXT_ROWS_MAX)
			continue;
		text_row(t, table, transfer->id, phase_text(f->prepare_to_connect_ns).text,
			phase_text(f->connect_ns).text, phase_text(f->command_to_reply_ns).text,
			phase_text(f->reply_to_first_byte_ns).text,
			phase_text(f->last_byte_to_done_ns).text,
			transfer->file ? transfer->file : "-", NULL);
	}
	text_table_end(t, "PHASES OF FTP TRANSFERS", table, rows);
}

void text_sessions(Tables *t, const Result *result)
{
	write_sessions(t, result);
	write_setup(t, result);
	write_sizes(t, result);
	write_depths(t, result);
	write_paths(t, result);
	write_facts(t, result);
}
