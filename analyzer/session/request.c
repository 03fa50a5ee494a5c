/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outstanding requests: chained hash by id, a list by age, a list of the owed ones.
 */
#include "analyzer/session/request.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"

/* most sessions have a handful of requests in flight */
#define FIRST_BUCKETS 16

static Request **bucket_of(const RequestTable *table, uint64_t id)
{
	uint64_t hash = hash_mix(id ^ hash_seed(), UINT64_C(0x9e3779b97f4a7c15));
	return &table->buckets[hash & (table->bucket_count - 1)];
}

static void hash_insert(RequestTable *table, Request *request)
{
	Request **bucket = bucket_of(table, request->id);
	request->hash_next = *bucket;
	*bucket = request;
}

/* twice the buckets when there are more requests than buckets; without memory chains get longer */
static bool hash_grow(RequestTable *table)
{
	uint32_t count = table->bucket_count > 0 ? table->bucket_count * 2 : FIRST_BUCKETS;
	Request **buckets = calloc(count, sizeof *buckets);
	if (!buckets)
		return table->bucket_count > 0;
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = count;
	for (Request *r = table->all_first; r; r = r->all_next) {
		if (!r->is_opaque)
			hash_insert(table, r);
	}
	return true;
}

Request *request_add(RequestTable *table, uint64_t id, bool is_opaque)
{
	if (table->count >= table->bucket_count && !hash_grow(table))
		return NULL;
	Request *request = table->spare;
	if (request)
		table->spare = request->all_next;
	else
		request = malloc(sizeof *request);
	if (!request)
		return NULL;
	memset(request, 0, sizeof *request);
	request->id = id;
	request->is_opaque = is_opaque;
	request->all_prev = table->all_last;
	if (table->all_last)
		table->all_last->all_next = request;
	else
		table->all_first = request;
	table->all_last = request;
	table->count++;
	if (!is_opaque)
		hash_insert(table, request);
	return request;
}

Request *request_find(const RequestTable *table, uint64_t id, MessageProtocol protocol,
	uint16_t command, bool any_command)
{
	if (table->count == 0)
		return NULL;
	Request *exact = NULL, *any = NULL;
	/* chains have the youngest in front */
	for (Request *r = *bucket_of(table, id); r; r = r->hash_next) {
		if (r->id != id || r->op.protocol != protocol)
			continue;
		any = r;
		if (r->op.command == command)
			exact = r;
	}
	return exact || !any_command ? exact : any;
}

void request_mark_sent(RequestTable *table, Request *request)
{
	request->phase = REQUEST_SENT;
	if (request->is_data) {
		table->data_count++;
		table->data_bytes += request->op.asked_bytes;
	}
	if (!request->is_owed)
		return;
	request->is_listed = true;
	request->owed_prev = table->owed_last;
	request->owed_next = NULL;
	if (table->owed_last)
		table->owed_last->owed_next = request;
	else
		table->owed_first = request;
	table->owed_last = request;
	table->owed_count++;
}

static void owed_unlink(RequestTable *table, Request *request)
{
	if (request->owed_prev)
		request->owed_prev->owed_next = request->owed_next;
	else
		table->owed_first = request->owed_next;
	if (request->owed_next)
		request->owed_next->owed_prev = request->owed_prev;
	else
		table->owed_last = request->owed_prev;
	table->owed_count--;
}

void request_answers_grow(RequestTable *table)
{
	uint32_t room = table->answer_room ? 2 * table->answer_room : REQUEST_ANSWERS_FIRST;
	RequestAnswer *answers = room <= REQUEST_ANSWERS ? calloc(room, sizeof *answers) : NULL;
	if (!answers)
		return;
	const RequestAnswer *a;
	for (uint32_t i = 0; (a = request_answer(table, i)); i++)
		answers[(table->answer_count - 1 - i) & (room - 1)] = *a;
	free(table->answers);
	table->answers = answers;
	table->answer_room = room;
}

void request_answer_remember(RequestTable *table, const RequestAnswer *answer)
{
	if (!table->answers)
		request_answers_grow(table);
	if (table->answers)
		table->answers[table->answer_count++ & (table->answer_room - 1)] = *answer;
}

const RequestAnswer *request_answer(const RequestTable *table, uint32_t i)
{
	if (i >= table->answer_count || i >= table->answer_room)
		return NULL;
	return &table->answers[(table->answer_count - 1 - i) & (table->answer_room - 1)];
}

void request_remove(RequestTable *table, Request *request)
{
	request_wait_over(table, request);
	if (request->is_data && request->phase != REQUEST_SENDING) {
		table->data_count--;
		table->data_bytes -= request->op.asked_bytes;
	}
	if (request->is_listed)
		owed_unlink(table, request);
	if (!request->is_opaque) {
		Request **link = bucket_of(table, request->id);
		while (*link != request)
			link = &(*link)->hash_next;
		*link = request->hash_next;
	}
	if (request->all_prev)
		request->all_prev->all_next = request->all_next;
	else
		table->all_first = request->all_next;
	if (request->all_next)
		request->all_next->all_prev = request->all_prev;
	else
		table->all_last = request->all_prev;
	table->count--;
	request->all_next = table->spare;
	table->spare = request;
}

void request_wait(RequestTable *table, Request *request, uint64_t tag)
{
	request_wait_over(table, request);
	request->is_unfinished = true;
	request->tag = tag;
	request->unfinished_prev = table->unfinished_last;
	request->unfinished_next = NULL;
	if (table->unfinished_last)
		table->unfinished_last->unfinished_next = request;
	else
		table->unfinished_first = request;
	table->unfinished_last = request;
}

void request_wait_over(RequestTable *table, Request *request)
{
	if (!request->is_unfinished)
		return;
	request->is_unfinished = false;
	if (request->unfinished_prev)
		request->unfinished_prev->unfinished_next = request->unfinished_next;
	else
		table->unfinished_first = request->unfinished_next;
	if (request->unfinished_next)
		request->unfinished_next->unfinished_prev = request->unfinished_prev;
	else
		table->unfinished_last = request->unfinished_prev;
}

static void list_free(Request *request)
{
	while (request) {
		Request *next = request->all_next;
		free(request);
		request = next;
	}
}

void request_table_clear(RequestTable *table)
{
	list_free(table->all_first);
	list_free(table->spare);
	free(table->buckets);
	free(table->answers);
	uint32_t limit = table->limit;
	*table = (RequestTable){.limit = limit};
}

size_t request_table_bytes(const RequestTable *table)
{
	size_t bytes = table->bucket_count * sizeof(Request *) + table->count * sizeof(Request) +
		       table->answer_room * sizeof(RequestAnswer);
	for (const Request *r = table->spare; r; r = r->all_next)
		bytes += sizeof *r;
	return bytes;
}
