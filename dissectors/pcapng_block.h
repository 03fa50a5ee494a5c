/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of the pcapng format (draft-ietf-opsawg-pcapng): bytes to small structs. It keeps no state
 * of a file; which section and interface a block belongs to is the caller's business.
 */
#ifndef SLOWCOPY_DISSECTORS_PCAPNG_BLOCK_H
#define SLOWCOPY_DISSECTORS_PCAPNG_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/parse.h"

/* Block types. */
enum {
	PCAPNG_SECTION = 0x0a0d0d0a,
	PCAPNG_INTERFACE = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_NAMES = 4,
	PCAPNG_STATISTICS = 5,
	PCAPNG_ENHANCED_PACKET = 6,
	PCAPNG_JOURNAL = 9,
	PCAPNG_SECRETS = 10,
	PCAPNG_CUSTOM = 0x0bad,
	PCAPNG_CUSTOM_NO_COPY = 0x40000bad,
};

/* type, length, and the length again */
#define PCAPNG_BLOCK_OVERHEAD 12
/* A larger block is taken for damage: the largest packets (BIG TCP) have half a megabyte, and
 * lists of names or keys hardly ever several. */
#define PCAPNG_BLOCK_MAX (16u << 20)

/** PcapngBlock: one block whose lengths agree. */
typedef struct PcapngBlock {
	uint32_t type;
	uint32_t total_len; /* with both length fields, a multiple of 4 */
	bool is_big_endian;
	const uint8_t *body; /* behind type and length; borrowed */
	uint32_t body_len;
} PcapngBlock;

/** PcapngText: an option's text, of no known encoding but usually UTF-8. Borrowed; NULL when
 * absent. */
typedef struct PcapngText {
	const uint8_t *data;
	uint16_t len;
} PcapngText;

typedef struct PcapngSection {
	uint16_t major, minor;
	PcapngText comment;
} PcapngSection;

/** PcapngClock: how an interface counts time. */
typedef struct PcapngClock {
	uint8_t resolution; /* if_tsresol: 10^-n, or 2^-n with the top bit set */
	int64_t offset_s;   /* if_tsoffset, seconds to add */
} PcapngClock;

typedef struct PcapngInterface {
	uint16_t link_type; /* LINKTYPE_ value */
	uint32_t snaplen;   /* 0: no limit */
	PcapngClock clock;
	uint64_t speed_bps; /* if_speed, 0 when absent */
	PcapngText name, description;
} PcapngInterface;

typedef struct PcapngPacket {
	uint32_t interface; /* within the section */
	bool has_time;
	uint64_t time; /* in the interface's units */
	uint32_t caplen, wirelen;
	const uint8_t *data; /* caplen bytes, borrowed */
	uint32_t flags;      /* epb_flags, 0 when absent; the low two bits: 1 inbound, 2 outbound */
	uint64_t dropped;    /* packets lost just before this one; 0 when unknown */
	bool has_dropped;
	PcapngText comment; /* the first one */
} PcapngPacket;

typedef struct PcapngStatistics {
	uint32_t interface;
	bool has_dropped;
	uint64_t
		dropped; /* since the capture began: by the interface and by the operating system */
} PcapngStatistics;

/**
 * pcapng_block_parse: the block at @data, of which @have bytes are there.
 * @is_big_endian: byte order of the section; a section header brings its own and ignores it.
 * @ret_needed: set on PARSE_SHORT: bytes that must be there to know more, at least @have + 1.
 * PARSE_BAD when lengths contradict each other or exceed PCAPNG_BLOCK_MAX.
 */
ParseStatus pcapng_block_parse(
	const uint8_t *data, size_t have, bool is_big_endian, PcapngBlock *ret, size_t *ret_needed);

/** pcapng_section_parse: PARSE_UNKNOWN when the major version is not 1. */
ParseStatus pcapng_section_parse(const PcapngBlock *block, PcapngSection *ret);

/** pcapng_interface_parse: interface description; resolution is microseconds when not given. */
ParseStatus pcapng_interface_parse(const PcapngBlock *block, PcapngInterface *ret);

/**
 * pcapng_packet_parse: an enhanced, simple or old packet block.
 * @snaplen: of interface 0, which bounds what a simple packet block kept; 0 when unlimited.
 */
ParseStatus pcapng_packet_parse(const PcapngBlock *block, uint32_t snaplen, PcapngPacket *ret);

/** pcapng_statistics_parse: interface statistics. */
ParseStatus pcapng_statistics_parse(const PcapngBlock *block, PcapngStatistics *ret);

/** pcapng_time_ns: @time in nanoseconds since the epoch; clamped to less than 2^62 either way, so
 * that differences of two do not overflow. */
int64_t pcapng_time_ns(const PcapngClock *clock, uint64_t time);

#endif
