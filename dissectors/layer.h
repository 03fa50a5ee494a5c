/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How packet_decode peels a frame: one layer after the other, each parser consuming its header and
 * naming the next. Shared by frame.c, serial.c, wlan.c, tunnel.c, ip.c and tcp.c;
 * nothing else needs it.
 */
#ifndef SLOWCOPY_DISSECTORS_LAYER_H
#define SLOWCOPY_DISSECTORS_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/cursor.h"
#include "dissectors/packet.h"

/** LayerNext: which parser goes on where the last one stopped. */
typedef enum LayerNext {
	LAYER_DONE,      /* the packet's kind is set */
	LAYER_ETHERNET,  /* destination and source address, type or length */
	LAYER_ETHERTYPE, /* what layer->type, an EtherType, says */
	LAYER_LLC,       /* IEEE 802.2 */
	LAYER_PPP,       /* PPP, from the address byte or the protocol field on */
	LAYER_IP,        /* IPv4 or IPv6, by the version nibble */
	LAYER_TRANSPORT, /* what layer->type, an IP protocol number, says */
	LAYER_WLAN,      /* IEEE 802.11 without a radio header */
} LayerNext;

/** Layer: the place reached in the frame. */
typedef struct Layer {
	const uint8_t *at; /* first byte not yet consumed, never NULL */
	uint32_t kept;     /* bytes of the capture from there on */
	uint32_t wire;     /* bytes on the wire from there on; at least kept */
	uint32_t type;     /* EtherType, PPP or IP protocol of what comes next */
	bool is_limited;   /* a header said that the packet ends before the frame does */
	Packet *packet;    /* being filled */
} Layer;

/**
 * layer_take: consumes @n bytes and returns where they were. NULL when they are not there: then the
 * packet's kind is PACKET_CUT (the capture did not keep them) or PACKET_MALFORMED (nor did the wire
 * carry them), and the parser answers LAYER_DONE.
 */
static inline const uint8_t *layer_take(Layer *layer, uint32_t n)
{
	if (n > layer->kept) {
		layer->packet->kind = n > layer->wire ? PACKET_MALFORMED : PACKET_CUT;
		return NULL;
	}
	const uint8_t *p = layer->at;
	layer->at += n;
	layer->kept -= n;
	layer->wire -= n;
	return p;
}

/** layer_limit: nothing after @n bytes from here belongs to the packet: padding, checksums. */
static inline void layer_limit(Layer *layer, uint32_t n)
{
	if (layer->wire > n) {
		layer->wire = n;
		layer->is_limited = true;
	}
	if (layer->kept > n)
		layer->kept = n;
}

/** layer_end: sets the packet's kind and answers LAYER_DONE. */
static inline LayerNext layer_end(Layer *layer, PacketKind kind)
{
	layer->packet->kind = (uint8_t)kind;
	return LAYER_DONE;
}

/** layer_payload: what is left is the payload. */
static inline void layer_payload(Layer *layer)
{
	layer->packet->payload = layer->at;
	layer->packet->payload_len = layer->wire;
	layer->packet->payload_caplen = layer->kept;
}

/**
 * layer_decode: the general way of packet_decode(), for every frame; packet_decode() itself takes a
 * shortcut for the usual one. Same contract, and @ret has been cleared.
 */
void layer_decode(
	uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen, Packet *ret);

/** layer_run: goes on from @layer with @next until the packet's kind is known. */
void layer_run(Layer *layer, LayerNext next);

/** layer_clear: every field that packet_decode sets, to nothing; the payload is empty, at @data. */
void layer_clear(Packet *ret, const uint8_t *data);

#endif
