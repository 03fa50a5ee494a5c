/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streaming decompression behind one interface: zlib, libzstd, liblz4, liblzma.
 */
#include "analyzer/capture/codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LZ4
#include <lz4frame.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#define ZLIB_CONST
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* What xz -9 needs to decompress is 65 MiB (xz(1)); a file that wants much more is an attack. */
#define CODEC_XZ_MEMORY (96u << 20)
/* Zstandard's own default limit for streams, 128 MiB, is what "zstd -d" accepts too. */
#define CODEC_ZSTD_WINDOW_LOG 27

struct Codec {
	CodecKind kind;
	bool is_between; /* a stream has ended and no other has begun */
	bool began;      /* some stream was begun */
	union {
		z_stream gzip;
#ifdef HAVE_ZSTD
		ZSTD_DStream *zstd;
#endif
#ifdef HAVE_LZ4
		LZ4F_dctx *lz4;
#endif
#ifdef HAVE_LZMA
		lzma_stream xz;
#endif
	} as;
};

CodecKind codec_detect(const uint8_t *head, size_t len)
{
	static const struct {
		CodecKind kind;
		uint8_t len;
		uint8_t magic[CODEC_MAGIC_LEN];
	} known[] = {
		{CODEC_GZIP, 3, {0x1f, 0x8b, 8}},             /* RFC 1952 2.3, deflate */
		{CODEC_ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}},    /* RFC 8878 3.1.1 */
		{CODEC_LZ4, 4, {0x04, 0x22, 0x4d, 0x18}},     /* LZ4 frame format 1.6 */
		{CODEC_XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}}, /* xz file format 2.1.1.1 */
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (len >= known[i].len && memcmp(head, known[i].magic, known[i].len) == 0)
			return known[i].kind;
	}
	return CODEC_NONE;
}

const char *codec_name(CodecKind kind)
{
	switch (kind) {
	case CODEC_NONE:
	case CODEC_COUNT:
		break;
	case CODEC_GZIP:
		return "gzip";
	case CODEC_ZSTD:
		return "zstd";
	case CODEC_LZ4:
		return "lz4";
	case CODEC_XZ:
		return "xz";
	}
	return "none";
}

static bool codec_begin(Codec *codec)
{
	switch (codec->kind) {
	case CODEC_GZIP:
		/* 15 bits of window; 16 asks for the gzip wrapper (zlib.h) */
		return inflateInit2(&codec->as.gzip, 15 + 16) == Z_OK;
	case CODEC_ZSTD:
#ifdef HAVE_ZSTD
		codec->as.zstd = ZSTD_createDStream();
		return codec->as.zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(codec->as.zstd,
						 ZSTD_d_windowLogMax, CODEC_ZSTD_WINDOW_LOG));
#else
		return false;
#endif
	case CODEC_LZ4:
#ifdef HAVE_LZ4
		return !LZ4F_isError(LZ4F_createDecompressionContext(&codec->as.lz4, LZ4F_VERSION));
#else
		return false;
#endif
	case CODEC_XZ:
#ifdef HAVE_LZMA
		codec->as.xz = (lzma_stream)LZMA_STREAM_INIT;
		return lzma_stream_decoder(&codec->as.xz, CODEC_XZ_MEMORY, LZMA_CONCATENATED) ==
		       LZMA_OK;
#else
		return false;
#endif
	case CODEC_NONE:
	case CODEC_COUNT:
		break;
	}
	return false;
}

Codec *codec_new(CodecKind kind)
{
	Codec *codec = calloc(1, sizeof(*codec));
	if (!codec)
		return NULL;
	codec->kind = kind;
	if (!codec_begin(codec)) {
		codec_free(codec);
		return NULL;
	}
	return codec;
}

static uInt codec_clip(size_t len)
{
	return len > UINT_MAX ? UINT_MAX : (uInt)len;
}

static CodecStatus codec_gzip(Codec *codec, CodecBuffers *b)
{
	z_stream *z = &codec->as.gzip;
	if (codec->is_between && b->in_len > 0) {
		/* gzip -d too ignores what is not another member */
		if (b->in[0] != 0x1f)
			return CODEC_END;
		if (inflateReset(z) != Z_OK)
			return CODEC_BAD;
		codec->is_between = false;
	}
	z->next_in = b->in;
	z->avail_in = codec_clip(b->in_len);
	z->next_out = b->out;
	z->avail_out = codec_clip(b->out_len);
	int rc = inflate(z, Z_NO_FLUSH);
	b->in_len -= (size_t)(z->next_in - b->in);
	b->in = z->next_in;
	b->out_len -= (size_t)(z->next_out - b->out);
	b->out = z->next_out;
	codec->is_between = rc == Z_STREAM_END;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? CODEC_MORE : CODEC_BAD;
}

#ifdef HAVE_ZSTD
static CodecStatus codec_zstd(Codec *codec, CodecBuffers *b)
{
	ZSTD_inBuffer in = {.src = b->in, .size = b->in_len};
	ZSTD_outBuffer out = {.dst = b->out, .size = b->out_len};
	size_t rc = ZSTD_decompressStream(codec->as.zstd, &out, &in);
	b->in += in.pos;
	b->in_len -= in.pos;
	b->out += out.pos;
	b->out_len -= out.pos;
	if (ZSTD_isError(rc))
		return codec->is_between ? CODEC_END : CODEC_BAD;
	codec->is_between = rc == 0;
	return CODEC_MORE;
}
#endif

#ifdef HAVE_LZ4
static CodecStatus codec_lz4(Codec *codec, CodecBuffers *b)
{
	size_t in_len = b->in_len, out_len = b->out_len;
	size_t rc = LZ4F_decompress(codec->as.lz4, b->out, &out_len, b->in, &in_len, NULL);
	if (LZ4F_isError(rc))
		return codec->is_between ? CODEC_END : CODEC_BAD;
	b->in += in_len;
	b->in_len -= in_len;
	b->out += out_len;
	b->out_len -= out_len;
	codec->is_between = rc == 0;
	return CODEC_MORE;
}
#endif

#ifdef HAVE_LZMA
static CodecStatus codec_xz(Codec *codec, CodecBuffers *b, bool input_ended)
{
	lzma_stream *xz = &codec->as.xz;
	xz->next_in = b->in;
	xz->avail_in = b->in_len;
	xz->next_out = b->out;
	xz->avail_out = b->out_len;
	lzma_ret rc = lzma_code(xz, input_ended ? LZMA_FINISH : LZMA_RUN);
	b->in = xz->next_in;
	b->in_len = xz->avail_in;
	b->out = xz->next_out;
	b->out_len = xz->avail_out;
	if (rc == LZMA_STREAM_END) {
		codec->is_between = true;
		return CODEC_END;
	}
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? CODEC_MORE : CODEC_BAD;
}
#endif

static CodecStatus codec_step(Codec *codec, CodecBuffers *buffers, bool input_ended)
{
	(void)input_ended;
	switch (codec->kind) {
	case CODEC_GZIP:
		return codec_gzip(codec, buffers);
#ifdef HAVE_ZSTD
	case CODEC_ZSTD:
		return codec_zstd(codec, buffers);
#else
	case CODEC_ZSTD:
#endif
#ifdef HAVE_LZ4
	case CODEC_LZ4:
		return codec_lz4(codec, buffers);
#else
	case CODEC_LZ4:
#endif
#ifdef HAVE_LZMA
	case CODEC_XZ:
		return codec_xz(codec, buffers, input_ended);
#else
	case CODEC_XZ:
#endif
	case CODEC_NONE:
	case CODEC_COUNT:
		break;
	}
	return CODEC_BAD;
}

CodecStatus codec_run(Codec *codec, CodecBuffers *buffers, bool input_ended)
{
	if (codec->is_between && input_ended && buffers->in_len == 0)
		return CODEC_END;
	const uint8_t *in = buffers->in, *out = buffers->out;
	CodecStatus status = codec_step(codec, buffers, input_ended);
	bool is_stuck = buffers->in == in && buffers->out == out;
	if (status == CODEC_MORE && is_stuck && input_ended && buffers->out_len > 0)
		return codec->is_between ? CODEC_END : CODEC_BAD;
	return status;
}

void codec_free(Codec *codec)
{
	if (!codec)
		return;
	switch (codec->kind) {
	case CODEC_GZIP:
		(void)inflateEnd(&codec->as.gzip);
		break;
	case CODEC_ZSTD:
#ifdef HAVE_ZSTD
		ZSTD_freeDStream(codec->as.zstd);
#endif
		break;
	case CODEC_LZ4:
#ifdef HAVE_LZ4
		LZ4F_freeDecompressionContext(codec->as.lz4);
#endif
		break;
	case CODEC_XZ:
#ifdef HAVE_LZMA
		lzma_end(&codec->as.xz);
#endif
		break;
	case CODEC_NONE:
	case CODEC_COUNT:
		break;
	}
	free(codec);
}
