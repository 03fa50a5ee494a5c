/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A receiver whose program or disk takes the data too slowly: the common part of zero-window and
 * slow-reader. RFC 9293 3.8.6.1; docs/causes.md, zero-window and slow-reader.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_READER_H
#define SLOWCOPY_ANALYZER_CAUSES_READER_H

#include "analyzer/causes/cause.h"

/* docs/causes.md, slow-reader: late releases that make a rule of it. */
#define READER_MIN_LATE_RELEASES 10
/* docs/architecture.md, "Every nanosecond once": below half of its own maximum a window has shrunk,
 * and only a slow reader shrinks it.
 */
#define READER_SHRUNK_SHARE 0.5

/** ReaderKind: one story, two faces; exactly one cause tells it and claims both buckets. */
typedef enum ReaderKind { READER_FINE, READER_STOPPED, READER_SLOW } ReaderKind;

/** reader_kind: who speaks. */
ReaderKind reader_kind(const CauseContext *context);

/** reader_side: the side that reads too slowly. */
Side reader_side(const CauseContext *context);

/** reader_shrinks_window: waits at a small window are the reader's, too: the buffer is larger, but
 * full. */
bool reader_shrinks_window(const CauseContext *context);

/** reader_conclude: claims both buckets; blame, savings, evidence, advice. False when less than a
 * finding is left. */
bool reader_conclude(const CauseContext *context, FindingDraft *draft, Side reader);

#endif
