/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One input of a reader: a file of any known format, opened when it is needed.
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
Input *input_new(const char *path, uint16_t index, const InputOptions *options);

/** input_open: opens the file and reads its header. False and @error when it is no capture; that is
 * remembered in the facts too. */
bool input_open(Input *input, GError **error);

/** input_read: up to @max packets, at most READER_BATCH; 0 at the end. Their pointers live until
 * the next call. */
size_t input_read(Input *input, Packet *ret, size_t max);

/** input_info: see reader_input(). */
const InputInfo *input_info(const Input *input);

/** input_progress: see reader_progress(), for this one. */
void input_progress(const Input *input, uint64_t *ret_read, uint64_t *ret_total);

/** input_close: frees what reading needs; the facts stay. */
void input_close(Input *input);

/** input_free: NULL is allowed. */
void input_free(Input *input);

#endif
