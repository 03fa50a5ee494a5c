/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small JSON values that the parts of a document are made of. All return a new reference.
 */
#ifndef SLOWCOPY_REPORTS_JSON_VALUES_H
#define SLOWCOPY_REPORTS_JSON_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "analyzer/result.h"

/** value_put: moves @value into @object under @key. */
void value_put(json_t *object, const char *key, json_t *value);

/** value_count: a counter, null when unknown; integers here end at 2^63 - 1, more than any capture
 * holds. */
json_t *value_count(uint64_t count);

/** value_known: a number for which 0 means unknown. */
json_t *value_known(uint64_t count);

/** value_ns: null for RESULT_UNKNOWN_NS. */
json_t *value_ns(int64_t ns);

/** value_rate: bytes per second as an integer; 0 and less are unknown. */
json_t *value_rate(double bytes_per_s);

/** value_real: a fraction, rounded to one in @steps (10 for one digit behind the point). */
json_t *value_real(double value, double steps);

/** value_ns_range: an object with "low" and "high". */
json_t *value_ns_range(NsRange range);

/** value_rate_range: the same of bytes per second. */
json_t *value_rate_range(RateRange range);

/** value_texts: a list of @count texts, cleaned; NULL counts as empty. */
json_t *value_texts(const char *const *texts, size_t count);

/** value_streams: a list of the @count connections that are TCP. */
json_t *value_streams(const uint32_t *streams, size_t count);

/** value_finding: "F1" of the finding at @index, null for -1. */
json_t *value_finding(const Result *result, int64_t index);

/** value_capacity: what the path carried one way; a bound only, unless proven. */
json_t *value_capacity(double bytes_per_s, bool proven);

#endif
