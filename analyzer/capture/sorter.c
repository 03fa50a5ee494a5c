/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorting within a window: see sorter.h.
 */
#include "analyzer/capture/sorter.h"

#include <stdlib.h>
#include <string.h>

/* One batch more than the room, so that a push always fits. */
#define CELLS (SORTER_ROOM + 64)

typedef struct Cell {
	Packet packet;
	uint8_t *bytes; /* own copy of what the packet points to */
	size_t room;
} Cell;

struct Sorter {
	bool is_active;
	int64_t newest_ns;
	size_t count, lent; /* lent: handed out, at the head of `order` */
	Cell *order[CELLS]; /* by time; cells that are free stand behind `count` */
	Cell cells[CELLS];
};

Sorter *sorter_new(void)
{
	Sorter *sorter = calloc(1, sizeof(Sorter));
	for (size_t i = 0; sorter && i < CELLS; i++)
		sorter->order[i] = &sorter->cells[i];
	return sorter;
}

bool sorter_wants(Sorter *sorter, const Packet *batch, size_t count)
{
	size_t i = 0;
	int64_t newest_ns = sorter->newest_ns;
	while (i < count && batch[i].ts_ns >= newest_ns)
		newest_ns = batch[i++].ts_ns;
	sorter->newest_ns = newest_ns;
	for (; i < count; i++) {
		int64_t back = sorter->newest_ns - batch[i].ts_ns;
		if (back > 0 && back <= SORTER_MAX_STEP_NS)
			sorter->is_active = true;
		/* a clock that was set back starts another time */
		if (back <= 0 || back > SORTER_MAX_STEP_NS)
			sorter->newest_ns = batch[i].ts_ns;
	}
	return sorter->is_active;
}

/* What is not kept in the copy points to nothing but has its length on the wire. */
static void cell_fill(Cell *cell, const Packet *packet)
{
	const uint8_t *from = packet->ip ? packet->ip : packet->payload;
	size_t len = packet->ip ? packet->ip_caplen : packet->payload_caplen;
	if (cell->room < len) {
		uint8_t *bigger = realloc(cell->bytes, len);
		if (bigger) {
			cell->bytes = bigger;
			cell->room = len;
		} else {
			len = 0;
		}
	}
	cell->packet = *packet;
	if (len > 0)
		memcpy(cell->bytes, from, len);
	static const uint8_t nothing[1];
	bool has_payload = len > 0 && packet->payload >= from &&
			   packet->payload + packet->payload_caplen <= from + len;
	cell->packet.ip = packet->ip && len > 0 ? cell->bytes : NULL;
	cell->packet.ip_caplen = cell->packet.ip ? packet->ip_caplen : 0;
	cell->packet.payload = has_payload ? cell->bytes + (packet->payload - from) : nothing;
	if (!has_payload)
		cell->packet.payload_caplen = 0;
}

/* Cells that were handed out go behind the others. */
static void take_back(Sorter *sorter)
{
	Cell *lent[CELLS];
	if (sorter->lent == 0)
		return;
	memcpy(lent, sorter->order, sorter->lent * sizeof(Cell *));
	memmove(sorter->order, sorter->order + sorter->lent,
		(CELLS - sorter->lent) * sizeof(Cell *));
	memcpy(sorter->order + CELLS - sorter->lent, lent, sorter->lent * sizeof(Cell *));
	sorter->count -= sorter->lent;
	sorter->lent = 0;
}

void sorter_push(Sorter *sorter, const Packet *batch, size_t count)
{
	take_back(sorter);
	for (size_t i = 0; i < count && sorter->count < CELLS; i++) {
		Cell *cell = sorter->order[sorter->count];
		cell_fill(cell, &batch[i]);
		size_t at = sorter->count++;
		/* equal times and steps of the clock keep the order of the file */
		while (at > 0) {
			int64_t ahead = sorter->order[at - 1]->packet.ts_ns - cell->packet.ts_ns;
			if (ahead <= 0 || ahead > SORTER_MAX_STEP_NS)
				break;
			sorter->order[at] = sorter->order[at - 1];
			at--;
		}
		sorter->order[at] = cell;
	}
}

size_t sorter_pop(Sorter *sorter, Packet *ret, size_t max, bool at_end)
{
	size_t given = 0;
	take_back(sorter);
	while (given < max && sorter->lent < sorter->count) {
		const Packet *oldest = &sorter->order[sorter->lent]->packet;
		int64_t age = sorter->newest_ns - oldest->ts_ns;
		bool is_due = at_end || sorter->count - sorter->lent > SORTER_ROOM ||
			      age > SORTER_WINDOW_NS || age < 0;
		if (!is_due)
			break;
		ret[given++] = *oldest;
		sorter->lent++;
	}
	return given;
}

bool sorter_is_empty(const Sorter *sorter)
{
	return sorter->count == sorter->lent;
}

void sorter_free(Sorter *sorter)
{
	if (!sorter)
		return;
	for (size_t i = 0; i < CELLS; i++)
		free(sorter->cells[i].bytes);
	free(sorter);
}
