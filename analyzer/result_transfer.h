/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a Result that come from units: transfers, jobs, host pairs.
 */
#ifndef SLOWCOPY_ANALYZER_RESULT_TRANSFER_H
#define SLOWCOPY_ANALYZER_RESULT_TRANSFER_H

#include "analyzer/diagnosis.h"

/** result_transfers_build: fills transfers and jobs of @ret. */
void result_transfers_build(const DiagnosisInput *input, const Diagnosis *diagnosis, Result *ret);

#endif
