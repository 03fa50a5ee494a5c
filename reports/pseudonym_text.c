/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of pseudonym.h: sentences rewritten word by word, and finished reports searched.
 */
#include "reports/pseudonym_internal.h"

#include <arpa/inet.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/units.h"
#include "reports/vocabulary.h"

/* Longest text of an IPv6 address with an IPv4 tail. */
#define ADDRESS_TEXT_MAX 45

/** letter: bytes of the letter or digit at @at, 0 when it is none. */
static size_t letter(const char *at, const char *end)
{
	gunichar c;

	if ((unsigned char)*at < 0x80)
		return g_ascii_isalnum(*at) ? 1 : 0;
	c = g_utf8_get_char_validated(at, end - at);
	if (c == (gunichar)-1 || c == (gunichar)-2)
		return 0;
	return g_unichar_isalnum(c) || g_unichar_ismark(c) ? (size_t)g_utf8_skip[(unsigned char)*at]
							   : 0;
}

size_t text_word(const char *at, const char *end)
{
	const char *start = at;
	size_t len;

	while (at < end && (len = letter(at, end)) > 0)
		at += len;
	return (size_t)(at - start);
}

char *text_fold(const char *word, size_t len)
{
	return g_utf8_casefold(word, (gssize)len);
}

/** is_number: digits, with a unit behind them or not; hexadecimal with 0x. */
static bool is_number(const char *word, size_t len)
{
	static const char *const units[] = {"", "x", "s", "ns", "us", "µs", "ms", "h", "d", "k",
		"m", "g", "b", "kb", "mb", "gb", "kib", "mib", "gib", "st", "nd", "rd", "th", "z"};
	size_t digits = 0;

	while (digits < len && g_ascii_isdigit(word[digits]))
		digits++;
	if (digits == 0)
		return false;
	if (digits == 1 && word[0] == '0' && len > 2 && len <= 18 && (word[1] | 0x20) == 'x') {
		for (digits = 2; digits < len && g_ascii_isxdigit(word[digits]);)
			digits++;
		return digits == len;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (strlen(units[i]) == len - digits &&
			g_ascii_strncasecmp(word + digits, units[i], len - digits) == 0)
			return true;
	}
	return false;
}

/** is_id: "F1", "T12", "J3": a finding, a transfer, a job. */
static bool is_id(const char *word, size_t len)
{
	if (len < 2 || len > 9 || !memchr("FTJ", word[0], 3))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (!g_ascii_isdigit(word[i]))
			return false;
	}
	return true;
}

/** is_cut_pseudonym: what is left of one of our words when a long line is cut in its middle. */
static bool is_cut_pseudonym(const char *word, size_t len)
{
	static const char *const words[] = {"capture", "client", "server", "share", "file", "name"};

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		size_t whole = strlen(words[i]);

		if (len < whole &&
			(g_ascii_strncasecmp(word, words[i], len) == 0 ||
				g_ascii_strncasecmp(word, words[i] + whole - len, len) == 0))
			return true;
	}
	return false;
}

bool text_is_ours(const char *word, size_t len)
{
	return is_id(word, len) || is_cut_pseudonym(word, len) || is_number(word, len) ||
	       vocabulary_has(word, len) || (len == 3 && memcmp(word, "µs", 3) == 0);
}

/** v4_address: a dotted quad at @at that is no part of a longer number. */
static size_t v4_address(const char *at, const char *end, uint8_t ret[16])
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	char text[16];
	size_t len = 0, dots = 0;

	while (at + len < end && len < sizeof text - 1) {
		if (at[len] == '.') {
			if (dots == 3)
				break;
			dots++;
		} else if (!g_ascii_isdigit(at[len])) {
			break;
		}
		len++;
	}
	memcpy(text, at, len);
	text[len] = '\0';
	if (at + len < end && g_ascii_isdigit(at[len]))
		return 0;
	if (inet_pton(AF_INET, text, ret + 12) != 1)
		return 0;
	memcpy(ret, mapped, sizeof mapped);
	return len;
}

size_t text_address(const char *at, const char *end, uint8_t ret[16])
{
	char text[ADDRESS_TEXT_MAX + 1];
	size_t len = 0, colons = 0;

	while (at + len < end && len < ADDRESS_TEXT_MAX &&
		(g_ascii_isxdigit(at[len]) || at[len] == ':' || at[len] == '.')) {
		colons += at[len] == ':';
		len++;
	}
	if (colons < 2)
		return v4_address(at, end, ret);
	/* the sentence may go on with a point or a colon */
	for (; len >= 2; len--) {
		memcpy(text, at, len);
		text[len] = '\0';
		if (inet_pton(AF_INET6, text, ret) == 1)
			return len;
		if (at[len - 1] != '.' && at[len - 1] != ':')
			break;
	}
	return v4_address(at, end, ret);
}

/** mac_address: bytes of a MAC address in text at @at, 0 when there is none. */
static size_t mac_address(const char *at, const char *end)
{
	if (end - at < 17)
		return 0;
	for (int i = 0; i < 17; i++) {
		if (i % 3 == 2 ? at[i] != ':' && at[i] != '-' : !g_ascii_isxdigit(at[i]))
			return 0;
	}
	return 17;
}

/** original_at: the longest known original that stands at @at, whole. */
static const Original *original_at(
	const Pseudonyms *p, const char *at, size_t word, const char *end)
{
	g_autofree char *folded = text_fold(at, word);
	const FirstWord *entry = g_hash_table_lookup(p->first_word, folded);

	for (guint i = 0; entry && i < entry->lengths->len; i++) {
		size_t len = g_array_index(entry->lengths, size_t, i);
		const Original *original;
		g_autofree char *lower = NULL;

		if (len > (size_t)(end - at) || (at + len < end && letter(at + len, end) > 0))
			continue;
		lower = g_ascii_strdown(at, (gssize)len);
		original = g_hash_table_lookup(entry->by_text, lower);
		/* "server" is a word before it is somebody's share */
		if (original && !(len == word && text_is_ours(at, word)))
			return original;
	}
	return NULL;
}

/** rewrite_word: appends what stands for the word or address at @at. Returns bytes read. */
static size_t rewrite_word(
	Pseudonyms *p, GString *out, const char *at, const char *end, bool as_address)
{
	size_t word = text_word(at, end), len;
	const Original *original;
	uint8_t address[16];

	len = mac_address(at, end);
	if (len > 0) {
		g_string_append(out, "[mac]");
		return len;
	}
	len = text_address(at, end, address);
	if (len > 0) {
		const Host *host = pseudonyms_host_of(p, address);

		if (as_address)
			g_string_append(out, units_address(host->pseudonym).text);
		else
			g_string_append(out, host->name);
		return len;
	}
	if (word == 0) {
		g_string_append_c(out, *at);
		return 1;
	}
	original = original_at(p, at, word, end);
	if (original) {
		g_string_append(out, original->pseudonym);
		return original->len;
	}
	if (text_is_ours(at, word))
		g_string_append_len(out, at, (gssize)word);
	else
		g_string_append(out, "[name]");
	return word;
}

static const char *rewrite(Pseudonyms *p, const char *text, bool as_address)
{
	g_autofree char *clean = NULL;
	g_autoptr(GString) out = NULL;
	const char *at, *end;

	if (!text)
		return NULL;
	clean = escape_clean(text);
	out = g_string_new(NULL);
	at = clean;
	end = clean + strlen(clean);
	while (at < end) {
		/* only where a word can begin: "::1" begins with no letter */
		if (letter(at, end) > 0 || (at[0] == ':' && at[1] == ':'))
			at += rewrite_word(p, out, at, end, as_address);
		else
			g_string_append_c(out, *at++);
	}
	/* what was rewritten may join to something known, as "5::" before a word that was taken
	 * out: then nothing of it is told */
	if (pseudonyms_find_original(p, out->str, out->len))
		g_string_assign(out, "[text]");
	return g_string_chunk_insert(p->strings, out->str);
}

const char *pseudonyms_prose(Pseudonyms *p, const char *text)
{
	return rewrite(p, text, false);
}

const char *pseudonyms_filter(Pseudonyms *p, const char *text)
{
	return rewrite(p, text, true);
}

/** address_leaks: whether @address is one of the capture's and no pseudonym. */
static const char *address_leaks(const Pseudonyms *p, const uint8_t address[16])
{
	const Host *host = g_hash_table_lookup(p->hosts, address);

	if (!host || g_hash_table_contains(p->by_address, address))
		return NULL;
	return host->is_mapped ? host->name : "an address";
}

/** entity: bytes of an HTML entity at @at ("&amp;"), 0 when there is none. */
static size_t entity(const char *at, const char *end)
{
	const char *semicolon =
		at < end && *at == '&' ? memchr(at, ';', MIN((size_t)(end - at), 8)) : NULL;

	return semicolon ? (size_t)(semicolon - at) + 1 : 0;
}

/** gap_matches: moves both past what is between two words; false when they differ by more than what
 * an escape adds. */
static bool gap_matches(const char **text, const char *text_end, const char **at, const char *end)
{
	for (; *text < text_end && text_word(*text, text_end) == 0; (*text)++) {
		size_t escaped;

		if (*at < end && **at == '\\' && **text != '\\')
			(*at)++;
		escaped = entity(*at, end);
		if (*at >= end || (escaped == 0 && **at != **text))
			return false;
		*at += MAX(escaped, 1);
		if (**text == '\\' && *at < end && **at == '\\')
			(*at)++;
	}
	*at += entity(*at, end);
	return true;
}

/**
 * stands_at: whether @original stands at the word at @at, written plainly or with what an escape
 * puts between its words ("\\\\", "&amp;").
 */
static bool stands_at(const Original *original, const char *at, const char *end)
{
	const char *text = original->text, *text_end = text + original->len;

	while (text < text_end) {
		size_t word = text_word(text, text_end);

		if (word != text_word(at, end) || g_ascii_strncasecmp(text, at, word) != 0)
			return false;
		text += word;
		at += word;
		if (!gap_matches(&text, text_end, &at, end))
			return false;
	}
	return true;
}

/** find_untold: an original of our own words only that stands at the word at @at. */
static const char *find_untold(
	const Pseudonyms *p, const char *folded, const char *at, const char *end)
{
	const GPtrArray *list = g_hash_table_lookup(p->untold, folded);

	for (guint i = 0; list && i < list->len; i++) {
		const Original *original = g_ptr_array_index(list, i);

		if (stands_at(original, at, end))
			return original->pseudonym;
	}
	return NULL;
}

/** find_word: an original that the word at @at gives away. */
static const char *find_word(const Pseudonyms *p, const char *at, size_t word, const char *end)
{
	g_autofree char *folded = text_fold(at, word);
	const char *found = word >= 3 ? g_hash_table_lookup(p->telling, folded) : NULL;

	return found ? found : find_untold(p, folded, at, end);
}

const char *pseudonyms_find_original(const Pseudonyms *p, const char *text, size_t len)
{
	const char *at = text, *end = text + len, *found;
	uint8_t address[16];

	while (at < end) {
		size_t word = letter(at, end) > 0 ? text_word(at, end) : 0, taken = 0;

		if (g_ascii_isxdigit(*at) || *at == ':')
			taken = text_address(at, end, address);
		found = taken > 0 ? address_leaks(p, address) : NULL;
		if (!found && word > 0 && taken == 0)
			found = find_word(p, at, word, end);
		if (found)
			return found;
		at += MAX(MAX(word, taken), 1);
	}
	return NULL;
}
