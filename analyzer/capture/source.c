/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of a capture: read(2) into a window that slides, through a codec when the file is
 * compressed.
 */
#include "analyzer/capture/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/capture/reader.h"

#define SOURCE_WANT_MAX (64u << 20)
/* compressed bytes per read: a quarter block keeps the decoder's input in the cache */
#define SOURCE_INPUT_LEN (SOURCE_BLOCK / 4)
/* how often a followed file is looked at: a person does not notice, a CPU neither */
#define SOURCE_FOLLOW_NS 100000000

struct Source {
	SourceOptions options;
	int fd;
	CodecKind kind;
	bool is_regular;
	bool is_seekable; /* regular and not compressed */
	bool codec_ended;
	bool input_ended;
	bool ended;
	uint64_t size; /* of the file, 0 unknown */
	uint64_t file_read;

	Codec *codec;
	uint8_t *input; /* compressed bytes */
	size_t input_pos, input_len;

	uint8_t *window;
	size_t start, end, capacity;
	uint64_t offset; /* of window[start] */
	char *trouble;
};

/* keeps the first trouble: "@before @what @after" */
static void source_note(Source *source, const char *before, const char *what, const char *after)
{
	if (!source->trouble)
		source->trouble = g_strconcat(before, what, after, NULL);
}

bool source_is_stopped(const Source *source)
{
	return source->options.stop && *source->options.stop;
}

/* bytes of the file itself; 0 at its present end */
static size_t source_read_file(Source *source, uint8_t *buffer, size_t len)
{
	for (;;) {
		ssize_t n = read(source->fd, buffer, len);
		if (n >= 0) {
			source->file_read += (uint64_t)n;
			return (size_t)n;
		}
		if (errno == EINTR && !source_is_stopped(source))
			continue;
		if (errno != EINTR)
			source_note(source, "reading it failed: ", g_strerror(errno), "");
		return 0;
	}
}

static size_t source_read_compressed(Source *source, uint8_t *buffer, size_t len)
{
	CodecBuffers b = {.out = buffer, .out_len = len};
	while (b.out_len == len && !source->codec_ended) {
		if (source->input_pos == source->input_len && !source->input_ended) {
			source->input_pos = 0;
			source->input_len =
				source_read_file(source, source->input, SOURCE_INPUT_LEN);
			source->input_ended = source->input_len == 0;
		}
		b.in = source->input + source->input_pos;
		b.in_len = source->input_len - source->input_pos;
		CodecStatus status = codec_run(source->codec, &b, source->input_ended);
		source->input_pos = source->input_len - b.in_len;
		source->codec_ended = status != CODEC_MORE;
		if (status == CODEC_BAD && source->input_ended)
			source_note(source, "its ", codec_name(source->kind), " data end early");
		else if (status == CODEC_BAD)
			source_note(source, "its ", codec_name(source->kind), " data are damaged");
	}
	return len - b.out_len;
}

static size_t source_read_more(Source *source, uint8_t *buffer, size_t len)
{
	if (source->codec)
		return source_read_compressed(source, buffer, len);
	return source_read_file(source, buffer, len);
}

/* whether a followed file may still grow: it exists and was not cut shorter */
static bool source_may_grow(const Source *source)
{
	struct stat st;
	return source->options.follow && source->is_seekable && !source_is_stopped(source) &&
	       fstat(source->fd, &st) == 0 && st.st_nlink > 0 &&
	       (uint64_t)st.st_size >= source->file_read;
}

static void source_sleep(void)
{
	struct timespec pause = {.tv_nsec = SOURCE_FOLLOW_NS};
	(void)nanosleep(&pause, NULL);
}

/* room for @want bytes in the window, what is there moved to its front */
static void source_make_room(Source *source, size_t want)
{
	size_t have = source->end - source->start;
	size_t capacity = source->capacity;
	while (capacity < want)
		capacity = capacity ? capacity * 2 : SOURCE_BLOCK;
	if (capacity != source->capacity) {
		uint8_t *window = g_malloc(capacity);
		if (have > 0)
			memcpy(window, source->window + source->start, have);
		g_free(source->window);
		source->window = window;
		source->capacity = capacity;
	} else if (have > 0 && source->start > 0) {
		memmove(source->window, source->window + source->start, have);
	}
	source->start = 0;
	source->end = have;
}

static const uint8_t *source_window(Source *source, size_t want, bool wait, size_t *ret_have)
{
	want = MIN(want, SOURCE_WANT_MAX);
	if (source->end - source->start < want && !source->ended)
		source_make_room(source, want);
	while (source->end - source->start < want && !source->ended) {
		size_t n = source_read_more(
			source, source->window + source->end, source->capacity - source->end);
		source->end += n;
		if (n > 0)
			continue;
		bool may_grow = source_may_grow(source);
		if (may_grow && !wait)
			break;
		if (may_grow)
			source_sleep();
		else
			source->ended = true;
	}
	*ret_have = source->end - source->start;
	return source->window ? source->window + source->start : (const uint8_t *)"";
}

const uint8_t *source_fill(Source *source, size_t want, size_t *ret_have)
{
	return source_window(source, want, true, ret_have);
}

const uint8_t *source_available(Source *source, size_t want, size_t *ret_have)
{
	return source_window(source, want, false, ret_have);
}

const uint8_t *source_peek(const Source *source, size_t *ret_have)
{
	*ret_have = source->end - source->start;
	return source->window ? source->window + source->start : (const uint8_t *)"";
}

void source_take(Source *source, size_t n)
{
	source->start += n;
	source->offset += n;
}

size_t source_read(Source *source, void *buffer, size_t len)
{
	size_t have = source->end - source->start;
	if (have == 0 && !source->ended && len >= SOURCE_BLOCK / 2) {
		/* large enough to do without the window */
		size_t n = source_read_more(source, buffer, len);
		if (n > 0 || !source_may_grow(source)) {
			source->offset += n;
			source->ended = n == 0;
			return n;
		}
	}
	const uint8_t *bytes = source_fill(source, 1, &have);
	size_t n = MIN(len, have);
	if (n > 0)
		memcpy(buffer, bytes, n);
	source_take(source, n);
	return n;
}

bool source_skip(Source *source, uint64_t n)
{
	size_t have = source->end - source->start;
	if (n > have && source->is_seekable && n - have <= INT64_MAX) {
		if (lseek(source->fd, (off_t)(n - have), SEEK_CUR) >= 0) {
			source->start = source->end = 0;
			source->offset += n;
			source->file_read += n - have;
			return true;
		}
	}
	while (n > 0) {
		(void)source_fill(source, 1, &have);
		if (have == 0)
			return false;
		size_t step = have < n ? have : (size_t)n;
		source_take(source, step);
		n -= step;
	}
	return true;
}

uint64_t source_offset(const Source *source)
{
	return source->offset;
}

void source_progress(const Source *source, uint64_t *ret_read, uint64_t *ret_total)
{
	*ret_read = source->file_read;
	*ret_total = source->size;
}

CodecKind source_compression(const Source *source)
{
	return source->kind;
}

bool source_is_regular(const Source *source)
{
	return source->is_regular;
}

const char *source_trouble(const Source *source)
{
	return source->trouble;
}

/* reads the first bytes and, when they are a compressed file's, puts a codec before the rest */
static bool source_detect(Source *source, const char *name, GError **error)
{
	size_t have;
	const uint8_t *head = source_available(source, CODEC_MAGIC_LEN, &have);
	source->kind = codec_detect(head, have);
	if (source->kind == CODEC_NONE)
		return true;
	source->codec = codec_new(source->kind);
	if (!source->codec) {
		g_set_error(error, READER_ERROR, READER_ERROR_FORMAT,
			"%s is compressed with %s, which this build cannot read; decompress it "
			"first",
			name, codec_name(source->kind));
		return false;
	}
	source->is_seekable = false;
	/* what was read raw becomes the codec's input */
	source->input_len = source->end - source->start;
	source->input = g_malloc(MAX(source->input_len, SOURCE_INPUT_LEN));
	memcpy(source->input, head, source->input_len);
	source->start = source->end = 0;
	source->ended = false;
	return true;
}

static bool source_begin(Source *source, const char *name, GError **error)
{
	struct stat st;
	if (fstat(source->fd, &st) != 0) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO, "cannot read %s: %s", name,
			g_strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO,
			"%s is a directory, not a capture file", name);
		return false;
	}
	source->is_regular = source->is_seekable = S_ISREG(st.st_mode);
	source->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (!source_detect(source, name, error))
		return false;
	if (source->trouble) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO, "cannot read %s: %s", name,
			source->trouble);
		return false;
	}
	return true;
}

Source *source_over_fd(int fd, const char *name, const SourceOptions *options, GError **error)
{
	Source *source = g_new0(Source, 1);
	source->fd = fd;
	if (options)
		source->options = *options;
	if (source_begin(source, name, error))
		return source;
	source_free(source);
	return NULL;
}

Source *source_open(const char *path, const SourceOptions *options, GError **error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO, "cannot open %s: %s",
			is_stdin ? "standard input" : path, g_strerror(errno));
		return NULL;
	}
	return source_over_fd(fd, is_stdin ? "standard input" : path, options, error);
}

void source_free(Source *source)
{
	if (!source)
		return;
	codec_free(source->codec);
	g_free(source->input);
	g_free(source->window);
	g_free(source->trouble);
	(void)close(source->fd);
	g_free(source);
}
