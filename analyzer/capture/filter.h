/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A BPF filter in tcpdump's language, compiled for each link type that turns up.
 */
#ifndef SLOWCOPY_ANALYZER_CAPTURE_FILTER_H
#define SLOWCOPY_ANALYZER_CAPTURE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

typedef struct Filter Filter;

/**
 * filter_new: @text must compile for Ethernet or for raw IP; else NULL and @error, with libpcap's
 * words. It matches inside up to two VLAN tags too. Ownership: the caller frees with
 * filter_free().
 */
Filter *filter_new(const char *text, GError **error);

/** filter_matches: whether a frame passes. On a link type the text cannot be compiled for, none
 * does. */
bool filter_matches(
	Filter *filter, uint32_t link_type, const uint8_t *data, uint32_t caplen, uint32_t wirelen);

/** filter_library: name and version of the library that filters and reads pcap files, static. */
const char *filter_library(void);

/** filter_free: NULL is allowed. */
void filter_free(Filter *filter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Filter, filter_free)

#endif
