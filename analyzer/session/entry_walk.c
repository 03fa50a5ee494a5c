/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Directory entries behind the head of a long answer: the chain of distances is followed as the
 * bytes pass, without keeping them. Where the capture lacks some the count ends. MS-FSCC 2.4.
 */
#include "analyzer/session/session_private.h"

void entry_walk_begin(SessionFramed *framed, const StreamMessage *m, const Message *message)
{
	EntryWalk *walk = &framed->walk;
	bool is_clear = !(message->flags & (MESSAGE_ENCRYPTED | MESSAGE_COMPRESSED));
	*walk = (EntryWalk){0};
	if (message->entries_next == 0 || message->count != 1 || !is_clear)
		return;
	walk->next = m->start + message->entries_next;
	walk->end = m->end;
	walk->tag = m->tag;
	/* the segment that brought the end of the head holds more */
	if (framed->chunk)
		entry_walk_push(walk, framed->chunk);
}

/* the distance is known: on to the next entry, or the end */
static void step(EntryWalk *walk)
{
	uint32_t distance = (uint32_t)walk->distance[0] | (uint32_t)walk->distance[1] << 8 |
			    (uint32_t)walk->distance[2] << 16 | (uint32_t)walk->distance[3] << 24;
	walk->entries++;
	walk->have = 0;
	walk->next = distance >= DIRECTORY_ENTRY_MIN && walk->next + (int64_t)distance < walk->end
			     ? walk->next + (int64_t)distance
			     : 0;
}

void entry_walk_push(EntryWalk *walk, const SessionChunk *chunk)
{
	int64_t kept_end = chunk->offset + chunk->caplen;
	while (walk->next != 0) {
		int64_t at = walk->next + walk->have;
		if (at < chunk->offset || (at >= kept_end && at < chunk->offset + chunk->len)) {
			/* these bytes are not in the capture */
			walk->next = 0;
			return;
		}
		if (at >= kept_end)
			return;
		walk->distance[walk->have++] = chunk->data[at - chunk->offset];
		if (walk->have == sizeof walk->distance)
			step(walk);
	}
}

uint32_t entry_walk_take(EntryWalk *walk, uint64_t tag)
{
	uint32_t entries = walk->tag == tag ? walk->entries : 0;
	if (walk->tag == tag)
		*walk = (EntryWalk){0};
	return entries;
}
