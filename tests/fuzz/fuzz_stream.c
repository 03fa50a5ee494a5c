/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection in segments of both sides, out of order, with holes, gaps, copies and cuts. First
 * byte: the port. Then segments: a control byte (bit 0 side, bits 1-3 what happens before it, bit 4
 * whether the capture cut it, bit 5 PSH), a length byte, and the bytes, each on its own heap block.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/session/session_stats.h"
#include "tests/tools/session_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum Event {
	EVENT_HOLE = 1,
	EVENT_BACK,
	EVENT_GAP,
	EVENT_GAP_BEHIND,
	EVENT_ANSWER_LOOP,
};

typedef struct Talk {
	SessionLog log;
	Session *session;
	int64_t offset[2], now_ns;
} Talk;

static void before(Talk *t, Side side, unsigned event, size_t len)
{
	int64_t here = t->offset[side];
	switch (event) {
	case EVENT_HOLE:
		t->offset[side] += (int64_t)len * 16;
		break;
	case EVENT_BACK:
		t->offset[side] -= (int64_t)len * 16 < here ? (int64_t)len * 16 : here;
		break;
	case EVENT_GAP:
		session_gap(t->session, side, here, here + 100, t->now_ns);
		t->offset[side] += 100;
		break;
	case EVENT_GAP_BEHIND:
		session_gap(t->session, side, here - 200, here, t->now_ns);
		break;
	case EVENT_ANSWER_LOOP:
		session_set_server_loop(t->session, (int64_t)len);
		break;
	default:
		break;
	}
}

static void check(const Talk *t)
{
	const Turn *turn = session_turn(t->session);
	if (t->log.error || turn->outstanding > 1024 || turn->message_left[0] > (uint64_t)1 << 31 ||
		turn->message_left[1] > (uint64_t)1 << 31)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t ports[] = {445, 139, 21, 9999};
	if (size < 1)
		return 0;
	Talk t = {.log = {.quiet = true}, .now_ns = 1};
	t.session = session_new(&session_log_ops, &t.log, NULL, ports[data[0] & 3], 50000);
	for (size_t at = 1; at + 2 <= size;) {
		unsigned control = data[at];
		size_t len = data[at + 1], left = size - at - 2;
		at += 2;
		Side side = (Side)(control & 1);
		before(&t, side, control >> 1 & 7, len);
		if (len > left)
			len = left;
		size_t kept = control & 16 ? len / 2 : len;
		uint8_t *copy = malloc(kept ? kept : 1);
		if (!copy)
			abort();
		memcpy(copy, data + at, kept);
		SessionChunk chunk = {.offset = t.offset[side],
			.len = (uint32_t)len,
			.caplen = (uint32_t)kept,
			.data = copy,
			.ts_ns = t.now_ns,
			.frame = (uint64_t)t.now_ns,
			.psh = control & 32};
		session_push(t.session, side, &chunk);
		free(copy);
		t.offset[side] += (int64_t)len;
		t.now_ns++;
		at += len;
		check(&t);
	}
	SessionStats stats;
	session_end(t.session, t.now_ns);
	(void)session_stats(t.session, &stats);
	session_free(t.session);
	if (t.log.error || t.log.open_count > 0 || t.log.requests != t.log.replies)
		abort();
	session_log_clear(&t.log);
	return 0;
}
