/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pseudonym.c (who is called what) and pseudonym_text.c (words in sentences and reports)
 * share. Nobody else includes it.
 */
#ifndef SLOWCOPY_REPORTS_PSEUDONYM_INTERNAL_H
#define SLOWCOPY_REPORTS_PSEUDONYM_INTERNAL_H

#include "reports/pseudonym.h"

/** Host: one address of the capture. */
typedef struct Host {
	uint8_t original[16], pseudonym[16];
	char *name;
	PseudonymRole role;
	bool is_mapped;
} Host;

/** Original: one name of the capture, whole, without separators at its front. */
typedef struct Original {
	char *text;
	size_t len;
	const char *pseudonym;
} Original;

/** FirstWord: the originals that begin with one word, found by their length and text. */
typedef struct FirstWord {
	GArray *lengths;     /* size_t, each once, the longest first; names are at most 1 KiB */
	GHashTable *by_text; /* in ASCII lower case -> Original */
} FirstWord;

struct Pseudonyms {
	GStringChunk *strings;
	GHashTable *hosts;      /* original address -> Host, owns them */
	GHashTable *by_address; /* pseudonym address -> Host */
	GPtrArray *host_order;  /* mapped hosts */
	GHashTable *subnets;    /* original subnet -> its number + 1 */
	GHashTable *known_subnets;
	uint32_t next_subnet;
	GHashTable *subnet_hosts; /* subnet number + 1 -> hosts in it */
	uint32_t role_counts[2];
	GPtrArray *originals;   /* Original, in order of appearance, owned */
	GHashTable *whole;      /* kind and whole original -> pseudonym */
	GHashTable *first_word; /* folded first word -> FirstWord */
	GHashTable *telling;    /* folded words that only an original holds -> pseudonym */
	GHashTable *untold; /* folded first word -> GPtrArray of Original without telling word */
	uint32_t files, folders, shares, captures, names;
};

/** text_word: the word at @at: ASCII letters and digits and letters beyond ASCII. Returns its
 * bytes, 0 when there is none. */
size_t text_word(const char *at, const char *end);

/** text_fold: @len bytes of a word in one case. The caller frees it. */
char *text_fold(const char *word, size_t len);

/** text_is_ours: whether a word may stand in a redacted report without being known: slowcopy says
 * it, or it is a number, with its unit or without. */
bool text_is_ours(const char *word, size_t len);

/** text_address: the IPv4 or IPv6 address at @at. Returns its length in the text, 0 when there is
 * none. */
size_t text_address(const char *at, const char *end, uint8_t ret[16]);

/** pseudonyms_host_of: the Host of an original, made and mapped when new. */
const Host *pseudonyms_host_of(Pseudonyms *pseudonyms, const uint8_t address[16]);

#endif
