/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What packet trains tell of a path's speed, and how few of them do.
 */
#include "analyzer/transfer/path.h"

#include <math.h>

#include <criterion/criterion.h>

#define SEGMENT 1538
#define GAP_NS 500000

typedef struct Rhythm {
	const char *name;
	int segments;
	int64_t spacing_ns;
	int64_t jitter_ns;  /* every ninth comes so much later */
	double bytes_per_s; /* 0: nothing is known */
	bool is_data;
	uint32_t pauses; /* bits: after these segments the host pauses 100 us */
} Rhythm;

static Capacity capacity_of(const Rhythm *r)
{
	Path path = {0};
	PathDirection *d = &path.dir[0];
	Train *train = r->is_data ? &d->data_train : &d->ack_train;
	Histogram *levels = r->is_data ? d->data : d->acks;
	int64_t now = 1000000000;
	for (int i = 0; i < r->segments; i++) {
		train_push(train, levels, now, SEGMENT, GAP_NS, SEGMENT);
		now += r->spacing_ns + (i % 9 == 0 ? r->jitter_ns : 0) +
		       (i < 32 && r->pauses >> i & 1 ? 100000 : 0);
	}
	Capacity c = path_capacity(&path, 0);
	path_clear(&path);
	return c;
}

Test(path, few_acknowledgements_tell_when_they_are_even)
{
	static const Rhythm rhythms[] = {
		{"as at 100 Mbit/s", 20, 123040, 0, 12.5e6, false, 0},
		{"too few", 16, 123040, 0, 0, false, 0},
		{"a pause of the host in one window of five", 21, 123040, 0, 12.5e6, false,
			1u << 5},
		{"pauses in two of them", 21, 123040, 0, 0, false, 1u << 5 | 1u << 10},
		{"uneven: a host's own rhythm", 20, 60000, 120000, 0, false, 0},
		{"of data near a sender they tell nothing", 20, 123040, 0, 0, true, 0},
		{"many, and a little uneven", 200, 123040, 10000, 12.3e6, false, 0},
	};
	for (size_t i = 0; i < sizeof rhythms / sizeof *rhythms; i++) {
		const Rhythm *r = &rhythms[i];
		Capacity c = capacity_of(r);
		cr_expect(fabs(c.bytes_per_s - r->bytes_per_s) <= 0.03 * r->bytes_per_s, "%s: %.0f",
			r->name, c.bytes_per_s);
		cr_expect(r->segments > 21 || !c.is_proven, "%s: nothing to print", r->name);
	}
}

/* A window that passes in clusters with waits between them makes trains of eight segments slow; of
 * four segments some lie within a cluster, and those agree. */
Test(path, the_fastest_acknowledgements_tell_when_they_agree)
{
	static const struct {
		const char *name;
		double fast[2];
		int fast_count;
		double bytes_per_s;
	} rows[] = {
		{"a quarter as the path lets them through", {12.3e6, 12.5e6}, 6, 12.5e6},
		{"fast ones that differ: bursts", {9e6, 14e6}, 6, 3.3e6},
		{"fast ones are rare", {12.3e6, 12.5e6}, 2, 3.3e6},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		Path path = {0};
		Histogram *acks = path.dir[0].acks;
		for (int k = 0; k < 20; k++)
			histogram_add(&acks[0], 2300000 + 100000 * k, 1);
		histogram_add(&acks[0], (int64_t)rows[i].fast[0], (uint64_t)rows[i].fast_count);
		histogram_add(&acks[0], (int64_t)rows[i].fast[1], (uint64_t)rows[i].fast_count);
		histogram_add(&acks[1], 3300000, 12);
		Capacity c = path_capacity(&path, 0);
		cr_expect(fabs(c.bytes_per_s - rows[i].bytes_per_s) <= 0.05 * rows[i].bytes_per_s,
			"%s: %.0f", rows[i].name, c.bytes_per_s);
		cr_expect(!c.is_proven, "%s: nothing to print", rows[i].name);
		path_clear(&path);
	}
}
