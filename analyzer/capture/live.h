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

typedef struct Live Live;

/** LiveOptions: zeroed gives the defaults. */
typedef struct LiveOptions {
	const char *filter; /* pcap-filter(7), NULL none */
	int snaplen;        /* bytes */
	int buffer_bytes;
} LiveOptions;

/** LiveDrops: since the interface was opened. */
typedef struct LiveDrops {
	uint64_t received;          /* packets that passed the filter */
	uint64_t kernel, interface; /* dropped for want of room; by the card or its driver */
} LiveDrops;

typedef void (*LiveBatch)(void *user, Packet *batch, size_t count);

/** live_open: NULL and @error (READER_ERROR_IO, READER_ERROR_FILTER) when it cannot be done; the
 * text says why. The caller frees with live_free(). */
Live *live_open(const char *interface, const LiveOptions *options, GError **error);

/**
 * live_read: waits up to LIVE_TIMEOUT_MS or a signal, and hands all packets at hand to @batch, in
 * batches of at most READER_BATCH; their pointers live during the call. Returns the number of
 * packets, -1 and @error when the interface is gone or down.
 */
long live_read(Live *live, LiveBatch batch, void *user, GError **error);

/** live_drops: false when the kernel does not say. */
bool live_drops(Live *live, LiveDrops *ret);

/** live_free: NULL is allowed. */
void live_free(Live *live);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Live, live_free)

#endif
