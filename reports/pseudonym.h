/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one mapper from names and addresses to pseudonyms: client-1, server-1, share-2,
 * file-0017.iso. The same original has the same pseudonym everywhere, one subnet stays one subnet,
 * and what is neither known nor a word of slowcopy's own is dropped. It also finds originals in
 * finished reports.
 */
#ifndef SLOWCOPY_REPORTS_PSEUDONYM_H
#define SLOWCOPY_REPORTS_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

typedef struct Pseudonyms Pseudonyms;

typedef enum PseudonymRole { PSEUDONYM_CLIENT, PSEUDONYM_SERVER } PseudonymRole;

/** pseudonyms_new: a mapper that knows nothing yet. Ownership: pseudonyms_free(). */
Pseudonyms *pseudonyms_new(void);

void pseudonyms_free(Pseudonyms *pseudonyms);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pseudonyms, pseudonyms_free)

/**
 * pseudonyms_know_address: tells of an address of the capture before any is mapped, so that no
 * pseudonym is another host's original. IPv4 as ::ffff:a.b.c.d.
 */
void pseudonyms_know_address(Pseudonyms *pseudonyms, const uint8_t address[16], PseudonymRole role);

/** pseudonyms_address: the address that stands for @address: 198.18.0.0/15 (RFC 2544) or
 * 2001:db8::/32 (RFC 3849), same subnet (/24, /64) for same subnet. */
void pseudonyms_address(Pseudonyms *pseudonyms, const uint8_t address[16], uint8_t ret[16]);

/** pseudonyms_host: name of the host of @pseudonym, an address pseudonyms_address gave:
 * "client-1". NULL when it gave none such. Lives as long as @pseudonyms. */
const char *pseudonyms_host(const Pseudonyms *pseudonyms, const uint8_t pseudonym[16]);

/** pseudonyms_each_host: calls @each for every host mapped so far, in order of appearance. */
void pseudonyms_each_host(const Pseudonyms *pseudonyms,
	void (*each)(void *user, const uint8_t pseudonym[16], const char *name), void *user);

/** pseudonyms_file: pseudonym of a path: depth, separators and a well-known extension stay. NULL
 * for NULL. Lives as long as @pseudonyms, like all strings below. */
const char *pseudonyms_file(Pseudonyms *pseudonyms, const char *path);

/** pseudonyms_share: "\\\\server-1\\share-2" for a share that @server (an original) has. */
const char *pseudonyms_share(Pseudonyms *pseudonyms, const char *share, const uint8_t server[16]);

/** pseudonyms_capture: "capture-1.pcap" for the path of an input; "-" stays. */
const char *pseudonyms_capture(Pseudonyms *pseudonyms, const char *path);

/** pseudonyms_known_capture: what pseudonyms_capture gave for @path, NULL when it was not asked. */
const char *pseudonyms_known_capture(Pseudonyms *pseudonyms, const char *path);

/** pseudonyms_prose: a sentence: originals told before become their pseudonyms, addresses host
 * names, unknown words "[name]". NULL for NULL. */
const char *pseudonyms_prose(Pseudonyms *pseudonyms, const char *text);

/** pseudonyms_filter: like prose, but addresses become addresses, for filters that work on an
 * evidence file. */
const char *pseudonyms_filter(Pseudonyms *pseudonyms, const char *text);

/**
 * pseudonyms_find_original: searches a finished report for any original.
 * Returns the pseudonym whose original was found, or NULL. Words that slowcopy itself says, numbers
 * and words below three letters are no proof on their own and only found as part of a whole name.
 */
const char *pseudonyms_find_original(const Pseudonyms *pseudonyms, const char *text, size_t len);

/** pseudonyms_map: "pseudonym<TAB>original" lines in order of appearance, for --redact-map. The
 * caller frees it. */
char *pseudonyms_map(const Pseudonyms *pseudonyms);

#endif
