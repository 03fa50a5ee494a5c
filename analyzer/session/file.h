/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open files of one session: id to FileRef, least recently used one out when there are too many. A
 * file is announced once (file_opened) and taken back once (file_closed); what still points at it
 * then keeps only its memory.
 */
#ifndef SLOWCOPY_ANALYZER_SESSION_FILE_H
#define SLOWCOPY_ANALYZER_SESSION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/session/session.h"

#define FILE_ID_LEN 16

/** SmbShare: the name of a share, shared by the trees and files that use it. */
typedef struct SmbShare {
	uint32_t refs;
	bool is_pipe;
	char name[]; /* clean UTF-8 */
} SmbShare;

/** FileCell: a FileRef and what only the session needs to know of it. */
typedef struct FileCell {
	FileRef ref; /* first, so that a FileRef * of ours is a FileCell * */
	uint8_t id[FILE_ID_LEN];
	uint64_t session_id;
	uint32_t tree_id;
	uint32_t refs;        /* requests and data connections that point here */
	bool is_listed;       /* in the table, found by id */
	bool is_announced;    /* file_opened was called */
	bool is_closed;       /* file_closed was called, or will never be */
	bool client_connects; /* FTP: who makes the data connection */
	bool is_hidden;       /* FTP over TLS: the transfer command is not known */
	bool has_verb;        /* FTP: the transfer command was seen */
	uint8_t verb;         /* FTP: MessageVerb of the transfer command */
	bool for_reading;     /* the open asked for the data */
	bool pipe_owes;       /* pipe: a call was sent into it and its answer is not complete */
	bool handle_is_cut;   /* SMB2: the snap length cut the handle off; id is all zero */
	bool is_by_name;      /* no handle: one request named the path */
	uint64_t read_bytes, written_bytes;
	uint64_t activity_key; /* of session_activity.c; 0 not made yet */
	char *name;            /* heap; NULL when unknown */
	SmbShare *share;       /* NULL when unknown */
	struct FileCell *hash_next, *lru_prev, *lru_next;
} FileCell;

/** FileTable: zeroed but for ops, user and limit; file_table_clear() at the end. */
typedef struct FileTable {
	const SessionOps *ops;
	void *user;
	FileCell **buckets; /* NULL until the first file */
	uint32_t bucket_count, count, limit;
	FileCell *lru_first, *lru_last; /* first: used longest ago */
	uint64_t dropped;               /* closed because of the limit */
} FileTable;

/** file_share_new: a share of one reference; NULL when memory is refused. */
SmbShare *file_share_new(const char *name, bool is_pipe);

/** file_share_drop: gives one reference back; NULL is allowed. */
void file_share_drop(SmbShare *share);

/**
 * file_new: a file that nobody knows yet, held by one reference of the caller (file_release()).
 * @name: clean UTF-8, copied; NULL unknown. @share: a reference is taken; NULL unknown.
 * NULL when memory is refused.
 */
FileCell *file_new(const char *name, SmbShare *share);

/** file_set_name: replaces the name; an announced file is told to the listener. */
void file_set_name(FileTable *table, FileCell *file, const char *name);

/** file_announce: calls file_opened, once. */
void file_announce(FileTable *table, FileCell *file);

/**
 * file_list: makes @file found by @id. A file that had this id is closed at @now_ns; when the table
 * is full the one used longest ago is.
 */
void file_list(FileTable *table, FileCell *file, const uint8_t id[FILE_ID_LEN], uint64_t session_id,
	int64_t now_ns);

/** file_find: the file of @id, moved to the young end; NULL none. */
FileCell *file_find(FileTable *table, const uint8_t id[FILE_ID_LEN], uint64_t session_id);

/** file_close: takes @file out of the table and calls file_closed if the listener knows it. */
void file_close(FileTable *table, FileCell *file, int64_t now_ns);

/** file_hold: one more reference; returns @file. file_release: gives one back; the memory goes with
 * the last one when the file is neither listed nor announced. NULL is allowed. */
FileCell *file_hold(FileCell *file);
void file_release(FileCell *file);

/** file_close_where: closes all files of @tree_id (or of any tree when @any_tree) of @session_id
 * (or of any when @any_session). */
void file_close_where(FileTable *table, uint32_t tree_id, bool any_tree, uint64_t session_id,
	bool any_session, int64_t now_ns);

/** file_table_clear: closes all files and frees the table. */
void file_table_clear(FileTable *table, int64_t now_ns);

/** file_table_bytes: heap memory held. */
size_t file_table_bytes(const FileTable *table);

#endif
