/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several interfaces as one stream of packets in order of time: both sides of a tap, two mirror
 * ports. An interface that goes away is opened again when it comes back, while the others go on.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_LIVE_GROUP_H
#define SLOWCOPY_ANALYZER_CAPTURE_LIVE_GROUP_H

#include <glib.h>

#include "analyzer/capture/live.h"

/* A span port has one, a tap two, a large probe eight. */
#define LIVE_GROUP_MAX 16

typedef struct LiveGroup LiveGroup;

/** LiveGroupOps: what the group tells. */
typedef struct LiveGroupOps {
	LiveBatch batch;
	/** interface @index went away or down, @why; it is looked for from now on */
	void (*gone)(void *user, size_t index, const char *why);
	void (*back)(void *user, size_t index);
	void *user;
} LiveGroupOps;

/** live_group_open: opens all @names (at most LIVE_GROUP_MAX), whose texts must outlive it; those
 * of @options for each, but for `input`. NULL and @error when one cannot be opened. The caller
 * frees with live_group_free(). */
LiveGroup *live_group_open(const char *const *names, size_t count, const LiveOptions *options,
	const LiveGroupOps *ops, GError **error);

/** live_group_read: waits up to LIVE_TIMEOUT_MS or a signal, and hands out the packets at hand; of
 * several interfaces those no other can come before. Returns how many. */
long live_group_read(LiveGroup *group);

/** live_group_drops: of interface @index since the group was opened; false when the kernel does not
 * say. */
bool live_group_drops(LiveGroup *group, size_t index, LiveDrops *ret);

size_t live_group_count(const LiveGroup *group);
const char *live_group_name(const LiveGroup *group, size_t index);

/** live_group_drain: at the end: hands out what is there, held back or not. */
void live_group_drain(LiveGroup *group);

/** live_group_free: NULL is allowed. */
void live_group_free(LiveGroup *group);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(LiveGroup, live_group_free)

#endif
