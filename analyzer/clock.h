/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of one input as the analysis sees it: never backwards, never absurdly far. Capture
 * clocks are set, interfaces stamp out of order, and damaged records hold any number; a negative
 * duration or a sum beyond 64 bits must not come of it.
 */
#ifndef SLOWCOPY_ANALYZER_CLOCK_H
#define SLOWCOPY_ANALYZER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/constants.h"

/* Further back than this is a clock that was set; less is packets stamped out of order, by another
 * queue or processor, which is a matter of microseconds to a few milliseconds. */
#define CLOCK_STEP_NS (100 * MILLISECOND_NS)
/* Further from the first packet than this, about 18 years, is no time but a damaged record. */
#define CLOCK_REACH_NS (INT64_C(1) << 59)

/** Clock: zeroed at the start. */
typedef struct Clock {
	bool is_running;
	int64_t first_ns, last_ns; /* as given out */
	int64_t usual_end_ns;      /* times from last_ns to before this need no thought */
	int64_t offset_ns;         /* added since the clock was set back */
	uint64_t steps_back;       /* times that lay before their predecessor's */
	int64_t largest_step_back_ns;
	uint64_t damaged; /* times out of reach */
} Clock;

/** clock_take_unusual: clock_take() for any time. */
int64_t clock_take_unusual(Clock *clock, int64_t ts_ns);

/**
 * clock_take: the time to use for a packet stamped @ts_ns, at least the one before it. After the
 * clock was set back, time goes on from where it was: durations stay right but for the pause around
 * the step, and later packets keep their distances.
 */
static inline int64_t clock_take(Clock *clock, int64_t ts_ns)
{
	/* nearly always: a little after the last one of a clock that was never set */
	if (ts_ns < clock->last_ns || ts_ns >= clock->usual_end_ns)
		return clock_take_unusual(clock, ts_ns);
	clock->last_ns = ts_ns;
	return ts_ns;
}

#endif
