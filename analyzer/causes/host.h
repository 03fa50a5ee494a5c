/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two hosts of a unit as causes speak of them: whose packets, what to call it, which advice
 * fits it.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_HOST_H
#define SLOWCOPY_ANALYZER_CAUSES_HOST_H

#include "analyzer/causes/cause.h"

/** HostKind: a hint from the TTL of its packets, never certain (causes 3). */
typedef enum HostKind { HOST_UNKNOWN, HOST_UNIX, HOST_WINDOWS } HostKind;

/** host_other: the other side. */
Side host_other(Side side);

/** host_direction: what @side sends, as the unit counts sides; NULL when the connection is not
 * known. */
const TcpDirection *host_direction(const CauseContext *context, Side side);

/** host_label: "the server 10.0.0.9", in the arena. host_label_start: the same to begin a sentence.
 */
const char *host_label(const CauseContext *context, Side side);
const char *host_label_start(const CauseContext *context, Side side);

/** host_blame: "CLIENT" or "SERVER", static. */
const char *host_blame(Side side);

/** host_kind: what system @side seems to run. */
HostKind host_kind(const CauseContext *context, Side side);

/** host_is_samba: @side may be a Samba server: an SMB server that is no Windows. */
bool host_is_samba(const CauseContext *context, Side side);

#endif
