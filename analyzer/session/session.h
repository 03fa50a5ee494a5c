/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session turns the byte streams of one connection into operations (a request and its answer) on
 * files, and says at every moment who owes the next byte. It knows messages, not time budgets; what
 * it learns goes up through SessionOps.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_SESSION_H
#define SLOWCOPY_ANALYZER_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/side.h"
#include "dissectors/message.h"

/** OpClass: what kind of work an exchange is; sub-key of round-trip and server-processing. */
typedef enum OpClass {
	OP_OTHER,
	OP_OPEN,
	OP_READ,
	OP_WRITE,
	OP_FLUSH,
	OP_LOCK,
	OP_DIR,
	OP_META, /* query and set of attributes, ioctl, tree disconnect, FTP SIZE, MDTM, TYPE, CWD…
		  */
	OP_CLOSE,
	OP_AUTH, /* negotiate, session setup, tree connect, FTP USER, PASS, banner */
	OP_FTP,  /* transfer commands of FTP themselves */
	OP_CLASS_COUNT
} OpClass;

/**
 * FileRef: one open of a file (SMB handle, FTP transfer, all of an encrypted session). Owned by the
 * session. It lives until file_closed returns; one that file_opened was never called for lives
 * until the reply() of its open, which is how the name of an open that failed is seen; so does a
 * path that a request of SMB1 names without opening it.
 */
typedef struct FileRef {
	const char *name;  /* clean UTF-8, "" unknown; share-relative with backslashes as sent */
	const char *share; /* clean UTF-8 "\\\\server\\share", "" unknown */
	uint64_t size;     /* from the open answer, 0 unknown */
	int64_t opened_ns; /* first byte of the open request; when unseen, of the first operation */
	uint64_t opened_frame;
	bool is_directory, is_pipe;
	bool open_seen;
	uint8_t oplock_asked, oplock_granted;
	bool write_through;
	bool is_dialogue;   /* FTP over TLS: the data connection carried no more than its handshake
			       and a few lines, a listing perhaps */
	bool is_ascii;      /* FTP: TYPE A was in force when the transfer was asked for */
	uint64_t announced; /* FTP: bytes that the server said it sends, from the file's start; 0
			       unknown */
	int64_t asked_ns;   /* FTP: first byte of the transfer command; 0 not yet */
	int64_t began_ns;   /* FTP: its 1xx reply; 0 not yet */
	void *user;         /* the listener's, NULL at start */
} FileRef;

/** Operation: one request and, in reply callbacks, its answer. Lives for the callback. Times are ns
 * since the epoch. */
typedef struct Operation {
	MessageProtocol protocol;
	MessageVerb verb;
	OpClass op_class;
	uint16_t command;
	uint32_t flags; /* MessageFlags of the request */
	uint32_t info_class;
	uint64_t offset;
	uint64_t asked_bytes; /* read: length asked; write: data carried; list, query: buffer */
	uint64_t moved_bytes; /* file data in the answer (read) or accepted (write) */
	uint32_t status;
	StatusClass status_class;
	uint16_t reply_code; /* FTP */
	int64_t request_first_ns,
		request_last_ns; /* first and last byte of the request at the capture point */
	int64_t interim_ns;      /* last interim answer, 0 when none */
	int64_t reply_first_ns, reply_last_ns; /* 0 while unanswered */
	uint64_t request_frame;                /* frame that completed the request */
	uint64_t reply_frame;                  /* frame that completed the answer, 0 */
	int64_t previous_reply_ns; /* first byte of the answer before this one on the connection:
				      start of service when later than the request */
	int64_t previous_reply_last_ns; /* last byte of that answer; 0 none */
	uint32_t in_flight; /* data requests outstanding when this one was sent, itself included */
	uint64_t in_flight_bytes;  /* sum of their asked bytes */
	int32_t credits_available; /* SMB2 balance after the request was sent; INT32_MIN unknown */
	uint16_t credit_charge, credits_asked, credits_granted;
	bool answered;     /* false: the session gave it up (end, cap, capture gap) */
	bool is_encrypted; /* guessed from sizes: verb may be VERB_OTHER */
	bool is_event;     /* a READ of a pipe that waits for something to happen: nobody owes it */
	bool is_inferred;  /* the snap length cut its header: one more of a row of reads or writes,
			      known by its length; so is its answer, or one of the two */
	FileRef *file;     /* NULL when it names no file */
	uint32_t entries;  /* list answers */
	uint64_t session_id;
} Operation;

/** SessionOps: what a session tells the floor above. Any member may be NULL. @user is the
 * connection's. */
typedef struct SessionOps {
	void (*request)(void *user, const Operation *op); /* a request is complete */
	void (*interim)(void *user, const Operation *op);
	void (*reply)(void *user,
		const Operation *op); /* its final answer is complete, or it was given up */
	void (*file_opened)(void *user,
		FileRef *file); /* the open was answered, or an unknown handle was used */
	void (*file_renamed)(void *user, FileRef *file); /* its name became known later */
	void (*file_closed)(void *user, FileRef *file,
		int64_t now_ns); /* CLOSE answered, 226, session end; last use of @file */
	/**
	 * ftp_data: the control connection of this session announced that a data connection is
	 * about to come. @addr, @port: the end that will accept it; an address of all zeros is the
	 * control connection's own (the server's when @client_connects, else the client's); @port
	 * 0: any, the snap length cut it off. Called twice for an address given in the clear, since
	 * a translator may have changed it. The listener calls session_new_ftp_data for the
	 * connection. @file was announced before.
	 */
	void (*ftp_data)(void *user, const uint8_t addr[16], uint16_t port, bool client_connects,
		FileRef *file);
} SessionOps;

/** Turn: who owes the next byte, asked by the time accounting before and after each packet. */
typedef struct Turn {
	uint64_t message_left[2]; /* bytes of the current message of each side not yet seen; 0
				     between messages */
	uint32_t outstanding; /* owed requests (not notify, blocking lock) without a final answer */
	int64_t oldest_request_ns; /* last byte of the oldest owed one */
	int64_t newest_request_ns;
	OpClass oldest_class;
	int64_t last_reply_ns; /* last byte of the last final answer; 0 none yet */
	OpClass last_class;    /* class of the exchange answered last */
	OpClass newest_class;  /* class of the request sent last */
	bool is_setup;         /* no file operation yet: time belongs to session-setup */
	bool is_framed; /* false: messages are guessed from direction changes (unknown protocol) */
	bool interim;   /* the oldest owed request was answered "pending" */
} Turn;

typedef struct Session Session;

/** SessionChunk: payload of one segment, placed in its stream. */
typedef struct SessionChunk {
	int64_t offset;      /* 64-bit stream offset of the first byte; the byte after SYN is 0 */
	uint32_t len;        /* bytes on the wire */
	uint32_t caplen;     /* bytes at @data */
	const uint8_t *data; /* never NULL */
	int64_t ts_ns;
	uint64_t frame;
	bool psh;
	bool fills_hole; /* some bytes lie below the highest seen: late or retransmitted */
} SessionChunk;

/** SessionLimits: caps, 0 takes the default; and what the user knows. */
typedef struct SessionLimits {
	uint32_t max_requests; /* outstanding per session, default 1024 */
	uint32_t max_files;    /* open per session, default 1024 */
	uint32_t max_trees;    /* default 64 */
	/* opens encrypted SMB3 messages (smb_decrypt.h); NULL none; must outlive the session */
	struct SmbKeyring *keys;
} SessionLimits;

/**
 * session_new: a session for a connection that begins. The protocol is found by probing the first
 * payload of each side and by @server_port. Until then, and when it is none of ours, messages are
 * guessed from direction changes. Ownership: session_free(). NULL when memory is refused.
 */
Session *session_new(const SessionOps *ops, void *user, const SessionLimits *limits,
	uint16_t server_port, uint16_t client_port);

/**
 * session_new_ftp_data: a session of an FTP data connection that belongs to @file of its control
 * session. All of it is one message of the side that sends, known from the file's command;
 * SIDE_CLIENT is the side that opened the connection, which is the FTP server when the client does
 * not connect. No operations are reported. @file may be NULL. The control session may end first.
 */
Session *session_new_ftp_data(const SessionOps *ops, void *user, Session *control, FileRef *file);

/** session_ftp_data_done: the data connection of @session closed at @now_ns: so is its file when
 * the control connection is encrypted and will not say so. Others are passed over. */
void session_ftp_data_done(Session *session, int64_t now_ns);

/**
 * session_skip: session_push() for the usual segment, @len bytes in the middle of a message's body;
 * false, with nothing done, for any other.
 */
bool session_skip(
	Session *session, Side side, int64_t offset, uint32_t len, int64_t ts_ns, uint64_t frame);

/**
 * session_push: payload of @side. Chunks may arrive out of order and overlap; bytes never seen are
 * skipped when session_gap says so. Amortised O(1) per chunk; allocates only while a header is
 * incomplete. After the call session_turn() is up to date.
 */
void session_push(Session *session, Side side, const SessionChunk *chunk);

/** session_gap: bytes [@from, @to) of @side will never be seen; the stream skips or resynchronises
 * behind them. */
void session_gap(Session *session, Side side, int64_t from, int64_t to, int64_t now_ns);

/** session_end: the connection closed or the capture ended: outstanding requests are given up,
 * files are closed. */
void session_end(Session *session, int64_t now_ns);

/**
 * session_set_server_loop: smallest time from a packet passing the capture point towards the server
 * until its answer passes; called whenever a smaller one is known. Used for server time only.
 */
void session_set_server_loop(Session *session, int64_t loop_ns);

/** SessionAhead: answers to reads and writes, at most REQUEST_ANSWERS, that have passed the capture
 * point and not come to the client. */
typedef struct SessionAhead {
	uint32_t answers; /* whole ones */
	uint64_t bytes;   /* that they were asked for */
	uint32_t credits; /* SMB2, of those that have begun, too */
} SessionAhead;

/** session_ahead: when the client has the server's stream up to @offset, as it acknowledges. */
SessionAhead session_ahead(Session *session, int64_t offset);

/**
 * session_join: @channel is another connection of the SMB3 session of @primary: files and shares
 * are found and kept there, and told of to the listener of @primary. @primary must not have joined
 * another. session_part() before either is freed; what @channel asks then is its own again.
 */
void session_join(Session *channel, Session *primary);
void session_part(Session *channel);

/** session_server_guid: what the server called itself in the negotiation. False when that was not
 * seen. */
bool session_server_guid(const Session *session, uint8_t ret[16]);

/** session_turn: current state; valid until the next call on @session. */
const Turn *session_turn(const Session *session);

/** session_protocol_name: "smb1", "smb2", "ftp", "ftp-data", "netbios", or "other" while unknown.
 * Static. */
const char *session_protocol_name(const Session *session);

/** session_is_settled: whether probing has come to an end (a protocol was found, or none of ours).
 */
bool session_is_settled(const Session *session);

/** session_is_unknown: whether it is settled and nothing of ours was found: what
 * session_protocol_name() calls "other", for every packet. */
bool session_is_unknown(Session *session);

/** session_prefetch: asks for what session_push() will touch. */
void session_prefetch(const Session *session, Side side);

/** session_bytes: memory held by @session, for the budget. */
size_t session_bytes(const Session *session);

/** session_free: NULL is allowed. */
void session_free(Session *session);

#endif
