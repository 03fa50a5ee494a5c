/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a path's trail is told: see trail.h.
 */
#include "analyzer/transfer/tracker_internal.h"

__attribute__((noinline)) void tracker_trail(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	int way = path_way(conv->client_is_low, step->side);
	PathDirection *d = &conv->path->dir[way];
	uint32_t bytes = packet->wirelen; /* limiters do not count what is no frame */
	if (!d->trail) {
		if (d->is_trail_refused)
			return;
		d->trail = trail_new(&tracker->trails, packet->ts_ns);
		if (!d->trail) {
			d->is_trail_refused = true;
			tracker->counts.trails_refused++;
			return;
		}
	}
	if (step->was_lost) {
		int64_t grown = tcp_rtt_now_ns(&conv->tcp, step->side) - tcp_rtt_ns(&conv->tcp);
		trail_lose(d->trail, conv->stream, step->from, step->len, bytes, step->missed_ns,
			grown);
	}
	trail_pass(d->trail, packet->ts_ns, conv->stream, step->from, step->len, bytes);
}
