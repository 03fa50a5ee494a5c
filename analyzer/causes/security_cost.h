/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What smb-signing and smb-encryption share: whether time at the hosts grows with the bytes as the
 * cost of a processor would. docs/causes.md, smb-signing, smb-encryption.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_SECURITY_COST_H
#define SLOWCOPY_ANALYZER_CAUSES_SECURITY_COST_H

#include "analyzer/causes/cause.h"

/* docs/causes.md, smb-signing: the slope explains half of the time, the line fits, the link is not
 * the limit, and no disk shows. */
#define SECURITY_SLOPE_SHARE 0.5
#define SECURITY_MIN_FIT 0.8
#define SECURITY_MAX_LINK_SHARE 0.7
/* Shorter copies tell nothing about a processor. */
#define SECURITY_MIN_BYTES (1024 * 1024)

/** security_cost_claim: claims the part of the server's processing that grows with the bytes; false
 * when that cannot be shown. @ret_ns_per_mib: the slope. */
bool security_cost_claim(const CauseContext *context, FindingDraft *draft, double *ret_ns_per_mib);

/** security_cost_is_long: the transfer is long enough for such facts to matter. */
bool security_cost_is_long(const CauseContext *context);

#endif
