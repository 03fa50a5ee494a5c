/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of one file, pipe or standard input, uncompressed, in large blocks. Offsets count
 * uncompressed bytes.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_SOURCE_H
#define SLOWCOPY_ANALYZER_CAPTURE_SOURCE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/codec.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
/* small, so that a fuzzer's inputs need many */
#define SOURCE_BLOCK 1024u
#else
/* an eighth or twice of it takes the same time; why read(2) and no mmap: docs/architecture.md */
#define SOURCE_BLOCK (1u << 18)
#endif

typedef struct Source Source;

/** SourceOptions: all zero gives the defaults. */
typedef struct SourceOptions {
	bool follow;                       /* at the end of a regular file, wait for more */
	const volatile sig_atomic_t *stop; /* ends waiting when it becomes non-zero; may be NULL */
} SourceOptions;

/**
 * source_open: opens @path ("-" is standard input) and finds its compression.
 * Returns NULL and sets @error, naming the file, when it cannot be read, is a directory, or is
 * compressed in a way this build cannot undo. Ownership: the caller frees with source_free().
 */
Source *source_open(const char *path, const SourceOptions *options, GError **error);

/** source_over_fd: the same for an open descriptor, which the source closes. @name is for
 * messages. */
Source *source_over_fd(int fd, const char *name, const SourceOptions *options, GError **error);

/**
 * source_fill: makes @want bytes available at the place reached, or fewer at the end of the file.
 * @ret_have: how many there are. The pointer lives until the next call that reads. @want is at
 * most 64 MiB. Blocks while a pipe is idle or a followed file does not grow.
 */
const uint8_t *source_fill(Source *source, size_t want, size_t *ret_have);

/** source_available: like source_fill, but does not wait for a followed file to grow. */
const uint8_t *source_available(Source *source, size_t want, size_t *ret_have);

/** source_peek: what is available without reading; the bytes handed out before stay where they
 * are. */
const uint8_t *source_peek(const Source *source, size_t *ret_have);

/** source_take: moves past @n bytes that source_fill made available. */
void source_take(Source *source, size_t n);

/** source_read: up to @len bytes to @buffer, 0 at the end. */
size_t source_read(Source *source, void *buffer, size_t len);

/** source_skip: moves @n bytes on; false when the file ends before. Seeks when it can. */
bool source_skip(Source *source, uint64_t n);

/** source_offset: uncompressed bytes taken or read so far. */
uint64_t source_offset(const Source *source);

/** source_progress: bytes of the file itself read so far, and its size or 0. */
void source_progress(const Source *source, uint64_t *ret_read, uint64_t *ret_total);

/** source_compression: of the file. */
CodecKind source_compression(const Source *source);

/** source_is_regular: whether the file can be opened and read a second time. */
bool source_is_regular(const Source *source);

/** source_trouble: why the bytes ended early (a read error, a damaged archive), or NULL. Static or
 * owned by the source. */
const char *source_trouble(const Source *source);

/** source_is_stopped: whether the stop flag is set. */
bool source_is_stopped(const Source *source);

/** source_free: closes; NULL is allowed. */
void source_free(Source *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Source, source_free)

#endif
