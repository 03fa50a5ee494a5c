/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adaptive time bins: rows of one int64_t per column, as many as were needed so far. Most series
 * end after a few bins, so the rows grow by doubling.
 */
#include "analyzer/base/series.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_SHIFT 20 /* SERIES_FIRST_BIN_NS as a power of two */
#define FIRST_ROOM 8
#define NOT_KEPT UINT8_MAX

struct Series {
	int64_t start_ns;
	unsigned shift; /* a bin is 2^shift ns wide */
	size_t bins;    /* most there may be */
	size_t room;    /* rows in memory */
	size_t used, column_count;
	int64_t *values; /* [bin][column]; of a sealed one [bin][kept column] */
	SeriesRule rules[SERIES_MAX_COLUMNS];
	bool is_sealed;
	uint8_t kept_count;               /* of a sealed one: columns that have values... */
	uint8_t kept[SERIES_MAX_COLUMNS]; /* ...and which of these a column is, NOT_KEPT none */
};

static int64_t empty_value(SeriesRule rule)
{
	return rule == SERIES_MAX ? SERIES_NONE : 0;
}

static void clear_rows(Series *s, size_t from, size_t to)
{
	for (size_t b = from; b < to; b++)
		for (size_t c = 0; c < s->column_count; c++)
			s->values[b * s->column_count + c] = empty_value(s->rules[c]);
}

/* Doubles the rows; false when all are there or the system has no memory. */
static bool grow(Series *s)
{
	size_t room = s->room ? s->room * 2 : FIRST_ROOM;
	if (room > s->bins)
		room = s->bins;
	if (room == s->room)
		return false;
	int64_t *values = realloc(s->values, room * s->column_count * sizeof *values);
	if (!values)
		return false;
	s->values = values;
	clear_rows(s, s->room, room);
	s->room = room;
	return true;
}

Series *series_new(int64_t start_ns, size_t bins, size_t column_count, const SeriesRule *rules)
{
	if (bins == 0)
		bins = SERIES_DEFAULT_BINS;
	Series *series = calloc(1, sizeof *series);
	if (!series)
		return NULL;
	series->start_ns = start_ns;
	series->shift = FIRST_SHIFT;
	series->bins = bins + bins % 2;
	series->column_count =
		column_count < SERIES_MAX_COLUMNS ? column_count : SERIES_MAX_COLUMNS;
	for (size_t c = 0; c < series->column_count; c++)
		series->rules[c] = rules[c];
	if (!grow(series)) {
		free(series);
		return NULL;
	}
	return series;
}

/* Wraps instead of being undefined: what is counted are bytes and packets, which cannot get there.
 */
static int64_t sum_of(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_to_bin(Series *s, size_t column, size_t bin, int64_t value)
{
	int64_t *cell = &s->values[bin * s->column_count + column];
	if (s->rules[column] == SERIES_SUM)
		*cell = sum_of(*cell, value);
	else if (value > *cell)
		*cell = value;
}

/* Folds neighbours: bin i takes bins 2i and 2i+1. */
static void series_fold(Series *s)
{
	size_t n = s->column_count, half = (s->used + 1) / 2;
	for (size_t i = 0; i < half; i++) {
		for (size_t c = 0; c < n; c++) {
			int64_t a = s->values[2 * i * n + c];
			int64_t b = 2 * i + 1 < s->used ? s->values[(2 * i + 1) * n + c]
							: empty_value(s->rules[c]);
			s->values[i * n + c] = s->rules[c] == SERIES_SUM ? sum_of(a, b)
					       : a > b                   ? a
									 : b;
		}
	}
	clear_rows(s, half, s->used);
	s->shift++;
	s->used = half;
}

/* Nanoseconds from the start, as unsigned: two int64_t may be further apart than one can say. */
static uint64_t since_start(const Series *s, int64_t t_ns)
{
	return t_ns > s->start_ns ? (uint64_t)t_ns - (uint64_t)s->start_ns : 0;
}

/* The bin of a time; grows or folds until there is one. */
static size_t bin_of(Series *s, uint64_t since_ns)
{
	while (since_ns >> s->shift >= s->room) {
		if (since_ns >> s->shift >= s->bins || !grow(s))
			series_fold(s);
	}
	size_t bin = (size_t)(since_ns >> s->shift);
	if (bin >= s->used)
		s->used = bin + 1;
	return bin;
}

void series_add(Series *series, size_t column, int64_t t_ns, int64_t value)
{
	if (series->is_sealed)
		return;
	if (series->rules[column] == SERIES_MAX && value < 0)
		value = 0;
	add_to_bin(series, column, bin_of(series, since_start(series, t_ns)), value);
}

void series_add_row(Series *series, int64_t t_ns, size_t first, size_t count, const int64_t *values)
{
	if (series->is_sealed)
		return;
	uint64_t since_ns = since_start(series, t_ns);
	size_t bin = (size_t)(since_ns >> series->shift);
	if (bin >= series->used)
		bin = bin_of(series, since_ns);
	int64_t *row = &series->values[bin * series->column_count + first];
	const SeriesRule *rules = &series->rules[first];
	for (size_t i = 0; i < count; i++) {
		int64_t value = values[i];
		if (rules[i] == SERIES_SUM)
			row[i] = sum_of(row[i], value);
		else if (value > row[i])
			row[i] = value;
	}
}

/* floor(total * part / whole) for part <= whole. */
static int64_t share_of(int64_t total, uint64_t part, uint64_t whole)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)(total < 0 ? 0 - (uint64_t)total : (uint64_t)total) * part;
	uint64_t share = (uint64_t)(product / whole);
	return total < 0 ? (int64_t)(0 - share) : (int64_t)share;
}

void series_add_span(Series *series, size_t column, int64_t t0_ns, int64_t t1_ns, int64_t total)
{
	uint64_t from = since_start(series, t0_ns), to = since_start(series, t1_ns);
	if (to <= from || series->is_sealed) {
		series_add(series, column, t0_ns, total);
		return;
	}
	size_t last = bin_of(series, to - 1); /* folds first, so that the widths stay */
	size_t first = bin_of(series, from);
	int64_t given = 0;
	for (size_t bin = first; bin <= last; bin++) {
		if (series->rules[column] == SERIES_MAX) {
			add_to_bin(series, column, bin, total < 0 ? 0 : total);
			continue;
		}
		/* what belongs before the bin's end, less what was given already: rounding errors
		 * do not add up, and folded bins are what wider bins would have got */
		uint64_t before_end =
			bin == last ? to - from : ((uint64_t)(bin + 1) << series->shift) - from;
		int64_t due = share_of(total, before_end, to - from);
		add_to_bin(series, column, bin, due - given);
		given = due;
	}
}

int64_t series_start_ns(const Series *series)
{
	return series->start_ns;
}

int64_t series_bin_ns(const Series *series)
{
	return INT64_C(1) << series->shift;
}

size_t series_count(const Series *series)
{
	return series->used;
}

static bool has_values(const Series *s, size_t column)
{
	for (size_t b = 0; b < s->used; b++) {
		if (s->values[b * s->column_count + column] != empty_value(s->rules[column]))
			return true;
	}
	return false;
}

void series_seal(Series *series)
{
	if (!series || series->is_sealed)
		return;
	uint8_t kept[SERIES_MAX_COLUMNS], count = 0;
	for (size_t c = 0; c < series->column_count; c++)
		kept[c] = has_values(series, c) ? count++ : NOT_KEPT;
	/* never less than a cell, so that there is a block; rows move forward, so that none is
	 * overwritten before its turn */
	size_t cells = series->used * count;
	for (size_t b = 0; b < series->used; b++) {
		for (size_t c = 0; c < series->column_count; c++) {
			if (kept[c] != NOT_KEPT)
				series->values[b * count + kept[c]] =
					series->values[b * series->column_count + c];
		}
	}
	int64_t *values = realloc(series->values, (cells > 0 ? cells : 1) * sizeof *values);
	if (values)
		series->values = values;
	for (size_t c = 0; c < series->column_count; c++)
		series->kept[c] = kept[c];
	series->kept_count = count;
	series->is_sealed = true;
}

int64_t series_value(const Series *series, size_t column, size_t bin)
{
	if (series->is_sealed)
		return series->kept[column] == NOT_KEPT
			       ? empty_value(series->rules[column])
			       : series->values[bin * series->kept_count + series->kept[column]];
	return series->values[bin * series->column_count + column];
}

void series_free(Series *series)
{
	if (!series)
		return;
	free(series->values);
	free(series);
}
