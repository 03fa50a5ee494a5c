/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A heap of open inputs by the time of their next packet, and a list of closed ones by the time of
 * their first.
 */
#include "analyzer/capture/order.h"

typedef struct Entry {
	int64_t ts_ns;
	guint index; /* breaks ties */
	Input *input;
} Entry;

struct Order {
	GArray *heap;    /* Entry: the root is the smallest; only inputs with a queued packet */
	GArray *waiting; /* Entry, sorted: closed inputs */
	guint next_waiting;
	GArray *drained; /* Entry: inputs whose queue ran empty in the last batch */
};

static gint order_compare(gconstpointer a, gconstpointer b)
{
	const Entry *left = a, *right = b;
	if (left->ts_ns != right->ts_ns)
		return left->ts_ns < right->ts_ns ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static Entry *heap_at(Order *order, guint i)
{
	return &g_array_index(order->heap, Entry, i);
}

/* the entry at @i has become larger: moves it down to its place */
static void heap_sink(Order *order, guint i)
{
	for (;;) {
		guint least = i;
		for (guint child = 2 * i + 1; child <= 2 * i + 2; child++) {
			if (child < order->heap->len &&
				order_compare(heap_at(order, child), heap_at(order, least)) < 0)
				least = child;
		}
		if (least == i)
			return;
		Entry entry = *heap_at(order, i);
		*heap_at(order, i) = *heap_at(order, least);
		*heap_at(order, least) = entry;
		i = least;
	}
}

static void heap_push(Order *order, Entry entry)
{
	g_array_append_val(order->heap, entry);
	for (guint i = order->heap->len - 1; i > 0;) {
		guint parent = (i - 1) / 2;
		if (order_compare(heap_at(order, i), heap_at(order, parent)) >= 0)
			break;
		Entry up = *heap_at(order, i);
		*heap_at(order, i) = *heap_at(order, parent);
		*heap_at(order, parent) = up;
		i = parent;
	}
}

static void heap_pop(Order *order)
{
	*heap_at(order, 0) = *heap_at(order, order->heap->len - 1);
	g_array_set_size(order->heap, order->heap->len - 1);
	if (order->heap->len > 0)
		heap_sink(order, 0);
}

/* an input goes on the heap, or is closed when it has no more packets */
static void order_add(Order *order, Entry entry)
{
	const Packet *head = input_head(entry.input);
	if (!head) {
		input_close(entry.input);
		return;
	}
	entry.ts_ns = head->ts_ns;
	heap_push(order, entry);
}

/* opens closed inputs whose turn has come */
static void order_open_due(Order *order)
{
	while (order->next_waiting < order->waiting->len) {
		Entry *next = &g_array_index(order->waiting, Entry, order->next_waiting);
		if (order->heap->len > 0 && order_compare(next, heap_at(order, 0)) > 0)
			return;
		order->next_waiting++;
		if (input_open(next->input, NULL))
			order_add(order, *next);
	}
}

/* opens the input for the first time; those beyond the first few wait closed */
static bool order_open(Order *order, Entry entry, GError **error)
{
	if (!input_open(entry.input, error))
		return false;
	if (entry.index < ORDER_KEEP_OPEN || !input_can_reopen(entry.input)) {
		order_add(order, entry);
		return true;
	}
	const Packet *head = input_head(entry.input);
	if (!head) {
		input_close(entry.input);
		return true;
	}
	entry.ts_ns = head->ts_ns;
	g_array_append_val(order->waiting, entry);
	input_postpone(entry.input);
	return true;
}

Order *order_new(const GPtrArray *inputs, GError **error)
{
	Order *order = g_new0(Order, 1);
	order->heap = g_array_new(FALSE, FALSE, sizeof(Entry));
	order->waiting = g_array_new(FALSE, FALSE, sizeof(Entry));
	order->drained = g_array_new(FALSE, FALSE, sizeof(Entry));
	g_autoptr(GError) first = NULL;
	guint opened = 0;
	for (guint i = 0; i < inputs->len; i++) {
		Entry entry = {.index = i, .input = g_ptr_array_index(inputs, i)};
		opened += order_open(order, entry, first ? NULL : &first);
	}
	g_array_sort(order->waiting, order_compare);
	if (opened > 0)
		return order;
	g_propagate_error(error, g_steal_pointer(&first));
	order_free(order);
	return NULL;
}

size_t order_next(Order *order, Packet *ret, size_t max)
{
	for (guint i = 0; i < order->drained->len; i++)
		order_add(order, g_array_index(order->drained, Entry, i));
	g_array_set_size(order->drained, 0);

	size_t count = 0;
	/* reading on would free what the packets of this batch point to */
	while (count < max && order->drained->len == 0) {
		order_open_due(order);
		if (order->heap->len == 0)
			break;
		Entry *least = heap_at(order, 0);
		Input *input = least->input;
		ret[count++] = *input_head(input);
		input_pop(input);
		if (input_is_drained(input)) {
			g_array_append_val(order->drained, *least);
			heap_pop(order);
		} else {
			least->ts_ns = input_head(input)->ts_ns;
			heap_sink(order, 0);
		}
	}
	return count;
}

void order_free(Order *order)
{
	if (!order)
		return;
	g_array_unref(order->heap);
	g_array_unref(order->waiting);
	g_array_unref(order->drained);
	g_free(order);
}
