/*
 * What a network card does for a host with offload on: cut super-segments to wire size, fill in
 * checksums. SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SLOWCOPY_TESTDATA_LAB_OFFLOAD_H
#define SLOWCOPY_TESTDATA_LAB_OFFLOAD_H

#include <linux/virtio_net.h>
#include <stddef.h>
#include <stdint.h>

/** OffloadFrame: takes one wire-size frame with good checksums; borrows @data for the call. */
typedef void (*OffloadFrame)(void *user, const uint8_t *data, size_t len);

/**
 * offload_split: one frame as a host with offload gave it, as one or more frames of the wire.
 * @header: the kernel's note in front of the frame (Virtio 1.2, 5.1.6). @data is edited.
 */
void offload_split(const struct virtio_net_hdr *header, uint8_t *data, size_t len,
	OffloadFrame frame, void *user);

#endif
