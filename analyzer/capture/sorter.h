/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts packets back into the order of their times when a capture's queues recorded them a little
 * out of it. Idle until a time steps back by at most SORTER_MAX_STEP_NS; a larger step is the
 * clock's and stays.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_SORTER_H
#define SLOWCOPY_ANALYZER_CAPTURE_SORTER_H

#include <stdbool.h>
#include <stddef.h>

#include "dissectors/packet.h"

/* Packets held back at most, and how long in capture time: queues of cards and kernels are no
 * deeper (docs/architecture.md, "Life of a packet"). */
#define SORTER_ROOM 256
#define SORTER_WINDOW_NS (INT64_C(10) * 1000 * 1000)
#define SORTER_MAX_STEP_NS (INT64_C(1000) * 1000 * 1000)

typedef struct Sorter Sorter;

/** sorter_new: NULL when memory is refused. */
Sorter *sorter_new(void);

/**
 * sorter_wants: whether @batch must go through sorter_push: from the first small step back on.
 * Costs a comparison a packet.
 */
bool sorter_wants(Sorter *sorter, const Packet *batch, size_t count);

/** sorter_push: takes copies of up to SORTER_ROOM packets. */
void sorter_push(Sorter *sorter, const Packet *batch, size_t count);

/**
 * sorter_pop: up to @max packets whose turn has come; all that are left when @at_end. Their
 * pointers live until the next sorter_push. Returns how many.
 */
size_t sorter_pop(Sorter *sorter, Packet *ret, size_t max, bool at_end);

/** sorter_is_empty: nothing is held back. */
bool sorter_is_empty(const Sorter *sorter);

/** sorter_free: NULL is allowed. */
void sorter_free(Sorter *sorter);

#endif
