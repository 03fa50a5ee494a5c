/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows conversations from their first packet to their end: makes sessions, joins FTP data
 * connections to their control connection, and turns what sessions tell into units. The packet loop
 * calls it once per packet.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_TRACKER_H
#define SLOWCOPY_ANALYZER_TRANSFER_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/flow/classify_ndpi.h"
#include "analyzer/session/session_stats.h"
#include "analyzer/transfer/approach.h"
#include "analyzer/transfer/conversation.h"
#include "analyzer/transfer/unit.h"

typedef struct Tracker Tracker;

/* A session is at rest after three times the pause that separates jobs: whatever began before that
 * pause was over has shown itself. */
#define TRACKER_REST_NS (6 * INT64_C(1000000000))

/** ConnectionFacts: what stays of a connection when it has ended. Owned by the tracker's listener.
 */
typedef struct ConnectionFacts {
	TcpConnection tcp; /* its rings are gone */
	uint32_t stream;
	uint16_t input;
	uint8_t addr[2][16];
	uint16_t port[2];
	const char *protocol;    /* static */
	const char *application; /* static or NULL */
	Path *path;
	bool client_is_low;
	bool is_ftp_data;
	bool is_syn_repeat; /* of FTP data: SYNs before the first one here were lost */
	bool has_session;
	bool timed_out;
	bool has_ended;       /* else the connection goes on: numbers as of tracker_facts_now */
	bool owns_commands;   /* session.commands is freed with it */
	uint64_t mark;        /* the listener's */
	SessionStats session; /* valid during connection_done only, unless the listener copies it */
	uint32_t units;       /* units that refer to it */
	Approach approach;    /* before its first packet; begin_ns 0 unknown */
} ConnectionFacts;

/** TrackerOps: what the tracker tells. */
typedef struct TrackerOps {
	/** a unit is complete: its account adds up. Ownership of @unit passes to the listener. */
	void (*unit_done)(void *user, Unit *unit);
	/** a connection has ended. @facts is the listener's from now on
	 * (connection_facts_free). Called before its
	 * last units are done. */
	void (*connection_done)(void *user, ConnectionFacts *facts);
	/** nothing moved for @ns from @start_ns on; @span tells where and why. May be NULL. */
	void (*stalled)(void *user, uint16_t input, const Span *span, int64_t start_ns, int64_t ns);
	void *user;
} TrackerOps;

/** TrackerLimits: caps, 0 takes the default; and what the user knows. */
typedef struct TrackerLimits {
	uint32_t max_units;      /* open at one time, default 20000 */
	uint32_t max_paths;      /* host pairs, default 20000 */
	double link_bytes_per_s; /* the user's word on the bottleneck, 0 none */
	int64_t stall_ns;        /* shortest pause that `stalled` is told of, default a second */
	struct SmbKeyring *smb_keys; /* opens encrypted SMB3 sessions; NULL none; borrowed */
	bool is_unpredicted;         /* every packet goes the long way (steady.h) */
} TrackerLimits;

/** TrackerCounts: what was given up. */
typedef struct TrackerCounts {
	uint64_t units_refused, paths_refused, trails_refused, small_units_dropped, sums_wrong;
} TrackerCounts;

Tracker *tracker_new(const TrackerOps *ops, const TrackerLimits *limits);

/** tracker_begin: @conv (zeroed, in the flow's user area) starts with @packet. */
void tracker_begin(
	Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low, uint32_t stream);

/** tracker_prefetch: asks for the memory that a packet of @conv touches first; reads nothing of it.
 */
void tracker_prefetch(const Conversation *conv);

/** tracker_prefetch_deep: some packets later, what the conversation points to and a packet with
 * payload touches. */
void tracker_prefetch_deep(const Conversation *conv, bool from_low);

/** tracker_predicted: tracker_packet() for the usual packet of the usual conversation (steady.h);
 * of any other false, and nothing is done. */
bool tracker_predicted(Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low);

/** tracker_packet: one packet of @conv; @from_low: as flow_key_of says. */
void tracker_packet(Tracker *tracker, Conversation *conv, const Packet *packet, bool from_low);

/** tracker_udp: a UDP packet: it may be the look-up of a name. */
void tracker_udp(Tracker *tracker, const Packet *packet);

/** tracker_is_reuse: @packet is a SYN that opens another connection between the same ports (RFC
 * 9293 3.6.1). */
bool tracker_is_reuse(const Conversation *conv, const Packet *packet);

/** tracker_end: @conv ends at @now_ns (closed, idle, evicted, end of capture). Its memory may be
 * reused afterwards. */
void tracker_end(Tracker *tracker, Conversation *conv, int64_t now_ns, bool timed_out);

/**
 * tracker_rest: for connections that live for weeks: at @now_ns, a job of @conv after which nothing
 * has happened for TRACKER_REST_NS ends as it would at the next request.
 */
void tracker_rest(Conversation *conv, int64_t now_ns);

/** tracker_facts_now: the facts that units of the living @conv refer to, as of now; their session's
 * strings live until the next packet. */
void tracker_facts_now(Conversation *conv);

/** tracker_job_is_open: whether the job with that serial goes on, so that its files belong
 * together. */
bool tracker_job_is_open(const Tracker *tracker, uint64_t serial);

/** connection_facts_free: before tracker_free; NULL is allowed. */
void connection_facts_free(ConnectionFacts *facts);

TrackerCounts tracker_counts(const Tracker *tracker);

/** tracker_free: conversations must have ended; paths live until here. NULL is allowed. */
void tracker_free(Tracker *tracker);

#endif
