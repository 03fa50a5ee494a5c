/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels for pauses in the middle of a message: what kept TCP from sending? docs/architecture.md,
 * "Every nanosecond once".
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_GAP_TCP_H
#define SLOWCOPY_ANALYZER_TRANSFER_GAP_TCP_H

#include "analyzer/transfer/conversation.h"

typedef struct GapTcp {
	Bucket bucket;
	int64_t late_ns; /* first part of the pause: the receiver sat on data (slow reader) */
	bool is_repair;  /* a retransmission ended it, or a loss is being repaired */
	bool is_flow;    /* too short to say anything: the link's */
	bool is_queued;
	bool is_after_loss;
	bool relabel_recovery; /* a timer expired: what looked like repair since `stalled_since_ns`
				  was waiting for it */
	int64_t stalled_since_ns;
} GapTcp;

/** gap_tcp_classify: label for the time up to @packet. @new_message: the pause lies before a new
 * message. */
void gap_tcp_classify(Conversation *conv, const Packet *packet, const TcpStep *step,
	bool new_message, GapTcp *ret);

/** gap_tcp_charge: writes the label to the timeline; @side sent the packet, it is its pause. */
void gap_tcp_charge(Conversation *conv, Side side, const Packet *packet, const GapTcp *label);

/**
 * gap_tcp_follows_sender: @side stood at the edge of a window lately, and its newest
 * acknowledgement came after the one before as its data had been sent. Such a sender sends when it
 * is acknowledged and is acknowledged as it sent: only acknowledgements that came twice as far
 * apart as what they acknowledge, as in a slow start, tell the path's spacing.
 */
bool gap_tcp_follows_sender(const Conversation *conv, Side side, int64_t now_ns);

/** gap_tcp_queue: counts @wire bytes acknowledged while a queue stands; @dir of the path. */
void gap_tcp_queue(Conversation *conv, Side side, int64_t now_ns, uint64_t wire, int dir);

#endif
