/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a unit would take if round trip, speed of the path, window, or requests were others: the
 * same budget, with the part that moves data computed anew. Time that depends on none of them
 * stays.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_OUTLOOK_H
#define SLOWCOPY_ANALYZER_CAUSES_OUTLOOK_H

#include "analyzer/causes/cause.h"

/** outlook_make: false when too little is known of the unit: no bytes, or no round trip although
 * the assumption needs it. Text lives in
 * the context's arena. */
bool outlook_make(
	const CauseContext *context, const ResultAssumption *assumption, ResultOutlook *ret);

#endif
