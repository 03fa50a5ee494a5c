/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The front of analyzer/capture: inputs in, batches of decoded packets out.
 */
#include "analyzer/capture/reader.h"

#include <string.h>

#include "analyzer/capture/filter.h"
#include "analyzer/capture/input.h"

struct Reader {
	GPtrArray *inputs; /* Input */
	Filter *filter;
	guint reading; /* the input packets come from */
};

GQuark reader_error_quark(void)
{
	return g_quark_from_static_string("slowcopy-reader-error");
}

static void reader_free_input(void *input)
{
	input_free(input);
}

Reader *reader_open(
	const char *const *paths, size_t count, const ReaderOptions *options, GError **error)
{
	g_autoptr(Reader) reader = g_new0(Reader, 1);
	reader->inputs = g_ptr_array_new_with_free_func(reader_free_input);
	if (options && options->filter) {
		reader->filter = filter_new(options->filter, error);
		if (!reader->filter)
			return NULL;
	}
	InputOptions shared = {.filter = reader->filter};
	if (options) {
		shared.source.follow = options->follow;
		shared.source.stop = options->stop;
	}
	g_autoptr(GError) first = NULL;
	size_t opened = 0;
	for (size_t i = 0; i < count; i++) {
		Input *input = input_new(paths[i], (uint16_t)i, &shared);
		g_ptr_array_add(reader->inputs, input);
		opened += input_open(input, first ? NULL : &first);
	}
	if (opened == 0) {
		if (first)
			g_propagate_error(error, g_steal_pointer(&first));
		else
			g_set_error(error, READER_ERROR, READER_ERROR_IO, "no capture file given");
		return NULL;
	}
	return g_steal_pointer(&reader);
}

size_t reader_next_batch(Reader *reader, Packet ret_batch[READER_BATCH])
{
	while (reader->reading < reader->inputs->len) {
		Input *input = g_ptr_array_index(reader->inputs, reader->reading);
		size_t n = input_read(input, ret_batch, READER_BATCH);
		if (n > 0)
			return n;
		input_close(input);
		reader->reading++;
	}
	return 0;
}

size_t reader_input_count(const Reader *reader)
{
	return reader->inputs->len;
}

const InputInfo *reader_input(const Reader *reader, size_t index)
{
	return input_info(g_ptr_array_index(reader->inputs, index));
}

void reader_progress(const Reader *reader, uint64_t *ret_read, uint64_t *ret_total)
{
	*ret_read = *ret_total = 0;
	bool is_known = true;
	for (guint i = 0; i < reader->inputs->len; i++) {
		uint64_t read, total;
		input_progress(g_ptr_array_index(reader->inputs, i), &read, &total);
		*ret_read += read;
		*ret_total += total;
		is_known = is_known && total > 0;
	}
	if (!is_known)
		*ret_total = 0;
}

uint64_t reader_filtered(const Reader *reader)
{
	return reader->filter ? filter_rejected(reader->filter) : 0;
}

void reader_free(Reader *reader)
{
	if (!reader)
		return;
	g_ptr_array_unref(reader->inputs);
	filter_free(reader->filter);
	g_free(reader);
}
