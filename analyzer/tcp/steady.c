/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steady connections: see steady.h.
 */
#include "analyzer/tcp/steady.h"

static bool direction_is_steady(const TcpDirection *d)
{
	return d->has_seq && d->has_edge && !d->fin_seen && !d->rst_seen && d->hole_count == 0 &&
	       d->sacked_count == 0 && !d->in_recovery && d->repair_end == 0 &&
	       d->bare_next <= d->next && !d->last_was_probe && d->stale_in_row == 0 &&
	       d->zero_window_since_ns == 0;
}

bool steady_holds(const TcpConnection *tcp)
{
	return tcp->state == TCP_STATE_OPEN && tcp->first_ns != 0 &&
	       (tcp->established_ns != 0 || tcp->syn_ack_ns == 0) &&
	       direction_is_steady(&tcp->dir[0]) && direction_is_steady(&tcp->dir[1]);
}
