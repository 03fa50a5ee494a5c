/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of the live table: from open to ended to told, rates, order, filter, the bound.
 */
#include "reports/live_rows.h"

#include <string.h>

#include <criterion/criterion.h>

#define S INT64_C(1000000000)
#define START (1700000000 * S)

static const ReportOptions options;

static OpenTransfer open_one(uint64_t serial, const char *file, uint64_t bytes)
{
	OpenTransfer o = {.serial = serial,
		.client = {.addr = {[10] = 0xff, 0xff, 10, 0, 0, (uint8_t)serial}, .port = 40000},
		.server = {.addr = {[10] = 0xff, 0xff, 10, 0, 1, 1}, .port = 445},
		.protocol = "smb2",
		.file = file,
		.bytes = bytes,
		.start_ns = START + (int64_t)serial,
		.last_ns = START + (int64_t)serial};
	return o;
}

static LiveRow *row_at(const LiveRows *rows, guint i)
{
	return rows->rows->pdata[i];
}

Test(live_rows, from_open_to_told)
{
	LiveRows rows;
	live_rows_init(&rows, &options);
	OpenTransfer o = open_one(7, NULL, 1000000);
	o.bucket_ns[BUCKET_LINK] = S / 2;
	live_rows_snapshot(&rows, START + S, &o, 1);
	/* its name became known, and it waited for the server */
	o = open_one(7, "a\033[2Jb.iso", 3000000);
	o.bucket_ns[BUCKET_LINK] = S / 2;
	o.bucket_ns[BUCKET_SERVER_PROCESSING] = S;
	o.last_ns = START + 2 * S;
	live_rows_snapshot(&rows, START + 2 * S, &o, 1);
	const LiveRow *row = row_at(&rows, 0);
	cr_assert_eq(rows.rows->len, 1);
	cr_expect_eq(row->state, LIVE_GOING);
	cr_expect_float_eq(row->rate, 2e6, 1);
	cr_expect_eq(row->now, (int)BUCKET_SERVER_PROCESSING);
	cr_expect_eq(row->silent_ns, 0);
	cr_expect_null(strchr(row->file, '\033'), "nothing of a capture moves the cursor");
	live_rows_snapshot(&rows, START + 3 * S, NULL, 0);
	cr_expect_eq(row->state, LIVE_ENDED);
	const char *const advice[] = {NULL};
	uint32_t first = 0;
	ResultFinding finding = {.cause = "server-slow-read",
		.severity = SEVERITY_MAJOR,
		.sentence = "It is slow.",
		.advice = advice,
		.lost_ns = 5};
	ResultTransfer t = {.id = "T1",
		.client = o.client,
		.server = o.server,
		.protocol = "smb2",
		.file = "b.iso",
		.bytes = 4000000,
		.start_ns = 7,
		.duration_ns = 2 * S,
		.findings = &first,
		.finding_count = 1};
	Result result = {.capture = {.first_packet_ns = START},
		.transfers = &t,
		.transfer_count = 1,
		.findings = &finding,
		.finding_count = 1};
	live_rows_result(&rows, &result);
	cr_assert_eq(rows.rows->len, 1, "the row it was");
	cr_expect_eq(row->state, LIVE_TOLD);
	cr_expect_str_eq(row->cause, "server-slow-read");
	cr_expect_float_eq(row->rate, 2e6, 1);
	cr_expect(strstr(row->findings, "It is slow."));
	t.start_ns = 99;
	live_rows_result(&rows, &result);
	cr_expect_eq(rows.rows->len, 2, "another one");
	LiveRows copy;
	live_rows_copy(&rows, &copy);
	live_rows_clear(&rows);
	cr_expect_str_eq(row_at(&copy, 0)->cause, "server-slow-read");
	live_rows_clear(&copy);
}

Test(live_rows, order_and_filter)
{
	LiveRows rows;
	live_rows_init(&rows, &options);
	OpenTransfer open[] = {open_one(1, "small.txt", 10), open_one(2, "Large.ISO", 3000),
		open_one(3, "middle.bin", 200)};
	live_rows_snapshot(&rows, START + S, open, 3);
	static const struct {
		LiveSort sort;
		const char *filter;
		const char *files;
	} cases[] = {{LIVE_BY_TIME, NULL, "middle.bin Large.ISO small.txt "},
		{LIVE_BY_RATE, "", "Large.ISO middle.bin small.txt "},
		{LIVE_BY_HOST, NULL, "small.txt Large.ISO middle.bin "},
		{LIVE_BY_RATE, "iso", "Large.ISO "}, {LIVE_BY_TIME, "10.0.0.3", "middle.bin "},
		{LIVE_BY_TIME, "SMB2", "middle.bin Large.ISO small.txt "},
		{LIVE_BY_LOST, "nothing", ""}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		g_autoptr(GPtrArray) view = live_rows_view(&rows, cases[i].sort, cases[i].filter);
		g_autoptr(GString) files = g_string_new(NULL);
		for (guint k = 0; k < view->len; k++)
			g_string_append_printf(files, "%s ", ((LiveRow *)view->pdata[k])->file);
		cr_expect_str_eq(files->str, cases[i].files, "case %zu", i);
	}
	live_rows_clear(&rows);
}

Test(live_rows, bounded)
{
	LiveRows rows;
	live_rows_init(&rows, &options);
	OpenTransfer stays = open_one(1, "stays", 1);
	for (uint64_t i = 2; i < 3 * LIVE_ROWS_MAX; i++) {
		OpenTransfer open[] = {stays, open_one(i, "goes", i)};
		live_rows_snapshot(&rows, START + (int64_t)i * S, open, 2);
		cr_assert_leq(rows.rows->len, LIVE_ROWS_MAX);
	}
	cr_assert_eq(row_at(&rows, 0)->serial, 1, "what goes on is kept");
	live_rows_clear(&rows);
}
