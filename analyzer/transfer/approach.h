/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a client waited for before a connection could begin: the look-up of the server's name, and
 * tries on other ports or before that were not answered. docs/causes.md, name-resolution-delay to
 * connect-retries.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_APPROACH_H
#define SLOWCOPY_ANALYZER_TRANSFER_APPROACH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/session/name_lookup.h"
#include "dissectors/packet.h"

/* Connections under way, and failed ones, remembered; the oldest is forgotten. */
#define APPROACH_MAX_ATTEMPTS 256

struct Conversation;

/** Approach: before the first packet of a connection. Times in ns since the epoch, 0 unknown. */
typedef struct Approach {
	int64_t begin_ns; /* first query or first try; the connection's first packet when neither */
	int64_t first_query_ns, answer_ns;
	uint64_t query_frame, answer_frame;
	uint32_t query_tries;
	uint32_t query_services; /* bit 1 << NameService */
	NameService answered_by;
	int64_t failed_ns; /* first packet of the first try that failed */
	uint64_t failed_frame;
	uint32_t failed_tries; /* packets sent in vain; 0 none */
	uint16_t failed_port;
	bool failed_refused; /* answered with a reset */
} Approach;

typedef struct Approaches Approaches;

/** approaches_new: NULL without memory. */
Approaches *approaches_new(void);

/** approaches_lookup: a UDP packet. */
void approaches_lookup(Approaches *approaches, const Packet *packet);

/** approaches_begin: @conv begins with the SYN @packet; fills @ret and remembers the try. */
void approaches_begin(
	Approaches *approaches, struct Conversation *conv, const Packet *packet, Approach *ret);

/** approaches_step: a packet of @conv's set-up has passed: it was answered, refused, or tried
 * again. */
void approaches_step(Approaches *approaches, struct Conversation *conv, const Packet *packet);

/** approaches_end: @conv ends; a try that was never answered stays remembered. */
void approaches_end(struct Conversation *conv);

/** approaches_free: NULL is allowed. */
void approaches_free(Approaches *approaches);

#endif
