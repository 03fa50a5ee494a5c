/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buckets that wall time is divided into. Every nanosecond of a transfer is in exactly one. The
 * order is the precedence; ids are stable and only ever added.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_BUCKET_H
#define SLOWCOPY_ANALYZER_TRANSFER_BUCKET_H

#include <stdint.h>

#include "analyzer/session/session.h"

typedef enum Bucket {
	BUCKET_CAPTURE_GAP,
	BUCKET_NAME_RESOLUTION,
	BUCKET_CONNECTION_SETUP,
	BUCKET_SESSION_SETUP,
	BUCKET_ZERO_WINDOW,
	BUCKET_RTO_STALL,
	BUCKET_TAIL_LOSS,
	BUCKET_LOSS_RECOVERY,
	BUCKET_SLOW_READER,
	BUCKET_RECEIVE_WINDOW,
	BUCKET_DELAYED_ACK_STALL,
	BUCKET_SEND_BUFFER,
	BUCKET_SLOW_START,
	BUCKET_CONGESTION_WINDOW,
	BUCKET_SENDER_STALLED,
	BUCKET_SERVER_PROCESSING,
	BUCKET_ROUND_TRIP,
	BUCKET_CLIENT_THINK,
	BUCKET_LINK,
	BUCKET_OTHER_TRAFFIC,
	BUCKET_COUNT
} Bucket;

/** BucketSide: whom a bucket points at, for the one-word blame of the first screen. */
typedef enum BucketSide {
	BUCKET_SIDE_NETWORK,
	BUCKET_SIDE_CLIENT,
	BUCKET_SIDE_SERVER,
	BUCKET_SIDE_SENDER,
	BUCKET_SIDE_RECEIVER,
	BUCKET_SIDE_CAPTURE,
	BUCKET_SIDE_PROTOCOL
} BucketSide;

/** bucket_id: stable id, "receive-window"; static. */
const char *bucket_id(Bucket bucket);

/** bucket_title: words for people, "receive window"; static. */
const char *bucket_title(Bucket bucket);

/** bucket_side: whose time this is. */
BucketSide bucket_side(Bucket bucket);

/** op_class_id: "read", "open"…; static. */
const char *op_class_id(OpClass op_class);

#endif
