/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of the time of day: see live_clock.h.
 */
#include "analyzer/capture/live_clock.h"

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

int64_t live_clock_check(LiveClock *clock, int64_t real_ns, int64_t count_ns)
{
	int64_t offset_ns = real_ns - count_ns;
	int64_t step_ns = offset_ns - clock->offset_ns;
	bool is_step = clock->is_running && distance(step_ns, 0) > LIVE_CLOCK_STEP_NS;
	clock->is_running = true;
	clock->offset_ns = offset_ns;
	if (!is_step)
		return 0;
	clock->step_ns = step_ns;
	return step_ns;
}

int64_t live_clock_fix(const LiveClock *clock, int64_t ts_ns, int64_t real_ns)
{
	/* packets are read within a moment of their stamp: it is of the clock that it is near to */
	bool is_old = clock->step_ns != 0 &&
		      distance(ts_ns, real_ns - clock->step_ns) < distance(ts_ns, real_ns);
	return is_old ? ts_ns + clock->step_ns : ts_ns;
}
