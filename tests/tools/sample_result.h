/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results made by hand, so that reports can be tested without an analysis: everything a report may
 * meet, from a slow copy to names that mean harm. The memory is static; never free them.
 */
#ifndef SLOWCOPY_TESTS_TOOLS_SAMPLE_RESULT_H
#define SLOWCOPY_TESTS_TOOLS_SAMPLE_RESULT_H

#include "analyzer/result.h"

/** sample_result_names: all samples, ended by NULL: "slow-read", "healthy", "ftp-job", "empty",
 * "hostile". */
extern const char *const sample_result_names[];

/** sample_result: the sample of that name, or NULL. */
const Result *sample_result(const char *name);

#endif
