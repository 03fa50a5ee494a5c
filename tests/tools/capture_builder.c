/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcap: pcap-savefile(5). pcapng: draft-ietf-opsawg-pcapng. snoop: RFC 1761.
 */
#include "tests/tools/capture_builder.h"

#ifdef HAVE_LZ4
#include <lz4frame.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "analyzer/capture/codec.h"

static void add_number(GByteArray *bytes, uint64_t value, int size, bool is_big_endian)
{
	for (int i = 0; i < size; i++) {
		int shift = 8 * (is_big_endian ? size - 1 - i : i);
		uint8_t byte = (uint8_t)(value >> shift);
		g_byte_array_append(bytes, &byte, 1);
	}
}

static void add_padding(GByteArray *bytes, size_t len)
{
	static const uint8_t zeros[4];
	g_byte_array_append(bytes, zeros, (guint)((4 - len % 4) % 4));
}

void capture_begin(CaptureBuilder *c, bool is_big_endian)
{
	*c = (CaptureBuilder){.bytes = g_byte_array_new(), .is_big_endian = is_big_endian};
}

void capture_end(CaptureBuilder *c)
{
	g_clear_pointer(&c->bytes, g_byte_array_unref);
}

void capture_add(CaptureBuilder *c, const void *data, size_t len)
{
	g_byte_array_append(c->bytes, data, (guint)len);
}

void capture_u16(CaptureBuilder *c, uint16_t value)
{
	add_number(c->bytes, value, 2, c->is_big_endian);
}

void capture_u32(CaptureBuilder *c, uint32_t value)
{
	add_number(c->bytes, value, 4, c->is_big_endian);
}

void capture_u64(CaptureBuilder *c, uint64_t value)
{
	add_number(c->bytes, value, 8, c->is_big_endian);
}

void capture_pcap(CaptureBuilder *c, uint32_t magic, uint32_t snaplen, uint32_t link_type)
{
	capture_u32(c, magic);
	capture_u16(c, 2);
	capture_u16(c, 4);
	capture_u64(c, 0);
	capture_u32(c, snaplen);
	capture_u32(c, link_type);
	c->record_extra = magic == 0xa1b2cd34 ? 8 : 0;
}

void capture_record(CaptureBuilder *c, uint32_t seconds, uint32_t fraction, const uint8_t *data,
	uint32_t caplen, uint32_t wirelen)
{
	static const uint8_t extra[8];
	capture_u32(c, seconds);
	capture_u32(c, fraction);
	capture_u32(c, caplen);
	capture_u32(c, wirelen);
	capture_add(c, extra, c->record_extra);
	capture_add(c, data, caplen);
}

void capture_option(
	CaptureBuilder *c, GByteArray *options, uint16_t code, const void *value, uint16_t len)
{
	add_number(options, code, 2, c->is_big_endian);
	add_number(options, len, 2, c->is_big_endian);
	g_byte_array_append(options, value, len);
	add_padding(options, len);
}

void capture_option_u64(CaptureBuilder *c, GByteArray *options, uint16_t code, uint64_t value)
{
	add_number(options, code, 2, c->is_big_endian);
	add_number(options, 8, 2, c->is_big_endian);
	add_number(options, value, 8, c->is_big_endian);
}

void capture_block(CaptureBuilder *c, uint32_t type, const GByteArray *body, GByteArray *options)
{
	uint32_t padded = (body->len + 3) & ~3u;
	uint32_t options_len = options && options->len ? options->len + 4 : 0;
	uint32_t len = 12 + padded + options_len;
	capture_u32(c, type);
	capture_u32(c, len);
	capture_add(c, body->data, body->len);
	add_padding(c->bytes, body->len);
	if (options_len > 0) {
		capture_add(c, options->data, options->len);
		capture_u32(c, 0); /* end of options */
		g_byte_array_set_size(options, 0);
	}
	capture_u32(c, len);
}

void capture_section(CaptureBuilder *c, GByteArray *options)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, 0x1a2b3c4d, 4, c->is_big_endian);
	add_number(body, 1, 2, c->is_big_endian);
	add_number(body, 0, 2, c->is_big_endian);
	add_number(body, UINT64_MAX, 8, c->is_big_endian);
	capture_block(c, 0x0a0d0d0a, body, options);
}

void capture_interface(CaptureBuilder *c, uint16_t link_type, uint32_t snaplen, GByteArray *options)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, link_type, 2, c->is_big_endian);
	add_number(body, 0, 2, c->is_big_endian);
	add_number(body, snaplen, 4, c->is_big_endian);
	capture_block(c, 1, body, options);
}

static void add_packet(GByteArray *body, bool is_big_endian, uint64_t time, const uint8_t *data,
	uint32_t caplen, uint32_t wirelen)
{
	add_number(body, time >> 32, 4, is_big_endian);
	add_number(body, time & 0xffffffff, 4, is_big_endian);
	add_number(body, caplen, 4, is_big_endian);
	add_number(body, wirelen, 4, is_big_endian);
	g_byte_array_append(body, data, caplen);
}

void capture_enhanced(CaptureBuilder *c, uint32_t interface, uint64_t time, const uint8_t *data,
	uint32_t caplen, uint32_t wirelen, GByteArray *options)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, interface, 4, c->is_big_endian);
	add_packet(body, c->is_big_endian, time, data, caplen, wirelen);
	capture_block(c, 6, body, options);
}

void capture_simple(CaptureBuilder *c, const uint8_t *data, uint32_t caplen, uint32_t wirelen)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, wirelen, 4, c->is_big_endian);
	g_byte_array_append(body, data, caplen);
	capture_block(c, 3, body, NULL);
}

void capture_old(CaptureBuilder *c, uint16_t interface, uint16_t drops, uint64_t time,
	const uint8_t *data, uint32_t caplen, uint32_t wirelen)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, interface, 2, c->is_big_endian);
	add_number(body, drops, 2, c->is_big_endian);
	add_packet(body, c->is_big_endian, time, data, caplen, wirelen);
	capture_block(c, 2, body, NULL);
}

void capture_statistics(CaptureBuilder *c, uint32_t interface, GByteArray *options)
{
	g_autoptr(GByteArray) body = g_byte_array_new();
	add_number(body, interface, 4, c->is_big_endian);
	add_number(body, 0, 8, c->is_big_endian);
	capture_block(c, 5, body, options);
}

void capture_snoop(CaptureBuilder *c)
{
	capture_add(c, "snoop\0\0\0", 8);
	capture_u32(c, 2);
	capture_u32(c, 4); /* Ethernet */
}

void capture_snoop_record(
	CaptureBuilder *c, uint32_t seconds, uint32_t micros, const uint8_t *data, uint32_t len)
{
	capture_u32(c, len);
	capture_u32(c, len);
	capture_u32(c, 24 + ((len + 3) & ~3u));
	capture_u32(c, 0); /* drops */
	capture_u32(c, seconds);
	capture_u32(c, micros);
	capture_add(c, data, len);
	add_padding(c->bytes, len);
}

static GByteArray *compress_gzip(const CaptureBuilder *c)
{
	GByteArray *out = g_byte_array_new();
	g_byte_array_set_size(out, c->bytes->len + c->bytes->len / 100 + 1000);
	z_stream z = {.next_in = c->bytes->data,
		.avail_in = c->bytes->len,
		.next_out = out->data,
		.avail_out = out->len};
	g_assert_cmpint(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
	g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
	g_byte_array_set_size(out, (guint)z.total_out);
	deflateEnd(&z);
	return out;
}

#ifdef HAVE_ZSTD
static GByteArray *compress_zstd(const CaptureBuilder *c)
{
	GByteArray *out = g_byte_array_new();
	g_byte_array_set_size(out, (guint)ZSTD_compressBound(c->bytes->len));
	size_t len = ZSTD_compress(out->data, out->len, c->bytes->data, c->bytes->len, 3);
	g_byte_array_set_size(out, (guint)len);
	return out;
}
#endif

#ifdef HAVE_LZ4
static GByteArray *compress_lz4(const CaptureBuilder *c)
{
	GByteArray *out = g_byte_array_new();
	g_byte_array_set_size(out, (guint)LZ4F_compressFrameBound(c->bytes->len, NULL));
	size_t len = LZ4F_compressFrame(out->data, out->len, c->bytes->data, c->bytes->len, NULL);
	g_byte_array_set_size(out, (guint)len);
	return out;
}
#endif

#ifdef HAVE_LZMA
static GByteArray *compress_xz(const CaptureBuilder *c)
{
	GByteArray *out = g_byte_array_new();
	g_byte_array_set_size(out, (guint)lzma_stream_buffer_bound(c->bytes->len));
	size_t len = 0;
	g_assert_cmpint(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, c->bytes->data,
				c->bytes->len, out->data, &len, out->len),
		==, LZMA_OK);
	g_byte_array_set_size(out, (guint)len);
	return out;
}
#endif

GByteArray *capture_compress(const CaptureBuilder *c, int kind)
{
	switch (kind) {
	case CODEC_GZIP:
		return compress_gzip(c);
#ifdef HAVE_ZSTD
	case CODEC_ZSTD:
		return compress_zstd(c);
#endif
#ifdef HAVE_LZ4
	case CODEC_LZ4:
		return compress_lz4(c);
#endif
#ifdef HAVE_LZMA
	case CODEC_XZ:
		return compress_xz(c);
#endif
	default:
		return NULL;
	}
}
