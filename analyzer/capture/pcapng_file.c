/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks the blocks of a pcapng file.
 */
#include "analyzer/capture/pcapng_file.h"

#include "analyzer/capture/resync.h"
#include "dissectors/cursor.h"
#include "dissectors/packet_fast.h"
#include "dissectors/pcapng_block.h"

/** Interface: one of the current section. */
typedef struct Interface {
	uint32_t link_type, snaplen;
	PcapngClock clock;
	uint64_t usual_end;    /* times before this are nanoseconds when multiplied by: */
	uint32_t usual_ns;     /* 10^n; usual_end is 0 where it is not that simple */
	uint16_t index;        /* in InputInfo.interfaces */
	uint64_t statistics;   /* packets the last statistics block said were dropped */
	uint64_t packet_drops; /* packets the packets' own counts said were dropped */
	uint64_t told;         /* of these, already in the facts */
} Interface;

struct PcapngFile {
	FileContext context;
	bool is_big_endian;
	GArray *interfaces;     /* Interface, of the section */
	uint32_t first_snaplen; /* of its first interface, which simple packets belong to */
	uint64_t frame;         /* number of the last one, as Wireshark counts */
	uint64_t packets;
	int64_t last_ns; /* stands in where a packet has no time of its own */
	bool ended;
};

static void pcapng_file_damage(PcapngFile *file, const char *sentence)
{
	facts_damage(file->context.facts, source_offset(file->context.source), sentence);
}

/* a block is damaged, but where the next one begins is known */
static void pcapng_file_pass(PcapngFile *file, const char *sentence)
{
	pcapng_file_damage(file, sentence);
	file->context.facts->info.resynchronised++;
}

static bool pcapng_file_section(PcapngFile *file, const PcapngBlock *block)
{
	PcapngSection section;
	ParseStatus status = pcapng_section_parse(block, &section);
	if (status != PARSE_OK) {
		pcapng_file_damage(
			file, status == PARSE_UNKNOWN
				      ? "a section has a version this program does not know"
				      : "a section header is too short");
		return false;
	}
	file->is_big_endian = block->is_big_endian;
	g_array_set_size(file->interfaces, 0);
	file->first_snaplen = 0;
	facts_add_comment(file->context.facts, section.comment.data, section.comment.len);
	return true;
}

/* counts of decimal parts of a second since 1970, which nearly all files have */
static void pcapng_file_usual_clock(Interface *interface)
{
	const PcapngClock *clock = &interface->clock;
	if (clock->resolution > 9 || clock->offset_s != 0) /* the top bit: binary parts */
		return;
	interface->usual_ns = 1;
	for (unsigned i = clock->resolution; i < 9; i++)
		interface->usual_ns *= 10;
	/* pcapng_time_ns() has to limit no time before this */
	interface->usual_end = (UINT64_C(1) << 62) / interface->usual_ns;
}

static void pcapng_file_interface(PcapngFile *file, const PcapngBlock *block)
{
	Facts *facts = file->context.facts;
	PcapngInterface parsed;
	if (pcapng_interface_parse(block, &parsed) != PARSE_OK) {
		pcapng_file_pass(file, "an interface description is too short");
		return;
	}
	const PcapngText *name = parsed.name.data ? &parsed.name : &parsed.description;
	int32_t index = facts_add_interface(facts, name->data, name->len);
	if (index < 0) {
		pcapng_file_pass(file, "it has more interfaces than this program keeps");
		return;
	}
	Interface interface = {.link_type = parsed.link_type,
		.snaplen = parsed.snaplen,
		.clock = parsed.clock,
		.index = (uint16_t)index};
	pcapng_file_usual_clock(&interface);
	if (file->interfaces->len == 0)
		file->first_snaplen = parsed.snaplen;
	g_array_append_val(file->interfaces, interface);
	facts_add_link_type(facts, parsed.link_type);
	facts->info.snaplen = MAX(facts->info.snaplen, parsed.snaplen);
	if (facts->info.if_speed_bps == 0)
		facts->info.if_speed_bps = parsed.speed_bps;
}

/* both kinds of count tell of the same packets, so the larger one is right */
static void pcapng_file_tell_drops(PcapngFile *file, Interface *interface)
{
	uint64_t known = MAX(interface->statistics, interface->packet_drops);
	facts_add_dropped(
		file->context.facts, known > interface->told ? known - interface->told : 0);
	interface->told = MAX(interface->told, known);
}

static void pcapng_file_statistics(PcapngFile *file, const PcapngBlock *block)
{
	PcapngStatistics statistics;
	if (pcapng_statistics_parse(block, &statistics) != PARSE_OK ||
		statistics.interface >= file->interfaces->len || !statistics.has_dropped)
		return;
	Interface *interface = &g_array_index(file->interfaces, Interface, statistics.interface);
	interface->statistics = statistics.dropped; /* since the capture began */
	pcapng_file_tell_drops(file, interface);
}

static void pcapng_file_packet_extras(
	PcapngFile *file, Interface *interface, const PcapngPacket *parsed)
{
	facts_add_comment(file->context.facts, parsed->comment.data, parsed->comment.len);
	if (!parsed->has_dropped)
		return;
	if (__builtin_add_overflow(
		    interface->packet_drops, parsed->dropped, &interface->packet_drops))
		interface->packet_drops = UINT64_MAX;
	pcapng_file_tell_drops(file, interface);
}

/* a packet block; whether @ret was filled */
static bool pcapng_file_packet(PcapngFile *file, const PcapngBlock *block, Packet *ret)
{
	PcapngPacket parsed;
	if (pcapng_packet_parse(block, file->first_snaplen, &parsed) != PARSE_OK) {
		pcapng_file_pass(file, "a packet is larger than the block that holds it");
		return false;
	}
	if (parsed.interface >= file->interfaces->len) {
		pcapng_file_pass(file, "a packet names an interface that was not described");
		return false;
	}
	Interface *interface = &g_array_index(file->interfaces, Interface, parsed.interface);
	file->frame++;
	file->packets++;
	if (parsed.has_time)
		file->last_ns = pcapng_time_ns(&interface->clock, parsed.time);
	if (parsed.comment.data || parsed.has_dropped)
		pcapng_file_packet_extras(file, interface, &parsed);
	uint32_t wirelen = MAX(parsed.wirelen, parsed.caplen);
	Filter *filter = file->context.filter;
	if (filter && !filter_matches(
			      filter, interface->link_type, parsed.data, parsed.caplen, wirelen)) {
		file->context.facts->filtered++;
		return false;
	}
	ret->ts_ns = file->last_ns;
	ret->frame = file->frame;
	ret->file_offset = source_offset(file->context.source);
	ret->wirelen = wirelen;
	ret->caplen = parsed.caplen;
	ret->input = file->context.input;
	ret->interface = interface->index;
	ret->link_type = interface->link_type;
	packet_decode(interface->link_type, parsed.data, parsed.caplen, wirelen, ret);
	/* 4.3 epb_flags, bits 0 and 1 */
	if ((parsed.flags & 3) == 1)
		ret->direction = PACKET_DIRECTION_IN;
	else if ((parsed.flags & 3) == 2)
		ret->direction = PACKET_DIRECTION_OUT;
	return true;
}

/* an enhanced packet block without options: 4.3, and 3.1 around it */
enum { PLAIN_HEADER_LEN = 28, PLAIN_OVERHEAD = PLAIN_HEADER_LEN + 4 };

/* The packets that lie in the window one behind the other in blocks without options, of a
 * little-endian section and interfaces with a usual clock, and are not filtered; all else takes the
 * general way, which would say the same of these. */
static size_t pcapng_file_run(PcapngFile *file, Packet *ret, size_t max)
{
	Source *source = file->context.source;
	const Interface *interfaces = (const Interface *)(const void *)file->interfaces->data;
	uint32_t interface_count = file->interfaces->len;
	uint16_t input = file->context.input;
	uint64_t offset = source_offset(source), frame = file->frame;
	size_t left, count = 0;
	const uint8_t *at = source_peek(source, &left), *window = at;
	if (file->is_big_endian || file->context.filter)
		return 0;
	while (count < max && left >= PLAIN_OVERHEAD &&
		cursor_load_le32(at) == PCAPNG_ENHANCED_PACKET) {
		uint32_t total_len = cursor_load_le32(at + 4), caplen = cursor_load_le32(at + 20);
		uint32_t index = cursor_load_le32(at + 8), wirelen = cursor_load_le32(at + 24);
		uint64_t time =
			(uint64_t)cursor_load_le32(at + 12) << 32 | cursor_load_le32(at + 16);
		if (caplen > PCAPNG_BLOCK_MAX - PLAIN_OVERHEAD ||
			total_len != PLAIN_OVERHEAD + ((caplen + 3) & ~3u) || left < total_len ||
			cursor_load_le32(at + total_len - 4) != total_len ||
			index >= interface_count || time >= interfaces[index].usual_end)
			break;
		const Interface *interface = &interfaces[index];
		Packet *packet = packet_plain(&ret[count++]);
		wirelen = MAX(wirelen, caplen);
		packet->ts_ns = (int64_t)(time * interface->usual_ns);
		packet->frame = ++frame;
		packet->file_offset = offset + (uint64_t)(at - window);
		packet->wirelen = wirelen;
		packet->caplen = caplen;
		packet->input = input;
		packet->interface = interface->index;
		packet->link_type = interface->link_type;
		packet_decode_here(
			interface->link_type, at + PLAIN_HEADER_LEN, caplen, wirelen, packet);
		at += total_len;
		left -= total_len;
	}
	if (count > 0)
		file->last_ns = ret[count - 1].ts_ns;
	file->frame = frame;
	file->packets += count;
	source_take(source, (size_t)(at - window));
	return count;
}

/* acts on one block; whether it gave a packet */
static bool pcapng_file_block(PcapngFile *file, const PcapngBlock *block, Packet *ret)
{
	switch (block->type) {
	case PCAPNG_ENHANCED_PACKET:
	case PCAPNG_SIMPLE_PACKET:
	case PCAPNG_OLD_PACKET:
		return pcapng_file_packet(file, block, ret);
	case PCAPNG_SECTION:
		file->ended = !pcapng_file_section(file, block);
		return false;
	case PCAPNG_INTERFACE:
		pcapng_file_interface(file, block);
		return false;
	case PCAPNG_STATISTICS:
		pcapng_file_statistics(file, block);
		return false;
	case PCAPNG_CUSTOM:
	case PCAPNG_CUSTOM_NO_COPY:
	case PCAPNG_JOURNAL:
		file->frame++; /* Wireshark gives these numbers too */
		return false;
	default:
		return false;
	}
}

/* the block at the place reached makes no sense: goes to the next one that does */
static bool pcapng_file_recover(PcapngFile *file, const char *sentence)
{
	Source *source = file->context.source;
	InputInfo *info = &file->context.facts->info;
	pcapng_file_damage(file, sentence);
	if (info->resynchronised >= RESYNC_LIMIT)
		return false;
	size_t have, found;
	const uint8_t *p = source_fill(source, RESYNC_SEARCH, &have);
	/* not the same block again */
	if (have < 1 ||
		!resync_pcapng(p + 1, have - 1, file->is_big_endian, have < RESYNC_SEARCH, &found))
		return false;
	source_take(source, found + 1);
	info->resynchronised++;
	return true;
}

/* the file ends inside a block, or its bytes cannot be had */
static void pcapng_file_end(PcapngFile *file, size_t have)
{
	const char *trouble = source_trouble(file->context.source);
	file->ended = true;
	if (source_is_stopped(file->context.source))
		return;
	if (trouble)
		pcapng_file_damage(file, trouble);
	else if (have > 0)
		pcapng_file_damage(file, "the file ends in the middle of a block");
}

/* a whole block in the window; false when packets were handed out and the window would have to
 * move, or the file has ended. @have: the bytes there. */
static bool pcapng_file_next(PcapngFile *file, bool may_read, PcapngBlock *ret)
{
	Source *source = file->context.source;
	while (!file->ended && !source_is_stopped(source)) {
		size_t have, needed;
		const uint8_t *p = source_peek(source, &have);
		ParseStatus status = pcapng_block_parse(p, have, file->is_big_endian, ret, &needed);
		if (status == PARSE_OK)
			return true;
		if (!may_read)
			return false;
		if (status == PARSE_BAD) {
			file->ended = !pcapng_file_recover(
				file, "a block's lengths contradict each other");
			continue;
		}
		(void)source_fill(source, needed, &have);
		if (have < needed)
			pcapng_file_end(file, have);
	}
	return false;
}

size_t pcapng_file_read(PcapngFile *file, Packet *ret, size_t max)
{
	Source *source = file->context.source;
	size_t count = 0;
	PcapngBlock block;
	while (count < max && !file->ended && !source_is_stopped(source)) {
		count += pcapng_file_run(file, &ret[count], max - count);
		if (count == max || !pcapng_file_next(file, count == 0, &block))
			break;
		count += pcapng_file_block(file, &block, &ret[count]);
		if (!file->ended)
			source_take(source, block.total_len);
	}
	file->context.facts->info.packets = file->packets;
	file->context.facts->info.bytes = source_offset(source);
	return count;
}

PcapngFile *pcapng_file_new(const FileContext *context, GError **error)
{
	PcapngFile *file = g_new0(PcapngFile, 1);
	file->context = *context;
	file->interfaces = g_array_new(FALSE, FALSE, sizeof(Interface));
	PcapngBlock block;
	if (!pcapng_file_next(file, true, &block) || block.type != PCAPNG_SECTION ||
		!pcapng_file_section(file, &block)) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s looks like a pcapng file, but its first section header is damaged or "
			"of an "
			"unknown version",
			context->facts->info.path);
		pcapng_file_free(file);
		return NULL;
	}
	source_take(context->source, block.total_len);
	facts_set_format(context->facts, "pcapng");
	return file;
}

void pcapng_file_free(PcapngFile *file)
{
	if (!file)
		return;
	g_array_unref(file->interfaces);
	g_free(file);
}
