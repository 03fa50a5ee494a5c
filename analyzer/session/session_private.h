/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of a session share: its inside, and how requests and answers pass through it. Not
 * for other floors.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_SESSION_PRIVATE_H
#define SLOWCOPY_ANALYZER_SESSION_SESSION_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/histogram.h"
#include "analyzer/session/file.h"
#include "analyzer/session/request.h"
#include "analyzer/session/session.h"
#include "analyzer/session/session_stats.h"
#include "analyzer/session/stream.h"
#include "dissectors/protocol.h"

/* Different commands counted per session: SMB1 has at most 256 codes, SMB2 19, FTP 68; what is
 * beyond is counted as an anomaly. */
#define SESSION_MAX_COMMANDS 320

/** SessionKind: what a session does that depends on the kind of protocol. */
typedef struct SessionKind {
	/** message: one decoded message; @m is its frame of bytes, not complete yet. */
	void (*message)(Session *session, Side side, StreamMessage *m, const Message *message);
	/** before_reply, after_reply: @request has its final answer (or was given up), around the
	 * listener's reply(). */
	void (*before_reply)(Session *session, Request *request, int64_t now_ns);
	void (*after_reply)(Session *session, Request *request, int64_t now_ns);
	/** framing: @m of @side is not a message on its own, or its bytes are complete. */
	void (*passed)(Session *session, Side side, const StreamMessage *m);
	/** end: the connection is over; requests were given up before. */
	void (*end)(Session *session, int64_t now_ns);
} SessionKind;

/** CommandCounter: one row of the statistics. */
typedef struct CommandCounter {
	MessageProtocol protocol;
	uint16_t command;
	uint64_t requests, responses, errors, pending;
	Histogram response_time, server_time;
	uint32_t response_bins[SESSION_TIME_BINS];
} CommandCounter;

/** SizeCounter: sizes that reads or writes asked for. */
typedef struct SizeCounter {
	Histogram bytes; /* weighted by themselves */
	uint64_t count, bins[SESSION_SIZE_BINS];
	uint64_t credits_known, credits_short; /* requests with a known balance; with none left */
} SizeCounter;

/** Trees: tree id to share; the oldest is forgotten when there are too many. */
typedef struct SmbTree {
	uint32_t tree_id;
	uint64_t session_id;
	SmbShare *share;
} SmbTree;
typedef struct SmbTrees {
	SmbTree *rows; /* NULL until the first; by age */
	uint32_t count, room, limit;
} SmbTrees;

/** ExpectRow: the last read or write of a row of them; what the next one will be like. */
typedef struct ExpectRow {
	bool is_valid;
	MessageProtocol protocol;
	MessageVerb verb;
	MessageKind kind; /* MESSAGE_REQUEST or MESSAGE_OPAQUE */
	uint16_t command, credit_charge, credits;
	uint32_t flags, tree_id;
	uint32_t run; /* how many alike came before it */
	uint64_t session_id, request_id, offset, length;
	uint64_t id_step; /* from one request id to the next */
	uint64_t total;   /* bytes with framing */
	uint64_t opaque_length;
	uint8_t file_id[FILE_ID_LEN];
} ExpectRow;

/** Expectation: what messages must be whose headers the snap length cut. */
typedef struct Expectation {
	ExpectRow request;
	uint64_t read_overhead; /* bytes of an answer to a read beside the data; 0 unknown */
	uint64_t read_total;    /* of the last answer to a read; 0 unknown */
	uint64_t write_total;   /* bytes of an answer to a write; 0 unknown */
	uint64_t opaque_total;  /* bytes of the last encrypted answer to a read; 0 unknown */
	uint64_t opaque_length; /* and its size inside */
	uint32_t unproven[2];   /* guesses by side since a header was seen */
	uint64_t proven_tag;    /* last message of the client whose header was seen */
} Expectation;

/** SmbState: an SMB connection beyond its requests and files. */
typedef struct SmbState {
	SmbTrees trees;
	FileCell *compound_file; /* of the member before; held */
	MessageNegotiation offer, choice;
	bool offer_seen, choice_seen;
	bool saw_smb1, saw_smb2, saw_netbios;
	bool saw_binding, interfaces_scale;
	bool handles_cut;     /* a file was opened whose handle the snap length cut */
	bool handles_overlap; /* two of them were open at a time */
	uint32_t interfaces;
	uint64_t breaks;
	int32_t credits; /* balance; meaningful when credits_known */
	int32_t credits_min;
	bool credits_known, credits_lost;
	uint64_t session_id;
	uint64_t messages, signed_messages; /* after set-up */
	uint64_t encrypted, compressed;
	struct SmbDecryptor *decryptor; /* NULL without keys */
	FileCell *opaque_file;          /* stands for all files of an encrypted session */
	uint64_t opaque_sequence;
	Expectation expected;
} SmbState;

/** FtpState: an FTP control connection beyond its requests. */
typedef struct FtpState {
	FileCell *next_file;    /* prepared by PORT or PASV, taken by the transfer command */
	struct FtpData *data;   /* data connections whose sessions live */
	int64_t reply_first_ns; /* first line of a long reply, 0 when none is under way */
	uint64_t sequence;      /* ids of requests: answers come in their order */
	uint64_t rest;          /* REST for the next transfer */
	char *sized_name;       /* SIZE was asked of this name, heap; NULL none */
	uint64_t size;          /* and was this; 0 unknown */
	bool is_logged_in;
	bool is_binary; /* TYPE I or L; RFC 959 3.1.1.1: text when nothing was said */
	bool any_ascii; /* a file was transferred as text */
	bool is_tls;
	bool data_is_private; /* PROT P: data connections are encrypted too */
} FtpState;

/** ActivityRow: one path while it is counted. */
typedef struct ActivityRow {
	uint64_t key;    /* hash of share and name */
	char *name;      /* heap */
	SmbShare *share; /* a reference; NULL unknown */
	FileActivity sum;
	uint64_t used;         /* Activity.answers when it was last asked for */
	uint64_t highest;      /* end of the furthest read */
	int64_t busy_until_ns; /* what busy_ns covers */
} ActivityRow;

/** Activity: paths and pictures of one session; session_activity.c. */
typedef struct Activity {
	ActivityRow *rows; /* NULL until the first */
	uint32_t count, room;
	uint64_t forgotten;
	uint64_t answers;      /* counted so far */
	struct Series *series; /* NULL until the first read or write */
	FileActivity *files;   /* of the last session_stats() */
	SessionBin *bins;
} Activity;

/** EntryWalk: counts the directory entries of a long answer as its bytes pass. */
typedef struct EntryWalk {
	int64_t next; /* stream offset of the next entry; 0 no walk */
	int64_t end;  /* of the message */
	uint64_t tag;
	uint32_t entries;
	uint8_t distance[4]; /* NextEntryOffset, as far as it was seen */
	uint8_t have;
} EntryWalk;

/** SessionFramed: a session whose protocol is known. */
typedef struct SessionFramed {
	const Protocol *protocol;
	const SessionKind *kind;
	DissectorState state;
	StreamContext context;
	MessageSink sink;
	EntryWalk walk; /* of the server's side */
	Stream streams[2];
	RequestTable requests;
	FileTable files;
	CommandCounter *counters;
	uint32_t counter_count, counter_room;
	SizeCounter sizes[2]; /* reads, writes */
	SessionPhase phases[PHASE_COUNT];
	int64_t first_data_ns;
	CommandStats *stats_rows;  /* of the last session_stats(), NULL */
	const SessionChunk *chunk; /* being pushed; NULL between */
	StreamMessage *message;    /* whose header is being decoded */
	const uint8_t *staged;     /* its first bytes, during the call */
	size_t staged_len;
	const Extent *extent;
	Side message_side;
	uint64_t last_tag;
	StreamMessage compound[2]; /* part of a large compound, by side; tag 0: none */
	int64_t previous_reply_first_ns, previous_reply_last_ns;
	bool is_confirmed;  /* a message was decoded: the protocol is right */
	bool has_doubt;     /* some requests are doubtful */
	bool has_failed;    /* the first bytes were none of its messages */
	bool has_emitted;   /* the decoder made something of the message */
	bool has_retracted; /* some requests are */
	bool is_inferring;  /* the message handled now is a guess */
	uint64_t inferred;
	uint64_t anomalies, resyncs, requests_dropped, unpaired_replies;
	AnomalyCount anomaly_kinds[SESSION_ANOMALY_KINDS];
	uint32_t anomaly_kind_count;
	SessionCounts counts;
	Activity activity;
	union {
		SmbState smb;
		FtpState ftp;
	};
} SessionFramed;

/** FtpData: what the session of a data connection has instead. */
typedef struct FtpData {
	Session *session;   /* of the data connection */
	Session *control;   /* NULL when it is gone */
	FileCell *file;     /* held; NULL when unknown */
	uint32_t run_bytes; /* of TLS: sent by last_side since the other one spoke */
	uint8_t last_side;
	bool is_past_handshake;
	struct FtpData *prev, *next;
} FtpData;

typedef enum SessionMode {
	SESSION_PROBING,
	SESSION_FRAMED,
	SESSION_GENERIC,
	SESSION_FTP_DATA,
} SessionMode;

struct Session {
	/* what the usual segment needs */
	SessionFramed *framed;
	uint8_t mode; /* SessionMode */
	bool is_ended;
	bool is_known; /* session_is_unknown() said no; not asked again until probing begins anew */
	uint16_t server_port, client_port;
	Turn turn;
	const SessionOps *ops;
	void *user;
	const Protocol *const *protocols;
	SessionLimits limits;
	int64_t server_loop_ns; /* -1 unknown */
	/* messages guessed from direction changes */
	int64_t end[2];   /* highest offset seen */
	int64_t begin[2]; /* first offset that the capture can have */
	uint32_t max_segment[2];
	uint8_t last_side;
	bool any_payload;
	uint8_t probed;       /* payload segments looked at */
	uint8_t maybe[2];     /* by side: protocols that may be, a bit each by place in the table */
	uint8_t excluded;     /* protocols that are not */
	uint16_t late_probes; /* segments looked at after that, on a port of ours */
	struct ProbeChunks *kept; /* segments seen while probing */
	FtpData *data;
	Session *primary; /* a channel of that one's SMB3 session; NULL its own */
};

extern const SessionKind session_kind_smb, session_kind_ftp;

/** session_new_with: session_new() with a table of protocols of one's own, at most 8. */
Session *session_new_with(const Protocol *const *protocols, const SessionOps *ops, void *user,
	const SessionLimits *limits, uint16_t server_port, uint16_t client_port);

/* ---- session.c */

/** session_framed_start: the protocol is @protocol; false when memory is refused. */
bool session_framed_start(Session *session, const Protocol *protocol);
void session_framed_push(Session *session, Side side, const SessionChunk *chunk);
void session_framed_free(Session *session);

/* ---- probe.c */

/* Segments looked at after probing ended, on a port of ours whose first bytes were in the middle of
 * a message: two of the largest SMB messages in segments of 1460 bytes. */
#define PROBE_LATE_MAX 12288

/** probe_push: payload while the protocol is not known; may start one. */
void probe_push(Session *session, Side side, const SessionChunk *chunk);

/** probe_late_push: the same after probing ended, in the middle of a message of ours perhaps. */
void probe_late_push(Session *session, Side side, const SessionChunk *chunk);

/** probe_generic_push: payload of an unknown protocol: keeps session->turn. */
void probe_generic_push(Session *session, Side side, const SessionChunk *chunk);

/** probe_gap: bytes that will never be seen, while there is no stream to be told. */
void probe_gap(Session *session, Side side, int64_t from, int64_t to);

/** probe_undo: none of the protocol's messages came: it was another one. */
void probe_undo(Session *session);

/** probe_is_port_of: whether the server's port is one of @protocol's. */
bool probe_is_port_of(const Session *session, const Protocol *protocol);

void probe_clear(Session *session);
size_t probe_bytes(const Session *session);

/* ---- exchange.c */

/** exchange_request: the header of a request was seen. Fills what is common of op and counts it;
 * the caller adds the rest. NULL when memory is refused. */
Request *exchange_request(Session *session, StreamMessage *m, const Message *message,
	OpClass op_class, bool is_owed, bool is_opaque);

/** exchange_set_file: @request works on @file; a reference is taken. NULL is allowed. */
void exchange_set_file(Request *request, FileCell *file);

/** exchange_interim: "pending" came for @request. */
void exchange_interim(Session *session, Request *request, int64_t now_ns);

/** exchange_answer: the header of the final answer to @request was seen. */
void exchange_answer(Session *session, Request *request, StreamMessage *m, const Message *message);

/** exchange_complete: all bytes of @m are there: requests and answers in it are finished. */
void exchange_complete(Session *session, Side side, const StreamMessage *m);

/** exchange_give_up: no answer will be seen; the listener is told and @request is gone. */
void exchange_give_up(Session *session, Request *request, int64_t now_ns);

/** exchange_doubt: bytes of @side are missing: answers may have been among them. */
void exchange_doubt(Session *session, Side side);

/** exchange_count_reply: counts a reply nobody asked for within the capture. */
void exchange_count_reply(Session *session, const Message *message);

/** exchange_turn: brings session->turn up to date. */
void exchange_turn(Session *session);

/** exchange_name: clean UTF-8 of message->name in @ret, shortened with a mark; "" when there is
 * none. */
void exchange_name(const Message *message, char ret[], size_t ret_size);

/* ---- session_activity.c */

/** activity_message: counts what @message is, before anything is made of it. */
void activity_message(SessionFramed *framed, const Message *message);

/** activity_request: a request is complete. */
void activity_request(Session *session, const Request *request);

/** activity_answer: @request has its answer. */
void activity_answer(Session *session, const Request *request);

/** activity_anomaly: one more of @kind, a static string. */
void activity_anomaly(SessionFramed *framed, const char *kind);

/** activity_fill: the results, valid until the next call. */
void activity_fill(SessionFramed *framed, SessionStats *ret);

size_t activity_bytes(const SessionFramed *framed);
void activity_clear(SessionFramed *framed);

/* ---- entry_walk.c */

/** entry_walk_begin: @message, an answer that lists a directory, goes on behind what was kept of
 * its head. */
void entry_walk_begin(SessionFramed *framed, const StreamMessage *m, const Message *message);

/** entry_walk_push: bytes of the server while a walk is on. */
void entry_walk_push(EntryWalk *walk, const SessionChunk *chunk);

/** entry_walk_take: entries counted for the message @tag; the walk is over. */
uint32_t entry_walk_take(EntryWalk *walk, uint64_t tag);

/* ---- smb_tree.c */

SmbShare *smb_tree_find(const SmbTrees *trees, uint32_t tree_id, uint64_t session_id);
void smb_tree_set(SmbTrees *trees, uint32_t tree_id, uint64_t session_id, SmbShare *share);
void smb_tree_remove(SmbTrees *trees, uint32_t tree_id, uint64_t session_id);
void smb_tree_clear(SmbTrees *trees);

/* ---- smb_file.c */

/** smb_home: where files, trees and paths of @session are kept: its own, or those of the connection
 * whose session it joined. */
SessionFramed *smb_home(const Session *session);

/** smb_file_owner: whom ids of files and trees belong to; a key beside the id. */
uint64_t smb_file_owner(MessageProtocol protocol, uint64_t session_id);

/** smb_handle_is_cut: whether the snap length cut off the handle that @id should hold. */
bool smb_handle_is_cut(MessageProtocol protocol, const uint8_t id[FILE_ID_LEN]);

/** smb_file_is_named: whether @message names a file by a handle of its own. */
bool smb_file_is_named(const Message *message);

/** smb_file_find: finds or makes the file of a request that names one. */
void smb_file_find(
	Session *session, Request *request, const StreamMessage *m, const Message *message);

/** smb_file_open: the file of an open, not announced before its answer. */
void smb_file_open(
	Session *session, Request *request, const StreamMessage *m, const Message *message);

/** smb_file_by_name: the path that a request without a handle names, for counting alone. */
void smb_file_by_name(Session *session, Request *request, const Message *message);

/** smb_file_set_compound: the file that later members of a compound or AndX chain mean; NULL none.
 */
void smb_file_set_compound(SmbState *smb, FileCell *file);

/* ---- expectation.c */

/** expect_note: @message came with its header, in @total bytes of stream. */
void expect_note(Session *session, Side side, const Message *message, uint64_t total);

/** expect_fill: completes the fields of a cut read or write request from those before it. */
void expect_fill(const Session *session, Message *message);

/** expect_total: bytes of the message that @side must be sending now; 0 when that is not to be
 * told. */
uint64_t expect_total(const Session *session, Side side);

/** expect_fits: whether a message of @total bytes of @side, of whose header too little was kept,
 * goes on with the row or answers it. */
bool expect_fits(const Session *session, Side side, uint64_t total);

/** expect_read_overhead: bytes of an answer to a read beside its data; 0 unknown. */
uint64_t expect_read_overhead(const Session *session, MessageProtocol protocol);

/** expect_request: the request that @message must answer although its id is another: ids of rows
 * may go on in other steps than seen, and a server that answers out of order makes guesses answer
 * the wrong one of two alike. NULL none. */
Request *expect_request(const Session *session, const Message *message);

/** expect_emit: hands that message to the session. */
void expect_emit(Session *session, Side side, StreamMessage *m);

/** expect_adjust: @m was a guess and ended before its guessed end: a short write, or no such
 * message at all. */
void expect_adjust(Session *session, const StreamMessage *m);

/** expect_proven: the answer of @request was seen: guesses about older ones that failed are over.
 */
void expect_proven(Session *session, const Request *request, int64_t now_ns);

/** expect_closed: @file was closed: what is still owed on it was answered unseen. */
void expect_closed(Session *session, const FileCell *file, int64_t now_ns);

/** expect_retract: what was inferred of @side did not lead to another message: requests since the
 * last proof never existed. */
void expect_retract(Session *session, Side side, int64_t now_ns);

/* ---- opaque_session.c */

/** opaque_message: an encrypted or compressed message: direction and size only. */
void opaque_message(Session *session, Side side, StreamMessage *m, const Message *message);

/* ---- ftp_session.c */

/** ftp_data_push, ftp_data_end: a data connection's session. */
void ftp_data_push(Session *session, Side side, const SessionChunk *chunk);
void ftp_data_end(Session *session, int64_t now_ns);

/* ---- session_stats.c */

/** session_counter: the row of a command; NULL when there are too many or no memory. */
CommandCounter *session_counter(SessionFramed *framed, MessageProtocol protocol, uint16_t command);
void session_counters_clear(SessionFramed *framed);
size_t session_counters_bytes(const SessionFramed *framed);

/** session_is_referral: whether a control code asks for a DFS referral. */
bool session_is_referral(uint32_t control);

/** session_class_is_error: whether an answer of this class counts as an error. */
bool session_class_is_error(StatusClass status_class);

/** session_count_request, session_count_answer: a request is complete; its answer is. */
void session_count_request(SessionFramed *framed, const Operation *op);
void session_count_answer(SessionFramed *framed, const Operation *op, int64_t server_ns);

/** session_count_greeting: the FTP greeting was complete at @now_ns. */
void session_count_greeting(SessionFramed *framed, int64_t now_ns);

#endif
