/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBIOS framing on both ports, session packets.
 */
#include "dissectors/netbios.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

Test(netbios, framing_by_port)
{
	static const struct {
		uint8_t bytes[4];
		ParseStatus on_139, on_445;
		uint32_t length;
	} rows[] = {
		{{0, 0, 0, 0}, PARSE_OK, PARSE_OK, 0},
		{{0, 0, 1, 2}, PARSE_OK, PARSE_OK, 0x102},
		{{0, 1, 0xFF, 0xFF}, PARSE_OK, PARSE_OK, 0x1FFFF},
		{{0, 2, 0, 0}, PARSE_BAD, PARSE_OK, 0x20000},
		{{0, 0xFF, 0xFF, 0xFF}, PARSE_BAD, PARSE_OK, 0xFFFFFF},
		{{0x81, 0, 0, 68}, PARSE_OK, PARSE_OK, 68},
		{{0x81, 0, 2, 0}, PARSE_BAD, PARSE_BAD, 0},
		{{0x82, 0, 0, 0}, PARSE_OK, PARSE_OK, 0},
		{{0x82, 0, 0, 1}, PARSE_BAD, PARSE_BAD, 0},
		{{0x83, 0, 0, 1}, PARSE_OK, PARSE_OK, 1},
		{{0x84, 0, 0, 6}, PARSE_OK, PARSE_OK, 6},
		{{0x84, 0, 0, 7}, PARSE_BAD, PARSE_BAD, 0},
		{{0x85, 0, 0, 0}, PARSE_OK, PARSE_OK, 0},
		{{0x85, 1, 0, 0}, PARSE_BAD, PARSE_BAD, 0},
		{{0x86, 0, 0, 0}, PARSE_BAD, PARSE_BAD, 0},
		{{0xFF, 'S', 'M', 'B'}, PARSE_BAD, PARSE_BAD, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (int direct = 0; direct < 2; direct++) {
			ParseStatus want = direct ? rows[i].on_445 : rows[i].on_139;
			NetbiosHeader header = {0};
			Cursor c = cursor_over(rows[i].bytes, 4);
			cr_expect_eq(netbios_header_parse(&c, !direct, &header), want,
				"row %zu, direct %d", i, direct);
			cr_expect_eq(c.pos, want == PARSE_OK ? 4 : 0);
			if (want == PARSE_OK)
				cr_expect_eq(header.length, rows[i].length);
		}
	}
	for (size_t len = 0; len < 4; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		NetbiosHeader header;
		Cursor c;
		memset(copy, 0, len);
		c = cursor_over(copy, len);
		cr_expect_eq(netbios_header_parse(&c, false, &header), PARSE_SHORT);
		free(copy);
	}
}

static Message last;
static int calls;

static void keep(void *user, const Message *message)
{
	(void)user;
	last = *message;
	calls++;
}

static const Message *decode(const uint8_t *bytes, size_t len, bool from_client)
{
	const MessageSink sink = {.message = keep};
	uint8_t *copy = malloc(len ? len : 1);

	memcpy(copy, bytes, len);
	calls = 0;
	netbios_decode(cursor_over(copy, len), from_client, &sink);
	free(copy);
	cr_assert_eq(calls, 1);
	cr_expect_eq(last.protocol, MESSAGE_NETBIOS);
	return &last;
}

Test(netbios, session_packets)
{
	static const uint8_t request[] = {0x81, 0, 0, 68}, positive[] = {0x82, 0, 0, 0};
	static const uint8_t negative[] = {0x83, 0, 0, 1, 0x82}, alive[] = {0x85, 0, 0, 0};
	static const uint8_t retarget[] = {0x84, 0, 0, 6, 10, 1, 2, 3, 0x01, 0xBD};
	const Message *m = decode(request, sizeof request, true);

	cr_expect_eq(m->kind, MESSAGE_REQUEST);
	cr_expect_eq(m->command, 0x81);
	cr_expect(m->flags & MESSAGE_FROM_CLIENT);
	m = decode(positive, sizeof positive, false);
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->status_class, STATUS_CLASS_OK);
	m = decode(negative, sizeof negative, false);
	cr_expect_eq(m->kind, MESSAGE_REPLY);
	cr_expect_eq(m->status_class, STATUS_CLASS_ERROR);
	cr_expect_eq(m->status, 0x82);
	m = decode(negative, 4, false);
	cr_expect_eq(m->status_class, STATUS_CLASS_ERROR);
	cr_expect(m->flags & MESSAGE_TRUNCATED);
	m = decode(retarget, sizeof retarget, false);
	cr_expect_eq(m->endpoint_port, 445);
	cr_expect_eq(m->endpoint[12], 10);
	cr_expect_eq(m->endpoint[15], 3);
	cr_expect_eq(m->endpoint[11], 0xFF);
	m = decode(alive, sizeof alive, true);
	cr_expect_eq(m->kind, MESSAGE_NOTICE);
	cr_expect_eq(m->verb, VERB_ECHO);
	for (size_t len = 4; len < sizeof retarget; len++)
		cr_expect(decode(retarget, len, false)->flags & MESSAGE_TRUNCATED, "%zu", len);
	for (uint16_t type = 0; type < 0x200; type++)
		cr_expect_eq(netbios_command_name(type) != NULL,
			type == 0 || (type >= 0x81 && type <= 0x85), "%x", type);
}
