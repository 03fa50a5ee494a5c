/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What server-slow-read, -write and -metadata share: claiming, saving, evidence. docs/causes.md,
 * server-slow-read to 3.48.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_SLOW_SERVER_H
#define SLOWCOPY_ANALYZER_CAUSES_SLOW_SERVER_H

#include "analyzer/causes/service.h"

/** slow_server_claim: claims the server's processing of the classes in @mask and, with
 * @with_stalls, the time it stood still in the middle of an answer. Returns what was claimed. */
int64_t slow_server_claim(
	const CauseContext *context, FindingDraft *draft, unsigned mask, bool with_stalls);

/** slow_server_finish: saving, confidence, blame, numbers, evidence. @op_class: the class that the
 * sentence speaks of. False when the network may as well have held the answers back. */
bool slow_server_finish(
	const CauseContext *context, FindingDraft *draft, OpClass op_class, unsigned mask);

/** slow_server_class: the class of @mask of which most was claimed. */
OpClass slow_server_class(const FindingDraft *draft, unsigned mask);

/** slow_server_stalled_ns: what the server stood still in mid-answer, not yet claimed. */
int64_t slow_server_stalled_ns(const CauseContext *context);

#endif
