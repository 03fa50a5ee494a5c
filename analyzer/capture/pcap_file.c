/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks the records of a classic pcap file where they lie, in the source's window. libpcap would
 * copy each of them twice and cost more than all that is concluded from them
 * (docs/architecture.md); it stays in charge of live capture and of filters.
 */
#include "analyzer/capture/pcap_file.h"

#include <string.h>

#include "analyzer/capture/resync.h"
#include "dissectors/packet_fast.h"

/* versions of the file format: the one in use since 1998, and what DG/UX writes */
#define PCAP_VERSION_MAJOR 2
#define PCAP_VERSION_MINOR 4
#define PCAP_VERSION_DGUX 543

struct PcapFile {
	FileContext context;
	PcapLayout layout;
	int64_t last_ns;
	uint64_t frame;
	bool ended;
};

static uint16_t pcap_load16(const PcapLayout *layout, const uint8_t *p)
{
	return layout->is_big_endian ? cursor_load_be16(p) : cursor_load_le16(p);
}

/* as libpcap knows them: versions before 2.3 wrote the lengths the other way round, 2.3 was written
 * both ways */
static PcapLengths pcap_lengths(uint16_t major, uint16_t minor)
{
	if (major == PCAP_VERSION_DGUX || minor < PCAP_VERSION_MINOR - 1)
		return PCAP_LENGTHS_SWAPPED;
	return minor < PCAP_VERSION_MINOR ? PCAP_LENGTHS_EITHER : PCAP_LENGTHS_ORDERLY;
}

bool pcap_layout_parse(const uint8_t *head, PcapLayout *ret)
{
	/* pcap-savefile(5); Kuznetzov's patched libpcap had longer record headers */
	static const struct {
		uint32_t magic, record_header_len;
		bool is_nanoseconds;
	} known[] = {
		{0xa1b2c3d4, 16, false},
		{0xa1b23c4d, 16, true},
		{0xa1b2cd34, 24, false},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		bool is_big_endian = cursor_load_be32(head) == known[i].magic;
		if (!is_big_endian && cursor_load_le32(head) != known[i].magic)
			continue;
		*ret = (PcapLayout){.is_big_endian = is_big_endian,
			.is_nanoseconds = known[i].is_nanoseconds,
			.record_header_len = known[i].record_header_len};
		ret->version = pcap_load16(ret, head + 4);
		ret->lengths = pcap_lengths(ret->version, pcap_load16(ret, head + 6));
		ret->snaplen = pcap_record_word(ret, head + 16);
		/* the upper bits say whether frames end in a check sequence */
		ret->link_type = pcap_record_word(ret, head + 20) & 0xffff;
		return true;
	}
	return false;
}

/* the file header at the source's place; the reason when it is none, else NULL */
static const char *pcap_file_header(PcapFile *file)
{
	size_t have;
	const uint8_t *head = source_fill(file->context.source, PCAP_HEADER_LEN, &have);
	if (have < PCAP_HEADER_LEN)
		return "it ends in its header";
	if (!pcap_layout_parse(head, &file->layout))
		return "its first bytes are of no kind of pcap file";
	if (file->layout.version != PCAP_VERSION_MAJOR && file->layout.version != PCAP_VERSION_DGUX)
		return "it is of a version that this program does not know";
	source_take(file->context.source, PCAP_HEADER_LEN);
	return NULL;
}

PcapFile *pcap_file_new(const FileContext *context, GError **error)
{
	PcapFile *file = g_new0(PcapFile, 1);
	file->context = *context;
	const char *refusal = pcap_file_header(file);
	if (refusal) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s looks like a pcap file, but cannot be read: %s",
			context->facts->info.path, refusal);
		pcap_file_free(file);
		return NULL;
	}
	facts_set_format(context->facts, "pcap");
	facts_add_link_type(context->facts, file->layout.link_type);
	context->facts->info.snaplen = file->layout.snaplen;
	return file;
}

/* notes the damage at the record reached and goes to what makes sense behind it; false when nothing
 * does */
static bool pcap_file_recover(PcapFile *file, const char *sentence)
{
	Source *source = file->context.source;
	InputInfo *info = &file->context.facts->info;
	facts_damage(file->context.facts, source_offset(source), sentence);
	if (info->resynchronised >= RESYNC_LIMIT)
		return false;
	size_t have, found, header_len = file->layout.record_header_len;
	(void)source_fill(source, header_len, &have);
	if (have < header_len)
		return false;
	source_take(source, header_len); /* not the same record again */
	const uint8_t *p = source_fill(source, RESYNC_SEARCH, &have);
	ResyncPcap known = {
		.layout = &file->layout, .last_ns = file->last_ns, .at_end = have < RESYNC_SEARCH};
	if (!resync_pcap(&known, p, have, &found))
		return false;
	source_take(source, found);
	info->resynchronised++;
	return true;
}

/* the file ends inside a record, or its bytes cannot be had; whether there is more to read */
static bool pcap_file_goes_on(PcapFile *file, size_t have)
{
	Source *source = file->context.source;
	const char *trouble = source_trouble(source);
	if (source_is_stopped(source))
		return false; /* what is unfinished is not damaged */
	if (have > 0)
		return pcap_file_recover(
			file, trouble ? trouble : "the file ends in the middle of a packet");
	if (trouble)
		facts_damage(file->context.facts, source_offset(source), trouble);
	return false;
}

static inline bool pcap_record_is_zero_fill(const PcapRecord *record)
{
	/* space that was reserved and never written, not packets */
	return record->wirelen == 0 && record->caplen == 0 && record->seconds == 0;
}

static inline bool pcap_record_is_plausible(const PcapRecord *record)
{
	return record->caplen <= PCAP_RECORD_MAX && !pcap_record_is_zero_fill(record);
}

/* brings a whole record into the window, which may move; false at the end of the file */
static bool pcap_file_next(PcapFile *file)
{
	Source *source = file->context.source;
	size_t header_len = file->layout.record_header_len;
	while (!file->ended && !source_is_stopped(source)) {
		size_t have, needed = header_len;
		const uint8_t *p = source_peek(source, &have);
		if (have >= header_len) {
			PcapRecord record = pcap_record_parse(&file->layout, p);
			needed += record.caplen;
			if (!pcap_record_is_plausible(&record)) {
				const char *sentence = pcap_record_is_zero_fill(&record)
							       ? "zeros stand where a record should"
							       : "a record's header makes no sense";
				file->ended = !pcap_file_recover(file, sentence);
				continue;
			}
			if (have >= needed)
				return true;
		}
		(void)source_fill(source, needed, &have);
		if (have < needed)
			file->ended = !pcap_file_goes_on(file, have);
	}
	return false;
}

/** Run: what holds for all records of a call. */
typedef struct Run {
	PcapLayout layout;
	Filter *filter; /* may be NULL */
	Packet *ret;
	size_t max;
} Run;

/* the whole records that lie in the window one behind the other; inlined where much of @run is
 * known */
__attribute__((always_inline)) static inline size_t pcap_file_run(PcapFile *file, const Run *run)
{
	Source *source = file->context.source;
	size_t left, count = 0, header_len = run->layout.record_header_len;
	const uint8_t *at = source_peek(source, &left), *window = at;
	uint64_t offset = source_offset(source), frame = file->frame;
	int64_t fraction_ns = run->layout.is_nanoseconds ? 1 : 1000;
	uint32_t link_type = run->layout.link_type;
	uint16_t input = file->context.input;
	while (count < run->max && left >= header_len) {
		const uint8_t *data = at + header_len;
		PcapRecord record = pcap_record_parse(&run->layout, at);
		/* one comparison for all but empty records */
		bool is_usual = record.caplen - 1 < PCAP_RECORD_MAX;
		if ((!is_usual && !pcap_record_is_plausible(&record)) ||
			left - header_len < record.caplen)
			break;
		uint32_t wirelen = MAX(record.wirelen, record.caplen);
		uint64_t record_offset = offset + (uint64_t)(at - window);
		at += header_len + record.caplen;
		left -= header_len + record.caplen;
		frame++;
		if (run->filter &&
			!filter_matches(run->filter, link_type, data, record.caplen, wirelen)) {
			file->context.facts->filtered++;
			continue;
		}
		Packet *packet = packet_plain(&run->ret[count++]);
		packet->ts_ns =
			(int64_t)record.seconds * 1000000000 + record.fraction * fraction_ns;
		packet->frame = frame;
		packet->file_offset = record_offset;
		packet->wirelen = wirelen;
		packet->caplen = record.caplen;
		packet->input = input;
		packet->interface = 0;
		packet->link_type = link_type;
		packet_decode_here(link_type, data, record.caplen, wirelen, packet);
	}
	if (count > 0)
		file->last_ns = run->ret[count - 1].ts_ns;
	file->frame = frame;
	source_take(source, (size_t)(at - window));
	return count;
}

/* what nearly all files are: told apart once, not for every record */
static bool pcap_file_is_usual(const PcapFile *file)
{
	const PcapLayout *layout = &file->layout;
	return layout->link_type == LINKTYPE_ETHERNET && !layout->is_big_endian &&
	       layout->lengths == PCAP_LENGTHS_ORDERLY &&
	       layout->record_header_len == PCAP_RECORD_HEADER_LEN && !file->context.filter;
}

__attribute__((noinline)) static size_t pcap_file_run_usual(PcapFile *file, Packet *ret, size_t max)
{
	Run run = {.layout = file->layout, .ret = ret, .max = max};
	run.layout.link_type = LINKTYPE_ETHERNET;
	run.layout.is_big_endian = false;
	run.layout.lengths = PCAP_LENGTHS_ORDERLY;
	run.layout.record_header_len = PCAP_RECORD_HEADER_LEN;
	return pcap_file_run(file, &run);
}

__attribute__((noinline)) static size_t pcap_file_run_any(PcapFile *file, Packet *ret, size_t max)
{
	Run run = {.layout = file->layout, .filter = file->context.filter, .ret = ret, .max = max};
	return pcap_file_run(file, &run);
}

size_t pcap_file_read(PcapFile *file, Packet *ret, size_t max)
{
	size_t count = 0;
	bool is_usual = pcap_file_is_usual(file);
	while (count == 0 && pcap_file_next(file))
		count = is_usual ? pcap_file_run_usual(file, ret, max)
				 : pcap_file_run_any(file, ret, max);
	file->context.facts->info.packets = file->frame;
	file->context.facts->info.bytes = source_offset(file->context.source);
	return count;
}

void pcap_file_free(PcapFile *file)
{
	g_free(file);
}
