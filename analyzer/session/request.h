/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests of one connection that have no final answer yet: found by id, owed ones in order of age.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_REQUEST_H
#define SLOWCOPY_ANALYZER_SESSION_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/file.h"
#include "analyzer/session/session.h"

/** RequestPhase: how far an exchange has come. */
typedef enum RequestPhase {
	REQUEST_SENDING,   /* its header was seen, its last byte was not */
	REQUEST_SENT,      /* complete, unanswered */
	REQUEST_ANSWERING, /* the header of its final answer was seen, the last byte was not */
} RequestPhase;

/** Request: one exchange under way. Owned by its table. */
typedef struct Request {
	Operation op;
	uint64_t id; /* Message.request_id */
	struct Request *hash_next;
	struct Request *owed_prev, *owed_next;
	struct Request *unfinished_prev, *unfinished_next;
	struct Request *all_prev, *all_next;
	FileCell *file;         /* counted in file->refs; NULL none */
	struct SmbShare *share; /* tree connect: the share asked for; open: where; NULL none */
	char *new_name;         /* set-info rename, heap; NULL none */
	uint8_t phase;          /* RequestPhase */
	bool is_owed, is_data;
	bool is_opaque;    /* encrypted: has no id and is not in the hash */
	bool is_retracted; /* an answer was guessed and turned out to be another message */
	bool is_foreign;   /* answered in another protocol: the answer is counted there */
	bool is_doubtful;  /* its answer may lie in bytes that were not captured */
	bool is_open, is_close;
	bool is_listed;      /* in the owed list */
	bool is_unfinished;  /* in the list of those whose message is not complete */
	uint64_t tag;        /* StreamMessage.tag of the message it waits for */
	uint8_t file_id[16]; /* open: from the answer; rename, close: from the request */
	uint32_t note;       /* FTP: first letter of the argument */
	uint32_t tree_id;    /* SMB tree of the request; connect: from the answer */
} Request;

/* Answers remembered of reads and writes: clients have so many under way (Windows, Samba: credits
 * of 64 to 512 64-KiB units, in requests of a MiB). */
#define REQUEST_ANSWERS 64
#define REQUEST_ANSWERS_FIRST 8

/** RequestAnswer: the answer to a read or write. */
typedef struct RequestAnswer {
	int64_t start, end;   /* in the server's stream */
	uint32_t asked_bytes; /* one message asks for no more (MS-SMB2 2.2.19) */
	uint16_t credits;
} RequestAnswer;

/** RequestTable: zeroed at start; request_table_clear() at the end. */
typedef struct RequestTable {
	Request **buckets; /* NULL until the first request */
	uint32_t bucket_count, count, limit;
	Request *all_first, *all_last;   /* by age of the header */
	Request *owed_first, *owed_last; /* by age of the last byte */
	Request *unfinished_first,
		*unfinished_last; /* REQUEST_SENDING or REQUEST_ANSWERING, by header */
	Request *spare;           /* cells to be used again */
	uint32_t owed_count;
	uint32_t data_count;                /* reads and writes sent and not answered */
	uint64_t data_bytes;                /* sum of their asked bytes */
	RequestAnswer *answers;             /* ring; NULL until the first one */
	uint32_t answer_room, answer_count; /* power of two; free-running */
} RequestTable;

/** request_add: a zeroed request with @id, NULL when memory is refused. The caller keeps count
 * below the limit. @is_opaque: it cannot be found by id. */
Request *request_add(RequestTable *table, uint64_t id, bool is_opaque);

/** request_find: the oldest request with @id of @protocol whose command is @command, else the
 * oldest with that @id alone when @any_command; NULL none. */
Request *request_find(const RequestTable *table, uint64_t id, MessageProtocol protocol,
	uint16_t command, bool any_command);

/** request_wait: @request waits for the last byte of the message @tag. request_wait_over: it
 * does not any more. */
void request_wait(RequestTable *table, Request *request, uint64_t tag);
void request_wait_over(RequestTable *table, Request *request);

/** request_mark_sent: the last byte was seen: joins the owed list and the counts of data. */
void request_mark_sent(RequestTable *table, Request *request);

/** request_answer_remember: remembers the newest answer to a read or write; without memory it is
 * not. */
void request_answer_remember(RequestTable *table, const RequestAnswer *answer);

/** request_answer: i-th newest answer (0 newest), NULL when it is not remembered. */
const RequestAnswer *request_answer(const RequestTable *table, uint32_t i);

/** request_answers_grow: all that is remembered was asked for: twice as many from here on, up to
 * REQUEST_ANSWERS. */
void request_answers_grow(RequestTable *table);

/** request_remove: takes @request out; the cell may be handed out again by request_add(). */
void request_remove(RequestTable *table, Request *request);

/** request_table_clear: frees everything. */
void request_table_clear(RequestTable *table);

/** request_table_bytes: heap memory held. */
size_t request_table_bytes(const RequestTable *table);

#endif
