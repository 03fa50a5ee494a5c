/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user may assume: assumption.c.
 */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/assumption.h"

Test(assumption, values_and_units)
{
	static const struct {
		const char *text;
		double rtt_ns, bytes_per_s, window, request, depth;
	} rows[] = {
		{"rtt=50ms", 50e6, 0, 0, 0, 0},
		{"rtt=500us", 500e3, 0, 0, 0, 0},
		{"rtt=0.05s", 50e6, 0, 0, 0, 0},
		{"rtt=60s", 60e9, 0, 0, 0, 0},
		{"rate=100M", 0, 12.5e6, 0, 0, 0},
		{"rate=1Gbit/s", 0, 125e6, 0, 0, 0},
		{"rate=12MB/s", 0, 12e6, 0, 0, 0},
		{"rate=1000", 0, 125, 0, 0, 0},
		{"window=64K", 0, 0, 65536, 0, 0},
		{"window=1.5MiB", 0, 0, 1572864, 0, 0},
		{"window=65535", 0, 0, 65535, 0, 0},
		{"window=1G", 0, 0, 1073741824, 0, 0},
		{"request=512B", 0, 0, 0, 512, 0},
		{"request=1M", 0, 0, 0, 1048576, 0},
		{"depth=8", 0, 0, 0, 0, 8},
		{"rtt=1ms,rate=1G,window=4M,request=64K,depth=1", 1e6, 125e6, 4194304, 65536, 1},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		ResultAssumption a;
		cr_assert(assumption_parse(rows[i].text, &a, &error), "%s: %s", rows[i].text,
			error ? error->message : "");
		cr_assert(a.is_given);
		cr_assert_lt(fabs(a.rtt_ns - rows[i].rtt_ns), 1, "%s", rows[i].text);
		cr_assert_lt(fabs(a.bytes_per_s - rows[i].bytes_per_s), 1, "%s", rows[i].text);
		cr_assert_lt(fabs(a.window_bytes - rows[i].window), 1, "%s", rows[i].text);
		cr_assert_lt(fabs(a.request_bytes - rows[i].request), 1, "%s", rows[i].text);
		cr_assert_lt(fabs(a.depth - rows[i].depth), 0.001, "%s", rows[i].text);
	}
}

/* Each is refused with a word on what is allowed. */
Test(assumption, what_is_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "rtt="},
		{",", "none of"},
		{"rtt", "rtt takes"},
		{"rtt=", "rtt takes"},
		{"rtt=50", "50ms"},
		{"rtt=-1ms", "rtt takes"},
		{"rtt=0ms", "rtt takes"},
		{"rtt=61s", "up to 60 s"},
		{"rtt=1e3ms", "rtt takes"},
		{"rtt=nan", "rtt takes"},
		{"rtt=inf", "rtt takes"},
		{"rtt=0x10ms", "rtt takes"},
		{"rtt= 5ms", "rtt takes"},
		{"rtt=5 ms", "rtt takes"},
		{"rate=0", "rate takes"},
		{"rate=2T", "rate takes"},
		{"rate=fast", "rate takes"},
		{"window=0", "window takes"},
		{"window=2G", "1 GiB"},
		{"request=100", "request takes"},
		{"request=65M", "64 MiB"},
		{"depth=0", "depth takes"},
		{"depth=1.5", "whole number"},
		{"depth=65536", "65535"},
		{"speed=1G", "none of rtt="},
		{"RTT=5ms", "none of rtt="},
		{"rtt=5ms,", "none of"},
		{"rtt=5ms,rtt=6ms", "twice"},
		{"depth=99999999999999999999999999999999999999", "depth takes"},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		ResultAssumption a;
		cr_assert_not(assumption_parse(rows[i].text, &a, &error), "%s", rows[i].text);
		cr_assert(error && strstr(error->message, rows[i].says), "%s: %s", rows[i].text,
			error ? error->message : "no error");
		cr_assert_not(a.is_given);
	}
}
