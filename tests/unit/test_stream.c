/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams: whatever the segmentation and order, messages come out once, in order, with the times at
 * which their bytes passed; holes, gaps and cuts lose no more than they must.
 */
#include "analyzer/session/stream.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/fake_protocol.h"
#include "tests/tools/random.h"

#define MAX_SEEN 4096

typedef struct Seen {
	uint16_t id;
	size_t header_len;
	int64_t start, end, first_ns, last_ns;
	uint64_t last_frame;
	bool is_complete, has_lost_bytes;
} Seen;

typedef struct Recorder {
	Seen seen[MAX_SEEN];
	size_t headers, completes;
	int lost, found;
	DissectorState state;
	StreamContext context;
	Stream stream;
} Recorder;

static void on_header(void *user, Side side, const uint8_t *data, size_t len, const Extent *extent,
	StreamMessage *message)
{
	Recorder *r = user;
	cr_assert_eq(side, SIDE_SERVER);
	cr_assert_leq(len, extent->want);
	cr_assert_lt(r->headers, MAX_SEEN);
	Seen *seen = &r->seen[r->headers++];
	seen->id = len >= 6 ? (uint16_t)(data[4] << 8 | data[5]) : 0;
	seen->header_len = len;
	seen->start = message->start;
	message->tag = r->headers;
}

static void on_complete(void *user, Side side, StreamMessage *message)
{
	Recorder *r = user;
	cr_assert_eq(side, SIDE_SERVER);
	cr_assert_eq(message->missing, 0);
	cr_assert_gt(message->tag, r->completes, "order of completion");
	r->completes++;
	Seen *seen = &r->seen[message->tag - 1];
	cr_assert_not(seen->is_complete);
	seen->is_complete = true;
	seen->end = message->end;
	seen->first_ns = message->first_ns;
	seen->last_ns = message->last_ns;
	seen->last_frame = message->last_frame;
	seen->has_lost_bytes = message->has_lost_bytes;
}

static void on_lost(void *user, Side side, bool found)
{
	Recorder *r = user;
	(void)side;
	if (found)
		r->found++;
	else
		r->lost++;
}

static const StreamHandler handler = {on_header, on_complete, on_lost, NULL, NULL};

static Recorder *recorder_new(void)
{
	Recorder *r = calloc(1, sizeof *r);
	r->context = (StreamContext){&fake_protocol, &r->state, &handler, r};
	return r;
}

static void recorder_free(Recorder *r)
{
	stream_clear(&r->stream);
	free(r);
}

/* a segment in a block of exactly its size, so that every overread is seen */
static void push_cut(Recorder *r, const uint8_t *bytes, int64_t from, uint32_t len, uint32_t caplen,
	int64_t ts_ns)
{
	uint8_t *copy = malloc(caplen > 0 ? caplen : 1);
	memcpy(copy, bytes + from, caplen);
	SessionChunk chunk = {.offset = from,
		.len = len,
		.caplen = caplen,
		.data = copy,
		.ts_ns = ts_ns,
		.frame = (uint64_t)ts_ns};
	stream_push(&r->stream, &r->context, SIDE_SERVER, &chunk);
	free(copy);
}

static void push(Recorder *r, const uint8_t *bytes, int64_t from, uint32_t len, int64_t ts_ns)
{
	push_cut(r, bytes, from, len, len, ts_ns);
}

typedef struct Plan {
	uint8_t bytes[1 << 18];
	size_t len, count;
	int64_t ends[512];
} Plan;

static Plan *plan_new(Random *random, size_t count)
{
	Plan *plan = calloc(1, sizeof *plan);
	plan->count = count;
	for (size_t i = 0; i < count; i++) {
		size_t body = random_below(random, 4) == 0 ? random_below(random, 9000)
							   : random_below(random, 40);
		if (plan->len + body + FAKE_HEADER_LEN > sizeof plan->bytes)
			body = 0;
		plan->len += fake_message(plan->bytes + plan->len, MESSAGE_REQUEST, VERB_READ,
			(uint16_t)i, body, (uint8_t)random_next(random));
		plan->ends[i] = (int64_t)plan->len;
	}
	return plan;
}

typedef struct Segment {
	int64_t from;
	uint32_t len;
	uint64_t order;
} Segment;

static int by_order(const void *a, const void *b)
{
	const Segment *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

Test(stream, any_segmentation_and_order)
{
	Random random = random_start();
	for (int round = 0; round < 400; round++) {
		Plan *plan = plan_new(&random, 1 + random_below(&random, 100));
		Recorder *r = recorder_new();
		static Segment segments[1 << 19];
		static int64_t arrival[1 << 18];
		size_t n = 0;
		uint64_t max = 1 + random_below(&random, 1460);
		uint64_t jitter = round % 3 == 0 ? 0 : random_below(&random, 12);
		bool has_overlaps = round % 2 == 0;
		for (int64_t at = 0; at < (int64_t)plan->len;) {
			uint32_t len = 1 + (uint32_t)random_below(&random, max);
			if (len > plan->len - (size_t)at)
				len = (uint32_t)(plan->len - (size_t)at);
			segments[n] =
				(Segment){at, len, n * 4 + random_below(&random, jitter * 4 + 1)};
			n++;
			/* now and then a copy that overlaps the next one */
			if (has_overlaps && jitter > 0 && random_below(&random, 10) == 0) {
				uint32_t longer = len;
				if (at + len + 7 < (int64_t)plan->len)
					longer += 7;
				segments[n] = (Segment){
					at, longer, n * 4 + random_below(&random, jitter * 4 + 1)};
				n++;
			}
			at += len;
		}
		qsort(segments, n, sizeof *segments, by_order);
		memset(arrival, 0, sizeof arrival);
		for (size_t i = 0; i < n; i++) {
			int64_t now = (int64_t)i + 1;
			for (int64_t b = segments[i].from; b < segments[i].from + segments[i].len;
				b++)
				arrival[b] = arrival[b] ? arrival[b] : now;
			push(r, plan->bytes, segments[i].from, segments[i].len, now);
		}
		cr_assert_eq(r->headers, plan->count, "round %d: %zu of %zu headers", round,
			r->headers, plan->count);
		cr_assert_eq(r->completes, plan->count);
		cr_assert_eq(r->lost, 0);
		cr_assert_eq(stream_left(&r->stream), 0);
		cr_assert_eq(stream_bytes(&r->stream), 0);
		int64_t start = 0, complete = 0;
		for (size_t i = 0; i < plan->count; i++) {
			for (int64_t b = start; b < plan->ends[i]; b++)
				complete = arrival[b] > complete ? arrival[b] : complete;
			const Seen *seen = &r->seen[i];
			cr_assert_eq(seen->id, i);
			cr_assert_eq(seen->start, start);
			cr_assert_eq(seen->end, plan->ends[i]);
			/* of two held segments with the same byte the later one may be used */
			cr_assert(has_overlaps ? seen->first_ns >= arrival[start] &&
							 seen->first_ns <= complete
					       : seen->first_ns == arrival[start],
				"round %d message %zu", round, i);
			cr_assert_eq(seen->last_ns, complete, "round %d message %zu: %d, not %d",
				round, i, (int)seen->last_ns, (int)complete);
			cr_assert_eq(seen->last_frame, (uint64_t)complete);
			start = plan->ends[i];
		}
		recorder_free(r);
		free(plan);
	}
}

Test(stream, left_is_kept_up_to_date)
{
	uint8_t bytes[2100];
	size_t len = fake_message(bytes, MESSAGE_REQUEST, VERB_READ, 1, 2000, 0);
	Recorder *r = recorder_new();
	push(r, bytes, 0, 3, 1);
	cr_assert_eq(stream_left(&r->stream), 1, "inside the framing");
	push(r, bytes, 3, 7, 2);
	cr_assert_eq(stream_left(&r->stream), len - 10);
	push(r, bytes, 10, 500, 3);
	cr_assert_eq(stream_left(&r->stream), len - 510);
	push(r, bytes, 600, 100, 4);
	cr_assert_eq(stream_left(&r->stream), len - 610);
	push(r, bytes, 510, 90, 5);
	cr_assert_eq(stream_left(&r->stream), len - 700);
	push(r, bytes, 700, (uint32_t)len - 700, 6);
	cr_assert_eq(stream_left(&r->stream), 0);
	cr_assert_eq(r->seen[0].first_ns, 1);
	cr_assert_eq(r->seen[0].last_ns, 6);
	recorder_free(r);
}

/* bytes that the capture did not keep count as seen; the header is handed out as far as it goes */
Test(stream, snap_length)
{
	Random random = random_start();
	for (uint32_t snap = 0; snap < 40; snap++) {
		Recorder *r = recorder_new();
		uint8_t bytes[64 * 1024];
		size_t len = 0;
		for (uint16_t i = 0; i < 20; i++) {
			/* every message begins a segment */
			size_t total = fake_message(bytes + len, MESSAGE_REQUEST, VERB_READ, i,
				random_below(&random, 3000), 7);
			for (size_t at = 0; at < total;) {
				uint32_t n = total - at < 1460 ? (uint32_t)(total - at) : 1460;
				push_cut(r, bytes, (int64_t)(len + at), n, n < snap ? n : snap,
					(int64_t)(len + at + 1));
				at += n;
			}
			len += total;
		}
		size_t expected = snap < FAKE_HEADER_LEN ? 0 : 20;
		cr_assert_eq(r->headers, expected, "snap %u: %zu", snap, r->headers);
		cr_assert_eq(r->completes, expected);
		for (size_t i = 0; i < r->headers; i++) {
			cr_assert_eq(r->seen[i].id, i);
			cr_assert_leq(r->seen[i].header_len, snap);
			cr_assert_not(r->seen[i].has_lost_bytes);
		}
		if (snap < FAKE_HEADER_LEN)
			cr_assert_geq(r->lost, 1);
		recorder_free(r);
	}
}

Test(stream, gap_in_a_body_loses_nothing_else)
{
	uint8_t bytes[9000];
	size_t one = fake_message(bytes, MESSAGE_REQUEST, VERB_READ, 1, 3000, 0);
	size_t two = fake_message(bytes + one, MESSAGE_REQUEST, VERB_READ, 2, 3000, 0);
	Recorder *r = recorder_new();
	push(r, bytes, 0, 1000, 1);
	push(r, bytes, 2000, (uint32_t)(one + two) - 2000, 2);
	cr_assert_eq(r->headers, 2);
	cr_assert_eq(r->completes, 0, "both wait for the hole");
	cr_assert_eq(stream_left(&r->stream), 1000);
	stream_gap(&r->stream, &r->context, SIDE_SERVER, 1000, 2000);
	cr_assert_eq(r->completes, 2);
	cr_assert_eq(stream_left(&r->stream), 0);
	cr_assert(r->seen[0].has_lost_bytes);
	cr_assert_not(r->seen[1].has_lost_bytes);
	cr_assert_eq(r->seen[0].last_ns, 2);
	cr_assert_eq(r->lost, 0);
	recorder_free(r);
}

Test(stream, gap_over_a_header_finds_the_next_message)
{
	uint8_t bytes[9000];
	size_t len = 0, at[4];
	for (uint16_t i = 0; i < 4; i++) {
		at[i] = len;
		len += fake_message(bytes + len, MESSAGE_REQUEST, VERB_READ, i, 1000, 0);
	}
	Recorder *r = recorder_new();
	push(r, bytes, 0, 500, 1);
	/* message 1 begins in the hole; what follows is held */
	push(r, bytes, (int64_t)at[1] + 100, 700, 2);
	push(r, bytes, (int64_t)at[1] + 800, (uint32_t)(len - at[1] - 800), 3);
	cr_assert_eq(r->headers, 1);
	cr_assert_gt(stream_bytes(&r->stream), 1400);
	stream_gap(&r->stream, &r->context, SIDE_SERVER, 500, (int64_t)at[1] + 100);
	cr_assert_eq(r->lost, 1);
	cr_assert_eq(r->found, 1);
	cr_assert_eq(r->headers, 3);
	cr_assert_eq(r->seen[1].id, 2);
	cr_assert_eq(r->seen[2].id, 3);
	cr_assert_eq(r->completes, 3);
	cr_assert_eq(stream_bytes(&r->stream), 0);
	recorder_free(r);
}

Test(stream, a_header_hole_is_given_up_after_a_while)
{
	enum { COUNT = 200, BODY = 1200, TOTAL = BODY + FAKE_HEADER_LEN };
	static uint8_t bytes[COUNT * TOTAL];
	for (uint16_t i = 0; i < COUNT; i++)
		fake_message(bytes + i * TOTAL, MESSAGE_REQUEST, VERB_READ, i, BODY, 0);
	Recorder *r = recorder_new();
	push(r, bytes, 0, TOTAL, 1);
	for (int i = 2; i < COUNT; i++) {
		push(r, bytes, i * TOTAL, TOTAL, i + 1);
		cr_assert_leq(stream_bytes(&r->stream), (size_t)80 * 1024);
	}
	cr_assert_eq(r->headers, COUNT - 1);
	cr_assert_eq(r->completes, COUNT - 1);
	cr_assert_eq(r->lost, 1);
	cr_assert_eq(r->found, 1);
	recorder_free(r);
}

Test(stream, starts_in_the_middle)
{
	uint8_t bytes[4000];
	memset(bytes, 0xee, sizeof bytes);
	size_t len = 700 + fake_message(bytes + 700, MESSAGE_REQUEST, VERB_READ, 9, 20, 0);
	Recorder *r = recorder_new();
	push(r, bytes, 0, 300, 1);
	push(r, bytes, 300, (uint32_t)len - 300, 2);
	cr_assert_eq(r->headers, 1);
	cr_assert_eq(r->seen[0].id, 9);
	cr_assert_eq(r->completes, 1);
	recorder_free(r);
}

/* any bytes, any order, any gaps: nothing is counted twice and nothing is held for ever */
Test(stream, survives_anything)
{
	Random random = random_start();
	for (int round = 0; round < 300; round++) {
		Plan *plan = plan_new(&random, 60);
		Recorder *r = recorder_new();
		int64_t high = 0;
		for (int step = 0; step < 300; step++) {
			int64_t from = (int64_t)random_below(&random, plan->len);
			uint32_t len = 1 + (uint32_t)random_below(&random, 1460);
			if (len > plan->len - (size_t)from)
				len = (uint32_t)(plan->len - (size_t)from);
			if (random_below(&random, 3) == 0) {
				from = high;
				len = (uint32_t)random_below(&random, 1460);
				if (len > plan->len - (size_t)from)
					len = (uint32_t)(plan->len - (size_t)from);
			}
			if (random_below(&random, 8) == 0)
				stream_gap(&r->stream, &r->context, SIDE_SERVER, from, from + len);
			else
				push_cut(r, plan->bytes, from, len,
					random_below(&random, 4)
						? len
						: (uint32_t)random_below(&random, len + 1),
					step + 1);
			if (from + len > high)
				high = from + len;
			cr_assert_leq(r->completes, r->headers);
			cr_assert_leq(stream_bytes(&r->stream), (size_t)80 * 1024);
		}
		stream_finish(&r->stream, &r->context, SIDE_SERVER);
		cr_assert_geq(r->completes + 1, r->headers);
		recorder_free(r);
		free(plan);
	}
}
