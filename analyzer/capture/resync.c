/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for plausible records behind damage. One record could be chance; a chain is not.
 */
#include "analyzer/capture/resync.h"

#include "dissectors/cursor.h"
#include "dissectors/pcapng_block.h"

/* records that must follow each other */
#define RESYNC_CHAIN 3
/* a record's time is at most this far from the one before the damage */
#define RESYNC_NEAR_NS ((int64_t)7 * 86400 * 1000000000)

/* whether a record header stands at @p; its captured length in @ret_caplen */
static bool resync_record(const ResyncPcap *known, const uint8_t *p, uint32_t *ret_caplen)
{
	const PcapLayout *layout = known->layout;
	PcapRecord record = pcap_record_parse(layout, p);
	uint32_t caplen = record.caplen, wirelen = record.wirelen;
	if (caplen == 0 || caplen > PCAP_RECORD_MAX || caplen > wirelen ||
		wirelen > PCAP_RECORD_MAX)
		return false;
	if (layout->snaplen != 0 && caplen < wirelen && caplen > layout->snaplen)
		return false;
	if (record.fraction >= (layout->is_nanoseconds ? 1000000000u : 1000000u))
		return false;
	int64_t ns = (int64_t)record.seconds * 1000000000;
	if (known->last_ns != 0 &&
		(ns < known->last_ns - RESYNC_NEAR_NS || ns > known->last_ns + RESYNC_NEAR_NS))
		return false;
	*ret_caplen = caplen;
	return true;
}

static bool resync_chain(const ResyncPcap *known, const uint8_t *data, size_t len, size_t at)
{
	size_t header_len = known->layout->record_header_len;
	for (int i = 0; i < RESYNC_CHAIN; i++) {
		uint32_t caplen;
		if (at == len && i > 0)
			return known->at_end;
		if (len - at < header_len)
			return i > 0 && known->at_end;
		if (!resync_record(known, data + at, &caplen))
			return false;
		/* the last record may be cut, if others came before it */
		if (caplen > len - at - header_len)
			return i > 0;
		at += header_len + caplen;
	}
	return true;
}

bool resync_pcap(const ResyncPcap *known, const uint8_t *data, size_t len, size_t *ret_offset)
{
	for (size_t at = 0; at < len; at++) {
		if (resync_chain(known, data, len, at)) {
			*ret_offset = at;
			return true;
		}
	}
	return false;
}

bool resync_has_other_records(const PcapLayout *layout, const uint8_t *data, size_t len)
{
	/* header lengths in use: pcap's own, with a packet type (Nokia), with an interface and a
	 * protocol (Linux distributions of 1999) */
	static const uint32_t lengths[] = {16, 20, 24, 28};
	PcapLayout other = *layout;
	ResyncPcap known = {.layout = &other, .at_end = true};
	if (resync_chain(
		    &(ResyncPcap){.layout = layout, .at_end = true}, data, len, PCAP_HEADER_LEN))
		return false;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		other.record_header_len = lengths[i];
		if (resync_chain(&known, data, len, PCAP_HEADER_LEN))
			return true;
	}
	return false;
}

static bool resync_is_known(uint32_t type)
{
	switch (type) {
	case PCAPNG_SECTION:
	case PCAPNG_INTERFACE:
	case PCAPNG_OLD_PACKET:
	case PCAPNG_SIMPLE_PACKET:
	case PCAPNG_NAMES:
	case PCAPNG_STATISTICS:
	case PCAPNG_ENHANCED_PACKET:
	case PCAPNG_JOURNAL:
	case PCAPNG_SECRETS:
	case PCAPNG_CUSTOM:
	case PCAPNG_CUSTOM_NO_COPY:
		return true;
	default:
		return false;
	}
}

/* whether a known block begins at @at; its length in @ret_len, its byte order in @order */
static bool resync_block(
	const uint8_t *data, size_t len, size_t at, bool *order, size_t *ret_len, bool *ret_whole)
{
	PcapngBlock block;
	size_t needed;
	if (len - at < PCAPNG_BLOCK_OVERHEAD)
		return false;
	uint32_t type = *order ? cursor_load_be32(data + at) : cursor_load_le32(data + at);
	if (!resync_is_known(type))
		return false;
	ParseStatus status = pcapng_block_parse(data + at, len - at, *order, &block, &needed);
	if (status != PARSE_OK && status != PARSE_SHORT)
		return false;
	*ret_whole = status == PARSE_OK;
	*ret_len = needed;
	if (status == PARSE_OK)
		*order = block.is_big_endian;
	return true;
}

bool resync_pcapng(
	const uint8_t *data, size_t len, bool is_big_endian, bool at_end, size_t *ret_offset)
{
	for (size_t at = 0; at < len; at++) {
		bool order = is_big_endian, is_whole;
		size_t block_len, next_len;
		if (!resync_block(data, len, at, &order, &block_len, &is_whole) || !is_whole)
			continue;
		size_t next = at + block_len;
		bool ends_here = at_end && len - next < PCAPNG_BLOCK_OVERHEAD;
		if (ends_here || resync_block(data, len, next, &order, &next_len, &is_whole)) {
			*ret_offset = at;
			return true;
		}
	}
	return false;
}
