/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded multiply-and-fold hash: each step multiplies two seeded words to 128 bits and folds the
 * halves, so every input bit reaches every output bit.
 */
#include "analyzer/base/hash.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

/* Odd constants with about half of their bits set: fractional digits of the square roots of 2 and
 * 3, so that nothing is up a sleeve. */
#define K1 UINT64_C(0x6a09e667f3bcc909)
#define K2 UINT64_C(0xbb67ae8584caa73b)

static uint64_t seed;

uint64_t hash_seed(void)
{
	if (seed != 0)
		return seed;
	/* tests fix the seed to repeat a run */
	const char *fixed = getenv("SLOWCOPY_HASH_SEED");
	if (fixed)
		seed = strtoull(fixed, NULL, 0);
	else if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
		seed = (uint64_t)time(NULL) * K1 ^ (uint64_t)(uintptr_t)&seed;
	if (seed == 0)
		seed = K1;
	return seed;
}

uint64_t hash_bytes(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = hash_seed() ^ hash_mix(len ^ K1, K2);
	for (; len >= 8; p += 8, len -= 8)
		h = hash_mix(h ^ hash_word(p) ^ K1, K2 ^ h);
	uint64_t tail = 0;
	for (size_t i = 0; i < len; i++)
		tail = tail << 8 | p[i];
	return hash_mix(h ^ tail ^ K2, K1);
}
