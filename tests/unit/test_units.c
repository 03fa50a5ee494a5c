/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * units.[ch]: what each number reads, at the edges where a unit changes.
 */
#include <locale.h>
#include <math.h>

#include <criterion/criterion.h>

#include "reports/units.h"

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

static void same(const char *what, UnitText got, const char *want)
{
	cr_assert_str_eq(got.text, want, "%s: got \"%s\", want \"%s\"", what, got.text, want);
}

Test(units, sizes)
{
	static const struct {
		uint64_t bytes;
		const char *size, *buffer;
	} cases[] = {
		{0, "0 bytes", "0 bytes"},
		{1, "1 byte", "1 byte"},
		{999, "999 bytes", "999 bytes"},
		{1000, "1 kB", "1000 bytes"},
		{1024, "1 kB", "1 KiB"},
		{1460, "1.5 kB", "1460 bytes"},
		{8688, "8.7 kB", "8688 bytes"},
		{65535, "66 kB", "64 KiB"},
		{65536, "66 kB", "64 KiB"},
		{999499, "999 kB", "976 KiB"},
		{999500, "1 MB", "976 KiB"},
		{1048576, "1 MB", "1 MiB"},
		{1572864, "1.6 MB", "1.5 MiB"},
		{530000000, "530 MB", "505 MiB"},
		{1250000000, "1.2 GB", "1.2 GiB"},
		{UINT64_MAX - 1, "18 EB", "16777216 TiB"},
		{UINT64_MAX, "unknown", "unknown"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		same("size", units_size(cases[i].bytes), cases[i].size);
		same("buffer", units_buffer(cases[i].bytes), cases[i].buffer);
	}
}

Test(units, rates)
{
	static const struct {
		double rate;
		const char *bytes, *bits;
	} cases[] = {
		{0, "unknown", "unknown"},
		{-1, "unknown", "unknown"},
		{NAN, "unknown", "unknown"},
		{INFINITY, "?", "?"},
		{1, "1 B/s", "8 bit/s"},
		{8.7e6, "8.7 MB/s", "70 Mbit/s"},
		{9.96e6, "10 MB/s", "80 Mbit/s"},
		{112e6, "112 MB/s", "896 Mbit/s"},
		{125e6, "125 MB/s", "1.0 Gbit/s"},
		{999.96e3, "1.0 MB/s", "8.0 Mbit/s"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		same("rate", units_rate(cases[i].rate), cases[i].bytes);
		same("bits", units_rate_bits(cases[i].rate), cases[i].bits);
	}
	same("both", units_rate_both(8.7e6), "8.7 MB/s = 70 Mbit/s");
	same("range", units_rate_range((RateRange){66e6, 70e6}), "about 70 MB/s");
	same("range", units_rate_range((RateRange){47e6, 58e6}), "47 to 58 MB/s");
	same("range", units_rate_range((RateRange){900e3, 58e6}), "900 kB/s to 58 MB/s");
	same("range", units_rate_range((RateRange){0, 58e6}), "up to 58 MB/s");
	same("range", units_rate_range((RateRange){0, 0}), "unknown");
}

Test(units, durations)
{
	static const struct {
		int64_t ns;
		const char *want;
	} cases[] = {
		{0, "0 s"},
		{1, "1 ns"},
		{999, "999 ns"},
		{999600, "1.0 ms"},
		{22000, "22 µs"},
		{6480000, "6.5 ms"},
		{-6480000, "-6.5 ms"},
		{999 * MS + 700000, "1.0 s"},
		{60975 * MS, "61 s"},
		{119499 * MS, "119 s"},
		{120 * S, "2 min 00 s"},
		{725 * S, "12 min 05 s"},
		{7200 * S, "2 h 00 min"},
		{12000 * S, "3 h 20 min"},
		{90000 * S, "1 d 1 h"},
		{INT64_MAX, "106751 d 23 h"},
		{INT64_MIN + 1, "-106751 d 23 h"},
		{RESULT_UNKNOWN_NS, "unknown"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		same("duration", units_duration(cases[i].ns), cases[i].want);
	same("range", units_duration_range((NsRange){52 * S, 53 * S}), "53 s");
	same("range", units_duration_range((NsRange){40 * S, 53 * S}), "40 to 53 s");
	same("range", units_duration_range((NsRange){0, 53 * S}), "up to 53 s");
	same("range", units_duration_range((NsRange){59 * S, 216 * S}), "59 s to 3 min 36 s");
	same("range", units_duration_range((NsRange){RESULT_UNKNOWN_NS, RESULT_UNKNOWN_NS}),
		"unknown");
}

Test(units, counts_and_shares)
{
	same("count", units_count(0), "0");
	same("count", units_count(9400), "9,400");
	same("count", units_count(99999), "99,999");
	same("count", units_count(550016), "0.55 M");
	same("count", units_count(123456789), "123 M");
	same("count", units_count(UINT64_MAX), "unknown");
	same("share", units_share(0, 100), "0 %");
	same("share", units_share(1, 1000), "<1 %");
	same("share", units_share(860, 1000), "86 %");
	same("share", units_share(999, 1000), ">99 %");
	same("share", units_share(1000, 1000), "100 %");
	same("share", units_share(1, 0), "?");
	same("percent", units_percent(0.02), "0.02 %");
	same("percent", units_percent(1.5), "1.5 %");
	same("percent", units_percent(86.07), "86 %");
	same("percent", units_percent(-0.0), "0.00 %");
	same("percent", units_percent(NAN), "?");
}

Test(units, times_and_addresses)
{
	ResultEndpoint v4 = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2}, 445};
	ResultEndpoint v6 = {{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 445};
	ResultEndpoint longest = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 0xff},
		65535};

	same("utc", units_utc(INT64_C(1796040000000000000)), "2026-11-30T12:00:00.000000000Z");
	same("utc", units_utc(-1), "1969-12-31T23:59:59.999999999Z");
	same("utc", units_utc(INT64_MAX), "2262-04-11T23:47:16.854775807Z");
	same("v4", units_endpoint(&v4), "10.0.0.2:445");
	same("v6", units_endpoint(&v6), "[2001:db8::1]:445");
	same("v6", units_endpoint(&longest), "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
}

Test(units, numbers)
{
	static const struct {
		ResultNumber number;
		const char *want;
	} cases[] = {
		{{"", NUMBER_BYTES, 65536, NULL}, "64 KiB"},
		{{"", NUMBER_BYTES, -1, NULL}, "unknown"},
		{{"", NUMBER_BYTES, 1e25, NULL}, "unknown"},
		{{"", NUMBER_NS, 6480000, NULL}, "6.5 ms"},
		{{"", NUMBER_NS, 1e30, NULL}, "unknown"},
		{{"", NUMBER_COUNT, 1, NULL}, "1"},
		{{"", NUMBER_COUNT, 1.25, NULL}, "1.2"},
		{{"", NUMBER_COUNT, NAN, NULL}, "unknown"},
		{{"", NUMBER_RATE, 8.7e6, NULL}, "8.7 MB/s"},
		{{"", NUMBER_PERCENT, 86.07, NULL}, "86 %"},
		{{"", NUMBER_NAME, 0, "3.1.1"}, "3.1.1"},
		{{"", NUMBER_NAME, 0, NULL}, "unknown"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		same("number", units_number(&cases[i].number), cases[i].want);
}

Test(units, no_locale)
{
	/* without the locale installed this shows nothing, and nothing can go wrong either */
	setlocale(LC_ALL, "de_DE.UTF-8");
	same("rate", units_rate(8.7e6), "8.7 MB/s");
	same("fixed", units_fixed(1.25, 2), "1.25");
	same("fixed", units_fixed(-0.001, 1), "0.0");
}
