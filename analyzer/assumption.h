/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "What if": values that the user wants to be true of the path and the client, such as
 * "rtt=50ms,window=1M". The answer is outlook.h's.
 */
#ifndef SLOWCOPY_ANALYZER_ASSUMPTION_H
#define SLOWCOPY_ANALYZER_ASSUMPTION_H

#include "analyzer/result.h"

/**
 * assumption_parse: reads @text, "KEY=VALUE,KEY=VALUE…", each key at most once:
 * rtt: a time with unit (us, ms, s), up to 60 s; rate: the speed of the slowest link in bit/s with
 * k, M, G or T (1000 each), or in bytes with a B at the end ("12MB/s"); window: bytes under way;
 * request: bytes per READ or WRITE, both with K, M, G (1024 each); depth: requests under way.
 * False and @error, one line that names the key and what it takes.
 */
bool assumption_parse(const char *text, ResultAssumption *ret, GError **error);

#endif
