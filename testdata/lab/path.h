/*
 * One direction of an emulated path: what happens to a frame between two hosts.
 * Rate, queue, policer, shaper, loss of several kinds, option stripping; delay itself is the
 * caller's. Knows nothing of devices or clocks: the caller gives the time, so a run with one seed
 * repeats. SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SLOWCOPY_TESTDATA_LAB_PATH_H
#define SLOWCOPY_TESTDATA_LAB_PATH_H

#include "frame.h"

#include <stdio.h>

enum {
	/* Ethernet's own bytes around a frame: FCS 4, preamble 8, inter-frame gap 12 (IEEE 802.3).
	 */
	PATH_WIRE_EXTRA = 24,
	/* Shortest frame without its FCS; shorter ones are padded on a wire. */
	PATH_FRAME_MIN = 60,
	PATH_DROP_LIST_MAX = 256,
	PATH_CONNECTION_MAX = 4096,
	/* Drops written to the report one by one; the counts stay exact beyond. */
	PATH_DROP_LOG_MAX = 20000,
};

/** PathDropRule: drop the first @times segments that match (those that come again included). */
typedef struct {
	enum { PATH_DROP_NTH_DATA, PATH_DROP_AT_BYTE } kind;
	uint64_t at; /* n-th data segment of the direction, or byte of each connection's stream */
	unsigned times;
	uint32_t seq; /* NTH_DATA: sequence number of the n-th segment once it was seen */
	uint16_t port;
	unsigned done;
	bool has_seq;
} PathDropRule;

/** PathConfig: all optional, 0 is off. Doubles so that one table can parse them. */
typedef struct {
	double delay_us;  /* one way, both halves together */
	double jitter_us; /* uniform in [0, jitter], order kept */
	double rate;      /* bit/s on the wire, framing included */
	double queue;     /* bytes waiting in front of `rate` */
	double shape;     /* bit/s after a burst of `shape_burst` bytes, same queue */
	double shape_burst;
	double police; /* bit/s, excess dropped */
	double police_burst;
	double loss;              /* probability per data segment */
	double ack_loss;          /* probability per segment without payload */
	double burst_good_ms;     /* Gilbert model by time: mean stay in the good state, */
	double burst_bad_ms;      /* in the bad state, */
	double burst_loss;        /* and loss probability while bad */
	double blackout_at_ms;    /* nothing passes from here (after the first data segment) */
	double blackout_ms;       /* for so long */
	double blackout_every_ms; /* and again at this period; 0: once */
	double spike_at_ms;       /* extra delay from here (after the first data segment) */
	double spike_ms;          /* for so long */
	double spike_us;          /* this much */
	double spike_every_ms;    /* and again at this period; 0: once */
	double reorder;           /* probability per data segment of being late by reorder_us */
	double reorder_us;
	double duplicate;  /* probability per data segment */
	double mtu;        /* larger IP packets vanish without ICMP */
	double mss;        /* clamp */
	double strip;      /* sum of FRAME_STRIP_* */
	double mark_ce;    /* queue bytes above which ECN-capable packets are marked */
	double mark_all;   /* 1: a device marks all of them, queue or not */
	double collide_us; /* drop data if a reverse frame is on the wire within so many us */
	double pass_syn;   /* let so many SYNs pass, */
	double drop_syn;   /* then drop n */
	double block_from; /* TCP to a port of this range vanishes, as a firewall drops it */
	double block_to;
	double drop_udp;     /* first n UDP packets */
	double mirror_after; /* 1: the middle capture sees frames after this direction's impairments
			      */
} PathConfig;

typedef struct {
	uint64_t key;
	uint32_t first_seq;
} PathConnection;

typedef struct {
	uint64_t time_ns, frame, data_segment;
	uint32_t seq;
	unsigned payload_len;
	const char *reason;
} PathDrop;

/** Path: state of one direction. */
typedef struct Path {
	PathConfig config;
	PathDropRule rules[PATH_DROP_LIST_MAX];
	unsigned rule_count;
	uint64_t random;
	uint64_t link_free_ns, police_ns, shape_ns, burst_until_ns, first_data_ns, last_due_ns;
	uint64_t last_frame_ns;
	double police_tokens, shape_tokens;
	bool is_burst_bad;
	uint64_t frames, data_segments, dropped, duplicated, reordered, marked, max_queue;
	PathDrop drops[PATH_DROP_LOG_MAX];
	unsigned drop_count;
	PathConnection *connections;
	unsigned connection_count;
	const struct Path *reverse;
} Path;

/** PathVerdict: when the frame leaves this direction's link, and how much later than the delay it
 * arrives. */
typedef struct {
	const char *drop_reason; /* NULL: passed */
	uint64_t depart_ns;
	uint64_t extra_ns;  /* reordering or a delay spike */
	bool is_free_order; /* may be overtaken */
	unsigned copies;
} PathVerdict;

/** path_init: @seed makes its random numbers; @reverse is the other direction, for collisions. */
void path_init(Path *path, uint64_t seed, const Path *reverse);

/**
 * path_set: set one option by its name in PathConfig without the unit, or "drop" (n:times,…) or
 * "drop_byte" (offset:times,…). Returns false if there is no such option or its value cannot be
 * read.
 */
bool path_set(Path *path, const char *name, const char *value);

/** path_pass: what happens to a frame that reaches this direction's queue at @now_ns. May edit the
 * frame. */
void path_pass(Path *path, uint8_t *data, size_t len, uint64_t now_ns, PathVerdict *ret);

/** path_half_delay_ns: delay of one half of this direction, jitter not included. */
uint64_t path_half_delay_ns(const Path *path);

/** path_jitter_ns: a fresh random jitter. */
uint64_t path_jitter_ns(Path *path);

/** path_report: counters and the drop list as a JSON object; times in seconds since @start_ns. */
void path_report(const Path *path, uint64_t start_ns, FILE *out);

#endif
