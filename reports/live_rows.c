/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of the live table: see live_rows.h.
 */
#include "reports/live_rows.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/wording.h"

static void row_free(gpointer data)
{
	LiveRow *row = data;
	g_free(row->client);
	g_free(row->server);
	g_free(row->file);
	g_free(row->share);
	g_free(row->findings);
	g_free(row);
}

void live_rows_init(LiveRows *rows, const ReportOptions *options)
{
	*rows = (LiveRows){.rows = g_ptr_array_new_with_free_func(row_free), .options = options};
}

static const char *protocol_name(const char *protocol)
{
	static const struct {
		const char *id, *name;
	} names[] = {{"smb1", "SMB1"}, {"smb2", "SMB2"}, {"ftp", "FTP"}, {"ftp-data", "FTP"},
		{"netbios", "NBT"}};
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(protocol, names[i].id) == 0)
			return names[i].name;
	}
	return "TCP";
}

static char *host_text(const LiveRows *rows, const ResultEndpoint *end)
{
	UnitText room;
	return escape_terminal(
		wording_host(rows->options, end->addr, &room), rows->options->unicode);
}

static void set_text(const LiveRows *rows, char **at, const char *text)
{
	if (*at && text && strcmp(*at, text) == 0)
		return;
	g_free(*at);
	*at = text ? escape_terminal(text, rows->options->unicode) : NULL;
}

/* Makes room: the oldest that has ended, else the oldest. */
static void drop_one(LiveRows *rows)
{
	guint which = 0;
	for (guint i = 0; i < rows->rows->len; i++) {
		if (((LiveRow *)rows->rows->pdata[i])->state != LIVE_GOING) {
			which = i;
			break;
		}
	}
	g_ptr_array_remove_index(rows->rows, which);
}

static LiveRow *row_add(LiveRows *rows, const ResultEndpoint *client, const ResultEndpoint *server)
{
	if (rows->rows->len >= LIVE_ROWS_MAX)
		drop_one(rows);
	LiveRow *row = g_new0(LiveRow, 1);
	row->number = ++rows->number;
	row->client_end = *client;
	row->server_end = *server;
	row->client = host_text(rows, client);
	row->server = host_text(rows, server);
	row->now = -1;
	g_ptr_array_add(rows->rows, row);
	return row;
}

static int most_of(const int64_t *ns)
{
	int best = -1;
	for (int i = 0; i < BUCKET_COUNT; i++) {
		if (ns[i] > 0 && (best < 0 || ns[i] > ns[best]))
			best = i;
	}
	return best;
}

int live_row_most(const LiveRow *row)
{
	return most_of(row->bucket_ns);
}

static void row_update(const LiveRows *rows, LiveRow *row, int64_t now_ns, const OpenTransfer *o)
{
	int64_t more[BUCKET_COUNT], passed = now_ns - row->last_ns;
	row->is_seen = true;
	set_text(rows, &row->file, o->file);
	set_text(rows, &row->share, o->share);
	row->protocol = protocol_name(o->protocol);
	row->is_write = o->is_write;
	row->bytes = o->bytes;
	row->start_ns = o->start_ns;
	row->duration_ns = MAX(now_ns - o->start_ns, 0);
	row->silent_ns = MAX(now_ns - o->last_ns, 0);
	memcpy(row->bucket_ns, o->bucket_ns, sizeof(row->bucket_ns));
	if (row->last_ns == 0)
		passed = row->duration_ns;
	if (passed <= 0)
		return;
	row->rate = (double)(row->bytes - MIN(row->last_bytes, row->bytes)) * 1e9 / (double)passed;
	for (int i = 0; i < BUCKET_COUNT; i++)
		more[i] = row->bucket_ns[i] - row->last_bucket_ns[i];
	/* while nothing new has its label what was last stays */
	if (most_of(more) >= 0)
		row->now = most_of(more);
	memcpy(row->last_bucket_ns, row->bucket_ns, sizeof(row->bucket_ns));
	row->last_bytes = row->bytes;
	row->last_ns = now_ns;
}

void live_rows_snapshot(LiveRows *rows, int64_t now_ns, const OpenTransfer *open, size_t count)
{
	g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);
	for (guint i = 0; i < rows->rows->len; i++) {
		LiveRow *row = rows->rows->pdata[i];
		row->is_seen = false;
		if (row->state == LIVE_GOING)
			g_hash_table_insert(known, &row->serial, row);
	}
	for (size_t i = 0; i < count; i++) {
		LiveRow *row = g_hash_table_lookup(known, &open[i].serial);
		if (!row) {
			row = row_add(rows, &open[i].client, &open[i].server);
			row->serial = open[i].serial;
		}
		row_update(rows, row, now_ns, &open[i]);
	}
	for (guint i = 0; i < rows->rows->len; i++) {
		LiveRow *row = rows->rows->pdata[i];
		if (row->state != LIVE_GOING || row->is_seen)
			continue;
		row->state = LIVE_ENDED;
		row->now = -1;
		if (row->duration_ns > 0)
			row->rate = (double)row->bytes * 1e9 / (double)row->duration_ns;
	}
}

static bool is_same(const LiveRow *row, const ResultTransfer *t, int64_t start_ns)
{
	return !t->is_job && row->state != LIVE_TOLD && row->serial != 0 &&
	       row->start_ns == start_ns && row->client_end.port == t->client.port &&
	       memcmp(row->client_end.addr, t->client.addr, 16) == 0 &&
	       memcmp(row->server_end.addr, t->server.addr, 16) == 0;
}

static LiveRow *row_of(LiveRows *rows, const ResultTransfer *t, int64_t start_ns)
{
	for (guint i = rows->rows->len; i > 0; i--) {
		LiveRow *row = rows->rows->pdata[i - 1];
		if (is_same(row, t, start_ns))
			return row;
	}
	return row_add(rows, &t->client, &t->server);
}

static char *findings_text(const LiveRows *rows, const Result *result, const ResultTransfer *t)
{
	g_autoptr(GString) text = g_string_new(NULL);
	for (size_t i = 0; i < t->finding_count; i++) {
		const ResultFinding *f = &result->findings[t->findings[i]];
		g_string_append_printf(text, "%s (%s, confidence %s)\n%s\n", f->cause,
			wording_severity(f->severity), wording_confidence(f->confidence),
			f->sentence);
		if (f->doubt)
			g_string_append_printf(text, "Doubt: %s\n", f->doubt);
		if (f->fix)
			g_string_append_printf(text, "Fix: %s\n", f->fix);
		g_string_append_c(text, '\n');
	}
	/* lines are kept, what is in them is made safe */
	g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
	for (char **line = lines; *line; line++) {
		char *safe = escape_terminal(*line, rows->options->unicode);
		g_free(*line);
		*line = safe;
	}
	return g_strjoinv("\n", lines);
}

static void row_tell(LiveRows *rows, const Result *result, const ResultTransfer *t)
{
	int64_t start_ns = result->capture.first_packet_ns + t->start_ns;
	LiveRow *row = row_of(rows, t, start_ns);
	row->state = LIVE_TOLD;
	row->now = -1;
	g_autofree char *files = t->is_job
					 ? g_strdup_printf("%s file%s", units_count(t->files).text,
						   t->files == 1 ? " and what went around it" : "s")
					 : NULL;
	set_text(rows, &row->file, t->is_job ? files : t->file);
	set_text(rows, &row->share, t->share);
	row->protocol = protocol_name(t->protocol);
	row->is_write = t->is_write;
	row->bytes = t->bytes;
	row->start_ns = start_ns;
	row->duration_ns = t->duration_ns;
	row->rate = t->duration_ns > 0 ? (double)t->bytes * 1e9 / (double)t->duration_ns : 0;
	for (int i = 0; i < BUCKET_COUNT; i++)
		row->bucket_ns[i] = t->budget[i].ns;
	for (size_t i = 0; i < t->finding_count && !row->cause; i++) {
		const ResultFinding *f = &result->findings[t->findings[i]];
		if (f->severity == SEVERITY_INFO)
			continue;
		row->cause = f->cause;
		row->lost_ns = f->lost_ns;
	}
	g_free(row->findings);
	row->findings = findings_text(rows, result, t);
}

void live_rows_result(LiveRows *rows, const Result *result)
{
	for (size_t i = 0; i < result->transfer_count; i++)
		row_tell(rows, result, &result->transfers[i]);
	for (size_t i = 0; i < result->job_count; i++)
		row_tell(rows, result, &result->jobs[i]);
}

static bool has(const char *text, const char *filter)
{
	if (!text)
		return false;
	g_autofree char *low = g_utf8_strdown(text, -1);
	return strstr(low, filter) != NULL;
}

bool live_row_matches(const LiveRow *row, const char *filter)
{
	return !filter || !*filter || has(row->client, filter) || has(row->server, filter) ||
	       has(row->file, filter) || has(row->share, filter) || has(row->protocol, filter) ||
	       has(row->cause, filter);
}

const char *live_sort_name(LiveSort sort)
{
	static const char *const names[LIVE_SORTS] = {"newest", "rate", "time lost", "hosts"};
	return names[sort];
}

static gint compare(gconstpointer a, gconstpointer b, gpointer user)
{
	const LiveRow *x = *(LiveRow *const *)a, *y = *(LiveRow *const *)b;
	int order = 0;
	switch (*(const LiveSort *)user) {
	case LIVE_BY_RATE:
		order = (x->rate < y->rate) - (x->rate > y->rate);
		break;
	case LIVE_BY_LOST:
		order = (x->lost_ns < y->lost_ns) - (x->lost_ns > y->lost_ns);
		break;
	case LIVE_BY_HOST:
		order = strcmp(x->client, y->client);
		order = order ? order : strcmp(x->server, y->server);
		break;
	case LIVE_BY_TIME:
	case LIVE_SORTS:
		/* what goes on comes first */
		order = (x->state != LIVE_GOING) - (y->state != LIVE_GOING);
		break;
	}
	return order ? order : (x->number < y->number) - (x->number > y->number);
}

GPtrArray *live_rows_view(const LiveRows *rows, LiveSort sort, const char *filter)
{
	GPtrArray *view = g_ptr_array_new();
	g_autofree char *low = filter ? g_utf8_strdown(filter, -1) : NULL;
	for (guint i = 0; i < rows->rows->len; i++) {
		LiveRow *row = rows->rows->pdata[i];
		if (live_row_matches(row, low))
			g_ptr_array_add(view, row);
	}
	g_ptr_array_sort_with_data(view, compare, &sort);
	return view;
}

void live_rows_copy(const LiveRows *rows, LiveRows *ret)
{
	live_rows_init(ret, rows->options);
	ret->number = rows->number;
	for (guint i = 0; i < rows->rows->len; i++) {
		const LiveRow *from = rows->rows->pdata[i];
		LiveRow *row = g_memdup2(from, sizeof(*from));
		row->client = g_strdup(from->client);
		row->server = g_strdup(from->server);
		row->file = g_strdup(from->file);
		row->share = g_strdup(from->share);
		row->findings = g_strdup(from->findings);
		g_ptr_array_add(ret->rows, row);
	}
}

void live_rows_clear(LiveRows *rows)
{
	g_ptr_array_unref(rows->rows);
}
