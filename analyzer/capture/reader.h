/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads capture files of any format, one after the other or merged by time, and hands out decoded
 * packets in batches. Errors of the environment are GErrors; damage inside a file ends that file
 * and is remembered.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_READER_H
#define SLOWCOPY_ANALYZER_CAPTURE_READER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "dissectors/packet.h"

/* Packets per batch: enough to prefetch their flows; 32 gained nothing over 16 when measured. */
#define READER_BATCH 16

/** READER_ERROR: GError domain of everything in analyzer/capture. */
#define READER_ERROR (reader_error_quark())
GQuark reader_error_quark(void);

typedef enum ReaderError {
	READER_ERROR_IO,     /* cannot be opened or read */
	READER_ERROR_FORMAT, /* not a capture this program knows, or nothing in it */
	READER_ERROR_FILTER, /* the filter text is wrong */
} ReaderError;

typedef struct Reader Reader;

/** InputInfo: what is known of one input; valid until reader_free. */
typedef struct InputInfo {
	const char *path;   /* as given; "-" for standard input */
	const char *format; /* "pcap", "pcapng", or editcap's name of an imported one; NULL before
			       it is known */
	const char *compression; /* "none", "gzip", "zstd", "lz4", "xz" */
	uint64_t packets;
	uint64_t bytes;             /* of the uncompressed stream read so far */
	int64_t damaged_at;         /* byte offset of the first damage, -1 when none */
	const char *damage;         /* one sentence, NULL when none */
	uint64_t resynchronised;    /* times reading went on behind damage */
	uint32_t snaplen;           /* largest of its interfaces, 0 unknown */
	int64_t dropped_packets;    /* the capture's own drop counters, -1 when it has none */
	uint64_t if_speed_bps;      /* pcapng if_speed, bit/s, 0 unknown */
	const uint32_t *link_types; /* LINKTYPE_ values in order of appearance */
	size_t link_type_count;
	const char *const *interfaces; /* pcapng interface names or empty strings */
	size_t interface_count;
	const char *const *comments; /* section and packet comments kept, bounded */
	size_t comment_count;
} InputInfo;

/** ReaderOptions: all zero gives the defaults. */
typedef struct ReaderOptions {
	const char *filter;                /* BPF text or NULL; matches inside VLAN tags too */
	bool follow;                       /* wait for a growing file to grow */
	const volatile sig_atomic_t *stop; /* set by a signal handler, ends waiting and reading;
					      may be NULL */
} ReaderOptions;

/**
 * reader_open: opens @paths (files, "-", directories: every capture in them; a ring-buffer set is
 * ordered by first packet). Inputs are merged by time. Returns NULL and sets @error when nothing at
 * all can be read; an input that cannot be opened beside others that can is reported by its
 * InputInfo (format NULL, damage set). Ownership: the caller frees with reader_free().
 */
Reader *reader_open(
	const char *const *paths, size_t count, const ReaderOptions *options, GError **error);

/**
 * reader_next_batch: up to READER_BATCH decoded packets, in capture order, but for those recorded a
 * little out of time, which are sorted (sorter.h).
 * Returns the number written to @ret_batch, 0 at the end. Each packet's pointers live until the
 * next call.
 */
size_t reader_next_batch(Reader *reader, Packet ret_batch[READER_BATCH]);

/** reader_input_count: how many inputs there are, directories expanded. */
size_t reader_input_count(const Reader *reader);

/** reader_input: facts of input @index, up to date with the packets handed out so far. */
const InputInfo *reader_input(const Reader *reader, size_t index);

/** reader_progress: bytes of the inputs read (compressed size) and their total, 0 when unknown; for
 * a progress bar. */
void reader_progress(const Reader *reader, uint64_t *ret_read, uint64_t *ret_total);

/** reader_filtered: packets that @filter kept out; they are in no batch. */
uint64_t reader_filtered(const Reader *reader);

/** reader_read_packet: reads again the bytes of one packet for an evidence file; false when the
 * input cannot seek.
 * @ret_data: g_malloc'ed, the caller frees. */
bool reader_read_packet(
	Reader *reader, uint16_t input, uint64_t file_offset, uint8_t **ret_data, size_t *ret_len);

/** reader_free: closes all inputs; NULL is allowed. */
void reader_free(Reader *reader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, reader_free)

#endif
