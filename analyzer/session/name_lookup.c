/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Look-ups in a ring, oldest overwritten, chained by client.
 */
#include "analyzer/session/name_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"

#define BUCKETS 512
#define NONE UINT16_MAX

/* Addresses kept of a look-up. */
#define MAX_ADDRESSES NAME_SERVICE_MAX_ADDRESSES
/* Queries for one name further apart belong to different look-ups: longer than the longest retry
 * (WINS: 3 tries 5 s apart, RFC 1002 6) would be within one. */
#define SAME_LOOKUP_NS INT64_C(10000000000)
/* Part of the name up to the first dot: services append different suffixes. */
#define HOST_MAX 63

typedef struct Row {
	uint8_t client[16];
	int64_t first_query_ns, last_ns, answer_ns; /* answer_ns 0: none yet */
	uint64_t first_frame, answer_frame;
	uint32_t tries, services;
	uint8_t answered_by, address_count;
	bool is_used;
	bool is_found; /* a connection was charged with it */
	uint16_t next; /* in the chain of its client, youngest first */
	uint8_t addresses[MAX_ADDRESSES][16];
	char host[HOST_MAX + 1];
	char name[NAME_SERVICE_MAX_NAME + 1];
} Row;

struct NameLookup {
	Row *rows; /* NULL until the first query */
	uint16_t heads[BUCKETS];
	uint16_t next; /* row to be used next */
	uint64_t forgotten;
};

NameLookup *name_lookup_new(void)
{
	return calloc(1, sizeof(NameLookup));
}

static uint16_t *head_of(NameLookup *lookup, const uint8_t client[16])
{
	return &lookup->heads[hash_bytes(client, 16) % BUCKETS];
}

static void unchain(NameLookup *lookup, uint16_t index)
{
	uint16_t *link = head_of(lookup, lookup->rows[index].client);
	while (*link != index)
		link = &lookup->rows[*link].next;
	*link = lookup->rows[index].next;
}

static Row *row_add(NameLookup *lookup, const uint8_t client[16])
{
	if (!lookup->rows) {
		lookup->rows = calloc(NAME_LOOKUP_MAX, sizeof *lookup->rows);
		if (!lookup->rows)
			return NULL;
		memset(lookup->heads, 0xff, sizeof lookup->heads);
	}
	uint16_t index = lookup->next;
	lookup->next = (uint16_t)((index + 1) % NAME_LOOKUP_MAX);
	Row *row = &lookup->rows[index];
	if (row->is_used) {
		unchain(lookup, index);
		lookup->forgotten += !row->is_found;
	}
	memset(row, 0, sizeof *row);
	row->is_used = true;
	memcpy(row->client, client, 16);
	uint16_t *head = head_of(lookup, client);
	row->next = *head;
	*head = index;
	return row;
}

static void host_of(const NameMessage *message, char host[HOST_MAX + 1])
{
	size_t len = strcspn(message->name, ".");
	if (len > HOST_MAX)
		len = HOST_MAX;
	memcpy(host, message->name, len);
	host[len] = '\0';
}

/* the youngest look-up of @host by @client that may still be going on */
static Row *row_find(NameLookup *lookup, const uint8_t client[16], const char *host, int64_t now_ns)
{
	if (!lookup->rows)
		return NULL;
	for (uint16_t i = *head_of(lookup, client); i != NONE; i = lookup->rows[i].next) {
		Row *row = &lookup->rows[i];
		if (memcmp(row->client, client, 16) == 0 && strcmp(row->host, host) == 0)
			return row->is_found || now_ns - row->last_ns > SAME_LOOKUP_NS ? NULL : row;
	}
	return NULL;
}

static void on_query(
	NameLookup *lookup, const Packet *packet, NameService service, const NameMessage *message)
{
	char host[HOST_MAX + 1];
	host_of(message, host);
	Row *row = row_find(lookup, packet->src, host, packet->ts_ns);
	if (!row) {
		row = row_add(lookup, packet->src);
		if (!row)
			return;
		row->first_query_ns = packet->ts_ns;
		row->first_frame = packet->frame;
		memcpy(row->host, host, sizeof host);
		memcpy(row->name, message->name, sizeof row->name);
	}
	row->last_ns = packet->ts_ns;
	row->tries++;
	row->services |= 1u << service;
	if (service == NAME_SERVICE_NBNS)
		row->services |= message->is_broadcast ? NAME_LOOKUP_BROADCAST : NAME_LOOKUP_WINS;
}

static void row_answer(
	Row *row, const Packet *packet, NameService service, const NameMessage *message)
{
	row->last_ns = packet->ts_ns;
	if (row->answer_ns == 0) {
		row->answer_ns = packet->ts_ns;
		row->answer_frame = packet->frame;
		row->answered_by = (uint8_t)service;
	}
	for (uint8_t i = 0; i < message->address_count; i++) {
		if (row->address_count < MAX_ADDRESSES)
			memcpy(row->addresses[row->address_count++], message->addresses[i], 16);
	}
}

/* a multicast answer is for everybody who asked */
static void on_shared_answer(
	NameLookup *lookup, const Packet *packet, NameService service, const NameMessage *message)
{
	char host[HOST_MAX + 1];
	host_of(message, host);
	for (uint16_t i = 0; i < NAME_LOOKUP_MAX; i++) {
		Row *row = &lookup->rows[i];
		if (row->is_used && row->services & 1u << service &&
			packet->ts_ns - row->last_ns <= SAME_LOOKUP_NS &&
			strcmp(row->host, host) == 0)
			row_answer(row, packet, service, message);
	}
}

static void on_answer(
	NameLookup *lookup, const Packet *packet, NameService service, const NameMessage *message)
{
	if (message->address_count == 0 || !lookup->rows)
		return;
	if (service == NAME_SERVICE_MDNS) {
		on_shared_answer(lookup, packet, service, message);
		return;
	}
	char host[HOST_MAX + 1];
	host_of(message, host);
	Row *row = row_find(lookup, packet->dst, host, packet->ts_ns);
	if (row)
		row_answer(row, packet, service, message);
}

void name_lookup_push(NameLookup *lookup, const Packet *packet)
{
	NameService service;
	NameMessage message;
	if (packet->kind != PACKET_UDP ||
		(!name_service_of_port(packet->dst_port, &service) &&
			!name_service_of_port(packet->src_port, &service)))
		return;
	if (name_service_parse(service, packet->payload, packet->payload_caplen, &message) !=
			PARSE_OK ||
		message.name_len == 0)
		return;
	if (message.is_answer)
		on_answer(lookup, packet, service, &message);
	else if (message.asks_address)
		on_query(lookup, packet, service, &message);
}

static bool row_has_address(const Row *row, const uint8_t addr[16])
{
	for (uint8_t i = 0; i < row->address_count; i++) {
		if (memcmp(row->addresses[i], addr, 16) == 0)
			return true;
	}
	return false;
}

bool name_lookup_find(NameLookup *lookup, const uint8_t client_addr[16],
	const uint8_t server_addr[16], int64_t before_ns, NameWait *ret)
{
	if (!lookup->rows)
		return false;
	for (uint16_t i = *head_of(lookup, client_addr); i != NONE; i = lookup->rows[i].next) {
		Row *row = &lookup->rows[i];
		if (memcmp(row->client, client_addr, 16) != 0 || row->answer_ns == 0 ||
			row->is_found || row->answer_ns > before_ns ||
			before_ns - row->answer_ns > NAME_LOOKUP_MAX_AGE_NS ||
			!row_has_address(row, server_addr))
			continue;
		row->is_found = true;
		*ret = (NameWait){
			.first_query_ns = row->first_query_ns,
			.answer_ns = row->answer_ns,
			.tries = row->tries,
			.services = row->services,
			.answered_by = (NameService)row->answered_by,
			.first_frame = row->first_frame,
			.answer_frame = row->answer_frame,
			.name = row->name,
		};
		return true;
	}
	return false;
}

uint64_t name_lookup_forgotten(const NameLookup *lookup)
{
	return lookup->forgotten;
}

size_t name_lookup_bytes(const NameLookup *lookup)
{
	return sizeof *lookup + (lookup->rows ? NAME_LOOKUP_MAX * sizeof *lookup->rows : 0);
}

void name_lookup_free(NameLookup *lookup)
{
	if (!lookup)
		return;
	free(lookup->rows);
	free(lookup);
}
