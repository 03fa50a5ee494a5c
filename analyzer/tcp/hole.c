/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holes: see hole.h.
 */
#include "analyzer/tcp/hole.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/constants.h"

bool hole_find(const TcpDirection *d, int64_t from, int64_t to, uint32_t *ret_index)
{
	for (uint32_t i = 0; i < d->hole_count; i++) {
		if (d->holes[i].from < to && from < d->holes[i].to) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* Takes [from, to) out of the holes; returns how many bytes of it were in one. */
int64_t holes_fill(TcpDirection *d, int64_t from, int64_t to)
{
	int64_t filled = 0;
	Hole split = {0};
	bool has_split = false;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->hole_count; i++) {
		Hole h = d->holes[i];
		int64_t a = h.from > from ? h.from : from, b = h.to < to ? h.to : to;
		if (a >= b) {
			d->holes[kept++] = h;
			continue;
		}
		filled += b - a;
		if (h.from < a && b < h.to) {
			split = h;
			split.from = b;
			has_split = true;
		}
		if (h.from < a) {
			h.to = a;
			d->holes[kept++] = h;
		} else if (b < h.to) {
			h.from = b;
			d->holes[kept++] = h;
		}
	}
	d->hole_count = kept;
	if (has_split && d->hole_count < TCP_MAX_HOLES)
		d->holes[d->hole_count++] = split;
	return filled;
}

void hole_push(TcpDirection *d, const Hole *hole)
{
	if (!d->holes) {
		d->holes = calloc(TCP_MAX_HOLES, sizeof(Hole));
		if (!d->holes)
			return;
	}
	if (d->hole_count == TCP_MAX_HOLES) { /* the oldest will hardly be repaired any more */
		d->uncaptured_bytes += (uint64_t)(d->holes[0].to - d->holes[0].from);
		memmove(d->holes, d->holes + 1, sizeof(Hole) * --d->hole_count);
	}
	d->holes[d->hole_count++] = *hole;
}

void hole_open(TcpDirection *d, int64_t from, int64_t to, int64_t now_ns)
{
	hole_push(
		d, &(Hole){.from = from, .to = to, .opened_ns = now_ns, .acknowledged_ns = now_ns});
}

void holes_acknowledged(TcpDirection *d, int64_t ack, int64_t now_ns)
{
	for (uint32_t i = 0; i < d->hole_count; i++) {
		if (d->holes[i].to <= ack && d->holes[i].acknowledged_ns == 0)
			d->holes[i].acknowledged_ns = now_ns;
	}
}

void holes_expire(TcpConnection *tcp, Side side, int64_t now_ns, TcpStep *step)
{
	TcpDirection *d = &tcp->dir[side];
	for (uint32_t i = 0; i < d->hole_count; i++) {
		const Hole *h = &d->holes[i];
		if (h->acknowledged_ns == 0 || now_ns - h->acknowledged_ns <= CAPTURE_ORDER_NS)
			continue;
		step->gap_side = side;
		step->gap_from = h->from;
		step->gap_to = h->to;
		step->gap_opened_ns = h->opened_ns;
		d->uncaptured_bytes += (uint64_t)(h->to - h->from);
		d->hole_count--;
		memmove(&d->holes[i], &d->holes[i + 1], sizeof(Hole) * (d->hole_count - i));
		return;
	}
}
