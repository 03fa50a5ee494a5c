/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of buckets and operation classes: see bucket.h.
 */
#include "analyzer/transfer/bucket.h"

typedef struct BucketName {
	const char *id, *title;
	BucketSide side;
} BucketName;

static const BucketName names[BUCKET_COUNT] = {
	[BUCKET_CAPTURE_GAP] = {"capture-gap", "not captured", BUCKET_SIDE_CAPTURE},
	[BUCKET_NAME_RESOLUTION] = {"name-resolution", "name look-up", BUCKET_SIDE_NETWORK},
	[BUCKET_CONNECTION_SETUP] = {"connection-setup", "connecting", BUCKET_SIDE_NETWORK},
	[BUCKET_SESSION_SETUP] = {"session-setup", "session set-up", BUCKET_SIDE_SERVER},
	[BUCKET_ZERO_WINDOW] = {"zero-window", "receiver full", BUCKET_SIDE_RECEIVER},
	[BUCKET_RTO_STALL] = {"rto-stall", "retransmission timer", BUCKET_SIDE_NETWORK},
	[BUCKET_TAIL_LOSS] = {"tail-loss", "last packet lost", BUCKET_SIDE_NETWORK},
	[BUCKET_LOSS_RECOVERY] = {"loss-recovery", "loss repair", BUCKET_SIDE_NETWORK},
	[BUCKET_SLOW_READER] = {"slow-reader", "receiver reads slowly", BUCKET_SIDE_RECEIVER},
	[BUCKET_RECEIVE_WINDOW] = {"receive-window", "receive window", BUCKET_SIDE_RECEIVER},
	[BUCKET_DELAYED_ACK_STALL] = {"delayed-ack-stall", "delayed ACK", BUCKET_SIDE_PROTOCOL},
	[BUCKET_SEND_BUFFER] = {"send-buffer", "send buffer", BUCKET_SIDE_SENDER},
	[BUCKET_SLOW_START] = {"slow-start", "slow start", BUCKET_SIDE_NETWORK},
	[BUCKET_CONGESTION_WINDOW] = {"congestion-window", "congestion window",
		BUCKET_SIDE_NETWORK},
	[BUCKET_SENDER_STALLED] = {"sender-stalled", "sender stalled", BUCKET_SIDE_SENDER},
	[BUCKET_SERVER_PROCESSING] = {"server-processing", "server", BUCKET_SIDE_SERVER},
	[BUCKET_ROUND_TRIP] = {"round-trip", "round trips", BUCKET_SIDE_PROTOCOL},
	[BUCKET_CLIENT_THINK] = {"client-think", "client", BUCKET_SIDE_CLIENT},
	[BUCKET_LINK] = {"link", "link", BUCKET_SIDE_NETWORK},
	[BUCKET_OTHER_TRAFFIC] = {"other-traffic", "other traffic", BUCKET_SIDE_NETWORK},
};

const char *bucket_id(Bucket bucket)
{
	return names[bucket].id;
}

const char *bucket_title(Bucket bucket)
{
	return names[bucket].title;
}

BucketSide bucket_side(Bucket bucket)
{
	return names[bucket].side;
}

const char *op_class_id(OpClass op_class)
{
	static const char *const ids[OP_CLASS_COUNT] = {"other", "open", "read", "write", "flush",
		"lock", "dir", "meta", "close", "auth", "ftp"};
	return ids[op_class];
}
