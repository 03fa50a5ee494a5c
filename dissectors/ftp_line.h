/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of the FTP control connection: commands, replies, and the end points and sizes written
 * inside them. One line at a time, no state. RFC 959, 2228, 2389, 2428, 3659.
 */
#ifndef SLOWCOPY_DISSECTORS_FTP_LINE_H
#define SLOWCOPY_DISSECTORS_FTP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dissectors/message.h"
#include "dissectors/parse.h"

/** FtpCommand: what Message.command holds for FTP. The values are this program's own. */
typedef enum FtpCommand {
	FTP_UNKNOWN,
	FTP_ABOR,
	FTP_ACCT,
	FTP_ADAT,
	FTP_ALLO,
	FTP_APPE,
	FTP_AUTH,
	FTP_AVBL,
	FTP_CCC,
	FTP_CDUP,
	FTP_CLNT,
	FTP_CONF,
	FTP_CWD,
	FTP_DELE,
	FTP_ENC,
	FTP_EPRT,
	FTP_EPSV,
	FTP_FEAT,
	FTP_HASH,
	FTP_HELP,
	FTP_HOST,
	FTP_LANG,
	FTP_LIST,
	FTP_LPRT,
	FTP_LPSV,
	FTP_MDTM,
	FTP_MFCT,
	FTP_MFF,
	FTP_MFMT,
	FTP_MIC,
	FTP_MKD,
	FTP_MLSD,
	FTP_MLST,
	FTP_MODE,
	FTP_NLST,
	FTP_NOOP,
	FTP_OPTS,
	FTP_PASS,
	FTP_PASV,
	FTP_PBSZ,
	FTP_PORT,
	FTP_PROT,
	FTP_PWD,
	FTP_QUIT,
	FTP_REIN,
	FTP_REST,
	FTP_RETR,
	FTP_RMD,
	FTP_RNFR,
	FTP_RNTO,
	FTP_SITE,
	FTP_SIZE,
	FTP_SMNT,
	FTP_STAT,
	FTP_STOR,
	FTP_STOU,
	FTP_STRU,
	FTP_SYST,
	FTP_TYPE,
	FTP_USER,
	FTP_XCRC,
	FTP_XCUP,
	FTP_XCWD,
	FTP_XMD5,
	FTP_XMKD,
	FTP_XPWD,
	FTP_XRMD,
	FTP_XSHA1,
	FTP_XSHA256,
	FTP_COMMAND_COUNT
} FtpCommand;

/** FtpCommandLine: a command and its argument. */
typedef struct FtpCommandLine {
	FtpCommand command;
	MessageVerb verb;
	const uint8_t *argument; /* without surrounding blanks; NULL when there is none, and for
				    commands that carry a name, a password or a key */
	uint32_t argument_len;   /* bytes */
} FtpCommandLine;

/** FtpReplyLine: first, middle or last line of a reply that begins with a code. */
typedef struct FtpReplyLine {
	uint16_t code;       /* 100 to 599 */
	bool more;           /* "ddd-": other lines follow */
	const uint8_t *text; /* behind the code, borrowed */
	uint32_t text_len;   /* bytes, without the line end */
} FtpReplyLine;

/** FtpEndpoint: where a data connection will be made. */
typedef struct FtpEndpoint {
	uint8_t addr[16]; /* IPv6, or IPv4 as ::ffff:a.b.c.d; all zero: the peer's own address */
	uint16_t port;    /* never 0 */
} FtpEndpoint;

/** ftp_command_name: "retr" for FTP_RETR; NULL when @command is FTP_UNKNOWN or none of ours. Static
 * string. */
const char *ftp_command_name(uint16_t command);

/** ftp_command_verb: what kind of work @command asks for; VERB_OTHER for unknown ones. */
MessageVerb ftp_command_verb(uint16_t command);

/**
 * ftp_command_parse: a line sent by the client.
 * @line, @len: the line, its end included or cut off. Telnet commands in front of it (as sent
 * before ABOR) are passed over.
 * Returns PARSE_OK; PARSE_UNKNOWN for a well-formed verb that is not in the list (nothing but
 * ret->command and ret->verb is set then: a mistyped PASS would be one); PARSE_BAD when no verb is
 * there. Ownership: ret->argument points into @line. Source: RFC 959 5.3.
 */
ParseStatus ftp_command_parse(const uint8_t *line, size_t len, FtpCommandLine *ret);

/**
 * ftp_reply_parse: a line sent by the server.
 * Returns PARSE_OK; PARSE_BAD when it does not begin with a code, as the middle lines of a long
 * reply need not. Ownership: ret->text points into @line. Source: RFC 959 4.2.
 */
ParseStatus ftp_reply_parse(const uint8_t *line, size_t len, FtpReplyLine *ret);

/** ftp_endpoint_port: argument of PORT, "h1,h2,h3,h4,p1,p2". False when malformed or port 0. RFC
 * 959 5.3.2. */
bool ftp_endpoint_port(const uint8_t *text, size_t len, FtpEndpoint *ret);

/** ftp_endpoint_eprt: argument of EPRT, "|1|132.235.1.2|6275|" or "|2|2001:db8::1|5282|". RFC 2428
 * 2. */
bool ftp_endpoint_eprt(const uint8_t *text, size_t len, FtpEndpoint *ret);

/** ftp_endpoint_lprt: argument of LPRT, "4,4,10,0,0,2,2,19,137" or the like with 6,16, and text of
 * a 228 reply, where it stands in brackets. RFC 1639. */
bool ftp_endpoint_lprt(const uint8_t *text, size_t len, FtpEndpoint *ret);

/** ftp_endpoint_pasv: text of a 227 reply: the first six numbers joined by commas, with or without
 * brackets. RFC 1123 4.1.2.6. */
bool ftp_endpoint_pasv(const uint8_t *text, size_t len, FtpEndpoint *ret);

/** ftp_endpoint_epsv: text of a 229 reply, "(|||6446|)"; the address is all zero. RFC 2428 3. */
bool ftp_endpoint_epsv(const uint8_t *text, size_t len, FtpEndpoint *ret);

/** ftp_number: the decimal number that @text begins with after blanks; false when there is none or
 * it does not fit. */
bool ftp_number(const uint8_t *text, size_t len, uint64_t *ret);

/** ftp_text_bytes: the size in a text such as "Opening BINARY mode data connection for a (1234
 * bytes)"; false when there is none. */
bool ftp_text_bytes(const uint8_t *text, size_t len, uint64_t *ret);

/** ftp_text_contains: whether @word (lower case) occurs in @text, whatever its case. */
bool ftp_text_contains(const uint8_t *text, size_t len, const char *word);

#endif
