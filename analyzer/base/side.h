/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two ends of a connection.
 */
#ifndef SLOWCOPY_ANALYZER_BASE_SIDE_H
#define SLOWCOPY_ANALYZER_BASE_SIDE_H

/** Side: who sends. Index of per-direction arrays: [SIDE_CLIENT] is what the client sends. */
typedef enum Side { SIDE_CLIENT, SIDE_SERVER } Side;

#endif
