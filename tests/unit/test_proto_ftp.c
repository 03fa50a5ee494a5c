/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The FTP protocol: probing, framing and messages of a dialogue, at every truncation length.
 */
#include "dissectors/proto_ftp.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissectors/ftp_line.h"

typedef struct Recorder {
	Message messages[64];
	char names[64][64];
	size_t count, anomalies;
} Recorder;

static void on_message(void *user, const Message *message)
{
	Recorder *r = user;
	if (r->count == 64)
		return;
	memcpy(r->names[r->count], message->name_len > 0 ? (const char *)message->name : "",
		message->name_len < 63 ? message->name_len : 63);
	r->messages[r->count++] = *message;
}

static void on_anomaly(void *user, const char *kind)
{
	(void)kind;
	((Recorder *)user)->anomalies++;
}

/* frames and decodes all messages of @text, each from a block of its size */
static void run(DissectorState *state, Recorder *r, const char *text, size_t len, bool from_client)
{
	MessageSink sink = {on_message, r, on_anomaly};
	for (size_t at = 0; at < len;) {
		Extent extent;
		uint8_t *copy = malloc(len - at);
		memcpy(copy, text + at, len - at);
		ParseStatus status =
			protocol_ftp.frame(state, copy, len - at, from_client, &extent);
		free(copy);
		if (status != PARSE_OK)
			return;
		size_t total = extent.total < len - at ? extent.total : len - at;
		copy = malloc(total);
		memcpy(copy, text + at, total);
		protocol_ftp.decode(state, copy, total, &extent, from_client, &sink);
		free(copy);
		at += total;
	}
}

static void say(DissectorState *state, Recorder *r, const char *text, bool from_client)
{
	run(state, r, text, strlen(text), from_client);
}

Test(proto_ftp, probe)
{
	static const struct {
		const char *text;
		bool from_client;
		Probe answer;
	} cases[] = {
		{"220 ProFTPD ready\r\n", false, PROBE_YES},
		{"220-Welcome to the FTP\r\n", false, PROBE_YES},
		{"220 hello\r\n", false, PROBE_MAYBE},
		{"220 mail ESMTP\r\n", false, PROBE_NO},
		{"200 news\r\n", false, PROBE_NO},
		{"227 Entering Passive Mode (1,2,3,4,5,6)\r\n", false, PROBE_YES},
		{"HTTP/1.1 200 OK\r\n", false, PROBE_NO},
		{"SSH-2.0-x\r\n", false, PROBE_NO},
		{"+OK\r\n", false, PROBE_NO},
		{"", false, PROBE_NO},
		{"USER bob\r\n", true, PROBE_MAYBE},
		{"AUTH TLS\r\n", true, PROBE_MAYBE},
		{"AUTH PLAIN x\r\n", true, PROBE_NO},
		{"MODE READER\r\n", true, PROBE_NO},
		{"EHLO x\r\n", true, PROBE_NO},
		{"GET / HTTP/1.1\r\n", true, PROBE_NO},
		{"\x16\x03\x01", true, PROBE_NO},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t len = strlen(cases[i].text);
		cr_assert_eq(protocol_ftp.probe(
				     (const uint8_t *)cases[i].text, len, cases[i].from_client),
			cases[i].answer, "%s", cases[i].text);
		for (size_t cut = 0; cut < len; cut++) {
			uint8_t *copy = malloc(cut > 0 ? cut : 1);
			memcpy(copy, cases[i].text, cut);
			protocol_ftp.probe(copy, cut, cases[i].from_client);
			free(copy);
		}
	}
}

Test(proto_ftp, dialogue)
{
	DissectorState state = {0};
	Recorder r = {0};
	say(&state, &r, "220-Welcome\r\n220 is not the end-\r\n   220 x\r\n220 go\r\n", false);
	/* the second line begins with the code and a blank: that is the end of the greeting */
	cr_assert_eq(r.messages[0].kind, MESSAGE_NOTICE);
	cr_assert_eq(r.messages[0].reply_code, 220);
	r = (Recorder){0};
	say(&state, &r, "USER bob\r\nPASS secret\r\n", true);
	cr_assert_eq(r.count, 2);
	cr_assert_eq(r.messages[0].kind, MESSAGE_REQUEST);
	cr_assert_eq(r.messages[0].verb, VERB_LOGIN);
	cr_assert_null(r.messages[0].name);
	cr_assert_null(r.messages[1].name);
	cr_assert_eq(r.messages[1].name_len, 0);
	r = (Recorder){0};
	say(&state, &r, "331 password\r\n230-a\r\n 230 b\r\n123 c\r\n230 d\r\n", false);
	cr_assert_eq(r.count, 2);
	cr_assert_eq(r.messages[0].kind, MESSAGE_REPLY);
	cr_assert_eq(r.messages[0].status_class, STATUS_CLASS_MORE);
	cr_assert_eq(r.messages[1].reply_code, 230);
	r = (Recorder){0};
	say(&state, &r,
		"PORT 10,0,0,2,19,137\r\nEPRT |2|2001:db8::1|80|\r\nREST 77\r\nRETR a b\r\n", true);
	cr_assert_eq(r.count, 4);
	cr_assert_eq(r.messages[0].endpoint_port, 5001);
	cr_assert_eq(r.messages[1].endpoint_port, 80);
	cr_assert_eq(r.messages[2].length, 77);
	cr_assert_eq(r.messages[3].verb, VERB_READ);
	cr_assert_str_eq(r.names[3], "a b");
	r = (Recorder){0};
	say(&state, &r,
		"150 Opening BINARY mode data connection for a b (500 bytes)\r\n"
		"226 done\r\n213 4096\r\n550 a: No such file\r\n550 Permission denied\r\n"
		"227 Entering Passive Mode (10,0,0,2,19,137)\r\n229 (|||99|)\r\n",
		false);
	cr_assert_eq(r.count, 7);
	cr_assert_eq(r.messages[0].kind, MESSAGE_INTERIM);
	cr_assert_eq(r.messages[0].length, 500);
	cr_assert_eq(r.messages[1].status_class, STATUS_CLASS_OK);
	cr_assert_eq(r.messages[2].length, 4096);
	cr_assert_eq(r.messages[3].status_class, STATUS_CLASS_NOT_FOUND);
	cr_assert_eq(r.messages[4].status_class, STATUS_CLASS_DENIED);
	cr_assert_eq(r.messages[5].endpoint_port, 5001);
	cr_assert_eq(r.messages[6].endpoint_port, 99);
	cr_assert_eq(r.anomalies, 0);
	say(&state, &r, "hello world this is nothing\r\n", false);
	cr_assert_eq(r.anomalies, 1);
}

Test(proto_ftp, encryption)
{
	DissectorState state = {0};
	Recorder r = {0};
	say(&state, &r, "AUTH TLS\r\n", true);
	say(&state, &r, "234 go\r\n", false);
	cr_assert(state.opaque);
	run(&state, &r,
		"\x16\x03\x01\x00\x03"
		"abc\x17\x03\x03\x00\x01"
		"x",
		14, true);
	cr_assert_eq(r.count, 4);
	cr_assert_eq(r.messages[2].kind, MESSAGE_OPAQUE);
	cr_assert_eq(r.messages[2].opaque_length, 3);
	cr_assert_eq(r.messages[3].opaque_length, 1);
	/* bytes that are no record are taken as they come */
	run(&state, &r, "PASS secret\r\n", 13, true);
	cr_assert_eq(r.count, 5);
	cr_assert_eq(r.messages[4].kind, MESSAGE_OPAQUE);
	/* the 234 was not captured: the record itself tells */
	state = (DissectorState){0};
	r = (Recorder){0};
	run(&state, &r,
		"\x16\x03\x01\x00\x03"
		"abc",
		8, true);
	cr_assert(state.opaque);
	cr_assert_eq(r.messages[0].kind, MESSAGE_OPAQUE);
}

Test(proto_ftp, long_lines_are_one_command)
{
	static char text[10000];
	memset(text, 'a', sizeof text);
	memcpy(text, "RETR ", 5);
	memcpy(text + 6000, "\r\nQUIT\r\n", 8);
	DissectorState state = {0};
	Recorder r = {0};
	run(&state, &r, text, 6008, true);
	cr_assert_eq(r.count, 2, "%zu", r.count);
	cr_assert_eq(r.messages[0].command, FTP_RETR);
	cr_assert(r.messages[0].flags & MESSAGE_TRUNCATED);
	cr_assert_eq(r.messages[1].command, FTP_QUIT);
	cr_assert_eq(r.anomalies, 1);
}

Test(proto_ftp, resync)
{
	static const struct {
		const char *text;
		bool from_client;
		long at;
	} cases[] = {
		{"226 done\r\n", false, 0},
		{"er complete\r\n226 done\r\n", false, 13},
		{"er complete\r\n", false, -1},
		{"1 x", false, -1},
		{"bin\r\nTYPE I\r\n", true, 5},
		{"NOOP\r\n", true, 0},
		{"", true, -1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_eq(protocol_ftp.resync((const uint8_t *)cases[i].text,
				     strlen(cases[i].text), cases[i].from_client),
			cases[i].at, "%s", cases[i].text);
}
