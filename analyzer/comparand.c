/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of comparand.h for results; comparand_json.c reads saved ones.
 */
#include "analyzer/comparand.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/arena.h"

G_DEFINE_QUARK(slowcopy - comparand - error, comparand_error)

static const char *endpoint_text(Arena *arena, const ResultEndpoint *e)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	char text[INET6_ADDRSTRLEN];
	if (memcmp(e->addr, mapped, sizeof(mapped)) == 0) {
		inet_ntop(AF_INET, e->addr + 12, text, sizeof(text));
		return arena_printf(arena, "%s:%u", text, e->port);
	}
	inet_ntop(AF_INET6, e->addr, text, sizeof(text));
	return arena_printf(arena, "[%s]:%u", text, e->port);
}

static bool has_stream(const uint32_t *streams, size_t count, uint32_t stream)
{
	for (size_t i = 0; i < count; i++) {
		if (streams[i] == stream)
			return true;
	}
	return false;
}

static void session_add(Arena *arena, ComparandTransfer *to, const SessionStats *s)
{
	to->has_session = true;
	to->dialect = arena_strdup(arena, s->dialect);
	to->is_signed = s->is_signed;
	to->is_encrypted = s->is_encrypted;
	to->is_compressed = s->is_compressed;
	to->multi_credit = s->multi_credit;
	to->transport = session_transport_id(s->transport);
}

static int by_stream(const void *a, const void *b)
{
	const ResultConnection *x = a, *y = b;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

static void connections_add(const Result *r, const ResultTransfer *t, ComparandTransfer *to)
{
	Side sends = t->is_write ? SIDE_CLIENT : SIDE_SERVER;
	for (size_t i = 0; i < t->stream_count && r->connection_count > 0; i++) {
		ResultConnection key = {.input = t->input, .stream = t->streams[i]};
		const ResultConnection *c =
			bsearch(&key, r->connections, r->connection_count, sizeof(key), by_stream);
		if (!c)
			continue;
		const ResultDirection *data = &c->direction[sends], *back = &c->direction[!sends];
		to->retransmitted_packets += data->retransmitted_packets;
		to->packets += data->payload_packets;
		if (back->max_window_bytes > to->window_bytes)
			to->window_bytes = back->max_window_bytes;
	}
}

static void transfer_add(
	Arena *arena, const Result *r, const ResultTransfer *t, ComparandTransfer *to)
{
	*to = (ComparandTransfer){.id = arena_strdup(arena, t->id),
		.is_job = t->is_job,
		.is_write = t->is_write,
		.protocol = arena_strdup(arena, t->protocol),
		.file = arena_strdup(arena, t->file),
		.share = arena_strdup(arena, t->share),
		.client = endpoint_text(arena, &t->client),
		.server = endpoint_text(arena, &t->server),
		.files = t->files,
		.bytes = t->bytes,
		.duration_ns = t->duration_ns,
		.rtt_ns = t->rtt_ns,
		.requests = t->requests,
		.request_bytes = t->request_bytes_median,
		/* as exactly as reports say it, so that a saved one compares alike */
		.requests_in_flight = round(t->requests_in_flight_mean * 100) / 100,
		.capacity_bytes_per_s = t->capacity_proven ? round(t->capacity_bytes_per_s) : 0};
	for (int b = 0; b < BUCKET_COUNT; b++)
		to->bucket_ns[b] = t->budget[b].ns;
	to->findings = arena_memdup(arena, t->findings, t->finding_count * sizeof(*t->findings));
	to->finding_count = t->finding_count;
	connections_add(r, t, to);
	for (size_t i = 0; i < r->session_count && !to->has_session && t->stream_count > 0; i++) {
		const ResultSession *s = &r->sessions[i];
		/* what became SMB2 was SMB1 first, on the same stream */
		if (s->input == t->input && g_strcmp0(s->stats.protocol, t->protocol) == 0 &&
			has_stream(s->streams, s->stream_count, t->streams[0]))
			session_add(arena, to, &s->stats);
	}
}

Comparand *comparand_from_result(const Result *result, const char *path)
{
	Arena *arena = arena_new();
	Comparand *c = g_new0(Comparand, 1);
	c->arena = arena;
	c->path = arena_strdup(arena, path);
	c->grade = result->capture.grade;
	c->is_partial = result->is_partial;
	c->main = result->verdict.transfer;
	c->transfer_count = result->transfer_count + result->job_count;
	c->transfers = arena_alloc_array(arena, c->transfer_count + 1, sizeof(*c->transfers));
	for (size_t i = 0; i < c->transfer_count; i++)
		transfer_add(arena, result, result_transfer(result, (int32_t)i), &c->transfers[i]);
	c->finding_count = result->finding_count;
	c->findings = arena_alloc_array(arena, c->finding_count + 1, sizeof(*c->findings));
	for (size_t i = 0; i < c->finding_count; i++) {
		const ResultFinding *f = &result->findings[i];
		c->findings[i] = (ComparandFinding){.cause = arena_strdup(arena, f->cause),
			.title = arena_strdup(arena, f->title),
			.severity = f->severity,
			.confidence = f->confidence,
			.lost_ns = f->lost_ns,
			.saved_ns = f->saved_ns,
			.predicted_bytes_per_s = f->predicted_bytes_per_s};
	}
	return c;
}

bool comparand_looks_like_json(const char *path)
{
	char head[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	/* of a pipe, what is read here would be missing later */
	bool is_file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
	ssize_t n = is_file ? read(fd, head, sizeof(head)) : -1;
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n; i++) {
		if (!g_ascii_isspace(head[i]))
			return head[i] == '{';
	}
	return false;
}

void comparand_free(Comparand *comparand)
{
	if (!comparand)
		return;
	arena_free(comparand->arena);
	g_free(comparand);
}
