/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histogram: against the sorted list of all values.
 */
#include "analyzer/base/histogram.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "tests/tools/random.h"

#define MAX_VALUES 3000

static int compare_values(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Values of every size: some small, some powers of two and their neighbours, some huge. */
static int64_t any_value(Random *random)
{
	unsigned bits = (unsigned)random_below(random, 63) + 1;
	int64_t value = (int64_t)(random_next(random) >> (64 - bits));
	switch (random_below(random, 4)) {
	case 0:
		return (int64_t)random_below(random, 100);
	case 1:
		return (INT64_C(1) << (bits - 1)) - (int64_t)random_below(random, 2);
	default:
		return value;
	}
}

static bool is_close(int64_t got, int64_t want)
{
	return fabs((double)got - (double)want) <= 0.01 * (double)want;
}

static void check_quantiles(const Histogram *h, int64_t *values, size_t n)
{
	static const double quantiles[] = {0, 0.001, 0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
	qsort(values, n, sizeof *values, compare_values);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		size_t rank = (size_t)ceil(quantiles[i] * (double)n);
		int64_t want = values[rank ? rank - 1 : 0];
		int64_t got = histogram_quantile(h, quantiles[i]);
		cr_assert(is_close(got, want), "q %g of %zu: %lld, not %lld", quantiles[i], n,
			(long long)got, (long long)want);
		if (want < 64)
			cr_assert_eq(got, want, "small values are exact");
	}
}

Test(histogram, random_values_match_a_sorted_list)
{
	Random random = random_start();
	for (unsigned round = 0; round < 40; round++) {
		Histogram h = {0};
		int64_t values[MAX_VALUES];
		size_t n = 1 + random_below(&random, MAX_VALUES);
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			values[i] = any_value(&random);
			sum += (double)values[i];
			histogram_add(&h, values[i], 1);
		}
		check_quantiles(&h, values, n);
		cr_assert_eq(histogram_count(&h), n);
		cr_assert_eq(histogram_min(&h), values[0]);
		cr_assert_eq(histogram_max(&h), values[n - 1]);
		cr_assert_float_eq(histogram_mean(&h), sum / (double)n, 1e-9 * sum);
		cr_assert_leq(histogram_bytes(&h), 36 * 1024);
		histogram_clear(&h);
		cr_assert_eq(histogram_count(&h), 0);
		cr_assert_eq(histogram_bytes(&h), 0);
	}
}

Test(histogram, merge_equals_adding_all)
{
	Random random = random_start();
	for (unsigned round = 0; round < 20; round++) {
		Histogram all = {0}, part[2] = {{0}, {0}};
		size_t n = random_below(&random, 500);
		for (size_t i = 0; i < n; i++) {
			int64_t value = any_value(&random);
			uint64_t weight = random_below(&random, 5);
			histogram_add(&all, value, weight);
			histogram_add(&part[random_below(&random, 2)], value, weight);
		}
		histogram_merge(&part[0], &part[1]);
		cr_assert_eq(histogram_count(&part[0]), histogram_count(&all));
		cr_assert_eq(histogram_min(&part[0]), histogram_min(&all));
		cr_assert_eq(histogram_max(&part[0]), histogram_max(&all));
		for (double q = 0; q <= 1; q += 0.05)
			cr_assert_eq(histogram_quantile(&part[0], q), histogram_quantile(&all, q));
		histogram_clear(&all);
		histogram_clear(&part[0]);
		histogram_clear(&part[1]);
	}
}

Test(histogram, heavy_weights_are_exact)
{
	static const uint64_t weights[] = {1, 65535, 65536, UINT64_C(1) << 32, UINT64_C(1) << 40};
	for (size_t n = 1; n <= sizeof weights / sizeof *weights; n++) {
		Histogram h = {0};
		uint64_t sum = 0, low = 0;
		for (int64_t value = 0; value < 3000; value += 7) {
			uint64_t weight = weights[(size_t)value % n];
			histogram_add(&h, value, weight);
			histogram_add(&h, value, 1);
			sum += weight + 1;
			low += value < 63 ? weight + 1 : 0;
		}
		cr_assert_eq(histogram_count(&h), sum);
		cr_assert_eq(h.refused, 0);
		/* the quantile at which the values below 64 end says whether their weights are kept
		 */
		cr_assert_leq(histogram_quantile(&h, (double)low / (double)sum * (1 - 1e-9)), 63);
		cr_assert_geq(histogram_quantile(&h, (double)low / (double)sum + 1e-3), 63);
		histogram_clear(&h);
	}
}

Test(histogram, edges)
{
	Histogram h = {0};
	cr_assert_eq(histogram_quantile(&h, 0.5), 0);
	cr_assert_eq(histogram_mean(&h), 0);
	histogram_add(&h, 5, 0);
	cr_assert_eq(histogram_count(&h), 0, "no weight, no value");
	histogram_add(&h, -7, 1);
	cr_assert_eq(histogram_max(&h), 0, "negative counts as 0");
	histogram_add(&h, INT64_MAX, UINT64_C(1) << 60);
	cr_assert(is_close(histogram_quantile(&h, 0.5), INT64_MAX));
	cr_assert_eq(histogram_quantile(&h, NAN), 0);
	histogram_clear(&h);
	/* one value is given back exactly, whatever its size */
	histogram_add(&h, 1234567891, 3);
	cr_assert_eq(histogram_quantile(&h, 0.5), 1234567891);
	histogram_clear(&h);
	/* round-trip times around 10 ms, give or take a factor of four, stay small */
	for (int64_t ns = 2500000; ns < 40000000; ns += 1000)
		histogram_add(&h, ns, 1);
	cr_assert_leq(histogram_bytes(&h), 1024 + 128);
	histogram_clear(&h);
}
