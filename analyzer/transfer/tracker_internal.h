/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tracker.c and tracker_units.c share.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_TRACKER_INTERNAL_H
#define SLOWCOPY_ANALYZER_TRANSFER_TRACKER_INTERNAL_H

#include <glib.h>

#include "analyzer/transfer/tracker.h"

/* Data connections announced and not yet seen; the oldest is forgotten. */
#define TRACKER_MAX_EXPECTED 256
/* An announced data connection comes within this, or never. */
#define EXPECTED_MAX_AGE_NS (120 * INT64_C(1000000000))

/* One whose port is not known could be any: who asks for a data connection makes it at once. */
#define EXPECTED_ANY_AGE_NS (10 * INT64_C(1000000000))

/** Expected: a data connection that an FTP control connection announced. */
typedef struct Expected {
	Conversation *control;
	FileRef *file;
	uint8_t addr[16]; /* of the listening side */
	uint16_t port;    /* 0: any */
	bool client_connects;
	int64_t announced_ns;
} Expected;

struct Tracker {
	TrackerOps ops;
	TrackerLimits limits;
	TrackerCounts counts;
	GHashTable *paths; /* Path, by address pair */
	GQueue *expected;  /* Expected, oldest first */
	Classifier *classifier;
	Approaches *approaches;
	uint32_t open_units;
	uint64_t serial;
	GHashTable *open_jobs; /* Unit, by serial */
	GHashTable *sessions;  /* tracker_channel.h */
	int64_t swept_ns;      /* when unused paths were last looked for */
	uint32_t trails;       /* of all paths now */
};

extern const SessionOps tracker_session_ops;

/** tracker_account_done: Timeline's callback; @user is the tracker. */
void tracker_account_done(void *user, Account *account);

/** tracker_expected_match: joins a connection that begins to the control connection that announced
 * it. */
void tracker_expected_match(Tracker *tracker, Conversation *conv, const Packet *packet);

/** tracker_expected_forget: @control ends. */
void tracker_expected_forget(Tracker *tracker, const Conversation *control);

/** tracker_before_payload: new payload of @conv is about to reach its session. */
void tracker_before_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_payload: it has. */
void tracker_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_uncaptured: bytes that were acknowledged and never captured belong to the file as well.
 */
void tracker_uncaptured(Conversation *conv);

/** tracker_trail: a packet of @conv with payload, for the trail of its path, which is made at the
 * first loss. */
void tracker_trail(Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_repair: @packet repeats bytes of @conv's transfer. */
void tracker_repair(Conversation *conv, const Packet *packet);

/**
 * tracker_given_up: looks whether FTP data connection @conv was closed by a receiver whose data had
 * been sent and did not arrive: it passed here and no timer brought it through, or only the
 * sender's sequence number tells. That is a transfer, too, and was waited for.
 */
void tracker_given_up(Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_data_closed: FTP data connection @conv said that it is done: so is a transfer whose end
 * was announced before. */
void tracker_data_closed(Conversation *conv, int64_t now_ns);

/** tracker_units_end: @conv ends; its open units are closed and get @facts. */
void tracker_units_end(Tracker *tracker, Conversation *conv, ConnectionFacts *facts);

#endif
