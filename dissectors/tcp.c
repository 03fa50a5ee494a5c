/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP header and options: RFC 9293 3.1, RFC 7323 (scale, timestamps), RFC 2018 (SACK).
 */
#include "dissectors/tcp.h"

/* IANA "TCP Option Kind Numbers" */
enum {
	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_MSS = 2,
	OPTION_WINDOW_SCALE = 3,
	OPTION_SACK_PERMITTED = 4,
	OPTION_SACK = 5,
	OPTION_TIMESTAMPS = 8,
};

static void tcp_sack(Cursor blocks, Packet *packet)
{
	packet->sack_count = 0;
	while (cursor_left(&blocks) >= 8 && packet->sack_count < 4) {
		TcpSackBlock *block = &packet->sack[packet->sack_count++];
		block->left = cursor_be32(&blocks);
		block->right = cursor_be32(&blocks);
	}
}

static void tcp_option(uint8_t kind, Cursor body, Packet *packet)
{
	bool is_syn = packet->tcp_flags & TCP_SYN;
	size_t len = cursor_left(&body);
	if (kind == OPTION_TIMESTAMPS && len == 8) {
		packet->has_timestamps = true;
		packet->tsval = cursor_be32(&body);
		packet->tsecr = cursor_be32(&body);
	} else if (kind == OPTION_SACK && len % 8 == 0) {
		tcp_sack(body, packet);
	} else if (kind == OPTION_MSS && len == 2 && is_syn) {
		packet->mss = cursor_be16(&body);
	} else if (kind == OPTION_WINDOW_SCALE && len == 1 && is_syn) {
		packet->has_window_scale = true;
		packet->window_scale = cursor_u8(&body);
	} else if (kind == OPTION_SACK_PERMITTED && len == 0 && is_syn) {
		packet->sack_permitted = true;
	}
}

void tcp_options(Cursor options, Packet *packet)
{
	while (cursor_left(&options) > 0) {
		uint8_t kind = cursor_u8(&options);
		if (kind == OPTION_END)
			return;
		if (kind == OPTION_NOP)
			continue;
		uint8_t len = cursor_u8(&options);
		if (len < 2)
			return;
		Cursor body = cursor_sub(&options, len - 2u);
		if (options.bad)
			return;
		tcp_option(kind, body, packet);
	}
}

LayerNext tcp_layer(Layer *layer)
{
	Packet *packet = layer->packet;
	const uint8_t *tcp = layer_take(layer, 20);
	if (!tcp)
		return LAYER_DONE;
	uint32_t header_len = (tcp[12] >> 4) * 4u;
	if (header_len < 20 || header_len - 20 > layer->wire)
		return layer_end(layer, PACKET_MALFORMED);
	packet->kind = PACKET_TCP;
	packet->src_port = cursor_load_be16(tcp);
	packet->dst_port = cursor_load_be16(tcp + 2);
	packet->seq = cursor_load_be32(tcp + 4);
	packet->ack = cursor_load_be32(tcp + 8);
	packet->tcp_flags = tcp[13];
	packet->window = cursor_load_be16(tcp + 14);
	packet->checksum = cursor_load_be16(tcp + 16);
	packet->tcp_header_len = (uint16_t)header_len;

	uint32_t options_len = header_len - 20;
	uint32_t options_kept = options_len < layer->kept ? options_len : layer->kept;
	packet->options_cut = options_kept < options_len;
	tcp_options(cursor_over(layer->at, options_kept), packet);
	layer->at += options_kept;
	layer->kept -= options_kept;
	layer->wire -= options_len;
	layer_payload(layer);
	return LAYER_DONE;
}
