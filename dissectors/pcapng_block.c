/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of the pcapng format. Section numbers are those of draft-ietf-opsawg-pcapng-02.
 */
#include "dissectors/pcapng_block.h"

#include "dissectors/cursor.h"

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
/* +-146 years around 1970: more than captures need, and differences stay within 64 bits */
#define TIME_LIMIT_NS (((int64_t)1 << 62) - 1)

static uint16_t order16(const uint8_t *p, bool is_big_endian)
{
	return is_big_endian ? cursor_load_be16(p) : cursor_load_le16(p);
}

static uint32_t order32(const uint8_t *p, bool is_big_endian)
{
	return is_big_endian ? cursor_load_be32(p) : cursor_load_le32(p);
}

static uint64_t order64(const uint8_t *p, bool is_big_endian)
{
	uint64_t first = order32(p, is_big_endian), second = order32(p + 4, is_big_endian);
	return is_big_endian ? first << 32 | second : second << 32 | first;
}

/* 3.1 General Block Structure */
ParseStatus pcapng_block_parse(
	const uint8_t *data, size_t have, bool is_big_endian, PcapngBlock *ret, size_t *ret_needed)
{
	*ret_needed = PCAPNG_BLOCK_OVERHEAD;
	if (have < PCAPNG_BLOCK_OVERHEAD)
		return PARSE_SHORT;
	uint32_t type = order32(data, is_big_endian);
	if (type == PCAPNG_SECTION) { /* reads the same in both orders */
		if (cursor_load_be32(data + 8) == BYTE_ORDER_MAGIC)
			is_big_endian = true;
		else if (cursor_load_le32(data + 8) == BYTE_ORDER_MAGIC)
			is_big_endian = false;
		else
			return PARSE_BAD;
	}
	uint32_t total_len = order32(data + 4, is_big_endian);
	if (total_len < PCAPNG_BLOCK_OVERHEAD || total_len > PCAPNG_BLOCK_MAX)
		return PARSE_BAD;
	/* some writers forget the padding in the length but not in the file */
	uint32_t padded_len = (total_len + 3) & ~3u;
	*ret_needed = padded_len;
	if (have < padded_len)
		return PARSE_SHORT;
	if (order32(data + padded_len - 4, is_big_endian) != total_len)
		return PARSE_BAD;
	ret->type = type;
	ret->total_len = padded_len;
	ret->is_big_endian = is_big_endian;
	ret->body = data + 8;
	ret->body_len = padded_len - PCAPNG_BLOCK_OVERHEAD;
	return PARSE_OK;
}

/** Option: 3.5 Options; code 0 ends the list. */
typedef struct Option {
	uint16_t code, len;
	const uint8_t *value;
} Option;

static bool option_next(Cursor *c, bool is_big_endian, Option *ret)
{
	if (cursor_left(c) < 4)
		return false;
	const uint8_t *head = cursor_take(c, 4);
	ret->code = order16(head, is_big_endian);
	ret->len = order16(head + 2, is_big_endian);
	ret->value = cursor_take(c, ret->len);
	if (!ret->value || ret->code == 0)
		return false;
	size_t padding = (4u - ret->len % 4u) % 4u;
	cursor_skip(c, padding < cursor_left(c) ? padding : cursor_left(c));
	return true;
}

static void option_text(const Option *option, PcapngText *text)
{
	if (text->data)
		return;
	text->data = option->value;
	text->len = option->len;
}

static Cursor block_options(const PcapngBlock *block, size_t fixed_len)
{
	return cursor_over(block->body + fixed_len, block->body_len - fixed_len);
}

/* 4.1 Section Header Block */
ParseStatus pcapng_section_parse(const PcapngBlock *block, PcapngSection *ret)
{
	if (block->body_len < 16)
		return PARSE_BAD;
	PcapngSection section = {.major = order16(block->body + 4, block->is_big_endian),
		.minor = order16(block->body + 6, block->is_big_endian)};
	if (section.major != 1)
		return PARSE_UNKNOWN;
	Cursor options = block_options(block, 16);
	for (Option o; option_next(&options, block->is_big_endian, &o);) {
		if (o.code == 1)
			option_text(&o, &section.comment);
	}
	*ret = section;
	return PARSE_OK;
}

/* 4.2 Interface Description Block */
ParseStatus pcapng_interface_parse(const PcapngBlock *block, PcapngInterface *ret)
{
	if (block->body_len < 8)
		return PARSE_BAD;
	bool order = block->is_big_endian;
	PcapngInterface interface = {.link_type = order16(block->body, order),
		.snaplen = order32(block->body + 4, order),
		.clock = {.resolution = 6}};
	Cursor options = block_options(block, 8);
	for (Option o; option_next(&options, order, &o);) {
		if (o.code == 2)
			option_text(&o, &interface.name);
		else if (o.code == 3)
			option_text(&o, &interface.description);
		else if (o.code == 8 && o.len == 8)
			interface.speed_bps = order64(o.value, order);
		else if (o.code == 9 && o.len == 1)
			interface.clock.resolution = o.value[0];
		else if (o.code == 14 && o.len == 8)
			interface.clock.offset_s = (int64_t)order64(o.value, order);
	}
	*ret = interface;
	return PARSE_OK;
}

static void packet_options(const PcapngBlock *block, size_t from, PcapngPacket *packet)
{
	bool order = block->is_big_endian;
	Cursor options = block_options(block, from);
	for (Option o; option_next(&options, order, &o);) {
		if (o.code == 1) {
			option_text(&o, &packet->comment);
		} else if (o.code == 2 && o.len == 4) {
			packet->flags = order32(o.value, order);
		} else if (o.code == 4 && o.len == 8 && block->type == PCAPNG_ENHANCED_PACKET) {
			packet->dropped = order64(o.value, order);
			packet->has_dropped = true;
		}
	}
}

/* 4.3 Enhanced Packet Block; appendix A: the obsolete Packet Block has the same layout but for a
 * 16-bit interface and a drop count in its first four bytes */
static ParseStatus packet_full(const PcapngBlock *block, PcapngPacket *ret)
{
	if (block->body_len < 20)
		return PARSE_BAD;
	bool order = block->is_big_endian;
	const uint8_t *body = block->body;
	uint32_t caplen = order32(body + 12, order);
	if (caplen > block->body_len - 20)
		return PARSE_BAD;
	*ret = (PcapngPacket){.interface = order32(body, order),
		.has_time = true,
		.time = (uint64_t)order32(body + 4, order) << 32 | order32(body + 8, order),
		.caplen = caplen,
		.wirelen = order32(body + 16, order),
		.data = body + 20};
	if (block->type == PCAPNG_OLD_PACKET) {
		ret->interface = order16(body, order);
		ret->dropped = order16(body + 2, order);
		ret->has_dropped = ret->dropped != 0xffff; /* not known */
		if (!ret->has_dropped)
			ret->dropped = 0;
	}
	size_t options_at = 20 + (((size_t)caplen + 3) & ~(size_t)3);
	if (options_at < block->body_len)
		packet_options(block, options_at, ret);
	return PARSE_OK;
}

/* 4.4 Simple Packet Block */
static ParseStatus packet_simple(const PcapngBlock *block, uint32_t snaplen, PcapngPacket *ret)
{
	if (block->body_len < 4)
		return PARSE_BAD;
	uint32_t wirelen = order32(block->body, block->is_big_endian);
	uint32_t caplen = snaplen != 0 && snaplen < wirelen ? snaplen : wirelen;
	if (caplen > block->body_len - 4)
		return PARSE_BAD;
	*ret = (PcapngPacket){.caplen = caplen, .wirelen = wirelen, .data = block->body + 4};
	return PARSE_OK;
}

ParseStatus pcapng_packet_parse(const PcapngBlock *block, uint32_t snaplen, PcapngPacket *ret)
{
	if (block->type == PCAPNG_ENHANCED_PACKET || block->type == PCAPNG_OLD_PACKET)
		return packet_full(block, ret);
	if (block->type == PCAPNG_SIMPLE_PACKET)
		return packet_simple(block, snaplen, ret);
	return PARSE_UNKNOWN;
}

/* 4.6 Interface Statistics Block */
ParseStatus pcapng_statistics_parse(const PcapngBlock *block, PcapngStatistics *ret)
{
	if (block->body_len < 12)
		return PARSE_BAD;
	bool order = block->is_big_endian;
	PcapngStatistics statistics = {.interface = order32(block->body, order)};
	Cursor options = block_options(block, 12);
	for (Option o; option_next(&options, order, &o);) {
		/* isb_ifdrop, isb_osdrop */
		if ((o.code != 5 && o.code != 7) || o.len != 8)
			continue;
		statistics.has_dropped = true;
		if (__builtin_add_overflow(
			    statistics.dropped, order64(o.value, order), &statistics.dropped))
			statistics.dropped = UINT64_MAX;
	}
	*ret = statistics;
	return PARSE_OK;
}

static int64_t time_clamp(__int128 ns)
{
	if (ns > TIME_LIMIT_NS)
		return TIME_LIMIT_NS;
	if (ns < -TIME_LIMIT_NS)
		return -TIME_LIMIT_NS;
	return (int64_t)ns;
}

int64_t pcapng_time_ns(const PcapngClock *clock, uint64_t time)
{
	/* 4.2 if_tsresol */
	static const uint64_t power[] = {
		1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
	unsigned exponent = clock->resolution & 0x7f;
	__int128 ns;
	if (clock->resolution & 0x80) {
		uint64_t seconds = exponent < 64 ? time >> exponent : 0;
		uint64_t rest = exponent < 64 ? time - (seconds << exponent) : time;
		ns = (__int128)seconds * 1000000000;
		/* beyond 2^-94 even the largest 64-bit count is less than a nanosecond */
		if (exponent < 95)
			ns += (__int128)rest * 1000000000 >> exponent;
	} else if (exponent <= 9) {
		/* counts that large are negative ones: times before 1970, or relative to something
		 */
		ns = (__int128)(int64_t)time * (int64_t)power[exponent];
	} else {
		uint64_t left = time;
		for (unsigned i = exponent; i > 9 && left > 0; i--)
			left /= 10;
		ns = left;
	}
	return time_clamp(ns + (__int128)clock->offset_s * 1000000000);
}
