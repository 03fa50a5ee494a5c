/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result of an analysis: all that a report may see, sealed once made. Every number two formats
 * need is here; formats compute no verdict. Times without "duration" in their comment are
 * nanoseconds since the first packet of the first input; INT64_MIN is "unknown" for times and
 * durations, UINT64_MAX for counters, -1 for small signed fields. Strings are clean UTF-8 without
 * control characters; all memory belongs to the Result.
 */
#ifndef SLOWCOPY_ANALYZER_RESULT_H
#define SLOWCOPY_ANALYZER_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "analyzer/session/session.h"
#include "analyzer/session/session_stats.h"
#include "analyzer/transfer/bucket.h"
#include "analyzer/transfer/operation_sample.h"

#define RESULT_UNKNOWN_NS INT64_MIN
#define RESULT_UNKNOWN_COUNT UINT64_MAX

typedef enum Severity { SEVERITY_INFO, SEVERITY_MINOR, SEVERITY_MAJOR, SEVERITY_CRITICAL } Severity;
typedef enum Confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH } Confidence;
typedef enum Vantage { VANTAGE_UNKNOWN, VANTAGE_CLIENT, VANTAGE_MIDDLE, VANTAGE_SERVER } Vantage;
typedef enum ClosedBy {
	CLOSED_BY_CAPTURE_END,
	CLOSED_BY_FIN,
	CLOSED_BY_RST,
	CLOSED_BY_TIMEOUT
} ClosedBy;

/** Range: low <= high, same unit. */
typedef struct NsRange {
	int64_t low, high;
} NsRange;
typedef struct RateRange {
	double low, high; /* bytes per second; 0,0 unknown */
} RateRange;

typedef struct ResultInput {
	const char *path, *format, *compression;
	uint64_t packets, bytes;
	int64_t damaged_at; /* byte offset, -1 none */
	const char *damage; /* sentence or NULL */
} ResultInput;

typedef struct ResultCaveat {
	const char *id; /* cause id of causes.md 3G, such as "capture-offload-frames" */
	uint64_t count;
	const char *text;
} ResultCaveat;

typedef struct ResultCount {
	const char *name;
	uint64_t count;
} ResultCount;

typedef struct ResultLimit {
	const char *limit;
	uint64_t count;
	const char *effect;
} ResultLimit;

typedef struct ResultCapture {
	int64_t first_packet_ns; /* since the epoch */
	int64_t duration_ns;
	uint64_t packets, bytes, captured_bytes;
	const char *const *link_types; /* names such as "EN10MB" */
	size_t link_type_count;
	uint32_t snaplen;
	int64_t dropped_packets; /* -1 unknown */
	char grade;              /* 'A' to 'D' */
	const ResultCaveat *caveats;
	size_t caveat_count;
	const ResultCount *ignored; /* in order of PacketKind; with the packets of connections they
				       add up to packets */
	size_t ignored_count;
} ResultCapture;

typedef struct ResultEndpoint {
	uint8_t addr[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint16_t port;
} ResultEndpoint;

typedef struct ResultDirection {
	uint64_t packets, payload_packets, payload_bytes, unique_bytes;
	uint64_t retransmitted_packets, retransmitted_bytes, timeout_retransmissions,
		fast_retransmissions;
	uint64_t spurious_retransmissions, reordered_packets, duplicate_packets, uncaptured_bytes,
		duplicate_acks, keep_alives;
	uint32_t mss_bytes; /* from the SYN, 0 unknown */
	int window_scale;   /* as announced, -1 unknown or absent */
	bool sack_permitted, timestamps;
	int64_t min_rtt_ns, median_rtt_ns,
		max_rtt_ns; /* durations; of data sent this way, both loops together */
	uint64_t max_in_flight_bytes;
	uint64_t max_window_bytes; /* largest window the sender of this direction advertised, scaled
				    */
	int64_t window_full_ns; /* duration the sender of this direction stood at the peer's right
				   edge */
	uint64_t zero_windows;  /* advertised by the sender of this direction */
	int64_t zero_window_ns; /* duration during which it advertised zero */
	uint32_t max_segment_bytes;
} ResultDirection;

typedef struct ResultConnection {
	uint32_t stream; /* Wireshark's tcp.stream within its input */
	uint16_t input;
	ResultEndpoint client, server;
	const char *protocol;    /* "smb1", "smb2", "ftp", "ftp-data", "netbios", "other" */
	const char *application; /* nDPI's name, or NULL */
	int64_t start_ns, duration_ns;
	bool handshake_seen;
	int64_t initial_rtt_ns, min_rtt_ns;     /* durations; min_rtt: both loops, smallest */
	int64_t client_loop_ns, server_loop_ns; /* durations: capture point to that host and back */
	Vantage vantage;
	ClosedBy closed_by;
	double capacity_bytes_per_s[2]; /* by Side that sends: what the path carried, 0 unknown */
	bool capacity_proven[2]; /* long, even trains or a standing queue: may be printed as a speed
				  */
	ResultDirection direction[2]; /* [SIDE_CLIENT] client to server */
	bool middlebox_terminated;
} ResultConnection;

/** ResultPhase: one bar of what came before the first byte of a file. */
typedef struct ResultPhase {
	const char
		*phase; /* "name-lookup", "failed-connects", "connect", or a session_phase_id() */
	int64_t start_ns, duration_ns;
	int64_t busy_ns;    /* of the duration: waiting for answers; the rest lies between them */
	uint32_t exchanges; /* questions, tries, requests */
	const char *how;    /* "DNS", "refused"…, NULL */
} ResultPhase;

/* Bars of one session: name look-up, failed tries, connecting, and what the session has. */
#define RESULT_PHASES (3 + PHASE_COUNT)

typedef struct ResultSession {
	const uint32_t *streams;
	size_t stream_count;
	uint16_t input;
	bool became_smb2;   /* SMB1 as far as the NEGOTIATE that was answered in SMB2 */
	SessionStats stats; /* its strings and arrays belong to the Result here, its times are since
			       the epoch */
	const ResultPhase *phases; /* by start */
	size_t phase_count;
	int64_t first_data_ns; /* first byte of the first read, write or transfer command */
	int64_t bins_start_ns; /* where stats.bins begin */
} ResultSession;

typedef struct ResultBucket {
	Bucket bucket;
	int64_t ns;
} ResultBucket;

typedef struct ResultSlice {
	int64_t start_ns, duration_ns;
	uint64_t start_bytes; /* file bytes moved before it */
	double bytes_per_s;
	Bucket dominant;
} ResultSlice;

/** ResultSeries: adaptive bins over a transfer; bin i covers start_ns + i * bin_ns. Arrays of
 * bin_count or NULL. */
typedef struct ResultSeries {
	int64_t start_ns, bin_ns;
	size_t bin_count;
	const uint64_t *bytes;     /* payload bytes of the bulk direction in the bin */
	const uint64_t *in_flight; /* largest bytes in flight; RESULT_UNKNOWN_COUNT without data */
	const uint64_t *window;    /* largest receive window; the same */
	const int64_t *rtt_ns;     /* largest RTT sample, RESULT_UNKNOWN_NS none */
	const uint32_t *requests_in_flight; /* largest */
	const uint32_t *retransmissions;
	const uint8_t *dominant; /* Bucket with most time in the bin */
} ResultSeries;

/** ResultFtpTimes: durations of the phases of an FTP transfer, RESULT_UNKNOWN_NS when an end of one
 * was not seen; negative when what is named last came first. */
typedef struct ResultFtpTimes {
	int64_t prepare_to_connect_ns;  /* PORT, PASV… to the SYN of the data connection */
	int64_t connect_ns;             /* its handshake */
	int64_t command_to_reply_ns;    /* RETR, STOR… to the 1xx reply */
	int64_t reply_to_first_byte_ns; /* 1xx reply to the first byte of data */
	int64_t last_byte_to_done_ns;   /* last byte of data to the final reply */
} ResultFtpTimes;

/** ResultAssumption: what the user asked "what if" about; 0 where nothing was said. */
typedef struct ResultAssumption {
	bool is_given;
	double rtt_ns, bytes_per_s; /* on the wire, headers and framing included */
	double window_bytes, request_bytes, depth;
} ResultAssumption;

/** ResultOutlook: a transfer under the assumption. */
typedef struct ResultOutlook {
	NsRange duration_ns;
	RateRange bytes_per_s;
	Bucket limit;        /* what would bind then */
	const char *formula; /* "64 KiB / 50 ms = 1.3 MB/s" or NULL */
	bool uses_requests;  /* request and depth matter: an SMB copy of enough requests */
} ResultOutlook;

/** ResultFix: a step of the fixes of one transfer, each made after those before it. */
typedef struct ResultFix {
	uint32_t finding;      /* index into Result.findings */
	NsRange saved_ns;      /* duration, by it and those before it together */
	NsRange duration_ns;   /* of the transfer then */
	RateRange bytes_per_s; /* then */
} ResultFix;

typedef struct ResultTransfer {
	const char *id; /* "T1", or "J1" for a job */
	bool is_job;    /* several files and the work between them, by one client on one session */
	const uint32_t *streams;
	size_t stream_count;
	uint16_t input;
	ResultEndpoint client, server;
	const char *protocol;     /* "smb1", "smb2", "ftp", "other" */
	bool is_write;            /* direction as the client sees it */
	const char *file, *share; /* NULL unknown; of a job: NULL */
	uint64_t files;           /* 1, of a job: how many */
	bool is_listing;          /* FTP: of a folder, no file */
	uint64_t listings;        /* of an FTP job: beside its files */
	uint64_t files_unseen;    /* of an FTP job: beside them, of which no byte was captured */
	uint64_t bytes;           /* file data moved in the main direction */
	int64_t start_ns, duration_ns;
	uint64_t requests; /* data requests */
	uint64_t request_bytes_median, request_bytes_max;
	double requests_in_flight_mean;
	uint32_t requests_in_flight_max;
	ResultBucket budget[BUCKET_COUNT]; /* every bucket in order, zero or not; the ns sum to
					      duration_ns exactly */
	/* the two buckets that are told by class of request, which sum to their ns */
	int64_t round_trip_ns[OP_CLASS_COUNT], server_ns[OP_CLASS_COUNT];
	const ResultSlice *slices;
	size_t slice_count;
	ResultSeries series;
	const OperationSample *operations; /* by request time; the longest and a spread of others */
	size_t operation_count;
	const uint32_t *findings; /* indices into Result.findings, by rank */
	size_t finding_count;
	const ResultFix *fixes; /* the surest and largest first */
	size_t fix_count;
	const ResultOutlook *outlook; /* NULL: nothing was assumed, or too little is known */
	double capacity_bytes_per_s;  /* of the main direction, 0 unknown */
	bool capacity_proven;
	int64_t rtt_ns;
	bool is_ftp_file;   /* ftp is set */
	ResultFtpTimes ftp; /* of one file over FTP */
} ResultTransfer;

/** result_class_ns: what requests of @op_class have of @bucket; 0 where that is not told. */
static inline int64_t result_class_ns(
	const ResultTransfer *transfer, Bucket bucket, OpClass op_class)
{
	if (bucket == BUCKET_ROUND_TRIP)
		return transfer->round_trip_ns[op_class];
	return bucket == BUCKET_SERVER_PROCESSING ? transfer->server_ns[op_class] : 0;
}

typedef enum NumberKind {
	NUMBER_BYTES,
	NUMBER_NS,
	NUMBER_COUNT,
	NUMBER_RATE,
	NUMBER_PERCENT,
	NUMBER_NAME
} NumberKind;

/** ResultNumber: a typed measure, so that every format shows every cause without knowing it. */
typedef struct ResultNumber {
	const char *label;
	NumberKind kind;
	double value;     /* bytes, ns, count, bytes per second, percent */
	const char *name; /* NUMBER_NAME */
} ResultNumber;

typedef struct ResultEvidence {
	uint16_t input;
	uint64_t frame;
	int64_t time_ns;
	const char *note;
} ResultEvidence;

typedef enum ScopeKind {
	SCOPE_TRANSFER,
	SCOPE_CONNECTION,
	SCOPE_SESSION,
	SCOPE_HOST_PAIR,
	SCOPE_CAPTURE
} ScopeKind;

typedef struct ResultFinding {
	const char *id;    /* "F1" by rank */
	const char *cause; /* id of causes.md */
	Severity severity;
	Confidence confidence;
	ScopeKind scope;
	const char *scope_id; /* "T1", stream number, "10.0.0.1-10.0.0.2", "" */
	int32_t transfer;     /* index of the transfer or job it was found in, -1 none */
	const char *title;    /* from the cause */
	const char *sentence; /* what happened here, with numbers */
	const char *explanation;
	const char *fix; /* short imperative for the FIX line, NULL when there is none */
	const char *const *advice;
	size_t advice_count;
	const char *doubt;     /* why we are (not) sure, NULL */
	const char *next_test; /* the one test that would settle it; NULL for facts and high
				  confidence */
	int64_t lost_ns;
	NsRange saved_ns;
	RateRange predicted_bytes_per_s;
	double ceiling_bytes_per_s;  /* 0 none */
	const char *ceiling_formula; /* "64 KiB / 7.5 ms = 8.7 MB/s" or NULL */
	const ResultNumber *numbers;
	size_t number_count;
	const ResultEvidence *evidence;
	size_t evidence_count;
	const char *filter; /* Wireshark display filter that selects at least the evidence frames,
			       or NULL */
} ResultFinding;

typedef struct ResultRuledOut {
	const char *cause;
	const char *because; /* with the number that rules it out */
} ResultRuledOut;

typedef struct ResultVerdict {
	const char *cause; /* NULL: nothing is wrong or nothing can be said */
	int32_t finding;   /* index, -1 none */
	int32_t transfer;  /* the transfer or job it speaks of, -1 none */
	Confidence confidence;
	const char *blame; /* "CLIENT", "SERVER", "NETWORK", "CAPTURE" or NULL */
	const char *sentence;
	double measured_bytes_per_s, ceiling_bytes_per_s; /* 0 unknown */
	const char *ceiling_formula;
	RateRange predicted_bytes_per_s;
	NsRange saved_ns;
	const ResultRuledOut *ruled_out;
	size_t ruled_out_count;
} ResultVerdict;

/** ResultHostWay: what one host of a pair sent to the other. */
typedef struct ResultHostWay {
	uint64_t bytes;     /* file data */
	double bytes_per_s; /* of the fastest transfer that way, 0 none */
	uint32_t transfers;
	uint64_t read_bytes, written_bytes; /* fetched by the host that receives; brought by the one
					       that sends */
	double read_bytes_per_s, written_bytes_per_s; /* fastest of either, 0 none */
	int32_t slowest; /* the largest transfer that way (index), whose time is told; -1 none */
	Bucket dominant; /* where most of its time went... */
	double dominant_share;        /* ...0..1; 0 none */
	double capacity_bytes_per_s;  /* what the path carried, 0 unknown or not proven */
	double reference_bytes_per_s; /* what a test program or another application moved that way
					 without being a transfer; 0 none */
	const char *reference;        /* its name, NULL none */
} ResultHostWay;

typedef struct ResultHostPair {
	uint8_t a[16], b[16];
	ResultHostWay a_to_b, b_to_a;
	const char *const *protocols;
	size_t protocol_count;
	int32_t worst_finding;   /* index, -1 none */
	double asymmetry;        /* rate of the faster way over that of the slower; 0 unknown */
	Bucket asymmetry_bucket; /* what costs the slower way most more per byte */
	const char
		*asymmetry_text; /* a sentence, NULL when both ways are alike or one is missing */
} ResultHostPair;

/** ResultShare: one of several transfers that ran at the same time. */
typedef struct ResultShare {
	int32_t transfer;   /* index */
	double bytes_per_s; /* while others ran */
	double share;       /* of what all moved then, 0..1 */
	bool is_starved;    /* less than half of an even share, held back by the network */
} ResultShare;

/** ResultSharing: transfers that ran at the same time from or to one host. */
typedef struct ResultSharing {
	uint8_t host[16];
	bool host_sends;
	int64_t start_ns, duration_ns; /* duration: while two or more ran */
	double bytes_per_s;            /* of all together then */
	const ResultShare *shares;     /* by start */
	size_t share_count;
} ResultSharing;

/** ResultUdpFlow: datagrams one way; most bytes first. */
typedef struct ResultUdpFlow {
	uint16_t input;
	ResultEndpoint from, to;
	const char *program; /* "iperf3", "iperf2", "netio", or NULL */
	uint64_t datagrams, bytes;
	int64_t start_ns, duration_ns;
	double bytes_per_s;
	uint64_t lost,
		late; /* before the capture point; RESULT_UNKNOWN_COUNT when nobody can tell */
	const char *numbered_by; /* "own numbers", "IP identification", or NULL */
	uint64_t first_frame;
} ResultUdpFlow;

typedef enum OwedBy { OWED_BY_UNKNOWN, OWED_BY_CLIENT, OWED_BY_SERVER, OWED_BY_NETWORK } OwedBy;

typedef struct ResultStall {
	uint32_t stream;
	uint16_t input;
	int64_t start_ns, duration_ns;
	OwedBy owed_by;
	Bucket bucket;
	uint64_t frame; /* the packet that ended it */
} ResultStall;

/** PauseFrames: Ethernet frames that ask for silence (IEEE 802.3 annex 31B). */
typedef struct PauseFrames {
	uint64_t count;
	int64_t first_ns, last_ns;
	uint64_t first_frame;
} PauseFrames;

typedef struct Result {
	const ResultInput *inputs;
	size_t input_count;
	ResultCapture capture;
	ResultAssumption assumption;
	ResultVerdict verdict;
	const ResultConnection *connections; /* by input and stream */
	size_t connection_count;
	const ResultSession *sessions;
	size_t session_count;
	const ResultTransfer *transfers; /* one file each, by start */
	size_t transfer_count;
	const ResultTransfer *jobs; /* several files each; findings and verdict index transfers
				       first, then jobs */
	size_t job_count;
	const ResultFinding *findings; /* by rank */
	size_t finding_count;
	const ResultHostPair *host_pairs;
	size_t host_pair_count;
	const ResultSharing *sharings; /* by start, bounded */
	size_t sharing_count;
	const ResultUdpFlow *udp_flows; /* most bytes first, bounded */
	size_t udp_flow_count;
	const ResultStall *stalls; /* longest first, bounded */
	size_t stall_count;
	const ResultLimit *limits;
	size_t limit_count;
	bool is_partial;          /* an input was damaged or reading was stopped */
	uint64_t internal_errors; /* invariants of ours that did not hold; 0 */
	void *arena;
} Result;

/** result_transfer: transfer or job by the index findings use; NULL for -1. */
const ResultTransfer *result_transfer(const Result *result, int32_t index);

/** result_free: frees everything; NULL is allowed. */
void result_free(Result *result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Result, result_free)

#endif
