/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See loss_log.h.
 */
#include "analyzer/tcp/loss_log.h"

#include <math.h>
#include <stdlib.h>

/* Flach et al. 2016: a bucket is empty within two round trips of its rate. One more, since the
 * place in the stream counts losses of the last round trip as if they had passed. */
#define TOLERANCE_ROUND_TRIPS 3.0

void loss_log_add(LossLog *log, int64_t sent_ns, int64_t offset)
{
	if (log->every == 0)
		log->every = 1;
	if (log->seen++ % log->every != 0)
		return;
	if (log->count == LOSS_LOG_MAX) {
		for (uint32_t i = 0; i < LOSS_LOG_MAX / 2; i++)
			log->points[i] = log->points[2 * i];
		log->count = LOSS_LOG_MAX / 2;
		log->every *= 2;
	}
	log->points[log->count++] = (LossPoint){sent_ns, offset};
}

static int by_time(const void *a, const void *b)
{
	const LossPoint *x = a, *y = b;
	return (x->sent_ns > y->sent_ns) - (x->sent_ns < y->sent_ns);
}

LossLine loss_log_line(LossLog *log, int64_t rtt_ns)
{
	LossLine line = {0};
	if (!log || log->count < 2 || rtt_ns <= 0)
		return line;
	qsort(log->points, log->count, sizeof(*log->points), by_time);
	const LossPoint *first = &log->points[0], *last = &log->points[log->count - 1];
	line.losses = log->count;
	line.duration_ns = last->sent_ns - first->sent_ns;
	if (line.duration_ns <= 0 || last->offset <= first->offset)
		return line;
	double slope = (double)(last->offset - first->offset) / (double)line.duration_ns;
	double tolerance = TOLERANCE_ROUND_TRIPS * slope * (double)rtt_ns;
	uint32_t on_line = 0;
	for (uint32_t i = 0; i < log->count; i++) {
		const LossPoint *p = &log->points[i];
		double tokens = slope * (double)(p->sent_ns - first->sent_ns) -
				(double)(p->offset - first->offset);
		on_line += fabs(tokens) <= tolerance;
	}
	line.bytes_per_s = slope * 1e9;
	line.on_line = (double)on_line / (double)log->count;
	return line;
}
