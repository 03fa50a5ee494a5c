/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receive window that held a sender back: which of the causes of one bucket speaks, and what a
 * larger window would save. RFC 7323; docs/causes.md, receive-window-small to
 * autotuning-restricted.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_WINDOW_H
#define SLOWCOPY_ANALYZER_CAUSES_WINDOW_H

#include "analyzer/causes/cause.h"

/* docs/causes.md, receive-window-small: stops at the edge that make a rule of it. */
#define WINDOW_MIN_EDGE_STOPS 20
/* docs/causes.md, receive-window-small: a window of four fifths of what the path holds is not the
 * reason. */
#define WINDOW_SMALL_SHARE 0.8
/* docs/causes.md, window-scale-off: without scaling the window ends at 65535; far below, the buffer
 * is the better name.
 */
#define WINDOW_UNSCALED_MAX 65535
#define WINDOW_UNSCALED_MIN_MAX (48 * 1024)
#define WINDOW_UNSCALED_MIN_MEAN (32 * 1024)
/* docs/causes.md, autotuning-restricted: grew to twice its start and then held for ten round trips.
 */
#define WINDOW_GROWTH_FACTOR 2
#define WINDOW_HELD_ROUND_TRIPS 10
/* The window of a SYN is never scaled, those after it are: a fall to a sixteenth in one step is a
 * scale of four and more that got lost (RFC 7323 2.2). */
#define WINDOW_MISREAD_MIN_FIRST (16 * 1024)
#define WINDOW_MISREAD_FACTOR 16
/* docs/causes.md, receive-window-small: measured rate within a fifth of window / round trip. */
#define WINDOW_RATE_TOLERANCE 0.2
#define WINDOW_RATE_EXCESS 2.0

/** WindowKind: exactly one cause speaks for the bucket receive-window. */
typedef enum WindowKind {
	WINDOW_FINE,       /* too little time, or too little evidence */
	WINDOW_SMALL,      /* receive-window-small */
	WINDOW_SCALE_OFF,  /* window-scale-off */
	WINDOW_STRIPPED,   /* window-scale-stripped */
	WINDOW_RESTRICTED, /* autotuning-restricted */
} WindowKind;

/** window_kind: who speaks. */
WindowKind window_kind(const CauseContext *context);

/** window_side: whose sending the window held back most. */
Side window_side(const CauseContext *context);

/** window_at_stops: mean window in force when the sender had to stop, bytes. */
double window_at_stops(const TcpDirection *sender);

/** window_explains_reader: a window that small fills and closes at once, however fast the program
 * reads: the little time a reader seems late is the window's. */
bool window_explains_reader(const CauseContext *context);

/** window_scale_is_off: both SYNs are in the capture and one lacks the option. */
bool window_scale_is_off(const CauseContext *context);

/** window_is_misread: one side means its windows scaled and the other, whose handshake lost the
 * option, takes the small numbers as they are (docs/causes.md, window-scale-stripped d, e). */
bool window_is_misread(const CauseContext *context);

/**
 * window_conclude: claims the bucket and fills in numbers, ceiling, evidence, savings and
 * confidence for a sender on @side held by @window bytes. False when less than a finding is left.
 */
bool window_conclude(const CauseContext *context, FindingDraft *draft, Side side, double window);

/** window_advice: how to make the window of the receiver @side larger; @wanted bytes, 0 unknown. */
void window_advice(const CauseContext *context, FindingDraft *draft, Side receiver, double wanted);

/** window_rules_out: "receive window open 99 % of the time", or NULL. */
const char *window_rules_out(const CauseContext *context);

#endif
