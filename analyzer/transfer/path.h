/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the path between two hosts, from all their connections: how fast its bottleneck
 * lets packets through, each way. Packet trains (data and acknowledgements) and standing queues;
 * docs/architecture.md, "Every nanosecond once".
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_PATH_H
#define SLOWCOPY_ANALYZER_TRANSFER_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/histogram.h"
#include "analyzer/base/side.h"
#include "analyzer/transfer/trail.h"

/* Trains of 4, 8, 16 and 32 segments. */
#define TRAIN_LEVELS 4
/* Windows a train length must have before it counts. */
#define TRAIN_MIN_WINDOWS 10
/* A speed is proven when the middle half of its trains lies within this of each other. */
#define PATH_PROVEN_SPREAD 0.15
/* Ethernet framing that IP lengths do not show: preamble, header, checksum, gap. IEEE 802.3. */
#define FRAMING_BYTES 38

/* A pause that never ends a train: shorter than what is called uneven, and than BURST_GAP_MIN_NS.
 */
#define TRAIN_CLOSE_NS (300000)

/* Segments in the shortest window of a train; each level doubles it. */
#define TRAIN_FIRST 4

/** Train: the run of packets under way in one direction. */
typedef struct Train {
	int64_t last_ns; /* 0: the next packet begins a train */
	int64_t first_ns;
	uint64_t all_bytes; /* since first_ns */
	int64_t start_ns[TRAIN_LEVELS];
	uint64_t bytes[TRAIN_LEVELS];
	uint8_t halves[TRAIN_LEVELS];
	uint8_t usable; /* longest windows that are frequent enough, a level; 0 also before */
} Train;

typedef struct PathDirection {
	uint64_t wire_bytes;         /* passed so far, framing included */
	Trail *trail;                /* NULL before the first loss, and when there are too many */
	Train data_train, ack_train; /* of all connections together: they share the bottleneck */
	Histogram data[TRAIN_LEVELS], acks[TRAIN_LEVELS]; /* bytes per second */
	Histogram queue;                                  /* rates while a queue stood */
	bool is_trail_refused;                            /* counted once */
} PathDirection;

typedef struct Path {
	uint8_t low[16], high[16]; /* addresses in byte order */
	PathDirection dir[2];      /* [0]: from low to high */
	void *job_conv;            /* conversation between them that opened a job last, NULL none */
	uint32_t users;            /* conversations and facts that point here */
} Path;

/** path_way: which Path.dir holds what @side sends; @client_is_low: the client has the lower
 * address of the two. */
static inline int path_way(bool client_is_low, Side side)
{
	return (side == SIDE_CLIENT) == client_is_low ? 0 : 1;
}

/** Capacity: an estimate in wire bytes per second (framing included). */
typedef struct Capacity {
	double bytes_per_s; /* 0 unknown */
	double low, high;   /* quartiles */
	double fastest;     /* what trains of eight segments and more reached: the path may be so
			       fast when the estimate is not proven */
	bool is_proven; /* long trains that agree, or a standing queue: may be printed as a speed */
	bool is_share;  /* from a standing queue: what this flow got, other traffic may share the
			   link */
} Capacity;

/** train_is_close: whether a packet at @now_ns is so close to the last that it belongs to the same
 * train whatever the path is like: train_lengthen() does then. */
static inline bool train_is_close(const Train *train, int64_t now_ns)
{
	return train->last_ns != 0 && now_ns >= train->last_ns &&
	       now_ns - train->last_ns <= TRAIN_CLOSE_NS;
}

/** train_count_windows: the shortest windows of @train are complete at @now_ns. */
void train_count_windows(Train *train, Histogram levels[TRAIN_LEVELS], int64_t now_ns);

/** train_lengthen: train_push() for such a packet. */
static inline void train_lengthen(
	Train *train, Histogram levels[TRAIN_LEVELS], int64_t now_ns, uint64_t bytes, uint32_t unit)
{
	train->last_ns = now_ns;
	train->all_bytes += bytes;
	train->bytes[0] += bytes;
	if (train->bytes[0] >= (uint64_t)TRAIN_FIRST * unit)
		train_count_windows(train, levels, now_ns);
}

/** train_break: the sender was held up by something else than the path: the next packet begins
 * another train. */
void train_break(Train *train);

/**
 * train_push: @bytes (with framing) passed at @now_ns; windows that complete are counted in
 * @levels.
 * @gap_ns: a pause longer than that ends the train. @unit: bytes of a full segment with framing.
 */
void train_push(Train *train, Histogram levels[TRAIN_LEVELS], int64_t now_ns, uint64_t bytes,
	int64_t gap_ns, uint32_t unit);

/** path_capacity: the best estimate for direction @dir of @path so far. */
Capacity path_capacity(const Path *path, int dir);

/** path_nominal_bps: the Ethernet speed @bytes_per_s stands for (100e6, 1e9…) when within -8 % … +3
 * %, else 0. */
double path_nominal_bps(double bytes_per_s);

/** path_clear: frees the histograms and trails. */
void path_clear(Path *path);

#endif
