/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files a directory given as input stands for.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_PATHS_H
#define SLOWCOPY_ANALYZER_CAPTURE_PATHS_H

#include <glib.h>

/**
 * paths_of_directory: the capture files in @directory, by name, not those in directories below it.
 * A file is one by its first bytes (uncompressed), or by its name when its format has no mark.
 * Returns NULL and sets @error when the directory cannot be read or has none. Ownership: the caller
 * frees with g_strfreev().
 */
char **paths_of_directory(const char *directory, GError **error);

#endif
