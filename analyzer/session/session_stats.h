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

/* Bins of a response-time picture: bin i counts times of 2^i up to 2^(i+1) microseconds, the first
 * one also shorter ones, the last one (36 minutes) also longer ones. */
#define SESSION_TIME_BINS 32
/* Bins of a request-size picture: bin i counts sizes of 2^i up to 2^(i+1) bytes, the first also 0.
 */
#define SESSION_SIZE_BINS 32

typedef struct CommandStats {
	MessageProtocol protocol;
	uint16_t command;
	uint64_t requests, responses, errors, pending;
	TimeStats response_time; /* last byte of the request to last byte of the final answer */
	TimeStats server_time; /* to the first byte of the answer, less the network loop and waiting
				  behind earlier answers */
	uint32_t response_bins[SESSION_TIME_BINS];
} CommandStats;

/** SizeLimit: what kept the requests of a session as small as they were. */
typedef enum SizeLimit {
	SIZE_LIMIT_UNKNOWN,
	SIZE_LIMIT_PROGRAM,        /* more was allowed: the program asked for little */
	SIZE_LIMIT_SERVER,         /* the server's MaxReadSize or MaxWriteSize */
	SIZE_LIMIT_CLIENT_OFFER,   /* 64 KiB: the client never offered more */
	SIZE_LIMIT_SERVER_REFUSED, /* 64 KiB: the server did not take the offer */
	SIZE_LIMIT_NETBIOS,        /* 64 KiB: no more fits the NetBIOS session service */
	SIZE_LIMIT_DIALECT,        /* SMB1 has no more */
	SIZE_LIMIT_CREDITS,        /* the credits at hand paid for no more */
} SizeLimit;

/** SizeStats: what reads or writes asked for, bytes; all 0 when count is 0. */
typedef struct SizeStats {
	uint64_t count;
	uint64_t min, median, max; /* of half the bytes the request was at least @median */
	uint64_t bins[SESSION_SIZE_BINS];
	SizeLimit limit;
} SizeStats;

/** PhaseKind: what happens before the first byte of a file. */
typedef enum PhaseKind {
	PHASE_NETBIOS,  /* session request of port 139 */
	PHASE_GREETING, /* FTP 220 */
	PHASE_NEGOTIATE,
	PHASE_LOGIN,    /* session setup; USER, PASS, AUTH */
	PHASE_CONNECT,  /* tree connect */
	PHASE_REFERRAL, /* DFS */
	PHASE_OPEN,
	PHASE_PREPARE, /* FTP PORT, PASV */
	PHASE_OTHER,
	PHASE_COUNT
} PhaseKind;

/** SessionPhase: exchanges of one kind before the first read or write; times in ns since the epoch,
 * 0 when there was none. */
typedef struct SessionPhase {
	int64_t start_ns; /* first byte of the first request; 0 for the greeting */
	int64_t end_ns;   /* last byte of the last answer */
	int64_t busy_ns;  /* sum of the response times: the rest of the span is between them */
	uint32_t exchanges;
} SessionPhase;

/* Paths told of per session: those most was waited for. */
#define SESSION_FILES 64
/* Bins of the pictures over time. */
#define SESSION_BINS 64
/* Kinds of anomalies counted apart; more than the dissectors have. */
#define SESSION_ANOMALY_KINDS 24

/** FileActivity: what was done with one path, over all its opens. Strings live as those of
 * SessionStats. */
typedef struct FileActivity {
	const char *name, *share; /* clean UTF-8, share "" unknown */
	bool is_directory;
	uint64_t size;       /* last told by the server, 0 unknown */
	uint64_t operations; /* answered requests */
	uint64_t errors;     /* of them refused, not-found ones included */
	uint64_t opens;      /* that succeeded; FTP: transfers */
	uint64_t not_found;
	uint64_t asked_again; /* opens and look-ups after the first one of this path */
	uint64_t reads, writes, lists;
	uint64_t metadata; /* questions about and changes of attributes, ioctls, locks, flushes */
	uint64_t read_bytes, written_bytes;
	uint64_t reread_bytes; /* asked for although they lie below what was read before */
	uint64_t hardly_read;  /* opens for reading, with an oplock or lease, of which less than a
				  tenth was read: the client had the rest */
	int64_t busy_ns;       /* while at least one of its requests was unanswered */
	int64_t metadata_ns;   /* response times of metadata, opens and closes */
	int64_t longest_ns;    /* longest response time */
} FileActivity;

/** SessionBin: a slice of time. */
typedef struct SessionBin {
	uint32_t in_flight;  /* most reads and writes outstanding */
	int32_t credits_low; /* lowest balance, INT32_MIN unknown */
} SessionBin;

/** AnomalyCount: @kind is static. */
typedef struct AnomalyCount {
	const char *kind;
	uint64_t count;
} AnomalyCount;

/** SessionCounts: what else passed, most of it SMB2. */
typedef struct SessionCounts {
	uint64_t messages, signed_messages, encrypted_messages, compressed_messages;
	uint64_t related, unrelated; /* members of compounds behind the first */
	uint64_t async, cancels;     /* answers that said "pending"; cancelled */
	uint64_t breaks, break_acks; /* oplocks and leases called back; acknowledged */
	uint64_t opens, not_found;   /* all opens answered; names that were not there */
	uint64_t oplocks_asked, oplocks_granted, leases_asked, leases_granted;
	uint64_t durable_asked, durable_granted, persistent_granted;
	uint64_t copies;       /* server-side copies (FSCTL_SRV_COPYCHUNK) */
	uint64_t copied_bytes; /* and what they moved */
	uint64_t notifies;     /* change notifications asked for */
	uint64_t directory_queries, directory_entries;
	uint64_t referrals;     /* DFS */
	uint64_t hardly_read;   /* sum of FileActivity.hardly_read */
	uint64_t multipart;     /* SMB1: parts of transactions behind the first */
	uint64_t raw_transfers; /* SMB1: raw reads and writes */
	uint64_t oem_names;     /* SMB1: names that were no Unicode */
	uint64_t credits_charged, credits_granted;
	int32_t credits_left; /* at the end, INT32_MIN unknown */
	int32_t credits_max;  /* INT32_MIN unknown */
	uint64_t hidden;      /* encrypted messages that stayed closed */
	uint64_t netbios_refused,
		netbios_retargeted; /* session requests answered so, RFC 1002 5.3 */
	uint64_t netbios_keep_alives;
} SessionCounts;

/** SessionTransport: what carries the messages. */
typedef enum SessionTransport {
	TRANSPORT_DIRECT,  /* TCP, any port but 139; FTP */
	TRANSPORT_NETBIOS, /* the NetBIOS session service on TCP */
	TRANSPORT_NBF,     /* NetBIOS frames over 802.2 */
	/* without connections: counted, not timed */
	TRANSPORT_UDP_DATAGRAM,
	TRANSPORT_NBF_DATAGRAM,
	TRANSPORT_IPX,
} SessionTransport;

/** SessionStats: one SMB or FTP session as far as this connection carried it. Strings are static or
 * live with the session. */
typedef struct SessionStats {
	const char *protocol; /* "smb1", "smb2", "ftp" */
	const char *dialect;  /* "NT LM 0.12", "2.0.2"… NULL unknown */
	const char *offered[16];
	size_t offered_count;
	SessionTransport transport;
	bool over_netbios, is_signed, is_encrypted, is_compressed, multi_credit;
	bool signing_required, client_requires_signing;
	bool multichannel;        /* both sides can */
	bool binding_seen;        /* this connection joined the session of another */
	uint32_t interfaces;      /* of the server, by its list of interfaces; 0 unknown */
	bool interfaces_scale;    /* at least one of them spreads over processors (RSS) */
	uint64_t breaks;          /* oplocks and leases that the server called back */
	bool client_offered_smb2; /* SMB1 sessions: why SMB1 was chosen */
	/* SMB1 NEGOTIATE requests that were answered in SMB2: commands of SMB1 in a session that is
	   none */
	uint64_t upgrades;
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
	SizeStats read_size, write_size;
	SessionPhase phases[PHASE_COUNT];
	int64_t first_data_ns; /* first byte of the first read, write or transfer command; 0 none */
	uint64_t inferred;     /* requests or answers whose header the snap length cut */
	uint64_t unpaired_replies; /* answers whose request was not captured */
	SessionCounts counts;
	const FileActivity *files; /* most waited for first */
	size_t file_count;
	uint64_t files_forgotten; /* paths that gave way to others */
	const SessionBin *bins;   /* from the first read or write on */
	size_t bin_count;
	int64_t bins_start_ns, bin_ns; /* since the epoch; width */
	AnomalyCount anomaly_kinds[SESSION_ANOMALY_KINDS];
	size_t anomaly_kind_count;
} SessionStats;

/** session_cipher_name: "AES-128-GCM"…, NULL for none; static. */
const char *session_cipher_name(const SessionStats *stats);

/** session_signing_name: the algorithm that signatures of this dialect have, NULL unknown; static.
 */
const char *session_signing_name(const SessionStats *stats);

/** session_transport_id: "direct", "netbios", "nbf"…; static. */
const char *session_transport_id(SessionTransport transport);

/** session_phase_id: "negotiate"…; static. session_size_limit_id: "server"…; static. */
const char *session_phase_id(PhaseKind kind);
const char *session_size_limit_id(SizeLimit limit);

/**
 * session_stats: numbers of @session so far. server_time is empty while no server loop is known
 * (session_set_server_loop). Returns false when the session is of no protocol of ours. Lifetime:
 * until the next call on @session.
 */
bool session_stats(Session *session, SessionStats *ret);

#endif
