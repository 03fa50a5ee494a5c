/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IP reassembly. Fragments are kept as they came; a whole datagram is written behind an IP header
 * of ours and decoded like any frame, so that no second decoder exists. A datagram's wire length
 * and the bytes the snap length left of it are told apart as everywhere.
 */
#include "analyzer/flow/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"

#define LINKTYPE_RAW 101   /* begins with an IP header */
#define MAX_DATAGRAM 65535 /* of payload: 16-bit lengths */
#define IPV4_HEADER 20
#define IPV6_HEADER 40

typedef struct Piece {
	struct Piece *next;   /* by offset */
	uint32_t offset, len; /* on the wire */
	uint32_t kept;        /* bytes in data[] */
	uint8_t data[];
} Piece;

typedef struct Datagram {
	Piece *pieces;
	uint32_t piece_count;
	uint32_t received; /* wire bytes of the pieces */
	uint32_t total;    /* known with the last fragment, else 0 */
	size_t bytes;
	int64_t first_ns;
	uint64_t order; /* of arrival: the oldest goes first */
	uint8_t src[16], dst[16];
	uint64_t tunnel_id;
	uint32_t id;
	uint16_t vlan;
	uint8_t protocol, version;
} Datagram;

struct Fragments {
	uint64_t hashes[FRAGMENTS_MAX_DATAGRAMS]; /* 0: free; apart, so that a search reads 4 KiB */
	Datagram datagrams[FRAGMENTS_MAX_DATAGRAMS];
	size_t used; /* cells that may be taken: [0, used) */
	size_t bytes;
	uint64_t order;
	uint8_t *whole[FRAGMENTS_KEPT];
	unsigned whole_next;
	FragmentsStats stats;
};

Fragments *fragments_new(void)
{
	return calloc(1, sizeof(Fragments));
}

static void datagram_clear(Fragments *f, size_t at)
{
	Datagram *d = &f->datagrams[at];
	for (Piece *piece = d->pieces, *next; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	f->bytes -= d->bytes;
	f->hashes[at] = 0;
	*d = (Datagram){0};
	while (f->used > 0 && f->hashes[f->used - 1] == 0)
		f->used--;
}

static bool is_of(const Datagram *d, const Packet *p)
{
	return d->id == p->fragment_id && d->protocol == p->ip_protocol &&
	       d->version == p->ip_version && d->vlan == p->vlan && d->tunnel_id == p->tunnel_id &&
	       memcmp(d->src, p->src, sizeof d->src) == 0 &&
	       memcmp(d->dst, p->dst, sizeof d->dst) == 0;
}

static uint64_t hash_of(const Packet *p)
{
	uint64_t words[6] = {hash_word(p->src), hash_word(p->src + 8), hash_word(p->dst),
		hash_word(p->dst + 8), (uint64_t)p->fragment_id << 32 | p->ip_protocol,
		p->tunnel_id ^ (uint64_t)p->vlan << 48};
	uint64_t hash = hash_bytes(words, sizeof words);
	return hash ? hash : 1;
}

/* The oldest datagram but @spare; FRAGMENTS_MAX_DATAGRAMS when there is none. */
static size_t oldest_but(const Fragments *f, size_t spare)
{
	size_t oldest = FRAGMENTS_MAX_DATAGRAMS;
	for (size_t i = 0; i < f->used; i++)
		if (f->hashes[i] != 0 && i != spare &&
			(oldest == FRAGMENTS_MAX_DATAGRAMS ||
				f->datagrams[i].order < f->datagrams[oldest].order))
			oldest = i;
	return oldest;
}

static size_t datagram_get(Fragments *f, const Packet *p)
{
	uint64_t hash = hash_of(p);
	size_t unused = FRAGMENTS_MAX_DATAGRAMS;
	for (size_t i = 0; i < f->used; i++) {
		if (f->hashes[i] == 0) {
			unused = i;
		} else if (f->hashes[i] == hash && is_of(&f->datagrams[i], p)) {
			if (p->ts_ns - f->datagrams[i].first_ns <= FRAGMENTS_MAX_AGE_NS)
				return i;
			f->stats.expired++;
			datagram_clear(f, i);
			unused = i;
			break;
		}
	}
	if (unused == FRAGMENTS_MAX_DATAGRAMS && f->used < FRAGMENTS_MAX_DATAGRAMS)
		unused = f->used;
	if (unused == FRAGMENTS_MAX_DATAGRAMS) {
		unused = oldest_but(f, FRAGMENTS_MAX_DATAGRAMS);
		if (p->ts_ns - f->datagrams[unused].first_ns > FRAGMENTS_MAX_AGE_NS)
			f->stats.expired++;
		else
			f->stats.evicted++;
		datagram_clear(f, unused);
	}
	if (unused >= f->used)
		f->used = unused + 1;
	f->hashes[unused] = hash;
	Datagram *d = &f->datagrams[unused];
	*d = (Datagram){.first_ns = p->ts_ns,
		.order = f->order++,
		.tunnel_id = p->tunnel_id,
		.id = p->fragment_id,
		.vlan = p->vlan,
		.protocol = p->ip_protocol,
		.version = p->ip_version};
	memcpy(d->src, p->src, sizeof d->src);
	memcpy(d->dst, p->dst, sizeof d->dst);
	return unused;
}

typedef enum PieceFate { PIECE_KEPT, PIECE_DUPLICATE, PIECE_CONTRADICTS, PIECE_NO_ROOM } PieceFate;

/* Makes room for @bytes by giving up other datagrams, oldest first. */
static bool make_room(Fragments *f, size_t at, size_t bytes)
{
	while (f->bytes + bytes > FRAGMENTS_MAX_BYTES) {
		size_t oldest = oldest_but(f, at);
		if (oldest == FRAGMENTS_MAX_DATAGRAMS)
			return false;
		f->stats.evicted++;
		datagram_clear(f, oldest);
	}
	return true;
}

static PieceFate piece_add(Fragments *f, size_t at, const Packet *p)
{
	Datagram *d = &f->datagrams[at];
	uint32_t from = p->fragment_offset, to = from + p->payload_len;
	Piece **link = &d->pieces;
	while (*link && (*link)->offset + (*link)->len <= from)
		link = &(*link)->next;
	const Piece *after = *link;
	if (after && after->offset < to)
		return after->offset == from && after->len == p->payload_len ? PIECE_DUPLICATE
									     : PIECE_CONTRADICTS;
	if (d->total != 0 && (!p->more_fragments || to > d->total))
		return PIECE_CONTRADICTS;
	if (!p->more_fragments && after)
		return PIECE_CONTRADICTS;
	size_t bytes = sizeof(Piece) + p->payload_caplen;
	if (d->piece_count == FRAGMENTS_MAX_PIECES || !make_room(f, at, bytes))
		return PIECE_NO_ROOM;
	Piece *piece = malloc(bytes);
	if (!piece)
		return PIECE_NO_ROOM;
	*piece = (Piece){
		.next = *link, .offset = from, .len = p->payload_len, .kept = p->payload_caplen};
	memcpy(piece->data, p->payload, p->payload_caplen);
	*link = piece;
	d->piece_count++;
	d->received += p->payload_len;
	d->bytes += bytes;
	f->bytes += bytes;
	if (!p->more_fragments)
		d->total = to;
	return PIECE_KEPT;
}

/* The IP header of a whole datagram; returns its length. */
static uint32_t write_header(uint8_t *out, const Packet *p, uint32_t total)
{
	if (p->ip_version == 6) {
		memset(out, 0, IPV6_HEADER);
		out[0] = 0x60;
		out[1] = (uint8_t)(p->ecn << 4);
		out[4] = (uint8_t)(total >> 8);
		out[5] = (uint8_t)total;
		out[6] = p->ip_protocol;
		out[7] = p->ttl;
		memcpy(out + 8, p->src, 16);
		memcpy(out + 24, p->dst, 16);
		return IPV6_HEADER;
	}
	memset(out, 0, IPV4_HEADER);
	out[0] = 0x45;
	out[1] = p->ecn;
	out[2] = (uint8_t)((total + IPV4_HEADER) >> 8);
	out[3] = (uint8_t)(total + IPV4_HEADER);
	out[4] = (uint8_t)(p->ip_id >> 8);
	out[5] = (uint8_t)p->ip_id;
	out[8] = p->ttl;
	out[9] = p->ip_protocol;
	memcpy(out + 12, p->src + 12, 4);
	memcpy(out + 16, p->dst + 12, 4);
	return IPV4_HEADER;
}

/* Writes the datagram behind a header, as far as it was captured without a gap, and decodes it. */
static bool datagram_decode(Fragments *f, const Datagram *d, const Packet *last, Packet *ret)
{
	uint8_t *data = realloc(f->whole[f->whole_next], IPV6_HEADER + d->total);
	if (!data)
		return false;
	f->whole[f->whole_next] = data;
	f->whole_next = (f->whole_next + 1) % FRAGMENTS_KEPT;
	uint32_t header = write_header(data, last, d->total), kept = 0;
	for (const Piece *piece = d->pieces; piece && piece->offset == kept; piece = piece->next) {
		memcpy(data + header + kept, piece->data, piece->kept);
		kept += piece->kept;
	}
	Packet whole = *last;
	packet_decode(LINKTYPE_RAW, data, header + kept, header + d->total, &whole);
	/* the link layer is the last fragment's */
	whole.direction = last->direction;
	whole.layers = last->layers;
	whole.vlan = last->vlan;
	whole.has_macs = last->has_macs;
	whole.was_fragmented = true;
	memcpy(whole.src_mac, last->src_mac, sizeof whole.src_mac);
	memcpy(whole.dst_mac, last->dst_mac, sizeof whole.dst_mac);
	whole.tunnel_id = last->tunnel_id;
	*ret = whole;
	return true;
}

bool fragments_push(Fragments *fragments, const Packet *packet, Packet *ret_whole)
{
	fragments->stats.fragments++;
	uint32_t header = packet->ip_version == 6 ? 0 : IPV4_HEADER;
	if (packet->payload_len == 0 || packet->payload_len > MAX_DATAGRAM ||
		packet->fragment_offset > MAX_DATAGRAM - header - packet->payload_len ||
		packet->payload_caplen > packet->payload_len) {
		fragments->stats.overlapping++;
		return false;
	}
	size_t at = datagram_get(fragments, packet);
	Datagram *d = &fragments->datagrams[at];
	switch (piece_add(fragments, at, packet)) {
	case PIECE_DUPLICATE:
		return false;
	case PIECE_CONTRADICTS:
		fragments->stats.overlapping++;
		datagram_clear(fragments, at);
		return false;
	case PIECE_NO_ROOM:
		fragments->stats.evicted++;
		datagram_clear(fragments, at);
		return false;
	case PIECE_KEPT:
		break;
	}
	if (d->total == 0 || d->received != d->total)
		return false;
	bool decoded = datagram_decode(fragments, d, packet, ret_whole);
	fragments->stats.whole += decoded;
	datagram_clear(fragments, at);
	return decoded;
}

FragmentsStats fragments_stats(const Fragments *fragments)
{
	return fragments->stats;
}

size_t fragments_bytes(const Fragments *fragments)
{
	return fragments->bytes;
}

void fragments_free(Fragments *fragments)
{
	if (!fragments)
		return;
	while (fragments->used > 0)
		datagram_clear(fragments, fragments->used - 1);
	for (unsigned i = 0; i < FRAGMENTS_KEPT; i++)
		free(fragments->whole[i]);
	free(fragments);
}
