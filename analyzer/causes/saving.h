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

/** Saving: of one fix, or of several together. */
typedef struct Saving {
	int64_t low_ns, high_ns; /* bounds of the model: 0 <= low <= high <= what was lost */
	int64_t open_ns;         /* nobody's time that may go with it: added to the high bound */
	int64_t most_ns;         /* no more can be saved: the bytes that stay have to pass the path
				    and be asked for */
	/* of each bucket: claimed, gone with it at best though others may claim it, and all there
	 * is; zeros once units are joined */
	int64_t claim_ns[BUCKET_COUNT], hides_ns[BUCKET_COUNT], all_ns[BUCKET_COUNT];
	int64_t needed_ns;        /* by the bytes on the path, 0 unknown */
	int64_t rtt_ns, lossy_ns; /* lossy: what the bytes take at the rate that the losses allow; 0
				     without losses */
	double lossy_variance;    /* of each ns squared that the losses would take */
	double caught_variance;   /* ns squared, of the low bound alone */
	double pauses;            /* of the server and the client, that it ends */
	double variance;          /* ns squared, of the time that stays: pauses in it come at random
				   */
} Saving;

/** saving_make: of what @draft claims and promises in its unit; zero of a note. What is left in
 * @context must be what no cause has claimed. */
Saving saving_make(const CauseContext *context, const FindingDraft *draft);

/** saving_with: two fixes of the same unit together: nobody's time can go only once, nor what one
 * claims and the other would hide. */
Saving saving_with(Saving a, Saving b, int64_t wall_ns);

/** saving_beside: fixes of two units, one beside or after the other. */
Saving saving_beside(Saving a, Saving b);

/** saving_range: the range that is told, of units of @wall_ns together. */
NsRange saving_range(const Saving *saving, int64_t wall_ns);

/** saving_losses_variance: ns squared, of @ns for which the unit's losses keep the congestion
 * window small; 0 without losses. */
double saving_losses_variance(const CauseContext *context, double ns);

/** saving_run_spread_ns: two standard deviations by which two copies of @wall_ns differ by
 * themselves.
 */
double saving_run_spread_ns(double wall_ns);

#endif
