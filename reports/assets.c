/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of assets.h. The files are taken in by the assembler; the Makefile makes this
 * object depend on them and puts the packaged ones into gen/ of the build.
 */
#include "reports/assets.h"

#define EMBED(symbol, path)                                                                        \
	extern const char symbol[];                                                                \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" path "\"\n.byte "                 \
		"0\n.popsection\n")

EMBED(report_asset_style, "reports/assets/report.css");
EMBED(report_asset_script, "reports/assets/report.js");
EMBED(report_asset_chart_style, "dygraph.css");
EMBED(report_asset_chart_script, "dygraph.js");
EMBED(report_asset_chart_copyright, "dygraph.copyright");

const char *report_asset(ReportAsset asset)
{
	switch (asset) {
	case ASSET_STYLE:
		return report_asset_style;
	case ASSET_SCRIPT:
		return report_asset_script;
	case ASSET_CHART_STYLE:
		return report_asset_chart_style;
	case ASSET_CHART_SCRIPT:
		return report_asset_chart_script;
	case ASSET_CHART_COPYRIGHT:
		return report_asset_chart_copyright;
	case ASSET_COUNT:
		break;
	}
	return "";
}
