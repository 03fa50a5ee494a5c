/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure a predicted saving is. A cause says what would happen at best and at worst if it were
 * gone (the model's bounds). Here is added, for every cause alike, what the capture itself leaves
 * open: how fast the path may be when its speed is not proven, time without a sure owner, how much
 * the time that stays varies, and how much two runs of the same copy differ.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_SAVING_H
#define SLOWCOPY_ANALYZER_CAUSES_SAVING_H

#include "analyzer/causes/cause.h"

/** Saving: bounds of the model and the half width of what chance adds to each of them. */
typedef struct Saving {
	int64_t low_ns, high_ns; /* 0 <= low <= high < wall */
	double spread_ns;        /* >= 0, two standard deviations */
} Saving;

/** saving_make: of what @draft claims and promises in its unit; zero of a note. */
Saving saving_make(const CauseContext *context, const FindingDraft *draft);

/** saving_add: both savings together; what chance adds is independent. */
Saving saving_add(Saving a, Saving b);

/** saving_range: the range that is told, within 0 and @most_ns. */
NsRange saving_range(const Saving *saving, int64_t most_ns);

/** saving_most_ns: fixing @draft's cause can save no more: the bytes that stay have to pass the
 * path and be asked for. */
int64_t saving_most_ns(const CauseContext *context, const FindingDraft *draft);

/** saving_run_spread_ns: two standard deviations by which copies of @wall_ns differ by themselves.
 */
double saving_run_spread_ns(double wall_ns);

#endif
