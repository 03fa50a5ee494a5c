/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hash: every bit and the length matter, and it spreads.
 */
#include "analyzer/base/hash.h"

#include <math.h>
#include <stdbool.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

Test(hash, every_bit_changes_half_of_the_output)
{
	Random random = random_start();
	for (size_t len = 1; len <= 48; len++) {
		uint8_t data[48];
		for (size_t i = 0; i < len; i++)
			data[i] = (uint8_t)random_next(&random);
		uint64_t before = hash_bytes(data, len);
		unsigned flipped = 0;
		for (size_t bit = 0; bit < len * 8; bit++) {
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			uint64_t after = hash_bytes(data, len);
			cr_assert_neq(after, before, "len %zu bit %zu", len, bit);
			flipped += (unsigned)__builtin_popcountll(after ^ before);
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		double mean = flipped / (double)(len * 8);
		cr_assert(mean > 24 && mean < 40, "len %zu: %g bits", len, mean);
	}
}

Test(hash, length_and_buckets)
{
	static const uint8_t zeros[64];
	for (size_t a = 0; a < 64; a++)
		for (size_t b = a + 1; b <= 64; b++)
			cr_assert_neq(hash_bytes(zeros, a), hash_bytes(zeros, b));
	cr_assert_eq(hash_bytes(NULL, 0), hash_bytes(zeros, 0));
	/* counting numbers fall evenly into the low bits, which tables use */
	unsigned bucket[1024] = {0};
	for (uint64_t i = 0; i < 1024 * 100; i++)
		bucket[hash_bytes(&i, sizeof i) & 1023]++;
	double chi = 0;
	for (unsigned i = 0; i < 1024; i++)
		chi += ((double)bucket[i] - 100) * ((double)bucket[i] - 100) / 100;
	/* 1023 degrees of freedom: deviation 45 */
	cr_assert(fabs(chi - 1023) < 6 * 45, "chi squared %g", chi);
}
