/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the tracker share: tracker.c (connections), tracker_predicted.c (its
 * usual packets), tracker_units.c (transfers and jobs), tracker_payload.c, tracker_data.c (FTP data
 * connections) and tracker_trail.c.
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
	uint32_t long_logs;    /* Timeline.long_logs */
};

extern const SessionOps tracker_session_ops;

/* ---- tracker.c */

/** tracker_push_payload: hands new payload of @conv to its session. */
void tracker_push_payload(Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_name_application: asks what @conv is, while nobody knows. */
void tracker_name_application(Tracker *tracker, Conversation *conv, const Packet *packet);

/* ---- tracker_units.c */

/** tracker_account_done: Timeline's callback; @user is the tracker. */
void tracker_account_done(void *user, Account *account);

/** tracker_unit_open: a transfer or a job of @conv that begins at @start_ns; NULL when there are
 * too many, which is counted. */
Unit *tracker_unit_open(Conversation *conv, bool is_job, int64_t start_ns);

/** tracker_unit_close: it ended at @end_ns; its account is done once the timeline has got there. */
void tracker_unit_close(Conversation *conv, Unit *unit, int64_t end_ns);

/** tracker_facts_join: @unit is told with the facts of @conv's connection. */
void tracker_facts_join(Conversation *conv, Unit *unit);

/** tracker_root: the control connection of FTP data, else @conv itself. */
Conversation *tracker_root(Conversation *conv);

/** tracker_units_end: @conv ends; its open units are closed and get @facts. */
void tracker_units_end(Tracker *tracker, Conversation *conv, ConnectionFacts *facts);

/* ---- tracker_payload.c */

/** tracker_before_payload: new payload of @conv is about to reach its session. */
void tracker_before_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_payload: it has. */
void tracker_payload(
	Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

/** tracker_payload_unit: the transfer that payload of @conv counts for now, NULL none. */
Unit *tracker_payload_unit(Conversation *conv);

/** tracker_uncaptured: bytes that were acknowledged and never captured belong to the file as well.
 */
void tracker_uncaptured(Conversation *conv);

/** tracker_repair: @packet repeats bytes of @conv's transfer. */
void tracker_repair(Conversation *conv, const Packet *packet);

/* ---- tracker_data.c */

/** tracker_expected_match: joins a connection that begins to the control connection that announced
 * it. */
void tracker_expected_match(Tracker *tracker, Conversation *conv, const Packet *packet);

/** tracker_expected_forget: @control ends. */
void tracker_expected_forget(Tracker *tracker, const Conversation *control);

/** tracker_data_announced: SessionOps.ftp_data; @user is the control connection. */
void tracker_data_announced(
	void *user, const uint8_t addr[16], uint16_t port, bool client_connects, FileRef *file);

/** tracker_data_failed: whether data connection @data was tried and never established; counted
 * once, for @job (NULL allowed) and for the file it was for. */
bool tracker_data_failed(Unit *job, Conversation *data);

/** tracker_data_unseen: what the server says that it has sent of @unit's file counts; returns what
 * of it the capture lacks. */
uint64_t tracker_data_unseen(Unit *unit);

/** tracker_data_cut_off: the capture of data connection @conv breaks off; what its @unit got
 * afterwards, by the server's word, was not captured. */
void tracker_data_cut_off(
	Conversation *root, const Conversation *conv, Unit *unit, ConnectionFacts *facts);

/** tracker_data_closed: FTP data connection @conv said that it is done: so is a transfer whose end
 * was announced before. */
void tracker_data_closed(Conversation *conv, int64_t now_ns);

/**
 * tracker_given_up: looks whether FTP data connection @conv was closed by a receiver whose data had
 * been sent and did not arrive: it passed here and no timer brought it through, or only the
 * sender's sequence number tells. That is a transfer, too, and was waited for.
 */
void tracker_given_up(Conversation *conv, const Packet *packet, const TcpStep *step);

/* ---- tracker_trail.c */

/** tracker_trail: a packet of @conv with payload, for the trail of its path, which is made at the
 * first loss. */
void tracker_trail(Tracker *tracker, Conversation *conv, const Packet *packet, const TcpStep *step);

#endif
