/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets of all connections of one path and way since the first was lost, and which of them
 * were lost: enough to tell whether one bucket of tokens would have passed and dropped the same
 * ones. Flach et al., SIGCOMM 2016. Bounded: TRAIL_MAX packets of TRAILS_MAX paths at a time.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_TRAIL_H
#define SLOWCOPY_ANALYZER_TRANSFER_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/histogram.h"

/* Packets kept; 64 KiB. A limiter that matters loses one in a hundred and more. */
#define TRAIL_MAX 4096
#define TRAILS_MAX 64

/* Flach et al. 2016: so many losses, nine in ten of them with an empty bucket. The same for what
 * passed: the sum of both shares of errors counts, so that neither can be bought with the other. */
#define TRAIL_MIN_LOSSES 15
#define TRAIL_MAX_WRONG 0.2
/* Losses of one event are no independent witnesses. That chance puts five of them into the fullest
 * tenth of some bucket is 1 in 100,000 for each bucket tried. */
#define TRAIL_MIN_EVENTS 5
/* A burst of so many of the largest frames is more than a queue lets pass at a time. */
#define TRAIL_BURST_FRAMES 4

typedef struct TrailPacket {
	uint32_t us;     /* since Trail.base_ns */
	uint32_t offset; /* of its payload in the stream, modulo 2^32 */
	uint32_t bytes;  /* of the frame */
	uint16_t payload;
	uint8_t stream; /* which connection, roughly */
	uint8_t fate;   /* TrailFate */
} TrailPacket;

/** TrailFit: the bucket that explains the losses best. */
typedef struct TrailFit {
	uint32_t losses, events; /* lost packets; times when packets were lost */
	double bytes_per_s;      /* frame bytes that fill it; 0: nothing can be said */
	double low, high; /* rates that explain them as well: where it is full before each burst,
			     the rate hardly matters; high: INFINITY when none is too high */
	double burst;     /* bytes it holds, at least: more when it is never full again */
	double passed_wrong, lost_wrong; /* share of the packets that passed (were lost) although it
					    was empty (was not), 0..1 */
	double upstream;                 /* share of the losses before the capture point */
	int64_t queued_ns; /* by how much the round trip had grown at the losses, median */
	uint32_t largest;  /* frame, in bytes */
} TrailFit;

typedef struct Trail {
	uint32_t *count; /* of trails there are now */
	TrailPacket *packets;
	uint32_t length, room, losses, upstream;
	int64_t base_ns;
	Histogram queued;    /* by how much the round trip had grown at each loss, nanoseconds */
	TrailFit fit;        /* of the first... */
	uint32_t fit_length; /* ...packets, of which... */
	uint32_t fit_losses; /* ...so many were lost; 0: not yet made */
} Trail;

/** trail_new: NULL when there are TRAILS_MAX, or without memory. @count, of trails there are,
 * outlives the trail. */
Trail *trail_new(uint32_t *count, int64_t now_ns);

/** trail_free: @trail may be NULL. */
void trail_free(Trail *trail);

/**
 * trail_pass: a packet with @payload bytes at @offset of connection @stream passed at @now_ns,
 * which does not run backwards. When the trail is full nothing more is kept.
 */
void trail_pass(Trail *trail, int64_t now_ns, uint32_t stream, int64_t offset, uint32_t payload,
	uint32_t bytes);

/**
 * trail_lose: the packet at @offset had been lost. @missed_ns: it never passed here and was missed
 * then; 0: it passed. @queued_ns: by how much the round trip has grown, as last seen.
 */
void trail_lose(Trail *trail, uint32_t stream, int64_t offset, uint32_t payload, uint32_t bytes,
	int64_t missed_ns, int64_t queued_ns);

/** trail_fit: tries rates and depths. @rtt_ns: losses closer than that are one event. @trail may be
 * NULL. A few milliseconds when something was added since the last time. */
TrailFit trail_fit(Trail *trail, int64_t rtt_ns);

/** trail_fit_is_good: the bucket tells nine in ten of both kinds apart, often enough. */
bool trail_fit_is_good(const TrailFit *fit);

/** trail_fit_is_queue: the same packets would be dropped by a queue of that depth before a link of
 * that rate, and nothing speaks against one. */
bool trail_fit_is_queue(const TrailFit *fit);

#endif
