/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a frame of any link type: two bytes of link type, two of wire length beyond what was
 * kept, then the frame. The shortcut and the general way must agree, and nothing may point outside
 * the frame.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/flow/nbf.h"
#include "dissectors/cursor.h"
#include "dissectors/layer.h"
#include "dissectors/packet.h"
#include "dissectors/smb_datagram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

/* NetBEUI and datagrams: what they carry lies inside the frame. The frame comes twice, as the first
 * and as a repetition. */
static void beyond_tcp(const Packet *p)
{
	static Nbf *nbf;
	SmbDatagramKind kind;
	Smb1Input in;
	Packet made;
	if (smb_datagram_find(p, &kind, &in)) {
		expect(kind < SMB_DATAGRAM_KIND_COUNT && in.len <= in.wire_len);
		expect(in.data >= p->payload && in.data + in.len <= p->payload + p->payload_caplen);
	}
	if (p->kind != PACKET_NBF)
		return;
	if (!nbf)
		nbf = nbf_new();
	for (int i = 0; nbf && i < 2; i++) {
		if (nbf_segment(nbf, p, &made))
			expect(made.kind == PACKET_TCP && made.payload_caplen <= made.payload_len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4)
		return 0;
	uint32_t link_type = cursor_load_le16(data), beyond = cursor_load_le16(data + 2);
	const uint8_t *frame = data + 4;
	uint32_t caplen = (uint32_t)(size - 4);

	Packet p, general;
	/* what either leaves alone shows */
	memset(&p, 0xaa, sizeof(p));
	memset(&general, 0xaa, sizeof(general));
	packet_decode(link_type, frame, caplen, caplen + beyond, &p);
	layer_clear(&general, frame);
	layer_decode(link_type, frame, caplen, caplen + beyond, &general);
	expect(memcmp(&p, &general, sizeof(p)) == 0);

	expect(p.kind < PACKET_KIND_COUNT);
	expect(p.payload >= frame && p.payload <= frame + caplen);
	expect(p.payload_caplen <= p.payload_len);
	expect(p.payload_caplen <= (size_t)(frame + caplen - p.payload));
	expect(p.sack_count <= 4);
	if (p.ip) {
		expect(p.ip >= frame && p.ip <= frame + caplen);
		expect(p.ip_caplen <= (size_t)(frame + caplen - p.ip));
	}
	if (p.kind == PACKET_TCP)
		expect(p.ip && p.tcp_header_len >= 20 && p.tcp_header_len <= 60);
	beyond_tcp(&p);
	return 0;
}
