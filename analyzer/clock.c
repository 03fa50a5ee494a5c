/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time that only goes forward.
 */
#include "analyzer/clock.h"

static bool is_out_of_reach(const Clock *clock, int64_t ts_ns)
{
	/* compared as unsigned distances: any two int64_t may meet here */
	uint64_t distance = ts_ns > clock->first_ns ? (uint64_t)ts_ns - (uint64_t)clock->first_ns
						    : (uint64_t)clock->first_ns - (uint64_t)ts_ns;
	return distance > (uint64_t)CLOCK_REACH_NS;
}

int64_t clock_take_unusual(Clock *clock, int64_t ts_ns)
{
	if (!clock->is_running) {
		/* the sum of a first time and a few reaches must fit, too */
		if (ts_ns > INT64_MAX - 4 * CLOCK_REACH_NS ||
			ts_ns < INT64_MIN + 4 * CLOCK_REACH_NS)
			ts_ns = 0;
		*clock = (Clock){.is_running = true,
			.first_ns = ts_ns,
			.last_ns = ts_ns,
			.usual_end_ns = ts_ns + CLOCK_REACH_NS + 1};
		return ts_ns;
	}
	if (is_out_of_reach(clock, ts_ns)) {
		clock->damaged++;
		return clock->last_ns;
	}
	int64_t now_ns = ts_ns + clock->offset_ns;
	if (now_ns >= clock->last_ns) {
		/* offsets of many steps add up; beyond reach time stands still */
		if (!is_out_of_reach(clock, now_ns))
			clock->last_ns = now_ns;
		return clock->last_ns;
	}
	int64_t back_ns = clock->last_ns - now_ns;
	clock->steps_back++;
	if (back_ns > clock->largest_step_back_ns)
		clock->largest_step_back_ns = back_ns;
	if (back_ns > CLOCK_STEP_NS) {
		clock->offset_ns += back_ns;
		clock->usual_end_ns = INT64_MIN;
	}
	return clock->last_ns;
}
