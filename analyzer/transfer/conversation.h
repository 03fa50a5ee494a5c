/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection with everything that hangs on it: TCP state, session, timeline, trains. The unit the
 * packet loop works on.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_CONVERSATION_H
#define SLOWCOPY_ANALYZER_TRANSFER_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/session.h"
#include "analyzer/tcp/connection.h"
#include "analyzer/transfer/timeline.h"

struct Unit;
struct Tracker;
struct ConnectionFacts;
struct ClassifierFlow;
struct Approach;

/** Conversation: lives from the first packet to its end in the flow table. */
typedef struct Conversation {
	/* a cache line each, in the order in which packets need them */
	Session *session;             /* NULL until the first payload */
	Timeline *timeline;           /* own_timeline, or that of the FTP control connection */
	Path *path;                   /* NULL until the first payload */
	struct Conversation *control; /* of FTP data */
	struct Conversation
		*data_list;   /* of an FTP control connection: its open data connections */
	struct Unit *current; /* whose READ or WRITE was asked last */
	struct Unit *unit; /* of FTP data and unknown protocols: the unit its payload counts for */
	void *attempt;     /* approach.c's, while it is not answered */

	bool client_is_low; /* the client is the low end of the flow key */
	bool is_flipped;    /* FTP data opened by the server: sides are the other way round than on
			       `control` */
	bool was_ftp_data;  /* its control connection ended first */
	bool is_syn_repeat; /* FTP data whose SYN came so late that those before it were lost */
	bool has_given_up;  /* FTP data: `closed_side` left while the other's data did not arrive */
	uint8_t closed_side;  /* side that closed first, at `closed_ns` */
	bool is_failed;       /* FTP data that was tried and never established; counted once */
	bool is_path_refused; /* counted once */
	bool has_last_side;
	bool is_ending;    /* no more packets come: files that close now were not closed */
	bool is_named;     /* the application is known, or not wanted */
	uint8_t last_side; /* side that sent the last payload */
	uint32_t stream;
	struct Unit *job; /* open job of an SMB or FTP session */
	int64_t first_payload_ns, last_payload_ns;
	int64_t queue_una[2];
	uint16_t input;
	bool is_usual; /* has a session and a path, and nothing of FTP data or tries hangs on it:
			  tracker_predicted() may take its packets */

	TcpConnection tcp;
	int64_t queue_since_ns[2]; /* a queue has stood since; 0 no */

	Timeline own_timeline;
	uint64_t queue_bytes[2];
	int64_t edge_ns[2];       /* when this side last stood at the edge of a window; 0 never */
	uint64_t queue_others[2]; /* bytes that others had sent the same way then */
	int64_t queue_against[2]; /* end of what the other side had sent then */
	uint8_t addr[2][16];      /* by Side */
	uint16_t port[2];
	uint64_t uncaptured[2]; /* bytes that the capture lacks and the unit has been given */
	struct Conversation *data_next;
	int64_t closed_ns;       /* of FTP data: a side closed it; 0 not yet */
	int64_t data_done_ns;    /* of an FTP control connection: a data connection closed then */
	int64_t data_unseen_ns;  /* of one: the answer at this time tells of data that passed unseen
				  */
	FileRef *ftp_file;       /* of FTP data: the file it carries while that is open */
	struct Unit *units;      /* open transfers of this session, newest first */
	int64_t last_auth_ns;    /* last answer to a log-in message */
	uint64_t period_base[2]; /* unknown protocol: bytes before this bulk period */
	bool had_job;
	struct ClassifierFlow *classifier; /* nDPI's state while the application is unknown */
	const char *application;           /* static or NULL */
	struct ConnectionFacts *facts;     /* made when the first unit refers to it */
	struct Tracker *tracker;
	struct Conversation *primary;  /* of a channel: the connection whose SMB3 session it
					  joined and whose timeline it shares */
	struct Conversation *channels; /* those that joined this one's */
	struct Conversation *channel_next;
	struct SmbIdentity *identity; /* tracker_channel.c's; NULL before the log-in */
	int64_t begin_ns;             /* first packet, or what the client waited for before it */
	struct Approach *approach;    /* NULL: nothing came before it */
} Conversation;

_Static_assert(offsetof(Conversation, tcp) % 64 == 0 && sizeof(TcpDirection) % 64 == 0 &&
		       offsetof(Conversation, own_timeline) % 64 == 0,
	"lines of 64 bytes: the user area of a flow begins on one");

/** conversation_side: @side of @conv as its timeline counts sides (FTP data opened by the server is
 * turned). */
static inline Side conversation_side(const Conversation *conv, Side side)
{
	if (!conv->is_flipped)
		return side;
	return side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
}

#endif
