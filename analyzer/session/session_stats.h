/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session says of itself in the report: dialect, security, credits, and per command how
 * often and how long.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_SESSION_STATS_H
#define SLOWCOPY_ANALYZER_SESSION_SESSION_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/session.h"

/** TimeStats: response times in ns; quantiles within 1 % (log-linear histogram), all 0 when count
 * is 0. */
typedef struct TimeStats {
	uint64_t count;
	int64_t min_ns, median_ns, p95_ns, max_ns, mean_ns;
} TimeStats;

typedef struct CommandStats {
	MessageProtocol protocol;
	uint16_t command;
	uint64_t requests, responses, errors, pending;
	TimeStats response_time; /* last byte of the request to last byte of the final answer */
	TimeStats server_time; /* to the first byte of the answer, less the network loop and waiting
				  behind earlier answers */
} CommandStats;

/** SessionStats: one SMB or FTP session as far as this connection carried it. Strings are static or
 * live with the session. */
typedef struct SessionStats {
	const char *protocol; /* "smb1", "smb2", "ftp" */
	const char *dialect;  /* "NT LM 0.12", "2.0.2"… NULL unknown */
	const char *offered[16];
	size_t offered_count;
	bool over_netbios, is_signed, is_encrypted, is_compressed, multi_credit;
	bool signing_required, client_requires_signing;
	bool multichannel;        /* both sides can */
	bool binding_seen;        /* this connection joined the session of another */
	uint32_t interfaces;      /* of the server, by its list of interfaces; 0 unknown */
	bool interfaces_scale;    /* at least one of them spreads over processors (RSS) */
	uint64_t breaks;          /* oplocks and leases that the server called back */
	bool client_offered_smb2; /* SMB1 sessions: why SMB1 was chosen */
	bool negotiate_seen;
	uint32_t max_read_bytes, max_write_bytes, max_buffer_bytes;
	uint32_t max_requests;        /* SMB1 MaxMpxCount, 0 unknown */
	bool large_read, large_write; /* SMB1 capabilities */
	int32_t credits_min;          /* lowest balance during work on files, INT32_MIN unknown */
	uint16_t cipher, signing_algorithm;
	bool has_signing_algorithm;
	uint64_t session_id;
	const CommandStats *commands; /* in order of command code, only those seen */
	size_t command_count;
	uint64_t anomalies;        /* malformed or unknown messages */
	uint64_t resyncs;          /* times message framing was lost and found again */
	uint64_t requests_dropped; /* forgotten because of a cap */
	uint64_t files_dropped;
	bool ftp_ascii, ftp_tls;
} SessionStats;

/**
 * session_stats: numbers of @session so far. server_time is empty while no server loop is known
 * (session_set_server_loop). Returns false when the session is of no protocol of ours. Lifetime:
 * until the next call on @session.
 */
bool session_stats(Session *session, SessionStats *ret);

#endif
