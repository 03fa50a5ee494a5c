/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values over time in a fixed number of bins: begins with bins of 2^20 ns (1 ms); when a time falls
 * behind the last bin, neighbours are folded into one and the width doubles. Sums are conserved
 * exactly, and the result does not depend on when the folding happened.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_SERIES_H
#define SLOWCOPY_ANALYZER_BASE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define SERIES_DEFAULT_BINS 256
#define SERIES_MAX_COLUMNS 20
#define SERIES_FIRST_BIN_NS (INT64_C(1) << 20)
/* What a SERIES_MAX bin without a value holds. */
#define SERIES_NONE INT64_C(-1)

/** SeriesRule: what a bin keeps of the values that fall into it. */
typedef enum SeriesRule {
	SERIES_SUM, /* their sum; 0 when there are none */
	SERIES_MAX, /* the largest, which is >= 0; SERIES_NONE when there are none */
} SeriesRule;

typedef struct Series Series;

/**
 * series_new: bins from @start_ns on, @bins of them (even, >= 2; 0 means SERIES_DEFAULT_BINS), with
 * @column_count (1 to SERIES_MAX_COLUMNS) columns whose rules are @rules. Memory: 8 bytes per
 * column that has a value and bin that was needed so far, both rounded up to a power of two. NULL
 * when memory is refused. Ownership: the caller frees with series_free().
 */
Series *series_new(int64_t start_ns, size_t bins, size_t column_count, const SeriesRule *rules);

/** series_add: @value at time @t_ns in @column; a time before the start counts as the start, a
 * negative value in a SERIES_MAX column as 0. */
void series_add(Series *series, size_t column, int64_t t_ns, int64_t value);

/**
 * series_add_row: series_add() of @count values to as many columns from @first on, all at @t_ns. A
 * negative value in a SERIES_MAX column is no value.
 */
void series_add_row(
	Series *series, int64_t t_ns, size_t first, size_t count, const int64_t *values);

/**
 * series_add_span: spreads @total over [@t0_ns, @t1_ns) in proportion to time; the shares of the
 * bins sum to @total exactly. An empty or reversed span counts at @t0_ns. In a SERIES_MAX column
 * every bin of the span gets @total as a value.
 */
void series_add_span(Series *series, size_t column, int64_t t0_ns, int64_t t1_ns, int64_t total);

/** series_reach: values up to @t_ns will be added for certain: its bins get wide enough at once,
 * which spares growing and folding on the way and changes nothing else. */
void series_reach(Series *series, int64_t t_ns);

/** series_start_ns, series_bin_ns: where bin 0 begins and how wide the bins are now. */
int64_t series_start_ns(const Series *series);
int64_t series_bin_ns(const Series *series);

/** series_bin_span: a stretch of time around @t_ns that is, and stays, in one bin: bins only grow.
 * It may be shorter than the bin, but never empty. */
void series_bin_span(const Series *series, int64_t t_ns, int64_t *ret_from_ns, int64_t *ret_to_ns);

/** series_count: bins up to the last one that was touched in any column. */
size_t series_count(const Series *series);

/** series_value: value of @bin (below series_count()) in @column. */
int64_t series_value(const Series *series, size_t column, size_t bin);

/** series_columns: the columns that have values to @ret, ascending; returns how many. */
size_t series_columns(const Series *series, uint8_t ret[SERIES_MAX_COLUMNS]);

/** series_column: the values of the first @count bins (at most series_count()) of @column. */
void series_column(const Series *series, size_t column, size_t count, int64_t *ret);

/** series_seal: nothing is added any more (later calls are ignored): columns without values are
 * given back. NULL is allowed. */
void series_seal(Series *series);

/** series_free: NULL is allowed. */
void series_free(Series *series);

#endif
