/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded hash for tables that hold what comes from packets, so that nobody on the wire can choose
 * collisions. Not cryptographic. No output of the program may depend on it.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_HASH_H
#define SLOWCOPY_ANALYZER_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** hash_mix: both halves of the 128-bit product of @a and @b, folded; the step of the hash. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/** hash_word: eight bytes at @p as a number in the machine's order. */
static inline uint64_t hash_word(const void *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof word);
	return word;
}

/** hash_seed: the process's seed, drawn from the kernel at the first call. Thread: the first call
 * must not run in parallel with another. */
uint64_t hash_seed(void);

/** hash_bytes: seeded 64-bit hash of @len bytes at @data (may be NULL when @len is 0). */
uint64_t hash_bytes(const void *data, size_t len);

#endif
