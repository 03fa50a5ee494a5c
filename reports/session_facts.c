/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of session_facts.h.
 */
#include "reports/session_facts.h"

#include <string.h>

#include "reports/units.h"

size_t session_facts(const SessionStats *s, SessionFact ret[SESSION_FACTS_MAX])
{
	const SessionCounts *c = &s->counts;
	const SessionFact rows[] = {
		{"messages", "messages", c->messages},
		{"signed_messages", "of them signed", c->signed_messages},
		{"encrypted_messages", "of them encrypted", c->encrypted_messages},
		{"hidden_messages", "encrypted ones that stayed closed", c->hidden},
		{"compressed_messages", "compressed messages", c->compressed_messages},
		{"compound_related", "related requests and answers in compounds", c->related},
		{"compound_unrelated", "unrelated ones in compounds", c->unrelated},
		{"async_answers", "answers \"pending\"", c->async},
		{"cancels", "requests cancelled", c->cancels},
		{"oplock_breaks", "oplocks and leases called back", c->breaks},
		{"oplock_break_acknowledgements", "acknowledgements of that", c->break_acks},
		{"opens", "opens", c->opens},
		{"not_found", "opens of names that are not there", c->not_found},
		{"oplocks_asked", "oplocks asked for", c->oplocks_asked},
		{"oplocks_granted", "oplocks granted", c->oplocks_granted},
		{"leases_asked", "leases asked for", c->leases_asked},
		{"leases_granted", "leases granted", c->leases_granted},
		{"durable_handles_asked", "durable handles asked for", c->durable_asked},
		{"durable_handles_granted", "durable handles granted", c->durable_granted},
		{"persistent_handles_granted", "persistent handles granted", c->persistent_granted},
		{"server_side_copies", "server-side copies", c->copies},
		{"server_side_copied_bytes", "bytes they moved", c->copied_bytes},
		{"change_notifications", "change notifications asked for", c->notifies},
		{"directory_queries", "directory queries", c->directory_queries},
		{"directory_entries", "directory entries they brought", c->directory_entries},
		{"hardly_read", "files opened and hardly read: the client's cache had them",
			c->hardly_read},
		{"dfs_referrals", "DFS referrals", c->referrals},
		{"multipart_messages", "further parts of transactions", c->multipart},
		{"raw_transfers", "raw reads and writes", c->raw_transfers},
		{"oem_names", "names that are no Unicode", c->oem_names},
		{"netbios_refusals", "NetBIOS sessions refused", c->netbios_refused},
		{"netbios_retargets", "NetBIOS sessions sent to another address",
			c->netbios_retargeted},
		{"netbios_keep_alives", "NetBIOS keep-alives", c->netbios_keep_alives},
		{"inferred_messages", "messages inferred, their headers were cut", s->inferred},
		{"answers_without_request", "answers without a request", s->unpaired_replies},
	};

	_Static_assert(G_N_ELEMENTS(rows) <= SESSION_FACTS_MAX, "room for all counts");
	memcpy(ret, rows, sizeof rows);
	return G_N_ELEMENTS(rows);
}

const char *session_limit_words(SizeLimit limit)
{
	switch (limit) {
	case SIZE_LIMIT_UNKNOWN:
		return "unknown";
	case SIZE_LIMIT_PROGRAM:
		return "the program";
	case SIZE_LIMIT_SERVER:
		return "the server's maximum";
	case SIZE_LIMIT_CLIENT_OFFER:
		return "the client offered no more";
	case SIZE_LIMIT_SERVER_REFUSED:
		return "the server refused more";
	case SIZE_LIMIT_NETBIOS:
		return "NetBIOS";
	case SIZE_LIMIT_DIALECT:
		return "SMB1";
	case SIZE_LIMIT_CREDITS:
		return "credits ran out";
	}
	return "unknown";
}

const char *session_phase_words(const char *phase)
{
	static const struct {
		const char *phase, *words;
	} rows[] = {
		{"name-lookup", "look-up of the name"},
		{"failed-connects", "connecting in vain"},
		{"connect", "connecting"},
		{"netbios-session", "NetBIOS session"},
		{"greeting", "greeting"},
		{"negotiate", "negotiation"},
		{"login", "log-in"},
		{"tree-connect", "connecting the share"},
		{"dfs-referral", "DFS referral"},
		{"open", "opening"},
		{"prepare", "PORT or PASV"},
		{"other", "other requests"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (strcmp(rows[i].phase, phase) == 0)
			return rows[i].words;
	}
	return phase;
}

char *session_dialect_words(const SessionStats *s)
{
	if (strcmp(s->protocol, "smb2") == 0)
		return g_strdup_printf("SMB %s", s->dialect ? s->dialect : "2 or 3");
	if (strcmp(s->protocol, "smb1") == 0)
		return s->dialect ? g_strdup_printf("SMB1 (%s)", s->dialect) : g_strdup("SMB1");
	if (strcmp(s->protocol, "ftp") == 0)
		return g_strdup(s->ftp_tls ? "FTP over TLS" : "FTP");
	return g_strdup(s->protocol);
}

char *session_security_words(const SessionStats *s)
{
	const char *signing = session_signing_name(s), *cipher = session_cipher_name(s);
	GString *ret = g_string_new(NULL);

	if (strcmp(s->protocol, "ftp") == 0)
		return g_string_free(
			g_string_append(ret, s->ftp_tls ? "encrypted" : "in the clear"), FALSE);
	/* what is encrypted needs no signature, MS-SMB2 3.1.4.3 */
	const char *word = s->is_encrypted ? "encrypted" : s->is_signed ? "signed" : "not signed";
	const char *how = s->is_encrypted ? cipher : s->is_signed ? signing : NULL;

	g_string_append(ret, word);
	if (how)
		g_string_append_printf(ret, " (%s)", how);
	if (s->is_compressed)
		g_string_append(ret, ", compressed");
	return g_string_free(ret, FALSE);
}

char *session_offer_words(const SessionStats *s)
{
	GString *ret = g_string_new(NULL);
	size_t count = MIN(s->offered_count, G_N_ELEMENTS(s->offered));

	for (size_t i = 0; i < count; i++)
		g_string_append_printf(
			ret, "%s%s", i ? ", " : "", s->offered[i] ? s->offered[i] : "?");
	return g_string_free(ret, FALSE);
}

char *session_sizes_words(const SizeStats *sizes)
{
	GString *ret = g_string_new(NULL);

	for (int i = 0; i < SESSION_SIZE_BINS; i++) {
		if (sizes->bins[i] > 0)
			g_string_append_printf(ret, "%s%s: %s", ret->len ? ", " : "",
				units_buffer(i ? UINT64_C(1) << i : 0).text,
				units_count(sizes->bins[i]).text);
	}
	return g_string_free(ret, FALSE);
}

void session_setup_span(const ResultSession *session, int64_t *ret_start_ns, int64_t *ret_end_ns)
{
	int64_t start = INT64_MAX, end = INT64_MIN;

	for (size_t i = 0; i < session->phase_count; i++) {
		const ResultPhase *p = &session->phases[i];

		start = MIN(start, p->start_ns);
		end = MAX(end, p->start_ns + p->duration_ns);
	}
	if (session->first_data_ns != RESULT_UNKNOWN_NS)
		end = MAX(end, session->first_data_ns);
	*ret_start_ns = session->phase_count ? start : 0;
	*ret_end_ns = session->phase_count ? end : 0;
}

void session_bar(
	const ResultSession *session, const ResultPhase *phase, char ret[SESSION_BAR_COLUMNS + 1])
{
	int64_t start, end;

	session_setup_span(session, &start, &end);
	double scale = end > start ? (double)SESSION_BAR_COLUMNS / (double)(end - start) : 0;
	int from = (int)((double)(phase->start_ns - start) * scale);
	int to = (int)((double)(phase->start_ns + phase->duration_ns - start) * scale + 0.5);

	from = CLAMP(from, 0, SESSION_BAR_COLUMNS - 1);
	to = CLAMP(to, from + 1, SESSION_BAR_COLUMNS);
	for (int i = 0; i < SESSION_BAR_COLUMNS; i++)
		ret[i] = i >= from && i < to ? '#' : '.';
	ret[SESSION_BAR_COLUMNS] = '\0';
}

/** bin_value: what @bin says; -1 nothing. */
static int64_t bin_value(const SessionBin *bin, bool credits)
{
	if (credits)
		return bin->credits_low == INT32_MIN ? -1 : MAX(bin->credits_low, 0);
	return bin->in_flight > 0 ? (int64_t)bin->in_flight : -1;
}

char *session_folded(const SessionStats *s, bool credits, size_t columns)
{
	GString *ret = g_string_new(NULL);
	size_t width = MAX(1, (s->bin_count + columns - 1) / columns);

	for (size_t i = 0; i < s->bin_count; i += width) {
		int64_t value = -1;

		for (size_t k = i; k < MIN(i + width, s->bin_count); k++) {
			int64_t v = bin_value(&s->bins[k], credits);

			if (v >= 0 && (value < 0 || (credits ? v < value : v > value)))
				value = v;
		}
		if (value < 0)
			g_string_append(ret, i ? " -" : "-");
		else
			g_string_append_printf(ret, "%s%lld", i ? " " : "", (long long)value);
	}
	return g_string_free(ret, FALSE);
}
