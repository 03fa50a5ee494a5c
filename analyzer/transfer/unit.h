/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A unit is what the report speaks of: a transfer (one file, or one bulk period of an unknown
 * protocol) or a job (the files one client moves on one session without a pause, and the work
 * between them). It has an account and the facts that causes ask about.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_UNIT_H
#define SLOWCOPY_ANALYZER_TRANSFER_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/histogram.h"
#include "analyzer/base/series.h"
#include "analyzer/session/session.h"
#include "analyzer/transfer/account.h"
#include "analyzer/transfer/conversation.h"
#include "analyzer/transfer/operation_sample.h"

/* Operations kept of a unit for the waterfall: the first ones and the longest ones. */
#define UNIT_OPERATIONS_FIRST 20
#define UNIT_OPERATIONS_LONGEST 20
#define UNIT_OPERATIONS (UNIT_OPERATIONS_FIRST + UNIT_OPERATIONS_LONGEST)
/* Requests in flight counted one by one up to this. */
#define UNIT_DEPTHS 16
#define UNIT_NAME_BYTES 512
/* READs remembered to know a WRITE of the same piece of another file. */
#define UNIT_READS 32
/* Connections a unit names. */
#define UNIT_STREAMS 16
/* Bins of its pictures. */
#define UNIT_BINS 64

/** UnitSeries: columns of a unit's series. */
enum {
	UNIT_SERIES_BYTES,
	UNIT_SERIES_FLIGHT,
	UNIT_SERIES_WINDOW,
	UNIT_SERIES_RTT,
	UNIT_SERIES_DEPTH,
	UNIT_SERIES_RETRANSMISSIONS,
	UNIT_SERIES_COLUMNS
};

/** DataFit: sums for a straight line through pairs. */
typedef struct DataFit {
	double n, x, y, xx, xy, yy;
} DataFit;

/** DataFacts: READs or WRITEs of a unit. */
typedef struct DataFacts {
	uint64_t requests, answered, bytes, asked;
	uint64_t sequential; /* began where the one before ended */
	uint64_t next_offset;
	uint64_t highest;        /* end of the furthest request; of a transfer */
	uint64_t repeated_bytes; /* read again below the furthest end; of a job: of its transfers */
	uint64_t depth_sum;
	uint64_t depth_count[UNIT_DEPTHS +
			     1]; /* [n]: sent as the n-th outstanding; last: that or more */
	uint32_t depth_max;
	uint64_t depth_bytes_max;
	uint64_t write_through, interim;
	uint64_t credit_starved; /* sent when the balance left no room for another */
	uint64_t credit_known;
	int64_t credits_asked_more; /* requests that asked for more than they were granted */
	Histogram size;             /* asked bytes */
	Histogram service_ns; /* first byte of the answer less the network loop and queueing */
	DataFit fit;          /* service (y, ns) by bytes (x) */
} DataFacts;

/** MissingKind: names that programs ask for although they are hardly ever there. */
typedef enum MissingKind {
	MISSING_OTHER,
	MISSING_DESKTOP_INI,  /* desktop.ini: Explorer */
	MISSING_THUMBS,       /* Thumbs.db: Explorer */
	MISSING_APPLE_DOUBLE, /* ._NAME: macOS */
	MISSING_DS_STORE,     /* .DS_Store: macOS */
	MISSING_AUTORUN,      /* autorun.inf */
	MISSING_LIBRARY,      /* *.dll, *.so: a program looks for its libraries */
	MISSING_KINDS
} MissingKind;

/** UnitReads: the last READs of a job. */
typedef struct UnitReads {
	struct {
		uint64_t offset, bytes;
	} reads[UNIT_READS];
	uint32_t count;
} UnitReads;

/** PayloadBin: what came in the bin of the pictures under way, before it is written there: most
 * packets fall into the bin of the one before. */
typedef struct PayloadBin {
	int64_t from_ns, until_ns; /* empty when equal */
	int64_t bytes, in_flight, window, rtt_ns;
} PayloadBin;

/** FtpTimes: moments of one FTP transfer, ns since the epoch, 0 unseen. */
typedef struct FtpTimes {
	int64_t prepared_ns;                 /* first byte of PORT, PASV… */
	int64_t syn_ns, established_ns;      /* of the data connection */
	int64_t asked_ns;                    /* first byte of the transfer command */
	int64_t began_ns;                    /* first byte of the 1xx reply */
	int64_t first_byte_ns, last_byte_ns; /* of the data */
	int64_t done_ns;                     /* last byte of the final reply */
} FtpTimes;

typedef struct Unit {
	/* what every packet with payload touches, side by side */
	Series *series;
	PayloadBin bin;
	struct Unit *job;    /* of a transfer: the job it is part of, NULL none */
	uint64_t payload[2]; /* unknown protocol and FTP: bytes by Side that sent them (client,
				server host) */
	uint64_t wire_packets;
	int64_t last_activity_ns;
	uint64_t files; /* of a job */
	bool is_job, is_ftp, is_unframed;
	bool is_closing; /* its end was announced; a data connection still runs */
	bool is_closed, is_done;
	bool cut; /* began before or ended after the capture or its memory */

	Account account;
	uint64_t serial, job_serial; /* own number and its job's; 0 none */
	uint32_t number;             /* T or J number, from 1, by start */
	uint16_t input;
	uint32_t streams[UNIT_STREAMS];
	uint32_t stream_count;
	uint8_t addr[2][16]; /* by Side: client, server */
	uint16_t port[2];
	const char *protocol;
	char *file, *share; /* owned, below UNIT_NAME_BYTES, UTF-8; NULL unknown */
	uint64_t class_count[OP_CLASS_COUNT]; /* exchanges */
	uint64_t class_errors[OP_CLASS_COUNT];
	int64_t class_service_ns[OP_CLASS_COUNT];
	uint64_t class_slow[OP_CLASS_COUNT]; /* answers that took the server SLOW_SERVICE_NS */
	int64_t class_slow_ns[OP_CLASS_COUNT], class_longest_ns[OP_CLASS_COUNT];
	uint64_t class_interim[OP_CLASS_COUNT];        /* answered "pending" first */
	int64_t class_interim_ns[OP_CLASS_COUNT];      /* from "pending" to the answer */
	uint64_t opens, opens_uncached, opens_refused; /* files opened; without an oplock or lease;
							  of these, it was asked for */
	uint64_t queries;                              /* questions about a file's attributes */
	uint64_t list_asked;                           /* buffer bytes of directory queries */
	uint64_t missing[MISSING_KINDS];               /* names not found, by kind */
	uint64_t copied_back;    /* of a job: bytes written as they had been read just before */
	UnitReads *recent_reads; /* for that; NULL until the first */
	/* FTP: data connections that began; never established although tried; PORT, PASV, EPRT,
	   EPSV that were refused; "425 cannot open"; "426 aborted" and ABOR */
	FtpTimes ftp;          /* of a transfer */
	uint64_t start_offset; /* REST before it */
	bool is_listing;       /* of FTP: LIST, NLST or MLSD, no file */
	uint64_t listings;     /* of an FTP job */
	uint64_t announced;    /* of FTP: bytes the server said it sends; 0 unknown */
	uint64_t unseen_bytes; /* of FTP: moved, as the server says, over connections that were not
				  captured */
	uint64_t files_unseen; /* of an FTP job: files moved over such, of a size nobody told */
	bool is_unfinished;    /* of FTP, also of a job: the capture ended before the file */
	bool is_confirmed, is_unanswered; /* of FTP: its final reply said so; there was none */
	bool is_ascii;                    /* TYPE A was in force */
	uint64_t data_connections, data_failed, prepare_refused, data_refused, data_aborted;
	uint64_t not_found, connections, sessions, lists, list_entries;
	DataFacts read, write;
	DataFit close_fit;   /* service of CLOSE (y, ns) by what was written to the file (x) */
	Histogram file_size; /* of a job: bytes per file moved */
	int64_t first_request_ns, end_activity_ns;
	uint32_t outstanding;   /* of a job: requests under way */
	uint64_t facts_payload; /* of an FTP job: bytes of the connection `facts` describes */
	uint64_t first_frame, last_frame;
	/* when its pictures began, since small units need none, and what had been moved before */
	int64_t series_from_ns;
	uint64_t series_before_bytes, early_bytes; /* of it: moved before the unit was known */
	/* UNIT_OPERATIONS_FIRST first ones, behind them the longest; as many as there is room for
	 */
	OperationSample *operations;
	uint32_t operation_room, operation_count, longest_count;
	void *facts;       /* ConnectionFacts of its main connection, filled when that ends */
	void *control;     /* of FTP: those of the control connection when `facts` are others */
	struct Unit *next; /* list of the analysis */
} Unit;

/** unit_new: a unit that starts at @start_ns on @conv. NULL without memory. */
Unit *unit_new(const Conversation *conv, bool is_job, int64_t start_ns);

/** unit_add_stream: names a connection once. */
void unit_add_stream(Unit *unit, uint32_t stream);

/** unit_request: a request of this unit is complete. */
void unit_request(Unit *unit, const Operation *op);

/** unit_reply: its answer is complete; @server_loop_ns is subtracted from service times. */
void unit_reply(Unit *unit, const Operation *op, uint32_t stream, int64_t server_loop_ns);

/** unit_close_reply: that answer was to the CLOSE of a file to which @written bytes were written.
 */
void unit_close_reply(Unit *unit, const Operation *op, uint64_t written, int64_t server_loop_ns);

/** PayloadSample: new payload bytes sent at a moment, with what is in flight, the window and the
 * round trip then (SERIES_NONE unknown). */
typedef struct PayloadSample {
	int64_t now_ns;
	uint64_t bytes, in_flight, window;
	int64_t rtt_ns;
} PayloadSample;

/** unit_payload: @side sent @sample of it. */
void unit_payload(Unit *unit, Side side, const PayloadSample *sample);

/** unit_job_payload: the same for the pictures of the job that the unit is a file of. They begin
 * when the job has a second file: until then they are the file's. */
void unit_job_payload(Unit *job, Side side, const PayloadSample *sample);

/** unit_bytes: file data moved in the main direction. */
uint64_t unit_bytes(const Unit *unit);

/** unit_is_write: main direction as the client sees it. */
bool unit_is_write(const Unit *unit);

/** unit_duration_ns: of its account. */
int64_t unit_duration_ns(const Unit *unit);

/** unit_main: facts of the main direction's data requests. */
const DataFacts *unit_main(const Unit *unit);

/** unit_bulk_side: who sends the bulk. */
Side unit_bulk_side(const Unit *unit);

/** operation_service_ns: time the server worked on @op: first byte less network and less waiting
 * behind earlier answers; -1 unknown. */
int64_t operation_service_ns(const Operation *op, int64_t server_loop_ns);

/** unit_drop_series: gives the memory of its pictures back. */
void unit_drop_series(Unit *unit);

/** unit_seal: it is complete; what its pictures do not need is given back. */
void unit_seal(Unit *unit);

/** unit_free: NULL is allowed. */
void unit_free(Unit *unit);

#endif
