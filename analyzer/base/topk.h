/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The k heaviest items of a stream, in fixed memory: longest waits, best evidence. Of equal weights
 * the earlier one stays, so that the result does not depend on chance.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_TOPK_H
#define SLOWCOPY_ANALYZER_BASE_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for a frame number, a file offset, two times and a few small fields. */
#define TOPK_PAYLOAD_BYTES 64

typedef struct TopKItem {
	int64_t weight;
	uint64_t order; /* position in the stream, from 0 */
	uint8_t payload[TOPK_PAYLOAD_BYTES] __attribute__((aligned(8)));
} TopKItem;

typedef struct TopK {
	TopKItem *items; /* @room of them, the caller's; the first @count are set */
	uint32_t count, room;
	uint64_t seen; /* items offered */
} TopK;

/** topk_init: keeps @room items in the caller's @items, which must outlive it. */
void topk_init(TopK *topk, TopKItem *items, uint32_t room);

/**
 * topk_add: offers an item. @payload: @bytes (at most TOPK_PAYLOAD_BYTES) copied, the rest zeroed.
 * Returns whether it was kept for now.
 */
bool topk_add(TopK *topk, int64_t weight, const void *payload, size_t bytes);

/** topk_would_keep: whether topk_add() with @weight would keep the item; saves making a payload. */
bool topk_would_keep(const TopK *topk, int64_t weight);

/**
 * topk_sort: orders items[0…count) by falling weight, then by order. Call it at the end: after it
 * topk_add() must not be called again.
 */
void topk_sort(TopK *topk);

#endif
