/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What causes of FTP have in common.
 */
#ifndef SLOWCOPY_ANALYZER_CAUSES_FTP_H
#define SLOWCOPY_ANALYZER_CAUSES_FTP_H

#include "analyzer/causes/cause.h"

/** ftp_is_active: the server opened the data connection that @context speaks of. */
bool ftp_is_active(const CauseContext *context);

/** ftp_command_evidence: frames of the first @count commands of @context's unit, by name. */
void ftp_command_evidence(const CauseContext *context, FindingDraft *draft, uint32_t count);

/** ftp_command_names: names of the commands of @op_class among the kept ones, "size, mdtm", each
 * once; "" when there are none. */
const char *ftp_command_names(const CauseContext *context, OpClass op_class);

#endif
