/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorting of packets that were recorded a little out of order, against a plain stable sort.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/capture/sorter.h"

enum { PACKETS = 2000, BATCH = 16 };

static Packet made(uint64_t frame, int64_t ts_ns, uint8_t *bytes)
{
	memset(bytes, (int)(frame & 0xff), 40);
	return (Packet){.frame = frame,
		.ts_ns = ts_ns,
		.kind = PACKET_TCP,
		.ip = bytes,
		.ip_caplen = 40,
		.payload = bytes + 30,
		.payload_len = 10,
		.payload_caplen = 10};
}

static size_t drain(Sorter *sorter, int64_t *last_ns, bool at_end)
{
	Packet out[BATCH];
	size_t total = 0, n;
	while ((n = sorter_pop(sorter, out, BATCH, at_end)) > 0) {
		for (size_t i = 0; i < n; i++) {
			cr_assert(out[i].ts_ns >= *last_ns, "frame %d is early", (int)out[i].frame);
			*last_ns = out[i].ts_ns;
			cr_assert_eq(out[i].payload[0], (uint8_t)out[i].frame,
				"bytes travel with the packet");
			cr_assert_eq(out[i].ip[39], (uint8_t)out[i].frame);
		}
		total += n;
	}
	return total;
}

Test(sorter, idle_while_in_order)
{
	Sorter *sorter = sorter_new();
	uint8_t bytes[40];
	for (int i = 0; i < 100; i++) {
		Packet p = made((uint64_t)i, i * 1000, bytes);
		cr_assert(!sorter_wants(sorter, &p, 1));
	}
	Packet far_back = made(1, -INT64_C(5000000000), bytes);
	cr_assert(
		!sorter_wants(sorter, &far_back, 1), "a clock that is set back is not sorted away");
	sorter_free(sorter);
}

Test(sorter, near_order_is_restored)
{
	Sorter *sorter = sorter_new();
	uint8_t(*bytes)[40] = calloc(BATCH, sizeof(*bytes));
	Packet batch[BATCH];
	int64_t last = INT64_MIN;
	size_t given = 0;
	srand(7);
	for (int i = 0; i < PACKETS; i += BATCH) {
		for (int k = 0; k < BATCH; k++)
			batch[k] = made((uint64_t)(i + k),
				(i + k) * 100000 + (rand() % 7 - 3) * 100000, bytes[k]);
		sorter_wants(sorter, batch, BATCH);
		sorter_push(sorter, batch, BATCH);
		/* the copies outlive what they were made of */
		memset(bytes, 0, BATCH * sizeof(*bytes));
		given += drain(sorter, &last, false);
	}
	given += drain(sorter, &last, true);
	cr_assert_eq(given, PACKETS);
	cr_assert(sorter_is_empty(sorter));
	free(bytes);
	sorter_free(sorter);
}
