/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One input of a reader: a file of any known format, opened when it is needed, with a queue of the
 * packets read ahead for merging.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_INPUT_H
#define SLOWCOPY_ANALYZER_CAPTURE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/facts.h"
#include "analyzer/capture/filter.h"
#include "analyzer/capture/source.h"
#include "dissectors/packet.h"

typedef struct Input Input;

/** InputOptions: shared by all inputs of a reader; borrowed. */
typedef struct InputOptions {
	Filter *filter; /* may be NULL */
	SourceOptions source;
} InputOptions;

/** input_new: nothing is opened yet. Ownership: the caller frees with input_free(). */
Input *input_new(const char *path, const InputOptions *options);

/** input_set_index: what Packet.input will say, 0 unless told; before input_open(). */
void input_set_index(Input *input, uint16_t index);

/** input_open: opens the file and reads its header. False and @error when it is no capture; that is
 * remembered in the facts too. Opening again, after input_close(), begins anew. */
bool input_open(Input *input, GError **error);

/** input_can_reopen: whether it is a file, not a pipe or standard input. */
bool input_can_reopen(const Input *input);

/** input_read: up to @max packets, at most READER_BATCH; 0 at the end. Their pointers live until
 * the next call of this or input_head(). */
size_t input_read(Input *input, Packet *ret, size_t max);

/** input_head: the packet that comes next, reading when the queue is empty; NULL at the end. What
 * earlier packets point to is gone when it had to read: see input_is_drained(). */
const Packet *input_head(Input *input);

/** input_pop: the packet of input_head() has been taken. */
void input_pop(Input *input);

/** input_is_drained: whether the next input_head() reads. */
bool input_is_drained(const Input *input);

/** input_filtered: packets its filter kept out. */
uint64_t input_filtered(const Input *input);

/** input_info: see reader_input(). */
const InputInfo *input_info(const Input *input);

/** input_progress: see reader_progress(), for this one. */
void input_progress(const Input *input, uint64_t *ret_read, uint64_t *ret_total);

/** input_read_again: see reader_read_packet(). Cheap when @offset grows from call to call. */
bool input_read_again(Input *input, uint64_t offset, uint8_t **ret_data, size_t *ret_len);

/** input_close: frees what reading needs; the facts stay. */
void input_close(Input *input);

/** input_postpone: closes it as if it had not been read yet; input_open() begins anew. */
void input_postpone(Input *input);

/** input_free: NULL is allowed. */
void input_free(Input *input);

#endif
