/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classic pcap files.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_PCAP_FILE_H
#define SLOWCOPY_ANALYZER_CAPTURE_PCAP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/facts.h"
#include "analyzer/capture/filter.h"
#include "analyzer/capture/source.h"
#include "dissectors/cursor.h"
#include "dissectors/packet.h"

/** FileContext: what both kinds of capture file need beside their bytes; all borrowed. */
typedef struct FileContext {
	Source *source;
	Facts *facts;
	Filter *filter; /* may be NULL */
	bool follow;
	uint16_t input; /* what Packet.input will say */
} FileContext;

/** PcapLengths: which of a record's two lengths comes first. */
typedef enum PcapLengths {
	PCAP_LENGTHS_ORDERLY, /* captured, then on the wire */
	PCAP_LENGTHS_SWAPPED,
	PCAP_LENGTHS_EITHER, /* the smaller one is the captured one */
} PcapLengths;

/** PcapLayout: what the file header says. */
typedef struct PcapLayout {
	bool is_big_endian;
	bool is_nanoseconds;
	uint16_t version; /* the major one */
	PcapLengths lengths;
	uint32_t record_header_len; /* 16, or 24 in Kuznetzov's variant */
	uint32_t snaplen, link_type;
} PcapLayout;

/** PcapRecord: the header of one, in host order. */
typedef struct PcapRecord {
	uint32_t seconds, fraction; /* the fraction in what the magic number says */
	uint32_t caplen, wirelen;
} PcapRecord;

/* libpcap's MAXIMUM_SNAPLEN: what is longer is no record. Files whose records are longer than the
 * snap length of their header exist, so that says nothing. */
#define PCAP_RECORD_MAX 262144

/* Bytes of a record's header, but in Kuznetzov's variant. */
#define PCAP_RECORD_HEADER_LEN 16

/* Bytes of the file header. */
#define PCAP_HEADER_LEN 24

typedef struct PcapFile PcapFile;

/** pcap_layout_parse: false when @head (PCAP_HEADER_LEN bytes) begins no known kind of pcap
 * file. */
bool pcap_layout_parse(const uint8_t *head, PcapLayout *ret);

/** pcap_record_word: 32 bits in the file's byte order. */
static inline uint32_t pcap_record_word(const PcapLayout *layout, const uint8_t *p)
{
	return layout->is_big_endian ? cursor_load_be32(p) : cursor_load_le32(p);
}

/** pcap_record_parse: the header at @p, @layout->record_header_len bytes. Nothing is checked. */
static inline PcapRecord pcap_record_parse(const PcapLayout *layout, const uint8_t *p)
{
	PcapRecord record = {pcap_record_word(layout, p), pcap_record_word(layout, p + 4),
		pcap_record_word(layout, p + 8), pcap_record_word(layout, p + 12)};
	bool is_swapped =
		layout->lengths == PCAP_LENGTHS_SWAPPED ||
		(layout->lengths == PCAP_LENGTHS_EITHER && record.caplen > record.wirelen);
	if (is_swapped) {
		uint32_t caplen = record.wirelen;
		record.wirelen = record.caplen;
		record.caplen = caplen;
	}
	return record;
}

/**
 * pcap_file_new: @context->source stands at the file header. NULL and @error when that is cut or of
 * an unknown version. Ownership: the caller frees with pcap_file_free(), before the source.
 */
PcapFile *pcap_file_new(const FileContext *context, GError **error);

/** pcap_file_read: up to @max decoded packets, 0 at the end. Their pointers live until the next
 * call. @max is at most READER_BATCH. */
size_t pcap_file_read(PcapFile *file, Packet *ret, size_t max);

/** pcap_file_free: NULL is allowed. */
void pcap_file_free(PcapFile *file);

#endif
