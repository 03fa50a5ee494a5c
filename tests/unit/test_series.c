/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Series: against a list of everything added, re-binned at the end.
 */
#include "analyzer/base/series.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

#define START INT64_C(1700000000000000000)
#define COLUMNS 3

typedef struct Added {
	size_t column;
	int64_t t0, t1, value; /* t1 < 0: a point */
} Added;

static const SeriesRule rules[COLUMNS] = {SERIES_SUM, SERIES_MAX, SERIES_SUM};

/* floor(value * part / whole), towards zero */
static int64_t share(int64_t value, int64_t part, int64_t whole)
{
	return (int64_t)((__int128)value * part / whole);
}

static void model_put(int64_t *cell, SeriesRule rule, int64_t value)
{
	if (rule == SERIES_SUM)
		*cell += value;
	else if (value > *cell)
		*cell = value;
}

static void model_add(int64_t *bins, int64_t width, const Added *a)
{
	SeriesRule rule = rules[a->column];
	int64_t from = a->t0 > START ? a->t0 - START : 0, to = a->t1 > START ? a->t1 - START : 0;
	int64_t value = rule == SERIES_MAX && a->value < 0 ? 0 : a->value;
	if (a->t1 < 0 || to <= from) {
		model_put(&bins[from / width], rule, value);
		return;
	}
	for (int64_t b = from / width; b <= (to - 1) / width; b++) {
		int64_t begin = b * width > from ? b * width : from;
		int64_t end = (b + 1) * width < to ? (b + 1) * width : to;
		model_put(&bins[b], rule,
			rule == SERIES_MAX ? value
					   : share(value, end - from, to - from) -
						     share(value, begin - from, to - from));
	}
}

Test(series, matches_rebinning_everything)
{
	Random random = random_start();
	for (unsigned round = 0; round < 200; round++) {
		size_t bins = 2 * (1 + random_below(&random, 64)), n = random_below(&random, 300);
		/* from within one bin to hours */
		int64_t reach = INT64_C(1) << random_between(&random, 10, 44);
		Series *s = series_new(START, bins, COLUMNS, rules);
		Added added[300];
		int64_t total[COLUMNS] = {0};
		for (size_t i = 0; i < n; i++) {
			Added *a = &added[i];
			*a = (Added){.column = random_below(&random, COLUMNS),
				.t0 = START + random_between(&random, -5, reach),
				.t1 = -1,
				.value = random_between(&random, -1000, 100000)};
			total[a->column] += a->value;
			if (random_below(&random, 2)) {
				series_add(s, a->column, a->t0, a->value);
				continue;
			}
			a->t1 = a->t0 + random_between(&random, -2, reach);
			if (a->t1 > a->t0 && random_below(&random, 2))
				series_reach(s, a->t1);
			series_add_span(s, a->column, a->t0, a->t1, a->value);
		}
		int64_t width = series_bin_ns(s);
		cr_assert_leq(series_count(s), bins);
		cr_assert(width == SERIES_FIRST_BIN_NS || series_count(s) > bins / 2,
			"no wider than needed");
		for (size_t c = 0; c < COLUMNS; c++) {
			int64_t want[128], sum = 0;
			for (size_t b = 0; b < 128; b++)
				want[b] = rules[c] == SERIES_MAX ? SERIES_NONE : 0;
			for (size_t i = 0; i < n; i++)
				if (added[i].column == c)
					model_add(want, width, &added[i]);
			for (size_t b = 0; b < series_count(s); b++) {
				cr_assert_eq(series_value(s, c, b), want[b],
					"round %u column %zu bin %zu: %lld, not %lld", round, c, b,
					(long long)series_value(s, c, b), (long long)want[b]);
				sum += series_value(s, c, b);
			}
			if (rules[c] == SERIES_SUM)
				cr_assert_eq(sum, total[c], "sums are conserved");
		}
		series_free(s);
	}
}

Test(series, far_times)
{
	Series *s = series_new(INT64_MIN, 2, 1, (SeriesRule[]){SERIES_SUM});
	series_add(s, 0, INT64_MIN, 1);
	series_add(s, 0, INT64_MAX, 2);
	series_add_span(s, 0, INT64_MIN, INT64_MAX, INT64_MAX - 3);
	cr_assert_eq(series_count(s), 2);
	cr_assert_eq(series_value(s, 0, 0) + series_value(s, 0, 1), INT64_MAX);
	series_free(s);
	s = series_new(0, 0, 1, (SeriesRule[]){SERIES_MAX});
	cr_assert_eq(series_count(s), 0);
	series_add(s, 0, SERIES_FIRST_BIN_NS * SERIES_DEFAULT_BINS - 1, 7);
	cr_assert_eq(series_count(s), SERIES_DEFAULT_BINS);
	cr_assert_eq(series_value(s, 0, 0), SERIES_NONE);
	cr_assert_eq(series_bin_ns(s), SERIES_FIRST_BIN_NS);
	series_free(s);
	series_free(NULL);
}

static void columns_are_their_values(const Series *series, size_t columns)
{
	uint8_t used[SERIES_MAX_COLUMNS];
	size_t count = series_columns(series, used);
	int64_t values[16];
	cr_assert_eq(count, 2);
	cr_assert(used[0] == 1 && used[1] == 3, "in order, though the second one came first");
	for (size_t c = 0; c < columns; c++) {
		series_column(series, c, series_count(series), values);
		for (size_t b = 0; b < series_count(series); b++)
			cr_assert_eq(values[b], series_value(series, c, b));
	}
}

Test(series, sealing_keeps_every_value_and_takes_no_more)
{
	const SeriesRule mixed[] = {SERIES_SUM, SERIES_SUM, SERIES_MAX, SERIES_MAX};
	Series *series = series_new(0, 16, 4, mixed);
	for (int64_t i = 0; i < 100; i++)
		series_add(series, i % 3 == 0 ? 3 : 1, i * 3 * SERIES_FIRST_BIN_NS, i + 1);
	size_t count = series_count(series);
	int64_t before[16][4];
	for (size_t b = 0; b < count; b++)
		for (size_t c = 0; c < 4; c++)
			before[b][c] = series_value(series, c, b);
	columns_are_their_values(series, 4);
	series_seal(series);
	columns_are_their_values(series, 4);
	series_seal(series);
	series_add(series, 0, 0, 1000);
	series_add_span(series, 1, 0, 1000 * SERIES_FIRST_BIN_NS, 1000);
	cr_assert_eq(series_count(series), count);
	for (size_t b = 0; b < count; b++)
		for (size_t c = 0; c < 4; c++)
			cr_assert_eq(series_value(series, c, b), before[b][c], "bin %zu column %zu",
				b, c);
	series_free(series);
	Series *empty = series_new(0, 16, 4, mixed);
	series_seal(empty);
	cr_assert_eq(series_count(empty), 0);
	series_free(empty);
	series_seal(NULL);
}

Test(series, a_row_is_its_values_one_by_one)
{
	const SeriesRule mixed[] = {SERIES_SUM, SERIES_MAX, SERIES_MAX, SERIES_SUM};
	Series *rows = series_new(1000, 16, 4, mixed), *single = series_new(1000, 16, 4, mixed);
	for (int64_t i = 0; i < 300; i++) {
		int64_t t = 1000 + (i * 7919 % 257) * SERIES_FIRST_BIN_NS / 3;
		const int64_t values[] = {i * 11 % 17, i * 13 % 19, -i};
		series_add_row(rows, t, 1, 2, values);
		series_add(single, 1, t, values[0]);
		series_add(single, 2, t, values[1]);
		series_add_row(rows, t, 2, 1, &values[2]); /* no value, or 0 */
		series_add_row(rows, t, 3, 1, &values[2]);
		series_add(single, 3, t, values[2]);
	}
	cr_assert_eq(series_count(rows), series_count(single));
	cr_assert_eq(series_bin_ns(rows), series_bin_ns(single));
	for (size_t b = 0; b < series_count(rows); b++)
		for (size_t c = 0; c < 4; c++)
			cr_assert_eq(series_value(rows, c, b), series_value(single, c, b));
	series_free(rows);
	series_free(single);
}

Test(series, a_span_of_time_stays_in_one_bin)
{
	Random random = random_start();
	for (unsigned round = 0; round < 300; round++) {
		int64_t start = round % 3 ? START : INT64_MIN;
		Series *all = series_new(start, 4, 1, (SeriesRule[]){SERIES_SUM});
		Series *ends = series_new(start, 4, 1, (SeriesRule[]){SERIES_SUM});
		int64_t reach = INT64_C(1) << random_between(&random, 10, 62), from, until;
		int64_t t = start + random_between(&random, 0, reach);
		series_add(all, 0, t, 0);
		series_add(ends, 0, t, 0);
		series_bin_span(all, t, &from, &until);
		cr_assert(from <= t && (t < until || t == INT64_MAX), "round %u", round);
		series_add(all, 0, from, 1);
		series_add(all, 0, until - 1, 2);
		series_add(ends, 0, t, 3);
		int64_t rest = start < 0 ? INT64_MAX : INT64_MAX - start;
		int64_t later = start + random_between(&random, 0, rest - 1);
		series_add(all, 0, later, 0);
		series_add(ends, 0, later, 0);
		for (size_t b = 0; b < series_count(all); b++)
			cr_assert_eq(series_value(all, 0, b), series_value(ends, 0, b));
		series_free(all);
		series_free(ends);
	}
}
