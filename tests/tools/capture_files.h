/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the reader's tests share: a temporary folder, the frames they put in captures, and reading
 * everything a reader gives.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_CAPTURE_FILES_H
#define SLOWCOPY_TESTS_TOOLS_CAPTURE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/reader.h"
#include "tests/tools/capture_builder.h"

/* Ethernet, IPv4, TCP with 20 bytes of data */
#define CAPTURE_FRAME_LEN 74

typedef struct CaptureFolder {
	char *path;
	GPtrArray *files; /* paths handed out */
} CaptureFolder;

void capture_folder_make(CaptureFolder *folder);
/** capture_folder_write: (over)writes a file; the path lives as long as the folder. */
const char *capture_folder_write(CaptureFolder *folder, const char *name, const GByteArray *bytes);
void capture_folder_remove(CaptureFolder *folder);

/** capture_frame: a frame with sequence number @seq; lives until the next call. */
const uint8_t *capture_frame(uint32_t seq);

/** make_pcap, make_pcapng: whole files of @count frames, one a second from @seconds on, with
 * sequence numbers from 0. */
void make_pcap(CaptureBuilder *c, uint32_t count, uint32_t seconds);
void make_pcapng(CaptureBuilder *c, uint32_t count, uint32_t seconds);

/** ReadPackets: a reader that came to its end, and what it gave; pointers in packets are dead. */
typedef struct ReadPackets {
	Reader *reader;
	Packet *packets;
	size_t count;
} ReadPackets;

/** read_all: aborts with the error when nothing can be opened. */
ReadPackets *read_all(const char *const *paths, size_t count, const ReaderOptions *options);
void read_free(ReadPackets *read);

#endif
