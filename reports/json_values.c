/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values: see json_values.h. jansson drops a member whose text is not UTF-8, so every string goes
 * through escape_clean() first, and unknown numbers become null here and nowhere else.
 */
#include "reports/json_values.h"

#include <math.h>

#include "analyzer/constants.h"
#include "reports/escape.h"
#include "reports/json_parts.h"

void value_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

json_t *value_count(uint64_t count)
{
	if (count == RESULT_UNKNOWN_COUNT)
		return json_null();
	return json_integer((json_int_t)MIN(count, (uint64_t)INT64_MAX));
}

json_t *value_known(uint64_t count)
{
	return count ? value_count(count) : json_null();
}

json_t *value_ns(int64_t ns)
{
	return ns == RESULT_UNKNOWN_NS ? json_null() : json_integer(ns);
}

json_t *value_rate(double bytes_per_s)
{
	if (!(bytes_per_s > 0) || !(bytes_per_s < 9e18))
		return json_null();
	return json_integer(llround(bytes_per_s));
}

json_t *value_real(double value, double steps)
{
	if (!isfinite(value) || fabs(value) > 1e15)
		return json_null();
	/* + 0.0 makes 0 of -0 */
	return json_real(round(value * steps) / steps + 0.0);
}

json_t *value_ns_range(NsRange range)
{
	json_t *ret = json_object();

	value_put(ret, "low", value_ns(range.low));
	value_put(ret, "high", value_ns(range.high));
	return ret;
}

json_t *value_rate_range(RateRange range)
{
	json_t *ret = json_object();

	value_put(ret, "low", value_rate(range.low));
	value_put(ret, "high", value_rate(range.high));
	return ret;
}

json_t *json_part_text(const char *text)
{
	g_autofree char *clean = NULL;

	if (!text)
		return json_null();
	clean = escape_clean(text);
	return json_string(clean);
}

json_t *value_texts(const char *const *texts, size_t count)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(ret, json_part_text(texts[i] ? texts[i] : ""));
	return ret;
}

json_t *value_streams(const uint32_t *streams, size_t count)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < count; i++)
		if (streams[i] < STREAM_NOT_TCP)
			json_array_append_new(ret, json_integer(streams[i]));
	return ret;
}

json_t *value_finding(const Result *result, int64_t index)
{
	if (index < 0 || (uint64_t)index >= result->finding_count)
		return json_null();
	return json_part_text(result->findings[index].id);
}

json_t *json_part_time(int64_t ns)
{
	int64_t seconds = ns / INT64_C(1000000000), rest = ns % INT64_C(1000000000);
	if (rest < 0) {
		seconds--;
		rest += INT64_C(1000000000);
	}
	g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(seconds);
	g_autofree char *text = date ? g_date_time_format(date, "%Y-%m-%dT%H:%M:%S") : NULL;
	g_autofree char *all = g_strdup_printf(
		"%s.%09" G_GINT64_FORMAT "Z", text ? text : "1970-01-01T00:00:00", text ? rest : 0);
	return json_string(all);
}

json_t *value_capacity(double bytes_per_s, bool proven)
{
	json_t *ret = json_object();

	value_put(ret, "bytes_per_s", value_rate(bytes_per_s));
	value_put(ret, "proven", json_boolean(proven));
	return ret;
}
