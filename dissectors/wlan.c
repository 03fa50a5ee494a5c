/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IEEE 802.11-2016 9.2.4 (frame format), 9.2.4.5 (QoS control), 9.3.2 (data frames); radiotap.
 */
#include "dissectors/wlan.h"

#include "dissectors/frame.h"

/* second byte of frame control */
enum {
	WLAN_TO_DS = 0x01,
	WLAN_FROM_DS = 0x02,
	WLAN_PROTECTED = 0x40,
	WLAN_ORDER = 0x80,
};

/* subtype bits of data frames */
enum { WLAN_NO_DATA = 0x40, WLAN_QOS = 0x80 };

/* where the addresses stand: 9.3.2.1, table 9-26 */
static void wlan_macs(Packet *packet, const uint8_t *header, uint8_t flags)
{
	bool to_ds = flags & WLAN_TO_DS, from_ds = flags & WLAN_FROM_DS;
	memcpy(packet->dst_mac, header + (to_ds ? 16 : 4), 6);
	const uint8_t *src = header + 10;
	if (from_ds)
		src = header + (to_ds ? 24 : 16);
	memcpy(packet->src_mac, src, 6);
	packet->has_macs = true;
}

/* 9.3.2.2: the first subframe of an aggregate: addresses, length, then 802.2 */
static LayerNext wlan_aggregate(Layer *layer)
{
	const uint8_t *subframe = layer_take(layer, 14);
	if (!subframe)
		return LAYER_DONE;
	layer_limit(layer, cursor_load_be16(subframe + 12));
	return LAYER_LLC;
}

static LayerNext wlan_data(Layer *layer, bool is_padded)
{
	Packet *packet = layer->packet;
	const uint8_t *start = layer->at;
	if (layer->kept < 2)
		return layer_end(layer, layer->wire < 2 ? PACKET_MALFORMED : PACKET_CUT);
	uint8_t control = layer->at[0], flags = layer->at[1];
	if ((control & 0x0c) != 0x08) /* management or control */
		return layer_end(layer, PACKET_NOT_IP);
	bool has_four = (flags & WLAN_TO_DS) && (flags & WLAN_FROM_DS);
	const uint8_t *header = layer_take(layer, has_four ? 30 : 24);
	if (!header)
		return LAYER_DONE;
	wlan_macs(packet, header, flags);
	bool is_aggregate = false;
	if (control & WLAN_QOS) {
		const uint8_t *qos = layer_take(layer, 2);
		if (!qos)
			return LAYER_DONE;
		is_aggregate = qos[0] & 0x80;
		/* 9.2.4.6: HT control, announced by the order bit in QoS frames */
		if ((flags & WLAN_ORDER) && !layer_take(layer, 4))
			return LAYER_DONE;
	}
	if ((control & WLAN_NO_DATA) || (flags & WLAN_PROTECTED) || (header[22] & 0x0f) != 0)
		return layer_end(layer, PACKET_NOT_IP); /* empty, encrypted, a later fragment */
	uint32_t header_len = (uint32_t)(layer->at - start);
	if (is_padded && !layer_take(layer, (4 - header_len % 4) % 4))
		return LAYER_DONE;
	return is_aggregate ? wlan_aggregate(layer) : LAYER_LLC;
}

LayerNext wlan_layer(Layer *layer)
{
	return wlan_data(layer, false);
}

/* the flags field of a radiotap header, 0 when it has none. Fields stand in the order of the bits
 * in the first presence word, each aligned to its size; only the 8-byte clock precedes it. */
static uint8_t wlan_radiotap_flags(Cursor header)
{
	cursor_skip(&header, 4);
	uint32_t present = cursor_le32(&header);
	for (uint32_t more = present; (more >> 31) && !header.bad;)
		more = cursor_le32(&header);
	if (present & 1) { /* clock */
		cursor_skip(&header, (8 - header.pos % 8) % 8);
		cursor_skip(&header, 8);
	}
	return present & 2 ? cursor_u8(&header) : 0;
}

LayerNext wlan_radiotap(Layer *layer)
{
	if (layer->kept < 4)
		return layer_end(layer, layer->wire < 4 ? PACKET_MALFORMED : PACKET_CUT);
	uint32_t len = cursor_load_le16(layer->at + 2);
	if (layer->at[0] != 0 || len < 8)
		return layer_end(layer, PACKET_MALFORMED);
	const uint8_t *header = layer_take(layer, len);
	if (!header)
		return LAYER_DONE;
	uint8_t flags = wlan_radiotap_flags(cursor_over(header, len));
	if ((flags & 0x10) && layer->wire >= 4) /* the frame check sequence was kept */
		layer_limit(layer, layer->wire - 4);
	return wlan_data(layer, flags & 0x20); /* padding between header and data */
}

LayerNext wlan_avs(Layer *layer)
{
	if (layer->kept < 8)
		return layer_end(layer, layer->wire < 8 ? PACKET_MALFORMED : PACKET_CUT);
	uint32_t len = cursor_load_be32(layer->at + 4);
	if (len < 8)
		return layer_end(layer, PACKET_MALFORMED);
	return layer_take(layer, len) ? LAYER_WLAN : LAYER_DONE;
}

LayerNext wlan_prism(Layer *layer)
{
	/* "The header is 144 bytes" (www.tcpdump.org/linktypes.html); drivers wrote AVS here too,
	 * whose cookie is 0x80211001 or 0x80211002 */
	if (layer->kept >= 4 && (cursor_load_be32(layer->at) & 0xfffffff0) == 0x80211000)
		return wlan_avs(layer);
	return layer_take(layer, 144) ? LAYER_WLAN : LAYER_DONE;
}
