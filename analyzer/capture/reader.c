/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The front of analyzer/capture: inputs in, batches of decoded packets out.
 */
#include "analyzer/capture/reader.h"

#include <string.h>
#include <sys/stat.h>

#include "analyzer/capture/filter.h"
#include "analyzer/capture/input.h"
#include "analyzer/capture/order.h"
#include "analyzer/capture/paths.h"
#include "analyzer/capture/sorter.h"

/* Packet.input has 16 bits */
#define READER_MAX_INPUTS 65535

struct Reader {
	GPtrArray *inputs; /* Input */
	Filter *filter;
	Sorter *sorter;
	Order *order; /* NULL for a single input, which needs none */
};

GQuark reader_error_quark(void)
{
	return g_quark_from_static_string("slowcopy-reader-error");
}

static void reader_free_input(void *input)
{
	input_free(input);
}

/** Dated: a file of a directory and the time of its first packet. */
typedef struct Dated {
	Input *input;
	int64_t ts_ns;
	guint index;
} Dated;

static gint reader_compare_dated(gconstpointer a, gconstpointer b)
{
	const Dated *left = a, *right = b;
	if (left->ts_ns != right->ts_ns)
		return left->ts_ns < right->ts_ns ? -1 : 1;
	return left->index < right->index ? -1 : 1;
}

/* adds the captures in a directory in the order of their first packets; those without any last */
static bool reader_add_directory(
	Reader *reader, const char *path, const InputOptions *options, GError **error)
{
	g_auto(GStrv) paths = paths_of_directory(path, error);
	if (!paths)
		return false;
	InputOptions unfiltered = {.source.stop = options->source.stop};
	g_autoptr(GArray) dated = g_array_new(FALSE, FALSE, sizeof(Dated));
	for (guint i = 0; paths[i]; i++) {
		Input *look = input_new(paths[i], &unfiltered);
		const Packet *first = input_open(look, NULL) ? input_head(look) : NULL;
		Dated entry = {.input = input_new(paths[i], options),
			.ts_ns = first ? first->ts_ns : INT64_MAX,
			.index = i};
		g_array_append_val(dated, entry);
		input_free(look);
	}
	g_array_sort(dated, reader_compare_dated);
	for (guint i = 0; i < dated->len; i++)
		g_ptr_array_add(reader->inputs, g_array_index(dated, Dated, i).input);
	return true;
}

static bool reader_is_directory(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* makes the inputs that @paths stand for; a directory that has none stays in the list, so that its
 * failure is seen. @first: the first failure. */
static void reader_add_paths(Reader *reader, const char *const *paths, size_t count,
	const InputOptions *options, GError **first)
{
	for (size_t i = 0; i < count; i++) {
		if (reader_is_directory(paths[i]) &&
			reader_add_directory(reader, paths[i], options, *first ? NULL : first))
			continue;
		g_ptr_array_add(reader->inputs, input_new(paths[i], options));
	}
}

static bool reader_check(const Reader *reader, const ReaderOptions *options, GError **error)
{
	if (reader->inputs->len == 0) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO, "no capture file was given");
		return false;
	}
	if (reader->inputs->len > READER_MAX_INPUTS) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO,
			"%u capture files are more than the %u that can be read together",
			reader->inputs->len, READER_MAX_INPUTS);
		return false;
	}
	if (options->follow && reader->inputs->len > 1) {
		g_set_error(error, READER_ERROR, READER_ERROR_IO,
			"only one growing file can be followed at a time");
		return false;
	}
	return true;
}

/* opens the inputs; false and @error when nothing can be read at all */
static bool reader_begin(Reader *reader, GError **error)
{
	for (guint i = 0; i < reader->inputs->len; i++)
		input_set_index(g_ptr_array_index(reader->inputs, i), (uint16_t)i);
	if (reader->inputs->len == 1)
		return input_open(g_ptr_array_index(reader->inputs, 0), error);
	reader->order = order_new(reader->inputs, error);
	return reader->order != NULL;
}

static bool reader_prepare(Reader *reader, const char *const *paths, size_t count,
	const ReaderOptions *options, GError **error)
{
	if (options->filter) {
		reader->filter = filter_new(options->filter, error);
		if (!reader->filter)
			return false;
	}
	InputOptions shared = {.filter = reader->filter,
		.source = {.follow = options->follow, .stop = options->stop}};
	g_autoptr(GError) first = NULL;
	reader_add_paths(reader, paths, count, &shared, &first);
	if (!reader_check(reader, options, error))
		return false;
	if (reader_begin(reader, first ? NULL : &first))
		return true;
	g_propagate_error(error, g_steal_pointer(&first));
	return false;
}

Reader *reader_open(
	const char *const *paths, size_t count, const ReaderOptions *options, GError **error)
{
	static const ReaderOptions defaults;
	Reader *reader = g_new0(Reader, 1);
	reader->sorter = sorter_new();
	reader->inputs = g_ptr_array_new_with_free_func(reader_free_input);
	if (reader_prepare(reader, paths, count, options ? options : &defaults, error))
		return reader;
	reader_free(reader);
	return NULL;
}

static size_t read_in_file_order(Reader *reader, Packet ret_batch[READER_BATCH])
{
	if (reader->order)
		return order_next(reader->order, ret_batch, READER_BATCH);
	return input_read(g_ptr_array_index(reader->inputs, 0), ret_batch, READER_BATCH);
}

size_t reader_next_batch(Reader *reader, Packet ret_batch[READER_BATCH])
{
	bool at_end = false;
	if (!reader->sorter) /* no memory for it: the order of the file will do */
		return read_in_file_order(reader, ret_batch);
	for (;;) {
		if (!sorter_is_empty(reader->sorter)) {
			size_t sorted = sorter_pop(reader->sorter, ret_batch, READER_BATCH, at_end);
			if (sorted > 0)
				return sorted;
		}
		if (at_end)
			return 0;
		size_t count = read_in_file_order(reader, ret_batch);
		if (count > 0 && !sorter_wants(reader->sorter, ret_batch, count))
			return count;
		at_end = count == 0;
		sorter_push(reader->sorter, ret_batch, count);
	}
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
	uint64_t sum = 0;
	for (guint i = 0; i < reader->inputs->len; i++)
		sum += input_filtered(g_ptr_array_index(reader->inputs, i));
	return sum;
}

bool reader_read_packet(
	Reader *reader, uint16_t input, uint64_t file_offset, uint8_t **ret_data, size_t *ret_len)
{
	if (input >= reader->inputs->len)
		return false;
	return input_read_again(
		g_ptr_array_index(reader->inputs, input), file_offset, ret_data, ret_len);
}

void reader_free(Reader *reader)
{
	if (!reader)
		return;
	order_free(reader->order);
	sorter_free(reader->sorter);
	g_ptr_array_unref(reader->inputs);
	filter_free(reader->filter);
	g_free(reader);
}
