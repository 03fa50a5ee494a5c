/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as people read them: bytes, rates, durations, shares, times. Decimal units (MB, Mbit) for
 * files and rates, binary ones (KiB, MiB) for buffers. Two or three significant digits, always with
 * a point, whatever the locale; text is UTF-8 ("µs").
 */
#ifndef SLOWCOPY_REPORTS_UNITS_H
#define SLOWCOPY_REPORTS_UNITS_H

#include <stdint.h>

#include "analyzer/result.h"

/** UnitText: a number in words, returned by value: `printf("%s", units_size(n).text)`. */
typedef struct UnitText {
	char text[48];
} UnitText;

/** units_fixed: @value with @decimals (0 to 9) digits behind a point; "?" for NaN and infinity. */
UnitText units_fixed(double value, int decimals);

/** units_size: file sizes, decimal: "530 MB"; "unknown" for RESULT_UNKNOWN_COUNT. */
UnitText units_size(uint64_t bytes);

/** units_buffer: buffers, windows and blocks, binary: "64 KiB", "1 MiB", "1460 bytes". */
UnitText units_buffer(uint64_t bytes);

/** units_rate: bytes per second: "8.7 MB/s"; "unknown" for 0 and less. */
UnitText units_rate(double bytes_per_s);

/** units_rate_bits: the same rate in bits: "70 Mbit/s". */
UnitText units_rate_bits(double bytes_per_s);

/** units_rate_both: "8.7 MB/s = 70 Mbit/s", for the first mention of a rate. */
UnitText units_rate_both(double bytes_per_s);

/** units_rate_range: "about 70 MB/s" when both ends read alike or lie within 10 %, else
 * "47 to 70 MB/s". */
UnitText units_rate_range(RateRange range);

/** units_duration: "6.5 ms", "61 s", "12 min 05 s", "3 h 20 min"; "unknown" for RESULT_UNKNOWN_NS.
 */
UnitText units_duration(int64_t ns);

/** units_duration_range: "53 s" or "40 s to 53 s". */
UnitText units_duration_range(NsRange range);

/** units_count: "812", "9,400", "0.55 M". */
UnitText units_count(uint64_t count);

/** units_share: @part of @whole in percent: "86 %", "<1 %", "0 %"; "?" when @whole is not positive.
 */
UnitText units_share(int64_t part, int64_t whole);

/** units_percent: "0.02 %", "1.5 %", "86 %". */
UnitText units_percent(double percent);

/** units_number: a finding's number in the units of its kind; the name of a NUMBER_NAME is cut to
 * fit. */
UnitText units_number(const ResultNumber *number);

/** units_utc: nanoseconds since the epoch as "2026-11-30T12:00:00.000000000Z". */
UnitText units_utc(int64_t epoch_ns);

/** units_address: text of an address, IPv4 when mapped: "10.0.0.2", "2001:db8::1". */
UnitText units_address(const uint8_t address[16]);

/** units_endpoint: "10.0.0.2:445", "[2001:db8::1]:445". */
UnitText units_endpoint(const ResultEndpoint *endpoint);

#endif
