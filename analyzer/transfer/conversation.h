/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection with everything that hangs on it: TCP state, session, timeline, trains. The unit the packet loop
 * works on.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_CONVERSATION_H
#define SLOWCOPY_ANALYZER_TRANSFER_CONVERSATION_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/session/session.h"
#include "analyzer/tcp/connection.h"
#include "analyzer/transfer/timeline.h"

struct Job;

/** Conversation: lives from the first packet to its end in the flow table. */
typedef struct Conversation {
	TcpConnection tcp;
	Session *session;        /* NULL until the first payload, and for connections without one */
	Timeline *timeline;      /* own, or that of the FTP control connection; NULL until needed */
	bool owns_timeline;
	bool client_is_low;      /* the client is the low end of the flow key */
	bool is_ftp_data;
	bool has_last_side;
	uint8_t last_side;       /* side that sent the last payload */
	uint16_t input;
	uint32_t stream;
	uint8_t addr[2][16];     /* by Side */
	uint16_t port[2];
	Path *path;
	Train data_train[2], ack_train[2]; /* by Side that sends the data */
	int64_t queue_since_ns[2]; /* a queue has stood since; 0 no */
	int64_t queue_una[2];
	uint64_t queue_bytes[2];
	uint64_t gaps_unlabelled;
	struct Conversation *control; /* of FTP data */
	uint32_t data_connections;    /* of an FTP control connection: open ones on its timeline */
	FileRef *ftp_file;            /* of FTP data: the transfer it belongs to, NULL once that ended */
	struct Job *job;
	struct Transfer *bulk;        /* of an unknown protocol: the bulk period under way */
	void *classifier;             /* nDPI's state while the application is unknown */
	const char *application;      /* static or NULL */
	uint8_t payload_seen;         /* payload packets shown to the classifier */
	void *record;                 /* the analysis' own */
} Conversation;

#endif
