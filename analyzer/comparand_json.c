/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a saved report back for a comparison. The file may come from anybody: what is missing or of
 * the wrong type is unknown, and nothing in it is trusted to add up.
 */
#include "analyzer/comparand.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "analyzer/base/arena.h"

#define SCHEMA "slowcopy.report/1"
/* The report of the largest analysis (50 000 transfers, 200 000 connections) is half of it; what
 * jansson makes of it is about six times as large. */
#define JSON_BYTES_MAX (INT64_C(1) << 29)

/** Side of reading: the document and where the copy goes. */
typedef struct Load {
	Arena *arena;
	json_t *root;
	GHashTable *connections; /* "input/stream" -> json_t */
	GHashTable *sessions;    /* "input/stream/protocol" -> json_t */
	GHashTable *transfers;   /* id -> index + 1 */
	GHashTable *findings;    /* the same of findings */
} Load;

static int64_t integer_of(const json_t *object, const char *key, int64_t unknown)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) ? json_integer_value(value) : unknown;
}

static uint64_t count_of(const json_t *object, const char *key)
{
	int64_t value = integer_of(object, key, 0);
	return value > 0 ? (uint64_t)value : 0;
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	double number = json_is_number(value) ? json_number_value(value) : 0;
	return isfinite(number) && number > 0 ? number : 0;
}

static const char *text_of(const Load *load, const json_t *object, const char *key)
{
	return arena_strdup(load->arena, json_string_value(json_object_get(object, key)));
}

static bool is_set(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static char *stream_key(int64_t input, int64_t stream)
{
	return g_strdup_printf("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, input, stream);
}

/* What became SMB2 was SMB1 first, on the same stream. */
static char *session_key(int64_t input, int64_t stream, const char *protocol)
{
	return g_strdup_printf("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "/%s", input, stream,
		protocol ? protocol : "");
}

static void index_add(GHashTable *index, const char *id, size_t number)
{
	g_hash_table_insert(index, (gpointer)(uintptr_t)id, GSIZE_TO_POINTER(number));
}

static void sessions_index(Load *load, json_t *session)
{
	const json_t *streams = json_object_get(session, "streams");
	const char *protocol = json_string_value(json_object_get(session, "protocol"));
	int64_t input = integer_of(session, "input", 0);
	for (size_t i = 0; i < json_array_size(streams); i++)
		g_hash_table_insert(load->sessions,
			session_key(
				input, json_integer_value(json_array_get(streams, i)), protocol),
			session);
}

static void index_traffic(Load *load)
{
	json_t *connections = json_object_get(load->root, "connections"),
	       *sessions = json_object_get(load->root, "sessions");
	for (size_t i = 0; i < json_array_size(connections); i++) {
		json_t *entry = json_array_get(connections, i);
		g_hash_table_insert(load->connections,
			stream_key(integer_of(entry, "input", 0), integer_of(entry, "stream", -1)),
			entry);
	}
	for (size_t i = 0; i < json_array_size(sessions); i++)
		sessions_index(load, json_array_get(sessions, i));
}

static void streams_load(const Load *load, const json_t *from, ComparandTransfer *to)
{
	int64_t input = integer_of(from, "input", 0);
	const json_t *stream;
	size_t i;
	for (i = 0; i < json_array_size(json_object_get(from, "streams")); i++) {
		stream = json_array_get(json_object_get(from, "streams"), i);
		g_autofree char *key = stream_key(input, json_integer_value(stream));
		const json_t *c = g_hash_table_lookup(load->connections, key);
		const json_t *up = json_object_get(c, "client_to_server"),
			     *down = json_object_get(c, "server_to_client");
		const json_t *data = to->is_write ? up : down, *back = to->is_write ? down : up;
		uint64_t window = count_of(back, "max_window_bytes");
		g_autofree char *session =
			session_key(input, json_integer_value(stream), to->protocol);
		const json_t *s = i == 0 ? g_hash_table_lookup(load->sessions, session) : NULL;
		to->retransmitted_packets += count_of(data, "retransmitted_packets");
		to->packets += count_of(data, "payload_packets");
		to->window_bytes = window > to->window_bytes ? window : to->window_bytes;
		if (!s)
			continue;
		to->has_session = true;
		to->dialect = text_of(load, s, "dialect");
		to->is_signed = is_set(s, "signed");
		to->is_encrypted = is_set(s, "encrypted");
		to->is_compressed = is_set(s, "compressed");
		to->multi_credit = is_set(s, "multi_credit");
		to->transport = text_of(load, s, "transport");
	}
}

static size_t bucket_of(const char *id)
{
	for (size_t b = 0; id && b < BUCKET_COUNT; b++) {
		if (strcmp(bucket_id((Bucket)b), id) == 0)
			return b;
	}
	return COMPARAND_BUCKET_UNKNOWN;
}

/* False when the budget does not add up to the duration: no report of ours says that. */
static bool budget_load(const json_t *from, ComparandTransfer *to)
{
	const json_t *entry;
	size_t i;
	int64_t sum = 0;
	for (i = 0; i < json_array_size(json_object_get(from, "budget")); i++) {
		entry = json_array_get(json_object_get(from, "budget"), i);
		int64_t ns = integer_of(entry, "ns", 0);
		size_t bucket = bucket_of(json_string_value(json_object_get(entry, "bucket")));
		if (ns < 0 || __builtin_add_overflow(sum, ns, &sum))
			return false;
		to->bucket_ns[bucket] += ns; /* no larger than the sum */
	}
	return sum == to->duration_ns;
}

static void found_load(const Load *load, const json_t *from, ComparandTransfer *to)
{
	const json_t *list = json_object_get(from, "findings"), *entry;
	uint32_t *ret = arena_alloc_array(load->arena, json_array_size(list) + 1, sizeof(*ret));
	size_t i;
	for (i = 0; i < json_array_size(list); i++) {
		entry = json_array_get(list, i);
		const char *id = json_string_value(entry);
		gpointer at = id ? g_hash_table_lookup(load->findings, id) : NULL;
		if (at)
			ret[to->finding_count++] = (uint32_t)(GPOINTER_TO_SIZE(at) - 1);
	}
	to->findings = ret;
}

static bool transfer_load(const Load *load, const json_t *from, bool is_job, ComparandTransfer *to)
{
	const json_t *size = json_object_get(from, "request_bytes"),
		     *depth = json_object_get(from, "requests_in_flight"),
		     *capacity = json_object_get(from, "capacity");
	const char *direction = json_string_value(json_object_get(from, "direction"));
	*to = (ComparandTransfer){.id = text_of(load, from, "id"),
		.is_job = is_job,
		.is_write = direction && strcmp(direction, "write") == 0,
		.protocol = text_of(load, from, "protocol"),
		.file = text_of(load, from, "file"),
		.share = text_of(load, from, "share"),
		.client = text_of(load, from, "client"),
		.server = text_of(load, from, "server"),
		.files = is_job ? count_of(from, "files") : 1,
		.bytes = count_of(from, "bytes"),
		.duration_ns = integer_of(from, "duration_ns", -1),
		.rtt_ns = integer_of(from, "rtt_ns", RESULT_UNKNOWN_NS),
		.requests = count_of(from, "requests"),
		.request_bytes = count_of(size, "median"),
		.requests_in_flight = number_of(depth, "mean"),
		.capacity_bytes_per_s =
			is_set(capacity, "proven") ? number_of(capacity, "bytes_per_s") : 0};
	streams_load(load, from, to);
	found_load(load, from, to);
	return to->id && to->client && to->server && to->protocol && to->duration_ns >= 0 &&
	       budget_load(from, to);
}

static bool transfers_load(Load *load, Comparand *c)
{
	static const char *const keys[] = {"transfers", "jobs"};
	size_t count = 0, i;
	for (size_t k = 0; k < 2; k++)
		count += json_array_size(json_object_get(load->root, keys[k]));
	c->transfers = arena_alloc_array(load->arena, count + 1, sizeof(*c->transfers));
	for (size_t k = 0; k < 2; k++) {
		const json_t *entry;
		for (i = 0; i < json_array_size(json_object_get(load->root, keys[k])); i++) {
			entry = json_array_get(json_object_get(load->root, keys[k]), i);
			ComparandTransfer *to = &c->transfers[c->transfer_count];
			if (!transfer_load(load, entry, k == 1, to))
				return false;
			index_add(load->transfers, to->id, ++c->transfer_count);
		}
	}
	return true;
}

static int word_of(const json_t *object, const char *key, const char *const *words, int unknown)
{
	const char *text = json_string_value(json_object_get(object, key));
	for (int i = 0; text && words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	return unknown;
}

static void finding_load(const Load *load, const json_t *from, ComparandFinding *to)
{
	static const char *const severities[] = {"info", "minor", "major", "critical", NULL};
	static const char *const confidences[] = {"low", "medium", "high", NULL};
	const json_t *saved = json_object_get(from, "saved_ns"),
		     *rate = json_object_get(from, "predicted_bytes_per_s");
	*to = (ComparandFinding){.cause = text_of(load, from, "cause"),
		.title = text_of(load, from, "title"),
		.severity = (Severity)word_of(from, "severity", severities, SEVERITY_INFO),
		.confidence = (Confidence)word_of(from, "confidence", confidences, CONFIDENCE_LOW),
		.lost_ns = integer_of(from, "lost_ns", RESULT_UNKNOWN_NS),
		.saved_ns = {integer_of(saved, "low", RESULT_UNKNOWN_NS),
			integer_of(saved, "high", RESULT_UNKNOWN_NS)},
		.predicted_bytes_per_s = {number_of(rate, "low"), number_of(rate, "high")}};
}

static bool findings_load(Load *load, Comparand *c)
{
	const json_t *list = json_object_get(load->root, "findings"), *entry;
	size_t i;
	c->findings =
		arena_alloc_array(load->arena, json_array_size(list) + 1, sizeof(*c->findings));
	for (i = 0; i < json_array_size(list); i++) {
		entry = json_array_get(list, i);
		finding_load(load, entry, &c->findings[i]);
		const char *id = json_string_value(json_object_get(entry, "id"));
		if (!c->findings[i].cause || !id)
			return false;
		index_add(load->findings, id, ++c->finding_count);
	}
	return true;
}

static bool report_load(Load *load, Comparand *c)
{
	const json_t *verdict = json_object_get(load->root, "verdict");
	const char *grade =
		json_string_value(json_object_get(json_object_get(load->root, "capture"), "grade"));
	const char *main = json_string_value(json_object_get(verdict, "transfer"));
	index_traffic(load);
	if (!findings_load(load, c) || !transfers_load(load, c))
		return false;
	gpointer at = main ? g_hash_table_lookup(load->transfers, main) : NULL;
	c->main = at ? (int32_t)GPOINTER_TO_SIZE(at) - 1 : -1;
	c->grade = grade && grade[0] >= 'A' && grade[0] <= 'D' ? grade[0] : 0;
	c->is_partial = is_set(load->root, "is_partial");
	c->is_redacted = is_set(json_object_get(load->root, "tool"), "redacted");
	return true;
}

static bool report_read(json_t *root, Comparand *c)
{
	Load load = {.arena = c->arena,
		.root = root,
		.connections = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.sessions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.transfers = g_hash_table_new(g_str_hash, g_str_equal),
		.findings = g_hash_table_new(g_str_hash, g_str_equal)};
	bool ok = report_load(&load, c);
	g_hash_table_unref(load.connections);
	g_hash_table_unref(load.sessions);
	g_hash_table_unref(load.transfers);
	g_hash_table_unref(load.findings);
	return ok;
}

Comparand *comparand_parse_json(const char *text, size_t len, const char *path, GError **error)
{
	json_error_t where;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!root) {
		g_set_error(error, COMPARAND_ERROR, COMPARAND_ERROR_FORMAT,
			"%s is no valid JSON: line %d: %s", path, where.line, where.text);
		return NULL;
	}
	const char *schema = json_string_value(json_object_get(root, "schema"));
	Comparand *c = g_new0(Comparand, 1);
	c->arena = arena_new();
	c->path = arena_strdup(c->arena, path);
	c->main = -1;
	if (!schema || strcmp(schema, SCHEMA) != 0 || !report_read(root, c)) {
		g_set_error(error, COMPARAND_ERROR, COMPARAND_ERROR_FORMAT,
			schema && strcmp(schema, SCHEMA) == 0
				? "%s is a damaged report: what it says does not add up"
				: "%s is JSON, but no report of slowcopy (" SCHEMA ")",
			path);
		comparand_free(c);
		c = NULL;
	}
	json_decref(root);
	return c;
}

Comparand *comparand_from_json(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	gsize len = 0;
	g_autoptr(GError) why = NULL;
	GStatBuf info;
	if (g_stat(path, &info) == 0 && info.st_size > JSON_BYTES_MAX) {
		g_set_error(error, COMPARAND_ERROR, COMPARAND_ERROR_READ,
			"%s is larger than any report (512 MiB)", path);
		return NULL;
	}
	if (!g_file_get_contents(path, &text, &len, &why)) {
		g_set_error(error, COMPARAND_ERROR, COMPARAND_ERROR_READ, "%s", why->message);
		return NULL;
	}
	return comparand_parse_json(text, len, path, error);
}
