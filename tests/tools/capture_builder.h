/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds capture files in memory for tests and fuzz seeds, from the descriptions of their formats.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_CAPTURE_BUILDER_H
#define SLOWCOPY_TESTS_TOOLS_CAPTURE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

/** CaptureBuilder: bytes of a file and their byte order. */
typedef struct CaptureBuilder {
	GByteArray *bytes;
	bool is_big_endian;
	uint32_t record_extra; /* bytes a pcap record header has beyond 16 */
} CaptureBuilder;

void capture_begin(CaptureBuilder *c, bool is_big_endian);
void capture_end(CaptureBuilder *c);

void capture_add(CaptureBuilder *c, const void *data, size_t len);
void capture_u16(CaptureBuilder *c, uint16_t value);
void capture_u32(CaptureBuilder *c, uint32_t value);
void capture_u64(CaptureBuilder *c, uint64_t value);

/** capture_pcap: file header, version 2.4. */
void capture_pcap(CaptureBuilder *c, uint32_t magic, uint32_t snaplen, uint32_t link_type);

/** capture_record: a pcap record. */
void capture_record(CaptureBuilder *c, uint32_t seconds, uint32_t fraction, const uint8_t *data,
	uint32_t caplen, uint32_t wirelen);

/** capture_option: a pcapng option, to be collected in @options. */
void capture_option(
	CaptureBuilder *c, GByteArray *options, uint16_t code, const void *value, uint16_t len);
void capture_option_u64(CaptureBuilder *c, GByteArray *options, uint16_t code, uint64_t value);

/** capture_block: a pcapng block of @body and @options (may be NULL, emptied), padded. */
void capture_block(CaptureBuilder *c, uint32_t type, const GByteArray *body, GByteArray *options);

/** capture_section: a section header in the builder's byte order. */
void capture_section(CaptureBuilder *c, GByteArray *options);

void capture_interface(
	CaptureBuilder *c, uint16_t link_type, uint32_t snaplen, GByteArray *options);

/** capture_enhanced: an enhanced packet block. */
void capture_enhanced(CaptureBuilder *c, uint32_t interface, uint64_t time, const uint8_t *data,
	uint32_t caplen, uint32_t wirelen, GByteArray *options);

/** capture_simple: a simple packet block. */
void capture_simple(CaptureBuilder *c, const uint8_t *data, uint32_t caplen, uint32_t wirelen);

/** capture_old: an obsolete packet block. */
void capture_old(CaptureBuilder *c, uint16_t interface, uint16_t drops, uint64_t time,
	const uint8_t *data, uint32_t caplen, uint32_t wirelen);

/** capture_statistics: an interface statistics block. */
void capture_statistics(CaptureBuilder *c, uint32_t interface, GByteArray *options);

/** capture_snoop: header and records of RFC 1761, Ethernet; big-endian builders only. */
void capture_snoop(CaptureBuilder *c);
void capture_snoop_record(
	CaptureBuilder *c, uint32_t seconds, uint32_t micros, const uint8_t *data, uint32_t len);

/** capture_compress: the bytes so far, compressed; @kind is a CodecKind. NULL when the build
 * cannot.
 */
GByteArray *capture_compress(const CaptureBuilder *c, int kind);

#endif
