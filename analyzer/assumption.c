/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of assumption.h.
 */
#include "analyzer/assumption.h"

#include <math.h>
#include <string.h>

/* Slower than any path: RFC 9293 3.8.1 ends a timer's growth at 60 s. */
#define RTT_MAX_NS 60e9
/* The next Ethernet after 800 Gbit/s. */
#define RATE_MAX_BPS 1.6e12
/* RFC 7323 2.3: no window is larger. */
#define WINDOW_MAX_BYTES (1024.0 * 1024 * 1024)
/* Below it is no data, above it no SMB implementation asks (MS-SMB2 2.2.4: 8 MiB in practice). */
#define REQUEST_MIN_BYTES 512.0
#define REQUEST_MAX_BYTES (64.0 * 1024 * 1024)
/* MS-SMB2 3.3.1.2: credits are counted in 16 bits. */
#define DEPTH_MAX 65535.0

/** Suffix: what may follow a number. */
typedef struct Suffix {
	const char *text;
	double factor;
} Suffix;

typedef struct Key {
	const char *name, *takes;
	const Suffix *suffixes;
	double least, most;
	size_t at; /* in ResultAssumption */
} Key;

static const Suffix times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
/* to bytes per second */
static const Suffix rates[] = {{"", 1 / 8.0}, {"k", 1e3 / 8}, {"M", 1e6 / 8}, {"G", 1e9 / 8},
	{"T", 1e12 / 8}, {"bit/s", 1 / 8.0}, {"kbit/s", 1e3 / 8}, {"Mbit/s", 1e6 / 8},
	{"Gbit/s", 1e9 / 8}, {"Tbit/s", 1e12 / 8}, {"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6},
	{"GB/s", 1e9}, {NULL, 0}};
static const Suffix sizes[] = {{"", 1}, {"B", 1}, {"K", 1024}, {"M", 1024.0 * 1024},
	{"G", 1024.0 * 1024 * 1024}, {"KiB", 1024}, {"MiB", 1024.0 * 1024},
	{"GiB", 1024.0 * 1024 * 1024}, {NULL, 0}};
static const Suffix counts[] = {{"", 1}, {NULL, 0}};

static const Key keys[] = {
	{"rtt", "a time above 0 and up to 60 s, such as 50ms or 500us", times, 1, RTT_MAX_NS,
		offsetof(ResultAssumption, rtt_ns)},
	{"rate", "a speed of 1 kbit/s to 1.6 Tbit/s, such as 100M, 1G or 12MB/s", rates, 125,
		RATE_MAX_BPS / 8, offsetof(ResultAssumption, bytes_per_s)},
	{"window", "1 byte to 1 GiB, such as 64K or 4M", sizes, 1, WINDOW_MAX_BYTES,
		offsetof(ResultAssumption, window_bytes)},
	{"request", "512 bytes to 64 MiB, such as 64K or 1M", sizes, REQUEST_MIN_BYTES,
		REQUEST_MAX_BYTES, offsetof(ResultAssumption, request_bytes)},
	{"depth", "a whole number from 1 to 65535", counts, 1, DEPTH_MAX,
		offsetof(ResultAssumption, depth)},
};

static double *member(ResultAssumption *assumption, const Key *key)
{
	return (double *)(void *)((char *)assumption + key->at);
}

static bool fail(GError **error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(GError **error, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, g_quark_from_static_string("slowcopy-assumption"), 0, text);
	return false;
}

/* Whether @text is digits with at most one point, and what follows them. */
static bool take_number(const char *text, double *ret, const char **ret_rest)
{
	size_t digits = strspn(text, "0123456789"), length = digits;
	if (text[length] == '.') {
		size_t behind = strspn(text + length + 1, "0123456789");
		digits += behind;
		length += 1 + behind;
	}
	if (digits == 0 || length >= 32)
		return false;
	g_autofree char *number = g_strndup(text, length);
	*ret = g_ascii_strtod(number, NULL);
	*ret_rest = text + length;
	return isfinite(*ret);
}

static bool take_value(const Key *key, const char *text, double *ret)
{
	double number;
	const char *rest;
	if (!take_number(text, &number, &rest))
		return false;
	for (const Suffix *s = key->suffixes; s->text; s++) {
		if (strcmp(rest, s->text) != 0)
			continue;
		*ret = number * s->factor;
		bool is_whole = key->suffixes != counts || *ret == floor(*ret);
		return is_whole && *ret >= key->least && *ret <= key->most;
	}
	return false;
}

static bool take_pair(const char *pair, ResultAssumption *ret, GError **error)
{
	const char *equals = strchr(pair, '=');
	size_t length = equals ? (size_t)(equals - pair) : strlen(pair);
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		const Key *key = &keys[i];
		if (strlen(key->name) != length || strncmp(key->name, pair, length) != 0)
			continue;
		double *value = member(ret, key);
		if (*value > 0)
			return fail(error, "%s is given twice", key->name);
		if (!equals || !take_value(key, equals + 1, value)) {
			*value = 0;
			return fail(error, "%s takes %s, not '%s'", key->name, key->takes,
				equals ? equals + 1 : "");
		}
		return true;
	}
	return fail(error, "'%s' is none of rtt=, rate=, window=, request= and depth=", pair);
}

bool assumption_parse(const char *text, ResultAssumption *ret, GError **error)
{
	g_auto(GStrv) pairs = g_strsplit(text, ",", -1);
	memset(ret, 0, sizeof(*ret));
	if (!pairs[0])
		return fail(error, "takes rtt=, rate=, window=, request= or depth= with a value");
	for (size_t i = 0; pairs[i]; i++) {
		if (!take_pair(pairs[i], ret, error))
			return false;
	}
	ret->is_given = true;
	return true;
}
