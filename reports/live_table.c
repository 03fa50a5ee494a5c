/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live table on a terminal: see live_table.h. ncurses draws; what is shown is in live_rows.c.
 */
#include "reports/live_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <ncurses.h>

#include "reports/escape.h"
#include "reports/live_rows.h"
#include "reports/units.h"

/* Rows are drawn anew at most so often, and keys are looked for. */
#define DRAW_EVERY_US 500000
#define POLL_EVERY_US 50000
#define FILTER_MAX 40
/* Notes are repeated when the terminal is given back, the last ones of them. */
#define NOTES_MAX 50
#define LINES_ABOVE 3
#define LINES_BELOW 2
/* A pause as long as what is told of as a stall. */
#define SILENT_NS INT64_C(1000000000)
/* Below this nothing useful fits. */
#define LEAST_COLUMNS 40
#define LEAST_LINES 8
/* An IPv4 address; an IPv6 address where there is room. */
#define LEAST_HOST_COLUMNS 15
#define MOST_HOST_COLUMNS 39
#define PROTOCOL_COLUMNS 4
#define RATE_COLUMNS 10
#define SIZE_COLUMNS 8
#define TIME_COLUMNS 9
#define WHERE_COLUMNS 20
#define CAUSE_COLUMNS 24
#define KEY_ESCAPE 27

struct LiveTable {
	const ReportOptions *options;
	char *source;
	SCREEN *screen;
	LiveRows rows, frozen; /* frozen: what a pause shows */
	LiveSort sort;
	char filter[FILTER_MAX + 1];
	bool is_typing, is_paused, wants_end, is_dirty;
	GPtrArray *view;   /* LiveRow, as drawn last; NULL after rows changed */
	uint64_t selected; /* number of its row, 0 the first */
	guint top;         /* first row drawn */
	bool is_open;      /* the page of the selected one */
	gint64 drawn_us, polled_us;
	LiveTableState state;
	AnalysisCounts before; /* of the draw before, for rates */
	double packets_per_s, bits_per_s;
	int note_fd, stderr_fd; /* where standard error goes now, and went before */
	GQueue notes;           /* char * */
};

/* ---- the terminal given back, however the program ends */

static struct termios saved_modes;
static volatile sig_atomic_t has_terminal;

static void on_fatal(int number)
{
	/* only what a signal handler may do: modes, the main screen, the cursor, plain letters */
	static const char restore[] = "\033[?1049l\033[?25h\033[0m\r\n";
	if (has_terminal) {
		has_terminal = 0;
		tcsetattr(STDOUT_FILENO, TCSANOW, &saved_modes);
		ssize_t n = write(STDOUT_FILENO, restore, sizeof(restore) - 1);
		(void)n;
	}
	signal(number, SIG_DFL);
	raise(number);
}

static void at_exit(void)
{
	if (has_terminal)
		endwin();
	has_terminal = 0;
}

static void guard_terminal(void)
{
	static const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGQUIT};
	for (size_t i = 0; i < G_N_ELEMENTS(fatal); i++)
		signal(fatal[i], on_fatal);
	/* in the background nothing would be drawn, and the kernel's ring would run over */
	signal(SIGTSTP, SIG_IGN);
	atexit(at_exit);
}

/* ---- what others say on standard error */

static void notes_begin(LiveTable *t)
{
	int ends[2];
	t->note_fd = t->stderr_fd = -1;
	g_queue_init(&t->notes);
	if (!isatty(STDERR_FILENO) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return;
	fflush(stderr);
	t->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	t->note_fd = ends[0];
}

static void notes_read(LiveTable *t)
{
	char text[4096];
	ssize_t n = t->note_fd >= 0 ? read(t->note_fd, text, sizeof(text) - 1) : 0;
	if (n <= 0)
		return;
	text[n] = '\0';
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		if (!**line)
			continue;
		g_queue_push_tail(&t->notes, escape_terminal(*line, t->options->unicode));
		if (t->notes.length > NOTES_MAX)
			g_free(g_queue_pop_head(&t->notes));
	}
	t->is_dirty = true;
}

static void notes_end(LiveTable *t)
{
	fflush(stderr);
	notes_read(t);
	if (t->stderr_fd >= 0) {
		dup2(t->stderr_fd, STDERR_FILENO);
		close(t->stderr_fd);
		close(t->note_fd);
	}
	for (const GList *l = t->notes.head; t->stderr_fd >= 0 && l; l = l->next)
		fprintf(stderr, "%s\n", (const char *)l->data);
	g_queue_clear_full(&t->notes, g_free);
}

/* ---- beginning */

LiveTable *live_table_new(const ReportOptions *options, const char *source, GError **error)
{
	g_autoptr(LiveTable) t = g_new0(LiveTable, 1);
	t->options = options;
	t->source = escape_terminal(source, options->unicode);
	t->note_fd = t->stderr_fd = -1;
	live_rows_init(&t->rows, options);
	tcgetattr(STDOUT_FILENO, &saved_modes);
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE,
			"this terminal (TERM=%s) cannot show a table; --json prints lines",
			getenv("TERM") ? getenv("TERM") : "");
		return NULL;
	}
	has_terminal = 1;
	guard_terminal();
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	set_escdelay(50);
	nodelay(stdscr, TRUE);
	notes_begin(t);
	t->is_dirty = true;
	return g_steal_pointer(&t);
}

void live_table_result(LiveTable *t, const Result *result)
{
	live_rows_result(&t->rows, result);
	if (t->is_paused)
		return;
	g_clear_pointer(&t->view, g_ptr_array_unref);
	t->is_dirty = true;
}

bool live_table_is_due(const LiveTable *t)
{
	return g_get_monotonic_time() - t->polled_us >= POLL_EVERY_US;
}

bool live_table_wants_rows(const LiveTable *t)
{
	return !t->is_paused && g_get_monotonic_time() - t->drawn_us >= DRAW_EVERY_US;
}

bool live_table_wants_end(const LiveTable *t)
{
	return t->wants_end;
}

/* ---- drawing */

/* Writes @text into @columns columns at the cursor, cut or filled up. */
static void put(const LiveTable *t, const char *text, int columns, bool is_right)
{
	g_autofree char *cut = columns >= 3 ? escape_cut(text, columns, t->options->unicode)
					    : g_strndup(text, (gsize)MAX(columns, 0));
	int room = MAX(columns - escape_width(cut), 0);
	printw("%*s%s%*s", is_right ? room : 0, "", cut, is_right ? 0 : room, "");
}

static void put_line(const LiveTable *t, int y, const char *text, attr_t attributes)
{
	move(y, 0);
	attrset(attributes);
	put(t, text, COLS, false);
	attrset(A_NORMAL);
}

static bool is_wide(void)
{
	return COLS >= 2 * LEAST_HOST_COLUMNS + 3 + PROTOCOL_COLUMNS + RATE_COLUMNS + SIZE_COLUMNS +
			       TIME_COLUMNS + WHERE_COLUMNS + CAUSE_COLUMNS + 8 + 16;
}

static int host_columns(void)
{
	/* half of what is left beside a name of some length */
	int room = is_wide() ? (COLS - 160) / 4 : 0;
	return CLAMP(LEAST_HOST_COLUMNS + room, LEAST_HOST_COLUMNS, MOST_HOST_COLUMNS);
}

/* Columns left for the name of the file. */
static int file_columns(void)
{
	int others = 2 * host_columns() + 3 + PROTOCOL_COLUMNS + RATE_COLUMNS + 4;
	if (is_wide())
		others += SIZE_COLUMNS + TIME_COLUMNS + WHERE_COLUMNS + CAUSE_COLUMNS + 4;
	else
		others += WHERE_COLUMNS + 1;
	return MAX(COLS - others, 8);
}

typedef struct Cells {
	const char *client, *arrow, *server, *protocol, *file, *rate, *size, *time, *where, *cause;
} Cells;

static void put_cells(const LiveTable *t, int y, const Cells *c, attr_t attributes)
{
	move(y, 0);
	attrset(attributes);
	put(t, c->client, host_columns(), false);
	printw(" %s ", c->arrow);
	put(t, c->server, host_columns(), false);
	addch(' ');
	put(t, c->protocol, PROTOCOL_COLUMNS, false);
	addch(' ');
	put(t, c->file, file_columns(), false);
	addch(' ');
	put(t, c->rate, RATE_COLUMNS, true);
	addch(' ');
	if (is_wide()) {
		put(t, c->size, SIZE_COLUMNS, true);
		addch(' ');
		put(t, c->time, TIME_COLUMNS, true);
		addch(' ');
		put(t, c->where, WHERE_COLUMNS, false);
		addch(' ');
		put(t, c->cause, CAUSE_COLUMNS, false);
	} else {
		/* the cause once it is known, until then where the time goes */
		put(t, *c->cause && strcmp(c->cause, "-") != 0 ? c->cause : c->where, WHERE_COLUMNS,
			false);
	}
	clrtoeol();
	attrset(A_NORMAL);
}

static const char *where_of(const LiveRow *row, UnitText *room)
{
	/* who is waited for is known when the next packet comes */
	if (row->state == LIVE_GOING && row->silent_ns >= SILENT_NS) {
		snprintf(room->text, sizeof(room->text), "silent for %.30s",
			units_duration(row->silent_ns).text);
		return room->text;
	}
	int bucket = row->state == LIVE_GOING ? row->now : live_row_most(row);
	return bucket >= 0 ? bucket_title((Bucket)bucket) : "";
}

static void draw_row(const LiveTable *t, int y, const LiveRow *row, bool is_selected)
{
	UnitText rate = units_rate(row->rate), size = units_size(row->bytes),
		 time = units_duration(row->duration_ns), where;
	Cells c = {.client = row->client,
		.arrow = row->is_write ? ">" : "<",
		.server = row->server,
		.protocol = row->protocol,
		.file = row->file ? row->file : "",
		.rate = row->rate > 0 ? rate.text : "0",
		.size = size.text,
		.time = time.text,
		.where = where_of(row, &where),
		.cause = row->cause                ? row->cause
			 : row->state == LIVE_TOLD ? "-"
						   : ""};
	attr_t attributes = row->state == LIVE_GOING ? A_BOLD : A_NORMAL;
	put_cells(t, y, &c, is_selected ? attributes | A_REVERSE : attributes);
}

static void draw_head(const LiveTable *t)
{
	const AnalysisCounts *c = &t->state.counts;
	UnitText packets = units_count((uint64_t)(t->packets_per_s + 0.5)),
		 bits = units_rate_bits(t->bits_per_s / 8), files = units_count(c->transfers),
		 connections = units_count(c->connections), dropped = units_count(t->state.dropped);
	g_autoptr(GDateTime) date =
		g_date_time_new_from_unix_local(t->state.now_ns / INT64_C(1000000000));
	g_autofree char *time = date ? g_date_time_format(date, "%H:%M:%S") : g_strdup("");
	g_autofree char *first = g_strdup_printf("slowcopy monitor  %s  %s%s", t->source, time,
		t->is_paused       ? "  PAUSED"
		: t->state.is_over ? "  END OF INPUT"
				   : "");
	g_autofree char *second = g_strdup_printf(
		"%s packets/s  %s  %s connections  %s transfers done  %s findings%s%s%s",
		packets.text, t->bits_per_s > 0 ? bits.text : "0 bit/s", connections.text,
		files.text, units_count(c->findings).text, t->state.dropped ? "  " : "",
		t->state.dropped ? dropped.text : "", t->state.dropped ? " DROPPED" : "");
	put_line(t, 0, first, A_BOLD);
	put_line(t, 1, second, t->state.dropped ? A_BOLD : A_NORMAL);
	static const Cells titles = {"CLIENT", " ", "SERVER", "PROT", "FILE", "RATE", "SIZE",
		"TIME", "TIME GOES TO", "CAUSE"};
	Cells narrow = titles;
	narrow.cause = "TIME GOES TO, CAUSE";
	put_cells(t, 2, is_wide() ? &titles : &narrow, A_UNDERLINE);
}

static void draw_foot(const LiveTable *t)
{
	const char *note = t->notes.tail ? t->notes.tail->data : "";
	put_line(t, LINES - 2, note, A_NORMAL);
	g_autofree char *keys = t->is_typing ? g_strdup_printf("filter: %s_", t->filter)
					     : g_strdup_printf("q quit  s sort: %s  / filter%s%s  "
							       "p pause  arrows, Enter: budget",
						       live_sort_name(t->sort),
						       t->filter[0] ? ": " : "", t->filter);
	put_line(t, LINES - 1, keys, A_REVERSE);
}

static guint selected_index(const LiveTable *t)
{
	for (guint i = 0; i < t->view->len; i++) {
		if (((LiveRow *)t->view->pdata[i])->number == t->selected)
			return i;
	}
	return 0;
}

static void draw_list(LiveTable *t)
{
	guint room = (guint)(LINES - LINES_ABOVE - LINES_BELOW), at = selected_index(t);
	/* the selected row stays in sight; nothing selected: the first ones */
	if (at < t->top || t->selected == 0)
		t->top = at;
	if (at >= t->top + room)
		t->top = at - room + 1;
	if (t->top + room > t->view->len)
		t->top = t->view->len > room ? t->view->len - room : 0;
	draw_head(t);
	for (guint i = 0; i < room; i++) {
		int y = LINES_ABOVE + (int)i;
		if (t->top + i < t->view->len) {
			draw_row(t, y, t->view->pdata[t->top + i], t->top + i == at);
		} else {
			move(y, 0);
			clrtoeol();
		}
	}
	if (t->view->len == 0)
		put_line(t, LINES_ABOVE,
			t->filter[0] ? "no transfer matches the filter" : "no transfer yet", A_DIM);
	draw_foot(t);
}

/* Words of @text from line @y on, broken between words. Returns the line behind it. */
static int draw_paragraph(const LiveTable *t, int y, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	g_autoptr(GString) line = g_string_new(NULL);
	for (char **word = words; *word && y < LINES - LINES_BELOW; word++) {
		if (line->len > 0 && escape_width(line->str) + 1 + escape_width(*word) > COLS - 1) {
			put_line(t, y++, line->str, A_NORMAL);
			g_string_truncate(line, 0);
		}
		g_string_append_printf(line, "%s%s", line->len ? " " : "", *word);
	}
	if (y < LINES - LINES_BELOW)
		put_line(t, y++, line->str, A_NORMAL);
	return y;
}

static int draw_budget(const LiveTable *t, int y, const LiveRow *row)
{
	int64_t sum = 0, left[BUCKET_COUNT];
	memcpy(left, row->bucket_ns, sizeof(left));
	for (int i = 0; i < BUCKET_COUNT; i++)
		sum += left[i];
	for (int n = 0; n < BUCKET_COUNT && y < LINES - LINES_BELOW; n++) {
		int best = 0;
		for (int i = 1; i < BUCKET_COUNT; i++) {
			if (left[i] > left[best])
				best = i;
		}
		if (left[best] <= 0)
			break;
		int room = MAX(COLS - 45, 5);
		int filled = (int)((double)left[best] / (double)sum * room + 0.5);
		g_autofree char *bar = g_strnfill((gsize)filled, '#');
		g_autofree char *line = g_strdup_printf("  %-24s %5s %9s  %s",
			bucket_title((Bucket)best), units_share(left[best], sum).text,
			units_duration(left[best]).text, bar);
		put_line(t, y++, line, A_NORMAL);
		left[best] = 0;
	}
	return y;
}

static void draw_page(const LiveTable *t, const LiveRow *row)
{
	g_autofree char *title = g_strdup_printf("%s:%u %s %s:%u  %s %s", row->client,
		row->client_end.port, row->is_write ? "->" : "<-", row->server,
		row->server_end.port, row->protocol, row->is_write ? "write" : "read");
	g_autofree char *file = g_strdup_printf("%s%s%s", row->share ? row->share : "",
		row->share && row->file ? "  " : "", row->file ? row->file : "");
	g_autofree char *numbers = g_strdup_printf("%s in %s, %s%s", units_size(row->bytes).text,
		units_duration(row->duration_ns).text,
		row->rate > 0 ? units_rate_both(row->rate).text : "0 MB/s",
		row->state == LIVE_GOING   ? ", goes on"
		: row->state == LIVE_ENDED ? ", has ended"
					   : "");
	erase();
	put_line(t, 0, title, A_BOLD);
	put_line(t, 1, file, A_NORMAL);
	put_line(t, 2, numbers, A_NORMAL);
	int y = draw_budget(t, 4, row) + 1;
	const char *text = row->findings ? row->findings : "";
	if (!*text)
		text = row->state == LIVE_TOLD ? "Nothing is wrong with it."
					       : "Its cause is told of when it has ended.";
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line && y < LINES - LINES_BELOW; line++)
		y = draw_paragraph(t, y, *line);
	put_line(t, LINES - 1, "Esc or Enter: back to the table", A_REVERSE);
}

static const LiveRow *selected_row(LiveTable *t)
{
	if (!t->view)
		t->view = live_rows_view(t->is_paused ? &t->frozen : &t->rows, t->sort, t->filter);
	return t->view->len > 0 ? t->view->pdata[selected_index(t)] : NULL;
}

static void draw(LiveTable *t)
{
	const LiveRow *row = selected_row(t);
	if (COLS < LEAST_COLUMNS || LINES < LEAST_LINES) {
		erase();
		mvaddnstr(0, 0, "terminal too small", COLS);
	} else if (t->is_open && row) {
		draw_page(t, row);
	} else {
		draw_list(t);
	}
	refresh();
	t->is_dirty = false;
}

/* ---- keys */

static void select_by(LiveTable *t, int by)
{
	const LiveRow *row = selected_row(t);
	if (!row)
		return;
	int at = (int)selected_index(t) + by, last = (int)t->view->len - 1;
	row = t->view->pdata[CLAMP(at, 0, last)];
	/* at the top it stays with whatever comes first */
	t->selected = at <= 0 ? 0 : row->number;
}

static void type(LiveTable *t, int key)
{
	size_t len = strlen(t->filter);
	if (key == KEY_ESCAPE) {
		t->filter[0] = '\0';
		t->is_typing = false;
	} else if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		t->is_typing = false;
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len > 0) {
		t->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < 127 && len < FILTER_MAX) {
		t->filter[len] = (char)key;
		t->filter[len + 1] = '\0';
	}
}

static void pause_or_go_on(LiveTable *t)
{
	if (t->is_paused)
		live_rows_clear(&t->frozen);
	else
		live_rows_copy(&t->rows, &t->frozen);
	t->is_paused = !t->is_paused;
}

static void press(LiveTable *t, int key)
{
	int page = MAX(LINES - LINES_ABOVE - LINES_BELOW, 1);
	switch (key) {
	case 'q':
	case 'Q':
		if (t->is_open)
			t->is_open = false;
		else
			t->wants_end = true;
		break;
	case 's':
		t->sort = (LiveSort)((t->sort + 1) % LIVE_SORTS);
		t->selected = 0;
		break;
	case '/':
		t->is_typing = !t->is_open;
		break;
	case 'p':
	case ' ':
		pause_or_go_on(t);
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
		if (!t->is_open && selected_row(t))
			t->selected = selected_row(t)->number;
		t->is_open = !t->is_open;
		break;
	case KEY_ESCAPE:
		t->is_open = false;
		break;
	case KEY_UP:
	case 'k':
		select_by(t, -1);
		break;
	case KEY_DOWN:
	case 'j':
		select_by(t, 1);
		break;
	case KEY_PPAGE:
		select_by(t, -page);
		break;
	case KEY_NPAGE:
		select_by(t, page);
		break;
	case KEY_HOME:
	case 'g':
		t->selected = 0;
		break;
	default:
		break;
	}
}

/* A terminal that was closed says nothing any more, for ever. */
static bool is_hung_up(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL);
}

static void take_keys(LiveTable *t)
{
	int key;
	if (is_hung_up()) {
		t->wants_end = true;
		return;
	}
	while ((key = getch()) != ERR) {
		t->is_dirty = true;
		if (t->is_typing)
			type(t, key);
		else
			press(t, key);
		g_clear_pointer(&t->view, g_ptr_array_unref);
		if (key == KEY_RESIZE)
			erase();
	}
}

/* ---- turns */

static void take_state(LiveTable *t, const LiveTableState *state)
{
	double seconds = (double)(state->now_ns - t->state.now_ns) / 1e9;
	if (t->state.now_ns > 0 && seconds > 0) {
		t->packets_per_s = (double)(state->counts.packets - t->before.packets) / seconds;
		t->bits_per_s = 8 * (double)(state->counts.bytes - t->before.bytes) / seconds;
	}
	t->before = state->counts;
	t->state = *state;
}

void live_table_draw(
	LiveTable *t, const LiveTableState *state, const OpenTransfer *open, size_t count)
{
	bool has_rows = live_table_wants_rows(t);
	t->polled_us = g_get_monotonic_time();
	if (has_rows) {
		t->drawn_us = t->polled_us;
		take_state(t, state);
		live_rows_snapshot(&t->rows, state->now_ns, open, count);
		g_clear_pointer(&t->view, g_ptr_array_unref);
		t->is_dirty = true;
	}
	take_keys(t);
	notes_read(t);
	if (t->is_dirty)
		draw(t);
}

void live_table_free(LiveTable *t)
{
	if (!t)
		return;
	if (t->screen) {
		endwin();
		has_terminal = 0;
		delscreen(t->screen);
		notes_end(t);
	}
	if (t->view)
		g_ptr_array_unref(t->view);
	if (t->is_paused)
		live_rows_clear(&t->frozen);
	live_rows_clear(&t->rows);
	g_free(t->source);
	g_free(t);
}
