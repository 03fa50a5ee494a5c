/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A running monitor: packets in, lines and metrics out, and what is due by time or signal.
 */
#ifndef SLOWCOPY_MONITOR_LIVE_H
#define SLOWCOPY_MONITOR_LIVE_H

#include <signal.h>

#include <glib.h>

#include "analyzer/analysis.h"
#include "analyzer/capture/live_clock.h"
#include "analyzer/capture/live_group.h"
#include "analyzer/capture/packet_ring.h"
#include "monitor_action.h"
#include "reports/json_events.h"
#include "reports/live_table.h"
#include "reports/metrics.h"

typedef struct MonitorOptions {
	char *filter, *sensor, *output, *metrics_path, *memory, *user, *ring, *keep, *ring_size;
	char **interfaces, **files, **on_finding;
	int interval_s, snaplen, buffer_mib;
	double speed; /* of a replay, 0 as fast as it goes */
	gboolean no_seccomp, json, started;
	/* of the texts above */
	uint64_t memory_bytes, ring_bytes;
	int64_t keep_ns;
	bool saves;
	const char *command; /* of exec: */
} MonitorOptions;

/** Monitor: the running command. What it points to belongs to the caller but for `analysis`. */
typedef struct Monitor {
	const MonitorOptions *options;
	const char *sensor, *source; /* interfaces or files */
	ReportOptions report;
	Analysis *analysis; /* a new one after a step of the clock */
	Reader *reader;     /* of files, else NULL */
	LiveGroup *group;   /* of interfaces, else NULL */
	LiveClock clock;
	PacketRing *ring; /* NULL none */
	Action *action;   /* NULL none */
	LiveTable *table; /* NULL none */
	EventWriter *events;
	Metrics *metrics;
	EventSummary summary;               /* since summary_ns */
	AnalysisCounts at_summary, earlier; /* earlier: of analyses before */
	int64_t summary_ns, take_ns, drops_ns;
	LiveDrops drops[LIVE_GROUP_MAX]; /* told so far */
	uint64_t started_told;           /* serial of the last transfer whose start was told */
	uint64_t lines_lost_told, ring_lost_told, action_missed_told;
} Monitor;

/** monitor_handle_signals: from now on SIGTERM, SIGINT, SIGHUP and SIGUSR1 are obeyed. */
void monitor_handle_signals(void);

/** monitor_wants_stop: for ReaderOptions.stop. */
extern volatile sig_atomic_t monitor_wants_stop;

/** monitor_live_ops: for live_group_open; @monitor->group is set afterwards. monitor_raw: for
 * LiveOptions.raw with a ring. */
LiveGroupOps monitor_live_ops(Monitor *monitor);
void monitor_raw(void *monitor, const Packet *packet, const uint8_t *data);

/** monitor_new_analysis: for the first packet; an earlier one is freed. */
void monitor_new_analysis(Monitor *monitor);

/** monitor_replay: all of the reader. monitor_listen: until it is stopped. Both tell what is under
 * way at the end and return the exit status. */
int monitor_replay(Monitor *monitor);
int monitor_listen(Monitor *monitor);

#endif
