/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for the graphs of the HTML report, bounded whatever the capture: few copies, few bins,
 * few operations of each.
 */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "dissectors/message.h"
#include "reports/escape.h"
#include "reports/html.h"
#include "reports/wording.h"

/* More points than a screen has columns show nothing. */
#define BINS_MAX 512
#define OPERATIONS_MAX 300

/** is_graphed: whether @transfer was chosen already. */
static bool is_graphed(const HtmlPage *page, const ResultTransfer *transfer)
{
	for (size_t i = 0; i < page->graphed_count; i++) {
		if (page->graphed[i] == transfer)
			return true;
	}
	return false;
}

static void choose(HtmlPage *page, const ResultTransfer *transfer)
{
	if (!transfer || page->graphed_count == HTML_COPIES_WITH_GRAPHS ||
		is_graphed(page, transfer) ||
		(transfer->series.bin_count == 0 && transfer->operation_count == 0))
		return;
	page->graphed[page->graphed_count++] = transfer;
}

void html_choose_graphs(HtmlPage *page)
{
	const Result *result = page->result;
	int32_t count = (int32_t)(result->transfer_count + result->job_count);

	choose(page, result_transfer(result, result->verdict.transfer));
	for (size_t i = 0; i < result->finding_count; i++)
		choose(page, result_transfer(result, result->findings[i].transfer));
	while (page->graphed_count < HTML_COPIES_WITH_GRAPHS) {
		const ResultTransfer *largest = NULL;

		for (int32_t i = 0; i < count; i++) {
			const ResultTransfer *t = result_transfer(result, i);

			if ((t->series.bin_count > 0 || t->operation_count > 0) &&
				!is_graphed(page, t) && (!largest || t->bytes > largest->bytes))
				largest = t;
		}
		if (!largest)
			return;
		choose(page, largest);
	}
}

/** put: moves @value into @object under @key. */
static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value);
}

/** Fold: how bins become fewer: @factor neighbours make one. */
typedef struct Fold {
	size_t bins, factor, count;
} Fold;

/** fold_sums: folded @values, added up. */
static json_t *fold_sums(const Fold *f, const uint64_t *values)
{
	json_t *ret;

	if (!values)
		return json_null();
	ret = json_array();
	for (size_t i = 0; i < f->count; i++) {
		uint64_t value = 0;

		for (size_t k = i * f->factor; k < MIN((i + 1) * f->factor, f->bins); k++)
			value += values[k];
		json_array_append_new(ret, json_integer((json_int_t)MIN(value, INT64_MAX)));
	}
	return ret;
}

/** fold_levels: the largest of the known @values, null where there is none. */
static json_t *fold_levels(const Fold *f, const uint64_t *values)
{
	json_t *ret;

	if (!values)
		return json_null();
	ret = json_array();
	for (size_t i = 0; i < f->count; i++) {
		uint64_t value = 0;
		bool known = false;

		for (size_t k = i * f->factor; k < MIN((i + 1) * f->factor, f->bins); k++) {
			if (values[k] == RESULT_UNKNOWN_COUNT)
				continue;
			known = true;
			value = MAX(value, values[k]);
		}
		json_array_append_new(
			ret, known ? json_integer((json_int_t)MIN(value, INT64_MAX)) : json_null());
	}
	return ret;
}

static json_t *fold_rtt(const Fold *f, const int64_t *values)
{
	json_t *ret;

	if (!values)
		return json_null();
	ret = json_array();
	for (size_t i = 0; i < f->count; i++) {
		int64_t value = RESULT_UNKNOWN_NS;

		for (size_t k = i * f->factor; k < MIN((i + 1) * f->factor, f->bins); k++)
			value = MAX(value, values[k]);
		json_array_append_new(
			ret, value == RESULT_UNKNOWN_NS ? json_null() : json_integer(value));
	}
	return ret;
}

static json_t *fold_u32(const Fold *f, const uint32_t *values)
{
	json_t *ret;

	if (!values)
		return json_null();
	ret = json_array();
	for (size_t i = 0; i < f->count; i++) {
		uint64_t value = 0;

		for (size_t k = i * f->factor; k < MIN((i + 1) * f->factor, f->bins); k++)
			value += values[k];
		json_array_append_new(ret, json_integer((json_int_t)value));
	}
	return ret;
}

/** fold_dominant: the first bin's bucket of each group; groups are narrower than a pixel. */
static json_t *fold_dominant(const Fold *f, const uint8_t *values)
{
	json_t *ret;

	if (!values)
		return json_null();
	ret = json_array();
	for (size_t i = 0; i < f->count; i++)
		json_array_append_new(
			ret, json_integer(MIN(values[i * f->factor], BUCKET_COUNT - 1)));
	return ret;
}

/** command_index: place of the command's name in @names, added when new. */
static size_t command_index(json_t *names, const OperationSample *operation)
{
	const char *name = message_command_name(operation->protocol, operation->command);
	size_t count = json_array_size(names);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return i;
	}
	json_array_append_new(names, json_string(name));
	return count;
}

static void put_operations(json_t *object, const ResultTransfer *t)
{
	json_t *list = json_array(), *names = json_array();
	size_t step = (t->operation_count + OPERATIONS_MAX - 1) / OPERATIONS_MAX;

	for (size_t i = 0; i < t->operation_count; i += MAX(step, 1)) {
		const OperationSample *o = &t->operations[i];

		/* one without an answer has no bar */
		if (o->reply_ns < o->request_ns || o->request_ns == RESULT_UNKNOWN_NS)
			continue;
		json_array_append_new(list,
			json_pack("[I,I,I,I,I,I]", (json_int_t)o->request_ns,
				(json_int_t)MAX(o->reply_first_ns, o->request_ns),
				(json_int_t)o->reply_ns, (json_int_t)MIN(o->offset, INT64_MAX),
				(json_int_t)MIN(o->bytes, INT64_MAX),
				(json_int_t)command_index(names, o)));
	}
	put(object, "operations", list);
	put(object, "commands", names);
}

static json_t *copy_json(const HtmlPage *page, const ResultTransfer *t)
{
	const ResultSeries *s = &t->series;
	Fold f = {.bins = s->bin_count, .factor = (s->bin_count + BINS_MAX - 1) / BINS_MAX};
	g_autofree char *subject = wording_subject(page->result, page->options, t);
	g_autofree char *title = g_strdup_printf("%s: %s", t->id, subject);
	g_autofree char *clean = escape_cut(title, 120, true);
	json_t *ret = json_object();

	f.factor = MAX(f.factor, 1);
	f.count = (f.bins + f.factor - 1) / f.factor;
	put(ret, "id", json_string(t->id));
	put(ret, "title", json_string(clean));
	put(ret, "start", json_integer(s->bin_count ? s->start_ns : t->start_ns));
	put(ret, "end", json_integer(t->start_ns + t->duration_ns));
	put(ret, "bin", json_integer(s->bin_ns * (int64_t)f.factor));
	put(ret, "bins", json_integer((json_int_t)f.count));
	put(ret, "bytes", fold_sums(&f, s->bytes));
	put(ret, "inFlight", fold_levels(&f, s->in_flight));
	put(ret, "window", fold_levels(&f, s->window));
	put(ret, "rtt", fold_rtt(&f, s->rtt_ns));
	put(ret, "retransmissions", fold_u32(&f, s->retransmissions));
	put(ret, "dominant", fold_dominant(&f, s->dominant));
	put_operations(ret, t);
	return ret;
}

void html_data(const HtmlPage *page)
{
	json_t *root = json_object(), *buckets = json_array(), *copies = json_array();
	char *text;

	for (int i = 0; i < BUCKET_COUNT; i++) {
		json_t *bucket = json_object();

		put(bucket, "title", json_string(bucket_title((Bucket)i)));
		put(bucket, "side", json_string(html_side((Bucket)i) + strlen("s-")));
		put(bucket, "tone", json_integer(html_tone((Bucket)i)));
		json_array_append_new(buckets, bucket);
	}
	for (size_t i = 0; i < page->graphed_count; i++)
		json_array_append_new(copies, copy_json(page, page->graphed[i]));
	put(root, "buckets", buckets);
	put(root, "copies", copies);
	text = json_dumps(root, JSON_COMPACT);
	/* no "<" inside a script element: it could end it */
	for (const char *p = text; p && *p; p++) {
		if (*p == '<')
			fputs("\\u003c", page->out);
		else
			fputc(*p, page->out);
	}
	free(text);
	json_decref(root);
}
