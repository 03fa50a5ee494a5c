/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Implementation of pseudonym.h: who is called what.
 */
#include "reports/pseudonym_internal.h"

#include <string.h>

#include "reports/escape.h"
#include "reports/units.h"

/*
 * Extensions that tell the kind of a file and nothing else. Any other might be a name
 * ("report.smith") and becomes ".ext".
 */
static const char *const extensions[] = {"3gp", "7z", "aac", "accdb", "ai", "aif", "apk", "asf",
	"asp", "avi", "avif", "bak", "bat", "bin", "bmp", "bz2", "c", "cab", "cap", "cbz", "cfg",
	"class", "com", "conf", "cpp", "cr2", "cs", "css", "csv", "cue", "dat", "db", "deb", "dll",
	"dmg", "dmp", "doc", "docm", "docx", "dot", "dotx", "dwg", "dxf", "eml", "eps", "enc",
	"epub", "exe", "flac", "flv", "gif", "go", "gz", "h", "heic", "htm", "html", "ico", "img",
	"indd", "ini", "iso", "jar", "java", "jpeg", "jpg", "js", "json", "key", "lnk", "log",
	"lz4", "m2ts", "m3u", "m4a", "m4v", "mdb", "md", "mid", "mkv", "mov", "mp3", "mp4", "mpeg",
	"mpg", "msg", "msi", "mts", "nef", "numbers", "odp", "ods", "odt", "ogg", "ogv", "opus",
	"ost", "pages", "pcap", "pcapng", "pdf", "php", "pl", "png", "ppt", "pptm", "pptx", "ps",
	"psd", "pst", "py", "qcow2", "rar", "raw", "rb", "rpm", "rs", "rtf", "sh", "snoop", "sql",
	"sqlite", "srt", "svg", "swf", "sys", "tar", "tgz", "tif", "tiff", "tmp", "trc", "ts",
	"ttf", "txt", "url", "vbk", "vdi", "vhd", "vhdx", "vmdk", "vob", "vsd", "vsdx", "war",
	"wav", "webm", "webp", "wim", "wma", "wmv", "woff", "xls", "xlsb", "xlsm", "xlsx", "xml",
	"xz", "yaml", "yml", "zip", "zst"};

/* 198.18.0.0/15 has room for that many /24 networks; beyond it 240.0.0.0/4 serves (RFC 1112). */
#define SUBNETS_TEST_NET 512u

static void original_free(void *data)
{
	Original *original = data;

	g_free(original->text);
	g_free(original);
}

static void host_free(void *data)
{
	Host *host = data;

	g_free(host->name);
	g_free(host);
}

static void first_word_free(void *data)
{
	FirstWord *entry = data;

	g_array_unref(entry->lengths);
	g_hash_table_unref(entry->by_text);
	g_free(entry);
}

static guint address_hash(gconstpointer key)
{
	const uint8_t *bytes = key;
	guint hash = 5381;

	for (int i = 0; i < 16; i++)
		hash = hash * 33 + bytes[i];
	return hash;
}

static gboolean address_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 16) == 0;
}

Pseudonyms *pseudonyms_new(void)
{
	Pseudonyms *p = g_new0(Pseudonyms, 1);

	p->strings = g_string_chunk_new(4096);
	p->hosts = g_hash_table_new_full(address_hash, address_equal, NULL, host_free);
	p->by_address = g_hash_table_new(address_hash, address_equal);
	p->host_order = g_ptr_array_new();
	p->subnets = g_hash_table_new_full(address_hash, address_equal, g_free, NULL);
	p->known_subnets = g_hash_table_new_full(address_hash, address_equal, g_free, NULL);
	p->subnet_hosts = g_hash_table_new(NULL, NULL);
	p->originals = g_ptr_array_new_with_free_func(original_free);
	p->whole = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	p->first_word = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, first_word_free);
	p->telling = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	p->untold = g_hash_table_new_full(
		g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
	return p;
}

void pseudonyms_free(Pseudonyms *p)
{
	if (!p)
		return;
	g_string_chunk_free(p->strings);
	g_hash_table_unref(p->hosts);
	g_hash_table_unref(p->by_address);
	g_ptr_array_unref(p->host_order);
	g_hash_table_unref(p->subnets);
	g_hash_table_unref(p->known_subnets);
	g_hash_table_unref(p->subnet_hosts);
	g_hash_table_unref(p->whole);
	g_hash_table_unref(p->first_word);
	g_hash_table_unref(p->telling);
	g_hash_table_unref(p->untold);
	g_ptr_array_unref(p->originals);
	g_free(p);
}

/* ---- addresses */

static bool is_v4(const uint8_t address[16])
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

	return memcmp(address, mapped, sizeof mapped) == 0;
}

/** subnet_of: @address with its host part zero. */
static uint8_t *subnet_of(const uint8_t address[16])
{
	uint8_t *ret = g_malloc0(16);

	memcpy(ret, address, is_v4(address) ? 15 : 8);
	return ret;
}

/** subnet_address: the pseudonym network of that number, host part zero. */
static void subnet_address(uint32_t number, bool v4, uint8_t ret[16])
{
	memset(ret, 0, 16);
	if (!v4) {
		/* 2001:db8:NNNN:NNNN::/64 */
		const uint8_t prefix[8] = {0x20, 0x01, 0x0d, 0xb8, (uint8_t)(number >> 24),
			(uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};

		memcpy(ret, prefix, sizeof prefix);
		return;
	}
	ret[10] = ret[11] = 0xff;
	if (number < SUBNETS_TEST_NET) {
		ret[12] = 198;
		ret[13] = (uint8_t)(18 + (number >> 8));
	} else {
		ret[12] = (uint8_t)(240 + (number >> 16) % 15);
		ret[13] = (uint8_t)(number >> 8);
	}
	ret[14] = (uint8_t)number;
}

void pseudonyms_know_address(Pseudonyms *p, const uint8_t address[16], PseudonymRole role)
{
	Host *host = g_hash_table_lookup(p->hosts, address);

	if (!host) {
		host = g_new0(Host, 1);
		memcpy(host->original, address, 16);
		host->role = role;
		g_hash_table_insert(p->hosts, host->original, host);
		g_hash_table_add(p->known_subnets, subnet_of(address));
	}
	/* who serves once is known as a server */
	if (role == PSEUDONYM_SERVER && !host->is_mapped)
		host->role = role;
}

/** subnet_number: number + 1 of the pseudonym network for that of @address. */
static uint32_t subnet_number(Pseudonyms *p, const uint8_t address[16])
{
	uint8_t *subnet = subnet_of(address);
	uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(p->subnets, subnet));
	uint8_t candidate[16];

	if (number > 0) {
		g_free(subnet);
		return number;
	}
	do {
		number = ++p->next_subnet;
		subnet_address(number - 1, is_v4(address), candidate);
	} while (g_hash_table_contains(p->known_subnets, candidate));
	g_hash_table_insert(p->subnets, subnet, GUINT_TO_POINTER(number));
	return number;
}

const Host *pseudonyms_host_of(Pseudonyms *p, const uint8_t address[16])
{
	Host *host;
	uint32_t subnet, number;

	pseudonyms_know_address(p, address, PSEUDONYM_CLIENT);
	host = g_hash_table_lookup(p->hosts, address);
	if (host->is_mapped)
		return host;
	subnet = subnet_number(p, address);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(p->subnet_hosts, GUINT_TO_POINTER(subnet))) +
		 1;
	g_hash_table_insert(p->subnet_hosts, GUINT_TO_POINTER(subnet), GUINT_TO_POINTER(number));
	subnet_address(subnet - 1, is_v4(address), host->pseudonym);
	host->pseudonym[15] = (uint8_t)number;
	/* a /24 ends at 256 hosts, a /64 does not */
	if (!is_v4(address)) {
		host->pseudonym[14] = (uint8_t)(number >> 8);
		host->pseudonym[13] = (uint8_t)(number >> 16);
	}
	host->name = g_strdup_printf("%s-%u", host->role == PSEUDONYM_SERVER ? "server" : "client",
		++p->role_counts[host->role]);
	host->is_mapped = true;
	g_hash_table_insert(p->by_address, host->pseudonym, host);
	g_ptr_array_add(p->host_order, host);
	return host;
}

void pseudonyms_address(Pseudonyms *p, const uint8_t address[16], uint8_t ret[16])
{
	memcpy(ret, pseudonyms_host_of(p, address)->pseudonym, 16);
}

const char *pseudonyms_host(const Pseudonyms *p, const uint8_t pseudonym[16])
{
	const Host *host = g_hash_table_lookup(p->by_address, pseudonym);

	return host ? host->name : NULL;
}

void pseudonyms_each_host(const Pseudonyms *p,
	void (*each)(void *user, const uint8_t pseudonym[16], const char *name), void *user)
{
	for (guint i = 0; i < p->host_order->len; i++) {
		const Host *host = g_ptr_array_index(p->host_order, i);

		each(user, host->pseudonym, host->name);
	}
}

/* ---- names */

static bool is_separator(char c)
{
	return c == '\\' || c == '/';
}

/** tell_words: notes the words of @text that nothing but this original says. Returns whether there
 * is one. */
static bool tell_words(Pseudonyms *p, const char *text, size_t len, const char *pseudonym)
{
	const char *end = text + len;
	bool told = false;

	for (const char *at = text; at < end;) {
		size_t word = text_word(at, end);

		/* one or two letters are in every text */
		if (word >= 3 && !text_is_ours(at, word)) {
			char *folded = text_fold(at, word);

			if (!g_hash_table_contains(p->telling, folded))
				g_hash_table_insert(
					p->telling, folded, (gpointer)(uintptr_t)pseudonym);
			else
				g_free(folded);
			told = true;
		}
		at += MAX(word, 1);
	}
	return told;
}

/** first_word_of: @original's first word, folded. The caller frees it. */
static char *first_word_of(const Original *original)
{
	return text_fold(original->text, text_word(original->text, original->text + original->len));
}

/** index_for_prose: so that the longest original that stands in a sentence is found, however many
 * begin alike. */
static void index_for_prose(Pseudonyms *p, Original *original)
{
	g_autofree char *folded = first_word_of(original);
	FirstWord *entry = g_hash_table_lookup(p->first_word, folded);
	char *lower = g_ascii_strdown(original->text, (gssize)original->len);
	guint at = 0;

	if (!entry) {
		entry = g_new0(FirstWord, 1);
		entry->lengths = g_array_new(FALSE, FALSE, sizeof(size_t));
		entry->by_text = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		g_hash_table_insert(p->first_word, g_steal_pointer(&folded), entry);
	}
	while (at < entry->lengths->len &&
		g_array_index(entry->lengths, size_t, at) > original->len)
		at++;
	if (at == entry->lengths->len || g_array_index(entry->lengths, size_t, at) != original->len)
		g_array_insert_val(entry->lengths, at, original->len);
	if (g_hash_table_contains(entry->by_text, lower))
		g_free(lower);
	else
		g_hash_table_insert(entry->by_text, lower, original);
}

/** index_as_untold: for the search of originals without a word of their own. */
static void index_as_untold(Pseudonyms *p, Original *original)
{
	char *folded = first_word_of(original);
	GPtrArray *list = g_hash_table_lookup(p->untold, folded);

	if (list) {
		g_free(folded);
	} else {
		list = g_ptr_array_new();
		g_hash_table_insert(p->untold, folded, list);
	}
	g_ptr_array_add(list, original);
}

/** remember: a whole original for prose and for the search. */
static void remember(Pseudonyms *p, const char *text, size_t len, const char *pseudonym)
{
	Original *original;

	while (len > 0 && text_word(text, text + len) == 0) {
		text++;
		len--;
	}
	while (len > 0 && is_separator(text[len - 1]))
		len--;
	if (len == 0)
		return;
	while (is_separator(*pseudonym))
		pseudonym++;
	original = g_new0(Original, 1);
	original->text = g_strndup(text, len);
	original->len = len;
	original->pseudonym = pseudonym;
	g_ptr_array_add(p->originals, original);
	index_for_prose(p, original);
	/* without a telling word it is searched for as a whole; one word of ours alone, or so few
	 * letters, is no name to anybody */
	if (!tell_words(p, text, len, pseudonym) && len >= 8 && text_word(text, text + len) < len)
		index_as_untold(p, original);
}

/** named: pseudonym of the whole @text of a @kind, NULL when new. */
static const char *named(Pseudonyms *p, char kind, const char *text)
{
	g_autofree char *key = g_strdup_printf("%c%s", kind, text);

	return g_hash_table_lookup(p->whole, key);
}

static const char *name_it(Pseudonyms *p, char kind, const char *text, const char *pseudonym)
{
	char *kept = g_string_chunk_insert(p->strings, pseudonym);

	g_hash_table_insert(p->whole, g_strdup_printf("%c%s", kind, text), kept);
	return kept;
}

static bool is_known_extension(const char *text, size_t len)
{
	for (size_t i = 0; i < G_N_ELEMENTS(extensions); i++) {
		if (strlen(extensions[i]) == len &&
			g_ascii_strncasecmp(text, extensions[i], len) == 0)
			return true;
	}
	return false;
}

/** extension_of: the well-known extension of @name with its point, ".tar.gz" as a whole; ".ext" for
 * another, "" for none. */
static const char *extension_of(const char *name)
{
	const char *dot = strrchr(name, '.'), *before;

	if (!dot || dot == name || !dot[1])
		return "";
	if (!is_known_extension(dot + 1, strlen(dot + 1)))
		return ".ext";
	before = g_strrstr_len(name, dot - name, ".");
	return before && before > name && is_known_extension(before + 1, (size_t)(dot - before - 1))
		       ? before
		       : dot;
}

static const char *folder_name(Pseudonyms *p, const char *name)
{
	g_autofree char *pseudonym = NULL;
	const char *known = named(p, 'd', name);

	if (known)
		return known;
	pseudonym = g_strdup_printf("dir-%u", ++p->folders);
	known = name_it(p, 'd', name, pseudonym);
	remember(p, name, strlen(name), known);
	return known;
}

const char *pseudonyms_file(Pseudonyms *p, const char *path)
{
	g_autoptr(GString) out = NULL;
	const char *known, *at, *last;
	char leaf[64];

	if (!path || !*path)
		return path ? "" : NULL;
	known = named(p, 'f', path);
	if (known)
		return known;
	out = g_string_new(NULL);
	last = path + strlen(path);
	while (last > path && !is_separator(last[-1]))
		last--;
	for (at = path; at < last;) {
		size_t len = strcspn(at, "\\/");
		g_autofree char *folder = g_strndup(at, len);

		if (len > 0)
			g_string_append(out, strcmp(folder, ".") && strcmp(folder, "..")
						     ? folder_name(p, folder)
						     : folder);
		g_string_append_c(out, at[len]);
		at += len + 1;
	}
	if (*last) {
		const char *extension = extension_of(last);

		g_snprintf(leaf, sizeof leaf, "file-%04u%s", ++p->files, extension);
		g_string_append(out, leaf);
		known = name_it(p, 'f', path, out->str);
		remember(p, last, strlen(last), g_string_chunk_insert(p->strings, leaf));
	} else {
		known = name_it(p, 'f', path, out->str);
	}
	if (last > path)
		remember(p, path, strlen(path), known);
	return known;
}

const char *pseudonyms_share(Pseudonyms *p, const char *share, const uint8_t server[16])
{
	g_autoptr(GString) out = NULL;
	const char *known, *at = share;
	g_autofree char *host = NULL;
	uint8_t parsed[16];
	size_t len;

	if (!share || !*share)
		return share ? "" : NULL;
	known = named(p, 's', share);
	if (known)
		return known;
	out = g_string_new(NULL);
	while (is_separator(*at))
		g_string_append_c(out, *at++);
	if (at == share) {
		/* no server in it: the share's name alone */
		g_string_append_printf(out, "share-%u", ++p->shares);
	} else {
		len = strcspn(at, "\\/");
		host = g_strndup(at, len);
		g_string_append(out, pseudonyms_host_of(p, server)->name);
		if (text_address(host, host + len, parsed) != len) {
			const char *name = g_string_chunk_insert(
				p->strings, pseudonyms_host_of(p, server)->name);

			remember(p, host, len, name);
		}
		at += len;
		while (is_separator(*at))
			g_string_append_c(out, *at++);
		if (*at)
			g_string_append_printf(out, "share-%u", ++p->shares);
	}
	known = name_it(p, 's', share, out->str);
	remember(p, share, strlen(share), known);
	if (*at) {
		const char *tail = strrchr(known, '-');

		while (tail > known && !is_separator(tail[-1]))
			tail--;
		remember(p, at, strlen(at), tail);
	}
	return known;
}

const char *pseudonyms_capture(Pseudonyms *p, const char *path)
{
	g_autofree char *pseudonym = NULL;
	const char *known, *last;

	if (!path || strcmp(path, "-") == 0)
		return path;
	known = named(p, 'c', path);
	if (known)
		return known;
	last = strrchr(path, '/');
	last = last ? last + 1 : path;
	pseudonym = g_strdup_printf("capture-%u%s", ++p->captures, extension_of(last));
	known = name_it(p, 'c', path, pseudonym);
	remember(p, last, strlen(last), known);
	if (last != path)
		remember(p, path, strlen(path), known);
	return known;
}

const char *pseudonyms_known_capture(Pseudonyms *p, const char *path)
{
	return named(p, 'c', path);
}

char *pseudonyms_map(const Pseudonyms *p)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < p->host_order->len; i++) {
		const Host *host = g_ptr_array_index(p->host_order, i);
		UnitText original = units_address(host->original);
		UnitText pseudonym = units_address(host->pseudonym);

		g_string_append_printf(out, "%s\t%s\n%s\t%s\n", host->name, original.text,
			pseudonym.text, original.text);
	}
	for (guint i = 0; i < p->originals->len; i++) {
		const Original *original = g_ptr_array_index(p->originals, i);
		g_autofree char *text = escape_clean(original->text);

		g_string_append_printf(out, "%s\t%s\n", original->pseudonym, text);
	}
	return g_string_free(out, FALSE);
}
