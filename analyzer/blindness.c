/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals without sight: see blindness.h.
 */
#include "analyzer/blindness.h"

#include <stddef.h>
#include <string.h>

/* docs/architecture.md, "Every nanosecond once": a capture that lacks a tenth supports no firm
 * conclusion. */
#define HEAVY_SHARE 0.10

/* The two oldest become one, which says no less than they did. */
static void join_oldest(Blindness *b)
{
	BlindSpan *first = &b->spans[0];
	const BlindSpan *second = &b->spans[1];
	if (second->from_ns < first->from_ns)
		first->from_ns = second->from_ns;
	if (second->to_ns > first->to_ns)
		first->to_ns = second->to_ns;
	first->dropped += second->dropped;
	first->received += second->received;
	b->count--;
	memmove(&b->spans[1], &b->spans[2], (b->count - 1) * sizeof(*b->spans));
}

void blindness_note(
	Blindness *b, int64_t from_ns, int64_t to_ns, uint64_t dropped, uint64_t received)
{
	if (dropped == 0)
		return;
	if (b->count == BLINDNESS_SPANS)
		join_oldest(b);
	b->spans[b->count++] = (BlindSpan){from_ns, to_ns, dropped, received};
}

BlindnessShare blindness_during(const Blindness *b, int64_t from_ns, int64_t to_ns)
{
	BlindnessShare share = {0};
	for (uint32_t i = 0; b && i < b->count; i++) {
		const BlindSpan *s = &b->spans[i];
		if (s->from_ns > to_ns || s->to_ns < from_ns)
			continue;
		share.dropped += s->dropped;
		share.received += s->received;
	}
	return share;
}

bool blindness_is_heavy(const BlindnessShare *share)
{
	return (double)share->dropped >= HEAVY_SHARE * (double)(share->dropped + share->received);
}
