/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of result.h. A Result is the first thing in its own arena, so that one call frees
 * it with all that it points to.
 */
#include "analyzer/result.h"

#include "analyzer/base/arena.h"

const ResultTransfer *result_transfer(const Result *result, int32_t index)
{
	size_t at = (size_t)index;

	if (index < 0)
		return NULL;
	if (at < result->transfer_count)
		return &result->transfers[at];
	at -= result->transfer_count;
	return at < result->job_count ? &result->jobs[at] : NULL;
}

void result_free(Result *result)
{
	if (result)
		arena_free(result->arena);
}
