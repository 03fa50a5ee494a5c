/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report format turns a sealed Result into bytes. It reads no packet (but through `reader`, for
 * evidence), keeps no state between calls and computes no verdict. A new format is one file and one
 * line in formats.c.
 */
#ifndef SLOWCOPY_REPORTS_REPORT_H
#define SLOWCOPY_REPORTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <glib.h>

#include "analyzer/capture/reader.h"
#include "analyzer/result.h"

typedef enum ReportNeeds {
	REPORT_NEEDS_NOTHING = 0,
	REPORT_NEEDS_INPUT_AGAIN = 1 << 0, /* reads packets again through options->reader */
	REPORT_IS_BINARY = 1 << 1,
	REPORT_IS_SHARED = 1 << 2, /* made to be attached somewhere: redacted unless told not to */
} ReportNeeds;

#define REPORT_ERROR (report_error_quark())
typedef enum ReportError {
	REPORT_ERROR_WRITE,   /* disk full, no permission: the text names the file */
	REPORT_ERROR_FORMAT,  /* this result cannot be said in this format */
	REPORT_ERROR_REFUSED, /* a redacted report would have held an original: a bug of ours */
} ReportError;

/** report_error_quark: domain of this floor's errors; the command exits with 4. */
GQuark report_error_quark(void);

/** ReportOptions: how to show; zeroed gives plain ASCII at 80 columns. */
typedef struct ReportOptions {
	int verbosity; /* -1 verdict line alone, 0 first screen, 1 with tables */
	int columns;   /* terminal width, 0 means 80 */
	bool color;
	bool unicode;                /* the locale is UTF-8 */
	bool redact;                 /* pseudonyms instead of names and addresses */
	const char *redact_map_path; /* write the map there, mode 0600; NULL no */
	const char *command_line; /* as the user typed it, for the end of a report; may be NULL */
	const char *version;      /* of the tool */
	const char *const *option_names; /* options that differ from the default, for the JSON;
					    parallel to option_values */
	const char *const *option_values;
	size_t option_count;
	Reader *reader;                /* for REPORT_NEEDS_INPUT_AGAIN, else NULL */
	struct Pseudonyms *pseudonyms; /* set by report_write_* when redacting; else NULL */
} ReportOptions;

typedef struct ReportFormat {
	const char *name, *suffix, *summary;
	unsigned needs; /* ReportNeeds */
	/** write: false sets @error; a short write is found by the caller through ferror(@out). */
	bool (*write)(
		const Result *result, const ReportOptions *options, FILE *out, GError **error);
} ReportFormat;

/** report_formats: all formats, ended by NULL. */
extern const ReportFormat *const report_formats[];

/** report_can_read_again: whether formats with REPORT_NEEDS_INPUT_AGAIN can be written: there is a
 * reader, and all its inputs are files. */
bool report_can_read_again(const ReportOptions *options);

/**
 * report_write_all: writes BASE.md, BASE.html, BASE.json and BASE.evidence.pcapng, all redacted
 * when options->redact. Every file that can be written is; false tells of the first that could not.
 * There is no evidence file when report_can_read_again() is false.
 */
bool report_write_all(
	const Result *result, const ReportOptions *options, const char *base, GError **error);

/** report_format_find: by name, or NULL. */
const ReportFormat *report_format_find(const char *name);

/**
 * report_write_file: writes a report to @path atomically: temporary file beside it, fsync, rename.
 * On failure nothing is left behind and @error says what and why.
 */
bool report_write_file(const ReportFormat *format, const Result *result,
	const ReportOptions *options, const char *path, GError **error);

/** report_print: writes finished text to standard output; a closed pipe is not an error. */
bool report_print(const char *text, size_t len, GError **error);

/** report_write_stdout: writes to standard output; a closed pipe is not an error (the program has
 * SIGPIPE ignored). */
bool report_write_stdout(const ReportFormat *format, const Result *result,
	const ReportOptions *options, GError **error);

#endif
