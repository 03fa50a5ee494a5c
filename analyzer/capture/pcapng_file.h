/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcapng files, with everything libpcap refuses: interfaces of different link types and snap
 * lengths, sections of either byte order. Packets point into the source's window: nothing is
 * copied.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_PCAPNG_FILE_H
#define SLOWCOPY_ANALYZER_CAPTURE_PCAPNG_FILE_H

#include <stddef.h>

#include <glib.h>

#include "analyzer/capture/pcap_file.h"

typedef struct PcapngFile PcapngFile;

/**
 * pcapng_file_new: @context->source stands at a section header. NULL and @error when that is not
 * one of version 1. Ownership: the caller frees with pcapng_file_free(), before the source.
 */
PcapngFile *pcapng_file_new(const FileContext *context, GError **error);

/** pcapng_file_read: up to @max decoded packets, 0 at the end. Their pointers live until the next
 * call. */
size_t pcapng_file_read(PcapngFile *file, Packet *ret, size_t max);

/** pcapng_file_free: NULL is allowed. */
void pcapng_file_free(PcapngFile *file);

#endif
