/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a damaged capture becomes plausible again.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_RESYNC_H
#define SLOWCOPY_ANALYZER_CAPTURE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/capture/pcap_file.h"

/* Bytes searched behind damage: many lost disk blocks, and still a moment's work. */
#define RESYNC_SEARCH (4u << 20)
/* Times reading one input goes on behind damage; then it is taken for garbage. */
#define RESYNC_LIMIT 64

/** ResyncPcap: what is known of the records before the damage. */
typedef struct ResyncPcap {
	const PcapLayout *layout;
	int64_t last_ns; /* time of the last good record, 0 when there was none */
	bool at_end;     /* no bytes of the file follow those searched */
} ResyncPcap;

/**
 * resync_pcap: the first offset in @data at which three records in a row, or the last ones of the
 * file, make sense. False when there is none.
 */
bool resync_pcap(const ResyncPcap *known, const uint8_t *data, size_t len, size_t *ret_offset);

/**
 * resync_has_other_records: whether the records behind the file header have another layout than its
 * magic number says, as those of some patched libpcaps and of Nokia's do. @data: the file from its
 * beginning on, @len bytes of it.
 */
bool resync_has_other_records(const PcapLayout *layout, const uint8_t *data, size_t len);

/**
 * resync_pcapng: the first offset in @data at which a known block whose two lengths agree is
 * followed by another one, or by the end of the file. Sections begin on any boundary after damage,
 * so every byte is tried.
 */
bool resync_pcapng(
	const uint8_t *data, size_t len, bool is_big_endian, bool at_end, size_t *ret_offset);

#endif
