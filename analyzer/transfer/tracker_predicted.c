/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The usual packets of the usual connection: new data in the middle of a message, acknowledgements
 * of more. They need few of tracker_packet()'s questions, and are nearly all there is.
 */
#include "analyzer/transfer/gap.h"
#include "analyzer/transfer/tracker_internal.h"

/* The pictures of the file that new data belong to, and of its job. */
static void take_pictures(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	Unit *unit = conv->current;
	if (!unit || unit->is_ftp || session_is_unknown(conv->session)) {
		tracker_payload(tracker, conv, packet, step);
		return;
	}
	const TcpDirection *d = &conv->tcp.dir[step->side];
	PayloadSample sample = {packet->ts_ns, step->len, (uint64_t)MAX(d->flight_at_stop, 0),
		d->peer_window,
		d->last_rtt_ns > 0 ? tcp_rtt_now_ns(&conv->tcp, step->side) : SERIES_NONE};
	Side side = conversation_side(conv, step->side);
	if (unit->job) {
		unit_job_payload(unit->job, side, &sample);
		unit->job->last_activity_ns = packet->ts_ns;
	}
	unit_payload(unit, side, &sample);
}

static void take_data(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	const Turn *turn = session_turn(conv->session);
	uint64_t left = turn->message_left[step->side];
	if (conv->unit || conv->first_payload_ns == 0)
		tracker_before_payload(tracker, conv, packet, step);
	conv->last_payload_ns = packet->ts_ns;
	Turn before;
	bool is_skipped = session_skip(
		conv->session, step->side, step->from, step->len, packet->ts_ns, packet->frame);
	if (!is_skipped) {
		before = *turn;
		tracker_push_payload(conv, packet, step);
	}
	if (!conv->is_named)
		tracker_name_application(tracker, conv, packet);
	take_pictures(tracker, conv, packet, step);
	if (is_skipped) {
		if (left > 0 && turn->is_framed && gap_goes_on(conv, packet, step, turn))
			return;
		/* inside a body only the count of what is left changes */
		before = *turn;
		before.message_left[step->side] = left;
	}
	gap_step(conv, packet, step, &before, turn);
}

/* In one piece of code; what is rare is called. */
__attribute__((flatten)) bool tracker_predicted(
	Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low)
{
	if (!conv->is_usual)
		return false;
	Side side = from_low == conv->client_is_low ? SIDE_CLIENT : SIDE_SERVER;
	TcpStep step;
	int64_t server_loop = conv->tcp.loop_ns[SIDE_SERVER];
	if (!tcp_connection_predicted(&conv->tcp, side, packet, &step))
		return false;
	if (conv->tcp.loop_ns[SIDE_SERVER] != server_loop)
		session_set_server_loop(conv->session, conv->tcp.loop_ns[SIDE_SERVER]);
	if (step.len > 0)
		take_data(tracker, conv, packet, &step);
	else if (step.clock_jumped)
		gap_step(conv, packet, &step, session_turn(conv->session),
			session_turn(conv->session));
	if (step.clock_ran)
		gap_clock_ran(conv, side);
	if (step.len == 0) {
		gap_ack_train(conv, side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT, packet->ts_ns);
		return true;
	}
	gap_data_train(conv, side, packet);
	if (conv->path->dir[from_low ? 0 : 1].trail)
		tracker_trail(tracker, conv, packet, &step);
	return true;
}
