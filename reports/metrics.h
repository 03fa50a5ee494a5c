/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of `monitor` as Prometheus text, for node_exporter's textfile collector. Labels are
 * bounded: protocol, direction, cause, severity, limit, and the first servers seen, then "other".
 */
#ifndef SLOWCOPY_REPORTS_METRICS_H
#define SLOWCOPY_REPORTS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/result.h"
#include "reports/report.h"

/* Servers with series of their own; a site has tens. */
#define METRICS_SERVERS 64

/** MetricsTotals: what the command counts itself, since it began. */
typedef struct MetricsTotals {
	uint64_t packets, bytes, connections; /* connections: now */
	uint64_t dropped_kernel, dropped_interface, lines_lost;
	uint64_t ring_lost, commands_missed;
	int64_t now_ns; /* since the epoch */
} MetricsTotals;

typedef struct Metrics Metrics;

Metrics *metrics_new(void);

/** metrics_add: counts an instalment. */
void metrics_add(Metrics *metrics, const ReportOptions *options, const Result *result);

/** metrics_write: writes @path anew, through a file beside it that is renamed, so that nobody reads
 * half of it. */
bool metrics_write(
	const Metrics *metrics, const char *path, const MetricsTotals *totals, GError **error);

/** metrics_free: NULL is allowed. */
void metrics_free(Metrics *metrics);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Metrics, metrics_free)

#endif
