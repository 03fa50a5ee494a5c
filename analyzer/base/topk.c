/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The k heaviest items: a binary heap whose root is the item to go next.
 */
#include "analyzer/base/topk.h"

#include <stdlib.h>
#include <string.h>

/* Whether @a goes before @b when room is needed: the lighter, of equals the later. */
static bool is_lesser(const TopKItem *a, const TopKItem *b)
{
	if (a->weight != b->weight)
		return a->weight < b->weight;
	return a->order > b->order;
}

void topk_init(TopK *topk, TopKItem *items, uint32_t room)
{
	*topk = (TopK){.items = items, .room = room};
}

static void swap_items(TopKItem *a, TopKItem *b)
{
	TopKItem t = *a;
	*a = *b;
	*b = t;
}

static void sift_up(TopK *topk, uint32_t i)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / 2;
		if (!is_lesser(&topk->items[i], &topk->items[parent]))
			return;
		swap_items(&topk->items[i], &topk->items[parent]);
		i = parent;
	}
}

static void sift_down(TopK *topk)
{
	uint32_t i = 0;
	for (;;) {
		uint32_t least = i;
		for (uint32_t child = 2 * i + 1; child <= 2 * i + 2; child++)
			if (child < topk->count &&
				is_lesser(&topk->items[child], &topk->items[least]))
				least = child;
		if (least == i)
			return;
		swap_items(&topk->items[i], &topk->items[least]);
		i = least;
	}
}

bool topk_would_keep(const TopK *topk, int64_t weight)
{
	if (topk->count < topk->room)
		return true;
	return topk->room > 0 && weight > topk->items[0].weight;
}

bool topk_add(TopK *topk, int64_t weight, const void *payload, size_t bytes)
{
	uint64_t order = topk->seen++;
	if (!topk_would_keep(topk, weight))
		return false;
	bool grows = topk->count < topk->room;
	uint32_t at = grows ? topk->count++ : 0;
	TopKItem *item = &topk->items[at];
	*item = (TopKItem){.weight = weight, .order = order};
	if (bytes > TOPK_PAYLOAD_BYTES)
		bytes = TOPK_PAYLOAD_BYTES;
	if (bytes > 0)
		memcpy(item->payload, payload, bytes);
	if (grows)
		sift_up(topk, at);
	else
		sift_down(topk);
	return true;
}

static int compare_falling(const void *a, const void *b)
{
	return is_lesser(a, b) ? 1 : -1;
}

void topk_sort(TopK *topk)
{
	if (topk->count > 1)
		qsort(topk->items, topk->count, sizeof *topk->items, compare_falling);
}
