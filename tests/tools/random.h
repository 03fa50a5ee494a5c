/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers for tests that can be repeated: SEED=number in the environment fixes the start,
 * otherwise it is a constant, so that a failure seen once is seen again.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_RANDOM_H
#define SLOWCOPY_TESTS_TOOLS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

typedef struct Random {
	uint64_t state;
} Random;

/** random_seeded: a generator that starts at @seed. */
static inline Random random_seeded(uint64_t seed)
{
	return (Random){seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
}

/** random_start: a generator that starts at SEED of the environment, or 1. */
static inline Random random_start(void)
{
	const char *seed = getenv("SEED");
	return random_seeded(seed ? strtoull(seed, NULL, 0) : 1);
}

/** random_next: 64 random bits (SplitMix64, Steele, Lea and Flood 2014). */
static inline uint64_t random_next(Random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** random_below: a number in [0, @limit), @limit > 0. */
static inline uint64_t random_below(Random *random, uint64_t limit)
{
	return random_next(random) % limit;
}

/** random_between: a number in [@from, @to]. */
static inline int64_t random_between(Random *random, int64_t from, int64_t to)
{
	return from + (int64_t)random_below(random, (uint64_t)(to - from) + 1);
}

#endif
