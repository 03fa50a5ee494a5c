/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of the FTP control connection. Every byte goes through a Cursor or is compared inside the
 * length that came with it.
 */
#include "dissectors/ftp_line.h"

#include <string.h>

#include "dissectors/cursor.h"

/* longest verb in the table, "XSHA256"; RFC 959 itself stops at four letters */
#define VERB_MAX 8

/* telnet "interpret as command": it and the byte behind it are not part of a line, RFC 854 */
#define TELNET_IAC 0xff

typedef struct CommandRow {
	const char *name; /* upper case */
	const char *lower;
	MessageVerb verb;
	bool is_secret; /* the argument may name a person or be a password or a key */
} CommandRow;

static const CommandRow command_rows[FTP_COMMAND_COUNT] = {
	[FTP_ABOR] = {"ABOR", "abor", VERB_CANCEL, false},
	[FTP_ACCT] = {"ACCT", "acct", VERB_LOGIN, true},
	[FTP_ADAT] = {"ADAT", "adat", VERB_LOGIN, true},
	[FTP_ALLO] = {"ALLO", "allo", VERB_MODE, false},
	[FTP_APPE] = {"APPE", "appe", VERB_WRITE, false},
	[FTP_AUTH] = {"AUTH", "auth", VERB_LOGIN, false},
	[FTP_AVBL] = {"AVBL", "avbl", VERB_QUERY, false},
	[FTP_CCC] = {"CCC", "ccc", VERB_MODE, false},
	[FTP_CDUP] = {"CDUP", "cdup", VERB_MODE, false},
	[FTP_CLNT] = {"CLNT", "clnt", VERB_MODE, true},
	[FTP_CONF] = {"CONF", "conf", VERB_OTHER, true},
	[FTP_CWD] = {"CWD", "cwd", VERB_MODE, false},
	[FTP_DELE] = {"DELE", "dele", VERB_SET, false},
	[FTP_ENC] = {"ENC", "enc", VERB_OTHER, true},
	[FTP_EPRT] = {"EPRT", "eprt", VERB_PREPARE, false},
	[FTP_EPSV] = {"EPSV", "epsv", VERB_PREPARE, false},
	[FTP_FEAT] = {"FEAT", "feat", VERB_MODE, false},
	[FTP_HASH] = {"HASH", "hash", VERB_QUERY, false},
	[FTP_HELP] = {"HELP", "help", VERB_OTHER, false},
	[FTP_HOST] = {"HOST", "host", VERB_LOGIN, false},
	[FTP_LANG] = {"LANG", "lang", VERB_MODE, false},
	[FTP_LIST] = {"LIST", "list", VERB_LIST, false},
	[FTP_LPRT] = {"LPRT", "lprt", VERB_PREPARE, false},
	[FTP_LPSV] = {"LPSV", "lpsv", VERB_PREPARE, false},
	[FTP_MDTM] = {"MDTM", "mdtm", VERB_QUERY, false},
	[FTP_MFCT] = {"MFCT", "mfct", VERB_SET, false},
	[FTP_MFF] = {"MFF", "mff", VERB_SET, false},
	[FTP_MFMT] = {"MFMT", "mfmt", VERB_SET, false},
	[FTP_MIC] = {"MIC", "mic", VERB_OTHER, true},
	[FTP_MKD] = {"MKD", "mkd", VERB_SET, false},
	[FTP_MLSD] = {"MLSD", "mlsd", VERB_LIST, false},
	[FTP_MLST] = {"MLST", "mlst", VERB_QUERY, false},
	[FTP_MODE] = {"MODE", "mode", VERB_MODE, false},
	[FTP_NLST] = {"NLST", "nlst", VERB_LIST, false},
	[FTP_NOOP] = {"NOOP", "noop", VERB_ECHO, false},
	[FTP_OPTS] = {"OPTS", "opts", VERB_MODE, false},
	[FTP_PASS] = {"PASS", "pass", VERB_LOGIN, true},
	[FTP_PASV] = {"PASV", "pasv", VERB_PREPARE, false},
	[FTP_PBSZ] = {"PBSZ", "pbsz", VERB_MODE, false},
	[FTP_PORT] = {"PORT", "port", VERB_PREPARE, false},
	[FTP_PROT] = {"PROT", "prot", VERB_MODE, false},
	[FTP_PWD] = {"PWD", "pwd", VERB_MODE, false},
	[FTP_QUIT] = {"QUIT", "quit", VERB_LOGOFF, false},
	[FTP_REIN] = {"REIN", "rein", VERB_LOGOFF, false},
	[FTP_REST] = {"REST", "rest", VERB_MODE, false},
	[FTP_RETR] = {"RETR", "retr", VERB_READ, false},
	[FTP_RMD] = {"RMD", "rmd", VERB_SET, false},
	[FTP_RNFR] = {"RNFR", "rnfr", VERB_SET, false},
	[FTP_RNTO] = {"RNTO", "rnto", VERB_SET, false},
	[FTP_SITE] = {"SITE", "site", VERB_OTHER, true},
	[FTP_SIZE] = {"SIZE", "size", VERB_QUERY, false},
	[FTP_SMNT] = {"SMNT", "smnt", VERB_MODE, false},
	[FTP_STAT] = {"STAT", "stat", VERB_QUERY, false},
	[FTP_STOR] = {"STOR", "stor", VERB_WRITE, false},
	[FTP_STOU] = {"STOU", "stou", VERB_WRITE, false},
	[FTP_STRU] = {"STRU", "stru", VERB_MODE, false},
	[FTP_SYST] = {"SYST", "syst", VERB_MODE, false},
	[FTP_TYPE] = {"TYPE", "type", VERB_MODE, false},
	[FTP_USER] = {"USER", "user", VERB_LOGIN, true},
	[FTP_XCRC] = {"XCRC", "xcrc", VERB_QUERY, false},
	[FTP_XCUP] = {"XCUP", "xcup", VERB_MODE, false},
	[FTP_XCWD] = {"XCWD", "xcwd", VERB_MODE, false},
	[FTP_XMD5] = {"XMD5", "xmd5", VERB_QUERY, false},
	[FTP_XMKD] = {"XMKD", "xmkd", VERB_SET, false},
	[FTP_XPWD] = {"XPWD", "xpwd", VERB_MODE, false},
	[FTP_XRMD] = {"XRMD", "xrmd", VERB_SET, false},
	[FTP_XSHA1] = {"XSHA1", "xsha1", VERB_QUERY, false},
	[FTP_XSHA256] = {"XSHA256", "xsha256", VERB_QUERY, false},
};

const char *ftp_command_name(uint16_t command)
{
	return command < FTP_COMMAND_COUNT ? command_rows[command].lower : NULL;
}

MessageVerb ftp_command_verb(uint16_t command)
{
	return command < FTP_COMMAND_COUNT ? command_rows[command].verb : VERB_OTHER;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static uint8_t upper(uint8_t c)
{
	return c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
}

/* what is left of the window without blanks at its ends */
static void trimmed_rest(Cursor c, const uint8_t **ret_text, uint32_t *ret_len)
{
	size_t len = cursor_left(&c);
	const uint8_t *text = cursor_take(&c, len);
	while (len > 0 && is_blank(text[len - 1]))
		len--;
	while (len > 0 && is_blank(*text)) {
		text++;
		len--;
	}
	*ret_text = len > 0 ? text : NULL;
	*ret_len = (uint32_t)len;
}

static void skip_telnet(Cursor *c)
{
	while (cursor_left(c) >= 2 && c->start[c->pos] == TELNET_IAC)
		cursor_skip(c, 2);
}

static FtpCommand command_find(const char *verb)
{
	for (int i = FTP_UNKNOWN + 1; i < FTP_COMMAND_COUNT; i++) {
		if (strcmp(command_rows[i].name, verb) == 0)
			return (FtpCommand)i;
	}
	return FTP_UNKNOWN;
}

ParseStatus ftp_command_parse(const uint8_t *line, size_t len, FtpCommandLine *ret)
{
	Cursor c = cursor_over(line, len);
	skip_telnet(&c);
	char verb[VERB_MAX + 1] = {0};
	size_t n = 0;
	while (cursor_left(&c) > 0 && !is_blank(c.start[c.pos])) {
		uint8_t letter = upper(cursor_u8(&c));
		bool is_word = (letter >= 'A' && letter <= 'Z') || (n > 0 && is_digit(letter));
		if (!is_word || n >= VERB_MAX)
			return PARSE_BAD;
		verb[n++] = (char)letter;
	}
	if (n < 3)
		return PARSE_BAD;
	*ret = (FtpCommandLine){.command = command_find(verb)};
	ret->verb = command_rows[ret->command].verb;
	if (ret->command == FTP_UNKNOWN)
		return PARSE_UNKNOWN;
	if (!command_rows[ret->command].is_secret)
		trimmed_rest(c, &ret->argument, &ret->argument_len);
	return PARSE_OK;
}

ParseStatus ftp_reply_parse(const uint8_t *line, size_t len, FtpReplyLine *ret)
{
	Cursor c = cursor_over(line, len);
	uint8_t a = cursor_u8(&c), b = cursor_u8(&c), d = cursor_u8(&c);
	if (c.bad || a < '1' || a > '6' || !is_digit(b) || !is_digit(d))
		return PARSE_BAD;
	*ret = (FtpReplyLine){.code = (uint16_t)((a - '0') * 100 + (b - '0') * 10 + (d - '0'))};
	if (cursor_left(&c) > 0) {
		uint8_t mark = cursor_u8(&c);
		if (mark != '-' && !is_blank(mark))
			return PARSE_BAD;
		ret->more = mark == '-';
	}
	trimmed_rest(c, &ret->text, &ret->text_len);
	return PARSE_OK;
}

/* a decimal number of at most @max; false leaves the cursor where it was */
static bool take_number(Cursor *c, uint64_t max, uint64_t *ret)
{
	size_t before = c->pos;
	uint64_t n = 0;
	while (cursor_left(c) > 0 && is_digit(c->start[c->pos])) {
		uint64_t digit = (uint64_t)(c->start[c->pos] - '0');
		if (digit > max || n > (max - digit) / 10) {
			c->pos = before;
			return false;
		}
		n = n * 10 + digit;
		cursor_skip(c, 1);
	}
	if (c->pos == before)
		return false;
	*ret = n;
	return true;
}

static bool take_byte(Cursor *c, uint8_t byte)
{
	if (cursor_left(c) == 0 || c->start[c->pos] != byte)
		return false;
	cursor_skip(c, 1);
	return true;
}

static void set_v4(FtpEndpoint *endpoint, const uint8_t v4[4])
{
	memset(endpoint->addr, 0, 10);
	memset(endpoint->addr + 10, 0xff, 2);
	memcpy(endpoint->addr + 12, v4, 4);
}

/* h1,h2,h3,h4,p1,p2 at the cursor */
static bool take_host_port(Cursor *c, FtpEndpoint *ret)
{
	uint8_t byte[6];
	for (int i = 0; i < 6; i++) {
		uint64_t n;
		if (i > 0) {
			if (!take_byte(c, ','))
				return false;
			while (take_byte(c, ' '))
				;
		}
		if (!take_number(c, 255, &n))
			return false;
		byte[i] = (uint8_t)n;
	}
	FtpEndpoint endpoint = {.port = (uint16_t)(byte[4] << 8 | byte[5])};
	static const uint8_t any[4] = {0};
	if (memcmp(byte, any, sizeof any) != 0)
		set_v4(&endpoint, byte);
	if (endpoint.port == 0)
		return false;
	*ret = endpoint;
	return true;
}

bool ftp_endpoint_port(const uint8_t *text, size_t len, FtpEndpoint *ret)
{
	Cursor c = cursor_over(text, len);
	return take_host_port(&c, ret);
}

/* numbers of one byte joined by commas; false when there are not exactly @count */
static bool take_bytes(Cursor *c, uint8_t *ret, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t n;
		if ((i > 0 && !take_byte(c, ',')) || !take_number(c, 255, &n))
			return false;
		ret[i] = (uint8_t)n;
	}
	return true;
}

bool ftp_endpoint_lprt(const uint8_t *text, size_t len, FtpEndpoint *ret)
{
	Cursor c = cursor_over(text, len);
	const uint8_t *bracket = len > 0 ? memchr(text, '(', len) : NULL;
	if (bracket)
		cursor_skip(&c, (size_t)(bracket - text) + 1);
	FtpEndpoint endpoint = {0};
	uint8_t family[2], port[3], v4[4];
	if (!take_bytes(&c, family, 2) || !take_byte(&c, ','))
		return false;
	if (family[0] == 4 && family[1] == 4) {
		if (!take_bytes(&c, v4, 4))
			return false;
		set_v4(&endpoint, v4);
	} else if (family[0] != 6 || family[1] != 16 || !take_bytes(&c, endpoint.addr, 16)) {
		return false;
	}
	if (!take_byte(&c, ',') || !take_bytes(&c, port, 3) || port[0] != 2)
		return false;
	endpoint.port = (uint16_t)(port[1] << 8 | port[2]);
	if (endpoint.port == 0)
		return false;
	*ret = endpoint;
	return true;
}

bool ftp_endpoint_pasv(const uint8_t *text, size_t len, FtpEndpoint *ret)
{
	Cursor c = cursor_over(text, len);
	while (cursor_left(&c) > 0) {
		if (!is_digit(c.start[c.pos])) {
			cursor_skip(&c, 1);
			continue;
		}
		Cursor at = c;
		if (take_host_port(&at, ret))
			return true;
		while (cursor_left(&c) > 0 && is_digit(c.start[c.pos]))
			cursor_skip(&c, 1);
	}
	return false;
}

/* dotted quad up to @end */
static bool take_v4(Cursor *c, uint8_t ret[4])
{
	for (int i = 0; i < 4; i++) {
		uint64_t n;
		if ((i > 0 && !take_byte(c, '.')) || !take_number(c, 255, &n))
			return false;
		ret[i] = (uint8_t)n;
	}
	return true;
}

static int hex_digit(uint8_t c)
{
	if (is_digit(c))
		return c - '0';
	c = upper(c);
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* RFC 4291 2.2; a zone index behind '%' is passed over. The window holds the address alone. */
static bool parse_v6(Cursor c, uint8_t ret[16])
{
	uint8_t bytes[16] = {0};
	size_t n = 0, gap = SIZE_MAX;
	if (take_byte(&c, ':') && (c.bad || cursor_left(&c) == 0 || c.start[c.pos] != ':'))
		return false;
	while (cursor_left(&c) > 0 && c.start[c.pos] != '%') {
		if (take_byte(&c, ':')) {
			if (gap != SIZE_MAX)
				return false;
			gap = n;
			continue;
		}
		Cursor quad = c;
		if (n <= 12 && take_v4(&quad, bytes + n)) {
			n += 4;
			c = quad;
			break;
		}
		unsigned value = 0;
		int digits = 0, digit;
		while (cursor_left(&c) > 0 && (digit = hex_digit(c.start[c.pos])) >= 0 &&
			digits < 4) {
			value = value << 4 | (unsigned)digit;
			digits++;
			cursor_skip(&c, 1);
		}
		if (digits == 0 || n > 14)
			return false;
		bytes[n++] = (uint8_t)(value >> 8);
		bytes[n++] = (uint8_t)value;
		if (cursor_left(&c) > 0 && c.start[c.pos] != '%' && !take_byte(&c, ':'))
			return false;
	}
	if (cursor_left(&c) > 0 && c.start[c.pos] != '%')
		return false;
	if (gap == SIZE_MAX ? n != 16 : n >= 16)
		return false;
	if (gap != SIZE_MAX) {
		memmove(bytes + 16 - (n - gap), bytes + gap, n - gap);
		memset(bytes + gap, 0, 16 - n);
	}
	memcpy(ret, bytes, 16);
	return true;
}

/* the field up to the next @mark, which is taken too */
static bool take_field(Cursor *c, uint8_t mark, Cursor *ret)
{
	size_t left = cursor_left(c);
	const uint8_t *end = left > 0 ? memchr(c->start + c->pos, mark, left) : NULL;
	if (!end)
		return false;
	*ret = cursor_sub(c, (size_t)(end - (c->start + c->pos)));
	cursor_skip(c, 1);
	return true;
}

static bool field_port(Cursor field, uint16_t *ret)
{
	uint64_t port;
	if (!take_number(&field, 65535, &port) || port == 0 || cursor_left(&field) > 0)
		return false;
	*ret = (uint16_t)port;
	return true;
}

bool ftp_endpoint_eprt(const uint8_t *text, size_t len, FtpEndpoint *ret)
{
	Cursor c = cursor_over(text, len), family, address, port;
	uint8_t mark = cursor_u8(&c);
	if (c.bad || is_digit(mark) || !take_field(&c, mark, &family) ||
		!take_field(&c, mark, &address) || !take_field(&c, mark, &port))
		return false;
	FtpEndpoint endpoint = {0};
	uint64_t number;
	if (!field_port(port, &endpoint.port) || !take_number(&family, 2, &number))
		return false;
	if (number == 1) {
		uint8_t v4[4];
		if (!take_v4(&address, v4) || cursor_left(&address) > 0)
			return false;
		set_v4(&endpoint, v4);
	} else if (number != 2 || !parse_v6(address, endpoint.addr)) {
		return false;
	}
	*ret = endpoint;
	return true;
}

bool ftp_endpoint_epsv(const uint8_t *text, size_t len, FtpEndpoint *ret)
{
	Cursor c = cursor_over(text, len), field;
	if (!take_field(&c, '(', &field))
		return false;
	uint8_t mark = cursor_u8(&c);
	if (c.bad || is_digit(mark) || !take_field(&c, mark, &field) ||
		!take_field(&c, mark, &field) || !take_field(&c, mark, &field))
		return false;
	FtpEndpoint endpoint = {0};
	if (!field_port(field, &endpoint.port))
		return false;
	*ret = endpoint;
	return true;
}

bool ftp_number(const uint8_t *text, size_t len, uint64_t *ret)
{
	Cursor c = cursor_over(text, len);
	while (take_byte(&c, ' '))
		;
	return take_number(&c, UINT64_MAX, ret);
}

bool ftp_text_bytes(const uint8_t *text, size_t len, uint64_t *ret)
{
	Cursor c = cursor_over(text, len);
	while (cursor_left(&c) > 0) {
		if (!take_byte(&c, '(')) {
			cursor_skip(&c, 1);
			continue;
		}
		Cursor at = c;
		uint64_t n;
		if (!take_number(&at, UINT64_MAX, &n))
			continue;
		while (take_byte(&at, ' '))
			;
		size_t left = cursor_left(&at);
		const uint8_t *rest = cursor_take(&at, left);
		if (left >= 4 && ftp_text_contains(rest, 4, "byte")) {
			*ret = n;
			return true;
		}
	}
	return false;
}

bool ftp_text_contains(const uint8_t *text, size_t len, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; text && i + n <= len; i++) {
		size_t k = 0;
		while (k < n && upper(text[i + k]) == upper((uint8_t)word[k]))
			k++;
		if (k == n)
			return true;
	}
	return false;
}
