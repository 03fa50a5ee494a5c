/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What several formats say of a session: names of counts, who capped the size of requests, how a
 * session is secured, bars of the waterfall, pictures folded to a few columns.
 */
#ifndef SLOWCOPY_REPORTS_SESSION_FACTS_H
#define SLOWCOPY_REPORTS_SESSION_FACTS_H

#include "analyzer/result.h"

/* Room for all counts of a session. */
#define SESSION_FACTS_MAX 40
/* Columns of a waterfall in text. */
#define SESSION_BAR_COLUMNS 24

/** SessionFact: one count. Texts are static. */
typedef struct SessionFact {
	const char *key;   /* of the JSON report */
	const char *words; /* for people; NULL: told elsewhere or of no use to them */
	uint64_t count;
} SessionFact;

/** session_facts: all counts of @stats, zero or not, in a fixed order. Returns how many. */
size_t session_facts(const SessionStats *stats, SessionFact ret[SESSION_FACTS_MAX]);

/** session_limit_words: "the program", "the server's maximum"…; static. */
const char *session_limit_words(SizeLimit limit);

/** session_phase_words: "look-up of the name", "log-in"…; @phase itself when it is none. */
const char *session_phase_words(const char *phase);

/** session_dialect_words: "SMB 3.1.1", "SMB1 (NT LM 0.12)", "FTP"; the caller frees it. */
char *session_dialect_words(const SessionStats *stats);

/** session_security_words: "signed (AES-GMAC), not encrypted"…; the caller frees it. */
char *session_security_words(const SessionStats *stats);

/** session_offer_words: "2.0.2, 2.1, 3.0", "" unknown; the caller frees it. */
char *session_offer_words(const SessionStats *stats);

/** session_sizes_words: "4 KiB: 3, 64 KiB: 12" from the histogram, bins by their lower end; the
 * caller frees it. */
char *session_sizes_words(const SizeStats *sizes);

/** session_setup_span: from the first bar to the last or to the first data, if that came later. */
void session_setup_span(const ResultSession *session, int64_t *ret_start_ns, int64_t *ret_end_ns);

/** session_bar: where @phase lies in the set-up: "....####................". */
void session_bar(
	const ResultSession *session, const ResultPhase *phase, char ret[SESSION_BAR_COLUMNS + 1]);

/** session_folded: the largest requests in flight, or with @credits the lowest balances, of
 * @columns equal parts of time: "1 2 8 8"; "-" where nothing is known. The caller frees it. */
char *session_folded(const SessionStats *stats, bool credits, size_t columns);

#endif
