/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Payload that reached a conversation: whose it is, and what its transfer and job make of it.
 */
#include <string.h>

#include "analyzer/constants.h"
#include "analyzer/transfer/tracker_internal.h"

static bool is_unknown(const Conversation *conv)
{
	return conv->session && !conv->control && session_is_unknown(conv->session);
}

__attribute__((noinline)) void tracker_before_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	(void)tracker;
	if (conv->first_payload_ns == 0)
		conv->first_payload_ns = packet->ts_ns;
	/* a new question after a long silence of an unknown protocol begins another bulk period;
	 * time in which the answer was still being repeated or acknowledged is no silence */
	const TcpDirection *answer = &conv->tcp.dir[SIDE_SERVER];
	int64_t end =
		MAX(conv->last_payload_ns, MAX(answer->last_progress_ns, answer->last_data_ns));
	bool is_new_period = conv->unit && conv->unit->is_unframed && step->side == SIDE_CLIENT &&
			     conv->has_last_side && conv->last_side == SIDE_SERVER &&
			     packet->ts_ns - end > JOB_GAP_NS;
	if (is_new_period) {
		Unit *unit = conv->unit;
		conv->unit = NULL;
		conv->first_payload_ns = packet->ts_ns;
		conv->period_base[0] = conv->tcp.dir[0].unique_bytes;
		conv->period_base[1] = conv->tcp.dir[1].unique_bytes;
		tracker_unit_close(conv, unit, end);
	}
	conv->last_payload_ns = packet->ts_ns;
}

/* A connection that opened only after several tries is part of what was waited for. */
static int64_t unknown_start_ns(const Conversation *conv)
{
	const TcpConnection *tcp = &conv->tcp;
	bool is_first = conv->period_base[0] + conv->period_base[1] == 0;
	bool was_retried = tcp->syn_tries > 1 || tcp->syn_ack_tries > 1;
	bool is_at_once = tcp->established_ns > 0 &&
			  conv->first_payload_ns - tcp->established_ns < JOB_GAP_NS;
	was_retried |= conv->begin_ns < tcp->first_ns;
	return is_first && was_retried && is_at_once ? conv->begin_ns : conv->first_payload_ns;
}

Unit *tracker_payload_unit(Conversation *conv)
{
	if (conv->control) {
		if (!conv->unit && conv->ftp_file)
			conv->unit = conv->ftp_file->user;
		if (conv->unit)
			unit_add_stream(conv->unit, conv->stream);
		return conv->unit;
	}
	if (is_unknown(conv)) {
		if (!conv->unit) {
			conv->unit = tracker_unit_open(conv, false, unknown_start_ns(conv));
			if (conv->unit) {
				conv->unit->is_unframed = true;
				conv->unit->protocol = "other";
				for (int i = 0; i < 2; i++)
					conv->unit->payload[i] = conv->tcp.dir[i].unique_bytes -
								 conv->period_base[i];
				return NULL; /* this packet is counted already */
			}
		}
		return conv->unit;
	}
	/* the protocol is known now, the file that was under way when the capture began is not */
	if (!conv->current && conv->unit && conv->unit->is_unframed)
		return conv->unit;
	/* what an FTP control connection carries is no file data */
	return conv->current && !conv->current->is_ftp ? conv->current : NULL;
}

/* Whose pictures a packet is in beside those of its file: between files, and before a request is
 * whole, only the job is known. */
static Unit *pictured_job(const Conversation *conv, const Unit *unit)
{
	if (unit)
		return unit->job;
	Unit *job = conv->job;
	return job && job->series && !job->is_ftp ? job : NULL;
}

/* Apart from tracker_predicted(), which needs little of it. */
__attribute__((noinline)) void tracker_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step)
{
	(void)tracker;
	Unit *unit = tracker_payload_unit(conv);
	Unit *job = pictured_job(conv, unit);
	if (!unit && !job)
		return;
	const TcpDirection *d = &conv->tcp.dir[step->side];
	int64_t from = step->from > step->next_before ? step->from : step->next_before;
	int64_t bytes = step->segment == SEGMENT_NEW ? step->end - from : step->end - step->from;
	if (step->segment == SEGMENT_RETRANSMISSION)
		bytes = step->end - step->next_before;
	if (bytes <= 0)
		return;
	int64_t flight = d->next - d->sender_una;
	Side side = conversation_side(conv, step->side);
	if (flight < 0)
		flight = 0;
	PayloadSample sample = {packet->ts_ns, (uint64_t)bytes, (uint64_t)flight, d->peer_window,
		d->last_rtt_ns > 0 ? tcp_rtt_now_ns(&conv->tcp, step->side) : SERIES_NONE};
	if (job)
		unit_job_payload(job, side, &sample);
	if (!unit)
		return;
	unit_payload(unit, side, &sample);
	if (unit->job) /* requests may be few, or cut off by a short snap length */
		unit->job->last_activity_ns = packet->ts_ns;
	if (conv->control) {
		tracker_facts_join(conv, unit);
		if (unit->ftp.first_byte_ns == 0) {
			unit->ftp.syn_ns = conv->tcp.syn_ns;
			unit->ftp.established_ns = conv->tcp.established_ns;
			unit->ftp.first_byte_ns = packet->ts_ns;
		}
		unit->ftp.last_byte_ns = packet->ts_ns;
		if (unit->job) {
			unit->job->payload[side] += (uint64_t)bytes;
			unit_add_stream(unit->job, conv->stream);
			if (unit->job->facts_payload < d->unique_bytes) {
				unit->job->facts_payload = d->unique_bytes;
				tracker_facts_join(conv, unit->job);
			}
		}
	}
	if (step->segment == SEGMENT_RETRANSMISSION ||
		step->segment == SEGMENT_RETRANSMISSION_UPSTREAM)
		tracker_repair(conv, packet);
}

void tracker_uncaptured(Conversation *conv)
{
	Unit *unit = tracker_payload_unit(conv);
	/* of SMB the messages tell how much was moved */
	if (!unit || !(unit->is_ftp || unit->is_unframed))
		return;
	for (int i = 0; i < 2; i++) {
		uint64_t all = tcp_uncaptured_bytes(&conv->tcp.dir[i]);
		if (all <= conv->uncaptured[i])
			continue;
		unit->payload[conversation_side(conv, (Side)i)] += all - conv->uncaptured[i];
		conv->uncaptured[i] = all;
	}
}

void tracker_repair(Conversation *conv, const Packet *packet)
{
	Unit *unit = conv->unit ? conv->unit : conv->current;
	if (unit && unit->series)
		series_add(unit->series, UNIT_SERIES_RETRANSMISSIONS, packet->ts_ns, 1);
	if (unit && unit->job && unit->job->series)
		series_add(unit->job->series, UNIT_SERIES_RETRANSMISSIONS, packet->ts_ns, 1);
}
