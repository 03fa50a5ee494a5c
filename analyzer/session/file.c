/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open files: chained hash by id, LRU list, references.
 */
#include "analyzer/session/file.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"

#define FIRST_BUCKETS 16

SmbShare *file_share_new(const char *name, bool is_pipe)
{
	size_t len = strlen(name);
	SmbShare *share = malloc(sizeof *share + len + 1);
	if (!share)
		return NULL;
	share->refs = 1;
	share->is_pipe = is_pipe;
	memcpy(share->name, name, len + 1);
	return share;
}

void file_share_drop(SmbShare *share)
{
	if (share && --share->refs == 0)
		free(share);
}

FileCell *file_new(const char *name, SmbShare *share)
{
	FileCell *file = calloc(1, sizeof *file);
	if (!file)
		return NULL;
	file->refs = 1;
	file->name = name ? strdup(name) : NULL;
	file->ref.name = file->name ? file->name : "";
	if (share)
		share->refs++;
	file->share = share;
	file->ref.share = share ? share->name : "";
	return file;
}

static void file_free(FileCell *file)
{
	file_share_drop(file->share);
	free(file->name);
	free(file);
}

void file_set_name(FileTable *table, FileCell *file, const char *name)
{
	char *copy = strdup(name);
	if (!copy)
		return;
	char *old = file->name;
	file->name = copy;
	file->ref.name = copy;
	file->activity_key = 0;
	if (file->is_announced && !file->is_closed && table->ops->file_renamed)
		table->ops->file_renamed(table->user, &file->ref);
	free(old);
}

void file_announce(FileTable *table, FileCell *file)
{
	if (file->is_announced || file->is_closed)
		return;
	file->is_announced = true;
	if (table->ops->file_opened)
		table->ops->file_opened(table->user, &file->ref);
}

static FileCell **bucket_of(const FileTable *table, const uint8_t id[FILE_ID_LEN], uint64_t session)
{
	uint64_t hash = hash_mix(hash_word(id) ^ session ^ hash_seed(),
		hash_word(id + 8) ^ UINT64_C(0x9e3779b97f4a7c15));
	return &table->buckets[hash & (table->bucket_count - 1)];
}

static bool table_grow(FileTable *table)
{
	uint32_t count = table->bucket_count > 0 ? table->bucket_count * 2 : FIRST_BUCKETS;
	FileCell **buckets = calloc(count, sizeof *buckets);
	if (!buckets)
		return table->bucket_count > 0;
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = count;
	for (FileCell *f = table->lru_first; f; f = f->lru_next) {
		FileCell **bucket = bucket_of(table, f->id, f->session_id);
		f->hash_next = *bucket;
		*bucket = f;
	}
	return true;
}

static void lru_unlink(FileTable *table, FileCell *file)
{
	if (file->lru_prev)
		file->lru_prev->lru_next = file->lru_next;
	else
		table->lru_first = file->lru_next;
	if (file->lru_next)
		file->lru_next->lru_prev = file->lru_prev;
	else
		table->lru_last = file->lru_prev;
}

static void lru_append(FileTable *table, FileCell *file)
{
	file->lru_prev = table->lru_last;
	file->lru_next = NULL;
	if (table->lru_last)
		table->lru_last->lru_next = file;
	else
		table->lru_first = file;
	table->lru_last = file;
}

static void unlist(FileTable *table, FileCell *file)
{
	FileCell **link = bucket_of(table, file->id, file->session_id);
	while (*link != file)
		link = &(*link)->hash_next;
	*link = file->hash_next;
	lru_unlink(table, file);
	table->count--;
	file->is_listed = false;
	file_release(file);
}

FileCell *file_find(FileTable *table, const uint8_t id[FILE_ID_LEN], uint64_t session_id)
{
	if (table->count == 0)
		return NULL;
	FileCell *file = *bucket_of(table, id, session_id);
	while (file && (file->session_id != session_id || memcmp(file->id, id, FILE_ID_LEN) != 0))
		file = file->hash_next;
	if (file && file != table->lru_last) {
		lru_unlink(table, file);
		lru_append(table, file);
	}
	return file;
}

void file_list(FileTable *table, FileCell *file, const uint8_t id[FILE_ID_LEN], uint64_t session_id,
	int64_t now_ns)
{
	FileCell *old = file_find(table, id, session_id);
	if (old)
		file_close(table, old, now_ns);
	if (table->count >= table->limit && table->lru_first) {
		table->dropped++;
		file_close(table, table->lru_first, now_ns);
	}
	if (file->is_listed || file->is_closed)
		return;
	if (table->count >= table->bucket_count && !table_grow(table)) {
		file_close(table, file, now_ns);
		return;
	}
	memcpy(file->id, id, FILE_ID_LEN);
	file->session_id = session_id;
	FileCell **bucket = bucket_of(table, id, session_id);
	file->hash_next = *bucket;
	*bucket = file;
	lru_append(table, file_hold(file));
	table->count++;
	file->is_listed = true;
}

void file_close(FileTable *table, FileCell *file, int64_t now_ns)
{
	file_hold(file);
	if (file->is_listed)
		unlist(table, file);
	if (!file->is_closed) {
		file->is_closed = true;
		bool is_known = file->is_announced || file->ref.user;
		if (is_known && table->ops->file_closed)
			table->ops->file_closed(table->user, &file->ref, now_ns);
	}
	file_release(file);
}

FileCell *file_hold(FileCell *file)
{
	file->refs++;
	return file;
}

void file_release(FileCell *file)
{
	if (file && --file->refs == 0)
		file_free(file);
}

void file_close_where(FileTable *table, uint32_t tree_id, bool any_tree, uint64_t session_id,
	bool any_session, int64_t now_ns)
{
	FileCell *next;
	for (FileCell *file = table->lru_first; file; file = next) {
		next = file->lru_next;
		if ((any_tree || file->tree_id == tree_id) &&
			(any_session || file->session_id == session_id))
			file_close(table, file, now_ns);
	}
}

void file_table_clear(FileTable *table, int64_t now_ns)
{
	file_close_where(table, 0, true, 0, true, now_ns);
	free(table->buckets);
	table->buckets = NULL;
	table->bucket_count = 0;
}

size_t file_table_bytes(const FileTable *table)
{
	size_t bytes = table->bucket_count * sizeof(FileCell *);
	for (const FileCell *f = table->lru_first; f; f = f->lru_next)
		bytes += sizeof *f + (f->name ? strlen(f->name) + 1 : 0);
	return bytes;
}
