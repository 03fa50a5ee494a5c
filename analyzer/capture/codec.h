/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streaming decompression of what captures are stored in: gzip always, Zstandard, LZ4 and xz when
 * the build has their libraries.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_CODEC_H
#define SLOWCOPY_ANALYZER_CAPTURE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CodecKind {
	CODEC_NONE,
	CODEC_GZIP,
	CODEC_ZSTD,
	CODEC_LZ4,
	CODEC_XZ,
	CODEC_COUNT
} CodecKind;

/* Bytes codec_detect needs to tell all kinds apart. */
#define CODEC_MAGIC_LEN 6

typedef enum CodecStatus {
	CODEC_MORE, /* made progress, or needs input or room */
	CODEC_END,  /* a complete stream ended and what follows, if anything, is not another one */
	CODEC_BAD,  /* the data are damaged, or need more memory than allowed */
} CodecStatus;

/** CodecBuffers: advanced by codec_run past what it consumed and produced. */
typedef struct CodecBuffers {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
} CodecBuffers;

typedef struct Codec Codec;

/** codec_detect: by the first @len bytes of a file. */
CodecKind codec_detect(const uint8_t *head, size_t len);

/** codec_name: "none", "gzip", "zstd", "lz4", "xz". */
const char *codec_name(CodecKind kind);

/** codec_new: a decompressor, or NULL when this build has none for @kind or memory is short.
 * Ownership: the caller frees with codec_free(). */
Codec *codec_new(CodecKind kind);

/**
 * codec_run: decompresses some. Concatenated streams are one.
 * @input_ended: no bytes follow @buffers->in; CODEC_BAD then when the stream is not complete.
 */
CodecStatus codec_run(Codec *codec, CodecBuffers *buffers, bool input_ended);

/** codec_free: NULL is allowed. */
void codec_free(Codec *codec);

#endif
