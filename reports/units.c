/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of units.h. Digits come from g_ascii_formatd, which knows no locale; rounding is
 * done before the unit is chosen, so that 999.96 kB reads "1.0 MB" and never "1000 kB".
 */
#include "reports/units.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_US 1000.0
#define NS_PER_MS 1000000.0
#define NS_PER_S 1000000000.0
/* Past this many seconds a person counts in minutes; the first screen's "61 s" stays seconds. */
#define SECONDS_SHOWN 120

static UnitText text_of(const char *text)
{
	UnitText ret;

	g_strlcpy(ret.text, text, sizeof ret.text);
	return ret;
}

UnitText units_fixed(double value, int decimals)
{
	char format[8];
	UnitText ret;

	/* 1e30 is far beyond any measure and still fits the buffer */
	if (!isfinite(value) || fabs(value) >= 1e30)
		return text_of("?");
	g_snprintf(format, sizeof format, "%%.%df", CLAMP(decimals, 0, 9));
	g_ascii_formatd(ret.text, sizeof ret.text, format, value);
	if (strncmp(ret.text, "-0", 2) == 0 && strspn(ret.text + 1, "0.") == strlen(ret.text + 1))
		return text_of(ret.text + 1);
	return ret;
}

/** digits_for: decimals that leave two significant digits of a number below 10. */
static int digits_for(double value)
{
	return value < 9.95 ? 1 : 0;
}

/**
 * scaled: @value in the largest of @names (ended by NULL) that leaves at least 1, each @base times
 * the one before.
 * @trim: drop ".0", for buffers, which are exact.
 */
static UnitText scaled(double value, double base, const char *const *names, bool trim)
{
	UnitText digits, ret;
	size_t i = 0;

	/* no file and no link comes near 1e21, an exabyte a millisecond */
	if (!(value >= 0 && value < 1e21))
		return text_of("?");
	while (names[i + 1] && value >= base - 0.5) {
		value /= base;
		i++;
	}
	digits = units_fixed(value, i == 0 && trim ? 0 : digits_for(value));
	if (i == 0 && value == floor(value))
		digits = units_fixed(value, 0);
	if (trim && g_str_has_suffix(digits.text, ".0"))
		digits.text[strlen(digits.text) - 2] = '\0';
	g_snprintf(ret.text, sizeof ret.text, "%s %s", digits.text, names[i]);
	return ret;
}

UnitText units_size(uint64_t bytes)
{
	static const char *const names[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB", NULL};

	if (bytes == RESULT_UNKNOWN_COUNT)
		return text_of("unknown");
	if (bytes == 1)
		return text_of("1 byte");
	return scaled((double)bytes, 1000, names, true);
}

UnitText units_buffer(uint64_t bytes)
{
	static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB", NULL};
	UnitText ret;

	if (bytes == RESULT_UNKNOWN_COUNT)
		return text_of("unknown");
	if (bytes == 1)
		return text_of("1 byte");
	/* segment sizes such as 1460 are no multiple of a KiB and known by their digits */
	if (bytes < 10000 && bytes % 1024 != 0) {
		g_snprintf(ret.text, sizeof ret.text, "%u bytes", (unsigned)bytes);
		return ret;
	}
	return scaled((double)bytes, 1024, names, true);
}

UnitText units_rate(double bytes_per_s)
{
	static const char *const names[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", NULL};

	if (!(bytes_per_s > 0))
		return text_of("unknown");
	return scaled(bytes_per_s, 1000, names, false);
}

UnitText units_rate_bits(double bytes_per_s)
{
	static const char *const names[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", NULL};

	if (!(bytes_per_s > 0))
		return text_of("unknown");
	return scaled(bytes_per_s * 8, 1000, names, false);
}

UnitText units_rate_both(double bytes_per_s)
{
	UnitText ret;

	if (!(bytes_per_s > 0))
		return text_of("unknown");
	g_snprintf(ret.text, sizeof ret.text, "%.22s = %.22s", units_rate(bytes_per_s).text,
		units_rate_bits(bytes_per_s).text);
	return ret;
}

/** range_text: "LOW to HIGH", the unit of LOW dropped when both share it. */
static UnitText range_text(const char *low, const char *high)
{
	const char *low_unit = strrchr(low, ' '), *high_unit = strrchr(high, ' ');
	UnitText ret;

	/* "59 s to 3 min 36 s": two units at the end of which the second is the same are not one */
	if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0 &&
		strchr(low, ' ') == low_unit && strchr(high, ' ') == high_unit)
		g_snprintf(ret.text, sizeof ret.text, "%.*s to %.24s", (int)(low_unit - low), low,
			high);
	else
		g_snprintf(ret.text, sizeof ret.text, "%.20s to %.22s", low, high);
	return ret;
}

UnitText units_rate_range(RateRange range)
{
	UnitText low = units_rate(range.low), high = units_rate(range.high), ret;

	if (!(range.high > 0))
		return text_of("unknown");
	/* closer than a tenth, the low end adds words and no knowledge */
	if (strcmp(low.text, high.text) == 0 || range.low >= 0.9 * range.high) {
		g_snprintf(ret.text, sizeof ret.text, "about %.30s", high.text);
		return ret;
	}
	if (!(range.low > 0)) {
		g_snprintf(ret.text, sizeof ret.text, "up to %.30s", high.text);
		return ret;
	}
	return range_text(low.text, high.text);
}

UnitText units_duration(int64_t ns)
{
	static const char *const names[] = {"ns", "µs", "ms", "s"};
	static const double sizes[] = {1, NS_PER_US, NS_PER_MS, NS_PER_S};
	bool negative = ns < 0;
	double value;
	uint64_t seconds;
	UnitText ret;
	size_t i = 0;

	if (ns == RESULT_UNKNOWN_NS)
		return text_of("unknown");
	if (ns == 0)
		return text_of("0 s");
	value = negative ? -(double)ns : (double)ns;
	seconds = (uint64_t)llround(value / NS_PER_S);
	if (seconds >= SECONDS_SHOWN) {
		const char *sign = negative ? "-" : "";
		unsigned long long days = seconds / 86400, hours = seconds / 3600 % 24,
				   minutes = seconds / 60 % 60;

		if (seconds < 7200)
			g_snprintf(ret.text, sizeof ret.text, "%s%llu min %02llu s", sign,
				(unsigned long long)seconds / 60, (unsigned long long)seconds % 60);
		else if (days == 0)
			g_snprintf(ret.text, sizeof ret.text, "%s%llu h %02llu min", sign, hours,
				minutes);
		else
			g_snprintf(ret.text, sizeof ret.text, "%s%llu d %llu h", sign, days, hours);
		return ret;
	}
	while (i < 3 && value / sizes[i] >= 999.5)
		i++;
	value /= sizes[i];
	g_snprintf(ret.text, sizeof ret.text, "%s%s %s", negative ? "-" : "",
		units_fixed(value, i == 0 ? 0 : digits_for(value)).text, names[i]);
	return ret;
}

UnitText units_duration_range(NsRange range)
{
	UnitText low = units_duration(range.low), high = units_duration(range.high), ret;

	if (range.high == RESULT_UNKNOWN_NS)
		return text_of("unknown");
	if (strcmp(low.text, high.text) == 0 || range.low >= range.high - range.high / 10)
		return high;
	if (range.low <= 0) {
		g_snprintf(ret.text, sizeof ret.text, "up to %.30s", high.text);
		return ret;
	}
	return range_text(low.text, high.text);
}

UnitText units_count(uint64_t count)
{
	unsigned long long n = count;
	UnitText ret;

	if (count == RESULT_UNKNOWN_COUNT)
		return text_of("unknown");
	if (n < 1000)
		g_snprintf(ret.text, sizeof ret.text, "%llu", n);
	else if (n < 100000)
		g_snprintf(ret.text, sizeof ret.text, "%llu,%03llu", n / 1000, n % 1000);
	else if (n < 9995000)
		g_snprintf(ret.text, sizeof ret.text, "%s M", units_fixed((double)n / 1e6, 2).text);
	else
		g_snprintf(ret.text, sizeof ret.text, "%s M",
			units_fixed((double)n / 1e6, digits_for((double)n / 1e6)).text);
	return ret;
}

UnitText units_share(int64_t part, int64_t whole)
{
	double percent;
	UnitText ret;

	if (whole <= 0)
		return text_of("?");
	percent = (double)part / (double)whole * 100;
	if (percent > 0 && percent < 0.5)
		return text_of("<1 %");
	/* what is not all must not read as all */
	if (part < whole && percent >= 99.5)
		return text_of(">99 %");
	g_snprintf(ret.text, sizeof ret.text, "%s %%", units_fixed(percent, 0).text);
	return ret;
}

UnitText units_percent(double percent)
{
	UnitText ret;

	if (!isfinite(percent))
		return text_of("?");
	g_snprintf(ret.text, sizeof ret.text, "%s %%",
		units_fixed(percent, fabs(percent) < 0.995 ? 2 : digits_for(fabs(percent))).text);
	return ret;
}

UnitText units_number(const ResultNumber *number)
{
	double value = number->value;

	switch (number->kind) {
	case NUMBER_BYTES:
		if (!(value >= 0 && value < 1.8e19))
			return text_of("unknown");
		return units_buffer((uint64_t)value);
	case NUMBER_NS:
		if (!(fabs(value) < 9.2e18))
			return text_of("unknown");
		return units_duration((int64_t)value);
	case NUMBER_COUNT:
		if (!(value >= 0 && value < 1.8e19))
			return text_of("unknown");
		if (value != floor(value))
			return units_fixed(value, 1);
		return units_count((uint64_t)value);
	case NUMBER_RATE:
		return units_rate(value);
	case NUMBER_PERCENT:
		return units_percent(value);
	case NUMBER_NAME:
		return text_of(number->name ? number->name : "unknown");
	}
	return text_of("unknown");
}

UnitText units_utc(int64_t epoch_ns)
{
	int64_t seconds = epoch_ns / 1000000000, rest = epoch_ns % 1000000000;
	time_t when;
	struct tm tm;
	UnitText ret;

	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	when = (time_t)seconds;
	if (!gmtime_r(&when, &tm))
		return text_of("unknown");
	/* int64 nanoseconds end in the year 2262, so four digits hold every year */
	g_snprintf(ret.text, sizeof ret.text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ",
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)rest);
	return ret;
}

UnitText units_address(const uint8_t address[16])
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	UnitText ret;

	if (memcmp(address, mapped, sizeof mapped) == 0)
		inet_ntop(AF_INET, address + 12, ret.text, sizeof ret.text);
	else
		inet_ntop(AF_INET6, address, ret.text, sizeof ret.text);
	return ret;
}

UnitText units_endpoint(const ResultEndpoint *endpoint)
{
	UnitText address = units_address(endpoint->addr), ret;

	if (strchr(address.text, ':'))
		g_snprintf(ret.text, sizeof ret.text, "[%.39s]:%u", address.text, endpoint->port);
	else
		g_snprintf(ret.text, sizeof ret.text, "%.39s:%u", address.text, endpoint->port);
	return ret;
}
