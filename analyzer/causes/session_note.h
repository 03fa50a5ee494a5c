/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of a session are told once, not with each of its transfers.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_SESSION_NOTE_H
#define SLOWCOPY_ANALYZER_CAUSES_SESSION_NOTE_H

#include "analyzer/causes/cause.h"

/** session_note_is_first: @context's unit is the first of its connection among all units. */
bool session_note_is_first(const CauseContext *context);

#endif
