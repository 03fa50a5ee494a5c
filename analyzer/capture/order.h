/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges inputs by time. Files that begin later stay closed until their turn, so that a ring buffer
 * of a thousand files needs a handful of descriptors.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_ORDER_H
#define SLOWCOPY_ANALYZER_CAPTURE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/capture/input.h"

/* Inputs kept open that do not have to be: enough for what people name one by one. */
#define ORDER_KEEP_OPEN 16

typedef struct Order Order;

/**
 * order_new: opens @inputs (Input, borrowed) and merges those that could be. Of equal times, the
 * input given first comes first. Returns NULL and sets @error, about the first one, when none could
 * be. Ownership: the caller frees with order_free().
 */
Order *order_new(const GPtrArray *inputs, GError **error);

/** order_next: up to @max packets, 0 at the end. Their pointers live until the next call. */
size_t order_next(Order *order, Packet *ret, size_t max);

/** order_free: NULL is allowed. */
void order_free(Order *order);

#endif
