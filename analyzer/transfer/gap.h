/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives every pause a label: what was the party that had to send next waiting for? Blames the last
 * thing that had to happen. docs/architecture.md, "Life of a packet"-2.12.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_GAP_H
#define SLOWCOPY_ANALYZER_TRANSFER_GAP_H

#include "analyzer/transfer/conversation.h"

/**
 * gap_step: labels the time up to @packet on the conversation's timeline, if @packet is what that
 * time waited for.
 * @step: what TCP made of it. @before, @after: who owed the next byte before and after it.
 */
void gap_step(Conversation *conv, const Packet *packet, const TcpStep *step, const Turn *before,
	const Turn *after);

/** gap_goes_on: gap_step() for a predicted segment (steady.h) in the middle of its side's message
 * of a framed session, when it only lengthens the burst under way; else false, and nothing is done.
 * @turn: who owed the next byte before it; its own side's part is not asked for. */
bool gap_goes_on(Conversation *conv, const Packet *packet, const TcpStep *step, const Turn *turn);

/** gap_clock_ran: a packet of @side showed that the clock had not jumped: the time set aside was
 * the path's, which held the other side's packets. */
void gap_clock_ran(Conversation *conv, Side side);

/** gap_trains: feeds the packet to the path's capacity estimate. */
void gap_trains(Conversation *conv, const Packet *packet, const TcpStep *step);

/** gap_data_train, gap_ack_train: gap_trains() for a predicted segment of @side, and for a
 * predicted acknowledgement of @sender's data at @now_ns. */
void gap_data_train(Conversation *conv, Side side, const Packet *packet);
void gap_ack_train(Conversation *conv, Side sender, int64_t now_ns);

/** gap_closes: a side has said that it is done; what the capture lacks will not come any more. */
void gap_closes(Conversation *conv);

/** gap_given_up: at @to_ns the receiver of @sender's data stopped waiting for them, while the
 * sender's timers ran; @packet shows it. */
void gap_given_up(Conversation *conv, Side sender, int64_t to_ns, const Packet *packet);

/** gap_end: the conversation ends; time up to the last acknowledgement of its data is labelled. */
void gap_end(Conversation *conv);

#endif
