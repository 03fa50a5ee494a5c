/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adaptive time bins: rows of one int64_t per column, as many as were needed so far. Most series
 * end after a few bins, so the rows grow by doubling; most columns of a series never get a value,
 * so a column gets a place in the rows with its first one.
 */
#include "analyzer/base/series.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 20  /* SERIES_FIRST_BIN_NS as a power of two */
#define WIDEST_SHIFT 62 /* of a width that is a time */
#define FIRST_ROOM 8
#define FIRST_STRIDE 4
/* Series of few columns are pictures of data that move: all columns get values, and a transfer that
 * has pictures soon fills half of the usual bins. Begun small they grew twice on the way. */
#define FEW_COLUMNS 8
#define FIRST_ROOM_OF_FEW 32
#define NO_PLACE UINT8_MAX

struct Series {
	int64_t *values;  /* [bin][place]; of a sealed one NULL when `packed` holds them */
	uint32_t *packed; /* value + 1 each: most fit into half of the memory */
	int64_t start_ns;
	size_t bins; /* most there may be */
	size_t room; /* rows in memory */
	size_t used;
	uint8_t shift;  /* a bin is 2^shift ns wide */
	uint8_t stride; /* places of a row in memory... */
	uint8_t placed; /* ...and those that belong to a column */
	uint8_t column_count;
	bool is_sealed;
	uint8_t place[SERIES_MAX_COLUMNS];     /* of a column, NO_PLACE none */
	uint8_t column_of[SERIES_MAX_COLUMNS]; /* of a place */
	uint8_t rules[SERIES_MAX_COLUMNS];     /* SeriesRule of a column */
};

static int64_t empty_value(SeriesRule rule)
{
	return rule == SERIES_MAX ? SERIES_NONE : 0;
}

static SeriesRule rule_at(const Series *s, size_t place)
{
	return s->rules[s->column_of[place]];
}

static void clear_rows(Series *s, size_t from, size_t to)
{
	for (size_t p = 0; p < s->placed; p++) {
		int64_t empty = empty_value(rule_at(s, p));
		for (size_t b = from; b < to; b++)
			s->values[b * s->stride + p] = empty;
	}
}

/* Doubles the rows until there are @wanted; false when there cannot be more or the system has no
 * memory. */
static bool grow(Series *s, size_t wanted)
{
	size_t room = s->room ? s->room * 2 : FIRST_ROOM;
	while (room < wanted)
		room *= 2;
	if (room > s->bins)
		room = s->bins;
	if (room == s->room)
		return false;
	int64_t *values = realloc(s->values, room * s->stride * sizeof *values);
	if (!values)
		return false;
	s->values = values;
	clear_rows(s, s->room, room);
	s->room = room;
	return true;
}

/* Gives every row places for more columns. */
static bool widen(Series *s)
{
	size_t stride = s->stride * 2 < s->column_count ? s->stride * 2u : s->column_count;
	int64_t *values = realloc(s->values, s->room * stride * sizeof *values);
	if (!values)
		return false;
	s->values = values;
	for (size_t b = s->room; b-- > 1;)
		memmove(values + b * stride, values + b * s->stride, s->placed * sizeof *values);
	s->stride = (uint8_t)stride;
	return true;
}

/* The place of @column, which gets one when it has none; NO_PLACE when the system has no memory. */
static uint8_t place_of(Series *s, size_t column)
{
	if (s->place[column] != NO_PLACE)
		return s->place[column];
	if (s->placed == s->stride && !widen(s))
		return NO_PLACE;
	uint8_t place = s->placed++;
	s->place[column] = place;
	s->column_of[place] = (uint8_t)column;
	for (size_t b = 0; b < s->room; b++)
		s->values[b * s->stride + place] = empty_value(s->rules[column]);
	return place;
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
		(uint8_t)(column_count < SERIES_MAX_COLUMNS ? column_count : SERIES_MAX_COLUMNS);
	bool has_few = series->column_count <= FEW_COLUMNS;
	series->stride = has_few ? series->column_count : FIRST_STRIDE;
	for (size_t c = 0; c < series->column_count; c++) {
		series->rules[c] = (uint8_t)rules[c];
		series->place[c] = NO_PLACE;
	}
	if (!grow(series, has_few ? FIRST_ROOM_OF_FEW : FIRST_ROOM)) {
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

static void add_to_cell(int64_t *cell, SeriesRule rule, int64_t value)
{
	if (rule == SERIES_SUM)
		*cell = sum_of(*cell, value);
	else if (value > *cell)
		*cell = value;
}

static void add_to_bin(Series *s, size_t column, size_t bin, int64_t value)
{
	uint8_t place = place_of(s, column);
	if (place != NO_PLACE)
		add_to_cell(&s->values[bin * s->stride + place], s->rules[column], value);
}

/* Folds neighbours: bin i takes bins 2i and 2i+1. */
static void series_fold(Series *s)
{
	size_t n = s->stride, half = (s->used + 1) / 2;
	for (size_t i = 0; i < half; i++) {
		for (size_t p = 0; p < s->placed; p++) {
			int64_t a = s->values[2 * i * n + p];
			int64_t b = 2 * i + 1 < s->used ? s->values[(2 * i + 1) * n + p]
							: empty_value(rule_at(s, p));
			s->values[i * n + p] = rule_at(s, p) == SERIES_SUM ? sum_of(a, b)
					       : a > b                     ? a
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

/* Makes room for the bin of a time: grows, or folds until there is one. */
static size_t bin_make(Series *s, uint64_t since_ns)
{
	while (since_ns >> s->shift >= s->room) {
		uint64_t bin = since_ns >> s->shift;
		if (bin >= s->bins || !grow(s, (size_t)bin + 1))
			series_fold(s);
	}
	size_t bin = (size_t)(since_ns >> s->shift);
	if (bin >= s->used)
		s->used = bin + 1;
	return bin;
}

/* The bin of a time, made when there is none. */
static size_t bin_of(Series *s, uint64_t since_ns)
{
	uint64_t bin = since_ns >> s->shift;
	return bin < s->used ? (size_t)bin : bin_make(s, since_ns);
}

void series_reach(Series *series, int64_t t_ns)
{
	if (!series->is_sealed && t_ns > series->start_ns)
		bin_of(series, since_start(series, t_ns) - 1);
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
	size_t bin = bin_of(series, since_ns);
	for (size_t c = first; c < first + count; c++) {
		uint8_t place = place_of(series, c);
		if (place != NO_PLACE)
			add_to_cell(&series->values[bin * series->stride + place], series->rules[c],
				values[c - first]);
	}
}

/* floor(total * part / whole) for part <= whole. */
static int64_t share_of(int64_t total, uint64_t part, uint64_t whole)
{
	/* of an account the time is what is shared out: no more than its nanoseconds */
	if (total >= 0 && (uint64_t)total == whole)
		return (int64_t)part;
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
	uint8_t place = place_of(series, column);
	if (place == NO_PLACE)
		return;
	SeriesRule rule = series->rules[column];
	int64_t *cell = &series->values[first * series->stride + place];
	if (rule == SERIES_MAX) {
		for (size_t bin = first; bin <= last; bin++, cell += series->stride)
			add_to_cell(cell, rule, total < 0 ? 0 : total);
		return;
	}
	int64_t given = 0;
	for (size_t bin = first; bin < last; bin++, cell += series->stride) {
		/* what belongs before the bin's end, less what was given already: rounding errors
		 * do not add up, and folded bins are what wider bins would have got */
		uint64_t before_end = ((uint64_t)(bin + 1) << series->shift) - from;
		int64_t due = share_of(total, before_end, to - from);
		*cell = sum_of(*cell, due - given);
		given = due;
	}
	*cell = sum_of(*cell, total - given);
}

int64_t series_start_ns(const Series *series)
{
	return series->start_ns;
}

int64_t series_bin_ns(const Series *series)
{
	return INT64_C(1) << series->shift;
}

void series_bin_span(const Series *series, int64_t t_ns, int64_t *ret_from_ns, int64_t *ret_to_ns)
{
	*ret_from_ns = t_ns;
	*ret_to_ns = t_ns < INT64_MAX ? t_ns + 1 : t_ns;
	if (t_ns < series->start_ns || series->shift >= WIDEST_SHIFT)
		return;
	uint64_t from = since_start(series, t_ns) >> series->shift << series->shift;
	*ret_from_ns = (int64_t)((uint64_t)series->start_ns + from);
	if (__builtin_add_overflow(*ret_from_ns, INT64_C(1) << series->shift, ret_to_ns))
		*ret_to_ns = INT64_MAX;
}

size_t series_count(const Series *series)
{
	return series->used;
}

/* Halves the cells of a series that is complete, when all values fit. */
static bool pack(Series *series, size_t cells)
{
	/* a block of its own: a shorter one would leave a hole behind it that nothing fits into */
	uint32_t *packed = malloc((cells > 0 ? cells : 1) * sizeof *packed);
	if (!packed)
		return false;
	size_t at = 0;
	uint64_t beyond = 0;
	for (size_t b = 0; b < series->used; b++) {
		const int64_t *row = series->values + b * series->stride;
		for (size_t p = 0; p < series->placed; p++) {
			uint64_t value = (uint64_t)row[p] + 1;
			beyond |= value >> 32;
			packed[at++] = (uint32_t)value;
		}
	}
	if (beyond) {
		free(packed);
		return false;
	}
	series->packed = packed;
	free(series->values);
	series->values = NULL;
	return true;
}

void series_seal(Series *series)
{
	if (!series || series->is_sealed)
		return;
	series->is_sealed = true;
	/* never less than a cell, so that there is a block */
	size_t cells = series->used * series->placed;
	bool is_packed = pack(series, cells);
	/* rows move forward, so that none is overwritten before its turn */
	for (size_t b = 1; b < series->used && !is_packed; b++)
		memmove(series->values + b * series->placed, series->values + b * series->stride,
			series->placed * sizeof *series->values);
	series->stride = series->placed;
	if (is_packed)
		return;
	int64_t *values = realloc(series->values, (cells > 0 ? cells : 1) * sizeof *values);
	if (values)
		series->values = values;
}

/* Value of a cell of either kind. */
static int64_t cell_at(const Series *series, size_t cell)
{
	return series->packed ? (int64_t)series->packed[cell] - 1 : series->values[cell];
}

int64_t series_value(const Series *series, size_t column, size_t bin)
{
	uint8_t place = series->place[column];
	return place == NO_PLACE ? empty_value(series->rules[column])
				 : cell_at(series, bin * series->stride + place);
}

size_t series_columns(const Series *series, uint8_t ret[SERIES_MAX_COLUMNS])
{
	size_t count = 0;
	for (uint8_t c = 0; c < series->column_count; c++) {
		if (series->place[c] != NO_PLACE)
			ret[count++] = c;
	}
	return count;
}

void series_column(const Series *series, size_t column, size_t count, int64_t *ret)
{
	uint8_t place = series->place[column];
	size_t stride = series->stride;
	if (place == NO_PLACE) {
		for (size_t b = 0; b < count; b++)
			ret[b] = empty_value(series->rules[column]);
	} else if (series->packed) {
		for (size_t b = 0; b < count; b++)
			ret[b] = (int64_t)series->packed[b * stride + place] - 1;
	} else {
		for (size_t b = 0; b < count; b++)
			ret[b] = series->values[b * stride + place];
	}
}

void series_free(Series *series)
{
	if (!series)
		return;
	free(series->values);
	free(series->packed);
	free(series);
}
