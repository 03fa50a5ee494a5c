/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FTP lines: commands, replies, end points; each sample at every truncation length.
 */
#include "dissectors/ftp_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static const uint8_t *bytes(const char *text)
{
	return (const uint8_t *)text;
}

Test(ftp_line, commands)
{
	static const struct {
		const char *line;
		ParseStatus status;
		FtpCommand command;
		MessageVerb verb;
		const char *argument; /* NULL none */
	} cases[] = {
		{"RETR a file.bin\r\n", PARSE_OK, FTP_RETR, VERB_READ, "a file.bin"},
		{"retr  x\n", PARSE_OK, FTP_RETR, VERB_READ, "x"},
		{"STOR x", PARSE_OK, FTP_STOR, VERB_WRITE, "x"},
		{"APPE y\r\n", PARSE_OK, FTP_APPE, VERB_WRITE, "y"},
		{"STOU\r\n", PARSE_OK, FTP_STOU, VERB_WRITE, NULL},
		{"USER bob\r\n", PARSE_OK, FTP_USER, VERB_LOGIN, NULL},
		{"PASS secret\r\n", PARSE_OK, FTP_PASS, VERB_LOGIN, NULL},
		{"pass secret\r\n", PARSE_OK, FTP_PASS, VERB_LOGIN, NULL},
		{"ACCT secret\r\n", PARSE_OK, FTP_ACCT, VERB_LOGIN, NULL},
		{"SITE PSWD a b\r\n", PARSE_OK, FTP_SITE, VERB_OTHER, NULL},
		{"PWD\r\n", PARSE_OK, FTP_PWD, VERB_MODE, NULL},
		{"LIST\r\n", PARSE_OK, FTP_LIST, VERB_LIST, NULL},
		{"MLSD /pub\r\n", PARSE_OK, FTP_MLSD, VERB_LIST, "/pub"},
		{"XSHA256 a\r\n", PARSE_OK, FTP_XSHA256, VERB_QUERY, "a"},
		{"\xff\xf4\xff\xf2"
		 "ABOR\r\n",
			PARSE_OK, FTP_ABOR, VERB_CANCEL, NULL},
		{"PASSS secret\r\n", PARSE_UNKNOWN, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"EHLO mail\r\n", PARSE_UNKNOWN, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"GET / HTTP/1.1\r\n", PARSE_UNKNOWN, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"ab\r\n", PARSE_BAD, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"220 hello\r\n", PARSE_BAD, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"MUCHTOOLONGVERB x\r\n", PARSE_BAD, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"", PARSE_BAD, FTP_UNKNOWN, VERB_OTHER, NULL},
		{"\xff\xff\xff", PARSE_BAD, FTP_UNKNOWN, VERB_OTHER, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FtpCommandLine line = {0};
		ParseStatus status =
			ftp_command_parse(bytes(cases[i].line), strlen(cases[i].line), &line);
		cr_assert_eq(status, cases[i].status, "%s", cases[i].line);
		if (status != PARSE_OK)
			continue;
		cr_assert_eq(line.command, cases[i].command, "%s", cases[i].line);
		cr_assert_eq(line.verb, cases[i].verb, "%s", cases[i].line);
		const char *argument = cases[i].argument ? cases[i].argument : "";
		cr_assert_eq(line.argument_len, strlen(argument), "%s", cases[i].line);
		cr_assert(line.argument_len == 0 ||
				  memcmp(line.argument, argument, line.argument_len) == 0,
			"%s", cases[i].line);
	}
	for (uint16_t i = FTP_UNKNOWN + 1; i < FTP_COMMAND_COUNT; i++)
		cr_assert_not_null(ftp_command_name(i), "%u", i);
	cr_assert_null(ftp_command_name(FTP_UNKNOWN));
	cr_assert_null(ftp_command_name(FTP_COMMAND_COUNT));
	cr_assert_str_eq(ftp_command_name(FTP_RETR), "retr");
}

Test(ftp_line, replies)
{
	static const struct {
		const char *line;
		ParseStatus status;
		uint16_t code;
		bool more;
		const char *text;
	} cases[] = {
		{"220 hello \r\n", PARSE_OK, 220, false, "hello"},
		{"220-hello\r\n", PARSE_OK, 220, true, "hello"},
		{"226\r\n", PARSE_OK, 226, false, ""},
		{"226", PARSE_OK, 226, false, ""},
		{"599 x", PARSE_OK, 599, false, "x"},
		{"2200 x", PARSE_BAD, 0, false, NULL},
		{"020 x", PARSE_BAD, 0, false, NULL},
		{"720 x", PARSE_BAD, 0, false, NULL},
		{" 220 x", PARSE_BAD, 0, false, NULL},
		{"22", PARSE_BAD, 0, false, NULL},
		{"", PARSE_BAD, 0, false, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FtpReplyLine line = {0};
		ParseStatus status =
			ftp_reply_parse(bytes(cases[i].line), strlen(cases[i].line), &line);
		cr_assert_eq(status, cases[i].status, "%s", cases[i].line);
		if (status != PARSE_OK)
			continue;
		cr_assert_eq(line.code, cases[i].code, "%s", cases[i].line);
		cr_assert_eq(line.more, cases[i].more, "%s", cases[i].line);
		cr_assert_eq(line.text_len, strlen(cases[i].text), "%s", cases[i].line);
		cr_assert(
			line.text_len == 0 || memcmp(line.text, cases[i].text, line.text_len) == 0);
	}
}

typedef bool (*EndpointParse)(const uint8_t *text, size_t len, FtpEndpoint *ret);

static void show(const FtpEndpoint *endpoint, char out[80])
{
	char *at = out;
	for (int i = 0; i < 16; i++)
		at += sprintf(at, "%02x", endpoint->addr[i]);
	sprintf(at, ":%u", endpoint->port);
}

Test(ftp_line, endpoints)
{
	static const char any[] = "00000000000000000000000000000000";
	static const char v4[] = "00000000000000000000ffff0a000002";
	static const char v6[] = "20010db8000000000000000000000001";
	static const struct {
		EndpointParse parse;
		const char *text;
		const char *addr; /* NULL: refused */
		uint16_t port;
	} cases[] = {
		{ftp_endpoint_port, "10,0,0,2,19,137", v4, 5001},
		{ftp_endpoint_port, "10,0,0,2,0,21", v4, 21},
		{ftp_endpoint_port, "0,0,0,0,4,1", any, 1025},
		{ftp_endpoint_port, "10,0,0,2,0,0", NULL, 0},
		{ftp_endpoint_port, "10,0,0,256,1,1", NULL, 0},
		{ftp_endpoint_port, "10,0,0,2,1", NULL, 0},
		{ftp_endpoint_port, "10,0,0,99999999999999999999,1,1", NULL, 0},
		{ftp_endpoint_port, "", NULL, 0},
		{ftp_endpoint_lprt, "4,4,10,0,0,2,2,19,137", v4, 5001},
		{ftp_endpoint_lprt, "6,16,32,1,13,184,0,0,0,0,0,0,0,0,0,0,0,1,2,19,137", v6, 5001},
		{ftp_endpoint_lprt, "Long Passive (4,4,10,0,0,2,2,19,137)", v4, 5001},
		{ftp_endpoint_lprt, "4,4,10,0,0,2,2,0,0", NULL, 0},
		{ftp_endpoint_lprt, "5,4,10,0,0,2,2,19,137", NULL, 0},
		{ftp_endpoint_lprt, "4,4,10,0,0,2,3,19,137", NULL, 0},
		{ftp_endpoint_lprt, "", NULL, 0},
		{ftp_endpoint_pasv, "Entering Passive Mode (10,0,0,2,19,137).", v4, 5001},
		{ftp_endpoint_pasv, "=10,0,0,2,19,137", v4, 5001},
		{ftp_endpoint_pasv, "Mode 7: 10,0,0,2,19,137", v4, 5001},
		{ftp_endpoint_pasv, "Passive (1,2,3)", NULL, 0},
		{ftp_endpoint_pasv, "", NULL, 0},
		{ftp_endpoint_epsv, "Extended Passive Mode (|||6446|)", any, 6446},
		{ftp_endpoint_epsv, "(!!!6446!)", any, 6446},
		{ftp_endpoint_epsv, "(|||0|)", NULL, 0},
		{ftp_endpoint_epsv, "(|||65536|)", NULL, 0},
		{ftp_endpoint_epsv, "(|||64x|)", NULL, 0},
		{ftp_endpoint_epsv, "(|||6446", NULL, 0},
		{ftp_endpoint_eprt, "|1|10.0.0.2|5001|", v4, 5001},
		{ftp_endpoint_eprt, "|2|2001:db8::1|5001|", v6, 5001},
		{ftp_endpoint_eprt, "|2|2001:DB8:0:0:0:0:0:1|5001|", v6, 5001},
		{ftp_endpoint_eprt, "|2|2001:db8::1%eth0|5001|", v6, 5001},
		{ftp_endpoint_eprt, "|2|::ffff:10.0.0.2|5001|", v4, 5001},
		{ftp_endpoint_eprt, "|2|::|5001|", any, 5001},
		{ftp_endpoint_eprt, "|2|2001:db8:::1|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|2|1:2:3:4:5:6:7:8:9|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|2|1:2:3:4:5:6:7|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|2|12345::|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|2|:1|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|2||5001|", NULL, 0},
		{ftp_endpoint_eprt, "|3|10.0.0.2|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|1|10.0.0|5001|", NULL, 0},
		{ftp_endpoint_eprt, "|1|10.0.0.2|0|", NULL, 0},
		{ftp_endpoint_eprt, "", NULL, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t len = strlen(cases[i].text);
		for (size_t cut = 0; cut <= len; cut++) {
			uint8_t *copy = malloc(cut > 0 ? cut : 1);
			memcpy(copy, cases[i].text, cut);
			FtpEndpoint endpoint;
			bool is_ok = cases[i].parse(copy, cut, &endpoint);
			free(copy);
			if (is_ok)
				cr_assert_neq(endpoint.port, 0);
			if (cut < len)
				continue;
			cr_assert_eq(is_ok, cases[i].addr != NULL, "%s", cases[i].text);
			if (!is_ok)
				continue;
			char ours[80], theirs[80];
			show(&endpoint, ours);
			snprintf(theirs, sizeof theirs, "%s:%u", cases[i].addr, cases[i].port);
			cr_assert_str_eq(ours, theirs, "%s", cases[i].text);
		}
	}
}

Test(ftp_line, numbers_in_texts)
{
	static const struct {
		const char *text;
		bool is_found;
		uint64_t number;
	} cases[] = {
		{"Opening BINARY mode data connection for a.bin (1234 bytes).", true, 1234},
		{"Opening data connection for file (old) (99bytes)", true, 99},
		{"data connection for (12) 7", false, 0},
		{"(99999999999999999999999 bytes)", false, 0},
		{"(", false, 0},
		{"", false, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t number = 0;
		cr_assert_eq(ftp_text_bytes(bytes(cases[i].text), strlen(cases[i].text), &number),
			cases[i].is_found, "%s", cases[i].text);
		cr_assert_eq(number, cases[i].number);
	}
	uint64_t number;
	cr_assert(ftp_number(bytes(" 18446744073709551615"), 21, &number));
	cr_assert_eq(number, UINT64_MAX);
	cr_assert_not(ftp_number(bytes("18446744073709551616"), 20, &number));
	cr_assert_not(ftp_number(NULL, 0, &number));
	cr_assert(ftp_text_contains(bytes("ProFTPD"), 7, "ftp"));
	cr_assert_not(ftp_text_contains(bytes("ProFT"), 5, "ftp"));
	cr_assert_not(ftp_text_contains(NULL, 0, "ftp"));
}
