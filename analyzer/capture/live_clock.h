/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine's clock that is set while packets come: seen by comparison with the clock that only
 * counts on, and packets stamped before the step are moved to the new time.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_LIVE_CLOCK_H
#define SLOWCOPY_ANALYZER_CAPTURE_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A clock that is steered moves half a millisecond in a second (adjtimex(2)); one that is set at
 * once jumps more than this (ntpd sets it from 128 ms on). */
#define LIVE_CLOCK_STEP_NS INT64_C(100000000)

/** LiveClock: zeroed at the start. */
typedef struct LiveClock {
	bool is_running;
	int64_t offset_ns; /* time of day less the counting clock, when last looked at */
	int64_t step_ns;   /* the last step, 0 none */
} LiveClock;

/** live_clock_check: it is @real_ns (since the epoch), and @count_ns on a clock that nobody sets.
 * Returns by how much the time of day was set since the last call, 0 when it was not. */
int64_t live_clock_check(LiveClock *clock, int64_t real_ns, int64_t count_ns);

/** live_clock_fix: the time of a packet stamped @ts_ns and read at @real_ns, in the time of day as
 * it is now. */
int64_t live_clock_fix(const LiveClock *clock, int64_t ts_ns, int64_t real_ns);

#endif
