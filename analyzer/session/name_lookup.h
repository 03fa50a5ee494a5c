/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which name look-ups a client made before it connected: queries of DNS, NetBIOS, LLMNR and
 * multicast DNS for one host are one look-up, from the first try to the answer that named the
 * server's address.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_NAME_LOOKUP_H
#define SLOWCOPY_ANALYZER_SESSION_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/name_service.h"
#include "dissectors/packet.h"

/* Look-ups remembered; the oldest is forgotten. A busy client makes some tens a minute. */
#define NAME_LOOKUP_MAX 1024
/* A connection later than this after the answer did not wait for it: causes.md 3.65. */
#define NAME_LOOKUP_MAX_AGE_NS INT64_C(30000000000)

/* Beside the bits of the services: how NetBIOS names were asked for. */
#define NAME_LOOKUP_BROADCAST (1u << 8)
#define NAME_LOOKUP_WINS (1u << 9)

/** NameWait: one look-up; times in ns since the epoch. */
typedef struct NameWait {
	int64_t first_query_ns;
	int64_t answer_ns; /* first answer with the server's address */
	uint32_t tries;    /* queries sent, all services together */
	uint32_t services; /* bit 1 << NameService for each that was asked, and NAME_LOOKUP_… */
	NameService answered_by;
	uint64_t first_frame, answer_frame;
	const char *name; /* as asked first; valid until the next call on the tracker */
} NameWait;

typedef struct NameLookup NameLookup;

/** name_lookup_new: allocates no table yet; NULL when memory is refused. */
NameLookup *name_lookup_new(void);

/** name_lookup_push: a packet; anything but UDP from or to a name service's port is passed over. */
void name_lookup_push(NameLookup *lookup, const Packet *packet);

/**
 * name_lookup_find: the look-up that a connection from @client_addr to @server_addr (IPv4 as
 * ::ffff:a.b.c.d) begun at @before_ns waited for. False when none within NAME_LOOKUP_MAX_AGE_NS
 * before it was answered with that address. A look-up is found once only: a second connection did
 * not wait for it.
 */
bool name_lookup_find(NameLookup *lookup, const uint8_t client_addr[16],
	const uint8_t server_addr[16], int64_t before_ns, NameWait *ret);

/** name_lookup_forgotten: look-ups dropped because of the cap. */
uint64_t name_lookup_forgotten(const NameLookup *lookup);

/** name_lookup_bytes: memory held. */
size_t name_lookup_bytes(const NameLookup *lookup);

/** name_lookup_free: NULL is allowed. */
void name_lookup_free(NameLookup *lookup);

#endif
