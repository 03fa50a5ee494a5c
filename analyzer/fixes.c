/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fixes one after the other: see fixes.h.
 */
#include "analyzer/fixes.h"

#include "analyzer/finding.h"

static gint by_promise(gconstpointer a, gconstpointer b)
{
	const FindingCandidate *x = *(const FindingCandidate *const *)a,
			       *y = *(const FindingCandidate *const *)b;
	bool x_sure = x->draft.confidence >= CONFIDENCE_MEDIUM,
	     y_sure = y->draft.confidence >= CONFIDENCE_MEDIUM;
	int64_t m = x->saving.low_ns + x->saving.high_ns, n = y->saving.low_ns + y->saving.high_ns;
	if (x_sure != y_sure)
		return x_sure ? -1 : 1;
	if (m != n)
		return m > n ? -1 : 1;
	return (x->cause->precedence > y->cause->precedence) -
	       (x->cause->precedence < y->cause->precedence);
}

static double rate_of(uint64_t bytes, int64_t ns)
{
	return bytes > 0 && ns > 0 ? (double)bytes * 1e9 / (double)ns : 0;
}

static ResultFix fix_make(
	const FindingCandidate *c, const Saving *together, const ResultFix *before)
{
	ResultFix f = {
		.finding = (uint32_t)c->finding, .saved_ns = saving_range(together, c->wall_ns)};
	/* one more fix never makes it slower */
	if (before && f.saved_ns.low < before->saved_ns.low)
		f.saved_ns.low = before->saved_ns.low;
	if (before && f.saved_ns.high < before->saved_ns.high)
		f.saved_ns.high = before->saved_ns.high;
	f.duration_ns = (NsRange){c->wall_ns - f.saved_ns.high, c->wall_ns - f.saved_ns.low};
	f.bytes_per_s = (RateRange){
		rate_of(c->bytes, f.duration_ns.high), rate_of(c->bytes, f.duration_ns.low)};
	return f;
}

const ResultFix *fixes_list(
	Arena *arena, const FindingCandidate *candidates, size_t candidate_count, size_t *ret_count)
{
	g_autoptr(GPtrArray) own = g_ptr_array_new();
	for (size_t i = 0; i < candidate_count; i++) {
		const FindingCandidate *c = &candidates[i];
		if (c->draft.fix && c->saving.high_ns > 0)
			g_ptr_array_add(own, (gpointer)(uintptr_t)c);
	}
	g_ptr_array_sort(own, by_promise);
	size_t count = own->len < FIXES_MAX ? own->len : FIXES_MAX;
	ResultFix *list = arena_alloc_array(arena, count + 1, sizeof(*list));
	Saving together = {0};
	for (size_t i = 0; i < count; i++) {
		const FindingCandidate *c = own->pdata[i];
		together = i == 0 ? c->saving : saving_with(together, c->saving, c->wall_ns);
		list[i] = fix_make(c, &together, i > 0 ? &list[i - 1] : NULL);
	}
	*ret_count = count;
	return list;
}
