/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Saved reports as anybody may hand them to `compare`: read, compared with themselves, shown, with
 * names and without.
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "reports/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Comparand) a = comparand_parse_json((const char *)data, size, "a.json", &error);
	g_autoptr(Comparand) b =
		a ? comparand_parse_json((const char *)data, size, "b.json", NULL) : NULL;

	if (!a != !b || (!a && !error))
		abort();
	if (!a)
		return 0;
	g_autoptr(Comparison) c = comparison_new(a, b);

	if (c->difference_ns != 0)
		abort();
	for (int f = COMPARE_TEXT; f <= COMPARE_JSON; f++) {
		ReportOptions options = {.verbosity = (int)(size % 3) - 1, .unicode = size % 2};
		g_autofree char *text = compare_render(c, (CompareFormat)f, &options);

		if (!g_utf8_validate(text, -1, NULL))
			abort();
	}
	return 0;
}
