/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB1 without connections: each carrier whole, cut at every length, and what only looks like one.
 */
#include "dissectors/smb_datagram.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/session/datagrams.h"
#include "dissectors/netbeui.h"

#define NAME_LEN 34 /* length, 32 letters, end */
#define SMB_LEN 35

typedef struct Sample {
	uint8_t bytes[256];
	size_t len;
} Sample;

static void add(Sample *s, const void *data, size_t len)
{
	memcpy(s->bytes + s->len, data, len);
	s->len += len;
}

static void add_zeros(Sample *s, size_t len)
{
	s->len += len;
}

static void add_smb(Sample *s, uint8_t command, uint8_t flags)
{
	uint8_t smb[SMB_LEN] = {0xff, 'S', 'M', 'B', command, 0, 0, 0, 0, flags};
	add(s, smb, sizeof(smb));
}

static void make_udp(Sample *s)
{
	uint8_t name[NAME_LEN] = {32, [33] = 0};
	memset(name + 1, 'A', 32);
	add(s, "\x11\x0a\0\1\x0a\0\0\1\0\x8a\0\x67\0\0", 14);
	add(s, name, sizeof(name));
	add(s, name, sizeof(name));
	add_smb(s, 0x25, 0);
}

static void make_nbf(Sample *s)
{
	add(s, "\x2c\0\xff\xef\x08", 5);
	add_zeros(s, 44 - 5);
	add_smb(s, 0x25, 0);
}

static void make_ipx(Sample *s)
{
	add_zeros(s, 16);
	add(s, "\x05\x50", 2);
	add_zeros(s, 10);
	add(s, "\x05\x52", 2);
	add_smb(s, 0x2b, 0x80);
}

static void make_ipx_mailslot(Sample *s)
{
	add_zeros(s, 16);
	add(s, "\x05\x53", 2);
	add_zeros(s, 10 + 2 + 36);
	add_smb(s, 0x25, 0);
}

typedef struct Carrier {
	void (*make)(Sample *s);
	uint8_t kind, control;
	SmbDatagramKind carrier;
	uint8_t command;
	bool from_client;
} Carrier;

static const Carrier carriers[] = {
	{make_udp, PACKET_UDP, 0, SMB_DATAGRAM_UDP, 0x25, true},
	{make_nbf, PACKET_NBF, LLC_UI, SMB_DATAGRAM_NBF, 0x25, true},
	{make_ipx, PACKET_IPX, 0, SMB_DATAGRAM_IPX, 0x2b, false},
	{make_ipx_mailslot, PACKET_IPX, 0, SMB_DATAGRAM_IPX, 0x25, true},
};

static Packet packet_of(const Carrier *carrier, const uint8_t *data, size_t len)
{
	return (Packet){.kind = carrier->kind,
		.tcp_flags = carrier->control,
		.src_port = SMB_DATAGRAM_PORT,
		.dst_port = SMB_DATAGRAM_PORT,
		.payload = data,
		.payload_len = (uint32_t)len,
		.payload_caplen = (uint32_t)len};
}

Test(smb_datagram, every_carrier)
{
	for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
		Sample s = {0};
		carriers[i].make(&s);
		Packet p = packet_of(&carriers[i], s.bytes, s.len);
		SmbDatagramKind kind;
		Smb1Input in;
		cr_assert(smb_datagram_find(&p, &kind, &in), "carrier %zu", i);
		cr_expect_eq(kind, carriers[i].carrier);
		cr_expect_eq(in.len, SMB_LEN);
		cr_expect_eq(in.from_client, carriers[i].from_client);
		cr_expect_eq(in.data[4], carriers[i].command);
		for (size_t len = 0; len < s.len; len++) {
			uint8_t *copy = malloc(len ? len : 1);
			memcpy(copy, s.bytes, len);
			p = packet_of(&carriers[i], copy, len);
			bool is_found = smb_datagram_find(&p, &kind, &in);
			/* the header of 32 bytes is enough */
			cr_expect_eq(is_found, len + SMB_LEN - 32 >= s.len, "%zu at %zu", i, len);
			free(copy);
		}
	}
}

Test(smb_datagram, others)
{
	SmbDatagramKind kind;
	Smb1Input in;
	Sample s = {0};
	make_udp(&s);
	Packet p = packet_of(&carriers[0], s.bytes, s.len);
	p.src_port = p.dst_port = 137;
	cr_expect(!smb_datagram_find(&p, &kind, &in), "another port");
	p.dst_port = SMB_DATAGRAM_PORT;
	s.bytes[13] = 8;
	cr_expect(!smb_datagram_find(&p, &kind, &in), "not the first piece");
	s.bytes[13] = 0;
	s.bytes[0] = 0x13;
	cr_expect(!smb_datagram_find(&p, &kind, &in), "an error report");
	s.bytes[0] = 0x11;
	s.bytes[14] = 0xc0; /* a pointer: two bytes */
	cr_expect(!smb_datagram_find(&p, &kind, &in), "no message there");
	Sample n = {0};
	make_nbf(&n);
	p = packet_of(&carriers[1], n.bytes, n.len);
	p.tcp_flags = 0; /* a numbered frame belongs to a session */
	cr_expect(!smb_datagram_find(&p, &kind, &in));
}

Test(smb_datagram, are_counted_by_carrier)
{
	Datagrams *datagrams = datagrams_new();
	SessionStats stats;
	cr_assert(!datagrams_stats(datagrams, SMB_DATAGRAM_UDP, &stats));
	for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
		Sample s = {0};
		carriers[i].make(&s);
		Packet p = packet_of(&carriers[i], s.bytes, s.len);
		cr_assert(datagrams_push(datagrams, &p));
	}
	cr_assert(datagrams_stats(datagrams, SMB_DATAGRAM_IPX, &stats));
	cr_assert(stats.transport == TRANSPORT_IPX && stats.command_count == 2);
	cr_expect(stats.commands[0].command == 0x25 && stats.commands[0].requests == 1);
	cr_expect(stats.commands[1].command == 0x2b && stats.commands[1].responses == 1);
	cr_assert(datagrams_stats(datagrams, SMB_DATAGRAM_UDP, &stats));
	cr_expect_str_eq(session_transport_id(stats.transport), "udp-datagram");
	datagrams_free(datagrams);
}
