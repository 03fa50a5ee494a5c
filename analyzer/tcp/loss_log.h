/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When lost segments had been sent, and how far the stream was then: a rate limiter without a queue
 * (a token bucket) loses exactly where the bytes sent run ahead of a straight line. Flach et al.,
 * SIGCOMM 2016. Bounded: when it is full every second entry goes.
 */
#ifndef SLOWCOPY_ANALYZER_TCP_LOSS_LOG_H
#define SLOWCOPY_ANALYZER_TCP_LOSS_LOG_H

#include <stdint.h>

#define LOSS_LOG_MAX 256

typedef struct LossPoint {
	int64_t sent_ns;
	int64_t offset; /* of the stream */
} LossPoint;

typedef struct LossLog {
	uint32_t count, every, seen; /* every n-th loss is kept */
	LossPoint points[LOSS_LOG_MAX];
} LossLog;

/** LossLine: the straight line through the losses. */
typedef struct LossLine {
	uint32_t losses;    /* that it was drawn by */
	double bytes_per_s; /* its slope: what a bucket would have been filled with; 0 unknown */
	double on_line;     /* share of the losses that lie on it, 0..1 */
	int64_t duration_ns;
} LossLine;

/** loss_log_add: a segment at @offset, sent at @sent_ns, was lost. */
void loss_log_add(LossLog *log, int64_t sent_ns, int64_t offset);

/** loss_log_line: the line; a loss lies on it within what three round trips of @rtt_ns carry. Sorts
 * the log. @log may be NULL. */
LossLine loss_log_line(LossLog *log, int64_t rtt_ns);

#endif
