/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last minutes of packets in rotating pcapng files of bounded size; those of an interval can be
 * saved from being overwritten.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_PACKET_RING_H
#define SLOWCOPY_ANALYZER_CAPTURE_PACKET_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "dissectors/packet.h"

/* Files of a whole ring: what is deleted at once is a tenth. */
#define PACKET_RING_FILES 10
/* Folder inside the ring's for saved files. */
#define PACKET_RING_SAVED "saved"

typedef struct PacketRing PacketRing;

/** PacketRingOptions: all must be given. */
typedef struct PacketRingOptions {
	const char *folder;
	int64_t keep_ns;               /* older packets are deleted, a tenth of it later at most */
	uint64_t max_bytes;            /* of the ring; as much again for saved files */
	const char *const *interfaces; /* names, by Packet.input */
	size_t interface_count;
} PacketRingOptions;

/** PacketRingSaved: what packet_ring_save did. */
typedef struct PacketRingSaved {
	GPtrArray *paths; /* char *, owned: files that hold packets of the interval */
	bool is_whole;    /* the ring went back far enough, and all files could be saved */
	int why; /* errno of what could not be saved; ENOSPC: saved files fill their share */
} PacketRingSaved;

/** packet_ring_open: in an existing folder; files of an earlier run there count as its oldest. NULL
 * and @error when nothing can be written there. The caller frees with packet_ring_free(). */
PacketRing *packet_ring_open(const PacketRingOptions *options, GError **error);

/** packet_ring_add: one packet, whose reader's fields are set and whose kept bytes are @data. Never
 * fails: what cannot be written is counted. */
void packet_ring_add(PacketRing *ring, const Packet *packet, const uint8_t *data);

/** packet_ring_flush: writes what is buffered. */
void packet_ring_flush(PacketRing *ring);

/** packet_ring_save: keeps the files with packets from @from_ns to @to_ns (hard links in the folder
 * saved/). @ret->paths is the caller's to free. */
void packet_ring_save(PacketRing *ring, int64_t from_ns, int64_t to_ns, PacketRingSaved *ret);

/** packet_ring_lost: packets that could not be written, and why the last time. */
uint64_t packet_ring_lost(const PacketRing *ring, int *ret_errno);

/** packet_ring_free: closes; its files stay. NULL is allowed. */
void packet_ring_free(PacketRing *ring);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PacketRing, packet_ring_free)

#endif
