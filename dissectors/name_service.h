/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queries for names and their answers: DNS, multicast DNS, LLMNR and the NetBIOS name service,
 * which share one format. Only what tells how long a client waited for an address is read. Source:
 * RFC 1035 4, RFC 6762 18, RFC 4795 2.1, RFC 1002 4.2.
 */
#ifndef SLOWCOPY_DISSECTORS_NAME_SERVICE_H
#define SLOWCOPY_DISSECTORS_NAME_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/parse.h"

typedef enum NameService {
	NAME_SERVICE_DNS,
	NAME_SERVICE_MDNS,
	NAME_SERVICE_LLMNR,
	NAME_SERVICE_NBNS,
} NameService;

/* Addresses kept of one answer; round-robin answers have a handful. */
#define NAME_SERVICE_MAX_ADDRESSES 8
/* Longest name in text form, RFC 1035 2.3.4. */
#define NAME_SERVICE_MAX_NAME 255

typedef struct NameMessage {
	uint16_t id;
	bool is_answer;
	bool is_broadcast; /* NetBIOS query: asked of everybody, not of a WINS server */
	bool asks_address; /* type A, AAAA, ANY or NB, and the operation is a query */
	uint8_t rcode;     /* 0 no error, 3 no such name */
	uint8_t name_len;
	uint8_t address_count;
	uint8_t addresses[NAME_SERVICE_MAX_ADDRESSES][16]; /* IPv4 as ::ffff:a.b.c.d */
	char name[NAME_SERVICE_MAX_NAME + 1]; /* asked for or answered; printable lower-case ASCII,
						 NUL-terminated; a NetBIOS name without blanks and
						 suffix */
} NameMessage;

/** name_service_of_port: whether @port (53, 5353, 5355, 137) belongs to a name service; @ret is set
 * if so. */
bool name_service_of_port(uint16_t port, NameService *ret);

/** name_service_id: "dns", "mdns", "llmnr", "nbns"; static. */
const char *name_service_id(NameService service);

/**
 * name_service_parse: one UDP payload.
 * @ret: set on PARSE_OK only.
 * Returns PARSE_SHORT when the bytes end before the first name does; PARSE_BAD when they contradict
 * the format (a name that points forward, more than 255 characters); PARSE_UNKNOWN for operations
 * that are no queries (registrations, updates). Answer records that were cut or are malformed end
 * the list of addresses and are no error.
 */
ParseStatus name_service_parse(
	NameService service, const uint8_t *data, size_t len, NameMessage *ret);

#endif
