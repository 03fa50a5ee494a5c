/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that travel inside the program and inside every HTML report: our style and script, the
 * chart library dygraphs and its licence.
 */
#ifndef SLOWCOPY_REPORTS_ASSETS_H
#define SLOWCOPY_REPORTS_ASSETS_H

#include <stddef.h>

typedef enum ReportAsset {
	ASSET_STYLE,           /* assets/report.css */
	ASSET_SCRIPT,          /* assets/report.js */
	ASSET_CHART_STYLE,     /* dygraphs */
	ASSET_CHART_SCRIPT,    /* dygraphs */
	ASSET_CHART_COPYRIGHT, /* its licence text, escaped for HTML */
	ASSET_COUNT
} ReportAsset;

/** report_asset: text of an embedded file, ended by NUL; static. */
const char *report_asset(ReportAsset asset);

#endif
