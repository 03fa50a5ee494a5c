/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A client that does not know of window scaling: see scale_lost.h. RFC 7323 2.2, RFC 9293 3.8.6.1.
 */
#include "analyzer/tcp/scale_lost.h"

/* The same number again and again may be a message of that length. Then the client's own field must
 * look unscaled, too; or the fills follow the window through this many values. */
#define FILL_VALUES_MIN TCP_FILL_VALUES
/* RFC 7323 2.2: a window that does not fit a SYN is cut to this there, and such a field says
 * nothing. */
#define SYN_WINDOW_MAX 65535

void scale_lost_syn(TcpDirection *client, const Packet *packet)
{
	client->syn_window = packet->window;
}

void scale_lost_established(TcpDirection *client, const Packet *packet)
{
	/* who scales divides: the same field would mean a window 2^scale times as large */
	client->is_field_unscaled = client->window_scale > 0 &&
				    client->syn_window < SYN_WINDOW_MAX &&
				    packet->window == client->syn_window;
}

static void forget_scale(TcpConnection *tcp, Side sender)
{
	TcpDirection *d = &tcp->dir[sender], *advertiser = &tcp->dir[1 - (int)sender];
	unsigned shift = advertiser->scale_in_force;
	AckEvent *e;
	/* the first event is the handshake's, whose window was never scaled */
	for (uint32_t i = 0; (e = (AckEvent *)(uintptr_t)tcp_ack_event(d, i)) != NULL; i++) {
		if (i + 1 == d->acks_head)
			break;
		e->window >>= shift;
		e->edge = e->ack + e->window;
	}
	d->peer_window >>= shift;
	d->max_window_after_syn >>= shift;
	d->max_peer_window = d->first_window > d->max_window_after_syn ? d->first_window
								       : d->max_window_after_syn;
	d->edge = d->una + d->peer_window;
	if (d->edge < (int64_t)d->first_window)
		d->edge = d->first_window;
	d->sender_edge = d->edge;
	advertiser->scale_in_force = 0;
}

static void count_fill(TcpDirection *d, uint16_t field)
{
	if (d->fills == 0)
		d->fills_since_ns = d->last_data_ns;
	if (d->fills < UINT8_MAX)
		d->fills++;
	for (unsigned i = 0; i < d->fill_values; i++) {
		if (d->fill_fields[i] == field)
			return;
	}
	if (d->fill_values < TCP_FILL_VALUES)
		d->fill_fields[d->fill_values++] = field;
}

/* Whether the newest window had reached the client before it sent at @now_ns. */
static bool is_newest_known(const TcpConnection *tcp, const TcpDirection *d, int64_t now_ns)
{
	const AckEvent *e = tcp_ack_event(d, 0);
	return e && e->ts_ns + tcp_sender_loop_ns(tcp, SIDE_CLIENT) <= now_ns;
}

void scale_lost_step(TcpConnection *tcp, int64_t now_ns, TcpStep *step)
{
	TcpDirection *d = &tcp->dir[SIDE_CLIENT];
	const TcpDirection *advertiser = &tcp->dir[SIDE_SERVER];
	if (d->is_scale_settled)
		return;
	if (!tcp->handshake_seen || advertiser->scale_in_force == 0 || d->hole_count > 0) {
		d->is_scale_settled = true;
		return;
	}
	if (d->max_window_after_syn == 0) /* what the SYN-ACK allows is not scaled anyhow */
		return;
	int64_t field = d->peer_window >> advertiser->scale_in_force;
	if (step->end < d->una + field || !is_newest_known(tcp, d, now_ns))
		return;
	if (step->end > d->una + field) { /* it uses more than the bare field allows */
		d->is_scale_settled = true;
		return;
	}
	bool is_fill = step->from == d->una && step->len < d->mss;
	if (!is_fill)
		return;
	count_fill(d, (uint16_t)field);
	if (d->fills < SCALE_LOST_FILLS_MIN ||
		(d->fill_values < FILL_VALUES_MIN && !d->is_field_unscaled))
		return;
	d->is_scale_settled = true;
	forget_scale(tcp, SIDE_CLIENT);
	forget_scale(tcp, SIDE_SERVER);
	tcp->is_scale_lost = step->scale_lost = true;
}
