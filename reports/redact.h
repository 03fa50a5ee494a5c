/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Result without names and addresses: a copy made field by field, so that a field nobody thought
 * of is missing in it rather than told. Formats write the copy and do not know.
 */
#ifndef SLOWCOPY_REPORTS_REDACT_H
#define SLOWCOPY_REPORTS_REDACT_H

#include "analyzer/result.h"
#include "reports/pseudonym.h"
#include "reports/report.h"

typedef struct Redaction Redaction;

/** redaction_new: the redacted copy of @result and of @options. Both must outlive it. Ownership:
 * redaction_free(). */
Redaction *redaction_new(const Result *result, const ReportOptions *options);

/** redaction_result, redaction_options: what a format gets. Live as long as @redaction. */
const Result *redaction_result(const Redaction *redaction);
const ReportOptions *redaction_options(const Redaction *redaction);

/** redaction_pseudonyms: the mapper that made the copy; formats that meet packets use it on. */
Pseudonyms *redaction_pseudonyms(const Redaction *redaction);

/**
 * redaction_check: searches a finished report for originals. False sets @error
 * (REPORT_ERROR_REFUSED); the report must then not be written.
 */
bool redaction_check(const Redaction *redaction, const char *text, size_t len, GError **error);

/** redact_command_line: @line with inputs told to @names before as their pseudonyms; paths and
 * expressions are not told at all. NULL when there is none. The caller frees it. */
char *redact_command_line(Pseudonyms *names, const char *line);

/** redaction_write_map: which pseudonym stands for what, into a file only its owner can read. */
bool redaction_write_map(const Redaction *redaction, const char *path, GError **error);

void redaction_free(Redaction *redaction);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Redaction, redaction_free)

#endif
