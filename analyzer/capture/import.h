/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Capture formats this program does not read itself (NetMon, snoop, ERF, Sniffer and many more):
 * Wireshark's editcap converts them to pcapng in a process of its own, and its output is read
 * through a pipe.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_IMPORT_H
#define SLOWCOPY_ANALYZER_CAPTURE_IMPORT_H

#include <stdbool.h>

#include <glib.h>

#include "analyzer/capture/source.h"

typedef struct Import Import;

/**
 * import_start: converts the file @path, or what @spool still has when that is not NULL (standard
 * input, a pipe, an archive editcap cannot open; it is read to its end and stored meanwhile).
 * @options: of the source over the converted bytes.
 * Returns NULL and sets @error, with what to do, when editcap is not installed or does not know the
 * file either. Ownership: the caller frees with import_free().
 */
Import *import_start(const char *path, Source *spool, const SourceOptions *options, GError **error);

/** import_source: the converted bytes, pcapng. Owned by the import. */
Source *import_source(const Import *import);

/** import_format: what Wireshark calls the original's format, such as "snoop". Owned by the
 * import. */
const char *import_format(const Import *import);

/** import_complaint: at the end of the source: what editcap complained about, one line, or NULL.
 * Owned by the import. */
const char *import_complaint(Import *import);

/** import_free: ends the process if it still runs; NULL is allowed. */
void import_free(Import *import);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Import, import_free)

#endif
