/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See session_note.h.
 */
#include "analyzer/causes/session_note.h"

bool session_note_is_first(const CauseContext *context)
{
	for (uint32_t i = 0; i < context->unit_count; i++) {
		const Unit *unit = context->units[i];
		if (unit->facts == context->unit->facts)
			return unit == context->unit;
	}
	return true;
}
