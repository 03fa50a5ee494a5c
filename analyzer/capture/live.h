/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets from a network interface through libpcap's ring: batches as from a Reader, and what the
 * kernel dropped.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_LIVE_H
#define SLOWCOPY_ANALYZER_CAPTURE_LIVE_H

#include <glib.h>

#include "analyzer/capture/reader.h"

/* Holds link, IP and TCP headers with options, and the SMB or FTP message behind them with a name
 * of usual length; a block of file data is not wanted. */
#define LIVE_SNAPLEN 256
/* Half a second of a 1 Gbit/s link at full frames even if nothing were cut. */
#define LIVE_BUFFER_BYTES (64 * 1024 * 1024)
/* The kernel hands over a block that is not full after this long: nobody waits for a screen longer.
 */
#define LIVE_TIMEOUT_MS 100

/* What libpcap itself allows. */
#define LIVE_MAX_SNAPLEN 262144

typedef struct Live Live;

/** LiveRaw: each packet before it is decoded; the reader's fields of @packet are set. */
typedef void (*LiveRaw)(void *user, const Packet *packet, const uint8_t *data);

/** LiveOptions: zeroed gives the defaults. */
typedef struct LiveOptions {
	const char *filter; /* pcap-filter(7), NULL none */
	int snaplen;        /* bytes */
	int buffer_bytes;
	uint16_t input; /* number of the interface in its packets */
	LiveRaw raw;    /* NULL none */
	void *raw_user;
} LiveOptions;

/** LiveDrops: since the interface was opened. */
typedef struct LiveDrops {
	uint64_t received;          /* packets that passed the filter and were not dropped */
	uint64_t kernel, interface; /* dropped for want of room; by the card or its driver */
} LiveDrops;

typedef void (*LiveBatch)(void *user, Packet *batch, size_t count);

/** LiveBatcher: packets on their way to @sink, at most READER_BATCH; they are copied, since the
 * ring's own memory may be used again. */
typedef struct LiveBatcher {
	LiveBatch sink;
	void *user;
	Packet batch[READER_BATCH];
	size_t count;
	size_t room; /* bytes for each: the largest snap length */
	uint8_t *bytes;
} LiveBatcher;

LiveBatcher *live_batcher_new(LiveBatch sink, void *user, size_t room);

/** live_batcher_flush: hands out what is there. */
void live_batcher_flush(LiveBatcher *batcher);

/** live_batcher_free: NULL is allowed. */
void live_batcher_free(LiveBatcher *batcher);

/** live_open: NULL and @error (READER_ERROR_IO, READER_ERROR_FILTER) when it cannot be done; the
 * text says why. @interface must outlive it. The caller frees with live_free(). */
Live *live_open(const char *interface, const LiveOptions *options, GError **error);

/** live_snaplen: bytes at most that it takes of a packet. live_fd: readable when there may be
 * packets. */
int live_snaplen(const Live *live);
int live_fd(const Live *live);

/** live_is_up: false when the interface is down or has no carrier; libpcap then waits in silence.
 */
bool live_is_up(const Live *live);

/** live_dispatch: hands all packets at hand to @batcher, without waiting; some may be left in it.
 * Returns how many, -1 and @error when the interface is gone or down. */
long live_dispatch(Live *live, LiveBatcher *batcher, GError **error);

/** live_peek: 1 and the time of the next packet, 0 when there is none now, -1 and @error as
 * live_dispatch. live_take: hands the packet that live_peek saw to @batcher. */
int live_peek(Live *live, int64_t *ret_ns, GError **error);
void live_take(Live *live, LiveBatcher *batcher);

/** live_drops: false when the kernel does not say. */
bool live_drops(Live *live, LiveDrops *ret);

/** live_free: NULL is allowed. */
void live_free(Live *live);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Live, live_free)

#endif
