/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One packet made anew for an evidence file: Ethernet, IP and TCP headers as the original's decoded
 * fields say, the headers of SMB and FTP messages, and zeroes where content was. Nothing else of
 * the original's bytes gets in, so tunnels, tags and unknown options cannot carry names out.
 */
#ifndef SLOWCOPY_REPORTS_EVIDENCE_FRAME_H
#define SLOWCOPY_REPORTS_EVIDENCE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "dissectors/packet.h"

/** EvidenceAddresses: what stands in the frame. */
typedef struct EvidenceAddresses {
	uint8_t src[16], dst[16]; /* IPv4 as ::ffff:a.b.c.d; both of one version */
	uint8_t src_mac[6], dst_mac[6];
} EvidenceAddresses;

/**
 * evidence_frame_build: the frame of @packet, which must be freshly decoded, in @ret, emptied
 * first. Lengths and checksums are valid.
 * @ret_wirelen: its length on the wire; more than @ret->len when the payload is too long to be kept
 * as zeroes.
 * Returns false for packets that are not TCP, UDP or ICMP: they are not shown.
 */
bool evidence_frame_build(const Packet *packet, const EvidenceAddresses *addresses, GByteArray *ret,
	uint32_t *ret_wirelen);

/** evidence_frame_kept: how many of the @len payload bytes at @data are headers of a known
 * protocol, to be kept; @ret gets the payload, as long, with all else zero. For tests. */
size_t evidence_frame_kept(const Packet *packet, uint8_t *ret, size_t len);

#endif
